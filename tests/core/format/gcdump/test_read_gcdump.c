/* Nodes that no fixture has, made byte by byte: rare valid ones and damaged ones.
 * Everything around the nodes is in test_gcdump.c. */
#include "format/usual_gcdump.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

Test(read_gcdump, the_usual_file)
{
    struct hd_snapshot *snap = read_made(&usual);
    expect_usual(snap);
    cr_expect_eq(snap->warnings.len, 0);
    cr_expect_str_eq(snap->info.producer, "test");
    cr_expect(snap->info.complete);
    cr_expect_not(snap->info.has_generations);
    close_made(snap);
}

Test(read_gcdump, the_usual_file_with_labels_of_eight_bytes)
{
    struct made_gcdump m = usual;
    m.eight_byte_labels = true;
    expect_usual_made(&m);
}

/* --- the root -------------------------------------------------------------------- */

Test(read_gcdump, the_root_need_not_be_node_0)
{
    static const struct made_node nodes[] = {
        {.type = ORDER, .size = 24, .address = 8},
        {.type = ORDER, .size = 24, .address = 16, .references = 1, .to = {0}},
        {.type = STACK, .references = 1, .to = {0}},
        {.type = ROOTS, .references = 1, .to = {2}},
    };
    struct made_gcdump m = with_nodes(nodes, COUNT(nodes));
    m.root = 3;
    struct hd_snapshot *snap = read_made(&m);
    cr_expect_eq(snap->graph->root, 3);
    cr_expect_eq(snap->info.objects, 2);
    cr_expect_eq(snap->info.reachable_objects, 1);
    cr_expect_eq(snap->roots_by_kind[HD_ROOT_STACK], 1);
    close_made(snap);
}

Test(read_gcdump, the_root_must_exist)
{
    struct made_gcdump m = usual;
    m.root = 4;
    expect_made_refused(&m, "node 4 is the root, of 4 nodes");
    m.root = UINT32_MAX;
    expect_made_refused(&m, "is the root");
    m = with_nodes(NULL, 0);
    expect_made_refused(&m, "node 0 is the root, of 0 nodes");
}

/* --- pseudo-nodes and undefined ones --------------------------------------------- */

Test(read_gcdump, one_type_may_have_pseudo_nodes_and_objects)
{
    static const struct made_node nodes[] = {
        {.type = ROOTS, .references = 3, .to = {1, 2, 3}},
        {.type = STACK, .references = 1, .to = {2}}, /* size 0, address 0 */
        {.type = STACK, .size = 40, .address = 64},  /* an object */
        {.type = STACK, .size = 0, .address = 72},   /* occurs in JavaScript heaps */
    };
    struct made_gcdump m = with_nodes(nodes, COUNT(nodes));
    struct hd_snapshot *snap = read_made(&m);
    cr_expect_eq(snap->info.objects, 2);
    cr_expect_eq(snap->info.bytes, 40);
    cr_expect_eq(row(snap, TYPE_OBJECT, "[local vars]")->raw.count, 2);
    cr_expect_eq(row(snap, TYPE_PSEUDO, "[local vars]")->raw.count, 0);
    cr_expect_eq(snap->types[snap->graph->type[1]].kind, TYPE_PSEUDO);
    cr_expect_eq(snap->types[snap->graph->type[2]].kind, TYPE_OBJECT);
    cr_expect_eq(snap->types[snap->graph->type[3]].kind, TYPE_OBJECT);
    close_made(snap);
}

Test(read_gcdump, undefined_nodes_are_not_objects_with_or_without_an_address)
{
    static const struct made_node nodes[] = {
        {.type = ROOTS, .references = 2, .to = {1, 2}},
        {.type = STACK, .references = 2, .to = {3, 4}},
        {.type = ORDER, .size = 24, .address = 64, .references = 2, .to = {3, 4}},
        {.undefined = true},                    /* a null root */
        {.undefined = true, .address = 0x7000}, /* the native side of a wrapper */
    };
    struct made_gcdump m = with_nodes(nodes, COUNT(nodes));
    struct hd_snapshot *snap = read_made(&m);
    cr_expect_eq(snap->info.objects, 1);
    cr_expect_eq(snap->info.references, 0);
    cr_expect_eq(snap->info.types, 1);
    cr_expect_eq(snap->types[snap->graph->type[3]].kind, TYPE_UNDEFINED);
    cr_expect_eq(snap->types[snap->graph->type[4]].kind, TYPE_UNDEFINED);
    cr_expect_eq(graph_address(snap->graph, 4), 0x7000);
    cr_expect_eq(snap->warnings.len, 0);
    close_made(snap);
}

Test(read_gcdump, static_variables_of_threads_are_thread_statics)
{
    static const struct made_type types[] = {
        {.name = "UNDEFINED"},
        {.name = "[.NET Roots]"},
        {.name = "[thread static vars]"},
        {.name = "[static var App.Order.t_last]"},
        {.name = "App.Order", .size = 24},
    };
    static const struct made_node nodes[] = {
        {.type = 1, .references = 1, .to = {1}},
        {.type = 2, .references = 2, .to = {2, 3}},
        {.type = 3, .references = 1, .to = {3}},
        {.type = 4, .size = 24, .address = 64},
    };
    const struct made_gcdump m = {.types = types,
                                  .type_count = COUNT(types),
                                  .nodes = nodes,
                                  .node_count = COUNT(nodes)};
    struct hd_snapshot *snap = read_made(&m);
    cr_expect_eq(snap->roots_by_kind[HD_ROOT_THREAD_STATIC], 2);
    cr_expect_eq(snap->roots_by_kind[HD_ROOT_STATIC], 0);
    cr_expect_eq(snap->info.roots, 2);
    close_made(snap);
}

/* --- names ----------------------------------------------------------------------- */

static void expect_name(const char *in_file, const char *canonical)
{
    const struct made_type types[] = {{.name = "UNDEFINED"}, {.name = in_file, .size = 24}};
    static const struct made_node node = {.type = 1, .size = 24, .address = 64};
    const struct made_gcdump m = {
        .types = types, .type_count = 2, .nodes = &node, .node_count = 1};
    struct hd_snapshot *snap = read_made(&m);
    cr_expect_not_null(forge_type(snap, TYPE_OBJECT, canonical), "%s", canonical);
    close_made(snap);
}

Test(read_gcdump, names_hold_any_units_of_utf16)
{
    expect_name("na\xC3\xAFve", "na\xC3\xAFve");
    expect_name("\xE6\xBC\xA2", "\xE6\xBC\xA2");
    expect_name("a\xF0\x9F\x98\x80z",
                "a\xF0\x9F\x98\x80z"); /* two surrogates in the file */
    expect_name("\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF");
    expect_name("a\xED\xA0\xBDz", "a\xED\xA0\xBDz"); /* a high one alone */
    expect_name("\xED\xB8\x80z", "\xED\xB8\x80z");   /* a low one alone */
    expect_name("a\xED\xA0\xBD", "a\xED\xA0\xBD");   /* at the end */
    expect_name("\xED\xA0\xBD\xED\xA0\xBD\xED\xB8\x80", "\xED\xA0\xBD\xF0\x9F\x98\x80");
    expect_name("tab\tname", "tab\tname");
}

Test(read_gcdump, a_type_without_a_name_is_unknown)
{
    static const struct made_type types[] = {{.name = "UNDEFINED"},
                                             {.name = NULL, .size = 24},
                                             {.name = "UNKNOWN 0x7f00", .size = 24},
                                             {.name = "UNKNOWN 0x7f08", .size = 24}};
    static const struct made_node nodes[] = {{.type = 1, .size = 24, .address = 8},
                                             {.type = 2, .size = 24, .address = 16},
                                             {.type = 2, .size = 24, .address = 24}};
    const struct made_gcdump m = {
        .types = types, .type_count = 4, .nodes = nodes, .node_count = 3};
    struct hd_snapshot *snap = read_made(&m);
    cr_expect_eq(row(snap, TYPE_OBJECT, "<unknown type>")->raw.count, 1);
    cr_expect_eq(row(snap, TYPE_OBJECT, "UNKNOWN 0x7f00")->raw.count, 2);
    const struct warning *w = warnings_find(&snap->warnings, WARN_UNKNOWN_TYPE);
    cr_assert_not_null(w);
    cr_expect_eq(w->count, 2, "types that have objects");
    close_made(snap);
}

/* --- records of nodes ------------------------------------------------------------ */

static struct made_node with_record(const char *record, size_t size)
{
    return (struct made_node){
        .type = ORDER, .size = 24, .record = record, .record_size = size, .address = 64};
}

#define RECORD(bytes) with_record((bytes), sizeof(bytes) - 1)

static void expect_record_refused(struct made_node node, const char *why)
{
    struct made_gcdump m = with_nodes(&node, 1);
    expect_made_refused(&m, why);
}

/* Type ORDER is 3: 06 without a size, 07 with one. */
Test(read_gcdump, sizes_take_one_to_five_bytes)
{
    static const int32_t sizes[] = {1,       63,      64,      8191,      8192,     1048575,
                                    1048576, 1 << 26, 1 << 27, INT32_MAX, 134217727};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const struct made_node node = {.type = ORDER, .size = sizes[i], .address = 64};
        struct made_gcdump m = with_nodes(&node, 1);
        struct hd_snapshot *snap = read_made(&m);
        cr_expect_eq(snap->info.bytes, (uint64_t)sizes[i]);
        cr_expect_eq(graph_size(snap->graph, 0), (uint64_t)sizes[i]);
        close_made(snap);
    }
}

Test(read_gcdump, a_number_may_be_longer_than_it_must_but_not_than_five_bytes)
{
    const struct made_node node =
        RECORD("\x80\x80\x80\x80\x07\x80\x80\x80\x80\x18\x80\x00");
    struct made_gcdump m = with_nodes(&node, 1);
    struct hd_snapshot *snap = read_made(&m);
    cr_expect_eq(snap->info.bytes, 24);
    close_made(snap);
    expect_record_refused(RECORD("\x80\x80\x80\x80\x80\x06\x00"),
                          "type that does not exist");
    expect_record_refused(RECORD("\x07\x80\x80\x80\x80\x80\x18\x00"), "no valid size");
    expect_record_refused(RECORD("\x06\x80\x80\x80\x80\x80\x00"), "more references than");
    expect_record_refused(RECORD("\x06\x01\x80\x80\x80\x80\x80\x00"), "crosses the end");
}

Test(read_gcdump, a_record_must_end_before_the_others_do)
{
    expect_record_refused(RECORD("\x86"), "type that does not exist");
    expect_record_refused(RECORD("\x07"), "no valid size");
    expect_record_refused(RECORD("\x07\x98"), "no valid size");
    expect_record_refused(RECORD("\x06"), "more references than");
    expect_record_refused(RECORD("\x06\x01"), "more references than");
    expect_record_refused(RECORD("\x06\x01\x80"), "crosses the end");
    expect_record_refused(RECORD("\x06\x02\x80\x80"), "crosses the end");
}

Test(read_gcdump, a_node_is_of_a_type_that_exists)
{
    expect_record_refused(RECORD("\x0a\x00"), "type that does not exist"); /* type 5 of 5 */
    expect_record_refused(RECORD("\x7e\x00"), "type that does not exist"); /* negative */
    expect_record_refused(RECORD("\x87\xff\xff\xff\x7e\x00"), "type that does not exist");
}

Test(read_gcdump, sizes_are_not_negative)
{
    expect_record_refused(RECORD("\x07\x7f\x00"), "no valid size");
    expect_record_refused(RECORD("\x07\xf8\x80\x80\x80\x00\x00"), "no valid size");
    static const struct made_type types[] = {{.name = "UNDEFINED"},
                                             {.name = "T", .size = -8}};
    static const struct made_node node = {.type = 1, .size = -8, .address = 64};
    const struct made_gcdump m = {
        .types = types, .type_count = 2, .nodes = &node, .node_count = 1};
    expect_made_refused(&m, "no valid size");
}

/* Writers store -1 for a type without nodes. */
Test(read_gcdump, a_type_without_nodes_may_have_any_size)
{
    struct made_type types[COUNT(usual_types) + 1];
    memcpy(types, usual_types, sizeof(usual_types));
    types[COUNT(usual_types)] = (struct made_type){.name = "Unused", .size = -1};
    struct made_gcdump m = usual;
    m.types = types;
    m.type_count++;
    expect_usual_made(&m);
}

Test(read_gcdump, references_lead_to_nodes_that_exist)
{
    struct made_node nodes[COUNT(usual_nodes)];
    static const uint32_t wrong[] = {4, 100, UINT32_MAX, UINT32_MAX - 5, 1U << 30};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        memcpy(nodes, usual_nodes, sizeof(nodes));
        nodes[2].to[0] = wrong[i];
        struct made_gcdump m = with_nodes(nodes, COUNT(nodes));
        expect_made_refused(&m, "node 2: refers to a node that does not exist");
    }
}

Test(read_gcdump, references_may_repeat_and_lead_back)
{
    static const struct made_node nodes[] = {
        {.type = ROOTS, .references = 1, .to = {1}},
        {.type = ORDER, .size = 24, .address = 8, .references = 4, .to = {1, 0, 1, 1}},
    };
    struct made_gcdump m = with_nodes(nodes, COUNT(nodes));
    struct hd_snapshot *snap = read_made(&m);
    cr_expect_eq(snap->graph->edge_count, 5);
    cr_expect_eq(snap->info.references, 3);
    for (uint32_t e = 0; e < 4; e++)
        cr_expect_eq(snap->graph->edge_to[snap->graph->edge_begin[1] + e], nodes[1].to[e]);
    close_made(snap);
}

Test(read_gcdump, records_must_be_inside_the_blob)
{
    struct gcdump_bytes b = gcdump_bytes_make(&usual);
    uint32_t size = (uint32_t)(b.address_count_at - b.blob_at);
    static const uint32_t after[] = {0, 1, 1000, UINT32_MAX / 2};
    for (size_t i = 0; i < COUNT(after); i++) {
        gcdump_bytes_put(&b, b.offsets_at + 4 * 3, size + after[i]);
        expect_refused(&b, "node 3: its record is outside");
    }
    gcdump_bytes_free(&b);
}

/* Otherwise a small file could expand to terabytes. */
Test(read_gcdump, a_record_shared_by_many_nodes_is_refused)
{
    struct made_node nodes[40];
    for (size_t i = 0; i < COUNT(nodes); i++)
        nodes[i] = (struct made_node){.type = TEXT, .size = 1000, .address = 8};
    nodes[0].references = MADE_REFERENCES; /* to itself: in range for every node */
    struct made_gcdump m = with_nodes(nodes, COUNT(nodes));
    struct gcdump_bytes b = gcdump_bytes_make(&m);
    hd_snapshot_close(read_good(&b));
    for (size_t i = 0; i < COUNT(nodes); i++)
        gcdump_bytes_put(&b, b.offsets_at + 4 * i, 2);
    expect_refused(&b, "overlaps the record of another node");
    gcdump_bytes_free(&b);
}

Test(read_gcdump, two_nodes_that_share_a_record_are_too_many)
{
    static const struct made_node nodes[] = {
        {.type = TEXT, .size = 1000, .address = 8},
        {.type = TEXT, .size = 1000, .address = 16, .references = 4, .to = {1, 1, 1, 1}},
    };
    struct made_gcdump m = with_nodes(nodes, COUNT(nodes));
    struct gcdump_bytes b = gcdump_bytes_make(&m);
    gcdump_bytes_put(&b, b.offsets_at, 2 + 4);
    expect_refused(&b, "node 1: overlaps the record of another node");
    gcdump_bytes_free(&b);
}

Test(read_gcdump, undefined_nodes_all_share_one_record)
{
    struct made_gcdump m = usual;
    m.undefined_nodes = 5000;
    expect_usual_made(&m);
}

/* --- files that change --------------------------------------------------------------- */

/* A file whose offsets are overwritten while it is read through a mapping. */
struct restless {
    int fd;
    size_t offsets_at, size;
    unsigned char *forwards, *backwards; /* offsets */
    atomic_bool is_read;
};

static void *rewrite_offsets(void *arg)
{
    struct restless *r = arg;
    while (!r->is_read) {
        (void)!pwrite(r->fd, r->backwards, r->size, (off_t)r->offsets_at);
        (void)!pwrite(r->fd, r->forwards, r->size, (off_t)r->offsets_at);
    }
    return NULL;
}

/* Each occurs once. */
static void expect_an_order(const struct source *s, uint32_t nodes)
{
    unsigned char *seen = calloc(nodes, 1);
    cr_assert_not_null(seen);
    cr_assert_leq(s->described_count, nodes);
    for (uint32_t i = 0; i < s->described_count; i++) {
        cr_assert(s->described[i] < nodes && !seen[s->described[i]], "%u: node %u", i,
                  s->described[i]);
        seen[s->described[i]] = 1;
    }
    free(seen);
}

/* Nodes of one kind, so that any order of their records is correct. */
static struct gcdump_bytes make_equal_nodes(uint32_t count)
{
    struct made_node *nodes = calloc(count, sizeof(*nodes));
    cr_assert_not_null(nodes);
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = (struct made_node){.type = ORDER, .size = 24, .address = 8 * i + 8};
    struct made_gcdump m = with_nodes(nodes, count);
    struct gcdump_bytes b = gcdump_bytes_make(&m);
    free(nodes);
    return b;
}

Test(read_gcdump, an_order_of_records_has_each_once_even_while_they_are_written,
     .timeout = 120)
{
    enum { NODES = 300000, ROUNDS = 15, OFFSET = 4 };
    struct gcdump_bytes b = make_equal_nodes(NODES);
    FILE *file = tmpfile();
    cr_assert(file != NULL && fwrite(b.data.data, 1, b.data.len, file) == b.data.len);
    cr_assert_eq(fflush(file), 0);
    struct restless r = {.fd = fileno(file), .offsets_at = b.offsets_at};
    r.size = (size_t)NODES * OFFSET;
    r.forwards = (unsigned char *)b.data.data + b.offsets_at;
    r.backwards = malloc(r.size);
    cr_assert_not_null(r.backwards);
    for (size_t i = 0; i < NODES; i++)
        memcpy(r.backwards + OFFSET * i, r.forwards + OFFSET * (NODES - 1 - i), OFFSET);
    void *mapping = mmap(NULL, b.data.len, PROT_READ, MAP_SHARED, r.fd, 0);
    cr_assert_neq(mapping, MAP_FAILED);
    pthread_t writer;
    cr_assert_eq(pthread_create(&writer, NULL, rewrite_offsets, &r), 0);
    for (int round = 0; round < ROUNDS; round++) {
        const struct hd_read_options opt = {.to_write = true};
        struct hd_error err = {0};
        struct hd_snapshot *snap = hd_snapshot_from_memory(mapping, b.data.len, &opt, &err);
        /* Half an offset may be from either order, which refers to arbitrary bytes. */
        if (snap == NULL)
            continue;
        expect_an_order(snap->source, NODES);
        hd_snapshot_close(snap);
    }
    r.is_read = true;
    pthread_join(writer, NULL);
    munmap(mapping, b.data.len);
    fclose(file);
    free(r.backwards);
    gcdump_bytes_free(&b);
}
