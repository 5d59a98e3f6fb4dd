/* What rules say of the ranking. */
#include "budget/check_run.h"
#include "budget/scale.h"
#include "series/ranking_constants.h"

#include <string.h>

/* At the limit is too much, but a score of nothing is no finding, whatever the limit. */
static bool reaches(double score, double limit)
{
    return score > 0 && !check_run_is_over(limit, score);
}

static double heap_of(const struct check_run *c, const struct scored *row)
{
    return row->share > 0 ? row->score / row->share : c->e->heap;
}

/* Without a score of its own a rule means what the ranking calls a suspect. A steady one
 * is one at any size that --min-steady allows. */
static enum over over_of_score(const struct check_run *c, const struct finding *f,
                               const struct scored *row, double noise)
{
    double least = f->allowed;
    if (f->rule->limit_is_min_score && row->steady && row->suspect)
        least = c->e->min_steady * f->base < least ? c->e->min_steady * f->base : least;
    bool whole = f->observed == row->score; /* then the ranking has decided */
    if (f->rule->limit_is_min_score && !row->suspect && whole && noise == 0)
        return OVER_NOT;
    if (reaches(f->observed - noise, least) ||
        (f->rule->limit_is_min_score && row->suspect && whole && noise == 0))
        return OVER_SURELY;
    return reaches(f->observed + noise, least) ? OVER_MAYBE : OVER_NOT;
}

/* A failure below the limit that everything has needs another limit to show. */
static void name_steady_limit(const struct check_run *c, struct finding *f)
{
    f->is_by_steadiness = true;
    f->limit = c->e->min_steady_bytes > 0
                   ? (struct hd_limit){.amount = c->e->min_steady_bytes}
                   : (struct hd_limit){.relative = true, .percent = 100 * c->e->min_steady};
    f->allowed = limit_amount(&f->limit, f->base);
    f->reason = because(HD_REASON_STEADY);
}

static struct accepted accepted_score(const struct check_run *c, const char *type)
{
    uint64_t score = baseline_find(&c->b->baseline, HD_ACCEPTED_TYPE, type).score;
    return scale_accepted(&c->b->baseline, c->e, score, HD_PER_TOTAL);
}

/* What a finding is if so much is accepted. */
static struct finding less(const struct check_run *c, struct finding f,
                           const struct scored *row, double score, double accepted)
{
    double noise = row->score > 0 ? row->noise * score / row->score : 0;
    /* What is nothing but the rounding of a rate is nothing. */
    f.accepted = accepted < score * (1 - 1e-9) ? accepted : score;
    f.observed = score - f.accepted;
    f.over = over_of_score(c, &f, row, noise);
    return f;
}

/* score is that of the row, or what of it is counted. */
static struct finding hold_score(const struct check_run *c, const struct rule *rule,
                                 const struct scored *row, double score)
{
    struct accepted a = accepted_score(c, row->type);
    struct finding f = check_run_finding(c, rule);
    f.known = true;
    f.subject = row->subject;
    f.holder = row->holder;
    f.scored = row - c->e->scored;
    f.base = heap_of(c, row);
    f.allowed = limit_amount(&f.limit, f.base);
    struct finding with_least = less(c, f, row, score, a.least),
                   with_most = less(c, f, row, score, a.most);
    check_run_weigh(&f, &with_least, &with_most);
    check_run_decide(c, &f);
    if (f.status == HD_FOUND_FAIL && row->steady && !reaches(f.observed, f.allowed))
        name_steady_limit(c, &f);
    return f;
}

/* One row: f is what becomes of it. True if *beside stands beside it. */
static bool judge_row(const struct check_run *c, const struct rule *rule,
                      const struct scored *row, struct finding *f, struct finding *beside)
{
    *f = hold_score(c, rule, row, row->score);
    if (f->over == OVER_NOT)
        return false;
    struct counted_score counted = counted_score(&c->suppression_matches, row);
    bool open = false;
    if (counted.untold) {
        check_run_leave_open(f, because(HD_REASON_HOLDER_UNTOLD));
    } else {
        *beside = hold_score(c, rule, row, counted.score);
        open = check_run_suppress(f, beside, counted.by);
    }
    check_run_note_expired(c, f, row->type, row->subject, row->holder);
    return open;
}

/* Whether a type that was not found growing may be a suspect all the same: what a sample
 * may be off by hides as much. */
static bool may_be_hidden(const struct check_run *c, const struct rule *rule)
{
    const struct evidence *e = c->e;
    enum hd_measure measure = e->bytes_known ? HD_MEASURE_BYTES : HD_MEASURE_COUNT;
    struct hd_limit limit = check_run_finding(c, rule).limit;
    double allowed = limit_amount(&limit, e->heap);
    for (size_t i = 0; i < c->s->row_count; i++) {
        const struct series_row *row = &c->s->rows[i];
        if (row->noise_share == NULL || row->growth != GROWS_NOT ||
            strcmp(row->name, "Free") == 0 ||
            (e->shows != NULL && !e->shows(e->context, row->name)))
            continue;
        struct values all = values_of_row(c->s, row, measure);
        struct growth g = growth_of(e, &all, HD_PER_TOTAL);
        double accepted = accepted_score(c, row->name).least;
        if (all.unknown || g.high <= g.value || !reaches(g.high - accepted, allowed))
            continue;
        struct counted counted = counted_of_type(&c->suppression_matches, row, measure);
        g = growth_of(e, &counted.values, HD_PER_TOTAL);
        if (counted.untold || reaches(g.high - accepted, allowed))
            return true;
    }
    return false;
}

/* Whether nobody excuses or accepts that so many of them came. */
static bool is_counted(const struct check_run *c, const struct hd_native *n)
{
    struct hd_accepted all = baseline_find(&c->b->baseline, HD_ACCEPTED_TYPE, n->type);
    double accepted = scale_accepted(&c->b->baseline, c->e, all.count, HD_PER_TOTAL).least;
    const struct suppression *by =
        suppression_of_type(&c->suppression_matches, n->type, NULL);
    if (by != NULL)
        suppression_use(&c->suppression_matches, by);
    return n->is_undecided && by == NULL && (double)(n->last - n->first) > accepted;
}

static struct hd_reason doubt_about_native(const struct check_run *c)
{
    for (size_t i = 0; i < c->e->native_count; i++)
        if (is_counted(c, &c->e->native[i]))
            return (struct hd_reason){.code = HD_REASON_NATIVE, .native = &c->e->native[i]};
    return because(HD_REASON_NONE);
}

/* Why it cannot be said that there is no suspect; or no reason. */
static struct hd_reason doubt_about_none(const struct check_run *c, const struct rule *rule)
{
    struct hd_reason doubt = check_run_doubt(c, HD_PER_TOTAL);
    if (doubt.code != HD_REASON_NONE)
        return doubt;
    if (c->e->unexplained.code != HD_REASON_NONE)
        return c->e->unexplained;
    struct hd_reason native = doubt_about_native(c);
    if (native.code != HD_REASON_NONE)
        return native;
    return because(may_be_hidden(c, rule) ? HD_REASON_SAMPLE_MAY_HIDE : HD_REASON_NONE);
}

/* Less than half a byte is shown as none. */
#define LEAST_SCORE 0.5

/* What a pass is told with; of several the one that --strict does not take. */
static struct hd_reason reason_of_none(const struct check_run *c, const struct rule *rule)
{
    if (c->e->hidden.code != HD_REASON_NONE)
        return c->e->hidden;
    if (rule->limit_is_min_score && c->e->stopped.code != HD_REASON_NONE)
        return c->e->stopped;
    return c->e->pools;
}

/* No row fails. What suppressions excuse has its findings already, from begin on. */
static void add_none(struct check_run *c, const struct rule *rule, size_t begin)
{
    struct hd_reason doubt = doubt_about_none(c, rule);
    struct hd_reason reason = reason_of_none(c, rule);
    bool lenient = reason.code != HD_REASON_NONE && reason.code != HD_REASON_POOLS;
    bool suppressed = c->out->len > begin;
    bool scored = c->e->scored_count > 0 && c->e->scored[0].score >= LEAST_SCORE;
    struct finding none = scored && !suppressed
                              ? hold_score(c, rule, &c->e->scored[0], c->e->scored[0].score)
                              : check_run_finding(c, rule);
    if (suppressed && doubt.code == HD_REASON_NONE && !lenient)
        return;
    none.status = HD_FOUND_PASS;
    none.reason = reason;
    none.is_lenient = lenient;
    if (doubt.code != HD_REASON_NONE) {
        check_run_leave_open(&none, doubt);
        none.is_lenient = false;
    }
    check_run_add(c, none);
}

void check_run_judge_suspects(struct check_run *c, const struct rule *rule)
{
    const struct evidence *e = c->e;
    size_t begin = c->out->len;
    struct finding open = {.rule = NULL}, f, beside;
    bool failed = false;
    if (rule->is_default && c->s->usable_count < rank_by.enough_snapshots) {
        check_run_add_open(c, rule, because(HD_REASON_NOT_ENOUGH));
        return;
    }
    if (!e->bytes_known && !check_run_finding(c, rule).limit.relative) {
        check_run_add_open(c, rule, because(HD_REASON_BYTES_UNKNOWN));
        return;
    }
    for (size_t i = 0; i < e->scored_count; i++) {
        if (judge_row(c, rule, &e->scored[i], &f, &beside) && open.rule == NULL)
            open = beside;
        if (f.status == HD_FOUND_FAIL || f.status == HD_FOUND_SUPPRESSED)
            check_run_add(c, f);
        else if (f.over != OVER_NOT && open.rule == NULL)
            open = f;
        failed |= f.status == HD_FOUND_FAIL;
    }
    if (open.rule != NULL)
        check_run_add(c, open);
    else if (!failed)
        add_none(c, rule, begin);
}
