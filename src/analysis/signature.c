#include "analysis/signature.h"

#include <stdbool.h>
#include <stdlib.h>

static bool repeats_before(const struct signature *s, size_t period)
{
    if (s->len < 2 * period)
        return false;
    for (size_t i = s->len - period; i < s->len; i++)
        if (s->all[i].type != s->all[i - period].type)
            return false;
    return true;
}

void signature_push(struct signature *s, uint32_t type)
{
    s->all = grow(s->all, s->len, &s->cap, sizeof(*s->all));
    s->all[s->len++] = (struct signature_element){.type = type, .repeats = {1, 1, 1}};
    for (size_t p = 1; p <= SIGNATURE_PERIODS; p++) {
        if (!repeats_before(s, p))
            continue;
        s->len -= p;
        s->all[s->len - 1].repeats[p - 1]++;
        return;
    }
}

int signature_compare_from(const struct signature *a, size_t i, const struct signature *b,
                           size_t j)
{
    if (a->len - i != b->len - j)
        return a->len - i < b->len - j ? -1 : 1;
    for (; i < a->len; i++, j++)
        if (a->all[i].type != b->all[j].type)
            return a->all[i].type < b->all[j].type ? -1 : 1;
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
