/* Facts about the process of a collected snapshot are written into a gcdump and read again.
 */
#include "ages/sampled_objects.h"
#include "format/gcdump/gcdump_log.h"
#include "heap/process_facts.h"
#include "identity/places.h"
#include "identity/same.h"
#include "support/forge.h"
#include "support/made_sites.h"
#include "support/rewritten.h"

#include <criterion/criterion.h>

static struct hd_snapshot *forged(void)
{
    struct forge f = {0};
    forge_root(&f, HD_ROOT_STATIC, "App.s_all", forge_object(&f, "App.Order", 40));
    return forge_finish(&f);
}

Test(gcdump_facts, facts_are_lines_that_are_read_again)
{
    static const struct hd_origin origin = {.host = "web-3",
                                            .container = "3f2a91c0d2e1",
                                            .program = "/usr/bin/dotnet /app/Shop.dll",
                                            .started = "2026-11-22T00:51:24",
                                            .runtime = "10.0.12",
                                            .instance = 0x0123456789abcdef};
    struct hd_snapshot *snap = forged(), *again = forged();
    struct text log = {0};
    hd_snapshot_set_origin(snap, &origin);
    text_add_string(&log, "Started the collection");
    gcdump_facts_write(&log, snap);
    cr_expect_str_eq(text_string(&log),
                     "Started the collection\r\n"
                     "heapdrift: container 3f2a91c0d2e1\r\n"
                     "heapdrift: program /usr/bin/dotnet /app/Shop.dll\r\n"
                     "heapdrift: started 2026-11-22T00:51:24\r\n"
                     "heapdrift: runtime 10.0.12\r\n"
                     "heapdrift: instance 0123456789abcdef\r\n");
    size_t len = log.len;
    gcdump_facts_write(&log, snap);
    cr_expect_eq(log.len, len, "nothing twice");
    gcdump_facts_read(again, text_string(&log));
    cr_expect_str_eq(again->info.container, "3f2a91c0d2e1");
    cr_expect_str_eq(again->info.program, "/usr/bin/dotnet /app/Shop.dll");
    cr_expect_str_eq(again->info.started, "2026-11-22T00:51:24");
    cr_expect_str_eq(again->info.runtime, "10.0.12");
    cr_expect_eq(again->identity.instance, 0x0123456789abcdef);
    cr_expect_null(again->info.host, "which has a field of its own");
    text_free(&log);
    hd_snapshot_close(again);
    hd_snapshot_close(snap);
}

Test(gcdump_facts, other_logs_give_no_facts)
{
    struct hd_snapshot *snap = forged();
    gcdump_facts_read(snap, NULL);
    gcdump_facts_read(snap, "");
    gcdump_facts_read(snap, "\r\nthe heapdrift: runtime 1\r\nheapdrift: runtime \r\n"
                            "heapdrift: instance 12\r\nheapdrift: programs x");
    cr_expect_null(snap->info.runtime);
    cr_expect_null(snap->info.program);
    cr_expect_eq(snap->identity.instance, 0);
    hd_snapshot_close(snap);
}

Test(gcdump_facts, no_fact_can_make_a_line_of_its_own)
{
    struct hd_snapshot *snap = forged();
    struct text log = {0};
    snap->info.program = "a\r\nheapdrift: instance 0123456789abcdef";
    gcdump_facts_write(&log, snap);
    cr_expect_str_eq(text_string(&log),
                     "heapdrift: program a??heapdrift: instance 0123456789abcdef\r\n");
    text_free(&log);
    hd_snapshot_close(snap);
}

/* --- through the file ---------------------------------------------------------- */

static struct hd_snapshot *through(struct hd_snapshot *snap, const char *target,
                                   char **data)
{
    static const struct hd_read_options again = {.to_write = true};
    struct hd_error err = {0};
    size_t size;
    FILE *to = open_memstream(data, &size);
    cr_assert(hd_snapshot_write(snap, target, hd_sink_file(to), NULL, &err), "%s",
              err.message);
    fclose(to);
    struct hd_snapshot *read = hd_snapshot_from_memory(*data, size, &again, &err);
    cr_assert_not_null(read, "%s", err.message);
    return read;
}

static void expect_facts(const struct hd_snapshot *snap)
{
    cr_expect_str_eq(snap->info.host, "web-3");
    cr_expect_str_eq(snap->info.container, "3f2a91c0d2e1");
    cr_expect_str_eq(snap->info.program, "/app/Shop");
    cr_expect_str_eq(snap->info.started, "2026-11-22T00:51:24");
    cr_expect_str_eq(snap->info.runtime, "10.0.12");
}

Test(gcdump_facts, collected_facts_are_read_back_from_gcdumps_and_json_tables)
{
    static const char trace[] = "fixtures/leaklab/nettrace/1.nettrace.zst";
    static const struct hd_origin origin = {.host = "web-3",
                                            .container = "3f2a91c0d2e1",
                                            .started = "2026-11-22T00:51:24",
                                            .instance = 77};
    static const struct hd_read_options how = {.to_write = true};
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(trace, &how, &err);
    cr_assert_not_null(snap, "%s", err.message);
    cr_expect_str_eq(snap->info.runtime, "10.0.12", "by where its modules lie");
    hd_snapshot_set_origin(snap, &origin);
    snap->info.program = "/app/Shop";
    char *first, *second, *table;
    struct hd_snapshot *one = through(snap, "gcdump", &first);
    struct hd_snapshot *two = through(one, "gcdump", &second);
    struct hd_snapshot *three = through(two, "table-json", &table);
    expect_facts(one);
    expect_facts(two);
    expect_facts(three);
    cr_expect_eq(two->identity.instance, 77);
    cr_expect_eq(identity_compare(&snap->identity, &two->identity), PROCESS_SAME);
    hd_snapshot_close(three);
    hd_snapshot_close(two);
    hd_snapshot_close(one);
    hd_snapshot_close(snap);
    free(first);
    free(second);
    free(table);
}

#define PROCESS_LINE                                                                    \
    "resident=80203776 private=49528832 of_gc=0 threads=8 thread=3:.NET%20TP%20Worker " \
    "thread=1:%ff%0a%e2%82"

static char *find_process_line(char *bytes, size_t size)
{
    static const char key[] = "heapdrift: process";
    for (size_t at = 0; at + sizeof(key) <= size; at++)
        if (memcmp(bytes + at, key, sizeof(key) - 1) == 0)
            return bytes + at;
    return NULL;
}

static void set_facts(struct hd_snapshot *snap, const char *line)
{
    snap->facts = (struct hd_process_facts){0};
    process_facts_parse(&snap->facts, line, strlen(line));
}

Test(gcdump_facts, process_facts_are_a_line_that_is_read_again)
{
    struct hd_snapshot *snap = forged(), *again = forged();
    struct text log = {0};
    set_facts(snap, PROCESS_LINE);
    gcdump_facts_write(&log, snap);
    cr_expect_str_eq(text_string(&log), "heapdrift: process " PROCESS_LINE "\r\n");
    gcdump_facts_read(again, text_string(&log));
    cr_expect_eq(memcmp(&again->facts, &snap->facts, sizeof(snap->facts)), 0);
    text_free(&log);
    hd_snapshot_close(again);
    hd_snapshot_close(snap);
}

Test(gcdump_facts, process_facts_are_read_back_from_gcdumps_and_digests)
{
    static const char *const targets[] = {"gcdump", "digest"};
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        struct hd_snapshot *snap = forged();
        char *first, *second;
        set_facts(snap, PROCESS_LINE);
        struct hd_snapshot *one = through(snap, targets[i], &first);
        struct hd_snapshot *two = through(one, targets[i], &second);
        cr_expect_eq(memcmp(&one->facts, &snap->facts, sizeof(snap->facts)), 0, "%s",
                     targets[i]);
        cr_expect_eq(memcmp(&two->facts, &snap->facts, sizeof(snap->facts)), 0, "%s",
                     targets[i]);
        hd_snapshot_close(two);
        hd_snapshot_close(one);
        hd_snapshot_close(snap);
        free(first);
        free(second);
    }
}

/* Facts of a file whose process line is unknown, as in files of other tools. */
static struct hd_process_facts facts_without_line(const char *facts)
{
    struct hd_snapshot *snap = forged();
    struct hd_error err = {0};
    char *bytes;
    size_t size;
    set_facts(snap, facts);
    FILE *to = open_memstream(&bytes, &size);
    cr_assert(hd_snapshot_write(snap, "gcdump", hd_sink_file(to), NULL, &err), "%s",
              err.message);
    fclose(to);
    char *line = find_process_line(bytes, size);
    cr_assert_not_null(line);
    line[0] = 'H';
    struct hd_snapshot *again = hd_snapshot_from_memory(bytes, size, NULL, &err);
    cr_assert_not_null(again, "%s", err.message);
    struct hd_process_facts read = again->facts;
    hd_snapshot_close(again);
    hd_snapshot_close(snap);
    free(bytes);
    return read;
}

Test(gcdump_facts, working_set_and_commit_of_the_file_are_facts)
{
    static const struct {
        const char *facts;
        uint64_t resident, private;
    } cases[] = {
        {"resident=80203776 private=49528832 threads=3", 80203776, 49528832},
        {"resident=80203776", 80203776, HD_UNKNOWN},
        {"threads=3", HD_UNKNOWN, HD_UNKNOWN},
        /* omitted, since other readers would read a negative number */
        {"resident=9223372036854775807 private=9223372036854775808", INT64_MAX, HD_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct hd_process_facts facts = facts_without_line(cases[i].facts);
        cr_expect_eq(hd_fact(&facts, HD_FACT_RESIDENT), cases[i].resident, "%zu", i);
        cr_expect_eq(hd_fact(&facts, HD_FACT_PRIVATE), cases[i].private, "%zu", i);
        cr_expect_eq(hd_fact(&facts, HD_FACT_THREADS), HD_UNKNOWN);
    }
}

Test(gcdump_facts, files_without_process_facts_have_no_line_for_facts)
{
    static const char *const targets[] = {"gcdump", "digest"};
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        static const struct hd_read_options how = {.to_write = true};
        struct hd_error err = {0};
        struct hd_snapshot *snap =
            hd_snapshot_open("fixtures/leaklab/list/1.gcdump.bz2", &how, &err);
        struct hd_memory made = {0};
        cr_assert_not_null(snap, "%s", err.message);
        cr_expect_eq(snap->facts.known, 0);
        cr_assert(hd_snapshot_write(snap, targets[i], hd_sink_memory(&made), NULL, &err));
        struct hd_snapshot *again =
            hd_snapshot_from_memory(made.bytes, made.size, NULL, &err);
        cr_assert_not_null(again, "%s", err.message);
        cr_expect_eq(again->facts.known, 0);
        cr_expect_null(find_process_line(made.bytes, made.size));
        hd_snapshot_close(again);
        hd_snapshot_close(snap);
        hd_memory_free(&made);
    }
}

/* Input in memory has no time: a series would not be ordered in time, and a store would
 * record the times of files. */
Test(gcdump_facts, a_copied_snapshot_has_the_time_of_the_copy)
{
    static const char core[] = "fixtures/core/net10.core.xz",
                      trace[] = "fixtures/leaklab/nettrace/1.nettrace.zst";
    static const struct hd_origin origin = {.taken = 1795423884.25};
    static const struct hd_read_options how = {.to_write = true};
    static const char *const targets[] = {"gcdump", "digest"};
    struct hd_error err = {0};
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        char *bytes;
        struct hd_snapshot *snap = hd_snapshot_open(core, &how, &err);
        cr_assert_not_null(snap, "%s", err.message);
        cr_expect_null(snap->info.time);
        hd_snapshot_set_origin(snap, &origin);
        struct hd_snapshot *again = through(snap, targets[i], &bytes);
        cr_assert_not_null(again->info.time, "%s", targets[i]);
        cr_expect_eq(strncmp(again->info.time, "2026-11-23T08:51:24", 19), 0, "%s",
                     again->info.time);
        cr_expect(again->clock_is_date);
        cr_expect_float_eq(again->clock, origin.taken, 0.001);
        hd_snapshot_close(again);
        hd_snapshot_close(snap);
        free(bytes);
    }
    /* A trace has a time of its own. */
    struct hd_snapshot *snap = hd_snapshot_open(trace, &how, &err);
    cr_assert_not_null(snap, "%s", err.message);
    double own = snap->clock;
    hd_snapshot_set_origin(snap, &origin);
    cr_expect_eq(snap->clock, own);
    hd_snapshot_close(snap);
}

/* --- ids of types --------------------------------------------------------------- */

static const char *name_by_id(const struct hd_snapshot *snap, uint64_t id)
{
    for (size_t i = 0; i < snap->type_name_count; i++)
        if (snap->type_names[i].id == id)
            return snap->type_names[i].name;
    return NULL;
}

static bool has_row(const struct hd_snapshot *snap, const char *name)
{
    for (type_id t = 0; t < snap->type_count; t++)
        if (snap->types[t].kind == TYPE_OBJECT && strcmp(snap->types[t].name, name) == 0)
            return true;
    return false;
}

Test(gcdump_facts, ids_of_types_are_read_back_by_name)
{
    enum { MIN_FACTS = 300 };
    static const struct hd_read_options how = {.to_write = true};
    struct hd_error err = {0};
    char *bytes;
    struct hd_snapshot *snap =
        hd_snapshot_open("fixtures/leaklab/nettrace/1.nettrace.zst", &how, &err);
    cr_assert_not_null(snap, "%s", err.message);
    struct hd_snapshot *again = through(snap, "gcdump", &bytes);
    size_t expected = 0;
    for (size_t i = 0; i < snap->type_name_count; i++)
        expected += has_row(again, snap->type_names[i].name);
    cr_expect_geq(expected, MIN_FACTS);
    cr_assert_eq(again->type_name_count, expected);
    for (size_t i = 0; i < again->type_name_count; i++) {
        const struct type_name *t = &again->type_names[i];
        cr_expect(i == 0 || t[-1].id < t->id);
        cr_assert_str_eq(t->name, name_by_id(snap, t->id));
    }
    hd_snapshot_close(again);
    hd_snapshot_close(snap);
    free(bytes);
}

/* Number of ids read from a line, for the types App.A and App.B. */
static size_t ids_in(const char *line)
{
    struct raw_type types[] = {{.name = "App.A", .kind = TYPE_OBJECT},
                               {.name = "App.B", .kind = TYPE_OBJECT},
                               {.name = NULL, .kind = TYPE_OBJECT}};
    struct hd_snapshot *snap = forged();
    struct builder b = {.snap = snap, .types = types, .type_count = 3};
    gcdump_ids_read(&b, line);
    size_t count = snap->type_name_count;
    hd_snapshot_close(snap);
    return count;
}

Test(gcdump_facts, ids_that_are_damaged_end_the_line)
{
    struct type_name two[] = {{0x7f00, "App.A"}, {0x7f08, "App.B"}};
    struct hd_snapshot *snap = forged();
    struct text log = {0};
    snap->type_names = two;
    snap->type_name_count = 2;
    gcdump_ids_write(&log, snap);
    cr_expect_eq(ids_in(text_string(&log)), 2, "%s", text_string(&log));
    log.data[log.len - 4] = 'g';
    cr_expect_eq(ids_in(text_string(&log)), 1);
    cr_expect_eq(ids_in(NULL), 0);
    cr_expect_eq(ids_in("heapdrift: ids 1 "), 0);
    cr_expect_eq(ids_in("heapdrift: ids 1 -1:-1 "), 0);
    cr_expect_eq(ids_in("heapdrift: ids 1 7f00:1234 8:"), 0);
    cr_expect_eq(ids_in("heapdrift: ids 1 ffffffffffffffff:1 ffffffffffffffff:1 "), 0);
    snap->type_name_count = 0;
    snap->type_names = NULL;
    text_free(&log);
    hd_snapshot_close(snap);
}

/* --- which objects are those of the snapshot before ---------------------------- */

/* A map from a snapshot to itself, in which every fourth object died and every fifth is
 * new. */
static void tell_itself(struct hd_snapshot *snap)
{
    struct places p = places_of(snap);
    const struct survivor_side side = {places_token(&p), (uint32_t)p.len};
    uint32_t *older_of = alloc_resize(NULL, sizeof(*older_of) * p.len);
    for (uint32_t i = 0; i < p.len; i++)
        older_of[i] = i % 5 == 0 || (i * 7 + 3) % 4 == 0 ? UINT32_MAX : i;
    struct survivor_map *map = arena_alloc(&snap->arena, sizeof(*map));
    *map = survivor_map_write(&side, &side, older_of, &snap->arena);
    snap->survivor_map = map;
    free(older_of);
    places_free(&p);
}

Test(gcdump_facts, the_reason_for_unknown_survivors_is_read_back)
{
    for (int why = HD_SURVIVORS_UNKNOWN_NONE; why < HD_SURVIVORS_UNKNOWN_COUNT; why++) {
        struct hd_snapshot *snap = forged(), *again = forged();
        struct text log = {0};
        snap->survivors_unknown = (enum hd_survivors_unknown)why;
        gcdump_facts_write(&log, snap);
        gcdump_facts_read(again, text_string(&log));
        cr_expect_eq((int)again->survivors_unknown, why, "%s", text_string(&log));
        cr_expect_eq(hd_survivors_unknown_words(snap->survivors_unknown) == NULL,
                     why == HD_SURVIVORS_UNKNOWN_NONE);
        text_free(&log);
        hd_snapshot_close(again);
        hd_snapshot_close(snap);
    }
}

Test(gcdump_facts, a_reason_of_another_version_is_ignored)
{
    static const char *const words[] = {"", "lost", "lost-events-", "9", "%s", "Gaps"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        struct hd_snapshot *snap = forged();
        char log[64];
        snprintf(log, sizeof(log), "heapdrift: same 0 %s\r\n", words[i]);
        gcdump_facts_read(snap, log);
        cr_expect_eq(snap->survivors_unknown, HD_SURVIVORS_UNKNOWN_NONE, "%s", words[i]);
        hd_snapshot_close(snap);
    }
}

Test(gcdump_facts, the_survivor_map_is_read_back_for_the_same_objects)
{
    static const char trace[] = "fixtures/leaklab/nettrace/1.nettrace.zst";
    static const struct hd_read_options how = {.to_write = true};
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(trace, &how, &err);
    cr_assert_not_null(snap, "%s", err.message);
    tell_itself(snap);
    char *first, *second, *text;
    struct hd_snapshot *one = through(snap, "gcdump", &first);
    struct hd_snapshot *two = through(one, "gcdump", &second);
    struct hd_snapshot *other = through(two, "heap-text", &text);
    struct same s = {0};
    cr_assert(one->survivor_map != NULL && two->survivor_map != NULL);
    cr_expect_null(other->survivor_map, "which has no place for it");
    cr_expect_eq(two->survivor_map->survivors, snap->survivor_map->survivors);
    cr_expect(same_by_events(&s, one, two),
              "the trace, the gcdump and its copy have the same "
              "objects at the same places");
    size_t survivors = 0;
    for (node_id n = 0; n < s.count; n++)
        survivors += s.next[n] != NO_NODE;
    cr_expect_eq(survivors, snap->survivor_map->survivors);
    same_free(&s);
    hd_snapshot_close(other);
    hd_snapshot_close(two);
    hd_snapshot_close(one);
    hd_snapshot_close(snap);
    free(first);
    free(second);
    free(text);
}

Test(gcdump_facts, an_invalid_survivor_map_is_ignored)
{
    struct hd_snapshot *snap = forged();
    gcdump_facts_read(snap, "heapdrift: same 1 \r\nheapdrift: same 2 0 0 0 0 0 AAAA\r\n");
    cr_expect_null(snap->survivor_map);
    gcdump_facts_read(snap, "heapdrift: same 1 01 4294967295 02 4294967295 7 ////\r\n");
    cr_assert_not_null(snap->survivor_map, "a promise of which nothing is believed");
    struct same s = {0};
    cr_expect_not(same_by_events(&s, snap, snap));
    hd_snapshot_close(snap);
}

/* --- which code allocated them ---------------------------------------------------- */

Test(gcdump_facts, allocation_sites_are_read_back_for_the_same_objects)
{
    static const char trace[] = "fixtures/leaklab/nettrace/1.nettrace.zst";
    static const struct hd_read_options how = {.to_write = true};
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(trace, &how, &err);
    cr_assert_not_null(snap, "%s", err.message);
    struct places p = places_of(snap);
    const struct made_sample samples[] = {
        {p.all[17].object, "Shop.Add@Shop.cs:42 < -System.Run", 3},
        {p.all[p.len - 1].object, "Shop.\r\nheapdrift: same 0 gaps < -System.Run", 4}};
    places_free(&p);
    made_sites(snap, 4, samples, 2);
    char *first, *second, *text;
    struct hd_snapshot *one = through(snap, "gcdump", &first);
    struct hd_snapshot *two = through(one, "gcdump", &second);
    struct hd_snapshot *other = through(two, "heap-text", &text);
    cr_assert(one->sites != NULL && two->sites != NULL);
    cr_expect_null(other->sites, "which has no place for it");
    cr_expect_eq(one->survivors_unknown, HD_SURVIVORS_UNKNOWN_NONE, "a line stays a line");
    node_id *nodes = sampled_nodes(two);
    cr_assert_not_null(nodes, "the same objects at the same places");
    cr_expect_eq(two->sites->object_count, 2);
    cr_expect_eq(graph_address(two->graph, nodes[0]),
                 graph_address(snap->graph, samples[0].node));
    cr_expect_eq(two->sites->objects[1].born, 4);
    const struct site_stack *stack = &two->sites->stacks[two->sites->objects[1].stack];
    cr_expect_str_eq(two->sites->frames[stack->frames[0]].method,
                     "Shop.\r\nheapdrift: same 0 gaps");
    free(nodes);
    hd_snapshot_close(other);
    hd_snapshot_close(two);
    hd_snapshot_close(one);
    hd_snapshot_close(snap);
    free(first);
    free(second);
    free(text);
}

Test(gcdump_facts, an_invalid_line_of_sites_is_ignored)
{
    static const char *const lines[] = {
        "heapdrift: sites 1 \r\n", "heapdrift: sites 1 0123456789abcdef 1 1 0 0 1 1\r\n",
        "heapdrift: sites 2 0123456789abcdef 1 0 0 0 0 0 0\r\n"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        struct hd_snapshot *snap = forged();
        gcdump_facts_read(snap, lines[i]);
        cr_expect_null(snap->sites, "%s", lines[i]);
        hd_snapshot_close(snap);
    }
}
