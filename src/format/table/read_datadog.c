/* read_datadog.c - histogram.json, from the heap snapshots of Datadog's .NET
 * profiler: an array of [name, count, size].
 *
 *     [["System.String",66412,4217344],["App.Session",12500,1000000]]
 *
 * It is collected per class id, so a name may come more than once.
 * docs/formats/datadog-histogram.md. */
#include "base/error.h"
#include "format/reader.h"
#include "format/table/json_input.h"
#include "format/table/table_text.h"

#include <string.h>

static enum recognition recognises(struct bytes head)
{
    if (json_input_first_byte(head) != '[')
        return RECOGNISED_NO;
    const unsigned char *first = memchr(head.data, '[', head.size);
    size_t skipped = (size_t)(first + 1 - head.data);
    struct bytes rest = {first + 1, head.size - skipped};
    return json_input_first_byte(rest) == '[' ? RECOGNISED_YES : RECOGNISED_MAYBE;
}

static bool read_row(const json_t *item, size_t index, struct builder *b,
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

static bool read(struct input *in, struct builder *b, struct hd_error *err)
{
    json_t *json = json_input_load(in, b, err);
    bool ok = json != NULL;
    for (size_t i = 0; i < json_array_size(json) && ok; i++)
        ok = read_row(json_array_get(json, i), i, b, err);
    json_decref(json);
    return ok;
}

const struct reader read_datadog = {
    .name = "datadog-histogram",
    .summary = "histogram.json of Datadog's .NET profiler",
    .recognises = recognises,
    .read = read,
};
