#include "format/text/text_section.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

struct section_type {
    const char *name; /* as in the file; NULL until its record comes */
    size_t name_len;
    uint64_t name_line;                    /* of that record */
    uint64_t bytes;                        /* of its objects */
    struct occurrence objects, containers; /* what uses the id */
    uint32_t type;                         /* of the builder, once the section ends */
};

struct section_object {
    uint64_t size, line;
    uint32_t type; /* number of its id */
    uint32_t reference_count;
};

struct section_root {
    uint64_t object, line;
    uint32_t container; /* number of the type id, or NO_ID */
    enum hd_root_kind kind;
};

/* --- warnings ------------------------------------------------------------------ */

/* Pieces of a section do not come in order of lines. */
static void see(struct occurrence *s, uint64_t line)
{
    if (s->count++ == 0 || line < s->line)
        s->line = line;
}

/* More of the same kind, from elsewhere in the section. */
static void see_all(struct occurrence *s, const struct occurrence *more,
                    uint64_t lines_before)
{
    uint64_t line = more->line + lines_before;
    if (more->count > 0 && (s->count == 0 || line < s->line))
        s->line = line;
    s->count += more->count;
}

void section_odd(struct section *s, enum warning_code code, uint64_t line)
{
    see(&s->odd[code], line);
}

/* What was odd becomes known in another order than it stands in the file. */
static void give_warnings(struct section *s, struct builder *b)
{
    for (;;) {
        struct occurrence *first = NULL;
        for (size_t i = 0; i < WARN_CODE_COUNT; i++)
            if (s->odd[i].count > 0 && (first == NULL || s->odd[i].line < first->line))
                first = &s->odd[i];
        if (first == NULL)
            return;
        for (; first->count > 0; first->count--)
            builder_warn(b, (enum warning_code)(first - s->odd), first->line);
    }
}

/* --- types --------------------------------------------------------------------- */

/* The type of that id, which may not be known yet. Good until the next call. */
static struct section_type *use_type(struct section *s, uint64_t id, uint32_t *number)
{
    size_t known = s->type_ids.len;
    uint32_t n = known > 0 && id == s->last_type_id ? s->last_type
                                                    : id_numbers_add(&s->type_ids, id);
    if (n == known) {
        s->types =
            account_grow(s->account, s->types, known, &s->type_cap, sizeof(*s->types));
        s->types[n] = (struct section_type){0};
    }
    s->last_type_id = id;
    s->last_type = n;
    if (number != NULL)
        *number = n;
    return &s->types[n];
}

bool section_name_type(struct section *s, uint64_t id, const char *name, size_t len,
                       uint64_t line)
{
    struct section_type *t = use_type(s, id, NULL);
    if (t->name != NULL) {
        if (t->name_len != len || memcmp(t->name, name, len) != 0)
            return false;
        section_odd(s, WARN_REPEATED_TYPE, line);
        return true;
    }
    t->name = arena_strdup(&s->names, name, len);
    t->name_len = len;
    t->name_line = line;
    return true;
}

static void find_unnamed_types(struct section *s)
{
    for (size_t i = 0; i < s->type_ids.len; i++) {
        const struct section_type *t = &s->types[i];
        if (t->name != NULL)
            continue;
        see_all(&s->odd[WARN_UNKNOWN_TYPE], &t->objects, 0);
        see_all(&s->odd[WARN_UNKNOWN_CONTAINER], &t->containers, 0);
    }
}

/* --- objects ------------------------------------------------------------------- */

static enum section_result keep_object(struct section *s, uint64_t id, uint32_t type,
                                       uint64_t size, uint64_t line)
{
    size_t references = s->reference_count - s->references_taken;
    if (s->ids.len >= NO_NODE - 1 || references >= UINT32_MAX)
        return SECTION_TOO_BIG;
    s->objects = account_grow(s->account, s->objects, s->ids.len, &s->object_cap,
                              sizeof(*s->objects));
    s->objects[s->ids.len] = (struct section_object){
        .size = size, .line = line, .type = type, .reference_count = (uint32_t)references};
    s->references_taken = s->reference_count;
    return ids_add(&s->ids, id) ? SECTION_OK : SECTION_DUPLICATE;
}

enum section_result section_object(struct section *s, struct text_totals *t, uint64_t id,
                                   uint64_t type, uint64_t size, uint64_t line)
{
    if (s->want_graph) {
        uint32_t number;
        use_type(s, type, &number);
        enum section_result kept = keep_object(s, id, number, size, line);
        if (kept != SECTION_OK)
            return kept;
    }
    if (size > HD_UNKNOWN - 1 - t->bytes)
        return SECTION_OVERFLOW;
    t->bytes += size;
    section_count(s, type, 1, size, line);
    return SECTION_OK;
}

uint32_t section_count(struct section *s, uint64_t type, uint64_t count, uint64_t bytes,
                       uint64_t line)
{
    uint32_t number;
    struct section_type *t = use_type(s, type, &number);
    see_all(&t->objects, &(struct occurrence){count, line}, 0);
    t->bytes += bytes;
    return number;
}

void section_count_more(struct section *s, uint32_t number, uint64_t count, uint64_t bytes)
{
    s->types[number].objects.count += count;
    s->types[number].bytes += bytes;
}

/* In order of the numbers: of the first record that has the id, so the same for any
 * number of pieces. */
static void give_types(struct section *s, struct builder *b)
{
    for (size_t i = 0; i < s->type_ids.len; i++) {
        struct section_type *t = &s->types[i];
        if (t->objects.count == 0)
            continue;
        t->type = builder_type(b, TYPE_OBJECT, t->name, t->name_len);
        /* The sum of all bytes was checked as it grew. */
        builder_row(b, t->type, t->objects.count, t->bytes);
    }
}

static void give_objects(struct section *s, struct builder *b, node_id first,
                         struct text_totals *totals)
{
    const uint64_t *reference = s->references;
    for (uint32_t i = 0; i < s->ids.len; i++) {
        const struct section_object *o = &s->objects[i];
        builder_node(b, s->types[o->type].type, o->size);
        for (uint32_t k = 0; k < o->reference_count; k++) {
            uint32_t to = ids_find(&s->ids, *reference++);
            if (to != NO_ID) {
                builder_edge(b, first + to);
                continue;
            }
            section_odd(s, WARN_DANGLING_REFERENCE, o->line);
            totals->dangling_references++;
        }
    }
    totals->references += s->reference_count;
}

/* --- roots --------------------------------------------------------------------- */

static void count_root(struct text_totals *t, enum hd_root_kind kind)
{
    t->strong_roots++;
    t->roots_by_kind[kind]++;
}

void section_root(struct section *s, struct text_totals *t, uint64_t object,
                  enum hd_root_kind kind, const uint64_t *container, uint64_t line)
{
    struct section_root root = {
        .object = object, .line = line, .container = NO_ID, .kind = kind};
    if (container != NULL)
        see(&use_type(s, *container, &root.container)->containers, line);
    else if (kind == HD_ROOT_STATIC)
        section_odd(s, WARN_MISSING_CONTAINER, line);
    if (!s->want_graph) {
        count_root(t, kind);
        return;
    }
    s->roots =
        account_grow(s->account, s->roots, s->root_count, &s->root_cap, sizeof(*s->roots));
    s->roots[s->root_count++] = root;
}

static void give_roots(struct section *s, node_id first, struct root_set *set,
                       struct text_totals *t)
{
    for (size_t i = 0; i < s->root_count; i++) {
        const struct section_root *r = &s->roots[i];
        uint32_t object = ids_find(&s->ids, r->object);
        if (object == NO_ID) {
            section_odd(s, WARN_DANGLING_ROOT, r->line);
            continue;
        }
        count_root(t, r->kind);
        if (r->kind != HD_ROOT_STATIC) {
            root_set_add(set, r->kind, NULL, 0, first + object);
            continue;
        }
        const struct section_type *in =
            r->container != NO_ID ? &s->types[r->container] : NULL;
        bool named = in != NULL && in->name != NULL;
        root_set_add(set, r->kind, named ? in->name : "?", named ? in->name_len : 1,
                     first + object);
    }
}

/* --- pieces -------------------------------------------------------------------- */

static bool merge_type(struct section *s, const struct section_type *more, uint64_t id,
                       uint64_t lines_before)
{
    if (more->name != NULL && !section_name_type(s, id, more->name, more->name_len,
                                                 more->name_line + lines_before))
        return false;
    struct section_type *t = use_type(s, id, NULL);
    see_all(&t->objects, &more->objects, lines_before);
    see_all(&t->containers, &more->containers, lines_before);
    t->bytes += more->bytes;
    return true;
}

bool section_merge(struct section *s, const struct section *more, uint64_t lines_before)
{
    for (size_t i = 0; i < WARN_CODE_COUNT; i++)
        see_all(&s->odd[i], &more->odd[i], lines_before);
    for (size_t i = 0; i < more->type_ids.len; i++)
        if (!merge_type(s, &more->types[i], more->type_ids.ids[i], lines_before))
            return false;
    return true;
}

bool totals_merge(struct text_totals *t, const struct text_totals *more)
{
    if (more->bytes > HD_UNKNOWN - 1 - t->bytes)
        return false;
    t->bytes += more->bytes;
    t->references += more->references;
    t->dangling_references += more->dangling_references;
    t->strong_roots += more->strong_roots;
    t->weak_roots += more->weak_roots;
    t->sizes_have_letters |= more->sizes_have_letters;
    for (size_t i = 0; i < HD_ROOT_KIND_COUNT; i++)
        t->roots_by_kind[i] += more->roots_by_kind[i];
    return true;
}

/* --- the section --------------------------------------------------------------- */

void section_begin(struct section *s, bool want_graph, struct account *account)
{
    *s = (struct section){.want_graph = want_graph,
                          .account = account,
                          .type_ids = {.account = account},
                          .names = {.account = account}};
    ids_init(&s->ids, 0);
    ids_charge_to(&s->ids, account);
}

/* The section is complete: types, objects, references and warnings go to the builder,
 * roots to the set, which is shared by all sections. Costs a look-up per
 * reference. */
static void section_end(struct section *s, struct builder *b, struct root_set *roots,
                        struct text_totals *t)
{
    find_unnamed_types(s);
    give_types(s, b);
    if (s->want_graph) {
        /* Later sections may be many: after the first the builder grows by itself. */
        if (b->graph == NULL && s->ids.len > 0)
            builder_reserve(b, s->ids.len, s->reference_count);
        node_id first = b->graph != NULL ? b->graph->node_count : 0;
        ids_freeze(&s->ids);
        give_objects(s, b, first, t);
        give_roots(s, first, roots, t);
    }
    give_warnings(s, b);
    section_free(s);
}

void section_free(struct section *s)
{
    id_numbers_free(&s->type_ids);
    account_free(s->account, s->types, s->type_cap, sizeof(*s->types));
    arena_free(&s->names);
    ids_free(&s->ids);
    account_free(s->account, s->objects, s->object_cap, sizeof(*s->objects));
    account_free(s->account, s->references, s->reference_cap, sizeof(*s->references));
    account_free(s->account, s->roots, s->root_cap, sizeof(*s->roots));
    *s = (struct section){0};
}

/* --- sections to a heap -------------------------------------------------------- */

/* Names of the sections so far. */
struct text_domain {
    UT_hash_handle hh;
};

/* Whether the section's name is new, which it is from now on no more. */
static bool is_new_domain(struct text_heap *h)
{
    struct text_domain *found;
    HASH_FIND(hh, h->domains, h->open.data, h->open.len, found);
    if (found != NULL)
        return false;
    found = arena_alloc(&h->names, sizeof(*found));
    HASH_ADD_KEYPTR(hh, h->domains, h->open.data, h->open.len, found);
    return true;
}

void text_heap_begin(struct text_heap *h, struct span name, uint64_t version,
                     uint64_t stamp, uint64_t line)
{
    struct hd_snapshot *snap = h->b->snap;
    section_begin(&h->section, h->b->want_graph, builder_account(h->b));
    h->in_section = true;
    h->open = (struct span){arena_strdup(&h->names, name.data, name.len), name.len};
    if (version != 2)
        section_odd(&h->section, WARN_UNKNOWN_VERSION, line);
    if (!is_new_domain(h)) {
        section_odd(&h->section, WARN_REPEATED_DOMAIN, line);
        snap->info.complete = false;
    }
    if (h->sections++ == 0) {
        snap->info.process = builder_string(h->b, name.data, name.len);
        snap->clock = (double)stamp / 1000;
    }
}

void text_heap_end(struct text_heap *h, struct span name, uint64_t line)
{
    if (name.len != h->open.len || memcmp(name.data, h->open.data, name.len) != 0)
        section_odd(&h->section, WARN_DOMAIN_NAME_MISMATCH, line);
    section_end(&h->section, h->b, &h->roots, &h->totals);
    h->in_section = false;
}

/* Ranking and chains start at a root of all roots, even if it holds nothing. */
static void add_lone_root(struct builder *b)
{
    static const char name[] = "[roots]";
    node_id root = b->graph != NULL ? b->graph->node_count : 0;
    builder_node(b, builder_type(b, TYPE_PSEUDO, name, sizeof(name) - 1), 0);
    builder_root(b, root);
}

void text_heap_finish(struct text_heap *h)
{
    enum { MANY_OBJECTS = 1000 };
    struct hd_snapshot *snap = h->b->snap;
    const struct text_totals *totals = &h->totals;
    snap->info.has_graph = true;
    snap->info.has_roots = totals->strong_roots > 0;
    snap->weak_roots = totals->weak_roots;
    if (totals->dangling_references > totals->references / 100)
        snap->info.complete = false;
    if (snap->info.objects > MANY_OBJECTS && h->b->size_base != 10 &&
        !totals->sizes_have_letters)
        builder_warn(h->b, WARN_SIZES_LOOK_DECIMAL, 0);
    if (snap->info.objects > 0 && totals->strong_roots == 0)
        builder_warn(h->b, WARN_NO_ROOTS, 0);
    if (!h->b->want_graph) {
        snap->info.roots = totals->strong_roots;
        memcpy(snap->roots_by_kind, totals->roots_by_kind, sizeof(snap->roots_by_kind));
    } else if (totals->strong_roots > 0) {
        root_set_emit(&h->roots, h->b);
    } else {
        add_lone_root(h->b);
    }
}

void text_heap_free(struct text_heap *h)
{
    section_free(&h->section);
    root_set_free(&h->roots);
    HASH_CLEAR(hh, h->domains);
    arena_free(&h->names);
}
