/* fuzz-seeds HARNESS FOLDER [FILE...] - initial inputs: each FILE with several questions
 * and as a series, and results of the forges in tests/support. Cores of programs are a
 * thousand times too large for a fuzzer. */
#include "fuzz/frame.h"
#include "fuzz/type_seeds.h"
#include "support/forge_aot.h"
#include "support/forge_core.h"
#include "support/forge_minidump.h"
#include "support/trace_forge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 6000 };

static const char *folder;
static unsigned written;

static void save(const struct text *t)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/seed-%03u", folder, written++);
    FILE *to = fopen(path, "wb");
    if (to == NULL || fwrite(t->data, 1, t->len, to) != t->len || fclose(to) != 0) {
        perror(path);
        exit(1);
    }
}

static void add_head(struct text *t, unsigned what, unsigned how, unsigned reading,
                     unsigned writing)
{
    forge_u8(t, what);
    forge_u8(t, how);
    forge_u8(t, reading);
    forge_u8(t, writing);
}

/* Every question, each with another format. */
static void save_asked(struct bytes part)
{
    static unsigned turn;
    for (unsigned copies = 1; copies <= 2; copies++, turn++) {
        struct text t = {0};
        add_head(&t, turn % 16, turn % 5 == 0 ? 128 : 0, turn % 3 == 0 ? 2 : 0, turn % 13);
        for (unsigned i = 0; i < copies; i++) {
            if (i > 0)
                text_add(&t, FRAME_MARK, FRAME_MARK_SIZE);
            text_add(&t, part.data, part.size);
        }
        save(&t);
        text_free(&t);
    }
}

static void read_file(const char *path, struct text *to)
{
    char block[4096];
    FILE *from = fopen(path, "rb");
    size_t n;
    if (from == NULL) {
        perror(path);
        exit(1);
    }
    while ((n = fread(block, 1, sizeof(block), from)) > 0)
        text_add(to, block, n);
    fclose(from);
}

static struct bytes bytes_of(const struct text *t)
{
    return (struct bytes){(const unsigned char *)t->data, t->len};
}

static void save_file(const char *path, bool packed)
{
    for (unsigned how = 0; how < (packed ? 8U : 1U); how++) {
        struct text t = {0};
        if (packed)
            forge_u8(&t, how + (how == 2 ? 24 : 0));
        read_file(path, &t);
        if (t.len <= LARGEST)
            save_asked(bytes_of(&t));
        text_free(&t);
    }
}

/* Rules are one part, asked in every way. */
static void save_rules(const char *path)
{
    for (unsigned turn = 0; turn < 13; turn++) {
        struct text t = {0};
        add_head(&t, 1, turn % 3 == 0 ? 128 : 0, turn % 2, turn);
        read_file(path, &t);
        save(&t);
        text_free(&t);
    }
}

/* --- command lines ---------------------------------------------------------------- */

/* A blank ends a word. */
static void save_commands(void)
{
    static const char *const lines[] = {
        "diff -n 5 --sort=bytes --type MyApp.* -x System.* a b",
        "diff --by=holder --min-score=1% --min-steady 64KiB --exit-code -- -a",
        "roots --type=T --born=2..3",
        "diff --iterations=0,20,40,60 --chains=2 --samples=9 --seed=7 --depth=3 --exact",
        "top --by=namespace --tables-only --sort=retained --gen2 --memory=1GiB a",
        "roots -t Order --fields --reachable --format=json --width=80 --ascii",
        "tree --holders --min=1% --depth 4 -n0 --type=* --format=dot",
        "check --max-growth=5% --max-growth-objects=3 --max-process-growth=1% "
        "--budget=MyApp.*=0 --max-score 2%",
        "check --baseline=x --baseline-write=y -c heapdrift.yml --strict",
        "collect -p 77 -n name --diagnostic-port=/tmp/s --core --direct --count 3",
        "collect --all --to gcdump --interval=5s -t 30 --core=full -j4 -o folder",
        "watch --count=4 --interval=1m --timeout=9 --rows=3 -q -v --no-progress",
        "convert --to=nettrace --format gcdump -o out --size-base=10 in",
        "object --values -n 100 --color=always a 0x7f5d2193ec88",
        "ps --name=*shop? --sort=memory --format=csv",
        "diff @words --help",
        "help convert",
        "--version"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct text t = {0};
        add_head(&t, 0, 0, 0, (unsigned)i);
        for (const char *c = lines[i]; *c != '\0'; c++)
            text_add_char(&t, *c == ' ' ? '\0' : *c);
        text_add(&t, "\0" FRAME_MARK "--gen2 'a b' \"c\"\n-n 3", 1 + FRAME_MARK_SIZE + 22);
        save(&t);
        text_free(&t);
    }
}

/* --- cores ------------------------------------------------------------------------ */

/* Objects of three types in two generations, one that refers to the others. */
static void forge_process(struct core_forge *f, struct forged_runtime how)
{
    enum { SMALL = 0x300 };
    *f = (struct core_forge){.pid = 4711, .name = "shop"};
    forge_core_runtime(f, &how);
    uint64_t bytes = forge_core_type(f, 24, UINT32_C(0x80000001)),
             node = forge_core_type(f, 32, 0x01000000);
    forge_core_put(f, node - 8, 1, 8); /* one run of two references */
    forge_core_put(f, node - 16, 8, 8);
    forge_core_put(f, node - 24, (uint64_t)-16, 8);
    uint64_t first = forge_core_object(f, 0, node, 32),
             second = forge_core_object(f, 2, node, 32),
             array = forge_core_object(f, 2, bytes, 24 + 40);
    forge_core_put(f, first + 8, second, 8);
    forge_core_put(f, first + 16, array, 8);
    forge_core_put(f, array + 8, 40, 4);
    forge_core_object(f, 2, f->free_type, 24);
    for (size_t i = 1; i < f->region_count; i++)
        f->regions[i].size = f->regions[i].size < SMALL ? f->regions[i].size : SMALL;
    forge_core_region(f, 0x7ff000000000, 0x100);
    forge_core_put(f, 0x7ff000000010, first, 8);
    forge_core_thread(f, 1, 0x7ff000000000, 0x7ff000000100);
}

static void save_core(struct core_forge *f)
{
    save_asked(forge_core_bytes(f));
    forge_core_free(f);
}

/* The same on Windows. */
static void save_minidumps(void)
{
    for (int is_list = 0; is_list < 2; is_list++) {
        struct forged_runtime how = {.json = is_list ? NULL : forged_json(10)};
        struct minidump_forge f = {.is_list = is_list};
        forge_process(&f.process, how);
        forge_minidump_library(&f, &how);
        save_asked(forge_minidump_bytes(&f));
        forge_minidump_free(&f);
    }
}

static void save_cores(void)
{
    struct core_forge f;
    for (unsigned i = 0; i < 4; i++) {
        forge_process(&f, (struct forged_runtime){0});
        save_core(&f);
    }
    forge_process(&f, (struct forged_runtime){.json = forged_json(10)});
    save_core(&f);
    forge_process(&f, (struct forged_runtime){.path = "/app/libcoreclr.so", .major = 9});
    f.many_segments = true;
    save_core(&f);
    forge_process(&f, (struct forged_runtime){.major = 8});
    save_core(&f);
    forge_process(&f, (struct forged_runtime){.path = "/app/shop",
                                              .is_program = true,
                                              .own_version = "10.0.700.1"});
    save_core(&f);
    forge_process(&f, (struct forged_runtime){.path = "/app/shop", .is_native = true});
    save_core(&f);
    forge_process(&f, (struct forged_runtime){0});
    f.machine = MACHINE_AARCH64;
    f.page = 0x10000;
    save_core(&f);
    save_minidumps();
}

/* --- traces ----------------------------------------------------------------------- */

/* The collector's events about itself, and heapdrift's about the process. */
static void forge_collector(struct trace_forge *f, unsigned pointer_size, uint64_t thread)
{
    struct text committed = {0}, per_heap = {0}, heaps = {0};
    forge_wide(&committed, "CommittedUsage");
    forge_u32(&committed, 42);
    forge_u16(&committed, 1);
    for (uint64_t i = 0; i < 5; i++)
        forge_u64(&committed, 4096 * i);
    for (size_t i = 0; i < 2 + 7 * (size_t)pointer_size + 6 * 4; i++)
        forge_u8(&per_heap, 0);
    forge_u32(&per_heap, 5);
    for (size_t i = 0; i < 50 * (size_t)pointer_size; i++)
        forge_u8(&per_heap, i % pointer_size == 1);
    forge_u64(&heaps, 1 << 20);
    forge_u32(&heaps, 2);
    trace_forge_event(f, thread, 39, committed.data, committed.len);
    trace_forge_event(f, thread, 204, per_heap.data, per_heap.len);
    trace_forge_event(f, thread, 205, heaps.data, heaps.len);
    text_free(&committed);
    text_free(&per_heap);
    text_free(&heaps);
}

static void forge_facts(struct trace_forge *f, uint64_t thread)
{
    static const char line[] = "resident=80203776 swapped=4096 of_gc=16252928 threads=8 "
                               "thread=3:.NET%20TP%20Worker";
    static const char sites[] =
        "0123456789abcdef 7 40 1 102400 3 2 3 0=Shop.Checkout.Add @42:Checkout.cs "
        "5=Orders.Post 1-ystem.Net.Listen 0:2,1 2:0 5.1.6 2.0.7 1.1.7";
    struct text stats = {0}, process = {0}, allocated = {0};
    for (uint64_t i = 0; i < 10; i++)
        forge_u64(&stats, 24 * i);
    forge_u32(&stats, 5); /* pinned */
    forge_u32(&process, 0);
    forge_u32(&process, 1);
    text_add(&process, line, sizeof(line) - 1);
    forge_u32(&allocated, 0);
    forge_u32(&allocated, 1);
    text_add(&allocated, sites, sizeof(sites) - 1);
    trace_forge_event(f, thread, 4, stats.data, stats.len);
    trace_forge_event(f, thread, FORGED_OURS + 2, process.data, process.len);
    trace_forge_event(f, thread, FORGED_OURS + 3, allocated.data, allocated.len);
    text_free(&stats);
    text_free(&process);
    text_free(&allocated);
}

/* A list of objects held by a static, a handle and a stack. */
static void forge_trace(struct trace_forge *f, unsigned pointer_size, uint64_t objects)
{
    enum { THREAD = 11, LIST = 0x10, ORDER = 0x20, RUN = 7 };
    *f = (struct trace_forge){.pointer_size = pointer_size};
    const struct forged_type types[] = {{.id = LIST, .name = "System.Object[]"},
                                        {.id = ORDER, .module = 3, .name = "MyApp.Order"}};
    trace_forge_begin(f);
    trace_forge_gc(f, THREAD, true, RUN);
    trace_forge_types(f, THREAD, types, 2);
    trace_forge_static(f, THREAD, 0x7000, LIST, 0, "s_all");
    trace_forge_node(f, 0x7000, 40, LIST, objects);
    for (uint64_t i = 0; i < objects; i++)
        trace_forge_edge(f, 0x7100 + 0x20 * i);
    for (uint64_t i = 0; i < objects; i++)
        trace_forge_node(f, 0x7100 + 0x20 * i, 32, ORDER, 0);
    for (unsigned kind = 0; kind < 4; kind++)
        trace_forge_root(f, 0x7000 + (kind > 1 ? 0x100 : 0), kind, kind);
    trace_forge_pair(f, 0x7000, 0x7100);
    trace_forge_walk(f, THREAD);
    trace_forge_range(f, THREAD, 2, 0x7000, 0x1000);
    forge_collector(f, pointer_size, THREAD);
    trace_forge_gc(f, THREAD, false, RUN);
    forge_facts(f, THREAD);
    if (objects % 2 == 0)
        trace_forge_lose(f, THREAD, 1);
    trace_forge_point(f);
    trace_forge_end(f);
}

static void save_traces(void)
{
    for (unsigned i = 1; i <= 4; i++) {
        struct trace_forge f;
        forge_trace(&f, i % 2 == 0 ? 4 : 8, i);
        save_asked(bytes_of(&f.bytes));
        trace_forge_free(&f);
    }
}

/* --- processes -------------------------------------------------------------------- */

static void add_reply(struct text *t, bool ok, const struct text *payload)
{
    enum { HEAD = 20 };
    text_add(t, "DOTNET_IPC_V1\0", 14);
    forge_u16(t, (unsigned)(HEAD + payload->len));
    forge_u8(t, 0xFF);
    forge_u8(t, ok ? 0 : 0xFF);
    forge_u16(t, 0);
    text_add(t, payload->data, payload->len);
}

static void add_number(struct text *t, bool ok, uint64_t value, size_t size)
{
    struct text payload = {0};
    if (size == 8)
        forge_u64(&payload, value);
    else
        forge_u32(&payload, (uint32_t)value);
    add_reply(t, ok, &payload);
    text_free(&payload);
}

static void add_mark(struct text *t)
{
    text_add(t, FRAME_MARK, FRAME_MARK_SIZE);
}

/* A session, its stop, and the same again; first possibly a refusal. */
static void save_session(bool refuses, unsigned pointer_size)
{
    struct text t = {0};
    struct trace_forge f;
    add_head(&t, 0, 0, 0, 0);
    if (refuses) {
        add_number(&t, false, 0x80131385, 4);
        add_mark(&t);
    }
    add_number(&t, true, 0x1234, 8);
    forge_trace(&f, pointer_size, 3);
    text_add(&t, f.bytes.data, f.bytes.len);
    add_mark(&t);
    add_number(&t, true, 0x1234, 8);
    save(&t);
    text_free(&t);
    trace_forge_free(&f);
}

static void add_ipc_string(struct text *t, const char *s)
{
    forge_u32(t, (uint32_t)strlen(s) + 1);
    forge_wide(t, s);
}

static void save_info(unsigned strings)
{
    static const char *const words[] = {"dotnet shop.dll", "Linux", "x64", "shop",
                                        "10.0.12+a1b2c3"};
    struct text t = {0}, payload = {0};
    add_head(&t, 1, 0, 0, 0);
    if (strings == 5)
        forge_u32(&payload, 1);
    forge_u64(&payload, 77);
    for (unsigned i = 0; i < 16; i++)
        forge_u8(&payload, i);
    for (unsigned i = 0; i < strings; i++)
        add_ipc_string(&payload, words[i]);
    add_reply(&t, true, &payload);
    save(&t);
    text_free(&t);
    text_free(&payload);
}

static void save_refused_dump(void)
{
    struct text t = {0}, payload = {0};
    add_head(&t, 2, 0, 0, 0);
    forge_u32(&payload, 0x80131C29);
    add_ipc_string(&payload, "[createdump] ptrace failed\n[createdump] Failure\n");
    add_reply(&t, false, &payload);
    save(&t);
    text_free(&t);
    text_free(&payload);
}

static void save_peers(void)
{
    save_session(false, 8);
    save_session(true, 8);
    save_session(false, 4);
    save_info(5);
    save_info(3);
    save_refused_dump();
    struct text t = {0};
    add_head(&t, 2, 0, 0, 0);
    add_number(&t, true, 0, 4);
    save(&t);
    text_free(&t);
}

/* --- heaps in a few bytes --------------------------------------------------------- */

static void save_heaps(void)
{
    for (unsigned format = 0; format < 64; format++) {
        struct text t = {0};
        add_head(&t, format, format % 2 == 0 ? 128 : 16, 0, format);
        for (unsigned part = 0; part < 1 + format % 3; part++) {
            if (part > 0)
                add_mark(&t);
            forge_u8(&t, format % 8);
            forge_u8(&t, 2);
            for (unsigned type = 0; type < 3; type++) {
                forge_u8(&t, 100);
                forge_u8(&t, 6);
                text_add(&t, "App.A", 5);
                forge_u8(&t, 0x80 + format + type);
                forge_u8(&t, 4 + type);
            }
            forge_u8(&t, 6 + 2 * part);
            for (unsigned node = 0; node < 6 + 2 * part; node++) {
                forge_u8(&t, 8 * (node % 3) + node % 3);
                forge_u8(&t, node + 1);
                forge_u8(&t, node + 2);
            }
            forge_u8(&t, 3);
            forge_u8(&t, 'a');
            forge_u8(&t, 0x85 + format);
        }
        save(&t);
        text_free(&t);
    }
}

/* --- objects that are followed ----------------------------------------------------- */

enum { FOLLOWED_THREAD = 11, FOLLOWED_SIZE = 24, CODE = 0x20000 };

static void forge_collection(struct trace_forge *f, uint32_t number, uint32_t type)
{
    struct text start = {0}, moved = {0}, end = {0};
    forge_u32(&start, number);
    forge_u32(&start, type == 1 ? 2 : 0);
    forge_u32(&start, 0);
    forge_u32(&start, type);
    trace_forge_event(f, FOLLOWED_THREAD, 1, start.data, start.len);
    for (unsigned g = 0; g < 3; g++)
        trace_forge_range(f, FOLLOWED_THREAD, g, 0x10000 * (uint64_t)(g + 1), 0x1000);
    forge_u32(&moved, 0);
    forge_u32(&moved, 1);
    forge_u16(&moved, 0);
    forge_u64(&moved, 0x10000);
    if (type == 0)
        forge_u64(&moved, 0x20000);
    forge_u64(&moved, 20 * FOLLOWED_SIZE);
    trace_forge_event(f, FOLLOWED_THREAD, type == 0 ? 22 : 21, moved.data, moved.len);
    forge_u32(&end, number);
    forge_u32(&end, type == 1 ? 2 : 0);
    trace_forge_event(f, FOLLOWED_THREAD, 2, end.data, end.len);
    text_free(&start);
    text_free(&moved);
    text_free(&end);
}

static void forge_allocations(struct trace_forge *f)
{
    static const uint64_t frames[] = {CODE + 5, CODE + 0x45, CODE + 0x85};
    static const struct forged_stack stacks[] = {{frames, 24}, {frames + 1, 8}};
    trace_forge_stacks(f, 1, stacks, 2);
    for (uint64_t i = 0; i < 4; i++) {
        struct text t = {0};
        forge_u32(&t, 102400);
        forge_u32(&t, i % 2);
        forge_u16(&t, 0);
        forge_u64(&t, 102400);
        forge_u64(&t, 0x10);
        forge_wide(&t, "A");
        forge_u32(&t, 0);
        forge_u64(&t, 0x10000 + i * FOLLOWED_SIZE);
        forge_u64(&t, FOLLOWED_SIZE);
        f->stack = 1 + i % 2;
        trace_forge_event(f, FOLLOWED_THREAD, 10, t.data, t.len);
        text_free(&t);
    }
    f->stack = 0;
}

static void forge_methods(struct trace_forge *f)
{
    trace_forge_begin(f);
    for (uint64_t i = 0; i < 3; i++) {
        struct text t = {0};
        forge_u64(&t, CODE + 0x40 * i);
        forge_u64(&t, 1);
        forge_u64(&t, CODE + 0x40 * i);
        forge_u32(&t, 0x40);
        forge_u32(&t, 0x06000001);
        forge_u32(&t, 0);
        forge_wide(&t, "App.Of`1[T]+<RunAsync>d__3");
        forge_wide(&t, "MoveNext");
        forge_wide(&t, "void ()");
        forge_u16(&t, 0);
        forge_u64(&t, 0);
        trace_forge_event(f, FOLLOWED_THREAD, FORGED_RUNDOWN + 144, t.data, t.len);
        text_free(&t);
    }
    trace_forge_end(f);
}

static void save_movements(void)
{
    for (unsigned how = 0; how < 4; how++) {
        struct trace_forge moves = {.pointer_size = 8}, methods = {.pointer_size = 8};
        struct text t = {0};
        add_head(&t, 1, 4, how, 0);
        trace_forge_begin(&moves);
        forge_collection(&moves, 1, 0);
        forge_allocations(&moves);
        forge_collection(&moves, 2, how % 2);
        forge_allocations(&moves);
        forge_collection(&moves, 3, 0);
        forge_collection(&moves, 4, 0);
        trace_forge_end(&moves);
        forge_methods(&methods);
        text_add(&t, moves.bytes.data, moves.bytes.len);
        add_mark(&t);
        text_add(&t, methods.bytes.data, methods.bytes.len);
        save(&t);
        text_free(&t);
        trace_forge_free(&moves);
        trace_forge_free(&methods);
    }
}

static void save_types(void)
{
    for (int is_8 = 0; is_8 < 2; is_8++) {
        struct text t = {0};
        type_seed(&t, is_8);
        save(&t);
        text_free(&t);
    }
}

static void save_programs(void)
{
    for (size_t k = 0; k < sizeof(forged_majors) / sizeof(*forged_majors); k++) {
        struct forged_program *p = forge_aot_program(forged_majors[k]);
        struct text t = {0};
        text_add(&t, p->file, sizeof(p->file));
        save(&t);
        text_free(&t);
        free(p);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *harness;
        void (*save)(void);
    } made[] = {{"core", save_cores},         {"nettrace", save_traces},
                {"options", save_commands},   {"peer", save_peers},
                {"types", save_types},        {"symbols", save_programs},
                {"movement", save_movements}, {"writers", save_heaps}};
    if (argc < 3)
        return 2;
    folder = argv[2];
    bool rules = strcmp(argv[1], "budget") == 0 || strcmp(argv[1], "baseline") == 0;
    for (int i = 3; i < argc; i++)
        if (rules)
            save_rules(argv[i]);
        else
            save_file(argv[i], strcmp(argv[1], "packed") == 0);
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
        if (strcmp(made[i].harness, argv[1]) == 0)
            made[i].save();
    return 0;
}
