/* Contradictions between parts of a process's memory: each is forged alone, and the same
 * process without it. */
#include "clr/managed/core_check.h"

#include "clr/managed/forged_heap.h"
#include "clr/process/opened.h"

enum { THREADS = 4, FIRST_ID = 100, THREAD_STEP = 0x300, ENOUGH = 20 };

static struct core_forge f;
static struct opened o;
static struct clr_declared declared;
static struct clr_agreement agreement;
static struct gc_heap heap;
static struct gc_globals globals;
static struct gc_threads threads;
static struct core_roots roots;

static uint64_t thread_at(unsigned i)
{
    return FORGED_THREADS + 0x200 + i * (uint64_t)THREAD_STEP;
}

/* Threads of the runtime's list, each with an id and the end of its stack. */
static void forge_list(void)
{
    forge_core_region(&f, FORGED_THREADS, 0x1000);
    forge_core_region(&f, FORGED_STACK, 0x1000);
    forge_core_put(&f, FORGED_RUNTIME_BASE + FORGED_VARIABLES_AT + 8, FORGED_THREADS, 8);
    forge_core_put(&f, FORGED_THREADS + 88, thread_at(0) + 112, 8);
    forge_core_put(&f, FORGED_THREADS + 112, THREADS, 4);
    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t next = i + 1 < THREADS ? thread_at(i + 1) + 112 : 0;
        forge_core_put(&f, thread_at(i) + 112, next, 8);
        forge_core_put(&f, thread_at(i) + 120, FORGED_STACK + 0x100 * (i + 1), 8);
        forge_core_put(&f, thread_at(i) + 296, FIRST_ID + i, 8);
        forge_core_thread(&f, FIRST_ID + i, FORGED_STACK + 0x100 * i, 0);
    }
}

/* A consistent process of the usual size. */
static void begin(void)
{
    f = (struct core_forge){.name = "shop", .pid = FIRST_ID};
    forge_core_runtime(&f, &(struct forged_runtime){0});
    forge_core_object(&f, 2, forge_core_type(&f, 24, 0), 24);
    forge_handles(&f);
    forge_list();
    declared = (struct clr_declared){ENOUGH, ENOUGH, 1};
    agreement = (struct clr_agreement){{ENOUGH, 15}, {ENOUGH, 15}, {ENOUGH, 15}};
    heap = (struct gc_heap){.count = 0};
    globals = (struct gc_globals){.handle_map = FORGED_HANDLES};
    roots = (struct core_roots){.statics = {ENOUGH, ENOUGH},
                                .handles = {ENOUGH, ENOUGH},
                                .finalizable = {ENOUGH, ENOUGH}};
}

static void finish(void)
{
    forge_core_free(&f);
}

TestSuite(core_check, .init = begin, .fini = finish);

/* NULL: no contradiction. */
static void expect(const char *wanted)
{
    o = open_core(&f);
    find_runtime(&o);
    cr_assert(o.ok, "%s", o.err.message);
    heap.runtime = &o.runtime;
    threads = gc_threads_read(&o.runtime, &o.a);
    const struct core_facts facts = {&heap,     &globals, &threads, declared,
                                     agreement, &roots,   true};
    const char *found = core_check(&facts, &o.a);
    if (wanted == NULL)
        cr_expect_null(found, "%s", found);
    else
        cr_expect_str_eq(found != NULL ? found : "nothing", wanted);
    close_core(&o);
}

Test(core_check, a_consistent_process_has_none)
{
    expect(NULL);
    /* A thread added or removed just now; one that has ended, one not started. */
    forge_core_put(&f, FORGED_THREADS + 112, THREADS + 1, 4);
    forge_core_put(&f, thread_at(1) + 296, 0xBAADF00D, 8);
    forge_core_put(&f, thread_at(2) + 296, 0, 8);
    expect(NULL);
    /* Small numbers are not evidence. */
    roots =
        (struct core_roots){.statics = {3, 0}, .handles = {3, 0}, .finalizable = {3, 0}};
    declared = (struct clr_declared){3, 3, 0};
    expect(NULL);
}

Test(core_check, a_list_that_misses_threads)
{
    forge_core_put(&f, thread_at(1) + 112, 0, 8);
    expect("threads: 2 in the list of the runtime, which counts 4");
    forge_core_put(&f, thread_at(1) + 112, thread_at(0) + 112, 8);
    expect("threads: the list of the runtime does not end after 2");
    forge_core_put(&f, thread_at(1) + 112, 0x1000, 8);
    expect("threads: the list of the runtime does not end after 2");
}

Test(core_check, threads_of_another_process)
{
    for (unsigned i = 1; i < THREADS; i++)
        forge_core_put(&f, thread_at(i) + 296, 7000 + i, 8);
    expect("threads: 1 of 4 in the list of the runtime are among the 4 of the process");
    forge_core_put(&f, thread_at(0) + 296, 7000, 8);
    for (unsigned i = 0; i < THREADS; i++)
        forge_core_put(&f, thread_at(i) + 120, 0x1000, 8);
    expect("threads: 0 of 4 in the list of the runtime are among the 4 of the process");
}

/* A debugger outside a container writes other thread ids than the process has; stacks are
 * equal. Without stacks nothing is known. */
Test(core_check, threads_of_another_namespace)
{
    for (unsigned i = 0; i < THREADS; i++)
        forge_core_put(&f, thread_at(i) + 296, 1 + i, 8);
    expect(NULL);
    for (unsigned i = 0; i < THREADS; i++)
        forge_core_put(&f, thread_at(i) + 120, 0, 8);
    expect(NULL);
    forge_core_put(&f, thread_at(2) + 296, UINT32_MAX, 8);
    expect("threads: 0 of 4 in the list of the runtime are among the 4 of the process");
}

Test(core_check, types_that_modules_do_not_have)
{
    agreement.rows.agreed = 14;
    expect("types: 14 of 20 are in the map of their module");
    agreement.rows.agreed = ENOUGH;
    agreement.instances.agreed = 14;
    expect("generic types and arrays: 14 of 20 are listed by a module");
    agreement.instances.agreed = ENOUGH;
    agreement.fields.agreed = 14;
    expect("fields: 14 of 20 types have the number that they declare");
    agreement.fields = (struct clr_tally){3, 0};
    expect(NULL);
}

Test(core_check, thread_statics_that_no_thread_has)
{
    declared.thread_instances = 0;
    expect("thread statics: 20 types declare some, and none of 4 threads has any");
}

Test(core_check, dangling_static_variables)
{
    roots.statics.objects = 9;
    expect("static variables: 9 of 20 lead to objects");
    roots.statics = (struct core_tally){0};
    expect("static variables: 20 types declare some, and none has a value");
}

Test(core_check, dangling_handles)
{
    roots.handles.objects = 9;
    expect("handles: 9 of 20 lead to objects");
    roots.handles = (struct core_tally){0};
    expect("handles: their tables are empty");
    globals.handle_map = 0; /* not in the dump */
    expect(NULL);
}

Test(core_check, invalid_finalizable_objects)
{
    static const uint32_t has_finalizer = 0x00100000;
    static const struct clr_type named;
    struct gc_type types[ENOUGH];
    roots.finalizable.objects = 9;
    expect("finalizable objects: 9 of 20 registered ones are objects");
    roots.finalizable = (struct core_tally){0};
    expect(NULL);
    uint64_t type = forge_core_type(&f, 24, has_finalizer);
    for (size_t i = 0; i < ENOUGH; i++)
        types[i] = (struct gc_type){.clr = &named, .method_table = type};
    heap.types = types;
    heap.type_count = ENOUGH;
    expect("finalizable objects: 20 types have finalizers, and no object is registered");
}

Test(core_check, regions_without_objects)
{
    struct gc_region region = {.start = 0x1000, .end = 0x1000 + (3 << 20)};
    heap.regions.all = &region;
    heap.regions.len = 1;
    heap.unread = 3 << 19;
    expect(NULL);
    heap.unread += 8;
    expect("regions of the heap: 1572872 of 3145728 bytes contain no objects");
}

Test(core_check, several_are_named_together)
{
    roots.handles.objects = roots.statics.objects = 0;
    expect("static variables: 0 of 20 lead to objects; handles: 0 of 20 lead to objects");
}

/* Missing memory does not contradict. */
Test(core_check, a_dump_that_lacks_memory_is_not_asked)
{
    const struct core_facts facts = {&heap,     &globals, &threads, declared,
                                     agreement, &roots,   true};
    roots.handles.objects = 0;
    o = open_core(&f);
    find_runtime(&o);
    heap.runtime = &o.runtime;
    threads = gc_threads_read(&o.runtime, &o.a);
    cr_expect_not_null(core_check(&facts, &o.a));
    o.image.lost = 1;
    cr_expect_null(core_check(&facts, &o.a));
    o.image.lost = 0;
    o.image.redaction.is_redacted = true;
    cr_expect_null(core_check(&facts, &o.a));
    close_core(&o);
}

/* Through the reader, and through the redacted dump. */
Test(core_check, a_contradiction_makes_a_snapshot_incomplete)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_forged(&f, &err);
    cr_assert(snap != NULL, "%s", err.message);
    cr_expect_not(snap->info.complete, "no handle");
    const struct warning *w = warnings_find(&snap->warnings, WARN_RUNTIME_MISMATCH);
    cr_assert_not_null(w);
    cr_expect_not_null(
        strstr(w->detail, "what was read of .NET 10.0.12 contradicts itself"));
    cr_expect_not_null(strstr(w->detail, "(handles: their tables are empty); a newer"));
    hd_snapshot_close(snap);
    forge_handle(&f, 2, 0, FORGED_HEAP + 2 * FORGED_HEAP_STEP + 8, 0);
    snap = read_forged(&f, &err);
    cr_assert(snap != NULL, "%s", err.message);
    cr_expect(snap->info.complete);
    cr_expect_null(warnings_find(&snap->warnings, WARN_RUNTIME_MISMATCH));
    hd_snapshot_close(snap);
}
