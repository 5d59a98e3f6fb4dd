#include "budget/measure.h"

#include "base/error.h"
#include "budget/scale.h"

#include <math.h>
#include <string.h>

/* --- values -------------------------------------------------------------- */

static uint64_t number_of(struct hd_tally t, enum hd_measure measure)
{
    return measure == HD_MEASURE_BYTES ? t.bytes : t.count;
}

static void add_tallies(struct values *v, const struct series *s, const struct hd_tally *at,
                        const double *noise_share, enum hd_measure measure)
{
    for (size_t k = 0; k < s->count; k++) {
        uint64_t n = number_of(at[k], measure);
        v->unknown |= n == HD_UNKNOWN;
        v->y[k] += (double)n;
        v->noise[k] += noise_share != NULL ? noise_share[k] * (double)n : 0;
    }
}

struct values values_of_row(const struct series *s, const struct series_row *row,
                            enum hd_measure measure)
{
    struct values v = {.unknown = false};
    add_tallies(&v, s, row->at, row->noise_share, measure);
    return v;
}

/* Types are sampled apart, so the squares of their errors add up. */
static double noise_of_total(const struct series *s, size_t k, enum hd_measure measure)
{
    double sum = 0;
    for (size_t i = 0; i < s->row_count; i++) {
        const struct series_row *row = &s->rows[i];
        if (row->noise_share == NULL)
            continue;
        double off = row->noise_share[k] * (double)number_of(row->at[k], measure);
        sum += off * off;
    }
    return sqrt(sum);
}

struct values values_of_total(const struct evidence *e, enum hd_total total)
{
    const struct series *s = e->types;
    struct values v = {.unknown = false};
    enum hd_measure measure =
        total == HD_TOTAL_OBJECTS ? HD_MEASURE_COUNT : HD_MEASURE_BYTES;
    bool reachable = total == HD_TOTAL_REACHABLE_BYTES;
    add_tallies(&v, s, reachable ? e->reachable : s->totals, NULL, measure);
    for (size_t k = 0; k < s->count; k++) {
        if (!reachable)
            v.noise[k] = noise_of_total(s, k, measure);
        else if (e->reachable_noise != NULL)
            v.noise[k] = e->reachable_noise[k];
    }
    return v;
}

/* --- holders ------------------------------------------------------------- */

static double simple_growth(const struct series *s, const struct hd_tally *at,
                            enum hd_measure measure)
{
    uint64_t first = number_of(at[s->usable[0]], measure);
    uint64_t last = number_of(at[s->usable[s->usable_count - 1]], measure);
    return (double)last - (double)first;
}

/* Holders have objects of the same types: no two of them were sampled together, though. */
static void add_holder(struct values *v, const struct evidence *e,
                       const struct series_row *row, enum hd_measure measure)
{
    struct values one = values_of_row(e->types, row, measure);
    v->unknown |= one.unknown;
    for (size_t k = 0; k < e->types->count; k++) {
        v->y[k] += one.y[k];
        v->noise[k] = hypot(v->noise[k], one.noise[k]);
    }
}

struct held held_by(const struct evidence *e, const char *pattern, enum hd_measure measure)
{
    struct held h = {.matched = false};
    double most = 0;
    for (size_t i = 0; i < e->holders->row_count; i++) {
        const struct series_row *row = &e->holders->rows[i];
        if (!evidence_matches(e, pattern, row->name))
            continue;
        h.matched = true;
        add_holder(&h.values, e, row, measure);
        double grown = simple_growth(e->types, row->at, measure);
        if (h.most == NULL || grown > most ||
            (grown == most && strcmp(row->name, h.most) < 0)) {
            most = grown;
            h.most = row->name;
        }
    }
    return h;
}

/* --- what is excused ----------------------------------------------------- */

/* Tell the suppression that takes out most. */
struct blame {
    const struct suppression *by;
    double most;
};

static void blame(struct blame *to, const struct suppression_matches *x,
                  const struct suppression *s, double grown)
{
    suppression_use(x, s);
    if (to->by == NULL || grown > to->most)
        *to = (struct blame){s, grown};
}

struct counted counted_of_type(const struct suppression_matches *x,
                               const struct series_row *row, enum hd_measure measure)
{
    const struct series *s = x->e->types;
    struct counted c = {.by = suppression_of_type(x, row->name, NULL)};
    struct blame to = {.by = NULL};
    const struct series_row *part;
    if (c.by != NULL) {
        suppression_use(x, c.by);
        return c;
    }
    c.values = values_of_row(s, row, measure);
    c.untold = x->by_holder && x->e->suppressed == NULL;
    for (size_t at = 0, number;
         (part = suppressed_row_next(x, row->name, &at, &number)) != NULL;) {
        struct values out = values_of_row(s, part, measure);
        for (size_t k = 0; k < s->count; k++) {
            double left =
                c.values.noise[k] * c.values.noise[k] - out.noise[k] * out.noise[k];
            c.values.y[k] -= out.y[k];
            c.values.noise[k] = left > 0 ? sqrt(left) : 0;
        }
        blame(&to, x, &x->b->suppressions[number], simple_growth(s, part->at, measure));
    }
    c.by = to.by;
    return c;
}

struct counted counted_of_holders(const struct suppression_matches *x, const char *pattern,
                                  enum hd_measure measure)
{
    struct counted c = {.by = NULL};
    struct blame to = {.by = NULL};
    const struct series *holders = x->e->holders;
    for (size_t i = 0; i < holders->row_count; i++) {
        const struct series_row *row = &holders->rows[i];
        if (!evidence_matches(x->e, pattern, row->name))
            continue;
        const struct suppression *s = suppression_of_holder(x, row->name);
        if (s == NULL)
            add_holder(&c.values, x->e, row, measure);
        else
            blame(&to, x, s, simple_growth(x->e->types, row->at, measure));
    }
    c.by = to.by;
    return c;
}

struct counted_score counted_score(const struct suppression_matches *x,
                                   const struct scored *row)
{
    struct counted_score c = {.score = row->score,
                              .by = suppression_of_type(x, row->type, row->subject)};
    struct blame to = {.by = NULL};
    const struct scored_head only = {row->holder, row->score};
    const struct scored_head *heads = row->head_count > 0 ? row->heads : &only;
    size_t count = row->head_count > 0 ? row->head_count : 1;
    if (c.by != NULL) {
        suppression_use(x, c.by);
        c.score = 0;
        return c;
    }
    for (size_t i = 0; x->by_holder && i < count; i++) {
        const struct suppression *s =
            heads[i].holder != NULL ? suppression_of_holder(x, heads[i].holder) : NULL;
        c.untold |= heads[i].holder == NULL;
        if (s == NULL)
            continue;
        c.score -= heads[i].score;
        blame(&to, x, s, heads[i].score);
    }
    /* What is nothing but the rounding of sums is nothing. */
    c.score = c.score > row->score * 1e-9 ? c.score : 0;
    c.by = to.by;
    return c;
}

/* --- growth -------------------------------------------------------------- */

static struct growth between(const struct values *v, size_t first, size_t last,
                             double rounds)
{
    double value = (v->y[last] - v->y[first]) / rounds;
    double noise = (v->noise[last] + v->noise[first]) / rounds;
    return (struct growth){.value = value,
                           .low = value - noise,
                           .high = value + noise,
                           .first = first,
                           .last = last};
}

/* The step that grew most, within what any of them may have grown by. */
static struct growth worst_step(const struct series *s, const struct values *v)
{
    struct growth worst = {.value = -INFINITY, .low = -INFINITY, .high = -INFINITY};
    for (size_t i = 1; i < s->usable_count; i++) {
        size_t first = s->usable[i - 1], last = s->usable[i];
        struct growth step = between(v, first, last, (double)(last - first));
        double low = fmax(step.low, worst.low), high = fmax(step.high, worst.high);
        worst = step.value > worst.value ? step : worst;
        worst.low = low;
        worst.high = high;
    }
    return worst;
}

struct growth growth_of(const struct evidence *e, const struct values *v, enum hd_per per)
{
    const struct series *s = e->types;
    size_t first = s->usable[0], last = s->usable[s->usable_count - 1];
    if (per == HD_PER_STEP)
        return worst_step(s, v);
    bool by_iteration = per == HD_PER_ITERATION;
    return between(v, first, last,
                   by_iteration ? (double)(e->iterations[last] - e->iterations[first]) : 1);
}

/* --- a new baseline ------------------------------------------------------------------ */

/* Rounded up, so that the same growth is accepted as a whole. */
static uint64_t positive(double x)
{
    return x > 0 ? tally_rounded(ceil(x)) : 0;
}

/* count and bytes: as far as they are told, else NULL. */
static struct hd_accepted baseline_entry(const struct evidence *e,
                                         enum hd_accepted_kind kind, const char *name,
                                         const struct values *count,
                                         const struct values *bytes)
{
    struct hd_accepted a = {.kind = kind, .name = name};
    if (count != NULL) {
        a.count = positive(growth_of(e, count, HD_PER_TOTAL).value);
        a.step_count = positive(growth_of(e, count, HD_PER_STEP).value);
    }
    if (bytes != NULL && !bytes->unknown) {
        a.bytes = positive(growth_of(e, bytes, HD_PER_TOTAL).value);
        a.step_bytes = positive(growth_of(e, bytes, HD_PER_STEP).value);
    }
    return a;
}

static void add_if_grown(struct baseline *to, const struct hd_accepted *a)
{
    if (a->count > 0 || a->step_count > 0 || a->bytes > 0 || a->step_bytes > 0 ||
        a->score > 0)
        baseline_add(to, a);
}

static void accept_totals(struct baseline *to, const struct evidence *e)
{
    for (enum hd_total t = 0; t < HD_TOTAL_COUNT; t++) {
        struct values v = values_of_total(e, t);
        bool counts = t == HD_TOTAL_OBJECTS;
        if (v.unknown)
            continue;
        struct hd_accepted a = baseline_entry(e, HD_ACCEPTED_TOTAL, budget_total_names[t],
                                              counts ? &v : NULL, counts ? NULL : &v);
        add_if_grown(to, &a);
    }
}

static void accept_types(struct baseline *to, const struct suppression_matches *x)
{
    const struct evidence *e = x->e;
    struct arena scratch = {0};
    struct scored_index by_type = scored_index_of(e, &scratch);
    for (size_t i = 0; i < e->types->row_count; i++) {
        const struct series_row *row = &e->types->rows[i];
        struct counted count = counted_of_type(x, row, HD_MEASURE_COUNT);
        struct counted bytes = counted_of_type(x, row, HD_MEASURE_BYTES);
        struct hd_accepted a =
            baseline_entry(e, HD_ACCEPTED_TYPE, row->name, &count.values, &bytes.values);
        int64_t scored = scored_index_find(&by_type, row->name);
        if (scored != NO_SCORED)
            a.score = positive(counted_score(x, &e->scored[scored]).score);
        add_if_grown(to, &a);
    }
    arena_free(&scratch);
}

static void accept_holders(struct baseline *to, const struct suppression_matches *x)
{
    const struct hd_budgets *b = x->b;
    for (size_t i = 0; x->e->holders != NULL && i < b->rule_count; i++) {
        const struct rule *rule = &b->rules[i];
        if (rule->kind != HD_RULE_HOLDER ||
            baseline_find(to, HD_ACCEPTED_HOLDER, rule->pattern).name != NULL)
            continue;
        struct counted count = counted_of_holders(x, rule->pattern, HD_MEASURE_COUNT);
        struct counted bytes = counted_of_holders(x, rule->pattern, HD_MEASURE_BYTES);
        struct hd_accepted a = baseline_entry(x->e, HD_ACCEPTED_HOLDER, rule->pattern,
                                              &count.values, &bytes.values);
        add_if_grown(to, &a);
    }
}

bool accept_growth(struct baseline *to, const struct hd_budgets *b,
                   const struct evidence *e, struct hd_error *err)
{
    const struct series *s = e->types;
    if (s->usable_count == 0)
        return fail(err, HD_USAGE,
                    "no snapshot can be compared, so a baseline cannot be written");
    struct arena scratch = {0};
    struct suppression_matches x = suppression_matches_of(b, e, NULL, &scratch);
    bool told = !x.by_holder || e->suppressed != NULL;
    scale_measure(to, e);
    if (told) {
        accept_totals(to, e);
        accept_types(to, &x);
        accept_holders(to, &x);
    }
    arena_free(&scratch);
    return told || fail(err, HD_USAGE,
                        "a holder is suppressed, but not all snapshots have references, so "
                        "a baseline cannot be written");
}
