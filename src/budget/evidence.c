#include "budget/evidence.h"

#include "heap/names.h"

#include <stdlib.h>
#include <string.h>

bool evidence_matches(const struct evidence *e, const char *pattern, const char *name)
{
    return e->matches != NULL ? e->matches(e->context, pattern, name)
                              : names_match(pattern, name);
}

/* qsort of plain pointers looks like a mistake. */
struct scored_row {
    const struct scored *row;
};

static int by_type(const void *a, const void *b)
{
    const struct scored_row *x = a, *y = b;
    return strcmp(x->row->type, y->row->type);
}

struct scored_index scored_index_of(const struct evidence *e, struct arena *a)
{
    struct scored_index index = {.rows = e->scored, .count = e->scored_count};
    index.by_type = arena_array(a, struct scored_row, index.count);
    for (size_t i = 0; i < index.count; i++)
        index.by_type[i].row = &e->scored[i];
    qsort(index.by_type, index.count, sizeof(*index.by_type), by_type);
    return index;
}

int64_t scored_index_find(const struct scored_index *index, const char *type)
{
    const struct scored key = {.type = type};
    const struct scored_row wanted = {&key}, *found = NULL;
    if (index->count > 0)
        found = bsearch(&wanted, index->by_type, index->count, sizeof(*index->by_type),
                        by_type);
    return found != NULL ? found->row - index->rows : NO_SCORED;
}
