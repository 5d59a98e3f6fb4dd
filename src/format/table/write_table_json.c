/* The type table as JSON, with what is known of the snapshot: mirror of
 * read_table_json.c. */
#include "format/snapshot_writer.h"

#include "base/json_out.h"
#include "format/table/json_input.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

static json_t *snapshot(const struct hd_info *info)
{
    json_t *s = json_object();
    json_put(s, "time", json_string_or_null(info->time));
    json_put(s, "pid", json_number_or_null(info->pid));
    json_put(s, "process", json_string_or_null(info->process));
    json_put(s, "sampled", json_boolean(info->sampled));
    json_put(s, "complete", json_boolean(info->complete));
    for (size_t i = 0; i < JSON_FACTS; i++) {
        const char *fact = *(const char *const *)((const char *)info + json_facts[i].field);
        if (fact != NULL)
            json_put(s, json_facts[i].key, json_string_or_null(fact));
    }
    return s;
}

static json_t *row(const struct type *type)
{
    json_t *r = json_object();
    json_put(r, "type", json_string_or_null(type->name));
    json_put(r, "count", json_number_or_null(type->tally[SELECT_ALL].count));
    json_put(r, "bytes", json_number_or_null(type->tally[SELECT_ALL].bytes));
    return r;
}

static bool write(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                  struct hd_error *err)
{
    (void)l;
    /* jansson's integers are signed. */
    if (!table_fits(snap, INT64_MAX, err))
        return false;
    out_string(o, "{\"format\": \"heapdrift-table\", \"version\": 1,\n \"snapshot\": ");
    json_write_line(snapshot(&snap->info), o);
    out_string(o, ",\n \"types\": [");
    const char *between = "\n  ";
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->kind != TYPE_OBJECT || type->tally[SELECT_ALL].count == 0)
            continue;
        out_string(o, between);
        json_write_line(row(type), o);
        between = ",\n  ";
    }
    out_string(o, "]}\n");
    return true;
}

const struct snapshot_writer write_table_json = {
    .name = "table-json",
    .summary = "the same with time and process, for programs",
    .suffix = ".json",
    .holds =
        FACT_TIME | FACT_PROCESS | FACT_PID | FACT_HOST | FACT_SAMPLING | FACT_INCOMPLETE,
    .write = write,
};
