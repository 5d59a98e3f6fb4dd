#include "ranking/co_retained.h"

#include "base/search.h"
#include "owners/referrers.h"

#include <stdlib.h>

#define NO_HEAD SIZE_MAX

struct joining {
    struct head *heads;
    size_t count;
    const struct path_growths *g;
    const struct title_tree *titles;
    size_t *head_of;         /* per path; NO_HEAD */
    size_t *carrier;         /* per head: whom it goes to; NO_HEAD */
    size_t *towards;         /* and one nearer to the end of its chain */
    enum title_place *place; /* of its title, if has_place */
    bool *has_place;
    const struct referrer_link **by_target; /* links that cover their targets */
    size_t link_count;
};

/* A root group, a pool or a growing buffer neither carries nor is carried. */
static bool takes_part(const struct joining *j, const struct head *h)
{
    return !h->pooled && h->score > 0 && j->g->all[h->path].kind == GROWS_IN_COUNT;
}

static bool is_above(const struct joining *j, path_id a, path_id b)
{
    const struct ownership_tree *t = j->g->t;
    const struct full_tree *f = &t->full[j->g->n - 1];
    path_id x = t->full_of[a * j->g->n + j->g->n - 1];
    path_id y = t->full_of[b * j->g->n + j->g->n - 1];
    return x != NO_PATH && y != NO_PATH && f->position[x] < f->position[y] &&
           f->position[y] < f->end[x];
}

/* Found once: it is asked for every reference, and may be far to look for. */
static enum title_place place_of(struct joining *j, const struct head *h)
{
    size_t i = (size_t)(h - j->heads);
    if (!j->has_place[i])
        suspect_title_of(j->titles, h->path, &j->place[i]);
    j->has_place[i] = true;
    return j->place[i];
}

/* A class of the program may carry a larger head that has none: the strings of a leaked
 * object may weigh more than what is its own. */
static bool may_carry(struct joining *j, const struct head *carrier,
                      const struct head *carried)
{
    return carried->score <= carrier->score ||
           (place_of(j, carrier) == TITLE_WITHIN && place_of(j, carried) != TITLE_WITHIN);
}

/* The end of the chain that a head goes to, itself if nobody carries it. A chain may be as
 * long as there are heads, so each way is shortened for those who come next. */
static size_t end_of(struct joining *j, size_t head)
{
    size_t end = head;
    while (j->carrier[end] != NO_HEAD)
        end = j->towards[end];
    while (head != end) {
        size_t next = j->towards[head];
        j->towards[head] = end;
        head = next;
    }
    return end;
}

static bool is_better(const struct head *h, const struct head *than)
{
    return h->score != than->score ? h->score > than->score : h->order < than->order;
}

static int by_target(const void *a, const void *b)
{
    const struct referrer_link *x = *(const struct referrer_link *const *)a;
    const struct referrer_link *y = *(const struct referrer_link *const *)b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static void index_links(struct joining *j, struct arena *scratch)
{
    const struct referrers *r = j->g->referrers;
    j->by_target = arena_array(scratch, const struct referrer_link *, r->len);
    for (size_t i = 0; i < r->len; i++) {
        const struct referrer_link *link = &r->links[i];
        size_t from = j->head_of[link->from], to = j->head_of[link->target];
        if (from != NO_HEAD && to != NO_HEAD && takes_part(j, &j->heads[from]) &&
            takes_part(j, &j->heads[to]) && referrers_cover(r, link))
            j->by_target[j->link_count++] = link;
    }
    if (j->link_count > 0)
        qsort(j->by_target, j->link_count, sizeof(struct referrer_link *), by_target);
}

static bool leads_to_earlier(const void *joining, size_t i, const void *target)
{
    return ((const struct joining *)joining)->by_target[i]->target <
           *(const path_id *)target;
}

static size_t first_link(const struct joining *j, path_id target)
{
    return search_first(j, 0, j->link_count, leads_to_earlier, &target);
}

static void find_carrier(struct joining *j, size_t carried)
{
    const struct head *h = &j->heads[carried];
    size_t best = NO_HEAD;
    for (size_t i = first_link(j, h->path);
         i < j->link_count && j->by_target[i]->target == h->path; i++) {
        size_t from = j->head_of[j->by_target[i]->from];
        const struct head *c = &j->heads[from];
        if (best != NO_HEAD && !is_better(c, &j->heads[best]))
            continue;
        if (!is_above(j, c->path, h->path) && !is_above(j, h->path, c->path) &&
            may_carry(j, c, h) && end_of(j, from) != carried)
            best = from;
    }
    j->carrier[carried] = j->towards[carried] = best;
}

/* qsort knows no context. */
struct turn {
    double score;
    uint32_t order;
    size_t head;
};

static int by_rising_score(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void co_retained_join(struct head *heads, size_t count, const struct path_growths *g,
                      const struct title_tree *titles)
{
    struct arena scratch = {0};
    struct joining j = {.heads = heads, .count = count, .g = g, .titles = titles};
    struct turn *turns = arena_array(&scratch, struct turn, count);
    j.head_of = arena_array(&scratch, size_t, g->t->len);
    j.carrier = arena_array(&scratch, size_t, count);
    j.towards = arena_array(&scratch, size_t, count);
    j.place = arena_array(&scratch, enum title_place, count);
    j.has_place = arena_array(&scratch, bool, count);
    for (size_t p = 0; p < g->t->len; p++)
        j.head_of[p] = NO_HEAD;
    for (size_t i = 0; i < count; i++) {
        j.head_of[heads[i].path] = i;
        j.carrier[i] = NO_HEAD;
        turns[i] = (struct turn){heads[i].score, heads[i].order, i};
    }
    index_links(&j, &scratch);
    if (count > 0)
        qsort(turns, count, sizeof(*turns), by_rising_score);
    for (size_t i = 0; j.link_count > 0 && i < count; i++)
        if (takes_part(&j, &heads[turns[i].head]))
            find_carrier(&j, turns[i].head);
    /* In that order too, so that sums are the same everywhere. */
    for (size_t turn = 0; turn < count; turn++) {
        size_t i = turns[turn].head, end = end_of(&j, i);
        heads[i].carrier = end != i ? heads[end].path : 0;
        heads[end].total += heads[i].score;
    }
    arena_free(&scratch);
}
