/* A check: a diff whose growth is held against budgets. */
#include "base/c_locale.h"
#include "base/error.h"
#include "base/out.h"
#include "budget/judge.h"
#include "budget/measure.h"
#include "budget/scale.h"
#include "compare/comparison.h"
#include "questions/check_evidence.h"
#include "report/phrases.h"
#include "series/series_identity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct check {
    struct hd_report *r;
    struct hd_comparison *c;
    const struct hd_options *opt;
    struct hd_budgets budgets; /* as they were given, or the default rule */
    struct rule default_rule;
    struct series types;
    struct hd_error *err;
};

/* --- findings ------------------------------------------------------------- */

static const struct hd_tally *tallies_of(const struct check *c, const struct finding *f)
{
    const struct hd_report *r = c->r;
    if (f->scored != NO_SCORED) {
        size_t i = (size_t)f->scored;
        return i < r->diff.suspect_count ? r->diff.suspects[i].at
                                         : r->diff.minor[i - r->diff.suspect_count].at;
    }
    if (f->at != NULL)
        return f->at;
    return f->rule->kind == HD_RULE_TOTAL && f->rule->total != HD_TOTAL_REACHABLE_BYTES
               ? r->diff.types.totals
               : NULL;
}

static const char *ranked_type(const struct evidence *e, const struct finding *f)
{
    bool ranked = f->rule->kind == HD_RULE_SUSPECTS && f->scored != NO_SCORED;
    return ranked ? e->scored[f->scored].type : f->subject;
}

static struct hd_reason reason_of(const struct check *c, const struct finding *f)
{
    struct hd_reason why = f->reason;
    if (why.code == HD_REASON_NONE && f->accepted > 0)
        why.code = HD_REASON_ACCEPTED;
    why.meant = report_string(c->r, why.meant);
    why.words = report_string(c->r, why.words);
    why.until = report_string(c->r, why.until);
    return why;
}

static struct hd_finding report_rule_of(const struct check *c, const struct evidence *e,
                                        const struct finding *f)
{
    const struct rule *rule = f->rule;
    struct hd_report *r = c->r;
    bool is_score = rule->measure == HD_MEASURE_SCORE;
    return (struct hd_finding){.number = (size_t)(rule - c->budgets.rules),
                               .kind = rule->kind,
                               .total = rule->total,
                               .pattern = report_string(r, rule->pattern),
                               .measure = rule->measure,
                               .per = rule->per,
                               .path = report_string(r, rule->path),
                               .line = rule->line,
                               .is_default = rule->is_default,
                               .subject = report_string(r, f->subject),
                               .type = report_string(r, ranked_type(e, f)),
                               .first = f->first,
                               .last = f->last,
                               .at = tallies_of(c, f),
                               .holder = report_string(r, f->holder),
                               .status = f->status,
                               .is_lenient = f->is_lenient,
                               .reason = reason_of(c, f),
                               .limit = f->limit,
                               .is_by_steadiness = f->is_by_steadiness,
                               .is_in_bytes = is_score ? r->diff.types.bytes_known
                                                       : rule->measure == HD_MEASURE_BYTES,
                               .limit_value = f->known ? f->allowed : NAN,
                               .observed_value = f->known ? f->observed : NAN,
                               .base = f->base,
                               .accepted = f->accepted};
}

/* --- chains -------------------------------------------------------------- */

/* What holds the types that fail and are no suspects, the first ones of the table: a
 * finding for each, though a type may fail by two rules. */
struct unchained {
    size_t rules[64];
    size_t len;
};

static bool is_there(const struct check *c, const struct unchained *u, const char *subject)
{
    for (size_t q = 0; q < u->len; q++)
        if (strcmp(c->r->check.rules[u->rules[q]].subject, subject) == 0)
            return true;
    return false;
}

static struct unchained find_unchained(const struct check *c, const struct findings *found)
{
    struct unchained u = {.len = 0};
    size_t most = sizeof(u.rules) / sizeof(*u.rules), shown = report_rows(c->r, most);
    for (size_t i = 0; i < found->len && u.len < shown; i++) {
        bool type = found->all[i].rule->kind == HD_RULE_TYPE;
        const struct hd_finding *rule = &c->r->check.rules[i];
        if (type && rule->status == HD_FOUND_FAIL && rule->chains.len == 0 &&
            !is_there(c, &u, rule->subject))
            u.rules[u.len++] = i;
    }
    return u;
}

struct search {
    const struct check *c;
    const struct unchained *u;
};

static bool ask_for(void *context, size_t place, const struct hd_snapshot *snap,
                    struct chain_question *ask, struct arena *scratch)
{
    const struct search *s = context;
    const struct unchained *u = s->u;
    (void)place;
    uint32_t *query_of = arena_array(scratch, uint32_t, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++)
        for (size_t q = 0; q < u->len && snap->types[t].kind == TYPE_OBJECT; q++)
            if (strcmp(snap->types[t].name, s->c->r->check.rules[u->rules[q]].subject) == 0)
                query_of[t] = (uint32_t)q + 1;
    ask->query_of_key = query_of;
    ask->key_count = snap->type_count;
    return true;
}

/* Only the last snapshot is looked at. */
static bool add_chains_of_types(struct check *c, const struct unchained *u)
{
    size_t last = c->c->count - 1;
    const struct hd_snapshot *snap = c->c->snaps[last];
    bool known = snap->info.has_roots && !snap->read.tables_only && c->opt->chains > 0;
    if (u->len == 0 || !known)
        return true;
    struct search s = {c, u};
    struct series_chains chains = {.c = c->c,
                                   .indexes = {last},
                                   .count = 1,
                                   .queries = u->len,
                                   .selection = report_selection(c->opt),
                                   .types = owner_types_of(c->c->snaps, c->c->count),
                                   .how = report_chain_options(c->r),
                                   .ask = ask_for,
                                   .context = &s};
    bool ok = series_chains_find(&chains, c->err);
    for (size_t q = 0; ok && chains.answers[0] != NULL && q < u->len; q++) {
        const struct chains *one = &chains.answers[0][q];
        struct hd_chains *to = &c->r->check.rules[u->rules[q]].chains;
        if (one->instances > 0)
            *to = report_chains_of(c->r, snap, &one, 1);
        for (size_t i = 0; i < to->len; i++)
            to->all[i].instances = NULL;
    }
    series_chains_free(&chains);
    return ok;
}

/* The same type under another rule has the same chains. */
static void copy_chains(struct check *c, const struct unchained *u)
{
    for (size_t i = 0; i < c->r->check.rule_count; i++) {
        struct hd_finding *to = &c->r->check.rules[i];
        for (size_t q = 0; q < u->len && to->kind == HD_RULE_TYPE &&
                           to->status == HD_FOUND_FAIL && to->chains.len == 0;
             q++)
            if (strcmp(c->r->check.rules[u->rules[q]].subject, to->subject) == 0)
                to->chains = c->r->check.rules[u->rules[q]].chains;
    }
}

/* Suspects have theirs from the ranking. */
static bool add_chains(struct check *c, const struct findings *found)
{
    for (size_t i = 0; i < found->len; i++) {
        int64_t scored = found->all[i].scored;
        if (scored != NO_SCORED && (size_t)scored < c->r->diff.suspect_count)
            c->r->check.rules[i].chains = c->r->diff.suspects[scored].chains;
        c->r->check.rules[i].is_suspect =
            scored != NO_SCORED && (size_t)scored < c->r->diff.suspect_count;
    }
    struct unchained u = find_unchained(c, found);
    if (!add_chains_of_types(c, &u))
        return false;
    copy_chains(c, &u);
    return true;
}

/* --- warnings ------------------------------------------------------------ */

static void warn_about_line(struct check *c, enum warning_code code, const char *path,
                            uint64_t line, struct text *what)
{
    text_add_string(what, ": ");
    text_add_string(what, warning_texts[code].message);
    report_warn_text(c->r, code, (size_t)-1, what);
    struct hd_warning *added = &c->r->warnings[c->r->warning_count - 1];
    added->path = report_string(c->r, path);
    added->line = line > 0 ? line : HD_UNKNOWN;
}

static void warn_about_unmatched(struct check *c, const struct rule *rule,
                                 const char *meant)
{
    struct arena scratch = {0};
    struct text what = {0};
    phrase_meant(&what, rule_name(rule->kind, rule->total, rule->pattern, &scratch), meant);
    warn_about_line(c, WARN_UNUSED_BUDGET, rule->path, rule->line, &what);
    arena_free(&scratch);
}

static void warn_about_units(struct check *c)
{
    for (size_t i = 0; i < c->budgets.rule_count; i++) {
        const struct rule *rule = &c->budgets.rules[i];
        struct arena scratch = {0};
        struct text what = {0};
        if (rule->lacks_unit) {
            phrase_no_unit(&what,
                           rule_name(rule->kind, rule->total, rule->pattern, &scratch),
                           rule->limit.amount);
            warn_about_line(c, WARN_NO_UNIT, rule->path, rule->line, &what);
        }
        arena_free(&scratch);
    }
}

static void add_warnings(struct check *c, const struct evidence *e,
                         const struct findings *found)
{
    const struct hd_budgets *b = &c->budgets;
    warn_about_units(c);
    for (size_t i = 0; i < b->rule_count; i++) {
        /* Two rules of one entry match the same. */
        bool again = i > 0 && b->rules[i].entry == b->rules[i - 1].entry;
        bool fine = b->rules[i].is_optional && found->meant[i] == NULL;
        if (!found->rule_matched[i] && !again && !fine && c->types.usable_count >= 2)
            warn_about_unmatched(c, &b->rules[i], found->meant[i]);
    }
    for (size_t i = 0; i < b->suppression_count; i++) {
        const struct suppression *s = &b->suppressions[i];
        const char *name = s->type != NULL ? s->type : s->holder;
        struct text what = {0};
        if (found->expired[i]) {
            phrase_expired(&what, name, s->until_text, s->reason);
            warn_about_line(c, WARN_EXPIRED_SUPPRESSION, s->path, s->line, &what);
        } else if (!found->suppression_used[i]) {
            text_add_string(&what, name);
            warn_about_line(c, WARN_UNUSED_SUPPRESSION, s->path, s->line, &what);
        }
    }
    if (c->types.usable_count >= 2 && scale_differs(&b->baseline, e))
        report_warn(c->r, WARN_DIFFERENT_BASELINE, (size_t)-1);
}

/* --- all of it ----------------------------------------------------------- */

static bool accept(struct check *c, const struct evidence *e, struct baseline *made)
{
    /* With fewer than two that can be compared one is incomplete: the first is blamed. */
    for (size_t k = 0; k < c->c->count; k++)
        if (!c->c->snaps[k]->info.complete) {
            if (c->err != NULL)
                c->err->snapshot = (unsigned)k + 1;
            return fail(c->err, HD_USAGE,
                        "objects may be missing, so its growth cannot be a baseline");
        }
    if (!accept_growth(made, &c->budgets, e, c->err))
        return false;
    c->r->check.accepted = baseline_growth(made, &c->r->arena);
    c->budgets.baseline = *made;
    return true;
}

static enum hd_verdict verdict_of(const struct hd_report *r)
{
    enum hd_verdict verdict = HD_PASS;
    for (size_t i = 0; i < r->check.rule_count; i++) {
        if (r->check.rules[i].status == HD_FOUND_FAIL)
            return HD_FAIL;
        if (r->check.rules[i].status == HD_FOUND_INCONCLUSIVE)
            verdict = HD_INCONCLUSIVE;
    }
    return verdict;
}

static bool decide(struct check *c, const struct evidence *e)
{
    struct baseline made = {0};
    struct findings found = {0};
    struct arena scratch = {0};
    bool ok = (!c->budgets.accepts || accept(c, e, &made)) &&
              judge_rules(&found, &c->budgets, e, &scratch, c->err);
    if (ok) {
        c->r->check.rules = arena_array(&c->r->arena, struct hd_finding, found.len);
        for (size_t i = 0; i < found.len; i++)
            c->r->check.rules[c->r->check.rule_count++] =
                report_rule_of(c, e, &found.all[i]);
        c->r->check.verdict = verdict_of(c->r);
        c->r->check.rules_shown = report_rows(c->r, found.len);
        add_warnings(c, e, &found);
        ok = add_chains(c, &found);
    }
    baseline_free(&made);
    arena_free(&scratch);
    return ok;
}

static void take_budgets(struct check *c, const struct hd_budgets *b)
{
    c->budgets = b != NULL ? *b : (struct hd_budgets){.today = INT64_MIN};
    if (c->budgets.rule_count > 0)
        return;
    c->default_rule = (struct rule){.kind = HD_RULE_SUSPECTS,
                                    .measure = HD_MEASURE_SCORE,
                                    .limit_is_min_score = true,
                                    .is_default = true};
    c->budgets.rules = &c->default_rule;
    c->budgets.rule_count = 1;
}

static bool hold(struct check *c, struct hd_error *err)
{
    if (!report_compare(c->r, c->c, c->opt, &c->types, err))
        return false;
    struct check_evidence shown;
    struct evidence_question ask = {
        .r = c->r, .c = c->c, .opt = c->opt, .budgets = &c->budgets, .types = &c->types};
    bool ok = check_evidence_begin(&shown, &ask, err) && decide(c, &shown.evidence);
    check_evidence_end(&shown);
    return ok;
}

struct hd_report *hd_report_check(struct hd_comparison *comparison,
                                  const struct hd_options *opt, const struct hd_budgets *b,
                                  struct hd_error *err)
{
    struct hd_options options;
    if (!report_options(&options, opt, err))
        return NULL;
    options.by = HD_BY_TYPE;
    if (!comparison_begin(comparison, err))
        return NULL;
    struct check c = {.r = report_new(HD_REPORT_CHECK, &options),
                      .c = comparison,
                      .opt = &options,
                      .err = err};
    report_choose_objects(c.r, comparison, &options);
    take_budgets(&c, b);
    bool ok = hold(&c, err);
    comparison_end(comparison);
    if (ok) {
        report_summarize(c.r);
        report_publish(c.r);
        return c.r;
    }
    hd_report_free(c.r);
    return NULL;
}

const char *const verdict_names[] = {
    [HD_PASS] = "pass", [HD_FAIL] = "fail", [HD_INCONCLUSIVE] = "inconclusive"};

size_t report_rule_end(const struct hd_check *c, size_t i)
{
    size_t number = c->rules[i].number;
    while (i < c->rule_count && c->rules[i].number == number)
        i++;
    return i;
}

enum hd_finding_status report_rule_status(const struct hd_check *c, size_t i, size_t end)
{
    static const int badness[HD_FINDING_STATUS_COUNT] = {
        [HD_FOUND_SUPPRESSED] = 1, [HD_FOUND_INCONCLUSIVE] = 2, [HD_FOUND_FAIL] = 3};
    enum hd_finding_status worst = HD_FOUND_PASS;
    for (; i < end; i++)
        if (badness[c->rules[i].status] > badness[worst])
            worst = c->rules[i].status;
    return worst;
}

enum hd_verdict hd_report_verdict(const struct hd_report *report)
{
    return report->check.verdict;
}

enum hd_verdict hd_report_verdict_if(const struct hd_report *report, bool strict)
{
    bool undecided =
        strict && report->check.verdict == HD_PASS && !hd_report_conclusive(report);
    return undecided ? HD_INCONCLUSIVE : report->check.verdict;
}

int hd_report_status(const struct hd_report *report, bool strict)
{
    static const int with_strict[] = {[HD_PASS] = 0, [HD_FAIL] = 1, [HD_INCONCLUSIVE] = 3};
    enum hd_verdict verdict = hd_report_verdict_if(report, strict);
    return strict || verdict == HD_FAIL ? with_strict[verdict] : 0;
}

bool hd_report_write_baseline(const struct hd_report *report, struct hd_sink to,
                              struct hd_error *err)
{
    struct out out = {.to = to};
    struct text t = {0};
    if (report->check.accepted == NULL)
        return fail(err, HD_USAGE, "nothing was accepted");
    baseline_print(&t, report->check.accepted);
    out_text(&out, &t);
    text_free(&t);
    return out_finish(&out, err);
}
