/* Everything around the nodes of a .gcdump: fields of all versions, wrong counts, truncated
 * files. Each is the usual file with one change. */
#include "format/usual_gcdump.h"

#include <math.h>

/* --- counts that the file cannot hold -------------------------------------------- */

Test(gcdump, counts_are_bounded_by_the_file)
{
    static const struct made_segment segment = {.start = 8, .end = 16};
    struct made_gcdump m = usual;
    m.sampled = true;
    m.segments = &segment;
    m.segment_count = 1;
    struct gcdump_bytes b = gcdump_bytes_make(&m);
    const struct {
        size_t at;
        const char *why;
    } counts[] = {
        {b.type_count_at, "types do not fit"},
        {b.node_count_at, "nodes do not fit"},
        {b.blob_size_at, "bytes of nodes do not fit"},
        {b.address_count_at, "addresses do not fit"},
        {b.segment_count_at, "segments do not fit"},
        {b.multipliers_at, "multipliers do not fit"},
    };
    static const uint32_t wrong[] = {UINT32_MAX, INT32_MAX, 1U << 31, 100000};
    for (size_t i = 0; i < COUNT(counts); i++) {
        uint32_t right = 0;
        for (size_t k = 0; k < 4; k++)
            right |= (uint32_t)(unsigned char)b.data.data[counts[i].at + k] << (8 * k);
        for (size_t k = 0; k < COUNT(wrong); k++) {
            gcdump_bytes_put(&b, counts[i].at, wrong[k]);
            expect_refused(&b, counts[i].why);
        }
        gcdump_bytes_put(&b, counts[i].at, right);
    }
    struct hd_snapshot *snap = read_good(&b);
    hd_snapshot_close(snap);
    gcdump_bytes_free(&b);
}

Test(gcdump, every_node_has_one_address_and_every_type_one_multiplier)
{
    struct made_gcdump m = usual;
    m.sampled = true;
    struct gcdump_bytes b = gcdump_bytes_make(&m);
    gcdump_bytes_put(&b, b.address_count_at, 3);
    expect_refused(&b, "3 addresses for 4 nodes");
    gcdump_bytes_put(&b, b.address_count_at, 4);
    gcdump_bytes_put(&b, b.multipliers_at, 4);
    expect_refused(&b, "4 multipliers for 5 types");
    gcdump_bytes_free(&b);
}

/* --- sums ------------------------------------------------------------------------ */

Test(gcdump, a_total_that_does_not_add_up_is_worth_a_warning)
{
    struct made_gcdump m = usual;
    m.wrong_bytes = 1;
    struct hd_snapshot *snap = read_made(&m);
    expect_usual(snap);
    cr_expect(warns(snap, WARN_SIZE_MISMATCH));
    cr_expect_eq(snap->warnings.len, 1);
    close_made(snap);
}

Test(gcdump, multipliers_that_make_no_sense_are_1)
{
    static const float odd[] = {0, -1, NAN, INFINITY};
    struct made_type types[COUNT(usual_types)];
    memcpy(types, usual_types, sizeof(types));
    struct made_gcdump m = usual;
    m.types = types;
    m.sampled = true;
    for (size_t i = 0; i < COUNT(odd); i++) {
        types[ORDER].multiplier = odd[i];
        struct hd_snapshot *snap = read_made(&m);
        cr_expect(snap->info.sampled);
        cr_expect(warns(snap, WARN_SAMPLED));
        const struct type *order = row(snap, TYPE_OBJECT, "App.Order");
        cr_expect_eq(order->tally[SELECT_ALL].count, 1);
        cr_expect_eq(order->tally[SELECT_ALL].bytes, 24);
        const struct type *text = row(snap, TYPE_OBJECT, "System.String");
        cr_expect_eq(text->raw.count, 1);
        cr_expect_eq(text->tally[SELECT_ALL].count, 2);
        cr_expect_eq(text->tally[SELECT_ALL].bytes, 200);
        close_made(snap);
    }
}

/* --- what surrounds the graph ---------------------------------------------------- */

static void expect_time(int64_t ticks, const char *time)
{
    struct made_gcdump m = usual;
    m.ticks = ticks;
    struct hd_snapshot *snap = read_made(&m);
    if (time == NULL)
        cr_expect_null(snap->info.time, "%s", snap->info.time);
    else
        cr_expect_str_eq(snap->info.time, time);
    cr_expect_eq(isnan(snap->clock), time == NULL);
    cr_expect_eq(snap->clock_is_date, time != NULL);
    close_made(snap);
}

Test(gcdump, time_is_that_of_the_writer_or_unknown)
{
    expect_time(638848805501234567, "2025-06-07T08:09:10");
    expect_time(630822816000000000, "2000-01-01T00:00:00");
    expect_time(621355968000000000, "1970-01-01T00:00:00");
    expect_time(3155378975999999999, "9999-12-31T23:59:59");
    expect_time(0, NULL);
    expect_time(-1, NULL);
    expect_time(3155378976000000000, NULL);
    expect_time(INT64_MAX, NULL);
    expect_time(INT64_MIN, NULL);
}

Test(gcdump, the_clock_counts_parts_of_seconds)
{
    struct made_gcdump m = usual;
    m.ticks = 621355968015000000;
    struct hd_snapshot *snap = read_made(&m);
    cr_expect_float_eq(snap->clock, 1.5, 1e-9);
    close_made(snap);
}

Test(gcdump, process_and_tool_are_known_if_the_file_has_them)
{
    struct made_gcdump m = usual;
    m.process = "shop \xF0\x9F\x98\x80";
    m.pid = 4242;
    struct hd_snapshot *snap = read_made(&m);
    cr_expect_str_eq(snap->info.process, m.process);
    cr_expect_eq(snap->info.pid, 4242);
    close_made(snap);
    m = usual;
    m.tool = NULL;
    snap = read_made(&m);
    cr_expect_null(snap->info.process);
    cr_expect_eq(snap->info.pid, HD_UNKNOWN);
    cr_expect_null(snap->info.producer);
    close_made(snap);
    m.no_tool = true;
    snap = read_made(&m);
    cr_expect_null(snap->info.producer);
    close_made(snap);
}

static void expect_generations(bool eight_byte_labels, bool old_segments)
{
    /* A segment of small objects with gen2, gen1 and gen0; one of large objects; one of
     * pinned objects, which old files count as large; each with the ends of its
     * generations. */
    static const struct made_segment segments[] = {
        {1000, 4000, {4000, 3000, 2000, 1000, 1000}},
        {5000, 6000, {6000, 6000, 6000, 6000, 5000}},
        {7000, 8000, {8000, 8000, 8000, 8000, 8000}},
    };
    static const struct {
        uint64_t address;
        enum hd_generation generation;
    } objects[] = {{1000, HD_GEN2},       {1999, HD_GEN2},    {2000, HD_GEN1},
                   {3000, HD_GEN0},       {3999, HD_GEN0},    {5000, HD_GEN_LOH},
                   {5999, HD_GEN_LOH},    {7500, HD_GEN_POH}, {999, HD_GEN_UNKNOWN},
                   {4000, HD_GEN_UNKNOWN}};
    struct made_node nodes[COUNT(objects)] = {{0}};
    uint64_t wanted[HD_GENERATION_COUNT] = {0};
    for (size_t i = 0; i < COUNT(objects); i++) {
        nodes[i] =
            (struct made_node){.type = ORDER, .size = 24, .address = objects[i].address};
        enum hd_generation g = objects[i].generation;
        wanted[old_segments && g == HD_GEN_POH ? HD_GEN_LOH : g]++;
    }
    struct made_gcdump m = with_nodes(nodes, COUNT(nodes));
    m.segments = segments;
    m.segment_count = COUNT(segments);
    m.eight_byte_labels = eight_byte_labels;
    m.old_segments = old_segments;
    struct hd_snapshot *snap = read_made(&m);
    cr_expect(snap->info.has_generations);
    for (int g = 0; g < HD_GENERATION_COUNT; g++)
        cr_expect_eq(snap->by_generation[g].count, wanted[g], "%s", generation_names[g]);
    cr_expect_eq(row(snap, TYPE_OBJECT, "App.Order")->tally[SELECT_GEN2].count, 5);
    close_made(snap);
}

Test(gcdump, generations_are_parts_of_segments)
{
    expect_generations(false, false);
    expect_generations(true, false); /* the second segment refers to a type by label */
    expect_generations(false, true);
    expect_generations(true, true);
}

Test(gcdump, the_first_of_overlapping_segments_decides)
{
    static const struct made_segment segments[] = {
        {100, 200, {150, 0, 0, 0, 0}}, /* gen0 to 150; unknown from there to 200 */
        {0, 300, {0, 0, 300, 0, 0}},
    };
    static const struct made_node nodes[] = {
        {.type = ORDER, .size = 24, .address = 50},
        {.type = ORDER, .size = 24, .address = 120},
        {.type = ORDER, .size = 24, .address = 170},
        {.type = ORDER, .size = 24, .address = 250},
    };
    struct made_gcdump m = with_nodes(nodes, COUNT(nodes));
    m.segments = segments;
    m.segment_count = 2;
    struct hd_snapshot *snap = read_made(&m);
    cr_expect_eq(snap->by_generation[HD_GEN2].count, 2);
    cr_expect_eq(snap->by_generation[HD_GEN0].count, 1);
    cr_expect_eq(snap->by_generation[HD_GEN_UNKNOWN].count, 1);
    close_made(snap);
}

/* --- fields and versions of the future ------------------------------------------- */

/* One field of every tag that can be skipped. */
static const char fields[] = "\x01"                 /* null */
                             "\x02\x19\x00\x00\x00" /* reference: 4-byte label */
                             "\x03\x00\x00\x00\x00" /* forward reference */
                             "\x07\x00\x00\x00\x00" /* forward definition */
                             "\x08\x06"             /* byte */
                             "\x09\x06\x06"         /* int16 */
                             "\x0a\x06\x06\x06\x06" /* int32 */
                             "\x0b\x06\x06\x06\x06\x06\x06\x06\x06" /* int64 */
                             "\x0d\x02\x00\x00\x00\x06\x06"         /* string */
                             "\x0d\xff\xff\xff\xff"                 /* null string */
                             "\x0e\x03\x00\x00\x00\x06\x06\x06";    /* blob */

Test(gcdump, unknown_tagged_fields_are_skipped)
{
    struct made_gcdump m = usual;
    m.graph_extra = m.dump_extra = fields;
    m.graph_extra_size = m.dump_extra_size = sizeof(fields) - 1;
    struct hd_snapshot *snap = read_made(&m);
    expect_usual(snap);
    cr_expect_eq(snap->warnings.len, 0);
    cr_expect_str_eq(snap->info.producer, "test");
    close_made(snap);
}

Test(gcdump, tags_of_unknown_length_are_refused)
{
    static const char *const tags[] = {"\x04", "\x05", "\x0f", "\x40", "\xff"};
    for (size_t i = 0; i < COUNT(tags); i++) {
        struct made_gcdump m = usual;
        m.graph_extra = tags[i];
        m.graph_extra_size = 1;
        expect_made_refused(&m, "unknown tag");
    }
    struct made_gcdump m = usual;
    m.dump_extra = "\0";
    m.dump_extra_size = 1;
    expect_made_refused(&m, "unknown tag 0");
}

Test(gcdump, a_region_that_ends_before_it_begins_causes_no_endless_loop)
{
    struct made_gcdump m = usual;
    m.dump_extra = "\x0c\0\0\0\0"; /* ends where the interop table does */
    m.dump_extra_size = 5;
    expect_made_refused(&m, "before it begins");
    m.dump_extra = "\x0c\x01\0\0\0";
    expect_made_refused(&m, "forward reference 1 of 1");
}

Test(gcdump, versions_that_this_reader_may_read)
{
    static const struct {
        int32_t version, min_reader;
        const char *why; /* NULL: read */
    } versions[] = {{9, 0, NULL},
                    {10, 10, NULL},
                    {11, 8, NULL},
                    {99, 10, NULL},
                    {3, 0, "version 3"},
                    {8, 8, "version 8"},
                    {11, 11, "readers of version 11"}};
    for (size_t i = 0; i < COUNT(versions); i++) {
        struct made_gcdump m = usual;
        m.version = versions[i].version;
        m.min_reader = versions[i].min_reader;
        if (versions[i].why == NULL)
            expect_usual_made(&m);
        else
            expect_made_refused(&m, versions[i].why);
    }
}

Test(gcdump, a_container_with_other_contents_is_not_a_gcdump)
{
    struct gcdump_bytes b = gcdump_bytes_make(&usual);
    enum { NAME_AT = 39 };
    cr_assert_eq(memcmp(b.data.data + NAME_AT, "GCHeapDump", 10), 0);
    memcpy(b.data.data + NAME_AT, "TraceEvent", 10);
    struct hd_error err = {0};
    cr_expect_null(read_bytes(&b, false, &err));
    cr_expect_eq(err.status, HD_UNSUPPORTED, "%s", err.message);
    gcdump_bytes_free(&b);
}

/* --- files that were cut --------------------------------------------------------- */

/* Reads the first size bytes from memory of exactly this size: a sanitizer reports reads
 * beyond it. */
static struct hd_snapshot *read_prefix(const struct gcdump_bytes *b, size_t size,
                                       char **copy, struct hd_error *err)
{
    *copy = malloc(size > 0 ? size : 1);
    cr_assert_not_null(*copy);
    memcpy(*copy, b->data.data, size);
    return hd_snapshot_from_memory(*copy, size, NULL, err);
}

Test(gcdump, a_file_truncated_after_the_graph_is_read_with_a_warning)
{
    static const struct made_segment segments[] = {{0x1000, 0x3000, {0x3000, 0, 0, 0, 0}},
                                                   {0x4000, 0x5000, {0x5000, 0, 0, 0, 0}}};
    for (int wide = 0; wide < 2; wide++) {
        struct made_gcdump m = usual;
        m.segments = segments;
        m.segment_count = 2;
        m.sampled = true;
        m.process = "shop";
        m.eight_byte_labels = wide == 1;
        struct gcdump_bytes b = gcdump_bytes_make(&m);
        for (size_t size = 0; size < b.data.len; size++) {
            struct hd_error err = {0};
            char *copy;
            struct hd_snapshot *snap = read_prefix(&b, size, &copy, &err);
            cr_assert_eq(snap != NULL, size >= b.graph_end, "%zu bytes: %s", size,
                         err.message);
            if (snap != NULL) {
                expect_usual(snap);
                cr_assert(warns(snap, WARN_NO_TRAILER), "%zu bytes", size);
            }
            hd_snapshot_close(snap);
            free(copy);
        }
        gcdump_bytes_free(&b);
    }
}

Test(gcdump, a_file_with_trailing_bytes_is_read_with_a_warning)
{
    struct gcdump_bytes b = gcdump_bytes_make(&usual);
    text_add_string(&b.data, "\n");
    struct hd_snapshot *snap = read_good(&b);
    expect_usual(snap);
    cr_expect(warns(snap, WARN_NO_TRAILER));
    hd_snapshot_close(snap);
    gcdump_bytes_free(&b);
}

Test(gcdump, damage_after_the_graph_of_a_complete_file_is_an_error)
{
    struct gcdump_bytes b = gcdump_bytes_make(&usual);
    b.data.data[b.interop_at - 5] ^= 0x55;
    b.data.data[b.interop_at] = 0x7F;
    expect_refused(&b, "");
    gcdump_bytes_free(&b);
}

/* dotnet-gcdump stops at ten million objects and reports it only in a log. */
Test(gcdump, ten_million_nodes_are_suspiciously_many)
{
    static const struct {
        size_t nodes;
        const char *tool;
        bool complete;
    } cases[] = {
        {10000000, "dotnet-gcdump", false}, {10009999, NULL, false},
        {9999999, "dotnet-gcdump", true},   {10010000, "dotnet-gcdump", true},
        {10000000, "PerfView", true},
    };
    const struct hd_read_options opt = {.tables_only = true};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct made_gcdump m = usual;
        m.tool = cases[i].tool;
        m.undefined_nodes = cases[i].nodes - m.node_count;
        struct gcdump_bytes b = gcdump_bytes_make(&m);
        struct hd_snapshot *snap =
            hd_snapshot_from_memory(b.data.data, b.data.len, &opt, NULL);
        cr_assert_not_null(snap);
        cr_expect_eq(snap->info.complete, cases[i].complete, "case %zu", i);
        cr_expect_eq(warns(snap, WARN_INCOMPLETE), !cases[i].complete, "case %zu", i);
        cr_expect_eq(snap->info.objects, 2);
        hd_snapshot_close(snap);
        gcdump_bytes_free(&b);
    }
}
