/* Graphs read by several threads: any number of references, numbers of any length, records
 * in any order; and damage, which is reported in the same words by every thread. */
#include "format/large_gcdump.h"
#include "support/random.h"

enum { NODES = 250000, TYPES = 300, GROUPS = 5, LATE = 200000 };

static const unsigned thread_counts[] = {1, 2, 3, 8};

static uint32_t target(struct random *r, uint32_t i)
{
    /* Distances of one to three bytes, and arbitrary ones. */
    uint32_t within[] = {30, 4000, 100000, NODES};
    uint32_t to = i + random_below(r, within[random_below(r, COUNT(within))]);
    return to % NODES;
}

static struct large_gcdump make_nodes(void)
{
    struct large_gcdump m = large_gcdump_begin(TYPES, NODES);
    struct random r = random_from(7);
    for (uint32_t t = 0; t < TYPES; t++)
        m.types[t].size = (int32_t)(t * 8);
    for (uint32_t i = 0; i < NODES; i++) {
        struct made_node *n = &m.nodes[i];
        n->type = 1 + random_below(&r, TYPES - 1);
        n->address = 0x10000 + (uint64_t)i * 16;
        n->size = i % 2 == 0 ? m.types[n->type].size
                             : (int32_t)(random_u64(&r) >> (33 + random_below(&r, 31)));
        n->references = random_below(&r, MADE_REFERENCES + 1);
        for (uint32_t e = 0; e < n->references; e++)
            n->to[e] = target(&r, i);
        if (i < GROUPS)
            *n = (struct made_node){.type = 1 + i, .references = 1, .to = {i + 1}};
    }
    return m;
}

static struct large_gcdump make(void)
{
    struct large_gcdump m = make_nodes();
    m.bytes = gcdump_bytes_make(&m.all);
    return m;
}

static struct hd_snapshot *read_with(const struct gcdump_bytes *b, unsigned threads,
                                     bool to_write, struct hd_error *err)
{
    const struct hd_read_options opt = {.threads = threads, .to_write = to_write};
    return hd_snapshot_from_memory(b->data.data, b->data.len, &opt, err);
}

static void expect_node(const struct large_gcdump *m, const struct hd_snapshot *snap,
                        uint32_t i)
{
    const struct graph *g = snap->graph;
    const struct made_node *n = &m->nodes[i];
    const struct type *t = &snap->types[g->type[i]];
    bool pseudo = n->size == 0 && n->address == 0;
    cr_assert_str_eq(t->name, m->names[n->type], "%u", i);
    cr_assert_eq(t->kind, pseudo ? TYPE_PSEUDO : TYPE_OBJECT, "%u", i);
    cr_assert_eq(g->small_size[i], (uint32_t)n->size, "%u", i);
    cr_assert_eq(g->edge_begin[i + 1] - g->edge_begin[i], n->references, "%u", i);
    for (uint32_t e = 0; n->record == NULL && e < n->references; e++)
        cr_assert_eq(g->edge_to[g->edge_begin[i] + e], n->to[e], "%u", i);
}

static void expect_graph(const struct large_gcdump *m, unsigned threads, bool to_write)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_with(&m->bytes, threads, to_write, &err);
    cr_assert_not_null(snap, "%s", err.message);
    cr_assert_eq(snap->node_count, NODES + 3);
    for (uint32_t i = 0; i < NODES; i++)
        expect_node(m, snap, i);
    cr_expect_eq(snap->types[snap->graph->type[NODES]].kind, TYPE_UNDEFINED);
    cr_expect_eq(snap->info.objects, NODES - GROUPS);
    hd_snapshot_close(snap);
}

Test(gcdump_graph, is_what_was_written_for_any_number_of_threads, .timeout = 120)
{
    struct large_gcdump m = make();
    for (size_t i = 0; i < COUNT(thread_counts); i++)
        expect_graph(&m, thread_counts[i], i % 2 == 1);
    large_gcdump_free(&m);
}

/* Hundreds of references, numbers with leading zeros, in five bytes. */
Test(gcdump_graph, has_unusual_records_too, .timeout = 120)
{
    static char many[3 + 200 * 5] = "\x02\x81\x48"; /* type 1, 200 references */
    static const char long_numbers[] =
        "\x80\x80\x80\x80\x03\x80\x80\x80\x80\x10\x80\x80\x02\x80\x80\x80\x80\x00\xff\x7f";
    for (size_t e = 0; e < 200; e++)
        memcpy(many + 3 + 5 * e, "\x80\x80\x80\x80\x01", 5);
    struct large_gcdump m = make_nodes();
    for (uint32_t i = 1000; i < NODES; i += 1000) {
        const uint64_t address = m.nodes[i].address;
        m.nodes[i] = (struct made_node){.type = 1,
                                        .size = 8,
                                        .record = many,
                                        .record_size = sizeof(many),
                                        .references = 200,
                                        .address = address};
        m.nodes[i + 1 < NODES ? i + 1 : 0] =
            (struct made_node){.type = 1,
                               .size = 16,
                               .record = long_numbers,
                               .record_size = sizeof(long_numbers) - 1,
                               .references = 2,
                               .address = address + 8};
    }
    m.bytes = gcdump_bytes_make(&m.all);
    for (size_t i = 0; i < COUNT(thread_counts); i++)
        expect_graph(&m, thread_counts[i], false);
    large_gcdump_free(&m);
}

/* Any number of pseudo-nodes is valid. */
Test(gcdump_graph, may_be_of_pseudo_nodes, .timeout = 120)
{
    struct large_gcdump m = make_nodes();
    for (uint32_t i = 0; i < NODES; i += 3)
        m.nodes[i].size = 0, m.nodes[i].address = 0;
    m.bytes = gcdump_bytes_make(&m.all);
    struct hd_error err = {0};
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct hd_snapshot *snap = read_with(&m.bytes, threads, false, &err);
        cr_assert_not_null(snap, "%s", err.message);
        for (uint32_t i = 0; i < NODES; i++)
            expect_node(&m, snap, i);
        hd_snapshot_close(snap);
    }
    large_gcdump_free(&m);
}

/* --- damage ------------------------------------------------------------------------ */

static void expect_damage(const struct large_gcdump *m, const char *why)
{
    for (size_t i = 0; i < COUNT(thread_counts); i++) {
        struct hd_error err = {0};
        cr_expect_null(read_with(&m->bytes, thread_counts[i], false, &err));
        cr_expect_eq(err.status, HD_BAD_FORMAT);
        cr_expect_not_null(strstr(err.message, why), "%u threads: %s, and not: %s",
                           thread_counts[i], why, err.message);
    }
}

static uint32_t offset_of(const struct large_gcdump *m, uint32_t i)
{
    const unsigned char *at =
        (const unsigned char *)m->bytes.data.data + m->bytes.offsets_at + 4 * (size_t)i;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
           (uint32_t)at[3] << 24;
}

static void put_offset(struct large_gcdump *m, uint32_t i, uint32_t offset)
{
    gcdump_bytes_put(&m->bytes, m->bytes.offsets_at + 4 * (size_t)i, offset);
}

Test(gcdump_graph, names_the_first_damaged_node, .timeout = 120)
{
    struct large_gcdump m = make();
    uint32_t blob = (uint32_t)(m.bytes.address_count_at - m.bytes.blob_at);
    put_offset(&m, NODES - 2, blob);
    expect_damage(&m, "node 249998: its record is outside all records");
    put_offset(&m, LATE, blob - 1); /* truncated */
    expect_damage(&m, "node 200000: ");
    m.bytes.data.data[m.bytes.blob_at + offset_of(&m, LATE - 1)] = '\x3F';
    m.bytes.data.data[m.bytes.blob_at + offset_of(&m, LATE - 1) + 1] = '\x7F';
    expect_damage(&m, "node 199999: ");
    put_offset(&m, 17, UINT32_MAX);
    expect_damage(&m, "node 17: its record is outside all records");
    large_gcdump_free(&m);
}

/* Each half alone is small enough; both together are not. */
Test(gcdump_graph, has_no_records_that_overlap_anywhere, .timeout = 120)
{
    struct large_gcdump m = make_nodes();
    for (uint32_t i = GROUPS; i < NODES; i++)
        m.nodes[i] = (struct made_node){.type = 1, .size = 8, .address = 16 * i};
    m.nodes[GROUPS] = (struct made_node){
        .type = 1, .size = 8, .address = 8, .references = 2, .to = {GROUPS, GROUPS}};
    m.bytes = gcdump_bytes_make(&m.all);
    for (uint32_t i = GROUPS + 1; i < NODES; i += 2)
        put_offset(&m, i, offset_of(&m, GROUPS));
    expect_damage(&m, "overlaps the record of another node");
    large_gcdump_free(&m);
}

Test(gcdump_graph, refers_to_nodes_that_exist, .timeout = 120)
{
    struct large_gcdump m = make_nodes();
    m.nodes[LATE].references = 2;
    m.nodes[LATE].to[1] = NODES + 3;
    m.bytes = gcdump_bytes_make(&m.all);
    expect_damage(&m, "node 200000: refers to a node that does not exist");
    gcdump_bytes_free(&m.bytes);
    m.nodes[LATE].to[1] = UINT32_MAX; /* below 0 */
    m.bytes = gcdump_bytes_make(&m.all);
    expect_damage(&m, "node 200000: refers to a node that does not exist");
    large_gcdump_free(&m);
}

/* The numbers in memory errors depend on the file only. */
Test(gcdump_graph, that_is_too_large_is_refused_in_the_same_words, .timeout = 120)
{
    struct large_gcdump m = make();
    char first[sizeof(((struct hd_error *)NULL)->message)] = "";
    for (size_t i = 0; i < COUNT(thread_counts); i++) {
        const struct hd_read_options opt = {.threads = thread_counts[i],
                                            .max_memory = 5500000};
        struct hd_error err = {0};
        cr_expect_null(
            hd_snapshot_from_memory(m.bytes.data.data, m.bytes.data.len, &opt, &err));
        cr_expect_eq(err.status, HD_TOO_BIG);
        if (i == 0)
            snprintf(first, sizeof(first), "%s", err.message);
        cr_expect_str_eq(err.message, first);
    }
    large_gcdump_free(&m);
}
