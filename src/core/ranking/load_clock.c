#include "ranking/load_clock.h"

#include "series/ranking_constants.h"
#include "series/trend.h"

#include <math.h>
#include <string.h>

/* --- types of the whole heap --------------------------------------------------------- */

struct type_births type_births_of(const struct births *b, struct arena *a)
{
    const struct ownership_tree *t = b->t;
    size_t steps = b->n - 1, cells = array_bytes(t->labels.len, steps);
    struct type_births all = {steps, arena_array(a, uint64_t, cells),
                              arena_array(a, uint64_t, cells)};
    for (path_id p = 1; p < t->len; p++) {
        const uint64_t *count = &t->count[p * b->n];
        for (size_t k = 0; k < steps; k++)
            all.went[t->label[p] * steps + k] += count[k] - count[k + 1];
    }
    for (label_id l = 0; l < t->labels.len; l++)
        for (size_t k = 0; k < steps; k++) {
            uint64_t came = b->fresh[l * b->n + k + 1];
            int64_t went = (int64_t)(all.went[l * steps + k] + came);
            all.came[l * steps + k] = came;
            /* An object that becomes reachable is not a birth. */
            all.went[l * steps + k] = went > 0 ? (uint64_t)went : 0;
        }
    return all;
}

static size_t steps_without(const uint64_t *came, size_t from, size_t to)
{
    size_t without = 0;
    for (size_t i = from; i < to; i++)
        without += came[i] == 0;
    return without;
}

bool type_births_keep(const struct type_births *t, label_id label)
{
    const uint64_t *came = &t->came[label * t->steps], *went = &t->went[label * t->steps];
    size_t half = t->steps / 2;
    uint64_t all = trend_sum(came, 0, t->steps),
             late = trend_sum(came, t->steps - half, t->steps);
    return all >= rank_by.fewest_that_keep &&
           (double)trend_sum(went, 0, t->steps) <= rank_by.kept_losses * (double)all &&
           steps_without(came, 0, t->steps) <= 1 &&
           steps_without(came, half, t->steps) == 0 &&
           (double)late >= rank_by.goes_on * (double)trend_sum(came, 0, half);
}

/* --- the clock ----------------------------------------------------------------------- */

static bool lives_on_turnover(const struct type_births *t, label_id label)
{
    const uint64_t *came = &t->came[label * t->steps], *went = &t->went[label * t->steps];
    uint64_t all = trend_sum(came, 0, t->steps);
    return all >= rank_by.clock_births * t->steps &&
           steps_without(came, 0, t->steps) == 0 &&
           (double)trend_sum(went, 0, t->steps) >= rank_by.clock_turnover * (double)all;
}

/* Weighs each type by the precision of its rate: the standard error of a Poisson count is
 * its square root. */
struct load_clock load_clock_of(const struct births *b, const struct type_births *t)
{
    struct load_clock clock = {.steps = 0};
    for (label_id l = 0; l < b->t->labels.len; l++) {
        if (!lives_on_turnover(t, l))
            continue;
        const uint64_t *came = &t->came[l * t->steps];
        double weight = 1 / sqrt((double)trend_sum(came, 0, t->steps));
        clock.steps = t->steps;
        for (size_t k = 0; k < t->steps; k++)
            clock.at[k] += weight * (double)came[k];
    }
    return clock;
}

/* Fits came[k] ~ Poisson(load[k] exp(level + slope x_k)), x from -1 to 1, by Newton's
 * method: a concave likelihood, so it converges. */
struct slope_fit {
    double level, slope;
    double score[2], information[3]; /* gradient; Hessian: 00, 01, 11 */
    double misfit;                   /* Pearson's chi square */
};

static void evaluate(struct slope_fit *f, const struct load_clock *clock,
                     const uint64_t *came)
{
    memset(f->score, 0, sizeof(f->score));
    memset(f->information, 0, sizeof(f->information));
    f->misfit = 0;
    for (size_t k = 0; k < clock->steps; k++) {
        double x = 2 * (double)k / (double)(clock->steps - 1) - 1;
        double expected = clock->at[k] * exp(f->level + f->slope * x);
        double more = (double)came[k] - expected;
        f->score[0] += more;
        f->score[1] += more * x;
        f->information[0] += expected;
        f->information[1] += expected * x;
        f->information[2] += expected * x * x;
        f->misfit += more * more / expected;
    }
}

static double determinant(const struct slope_fit *f)
{
    return f->information[0] * f->information[2] - f->information[1] * f->information[1];
}

static struct slope_fit fit_slope(const struct load_clock *clock, const uint64_t *came)
{
    enum { ROUNDS = 50 };
    double load = 0;
    for (size_t k = 0; k < clock->steps; k++)
        load += clock->at[k];
    struct slope_fit f = {.level = log((double)trend_sum(came, 0, clock->steps) / load)};
    for (int i = 0; i < ROUNDS; i++) {
        evaluate(&f, clock, came);
        double det = determinant(&f);
        double level =
            (f.information[2] * f.score[0] - f.information[1] * f.score[1]) / det;
        double slope =
            (f.information[0] * f.score[1] - f.information[1] * f.score[0]) / det;
        if (!isfinite(level) || !isfinite(slope))
            break;
        f.level += level;
        f.slope += slope;
        if (fabs(level) + fabs(slope) < 1e-9)
            break;
    }
    return f;
}

static bool falls(const struct load_clock *clock, const uint64_t *came)
{
    struct slope_fit f = fit_slope(clock, came);
    /* Loads that come in bursts scatter more than Poisson's. */
    double scatter = fmax(1, f.misfit / (double)(clock->steps - 2));
    double error = sqrt(f.information[0] / determinant(&f) * scatter);
    return f.slope <= -rank_by.slows_sigma * error && exp(2 * f.slope) <= rank_by.slows_to;
}

bool load_clock_slows(const struct load_clock *clock, const uint64_t *came)
{
    struct load_clock even = {.steps = clock->steps};
    for (size_t k = 0; k < clock->steps; k++)
        even.at[k] = 1;
    return clock->steps + 1 >= rank_by.enough_snapshots &&
           trend_sum(came, 0, clock->steps) >= rank_by.fewest_that_keep &&
           falls(clock, came) && falls(&even, came);
}
