/* The conditions are those of docs/ranking.md, one function each, in its order. */
#include "ages/retention.h"

#include "series/ranking_constants.h"
#include "series/trend.h"

#include <math.h>

struct population population_of(const struct births *b, path_id p, size_t first,
                                unsigned age)
{
    struct population at = {.first = first, .steps = b->n - 1 - first - age};
    for (size_t i = 0; i < at.steps; i++) {
        size_t k = first + i + 1 + age;
        at.came[i] = births_at(b, p, k - age, k);
        for (size_t c = 0; c < k - age; c++)
            at.left[i] += births_lost(b, p, c, k - 1);
        at.all_came += at.came[i];
        at.all_left += at.left[i];
        at.all_stayed += births_at(b, p, first + i + 1, b->n - 1);
    }
    return at;
}

static bool stays_of_each(const struct births *b, path_id p, const struct population *at)
{
    bool few =
        at->steps >= rank_by.few_steps && at->all_came < rank_by.fewest_a_step * at->steps;
    size_t without = 0;
    for (size_t i = 0; i < at->steps; i++)
        without += births_at(b, p, at->first + i + 1, b->n - 1) == 0;
    return without <= (few ? 1 : 0);
}

/* It fills if it comes more slowly each time. */
static bool goes_on(const struct births *b, const struct population *at)
{
    size_t half = (at->steps + 1) / 2;
    uint64_t first = trend_sum(at->came, 0, half);
    uint64_t last = trend_sum(at->came, at->steps - half, at->steps);
    return b->n - at->first < rank_by.enough_snapshots ||
           (double)last >= rank_by.goes_on * (double)(first > 0 ? first : 1);
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
    bool few = at->steps > 2 && at->all_came < rank_by.fewest_a_step * at->steps;
    return few || (at->steps + 1) * least >= most;
}

/* Old enough is what came long ago: whether any still come tells only age 0. */
static bool has_newcomers(const struct births *b, path_id p, unsigned age,
                          const struct population *at)
{
    if (at->all_came < rank_by.fewest_a_step * at->steps)
        return true;
    for (size_t k = b->n - age; k < b->n; k++)
        if ((uint64_t)births_at(b, p, k, k) * rank_by.newcomers * at->steps < at->all_came)
            return false;
    return true;
}

/* In the end as many go as come: a store that is full by now. */
static bool is_full(const struct population *at)
{
    size_t half = at->steps / 2 > 0 ? at->steps / 2 : 1;
    return (double)trend_sum(at->left, at->steps - half, at->steps) >
           rank_by.turnover * (double)trend_sum(at->came, at->steps - half, at->steps);
}

static uint64_t most_before(const uint64_t *all, size_t end)
{
    uint64_t most = 0;
    for (size_t k = 0; k < end; k++)
        most = all[k] > most ? all[k] : most;
    return most;
}

/* More than it ever had: what was purged and fills again has been as large before. The
 * snapshot before the last may be as large already; and of many steps the last two are less
 * than a quarter. */
static bool sets_a_record(const struct births *b, path_id p, const struct population *at)
{
    const uint64_t *all = &b->t->count[p * b->n], last = all[b->n - 1];
    size_t steps = b->n - 1 - at->first,
           late = (rank_by.late_steps * steps + 2) / rank_by.of_late_steps;
    size_t near = steps == 2 ? 1 : 2;
    uint64_t most = most_before(all, b->n - (late > near ? late : near));
    return last >= most_before(all, b->n - near) &&
           rank_by.record * (last - most) >= at->all_stayed;
}

/* --- what lives on turnover ----------------------------------------------- */

static double chance_of(const struct population *at)
{
    return exp(chance_binomial_log(at->all_came + at->all_left, 1 / (1 + rank_by.turnover),
                                   at->all_came));
}

/* Nothing at this age speaks against turnover. */
static bool may_turn_over(const struct births *b, path_id p, unsigned age,
                          const struct population *at)
{
    if (age == 0)
        return (double)at->all_left > rank_by.turnover * (double)at->all_came;
    return !stays_of_each(b, p, at) || chance_of(at) > rank_by.turnover_chance;
}

/* Objects that were there, step by step, and how many of them went. */
struct mortality {
    uint64_t there, went;
};

static double rate(const struct mortality *m)
{
    return m->there > 0 ? (double)m->went / (double)m->there : 0;
}

/* From a snapshot on: of those that a step found new, and of older ones. Of the first
 * snapshot nobody knows which are new. */
static void count_dead(const struct births *b, path_id p, size_t first,
                       struct mortality *young, struct mortality *old)
{
    for (size_t k = first; k + 1 < b->n; k++)
        for (size_t c = 0; c <= k; c++) {
            struct mortality *of = c == k && k > first ? young : old;
            of->there += births_at(b, p, c, k);
            of->went += births_lost(b, p, c, k);
        }
}

/* In a queue, a window, a list that is cleared now and then the oldest go first, and not by
 * chance. A leak among turnover loses the new ones, and more of those. */
struct deaths {
    bool queues, hides_a_leak;
};

static struct deaths deaths_of(const struct births *b, path_id p, size_t first)
{
    struct mortality young = {0}, old = {0};
    count_dead(b, p, first, &young, &old);
    struct deaths d = {.hides_a_leak = rank_by.of_hidden_deaths * rate(&old) <=
                                       rank_by.hidden_deaths * rate(&young)};
    uint64_t came = 0;
    for (size_t k = first + 1; k < b->n; k++)
        came += births_at(b, p, k, k);
    bool many = rank_by.one_of_queue * (young.went + old.went) >= came;
    if (!many || young.there == 0 || rate(&old) <= rank_by.queue_deaths * rate(&young))
        return d;
    double usual = (double)(young.went + 1) / (double)(young.there + 2);
    d.queues = old.went >= old.there ||
               exp(chance_binomial_log(old.there, usual, old.went)) <= rank_by.keeps_chance;
    return d;
}

/* --- what stays ----------------------------------------------------------- */

/* Of all that came and are there, the part that has shown that it stays, and what comes of
 * the last steps, too. */
static double kept_share(const struct births *b, path_id p, const struct population *at)
{
    uint64_t all = 0;
    for (size_t c = 1; c < b->n; c++)
        all += births_at(b, p, c, b->n - 1);
    double kept =
        (double)at->all_stayed * (double)(b->n - 1 - at->first) / (double)at->steps;
    return kept < (double)all ? kept / (double)all : 1;
}

/* Whether it keeps what it gets, at an age, from snapshot `at->first` on. */
static bool keeps_at(const struct births *b, path_id p, unsigned age,
                     const struct population *at)
{
    return at->all_came >= rank_by.fewest_a_step && stays_of_each(b, p, at) &&
           goes_on(b, at) && is_even(at) && has_newcomers(b, p, age, at) && !is_full(at) &&
           sets_a_record(b, p, at);
}

/* --- what begins late ----------------------------------------------------- */

/* Most of those that came then and lived to that age are there at the end. */
static bool mostly_stays(const struct births *b, path_id p, size_t cohort, unsigned age)
{
    size_t grown = cohort + age < b->n ? cohort + age : b->n - 1;
    uint64_t stayed = births_at(b, p, cohort, b->n - 1);
    return stayed > 0 && rank_by.mostly * stayed >= births_at(b, p, cohort, grown);
}

/* The snapshot after which every cohort mostly stays; the last but one if none does. */
static size_t start_of(const struct births *b, path_id p, unsigned age)
{
    size_t first = b->n - 1;
    while (first > 0 && mostly_stays(b, p, first, age))
        first--;
    return first;
}

/* What did not keep all the time may have begun to. The start is chosen by what is seen,
 * out of all there are: so many times likelier is it that chance made one look like that.
 */
static void judge_late(const struct births *b, path_id p, struct stays *best)
{
    for (unsigned age = 0; age < rank_by.ages && b->n > rank_by.fewest_late_steps + 1 + age;
         age++) {
        size_t first = start_of(b, p, age);
        size_t starts = b->n - 1 - rank_by.fewest_late_steps - age;
        if (first == 0 || first > starts)
            continue;
        struct population at = population_of(b, p, first, age);
        bool keeps = keeps_at(b, p, age, &at) && !deaths_of(b, p, first).queues;
        double chance = keeps ? (double)starts * chance_of(&at) : 1;
        if (chance > rank_by.keeps_chance || chance >= best->chance)
            continue;
        *best = (struct stays){.keeps = true,
                               .age = age,
                               .since = first,
                               .chance = chance,
                               .came = at.all_came,
                               .went = at.all_left,
                               .share = kept_share(b, p, &at)};
    }
}

/* --- all of it ------------------------------------------------------------ */

struct stays stays_of(const struct births *b, path_id p)
{
    struct stays best = {.chance = 1, .share = 1};
    if (b->n < rank_by.some_snapshots)
        return best;
    struct population all = population_of(b, p, 0, 0);
    best.came = all.all_came;
    best.went = all.all_left;
    if (best.came == 0) /* most paths: nothing more can be said of them */
        return best;
    best.has_of_each = stays_of_each(b, p, &all);
    struct deaths deaths = deaths_of(b, p, 0);
    best.queues = deaths.queues;
    bool hides = deaths.hides_a_leak && best.has_of_each;
    best.turns_over = b->n < rank_by.enough_snapshots || !hides ||
                      !trend_rises_always(&b->t->count[p * b->n], b->n);
    for (unsigned age = 0; age < rank_by.ages && b->n >= rank_by.some_snapshots + age;
         age++) {
        struct population at = age == 0 ? all : population_of(b, p, 0, age);
        best.turns_over &= may_turn_over(b, p, age, &at);
        bool keeps = !deaths.queues && keeps_at(b, p, age, &at);
        double chance = keeps ? chance_of(&at) : 1;
        if (chance >= best.chance)
            continue;
        best.chance = chance;
        best.age = age;
        best.came = at.all_came;
        best.went = at.all_left;
        best.share = kept_share(b, p, &at);
    }
    best.keeps = best.chance <= rank_by.keeps_chance;
    if (!best.keeps)
        judge_late(b, p, &best);
    return best;
}
