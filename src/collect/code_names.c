#include "collect/code_names.h"

#include "base/arrays.h"
#include "base/error.h"
#include "clr/clr.h"
#include "collect/code_files.h"
#include "collect/find_target.h"
#include "collect/session.h"
#include "heap/ids.h"
#include "heap/method_words.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static_assert(CODE_NO_OFFSET == CLR_NO_OFFSET, "one word for no offset");

/* --- the list ---------------------------------------------------------------------- */

/* Certainty of a name. A return address belongs to the method of the byte before it; a
 * signal may interrupt the first instruction of a method. An unloaded method is used only
 * if no other was at the address. */
enum rank { RANK_NONE, RANK_AT, RANK_GONE, RANK_IN };

/* bytes; methods with longer names are skipped, and the written form is cut */
enum { MAX_NAME = 4096, MAX_WRITTEN = 300 };

struct code_address {
    enum rank rank;
    uint32_t method;        /* its number */
    uint32_t offset, until; /* as in struct code_name */
};

struct listed_method {
    const char *type, *name; /* as in the event */
    uint64_t module;
    uint32_t token;
};

struct code_list {
    const uint64_t *addresses;
    const bool *innermost;
    struct code_address *all;
    size_t count;
    struct listed_method *methods;
    size_t method_count, method_cap;
    struct id_numbers module_ids;
    const char **modules; /* paths, by number */
    size_t module_cap;
    struct arena *arena; /* of strings */
    struct account *account;
    struct text map;         /* of the next method */
    struct code_method last; /* for a map that follows; without names */
    uint32_t last_number;    /* NO_ID: at no wanted address */
    size_t last_begin, last_end;
};

struct code_list *code_list_begin(const struct code_addresses *addresses,
                                  struct account *account, struct arena *a)
{
    struct code_list *l = alloc_zeroed(sizeof(*l));
    l->addresses = addresses->all;
    l->innermost = addresses->innermost;
    l->count = addresses->count;
    l->all = alloc_zeroed(array_bytes(l->count + 1, sizeof(*l->all)));
    l->account = a->account = l->module_ids.account = account;
    l->arena = a;
    l->last_number = NO_ID;
    account_charge(account, (l->count + 1) * sizeof(*l->all));
    return l;
}

void code_list_free(struct code_list *l)
{
    if (l == NULL)
        return;
    account_free(l->account, l->all, l->count + 1, sizeof(*l->all));
    account_free(l->account, l->methods, l->method_cap, sizeof(*l->methods));
    account_free(l->account, l->modules, l->module_cap, sizeof(*l->modules));
    id_numbers_free(&l->module_ids);
    l->arena->account = NULL; /* which may end */
    text_free(&l->map);
    free(l);
}

/* NULL if it is too long. */
static const char *keep_wide(struct code_list *l, struct bytes wide)
{
    struct text t = {0};
    if (wide.size / 2 > MAX_NAME)
        return NULL;
    trace_wide_text(&t, wide);
    const char *kept = arena_strdup(l->arena, text_string(&t), t.len);
    text_free(&t);
    return kept;
}

/* The first event of a module counts. */
static void add_module(struct code_list *l, struct bytes payload)
{
    struct code_module m;
    if (!code_module_parse(payload, &m) || id_numbers_find(&l->module_ids, m.id) != NO_ID)
        return;
    const char *path = keep_wide(l, m.path);
    if (path == NULL)
        return;
    uint32_t number = id_numbers_add(&l->module_ids, m.id);
    l->modules =
        account_grow(l->account, l->modules, number, &l->module_cap, sizeof(*l->modules));
    l->modules[number] = path;
}

static bool address_before(const void *all, size_t i, const void *wanted)
{
    const uint64_t *addresses = all;
    return addresses[i] < *(const uint64_t *)wanted;
}

/* NO_ID: it has no name, or one that is too long. */
static uint32_t keep_method(struct code_list *l, const struct code_method *m)
{
    const char *type = keep_wide(l, m->type), *name = keep_wide(l, m->name);
    if (type == NULL || name == NULL || name[0] == '\0')
        return NO_ID;
    *ACCOUNT_APPEND(l->account, l->methods, l->method_count, l->method_cap) =
        (struct listed_method){type, name, m->module, m->token};
    return (uint32_t)l->method_count - 1;
}

/* Finds the offset in IL of the call before an address. */
static void find_offset(const struct code_list *l, size_t i, const struct code_map *map,
                        const struct code_method *m)
{
    struct code_address *a = &l->all[i];
    uint64_t native = l->addresses[i] - m->start;
    bool is_innermost = l->innermost != NULL && l->innermost[i];
    a->offset = code_map_find(map, (uint32_t)(native > 0 ? native - 1 : 0));
    a->until =
        is_innermost && a->offset != CODE_NO_OFFSET ? code_map_next(map, a->offset) : 0;
}

static void add_method(struct code_list *l, struct bytes payload, bool is_gone)
{
    struct code_map map = {.method = 0};
    struct code_method m;
    if (!code_method_parse(payload, &m))
        return;
    uint64_t end = m.size < UINT64_MAX - m.start ? m.start + m.size : UINT64_MAX;
    bool has_map =
        l->map.len > 0 &&
        code_map_parse((struct bytes){(unsigned char *)l->map.data, l->map.len}, &map);
    size_t begin = search_first(l->addresses, 0, l->count, address_before, &m.start);
    uint32_t number = NO_ID;
    size_t i = begin;
    for (; i < l->count && l->addresses[i] <= end; i++) {
        struct code_address *a = &l->all[i];
        enum rank rank = is_gone                      ? RANK_GONE
                         : l->addresses[i] == m.start ? RANK_AT
                                                      : RANK_IN;
        if (rank < a->rank)
            continue;
        number = number == NO_ID ? keep_method(l, &m) : number;
        if (number == NO_ID)
            break;
        *a = (struct code_address){rank, number, CODE_NO_OFFSET, 0};
        if (has_map && map.method == m.id)
            find_offset(l, i, &map, &m);
    }
    text_clear(&l->map);
    l->last = m;
    l->last_number = number;
    l->last_begin = begin;
    l->last_end = i;
}

static void add_map(struct code_list *l, struct bytes payload)
{
    struct code_map map;
    if (l->last_number == NO_ID || !code_map_parse(payload, &map) ||
        map.method != l->last.id)
        return;
    for (size_t i = l->last_begin; i < l->last_end; i++)
        if (l->all[i].method == l->last_number)
            find_offset(l, i, &map, &l->last);
}

void code_list_add(struct code_list *l, enum trace_code_event kind, struct bytes payload)
{
    if (kind == CODE_METHOD || kind == CODE_GONE) {
        add_method(l, payload, kind == CODE_GONE);
    } else if (kind == CODE_MODULE) {
        add_module(l, payload);
    } else if (kind == CODE_MAP_AFTER) {
        add_map(l, payload);
    } else if (kind == CODE_MAP_BEFORE) {
        text_clear(&l->map);
        text_add(&l->map, payload.data, payload.size);
    }
}

/* Cut at the end of a character. */
static const char *written(const struct listed_method *m, struct text *t, struct arena *a)
{
    text_clear(t);
    method_written(t, name_part(m->type), name_part(m->name));
    if (t->len > MAX_WRITTEN) {
        t->len = MAX_WRITTEN;
        while (t->len > 0 && ((unsigned char)t->data[t->len] & 0xC0) == 0x80)
            t->len--;
        text_add_string(t, "...");
    }
    return arena_strdup(a, text_string(t), t->len);
}

void code_list_names(const struct code_list *l, struct code_name *names)
{
    struct text t = {0};
    const char **methods = alloc_zeroed(array_bytes(l->method_count + 1, sizeof(*methods)));
    for (size_t i = 0; i < l->count; i++) {
        const struct code_address *at = &l->all[i];
        names[i] = (struct code_name){.offset = CODE_NO_OFFSET};
        if (at->rank == RANK_NONE)
            continue;
        const struct listed_method *m = &l->methods[at->method];
        uint32_t module = id_numbers_find(&l->module_ids, m->module);
        if (methods[at->method] == NULL)
            methods[at->method] = written(m, &t, l->arena);
        names[i] = (struct code_name){.frame = {.method = methods[at->method]},
                                      .module = module != NO_ID ? l->modules[module] : NULL,
                                      .module_number = module,
                                      .type = m->type,
                                      .name = m->name,
                                      .token = m->token,
                                      .offset = at->offset,
                                      .until = at->until};
    }
    free(methods);
    text_free(&t);
}

/* --- the session ------------------------------------------------------------------- */

enum { TO_ANSWER_MS = 5000, MAX_MS = 20000, MAX_BYTES = 128 << 20, MAX_MEMORY = 32 << 20 };

struct name_session {
    struct event_session tracing;
    const struct patience *patience;
    struct hd_error *err;
    uint64_t began, last_byte; /* clock_ms() */
    uint64_t bytes;
};

/* Whether it is to be waited for. */
static bool is_in_time(const struct name_session *s)
{
    uint64_t now = clock_ms();
    if (!patience_goes_on(s->patience))
        return fail(s->err, HD_CANCELLED, "stopped");
    if (s->bytes > MAX_BYTES)
        return fail(s->err, HD_TOO_BIG, "the list of methods has more than %d MiB",
                    MAX_BYTES >> 20);
    return (now - s->last_byte <= s->patience->silence_ms && now - s->began <= MAX_MS) ||
           fail(s->err, HD_TIMED_OUT, "the list of methods was not complete within %g s",
                (double)(now - s->began) / 1e3);
}

/* read(2) for input_stream(). */
static ssize_t code_names_take(void *from, void *to, size_t capacity)
{
    struct name_session *s = from;
    while (is_in_time(s)) {
        ssize_t n = transport.read(s->tracing.stream, to, capacity, PATIENCE_TICK_MS);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (n <= 0)
            return 0;
        s->last_byte = clock_ms();
        s->bytes += (uint64_t)n;
        return n;
    }
    return -1;
}

/* All of the list; false and err if it is not whole. */
static bool read_list(struct name_session *s, struct code_list *list,
                      struct account *account)
{
    struct hd_error err = {0};
    struct trace_event e;
    struct bytes payload;
    struct input *in = input_stream(code_names_take, s);
    struct nettrace *t = nettrace_begin(in, &err);
    nettrace_distrust(t, MAX_MEMORY);
    nettrace_charge_to(t, account);
    while (nettrace_next(t, &e)) {
        enum trace_code_event kind = trace_code_event_kind(&e);
        if (kind != CODE_OTHER && nettrace_payload(t, &payload))
            code_list_add(list, kind, payload);
    }
    size_t losses;
    nettrace_losses(t, &losses);
    enum trace_end end = nettrace_end(t);
    if (end == TRACE_CANNOT_BE_READ)
        fail(s->err, HD_BAD_FORMAT, "the process sent no list of methods: %s", err.message);
    else if (end != TRACE_ENDS)
        fail(s->err, HD_IO,
             "the process ended its list of methods early, after %" PRIu64
             " bytes; has it exited?",
             s->bytes);
    else if (losses > 0)
        fail(s->err, HD_IO, "the process lost a part of its list of methods");
    nettrace_free(t);
    input_close(in);
    return s->err->status == HD_OK;
}

static bool hold_session(struct name_session *s, struct code_list *list,
                         struct account *account)
{
    struct hd_error why = {0};
    bool ok = tracing_start(&s->tracing, TRACING_NAMES, s->patience, &why);
    if (!ok && why.status == HD_TIMED_OUT)
        fail(s->err, HD_TIMED_OUT, "the process does not respond");
    else if (!ok && why.status == HD_UNSUPPORTED)
        fail(s->err, HD_UNSUPPORTED, "the process refuses to list its methods");
    else if (!ok)
        fail(s->err, why.status, "%s", why.message);
    ok = ok && tracing_stop(&s->tracing, s->err) && read_list(s, list, account);
    tracing_end(&s->tracing, ok, s->err->status != HD_BAD_FORMAT);
    return ok;
}

/* --- files ------------------------------------------------------------------------- */

struct asked_place {
    uint32_t module;
    size_t name;
};

static int by_module(const void *a, const void *b)
{
    const struct asked_place *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* A generic method of the framework may count to the module of its arguments. */
static void ask_files(struct code_names *n, const struct code_list *list,
                      const struct target *t, const char *entry, const struct patience *p)
{
    struct arena scratch = {0};
    struct asked_place *order = arena_array(&scratch, struct asked_place, n->count + 1);
    struct code_place *places = arena_array(&scratch, struct code_place, n->count + 1);
    struct code_files asked = {.entry = entry,
                               .modules = list->modules,
                               .module_count = (uint32_t)list->module_ids.len,
                               .places = places};
    for (size_t i = 0; i < n->count; i++)
        if (n->all[i].frame.method != NULL && n->all[i].module != NULL &&
            !names_is_framework(name_part(n->all[i].frame.method), NAME_CLASS))
            order[asked.place_count++] = (struct asked_place){n->all[i].module_number, i};
    qsort(order, asked.place_count, sizeof(*order), by_module);
    for (size_t i = 0; i < asked.place_count; i++) {
        const struct code_name *name = &n->all[order[i].name];
        places[i] = (struct code_place){name->module_number,
                                        {name->token, name->offset, name->until},
                                        name->type,
                                        name->name};
    }
    const struct code_file_line *lines = code_files_read(&asked, t, p, &n->arena);
    n->own_is_known = lines != NULL;
    for (size_t i = 0; lines != NULL && i < asked.place_count; i++) {
        struct site_frame *frame = &n->all[order[i].name].frame;
        frame->is_own = lines[i].is_own;
        frame->file = lines[i].file;
        frame->line = lines[i].line;
        n->with_line += lines[i].line != 0;
    }
    arena_free(&scratch);
}

/* --- complete names
 * ---------------------------------------------------------------------- */

/* Returns the name of the entry assembly; NULL: unknown. */
static const char *entry_of(const struct target *t, const struct patience *p,
                            struct arena *a)
{
    struct process_info info;
    if (process_info_ask(&info, t, p, a, NULL) && info.name != NULL)
        return info.name;
    return t->proc != NULL ? t->proc->name : NULL;
}

/* Returns the MiB that the process may use for its list, which it holds until we read it: a
 * quarter of the memory left up to its limit. If that is too small, part of the list is
 * lost, but the process is not killed. 0: no limit. */
static uint32_t buffer_mb_of(const struct hd_collect_options *how, const struct target *t)
{
    enum { SHARE = 4 };
    uint64_t left = how->memory_left != NULL && t->visible
                        ? how->memory_left(how->context, (uint64_t)t->pid)
                        : HD_UNKNOWN;
    if (left == HD_UNKNOWN)
        return 0;
    uint64_t mb = (left / SHARE) >> 20;
    return mb < 1 ? 1 : mb < UINT32_MAX ? (uint32_t)mb : UINT32_MAX;
}

bool code_names_read(struct code_names *n, const struct code_addresses *addresses,
                     const struct hd_collect_options *opt, struct hd_error *err)
{
    struct hd_error own = {0};
    struct hd_collect_options how;
    struct arena scratch = {0};
    struct account account = {.limit = MAX_MEMORY};
    struct target target;
    int lock = -1;
    *n = (struct code_names){.count = addresses->count};
    if (!collect_options_copy(&how, opt, err))
        return false;
    n->all = arena_array(&n->arena, struct code_name, n->count + 1);
    const struct patience turn = collect_patience(&how);
    struct patience p = turn;
    p.silence_ms = p.silence_ms < TO_ANSWER_MS ? p.silence_ms : TO_ANSWER_MS;
    struct code_list *list = code_list_begin(addresses, &account, &n->arena);
    bool ok = find_target(&target, &how, &scratch, &own) &&
              (!target.visible || process_lock_wait(target.pid, &turn, &lock, &own));
    const char *entry = ok ? entry_of(&target, &p, &scratch) : NULL;
    if (ok) {
        uint64_t now = clock_ms();
        struct name_session s = {.tracing = tracing_of(&target),
                                 .patience = &p,
                                 .err = &own,
                                 .began = now,
                                 .last_byte = now};
        s.tracing.buffer_mb = buffer_mb_of(&how, &target);
        ok = hold_session(&s, list, &account);
        n->bytes = s.bytes;
        n->ms = clock_ms() - now;
    }
    close_quietly(lock);
    code_list_names(list, n->all);
    for (size_t i = 0; i < n->count; i++)
        n->named += n->all[i].frame.method != NULL;
    if (n->named > 0)
        ask_files(n, list, &target, entry, &p);
    code_list_free(list);
    arena_free(&scratch);
    if (!ok && err != NULL && err->status == HD_OK)
        *err = own;
    return ok;
}

void code_names_free(struct code_names *n)
{
    arena_free(&n->arena);
    *n = (struct code_names){.count = 0};
}
