/* One object, in every format: its values, with control characters escaped. */
#include "owners/dominators.h"
#include "render/written.h"
#include "report/object_words.h"
#include "support/made_fields.h"
#include "support/random.h"

#include <jansson.h>
#include <math.h>

static const char *const formats[] = {"text", "md", "html", "json", "csv", "tsv"};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

static struct hd_report *made(uint32_t number, bool values)
{
    return object_of(made_fields(), number, values, NULL);
}

static const struct hd_instance *instance_of(const struct hd_report *r)
{
    return hd_report_model(r)->instance;
}

/* --- what is told ---------------------------------------------------------------- */

Test(report_object, describes_the_object_and_its_holders)
{
    struct hd_report *r = made(MADE_OTHER, false);
    const struct hd_instance *x = instance_of(r);
    cr_expect_str_eq(x->object.type, "Shop.Customer");
    cr_expect_eq(x->object.address, made_address(MADE_OTHER));
    cr_expect_eq(x->object.referrers, 2);
    cr_expect(x->object.is_reachable);
    cr_expect_eq(x->root, HD_ROOT_STATIC);
    cr_assert_eq(x->chain_len, 4);
    cr_expect_str_eq(x->chain[1].object.type, "[static var Shop.Store.s_byNumber]");
    cr_expect_null(x->chain[1].field);
    cr_expect_str_eq(x->chain[2].field, "[].value");
    cr_expect_null(x->chain[3].field, "it is the last");
    hd_report_free(r);
}

Test(report_object, prints_fields_in_text)
{
    struct hd_report *r = made(MADE_CUSTOMER, true);
    char *text = written(r, "text");
    expect_line(text, "_id ", "-4711");
    expect_line(text, "_limit ", "18446744073709551615");
    expect_line(text, "_handle ", "0x7f00");
    expect_line(text, "_isOpen ", "true");
    expect_line(text, "_rate ", "0.1");
    expect_line(text, "_state ", "Blocked (2)");
    expect_line(text, "_grade ", "'|' U+007C");
    expect_line(text, "_nothing ", "null");
    expect_line(text, "_name ", "\"hunter2\\x1b[31m\"…");
    expect_line(text, "Extra.Self ", "Shop.Customer");
    expect_no_part(text, "--values");
    free(text);
    hd_report_free(r);
}

Test(report_object, marks_garbage)
{
    struct hd_report *r = made(MADE_LOST_TOO, false);
    cr_expect_not(instance_of(r)->object.is_reachable);
    char *text = written(r, "text");
    expect_line(text, "reachable", "no: no root reaches it");
    expect_part(text, "CHAIN  unreachable; objects that refer to it");
    free(text);
    hd_report_free(r);
}

Test(report_object, shows_the_first_elements_and_how_many_there_are)
{
    struct hd_report *r = made(MADE_BYTES, true);
    cr_expect_eq(instance_of(r)->fields.len, 20);
    cr_expect_eq(instance_of(r)->fields.count, MADE_MANY_BYTES);
    char *text = written(r, "text");
    expect_part(text, "ELEMENTS  20 of 10,000,000\n");
    expect_part(text, "… 9,999,980 more");
    free(text);
    hd_report_free(r);
    struct hd_options opt = hd_default_options();
    opt.rows = 3;
    r = object_of(made_fields(), MADE_BYTES, true, &opt);
    cr_expect_eq(instance_of(r)->fields.len, 3);
    hd_report_free(r);
    opt.rows = 0;
    r = object_of(made_fields(), MADE_BYTES, true, &opt);
    cr_expect_eq(instance_of(r)->fields.len, 100000, "there is an end to it");
    hd_report_free(r);
}

Test(report_object, cuts_a_long_string)
{
    struct hd_report *r = made(MADE_LONG, true);
    cr_expect_eq(strlen(instance_of(r)->fields.text), 4000);
    cr_expect(instance_of(r)->fields.is_cut);
    char *text = written(r, "text");
    expect_part(text, "TEXT  1,000,000 characters of UTF-16\n\"abc");
    free(text);
    hd_report_free(r);
}

Test(report_object, gives_the_offset_of_an_address_inside)
{
    struct hd_snapshot *snap = made_fields();
    struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
    struct hd_object_question ask = {.size = sizeof(ask),
                                     .address = made_address(MADE_NAME) + 40};
    struct hd_report *r = hd_report_object(c, NULL, &ask, NULL);
    cr_expect_eq(instance_of(r)->object.number, MADE_NAME);
    cr_expect_eq(instance_of(r)->offset, 40);
    char *text = written(r, "text");
    expect_line(text, "address", "is inside it, 40 bytes after its start");
    free(text);
    hd_report_free(r);
    hd_comparison_free(c);
    hd_snapshot_close(snap);
}

/* --- secrets --------------------------------------------------------------------- */

Test(report_object, no_format_shows_text_without_a_request)
{
    static const uint32_t objects[] = {MADE_CUSTOMER, MADE_NAME, MADE_LONG, MADE_BYTES};
    static const char *const secrets[] = {"hunter2", "abcdef", "\"value\": 7", "U+007C",
                                          "\"value\": 124"};
    for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
        struct hd_report *r = made(objects[i], false);
        for (size_t f = 0; f < FORMATS; f++) {
            char *got = written(r, formats[f]);
            const char *from = strcmp(formats[f], "html") == 0 ? strstr(got, "<main") : got;
            for (size_t s = 0; s < sizeof(secrets) / sizeof(*secrets); s++)
                expect_no_part(from != NULL ? from : got, secrets[s]);
            free(got);
        }
        char *text = written(r, "text");
        expect_part(text, "not shown");
        expect_part(text, "--values shows");
        free(text);
        hd_report_free(r);
    }
}

/* --- what others wrote ----------------------------------------------------------- */

Test(report_object, no_format_obeys_a_name_or_a_value)
{
    for (uint32_t n = 0; n < MADE_OBJECTS; n++) {
        struct hd_report *r = made(n, true);
        for (size_t f = 0; f < FORMATS; f++) {
            char *got = written(r, formats[f]);
            cr_expect_null(strchr(got, '\x1b'), "%s of %u", formats[f], n);
            free(got);
        }
        hd_report_free(r);
    }
}

Test(report_object, no_value_changes_the_shape_of_a_table)
{
    struct hd_report *r = made(MADE_CUSTOMER, true);
    char *page = written(r, "md"), *tabs = written(r, "tsv"), *html = written(r, "html");
    for (const char *line = strstr(page, "| field |"); line != NULL && line[0] == '|';) {
        size_t bars = 0, len = strcspn(line, "\n");
        for (size_t i = 0; i < len; i++)
            bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
        cr_expect_eq(bars, 4, "%.*s", (int)len, line);
        line += len + 1;
    }
    for (const char *line = tabs; *line != '\0';) {
        size_t cells = 1, len = strcspn(line, "\n");
        for (size_t i = 0; i < len; i++)
            cells += line[i] == '\t';
        cr_expect_eq(cells, 10, "%.*s", (int)len, line);
        line += len + 1;
    }
    expect_no_part(html, "<b>");
    free(page);
    free(tabs);
    free(html);
    hd_report_free(r);
}

/* --- JSON ------------------------------------------------------------------------ */

static json_t *field_of(json_t *result, const char *name)
{
    size_t i;
    json_t *field;
    json_array_foreach(json_object_get(result, "fields"), i,
                       field) if (strcmp(json_string_value(json_object_get(field, "name")),
                                         name) == 0) return field;
    cr_assert_fail("no field %s", name);
    return NULL;
}

Test(report_object, numbers_of_json_are_exact)
{
    struct hd_report *r = made(MADE_CUSTOMER, true);
    char *got = written(r, "json");
    json_t *result = json_loads(got, 0, NULL);
    cr_assert_not_null(result);
    cr_expect_eq(json_integer_value(json_object_get(field_of(result, "_id"), "value")),
                 -4711);
    cr_expect_str_eq(
        json_string_value(json_object_get(field_of(result, "_limit"), "value")),
        "18446744073709551615");
    cr_expect(json_is_true(json_object_get(field_of(result, "_isOpen"), "value")));
    cr_expect_eq(json_real_value(json_object_get(field_of(result, "_rate"), "value")), 0.1);
    cr_expect(json_is_null(json_object_get(field_of(result, "_nothing"), "to")));
    cr_expect(json_is_null(json_object_get(field_of(result, "_name"), "value")));
    json_decref(result);
    free(got);
    hd_report_free(r);
}

/* --- words ----------------------------------------------------------------------- */

static void expect_real(double x, const char *wanted)
{
    struct text t = {0};
    object_add_plain(&t, &(struct hd_field){.kind = HD_FIELD_FLOAT, .real = x});
    cr_expect_str_eq(text_string(&t), wanted);
    text_free(&t);
}

Test(report_object, reals_are_the_shortest_that_are_exact)
{
    expect_real(0, "0");
    expect_real(-0.0, "-0");
    expect_real(0.1, "0.1");
    expect_real(1.0 / 3, "0.3333333333333333");
    expect_real(0.1 + 0.2, "0.30000000000000004");
    expect_real(100, "100");
    expect_real(-1234.5, "-1234.5");
    expect_real(1e16, "10000000000000000");
    expect_real(1e17, "1E+17");
    expect_real(0.0001, "0.0001");
    expect_real(-0.00001234, "-1.234E-05");
    expect_real(1e300, "1E+300");
    expect_real((double)NAN, "NaN");
    expect_real(-(double)INFINITY, "-Infinity");
}

static void expect_cell(const struct hd_field *f, const char *cell, const char *put)
{
    struct text t = {0};
    struct hd_memory m = {0};
    object_add_cell(&t, f);
    hd_put_value(hd_sink_memory(&m), f);
    cr_expect_str_eq(text_string(&t), cell);
    cr_expect_str_eq(m.bytes != NULL ? m.bytes : "", put);
    text_free(&t);
    hd_memory_free(&m);
}

/* For a reference, the value of its target, if it has one. */
Test(report_object, values_in_one_cell)
{
    const struct hd_field in_box = {.kind = HD_FIELD_ENUM,
                                    .number = 2,
                                    .member = "Blocked"},
                          no_value = {.kind = HD_FIELD_ENUM,
                                      .is_null = true,
                                      .member = "x"},
                          date = {.kind = HD_FIELD_STRUCT, .words = "2026-11-24"},
                          unread = {.kind = HD_FIELD_STRUCT};
    struct hd_field to = {.kind = HD_FIELD_REFERENCE, .number = 0x10, .boxed = &in_box};
    expect_cell(&in_box, "Blocked", "Blocked (2)");
    expect_cell(&no_value, "null", "null");
    expect_cell(&date, "2026-11-24", "2026-11-24");
    expect_cell(&unread, "not known", "not known");
    expect_cell(&to, "Blocked", "Blocked (2)");
    to.boxed = NULL;
    to.is_hidden = true;
    expect_cell(&to, "", "");
    to.text = "a\"b";
    expect_cell(&to, "a\"b", "\"a\\\"b\"");
    expect_cell(&(struct hd_field){.kind = HD_FIELD_SIGNED, .is_hidden = true}, "",
                "not shown");
}

/* --- errors ---------------------------------------------------------------------- */

static void expect_refused(struct hd_snapshot **snaps, size_t count,
                           const struct hd_object_question *ask, const char *part)
{
    struct hd_error err = {0};
    struct hd_comparison *c = hd_comparison_of(snaps, count, NULL);
    cr_expect_null(hd_report_object(c, NULL, ask, &err));
    cr_expect_eq(err.status, HD_USAGE);
    expect_part(err.message, part);
    hd_comparison_free(c);
    close_all(snaps, count);
}

Test(report_object, a_missing_object_is_refused)
{
    struct hd_object_question first = {.size = sizeof(first), .by_number = true},
                              far = {.size = sizeof(far),
                                     .by_number = true,
                                     .number = HD_NO_OBJECT - 1},
                              address = {.size = sizeof(address), .address = 0x7f00};
    struct hd_snapshot *table = shop_table(10), *two[] = {shop(1), shop(2)};
    struct hd_snapshot *without = shop(10), *with = made_fields(), *few = shop(10);
    expect_refused(&table, 1, &first, "no single objects");
    expect_refused(two, 2, &far, "no object 4294967294");
    expect_refused(&few, 1, &far, "no object 4294967294");
    expect_refused(&without, 1, &address, "has no addresses");
    expect_refused(&with, 1, &address, "no object at 0x7f00");
}

/* --- what it retains ------------------------------------------------------------- */

static struct hd_snapshot *any_heap(struct random *r)
{
    enum { OBJECTS = 12 };
    struct forge f = {0};
    uint32_t roots = 1 + random_below(r, 3), edges = random_below(r, 3 * OBJECTS);
    node_id first = forge_object(&f, "App.Any", 24);
    for (int i = 1; i < OBJECTS; i++)
        forge_object(&f, "App.Any", 24 + 8 * random_below(r, 9));
    for (uint32_t i = 0; i < edges; i++)
        forge_reference(&f, first + random_below(r, OBJECTS),
                        first + random_below(r, OBJECTS));
    for (uint32_t i = 0; i < roots; i++)
        forge_root(&f, HD_ROOT_STACK, NULL, first + random_below(r, OBJECTS));
    return forge_finish(&f);
}

/* Retained bytes including its own; HD_UNKNOWN for garbage. */
static uint64_t dominated_by(const struct hd_snapshot *snap, node_id n)
{
    struct dominators d = dominators_find(snap, DOMINATORS_PLAIN);
    uint64_t bytes = HD_UNKNOWN;
    bool below[64] = {false};
    for (uint32_t i = 0; i < d.count; i++) {
        below[i] = d.node[i] == n || (i > 0 && below[d.idom[i]]);
        if (d.node[i] == n)
            bytes = 0;
        if (below[i] && snap->types[snap->graph->type[d.node[i]]].kind == TYPE_OBJECT)
            bytes += graph_size(snap->graph, d.node[i]);
    }
    dominators_free(&d);
    return bytes;
}

Test(report_object, retains_what_it_dominates)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct random r = random_from(seed), again = r;
        struct hd_snapshot *snap = any_heap(&r), *same = any_heap(&again);
        uint32_t n = random_below(&r, snap->graph->node_count);
        uint64_t wanted = dominated_by(snap, n);
        struct hd_report *report = object_of(same, n, false, NULL);
        cr_expect_eq(instance_of(report)->retained, wanted, "seed %d, object %u", (int)seed,
                     n);
        hd_report_free(report);
        hd_snapshot_close(snap);
    }
}
