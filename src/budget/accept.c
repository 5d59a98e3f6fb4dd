#include "budget/accept.h"

#include "budget/measure.h"
#include "budget/scale.h"

#include "base/error.h"

#include <math.h>

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
        return fail(
            err, HD_USAGE,
            "no snapshot can be compared; so what a baseline may accept is not known");
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
    return told ||
           fail(
               err, HD_USAGE,
               "a holder is suppressed, but the snapshots do not all tell what holds what; "
               "so what a baseline may accept is not known");
}
