/* What rules say of totals, types and holders; and the findings of all. */
#include "budget/judge.h"

#include "base/error.h"
#include "budget/budgets.h"
#include "budget/check_run.h"
#include "budget/evidence.h"
#include "budget/scale.h"
#include "heap/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- what was meant by a pattern that matches nothing -------------------------------- */

/* What was meant by the pattern of a budget that matches nothing.
 *
 * A budget for "contoso.*" passes for ever where the types are Contoso.Orders.Order; so who
 * wrote it is told what is there. It guesses, and decides nothing. */

/* Looking for one costs as much as all names are long, and more patterns are wrong for one
 * reason mostly. */
enum { MOST_GUESSES = 16 };

static const struct series *names_for(const struct evidence *e, const struct rule *rule)
{
    return rule->kind == HD_RULE_HOLDER ? e->holders
           : rule->kind == HD_RULE_TYPE ? e->types
                                        : NULL;
}

static bool matches_something(const struct evidence *e, const char *pattern,
                              const struct series *s)
{
    for (size_t i = 0; i < s->row_count; i++)
        if (evidence_matches(e, pattern, s->rows[i].name))
            return true;
    return false;
}

/* --- upper and lower case ------------------------------------------------ */

/* The pattern with the ends that it spells out as the name has them, if it then matches;
 * else NULL. */
static const char *in_case_of(const char *pattern, const char *name, struct arena *a)
{
    size_t len = strlen(pattern), there = strlen(name);
    size_t head = strcspn(pattern, "*?"), tail = 0;
    while (head < len && strchr("*?", pattern[len - 1 - tail]) == NULL)
        tail++;
    if (head == len)
        head = 0, tail = len;
    if (head + tail > there || strncasecmp(pattern, name, head) != 0 ||
        strncasecmp(pattern + len - tail, name + there - tail, tail) != 0)
        return NULL;
    char *right = arena_strdup(a, pattern, len);
    memcpy(right, name, head);
    memcpy(right + len - tail, name + there - tail, tail);
    return names_match(right, name) ? right : NULL;
}

/* --- typing errors ------------------------------------------------------- */

/* What of a name the pattern spells: all of it, what stands behind its last dot, or so
 * many parts of its namespace as the pattern has before ".*". */
static const char *comparable(const char *name, const char *pattern, size_t dots,
                              bool is_namespace, struct arena *a)
{
    if (is_namespace) {
        size_t end = 0, left = dots;
        while (name[end] != '\0' && strchr("<[+", name[end]) == NULL &&
               (name[end] != '.' || left-- > 0))
            end++;
        return name[end] == '.' ? arena_strdup(a, name, end) : NULL;
    }
    const char *dot = strrchr(name, '.');
    bool whole = strchr(pattern, '.') != NULL || dot == NULL || strchr(name, '<') != NULL;
    return whole ? name : dot + 1;
}

static const char *nearest(const char *pattern, const struct series *s, struct arena *a)
{
    struct arena scratch = {0};
    size_t len = strlen(pattern), count = 0, dots = 0;
    bool is_namespace = len > 2 && strcmp(pattern + len - 2, ".*") == 0;
    size_t literal = is_namespace ? len - 2 : len;
    const char **words = arena_array(&scratch, const char *, s->row_count + 1);
    const char *found = NULL;
    for (size_t i = 0; i < literal; i++)
        dots += pattern[i] == '.';
    for (size_t i = 0; i < s->row_count; i++) {
        const char *word =
            comparable(s->rows[i].name, pattern, dots, is_namespace, &scratch);
        size_t size = word != NULL ? strlen(word) : 0;
        bool near = word != NULL && size <= literal + 3 && literal <= size + 3;
        if (near && (count == 0 || strcmp(words[count - 1], word) != 0))
            words[count++] = word;
    }
    if (strcspn(pattern, "*?") == literal + is_namespace)
        found = hd_nearest_word(arena_strdup(&scratch, pattern, literal), words);
    if (found != NULL)
        found = arena_printf(a, "%s%s", found, is_namespace ? ".*" : "");
    arena_free(&scratch);
    return found;
}

/* --- all of it ----------------------------------------------------------- */

static const char *guess(const char *pattern, const struct series *s, struct arena *a)
{
    for (size_t i = 0; i < s->row_count; i++) {
        const char *right = in_case_of(pattern, s->rows[i].name, a);
        if (right != NULL)
            return right;
    }
    return nearest(pattern, s, a);
}

/* For each rule of b for types or holders that matches none in the evidence, the pattern
 * that would be right, in a; else NULL. Only the first few of them are looked at. */
static void unmatched_find(const char **meant, const struct hd_budgets *b,
                           const struct evidence *e, struct arena *a)
{
    size_t guesses = 0;
    for (size_t i = 0; i < b->rule_count && guesses < MOST_GUESSES; i++) {
        const struct series *s = names_for(e, &b->rules[i]);
        if (s == NULL || matches_something(e, b->rules[i].pattern, s))
            continue;
        guesses++;
        meant[i] = guess(b->rules[i].pattern, s, a);
    }
}

const char *const rule_status_names[HD_FINDING_STATUS_COUNT] = {
    [HD_FOUND_PASS] = "pass",
    [HD_FOUND_FAIL] = "fail",
    [HD_FOUND_SUPPRESSED] = "suppressed",
    [HD_FOUND_INCONCLUSIVE] = "inconclusive"};

/* --- one finding --------------------------------------------------------- */

static struct accepted accepted_by(const struct check_run *c, const struct rule *rule,
                                   const struct hd_accepted *a)
{
    bool bytes = rule->measure == HD_MEASURE_BYTES, step = rule->per == HD_PER_STEP;
    uint64_t whole = bytes ? a->bytes : a->count;
    uint64_t of_step = bytes ? a->step_bytes : a->step_count;
    return scale_accepted(&c->b->baseline, c->e, step ? of_step : whole, rule->per);
}

struct hd_reason check_run_doubt(const struct check_run *c, enum hd_per per)
{
    const struct series *s = c->s;
    bool ends = s->usable[0] == 0 && s->usable[s->usable_count - 1] + 1 == s->count;
    bool all = s->usable_count == s->count;
    bool cut = !s->snaps[0]->info.complete || !s->snaps[s->count - 1]->info.complete;
    if (!ends && !cut)
        return c->e->doubt.code != HD_REASON_NONE ? c->e->doubt
                                                  : because(HD_REASON_END_LEFT_OUT);
    if (!ends)
        return because(HD_REASON_END_INCOMPLETE);
    if (!all && per == HD_PER_STEP)
        return because(HD_REASON_STEP_LEFT_OUT);
    return c->e->doubt;
}

bool check_run_is_over(double value, double limit)
{
    return value > limit + fabs(limit) * 1e-12;
}

static struct hd_limit limit_of(const struct check_run *c, const struct rule *rule)
{
    if (!rule->limit_is_min_score)
        return rule->limit;
    if (c->e->min_bytes > 0)
        return (struct hd_limit){.amount = c->e->min_bytes};
    return (struct hd_limit){.relative = true, .percent = 100 * c->e->min_share};
}

static struct finding between(const struct check_run *c, const struct rule *rule,
                              size_t first, size_t last)
{
    return (struct finding){.rule = rule,
                            .limit = limit_of(c, rule),
                            .scored = NO_SCORED,
                            .first = first,
                            .last = last};
}

struct finding check_run_finding(const struct check_run *c, const struct rule *rule)
{
    return between(c, rule, c->s->usable[0], c->s->usable[c->s->usable_count - 1]);
}

void check_run_leave_open(struct finding *f, struct hd_reason reason)
{
    f->status = HD_FOUND_INCONCLUSIVE;
    f->reason = reason;
}

void check_run_add_open(struct check_run *c, const struct rule *rule,
                        struct hd_reason reason)
{
    struct finding f = between(c, rule, 0, c->s->count - 1);
    check_run_leave_open(&f, reason);
    check_run_add(c, f);
}

void check_run_decide(const struct check_run *c, struct finding *f)
{
    struct hd_reason doubt = check_run_doubt(c, f->rule->per);
    if (f->over == OVER_SURELY)
        f->status = HD_FOUND_FAIL;
    else if (f->over == OVER_MAYBE)
        check_run_leave_open(f, because(f->depends_on_scale ? HD_REASON_SCALE_UNKNOWN
                                                            : HD_REASON_SAMPLE_IS_OFF));
    else if (doubt.code != HD_REASON_NONE)
        check_run_leave_open(f, doubt);
    else
        f->status = HD_FOUND_PASS;
}

/* A rule that looked at nothing: it is kept, but that shows nothing unless somebody said
 * that there may be nothing to look at. */
static void add_unmatched(struct check_run *c, const struct rule *rule, struct finding f)
{
    check_run_decide(c, &f);
    if (f.status == HD_FOUND_PASS) {
        f.is_lenient = !rule->is_optional;
        f.reason = (struct hd_reason){.code = HD_REASON_NO_MATCH,
                                      .meant = c->out->meant[rule - c->b->rules]};
    }
    check_run_add(c, f);
}

void check_run_weigh(struct finding *f, const struct finding *with_least,
                     const struct finding *with_most)
{
    bool surely = with_most->over == OVER_SURELY;
    *f = surely ? *with_most : *with_least;
    f->depends_on_scale = with_least->over != with_most->over;
    if (!surely && with_least->over != OVER_NOT)
        f->over = OVER_MAYBE;
}

/* What a finding is if so much is accepted. */
static struct finding less(struct finding f, const struct growth *g, double accepted)
{
    f.accepted = accepted;
    f.observed = g->value - accepted;
    if (check_run_is_over(g->low - accepted, f.allowed))
        f.over = OVER_SURELY;
    else if (check_run_is_over(g->high - accepted, f.allowed))
        f.over = OVER_MAYBE;
    return f;
}

static struct finding hold(const struct check_run *c, const struct rule *rule,
                           const struct values *v, const struct hd_accepted *accepted)
{
    struct finding f = check_run_finding(c, rule);
    if (v->unknown) {
        check_run_leave_open(&f, because(HD_REASON_NUMBER_UNKNOWN));
        return f;
    }
    struct growth g = growth_of(c->e, v, rule->per);
    f.known = true;
    f.first = g.first;
    f.last = g.last;
    f.base = v->y[c->s->usable[0]];
    f.allowed = limit_amount(&f.limit, f.base);
    struct accepted a = accepted_by(c, rule, accepted);
    struct finding with_least = less(f, &g, a.least), with_most = less(f, &g, a.most);
    check_run_weigh(&f, &with_least, &with_most);
    check_run_decide(c, &f);
    return f;
}

void check_run_add(struct check_run *c, struct finding f)
{
    struct findings *out = c->out;
    out->all = grow(out->all, out->len, &c->cap, sizeof(*out->all));
    out->all[out->len++] = f;
}

/* --- suppressions -------------------------------------------------------- */

bool check_run_suppress(struct finding *f, const struct finding *counted,
                        const struct suppression *by)
{
    if (by == NULL)
        return false;
    if (counted->over != OVER_NOT && counted->over >= f->over) {
        *f = *counted;
        return false;
    }
    if (f->over == OVER_NOT)
        return false;
    f->status = HD_FOUND_SUPPRESSED;
    f->suppression = by;
    f->reason = (struct hd_reason){.code = HD_REASON_SUPPRESSED, .words = by->reason};
    return counted->status == HD_FOUND_INCONCLUSIVE;
}

void check_run_note_expired(const struct check_run *c, struct finding *f, const char *type,
                            const char *subject, const char *holder)
{
    if (f->status != HD_FOUND_FAIL)
        return;
    f->suppression = suppression_expired(&c->suppression_matches, type, subject, holder);
    if (f->suppression == NULL)
        return;
    suppression_use(&c->suppression_matches, f->suppression);
    f->reason = (struct hd_reason){.code = HD_REASON_EXPIRED,
                                   .words = f->suppression->reason,
                                   .until = f->suppression->until_text};
}

/* Where an excused holder shrinks, growth elsewhere may be over the limit though the sum is
 * not. A suppression is of use only if it excuses what is over. */
static struct suppression_matches suppression_matches_for(const struct check_run *c,
                                                          const struct finding *f)
{
    struct suppression_matches suppression_matches = c->suppression_matches;
    if (f->over == OVER_NOT)
        suppression_matches.used = NULL;
    return suppression_matches;
}

/* --- totals -------------------------------------------------------------- */

static void judge_total(struct check_run *c, const struct rule *rule)
{
    struct values v = values_of_total(c->e, rule->total);
    struct hd_accepted accepted =
        baseline_find(&c->b->baseline, HD_ACCEPTED_TOTAL, budget_total_names[rule->total]);
    check_run_add(c, hold(c, rule, &v, &accepted));
}

/* --- types --------------------------------------------------------------- */

enum { NO_ENTRY = -1 };

/* The first budget for types whose pattern matches. Free space is no type that leaks;
 * who means it writes Free. */
static int64_t entry_of(const struct check_run *c, const char *name)
{
    bool is_free = strcmp(name, "Free") == 0;
    for (size_t i = 0; i < c->b->rule_count; i++) {
        const struct rule *rule = &c->b->rules[i];
        if (rule->kind == HD_RULE_TYPE && evidence_matches(c->e, rule->pattern, name) &&
            (!is_free || strcmp(rule->pattern, name) == 0))
            return (int64_t)rule->entry;
    }
    return NO_ENTRY;
}

static int64_t *entries_of_rows(const struct check_run *c)
{
    int64_t *entries = arena_array(c->a, int64_t, c->s->row_count);
    for (size_t i = 0; i < c->s->row_count; i++) {
        const char *name = c->s->rows[i].name;
        bool shown = c->e->shows == NULL || c->e->shows(c->e->context, name);
        entries[i] = shown ? entry_of(c, name) : NO_ENTRY;
    }
    return entries;
}

/* How near a finding is to its limit, for the one that stands for many. */
static bool is_nearer(const struct finding *f, const struct finding *than)
{
    if (than->subject == NULL)
        return true;
    if ((f->status == HD_FOUND_INCONCLUSIVE) != (than->status == HD_FOUND_INCONCLUSIVE))
        return f->status == HD_FOUND_INCONCLUSIVE;
    double a = f->observed - f->allowed, b = than->observed - than->allowed;
    return a != b ? a > b : strcmp(f->subject, than->subject) < 0;
}

static int by_status_and_growth(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (x->status != y->status)
        return x->status == HD_FOUND_FAIL ? -1 : 1;
    if (x->observed != y->observed)
        return x->observed < y->observed ? 1 : -1;
    return strcmp(x->subject, y->subject);
}

static struct finding hold_type(const struct check_run *c, const struct rule *rule,
                                const struct series_row *row, const struct values *v)
{
    struct hd_accepted accepted =
        baseline_find(&c->b->baseline, HD_ACCEPTED_TYPE, row->name);
    struct finding f = hold(c, rule, v, &accepted);
    f.subject = row->name;
    f.at = row->at;
    return f;
}

/* One type: f is what becomes of it. True if *beside stands beside it. */
static bool judge_type(const struct check_run *c, const struct rule *rule,
                       const struct series_row *row, struct finding *f,
                       struct finding *beside)
{
    struct values all = values_of_row(c->s, row, rule->measure);
    *f = hold_type(c, rule, row, &all);
    struct suppression_matches suppression_matches = suppression_matches_for(c, f);
    if (f->over == OVER_NOT && !suppression_matches.by_holder)
        return false;
    struct counted counted = counted_of_type(&suppression_matches, row, rule->measure);
    bool open = false;
    if (counted.untold) {
        check_run_leave_open(f, because(HD_REASON_HOLDERS_UNTOLD));
    } else {
        *beside = hold_type(c, rule, row, &counted.values);
        open = check_run_suppress(f, beside, counted.by);
    }
    f->scored = scored_index_find(&c->by_type, row->name);
    const char *holder = f->scored != NO_SCORED ? c->e->scored[f->scored].holder : NULL;
    check_run_note_expired(c, f, row->name, NULL, holder);
    return open;
}

static void judge_types(struct check_run *c, const struct rule *rule,
                        const int64_t *entries)
{
    size_t begin = c->out->len;
    struct finding nearest = {.subject = NULL}, f, beside;
    for (size_t i = 0; i < c->s->row_count; i++) {
        if (entries[i] != (int64_t)rule->entry)
            continue;
        if (judge_type(c, rule, &c->s->rows[i], &f, &beside) &&
            is_nearer(&beside, &nearest))
            nearest = beside;
        if (f.status == HD_FOUND_FAIL || f.status == HD_FOUND_SUPPRESSED)
            check_run_add(c, f);
        else if (is_nearer(&f, &nearest))
            nearest = f;
    }
    bool matched = c->out->len > begin || nearest.subject != NULL;
    c->out->rule_matched[rule - c->b->rules] = matched;
    if (c->out->len > begin)
        qsort(&c->out->all[begin], c->out->len - begin, sizeof(*c->out->all),
              by_status_and_growth);
    if (nearest.subject != NULL &&
        (c->out->len == begin || nearest.status == HD_FOUND_INCONCLUSIVE))
        check_run_add(c, nearest);
    else if (!matched)
        add_unmatched(c, rule, check_run_finding(c, rule));
}

/* --- holders ------------------------------------------------------------- */

static void judge_holder(struct check_run *c, const struct rule *rule)
{
    struct hd_accepted accepted =
        baseline_find(&c->b->baseline, HD_ACCEPTED_HOLDER, rule->pattern);
    if (c->e->holders == NULL) {
        struct finding f = check_run_finding(c, rule);
        check_run_leave_open(&f, because(HD_REASON_NO_HOLDERS));
        check_run_add(c, f);
        return;
    }
    struct held h = held_by(c->e, rule->pattern, rule->measure);
    struct finding f = hold(c, rule, &h.values, &accepted), beside;
    c->out->rule_matched[rule - c->b->rules] = h.matched;
    if (!h.matched) {
        add_unmatched(c, rule, f);
        return;
    }
    bool open = false;
    struct suppression_matches suppression_matches = suppression_matches_for(c, &f);
    if (f.over != OVER_NOT || suppression_matches.by_holder) {
        struct counted counted =
            counted_of_holders(&suppression_matches, rule->pattern, rule->measure);
        beside = hold(c, rule, &counted.values, &accepted);
        open = check_run_suppress(&f, &beside, counted.by);
    }
    f.holder = h.most;
    check_run_add(c, f);
    if (open)
        check_run_add(c, beside);
}

/* --- all of it ----------------------------------------------------------- */

static bool can_judge(const struct hd_budgets *b, const struct evidence *e,
                      struct hd_error *err)
{
    for (size_t i = 0; i < b->rule_count; i++) {
        const struct rule *rule = &b->rules[i];
        if (rule->per == HD_PER_ITERATION && e->iterations == NULL)
            return fail_at_line_about(err, HD_ABOUT_ITERATIONS, rule->line, "no-iterations",
                                      "per: iteration needs one number per snapshot");
    }
    return true;
}

static void judge_rule(struct check_run *c, const struct rule *rule, const int64_t *entries)
{
    if (c->s->usable_count < 2) {
        check_run_add_open(c, rule, because(HD_REASON_TOO_FEW));
        return;
    }
    if (c->e->no_evidence.code != HD_REASON_NONE) {
        check_run_add_open(c, rule, c->e->no_evidence);
        return;
    }
    switch (rule->kind) {
    case HD_RULE_TOTAL:
        judge_total(c, rule);
        break;
    case HD_RULE_TYPE:
        judge_types(c, rule, entries);
        break;
    case HD_RULE_HOLDER:
        judge_holder(c, rule);
        break;
    case HD_RULE_SUSPECTS:
        check_run_judge_suspects(c, rule);
        break;
    }
}

bool judge_rules(struct findings *out, const struct hd_budgets *b, const struct evidence *e,
                 struct arena *a, struct hd_error *err)
{
    struct check_run c = {.b = b, .e = e, .s = e->types, .a = a, .out = out};
    *out = (struct findings){.rule_matched = arena_array(a, bool, b->rule_count),
                             .meant = arena_array(a, const char *, b->rule_count),
                             .suppression_used = arena_array(a, bool, b->suppression_count),
                             .expired = arena_array(a, bool, b->suppression_count)};
    if (!can_judge(b, e, err))
        return false;
    for (size_t i = 0; i < b->rule_count; i++)
        out->rule_matched[i] = true;
    for (size_t i = 0; i < b->suppression_count; i++)
        out->expired[i] = suppression_has_expired(b, &b->suppressions[i]);
    c.by_type = scored_index_of(e, a);
    c.suppression_matches = suppression_matches_of(b, e, out->suppression_used, a);
    unmatched_find(out->meant, b, e, a);
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
