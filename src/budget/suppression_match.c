#include "budget/suppression_match.h"

#include "base/search.h"

#include <stdlib.h>
#include <string.h>

struct suppressed_row {
    const struct series_row *row;
    size_t number; /* of the suppression */
};

static int by_type(const void *a, const void *b)
{
    const struct suppressed_row *x = a, *y = b;
    int order = strcmp(x->row->name, y->row->name);
    if (order != 0)
        return order;
    return (x->number > y->number) - (x->number < y->number);
}

static bool suppression_matches_holders(const struct hd_budgets *b,
                                        const struct suppression *s)
{
    return s->holder != NULL && !suppression_has_expired(b, s);
}

static void add_rows(struct suppression_matches *x, struct arena *a)
{
    size_t most = 0;
    for (size_t i = 0; i < x->b->suppression_count; i++)
        most += x->e->suppressed[i].row_count;
    x->rows = arena_array(a, struct suppressed_row, most);
    for (size_t i = 0; i < x->b->suppression_count; i++)
        for (size_t j = 0; j < x->e->suppressed[i].row_count; j++)
            x->rows[x->row_count++] =
                (struct suppressed_row){&x->e->suppressed[i].rows[j], i};
    qsort(x->rows, x->row_count, sizeof(*x->rows), by_type);
}

struct suppression_matches suppression_matches_of(const struct hd_budgets *b,
                                                  const struct evidence *e, bool *used,
                                                  struct arena *a)
{
    struct suppression_matches x = {.b = b, .e = e};
    x.used = used;
    for (size_t i = 0; i < b->suppression_count; i++)
        x.by_holder |= suppression_matches_holders(b, &b->suppressions[i]);
    if (x.by_holder && e->suppressed != NULL)
        add_rows(&x, a);
    return x;
}

static bool names_type(const struct evidence *e, const struct suppression *s,
                       const char *type, const char *subject)
{
    return s->type != NULL && ((type != NULL && evidence_matches(e, s->type, type)) ||
                               (subject != NULL && evidence_matches(e, s->type, subject)));
}

const struct suppression *suppression_of_type(const struct suppression_matches *x,
                                              const char *type, const char *subject)
{
    for (size_t i = 0; i < x->b->suppression_count; i++) {
        const struct suppression *s = &x->b->suppressions[i];
        if (!suppression_has_expired(x->b, s) && names_type(x->e, s, type, subject))
            return s;
    }
    return NULL;
}

size_t suppression_part(const struct hd_budgets *b, const struct evidence *e,
                        const char *holder)
{
    size_t i = 0;
    while (i < b->suppression_count &&
           !(suppression_matches_holders(b, &b->suppressions[i]) &&
             evidence_matches(e, b->suppressions[i].holder, holder)))
        i++;
    return i;
}

const struct suppression *suppression_of_holder(const struct suppression_matches *x,
                                                const char *holder)
{
    size_t i = suppression_part(x->b, x->e, holder);
    return i < x->b->suppression_count ? &x->b->suppressions[i] : NULL;
}

const struct suppression *suppression_expired(const struct suppression_matches *x,
                                              const char *type, const char *subject,
                                              const char *holder)
{
    for (size_t i = 0; i < x->b->suppression_count; i++) {
        const struct suppression *s = &x->b->suppressions[i];
        bool fits = names_type(x->e, s, type, subject) ||
                    (s->holder != NULL && holder != NULL &&
                     evidence_matches(x->e, s->holder, holder));
        if (fits && suppression_has_expired(x->b, s))
            return s;
    }
    return NULL;
}

static bool is_named_before(const void *suppression_matches, size_t i, const void *type)
{
    return strcmp(
               ((const struct suppression_matches *)suppression_matches)->rows[i].row->name,
               type) < 0;
}

const struct series_row *suppressed_row_next(const struct suppression_matches *x,
                                             const char *type, size_t *at, size_t *number)
{
    size_t i = search_first(x, 0, x->row_count, is_named_before, type) + *at;
    if (i >= x->row_count || strcmp(x->rows[i].row->name, type) != 0)
        return NULL;
    ++*at;
    *number = x->rows[i].number;
    return x->rows[i].row;
}

void suppression_use(const struct suppression_matches *x, const struct suppression *s)
{
    if (x->used != NULL)
        x->used[s - x->b->suppressions] = true;
}
