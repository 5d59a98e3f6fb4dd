#include "heap/process_facts.h"
#include "render/written.h"

#include <criterion/criterion.h>
#include <jansson.h>

static json_t *json_of(const struct hd_report *r)
{
    char *bytes = written(r, "json");
    json_error_t err;
    json_t *whole = json_loads(bytes, JSON_REJECT_DUPLICATES, &err);
    cr_assert_not_null(whole, "%s in %s", err.text, bytes);
    free(bytes);
    return whole;
}

/* The member with a key; element i of an array. */
static const json_t *part(const json_t *from, const char *key)
{
    const json_t *found = json_object_get(from, key);
    cr_assert_not_null(found, "no %s", key);
    return found;
}

static const json_t *item(const json_t *from, const char *key, size_t i)
{
    const json_t *found = json_array_get(part(from, key), i);
    cr_assert_not_null(found, "no %s[%zu]", key, i);
    return found;
}

static void expect_string(const json_t *from, const char *key, const char *wanted)
{
    const char *got = json_string_value(part(from, key));
    cr_expect(got != NULL && strcmp(got, wanted) == 0, "%s is %s", key, got);
}

static void expect_integer(const json_t *value, json_int_t wanted)
{
    cr_expect(json_is_integer(value), "no integer");
    cr_expect_eq(json_integer_value(value), wanted, "%lld",
                 (long long)json_integer_value(value));
}

/* Expects an object to begin with these keys, in this order. New ones are appended. */
static void expect_keys(const json_t *object, const char *wanted)
{
    struct text t = {0};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        text_add_string(&t, t.len > 0 ? " " : "");
        text_add_string(&t, key);
    }
    text_add_char(&t, ' ');
    size_t len = strlen(wanted);
    const char *got = text_string(&t);
    cr_expect(strncmp(got, wanted, len) == 0 && got[len] == ' ', "%s", got);
    text_free(&t);
}

/* --- shape ----------------------------------------------------------------------- */

static const char snapshot_keys[] =
    "path format producer time pid process objects references roots types bytes "
    "reachable_objects reachable_bytes has_graph has_roots has_generations sampled "
    "complete "
    "xxh3 host container program started runtime";

Test(write_json, a_diff_has_its_keys_in_their_order)
{
    struct hd_options opt = hd_default_options();
    opt.min_share = 0.2;
    struct hd_snapshot *snaps[] = {shop_table(1), shop_table(2), shop(3)};
    struct hd_report *r = diff_of(snaps, 3, &opt);
    json_t *o = json_of(r);
    expect_keys(o,
                "schema schema_version tool_version snapshots iterations confidence totals "
                "suspects minor pooled types types_omitted warnings by growth stopped "
                "suspects_hidden span_seconds bytes_per_hour");
    expect_string(o, "schema", "heapdrift-diff");
    expect_integer(part(o, "schema_version"), 1);
    expect_string(o, "tool_version", HD_VERSION);
    expect_keys(item(o, "snapshots", 0), snapshot_keys);
    expect_keys(part(o, "totals"), "objects bytes reachable_objects reachable_bytes");
    expect_keys(item(o, "suspects", 0),
                "rank type subject basis score score_share tau count bytes retained "
                "per_iteration holder chains");
    expect_keys(item(o, "minor", 0),
                "rank type subject basis score score_share tau count bytes retained "
                "per_iteration holder");
    expect_keys(item(o, "types", 0), "type count bytes status");
    const json_t *chain = item(item(o, "suspects", 0), "chains", 0);
    expect_keys(chain,
                "root_kind status frames share share_low share_high instances retained "
                "exact example frames_omitted");
    expect_keys(item(chain, "frames", 0), "types repeat_min repeat_max");
    expect_keys(part(chain, "example"), "object address generation");
    json_decref(o);
    hd_report_free(r);
}

Test(write_json, the_other_reports_have_theirs)
{
    struct hd_report *r = top_of(shop(3), NULL);
    json_t *o = json_of(r);
    expect_keys(
        o, "schema schema_version tool_version snapshot types types_omitted warnings by");
    expect_string(o, "schema", "heapdrift-top");
    expect_keys(part(o, "snapshot"), snapshot_keys);
    expect_keys(item(o, "types", 0), "type count bytes retained");
    json_decref(o);
    hd_report_free(r);
    r = roots_of(shop(3), "App.*", hd_default_options());
    o = json_of(r);
    expect_keys(
        o, "schema schema_version tool_version snapshots type matched instances chains "
           "warnings");
    expect_string(o, "schema", "heapdrift-roots");
    expect_string(o, "type", "App.*");
    cr_expect_eq(json_array_size(part(o, "matched")), 3);
    json_decref(o);
    hd_report_free(r);
    r = info_of_two();
    o = json_of(r);
    expect_keys(o, "schema schema_version tool_version snapshots warnings");
    expect_string(o, "schema", "heapdrift-info");
    const json_t *error = part(item(o, "snapshots", 1), "error");
    expect_string(error, "message", "it is | broken");
    expect_integer(part(error, "offset"), 12);
    cr_expect(json_is_null(part(error, "line")));
    json_decref(o);
    hd_report_free(r);
}

Test(write_json, output_ends_with_one_newline)
{
    struct hd_report *r = info_of_two();
    char *got = written(r, "json");
    size_t len = strlen(got);
    cr_expect(len > 2 && strcmp(got + len - 2, "}\n") == 0);
    free(got);
    hd_report_free(r);
}

/* --- numbers ------------------------------------------------------------------------ */

static json_int_t sum_of(const json_t *o, const char *key, size_t k)
{
    json_int_t sum = 0;
    for (size_t i = 0; i < json_array_size(part(o, "types")); i++)
        sum += json_integer_value(json_array_get(part(item(o, "types", i), key), k));
    return sum;
}

Test(write_json, rows_add_up_to_the_totals)
{
    struct hd_report *r = shop_diff(NULL);
    json_t *o = json_of(r);
    expect_integer(part(o, "types_omitted"), 0);
    for (size_t k = 0; k < SHOPS; k++) {
        expect_integer(item(part(o, "totals"), "objects", k), sum_of(o, "count", k));
        expect_integer(item(part(o, "totals"), "bytes", k), sum_of(o, "bytes", k));
        expect_integer(part(item(o, "snapshots", k), "bytes"), sum_of(o, "bytes", k));
    }
    json_decref(o);
    hd_report_free(r);
}

Test(write_json, rows_that_are_cut_are_counted)
{
    struct hd_options opt = hd_default_options();
    opt.rows = 1;
    opt.min_share = 1;
    struct hd_report *r = shop_table_diff(&opt);
    json_t *o = json_of(r);
    cr_expect_eq(json_array_size(part(o, "types")), 1);
    expect_integer(part(o, "types_omitted"), 3);
    cr_expect_eq(json_array_size(part(o, "minor")), 3, "minor is never cut");
    json_decref(o);
    hd_report_free(r);
}

Test(write_json, unknown_values_are_null_and_never_zero)
{
    struct hd_snapshot *snaps[] = {table_of("A", 1, HD_UNKNOWN), table_of("A", 2, 30)};
    struct hd_report *r = diff_of(snaps, 2, NULL);
    json_t *o = json_of(r);
    static const char *const keys[] = {"producer",
                                       "time",
                                       "pid",
                                       "process",
                                       "references",
                                       "roots",
                                       "reachable_objects",
                                       "reachable_bytes",
                                       "xxh3",
                                       "bytes"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        cr_expect(json_is_null(part(item(o, "snapshots", 0), keys[i])), "%s", keys[i]);
    cr_expect(json_is_null(item(part(o, "totals"), "bytes", 0)));
    expect_integer(item(part(o, "totals"), "bytes", 1), 30);
    cr_expect(json_is_null(part(part(o, "totals"), "reachable_objects")));
    cr_expect(json_is_null(part(part(o, "totals"), "reachable_bytes")));
    cr_expect(json_is_null(part(o, "iterations")));
    const json_t *suspect = item(o, "suspects", 0);
    cr_expect(json_is_null(item(suspect, "bytes", 0)));
    cr_expect(json_is_null(part(suspect, "retained")));
    cr_expect(json_is_null(part(suspect, "per_iteration")));
    cr_expect(json_is_null(part(suspect, "holder")));
    cr_expect(json_is_null(item(item(o, "types", 0), "bytes", 0)));
    json_decref(o);
    hd_report_free(r);
}

Test(write_json, integers_are_exact)
{
    struct hd_report *r = top_of(table_of("A", 1, 9007199254740993), NULL);
    json_t *o = json_of(r);
    expect_integer(part(item(o, "types", 0), "bytes"), 9007199254740993);
    json_decref(o);
    hd_report_free(r);
}

Test(write_json, iterations_and_growth_per_iteration_are_written)
{
    struct hd_options opt = hd_default_options();
    opt.iterations = (const uint64_t[]){0, 10, 20, 30};
    struct hd_report *r = shop_diff(&opt);
    json_t *o = json_of(r);
    expect_integer(item(o, "iterations", 3), 30);
    expect_integer(part(item(o, "suspects", 0), "per_iteration"), 1);
    json_decref(o);
    hd_report_free(r);
}

Test(write_json, known_generations_and_addresses_are_written)
{
    struct forge f = {0};
    node_id order = forge_object(&f, "App.Order", 24);
    forge_generation(&f, order, HD_GEN2);
    forge_root(&f, HD_ROOT_STACK, NULL, order);
    struct hd_report *r = roots_of(forge_finish(&f), "Order", hd_default_options());
    json_t *o = json_of(r);
    const json_t *example = part(item(o, "chains", 0), "example");
    expect_integer(part(example, "object"), order);
    expect_string(example, "generation", "gen2");
    char address[32];
    snprintf(address, sizeof(address), "0x%llx",
             (unsigned long long)forge_address(HD_GEN2, order));
    expect_string(example, "address", address);
    json_decref(o);
    hd_report_free(r);
}

/* --- strings ---------------------------------------------------------------------------
 */

static void expect_name(const char *type, const char *wanted)
{
    struct hd_report *r = top_of(table_of(type, 1, 10), NULL);
    json_t *o = json_of(r);
    expect_string(item(o, "types", 0), "type", wanted);
    json_decref(o);
    hd_report_free(r);
}

Test(write_json, names_survive_whatever_is_in_them)
{
    expect_name("App.Größe<日本>", "App.Größe<日本>");
    expect_name("a\"b\\c/d", "a\"b\\c/d");
    expect_name("a\x01\x1f\t\n\x7f"
                "b",
                "a\x01\x1f\t\n\x7f"
                "b");
    expect_name("=1+1|`", "=1+1|`");
    expect_name("𝔘", "𝔘");
}

Test(write_json, no_name_commands_a_terminal_or_a_build_server)
{
    static const char name[] =
        "::a\x1b\x7f\xc2\x9b\xe2\x80\xae##vso[x]###[y] Gr\xc3\xb6\xc3\x9f";
    struct hd_report *r = top_of(table_of(name, 1, 10), NULL);
    char *got = written(r, "json");
    cr_expect_not_null(strstr(got, "\"::a\\u001B\\u007F\\u009B\\u202E#\\u0023vso[x]##"
                                   "\\u0023[y] Gr\xc3\xb6\xc3\x9f\""),
                       "%s", got);
    free(got);
    hd_report_free(r);
    /* Still the same name. */
    expect_name(name, name);
}

Test(write_json, invalid_utf_8_is_replaced)
{
    expect_name("a\xff"
                "b",
                "a\xef\xbf\xbd"
                "b");
    expect_name("a\xc3", "a\xef\xbf\xbd");
    expect_name("a\xed\xa0\x80"
                "b",
                "a\xef\xbf\xbd"
                "b");
}

Test(write_json, warnings_have_snapshot_and_number)
{
    struct hd_snapshot *snaps[] = {shop(1), shop(2)};
    for (int i = 0; i < 3; i++)
        warnings_add(&snaps[1]->warnings, WARN_DANGLING_REFERENCE, 40);
    struct hd_report *r = diff_of(snaps, 2, NULL);
    json_t *o = json_of(r);
    const json_t *w = item(o, "warnings", 0), *few = item(o, "warnings", 1);
    expect_keys(w, "code snapshot message count line");
    expect_string(w, "code", "dangling-reference");
    expect_integer(part(w, "snapshot"), 1);
    expect_integer(part(w, "count"), 3);
    expect_integer(part(w, "line"), 40);
    expect_string(few, "code", "few-snapshots");
    cr_expect(json_is_null(part(few, "snapshot")));
    cr_expect(json_is_null(part(few, "count")));
    json_decref(o);
    hd_report_free(r);
}

/* The kernel truncates names of threads to 15 bytes, possibly inside a character. */
Test(write_json, names_of_threads_may_be_any_bytes)
{
    static const char line[] =
        "resident=5 thread=3:%22\\%ff%0a%e2%80%ae thread=1:123%e2%82";
    struct hd_snapshot *snap = shop(10);
    struct hd_info_entry entry = {.path = "forged", .snap = snap};
    process_facts_parse(&snap->facts, line, strlen(line));
    struct hd_report *r = ask_info(&entry, 1);
    char *json = written(r, "json");
    expect_part(json, "\"threads_by_name\": {");
    expect_part(json, "\"\\\"\\\\\xEF\xBF\xBD\\n\\u202E\": 3");
    expect_part(json, "\"123\xEF\xBF\xBD\xEF\xBF\xBD\": 1");
    free(json);
    hd_report_free(r);
    hd_snapshot_close(snap);
}
