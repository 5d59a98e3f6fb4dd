/* Trees of owners as reports: contents, visible part, formats. */
#include "render/written.h"
#include "report/view.h"
#include "support/random.h"

/* --- what is in it --------------------------------------------------- */

static struct hd_report *tree_of(struct hd_snapshot **snaps, size_t count,
                                 const struct hd_options *opt)
{
    struct hd_error err = {0};
    struct hd_report *r = ask_tree(snaps, count, opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    close_all(snaps, count);
    return r;
}

static const struct hd_tree *tree(const struct hd_report *r)
{
    return hd_report_model(r)->tree;
}

static size_t node_of(const struct hd_tree *t, const char *type)
{
    for (size_t i = 0; i < t->len; i++)
        if (t->nodes[i].type != NULL && strcmp(t->nodes[i].type, type) == 0)
            return i;
    cr_assert(false, "no %s", type);
    return 0;
}

static void expect_sums(const struct hd_tree *t, size_t snapshots)
{
    for (size_t i = 0; i < t->len; i++)
        for (size_t k = 0; k < snapshots; k++) {
            struct hd_tally rest = t->nodes[i].owned[k];
            if (rest.bytes == HD_UNKNOWN)
                continue;
            rest.bytes -= t->nodes[i].at[k].bytes;
            rest.count -= t->nodes[i].at[k].count;
            for (size_t c = i + 1; c < t->nodes[i].end; c = t->nodes[c].end) {
                cr_assert_eq(t->nodes[c].parent, i);
                rest.bytes -= t->nodes[c].owned[k].bytes;
                rest.count -= t->nodes[c].owned[k].count;
            }
            cr_assert(rest.bytes == 0 && rest.count == 0, "node %zu, snapshot %zu", i, k);
        }
}

Test(report_tree, of_a_series_has_growth_marks_and_the_content_of_diff)
{
    struct hd_report *r = shop_tree(NULL);
    const struct hd_tree *t = tree(r);
    size_t order = node_of(t, "App.Order");
    cr_expect_not_null(hd_report_model(r)->diff);
    cr_expect_eq(t->nodes[0].kind, HD_NODE_HEAP);
    cr_expect_eq(t->nodes[order].suspect, 1u);
    cr_expect_eq(t->nodes[order].at[0].count, 10u);
    cr_expect_eq(t->nodes[order].at[SHOPS - 1].count, 40u);
    cr_expect_eq(t->nodes[order].growth, 30 * (96 + 40));
    cr_expect(t->nodes[node_of(t, "App.Shop")].is_single);
    expect_sums(t, SHOPS);
    hd_report_free(r);
}

Test(report_tree, of_one_snapshot_has_no_growth_and_no_ranking)
{
    struct hd_snapshot *one = shop(10);
    struct hd_report *r = tree_of(&one, 1, NULL);
    cr_expect_null(hd_report_model(r)->diff);
    cr_expect_eq(tree(r)->first, tree(r)->last);
    for (size_t i = 0; i < tree(r)->len; i++)
        cr_expect(tree(r)->nodes[i].growth == 0 && tree(r)->nodes[i].suspect == 0);
    expect_sums(tree(r), 1);
    hd_report_free(r);
}

Test(report_tree, a_snapshot_that_cannot_be_compared_is_unknown)
{
    struct hd_snapshot *snaps[SHOPS];
    open_shops(snaps);
    snaps[1]->info.complete = false;
    struct hd_report *r = tree_of(snaps, SHOPS, NULL);
    for (size_t i = 0; i < tree(r)->len; i++) {
        cr_expect_eq(tree(r)->nodes[i].owned[1].bytes, HD_UNKNOWN);
        cr_expect_eq(tree(r)->nodes[i].at[1].count, HD_UNKNOWN);
        cr_expect_neq(tree(r)->nodes[i].owned[2].bytes, HD_UNKNOWN);
    }
    expect_sums(tree(r), SHOPS);
    for (size_t i = 0; hd_format_name(i) != NULL; i++) {
        struct hd_error err = {0};
        char *bytes = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&bytes, &size);
        if (can_be_written(r, i))
            cr_expect(hd_report_write(r, hd_format_name(i), NULL, hd_sink_file(f), &err));
        fclose(f);
        for (size_t at = 0; at + 20 <= size; at++) /* HD_UNKNOWN */
            cr_assert(memcmp(bytes + at, "18446744073709551615", 20) != 0, "%s",
                      hd_format_name(i));
        free(bytes);
    }
    hd_report_free(r);
}

Test(report_tree, without_a_comparison_the_last_snapshot_is_shown)
{
    struct hd_snapshot *snaps[SHOPS];
    open_shops(snaps);
    for (size_t k = 0; k < SHOPS; k++)
        snaps[k]->info.complete = false;
    struct hd_report *r = tree_of(snaps, SHOPS, NULL);
    cr_expect_eq(tree(r)->first, (size_t)SHOPS - 1);
    cr_expect_eq(tree(r)->last, (size_t)SHOPS - 1);
    cr_expect_gt(tree(r)->nodes[0].owned[SHOPS - 1].bytes, 0u);
    hd_report_free(r);
}

Test(report_tree, needs_references_and_a_count_of_snapshots)
{
    struct hd_snapshot *table = shop_table(10);
    struct hd_error err = {0};
    cr_expect_null(ask_tree(&table, 1, NULL, &err));
    cr_expect_eq(err.status, HD_USAGE);
    expect_part(err.message, "needs references");
    hd_snapshot_close(table);
    err = (struct hd_error){0};
    cr_expect_null(ask_tree(NULL, 0, NULL, &err));
    cr_expect_eq(err.status, HD_USAGE);
}

/* The maximum. */
Test(report_tree, of_fifty_snapshots_has_fifty_numbers)
{
    struct hd_snapshot *snaps[HD_MAX_SNAPSHOTS];
    for (uint32_t k = 0; k < HD_MAX_SNAPSHOTS; k++)
        snaps[k] = shop(10 * (k + 1));
    struct hd_report *r = tree_of(snaps, HD_MAX_SNAPSHOTS, NULL);
    size_t order = node_of(tree(r), "App.Order");
    for (size_t k = 0; k < HD_MAX_SNAPSHOTS; k++)
        cr_expect_eq(tree(r)->nodes[order].at[k].count, 10 * (k + 1));
    expect_sums(tree(r), HD_MAX_SNAPSHOTS);
    hd_report_free(r);
}

/* --- what is shown of it --------------------------------------------- */

enum { TREES = 300, MAX_NODES = 60 };

/* A random tree with consistent sums, including others and marks. Growth is that of two
 * snapshots. */
static struct hd_tree random_tree(struct random *r, struct arena *a)
{
    struct hd_tree t = {.last = 1};
    struct hd_tally *reachable = arena_array(a, struct hd_tally, 2);
    size_t path[MAX_NODES], depth = 0;
    t.nodes = arena_array(a, struct hd_tree_node, MAX_NODES);
    t.len = 1 + random_below(r, MAX_NODES - 1);
    for (size_t i = 0; i < t.len; i++) {
        struct hd_tree_node *n = &t.nodes[i];
        depth = i == 0 ? 0 : 1 + random_below(r, (uint32_t)(depth < i ? depth + 1 : depth));
        n->depth = (unsigned)depth;
        n->parent = depth > 0 ? path[depth - 1] : HD_NO_NODE;
        path[depth] = i;
        n->kind = i == 0 ? HD_NODE_HEAP : HD_NODE_TYPE;
        n->type = i == 0 ? NULL : arena_printf(a, "App.T%zu", i);
        n->suspect = random_below(r, 10) == 0 ? 1 + random_below(r, 3) : 0;
        n->at = arena_array(a, struct hd_tally, 2);
        n->owned = arena_array(a, struct hd_tally, 2);
        for (size_t k = 0; k < 2; k++)
            n->at[k] = n->owned[k] = (struct hd_tally){
                random_below(r, 5), random_below(r, 2) * random_below(r, 999)};
        n->end = i + 1;
    }
    for (size_t i = t.len; i-- > 0;) {
        struct hd_tree_node *n = &t.nodes[i];
        n->growth = (int64_t)(n->owned[1].bytes - n->owned[0].bytes);
        if (n->parent == HD_NO_NODE)
            continue;
        struct hd_tree_node *above = &t.nodes[n->parent];
        above->end = n->end > above->end ? n->end : above->end;
        for (size_t k = 0; k < 2; k++) {
            above->owned[k].bytes += n->owned[k].bytes;
            above->owned[k].count += n->owned[k].count;
        }
        if (n->end == above->end && n->end == i + 1 && random_below(r, 3) == 0) {
            n->kind = HD_NODE_OTHERS;
            n->type = NULL;
            n->others = 1 + random_below(r, 5);
            n->suspect = 0;
            n->at = n->owned;
        }
    }
    reachable[0] = t.nodes[0].owned[0];
    reachable[1] = t.nodes[0].owned[1];
    t.reachable = reachable;
    tree_fold(&t);
    return t;
}

/* Number of lines of the document. */
static size_t lines_of(const struct hd_tree *t)
{
    size_t lines = 0;
    for (size_t i = 0; i < t->len; i++) {
        const struct hd_tree_node *n = &t->nodes[i];
        bool alone = n->parent != HD_NO_NODE && n->parent + 1 == i &&
                     t->nodes[n->parent].end == i + 1;
        bool silent = n->kind == HD_NODE_OTHERS &&
                      (alone || (n->parent != HD_NO_NODE && t->nodes[n->parent].folds));
        lines += !n->folds && !silent;
    }
    return lines;
}

static bool has_rank(const struct hd_tree *t, size_t rank)
{
    for (size_t i = 0; i < t->len; i++)
        if (t->nodes[i].suspect == rank)
            return true;
    return false;
}

static size_t places_in(const struct hd_tree *t)
{
    size_t places = 0;
    for (size_t i = 0; i < t->len; i++)
        places += t->nodes[i].others > 0 ? t->nodes[i].others : 1;
    return places;
}

Test(view_tree, fits_the_lines_and_loses_no_bytes)
{
    struct random random = random_from(31);
    for (uint32_t i = 0; i < TREES; i++) {
        struct arena a = {0};
        struct hd_tree all = random_tree(&random, &a);
        uint32_t rows = 1 + random_below(&random, 40);
        struct hd_tree t = view_tree(&all, rows, 2, &a);
        cr_assert_leq(lines_of(&t), rows, "tree %u: %zu lines of %u", i, lines_of(&t),
                      rows);
        cr_assert_leq(places_in(&t), places_in(&all), "tree %u", i);
        cr_assert_eq(t.nodes[0].owned[1].bytes, all.nodes[0].owned[1].bytes, "tree %u", i);
        expect_sums(&t, 2);
        arena_free(&a);
    }
}

Test(view_tree, shows_all_where_there_is_room)
{
    struct random random = random_from(32);
    for (uint32_t i = 0; i < TREES; i++) {
        struct arena a = {0};
        struct hd_tree all = random_tree(&random, &a);
        struct hd_tree t = view_tree(&all, i % 2 == 0 ? 0 : 2 * MAX_NODES, 2, &a);
        cr_assert_eq(places_in(&t), places_in(&all), "tree %u", i);
        cr_assert_eq(t.len, all.len, "tree %u", i);
        arena_free(&a);
    }
}

/* Rank 1 is shown whenever any place is shown in addition to its ancestors. */
Test(view_tree, suspects_are_first)
{
    struct random random = random_from(33);
    for (uint32_t i = 0; i < TREES; i++) {
        struct arena a = {0};
        struct hd_tree all = random_tree(&random, &a);
        struct hd_tree t = view_tree(&all, 2 * MAX_NODES / 3, 2, &a);
        if (has_rank(&all, 1) && all.len > 1)
            cr_assert(has_rank(&t, 1), "tree %u", i);
        arena_free(&a);
    }
}

/* A folded node has one child with nearly all of its bytes, and no mark. */
Test(view_tree, folded_nodes_have_no_information_of_their_own)
{
    struct random random = random_from(34);
    size_t folded = 0;
    for (uint32_t i = 0; i < TREES; i++) {
        struct arena a = {0};
        struct hd_tree all = random_tree(&random, &a);
        struct hd_tree t = view_tree(&all, 0, 2, &a);
        for (size_t n = 0; n < t.len; n++) {
            if (!t.nodes[n].folds)
                continue;
            const struct hd_tree_node *child = &t.nodes[n + 1];
            folded++;
            cr_assert_eq(t.nodes[n].suspect, 0u, "tree %u", i);
            cr_assert_eq(child->kind, HD_NODE_TYPE, "tree %u", i);
            cr_assert(child->end == t.nodes[n].end || child->end + 1 == t.nodes[n].end);
            cr_assert_geq(10 * child->owned[1].bytes, 9 * t.nodes[n].owned[1].bytes,
                          "tree %u", i);
        }
        arena_free(&a);
    }
    cr_expect_gt(folded, 50u);
}

Test(view_tree, variables_are_found_by_their_object_or_their_class)
{
    static const struct {
        const char *variable, *full, *object;
        bool declares;
        const char *type, *field; /* field NULL: not a variable of this object */
    } cases[] = {
        {"[static var App.Shop.s_all]", NULL, "App.Shop", false, "", "s_all"},
        {"[static var A<B.C>.<I.X>k__F]", NULL, "A<B.C>", false, "", "<I.X>k__F"},
        {"[static var App.Shop.s_all]", NULL, "App.Shops", false, "", NULL},
        {"[static vars]", NULL, "App.Shop", false, "", NULL},
        {"[static var App.Shop.s_all]", NULL, "A[]", true, "App.Shop", "s_all"},
        {"[static var A[].s_all]", "[static var App.Shop.s_all]", "A[]", false, "App.Shop",
         "s_all"},
        {"[static var A]", NULL, "A", true, "", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct hd_tree t = {.declares_statics = cases[i].declares};
        struct hd_tree_node variable = {.kind = HD_NODE_ROOTS,
                                        .type = cases[i].variable,
                                        .full_name = cases[i].full},
                            object = {.kind = HD_NODE_TYPE, .type = cases[i].object};
        struct place place;
        bool is_one = tree_variable(&t, &variable, &object, &place);
        cr_assert_eq(is_one, cases[i].field != NULL, "case %zu", i);
        if (is_one) {
            cr_expect(name_part_is(place.type, cases[i].type), "case %zu", i);
            cr_expect(name_part_is(place.field, cases[i].field), "case %zu", i);
        }
        cr_expect_not(tree_variable(&t, &object, &variable, &place));
    }
}

/* --- how it is written ----------------------------------------------- */

Test(report_tree, a_variable_and_its_object_share_a_line)
{
    struct hd_report *r = shop_tree(NULL);
    char *text = written_with(r, "text", NULL);
    expect_part(text, "s_orders: Shop");
    expect_line(text, "suspect 1, 10 → 40", "Order");
    expect_no_part(text, "[static var ");
    free(text);
    hd_report_free(r);
}

Test(report_tree, folded_stacks_have_two_columns)
{
    struct hd_report *r = shop_tree(NULL);
    char *text = written(r, "folded");
    expect_part(text, "[static vars];[static var App.Shop.s_orders];App.Shop;App.Order[];"
                      "App.Order 960 3840\n");
    free(text);
    hd_report_free(r);
}

/* Tools identify the format by this. */
Test(report_tree, speedscope_output_declares_its_format)
{
    struct hd_report *r = shop_tree(NULL);
    char *text = written(r, "speedscope");
    expect_part(text, "\"$schema\":");
    expect_part(text, "\"https://www.speedscope.app/file-format-schema.json\"");
    free(text);
    hd_report_free(r);
}

/* In any width no number is truncated, and no name is missing. */
Test(report_tree, lines_fit_any_width)
{
    struct hd_report *r = shop_tree(NULL);
    for (unsigned width = 40; width <= 200; width++) {
        const struct hd_write_options opt = {.width = width};
        char *text = written_with(r, "text", &opt);
        const char *line = strstr(text, "heap\n");
        cr_assert_not_null(line);
        for (line += 5; line[0] != '\n' && line[0] != '\0';) {
            size_t len = strcspn(line, "\n");
            cr_assert_leq(utf8_columns(line, len), width, "%u: %.*s", width, (int)len,
                          line);
            line += len + 1;
        }
        free(text);
    }
    hd_report_free(r);
}

/* --- all questions --------------------------------------------------- */

static void write_all(const struct hd_report *r)
{
    for (size_t i = 0; hd_format_name(i) != NULL; i++) {
        struct hd_error err = {0};
        FILE *nowhere = fopen("/dev/null", "w");
        if (can_be_written(r, i))
            cr_assert(
                hd_report_write(r, hd_format_name(i), NULL, hd_sink_file(nowhere), &err),
                "%s: %s", hd_format_name(i), err.message);
        fclose(nowhere);
    }
}

/* A shop whose objects have generations: every second order is young. */
static struct hd_snapshot *shop_of_generations(uint32_t orders)
{
    struct forge f = {0};
    node_id top = forge_object(&f, "App.Shop", 24);
    node_id order = forge_objects(&f, "App.Order", 96, orders);
    forge_generation(&f, top, HD_GEN2);
    for (uint32_t i = 0; i < orders; i++) {
        forge_reference(&f, top, order + i);
        forge_generation(&f, order + i, i % 2 == 0 ? HD_GEN2 : HD_GEN0);
    }
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_orders", top);
    return forge_finish(&f);
}

struct asked_types {
    const char *types[2];
    size_t count, matching;
};

static void expect_answer(uint32_t snapshots, const struct asked_types *types,
                          const struct hd_options *opt)
{
    struct hd_snapshot *snaps[6];
    struct hd_error err = {0};
    for (uint32_t k = 0; k < snapshots; k++)
        snaps[k] = shop_of_generations(10 * (k + 1));
    struct hd_report *r = ask_tree(snaps, snapshots, opt, &err);
    close_all(snaps, snapshots);
    bool can = (types->count == 0 && !opt->holders) || types->matching > 0;
    cr_assert_eq(r != NULL, can, "%s", err.message);
    if (r == NULL) {
        cr_assert_eq(err.status, HD_USAGE);
        return;
    }
    const struct hd_tree *t = tree(r);
    uint64_t orders = opt->gen2 ? 5 * snapshots : 10 * snapshots;
    cr_assert_eq(t->unmatched_count, types->count - types->matching);
    cr_assert_eq(t->reachable[snapshots - 1].bytes, 24 + 96 * orders);
    if (types->count == 0)
        cr_assert_eq(t->nodes[0].owned[snapshots - 1].bytes, 24 + 96 * orders);
    else
        cr_assert_eq(t->nodes[0].owned[snapshots - 1].bytes, 96 * orders);
    for (size_t i = 0; i < t->len && opt->tree_depth > 0; i++)
        cr_assert_leq(t->nodes[i].depth, opt->tree_depth + (t->nodes[i].others > 0));
    if (opt->rows > 0 && opt->rows < 100)
        cr_assert_leq(lines_of(t), opt->rows < types->count ? types->count : opt->rows);
    expect_sums(t, snapshots);
    write_all(r);
    hd_report_free(r);
}

Test(report_tree, all_questions_together_have_answers_that_add_up)
{
    static const struct asked_types types[] = {{.count = 0},
                                               {{"App.Order"}, 1, 1},
                                               {{"App.Order", "App.O*"}, 2, 2},
                                               {{"App.Order", "Nothing"}, 2, 1},
                                               {{"Nothing"}, 1, 0}};
    static const uint32_t counts[] = {1, 2, 6}, rows[] = {0, 1, 5, HD_DEFAULT_ROWS};
    for (unsigned bits = 0; bits < 3 * 5 * 2 * 2 * 3 * 4; bits++) {
        const struct asked_types *asked = &types[bits / 3 % 5];
        struct hd_options opt = hd_default_options();
        opt.types = asked->types;
        opt.type_count = asked->count;
        opt.holders = bits / 15 % 2 != 0;
        opt.gen2 = bits / 30 % 2 != 0;
        opt.tree_depth = bits / 60 % 3;
        opt.rows = rows[bits / 180 % 4];
        expect_answer(counts[bits % 3], asked, &opt);
    }
}

/* Paths longer than the maximum stack lose their middle but no bytes; the time is linear in
 * the output. */
Test(report_tree, a_path_of_many_types_takes_linear_time, .timeout = 60)
{
    enum { DEEP = 2000 };
    struct forge f = {0};
    struct hd_options opt = hd_default_options();
    node_id above = forge_object(&f, "App.T0", 24);
    forge_root(&f, HD_ROOT_STATIC, "App.T0.s_first", above);
    for (int i = 1; i < DEEP; i++) {
        char name[32];
        snprintf(name, sizeof(name), "App.T%d", i);
        node_id n = forge_object(&f, name, 24);
        forge_reference(&f, above, n);
        above = n;
    }
    struct hd_snapshot *snap = forge_finish(&f);
    opt.least_kept = 1;
    struct hd_report *r = tree_of(&snap, 1, &opt);
    char *text = written(r, "folded");
    cr_expect_eq(tree(r)->nodes[0].owned[0].bytes, 24u * DEEP);
    expect_part(text, ";App.T125;…;App.T1873;");
    expect_part(text, ";App.T1999 24\n");
    free(text);
    write_all(r);
    hd_report_free(r);
}
