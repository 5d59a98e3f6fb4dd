#include "chains/signature.h"

#include <stdlib.h>

static bool repeats_before(const struct signature *s, size_t period)
{
    if (s->len < 2 * period)
        return false;
    for (size_t i = s->len - period; i < s->len; i++)
        if (s->all[i].type != s->all[i - period].type ||
            (s->parts && s->all[i].by != s->all[i - period].by))
            return false;
    return true;
}

/* Drop the last p elements, which are those before them once more. */
static void fold_last(struct signature *s, size_t p)
{
    const struct signature_element *again = &s->all[s->len - p];
    struct signature_element *kept = &s->all[s->len - 2 * p], *last = &kept[p - 1];
    for (size_t i = 0; i < p; i++) {
        if (i > 0)
            kept[i].by = field_seen(kept[i].by, again[i].by);
        for (size_t q = 0; q < SIGNATURE_PERIODS; q++)
            kept[i].back[q] = field_seen(kept[i].back[q], again[i].back[q]);
    }
    last->repeats[p - 1]++;
    last->back[p - 1] = field_seen(last->back[p - 1], again[0].by);
    s->len -= p;
}

void signature_push(struct signature *s, uint32_t type, field_id by)
{
    s->all = grow(s->all, s->len, &s->cap, sizeof(*s->all));
    s->all[s->len++] =
        (struct signature_element){.type = type,
                                   .by = by,
                                   .repeats = {1, 1, 1},
                                   .back = {FIELD_UNSEEN, FIELD_UNSEEN, FIELD_UNSEEN}};
    for (size_t p = 1; p <= SIGNATURE_PERIODS; p++) {
        if (!repeats_before(s, p))
            continue;
        fold_last(s, p);
        return;
    }
}

int signature_compare_from(const struct signature *a, size_t i, const struct signature *b,
                           size_t j)
{
    if (a->len - i != b->len - j)
        return a->len - i < b->len - j ? -1 : 1;
    const size_t first = i;
    for (; i < a->len; i++, j++) {
        const struct signature_element *x = &a->all[i], *y = &b->all[j];
        if (x->type != y->type)
            return x->type < y->type ? -1 : 1;
        if (a->parts && i > first && x->by != y->by)
            return x->by < y->by ? -1 : 1;
    }
    return 0;
}

int signature_compare(const struct signature *a, const struct signature *b)
{
    return signature_compare_from(a, 0, b, 0);
}

unsigned signature_pattern(const struct signature *s, size_t i, uint32_t *repeats)
{
    for (unsigned p = SIGNATURE_PERIODS; p >= 1; p--) {
        if (i + p > s->len)
            continue;
        *repeats = s->all[i + p - 1].repeats[p - 1];
        if (*repeats > 1)
            return p;
    }
    *repeats = 1;
    return 1;
}

void signature_free(struct signature *s)
{
    free(s->all);
    *s = (struct signature){0};
}
