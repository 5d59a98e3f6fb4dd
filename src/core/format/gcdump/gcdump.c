#include "format/gcdump/gcdump.h"

#include "heap/ids.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Versions that this reader supports, as Microsoft's of 2026 does. */
enum {
    DUMP_VERSION = 10,
    GRAPH_VERSION = 1,
    MODULE_VERSION = 0,
    INFO_VERSION = 0,
    SEGMENT_VERSION = 1
};

enum { OLDEST_DUMP_VERSION = 4, NEVER_SUPPORTED_VERSION = 8, TAGGED_DUMP_VERSION = 9 };

struct parser {
    struct fastser f;
    struct gcdump *d;
    struct arena *a;
    struct text scratch;
    struct id_numbers modules; /* by offset in the file */
    size_t module_cap;
};

static const char *read_string(struct parser *p)
{
    text_clear(&p->scratch);
    if (!fastser_string(&p->f, &p->scratch))
        return NULL;
    return arena_strdup(p->a, p->scratch.data, p->scratch.len);
}

/* --- modules and deferred types ------------------------------------------ */

/* Returns the number of an image, which is stored at its first occurrence, or NO_TYPE. */
static uint32_t read_module(struct parser *p)
{
    struct fastser *f = &p->f;
    struct source *s = &p->d->source;
    struct fastser_type type;
    enum fastser_field field = fastser_begin(f, &type);
    if (field == FIELD_REFERENCE) {
        uint32_t number = id_numbers_find(&p->modules, type.label);
        if (number == NO_ID)
            cursor_fail(&f->c, "a reference to an unknown module");
        return number;
    }
    if (field != FIELD_OBJECT)
        return NO_TYPE;
    if (strcmp(type.name, "Graphs.Module") != 0 || type.min_reader > MODULE_VERSION) {
        cursor_fail(&f->c, "a %s instead of a Graphs.Module", type.name);
        return NO_TYPE;
    }
    struct source_module image = {.path = read_string(p)};
    image.base = cursor_u64(&f->c);
    image.size = s->module_size_is_64_bit ? cursor_u64(&f->c) : cursor_u32(&f->c);
    image.build_time = cursor_u64(&f->c);
    image.pdb = read_string(p);
    const unsigned char *guid = cursor_bytes(&f->c, sizeof(image.guid));
    if (guid != NULL)
        memcpy(image.guid, guid, sizeof(image.guid));
    image.age = cursor_i32(&f->c);
    if (!fastser_end(f))
        return NO_TYPE;
    *APPEND(s->modules, s->module_count, p->module_cap) = image;
    return id_numbers_add(&p->modules, type.label);
}

static bool read_deferred_as(struct parser *p, bool size_is_64_bit, uint64_t end)
{
    struct fastser *f = &p->f;
    struct source *s = &p->d->source;
    uint64_t count = cursor_count(&f->c, 4, 4 + 1 + 4, "deferred types");
    if (count > p->d->type_count)
        cursor_fail(&f->c, "%" PRIu64 " deferred types, but only %" PRIu32 " types", count,
                    p->d->type_count);
    s->deferred_count = cursor_ok(&f->c) ? (uint32_t)count : 0;
    s->deferred = arena_array(p->a, struct source_deferred, s->deferred_count);
    s->module_count = 0;
    s->module_size_is_64_bit = size_is_64_bit;
    id_numbers_free(&p->modules);
    for (size_t i = 0; i < s->deferred_count && cursor_ok(&f->c); i++) {
        s->deferred[i].id = cursor_u32(&f->c);
        s->deferred[i].module = read_module(p);
        s->deferred[i].suffix = read_string(p);
    }
    if (!fastser_tag(f, TAG_END) || (end != 0 && cursor_offset(&f->c) != end))
        cursor_fail(&f->c, "the list of deferred types does not end where it should");
    return cursor_ok(&f->c);
}

/* --- the graph ----------------------------------------------------------- */

/* Module.Size has 4 or 8 bytes under the same version number: only one of the two ends at
 * the end of the region. */
static void read_deferred(struct parser *p)
{
    struct fastser *f = &p->f;
    uint32_t index = cursor_u32(&f->c);
    uint64_t end = f->has_trailer ? fastser_forward(f, index) : 0;
    struct fastser before = *f;
    f->c.err = NULL;
    bool narrow = read_deferred_as(p, false, end);
    f->c.err = before.c.err;
    if (narrow)
        return;
    *f = before;
    read_deferred_as(p, true, end);
}

/* Reads everything from the node count to the addresses. PerfView 3.0.6 and later can write
 * counts of 8 bytes, without any mark in the file. */
static bool read_nodes_as(struct parser *p, size_t count_size, bool deferred)
{
    struct gcdump *d = p->d;
    struct cursor *c = &p->f.c;
    enum { SMALLEST_NODE = 4 + 8 };
    d->node_count = cursor_count(c, count_size, SMALLEST_NODE, "nodes");
    if (d->node_count >= UINT32_MAX)
        cursor_fail(c, "more than 2^32 nodes");
    d->offsets = cursor_bytes(c, (size_t)d->node_count * 4);
    d->blob.size = (size_t)cursor_count(c, 4, 1, "bytes of nodes");
    d->blob_at = cursor_offset(c);
    d->blob.data = cursor_bytes(c, d->blob.size);
    if (deferred && cursor_ok(c))
        read_deferred(p);
    uint64_t addresses = cursor_count(c, count_size, 8, "addresses");
    if (cursor_ok(c) && addresses != d->node_count)
        cursor_fail(c, "%" PRIu64 " addresses for %" PRIu64 " nodes", addresses,
                    d->node_count);
    d->addresses = cursor_bytes(c, (size_t)d->node_count * 8);
    return cursor_ok(c);
}

static void read_types(struct parser *p)
{
    struct gcdump *d = p->d;
    struct cursor *c = &p->f.c;
    enum { SMALLEST_TYPE = 4 + 4 + 4 };
    d->type_count = (uint32_t)cursor_count(c, 4, SMALLEST_TYPE, "types");
    d->default_sizes = arena_array(p->a, int32_t, d->type_count);
    d->source.gcdump_types = arena_array(p->a, struct source_gcdump_type, d->type_count);
    d->source.gcdump_type_count = d->type_count;
    for (uint32_t i = 0; i < d->type_count && cursor_ok(c); i++) {
        struct source_gcdump_type *t = &d->source.gcdump_types[i];
        t->name = read_string(p);
        t->size = d->default_sizes[i] = cursor_i32(c);
        t->module = read_string(p);
        if (account_is_over(p->a->account) && !account_fail(p->a->account, c->err))
            cursor_fail(c, "too many types");
    }
}

static void read_nodes(struct parser *p, bool deferred)
{
    /* the last try, with the usual layout, reports the error */
    static const size_t count_sizes[] = {4, 8, 4};
    const struct fastser before = p->f;
    for (size_t i = 0; i < sizeof(count_sizes) / sizeof(*count_sizes); i++) {
        p->f = before;
        p->f.c.err = i < 2 ? NULL : before.c.err;
        if (read_nodes_as(p, count_sizes[i], deferred))
            break;
    }
    p->f.c.err = before.c.err;
}

static void read_graph(struct parser *p)
{
    struct gcdump *d = p->d;
    struct fastser *f = &p->f;
    struct fastser_type type;
    if (fastser_expect(f, "Graphs.MemoryGraph", GRAPH_VERSION, &type) == FIELD_NULL)
        cursor_fail(&f->c, "a dump without a graph");
    d->total_size = cursor_u64(&f->c);
    d->root = cursor_u32(&f->c);
    read_types(p);
    d->source.has_deferred = type.min_reader >= 1;
    if (cursor_ok(&f->c))
        read_nodes(p, d->source.has_deferred);
    if (cursor_ok(&f->c) && d->root >= d->node_count)
        cursor_fail(&f->c, "node %" PRIu32 " is the root, of %" PRIu64 " nodes", d->root,
                    d->node_count);
}

/* --- generations --------------------------------------------------------- */

/* The parts of a segment are in the order 4, 3, 2, 1, 0; an address belongs to the first
 * whose end is above it, if any. */
enum { PARTS_PER_SEGMENT = 6 };

static void add_segment_parts(struct range *parts, const struct source_segment *s)
{
    static const enum hd_generation of[5] = {HD_GEN0, HD_GEN1, HD_GEN2, HD_GEN_LOH,
                                             HD_GEN_POH};
    for (int g = 4; g >= 0; g--) {
        uint64_t end = s->gen_end[g] < s->end ? s->gen_end[g] : s->end;
        *parts++ = (struct range){s->start, end, of[g]};
    }
    *parts = (struct range){s->start, s->end, HD_GEN_UNKNOWN};
}

static void read_segment(struct parser *p, struct source_segment *s)
{
    struct fastser *f = &p->f;
    struct fastser_type type;
    if (fastser_expect(f, "GCHeapDumpSegment", SEGMENT_VERSION, &type) != FIELD_OBJECT) {
        cursor_fail(&f->c, "a segment is missing");
        return;
    }
    s->start = cursor_u64(&f->c);
    s->end = cursor_u64(&f->c);
    for (int g = 0; g < 4; g++)
        s->gen_end[g] = cursor_u64(&f->c);
    /* For two days of 2022 the source wrote five ends under version 0. Ends are multiples
     * of 4, so they cannot begin with the byte of TAG_END. */
    if (type.version >= 1 || cursor_peek(&f->c) != TAG_END)
        s->gen_end[4] = cursor_u64(&f->c);
    fastser_end(f);
}

static void read_heap_info(struct parser *p)
{
    struct fastser *f = &p->f;
    struct fastser_type type;
    if (fastser_expect(f, "DotNetHeapInfo", INFO_VERSION, &type) != FIELD_OBJECT)
        return;
    struct source *source = &p->d->source;
    source->segment_bytes = cursor_u64(&f->c);
    enum { SMALLEST_SEGMENT = 1 + 2 + 48 };
    size_t count = (size_t)cursor_count(&f->c, 4, SMALLEST_SEGMENT, "segments");
    struct range *parts = arena_array(p->a, struct range, PARTS_PER_SEGMENT * count);
    source->segments = arena_array(p->a, struct source_segment, count);
    for (size_t i = 0; i < count && cursor_ok(&f->c); i++) {
        struct source_segment *s = &source->segments[i];
        read_segment(p, s);
        add_segment_parts(&parts[PARTS_PER_SEGMENT * i], s);
    }
    if (!fastser_end(f))
        return;
    source->has_heap_info = true;
    source->segment_count = (uint32_t)count;
    if (count > 0)
        p->d->ranges = ranges_build(parts, PARTS_PER_SEGMENT * count, p->a);
}

/* --- around the graph ---------------------------------------------------- */

static void read_metadata(struct parser *p)
{
    struct source *s = &p->d->source;
    struct cursor *c = &p->f.c;
    s->log = read_string(p);
    s->ticks = (int64_t)cursor_u64(c);
    s->machine = read_string(p);
    s->process = read_string(p);
    s->pid = cursor_i32(c);
    s->commit = cursor_u64(c);
    s->working_set = cursor_u64(c);
}

/* A table of COM wrappers is known by its node numbers and holds no label, so its bytes
 * mean the same anywhere. */
static void keep_interop(struct parser *p, uint64_t start, uint64_t end)
{
    static const char name[] = "InteropInfo";
    enum { NAME_AT = 1 + 2 + 8 + 4 }; /* 04, 04 01, two versions, a length */
    const struct cursor *c = &p->f.c;
    if (!cursor_ok(c) || end - start < NAME_AT + sizeof(name))
        return;
    const unsigned char *at = c->start + start;
    if (at[0] == TAG_BEGIN && at[1] == TAG_BEGIN && at[2] == TAG_NULL &&
        memcmp(at + NAME_AT, name, sizeof(name) - 1) == 0) {
        p->d->source.interop = at;
        p->d->source.interop_size = (size_t)(end - start);
    }
}

/* Reads an unused interop table, and the writer's name: both optional. */
static void read_tagged(struct parser *p)
{
    struct fastser *f = &p->f;
    if (fastser_tag(f, TAG_SKIP_REGION)) {
        uint32_t index = cursor_u32(&f->c);
        /* Nearly always null, which needs no label. */
        uint64_t start = cursor_offset(&f->c);
        bool null = fastser_tag(f, TAG_NULL);
        uint64_t end = null ? cursor_offset(&f->c) : fastser_forward(f, index);
        if (cursor_ok(&f->c) && end < cursor_offset(&f->c))
            cursor_fail(&f->c, "a region that ends before it begins");
        cursor_seek(&f->c, end);
        keep_interop(p, start, end);
    }
    if (fastser_tag(f, TAG_STRING))
        p->d->source.tool = read_string(p);
    fastser_end(f);
}

static void read_new_fields(struct parser *p)
{
    struct fastser *f = &p->f;
    struct fastser_type type;
    p->d->source.is_64_bit = cursor_u8(&f->c) != 0;
    p->d->source.average_count = cursor_f32(&f->c);
    p->d->source.average_size = cursor_f32(&f->c);
    if (fastser_expect(f, "JSHeapInfo", INFO_VERSION, &type) == FIELD_OBJECT)
        fastser_end(f);
    if (cursor_ok(&f->c))
        read_heap_info(p);
    read_metadata(p);
    struct gcdump *d = p->d;
    uint64_t count = cursor_count(&p->f.c, 4, 4, "multipliers");
    if (count > 0 && count != d->type_count)
        cursor_fail(&p->f.c, "%" PRIu64 " multipliers for %" PRIu32 " types", count,
                    d->type_count);
    for (uint64_t i = 0; i < count && cursor_ok(&p->f.c); i++)
        d->source.gcdump_types[i].multiplier = cursor_f32(&p->f.c);
    d->source.sampled = count > 0;
    if (cursor_ok(&f->c))
        read_tagged(p);
}

/* Versions 4 to 7 are known from the source of Microsoft's reader only. */
static void read_old_fields(struct parser *p)
{
    struct fastser *f = &p->f;
    cursor_bytes(&f->c, 8 + 8 + 8); /* sizes of segments and objects, objects */
    p->d->all_objects = cursor_u8(&f->c) != 0;
    if (p->d->version >= 5)
        read_metadata(p);
    if (p->d->version < 6)
        return;
    uint64_t segments = cursor_count(&f->c, 4, 1, "segments");
    for (uint64_t i = 0; i < segments && cursor_ok(&f->c); i++) {
        struct source_segment ignored;
        read_segment(p, &ignored);
    }
}

static void read_dump(struct parser *p)
{
    struct gcdump *d = p->d;
    struct fastser *f = &p->f;
    struct fastser_type type;
    struct cursor before = f->c;
    fastser_expect(f, "GCHeapDump", DUMP_VERSION, &type);
    d->version = type.version;
    if (cursor_ok(&f->c) &&
        (d->version < OLDEST_DUMP_VERSION || d->version == NEVER_SUPPORTED_VERSION)) {
        f->c = before;
        cursor_fail(&f->c, "GCHeapDump version %d; supported are 4 to 7, and 9 or later",
                    d->version);
    }
    if (cursor_ok(&f->c))
        read_graph(p);
    if (cursor_ok(&f->c))
        fastser_end(f);
    if (!cursor_ok(&f->c))
        return;

    /* The graph is whole. A file cut after it is still useful. */
    struct hd_error *err = f->c.err;
    if (!f->has_trailer)
        f->c.err = NULL;
    if (d->version >= TAGGED_DUMP_VERSION)
        read_new_fields(p);
    else
        read_old_fields(p);
    d->damaged_end = !f->has_trailer;
    if (!f->has_trailer) {
        f->c.failed = false;
        f->c.err = err;
    }
}

bool gcdump_parse(struct gcdump *d, struct bytes file, struct arena *a,
                  struct hd_error *err)
{
    *d = (struct gcdump){
        .all_objects = true,
        .source = {.is_gcdump = true, .average_count = 1, .average_size = 1},
    };
    struct parser p = {.f = fastser_open(file, err), .d = d, .a = a};
    if (cursor_ok(&p.f.c))
        read_dump(&p);
    struct source_module *modules =
        arena_array(a, struct source_module, d->source.module_count);
    if (d->source.module_count > 0)
        memcpy(modules, d->source.modules, d->source.module_count * sizeof(*modules));
    free(d->source.modules);
    d->source.modules = modules;
    id_numbers_free(&p.modules);
    text_free(&p.scratch);
    return cursor_ok(&p.f.c);
}
