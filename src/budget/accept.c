#include "budget/accept.h"

#include "budget/measure.h"

#include <math.h>

/* Rounded up, so that the same growth is accepted as a whole. */
static uint64_t positive(double x)
{
    return x > 0 ? (uint64_t)ceil(x) : 0;
}

/* count and bytes: as far as they are told, else NULL. */
static struct accepted baseline_entry(const struct evidence *e, enum accepted_kind kind,
                                      const char *name, const struct values *count,
                                      const struct values *bytes)
{
    struct accepted a = {.kind = kind, .name = name};
    if (count != NULL) {
        a.count = positive(growth_of(e, count, PER_TOTAL).value);
        a.step_count = positive(growth_of(e, count, PER_STEP).value);
    }
    if (bytes != NULL && !bytes->unknown) {
        a.bytes = positive(growth_of(e, bytes, PER_TOTAL).value);
        a.step_bytes = positive(growth_of(e, bytes, PER_STEP).value);
    }
    return a;
}

static void add_if_grown(struct baseline *to, const struct accepted *a)
{
    if (a->count > 0 || a->step_count > 0 || a->bytes > 0 || a->step_bytes > 0 ||
        a->score > 0)
        baseline_add(to, a);
}

static void accept_totals(struct baseline *to, const struct evidence *e)
{
    for (enum budget_total t = 0; t < BUDGET_TOTAL_COUNT; t++) {
        struct values v = values_of_total(e, t);
        bool counts = t == TOTAL_OBJECTS;
        if (v.unknown)
            continue;
        struct accepted a = baseline_entry(e, ACCEPTED_TOTAL, budget_total_names[t],
                                           counts ? &v : NULL, counts ? NULL : &v);
        add_if_grown(to, &a);
    }
}

static void accept_types(struct baseline *to, const struct evidence *e)
{
    struct arena scratch = {0};
    struct scored_index by_type = scored_index_of(e, &scratch);
    for (size_t i = 0; i < e->types->row_count; i++) {
        const struct series_row *row = &e->types->rows[i];
        struct values count = values_of_row(e->types, row, MEASURE_COUNT);
        struct values bytes = values_of_row(e->types, row, MEASURE_BYTES);
        struct accepted a = baseline_entry(e, ACCEPTED_TYPE, row->name, &count, &bytes);
        int64_t scored = scored_index_find(&by_type, row->name);
        a.score = scored != NO_SCORED ? positive(e->scored[scored].score) : 0;
        add_if_grown(to, &a);
    }
    arena_free(&scratch);
}

static void accept_holders(struct baseline *to, const struct hd_budgets *b,
                           const struct evidence *e)
{
    for (size_t i = 0; e->holders != NULL && i < b->rule_count; i++) {
        const struct rule *rule = &b->rules[i];
        if (rule->kind != BUDGET_HOLDER ||
            baseline_find(to, ACCEPTED_HOLDER, rule->pattern).name != NULL)
            continue;
        struct held count = held_by(e, b, rule->pattern, MEASURE_COUNT);
        struct held bytes = held_by(e, b, rule->pattern, MEASURE_BYTES);
        struct accepted a =
            baseline_entry(e, ACCEPTED_HOLDER, rule->pattern, &count.all, &bytes.all);
        add_if_grown(to, &a);
    }
}

void accept_growth(struct baseline *to, const struct hd_budgets *b,
                   const struct evidence *e)
{
    const struct series *s = e->types;
    size_t first = s->fit[0], last = s->fit[s->fit_count - 1];
    to->snapshots = s->fit_count;
    to->iterations =
        e->iterations != NULL ? e->iterations[last] - e->iterations[first] : HD_UNKNOWN;
    accept_totals(to, e);
    accept_types(to, e);
    accept_holders(to, b, e);
}
