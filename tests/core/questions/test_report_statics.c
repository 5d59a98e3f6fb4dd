/* Static variables as a report: selection, order, values. */
#include "render/written.h"
#include "support/asked.h"
#include "support/forge.h"
#include "support/made_fields.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

static const struct hd_static_set *set_of(const struct hd_report *r)
{
    return hd_report_model(r)->statics;
}

/* A small list and a large array; a list with two variables; a list of a thread. */
static struct hd_snapshot *variables(void)
{
    struct forge f = {0};
    node_id list = forge_object(&f, "System.Collections.Generic.List<App.Order>", 32);
    node_id order = forge_objects(&f, "App.Order", 100, 3);
    node_id array = forge_object(&f, "System.Byte[]", 250);
    node_id both = forge_object(&f, "App.Cache", 24);
    for (uint32_t i = 0; i < 3; i++)
        forge_reference(&f, list, order + i);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_large", array);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_all", list);
    forge_root(&f, HD_ROOT_STATIC, "System.Cache.s_one", both);
    forge_root(&f, HD_ROOT_STATIC, "System.Cache.s_other", both);
    forge_root(&f, HD_ROOT_STACK, NULL, order);
    return forge_finish(&f);
}

Test(report_statics, variables_with_the_largest_retained_size_are_first)
{
    struct hd_report *r = statics_of(variables(), NULL);
    const struct hd_static_set *set = set_of(r);
    static const struct {
        const char *field;
        uint64_t bytes, retained;
    } wanted[] = {{"s_large", 250, 250},
                  {"s_all", 32, 232}, /* without the order that a frame also holds */
                  {"s_one", 24, 24},
                  {"s_other", 24, 24}};
    cr_expect_not(set->has_values);
    cr_expect_eq(set->count, 4);
    cr_assert_eq(set->len, 4);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_str_eq(set->rows[i].field.name, wanted[i].field);
        cr_expect_eq(set->rows[i].bytes, wanted[i].bytes);
        cr_expect_eq(set->rows[i].retained, wanted[i].retained, "%s", wanted[i].field);
        cr_expect_not(set->rows[i].of_thread);
    }
    cr_expect_str_eq(set->rows[1].field.to_type,
                     "System.Collections.Generic.List<App.Order>");
    hd_report_free(r);
}

/* As PerfView names them, with a static variable of the process for comparison. */
Test(report_statics, variables_of_threads_are_marked_without_values)
{
    struct forge f = {0};
    node_id of_thread = forge_object(&f, "App.Buffer", 64);
    node_id of_process = forge_object(&f, "App.Cache", 32);
    node_id start = forge_pseudo(&f, "[.NET Roots]");
    node_id thread = forge_pseudo(&f, "[thread static var App.Shop.t_buffer]");
    node_id process = forge_pseudo(&f, "[static var App.Shop.s_cache]");
    forge_reference(&f, start, thread);
    forge_reference(&f, start, process);
    forge_reference(&f, thread, of_thread);
    forge_reference(&f, process, of_process);
    forge_start(&f, start);
    struct hd_report *r = statics_of(forge_finish(&f), NULL);
    cr_assert_eq(set_of(r)->len, 2);
    cr_expect_str_eq(set_of(r)->rows[0].field.name, "t_buffer");
    cr_expect(set_of(r)->rows[0].of_thread);
    cr_expect_str_eq(set_of(r)->rows[1].field.name, "s_cache");
    cr_expect_not(set_of(r)->rows[1].of_thread);
    hd_report_free(r);
}

Test(report_statics, rows_are_cut_and_the_rest_is_counted)
{
    struct hd_options opt = hd_default_options();
    opt.rows = 2;
    struct hd_report *r = statics_of(variables(), &opt);
    cr_expect_eq(set_of(r)->len, 2);
    cr_expect_eq(set_of(r)->omitted, 2);
    cr_expect_eq(set_of(r)->count, 4);
    hd_report_free(r);
}

static uint64_t chosen(struct hd_snapshot *snap, const char *type, const char *exclude,
                       bool app_only)
{
    struct hd_options opt = hd_default_options();
    opt.types = &type;
    opt.type_count = type != NULL;
    opt.excludes = &exclude;
    opt.exclude_count = exclude != NULL;
    opt.app_only = app_only;
    struct hd_report *r = statics_of(snap, &opt);
    uint64_t count = set_of(r)->count;
    hd_report_free(r);
    return count;
}

/* By the class, the variable, its type, and the type of the object. */
Test(report_statics, patterns_match_whatever_a_variable_is_known_by)
{
    cr_expect_eq(chosen(made_fields(), "Shop.Store", NULL, false), 4);
    cr_expect_eq(chosen(made_fields(), "Shop.Store.s_*", NULL, false), 3);
    cr_expect_eq(chosen(made_fields(), "System.DateTime", NULL, false), 1);
    cr_expect_eq(chosen(made_fields(), "Shop.Entry[]", NULL, false), 1);
    cr_expect_eq(chosen(made_fields(), NULL, "System.*", false), 1);
    cr_expect_eq(chosen(made_fields(), "Shop.Store", "Shop.Store.t_last", false), 3);
    cr_expect_eq(chosen(made_fields(), NULL, NULL, true), 4);
    /* Without a class, the object's type is matched. */
    cr_expect_eq(chosen(variables(), NULL, NULL, true), 3);
    cr_expect_eq(chosen(variables(), "App.Cache", NULL, false), 2);
}

Test(report_statics, secrets_need_asking_for)
{
    struct hd_options opt = hd_default_options();
    struct hd_report *r = statics_of(made_fields(), &opt);
    const struct hd_static *rows = set_of(r)->rows;
    cr_expect(set_of(r)->has_values);
    cr_expect_eq(set_of(r)->unset, 1);
    cr_expect_str_eq(rows[0].field.name, "s_byNumber");
    cr_expect_str_eq(rows[1].field.name, "s_letter");
    cr_expect(rows[1].field.is_hidden);
    cr_expect_eq(rows[1].field.number, 0);
    cr_expect_str_eq(rows[2].field.words, "2026-11-24 15:04:05.1234567Z");
    cr_expect_not(rows[3].is_set);
    cr_expect_eq(rows[3].bytes, HD_UNKNOWN);
    hd_report_free(r);
    opt.values = true;
    r = statics_of(made_fields(), &opt);
    cr_expect_not(set_of(r)->rows[1].field.is_hidden);
    cr_expect_eq(set_of(r)->rows[1].field.number, '|');
    hd_report_free(r);
}

/* A variable without a value has none in any format. */
Test(report_statics, formats_for_programs_and_people_have_the_same_content)
{
    struct hd_report *r = statics_of(made_fields(), NULL);
    char *csv = written(r, "csv"), *text = written(r, "text"), *json = written(r, "json");
    cr_expect_not_null(strstr(csv, "Shop.Store,s_started,System.DateTime,struct,"
                                   "2026-11-24 15:04:05.1234567Z,,,,,false,,true,"));
    cr_expect_not_null(
        strstr(csv, "Shop.Store,t_last,System.Int32,signed,,,,,,true,,false"));
    cr_expect_not_null(strstr(text, "4 static variables"));
    cr_expect_not_null(strstr(text, "not set yet"));
    cr_expect_not_null(strstr(text, "not shown"));
    json_t *result = json_loads(json, 0, NULL);
    json_t *row = json_array_get(json_object_get(result, "statics"), 0);
    cr_expect_eq(json_integer_value(json_object_get(result, "count")), 4);
    cr_expect(json_integer_value(json_object_get(row, "retained")) > 64);
    json_decref(result);
    free(csv);
    free(text);
    free(json);
    hd_report_free(r);
}

static void expect_refused(struct hd_snapshot **snaps, size_t count,
                           const struct hd_options *opt, const char *part)
{
    struct hd_error err = {0};
    cr_expect_null(ask_statics(snaps, count, opt, &err));
    cr_expect_not_null(strstr(err.message, part), "%s", err.message);
    for (size_t i = 0; i < count; i++)
        hd_snapshot_close(snaps[i]);
}

Test(report_statics, a_missing_variable_is_refused)
{
    struct forge f = {0};
    struct hd_options opt = hd_default_options();
    const char *pattern = "App.Nothing";
    forge_root(&f, HD_ROOT_STACK, NULL, forge_object(&f, "App.Order", 100));
    struct hd_snapshot *unnamed = forge_finish(&f), *two[] = {variables(), variables()};
    struct forge native = {0};
    forge_root(&native, HD_ROOT_STACK, NULL, forge_object(&native, "App.Order", 100));
    struct hd_snapshot *of_native = forge_finish(&native);
    of_native->image_base = 0x560000001000;
    expect_refused(&of_native, 1, NULL, "a native AOT program names no static variables");
    expect_refused(&unnamed, 1, NULL, "this forged names no static variables");
    expect_refused(two, 2, NULL, "one snapshot");
    opt.types = &pattern;
    opt.type_count = 1;
    struct hd_snapshot *one = variables();
    expect_refused(&one, 1, &opt, "no static variable");
}
