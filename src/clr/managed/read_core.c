/* Reads core dumps of .NET processes on Linux, docs/formats/core-dump.md, and minidumps
 * from Windows, docs/formats/minidump.md.
 *
 * The heap is walked twice, in the order of addresses: first every object gets a number,
 * then references are resolved. The dump stays mapped, and objects are read again for their
 * fields (core_fields.h). */
#include "base/error.h"
#include "base/quantity.h"
#include "base/text.h"
#include "clr/managed/core_check.h"
#include "clr/managed/core_fields.h"
#include "format/reader.h"
#include "heap/process_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- the process --------------------------------------------------------------- */

/* Facts about the process of a core dump. */

/* Arrays of references and strings: offsets of the count and the first element. */
enum { COUNT_AT = 8, FIRST_ELEMENT = 16, FIRST_UNIT = 12, MAX_UNITS = 4096 };

static void find_arguments(void *context, const struct clr_static *s)
{
    uint64_t *arguments = context;
    if (strcmp(s->declared_by, "System.Environment") == 0 &&
        strcmp(s->field, "s_commandLineArgs") == 0)
        *arguments = s->object;
}

/* The first of the arguments, which is the path of the program; the others may be secrets.
 */
static bool read_path(struct core *c, struct text *path)
{
    const struct memory *m = &c->image.memory;
    uint64_t arguments = 0;
    bool ok = true;
    clr_types_statics(c->clr, find_arguments, &arguments);
    if (arguments == 0 || memory_u32(m, arguments + COUNT_AT, &ok) == 0)
        return false;
    uint64_t first = memory_u64(m, arguments + FIRST_ELEMENT, &ok);
    uint32_t units = memory_u32(m, first + COUNT_AT, &ok);
    const unsigned char *at = NULL;
    if (ok && first != 0 && units > 0 && units <= MAX_UNITS)
        at = memory_at(m, first + FIRST_UNIT, 2 * (uint64_t)units);
    if (at != NULL)
        text_add_utf16(path, at, units, UTF16_LITTLE);
    return at != NULL;
}

/* Of "/app/Shop.dll" or "C:\app\Shop.exe": Shop. */
static const char *program_name(const char *path, char separator, struct arena *a)
{
    const char *slash = strrchr(path, separator);
    const char *name = slash != NULL ? slash + 1 : path;
    size_t len = strlen(name), end = strlen(".dll");
    if (len > end && (path_ends_in(name, ".dll") || path_ends_in(name, ".exe")))
        len -= end;
    return len > 0 ? arena_strdup(a, name, len) : NULL;
}

/* Fill in snap's process, pid, runtime, processor and, of a minidump, time. The name of the
 * program is that of its assembly, as gcdumps have it, where the process still knows its
 * command line; else what the kernel calls it, "dotnet" perhaps. */
static void describe_process(struct core *c, struct hd_snapshot *snap)
{
    struct text path = {0};
    char time[CALENDAR_TIME];
    struct arena *a = &snap->arena;
    const struct image_redaction *redaction = &c->image.redaction;
    const char *name = redaction->is_redacted ? redaction->process : c->image.name;
    snap->info.pid = c->image.pid;
    snap->info.redacted = redaction->is_redacted;
    snap->info.runtime = arena_strdup(a, c->runtime.version, strlen(c->runtime.version));
    snap->info.processor = c->image.processor->name;
    if (name != NULL)
        snap->info.process = program_name(name, '/', a);
    if (c->image.time > 0 && calendar_time(c->image.time, time)) {
        snap->info.time = arena_strdup(a, time, strlen(time));
        snap->clock = (double)c->image.time;
        snap->clock_is_date = true;
    }
    if (redaction->is_redacted)
        return;
    /* Arguments are secret: only the name is kept. */
    bool before = memory_look_away(&c->image.memory, true);
    const char *program =
        read_path(c, &path) ? program_name(text_string(&path), c->image.kind->separator, a)
                            : NULL;
    memory_look_away(&c->image.memory, before);
    if (program != NULL)
        snap->info.process = program;
    text_free(&path);
}

/* Facts of a completely read heap without free blocks. */
static const struct hd_process_facts no_free_space = {
    .known = UINT64_C(1) << HD_FACT_FRAGMENTED | UINT64_C(1) << HD_FACT_FREE_GEN0 |
             UINT64_C(1) << HD_FACT_FREE_GEN1 | UINT64_C(1) << HD_FACT_FREE_GEN2 |
             UINT64_C(1) << HD_FACT_FREE_LOH | UINT64_C(1) << HD_FACT_FREE_POH |
             UINT64_C(1) << HD_FACT_FREE_BLOCKS};

/* The facts that a collector noted before the dump, then what the dump itself shows. A dump
 * has no resident sizes: pages are in it that were swapped out or never touched. */
static void add_facts(const struct core *c, struct hd_process_facts *facts)
{
    const struct process_image *p = &c->image;
    struct hd_process_facts of_dump = {0};
    struct thread_tally *names = alloc_zeroed(sizeof(*names));
    if (p->thread_count > 0)
        hd_fact_set(&of_dump, HD_FACT_THREADS, p->thread_count);
    for (size_t i = 0; i < p->thread_count; i++)
        if (p->threads[i].name != NULL)
            thread_tally_add(names, p->threads[i].name);
    thread_tally_put(names, &of_dump);
    free(names);
    /* Free space, unless parts of the heap were not read. */
    const struct gc_heap *h = &c->heap;
    if (h->regions.missing == 0 && h->regions.overlapping == 0 && h->unread == 0) {
        process_facts_add(&of_dump, &h->free);
        process_facts_add(&of_dump, &no_free_space);
    }
    process_facts_parse(facts, (const char *)p->facts.data, p->facts.size);
    process_facts_add(facts, &of_dump);
}

/* --- the snapshot -------------------------------------------------------------- */

struct core_reader {
    struct builder *b;
    struct core *core;
    struct gc_globals globals;
    struct gc_threads threads;
    struct core_roots roots;
    bool has_roots;
    uint64_t dangling;
};

static enum recognition core_recognises(struct bytes head)
{
    return core_file_is(head) ? RECOGNISED_YES : RECOGNISED_NO;
}

static enum recognition recognises_minidump(struct bytes head)
{
    return minidump_is(head) ? RECOGNISED_YES : RECOGNISED_NO;
}

/* --- references ---------------------------------------------------------------- */

struct edges {
    struct core_reader *r;
    size_t region; /* of the object */
    const struct gc_region *near;
    const unsigned char *bytes;
};

static inline void read_pointer(void *context, uint64_t offset, uint32_t number)
{
    struct edges *e = context;
    uint64_t object = le_u64(e->bytes + offset);
    (void)number;
    if (object == 0)
        return;
    node_id to = gc_heap_find_near(&e->r->core->heap, &e->near, object);
    if (to != NO_NODE)
        builder_edge(e->r->b, to);
    else
        e->r->dangling++;
}

/* Objects are processed by address. */
static void read_references(struct edges *e, node_id n, const struct gc_type *t)
{
    const struct gc_heap *h = &e->r->core->heap;
    uint64_t address = gc_heap_address(h, n), size = graph_size(e->r->b->graph, n);
    while (address >= h->regions.all[e->region].end)
        e->region++;
    const struct gc_region *in = &h->regions.all[e->region];
    void *copy = NULL;
    e->bytes = in->bytes != NULL ? in->bytes + (address - in->start)
                                 : core_object_at(e->r->core, address, size, &copy);
    if (e->bytes != NULL)
        gc_descriptor_walk(&t->refers, size, read_pointer, e);
    free(copy);
}

static void build_edges(struct core_reader *r)
{
    const struct gc_heap *h = &r->core->heap;
    struct edges e = {.r = r};
    size_t link = 0;
    for (node_id n = 0; n < h->count; n++) {
        const uint64_t dangling = r->dangling;
        const struct gc_type *t = gc_heap_type(h, n);
        builder_references_of(r->b, n);
        if (t->keeps != NO_NODE)
            builder_edge(r->b, t->keeps);
        if (t->refers.pointers > 0)
            read_references(&e, n, t);
        for (; link < r->roots.link_count && r->roots.links[link].from == n; link++)
            builder_handle_edge(r->b, r->roots.links[link].to);
        if (r->dangling > dangling)
            builder_lacks(r->b, n);
    }
}

static bool build_graph(struct core_reader *r, struct hd_error *err)
{
    struct gc_heap *h = &r->core->heap;
    struct builder *b = r->b;
    if (!gc_heap_walk(h, err))
        return false;
    if (b->graph == NULL)
        builder_reserve(b, 1, 1);
    if (b->too_big || b->over_memory)
        return true; /* reported by builder_finish() */
    core_roots_find(&r->roots, h, &r->globals, &r->threads);
    r->has_roots = true;
    if (b->redact) /* what is asked for later is to be looked at now: memory.h */
        clr_types_variables(r->core->clr, NULL, NULL);
    build_edges(r);
    root_tree_emit(&r->roots.tree, b);
    /* The addresses of objects, and 0 for other nodes. */
    struct graph *g = b->graph;
    size_t bytes = array_bytes(g->node_count, 8), own = 8 * (size_t)h->count;
    g->own_addresses = alloc_resize(h->addresses, bytes);
    memset(g->own_addresses + own, 0, bytes - own);
    g->addresses = g->own_addresses;
    h->addresses = NULL;
    gc_heap_forget_places(h);
    return true;
}

/* --- warnings -------------------------------------------------------------------- */

/* Names are in the assemblies, which only createdump includes in a dump. */
static void warn_of_names(struct core_reader *r)
{
    const struct gc_heap *h = &r->core->heap;
    struct warnings *all = &r->b->snap->warnings;
    struct arena *a = &r->b->snap->arena;
    for (size_t i = 0; i < h->type_count; i++)
        if (h->types[i].clr != NULL &&
            strncmp(h->types[i].clr->name, "UNKNOWN 0x", 10) == 0)
            builder_warn(r->b, WARN_UNKNOWN_TYPE, 0);
    const char *lacking = mapped_files_lacking(&r->core->image, a);
    if (lacking == NULL || warnings_find(all, WARN_UNKNOWN_TYPE) == NULL)
        return;
    warnings_add_detail(
        all, WARN_UNKNOWN_TYPE,
        arena_printf(a,
                     "some types have no names: assemblies of the process are neither in "
                     "the dump nor unchanged on this machine: %s",
                     lacking));
}

/* A contradiction in the memory shows an unknown layout. */
static void warn_of_mismatch(struct core_reader *r)
{
    struct arena *a = &r->b->snap->arena;
    struct clr_types *clr = r->core->clr;
    bool before = memory_look_away(&r->core->image.memory, true);
    const struct core_facts facts = {.heap = &r->core->heap,
                                     .globals = &r->globals,
                                     .threads = &r->threads,
                                     .roots = &r->roots,
                                     .has_roots = r->has_roots,
                                     .declared = clr->declared,
                                     .agreement = clr_types_agreement(clr)};
    const char *why = core_check(&facts, a);
    memory_look_away(&r->core->image.memory, before);
    if (why == NULL)
        return;
    r->b->snap->info.complete = false;
    builder_warn(r->b, WARN_RUNTIME_MISMATCH, 0);
    warnings_add_detail(
        &r->b->snap->warnings, WARN_RUNTIME_MISMATCH,
        arena_printf(
            a,
            "what was read of .NET %s contradicts itself, so objects and roots may "
            "be missing (%s); a newer heapdrift may read it" TAKE_GCDUMP,
            r->core->runtime.version, why));
}

/* Returns the most informative reason why objects may be missing, or NULL. Content of holes
 * is not lost objects, unless an object in use refers to one there: with a graph that is
 * known and reported by builder_lacks(). */
static const char *reason_incomplete(const struct core_reader *r)
{
    const struct gc_heap *h = &r->core->heap;
    const struct process_image *p = &r->core->image;
    struct arena *a = &r->b->snap->arena;
    if (p->redaction.lacking != NULL)
        return arena_strdup(a, p->redaction.lacking, strlen(p->redaction.lacking));
    if (p->lost > 0)
        return arena_printf(a,
                            "the file is truncated: %" PRIu64
                            " bytes of memory are missing after byte %" PRIu64 ", %" PRIu64
                            " of these in the heap",
                            p->lost, p->cut_at, h->regions.missing);
    if (h->regions.missing > 0)
        return arena_printf(a, "%" PRIu64 " bytes of the heap are not in the dump",
                            h->regions.missing);
    if (h->unread > 0 && !r->b->want_graph)
        return arena_printf(
            a,
            "%" PRIu64
            " bytes of the heap contain no readable objects, starting at 0x%" PRIx64,
            h->unread, h->unread_at);
    if (h->damaged_types > 0)
        return arena_printf(a, "references of %" PRIu64 " types are unknown",
                            h->damaged_types);
    if (r->roots.lost > 0)
        return arena_printf(a, "roots lead to objects that were not found (%" PRIu64 ")",
                            r->roots.lost);
    if (h->regions.overlapping > 0)
        return arena_printf(a,
                            "%" PRIu64 " regions of the heap overlap others, or are not in "
                            "the dump",
                            h->regions.overlapping);
    return NULL;
}

static void describe_core(struct core_reader *r)
{
    struct hd_snapshot *snap = r->b->snap;
    snap->info.has_graph = r->core->heap.regions.len > 0;
    snap->info.holds_garbage = true;
    snap->info.has_fields = r->b->want_graph;
    describe_process(r->core, snap);
    add_facts(r->core, &snap->facts);
    warn_of_names(r);
    warn_of_mismatch(r);
    const char *reason = reason_incomplete(r);
    if (reason != NULL) {
        snap->info.complete = false;
        builder_warn(r->b, WARN_INCOMPLETE, 0);
        warnings_add_detail(&snap->warnings, WARN_INCOMPLETE, reason);
    }
    for (uint64_t i = 0; i < r->dangling; i++)
        builder_warn(r->b, WARN_DANGLING_REFERENCE, 0);
}

/* --- reading ------------------------------------------------------------------- */

static bool open_process(struct core_reader *r, struct input *in, struct hd_error *err)
{
    struct core *c = r->core;
    struct bytes all;
    if (!input_all(in, &all, err) || !process_image_open(&c->image, all, &c->arena, err))
        return false;
    if (r->b->redact && c->image.processor->machine == MACHINE_WINDOWS)
        return fail(err, HD_UNSUPPORTED,
                    "a minidump cannot be written without values, as only cores of Linux "
                    "can; a gcdump has none: `heapdrift convert DUMP -o app.gcdump`");
    if (r->b->redact)
        memory_watch(&c->image.memory, &c->arena);
    if (!runtime_find(&c->runtime, &c->image, &c->arena, err))
        return false;
    if (!gc_heap_is_valid(&c->runtime))
        return fail_about(err, HD_ABOUT_COLLECTION, HD_UNSUPPORTED,
                          "the dump was taken during a garbage collection, while objects "
                          "were being moved; take another one");
    return gc_globals_read(&r->globals, &c->runtime, &c->arena, err);
}

static bool core_read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct core_reader r = {.b = b, .core = alloc_zeroed(sizeof(struct core))};
    struct core *c = r.core;
    const struct gc_regions *regions = &c->heap.regions;
    c->arena.account = builder_account(b);
    bool ok = open_process(&r, in, err) && core_open_types(c, err);
    if (ok) {
        r.threads = gc_threads_read(&c->runtime, &c->arena);
        gc_heap_open(&c->heap, &c->runtime, &r.globals, &r.threads, c->clr, b, &c->arena);
        /* Reserve memory for the kept data of the heap while it is counted. */
        for (size_t i = 0; i < regions->len; i++)
            memory_hold(&c->image.memory, regions->all[i].start,
                        regions->all[i].end - regions->all[i].start);
        b->snap->ranges =
            ranges_build(regions->ranges.all, regions->ranges.len, &b->snap->arena);
        b->snap->info.has_generations = true;
        /* Written files omit garbage, which needs a graph. */
        b->want_graph |= b->snap->source != NULL;
        ok = b->want_graph ? build_graph(&r, err) : gc_heap_walk(&c->heap, err);
        if (c->image.redaction.unread > 0) {
            c->heap.unread = c->image.redaction.unread;
            c->heap.unread_at = c->image.redaction.unread_at;
        }
    }
    if (ok)
        describe_core(&r);
    core_roots_free(&r.roots);
    if (!ok || b->graph == NULL || b->graph->addresses == NULL) {
        core_free(c);
        return ok;
    }
    /* Keep only what the graph's fields need: the builder is freed. */
    c->arena.account = NULL;
    c->heap.type_numbers.account = NULL;
    c->heap.builder = NULL;
    b->graph->fields = core_fields_make(c, b->graph);
    /* Later reads may be from several threads, and of values. */
    memory_look_away(&c->image.memory, true);
    return true;
}

static const struct reader read_core = {
    .name = "core-dump",
    .summary = "core dump of a .NET process, from createdump, gcore or the kernel",
    .statics = STATICS_BY_CLASS,
    .recognises = core_recognises,
    .read = core_read,
};

static const struct reader read_minidump = {
    .name = "minidump",
    .summary = "minidump of a .NET process on Windows, with all memory",
    .statics = STATICS_BY_CLASS,
    .recognises = recognises_minidump,
    .read = core_read,
};

/* Readers of this house: format/reader.c. */
extern const struct reader *const clr_readers[];
const struct reader *const clr_readers[] = {&read_core, &read_minidump, NULL};
