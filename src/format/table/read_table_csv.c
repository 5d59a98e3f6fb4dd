/* read_table_csv.c - heapdrift's own type table as CSV, RFC 4180.
 *
 *     type,count,bytes
 *     System.String,66412,4217344
 *     "App.Map<System.String, App.Session>",3,240
 *
 * Columns behind the first three are ignored, so what `top --format=csv` prints
 * and tables with a column for the host are inputs too. An empty cell of bytes is
 * unknown. docs/formats/table-csv.md. */
#include "base/csv.h"
#include "base/error.h"
#include "format/reader.h"
#include "format/table/table_text.h"

#include <string.h>

enum { TYPE, COUNT, BYTES, NEEDED };

static const char *const column_names[NEEDED] = {"type", "count", "bytes"};

static enum recognition recognises(struct bytes head)
{
    struct table_text t = table_text_of(head);
    struct span line = first_line(t.all);
    bool ours = span_begins(line, "type,") || span_begins(line, "\"type\",");
    table_text_close(&t);
    return ours ? RECOGNISED_YES : RECOGNISED_NO;
}

struct reading {
    struct builder *b;
    struct hd_error *err;
    const char *at, *end;
    uint64_t line;   /* of at */
    uint64_t record; /* line where the record begins */
    size_t columns;  /* of the header; 0 before it was read */

    /* The record: the values of its first fields one after another, and where
     * each of them begins. Later fields are counted only. */
    struct text values;
    size_t begin[NEEDED + 1];
    size_t fields;
    bool bytes_unknown; /* some row had none */
};

/* --- records ------------------------------------------------------------- */

/* Length of the line end at r->at; 0 if there is none. */
static size_t line_end(const struct reading *r)
{
    if (r->at < r->end && *r->at == '\n')
        return 1;
    if (r->at < r->end && *r->at == '\r') {
        if (r->at + 1 == r->end)
            return 1;
        if (r->at[1] == '\n')
            return 2;
    }
    return 0;
}

static bool bad_quote(struct reading *r, const char *what)
{
    return fail_at_line(r->err, r->record, "bad-quote",
                        "%s; write a quote inside \"...\" as two", what);
}

static void add(struct reading *r, char c)
{
    if (r->fields < NEEDED)
        text_add_char(&r->values, c);
}

static bool read_quoted(struct reading *r)
{
    r->at++;
    for (; r->at < r->end; r->at++) {
        if (*r->at == '"') {
            if (r->at + 1 == r->end || r->at[1] != '"')
                break;
            r->at++;
        } else if (*r->at == '\n') {
            r->line++;
        }
        add(r, *r->at);
    }
    if (r->at == r->end)
        return bad_quote(r, "a quote that is never closed");
    r->at++;
    if (r->at < r->end && *r->at != ',' && line_end(r) == 0)
        return bad_quote(r, "text behind a closing quote");
    return true;
}

static bool read_bare(struct reading *r)
{
    for (; r->at < r->end && *r->at != ',' && line_end(r) == 0; r->at++) {
        if (*r->at == '"')
            return bad_quote(r, "a quote inside a field that does not begin with one");
        add(r, *r->at);
    }
    return true;
}

/* One record and its line end. */
static bool read_record(struct reading *r)
{
    text_clear(&r->values);
    r->record = r->line;
    r->fields = 0;
    for (;;) {
        if (r->fields < NEEDED)
            r->begin[r->fields] = r->values.len;
        if (!(r->at < r->end && *r->at == '"' ? read_quoted(r) : read_bare(r)))
            return false;
        r->fields++;
        if (r->fields <= NEEDED)
            r->begin[r->fields] = r->values.len;
        if (r->at == r->end || *r->at != ',')
            break;
        r->at++;
    }
    r->at += line_end(r);
    r->line++;
    return true;
}

static struct span value(const struct reading *r, size_t field)
{
    size_t start = r->begin[field], len = r->begin[field + 1] - start;
    return len > 0 ? (struct span){r->values.data + start, len} : (struct span){"", 0};
}

/* --- the table ----------------------------------------------------------- */

static bool read_header(struct reading *r)
{
    if (!read_record(r))
        return false;
    bool ours = r->fields >= NEEDED;
    for (size_t i = 0; i < NEEDED && ours; i++)
        ours = span_is(value(r, i), column_names[i]);
    if (!ours)
        return fail_at_line(r->err, r->record, "bad-header",
                            "the first columns must be type,count,bytes");
    r->columns = r->fields;
    return true;
}

static bool bad_number(struct reading *r, size_t field)
{
    return fail_at_line(r->err, r->record, "bad-number", "%s \"%s\" is not a whole number",
                        column_names[field], excerpt_of(value(r, field)).text);
}

/* heapdrift writes an apostrophe in front of a name that a spreadsheet would take for
 * a formula. */
static struct span without_apostrophe(struct span name)
{
    if (name.len < 2 || name.data[0] != '\'' ||
        !csv_needs_apostrophe(name.data + 1, name.len - 1))
        return name;
    return (struct span){name.data + 1, name.len - 1};
}

static bool read_row(struct reading *r)
{
    if (!read_record(r))
        return false;
    if (r->fields != r->columns)
        return fail_at_line(r->err, r->record, "bad-row",
                            "%zu fields, the header has %zu; a type with a comma in its "
                            "name needs quotes",
                            r->fields, r->columns);
    struct table_row row = {.name = without_apostrophe(value(r, TYPE)), .line = r->record};
    if (row.name.len == 0)
        return fail_at_line(r->err, r->record, "bad-row", "no type");
    if (!span_number(value(r, COUNT), &row.count))
        return bad_number(r, COUNT);
    row.bytes_unknown = value(r, BYTES).len == 0;
    if (!row.bytes_unknown && !span_number(value(r, BYTES), &row.bytes))
        return bad_number(r, BYTES);
    r->bytes_unknown |= row.bytes_unknown;
    return table_row_add(r->b, &row, r->err);
}

/* An empty line is no record: editors leave one at the end. */
static void skip_empty_lines(struct reading *r)
{
    size_t n;
    while ((n = line_end(r)) > 0) {
        r->at += n;
        r->line++;
    }
}

static bool read_records(struct reading *r)
{
    skip_empty_lines(r);
    bool ok = read_header(r);
    for (skip_empty_lines(r); ok && r->at < r->end; skip_empty_lines(r))
        ok = read_row(r);
    if (ok && r->bytes_unknown)
        builder_warn(r->b, WARN_BYTES_UNKNOWN, 0);
    text_free(&r->values);
    return ok;
}

static bool read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct table_text t;
    bool ok = table_text_open(&t, in, b, err) && table_text_has_no_nul(&t, err);
    if (ok) {
        struct reading r = {
            .b = b, .err = err, .at = t.all.data, .end = t.all.data + t.all.len, .line = 1};
        ok = read_records(&r);
    }
    table_text_close(&t);
    return ok;
}

const struct reader read_table_csv = {
    .name = "table-csv",
    .summary = "type table as CSV: type,count,bytes",
    .recognises = recognises,
    .read = read,
};
