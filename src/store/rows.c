#include "store/rows.h"

#include "store/store.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *x, const void *y)
{
    const struct type_sum *a = x, *b = y;
    return strcmp(a->name, b->name);
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a == HD_UNKNOWN || b == HD_UNKNOWN ? HD_UNKNOWN
           : a < HD_UNKNOWN - 1 - b           ? a + b
                                              : HD_UNKNOWN - 1;
}

/* Names that are one when they are stored become one row. */
static size_t merge(struct type_sum *all, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct type_sum *last = kept > 0 ? &all[kept - 1] : NULL;
        if (last != NULL && strcmp(last->name, all[i].name) == 0) {
            last->objects = sum(last->objects, all[i].objects);
            last->bytes = sum(last->bytes, all[i].bytes);
        } else {
            all[kept++] = all[i];
        }
    }
    return kept;
}

struct type_sums type_sums_of(const struct hd_snapshot *snap, struct arena *a)
{
    struct type_sum *all = arena_array(a, struct type_sum, (size_t)snap->type_count + 1);
    size_t count = 0;
    for (uint32_t i = 0; i < snap->type_count; i++) {
        const struct type *t = &snap->types[i];
        if (type_has_row(t))
            all[count++] =
                (struct type_sum){store_clean(a, t->name), t->tally[SELECT_ALL].count,
                                  t->tally[SELECT_ALL].bytes};
    }
    if (count > 0)
        qsort(all, count, sizeof(*all), by_name);
    return (struct type_sums){all, merge(all, count)};
}

/* Two lists side by side, as in a merge: what of both has the next name, NULL if one has
 * not. */
struct pair {
    const struct type_sum *now, *base;
};

static bool next_pair(const struct type_sums *now, size_t *i, const struct type_sums *base,
                      size_t *k, struct pair *p)
{
    const struct type_sum *x = *i < now->count ? &now->all[*i] : NULL;
    const struct type_sum *y = *k < base->count ? &base->all[*k] : NULL;
    int order = x == NULL ? 1 : y == NULL ? -1 : by_name(x, y);
    *p = (struct pair){order <= 0 ? x : NULL, order >= 0 ? y : NULL};
    *i += p->now != NULL;
    *k += p->base != NULL;
    return p->now != NULL || p->base != NULL;
}

struct type_sums type_sums_changed(const struct type_sums *now,
                                   const struct type_sums *base, struct arena *a)
{
    struct type_sums to = {arena_array(a, struct type_sum, now->count + base->count + 1),
                           0};
    struct pair p;
    for (size_t i = 0, k = 0; next_pair(now, &i, base, &k, &p);)
        if (p.now == NULL)
            to.all[to.count++] = (struct type_sum){.name = p.base->name};
        else if (p.base == NULL || p.now->objects != p.base->objects ||
                 p.now->bytes != p.base->bytes)
            to.all[to.count++] = *p.now;
    return to;
}

struct type_sums type_sums_new(const struct type_sums *now, const struct type_sums *base,
                               struct arena *a)
{
    struct type_sums to = {arena_array(a, struct type_sum, now->count + 1), 0};
    struct pair p;
    for (size_t i = 0, k = 0; next_pair(now, &i, base, &k, &p);)
        if (p.base == NULL)
            to.all[to.count++] = (struct type_sum){.name = p.now->name};
    return to;
}

static json_t *count_or_null(uint64_t n)
{
    struct value v = of_count(n);
    return v.kind == VALUE_NOTHING ? json_null() : json_integer(v.number);
}

char *type_sums_rows(const struct type_sums *sums)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < sums->count; i++) {
        json_t *row = json_array();
        json_append(row, json_string_or_null(sums->all[i].name));
        json_append(row, count_or_null(sums->all[i].objects));
        json_append(row, count_or_null(sums->all[i].bytes));
        json_append(rows, row);
    }
    char *text = json_to_text(rows);
    json_decref(rows);
    return text;
}
