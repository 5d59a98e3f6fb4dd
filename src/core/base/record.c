#include "base/record.h"

#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- values --------------------------------------------------------------------------- */

static const void *at(const struct record_field *f, const void *of)
{
    return (const char *)of + f->shape.offset;
}

static const void *pointed(const struct record_field *f, const void *of)
{
    return *(const void *const *)at(f, of);
}

static size_t count_of(const struct record_field *f, const void *of)
{
    return *(const size_t *)((const char *)of + f->shape.count);
}

/* For fields that are unsigned numbers. */
static uint64_t record_number_of(const struct record_field *f, const void *of)
{
    const void *p = at(f, of);
    switch (f->shape.kind) {
    case FIELD_SIZE:
        return *(const size_t *)p;
    case FIELD_UINT32:
        return *(const uint32_t *)p;
    case FIELD_COUNT:
        return (*(const struct hd_tally *const *)p)->count;
    case FIELD_SIZE_OF:
        return (*(const struct hd_tally *const *)p)->bytes;
    default:
        return *(const uint64_t *)p;
    }
}

static const char *name_of(const struct record_field *f, const void *of)
{
    unsigned n = *(const unsigned *)at(f, of);
    return n < f->shape.end ? f->shape.name(n) : NULL;
}

static bool is_null(const struct record_field *f, const void *of,
                    const struct record_walk *w)
{
    if (f->known != NULL && !f->known(of, w))
        return true;
    return f->null == NULL_AT_ZERO && record_number_of(f, of) == 0;
}

/* --- JSON ----------------------------------------------------------------------------- */

static json_t *hexadecimal(uint64_t n, const char *format, bool known)
{
    char s[24];
    snprintf(s, sizeof(s), format, n);
    return known ? json_string(s) : json_null();
}

static json_t *tallies(const struct hd_tally *all, size_t count, bool bytes)
{
    json_t *array = json_array();
    for (size_t k = 0; k < count; k++)
        json_append(array, json_number_or_null(bytes ? all[k].bytes : all[k].count));
    return array;
}

/* Records nest as tables do, a few levels deep: no input decides how deep.
 * NOLINTBEGIN(misc-no-recursion) */

static json_t *elements(const struct field_shape *s, const void *all, size_t len,
                        const struct record_walk *w)
{
    json_t *array = json_array();
    for (size_t i = 0; i < len; i++) {
        const void *of = (const char *)all + i * s->stride;
        bool other = s->is_other != NULL && s->is_other(of);
        json_append(array, record_json(other ? s->other : s->record, of, w));
    }
    return array;
}

/* The JSON of a pointer's target; the pointer is not NULL unless it has no elements. */
static json_t *pointed_json(const struct record_field *f, const void *of,
                            const struct record_walk *w)
{
    const void *p = pointed(f, of);
    switch (f->shape.kind) {
    case FIELD_SERIES:
        return json_numbers(p, w->snapshots);
    case FIELD_COUNTS:
    case FIELD_BYTES:
        return tallies(p, w->snapshots, f->shape.kind == FIELD_BYTES);
    case FIELD_NUMBERS:
        return json_numbers(p, count_of(f, of));
    case FIELD_DOUBLES:
        return json_reals(p, count_of(f, of));
    case FIELD_STRINGS:
        return json_strings(p, count_of(f, of));
    case FIELD_RECORDS:
        return elements(&f->shape, p, count_of(f, of), w);
    default:
        return record_json(f->shape.record, p, w);
    }
}

/* An empty list may be NULL, and is still a list, not null. */
static bool is_empty_list(const struct record_field *f, const void *of,
                          const struct record_walk *w)
{
    if (f->null != NEVER_NULL)
        return false;
    switch (f->shape.kind) {
    case FIELD_SERIES:
    case FIELD_COUNTS:
    case FIELD_BYTES:
        return w->snapshots == 0;
    case FIELD_NUMBERS:
    case FIELD_DOUBLES:
    case FIELD_STRINGS:
    case FIELD_RECORDS:
        return count_of(f, of) == 0;
    default:
        return false;
    }
}

static json_t *value_json(const struct record_field *f, const void *of,
                          const struct record_walk *w)
{
    const void *p = at(f, of);
    if (is_null(f, of, w))
        return json_null();
    switch (f->shape.kind) {
    case FIELD_STRING:
        return json_string_or_null(*(const char *const *)p);
    case FIELD_UINT64:
    case FIELD_COUNT:
    case FIELD_SIZE_OF:
        return json_number_or_null(record_number_of(f, of));
    case FIELD_SIZE:
    case FIELD_UINT32:
        return json_integer((json_int_t)record_number_of(f, of));
    case FIELD_INT64:
        return json_integer(*(const int64_t *)p);
    case FIELD_DOUBLE:
        return json_real_or_null(*(const double *)p);
    case FIELD_BOOL:
        return json_boolean(*(const bool *)p);
    case FIELD_ENUM:
        return json_string_or_null(name_of(f, of));
    case FIELD_ADDRESS:
        return hexadecimal(record_number_of(f, of), "0x%" PRIx64,
                           record_number_of(f, of) != 0);
    case FIELD_XXH3:
        return hexadecimal(record_number_of(f, of), "%016" PRIx64,
                           record_number_of(f, of) != HD_UNKNOWN);
    case FIELD_RECORD:
        return record_json(f->shape.record, p, w);
    case FIELD_MADE:
        return f->shape.make(of, w);
    default:
        return pointed(f, of) == NULL && !is_empty_list(f, of, w) ? json_null()
                                                                  : pointed_json(f, of, w);
    }
}

void record_put(json_t *object, const struct record *r, const void *of,
                const struct record_walk *w)
{
    for (const struct record_field *f = r->fields; f < r->fields + r->count; f++)
        if (f->shape.kind == FIELD_PART)
            record_put(object, f->shape.record, at(f, of), w);
        else if (f->shape.kind == FIELD_PART_AT)
            record_put(object, f->shape.record, pointed(f, of), w);
        else if (f->shape.kind != FIELD_CELL && f->null != LISTS_ONLY)
            json_put(object, f->key, value_json(f, of, w));
}

json_t *record_json(const struct record *r, const void *of, const struct record_walk *w)
{
    json_t *object = json_object();
    record_put(object, r, of, w);
    return object;
}

json_t *records_json(const struct record *r, const void *all, size_t len,
                     const struct record_walk *w)
{
    return elements(&(struct field_shape){.record = r, .stride = r->size}, all, len, w);
}

/* --- and back ------------------------------------------------------------------------- */

static bool parse_double(const json_t *value, double *x)
{
    *x = json_is_number(value) ? json_number_value(value) : NAN;
    return json_is_null(value) || (json_is_number(value) && isfinite(*x));
}

static bool parse_name(const struct record_field *f, const json_t *value, unsigned *n)
{
    const char *s = json_string_value(value);
    for (*n = 0; s != NULL && *n < f->shape.end; (*n)++) {
        const char *name = f->shape.name(*n);
        if (name != NULL && strcmp(name, s) == 0)
            return true;
    }
    return false;
}

static bool parse_numbers(const json_t *array, size_t len, const uint64_t **to,
                          struct arena *a)
{
    uint64_t *all = arena_array(a, uint64_t, len);
    *to = all;
    for (size_t i = 0; i < len; i++)
        if (!json_parse_uint64(json_array_get(array, i), &all[i]))
            return false;
    return true;
}

static bool parse_doubles(const json_t *array, size_t len, const double **to,
                          struct arena *a)
{
    double *all = arena_array(a, double, len);
    *to = all;
    for (size_t i = 0; i < len; i++)
        if (!parse_double(json_array_get(array, i), &all[i]))
            return false;
    return true;
}

static bool parse_records(const struct field_shape *s, const json_t *array, size_t len,
                          const void **to, const struct record_walk *w, struct arena *a)
{
    char *all = arena_alloc(a, array_bytes(len + 1, s->stride));
    *to = all;
    for (size_t i = 0; i < len; i++)
        if (!record_parse(s->record, json_array_get(array, i), all + i * s->stride, w, a))
            return false;
    return true;
}

static bool parse_list(const struct record_field *f, const json_t *array, void *to,
                       const struct record_walk *w, struct arena *a)
{
    void *p = (char *)to + f->shape.offset;
    size_t len = json_array_size(array);
    bool per_snapshot = f->shape.kind == FIELD_SERIES;
    if (!json_is_array(array) || (per_snapshot && len != w->snapshots))
        return false;
    if (!per_snapshot)
        *(size_t *)((char *)to + f->shape.count) = len;
    return f->shape.kind == FIELD_DOUBLES   ? parse_doubles(array, len, p, a)
           : f->shape.kind == FIELD_RECORDS ? parse_records(&f->shape, array, len, p, w, a)
                                            : parse_numbers(array, len, p, a);
}

static bool parse_value(const struct record_field *f, const json_t *value, void *to,
                        const struct record_walk *w, struct arena *a)
{
    void *p = (char *)to + f->shape.offset;
    uint64_t n = 0;
    bool ok = f->null != NEVER_NULL || !json_is_null(value);
    switch (f->shape.kind) {
    case FIELD_STRING:
        *(const char **)p = json_string_value(value);
        return ok && (json_is_null(value) || json_is_string(value));
    case FIELD_UINT64:
        return ok && json_parse_uint64(value, p);
    case FIELD_SIZE:
        ok = json_parse_uint64(value, &n) && n < SIZE_MAX;
        *(size_t *)p = (size_t)n;
        return ok;
    case FIELD_UINT32:
        ok = json_parse_uint64(value, &n) && n <= UINT32_MAX;
        *(uint32_t *)p = (uint32_t)n;
        return ok;
    case FIELD_DOUBLE:
        return ok && parse_double(value, p);
    case FIELD_ENUM:
        return parse_name(f, value, p);
    case FIELD_PART:
        return record_parse(f->shape.record, value, p, w, a);
    case FIELD_SERIES:
    case FIELD_NUMBERS:
    case FIELD_DOUBLES:
    case FIELD_RECORDS:
        return parse_list(f, value, to, w, a);
    default:
        return true;
    }
}

bool record_parse(const struct record *r, const json_t *object, void *to,
                  const struct record_walk *w, struct arena *a)
{
    for (const struct record_field *f = r->fields; f < r->fields + r->count; f++) {
        bool part = f->shape.kind == FIELD_PART;
        if (!parse_value(f, part ? object : json_object_get(object, f->key), to, w, a))
            return false;
    }
    return true;
}

/* --- CSV ------------------------------------------------------------------------------ */

const struct record_field *record_find(const struct record *r, const char *key, size_t len,
                                       size_t *offset)
{
    for (const struct record_field *f = r->fields; f < r->fields + r->count; f++) {
        const struct record_field *found = NULL;
        *offset = 0;
        if (f->shape.kind == FIELD_PART)
            found = record_find(f->shape.record, key, len, offset);
        else if (strlen(f->key) == len && memcmp(f->key, key, len) == 0)
            return f;
        *offset += f->shape.offset;
        if (found != NULL)
            return found;
    }
    return NULL;
}

/* NOLINTEND(misc-no-recursion) */

static bool is_per_snapshot(const struct record_field *f)
{
    return f->shape.kind == FIELD_SERIES || f->shape.kind == FIELD_COUNTS ||
           f->shape.kind == FIELD_BYTES;
}

static uint64_t number_at(const struct record_field *f, const void *of, size_t k)
{
    const void *p = pointed(f, of);
    return p == NULL                       ? HD_UNKNOWN
           : f->shape.kind == FIELD_SERIES ? ((const uint64_t *)p)[k]
           : f->shape.kind == FIELD_COUNTS ? ((const struct hd_tally *)p)[k].count
                                           : ((const struct hd_tally *)p)[k].bytes;
}

static void plain_cell(struct csv_writer *csv, const struct record_field *f, const void *of)
{
    const void *p = at(f, of);
    switch (f->shape.kind) {
    case FIELD_STRING:
        csv_optional(csv, *(const char *const *)p);
        return;
    case FIELD_ENUM:
        csv_optional(csv, name_of(f, of));
        return;
    case FIELD_BOOL:
        csv_cell(csv, *(const bool *)p ? "true" : "false");
        return;
    case FIELD_DOUBLE:
        csv_real(csv, *(const double *)p);
        return;
    case FIELD_INT64:
        csv_begin_cell(csv);
        out_printf(csv->out, "%" PRId64, *(const int64_t *)p);
        return;
    case FIELD_ADDRESS:
        csv_begin_cell(csv);
        if (record_number_of(f, of) != 0)
            out_printf(csv->out, "0x%" PRIx64, record_number_of(f, of));
        return;
    default:
        csv_number(csv, record_number_of(f, of));
    }
}

size_t record_list(const struct record *r, const char *list, struct listed all[MAX_LISTED])
{
    size_t count = 0;
    for (const char *key = list; *key != '\0'; key += strspn(key, " ")) {
        struct listed *c = &all[count++];
        size_t len = strcspn(key, " :@");
        assert(count <= MAX_LISTED);
        *c = (struct listed){0};
        c->field = record_find(r, key, len, &c->offset);
        key += len;
        for (; *key == ':' || *key == '@'; key += strcspn(key, " :@"))
            if (*key++ == ':')
                c->width = (unsigned)atoi(key);
            else
                c->from_width = (unsigned)atoi(key);
    }
    return count;
}

size_t record_list_known(const struct record *r, const char *list, const struct hd_model *m,
                         struct listed all[MAX_LISTED])
{
    size_t count = 0, len = record_list(r, list, all);
    for (size_t i = 0; i < len; i++) {
        const struct column *c = all[i].field->column;
        if (c->is_known == NULL || c->is_known(m))
            all[count++] = all[i];
    }
    return count;
}

const char *column_title(const struct column *c, const struct hd_model *m)
{
    return c->title_in != NULL ? c->title_in(m) : c->title;
}

/* The titles of columns per snapshot for snapshot k; of all others if k is SIZE_MAX. */
static void put_titles(struct csv_writer *csv, const struct listed *all, size_t len,
                       size_t k, const struct record_walk *w)
{
    for (size_t i = 0; i < len; i++) {
        const struct record_field *f = all[i].field;
        bool first = w->title != NULL && !csv->in_row;
        char title[64];
        if (is_per_snapshot(f) != (k != SIZE_MAX))
            continue;
        if (k == SIZE_MAX)
            snprintf(title, sizeof(title), "%s", first ? w->title : f->key);
        else
            snprintf(title, sizeof(title), "%s_%zu", f->key, k + 1);
        csv_cell(csv, title);
    }
}

static void put_cells(struct csv_writer *csv, const struct listed *all, size_t len,
                      const void *of, size_t k, const struct record_walk *w)
{
    for (size_t i = 0; i < len; i++) {
        const struct record_field *f = all[i].field;
        const void *its = (const char *)of + all[i].offset;
        if (is_per_snapshot(f) != (k != SIZE_MAX))
            continue;
        if (k == SIZE_MAX) {
            if (f->shape.kind == FIELD_CELL) {
                struct text t = {0};
                f->shape.cell(&t, its, w);
                csv_cell(csv, text_string(&t));
                text_free(&t);
            } else if (is_null(f, its, w))
                csv_cell(csv, "");
            else
                plain_cell(csv, f, its);
        } else
            csv_number(csv, number_at(f, its, k));
    }
}

void csv_record_titles(struct csv_writer *csv, const struct record *r,
                       const struct record_walk *w)
{
    struct listed all[MAX_LISTED];
    size_t len = record_list(r, r->csv, all);
    put_titles(csv, all, len, SIZE_MAX, w);
    for (size_t k = 0; k < w->snapshots; k++)
        put_titles(csv, all, len, k, w);
    csv_end_row(csv);
}

void csv_record_rows(struct csv_writer *csv, const struct record *r, const void *all,
                     size_t len, const struct record_walk *w)
{
    struct listed columns[MAX_LISTED];
    size_t count = record_list(r, r->csv, columns);
    for (size_t i = 0; i < len; i++) {
        const void *of = (const char *)all + i * r->size;
        put_cells(csv, columns, count, of, SIZE_MAX, w);
        for (size_t k = 0; k < w->snapshots; k++)
            put_cells(csv, columns, count, of, k, w);
        csv_end_row(csv);
    }
}
