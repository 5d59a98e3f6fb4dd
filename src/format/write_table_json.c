/* The type table as JSON, with what is known of the snapshot: mirror of
 * read_table_json.c. */
#include "format/snapshot_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Names are bytes; JSON is UTF-8. */
static json_t *string_or_null(const char *s)
{
    if (s == NULL)
        return json_null();
    struct text t = {0};
    text_add_utf8(&t, s, strlen(s));
    json_t *value = json_stringn_nocheck(t.len > 0 ? t.data : "", t.len);
    text_free(&t);
    return value;
}

static json_t *number_or_null(uint64_t n)
{
    return n == HD_UNKNOWN ? json_null() : json_integer((json_int_t)n);
}

static void put(struct out *o, json_t *value)
{
    char *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (text != NULL)
        out_string(o, text);
    else if (o->failed == 0)
        o->failed = ENOMEM;
    free(text);
    json_decref(value);
}

static json_t *snapshot(const struct hd_info *info)
{
    json_t *s = json_object();
    json_object_set_new(s, "time", string_or_null(info->time));
    json_object_set_new(s, "pid", number_or_null(info->pid));
    json_object_set_new(s, "process", string_or_null(info->process));
    json_object_set_new(s, "sampled", json_boolean(info->sampled));
    json_object_set_new(s, "complete", json_boolean(info->complete));
    return s;
}

static json_t *row(const struct type *type)
{
    json_t *r = json_object();
    json_object_set_new(r, "type", string_or_null(type->name));
    json_object_set_new(r, "count", number_or_null(type->tally[SELECT_ALL].count));
    json_object_set_new(r, "bytes", number_or_null(type->tally[SELECT_ALL].bytes));
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
    put(o, snapshot(&snap->info));
    out_string(o, ",\n \"types\": [");
    const char *between = "\n  ";
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->kind != TYPE_OBJECT || type->tally[SELECT_ALL].count == 0)
            continue;
        out_string(o, between);
        put(o, row(type));
        between = ",\n  ";
    }
    out_string(o, "]}\n");
    return true;
}

const struct snapshot_writer write_table_json = {
    .name = "table-json",
    .summary = "the same with time and process, for programs",
    .suffix = ".json",
    .holds = FACT_TIME | FACT_PROCESS | FACT_PID | FACT_SAMPLING | FACT_INCOMPLETE,
    .write = write,
};
