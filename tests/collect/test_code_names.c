/* Code addresses, and the list of methods of a forged process. */
#include "collect/code_names.h"

#include "base/error.h"
#include "collect/session.h"
#include "support/peer.h"
#include "support/scratch.h"
#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(code_names, .init = open_scratch, .fini = remove_scratch, .timeout = 60);

enum { SHOP = 0x91, OTHER = 0x92, TOKEN = 0x06000001, NO = -1 };

/* --- events -------------------------------------------------------------------------- */

struct forged_code {
    uint64_t id, module, start;
    uint32_t size, token;
    const char *type, *name;
};

static struct text method_event(const struct forged_code *c)
{
    struct text t = {0};
    forge_u64(&t, c->id);
    forge_u64(&t, c->module);
    forge_u64(&t, c->start);
    forge_u32(&t, c->size);
    forge_u32(&t, c->token);
    forge_u32(&t, 0);
    forge_wide(&t, c->type);
    forge_wide(&t, c->name);
    forge_wide(&t, "void ()");
    forge_u16(&t, 0);
    return t;
}

static struct text module_event(uint64_t id, const char *path)
{
    struct text t = {0};
    forge_u64(&t, id);
    forge_u64(&t, 0);
    forge_u64(&t, 0);
    forge_wide(&t, path);
    forge_wide(&t, "");
    forge_u16(&t, 0);
    return t;
}

/* Native offset 8 * n has IL offset 10 * n. */
static struct text map_event(uint64_t method, uint16_t count, uint32_t il)
{
    struct text t = {0};
    forge_u64(&t, method);
    forge_u64(&t, 0);
    forge_u8(&t, 0);
    forge_u16(&t, count);
    for (uint32_t i = 0; i < count; i++)
        forge_u32(&t, il * i);
    for (uint32_t i = 0; i < count; i++)
        forge_u32(&t, 8 * i);
    forge_u16(&t, 0);
    forge_u64(&t, 0);
    return t;
}

/* --- the list ------------------------------------------------------------------------ */

struct listing {
    struct account account;
    struct arena arena;
    struct code_list *list;
    struct code_name names[16];
};

static void begin(struct listing *l, const uint64_t *addresses, size_t count)
{
    *l = (struct listing){.account = {.limit = 1 << 20}};
    l->list = code_list_begin(&(struct code_addresses){addresses, NULL, count}, &l->account,
                              &l->arena);
}

static void add(struct listing *l, enum trace_code_event kind, struct text payload)
{
    code_list_add(
        l->list, kind,
        (struct bytes){(const unsigned char *)text_string(&payload), payload.len});
    text_free(&payload);
}

static void add_code(struct listing *l, uint64_t start, uint32_t size, const char *name)
{
    const struct forged_code c = {start, SHOP, start, size, TOKEN, "Shop.Cart", name};
    add(l, CODE_METHOD, method_event(&c));
}

static void end(struct listing *l)
{
    code_list_names(l->list, l->names);
    code_list_free(l->list);
}

static void expect_name(const struct listing *l, size_t i, const char *expected)
{
    const char *method = l->names[i].frame.method;
    if (expected == NULL)
        cr_expect_null(method, "%zu: %s", i, method);
    else
        cr_expect(method != NULL && strcmp(method, expected) == 0, "%zu: %s", i,
                  method != NULL ? method : "none");
}

Test(code_names, an_address_to_return_to_is_of_the_method_of_the_byte_before)
{
    static const uint64_t addresses[] = {0xFFF, 0x1000, 0x1001, 0x1010, 0x1020, 0x1021};
    struct listing l;
    begin(&l, addresses, 6);
    add_code(&l, 0x1000, 0x10, "First");
    add_code(&l, 0x1010, 0x10, "Second");
    end(&l);
    expect_name(&l, 0, NULL);
    expect_name(&l, 1, "Shop.Cart.First"); /* no method precedes it */
    expect_name(&l, 2, "Shop.Cart.First");
    expect_name(&l, 3, "Shop.Cart.First"); /* its last call never returns */
    expect_name(&l, 4, "Shop.Cart.Second");
    expect_name(&l, 5, NULL);
    cr_expect_eq(l.names[2].token, TOKEN);
    cr_expect_eq(l.names[2].offset, CODE_NO_OFFSET);
    arena_free(&l.arena);
}

Test(code_names, the_end_of_a_method_does_not_depend_on_the_order_of_events)
{
    static const uint64_t addresses[] = {0x1010};
    struct listing l;
    begin(&l, addresses, 1);
    add_code(&l, 0x1010, 0x10, "Second");
    add_code(&l, 0x1000, 0x10, "First");
    add_code(&l, 0x1010, 0x10, "Second");
    end(&l);
    expect_name(&l, 0, "Shop.Cart.First");
    arena_free(&l.arena);
}

Test(code_names, a_method_has_a_range_for_each_time_it_was_compiled)
{
    static const uint64_t addresses[] = {0x1008, 0x5008};
    struct listing l;
    begin(&l, addresses, 2);
    add_code(&l, 0x1000, 0x10, "Add");
    add_code(&l, 0x5000, 0x10, "Add");
    end(&l);
    expect_name(&l, 0, "Shop.Cart.Add");
    expect_name(&l, 1, "Shop.Cart.Add");
    arena_free(&l.arena);
}

Test(code_names, an_unloaded_method_is_used_if_there_is_no_other)
{
    static const uint64_t addresses[] = {0x1008, 0x2008};
    struct listing l;
    const struct forged_code gone = {1,     SHOP,           0x1000,         0x10,
                                     TOKEN, "dynamicClass", "lambda_method"};
    const struct forged_code reused = {2,     SHOP,           0x2000,  0x10,
                                       TOKEN, "dynamicClass", "reused"};
    begin(&l, addresses, 2);
    add_code(&l, 0x2000, 0x10, "Add");
    add(&l, CODE_GONE, method_event(&gone));
    add(&l, CODE_GONE, method_event(&reused));
    end(&l);
    expect_name(&l, 0, "dynamic lambda_method");
    expect_name(&l, 1, "Shop.Cart.Add");
    arena_free(&l.arena);
}

Test(code_names, a_module_is_known_by_its_number_whenever_it_is_listed)
{
    static const uint64_t addresses[] = {0x1008, 0x2008};
    struct listing l;
    const struct forged_code other = {1, OTHER, 0x2000, 0x10, TOKEN, "Package.A", "Get"};
    begin(&l, addresses, 2);
    add_code(&l, 0x1000, 0x10, "Add");
    add(&l, CODE_METHOD, method_event(&other));
    add(&l, CODE_MODULE, module_event(SHOP, "/app/Shop.dll"));
    add(&l, CODE_MODULE, module_event(SHOP, "/app/Changed.dll"));
    end(&l);
    cr_expect_str_eq(l.names[0].module, "/app/Shop.dll");
    cr_expect_null(l.names[1].module);
    arena_free(&l.arena);
}

Test(code_names, the_offset_of_a_call_uses_the_map_before_or_after_the_method)
{
    static const uint64_t addresses[] = {0x1008, 0x1009, 0x1020, 0x2009, 0x3009};
    struct listing l;
    begin(&l, addresses, 5);
    add(&l, CODE_MAP_BEFORE, map_event(0x1000, 3, 10));
    add_code(&l, 0x1000, 0x20, "Before");
    add_code(&l, 0x2000, 0x20, "Without");
    add_code(&l, 0x3000, 0x20, "After");
    add(&l, CODE_MAP_AFTER, map_event(0x3000, 3, 7));
    end(&l);
    cr_expect_eq(l.names[0].offset, 0, "the call is before it returns");
    cr_expect_eq(l.names[1].offset, 10);
    cr_expect_eq(l.names[2].offset, 20);
    cr_expect_eq(l.names[3].offset, CODE_NO_OFFSET);
    cr_expect_eq(l.names[4].offset, 7);
    arena_free(&l.arena);
}

Test(code_names, the_innermost_address_may_be_of_a_statement_without_an_offset)
{
    static const uint64_t all[] = {0x1009, 0x100A, 0x1018, 0x2009};
    static const bool is_innermost[] = {true, false, true, true};
    const struct code_addresses some = {all, is_innermost, 4};
    struct listing l = {.account = {.limit = 1 << 20}};
    l.list = code_list_begin(&some, &l.account, &l.arena);
    add(&l, CODE_MAP_BEFORE, map_event(0x1000, 3, 10));
    add_code(&l, 0x1000, 0x20, "Add");
    add_code(&l, 0x2000, 0x20, "Without");
    end(&l);
    cr_expect(l.names[0].offset == 10 && l.names[0].until == 20);
    cr_expect(l.names[1].offset == 10 && l.names[1].until == 0);
    cr_expect(l.names[2].offset == 20 && l.names[2].until == CODE_NO_OFFSET);
    cr_expect(l.names[3].offset == CODE_NO_OFFSET && l.names[3].until == 0);
    arena_free(&l.arena);
}

Test(code_names, a_map_of_another_method_is_ignored)
{
    static const uint64_t addresses[] = {0x1009, 0x2009};
    struct listing l;
    begin(&l, addresses, 2);
    add(&l, CODE_MAP_BEFORE, map_event(0x2000, 3, 10));
    add_code(&l, 0x1000, 0x20, "Add");
    add(&l, CODE_MAP_BEFORE, map_event(0x2000, 3, 10));
    add_code(&l, 0x2000, 0x20, "Clear");
    add(&l, CODE_MAP_AFTER, map_event(0x1000, 3, 7));
    end(&l);
    cr_expect_eq(l.names[0].offset, CODE_NO_OFFSET);
    cr_expect_eq(l.names[1].offset, 10);
    arena_free(&l.arena);
}

Test(code_names, unneeded_methods_are_not_stored)
{
    static const uint64_t addresses[] = {0x1008};
    struct listing l;
    begin(&l, addresses, 1);
    uint64_t before = l.account.used;
    for (uint64_t i = 0; i < 10000; i++)
        add_code(&l, 0x100000 + 0x10 * i, 0x10, "Unwanted");
    cr_expect_eq(l.account.used, before);
    add_code(&l, 0x1000, 0x10, "Add");
    cr_expect_gt(l.account.used, before);
    end(&l);
    arena_free(&l.arena);
}

Test(code_names, ranges_and_names_of_any_size_are_survived)
{
    static const uint64_t addresses[] = {0, 1, 0x1008, UINT64_MAX};
    struct text name = {0};
    struct listing l;
    for (int i = 0; i < 5000; i++)
        text_add_char(&name, 'a');
    begin(&l, addresses, 4);
    add_code(&l, UINT64_MAX - 1, UINT32_MAX, "Last");
    add_code(&l, 0, 0, "First");
    add_code(&l, 0x1000, 0x10, text_string(&name));
    add_code(&l, 0x1000, 0x10, "");
    end(&l);
    expect_name(&l, 0, "Shop.Cart.First");
    expect_name(&l, 1, NULL);
    expect_name(&l, 2, NULL);
    expect_name(&l, 3, "Shop.Cart.Last");
    arena_free(&l.arena);

    begin(&l, addresses, 4);
    name.len = 1000;
    add_code(&l, 0x1000, 0x10, text_string(&name));
    end(&l);
    cr_expect_eq(strlen(l.names[2].frame.method), 303);
    arena_free(&l.arena);
    text_free(&name);
}

Test(code_names, damaged_events_are_ignored)
{
    static const uint64_t addresses[] = {0x1009};
    static const enum trace_code_event kinds[] = {CODE_METHOD, CODE_MODULE, CODE_MAP_BEFORE,
                                                  CODE_MAP_AFTER, CODE_GONE};
    struct listing l;
    begin(&l, addresses, 1);
    const struct forged_code c = {1, SHOP, 0x1000, 0x20, TOKEN, "Shop.Cart", "Add"};
    for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
        for (size_t i = 0; i < 8 + 8; i++) {
            struct text t = kinds[k] == CODE_MODULE ? module_event(SHOP, "/app/Shop.dll")
                            : k < 4 && k > 1        ? map_event(1, 3, 10)
                                                    : method_event(&c);
            t.len = i;
            add(&l, kinds[k], t);
        }
    end(&l);
    expect_name(&l, 0, NULL);
    arena_free(&l.arena);
}

/* --- the session --------------------------------------------------------------------- */

static void forge_event(struct trace_forge *f, unsigned id, struct text payload)
{
    trace_forge_event(f, 11, FORGED_RUNDOWN + id, payload.data, payload.len);
    text_free(&payload);
}

/* A list as a runtime sends it: methods, each preceded by its map, then modules. */
static struct trace_forge forge_list(const char *module, const char *other)
{
    const struct forged_code add = {1, SHOP, 0x1000, 0x40, TOKEN, "Shop.Cart", "Add"};
    const struct forged_code later = {2,         SHOP,        0x2000,    0x40,
                                      TOKEN + 1, "Shop.Cart", "AddAsync"};
    const struct forged_code shared = {
        3, SHOP, 0x3000, 0x40, TOKEN + 1, "Package.Of`1[Shop.Cart]", "AddAsync"};
    const struct forged_code framework = {4,         SHOP,          0x4000,    0x40,
                                          TOKEN + 1, "System.Cart", "AddAsync"};
    const struct forged_code plugin = {5, OTHER, 0x5000, 0x40, TOKEN, "Shop.Cart", "Add"};
    struct trace_forge f = {.pointer_size = 8};
    trace_forge_begin(&f);
    forge_event(&f, 150, map_event(1, 3, 10));
    forge_event(&f, 144, method_event(&add));
    forge_event(&f, 144, method_event(&later));
    forge_event(&f, 144, method_event(&shared));
    forge_event(&f, 144, method_event(&framework));
    forge_event(&f, 144, method_event(&plugin));
    forge_event(&f, 154, module_event(SHOP, module));
    forge_event(&f, 154, module_event(OTHER, other));
    trace_forge_end(&f);
    return f;
}

static const uint64_t wanted[] = {0x1005, 0x1011, 0x2005, 0x3005, 0x4005, 0x5005, 0x6005};
static const bool innermost[] = {true, false, false, false, false, false, false};
static const struct code_addresses addresses = {wanted, innermost,
                                                sizeof(wanted) / sizeof(*wanted)};

static bool read_names(struct code_names *n, const struct peer_script *script,
                       struct hd_error *err, struct peer_log *log)
{
    const char *socket = scratch_path(&scratch, "dotnet-diagnostic-1-1-socket");
    struct hd_collect_options how = {
        .size = sizeof(how), .socket = socket, .silence_ms = 300};
    struct peer *peer = peer_start(socket, script);
    bool ok = code_names_read(n, &addresses, &how, err);
    struct peer_log all = peer_stop(peer);
    if (log != NULL)
        *log = all;
    return ok;
}

/* The process is this one, with a program called app; it has loaded a module of the same
 * name from another folder. Both are tests/clr/managed/symbols/Cart.cs. */
static void make_program(void)
{
    static const char deps[] =
        "{\"targets\":{\"net\":{\"app/1\":{\"runtime\":{\"app.dll\":{}}}}},"
        "\"libraries\":{\"app/1\":{\"type\":\"project\"}}}";
    struct input *in =
        input_open("tests/clr/managed/symbols/Cart.dll", &(struct input_options){0}, NULL);
    struct bytes all;
    cr_assert(in != NULL && input_all(in, &all, NULL));
    scratch_folder(&scratch, "a");
    scratch_folder(&scratch, "b");
    scratch_file(&scratch, "a/app.dll", all.data, all.size);
    scratch_file(&scratch, "b/app.dll", all.data, all.size);
    scratch_file(&scratch, "a/app.deps.json", deps, strlen(deps));
    input_close(in);
}

static void expect_frame(const struct code_names *n, size_t i, const char *method,
                         const char *file, uint32_t line, bool is_own)
{
    const struct site_frame *f = &n->all[i].frame;
    cr_expect(f->method != NULL && strcmp(f->method, method) == 0, "%zu: %s", i,
              f->method != NULL ? f->method : "none");
    cr_expect(file == NULL ? f->file == NULL
                           : f->file != NULL && strcmp(f->file, file) == 0,
              "%zu: %s", i, f->file != NULL ? f->file : "none");
    cr_expect_eq(f->line, line, "%zu: line %u", i, (unsigned)f->line);
    cr_expect_eq(f->is_own, is_own, "%zu", i);
}

Test(code_names, names_have_files_and_lines_where_the_module_is_the_programs)
{
    make_program();
    struct trace_forge f = forge_list(scratch_path(&scratch, "a/app.dll"),
                                      scratch_path(&scratch, "b/app.dll"));
    const struct bytes stream = {(unsigned char *)f.bytes.data, f.bytes.len};
    const struct peer_script script = {
        .streams = &stream, .stream_count = 1, .tail = stream.size / 2, .runtime = "10.0"};
    struct code_names n;
    struct hd_error err = {0};
    struct peer_log log;
    cr_assert(read_names(&n, &script, &err, &log), "%s", err.message);
    cr_expect(log.sessions == 1 && log.stops == 1);
    cr_expect_eq(n.named, 6);
    cr_expect_eq(n.with_line, 2);
    cr_expect_eq(n.bytes, stream.size);
    cr_expect(n.own_is_known);
    expect_frame(&n, 0, "Shop.Cart.Add", "Cart.cs", 9, true);
    expect_frame(&n, 1, "Shop.Cart.Add", "Cart.cs", 10, true);
    expect_frame(&n, 2, "Shop.Cart.AddAsync", "Cart.cs", 0, true);
    expect_frame(&n, 3, "Package.Of<Shop.Cart>.AddAsync", NULL, 0, false);
    expect_frame(&n, 4, "System.Cart.AddAsync", NULL, 0, false);
    expect_frame(&n, 5, "Shop.Cart.Add", NULL, 0, false);
    cr_expect_null(n.all[6].frame.method);
    code_names_free(&n);
    trace_forge_free(&f);
}

Test(code_names, no_method_is_own_if_the_program_is_not_found)
{
    struct trace_forge f = forge_list("/nowhere/app.dll", "/other/app.dll");
    const struct bytes stream = {(unsigned char *)f.bytes.data, f.bytes.len};
    const struct peer_script script = {
        .streams = &stream, .stream_count = 1, .runtime = "10.0"};
    struct code_names n;
    struct hd_error err = {0};
    cr_assert(read_names(&n, &script, &err, NULL), "%s", err.message);
    cr_expect_not(n.own_is_known);
    expect_frame(&n, 0, "Shop.Cart.Add", NULL, 0, false);
    code_names_free(&n);
    trace_forge_free(&f);
}

Test(code_names, older_runtimes_are_asked_by_older_commands)
{
    struct trace_forge f = forge_list("/nowhere/app.dll", "/other/app.dll");
    const struct bytes stream = {(unsigned char *)f.bytes.data, f.bytes.len};
    const struct peer_script script = {
        .streams = &stream, .stream_count = 1, .newest_command = 0x0203};
    struct code_names n;
    struct hd_error err = {0};
    cr_assert(read_names(&n, &script, &err, NULL), "%s", err.message);
    cr_expect_eq(n.named, 6);
    code_names_free(&n);
    trace_forge_free(&f);
}

Test(code_names, methods_listed_before_the_process_died_are_kept)
{
    struct trace_forge f = forge_list("/nowhere/app.dll", "/other/app.dll");
    const struct bytes stream = {(unsigned char *)f.bytes.data, f.bytes.len};
    struct peer_script script = {.habit = PEER_DIES, .streams = &stream, .stream_count = 1};
    struct code_names n;
    size_t most = 0;
    for (script.cut = 0; script.cut < stream.size; script.cut += 64) {
        struct hd_error err = {0};
        cr_expect_not(read_names(&n, &script, &err, NULL), "%zu", script.cut);
        cr_expect_neq(err.message[0], '\0');
        most = n.named > most ? n.named : most;
        code_names_free(&n);
    }
    cr_expect_eq(most, 6);
    trace_forge_free(&f);
}

Test(code_names, a_process_that_refuses_or_is_silent_or_sends_garbage_is_an_error)
{
    static const unsigned char nonsense[64] = "nonsense";
    static const struct {
        struct peer_script script;
        enum hd_status status;
        const char *message;
    } cases[] = {
        {{.habit = PEER_REFUSES, .refusal = 0x80131515}, HD_UNSUPPORTED, "refuses"},
        {{.habit = PEER_SAYS_NOTHING}, HD_TIMED_OUT, "does not respond"},
        {{.habit = PEER_HANGS_UP}, HD_IO, ""},
        {{.habit = PEER_STOPS_SENDING}, HD_IO, "early"},
        {{.habit = PEER_HONEST}, HD_IO, "early"},
    };
    struct code_names n;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct hd_error err = {0};
        cr_expect_not(read_names(&n, &cases[i].script, &err, NULL), "%zu", i);
        cr_expect_eq(err.status, cases[i].status, "%zu: %d %s", i, (int)err.status,
                     err.message);
        cr_expect(strstr(err.message, cases[i].message) != NULL, "%s", err.message);
        cr_expect_eq(n.named, 0);
        code_names_free(&n);
    }
    const struct bytes stream = {nonsense, sizeof(nonsense)};
    const struct peer_script script = {.streams = &stream, .stream_count = 1};
    struct hd_error err = {0};
    cr_expect_not(read_names(&n, &script, &err, NULL));
    cr_expect_eq(err.status, HD_BAD_FORMAT, "%s", err.message);
    code_names_free(&n);
}

static bool says_stop(void *context, const struct hd_collect_progress *so_far)
{
    (void)context, (void)so_far;
    return false;
}

Test(code_names, cancelling_ends_the_wait)
{
    const char *socket = scratch_path(&scratch, "dotnet-diagnostic-1-1-socket");
    struct hd_collect_options how = {
        .size = sizeof(how), .socket = socket, .go_on = says_stop};
    const struct peer_script script = {.habit = PEER_STOPS_SENDING};
    struct peer *peer = peer_start(socket, &script);
    struct code_names n;
    struct hd_error err = {0};
    cr_expect_not(code_names_read(&n, &addresses, &how, &err));
    cr_expect_eq(err.status, HD_CANCELLED, "%s", err.message);
    code_names_free(&n);
    peer_stop(peer);
}

Test(code_names, the_session_requests_only_methods_and_offsets_at_its_end)
{
    static const unsigned char listed[] = {0x18, 0x01, 0x02, 0, 0, 0, 0, 0};
    static const char runtime[] = "D\0o\0t\0N\0e\0t";
    for (int c = IPC_COLLECT_TRACING2; c <= IPC_COLLECT_TRACING6; c++) {
        const struct request r = tracing_request((enum ipc_command)c, TRACING_NAMES, 0);
        bool has_keywords = false, has_runtime = false;
        for (size_t i = 0; i + sizeof(runtime) <= r.len; i++) {
            has_keywords = has_keywords || memcmp(r.bytes + i, listed, sizeof(listed)) == 0;
            has_runtime =
                has_runtime || memcmp(r.bytes + i, runtime, sizeof(runtime) - 1) == 0;
        }
        cr_expect_eq(has_keywords, c >= IPC_COLLECT_TRACING4, "%x", (unsigned)c);
        cr_expect_not(has_runtime);
    }
}
