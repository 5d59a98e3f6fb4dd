/* Judge totals, types, holders and the ranking by the rules. One principle: a rule passes
 * only if the snapshots show that it is not over its limit (docs/check.md). */
#include "budget/judge.h"

#include "base/error.h"
#include "heap/names.h"
#include "series/ranking_constants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- patterns without a match -------------------------------------------------------- */

/* Guess the intended pattern of a budget without a match.
 *
 * A budget for "contoso.*" passes forever if the types are Contoso.Orders.Order; so the
 * report suggests a pattern. Must not affect the verdict. */

/* A guess costs the length of all names, and several wrong patterns mostly have the same
 * cause. */
enum { MAX_GUESSES = 16 };

/* --- upper and lower case ------------------------------------------------ */

/* Returns the pattern with the case of the name at both literal ends, if it then matches;
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

/* Returns the part of a name to compare with the pattern: the whole name, the part after
 * its last dot, or as many parts of its namespace as the pattern has before ".*". */
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

/* --- all patterns -------------------------------------------------------- */

/* For each rule of b for types or holders without a match in the evidence, stores the
 * pattern that was probably meant, in a; else NULL. Only for the first MAX_GUESSES. */
static void unmatched_find(const char **meant, const struct hd_budgets *b,
                           const struct evidence *e, struct arena *a)
{
    size_t guesses = 0;
    for (size_t i = 0; i < b->rule_count && guesses < MAX_GUESSES; i++) {
        const char *pattern = b->rules[i].pattern;
        const struct series *s = b->rules[i].kind == HD_RULE_HOLDER ? e->holders
                                 : b->rules[i].kind == HD_RULE_TYPE ? e->types
                                                                    : NULL;
        size_t k = 0;
        while (s != NULL && k < s->row_count &&
               !evidence_matches(e, pattern, s->rows[k].name))
            k++;
        if (s == NULL || k < s->row_count)
            continue;
        guesses++;
        for (k = 0; k < s->row_count && meant[i] == NULL; k++)
            meant[i] = in_case_of(pattern, s->rows[k].name, a);
        if (meant[i] == NULL)
            meant[i] = nearest(pattern, s, a);
    }
}

/* --- one finding --------------------------------------------------------- */

struct check_run {
    const struct hd_budgets *b;
    const struct evidence *e;
    const struct series *s;
    double heap;       /* that shares of scores are of; 0 unknown */
    double min_steady; /* a steady row with a smaller share of the heap is not a suspect */
    struct arena *a;
    struct findings *out;
    size_t cap;
    struct suppression_matches suppression_matches;
};

/* Returns why such a rule cannot pass; or no reason. */
static struct hd_reason doubt_about(const struct check_run *c, enum hd_per per)
{
    const struct series *s = c->s;
    bool ends = s->usable[0] == 0 && s->usable[s->usable_count - 1] + 1 == s->count;
    bool cut = !s->snaps[0]->info.complete || !s->snaps[s->count - 1]->info.complete;
    if (!ends && cut)
        return because(HD_REASON_END_INCOMPLETE);
    if (!ends && c->e->doubt.code == HD_REASON_NONE)
        return because(HD_REASON_END_LEFT_OUT);
    if (ends && s->usable_count < s->count && per == HD_PER_STEP)
        return because(HD_REASON_STEP_LEFT_OUT);
    return c->e->doubt;
}

/* 29 % of 100 is 29, despite binary fractions. */
static bool is_over(double value, double limit)
{
    return value > limit + fabs(limit) * 1e-12;
}

/* About these snapshots. */
static struct finding finding_between(const struct check_run *c, const struct rule *rule,
                                      size_t first, size_t last)
{
    const struct hd_options *opt = c->e->opt;
    struct hd_limit limit = rule->limit;
    if (rule->limit_is_min_score)
        limit = opt->min_bytes > 0
                    ? (struct hd_limit){.amount = opt->min_bytes}
                    : (struct hd_limit){.relative = true, .percent = 100 * opt->min_share};
    return (struct finding){
        .rule = rule, .limit = limit, .ranked = NOT_RANKED, .first = first, .last = last};
}

/* About the snapshots that can be compared, of which there must be two. */
static struct finding finding_of(const struct check_run *c, const struct rule *rule)
{
    return finding_between(c, rule, c->s->usable[0], c->s->usable[c->s->usable_count - 1]);
}

static void add_finding(struct check_run *c, struct finding f)
{
    struct findings *out = c->out;
    out->all = grow(out->all, out->len, &c->cap, sizeof(*out->all));
    out->all[out->len++] = f;
}

static void leave_open(struct finding *f, struct hd_reason reason)
{
    f->status = HD_FOUND_INCONCLUSIVE;
    f->reason = reason;
}

/* Adds a finding about all snapshots, comparable or not: inconclusive. */
static void add_open(struct check_run *c, const struct rule *rule, struct hd_reason reason)
{
    struct finding f = finding_between(c, rule, 0, c->s->count - 1);
    leave_open(&f, reason);
    add_finding(c, f);
}

/* Sets the status from f->over; a pass only if the snapshots can show one. */
static void judge_decide(const struct check_run *c, struct finding *f)
{
    struct hd_reason doubt = doubt_about(c, f->rule->per);
    if (f->over == OVER_SURELY)
        f->status = HD_FOUND_FAIL;
    else if (f->over == OVER_MAYBE)
        leave_open(f, because(f->depends_on_scale ? HD_REASON_SCALE_UNKNOWN
                                                  : HD_REASON_SAMPLE_IS_OFF));
    else if (doubt.code != HD_REASON_NONE)
        leave_open(f, doubt);
    else
        f->status = HD_FOUND_PASS;
}

/* A rule without a match passes; leniently, as its pattern may be wrong, unless it is
 * declared optional. */
static void add_unmatched(struct check_run *c, const struct rule *rule, struct finding f)
{
    judge_decide(c, &f);
    if (f.status == HD_FOUND_PASS) {
        f.is_lenient = !rule->is_optional;
        f.reason = (struct hd_reason){.code = HD_REASON_NO_MATCH,
                                      .meant = c->out->meant[rule - c->b->rules]};
    }
    add_finding(c, f);
}

/* Combines the findings where a baseline accepts between least and most: over only if it is
 * so either way. f has the numbers of the one that decides. */
static void weigh(struct finding *f, const struct finding *with_least,
                  const struct finding *with_most)
{
    bool surely = with_most->over == OVER_SURELY;
    *f = surely ? *with_most : *with_least;
    f->depends_on_scale = with_least->over != with_most->over;
    if (!surely && with_least->over != OVER_NOT)
        f->over = OVER_MAYBE;
}

/* Returns the finding with `accepted` taken off. */
static struct finding less(struct finding f, const struct growth *g, double accepted)
{
    f.accepted = accepted;
    f.observed = g->value - accepted;
    if (is_over(g->low - accepted, f.allowed))
        f.over = OVER_SURELY;
    else if (is_over(g->high - accepted, f.allowed))
        f.over = OVER_MAYBE;
    return f;
}

static struct finding unknown_number(const struct check_run *c, const struct rule *rule)
{
    struct finding f = finding_of(c, rule);
    leave_open(&f, because(HD_REASON_NUMBER_UNKNOWN));
    return f;
}

/* Values may be NAN: over only if it is shown. */
static struct finding hold_known(const struct check_run *c, const struct rule *rule,
                                 const struct values *v, const struct hd_accepted *accepted)
{
    struct finding f = finding_of(c, rule);
    struct growth g = growth_of(c->e, v, rule->per);
    f.known = true;
    f.first = g.first;
    f.last = g.last;
    f.base = v->y[c->s->usable[0]];
    f.allowed = limit_amount(&f.limit, f.base);
    bool bytes = rule->measure == HD_MEASURE_BYTES, step = rule->per == HD_PER_STEP;
    uint64_t whole = bytes ? accepted->bytes : accepted->count,
             of_step = bytes ? accepted->step_bytes : accepted->step_count;
    struct accepted a =
        scale_accepted(&c->b->baseline, c->e, step ? of_step : whole, rule->per);
    struct finding with_least = less(f, &g, a.least), with_most = less(f, &g, a.most);
    weigh(&f, &with_least, &with_most);
    judge_decide(c, &f);
    return f;
}

static struct finding hold(const struct check_run *c, const struct rule *rule,
                           const struct values *v, const struct hd_accepted *accepted)
{
    return v->unknown ? unknown_number(c, rule) : hold_known(c, rule, v, accepted);
}

/* --- suppressions -------------------------------------------------------- */

/* Applies a suppression, if any; `counted` is f without the suppressed growth. If `counted`
 * may be over the limit to the same degree, f becomes `counted`; if only f is over, f is
 * suppressed. True in that case if `counted` is undecided: then it is a second finding. */
static bool suppress(struct finding *f, const struct finding *counted,
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

/* Notes in a failure the suppression that has expired, if one would have applied. row: of
 * the ranking, or NULL. */
static void note_expired(const struct check_run *c, struct finding *f, const char *type,
                         const char *title, const struct hd_suspect *row)
{
    if (f->status == HD_FOUND_FAIL)
        f->suppression = suppression_expired(&c->suppression_matches, type, title, row);
    if (f->status != HD_FOUND_FAIL || f->suppression == NULL)
        return;
    suppression_use(&c->suppression_matches, f->suppression);
    f->reason = (struct hd_reason){.code = HD_REASON_EXPIRED,
                                   .words = f->suppression->reason,
                                   .until = f->suppression->until_text};
}

/* If a suppressed holder shrinks, growth elsewhere may be over the limit though the sum is
 * not. A suppression is used only if it excludes growth over the limit. */
static struct suppression_matches matches_for(const struct check_run *c,
                                              const struct finding *f)
{
    struct suppression_matches x = c->suppression_matches;
    x.used = f->over != OVER_NOT ? x.used : NULL;
    return x;
}

/* --- totals -------------------------------------------------------------- */

static void judge_total(struct check_run *c, const struct rule *rule)
{
    struct values v = values_of_total(c->e, rule->total);
    struct hd_accepted accepted =
        baseline_find(&c->b->baseline, HD_ACCEPTED_TOTAL, budget_total_names[rule->total]);
    add_finding(c, hold(c, rule, &v, &accepted));
}

/* --- the process --------------------------------------------------------- */

/* Growth that the snapshots show counts, even if others between lack the number. */
static struct finding hold_process(const struct check_run *c, const struct rule *rule,
                                   const struct values *v)
{
    struct hd_accepted accepted =
        baseline_find(&c->b->baseline, HD_ACCEPTED_PROCESS, rule->pattern);
    struct finding f = hold_known(c, rule, v, &accepted);
    return v->unknown && f.status != HD_FOUND_FAIL ? unknown_number(c, rule) : f;
}

/* The numbers of all snapshots, for people. */
static const struct hd_tally *
process_tallies(const struct check_run *c, const struct rule *rule, const struct values *v)
{
    bool counts = rule->measure == HD_MEASURE_COUNT;
    struct hd_tally *at = arena_array(c->a, struct hd_tally, c->s->count);
    for (size_t k = 0; k < c->s->count; k++) {
        uint64_t n = isnan(v->y[k]) ? HD_UNKNOWN : tally_rounded(v->y[k]);
        at[k] = (struct hd_tally){.count = counts ? n : HD_UNKNOWN,
                                  .bytes = counts ? HD_UNKNOWN : n};
    }
    return at;
}

static void judge_process(struct check_run *c, const struct rule *rule)
{
    struct values v = values_of_process(c->e, rule->process);
    struct finding f = hold_process(c, rule, &v);
    f.at = process_tallies(c, rule, &v);
    add_finding(c, f);
}

/* True if swapped-out memory, which these numbers lack, grew. */
static bool lacks_growth(const struct check_run *c, enum hd_process_number number)
{
    const struct series *s = c->s;
    if (number != HD_PROCESS_RESIDENT && number != HD_PROCESS_PRIVATE)
        return false;
    uint64_t first = hd_fact(&s->snaps[s->usable[0]]->facts, HD_FACT_SWAPPED),
             last =
                 hd_fact(&s->snaps[s->usable[s->usable_count - 1]]->facts, HD_FACT_SWAPPED);
    return last != HD_UNKNOWN && last > (first != HD_UNKNOWN ? first : 0);
}

/* True if a limit for that number also limits the part; HD_PART_COUNT: a part that is not
 * known. */
static bool has_part(enum hd_process_number number, enum hd_process_part part)
{
    switch (number) {
    case HD_PROCESS_SIZE:
    case HD_PROCESS_RESIDENT:
        return true;
    case HD_PROCESS_PRIVATE:
        return part != HD_PART_FILES && part != HD_PART_CODE && part != HD_PART_COUNT;
    case HD_PROCESS_NATIVE:
        return part == HD_PART_NATIVE;
    case HD_PROCESS_FRAGMENTED:
        return part == HD_PART_FREE;
    default:
        return false;
    }
}

/* True if a budget that contains the part passes; *by is the budget. */
static bool budget_allows(const struct check_run *c, enum hd_process_part part,
                          const char **by)
{
    const struct hd_budgets *b = c->b;
    for (size_t i = 0; i < b->rule_count; i++) {
        const struct rule *rule = &b->rules[i];
        if (rule->kind != HD_RULE_PROCESS || !has_part(rule->process, part) ||
            lacks_growth(c, rule->process))
            continue;
        struct values v = values_of_process(c->e, rule->process);
        if (hold_process(c, rule, &v).status != HD_FOUND_PASS)
            continue;
        *by = rule_name(rule->kind, rule->total, rule->pattern, c->a);
        return true;
    }
    return false;
}

/* True if the baseline accepts that growth of the number. */
static bool baseline_accepts(const struct check_run *c, enum hd_process_number number,
                             double growth)
{
    struct hd_accepted all =
        baseline_find(&c->b->baseline, HD_ACCEPTED_PROCESS, budget_process_names[number]);
    return growth > 0 &&
           growth <= scale_accepted(&c->b->baseline, c->e, all.bytes, HD_PER_TOTAL).least;
}

static double growth_between(const uint64_t *at, size_t first, size_t last)
{
    return (double)at[last] - (double)at[first];
}

/* True if a budget or the baseline allows that part; *by is the budget or stays NULL. */
static bool allows_part(const struct check_run *c, enum hd_process_part part, double growth,
                        const char **by)
{
    return budget_allows(c, part, by) ||
           (part == HD_PART_NATIVE && baseline_accepts(c, HD_PROCESS_NATIVE, growth)) ||
           (part == HD_PART_FREE && baseline_accepts(c, HD_PROCESS_FRAGMENTED, growth));
}

/* True if growth of the process outside the objects is allowed: the other parts with
 * sustained growth would not be a finding. */
static bool allows_outside(const struct check_run *c, const struct hd_process_growth *g,
                           const char **by)
{
    double left = 0;
    if (baseline_accepts(c, HD_PROCESS_SIZE, (double)g->growth))
        return true;
    if (g->is_undivided)
        return budget_allows(c, HD_PART_COUNT, by);
    for (enum hd_process_part k = 0; k < HD_PART_COUNT; k++) {
        if (!g->keeps_growing[k])
            continue;
        double growth = growth_between(g->parts[k], g->first, g->last);
        const char *name = NULL;
        bool allowed = allows_part(c, k, growth, &name);
        left += allowed ? 0 : growth;
        if (allowed && (*by == NULL || k == g->where))
            *by = name;
    }
    return left < rank_by.process_part * g->rise;
}

/* Returns the reason for growth outside of the objects; or no reason. */
static struct hd_reason reason_outside(const struct check_run *c)
{
    const struct hd_process_growth *g = c->e->diff->process;
    const struct hd_free_growth *free = c->e->diff->free;
    const char *by = NULL;
    bool is_free = free != NULL && free->is_finding, allowed;
    if (!hd_diff_grows_outside(c->e->diff))
        return because(HD_REASON_NONE);
    if (g != NULL && (g->is_outside || g->is_undivided))
        allowed = allows_outside(c, g, &by);
    else
        allowed = allows_part(c, HD_PART_FREE,
                              growth_between(free->bytes, free->first, free->last), &by);
    return (struct hd_reason){.code = allowed   ? HD_REASON_OUTSIDE_ALLOWED
                                      : is_free ? HD_REASON_FRAGMENTED
                                                : HD_REASON_OUTSIDE,
                              .process = g,
                              .free = is_free ? free : NULL,
                              .words = by};
}

/* --- types --------------------------------------------------------------- */

enum { NO_ENTRY = -1 };

/* Returns the first budget for types with a matching pattern. */
static int64_t entry_of(const struct check_run *c, const char *name)
{
    if (!evidence_shows(c->e, name))
        return NO_ENTRY;
    for (size_t i = 0; i < c->b->rule_count; i++) {
        const struct rule *rule = &c->b->rules[i];
        if (rule->kind == HD_RULE_TYPE && evidence_matches(c->e, rule->pattern, name))
            return (int64_t)rule->entry;
    }
    return NO_ENTRY;
}

/* True if f is nearer to its limit: the nearest finding represents the rule. */
static bool is_nearer(const struct finding *f, const struct finding *than)
{
    if (than->title == NULL)
        return true;
    if ((f->status == HD_FOUND_INCONCLUSIVE) != (than->status == HD_FOUND_INCONCLUSIVE))
        return f->status == HD_FOUND_INCONCLUSIVE;
    double a = f->observed - f->allowed, b = than->observed - than->allowed;
    return a != b ? a > b : strcmp(f->title, than->title) < 0;
}

static int by_status_and_growth(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (x->status != y->status)
        return x->status == HD_FOUND_FAIL ? -1 : 1;
    if (x->observed != y->observed)
        return x->observed < y->observed ? 1 : -1;
    return strcmp(x->title, y->title);
}

static struct finding hold_type(const struct check_run *c, const struct rule *rule,
                                const struct series_row *row, const struct values *v)
{
    struct hd_accepted accepted =
        baseline_find(&c->b->baseline, HD_ACCEPTED_TYPE, row->name);
    struct finding f = hold(c, rule, v, &accepted);
    f.title = row->name;
    f.at = row->at;
    return f;
}

/* Judges one type: f is its finding. True if *second is a finding, too. */
static bool judge_type(const struct check_run *c, const struct rule *rule,
                       const struct series_row *row, struct finding *f,
                       struct finding *second)
{
    struct values all = values_of_row(c->s, row, rule->measure);
    *f = hold_type(c, rule, row, &all);
    struct suppression_matches x = matches_for(c, f);
    if (f->over == OVER_NOT && !x.by_holder)
        return false;
    struct counted counted = counted_of_type(&x, row, rule->measure);
    bool open = false;
    if (counted.is_unknown) {
        leave_open(f, because(HD_REASON_HOLDERS_UNKNOWN));
    } else {
        *second = hold_type(c, rule, row, &counted.values);
        open = suppress(f, second, counted.by);
    }
    f->ranked = c->e->ranked_of != NULL ? c->e->ranked_of[row - c->s->rows] : NOT_RANKED;
    note_expired(c, f, row->name, NULL,
                 f->ranked != NOT_RANKED ? ranked_row(c->e->diff, f->ranked) : NULL);
    return open;
}

static void judge_types(struct check_run *c, const struct rule *rule,
                        const int64_t *entries)
{
    size_t begin = c->out->len;
    struct finding nearest = {.title = NULL}, f, second;
    for (size_t i = 0; i < c->s->row_count; i++) {
        if (entries[i] != (int64_t)rule->entry)
            continue;
        if (judge_type(c, rule, &c->s->rows[i], &f, &second) &&
            is_nearer(&second, &nearest))
            nearest = second;
        if (f.status == HD_FOUND_FAIL || f.status == HD_FOUND_SUPPRESSED)
            add_finding(c, f);
        else if (is_nearer(&f, &nearest))
            nearest = f;
    }
    bool matched = c->out->len > begin || nearest.title != NULL;
    c->out->rule_matched[rule - c->b->rules] = matched;
    if (c->out->len > begin)
        qsort(&c->out->all[begin], c->out->len - begin, sizeof(*c->out->all),
              by_status_and_growth);
    if (nearest.title != NULL &&
        (c->out->len == begin || nearest.status == HD_FOUND_INCONCLUSIVE))
        add_finding(c, nearest);
    else if (!matched)
        add_unmatched(c, rule, finding_of(c, rule));
}

/* --- holders ------------------------------------------------------------- */

static void judge_holder(struct check_run *c, const struct rule *rule)
{
    struct hd_accepted accepted =
        baseline_find(&c->b->baseline, HD_ACCEPTED_HOLDER, rule->pattern);
    if (c->e->holders == NULL) {
        struct finding f = finding_of(c, rule);
        leave_open(&f, because(HD_REASON_NO_HOLDERS));
        add_finding(c, f);
        return;
    }
    struct held h = held_by(c->e, rule->pattern, rule->measure);
    struct finding f = hold(c, rule, &h.values, &accepted), second;
    c->out->rule_matched[rule - c->b->rules] = h.matched;
    if (!h.matched) {
        add_unmatched(c, rule, f);
        return;
    }
    bool open = false;
    struct suppression_matches x = matches_for(c, &f);
    if (f.over != OVER_NOT || x.by_holder) {
        struct counted counted = counted_of_holders(&x, rule->pattern, rule->measure);
        second = hold(c, rule, &counted.values, &accepted);
        open = suppress(&f, &second, counted.by);
    }
    f.holder = h.most;
    add_finding(c, f);
    if (open)
        add_finding(c, second);
}

/* --- suspects ------------------------------------------------------------ */

/* Reaching the limit is too much, but a score of 0 is never a finding. */
static bool reaches(double score, double limit)
{
    return score > 0 && !is_over(limit, score);
}

/* Growth of about the same amount in every step: a suspect of any size. */
static bool is_steady(const struct hd_suspect *row)
{
    return row->suspicion == HD_SUSPECT_STEADY || row->suspicion == HD_SUSPECT_AGE;
}

/* Without a score of its own a rule uses the ranking's line for suspects. Steady growth
 * counts at any size that --min-steady allows. */
static enum over over_of_score(const struct check_run *c, const struct finding *f,
                               const struct hd_suspect *row, double noise)
{
    double least = f->allowed;
    if (f->rule->limit_is_min_score && is_steady(row))
        least = c->min_steady * f->base < least ? c->min_steady * f->base : least;
    /* For a whole score the ranking has decided. */
    bool decided = f->rule->limit_is_min_score && f->observed == row->score && noise == 0;
    if (decided && row->suspicion == HD_SUSPECT_NOT)
        return OVER_NOT;
    if (decided || reaches(f->observed - noise, least))
        return OVER_SURELY;
    return reaches(f->observed + noise, least) ? OVER_MAYBE : OVER_NOT;
}

static struct accepted accepted_score(const struct check_run *c, const char *type)
{
    uint64_t score = baseline_find(&c->b->baseline, HD_ACCEPTED_TYPE, type).score;
    return scale_accepted(&c->b->baseline, c->e, score, HD_PER_TOTAL);
}

/* Returns the finding with `accepted` taken off the score. */
static struct finding less_score(const struct check_run *c, struct finding f, double score,
                                 double accepted)
{
    const struct hd_suspect *row = ranked_row(c->e->diff, f.ranked);
    double whole = c->e->score_noise != NULL ? c->e->score_noise[f.ranked] : 0;
    double noise = row->score > 0 ? whole * score / row->score : 0;
    /* Ignore rounding of the rate. */
    f.accepted = accepted < score * (1 - 1e-9) ? accepted : score;
    f.observed = score - f.accepted;
    f.over = over_of_score(c, &f, row, noise);
    return f;
}

/* Judges row i of the ranking; score is that of the row, or its counted part. */
static struct finding hold_score(const struct check_run *c, const struct rule *rule,
                                 size_t i, double score)
{
    const struct hd_suspect *row = ranked_row(c->e->diff, i);
    struct accepted a = accepted_score(c, row->type);
    struct finding f = finding_of(c, rule);
    f.known = true;
    f.title = row->title;
    f.ranked = i;
    f.base = row->score_share > 0 ? row->score / row->score_share : c->heap;
    f.allowed = limit_amount(&f.limit, f.base);
    struct finding with_least = less_score(c, f, score, a.least),
                   with_most = less_score(c, f, score, a.most);
    weigh(&f, &with_least, &with_most);
    judge_decide(c, &f);
    if (f.status == HD_FOUND_FAIL && is_steady(row) && !reaches(f.observed, f.allowed)) {
        /* A failure below the limit that everything has needs another limit to show. */
        f.is_by_steadiness = true;
        f.limit = c->e->opt->min_steady_bytes > 0
                      ? (struct hd_limit){.amount = c->e->opt->min_steady_bytes}
                      : (struct hd_limit){.relative = true, .percent = 100 * c->min_steady};
        f.allowed = limit_amount(&f.limit, f.base);
        f.reason = because(HD_REASON_STEADY);
    }
    return f;
}

/* Judges one row: f is its finding. True if *second is a finding, too. */
static bool judge_ranked(const struct check_run *c, const struct rule *rule, size_t i,
                         struct finding *f, struct finding *second)
{
    const struct hd_suspect *row = ranked_row(c->e->diff, i);
    *f = hold_score(c, rule, i, row->score);
    if (f->over == OVER_NOT)
        return false;
    struct counted_score counted = counted_score(&c->suppression_matches, row);
    bool open = false;
    if (counted.is_unknown) {
        leave_open(f, because(HD_REASON_HOLDER_UNKNOWN));
    } else {
        *second = hold_score(c, rule, i, counted.score);
        open = suppress(f, second, counted.by);
    }
    note_expired(c, f, row->type, row->title, row);
    return open;
}

/* True if a type that was not found growing may still be a suspect: the sampling error
 * could hide growth above the limit. */
static bool may_be_hidden(const struct check_run *c, const struct rule *rule)
{
    const struct evidence *e = c->e;
    enum hd_measure measure =
        e->diff->types.bytes_known ? HD_MEASURE_BYTES : HD_MEASURE_COUNT;
    struct hd_limit limit = finding_of(c, rule).limit;
    double allowed = limit_amount(&limit, c->heap);
    for (size_t i = 0; i < c->s->row_count; i++) {
        const struct series_row *row = &c->s->rows[i];
        if (row->noise_share == NULL || row->growth != GROWS_NOT ||
            !evidence_shows(e, row->name))
            continue;
        struct values all = values_of_row(c->s, row, measure);
        struct growth g = growth_of(e, &all, HD_PER_TOTAL);
        double accepted = accepted_score(c, row->name).least;
        if (all.unknown || g.high <= g.value || !reaches(g.high - accepted, allowed))
            continue;
        struct counted counted = counted_of_type(&c->suppression_matches, row, measure);
        g = growth_of(e, &counted.values, HD_PER_TOTAL);
        if (counted.is_unknown || reaches(g.high - accepted, allowed))
            return true;
    }
    return false;
}

/* True if the growth is neither suppressed nor accepted. */
static bool is_counted(const struct check_run *c, const struct hd_native_memory *n)
{
    struct hd_accepted all = baseline_find(&c->b->baseline, HD_ACCEPTED_TYPE, n->type);
    double accepted = scale_accepted(&c->b->baseline, c->e, all.count, HD_PER_TOTAL).least;
    const struct suppression *by =
        suppression_of_type(&c->suppression_matches, n->type, NULL);
    if (by != NULL)
        suppression_use(&c->suppression_matches, by);
    return n->is_undecided && by == NULL && (double)(n->last - n->first) > accepted;
}

/* Returns why "no suspects" cannot be concluded; or no reason. */
static struct hd_reason doubt_about_none(const struct check_run *c, const struct rule *rule)
{
    const struct hd_diff *d = c->e->diff;
    struct hd_reason doubt = doubt_about(c, HD_PER_TOTAL);
    if (doubt.code != HD_REASON_NONE)
        return doubt;
    if (hd_diff_is_reserved(d))
        return (struct hd_reason){.code = HD_REASON_RESERVED, .suspect = d->undecided};
    if (d->growth.is_open)
        return (struct hd_reason){.code = HD_REASON_UNEXPLAINED,
                                  .share = d->growth.open_share,
                                  .count = d->growth.since};
    for (size_t i = 0; i < d->native_memory_count; i++)
        if (is_counted(c, &d->native_memory[i]))
            return (struct hd_reason){.code = HD_REASON_NATIVE_MEMORY,
                                      .native_memory = &d->native_memory[i]};
    struct hd_reason outside = reason_outside(c);
    if (outside.code == HD_REASON_OUTSIDE || outside.code == HD_REASON_FRAGMENTED)
        return outside;
    return because(may_be_hidden(c, rule) ? HD_REASON_SAMPLE_MAY_HIDE : HD_REASON_NONE);
}

/* Less than half a byte is printed as 0. */
#define MIN_SCORE 0.5

/* Returns the remark of a pass; if several apply, the one that --strict rejects. */
static struct hd_reason reason_of_none(const struct check_run *c, const struct rule *rule)
{
    const struct hd_diff *d = c->e->diff;
    const struct hd_growth *g = &d->growth;
    if (d->hidden_count > 0 || c->e->hides_all)
        return (struct hd_reason){.code = HD_REASON_HIDDEN, .count = d->hidden_count};
    if (rule->limit_is_min_score && g->has_leveled_off)
        return (struct hd_reason){.code = HD_REASON_LEVELED_OFF,
                                  .share = g->leveled_off_share};
    if (!g->pools_are_reported)
        return reason_outside(c);
    return (struct hd_reason){.code = g->pools_by_name ? HD_REASON_POOLS_BY_NAME
                                                       : HD_REASON_POOLS,
                              .share = g->pools_share,
                              .bytes = g->pools};
}

/* No row fails. Suppressed rows already have their findings, from begin on. */
static void add_none(struct check_run *c, const struct rule *rule, size_t begin)
{
    const struct hd_diff *d = c->e->diff;
    struct hd_reason doubt = doubt_about_none(c, rule), reason = reason_of_none(c, rule);
    bool lenient = reason.code != HD_REASON_NONE && reason.code != HD_REASON_POOLS &&
                   reason.code != HD_REASON_OUTSIDE_ALLOWED;
    bool suppressed = c->out->len > begin;
    double best = ranked_count(d) > 0 ? ranked_row(d, 0)->score : 0;
    struct finding none = best >= MIN_SCORE && !suppressed ? hold_score(c, rule, 0, best)
                                                           : finding_of(c, rule);
    if (suppressed && doubt.code == HD_REASON_NONE && !lenient)
        return;
    none.status = HD_FOUND_PASS;
    none.reason = reason;
    none.is_lenient = lenient && doubt.code == HD_REASON_NONE;
    if (doubt.code != HD_REASON_NONE)
        leave_open(&none, doubt);
    add_finding(c, none);
}

static void judge_suspects(struct check_run *c, const struct rule *rule)
{
    const struct hd_diff *d = c->e->diff;
    size_t begin = c->out->len;
    struct finding open = {.rule = NULL}, f, second;
    bool failed = false;
    if (rule->is_default && c->s->usable_count < rank_by.enough_snapshots) {
        add_open(c, rule, because(HD_REASON_NOT_ENOUGH));
        return;
    }
    if (!d->types.bytes_known && !finding_of(c, rule).limit.relative) {
        add_open(c, rule, because(HD_REASON_BYTES_UNKNOWN));
        return;
    }
    for (size_t i = 0; i < ranked_count(d); i++) {
        if (judge_ranked(c, rule, i, &f, &second) && open.rule == NULL)
            open = second;
        if (f.status == HD_FOUND_FAIL || f.status == HD_FOUND_SUPPRESSED)
            add_finding(c, f);
        else if (f.over != OVER_NOT && open.rule == NULL)
            open = f;
        failed |= f.status == HD_FOUND_FAIL;
    }
    if (open.rule != NULL)
        add_finding(c, open);
    else if (!failed)
        add_none(c, rule, begin);
}

/* --- all rules ----------------------------------------------------------- */

static void judge_rule(struct check_run *c, const struct rule *rule, const int64_t *entries)
{
    bool too_few = c->s->usable_count < 2;
    if (too_few || c->e->no_evidence.code != HD_REASON_NONE) {
        add_open(c, rule, too_few ? because(HD_REASON_TOO_FEW) : c->e->no_evidence);
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
    case HD_RULE_PROCESS:
        judge_process(c, rule);
        break;
    case HD_RULE_SUSPECTS:
        judge_suspects(c, rule);
        break;
    }
}

bool judge_rules(struct findings *out, const struct hd_budgets *b, const struct evidence *e,
                 struct arena *a, struct hd_error *err)
{
    const struct hd_options *opt = e->opt;
    struct check_run c = {.b = b, .e = e, .s = e->types, .a = a, .out = out};
    *out = (struct findings){.rule_matched = arena_array(a, bool, b->rule_count),
                             .meant = arena_array(a, const char *, b->rule_count),
                             .suppression_used = arena_array(a, bool, b->suppression_count),
                             .expired = arena_array(a, bool, b->suppression_count)};
    for (size_t i = 0; i < b->rule_count; i++) {
        if (b->rules[i].per == HD_PER_ITERATION && opt->iterations == NULL)
            return fail_at_line_about(err, HD_ABOUT_ITERATIONS, b->rules[i].line,
                                      "no-iterations",
                                      "per: iteration needs one number per snapshot");
        out->rule_matched[i] = true;
    }
    for (size_t i = 0; i < b->suppression_count; i++)
        out->expired[i] = suppression_has_expired(b, &b->suppressions[i]);
    c.heap = evidence_heap(e);
    c.min_steady = opt->min_steady_share;
    if (opt->min_steady_bytes > 0)
        c.min_steady = c.heap > 0 ? (double)opt->min_steady_bytes / c.heap : 0;
    c.suppression_matches = suppression_matches_of(b, e, out->suppression_used, a);
    unmatched_find(out->meant, b, e, a);
    int64_t *entries = arena_array(a, int64_t, c.s->row_count);
    for (size_t i = 0; i < c.s->row_count; i++)
        entries[i] = entry_of(&c, c.s->rows[i].name);
    for (size_t i = 0; i < b->rule_count; i++)
        judge_rule(&c, &b->rules[i], entries);
    struct finding *kept = arena_array(a, struct finding, out->len);
    if (out->len > 0)
        memcpy(kept, out->all, out->len * sizeof(*kept));
    free(out->all);
    out->all = kept;
    return true;
}
