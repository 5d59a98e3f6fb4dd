#include "fleet/store/rows.h"

#include "fleet/store/store.h"

#include <stdlib.h>
#include <string.h>

static int rows_by_name(const void *x, const void *y)
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
static size_t rows_merge(struct type_sum *all, size_t count)
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
        qsort(all, count, sizeof(*all), rows_by_name);
    return (struct type_sums){all, rows_merge(all, count)};
}

void type_sums_compare(const struct type_sums *now, const struct type_sums *base,
                       struct type_sums *changed, struct type_sums *new, struct arena *a)
{
    size_t i = 0, k = 0;
    *changed = (struct type_sums){
        arena_array(a, struct type_sum, now->count + base->count + 1), 0};
    *new = (struct type_sums){arena_array(a, struct type_sum, now->count + 1), 0};
    while (i < now->count || k < base->count) {
        const struct type_sum *x = i < now->count ? &now->all[i] : NULL;
        const struct type_sum *y = k < base->count ? &base->all[k] : NULL;
        int order = x == NULL ? 1 : y == NULL ? -1 : rows_by_name(x, y);
        if (order > 0)
            changed->all[changed->count++] = (struct type_sum){.name = y->name};
        else if (order < 0 || x->objects != y->objects || x->bytes != y->bytes)
            changed->all[changed->count++] = *x;
        if (order < 0)
            new->all[new->count++] = (struct type_sum){.name = x->name};
        i += order <= 0;
        k += order >= 0;
    }
}

static json_t *count_or_null(uint64_t n)
{
    struct value v = of_count(n);
    return v.kind == VALUE_NOTHING ? json_null() : json_integer(v.number);
}

char *type_sums_rows(const struct type_sums *sums)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < sums->count; i++)
        json_append(rows, json_pack("[o,o,o]", json_string_or_null(sums->all[i].name),
                                    count_or_null(sums->all[i].objects),
                                    count_or_null(sums->all[i].bytes)));
    char *text = json_to_text(rows);
    json_decref(rows);
    return text;
}
