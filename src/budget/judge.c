#include "budget/judge.h"

#include "base/error.h"
#include "heap/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rule_status_names[RULE_STATUS_COUNT] = {[RULE_PASS] = "pass",
                                                          [RULE_FAIL] = "fail",
                                                          [RULE_SUPPRESSED] = "suppressed",
                                                          [RULE_INCONCLUSIVE] =
                                                              "inconclusive"};

/* qsort of plain pointers looks like a mistake. */
struct scored_row {
    const struct scored *row;
};

struct court {
    const struct hd_budgets *b;
    const struct evidence *e;
    const struct series *s;
    struct arena *a;
    struct findings *out;
    size_t cap;
    struct scored_row *by_type; /* the ranking in order of its types */
};

/* --- values -------------------------------------------------------------- */

/* One number per snapshot of the series. */
struct values {
    double y[SERIES_MAX_SNAPSHOTS], noise[SERIES_MAX_SNAPSHOTS];
    bool unknown;
};

static uint64_t number_of(struct tally t, enum budget_measure measure)
{
    return measure == MEASURE_BYTES ? t.bytes : t.count;
}

static void add_tallies(struct values *v, const struct court *c, const struct tally *at,
                        const double *noise_share, enum budget_measure measure)
{
    for (size_t k = 0; k < c->s->count; k++) {
        uint64_t n = number_of(at[k], measure);
        v->unknown |= n == HD_UNKNOWN;
        v->y[k] += (double)n;
        v->noise[k] += noise_share != NULL ? noise_share[k] * (double)n : 0;
    }
}

/* Growth as a rule means it, over the snapshots that can be compared. */
struct growth {
    double value, noise;
    size_t first, last;
};

static struct growth between(const struct values *v, size_t first, size_t last)
{
    return (struct growth){.value = v->y[last] - v->y[first],
                           .noise = v->noise[last] + v->noise[first],
                           .first = first,
                           .last = last};
}

static struct growth worst_step(const struct court *c, const struct values *v)
{
    struct growth worst = between(v, c->s->fit[0], c->s->fit[1]);
    for (size_t i = 2; i < c->s->fit_count; i++) {
        struct growth step = between(v, c->s->fit[i - 1], c->s->fit[i]);
        worst = step.value > worst.value ? step : worst;
    }
    return worst;
}

static struct growth growth_of(const struct court *c, const struct values *v,
                               enum budget_per per)
{
    size_t first = c->s->fit[0], last = c->s->fit[c->s->fit_count - 1];
    if (per == PER_STEP)
        return worst_step(c, v);
    struct growth g = between(v, first, last);
    if (per == PER_ITERATION) {
        double rounds = (double)(c->e->iterations[last] - c->e->iterations[first]);
        g.value /= rounds;
        g.noise /= rounds;
    }
    return g;
}

static double accepted_by(const struct court *c, const struct rule *rule,
                          const struct accepted *a)
{
    bool bytes = rule->measure == MEASURE_BYTES;
    if (rule->per == PER_STEP)
        return (double)(bytes ? a->step_bytes : a->step_count);
    double whole = (double)(bytes ? a->bytes : a->count);
    if (rule->per == PER_TOTAL)
        return whole;
    size_t first = c->s->fit[0], last = c->s->fit[c->s->fit_count - 1];
    uint64_t rounds = c->b->baseline.iterations != HD_UNKNOWN
                          ? c->b->baseline.iterations
                          : c->e->iterations[last] - c->e->iterations[first];
    return rounds > 0 ? whole / (double)rounds : 0;
}

/* --- one finding --------------------------------------------------------- */

/* Why a pass cannot be said, or NULL. */
static const char *doubt_about(const struct court *c, enum budget_per per)
{
    const struct series *s = c->s;
    bool ends = s->fit[0] == 0 && s->fit[s->fit_count - 1] + 1 == s->count;
    bool all = s->fit_count == s->count;
    if (!ends)
        return "the first or the last snapshot is incomplete";
    if (!all && per == PER_STEP)
        return "a snapshot is incomplete, so a step is missing";
    return c->e->doubt;
}

/* 29 % of 100 is 29, whatever binary fractions make of it. */
static bool is_over(double value, double limit)
{
    return value > limit + fabs(limit) * 1e-12;
}

static struct finding hold(const struct court *c, const struct rule *rule,
                           const struct values *v, const struct accepted *accepted)
{
    struct finding f = {.rule = rule,
                        .scored = NO_SCORED,
                        .first = c->s->fit[0],
                        .last = c->s->fit[c->s->fit_count - 1]};
    if (v->unknown) {
        f.status = RULE_INCONCLUSIVE;
        f.reason = "not every snapshot tells this number";
        return f;
    }
    struct growth g = growth_of(c, v, rule->per);
    f.known = true;
    f.first = g.first;
    f.last = g.last;
    f.base = v->y[c->s->fit[0]];
    f.accepted = accepted_by(c, rule, accepted);
    f.observed = g.value - f.accepted;
    f.noise = g.noise;
    f.limit = rule->limit.relative ? rule->limit.percent * f.base / 100
                                   : (double)rule->limit.amount;
    if (is_over(f.observed - f.noise, f.limit)) {
        f.status = RULE_FAIL;
    } else if (is_over(f.observed + f.noise, f.limit)) {
        f.status = RULE_INCONCLUSIVE;
        f.reason =
            "a sample: the estimate may be off by more than the distance to the limit";
    } else {
        f.reason = doubt_about(c, rule->per);
        f.status = f.reason != NULL ? RULE_INCONCLUSIVE : RULE_PASS;
    }
    return f;
}

static void add(struct court *c, struct finding f)
{
    struct findings *out = c->out;
    out->all = grow(out->all, out->len, &c->cap, sizeof(*out->all));
    out->all[out->len++] = f;
}

/* --- suppressions -------------------------------------------------------- */

static bool has_expired(const struct hd_budgets *b, const struct suppression *s)
{
    return s->expires && b->today > s->until;
}

static bool excuses(const struct suppression *s, const char *type, const char *subject,
                    const char *holder)
{
    if (s->type != NULL)
        return (type != NULL && names_match(s->type, type)) ||
               (subject != NULL && names_match(s->type, subject));
    return holder != NULL && names_match(s->holder, holder);
}

/* Let the first suppression that fits excuse a failure; an expired one is told. */
static void excuse(struct court *c, struct finding *f, const char *type,
                   const char *subject, const char *holder)
{
    if (f->status != RULE_FAIL)
        return;
    for (size_t i = 0; i < c->b->suppression_count; i++) {
        const struct suppression *s = &c->b->suppressions[i];
        if (!excuses(s, type, subject, holder))
            continue;
        c->out->suppression_used[i] = true;
        f->suppression = s;
        f->reason = has_expired(c->b, s) ? arena_printf(c->a, "was suppressed until %s: %s",
                                                        s->until_text, s->reason)
                                         : s->reason;
        f->status = has_expired(c->b, s) ? RULE_FAIL : RULE_SUPPRESSED;
        if (f->status == RULE_SUPPRESSED)
            return;
    }
}

/* --- totals -------------------------------------------------------------- */

static const char *const total_names[] = {[TOTAL_BYTES] = "bytes",
                                          [TOTAL_OBJECTS] = "objects",
                                          [TOTAL_REACHABLE_BYTES] = "reachable_bytes"};

static struct values total_values(const struct court *c, enum budget_total total)
{
    struct values v = {.unknown = false};
    bool reachable = total == TOTAL_REACHABLE_BYTES;
    add_tallies(&v, c, reachable ? c->e->reachable : c->s->totals, NULL,
                total == TOTAL_OBJECTS ? MEASURE_COUNT : MEASURE_BYTES);
    /* Types are sampled apart, so their errors add up like random ones. */
    for (size_t k = 0; k < c->s->count; k++) {
        double sum = 0;
        for (size_t i = 0; total == TOTAL_OBJECTS && i < c->s->row_count; i++) {
            const struct series_row *row = &c->s->rows[i];
            double off = row->noise_share != NULL
                             ? row->noise_share[k] * (double)row->at[k].count
                             : 0;
            sum += off * off;
        }
        v.noise[k] = sqrt(sum);
    }
    return v;
}

static void judge_total(struct court *c, const struct rule *rule)
{
    struct values v = total_values(c, rule->total);
    struct accepted accepted =
        baseline_find(&c->b->baseline, ACCEPTED_TOTAL, total_names[rule->total]);
    add(c, hold(c, rule, &v, &accepted));
}

/* --- types --------------------------------------------------------------- */

enum { NO_ENTRY = -1 };

/* The first budget for types whose pattern matches. Free space is no type that leaks;
 * who means it writes Free. */
static int64_t entry_of(const struct court *c, const char *name)
{
    bool is_free = strcmp(name, "Free") == 0;
    for (size_t i = 0; i < c->b->rule_count; i++) {
        const struct rule *rule = &c->b->rules[i];
        if (rule->kind == BUDGET_TYPE && names_match(rule->pattern, name) &&
            (!is_free || strcmp(rule->pattern, name) == 0))
            return (int64_t)rule->entry;
    }
    return NO_ENTRY;
}

static int64_t *entries_of_rows(const struct court *c)
{
    int64_t *entries = arena_array(c->a, int64_t, c->s->row_count);
    for (size_t i = 0; i < c->s->row_count; i++) {
        const char *name = c->s->rows[i].name;
        bool shown = c->e->shows == NULL || c->e->shows(c->e->filter, name);
        entries[i] = shown ? entry_of(c, name) : NO_ENTRY;
    }
    return entries;
}

static int by_type(const void *a, const void *b)
{
    const struct scored_row *x = a, *y = b;
    return strcmp(x->row->type, y->row->type);
}

static void index_scored(struct court *c)
{
    size_t count = c->e->scored_count;
    c->by_type = arena_array(c->a, struct scored_row, count);
    for (size_t i = 0; i < count; i++)
        c->by_type[i].row = &c->e->scored[i];
    qsort(c->by_type, count, sizeof(*c->by_type), by_type);
}

static int64_t scored_named(const struct court *c, const char *name)
{
    const struct scored key = {.type = name};
    const struct scored_row wanted = {&key}, *found = NULL;
    if (c->e->scored_count > 0)
        found =
            bsearch(&wanted, c->by_type, c->e->scored_count, sizeof(*c->by_type), by_type);
    return found != NULL ? found->row - c->e->scored : NO_SCORED;
}

/* How near a finding is to its limit, for the one that stands for many. */
static bool is_nearer(const struct finding *f, const struct finding *than)
{
    if ((f->status == RULE_INCONCLUSIVE) != (than->status == RULE_INCONCLUSIVE))
        return f->status == RULE_INCONCLUSIVE;
    double a = f->observed - f->limit, b = than->observed - than->limit;
    return a != b ? a > b : strcmp(f->subject, than->subject) < 0;
}

static int by_status_and_growth(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (x->status != y->status)
        return x->status == RULE_FAIL ? -1 : 1;
    if (x->observed != y->observed)
        return x->observed < y->observed ? 1 : -1;
    return strcmp(x->subject, y->subject);
}

static void judge_types(struct court *c, const struct rule *rule, const int64_t *entries)
{
    size_t begin = c->out->len;
    struct finding nearest = {.subject = NULL};
    for (size_t i = 0; i < c->s->row_count; i++) {
        const struct series_row *row = &c->s->rows[i];
        if (entries[i] != (int64_t)rule->entry)
            continue;
        struct values v = {.unknown = false};
        add_tallies(&v, c, row->at, row->noise_share, rule->measure);
        struct accepted accepted = baseline_find(&c->b->baseline, ACCEPTED_TYPE, row->name);
        struct finding f = hold(c, rule, &v, &accepted);
        f.subject = row->name;
        f.at = row->at;
        if (f.status == RULE_FAIL) {
            f.scored = scored_named(c, row->name);
            const char *holder =
                f.scored != NO_SCORED ? c->e->scored[f.scored].holder : NULL;
            excuse(c, &f, row->name, NULL, holder);
            add(c, f);
        } else if (nearest.subject == NULL || is_nearer(&f, &nearest)) {
            nearest = f;
        }
    }
    bool matched = c->out->len > begin || nearest.subject != NULL;
    c->out->rule_matched[rule - c->b->rules] = matched;
    if (c->out->len > begin)
        qsort(&c->out->all[begin], c->out->len - begin, sizeof(*c->out->all),
              by_status_and_growth);
    if (nearest.subject != NULL &&
        (c->out->len == begin || nearest.status == RULE_INCONCLUSIVE)) {
        add(c, nearest);
    } else if (!matched) {
        const char *doubt = doubt_about(c, rule->per);
        add(c, (struct finding){.rule = rule,
                                .status = doubt != NULL ? RULE_INCONCLUSIVE : RULE_PASS,
                                .scored = NO_SCORED,
                                .first = c->s->fit[0],
                                .last = c->s->fit[c->s->fit_count - 1],
                                .reason = doubt != NULL ? doubt : "matches no type"});
    }
}

/* --- holders ------------------------------------------------------------- */

/* A suppression that takes a holder out of the sum; NULL if none does. */
static const struct suppression *holder_excused(struct court *c, const char *name)
{
    for (size_t i = 0; i < c->b->suppression_count; i++) {
        const struct suppression *s = &c->b->suppressions[i];
        if (s->holder != NULL && !has_expired(c->b, s) && names_match(s->holder, name))
            return s;
    }
    return NULL;
}

static double simple_growth(const struct court *c, const struct series_row *row,
                            enum budget_measure measure)
{
    uint64_t first = number_of(row->at[c->s->fit[0]], measure);
    uint64_t last = number_of(row->at[c->s->fit[c->s->fit_count - 1]], measure);
    return (double)last - (double)first;
}

/* What hangs below all holders that match, with and without those that are excused. */
struct held {
    struct values all, counted;
    const struct suppression *suppression;
    const char *most; /* the holder that grew most */
    bool matched;
};

static struct held held_by(struct court *c, const struct rule *rule)
{
    struct held h = {.matched = false};
    double most = 0;
    for (size_t i = 0; i < c->e->holders->row_count; i++) {
        const struct series_row *row = &c->e->holders->rows[i];
        if (!names_match(rule->pattern, row->name))
            continue;
        h.matched = true;
        const struct suppression *s = holder_excused(c, row->name);
        add_tallies(&h.all, c, row->at, row->noise_share, rule->measure);
        if (s == NULL)
            add_tallies(&h.counted, c, row->at, row->noise_share, rule->measure);
        else
            h.suppression = s;
        double grown = simple_growth(c, row, rule->measure);
        if (h.most == NULL || grown > most ||
            (grown == most && strcmp(row->name, h.most) < 0)) {
            most = grown;
            h.most = row->name;
        }
    }
    return h;
}

static void judge_holder(struct court *c, const struct rule *rule)
{
    struct accepted accepted =
        baseline_find(&c->b->baseline, ACCEPTED_HOLDER, rule->pattern);
    if (c->e->holders == NULL) {
        add(c, (struct finding){.rule = rule,
                                .status = RULE_INCONCLUSIVE,
                                .scored = NO_SCORED,
                                .first = c->s->fit[0],
                                .last = c->s->fit[c->s->fit_count - 1],
                                .reason = "holders need graphs with roots"});
        return;
    }
    struct held h = held_by(c, rule);
    c->out->rule_matched[rule - c->b->rules] = h.matched;
    struct finding f = hold(c, rule, &h.all, &accepted);
    if (f.status == RULE_FAIL && h.suppression != NULL) {
        struct finding counted = hold(c, rule, &h.counted, &accepted);
        c->out->suppression_used[h.suppression - c->b->suppressions] = true;
        if (counted.status != RULE_FAIL) {
            f.status = RULE_SUPPRESSED;
            f.suppression = h.suppression;
            f.reason = h.suppression->reason;
        } else {
            f = counted;
        }
    }
    f.holder = h.most;
    if (!h.matched && f.status == RULE_PASS)
        f.reason = "matches no holder";
    add(c, f);
}

/* --- suspects ------------------------------------------------------------ */

static struct limit score_limit(const struct court *c, const struct rule *rule)
{
    if (!rule->limit_is_min_score)
        return rule->limit;
    if (c->e->min_bytes > 0)
        return (struct limit){.amount = c->e->min_bytes};
    return (struct limit){.relative = true, .percent = 100 * c->e->min_share};
}

static struct finding hold_score(const struct court *c, const struct rule *rule,
                                 const struct scored *row)
{
    struct limit limit = score_limit(c, rule);
    struct accepted accepted = baseline_find(&c->b->baseline, ACCEPTED_TYPE, row->type);
    struct finding f = {.rule = rule,
                        .known = true,
                        .subject = row->subject,
                        .holder = row->holder,
                        .scored = row - c->e->scored,
                        .first = c->s->fit[0],
                        .last = c->s->fit[c->s->fit_count - 1]};
    f.accepted = (double)accepted.score < row->score ? (double)accepted.score : row->score;
    f.observed = row->score - f.accepted;
    f.base = row->share > 0 ? row->score / row->share : 0;
    f.limit = limit.relative ? limit.percent * f.base / 100 : (double)limit.amount;
    /* A score of nothing is no finding, whatever the limit. */
    f.status = f.observed > 0 && !is_over(f.limit, f.observed) ? RULE_FAIL : RULE_PASS;
    return f;
}

static void add_inconclusive(struct court *c, const struct rule *rule, const char *reason)
{
    add(c, (struct finding){.rule = rule,
                            .status = RULE_INCONCLUSIVE,
                            .scored = NO_SCORED,
                            .first = 0,
                            .last = c->s->count - 1,
                            .reason = reason});
}

static void judge_suspects(struct court *c, const struct rule *rule)
{
    const struct evidence *e = c->e;
    size_t begin = c->out->len;
    if (rule->is_default && c->s->fit_count < SERIES_ENOUGH_SNAPSHOTS) {
        add_inconclusive(c, rule,
                         "fewer than four comparable snapshots cannot tell a leak from "
                         "warm-up");
        return;
    }
    if (!e->bytes_known && !score_limit(c, rule).relative) {
        add_inconclusive(c, rule, "bytes are unknown, so a score has no size");
        return;
    }
    for (size_t i = 0; i < e->scored_count; i++) {
        struct finding f = hold_score(c, rule, &e->scored[i]);
        if (f.status != RULE_FAIL)
            continue;
        excuse(c, &f, e->scored[i].type, e->scored[i].subject, e->scored[i].holder);
        add(c, f);
    }
    if (c->out->len > begin)
        return;
    struct finding none = {.rule = rule,
                           .scored = NO_SCORED,
                           .first = c->s->fit[0],
                           .last = c->s->fit[c->s->fit_count - 1]};
    if (e->scored_count > 0)
        none = hold_score(c, rule, &e->scored[0]);
    none.reason = doubt_about(c, PER_TOTAL);
    none.status = none.reason != NULL ? RULE_INCONCLUSIVE : RULE_PASS;
    add(c, none);
}

/* --- all of it ----------------------------------------------------------- */

static bool can_judge(const struct hd_budgets *b, const struct evidence *e,
                      struct hd_error *err)
{
    for (size_t i = 0; i < b->rule_count; i++) {
        const struct rule *rule = &b->rules[i];
        if (rule->per == PER_ITERATION && e->iterations == NULL)
            return fail_at_line(err, rule->line, "no-iterations",
                                "per: iteration needs --iterations=A,B,..., one number per "
                                "snapshot");
    }
    return true;
}

static void judge_rule(struct court *c, const struct rule *rule, const int64_t *entries)
{
    if (c->s->fit_count < 2) {
        add_inconclusive(c, rule, "fewer than two of the snapshots can be compared");
        return;
    }
    switch (rule->kind) {
    case BUDGET_TOTAL:
        judge_total(c, rule);
        break;
    case BUDGET_TYPE:
        judge_types(c, rule, entries);
        break;
    case BUDGET_HOLDER:
        judge_holder(c, rule);
        break;
    case BUDGET_SUSPECTS:
        judge_suspects(c, rule);
        break;
    }
}

bool judge_rules(struct findings *out, const struct hd_budgets *b, const struct evidence *e,
                 struct arena *a, struct hd_error *err)
{
    struct court c = {.b = b, .e = e, .s = e->types, .a = a, .out = out};
    *out = (struct findings){.rule_matched = arena_array(a, bool, b->rule_count),
                             .suppression_used = arena_array(a, bool, b->suppression_count),
                             .expired = arena_array(a, bool, b->suppression_count)};
    if (!can_judge(b, e, err))
        return false;
    for (size_t i = 0; i < b->rule_count; i++)
        out->rule_matched[i] = true;
    for (size_t i = 0; i < b->suppression_count; i++)
        out->expired[i] = has_expired(b, &b->suppressions[i]);
    index_scored(&c);
    const int64_t *entries = entries_of_rows(&c);
    for (size_t i = 0; i < b->rule_count; i++)
        judge_rule(&c, &b->rules[i], entries);
    struct finding *kept = arena_array(a, struct finding, out->len);
    if (out->len > 0)
        memcpy(kept, out->all, out->len * sizeof(*kept));
    free(out->all);
    out->all = kept;
    return true;
}

/* --- a new baseline ------------------------------------------------------ */

static uint64_t positive(double x)
{
    return x > 0 ? (uint64_t)ceil(x) : 0;
}

/* False if it did not grow in any way. */
static bool measure(const struct court *c, const struct values *count,
                    const struct values *bytes, struct accepted *to)
{
    to->count = positive(growth_of(c, count, PER_TOTAL).value);
    to->step_count = positive(growth_of(c, count, PER_STEP).value);
    if (!bytes->unknown) {
        to->bytes = positive(growth_of(c, bytes, PER_TOTAL).value);
        to->step_bytes = positive(growth_of(c, bytes, PER_STEP).value);
    }
    return to->count > 0 || to->step_count > 0 || to->bytes > 0 || to->step_bytes > 0 ||
           to->score > 0;
}

static void accept_types(struct court *c, struct baseline *to)
{
    for (size_t i = 0; i < c->s->row_count; i++) {
        const struct series_row *row = &c->s->rows[i];
        struct values count = {.unknown = false}, bytes = {.unknown = false};
        struct accepted a = {.kind = ACCEPTED_TYPE, .name = row->name};
        int64_t scored = scored_named(c, row->name);
        a.score = scored != NO_SCORED ? positive(c->e->scored[scored].score) : 0;
        add_tallies(&count, c, row->at, NULL, MEASURE_COUNT);
        add_tallies(&bytes, c, row->at, NULL, MEASURE_BYTES);
        if (measure(c, &count, &bytes, &a))
            baseline_add(to, &a);
    }
}

static void accept_totals(struct court *c, struct baseline *to)
{
    for (int t = TOTAL_BYTES; t <= TOTAL_REACHABLE_BYTES; t++) {
        struct values v = total_values(c, (enum budget_total)t), none = {.unknown = true};
        struct values zero = {.unknown = false};
        struct accepted a = {.kind = ACCEPTED_TOTAL, .name = total_names[t]};
        bool counts = t == TOTAL_OBJECTS;
        if (!v.unknown && measure(c, counts ? &v : &zero, counts ? &none : &v, &a))
            baseline_add(to, &a);
    }
}

static void accept_holders(struct court *c, struct baseline *to)
{
    for (size_t i = 0; c->e->holders != NULL && i < c->b->rule_count; i++) {
        const struct rule *rule = &c->b->rules[i];
        if (rule->kind != BUDGET_HOLDER ||
            baseline_find(to, ACCEPTED_HOLDER, rule->pattern).name != NULL)
            continue;
        struct rule by_count = *rule, by_bytes = *rule;
        by_count.measure = MEASURE_COUNT;
        by_bytes.measure = MEASURE_BYTES;
        struct held count = held_by(c, &by_count), bytes = held_by(c, &by_bytes);
        struct accepted a = {.kind = ACCEPTED_HOLDER, .name = rule->pattern};
        if (measure(c, &count.all, &bytes.all, &a))
            baseline_add(to, &a);
    }
}

void judge_accept(struct baseline *to, const struct hd_budgets *b, const struct evidence *e)
{
    struct arena scratch = {0};
    struct court c = {.b = b, .e = e, .s = e->types, .a = &scratch};
    size_t first = c.s->fit[0], last = c.s->fit[c.s->fit_count - 1];
    to->snapshots = c.s->fit_count;
    to->iterations =
        e->iterations != NULL ? e->iterations[last] - e->iterations[first] : HD_UNKNOWN;
    index_scored(&c);
    accept_totals(&c, to);
    accept_types(&c, to);
    accept_holders(&c, to);
    arena_free(&scratch);
}
