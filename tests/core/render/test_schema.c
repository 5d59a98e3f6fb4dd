/* The tables of records must fit their structs, and the schemas in docs/json-schema must be
 * those made from them. GOLDEN=accept rewrites them. */
#include "report/records.h"
#include "support/schema.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_field(const struct record *r, const struct record_field *f);

/* Each key of a list is a field of the record; in a list for people, one with a column. */
static void expect_list(const struct record *r, const char *list, bool for_people)
{
    struct listed all[MAX_LISTED];
    size_t len = list != NULL ? record_list(r, list, all) : 0;
    for (size_t i = 0; i < len; i++) {
        cr_assert_not_null(all[i].field, "%s: no field for column %zu", list, i);
        cr_expect(!for_people || all[i].field->column != NULL, "%s: column %zu", list, i);
    }
}

static void expect_record(const struct record *r)
{
    cr_assert_gt(r->count, 0);
    cr_assert_gt(r->size, 0);
    for (size_t i = 0; i < r->count; i++)
        expect_field(r, &r->fields[i]);
    expect_list(r, r->csv, false);
    expect_list(r, r->lines, true);
    expect_list(r, r->screen, true);
    expect_list(r, r->last_screen, true);
    expect_list(r, r->page, true);
}

/* A nested record must have the size of its struct. */
static void expect_field(const struct record *r, const struct record_field *f)
{
    const struct field_shape *s = &f->shape;
    const char *key = f->key != NULL ? f->key : "a part";
    bool within = s->kind == FIELD_RECORD || s->kind == FIELD_PART;
    cr_expect_lt(s->offset, r->size, "%s lies behind its struct", key);
    if (f->schema != NULL) {
        char members[1024];
        snprintf(members, sizeof(members), "{%s}", f->schema);
        json_t *value = json_loads(members, 0, NULL);
        cr_expect_not_null(value, "the schema of %s: %s", key, f->schema);
        json_decref(value);
    }
    if (s->kind == FIELD_MADE)
        cr_expect(s->make != NULL && (s->record != NULL || f->schema != NULL),
                  "nobody says what %s is", key);
    if (s->record == NULL)
        return;
    if (s->kind != FIELD_MADE) {
        bool whole = s->stride == s->record->size;
        /* Values per generation are an array; the pointer is to its first element. */
        bool first_of = s->kind == FIELD_POINTER && s->record->size % s->stride == 0;
        cr_expect(whole || first_of, "%s is of %zu bytes, its record of %zu", key,
                  s->stride, s->record->size);
        cr_expect(!within || s->offset + s->stride <= r->size, "%s", key);
    }
    expect_record(s->record);
    if (s->other != NULL)
        expect_record(s->other);
}

Test(schema, every_record_fits_its_struct)
{
    for (size_t i = 0; i < HD_REPORT_KIND_COUNT; i++)
        expect_record(document_records[i]);
    expect_record(&record_row);
    expect_record(&record_top_row);
    expect_record(&record_rule_cells);
    expect_record(&record_file);
    expect_record(&record_process);
    expect_record(&record_node);
    expect_record(&record_suspect);
    expect_record(&record_any_object);
}

static void add_line(struct text *t, size_t indent)
{
    text_add_char(t, '\n');
    for (size_t i = 0; i < indent; i++)
        text_add_char(t, ' ');
}

/* Formatted for readers: one property per line, except those that have properties. */
static void add_schema(struct text *t, const json_t *schema, size_t indent, unsigned depth)
{
    const char *key;
    json_t *value;
    bool opens = depth > 0 && json_object_get(schema, "properties") == NULL;
    if (!json_is_object(schema) || (opens && depth % 2 == 1)) {
        char *line = json_dumps(schema, JSON_ENCODE_ANY);
        text_add_string(t, line);
        free(line);
        return;
    }
    const char *sign = "{";
    json_object_foreach((json_t *)schema, key, value)
    {
        bool deeper = strcmp(key, "properties") == 0 || strcmp(key, "$defs") == 0;
        text_add_string(t, sign);
        add_line(t, indent + 2);
        text_add_char(t, '"');
        text_add_string(t, key);
        text_add_string(t, "\": ");
        add_schema(t, value, indent + 2, deeper ? 2 : depth == 2 ? 3 : 1);
        sign = ",";
    }
    add_line(t, indent);
    text_add_char(t, '}');
}

static void expect_schema(const struct record *document)
{
    char path[128];
    snprintf(path, sizeof(path), "docs/json-schema/heapdrift-%s.json", document->name);
    json_t *schema = schema_of(document), *again = schema_of(document);
    cr_expect(json_equal(schema, again), "%s is made twice, and differs", path);
    struct text made = {0}, there = {0};
    add_schema(&made, schema, 0, 0);
    text_add_char(&made, '\n');
    const char *golden = getenv("GOLDEN");
    if (golden != NULL && strcmp(golden, "accept") == 0) {
        FILE *f = fopen(path, "w");
        cr_assert_not_null(f);
        fputs(text_string(&made), f);
        fclose(f);
    }
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f, "%s", path);
    for (int c; (c = fgetc(f)) != EOF;)
        text_add_char(&there, (char)c);
    fclose(f);
    cr_expect_str_eq(text_string(&made), text_string(&there),
                     "%s is not what the records say: GOLDEN=accept", path);
    text_free(&there);
    text_free(&made);
    json_decref(again);
    json_decref(schema);
}

Test(schema, those_of_the_docs_are_made_of_the_records)
{
    for (size_t i = 0; i < HD_REPORT_KIND_COUNT; i++)
        expect_schema(document_records[i]);
}
