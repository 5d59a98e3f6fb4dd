#include "budget/judge.h"

#include "base/error.h"
#include "budget/measure.h"
#include "heap/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rule_status_names[RULE_STATUS_COUNT] = {[RULE_PASS] = "pass",
                                                          [RULE_FAIL] = "fail",
                                                          [RULE_SUPPRESSED] = "suppressed",
                                                          [RULE_INCONCLUSIVE] =
                                                              "inconclusive"};

struct court {
    const struct hd_budgets *b;
    const struct evidence *e;
    const struct series *s;
    struct arena *a;
    struct findings *out;
    size_t cap;
    struct scored_index by_type;
};

/* --- one finding --------------------------------------------------------- */

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

static struct limit limit_of(const struct court *c, const struct rule *rule)
{
    if (!rule->limit_is_min_score)
        return rule->limit;
    if (c->e->min_bytes > 0)
        return (struct limit){.amount = c->e->min_bytes};
    return (struct limit){.relative = true, .percent = 100 * c->e->min_share};
}

static struct finding between(const struct court *c, const struct rule *rule, size_t first,
                              size_t last)
{
    return (struct finding){.rule = rule,
                            .limit = limit_of(c, rule),
                            .scored = NO_SCORED,
                            .first = first,
                            .last = last};
}

/* About the snapshots that can be compared, of which there must be two. */
static struct finding finding_of(const struct court *c, const struct rule *rule)
{
    return between(c, rule, c->s->fit[0], c->s->fit[c->s->fit_count - 1]);
}

static void leave_open(struct finding *f, const char *reason)
{
    f->status = RULE_INCONCLUSIVE;
    f->reason = reason;
}

/* A pass, unless the snapshots cannot show one; remark may be NULL. */
static void pass(const struct court *c, struct finding *f, enum budget_per per,
                 const char *remark)
{
    const char *doubt = doubt_about(c, per);
    f->status = doubt != NULL ? RULE_INCONCLUSIVE : RULE_PASS;
    f->reason = doubt != NULL ? doubt : remark;
}

static struct finding hold(const struct court *c, const struct rule *rule,
                           const struct values *v, const struct accepted *accepted)
{
    struct finding f = finding_of(c, rule);
    if (v->unknown) {
        leave_open(&f, "not every snapshot tells this number");
        return f;
    }
    struct growth g = growth_of(c->e, v, rule->per);
    f.known = true;
    f.first = g.first;
    f.last = g.last;
    f.base = v->y[c->s->fit[0]];
    f.accepted = accepted_by(c, rule, accepted);
    f.observed = g.value - f.accepted;
    f.noise = g.noise;
    f.allowed = limit_amount(&f.limit, f.base);
    if (is_over(f.observed - f.noise, f.allowed))
        f.status = RULE_FAIL;
    else if (is_over(f.observed + f.noise, f.allowed))
        leave_open(
            &f, "a sample: the estimate may be off by more than the distance to the limit");
    else
        pass(c, &f, rule->per, NULL);
    return f;
}

static void add(struct court *c, struct finding f)
{
    struct findings *out = c->out;
    out->all = grow(out->all, out->len, &c->cap, sizeof(*out->all));
    out->all[out->len++] = f;
}

/* --- suppressions -------------------------------------------------------- */

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
        f->reason = s->reason;
        if (!suppression_has_expired(c->b, s)) {
            f->status = RULE_SUPPRESSED;
            return;
        }
        f->reason =
            arena_printf(c->a, "was suppressed until %s: %s", s->until_text, s->reason);
    }
}

/* --- totals -------------------------------------------------------------- */

static void judge_total(struct court *c, const struct rule *rule)
{
    struct values v = values_of_total(c->e, rule->total);
    struct accepted accepted =
        baseline_find(&c->b->baseline, ACCEPTED_TOTAL, budget_total_names[rule->total]);
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

/* How near a finding is to its limit, for the one that stands for many. */
static bool is_nearer(const struct finding *f, const struct finding *than)
{
    if ((f->status == RULE_INCONCLUSIVE) != (than->status == RULE_INCONCLUSIVE))
        return f->status == RULE_INCONCLUSIVE;
    double a = f->observed - f->allowed, b = than->observed - than->allowed;
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
        struct values v = values_of_row(c->s, row, rule->measure);
        struct accepted accepted = baseline_find(&c->b->baseline, ACCEPTED_TYPE, row->name);
        struct finding f = hold(c, rule, &v, &accepted);
        f.subject = row->name;
        f.at = row->at;
        if (f.status == RULE_FAIL) {
            f.scored = scored_index_find(&c->by_type, row->name);
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
        struct finding none = finding_of(c, rule);
        pass(c, &none, rule->per, "matches no type");
        add(c, none);
    }
}

/* --- holders ------------------------------------------------------------- */

static void judge_holder(struct court *c, const struct rule *rule)
{
    struct accepted accepted =
        baseline_find(&c->b->baseline, ACCEPTED_HOLDER, rule->pattern);
    if (c->e->holders == NULL) {
        struct finding f = finding_of(c, rule);
        leave_open(&f, "holders need graphs with roots");
        add(c, f);
        return;
    }
    struct held h = held_by(c->e, c->b, rule->pattern, rule->measure);
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

static struct finding hold_score(const struct court *c, const struct rule *rule,
                                 const struct scored *row)
{
    struct accepted accepted = baseline_find(&c->b->baseline, ACCEPTED_TYPE, row->type);
    struct finding f = finding_of(c, rule);
    f.known = true;
    f.subject = row->subject;
    f.holder = row->holder;
    f.scored = row - c->e->scored;
    f.accepted = (double)accepted.score < row->score ? (double)accepted.score : row->score;
    f.observed = row->score - f.accepted;
    f.base = row->share > 0 ? row->score / row->share : 0;
    f.allowed = limit_amount(&f.limit, f.base);
    /* A score of nothing is no finding, whatever the limit. */
    f.status = f.observed > 0 && !is_over(f.allowed, f.observed) ? RULE_FAIL : RULE_PASS;
    return f;
}

/* About all snapshots, whether they can be compared or not. */
static void add_open(struct court *c, const struct rule *rule, const char *reason)
{
    struct finding f = between(c, rule, 0, c->s->count - 1);
    leave_open(&f, reason);
    add(c, f);
}

static void judge_suspects(struct court *c, const struct rule *rule)
{
    const struct evidence *e = c->e;
    size_t begin = c->out->len;
    if (rule->is_default && c->s->fit_count < SERIES_ENOUGH_SNAPSHOTS) {
        add_open(c, rule,
                 "fewer than four comparable snapshots cannot tell a leak from "
                 "warm-up");
        return;
    }
    if (!e->bytes_known && !limit_of(c, rule).relative) {
        add_open(c, rule, "bytes are unknown, so a score has no size");
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
    struct finding none =
        e->scored_count > 0 ? hold_score(c, rule, &e->scored[0]) : finding_of(c, rule);
    pass(c, &none, PER_TOTAL, NULL);
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
        add_open(c, rule, "fewer than two of the snapshots can be compared");
        return;
    }
    if (c->e->no_evidence != NULL) {
        add_open(c, rule, c->e->no_evidence);
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
        out->expired[i] = suppression_has_expired(b, &b->suppressions[i]);
    c.by_type = scored_index_of(e, a);
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
