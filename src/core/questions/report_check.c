/* A check: a diff whose growth is compared with budgets. */
#include "base/error.h"
#include "base/out.h"
#include "base/text.h"
#include "budget/judge.h"
#include "compare/comparison.h"
#include "heap/builder.h"
#include "heap/snapshot.h"
#include "report/phrases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Types that fail and are not suspects, the first ones of the table, for a search of their
 * holders: a finding for each, though a type may fail by two rules. */
struct unchained {
    size_t rules[64];
    size_t len;
};

struct report_check {
    struct hd_report *r;
    struct hd_comparison *c;
    const struct hd_options *opt;
    struct hd_budgets budgets; /* as given, or the default rule */
    struct series types, holders;
    struct hd_snapshot **parts; /* below excused holders: suppressions times snapshots */
    size_t part_count;
    struct evidence shown;
    struct unchained unchained;
    struct hd_error *err;
};

/* --- evidence of the run ----------------------------------------------------- */

static bool shows(const void *context, const char *name)
{
    const struct report_check *c = context;
    return report_shows_row(c->r, c->opt, name);
}

static bool report_check_matches(const void *context, const char *pattern, const char *name)
{
    const struct report_check *c = context;
    return report_matches(c->r, pattern, name);
}

/* Finds the row of the ranking of each type; and the errors of scores. A score is growth of
 * retained bytes (of bytes or objects, in a table): its error combines those of the first
 * and the last snapshot. */
static void find_ranked(struct report_check *c)
{
    const struct hd_diff *d = &c->r->diff;
    const struct series *s = &c->types;
    struct series_index index = series_index_of(s);
    size_t *ranked_of = arena_array(&c->r->arena, size_t, s->row_count);
    double *noise = arena_array(&c->r->arena, double, ranked_count(d));
    for (size_t i = 0; i < s->row_count; i++)
        ranked_of[i] = NOT_RANKED;
    for (size_t i = 0; s->usable_count > 0 && i < ranked_count(d); i++) {
        const struct hd_suspect *found = ranked_row(d, i);
        const struct series_row *row = series_row_named(&index, found->type);
        size_t ends[] = {s->usable[0], s->usable[s->usable_count - 1]};
        if (row == NULL)
            continue;
        ranked_of[row - s->rows] = i;
        for (size_t e = 0; e < 2 && row->noise_share != NULL; e++) {
            struct hd_tally t = row->at[ends[e]];
            uint64_t size = found->retained != NULL ? found->retained[ends[e]]
                            : d->types.bytes_known  ? t.bytes
                                                    : t.count;
            noise[i] += row->noise_share[ends[e]] * (double)size;
        }
    }
    series_index_free(&index);
    c->shown.ranked_of = ranked_of;
    c->shown.score_noise = noise;
}

static bool asks_for(const struct hd_budgets *b, enum hd_rule_kind kind)
{
    for (size_t i = 0; i < b->rule_count; i++)
        if (b->rules[i].kind == kind)
            return true;
    return false;
}

static size_t part_of(const void *context, const char *holder)
{
    const struct report_check *c = context;
    return suppression_part(&c->budgets, &c->shown, holder);
}

static bool align(const struct report_check *c, struct series *s,
                  struct hd_snapshot *const *units, enum hd_unit by)
{
    struct series_warnings ignored = {0};
    struct series_question how = {report_selection(c->opt), by, c->opt->iterations};
    return series_align(s, units, c->c->count, &how, &c->r->arena, &ignored, c->err);
}

/* Adds the same snapshots by holder, if all have holders, and types below excused holders:
 * only if a rule or a suppression requires them. Heads of the ranking have their holders
 * already; types need a search. */
static bool add_holders(struct report_check *c)
{
    const struct hd_budgets *b = &c->budgets;
    struct hd_comparison *all = c->c;
    struct arena *a = &c->r->arena;
    bool can_tell = true, sampled = false, excuses = false;
    for (size_t k = 0; k < all->count; k++) {
        can_tell &= all->snaps[k]->info.has_roots && !all->snaps[k]->read.tables_only;
        sampled |= all->snaps[k]->info.sampled;
    }
    for (size_t i = 0; i < b->suppression_count; i++)
        excuses |= suppression_matches_holders(b, &b->suppressions[i]);
    bool suppressed = excuses && (asks_for(b, HD_RULE_TYPE) || b->accepts ||
                                  (asks_for(b, HD_RULE_SUSPECTS) && sampled));
    if (!can_tell || (!asks_for(b, HD_RULE_HOLDER) && !suppressed))
        return true;
    struct holder_parts parts = {b->suppression_count, part_of, c};
    c->part_count = suppressed ? all->count * parts.count : 0;
    c->parts = arena_array(a, struct hd_snapshot *, c->part_count);
    enum selection selection = report_selection(c->opt);
    struct hd_snapshot *const *units =
        suppressed ? comparison_holder_parts(all, selection, &parts, c->parts, c->err)
                   : comparison_holders(all, selection, c->err);
    if (units == NULL || !align(c, &c->holders, units, HD_BY_HOLDER))
        return false;
    c->shown.holders = &c->holders;
    if (!suppressed)
        return true;
    struct series *below = arena_array(a, struct series, parts.count);
    for (size_t i = 0; i < parts.count; i++) {
        struct hd_snapshot **of = arena_array(a, struct hd_snapshot *, all->count);
        for (size_t k = 0; k < all->count; k++)
            of[k] = c->parts[k * parts.count + i];
        if (!align(c, &below[i], of, HD_BY_TYPE))
            return false;
    }
    c->shown.suppressed = below;
    return true;
}

/* Returns why a comparison cannot prove growth, or HD_REASON_NONE. */
static struct hd_reason doubt_about_order(const struct report_check *c)
{
    const struct series *s = &c->types;
    if (report_is_warned(c->r, WARN_DIFFERENT_PROGRAM))
        return because(HD_REASON_DIFFERENT_PROGRAMS);
    if (s->out_of_order)
        return because(HD_REASON_OUT_OF_ORDER);
    if (s->has_repeats)
        return because(HD_REASON_GIVEN_TWICE);
    if (s->restarted)
        return because(HD_REASON_RESTARTED);
    /* growth of types that were filtered out is not visible */
    for (size_t k = 0; k < c->c->count; k++)
        if (warnings_find(&c->c->snaps[k]->warnings, WARN_FILTERED) != NULL)
            return because(HD_REASON_PART_OF_HEAP);
    return because(HD_REASON_NONE);
}

/* Gathers the evidence, all in the report's arena. False and err if a graph cannot be read
 * again. */
static bool gather_evidence(struct report_check *c)
{
    const struct series *s = &c->types;
    struct evidence *e = &c->shown;
    double *noise = arena_array(&c->r->arena, double, c->c->count);
    *e = (struct evidence){.diff = &c->r->diff,
                           .opt = c->opt,
                           .types = s,
                           .reachable_noise = noise,
                           .doubt = doubt_about_order(c),
                           .hides_all = true,
                           .shows = shows,
                           .matches = report_check_matches,
                           .context = c};
    for (size_t k = 0; k < c->c->count; k++) {
        const struct hd_snapshot *snap = c->c->snaps[k];
        /* Error of a total (measure.c) of reachable objects. */
        enum selection selection = report_selection(c->opt);
        double sum = 0;
        for (type_id t = 0; snap->info.sampled && t < snap->type_count; t++) {
            const struct type *type = &snap->types[t];
            struct hd_tally at = series_tally(snap, type, selection | SELECT_REACHABLE);
            if (type->kind != TYPE_OBJECT)
                continue;
            double off =
                sample_share(type->count_scale, (double)at.count) * (double)at.bytes;
            sum += off * off;
        }
        noise[k] = sqrt(sum);
        /* Uncollected garbage grows with the time since the last collection. */
        if (warnings_find(&snap->warnings, WARN_DEAD_OBJECTS_ONLY) != NULL)
            e->no_evidence = because(HD_REASON_ONLY_GARBAGE);
    }
    for (size_t i = 0; e->hides_all && i < s->row_count; i++)
        e->hides_all = !shows(c, s->rows[i].name);
    find_ranked(c);
    return add_holders(c);
}

/* --- findings ------------------------------------------------------------- */

static const struct hd_tally *copy_tallies(struct hd_report *r, const struct hd_tally *at)
{
    struct hd_tally *to = arena_array(&r->arena, struct hd_tally, r->snapshot_count);
    memcpy(to, at, r->snapshot_count * sizeof(*to));
    return to;
}

static struct hd_finding report_rule_of(const struct report_check *c,
                                        const struct finding *f)
{
    const struct rule *rule = f->rule;
    struct hd_report *r = c->r;
    const struct hd_suspect *row =
        f->ranked != NOT_RANKED ? ranked_row(&r->diff, f->ranked) : NULL;
    bool is_score = rule->measure == HD_MEASURE_SCORE;
    bool is_ranked = rule->kind == HD_RULE_SUSPECTS && row != NULL;
    const struct hd_tally *at = row != NULL ? row->at : f->at;
    if (rule->kind == HD_RULE_PROCESS && at != NULL)
        at = copy_tallies(r, at);
    if (at == NULL && rule->kind == HD_RULE_TOTAL &&
        rule->total != HD_TOTAL_REACHABLE_BYTES)
        at = r->diff.types.totals;
    struct hd_finding to = {
        .number = (size_t)(rule - c->budgets.rules),
        .kind = rule->kind,
        .total = rule->total,
        .process = rule->process,
        .pattern = report_string(r, rule->pattern),
        .measure = rule->measure,
        .per = rule->per,
        .path = report_string(r, rule->path),
        .line = rule->line,
        .is_default = rule->is_default,
        .title = report_string(r, f->title),
        .type = report_string(r, is_ranked ? row->type : f->title),
        .first = f->first,
        .last = f->last,
        .at = at,
        .holder = is_ranked ? report_join_holder(r, row->holder, row->holder_len)
                            : report_string(r, f->holder),
        .status = f->status,
        .is_lenient = f->is_lenient,
        .reason = f->reason,
        .limit = f->limit,
        .is_by_steadiness = f->is_by_steadiness,
        .is_in_bytes =
            is_score ? r->diff.types.bytes_known : rule->measure == HD_MEASURE_BYTES,
        .limit_value = f->known ? f->allowed : NAN,
        .observed_value = f->known ? f->observed : NAN,
        .base = f->base,
        .accepted = f->accepted};
    /* Suspects have their chains from the ranking. */
    if (f->ranked != NOT_RANKED && f->ranked < r->diff.suspect_count) {
        to.is_suspect = true;
        to.chains = row->chains;
    }
    if (to.reason.code == HD_REASON_NONE && f->accepted > 0)
        to.reason.code = HD_REASON_ACCEPTED;
    to.reason.meant = report_string(r, f->reason.meant);
    to.reason.words = report_string(r, f->reason.words);
    to.reason.until = report_string(r, f->reason.until);
    return to;
}

/* --- chains -------------------------------------------------------------- */

/* Returns the index of the title, or len. */
static size_t unchained_of(const struct report_check *c, const char *title)
{
    const struct unchained *u = &c->unchained;
    size_t q = 0;
    while (q < u->len && strcmp(c->r->check.rules[u->rules[q]].title, title) != 0)
        q++;
    return q;
}

static bool ask_for(void *context, size_t place, const struct hd_snapshot *snap,
                    struct chain_question *ask, struct arena *scratch)
{
    const struct report_check *c = context;
    (void)place;
    uint32_t *query_of = arena_array(scratch, uint32_t, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++) {
        size_t q = unchained_of(c, snap->types[t].name);
        if (snap->types[t].kind == TYPE_OBJECT && q < c->unchained.len)
            query_of[t] = (uint32_t)q + 1;
    }
    ask->query_of_key = query_of;
    ask->key_count = snap->type_count;
    return true;
}

/* Adds chains, in the last snapshot only. */
static bool add_chains_of_types(struct report_check *c)
{
    const struct unchained *u = &c->unchained;
    size_t last = c->c->count - 1;
    const struct hd_snapshot *snap = c->c->snaps[last];
    bool known = snap->info.has_roots && !snap->read.tables_only && c->opt->chains > 0;
    if (u->len == 0 || !known)
        return true;
    struct series_chains chains = {.c = c->c,
                                   .indexes = {last},
                                   .count = 1,
                                   .queries = u->len,
                                   .selection = report_selection(c->opt),
                                   .types = owner_types_of(c->c->snaps, c->c->count),
                                   .how = report_chain_options(c->r),
                                   .ask = ask_for,
                                   .context = c};
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

static bool add_chains(struct report_check *c)
{
    struct hd_check *check = &c->r->check;
    struct unchained *u = &c->unchained;
    size_t shown = report_rows(c->r, sizeof(u->rules) / sizeof(*u->rules));
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < check->rule_count; i++) {
            struct hd_finding *f = &check->rules[i];
            if (f->kind != HD_RULE_TYPE || f->status != HD_FOUND_FAIL || f->chains.len > 0)
                continue;
            size_t q = unchained_of(c, f->title);
            /* The same type under another rule has the same chains. */
            if (fill && q < u->len)
                f->chains = check->rules[u->rules[q]].chains;
            else if (!fill && q == u->len && u->len < shown)
                u->rules[u->len++] = i;
        }
        if (!fill && !add_chains_of_types(c))
            return false;
    }
    return true;
}

/* --- warnings ------------------------------------------------------------ */

/* Warns about a line of the file; `what` is its subject, and is freed. */
static void warn_about_line(struct report_check *c, enum warning_code code,
                            const char *path, uint64_t line, struct text *what)
{
    say(what, ": ", warning_texts[code].message);
    report_warn_text(c->r, code, (size_t)-1, what);
    struct hd_warning *added = &c->r->warnings[c->r->warning_count - 1];
    added->path = report_string(c->r, path);
    added->line = line > 0 ? line : HD_UNKNOWN;
}

static void add_warnings(struct report_check *c, const struct findings *found)
{
    const struct hd_budgets *b = &c->budgets;
    struct arena scratch = {0};
    bool usable = c->types.usable_count >= 2;
    for (size_t i = 0; i < b->rule_count; i++) {
        const struct rule *rule = &b->rules[i];
        struct text what = {0};
        if (!rule->lacks_unit)
            continue;
        phrase_no_unit(&what, rule_name(rule->kind, rule->total, rule->pattern, &scratch),
                       rule->limit.amount);
        warn_about_line(c, WARN_NO_UNIT, rule->path, rule->line, &what);
    }
    for (size_t i = 0; i < b->rule_count; i++) {
        const struct rule *rule = &b->rules[i];
        const char *meant = found->meant[i];
        struct text what = {0};
        /* two rules of an entry match the same types */
        bool again = i > 0 && rule->entry == b->rules[i - 1].entry;
        bool fine = rule->is_optional && meant == NULL;
        if (found->rule_matched[i] || again || fine || !usable)
            continue;
        say(&what, rule_name(rule->kind, rule->total, rule->pattern, &scratch));
        if (meant != NULL)
            say(&what, " (did you mean ", meant, "?)");
        warn_about_line(c, WARN_UNUSED_BUDGET, rule->path, rule->line, &what);
    }
    for (size_t i = 0; i < b->suppression_count; i++) {
        const struct suppression *s = &b->suppressions[i];
        struct text what = {0};
        say(&what, s->type != NULL ? s->type : s->holder);
        if (found->expired[i]) {
            say(&what, " (until ", s->until_text, ", ", s->reason, ")");
            warn_about_line(c, WARN_EXPIRED_SUPPRESSION, s->path, s->line, &what);
        } else if (!found->suppression_used[i]) {
            warn_about_line(c, WARN_UNUSED_SUPPRESSION, s->path, s->line, &what);
        }
        text_free(&what);
    }
    if (usable && scale_differs(&b->baseline, &c->shown))
        report_warn(c->r, WARN_DIFFERENT_BASELINE, (size_t)-1);
    arena_free(&scratch);
}

/* --- the whole check ----------------------------------------------------- */

static bool accept(struct report_check *c, struct baseline *made)
{
    /* With fewer than two comparable snapshots, one is incomplete: the first is blamed. */
    for (size_t k = 0; k < c->c->count; k++)
        if (!c->c->snaps[k]->info.complete) {
            fail(c->err, HD_USAGE,
                 "objects may be missing, so its growth cannot be a baseline");
            return comparison_blame(c->err, k);
        }
    if (!accept_growth(made, &c->budgets, &c->shown, c->err))
        return false;
    c->r->check.accepted = baseline_growth(made, &c->r->arena);
    c->budgets.baseline = *made;
    return true;
}

/* A mistyped --type hides every row, so a rule about rows cannot pass. */
static void leave_unmatched_open(const struct report_check *c, struct finding *f)
{
    if (c->r->diff.no_match == NULL || f->status != HD_FOUND_PASS || !f->is_lenient)
        return;
    f->status = HD_FOUND_INCONCLUSIVE;
    f->is_lenient = false;
}

static bool report_check_decide(struct report_check *c)
{
    struct baseline made = {0};
    struct findings found = {0};
    struct arena scratch = {0};
    struct hd_check *check = &c->r->check;
    bool ok = (!c->budgets.accepts || accept(c, &made)) &&
              judge_rules(&found, &c->budgets, &c->shown, &scratch, c->err);
    if (ok) {
        check->rules = arena_array(&c->r->arena, struct hd_finding, found.len);
        check->verdict = HD_PASS;
        for (size_t i = 0; i < found.len; i++) {
            leave_unmatched_open(c, &found.all[i]);
            enum hd_finding_status status = found.all[i].status;
            check->rules[check->rule_count++] = report_rule_of(c, &found.all[i]);
            if (status == HD_FOUND_FAIL)
                check->verdict = HD_FAIL;
            else if (status == HD_FOUND_INCONCLUSIVE && check->verdict == HD_PASS)
                check->verdict = HD_INCONCLUSIVE;
        }
        check->rules_shown = report_rows(c->r, found.len);
        add_warnings(c, &found);
        ok = add_chains(c);
    }
    baseline_free(&made);
    arena_free(&scratch);
    return ok;
}

/* True if a budget is about the heap: one of the process leaves the default in place. */
static bool limits_heap(const struct hd_budgets *b)
{
    for (size_t i = 0; i < b->rule_count; i++)
        if (b->rules[i].kind != HD_RULE_PROCESS)
            return true;
    return false;
}

static void add_default_rule(struct report_check *c)
{
    struct hd_budgets *b = &c->budgets;
    struct rule *rules = arena_array(&c->r->arena, struct rule, b->rule_count + 1);
    for (size_t i = 0; i < b->rule_count; i++)
        rules[i] = b->rules[i];
    rules[b->rule_count++] = (struct rule){.kind = HD_RULE_SUSPECTS,
                                           .measure = HD_MEASURE_SCORE,
                                           .limit_is_min_score = true,
                                           .is_default = true,
                                           .entry = b->entries};
    b->rules = rules;
}

static bool answer_check(struct hd_report *r, struct hd_comparison *c,
                         struct hd_options *opt, struct hd_error *err)
{
    const struct hd_budgets *b = r->asked;
    struct report_check check = {.r = r, .c = c, .opt = opt, .err = err};
    opt->by = r->options.by = HD_BY_TYPE;
    check.budgets = b != NULL ? *b : (struct hd_budgets){.today = INT64_MIN};
    if (!limits_heap(&check.budgets))
        add_default_rule(&check);
    bool ok = report_compare(r, c, opt, &check.types, err) && gather_evidence(&check) &&
              report_check_decide(&check);
    for (size_t i = 0; i < check.part_count; i++)
        snapshot_free(check.parts[i]);
    return ok;
}

struct hd_report *hd_report_check(struct hd_comparison *c, const struct hd_options *opt,
                                  const struct hd_budgets *b, struct hd_error *err)
{
    return answer_question(HD_REPORT_CHECK, c, opt, answer_check, b, err);
}

const char *const rule_status_names[HD_FINDING_STATUS_COUNT] = {
    [HD_FOUND_PASS] = "pass",
    [HD_FOUND_FAIL] = "fail",
    [HD_FOUND_SUPPRESSED] = "suppressed",
    [HD_FOUND_INCONCLUSIVE] = "inconclusive"};

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
