/* The conditions are those of docs/ranking.md, one function each, in its order. */
#include "analysis/stays.h"

#include "analysis/chance.h"

#include <math.h>

enum { AGES = 3, FEWEST = 4 };

/* Half an object goes for each that comes. */
static const double turnover = 0.5;

/* Objects that have been at the path for `age` snapshots: how many came to be so in each
 * step, how many of them went, and how many of each cohort are there at the end. */
struct population {
    size_t steps;
    uint64_t came[SERIES_MAX_SNAPSHOTS], left[SERIES_MAX_SNAPSHOTS];
    uint64_t all_came, all_left, all_stayed;
};

static struct population population_of(const struct births *b, path_id p, unsigned age)
{
    struct population at = {.steps = b->n - 1 - age};
    for (size_t i = 0; i < at.steps; i++) {
        size_t k = i + 1 + age;
        at.came[i] = births_at(b, p, k - age, k);
        for (size_t c = 0; c < k - age; c++)
            at.left[i] += births_lost(b, p, c, k - 1);
        at.all_came += at.came[i];
        at.all_left += at.left[i];
        at.all_stayed += births_at(b, p, i + 1, b->n - 1);
    }
    return at;
}

static uint64_t sum(const uint64_t *of, size_t from, size_t to)
{
    uint64_t all = 0;
    for (size_t i = from; i < to; i++)
        all += of[i];
    return all;
}

/* Where fewer than four come at a time one interval may have left none. */
static bool stays_of_each(const struct births *b, path_id p, const struct population *at)
{
    bool few = at->steps >= 4 && at->all_came < FEWEST * at->steps;
    size_t without = 0;
    for (size_t i = 0; i < at->steps; i++)
        without += births_at(b, p, i + 1, b->n - 1) == 0;
    return without <= (few ? 1 : 0);
}

/* A third of the first half's rate at least, in the second: else it fills, and more slowly
 * each time. */
static bool goes_on(const struct births *b, const struct population *at)
{
    size_t half = (at->steps + 1) / 2;
    uint64_t first = sum(at->came, 0, half);
    uint64_t last = sum(at->came, at->steps - half, at->steps);
    return b->n < 4 || (double)last >= 0.34 * (double)(first > 0 ? first : 1);
}

/* The fewer steps there are, the more alike they have to be: the smallest is a third of the
 * largest of two, a quarter of three, and so on. The length of a queue is random, too. */
static bool is_even(const struct population *at)
{
    uint64_t least = at->came[0], most = at->came[0];
    for (size_t i = 1; i < at->steps; i++) {
        least = at->came[i] < least ? at->came[i] : least;
        most = at->came[i] > most ? at->came[i] : most;
    }
    bool few = at->steps > 2 && at->all_came < FEWEST * at->steps;
    return few || (at->steps + 1) * least >= most;
}

/* Old enough is what came long ago: whether any still come tells only age 0. */
static bool has_newcomers(const struct births *b, path_id p, unsigned age,
                          const struct population *at)
{
    if (at->all_came < FEWEST * at->steps)
        return true;
    for (size_t k = b->n - age; k < b->n; k++)
        if ((uint64_t)births_at(b, p, k, k) * 3 * at->steps < at->all_came)
            return false;
    return true;
}

/* In the end as many go as come: a store that is full by now. */
static bool is_full(const struct population *at)
{
    size_t half = at->steps / 2 > 0 ? at->steps / 2 : 1;
    return (double)sum(at->left, at->steps - half, at->steps) >
           turnover * (double)sum(at->came, at->steps - half, at->steps);
}

/* More than it ever had, by a quarter of what stayed: what was purged and fills again has
 * been as large before. The snapshot before the last may be as large already. */
static bool sets_a_record(const struct births *b, path_id p, const struct population *at)
{
    const uint64_t *all = &b->t->count[p * b->n];
    uint64_t most = 0;
    for (size_t k = 0; k + (b->n == 3 ? 1 : 2) < b->n; k++)
        most = all[k] > most ? all[k] : most;
    return all[b->n - 1] >= most && 4 * (all[b->n - 1] - most) >= at->all_stayed;
}

static double chance_of(const struct population *at)
{
    return exp(
        chance_binomial_log(at->all_came + at->all_left, 1 / (1 + turnover), at->all_came));
}

/* Objects that were there, step by step, and how many of them went. */
struct mortality {
    uint64_t there, went;
};

static double rate(const struct mortality *m)
{
    return m->there > 0 ? (double)m->went / (double)m->there : 0;
}

/* Nearly all went, new ones as well: what holds them was made anew, and tells nothing. Of
 * the first snapshot nobody knows which are new. */
static bool made_anew(const struct births *b, path_id p, size_t k,
                      const struct mortality *young, const struct mortality *old)
{
    uint64_t went = young->went + old->went;
    bool all = 20 * went >= 19 * (young->there + old->there);
    return all &&
           (k > 0 ? young->there > 0 : b->n > 3 && births_at(b, p, k + 1, k + 1) >= went);
}

/* Of those that a step found new, and of older ones. */
static void count_dead(const struct births *b, path_id p, struct mortality *young,
                       struct mortality *old)
{
    for (size_t k = 0; k + 1 < b->n; k++) {
        struct mortality y = {0}, o = {0};
        for (size_t c = 0; c <= k; c++) {
            struct mortality *of = c == k && k > 0 ? &y : &o;
            of->there += births_at(b, p, c, k);
            of->went += births_lost(b, p, c, k);
        }
        if (made_anew(b, p, k, &y, &o))
            continue;
        young->there += y.there;
        young->went += y.went;
        old->there += o.there;
        old->went += o.went;
    }
}

/* In a queue, a window, a list that is cleared now and then the oldest go first: at twice
 * the rate of the new ones, and not by chance. A leak among turnover loses the new ones. */
static bool oldest_go_first(const struct mortality *young, const struct mortality *old)
{
    if (young->there == 0 || rate(old) <= 2 * rate(young))
        return false;
    double usual = (double)(young->went + 1) / (double)(young->there + 2);
    return old->went >= old->there ||
           exp(chance_binomial_log(old->there, usual, old->went)) <= STAYS_LEVEL;
}

static bool rises(const struct births *b, path_id p)
{
    const uint64_t *all = &b->t->count[p * b->n];
    for (size_t k = 1; k < b->n; k++)
        if (all[k] <= all[k - 1])
            return false;
    return true;
}

static bool can_keep(const struct births *b, path_id p, unsigned age,
                     const struct population *at)
{
    return at->all_came >= FEWEST && stays_of_each(b, p, at) && goes_on(b, at) &&
           is_even(at) && has_newcomers(b, p, age, at) && !is_full(at) &&
           sets_a_record(b, p, at);
}

/* Nothing at this age speaks against turnover. */
static bool may_turn_over(const struct births *b, path_id p, unsigned age,
                          const struct population *at)
{
    if (age == 0)
        return (double)at->all_left > turnover * (double)at->all_came;
    return !stays_of_each(b, p, at) || chance_of(at) > 0.05;
}

/* Of all that came and are there, the part that has shown that it stays, and what comes of
 * the last steps, too. */
static double kept_share(const struct births *b, path_id p, const struct population *at)
{
    uint64_t all = 0;
    for (size_t c = 1; c < b->n; c++)
        all += births_at(b, p, c, b->n - 1);
    double kept = (double)at->all_stayed * (double)(b->n - 1) / (double)at->steps;
    return kept < (double)all ? kept / (double)all : 1;
}

struct stays stays_of(const struct births *b, path_id p)
{
    struct stays best = {.chance = 1, .share = 1};
    if (b->n < 3)
        return best;
    struct mortality young = {0}, old = {0};
    count_dead(b, p, &young, &old);
    bool queues = oldest_go_first(&young, &old);
    /* A leak hides in a store that loses its new ones, if that has more at each step. */
    best.turns_over = !rises(b, p) || b->n < 4 || 4 * rate(&old) > 3 * rate(&young);
    for (unsigned age = 0; age < AGES && b->n >= 3 + age; age++) {
        struct population at = population_of(b, p, age);
        best.turns_over &= may_turn_over(b, p, age, &at);
        if (age == 0) {
            best.came = at.all_came;
            best.went = at.all_left;
        }
        if (queues || !can_keep(b, p, age, &at))
            continue;
        double chance = chance_of(&at);
        if (chance >= best.chance)
            continue;
        best.chance = chance;
        best.age = age;
        best.came = at.all_came;
        best.went = at.all_left;
        best.share = kept_share(b, p, &at);
    }
    best.queues = queues;
    best.keeps = best.chance <= STAYS_LEVEL;
    return best;
}
