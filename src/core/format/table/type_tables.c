/* Type tables in text: CSV and JSON of heapdrift itself, which are also written, the
 * histogram of Datadog's profiler, and the report of dotnet-gcdump. docs/formats has a page
 * for each. The table of SOS is read by read_dumpheap.c.
 *
 * JSON is parsed by jansson. Its limits apply: 64-bit signed integers and 2,048 levels,
 * beyond which the text is `bad-json`. */
#include "format/table/type_tables.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/out.h"
#include "base/quantity.h"
#include "base/text.h"
#include "format/snapshot_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- the text ------------------------------------------------------------ */

/* The bytes must outlive it. UTF-16 is recognised by its byte order mark; every other input
 * is used as it is. */
static struct type_table table_of(struct bytes bytes)
{
    struct type_table t = {.text = {(const char *)bytes.data, bytes.size}};
    bool little = span_begins(t.text, "\xFF\xFE");
    if (little || span_begins(t.text, "\xFE\xFF")) {
        enum { MARK = 2 };
        text_add_utf16(&t.decoded, bytes.data + MARK, (bytes.size - MARK) / 2,
                       little ? UTF16_LITTLE : UTF16_BIG);
        /* half a unit at the end, so that a cut file does not look complete */
        if (bytes.size % 2 != 0)
            text_add_code_point(&t.decoded, 0xFFFD);
        t.text = (struct span){t.decoded.data, t.decoded.len};
    } else if (span_begins(t.text, "\xEF\xBB\xBF")) {
        t.text = (struct span){t.text.data + 3, t.text.len - 3};
    }
    /* An empty text has an address too: pointers into it can be compared. */
    if (t.text.len == 0)
        t.text.data = "";
    t.lines = lines_of(t.text);
    return t;
}

enum recognition type_table_recognise(struct bytes head,
                                      enum recognition (*by)(struct span text))
{
    struct type_table t = table_of(head);
    enum recognition how = by(t.text);
    text_free(&t.decoded);
    return how;
}

/* Opens the whole input; b is charged for unpacked or decoded bytes. The caller frees
 * t->decoded, on failure too. */
static bool table_open(struct type_table *t, struct input *in, struct builder *b,
                       struct hd_error *err)
{
    struct bytes all;
    uint64_t size;
    struct account *account = builder_account(b);
    bool is_file = input_has_places(in, &size);
    *t = (struct type_table){0};
    if (!input_all(in, &all, err))
        return false;
    *t = table_of(all);
    t->b = b;
    t->err = err;
    account_charge(account, (is_file ? 0 : all.size) + t->decoded.cap);
    return !account_is_over(account) || account_fail(account, err);
}

bool type_table_read(struct input *in, struct builder *b, struct hd_error *err,
                     bool (*read)(struct type_table *t))
{
    struct type_table t;
    bool ok = table_open(&t, in, b, err);
    const char *nul = ok ? memchr(t.text.data, '\0', t.text.len) : NULL;
    if (nul != NULL) {
        struct span line;
        while (lines_next(&t.lines, &line) && line.data + line.len <= nul)
            continue;
        ok = fail_at_line(err, t.lines.number, "nul-byte",
                          "a NUL byte: not text, or damaged; copy the table again");
    }
    ok = ok && read(&t);
    text_free(&t.decoded);
    return ok;
}

bool type_table_bad_number(struct type_table *t, struct span word)
{
    return fail_at_line(t->err, t->lines.number, "bad-number", "\"%s\" is not a number",
                        excerpt_of(word).text);
}

bool type_table_add(struct builder *b, const struct type_table_row *row,
                    struct hd_error *err)
{
    const struct account *account = builder_account(b);
    if (account_is_over(account))
        return account_fail(account, err);
    bool named = row->name.len > 0;
    if (!named)
        builder_warn(b, WARN_UNKNOWN_TYPE, row->line);
    uint32_t type =
        builder_type(b, TYPE_OBJECT, named ? row->name.data : NULL, row->name.len);
    if (row->module.len > 0)
        builder_module(b, type, row->module.data, row->module.len);
    /* the builder reserves this number for "unknown" */
    bool too_big = !row->bytes_unknown && row->bytes == HD_UNKNOWN;
    uint64_t bytes = row->bytes_unknown ? HD_UNKNOWN : row->bytes;
    if (too_big || !builder_row(b, type, row->count, bytes))
        return fail_at_line(err, row->line, "size-overflow",
                            "the sum of all rows does not fit 64 bits: a number is wrong");
    return true;
}

/* Rows with a size and without. */
struct size_count {
    size_t known, unknown;
};

/* Free blocks are not objects: they need no size. */
static void size_count_add(struct size_count *c, const struct type_table_row *row)
{
    bool is_free = row->module.len == 0 && span_is(row->name, "Free");
    c->known += !row->bytes_unknown && !is_free;
    c->unknown += row->bytes_unknown && !is_free;
}

static void size_count_warn(const struct size_count *c, struct builder *b)
{
    if (c->unknown == 0)
        return;
    builder_warn(b, WARN_BYTES_UNKNOWN, 0);
    if (c->known > 0)
        warnings_add_detail(&b->snap->warnings, WARN_BYTES_UNKNOWN,
                            "some rows have no size in bytes; only counts can be compared");
}

/* --- the report of dotnet-gcdump ----------------------------------------- */

/*         6,317,152  GC Heap bytes
 *            94,518  GC Heap objects
 *
 *      Object Bytes     Count  Type
 *                62    66,412  System.String  [System.Private.CoreLib.dll]
 *
 * "Object Bytes" is the size of the first object of the type. Multiplied by the count it
 * would be wrong for strings and arrays, where it matters most; so bytes stay unknown. The
 * two numbers above are not compared with the rows: pseudo-objects and types of size 0 have
 * no row. */

/* Before version 5.0 a row has a single number, the size of an object or the count. */
static const char old_words[] = "(Dump size)";

static enum recognition report_by_text(struct span text)
{
    struct span first = first_line(text);
    return span_ends(first, "GC Heap bytes") || span_ends(first, old_words) ? RECOGNISED_YES
                                                                            : RECOGNISED_NO;
}

static enum recognition recognises_report(struct bytes head)
{
    return type_table_recognise(head, report_by_text);
}

/* Splits off the "  [module]" that may follow; an array's [] has no blanks before it. */
static struct span parse_module(struct span *name)
{
    for (size_t i = span_ends(*name, "]") ? name->len - 1 : 0; i >= 3; i--) {
        if (memcmp(name->data + i - 3, "  [", 3) != 0)
            continue;
        struct span module = {name->data + i, name->len - 1 - i};
        *name = span_trim((struct span){name->data, i - 3});
        return module;
    }
    return (struct span){"", 0};
}

static bool read_report_row(struct type_table *t, struct span line)
{
    struct span rest = line, size = span_word(&rest), count = span_word(&rest);
    struct type_table_row row = {.bytes_unknown = true, .line = t->lines.number};
    uint64_t one_object;
    bool two_blanks = rest.len > 2 && span_begins(rest, "  ");
    row.name = span_trim(rest);
    if (row.name.len == 0 || !two_blanks)
        return fail_at_line(
            t->err, row.line, "bad-row",
            "\"%s\" is not a row: expected size, count, two blanks and a type",
            excerpt_of(span_trim(line)).text);
    if (!span_grouped_number(size, &one_object))
        return type_table_bad_number(t, size);
    if (!span_grouped_number(count, &row.count))
        return type_table_bad_number(t, count);
    row.module = parse_module(&row.name);
    return type_table_add(t->b, &row, t->err);
}

/* The totals before the header are not used, but must be numbers. */
static bool read_report(struct type_table *t)
{
    struct span line;
    bool in_table = false;
    if (span_ends(first_line(t->text), old_words))
        return fail(
            t->err, HD_UNSUPPORTED,
            "a report of dotnet-gcdump before 5.0, which has no counts; use the .gcdump");
    while (lines_next(&t->lines, &line)) {
        struct span rest = line, word = span_word(&rest);
        uint64_t total;
        if (word.len == 0)
            continue;
        if (!in_table && span_has_words(line, "Object Bytes Count Type")) {
            builder_warn(t->b, WARN_BYTES_UNKNOWN, t->lines.number);
            in_table = true;
        } else if (in_table && !read_report_row(t, line)) {
            return false;
        } else if (!in_table && !span_grouped_number(word, &total)) {
            return type_table_bad_number(t, word);
        }
    }
    return in_table ||
           fail_at_line(t->err, t->lines.number, "no-table",
                        "no line `Object Bytes  Count  Type`: the report was cut off");
}

static bool read_gcdump_report_all(struct input *in, struct builder *b,
                                   struct hd_error *err)
{
    return type_table_read(in, b, err, read_report);
}

const struct reader read_gcdump_report = {
    .name = "gcdump-report",
    .summary = "text of `dotnet-gcdump report`: counts only",
    .recognises = recognises_report,
    .read = read_gcdump_report_all,
};

/* --- CSV (RFC 4180) ------------------------------------------------------ */

/*     type,count,bytes
 *     System.String,66412,4217344
 *     "App.Map<System.String, App.Session>",3,240
 *
 * Columns after the first three are ignored, so the output of `top --format=csv` and tables
 * with a column for the host are inputs too. An empty cell of bytes is unknown. */

enum { CSV_TYPE, CSV_COUNT, CSV_BYTES, CSV_NEEDED };

static const char *const csv_columns[CSV_NEEDED] = {"type", "count", "bytes"};

static enum recognition csv_by_text(struct span text)
{
    struct span line = first_line(text);
    return span_begins(line, "type,") || span_begins(line, "\"type\",") ? RECOGNISED_YES
                                                                        : RECOGNISED_NO;
}

static enum recognition recognises_csv(struct bytes head)
{
    return type_table_recognise(head, csv_by_text);
}

struct csv_reader {
    struct type_table *t;
    const char *at, *end;
    uint64_t line;   /* of at */
    uint64_t record; /* line where the record begins */
    size_t fields;   /* of the record; unused ones are only counted */
    struct text values[CSV_NEEDED];
};

/* Returns the length of the line end at r->at, or 0. */
static size_t csv_line_end(const struct csv_reader *r)
{
    if (r->at == r->end || (*r->at != '\n' && *r->at != '\r'))
        return 0;
    if (*r->at == '\n' || r->at + 1 == r->end)
        return 1;
    return r->at[1] == '\n' ? 2 : 0;
}

/* An empty line is not a record: editors leave one at the end. */
static void skip_empty_lines(struct csv_reader *r)
{
    for (size_t n; (n = csv_line_end(r)) > 0; r->line++)
        r->at += n;
}

static bool bad_quote(struct csv_reader *r, const char *what)
{
    return fail_at_line(r->t->err, r->record, "bad-quote",
                        "%s; write a quote inside \"...\" as two", what);
}

static bool read_field(struct csv_reader *r)
{
    bool quoted = r->at < r->end && *r->at == '"';
    for (r->at += quoted; r->at < r->end; r->at++) {
        if (quoted && *r->at == '"') {
            if (r->at + 1 == r->end || r->at[1] != '"')
                break;
            r->at++;
        } else if (!quoted && (*r->at == ',' || csv_line_end(r) > 0)) {
            break;
        } else if (*r->at == '"') {
            return bad_quote(r, "a quote inside a field that does not begin with one");
        }
        r->line += *r->at == '\n';
        if (r->fields < CSV_NEEDED)
            text_add_char(&r->values[r->fields], *r->at);
    }
    r->fields++;
    if (!quoted)
        return true;
    if (r->at == r->end)
        return bad_quote(r, "a quote that is never closed");
    r->at++;
    return r->at == r->end || *r->at == ',' || csv_line_end(r) > 0 ||
           bad_quote(r, "text after a closing quote");
}

/* Reads one record and its line end. */
static bool read_record(struct csv_reader *r)
{
    for (size_t i = 0; i < CSV_NEEDED; i++)
        text_clear(&r->values[i]);
    r->record = r->line;
    r->fields = 0;
    if (!read_field(r))
        return false;
    while (r->at < r->end && *r->at == ',') {
        r->at++;
        if (!read_field(r))
            return false;
    }
    r->at += csv_line_end(r);
    r->line++;
    return true;
}

static struct span csv_value(const struct csv_reader *r, size_t field)
{
    const struct text *value = &r->values[field];
    return value->len > 0 ? (struct span){value->data, value->len} : (struct span){"", 0};
}

static bool read_csv_number(struct csv_reader *r, size_t field, uint64_t *number)
{
    return span_number(csv_value(r, field), number) ||
           fail_at_line(r->t->err, r->record, "bad-number",
                        "%s \"%s\" is not a whole number", csv_columns[field],
                        excerpt_of(csv_value(r, field)).text);
}

/* Adds the record as a row. heapdrift writes an apostrophe before a name that a spreadsheet
 * would treat as a formula. */
static bool add_record(struct csv_reader *r, struct size_count *sizes)
{
    struct type_table_row row = {.name = csv_value(r, CSV_TYPE), .line = r->record};
    if (row.name.len == 0)
        return fail_at_line(r->t->err, r->record, "bad-row", "no type");
    if (row.name.len > 1 && row.name.data[0] == '\'' &&
        csv_needs_apostrophe(row.name.data + 1, row.name.len - 1))
        row.name = (struct span){row.name.data + 1, row.name.len - 1};
    row.bytes_unknown = r->values[CSV_BYTES].len == 0;
    size_count_add(sizes, &row);
    return read_csv_number(r, CSV_COUNT, &row.count) &&
           (row.bytes_unknown || read_csv_number(r, CSV_BYTES, &row.bytes)) &&
           type_table_add(r->t->b, &row, r->t->err);
}

static bool read_records(struct csv_reader *r)
{
    struct size_count sizes = {0};
    skip_empty_lines(r);
    if (!read_record(r))
        return false;
    size_t columns = r->fields;
    for (size_t i = 0; i < CSV_NEEDED; i++)
        if (columns < CSV_NEEDED || !span_is(csv_value(r, i), csv_columns[i]))
            return fail_at_line(r->t->err, r->record, "bad-header",
                                "the first columns must be type,count,bytes");
    for (skip_empty_lines(r); r->at < r->end; skip_empty_lines(r)) {
        if (!read_record(r))
            return false;
        if (r->fields != columns)
            return fail_at_line(r->t->err, r->record, "bad-row",
                                "%zu field%s, the header has %zu; a type with a comma in "
                                "its name needs quotes",
                                r->fields, r->fields == 1 ? "" : "s", columns);
        if (!add_record(r, &sizes))
            return false;
    }
    size_count_warn(&sizes, r->t->b);
    return true;
}

static bool read_csv(struct type_table *t)
{
    struct csv_reader r = {
        .t = t, .at = t->text.data, .end = t->text.data + t->text.len, .line = 1};
    bool ok = read_records(&r);
    for (size_t i = 0; i < CSV_NEEDED; i++)
        text_free(&r.values[i]);
    return ok;
}

static bool read_table_csv_all(struct input *in, struct builder *b, struct hd_error *err)
{
    return type_table_read(in, b, err, read_csv);
}

const struct reader read_table_csv = {
    .name = "table-csv",
    .summary = "type table as CSV: type,count,bytes",
    .recognises = recognises_csv,
    .read = read_table_csv_all,
};

/* Returns the first type from t on that is written to a table; type_count after the
 * last. */
static type_id next_type(const struct hd_snapshot *snap, type_id t)
{
    while (t < snap->type_count && (!type_is_written(&snap->types[t]) ||
                                    snap->types[t].tally[SELECT_ALL].count == 0))
        t++;
    return t;
}

/* The row of free space that a heap of objects has in `dumpheap -stat`; NULL: its numbers
 * are not known, or a type has them. */
static const struct type *free_row_of(const struct hd_snapshot *snap, struct type *row)
{
    const struct hd_tally at = {hd_fact(&snap->facts, HD_FACT_FREE_BLOCKS),
                                hd_fact(&snap->facts, HD_FACT_FRAGMENTED)};
    for (type_id t = 0; t < snap->type_count; t++)
        if (snap->types[t].kind == TYPE_FREE)
            return NULL;
    *row = (struct type){.name = "Free", .kind = TYPE_FREE, .tally = {at}};
    return at.count != HD_UNKNOWN && at.bytes != HD_UNKNOWN ? row : NULL;
}

/* True if a name contains characters that a terminal or a build server would obey: it
 * cannot be read back unchanged. */
static bool is_written_out(const char *name)
{
    struct text plain = {0}, visible = {0};
    csv_add_clean(&plain, name);
    text_add_visible(&visible, plain.data, plain.len, true);
    bool same = visible.len == plain.len;
    text_free(&plain);
    text_free(&visible);
    return !same;
}

/* Returns 1 if its name cannot be read back unchanged. */
static uint64_t write_csv_row(struct csv_writer *csv, const struct type *type)
{
    csv_cell(csv, type->name);
    csv_number(csv, type->tally[SELECT_ALL].count);
    csv_number(csv, type->tally[SELECT_ALL].bytes);
    csv_end_row(csv);
    return is_written_out(type->name);
}

static bool write_csv(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                      struct hd_error *err)
{
    if (!table_fits(snap, HD_UNKNOWN - 1, err))
        return false;
    struct csv_writer csv = {.out = o};
    struct type free_row;
    uint64_t written_out = 0;
    CSV_TITLES(&csv, csv_columns);
    for (type_id t = next_type(snap, 0); t < snap->type_count; t = next_type(snap, t + 1))
        written_out += write_csv_row(&csv, &snap->types[t]);
    if (free_row_of(snap, &free_row) != NULL)
        write_csv_row(&csv, &free_row);
    if (written_out > 0)
        losses_add(l, "names", "%" PRIu64 " with control characters, written as escapes",
                   written_out);
    return true;
}

const struct snapshot_writer write_table_csv = {
    .name = "table-csv",
    .summary = "counts and bytes per type, for spreadsheets",
    .suffix = ".csv",
    .write = write_csv,
};

/* --- JSON ---------------------------------------------------------------- */

/* A lack of memory in the buffer of a name makes jansson skip a character, and it sets
 * errno to 0 before it reads a number. So it gets one byte at a time, and errno is checked
 * before each. */
static size_t next_byte(void *to, size_t capacity, void *from)
{
    struct span *left = from;
    alloc_blame();
    if (left->len == 0 || capacity == 0)
        return 0;
    *(char *)to = *left->data++;
    left->len--;
    return 1;
}

/* Returns a lower bound of the memory that jansson needs for a text: malloc'd structs,
 * tables of eight places for empty arrays and objects, and doubling. Estimated in advance,
 * since jansson has no limit. */
static uint64_t memory_of(struct span text)
{
    enum { OBJECT = 256, ARRAY = 144, VALUE = 80, KEY = 144, STRING = 32 };
    uint64_t bytes = text.len;
    bool quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '"') {
            bytes += STRING;
            quoted = !quoted;
        } else if (quoted) {
            i += c == '\\';
        } else if (c == '{' || c == '[') {
            bytes += c == '{' ? OBJECT : ARRAY;
        } else if (c == ',' || c == ':') {
            bytes += c == ',' ? VALUE : KEY;
        }
    }
    return bytes;
}

static json_t *load_json(struct type_table *t)
{
    struct account *account = builder_account(t->b);
    account_charge(account, memory_of(t->text));
    if (account_is_over(account)) {
        account_fail(account, t->err);
        return NULL;
    }
    struct span left = t->text, line;
    json_error_t why;
    errno = 0;
    json_t *json = json_load_callback(next_byte, &left, 0, &why);
    alloc_blame();
    if (json == NULL) {
        /* jansson counts the empty line after the last line end */
        while (lines_next(&t->lines, &line))
            continue;
        uint64_t at = why.line > 0 ? (uint64_t)why.line : 1;
        fail_at_line(t->err, at < t->lines.number ? at : t->lines.number, "bad-json",
                     "not valid JSON: %s",
                     excerpt_of((struct span){why.text, strlen(why.text)}).text);
    }
    return json;
}

static bool read_json(struct input *in, struct builder *b, struct hd_error *err,
                      bool (*read)(const json_t *json, struct builder *b,
                                   struct hd_error *err))
{
    struct type_table t;
    json_t *json = table_open(&t, in, b, err) ? load_json(&t) : NULL;
    text_free(&t.decoded);
    bool ok = json != NULL && read(json, b, err);
    json_decref(json);
    return ok;
}

/* True for a whole number >= 0; false for null. */
static bool json_whole(const json_t *value, uint64_t *number)
{
    return !json_is_null(value) && json_parse_uint64(value, number);
}

static struct span json_span(const json_t *string)
{
    return (struct span){json_string_value(string), json_string_length(string)};
}

/* heapdrift's own table, in two forms:
 *
 *     {"format": "heapdrift-table", "version": 1, "types": [ROW, ...]}
 *     {"schema": "heapdrift-top", "schema_version": 1, "snapshot": {...},
 *      "types": [ROW, ...], "types_omitted": 0, ...}
 *     ROW = {"type": "System.String", "count": 66412, "bytes": 4217344}
 *
 * The second is the output of `top --format=json`, so a stored result can be compared later
 * when the snapshot is gone. Other members are ignored. */

/* Recognises objects; those of other formats are excluded by read_foreign before. */
static enum recognition json_by_text(struct span text)
{
    if (first_byte(text) != '{')
        return RECOGNISED_NO;
    return span_contains_nocase(text, "\"heapdrift-") ? RECOGNISED_YES : RECOGNISED_MAYBE;
}

static enum recognition recognises_json(struct bytes head)
{
    return type_table_recognise(head, json_by_text);
}

/* JSON of other programs is not a broken snapshot: a folder may contain some. */
static bool check_head(const json_t *json, struct hd_error *err)
{
    enum { VERSION = 1 };
    struct span format = json_span(json_object_get(json, "format"));
    struct span schema = json_span(json_object_get(json, "schema"));
    bool is_table = span_is(format, "heapdrift-table");
    if (is_table || span_is(schema, "heapdrift-top")) {
        const char *key = is_table ? "version" : "schema_version";
        uint64_t number;
        return (json_whole(json_object_get(json, key), &number) && number == VERSION) ||
               fail_at_line(err, 0, "unknown-version",
                            "not version %d of the table, the only one supported", VERSION);
    }
    if (!span_begins(schema, "heapdrift-"))
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

static bool parse_row(const json_t *item, struct type_table_row *row)
{
    const json_t *bytes = json_object_get(item, "bytes");
    *row = (struct type_table_row){.name = json_span(json_object_get(item, "type")),
                                   .bytes_unknown = bytes == NULL || json_is_null(bytes)};
    return row->name.len > 0 && json_whole(json_object_get(item, "count"), &row->count) &&
           (row->bytes_unknown || json_whole(bytes, &row->bytes));
}

/* Strings of hd_info that a table may contain. */
static const struct {
    const char *key;
    size_t field; /* its offset */
} json_facts[] = {
    {"process", offsetof(struct hd_info, process)},
    {"host", offsetof(struct hd_info, host)},
    {"container", offsetof(struct hd_info, container)},
    {"program", offsetof(struct hd_info, program)},
    {"started", offsetof(struct hd_info, started)},
    {"runtime", offsetof(struct hd_info, runtime)},
};
enum { JSON_FACTS = sizeof(json_facts) / sizeof(json_facts[0]) };

/* Reads free space from the result of `heapdrift top`, where it is not among the types. */
static void parse_free(const json_t *json, struct builder *b)
{
    uint64_t blocks, bytes, largest;
    if (!json_whole(json_object_get(json, "bytes"), &bytes))
        return;
    if (json_whole(json_object_get(json, "largest"), &largest))
        hd_fact_set(&b->snap->facts, HD_FACT_LARGEST_FREE, largest);
    if (json_whole(json_object_get(json, "blocks"), &blocks))
        builder_row(b, builder_type(b, TYPE_OBJECT, "Free", 4), blocks, bytes);
    else
        hd_fact_set(&b->snap->facts, HD_FACT_FRAGMENTED, bytes);
}

static void parse_time(const char *text, struct builder *b)
{
    double clock = calendar_parse(text);
    if (isnan(clock))
        return;
    b->snap->info.time = builder_string(b, text, CALENDAR_TIME - 1);
    b->snap->clock = clock;
    b->snap->clock_is_date = true;
}

static void parse_snapshot(const json_t *json, struct builder *b)
{
    struct hd_info *info = &b->snap->info;
    const json_t *snapshot = json_object_get(json, "snapshot");
    const char *time = json_string_value(json_object_get(snapshot, "time"));
    for (size_t i = 0; i < JSON_FACTS; i++) {
        struct span fact = json_span(json_object_get(snapshot, json_facts[i].key));
        if (fact.data != NULL)
            *(const char **)((char *)info + json_facts[i].field) =
                builder_string(b, fact.data, fact.len);
    }
    json_parse_uint64(json_object_get(snapshot, "pid"), &info->pid);
    parse_free(json_object_get(snapshot, "free"), b);
    if (time != NULL)
        parse_time(time, b);
    if (json_is_true(json_object_get(snapshot, "sampled"))) {
        info->sampled = true;
        builder_warn(b, WARN_SAMPLED, 0);
    }
    uint64_t omitted;
    bool cut = json_whole(json_object_get(json, "types_omitted"), &omitted) && omitted > 0;
    info->complete &= !cut && !json_is_false(json_object_get(snapshot, "complete"));
    if (!info->complete)
        builder_warn(b, WARN_INCOMPLETE, 0);
    if (cut)
        warnings_add_detail(&b->snap->warnings, WARN_INCOMPLETE,
                            "the table is incomplete; use `heapdrift top -n 0`");
}

static bool read_table(const json_t *json, struct builder *b, struct hd_error *err)
{
    if (!check_head(json, err))
        return false;
    const json_t *types = json_object_get(json, "types");
    if (!json_is_array(types))
        return fail_at_line(err, 0, "bad-header", "\"types\" is missing or not an array");
    struct size_count sizes = {0};
    for (size_t i = 0; i < json_array_size(types); i++) {
        struct type_table_row row;
        if (!parse_row(json_array_get(types, i), &row))
            return fail_at_line(err, 0, "bad-row",
                                "element %zu of \"types\" is not {\"type\": name, "
                                "\"count\": number, \"bytes\": number or null}",
                                i);
        if (!type_table_add(b, &row, err))
            return false;
        size_count_add(&sizes, &row);
    }
    size_count_warn(&sizes, b);
    parse_snapshot(json, b);
    return true;
}

static bool read_table_json_all(struct input *in, struct builder *b, struct hd_error *err)
{
    return read_json(in, b, err, read_table);
}

const struct reader read_table_json = {
    .name = "table-json",
    .summary = "type table as JSON: heapdrift-table, or the result of `heapdrift top`",
    .recognises = recognises_json,
    .read = read_table_json_all,
};

static json_t *snapshot_json(const struct hd_info *info)
{
    json_t *s = json_object();
    json_put(s, "time", json_string_or_null(info->time));
    json_put(s, "pid", json_number_or_null(info->pid));
    json_put(s, "process", json_string_or_null(info->process));
    json_put(s, "sampled", json_boolean(info->sampled));
    json_put(s, "complete", json_boolean(info->complete));
    for (size_t i = 1; i < JSON_FACTS; i++) { /* the first is the process */
        const char *fact = *(const char *const *)((const char *)info + json_facts[i].field);
        if (fact != NULL)
            json_put(s, json_facts[i].key, json_string_or_null(fact));
    }
    return s;
}

static void write_json_row(struct out *o, const struct type *type, const char *between)
{
    json_t *row = json_object();
    json_put(row, "type", json_string_or_null(type->name));
    json_put(row, "count", json_number_or_null(type->tally[SELECT_ALL].count));
    json_put(row, "bytes", json_number_or_null(type->tally[SELECT_ALL].bytes));
    out_string(o, between);
    json_write_line(row, o);
}

static bool write_json(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                       struct hd_error *err)
{
    (void)l;
    /* jansson's integers are signed. */
    if (!table_fits(snap, INT64_MAX, err))
        return false;
    out_string(o, "{\"format\": \"heapdrift-table\", \"version\": 1,\n \"snapshot\": ");
    json_write_line(snapshot_json(&snap->info), o);
    out_string(o, ",\n \"types\": [");
    const char *between = "\n  ";
    struct type free_row;
    for (type_id t = next_type(snap, 0); t < snap->type_count; t = next_type(snap, t + 1)) {
        write_json_row(o, &snap->types[t], between);
        between = ",\n  ";
    }
    if (free_row_of(snap, &free_row) != NULL)
        write_json_row(o, &free_row, between);
    out_string(o, "]}\n");
    return true;
}

const struct snapshot_writer write_table_json = {
    .name = "table-json",
    .summary = "the same with time and process, for programs",
    .suffix = ".json",
    .holds =
        FACT_TIME | FACT_PROCESS | FACT_PID | FACT_HOST | FACT_SAMPLING | FACT_INCOMPLETE,
    .write = write_json,
};

/* --- Datadog's profiler -------------------------------------------------- */

/* Reads histogram.json, from the heap snapshots of the .NET profiler: an array of [name,
 * count, size].
 *
 *  [["System.String",66412,4217344],["App.Session",12500,1000000]]
 *
 * It is collected per class id, so a name may occur more than once. */

static enum recognition datadog_by_text(struct span text)
{
    if (first_byte(text) != '[')
        return RECOGNISED_NO;
    const char *first = memchr(text.data, '[', text.len);
    struct span rest = {first + 1, text.len - (size_t)(first + 1 - text.data)};
    return first_byte(rest) == '[' ? RECOGNISED_YES : RECOGNISED_MAYBE;
}

static enum recognition recognises_datadog(struct bytes head)
{
    return type_table_recognise(head, datadog_by_text);
}

static bool read_datadog_rows(const json_t *json, struct builder *b, struct hd_error *err)
{
    for (size_t i = 0; i < json_array_size(json); i++) {
        const json_t *item = json_array_get(json, i), *name = json_array_get(item, 0);
        struct type_table_row row = {.name = json_span(name)};
        if (json_array_size(item) != 3 || !json_is_string(name) ||
            !json_whole(json_array_get(item, 1), &row.count) ||
            !json_whole(json_array_get(item, 2), &row.bytes)) {
            fail_at_line(err, 0, "bad-row",
                         "element %zu of the array is not [name, count, size]", i);
            if (err != NULL && i == 0 && !json_is_array(item))
                err->status = HD_NOT_A_SNAPSHOT;
            return false;
        }
        if (!type_table_add(b, &row, err))
            return false;
    }
    return true;
}

static bool read_datadog_all(struct input *in, struct builder *b, struct hd_error *err)
{
    return read_json(in, b, err, read_datadog_rows);
}

const struct reader read_datadog = {
    .name = "datadog-histogram",
    .summary = "histogram.json of Datadog's .NET profiler",
    .recognises = recognises_datadog,
    .read = read_datadog_all,
};
