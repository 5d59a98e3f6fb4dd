/* JSON, one object: what the records say (records.h); docs/json-schema has the schemas.
 * Keys stand in their order, unknown values are null, integers are exact. */
#include "render/writer.h"
#include "report/records.h"

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
