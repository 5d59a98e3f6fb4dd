#include "owners/references.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = 1 << 16, DIGIT_BITS = 16 };

/* Half a number at a time: of a large leak there are as many as objects, and qsort takes
 * ten times as long. */
static void sort_by_target(struct references *r)
{
    struct reference *to = alloc_resize(NULL, array_bytes(r->len + 1, sizeof(*to)));
    uint32_t *begin = alloc_resize(NULL, (DIGITS + 1) * sizeof(*begin));
    for (unsigned shift = 0; shift <= DIGIT_BITS; shift += DIGIT_BITS) {
        memset(begin, 0, (DIGITS + 1) * sizeof(*begin));
        for (size_t i = 0; i < r->len; i++)
            begin[(r->all[i].to >> shift & (DIGITS - 1)) + 1]++;
        for (size_t d = 0; d < DIGITS; d++)
            begin[d + 1] += begin[d];
        for (size_t i = 0; i < r->len; i++)
            to[begin[r->all[i].to >> shift & (DIGITS - 1)]++] = r->all[i];
        struct reference *sorted = to;
        to = r->all;
        r->all = sorted;
    }
    r->cap = r->len + 1;
    free(to);
    free(begin);
}

static int by_source(const void *a, const void *b)
{
    const struct reference *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Of few an insertion is faster than a call for each pair. */
static void sort_run(struct reference *all, size_t len)
{
    enum { FEW = 16 };
    if (len > FEW) {
        qsort(all, len, sizeof(*all), by_source);
        return;
    }
    for (size_t i = 1; i < len; i++) {
        struct reference now = all[i];
        size_t at = i;
        for (; at > 0 && all[at - 1].from > now.from; at--)
            all[at] = all[at - 1];
        all[at] = now;
    }
}

void references_sort(struct references *r)
{
    size_t kept = 0;
    if (r->len == 0)
        return;
    sort_by_target(r);
    for (size_t i = 0, run; i < r->len; i += run) {
        run = references_run(r, i);
        sort_run(&r->all[i], run);
        for (size_t j = i; j < i + run; j++)
            if (j == i || r->all[j].from != r->all[j - 1].from)
                r->all[kept++] = r->all[j];
    }
    r->len = kept;
}

void references_free(struct references *r)
{
    free(r->all);
    *r = (struct references){0};
}
