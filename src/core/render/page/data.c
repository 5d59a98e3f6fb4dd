/* The data of the page: every type and the whole ownership tree, without redundancy.
 *
 * Types are stored by column: 20,000 types in six snapshots need two megabytes instead of
 * eight.
 *
 *   points     the snapshots of the values, from 0: all, or as many as fit, including the
 *              first and the last
 *   words      dictionary for names
 *   name       display names, packed with these words (page.h)
 *   framework  a digit per type: 1 if --app-only would hide it
 *   status     a letter per type, the second of its status; "" of a top
 *   count      per type the values; a number is a constant
 *   bytes      the same; a number is the bytes of each object; null: unknown
 *   columns    of the table, in their order (records.h): the key, title, kind and classes
 *              of each, and per type a number or null, if it does not follow from the above
 *   order      the key of the column by which rows are sorted; null: by another value */
#include "render/page/page.h"

#include "base/hash.h"
#include "base/say.h"
#include "heap/names.h"
#include "render/writer.h"
#include "report/format_units.h"
#include "report/records.h"
#include "report/view.h"

#include <stdio.h>
#include <string.h>

/* --- words of names ------------------------------------------------------------ */

struct word {
    UT_hash_handle hh;
    size_t number;
};

static size_t words_number_of(struct page_words *w, const char *s, size_t len)
{
    struct word *known = NULL;
    HASH_FIND(hh, w->known, s, len, known);
    if (known != NULL)
        return known->number;
    known = arena_alloc(&w->arena, sizeof(*known));
    known->number = json_array_size(w->all);
    const char *key = arena_strdup(&w->arena, s, len);
    HASH_ADD_KEYPTR(hh, w->known, key, len, known);
    json_append(w->all, json_stringn_nocheck(s, len));
    return known->number;
}

/* Packs the part between marks: a class, possibly after its namespace. */
static void pack_name(struct page_words *w, struct text *to, const char *s, size_t len)
{
    size_t dot = len;
    while (dot > 0 && s[dot - 1] != '.')
        dot--;
    if (dot > 1)
        say(to, as_digits(words_number_of(w, s, dot - 1)));
    text_add_string(to, dot > 0 ? "." : "");
    if (dot < len)
        say(to, as_digits(words_number_of(w, s + dot, len - dot)));
}

void words_pack(struct page_words *w, struct text *to, const char *name)
{
    static const char marks[] = "<>,[]() ";
    struct text clean = {0}, cut = {0};
    if (w->all == NULL)
        w->all = json_array();
    text_add_utf8(&clean, name, strlen(name));
    format_shorten(&cut, text_string(&clean), clean.len, PAGE_MAX_NAME, false);
    for (const char *s = text_string(&cut); *s != '\0';) {
        size_t len = strcspn(s, marks);
        if (len > 0)
            pack_name(w, to, s, len);
        s += len;
        for (; *s != '\0' && strchr(marks, *s) != NULL; s++)
            text_add_char(to, *s);
    }
    text_free(&cut);
    text_free(&clean);
}

void words_free(struct page_words *w)
{
    HASH_CLEAR(hh, w->known);
    arena_free(&w->arena);
}

/* --- types ---------------------------------------------------------------------- */

/* Limits: half a megabyte of counts, and the same of bytes at worst. */
enum { MAX_TYPE_VALUES = 160 * 1000, MIN_POINTS = 6 };

struct page_points {
    size_t *all, len;
};

static struct page_points choose_points(const struct hd_model *m, struct arena *a)
{
    const size_t types = model_table(m)->len, all = m->snapshot_count;
    size_t available = types > 0 ? MAX_TYPE_VALUES / types : all;
    if (available < MIN_POINTS)
        available = MIN_POINTS;
    struct page_points p = {.len = all < available ? all : available};
    p.all = arena_array(a, size_t, p.len);
    for (size_t i = 0; i < p.len; i++)
        p.all[i] = p.len > 1 ? i * (all - 1) / (p.len - 1) : 0;
    return p;
}

static json_t *numbers(const struct hd_tally *at, const struct page_points *p, bool bytes)
{
    json_t *values = json_array();
    for (size_t i = 0; i < p->len; i++) {
        const struct hd_tally *t = &at[p->all[i]];
        json_append(values, json_number_or_null(bytes ? t->bytes : t->count));
    }
    return values;
}

static json_t *counts(const struct hd_tally *at, const struct page_points *p)
{
    bool is_constant = true;
    for (size_t i = 1; i < p->len; i++)
        is_constant &= at[p->all[i]].count == at[p->all[0]].count;
    return is_constant ? json_number_or_null(at[p->all[0]].count) : numbers(at, p, false);
}

/* Returns the size of each object if it is the same in all points; else HD_UNKNOWN. */
static uint64_t object_size(const struct hd_tally *at, const struct page_points *p)
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

static json_t *bytes(const struct hd_tally *at, const struct page_points *p)
{
    uint64_t size = object_size(at, p);
    return size != HD_UNKNOWN ? json_number_or_null(size) : numbers(at, p, true);
}

static json_t *words_digits(const struct text *t)
{
    return json_stringn_nocheck(t->len > 0 ? t->data : "", t->len);
}

/* Same order as in view.c. */
static const char *order_of(const struct hd_report *r)
{
    bool top = r->model.top != NULL, sized = model_table(&r->model)->bytes_known;
    switch (r->options.sort) {
    case HD_SORT_NAME:
        return "type";
    case HD_SORT_RETAINED:
        return top ? "retained" : NULL;
    case HD_SORT_BYTES:
        return top ? "bytes" : sized ? "delta_bytes" : "delta_count";
    case HD_SORT_COUNT:
        return top ? "count" : "delta_count";
    default:
        return top ? "bytes" : "delta_count";
    }
}

/* Values of columns that do not follow from names, counts, bytes and status. */
static json_t *values_of(const struct hd_model *m, const struct column *c)
{
    const struct hd_type_table *t = model_table(m);
    json_t *all = json_array();
    for (size_t i = 0; i < t->len; i++) {
        struct hd_cell cell = c->cell(m, &t->rows[i]);
        json_append(all, cell.kind == HD_CELL_SHARE ? json_real_or_null(cell.share)
                                                    : json_number_or_null(cell.a));
    }
    return all;
}

static json_t *page_columns(const struct hd_model *m)
{
    static const char *const kinds[] = {
        [HD_CELL_COUNT] = "count",   [HD_CELL_COUNT_CHANGE] = "count change",
        [HD_CELL_SIZE] = "size",     [HD_CELL_SIZE_CHANGE] = "size change",
        [HD_CELL_FROM_TO] = "count", [HD_CELL_SHARE] = "share",
        [HD_CELL_TREND] = "trend",   [HD_CELL_WORD] = "word",
        [HD_CELL_TYPE] = "type"};
    static const char follow[] = " type count bytes status trend delta_count delta_bytes ";
    const struct record *r = m->top != NULL ? &record_top_row : &record_row;
    struct listed found[MAX_LISTED];
    size_t len = record_list(r, r->page, found);
    json_t *all = json_array();
    for (size_t i = 0; i < len; i++) {
        const struct column *c = found[i].field->column;
        const char *title = column_title(c, m);
        char key[32];
        snprintf(key, sizeof(key), " %s ", found[i].field->key);
        json_t *o = json_pack("{ssssssss}", "key", found[i].field->key, "title",
                              *title != '\0' ? title : found[i].field->key, "kind",
                              kinds[c->kind], "classes", c->page);
        if (strstr(follow, key) == NULL)
            json_put(o, "values", values_of(m, c));
        json_append(all, o);
    }
    return all;
}

json_t *page_types(const struct hd_report *r)
{
    const struct hd_model *m = &r->model;
    const struct hd_type_table *t = model_table(m);
    struct arena scratch = {0};
    struct text framework = {0}, status = {0}, packed = {0};
    struct page_words words = {.all = json_array()};
    const struct page_points p = choose_points(m, &scratch);
    json_t *points = json_array(), *name = json_array(), *count = json_array(),
           *size = json_array();
    for (size_t i = 0; i < p.len; i++)
        json_append(points, json_integer((json_int_t)p.all[i]));
    for (size_t i = 0; i < t->len; i++) {
        const struct hd_type_row *row = &t->rows[i];
        bool is_framework = names_is_framework(name_part(row->type), NAME_WHOLE);
        text_add_char(&framework, is_framework ? '1' : '0');
        text_clear(&packed);
        words_pack(&words, &packed, report_shown(r, row->type));
        json_append(name, words_digits(&packed));
        json_append(count, counts(row->at, &p));
        json_append(size, bytes(row->at, &p));
        if (m->top == NULL)
            text_add_char(&status, hd_series_status_name(row->status)[1]);
    }
    json_t *o = json_pack(
        "{sosIsosososososososo}", "points", points, "snapshots",
        (json_int_t)m->snapshot_count, "order", json_string_or_null(order_of(r)), "words",
        words.all, "name", name, "framework", words_digits(&framework), "status",
        words_digits(&status), "count", count, "bytes", size, "columns", page_columns(m));
    words_free(&words);
    text_free(&framework);
    text_free(&status);
    text_free(&packed);
    arena_free(&scratch);
    return o;
}

/* --- the ownership tree ------------------------------------------------------------ */

/* As `heapdrift tree --format=json` writes it: every node, but of a long series only the
 * snapshots that fit, including the two that are compared. */

/* Numbers, four per node and snapshot: half a megabyte. */
enum { MAX_TREE_VALUES = 80 * 1000, PER_NODE = 4 };

/* Chooses among the snapshots from the first to the last that is compared. */
static size_t choose_snapshots(const struct hd_tree *t, size_t *chosen)
{
    size_t span = t->last - t->first + 1, available = MAX_TREE_VALUES / PER_NODE / t->len;
    size_t len = available < 2 ? 2 : available;
    if (len > span)
        len = span;
    for (size_t i = 0; i < len; i++)
        chosen[i] = len > 1 ? t->first + i * (span - 1) / (len - 1) : t->first;
    return len;
}

static struct hd_tally *pick(const struct hd_tally *at, const size_t *chosen, size_t len,
                             struct arena *a)
{
    struct hd_tally *some = arena_array(a, struct hd_tally, len);
    for (size_t i = 0; i < len; i++)
        some[i] = at[chosen[i]];
    return some;
}

json_t *page_tree(const struct hd_report *r)
{
    struct hd_model m = r->model;
    struct arena a = {0};
    size_t chosen[HD_MAX_SNAPSHOTS];
    struct hd_tree t = view_tree(&r->found.tree, 0, m.snapshot_count, &a);
    size_t len = choose_snapshots(&t, chosen);
    struct hd_snapshot_facts *snapshots = arena_array(&a, struct hd_snapshot_facts, len);
    struct hd_tree_node *nodes = arena_array(&a, struct hd_tree_node, t.len);
    for (size_t i = 0; i < len; i++)
        snapshots[i] = m.snapshots[chosen[i]];
    for (size_t i = 0; i < t.len; i++) {
        nodes[i] = t.nodes[i];
        nodes[i].at = pick(t.nodes[i].at, chosen, len, &a);
        nodes[i].owned = pick(t.nodes[i].owned, chosen, len, &a);
    }
    t.nodes = nodes;
    t.first = 0;
    t.last = len - 1;
    m.kind = HD_REPORT_TREE;
    m.tree = &t;
    m.diff = NULL;
    m.snapshots = snapshots;
    m.snapshot_count = len;
    m.warning_count = 0;
    json_t *value = report_json(&m);
    arena_free(&a);
    return value;
}
