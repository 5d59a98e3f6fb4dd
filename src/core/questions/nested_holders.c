#include "questions/nested_holders.h"

#include "base/hash.h"
#include "heap/place.h"

#include <stdlib.h>
#include <string.h>

/* --- which stand above which ----------------------------------------------- */

struct nested_holders_held {
    size_t row; /* of the ranking */
    UT_hash_handle hh;
};

/* The topmost suspect above the name, or itself. */
static size_t topmost(const struct nested_holders_held *suspects, const char *name,
                      size_t itself)
{
    const struct nested_holders_held *found;
    for (const char *end = name; *(end = holder_place_end(end)) != '\0'; end++) {
        HASH_FIND(hh, suspects, name, (size_t)(end - name), found);
        if (found != NULL)
            return found->row;
    }
    return itself;
}

/* --- sums ------------------------------------------------------------------ */

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a == HD_UNKNOWN || b == HD_UNKNOWN ? HD_UNKNOWN : a + b;
}

static void nested_holders_add(struct suspect *to, const struct suspect *from,
                               size_t snapshots, struct arena *a)
{
    struct series_row *row = arena_alloc(a, sizeof(*row));
    *row = *to->row;
    row->at = arena_array(a, struct hd_tally, snapshots);
    row->survivors = row->survivors_low = row->survivors_high = HD_UNKNOWN;
    for (size_t k = 0; k < snapshots; k++)
        row->at[k] = (struct hd_tally){sum(to->row->at[k].count, from->row->at[k].count),
                                       sum(to->row->at[k].bytes, from->row->at[k].bytes)};
    to->row = row;
    to->score += from->score;
    to->count_delta += from->count_delta;
    to->per_iteration = HD_UNKNOWN;
}

/* A row and what goes with it, to be ordered together. */
struct ordered {
    struct suspect suspect;
    struct joined_holder joined;
};

static int nested_holders_by_score(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->suspect.score != y->suspect.score)
        return x->suspect.score < y->suspect.score ? 1 : -1;
    if (x->suspect.count_delta != y->suspect.count_delta)
        return x->suspect.count_delta < y->suspect.count_delta ? 1 : -1;
    return strcmp(x->suspect.row->name, y->suspect.row->name);
}

/* For each row which one speaks for it. */
static size_t *find_topmost(const struct ranking *t, const bool *suspect, struct arena *a)
{
    size_t *above = arena_array(a, size_t, t->len);
    struct nested_holders_held *suspects = NULL,
                               *places = arena_array(a, struct nested_holders_held, t->len);
    for (size_t i = 0; i < t->len; i++) {
        const char *name = t->all[i].row->name;
        places[i].row = i;
        if (suspect[i])
            HASH_ADD_KEYPTR(hh, suspects, name, strlen(name), &places[i]);
    }
    for (size_t i = 0; i < t->len; i++)
        above[i] = suspect[i] ? topmost(suspects, t->all[i].row->name, i) : i;
    HASH_CLEAR(hh, suspects);
    return above;
}

static void join(struct ranking *t, const size_t *above, struct joined_holder *joined,
                 size_t snapshots, struct arena *a)
{
    for (size_t i = 0; i < t->len; i++)
        joined[above[i]].len += above[i] != i;
    for (size_t i = 0; i < t->len; i++) {
        joined[i].below = arena_array(a, const char *, joined[i].len);
        joined[i].len = 0;
    }
    for (size_t i = 0; i < t->len; i++) {
        struct joined_holder *to = &joined[above[i]];
        if (above[i] == i)
            continue;
        to->below[to->len++] = t->all[i].row->name;
        nested_holders_add(&t->all[above[i]], &t->all[i], snapshots, a);
    }
}

struct joined_holder *nested_holders_join(struct ranking *t, size_t snapshots,
                                          const struct suspect_line *line, double whole,
                                          struct arena *a)
{
    struct joined_holder *joined = arena_array(a, struct joined_holder, t->len);
    struct ordered *rows = arena_array(a, struct ordered, t->len);
    bool *suspect = arena_array(a, bool, t->len);
    size_t len = 0;
    for (size_t i = 0; i < t->len; i++)
        suspect[i] = reaches_line(line, t->all[i].score, whole);
    const size_t *above = find_topmost(t, suspect, a);
    join(t, above, joined, snapshots, a);
    for (size_t i = 0; i < t->len; i++)
        if (above[i] == i)
            rows[len++] = (struct ordered){t->all[i], joined[i]};
    if (len > 0)
        qsort(rows, len, sizeof(*rows), nested_holders_by_score);
    for (t->len = 0; t->len < len; t->len++) {
        t->all[t->len] = rows[t->len].suspect;
        joined[t->len] = rows[t->len].joined;
    }
    return joined;
}
