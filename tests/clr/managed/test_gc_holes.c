/* Heaps of processes frozen while threads allocate large objects: a hole in place of each.
 * Every object between, before and after holes must be found, whatever they contain; if one
 * is lost, the snapshot must be marked incomplete. */
#include "clr/managed/forged_heap.h"
#include "support/random.h"

enum { HELD = 60, LARGE = 3, OLD = 2 };

/* The word before an object: zero, a sync block, a hash, a lock, of listed free space, of
 * reclaimed free space. */
static const uint64_t headers[] = {0,
                                   UINT64_C(0x0800000100000000),
                                   UINT64_C(0x0c12345600000000),
                                   UINT64_C(0x0000000100000000),
                                   1,
                                   FORGED_HEAP + 0x2000};
enum { HEADERS = sizeof(headers) / sizeof(*headers) };

/* Contents of a hole. */
enum content { EMPTY, DATA, EMPTY_THEN_DATA, DATA_THEN_EMPTY, DEAD_OBJECTS, CONTENTS };

struct heap {
    struct core_forge f;
    uint64_t type, array, bytes;
    uint64_t list, held[HELD]; /* objects in the list, which a handle holds */
    unsigned count;
};

static void begin(struct heap *h)
{
    *h = (struct heap){.f = {.name = "shop", .pid = 7}};
    forge_core_runtime(&h->f, &(struct forged_runtime){0});
    forge_handles(&h->f);
    h->type = forge_core_type(&h->f, 40, 0);
    h->bytes = forge_core_type(&h->f, 24, components_flag | 1);
    h->array = forge_core_type(&h->f, 24, components_flag | POINTERS_FLAG | 8);
    forge_runs(&h->f, h->array, 24, &(struct forged_run){16, 0}, 1);
    h->list = forge_core_object(&h->f, OLD, h->array, 24 + 8 * HELD);
    forge_core_put(&h->f, h->list + 8, HELD, 4);
    forge_handle(&h->f, 2, 0, h->list, 0);
}

static void header(struct heap *h, uint64_t at, uint64_t word)
{
    forge_core_put(&h->f, at - 8, word, 8);
}

static uint64_t object(struct heap *h, uint64_t size, uint64_t word)
{
    uint64_t at = forge_core_object(&h->f, LARGE, size == 40 ? h->type : h->bytes, size);
    if (size != 40)
        forge_core_put(&h->f, at + 8, size - 24, 4);
    header(h, at, word);
    forge_core_put(&h->f, h->list + 16 + 8 * (uint64_t)h->count, at, 8);
    h->held[h->count++] = at;
    return at;
}

static void free_space(struct heap *h, uint64_t size, uint64_t word)
{
    uint64_t at = forge_core_object(&h->f, LARGE, h->f.free_type, size);
    forge_core_put(&h->f, at + 8, size - 24, 4);
    header(h, at, word);
}

/* Text, numbers, addresses; and words that are MethodTables, as in type objects. */
static void put_data(struct heap *h, uint64_t from, uint64_t to)
{
    const uint64_t words[] = {UINT64_C(0x0036003800310036), 7, h->list, h->type, 0x31,
                              UINT64_C(0x4059000000000000)};
    for (uint64_t at = from, i = 0; at < to; at += 8, i++)
        forge_core_put(&h->f, at, words[i % (sizeof(words) / 8)], 8);
}

static void hole(struct heap *h, uint64_t size, enum content content)
{
    uint64_t at = forge_core_object(&h->f, LARGE, 0, size), end = at + size;
    uint64_t middle = at + size / 16 * 8;
    if (content == DATA || content == DATA_THEN_EMPTY)
        put_data(h, at, content == DATA ? end - 8 : middle);
    else if (content == EMPTY_THEN_DATA)
        put_data(h, middle, end - 8);
    for (; content == DEAD_OBJECTS && at + 40 <= end; at += 40)
        forge_core_put(&h->f, at, h->type, 8);
}

static void expect_all(struct heap *h, const char *what)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_forged(&h->f, &err);
    cr_assert(snap != NULL, "%s: %s", what, err.message);
    for (unsigned i = 0; i < h->count; i++)
        cr_expect_neq(node_at(snap, h->held[i]), NO_NODE, "%s: object %u", what, i);
    cr_expect_eq(snap->info.reachable_objects, 1 + h->count, "%s", what);
    cr_expect(snap->info.complete, "%s", what);
    hd_snapshot_close(snap);
    forge_core_free(&h->f);
}

/* --- each shape ---------------------------------------------------------- */

enum place { AT_START, IN_MIDDLE, AT_END, PLACES };
enum neighbour { NEXT_TO_OBJECT, NEXT_TO_FREE, NEXT_TO_HOLE, NEIGHBOURS };

static void put_neighbour(struct heap *h, enum neighbour n, uint64_t word)
{
    if (n == NEXT_TO_FREE)
        free_space(h, 104, word);
    else
        free_space(h, 32, word);
    object(h, 40, 0);
    if (n == NEXT_TO_HOLE)
        hole(h, 200, EMPTY);
}

static void try_shape(enum place place, enum content content, enum neighbour n,
                      uint64_t word)
{
    char what[80];
    struct heap h;
    snprintf(what, sizeof(what), "place %d, content %d, neighbour %d, header %#llx", place,
             content, n, (unsigned long long)word);
    begin(&h);
    if (place != AT_START) {
        object(&h, 104, 0);
        put_neighbour(&h, n, 0);
    }
    hole(&h, 400, content);
    if (place != AT_END) {
        put_neighbour(&h, n, word);
        object(&h, 40, 0);
        object(&h, 72, 0);
    }
    expect_all(&h, what);
}

Test(gc_holes, objects_around_a_hole_are_found_for_any_contents)
{
    for (int place = 0; place < PLACES; place++)
        for (int content = 0; content < CONTENTS; content++)
            for (int n = 0; n < NEIGHBOURS; n++)
                for (int i = 0; i < HEADERS; i++)
                    try_shape((enum place)place, (enum content)content, (enum neighbour)n,
                              headers[i]);
}

/* --- all kinds in a row -------------------------------------------------- */

/* Data that looks like an object may directly precede one, and cannot be recognized. Then
 * there must be a warning. */
static bool all_or_told(struct heap *h, const char *what)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_forged(&h->f, &err);
    cr_assert(snap != NULL, "%s: %s", what, err.message);
    bool all = snap->info.reachable_objects == 1 + h->count;
    for (unsigned i = 0; i < h->count; i++)
        all &= node_at(snap, h->held[i]) != NO_NODE;
    cr_expect_eq(snap->info.complete, all, "%s", what);
    hd_snapshot_close(snap);
    forge_core_free(&h->f);
    return all;
}

static void put_piece(struct heap *h, struct random *r)
{
    uint64_t word = headers[random_below(r, HEADERS)];
    uint64_t size = 24 + 8 * (uint64_t)random_below(r, 20);
    uint32_t kind = random_below(r, 4);
    if (kind == 0)
        hole(h, 80 + size, (enum content)random_below(r, CONTENTS));
    else if (kind == 1)
        free_space(h, size, word);
    else
        object(h, size, word);
}

Test(gc_holes, among_many_holes_every_object_is_found_or_its_loss_is_reported)
{
    enum { ROUNDS = 1000, PIECES = 20 };
    struct random random = random_from(1);
    int whole = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct heap h;
        char what[32];
        snprintf(what, sizeof(what), "round %d", round);
        begin(&h);
        for (int i = 0; i < PIECES; i++)
            put_piece(&h, &random);
        whole += all_or_told(&h, what);
    }
    cr_expect_gt(whole, ROUNDS / 2, "%d", whole);
}

/* --- what a stack tells -------------------------------------------------- */

/* The collector's data on the stack of a thread that allocates a large object. */
static void put_context(struct heap *h, uint64_t at, uint64_t start, uint64_t end)
{
    enum { AFTER_LIMIT = 24 };
    forge_core_put(&h->f, at, start, 8);
    forge_core_put(&h->f, at + 8, end - AFTER_LIMIT, 8);
    forge_core_put(&h->f, at + 16, end - start, 8);
}

/* Half cleared; the earlier object overlapped the following ones. Returns its address. */
static uint64_t half_cleared(struct heap *h, uint64_t type)
{
    object(h, 40, 0);
    uint64_t at = forge_core_object(&h->f, LARGE, 0, 400);
    forge_core_put(&h->f, at + 200, type, 8);
    forge_core_put(&h->f, at + 208, 200 + 40 - 24, 4);
    free_space(h, 32, 0);
    object(h, 40, 0);
    object(h, 40, 0);
    forge_core_region(&h->f, FORGED_STACK, 0x1000);
    forge_core_thread(&h->f, 5, FORGED_STACK, FORGED_STACK + 0x800);
    return at;
}

Test(gc_holes, the_length_of_a_new_object_is_found_on_a_threads_stack)
{
    for (int is_free = 0; is_free < 2; is_free++) {
        struct heap h;
        begin(&h);
        uint64_t at = half_cleared(&h, is_free ? h.f.free_type : h.bytes);
        put_context(&h, FORGED_STACK + 0x100, at, at + 400);
        expect_all(&h, is_free ? "free space" : "an object");
    }
}

Test(gc_holes, only_plausible_numbers_on_a_stack_are_used)
{
    struct heap h;
    begin(&h);
    uint64_t at = half_cleared(&h, h.bytes), stack = FORGED_STACK + 0x100;
    put_context(&h, stack, at, at + 400 + 48);      /* amid an object */
    put_context(&h, stack - 0x20, at, at + 208);    /* the same for the earlier object */
    put_context(&h, stack - 0x40, at, at + 104);    /* amid zeros */
    put_context(&h, stack + 0x20, at, at + 399);    /* not the address of an object */
    put_context(&h, stack + 0x40, at, at + 0x8000); /* beyond the region */
    put_context(&h, stack + 0x60, at + 400, at + 432);
    put_context(&h, stack + 0x80, at, at + 400);
    put_context(&h, FORGED_STACK + 0x800, at, at + 432); /* other memory */
    expect_all(&h, "several");
}

/* Other code also stores such numbers next to each other. */
Test(gc_holes, a_hole_known_from_a_thread_may_be_followed_by_another)
{
    struct heap h;
    begin(&h);
    object(&h, 40, 0);
    uint64_t at = forge_core_object(&h.f, LARGE, 0, 400);
    forge_core_put(&h.f, at + 200, h.bytes, 8);
    forge_core_put(&h.f, at + 208, 1000, 4);
    uint64_t next = forge_core_object(&h.f, LARGE, 0, 600);
    forge_core_put(&h.f, next + 200, h.bytes, 8);
    forge_core_put(&h.f, next + 208, 400 + 40 - 24, 4);
    object(&h, 40, 0);
    object(&h, 40, 0);
    forge_core_region(&h.f, FORGED_STACK, 0x1000);
    forge_core_thread(&h.f, 5, FORGED_STACK, FORGED_STACK + 0x800);
    put_context(&h, FORGED_STACK + 0x100, at, at + 400);
    put_context(&h, FORGED_STACK + 0x200, next, next + 600);
    expect_all(&h, "two");
}

Test(gc_holes, without_a_hole_stacks_are_ignored)
{
    struct heap h;
    begin(&h);
    uint64_t at = half_cleared(&h, h.bytes);
    put_context(&h, FORGED_STACK + 0x100, at, at + 400);
    put_context(&h, FORGED_STACK + 0x200, h.held[0], h.held[0] + 40);
    put_context(&h, FORGED_STACK + 0x300, h.held[1], h.held[1] + 80);
    expect_all(&h, "objects");
}

/* --- what is lost -------------------------------------------------------- */

/* The earlier object was longer than the one that is allocated now. */
static void forge_stale(struct heap *h, uint64_t type, uint64_t reaches)
{
    object(h, 40, 0);
    uint64_t at = forge_core_object(&h->f, LARGE, 0, 200);
    forge_core_put(&h->f, at, type, 8);
    forge_core_put(&h->f, at + 8, reaches - 24, 4);
}

static void expect_incomplete(struct heap *h, bool incomplete)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_forged(&h->f, &err);
    cr_assert(snap != NULL, "%s", err.message);
    cr_expect_eq(snap->info.complete, !incomplete);
    cr_expect_eq(warnings_find(&snap->warnings, WARN_INCOMPLETE) != NULL, incomplete);
    hd_snapshot_close(snap);
    forge_core_free(&h->f);
}

Test(gc_holes, an_object_lost_below_an_old_one_is_reported)
{
    for (int is_free = 0; is_free < 2; is_free++) {
        struct heap h;
        begin(&h);
        forge_stale(&h, is_free ? h.f.free_type : h.bytes, 200 + 40);
        object(&h, 40, 0);
        object(&h, 40, 0);
        expect_incomplete(&h, true);
        /* Held by a handle only. */
        begin(&h);
        forge_stale(&h, is_free ? h.f.free_type : h.bytes, 200 + 40);
        object(&h, 40, 0);
        object(&h, 40, 0);
        forge_core_put(&h.f, h.list + 16 + 8, 0, 8);
        forge_handle(&h.f, 2, 1, h.held[1], 0);
        expect_incomplete(&h, true);
    }
}

/* Only garbage is missing, which is not counted. */
Test(gc_holes, targets_of_garbage_may_be_missing)
{
    struct heap h;
    begin(&h);
    forge_stale(&h, h.bytes, 200 + 40);
    object(&h, 40, 0);
    object(&h, 40, 0);
    forge_core_put(&h.f, h.list + 16 + 8, 0, 8);
    uint64_t dead = forge_core_object(&h.f, OLD, h.array, 32);
    forge_core_put(&h.f, dead + 8, 1, 4);
    forge_core_put(&h.f, dead + 16, h.held[1], 8);
    expect_incomplete(&h, false);
}

Test(gc_holes, a_region_with_a_lost_end_is_reported)
{
    struct heap h;
    begin(&h);
    object(&h, 40, 0);
    object(&h, 40, 0);
    object(&h, 104, 0);
    put_data(&h, h.held[1], h.held[2] + 104 - 8);
    expect_incomplete(&h, true);
}

/* Without references missing objects cannot be detected. */
Test(gc_holes, a_table_alone_of_a_heap_with_data_in_holes_is_incomplete)
{
    struct hd_error err = {0};
    struct heap h;
    begin(&h);
    object(&h, 40, 0);
    hole(&h, 392, DATA);
    object(&h, 40, 0);
    struct bytes core = forge_core_bytes(&h.f);
    const struct hd_read_options tables = {.size = sizeof(tables), .tables_only = true};
    struct hd_snapshot *snap = hd_snapshot_from_memory(core.data, core.size, &tables, &err);
    cr_assert_not_null(snap);
    cr_expect_eq(snap->info.objects, 3);
    cr_expect_not(snap->info.complete);
    hd_snapshot_close(snap);
    forge_core_free(&h.f);
}
