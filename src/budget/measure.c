#include "budget/measure.h"

#include "heap/names.h"

#include <math.h>
#include <string.h>

/* --- values -------------------------------------------------------------- */

static uint64_t number_of(struct tally t, enum budget_measure measure)
{
    return measure == MEASURE_BYTES ? t.bytes : t.count;
}

static void add_tallies(struct values *v, const struct series *s, const struct tally *at,
                        const double *noise_share, enum budget_measure measure)
{
    for (size_t k = 0; k < s->count; k++) {
        uint64_t n = number_of(at[k], measure);
        v->unknown |= n == HD_UNKNOWN;
        v->y[k] += (double)n;
        v->noise[k] += noise_share != NULL ? noise_share[k] * (double)n : 0;
    }
}

struct values values_of_row(const struct series *s, const struct series_row *row,
                            enum budget_measure measure)
{
    struct values v = {.unknown = false};
    add_tallies(&v, s, row->at, row->noise_share, measure);
    return v;
}

struct values values_of_total(const struct evidence *e, enum budget_total total)
{
    const struct series *s = e->types;
    struct values v = {.unknown = false};
    bool reachable = total == TOTAL_REACHABLE_BYTES;
    add_tallies(&v, s, reachable ? e->reachable : s->totals, NULL,
                total == TOTAL_OBJECTS ? MEASURE_COUNT : MEASURE_BYTES);
    /* Types are sampled apart, so their errors add up like random ones. */
    for (size_t k = 0; k < s->count; k++) {
        double sum = 0;
        for (size_t i = 0; total == TOTAL_OBJECTS && i < s->row_count; i++) {
            const struct series_row *row = &s->rows[i];
            double off = row->noise_share != NULL
                             ? row->noise_share[k] * (double)row->at[k].count
                             : 0;
            sum += off * off;
        }
        v.noise[k] = sqrt(sum);
    }
    return v;
}

/* --- holders ------------------------------------------------------------- */

/* A suppression that takes a holder out of the sum; NULL if none does. */
static const struct suppression *holder_excused(const struct hd_budgets *b,
                                                const char *name)
{
    for (size_t i = 0; i < b->suppression_count; i++) {
        const struct suppression *s = &b->suppressions[i];
        if (s->holder != NULL && !suppression_has_expired(b, s) &&
            names_match(s->holder, name))
            return s;
    }
    return NULL;
}

static double simple_growth(const struct series *s, const struct series_row *row,
                            enum budget_measure measure)
{
    uint64_t first = number_of(row->at[s->fit[0]], measure);
    uint64_t last = number_of(row->at[s->fit[s->fit_count - 1]], measure);
    return (double)last - (double)first;
}

struct held held_by(const struct evidence *e, const struct hd_budgets *b,
                    const char *pattern, enum budget_measure measure)
{
    struct held h = {.matched = false};
    double most = 0;
    for (size_t i = 0; i < e->holders->row_count; i++) {
        const struct series_row *row = &e->holders->rows[i];
        if (!names_match(pattern, row->name))
            continue;
        h.matched = true;
        const struct suppression *s = holder_excused(b, row->name);
        add_tallies(&h.all, e->types, row->at, row->noise_share, measure);
        if (s == NULL)
            add_tallies(&h.counted, e->types, row->at, row->noise_share, measure);
        else
            h.suppression = s;
        double grown = simple_growth(e->types, row, measure);
        if (h.most == NULL || grown > most ||
            (grown == most && strcmp(row->name, h.most) < 0)) {
            most = grown;
            h.most = row->name;
        }
    }
    return h;
}

/* --- growth -------------------------------------------------------------- */

static struct growth between(const struct values *v, size_t first, size_t last)
{
    return (struct growth){.value = v->y[last] - v->y[first],
                           .noise = v->noise[last] + v->noise[first],
                           .first = first,
                           .last = last};
}

static struct growth worst_step(const struct series *s, const struct values *v)
{
    struct growth worst = between(v, s->fit[0], s->fit[1]);
    for (size_t i = 2; i < s->fit_count; i++) {
        struct growth step = between(v, s->fit[i - 1], s->fit[i]);
        worst = step.value > worst.value ? step : worst;
    }
    return worst;
}

struct growth growth_of(const struct evidence *e, const struct values *v,
                        enum budget_per per)
{
    const struct series *s = e->types;
    size_t first = s->fit[0], last = s->fit[s->fit_count - 1];
    if (per == PER_STEP)
        return worst_step(s, v);
    struct growth g = between(v, first, last);
    if (per == PER_ITERATION) {
        double rounds = (double)(e->iterations[last] - e->iterations[first]);
        g.value /= rounds;
        g.noise /= rounds;
    }
    return g;
}
