/* Writes a core dump without values, made from a core dump: docs/cores.md,
 * docs/formats/core-dump.md.
 *
 * An allow-list of bytes is written: those recorded by the reader (memory.h), which are the
 * runtime's own structures and names of types and fields, and those of the heap selected
 * below. Everything else is omitted: stacks, registers, native memory, environment,
 * arguments, literals, code, constants, free space. The recorded bytes suffice to read it
 * again, with any version of the runtime. */
#include "base/arrays.h"
#include "base/error.h"
#include "clr/managed/core_fields.h"
#include "clr/managed/core_roots.h"
#include "format/snapshot_writer.h"
#include "heap/process_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { POINTER = 8, COUNT_AT = 8, COUNT_SIZE = 4, HEADER = 8, SMALLEST_OBJECT = 24 };

struct redaction {
    struct core *core;
    const struct graph *g;
    const struct memory *m;
    const struct gc_type *numbered; /* objects with a required number, at number_at */
    uint32_t number_at;
    uint64_t objects;
};

/* --- the heap ------------------------------------------------------------------ */

struct core_references {
    const struct redaction *r;
    const unsigned char *bytes;
    uint64_t address;
};

/* Keeps only pointers into the heap, or where it would be if complete: something that looks
 * like an object may be other data. */
static void keep_reference(void *context, uint64_t offset, uint32_t number)
{
    const struct core_references *all = context;
    const struct redaction *r = all->r;
    uint64_t to = le_u64(all->bytes + offset);
    (void)number;
    if (to != 0 && ranges_find(&r->core->heap.regions.ranges, to) != HD_GEN_UNKNOWN)
        memory_keep(r->m, all->address + offset, POINTER);
}

/* The type, of arrays and strings the count, and references. */
static void keep_object(struct redaction *r, node_id n)
{
    uint64_t address = graph_address(r->g, n), size = graph_size(r->g, n);
    const struct gc_type *t = core_type_at(r->core, address);
    memory_keep(r->m, address, POINTER);
    r->objects++;
    if (t == NULL)
        return;
    if (t->component_size > 0)
        memory_keep(r->m, address + COUNT_AT, COUNT_SIZE);
    if (t == r->numbered)
        memory_keep(r->m, address + r->number_at, POINTER);
    if (t->refers.pointers == 0)
        return;
    void *copy = NULL;
    struct core_references all = {r, core_object_at(r->core, address, size, &copy),
                                  address};
    if (all.bytes != NULL)
        gc_descriptor_walk(&t->refers, size, keep_reference, &all);
    free(copy);
}

static uint64_t whole_words(uint64_t size)
{
    return (size + POINTER - 1) / POINTER * POINTER;
}

/* Free space is not an object, but a region may begin with it: its length is kept. */
static void keep_free_space(const struct redaction *r, uint64_t at, uint64_t end)
{
    const uint64_t free_object = r->core->runtime.free_object;
    bool ok = true;
    while (ok && end - at >= SMALLEST_OBJECT) {
        uint64_t size = POINTER;
        if (memory_u64(r->m, at, &ok) == free_object)
            size = whole_words(memory_u32(r->m, at + COUNT_AT, &ok) +
                               (uint64_t)SMALLEST_OBJECT);
        if (size > POINTER && size <= end - at)
            memory_keep(r->m, at, COUNT_AT + COUNT_SIZE);
        at += size <= end - at ? size : (uint64_t)POINTER;
    }
}

/* Objects are numbered by address, and so are regions. *n is the next one. The region was
 * held when it was read. */
static void keep_region(struct redaction *r, const struct gc_region *region, node_id *n)
{
    uint64_t at = region->start;
    memory_forget(r->m, region->start, region->end - region->start);
    for (; *n < r->core->heap.count && graph_address(r->g, *n) < region->end; ++*n) {
        uint64_t address = graph_address(r->g, *n);
        keep_free_space(r, at, address);
        keep_object(r, *n);
        at = address + whole_words(graph_size(r->g, *n));
    }
    if (at < region->end)
        keep_free_space(r, at, region->end);
}

/* --- threads ------------------------------------------------------------------- */

static bool begins_before(const void *graph, size_t n, const void *address)
{
    return graph_address(graph, (node_id)n) <= *(const uint64_t *)address;
}

/* True if an address is in an object, not counting its header: as gc_heap_containing(). */
static bool is_in_object(const struct redaction *r, uint64_t address)
{
    size_t next = search_first(r->g, 0, r->core->heap.count, begins_before, &address);
    node_id n = (node_id)next - 1;
    return next > 0 && address - graph_address(r->g, n) < graph_size(r->g, n) - HEADER;
}

/* Keeps registers that may be references, and the stack pointer. Words of stacks were read
 * if they are roots. */
static struct image_thread *threads_of(const struct redaction *r)
{
    const struct process_image *p = &r->core->image;
    struct image_thread *all =
        alloc_resize(NULL, array_bytes(p->thread_count + 1, sizeof(*all)));
    for (size_t i = 0; i < p->thread_count; i++) {
        all[i] = p->threads[i];
        for (unsigned k = 0; k < p->processor->registers; k++)
            if (k != p->processor->stack_pointer && k != p->processor->thread_pointer &&
                !is_in_object(r, all[i].registers[k]))
                all[i].registers[k] = 0;
    }
    return all;
}

/* --- notes of the file ----------------------------------------------------------- */

static struct image_redaction words_of(const struct redaction *r,
                                       const struct hd_snapshot *snap)
{
    const struct warning *lacking = warnings_find(&snap->warnings, WARN_INCOMPLETE);
    if (lacking == NULL)
        lacking = warnings_find(&snap->warnings, WARN_RUNTIME_MISMATCH);
    const struct runtime *runtime = &r->core->runtime;
    struct image_redaction say = {.is_redacted = true,
                                  .process = snap->info.process,
                                  .runtime = runtime->version,
                                  .unread = r->core->heap.unread,
                                  .unread_at = r->core->heap.unread_at};
    if (!snap->info.complete)
        say.lacking = lacking != NULL && lacking->detail != NULL
                          ? lacking->detail
                          : warning_texts[WARN_INCOMPLETE].message;
    return say;
}

/* --- is that enough? ----------------------------------------------------------- */

/* Adds the next kept part of a run that is outside of the heap, as it will be in the file.
 * Returns the start of the part after it. */
static uint64_t add_kept_part(struct memory_pieces *p, const struct redaction *r,
                              uint64_t at, uint64_t end, struct arena *a)
{
    const struct gc_region *next = gc_region_from(&r->core->heap.regions, at);
    if (next != NULL && next->start <= at)
        return next->end;
    uint64_t stop = next != NULL && next->start < end ? next->start : end;
    /* In one piece: a runtime's description of itself has several pages. */
    unsigned char *copy = arena_alloc(a, (size_t)(stop - at));
    for (uint64_t page = at, end_of_page; page < stop; page = end_of_page) {
        end_of_page = (page / WATCH_PAGE + 1) * WATCH_PAGE;
        end_of_page = end_of_page < stop ? end_of_page : stop;
        memory_kept_copy(r->m, page, (size_t)(end_of_page - page), copy + (page - at));
    }
    memory_pieces_add(p, at, (struct bytes){copy, (size_t)(stop - at)});
    return stop;
}

/* Regions are as they are: only the types of their objects will be asked for. */
static struct memory kept_memory(const struct redaction *r, struct arena *a)
{
    const struct gc_regions *regions = &r->core->heap.regions;
    struct memory_pieces p = {0};
    for (size_t i = 0; i < regions->len; i++) {
        const struct gc_region *region = &regions->all[i];
        struct bytes there;
        for (uint64_t at = region->start; at < region->end; at += there.size) {
            there = bytes_within(memory_from(r->m, at), 0, region->end - at);
            if (there.size == 0)
                break;
            memory_pieces_add(&p, at, there);
        }
    }
    uint64_t begin = 0, size;
    while ((size = memory_kept_from(r->m, &begin)) > 0)
        for (uint64_t end = begin + size; begin < end;)
            begin = add_kept_part(&p, r, begin, end, a);
    struct memory all = memory_of(p.all, p.len, a);
    free(p.all);
    return all;
}

/* The file must contain the data that may have been read from libcoreclr.so on this disk:
 * the layouts of a runtime without a table. */
static bool check_runtime(const struct redaction *r, const struct image_redaction *say,
                          struct hd_error *err)
{
    struct arena scratch = {0};
    struct process_image image = r->core->image;
    const struct runtime *was = &r->core->runtime;
    struct runtime found;
    image.memory = kept_memory(r, &scratch);
    image.redaction = *say;
    image.files = NULL;
    image.file_count = 0;
    bool ok = runtime_find(&found, &image, &scratch, NULL) && found.major == was->major &&
              found.base == was->base && found.gc == was->gc &&
              found.app_domain == was->app_domain &&
              found.thread_store == was->thread_store &&
              found.free_object == was->free_object &&
              descriptor_same_layout(&found.at, &was->at);
    arena_free(&scratch);
    return ok || fail(err, HD_UNSUPPORTED,
                      "the description of .NET %s is not in the dump but in its files on "
                      "this machine; a dump without values needs it: take a full one",
                      was->version);
}

/* --- writing ------------------------------------------------------------------- */

/* Facts without names of threads, which a program may make of its data. */
static void add_figures(struct text *to, struct bytes line)
{
    struct hd_process_facts facts = {0};
    process_facts_parse(&facts, (const char *)line.data, line.size);
    memset(facts.threads, 0, sizeof(facts.threads));
    process_facts_put(&facts, to);
}

static bool core_write(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                       struct hd_error *err)
{
    const char *format = snap->info.format;
    if (snap->graph->fields == NULL || format == NULL || strcmp(format, "core-dump") != 0)
        return fail(err, HD_USAGE,
                    "is not a core dump; only a core dump can be written as one");
    struct core *core = core_fields_core(snap->graph->fields);
    struct redaction r = {.core = core, .g = snap->graph, .m = &core->image.memory};
    if (core->image.memory.watch == NULL)
        return fail(err, HD_USAGE, "was not read to be redacted");
    /* Nobody watches any more: what is looked at now does not count. */
    node_id next = 0;
    r.numbered = core_roots_number(&core->heap, &r.number_at);
    for (size_t i = 0; i < core->heap.regions.len; i++)
        keep_region(&r, &core->heap.regions.all[i], &next);
    struct image_redaction say = words_of(&r, snap);
    if (!check_runtime(&r, &say, err))
        return false;
    struct image_thread *threads = threads_of(&r);
    struct text facts = {0};
    add_figures(&facts, core->image.facts);
    say.facts = (struct bytes){(const unsigned char *)facts.data, facts.len};
    core_file_write(&core->image, threads, core->runtime.base, &say, o);
    text_free(&facts);
    free(threads);
    if (snap->info.redacted)
        return true;
    const char *process = snap->info.process;
    losses_add(l, "values",
               "overwritten with zeros in %" PRIu64
               " objects; stacks, native memory, environment and arguments omitted",
               r.objects);
    losses_add(l, "kept",
               "addresses, references, sizes and lengths; names of types and fields; "
               "paths of assemblies; ids of process and threads%s%s",
               process != NULL ? "; the name " : "", process != NULL ? process : "");
    return true;
}

static const struct snapshot_writer write_core = {
    .name = "core-dump",
    .summary = "a core dump without values, from a core dump; with --redact",
    .suffix = ".core",
    .holds = FACT_GRAPH | FACT_GENERATIONS | FACT_ADDRESSES | FACT_MODULES | FACT_TIME |
             FACT_PROCESS | FACT_PID | FACT_SAMPLING | FACT_INCOMPLETE | FACT_ORIGIN |
             FACT_RAW_NAMES | FACT_HOST | FACT_FIELDS | FACT_MEMORY,
    .binary = true,
    .write = core_write,
};

/* Writers of this house: format/snapshot_writer.c. */
extern const struct snapshot_writer *const clr_writers[];
const struct snapshot_writer *const clr_writers[] = {&write_core, NULL};
