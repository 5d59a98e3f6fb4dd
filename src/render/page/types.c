/* Every type for the page's table, in columns that repeat nothing: of 20,000 types in six
 * snapshots two megabytes instead of eight.
 *
 *   points     which snapshots the values are of, from 0: all, or as many as there is room
 *              for, the first and the last among them
 *   words      what names are made of
 *   name       as people know it, of these (words.h)
 *   framework  a digit per type: 1 if --app-only would hide it
 *   status     a letter per type, the second of its status, which tells all apart; "" of a
 * top count      per type the values; a number is one that never changes bytes      per
 * type the values; a number is the bytes of each object; null: unknown retained   per type
 * a number or null; of a top only */
#include "render/page/words.h"

#include "heap/names.h"

/* What there is room for: half a megabyte of counts, and as much of bytes at worst. */
enum { MOST_VALUES = 160 * 1000, FEWEST_POINTS = 6 };

struct points {
    size_t *all, len;
};

static struct points choose_points(const struct hd_model *m, struct arena *a)
{
    const size_t types = model_table(m)->len, all = m->snapshot_count;
    size_t room = types > 0 ? MOST_VALUES / types : all;
    if (room < FEWEST_POINTS)
        room = FEWEST_POINTS;
    struct points p = {.len = all < room ? all : room};
    p.all = arena_array(a, size_t, p.len);
    for (size_t i = 0; i < p.len; i++)
        p.all[i] = p.len > 1 ? i * (all - 1) / (p.len - 1) : 0;
    return p;
}

static bool is_constant(const struct hd_tally *at, const struct points *p)
{
    for (size_t i = 1; i < p->len; i++)
        if (at[p->all[i]].count != at[p->all[0]].count)
            return false;
    return true;
}

static json_t *counts(const struct hd_tally *at, const struct points *p)
{
    if (is_constant(at, p))
        return json_number_or_null(at[p->all[0]].count);
    json_t *values = json_array();
    for (size_t i = 0; i < p->len; i++)
        json_append(values, json_number_or_null(at[p->all[i]].count));
    return values;
}

/* What each object has, if that is the same in all of them; else HD_UNKNOWN. */
static uint64_t object_size(const struct hd_tally *at, const struct points *p)
{
    uint64_t size = HD_UNKNOWN;
    for (size_t i = 0; i < p->len; i++) {
        const struct hd_tally *t = &at[p->all[i]];
        if (t->count == HD_UNKNOWN || t->bytes == HD_UNKNOWN ||
            (t->count == 0 && t->bytes > 0) || (t->count > 0 && t->bytes % t->count != 0))
            return HD_UNKNOWN;
        if (t->count == 0)
            continue;
        if (size != HD_UNKNOWN && size != t->bytes / t->count)
            return HD_UNKNOWN;
        size = t->bytes / t->count;
    }
    return size;
}

static json_t *bytes(const struct hd_tally *at, const struct points *p)
{
    uint64_t size = object_size(at, p);
    if (size != HD_UNKNOWN)
        return json_number_or_null(size);
    json_t *values = json_array();
    for (size_t i = 0; i < p->len; i++)
        json_append(values, json_number_or_null(at[p->all[i]].bytes));
    return values;
}

static json_t *digits(const struct text *t)
{
    return json_stringn_nocheck(t->len > 0 ? t->data : "", t->len);
}

static json_t *packed(struct words *w, const char *name)
{
    struct text t = {0};
    words_pack(w, &t, name);
    json_t *value = digits(&t);
    text_free(&t);
    return value;
}

json_t *page_types(const struct hd_report *r)
{
    const struct hd_model *m = &r->model;
    const struct hd_type_table *t = model_table(m);
    struct arena scratch = {0};
    struct text framework = {0}, status = {0};
    struct words words = {.all = json_array()};
    const struct points p = choose_points(m, &scratch);
    json_t *o = json_object(), *points = json_array(), *name = json_array(),
           *count = json_array(), *size = json_array(), *retained = json_array();
    for (size_t i = 0; i < p.len; i++)
        json_append(points, json_integer((json_int_t)p.all[i]));
    for (size_t i = 0; i < t->len; i++) {
        const struct hd_type_row *row = &t->rows[i];
        text_add_char(&framework,
                      names_is_framework(name_part(row->type), NAME_WHOLE) ? '1' : '0');
        json_append(name, packed(&words, report_shown(r, row->type)));
        json_append(count, counts(row->at, &p));
        json_append(size, bytes(row->at, &p));
        if (m->top != NULL)
            json_append(retained, json_number_or_null(row->retained));
        else
            text_add_char(&status, hd_series_status_name(row->status)[1]);
    }
    json_put(o, "points", points);
    json_put(o, "snapshots", json_integer((json_int_t)m->snapshot_count));
    json_put(o, "unit", json_string(hd_unit_name(m->by)));
    json_put(o, "words", words.all);
    json_put(o, "name", name);
    json_put(o, "framework", digits(&framework));
    json_put(o, "status", digits(&status));
    json_put(o, "count", count);
    json_put(o, "bytes", size);
    json_put(o, "retained", retained);
    words_free(&words);
    text_free(&framework);
    text_free(&status);
    arena_free(&scratch);
    return o;
}
