/* Random heaps are read as they were made; and for any memory contents reading terminates,
 * and stays inside. */
#include "clr/managed/forged_heap.h"
#include "support/random.h"

#include <stdlib.h>

/* --- random heaps against what they were made of --------------------------- */

enum { SHAPES = 8, MAX_SLOTS = 24, MAX_OBJECTS = 60, MAX_EDGES = 512 };

/* Offsets of pointers in an object, or in one element. */
struct shape {
    uint64_t type;
    uint32_t base, element; /* bytes; 0: not an array */
    uint32_t slots[MAX_SLOTS], slot_count;
};

struct made {
    const struct shape *shape;
    uint64_t address, size, elements;
};

struct world {
    struct random r;
    struct core_forge f;
    struct shape shapes[SHAPES];
    struct made objects[MAX_OBJECTS];
    unsigned count;
};

/* Makes up to two runs among `words` words, of which the first is word `from`. */
static unsigned make_runs(struct world *w, struct shape *s, unsigned from, unsigned words,
                          struct forged_run runs[2])
{
    unsigned first = 1 + random_below(&w->r, words / 2),
             gap = random_below(&w->r, words / 4 + 1),
             second = random_below(&w->r, words - first - gap + 1), count = 0;
    runs[count++] = (struct forged_run){8 * from, first};
    if (second > 0 && gap > 0)
        runs[count++] = (struct forged_run){8 * (from + first + gap), second};
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < runs[i].count; k++)
            s->slots[s->slot_count++] = runs[i].offset + 8 * k;
    return count;
}

static void make_shape(struct world *w, unsigned number)
{
    struct shape *s = &w->shapes[number];
    struct forged_run runs[2];
    unsigned words = 4 + random_below(&w->r, 6), kind = number % 4;
    *s = (struct shape){.base = 24};
    if (kind == 0) { /* numbers only */
        s->element = random_below(&w->r, 2) ? 2 : 0;
        s->type = forge_core_type(&w->f, 24, s->element ? components_flag | 2 : 0);
    } else if (kind == 1) { /* an array of references */
        s->element = 8;
        s->slot_count = 1;
        s->type = forge_core_type(&w->f, 24, components_flag | POINTERS_FLAG | 8);
        forge_runs(&w->f, s->type, 24, &(struct forged_run){16, 0}, 1);
    } else if (kind == 2) {
        s->base = 16 + 8 * words;
        s->type = forge_core_type(&w->f, s->base, POINTERS_FLAG);
        unsigned count = make_runs(w, s, 1, words, runs);
        forge_runs(&w->f, s->type, s->base, runs, count);
    } else {
        unsigned lead = random_below(&w->r, 2);
        s->element = 8 * (words + lead);
        s->type = forge_core_type(&w->f, 24, components_flag | POINTERS_FLAG | s->element);
        unsigned count = make_runs(w, s, lead, words, runs);
        forge_elements(&w->f, s->type, s->element, runs, count);
    }
}

static void make_objects(struct world *w)
{
    w->count = 1 + random_below(&w->r, MAX_OBJECTS);
    for (unsigned i = 0; i < w->count; i++) {
        const struct shape *s = &w->shapes[random_below(&w->r, SHAPES)];
        unsigned generation = random_below(&w->r, FORGED_GENERATIONS);
        if (random_below(&w->r, 5) == 0) /* free space between them */
            forge_core_object(&w->f, generation, w->f.free_type, 24);
        uint64_t elements = s->element > 0 ? random_below(&w->r, 5) : 0,
                 size = s->base + elements * s->element;
        uint64_t at = forge_core_object(&w->f, generation, s->type, size);
        if (s->element > 0)
            forge_core_put(&w->f, at + 8, elements, 4);
        w->objects[i] = (struct made){s, at, size, elements};
    }
}

/* Fills all words; even non-pointers get addresses. */
static void fill(struct world *w)
{
    for (unsigned i = 0; i < w->count; i++) {
        const struct made *o = &w->objects[i];
        for (uint64_t at = o->shape->element > 0 ? 16 : 8; at + 16 <= o->size; at += 8)
            if (random_below(&w->r, 4) != 0)
                forge_core_put(&w->f, o->address + at,
                               w->objects[random_below(&w->r, w->count)].address, 8);
    }
}

static size_t expected_edges(const struct world *w, const struct made *o, uint64_t *edges)
{
    size_t count = 0;
    uint64_t rounds = o->shape->element > 0 ? o->elements : 1,
             start = o->shape->element > 0 ? 16 : 0;
    for (uint64_t i = 0; i < rounds; i++)
        for (uint32_t k = 0; k < o->shape->slot_count; k++) {
            uint64_t to = forge_core_get(&w->f, o->address + start + i * o->shape->element +
                                                    o->shape->slots[k]);
            if (to != 0)
                edges[count++] = to;
        }
    return count;
}

static void expect_same(const struct world *w, const struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    cr_assert_eq(snap->info.objects, w->count);
    for (unsigned i = 0; i < w->count; i++) {
        const struct made *o = &w->objects[i];
        uint64_t edges[MAX_EDGES];
        node_id n = node_at(snap, o->address);
        size_t count = expected_edges(w, o, edges);
        cr_assert_neq(n, NO_NODE);
        cr_assert_eq(graph_size(g, n), o->size);
        cr_assert_eq(g->edge_begin[n + 1] - g->edge_begin[n], count);
        for (size_t k = 0; k < count; k++)
            cr_assert_eq(graph_address(g, g->edge_to[g->edge_begin[n] + k]), edges[k]);
    }
    cr_assert(snap->info.complete);
}

Test(core_heaps, are_read_as_they_were_made)
{
    enum { ROUNDS = 150 };
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct world w = {.r = random_from(1000 + i)};
        struct hd_error err = {0};
        forge_core_runtime(&w.f, &(struct forged_runtime){0});
        for (unsigned k = 0; k < SHAPES; k++)
            make_shape(&w, k);
        make_objects(&w);
        fill(&w);
        struct hd_snapshot *snap = read_forged(&w.f, &err);
        cr_assert(snap != NULL, "%u: %s", i, err.message);
        expect_same(&w, snap);
        hd_snapshot_close(snap);
        forge_core_free(&w.f);
    }
}

/* --- damage ---------------------------------------------------------------- */

/* A process with all parts that are read for the heap. */
static void forge_everything(struct core_forge *f)
{
    uint64_t at[4];
    *f = (struct core_forge){.name = "shop"};
    forge_core_runtime(f, &(struct forged_runtime){0});
    uint64_t type = forge_pointers(f, 3);
    for (unsigned i = 0; i < 4; i++)
        at[i] = forge_core_object(f, i, type, 40);
    for (unsigned i = 0; i < 4; i++)
        forge_core_put(f, at[i] + 8, at[3 - i], 8);
    forge_handles(f);
    forge_handle(f, 2, 1, at[0], 0);
    forge_handle(f, 6, 1, at[1], at[2]);
    forge_finalizers(f, at);
    forge_managed_thread(f, 5, 0, 0);
    forge_core_region(f, FORGED_STACK, 0x100);
    forge_core_thread(f, 5, FORGED_STACK, FORGED_STACK + 0x80);
    forge_core_put(f, FORGED_STACK, at[3], 8);
}

/* Further operations must succeed as well: all fields, a copy, and a redacted dump. */
static void try_core(struct core_forge *f)
{
    struct hd_error err = {0};
    struct hd_read_options how = {.size = sizeof(how), .to_write = true, .redact = true};
    struct hd_memory copy = {0};
    struct bytes core = forge_core_bytes(f);
    struct hd_snapshot *snap = hd_snapshot_from_memory(core.data, core.size, &how, &err);
    cr_assert(snap != NULL || err.message[0] != '\0');
    if (snap != NULL && snap->info.objects > 0)
        hd_snapshot_write(snap, "gcdump", hd_sink_memory(&copy), NULL, &err);
    if (snap != NULL && snap->info.has_graph)
        expect_same_redacted(snap);
    hd_memory_free(&copy);
    hd_snapshot_close(snap);
}

static void damage(struct core_forge *f, uint64_t begin, uint64_t end)
{
    const uint64_t values[] = {
        0, 1, UINT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 63, begin, FORGED_HEAP + 8};
    for (uint64_t at = begin; at < end; at += 8) {
        uint64_t good = forge_core_get(f, at);
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            forge_core_put(f, at, values[i], 8);
            try_core(f);
        }
        forge_core_put(f, at, good ^ UINT64_C(0xff00), 8);
        try_core(f);
        forge_core_put(f, at, good, 8);
    }
}

Test(core_damage, with_any_number_in_the_heap_reading_terminates)
{
    struct core_forge f;
    forge_everything(&f);
    damage(&f, FORGED_RUNTIME_BASE + FORGED_COLLECTOR_AT,
           FORGED_RUNTIME_BASE + FORGED_COLLECTOR_AT + 256);
    damage(&f, FORGED_RUNTIME_BASE + FORGED_GENERATIONS_AT + 48,
           FORGED_RUNTIME_BASE + FORGED_GENERATIONS_AT + 72);
    for (unsigned i = 0; i < 4; i++)
        damage(&f, FORGED_SEGMENTS + i * UINT64_C(0x100),
               FORGED_SEGMENTS + i * UINT64_C(0x100) + 56);
    damage(&f, FORGED_TYPES + 128 + 128 - 48, FORGED_TYPES + 128 + 64);
    forge_core_free(&f);
}

Test(core_damage, with_any_number_in_its_roots_reading_terminates)
{
    struct core_forge f;
    forge_everything(&f);
    damage(&f, FORGED_HANDLES, FORGED_HANDLES + 24);
    damage(&f, FORGED_HANDLES + 0x400 + 40, FORGED_HANDLES + 0x400 + 64);
    damage(&f, FORGED_HANDLE_SEGMENT + 1560, FORGED_HANDLE_SEGMENT + 1576);
    damage(&f, FORGED_HANDLE_SEGMENT + 1992, FORGED_HANDLE_SEGMENT + 2016);
    damage(&f, FORGED_FINALIZERS, FORGED_FINALIZERS + 64);
    damage(&f, FORGED_THREADS + 80, FORGED_THREADS + 96);
    damage(&f, FORGED_THREADS + 0x200 + 32, FORGED_THREADS + 0x200 + 40);
    damage(&f, FORGED_THREADS + 0x800, FORGED_THREADS + 0x800 + 24);
    damage(&f, FORGED_HEAP, FORGED_HEAP + 64);
    forge_core_free(&f);
}
