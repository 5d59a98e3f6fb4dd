#include "render/writer.h"

#include "base/error.h"
#include "document/build.h"
#include "report/records.h"
#include "report/view.h"

#include <stdio.h>
#include <string.h>

const struct writer *const writers[] = {
    &write_text,       &write_json,  &write_csv,   &write_tsv,        &write_markdown,
    &write_html,       &write_junit, &write_sarif, &write_github,     &write_folded,
    &write_speedscope, &write_pprof, &write_dot,   &write_prometheus, NULL,
};

const char *hd_format_name(size_t i)
{
    return i + 1 < sizeof(writers) / sizeof(writers[0]) ? writers[i]->name : NULL;
}

const char *hd_format_summary(size_t i)
{
    return i + 1 < sizeof(writers) / sizeof(writers[0]) ? writers[i]->summary : NULL;
}

bool hd_format_is_for_check(size_t i)
{
    return hd_format_name(i) != NULL && writers[i]->holds == HOLDS_CHECKS;
}

bool hd_format_is_for_tree(size_t i)
{
    return hd_format_name(i) != NULL && writers[i]->holds == HOLDS_TREES;
}

bool hd_format_is_binary(size_t i)
{
    return hd_format_name(i) != NULL && writers[i]->is_binary;
}

static bool holds(const struct writer *w, const struct hd_report *r, struct hd_error *err)
{
    if (w->holds == HOLDS_CHECKS && r->kind != HD_REPORT_CHECK)
        return fail(err, HD_USAGE, "%s is for checks only", w->name);
    if (w->holds == HOLDS_TREES && r->model.tree == NULL)
        return fail(err, HD_USAGE, "%s is for trees only", w->name);
    if (w->holds == HOLDS_FLEETS && r->kind != HD_REPORT_FLEET)
        return fail(err, HD_USAGE, "%s is for fleets only", w->name);
    return true;
}

static void write_with(const struct writer *w, const struct hd_report *r,
                       const struct hd_write_options *opt, struct out *o)
{
    if (w->write != NULL) {
        w->write(r, opt, o);
        return;
    }
    struct document *d = document_of(r, opt, false);
    w->render(d, opt, o);
    document_free(d);
}

bool hd_report_write(const struct hd_report *report, const char *format,
                     const struct hd_write_options *opt, struct hd_sink to,
                     struct hd_error *err)
{
    struct hd_write_options how;
    if (!options_copy(&how, sizeof(how), OPTIONS_END(struct hd_write_options, details), opt,
                      err))
        return false;
    for (const struct writer *const *w = writers; *w != NULL; w++) {
        if (strcmp((*w)->name, format) != 0)
            continue;
        if (!holds(*w, report, err))
            return false;
        struct out out = {.to = to};
        struct hd_report shown = *report;
        struct arena sums = {0};
        bool is_tree = report->kind == HD_REPORT_TREE;
        if (((*w)->all_rows || (is_tree && (*w)->whole_tree)) &&
            report->options.rows == HD_DEFAULT_ROWS)
            view_cut(&shown, 0, &sums);
        report_publish(&shown);
        write_with(*w, &shown, &how, &out);
        arena_free(&sums);
        return out_finish(&out, err);
    }
    return fail(err, HD_USAGE, "unknown output format: %s", format);
}

bool hd_hint_write(const char *name, const struct hd_write_options *opt, struct hd_sink to,
                   struct hd_error *err)
{
    struct hd_write_options how;
    if (!options_copy(&how, sizeof(how), OPTIONS_END(struct hd_write_options, details), opt,
                      err))
        return false;
    struct document *d = name != NULL ? document_of_hint(name) : document_of_hints();
    if (d == NULL)
        return fail(err, HD_USAGE, "no hint is called %s", name);
    struct out out = {.to = to};
    write_text.render(d, &how, &out);
    document_free(d);
    return out_finish(&out, err);
}

/* --- JSON ---------------------------------------------------------------------------- */

/* One object with the members of the records (records.h); docs/json-schema has the schemas.
 * Keys are in a fixed order, unknown values are null, integers are exact. */
const struct record *const document_records[HD_REPORT_KIND_COUNT] = {
    [HD_REPORT_DIFF] = &record_diff,           [HD_REPORT_TOP] = &record_top,
    [HD_REPORT_ROOTS] = &record_roots,         [HD_REPORT_INFO] = &record_info,
    [HD_REPORT_CHECK] = &record_check,         [HD_REPORT_TREE] = &record_tree,
    [HD_REPORT_PROCESSES] = &record_processes, [HD_REPORT_OBJECT] = &record_object,
    [HD_REPORT_FLEET] = &record_fleet,         [HD_REPORT_OBJECTS] = &record_objects,
    [HD_REPORT_STATICS] = &record_statics,
};

json_t *report_json(const struct hd_model *m)
{
    struct record_walk w = {.snapshots = m->snapshot_count, .context = m};
    json_t *o = json_object();
    char schema[32];
    snprintf(schema, sizeof(schema), "heapdrift-%s", document_records[m->kind]->name);
    json_put(o, "schema", json_string(schema));
    json_put(o, "schema_version", json_integer(SCHEMA_VERSION));
    json_put(o, "tool_version", json_string(HD_VERSION));
    record_put(o, document_records[m->kind], m, &w);
    return o;
}

static void json_report_write(const struct hd_report *r, const struct hd_write_options *opt,
                              struct out *o)
{
    (void)opt;
    json_write(report_json(&r->model), o);
}

const struct writer write_json = {
    .name = "json",
    .summary = "for programs; schemas in docs/json-schema",
    .whole_tree = true,
    .write = json_report_write,
};
