/* read_table_json.c - heapdrift's own type table as JSON, in two forms:
 *
 *     {"format": "heapdrift-table", "version": 1, "types": [ROW, ...]}
 *     {"schema": "heapdrift-top", "schema_version": 1, "snapshot": {...},
 *      "types": [ROW, ...], "types_omitted": 0, ...}
 *     ROW = {"type": "System.String", "count": 66412, "bytes": 4217344}
 *
 * The second is what `top --format=json` prints, so a stored result can be
 * compared later when the snapshot is gone. Other members are ignored.
 * docs/formats/table-json.md. */
#include "base/calendar.h"
#include "base/error.h"
#include "format/reader.h"
#include "format/table/json_input.h"
#include "format/table/table_text.h"

#include <string.h>

enum { VERSION = 1 };

/* Objects that are known to be something else: read_foreign is asked before. */
static enum recognition recognises(struct bytes head)
{
    static const char ours[] = "\"heapdrift-";
    if (json_input_first_byte(head) != '{')
        return RECOGNISED_NO;
    for (size_t i = 0; i + sizeof(ours) - 1 <= head.size; i++)
        if (memcmp(head.data + i, ours, sizeof(ours) - 1) == 0)
            return RECOGNISED_YES;
    return RECOGNISED_MAYBE;
}

/* --- head ---------------------------------------------------------------------- */

static bool has_text(const json_t *object, const char *key, const char *text)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value != NULL && strcmp(value, text) == 0;
}

static bool check_version(const json_t *version, struct hd_error *err)
{
    uint64_t number;
    if (json_input_number(version, &number) && number == VERSION)
        return true;
    return fail_at_line(err, 0, "unknown-version",
                        "not version %d of the table, the only one supported", VERSION);
}

/* JSON that is none of heapdrift's is no broken snapshot: a folder may hold some. */
static bool no_table(const json_t *json, struct hd_error *err)
{
    const char *schema = json_string_value(json_object_get(json, "schema"));
    bool ours = schema != NULL && strncmp(schema, "heapdrift-", strlen("heapdrift-")) == 0;
    if (!ours)
        fail_at_line(
            err, 0, "bad-header",
            "JSON, but not a type table: it has no \"format\": \"heapdrift-table\"");
    else
        fail_at_line_about(
            err, HD_ABOUT_ROWS, 0, "bad-header",
            "a result of heapdrift, not a snapshot; pass the snapshots instead");
    if (err != NULL && err->status == HD_BAD_FORMAT)
        err->status = HD_NOT_A_SNAPSHOT;
    return false;
}

static bool check_head(const json_t *json, struct hd_error *err)
{
    if (has_text(json, "format", "heapdrift-table"))
        return check_version(json_object_get(json, "version"), err);
    if (has_text(json, "schema", "heapdrift-top"))
        return check_version(json_object_get(json, "schema_version"), err);
    return no_table(json, err);
}

/* --- rows ---------------------------------------------------------------------- */

static bool read_row(const json_t *item, struct table_row *row)
{
    const json_t *type = json_object_get(item, "type");
    const json_t *bytes = json_object_get(item, "bytes");
    *row = (struct table_row){0};
    if (json_string_length(type) == 0 ||
        !json_input_number(json_object_get(item, "count"), &row->count))
        return false;
    row->name = (struct span){json_string_value(type), json_string_length(type)};
    row->bytes_unknown = bytes == NULL || json_is_null(bytes);
    return row->bytes_unknown || json_input_number(bytes, &row->bytes);
}

static bool read_rows(const json_t *types, struct builder *b, struct hd_error *err)
{
    bool bytes_unknown = false;
    for (size_t i = 0; i < json_array_size(types); i++) {
        struct table_row row;
        if (!read_row(json_array_get(types, i), &row))
            return fail_at_line(err, 0, "bad-row",
                                "element %zu of \"types\" is not {\"type\": name, "
                                "\"count\": number, \"bytes\": number or null}",
                                i);
        if (!table_row_add(b, &row, err))
            return false;
        bytes_unknown |= row.bytes_unknown;
    }
    if (bytes_unknown)
        builder_warn(b, WARN_BYTES_UNKNOWN, 0);
    return true;
}

/* --- what `top` knew of the snapshot ------------------------------------------- */

/* Take n digits and the byte behind them, unless that is 0; -1 if they are not
 * there. */
static int parse_number(const char **at, int n, char behind)
{
    int value = 0;
    for (; n > 0; n--, ++*at) {
        if (**at < '0' || **at > '9')
            return -1;
        value = value * 10 + (**at - '0');
    }
    if (behind != '\0' && *(*at)++ != behind)
        return -1;
    return value;
}

/* "2026-08-01T12:00:00"; what may follow, a fraction or a zone, is left out. */
static void parse_time(const char *text, struct builder *b)
{
    const char *at = text;
    static const struct {
        int digits, low, high;
        char behind;
    } part[] = {{4, 1, 9999, '-'}, {2, 1, 12, '-'}, {2, 1, 31, 'T'},
                {2, 0, 23, ':'},   {2, 0, 59, ':'}, {2, 0, 60, '\0'}};
    int v[sizeof(part) / sizeof(part[0])];
    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
        v[i] = parse_number(&at, part[i].digits, part[i].behind);
        if (v[i] < part[i].low || v[i] > part[i].high)
            return;
    }
    b->snap->info.time = builder_string(b, text, (size_t)(at - text));
    b->snap->clock = (double)calendar_seconds(v[0], v[1], v[2], v[3], v[4], v[5]);
    b->snap->clock_is_date = true;
}

static void parse_snapshot(const json_t *snapshot, struct builder *b)
{
    struct hd_info *info = &b->snap->info;
    const json_t *process = json_object_get(snapshot, "process");
    const char *time = json_string_value(json_object_get(snapshot, "time"));
    uint64_t pid;
    if (json_is_string(process))
        info->process =
            builder_string(b, json_string_value(process), json_string_length(process));
    for (size_t i = 0; i < JSON_FACTS; i++) {
        const json_t *fact = json_object_get(snapshot, json_facts[i].key);
        if (json_is_string(fact))
            *(const char **)((char *)info + json_facts[i].field) =
                builder_string(b, json_string_value(fact), json_string_length(fact));
    }
    if (json_input_number(json_object_get(snapshot, "pid"), &pid))
        info->pid = pid;
    if (time != NULL)
        parse_time(time, b);
    if (json_is_true(json_object_get(snapshot, "sampled"))) {
        info->sampled = true;
        builder_warn(b, WARN_SAMPLED, 0);
    }
    if (json_is_false(json_object_get(snapshot, "complete")))
        info->complete = false;
}

static void parse_omitted(const json_t *json, struct builder *b)
{
    uint64_t omitted;
    bool cut =
        json_input_number(json_object_get(json, "types_omitted"), &omitted) && omitted > 0;
    if (cut)
        b->snap->info.complete = false;
    if (b->snap->info.complete)
        return;
    builder_warn(b, WARN_INCOMPLETE, 0);
    if (cut)
        warnings_add_detail(&b->snap->warnings, WARN_INCOMPLETE,
                            "the table is incomplete; use `heapdrift top -n 0`");
}

/* --- all of it ----------------------------------------------------------------- */

static bool read_table(const json_t *json, struct builder *b, struct hd_error *err)
{
    if (!check_head(json, err))
        return false;
    const json_t *types = json_object_get(json, "types");
    if (!json_is_array(types))
        return fail_at_line(err, 0, "bad-header", "\"types\" is missing or not an array");
    if (!read_rows(types, b, err))
        return false;
    parse_snapshot(json_object_get(json, "snapshot"), b);
    parse_omitted(json, b);
    return true;
}

static bool read(struct input *in, struct builder *b, struct hd_error *err)
{
    json_t *json = json_input_load(in, b, err);
    bool ok = json != NULL && read_table(json, b, err);
    json_decref(json);
    return ok;
}

const struct reader read_table_json = {
    .name = "table-json",
    .summary = "type table as JSON: heapdrift-table, or the result of `heapdrift top`",
    .recognises = recognises,
    .read = read,
};

/* --- Datadog's profiles -------------------------------------------------------- */

/* Histogram.json, from the heap snapshots of Datadog's .NET profiler: an array of [name,
 * count, size].
 *
 *  [["System.String",66412,4217344],["App.Session",12500,1000000]]
 *
 * It is collected per class id, so a name may come more than once.
 * docs/formats/datadog-histogram.md. */

static enum recognition recognises_datadog(struct bytes head)
{
    if (json_input_first_byte(head) != '[')
        return RECOGNISED_NO;
    const unsigned char *first = memchr(head.data, '[', head.size);
    size_t skipped = (size_t)(first + 1 - head.data);
    struct bytes rest = {first + 1, head.size - skipped};
    return json_input_first_byte(rest) == '[' ? RECOGNISED_YES : RECOGNISED_MAYBE;
}

static bool read_datadog_row(const json_t *item, size_t index, struct builder *b,
                             struct hd_error *err)
{
    const json_t *name = json_array_get(item, 0);
    struct table_row row = {0};
    bool good = json_array_size(item) == 3 && json_is_string(name) &&
                json_input_number(json_array_get(item, 1), &row.count) &&
                json_input_number(json_array_get(item, 2), &row.bytes);
    if (!good) {
        fail_at_line(err, 0, "bad-row",
                     "element %zu of the array is not [name, count, size]", index);
        if (err != NULL && index == 0 && !json_is_array(item))
            err->status = HD_NOT_A_SNAPSHOT;
        return false;
    }
    row.name = (struct span){json_string_value(name), json_string_length(name)};
    return table_row_add(b, &row, err);
}

static bool read_datadog_all(struct input *in, struct builder *b, struct hd_error *err)
{
    json_t *json = json_input_load(in, b, err);
    bool ok = json != NULL;
    for (size_t i = 0; i < json_array_size(json) && ok; i++)
        ok = read_datadog_row(json_array_get(json, i), i, b, err);
    json_decref(json);
    return ok;
}

const struct reader read_datadog = {
    .name = "datadog-histogram",
    .summary = "histogram.json of Datadog's .NET profiler",
    .recognises = recognises_datadog,
    .read = read_datadog_all,
};
