#include "report/phrases.h"

#include "base/ascii.h"
#include "base/c_locale.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- headlines ------------------------------------------------------------ */

/* A name is a word of a sentence here: longer ones are cut. */
enum { NAME_COLUMNS = 48 };

void headline_free(struct headline *h)
{
    text_free(&h->words);
}

void headline_add(struct headline *h, const char *words)
{
    text_add_string(&h->words, words);
}

void headline_end_name(struct headline *h, size_t from)
{
    assert(h->name_count < HEADLINE_NAMES);
    h->names[h->name_count++] = (struct headline_name){from, h->words.len};
}

void headline_add_parts(struct headline *h, struct text *name)
{
    size_t from = h->words.len;
    format_shorten(&h->words, text_string(name), name->len, NAME_COLUMNS, false);
    headline_end_name(h, from);
    text_free(name);
}

void headline_add_type(struct headline *h, const char *name)
{
    struct text plain = {0};
    format_short_name(&plain, name);
    headline_add_parts(h, &plain);
}

void headline_add_name(struct headline *h, const char *name)
{
    struct text whole = {0};
    format_name(&whole, name);
    headline_add_parts(h, &whole);
}

void headline_add_long_type(struct headline *h, const char *name)
{
    enum { ROOM = 40 };
    struct text whole = {0};
    format_name(&whole, name);
    if (printed_columns(text_string(&whole), whole.len, false) <= ROOM)
        headline_add_name(h, name);
    else
        headline_add_type(h, name);
    text_free(&whole);
}

void headline_add_count(struct headline *h, uint64_t n)
{
    format_count(&h->words, n);
}

void headline_add_objects(struct headline *h, const char *type, bool brief, uint64_t n)
{
    bool plain = strcmp(type, "System.Object") == 0;
    if (!plain && brief)
        headline_add_type(h, type);
    else if (!plain)
        headline_add_long_type(h, type);
    headline_add(h, plain ? "" : " ");
    headline_add(h, n == 1 ? "object" : "objects");
}

void headline_add_snapshots(struct headline *h, const struct hd_report *r)
{
    headline_add(h, r->diff.usable_count == 2 ? " between " : " in ");
    format_plural(&h->words, r->diff.usable_count, "snapshot");
}

void headline_capitalize(struct headline *h, size_t from)
{
    if (from < h->words.len)
        h->words.data[from] = (char)toupper((unsigned char)h->words.data[from]);
}

void headline_add_sentence(struct headline *h, struct text *words)
{
    struct text safe = {0};
    size_t from = h->words.len;
    format_name(&safe, text_string(words));
    text_add_string(&h->words, text_string(&safe));
    headline_capitalize(h, from);
    bool ends = safe.len > 0 && strchr(".?!", safe.data[safe.len - 1]) != NULL;
    headline_end_name(h, from);
    headline_add(h, ends ? "" : ".");
    text_free(&safe);
}

/* --- what is counted ------------------------------------------------------ */

const char phrase_no_garbage[] = "garbage, which a memory dump holds, is not counted";

const char *phrase_what_counts(const struct hd_model *m)
{
    bool garbage = false;
    for (size_t k = 0; k < m->snapshot_count; k++)
        garbage |= m->snapshots[k].info.holds_garbage;
    return garbage && m->counts_reachable ? phrase_no_garbage : NULL;
}

/* --- amounts ------------------------------------------------------------- */

/* A limit and what is held against it stand side by side: where they differ, their digits
 * do. These are the most that are added for that. */
enum { MOST_DECIMALS = 12 };

/* With so many decimals, or as many as tell it from the other number. */
static void add_apart(struct text *t, const char *format, int decimals, double n,
                      double other)
{
    char s[64], o[64];
    do {
        c_snprintf(s, sizeof(s), format, decimals, n);
        c_snprintf(o, sizeof(o), format, decimals, other);
    } while (n != other && strcmp(s, o) == 0 && decimals++ < MOST_DECIMALS);
    text_add_string(t, s);
}

/* Sizes are rounded to three digits. */
static void add_size_apart(struct text *t, uint64_t bytes, uint64_t other)
{
    struct text s = {0}, o = {0};
    unsigned more = 0;
    do {
        text_clear(&s);
        text_clear(&o);
        format_size_to(&s, bytes, more);
        format_size_to(&o, other, more);
    } while (bytes != other && strcmp(text_string(&s), text_string(&o)) == 0 &&
             more++ < MOST_DECIMALS);
    text_add(t, s.data, s.len);
    text_free(&s);
    text_free(&o);
}

/* A mean per iteration may lie between two whole numbers. */
static void add_number(struct text *t, double n, double other)
{
    if (n == floor(n) && n < 9e15)
        format_count(t, (uint64_t)n);
    else
        add_apart(t, "%.*f", 2, n, other);
}

/* "120 instances", "1.84 MiB". */
static void add_amount(struct text *t, const struct hd_finding *rule, double n,
                       double other)
{
    if (rule->measure != HD_MEASURE_COUNT) {
        add_size_apart(t, tally_rounded(n), tally_rounded(other));
        return;
    }
    add_number(t, n, other);
    text_add_string(t, rule->kind == HD_RULE_TOTAL ? " object" : " instance");
    text_add_string(t, n == 1 ? "" : "s");
}

/* other: what stands beside it; not a number where nothing does. */
static void add_signed_amount(struct text *t, const struct hd_finding *rule, double n,
                              double other)
{
    bool apart = isnan(other) || (other != 0 && (n < 0) != (other < 0));
    text_add_char(t, n < 0 ? '-' : '+');
    add_amount(t, rule, fabs(n), apart ? fabs(n) : fabs(other));
}

/* What the limit is to be told from, and what from the limit. */
static double absolute_limit(const struct hd_finding *rule)
{
    return rule->limit.relative ? NAN : (double)rule->limit.amount;
}

static void add_per(struct text *t, enum hd_per per)
{
    static const char *const words[] = {[HD_PER_TOTAL] = "",
                                        [HD_PER_STEP] = " per step",
                                        [HD_PER_ITERATION] = " per iteration"};
    text_add_string(t, words[per]);
}

static void add_percent(struct text *t, const char *format, double percent)
{
    char s[48];
    c_snprintf(s, sizeof(s), format, percent);
    text_add_string(t, s);
}

/* --- rules of a check ---------------------------------------------------- */

void phrase_rule(struct text *t, const struct hd_finding *rule)
{
    struct arena scratch = {0};
    text_add_string(t, rule_name(rule->kind, rule->total, rule->pattern, &scratch));
    arena_free(&scratch);
}

void phrase_source(struct text *t, const struct hd_finding *rule)
{
    char line[32];
    if (rule->path == NULL) {
        text_add_string(t, rule->is_default ? "default" : "option");
        return;
    }
    snprintf(line, sizeof(line), ":%" PRIu64, rule->line);
    text_add_string(t, rule->path);
    text_add_string(t, line);
}

static void add_score_limit(struct text *t, const struct hd_finding *rule)
{
    text_add_string(t, "score below ");
    if (rule->limit.relative)
        add_percent(t, "%g %%", rule->limit.percent);
    else
        add_size_apart(t, rule->limit.amount,
                       isnan(rule->observed_value) ? rule->limit.amount
                                                   : tally_rounded(rule->observed_value));
    text_add_string(t, rule->is_by_steadiness ? " if steady" : "");
}

void phrase_limit(struct text *t, const struct hd_finding *rule)
{
    if (rule->measure == HD_MEASURE_SCORE) {
        add_score_limit(t, rule);
        return;
    }
    if (rule->limit.relative)
        add_percent(t, "+%g %%", rule->limit.percent);
    else
        add_signed_amount(t, rule, (double)rule->limit.amount, rule->observed_value);
    add_per(t, rule->per);
}

static void add_growth(struct text *t, const struct hd_finding *rule)
{
    bool share = rule->limit.relative && rule->base > 0;
    if (share) {
        double percent = 100 * rule->observed_value / rule->base;
        add_apart(t, "%+.*f %%", fabs(percent) < 99.5 ? 1 : 0, percent,
                  rule->limit.percent);
        text_add_string(t, " (");
    }
    add_signed_amount(t, rule, rule->observed_value, absolute_limit(rule));
    text_add_string(t, share ? ")" : "");
    add_per(t, rule->per);
}

static void add_score(struct text *t, const struct hd_finding *rule)
{
    double share = rule->base > 0 ? rule->observed_value / rule->base : 0;
    uint64_t bytes = tally_rounded(rule->observed_value);
    text_add_string(t, "score ");
    if (rule->limit.relative && share >= 0.0005)
        add_apart(t, "%.*f %%", share < 0.0995 ? 1 : 0, 100 * share, rule->limit.percent);
    else
        format_percent(t, share);
    text_add_string(t, " (");
    if (rule->is_in_bytes)
        add_size_apart(t, bytes, rule->limit.relative ? bytes : rule->limit.amount);
    else
        format_plural(t, tally_rounded(rule->observed_value), "object");
    text_add_char(t, ')');
}

bool phrase_observed(struct text *t, const struct hd_finding *rule)
{
    bool is_score = rule->measure == HD_MEASURE_SCORE;
    bool nothing = is_score && rule->status == HD_FOUND_PASS; /* to score */
    if (isnan(rule->observed_value) && !nothing)
        return false;
    if (isnan(rule->observed_value))
        text_add_string(t, rule->reason.code == HD_REASON_NONE ? "nothing grows"
                                                               : "no suspect");
    else if (is_score)
        add_score(t, rule);
    else
        add_growth(t, rule);
    return true;
}

const char *phrase_unit(const struct hd_finding *rule)
{
    return rule->is_in_bytes ? "bytes" : "objects";
}

/* Those that need no parameter. */
static const char *const reasons[HD_REASON_COUNT] = {
    [HD_REASON_TOO_FEW] = "fewer than two of the snapshots can be compared",
    [HD_REASON_NOT_ENOUGH] =
        ("fewer than four comparable snapshots cannot tell a leak from "
         "warm-up: take four or more, under the same load"),
    [HD_REASON_ONLY_GARBAGE] = "a table lists garbage only; its growth is no leak",
    [HD_REASON_PART_OF_HEAP] =
        ("a table was filtered, so growth of other types does not show: take all of it, "
         "and filter with --type"),
    [HD_REASON_END_LEFT_OUT] = "the first or the last snapshot was left out",
    [HD_REASON_END_INCOMPLETE] =
        "the first or the last snapshot is incomplete: take it again",
    [HD_REASON_STEP_LEFT_OUT] =
        "a snapshot was left out, so a step is missing: take it again",
    [HD_REASON_OUT_OF_ORDER] =
        ("the snapshots are not, or not surely, in order of time: give them as they were "
         "taken"),
    [HD_REASON_GIVEN_TWICE] = "a snapshot was given twice: give each once",
    [HD_REASON_RESTARTED] = ("the snapshots are not of one process: take them without a "
                             "restart in between"),
    [HD_REASON_DIFFERENT_PROGRAMS] =
        "the snapshots seem to be of different programs: compare those of one",
    [HD_REASON_NUMBER_UNKNOWN] = "not every snapshot has this number",
    [HD_REASON_BYTES_UNKNOWN] = "bytes are unknown, so a score has no size",
    [HD_REASON_NO_HOLDERS] =
        "holders need snapshots with references and roots, and a table has none",
    [HD_REASON_HOLDERS_UNTOLD] =
        "a holder is suppressed, but not all snapshots have references",
    [HD_REASON_HOLDER_UNTOLD] = "a holder is suppressed, but the holder of this is unknown",
    [HD_REASON_SAMPLE_IS_OFF] =
        "the sampling error exceeds the distance to the limit: take full snapshots",
    [HD_REASON_SAMPLE_MAY_HIDE] =
        "the sampling error hides growth of this size: take full snapshots",
    [HD_REASON_SCALE_UNKNOWN] =
        ("the run of the baseline has another length, so its growth cannot be scaled: give "
         "--iterations for both"),
    [HD_REASON_STEADY] = "it grew in every step; --min-steady sets when that counts",
};

static void add_no_match(struct text *t, const struct hd_finding *rule)
{
    text_add_string(t, "matches no ");
    text_add_string(t, rule->kind == HD_RULE_HOLDER ? "holder" : "type");
    if (rule->reason.meant == NULL)
        return;
    text_add_string(t, "; did you mean ");
    text_add_string(t, rule->reason.meant);
    text_add_char(t, '?');
}

bool phrase_reason(struct text *t, const struct hd_finding *rule)
{
    const struct hd_reason *why = &rule->reason;
    switch (why->code) {
    case HD_REASON_NONE:
        return false;
    case HD_REASON_UNEXPLAINED:
        phrase_open_growth(t, why->share, why->count);
        break;
    case HD_REASON_STOPPED:
        phrase_has_stopped(t, why->share);
        break;
    case HD_REASON_HIDDEN:
        phrase_hidden(t, why->count);
        break;
    case HD_REASON_NATIVE:
        phrase_native(t, why->native, NULL);
        break;
    case HD_REASON_POOLS:
    case HD_REASON_POOLS_BY_NAME:
        phrase_pools(
            t, &(struct hd_growth){.pools = why->bytes,
                                   .pools_share = why->share,
                                   .pools_by_name = why->code == HD_REASON_POOLS_BY_NAME});
        break;
    case HD_REASON_NO_MATCH:
        add_no_match(t, rule);
        break;
    case HD_REASON_EXPIRED:
        text_add_string(t, "was suppressed until ");
        text_add_string(t, why->until);
        text_add_string(t, ": ");
        text_add_string(t, why->words);
        break;
    case HD_REASON_SUPPRESSED:
        text_add_string(t, why->words);
        break;
    case HD_REASON_ACCEPTED:
        text_add_string(t, "besides ");
        add_amount(t, rule, rule->accepted, rule->accepted);
        text_add_string(t, " that the baseline accepts");
        break;
    default:
        text_add_string(t, reasons[why->code]);
        break;
    }
    return true;
}

/* --- growth -------------------------------------------------------------- */

void phrase_open_growth(struct text *t, double share, size_t since)
{
    text_add_string(t, "unexplained growth: ");
    format_percent(t, share);
    text_add_string(t, " of the heap");
    if (since > 0) {
        text_add_string(t, " since snapshot ");
        format_count(t, since + 1);
    }
    text_add_string(t, since > 0 ? "; compare the snapshots from there on, or take more"
                                 : "; take more snapshots, further apart");
}

void phrase_has_stopped(struct text *t, double share)
{
    text_add_string(t, "the heap grew by ");
    format_percent(t, share);
    text_add_string(t, ", then leveled off; was the load still running?");
}

void phrase_hidden(struct text *t, size_t suspects)
{
    if (suspects == 0)
        text_add_string(t, "no type is shown");
    else
        format_plural(t, suspects, "suspect");
    text_add_string(t, suspects == 0   ? ": --type, --exclude and --app-only hide all"
                       : suspects == 1 ? " is hidden by --type, --exclude or --app-only"
                                       : " are hidden by --type, --exclude or --app-only");
}

void phrase_pools(struct text *t, const struct hd_growth *g)
{
    text_add_string(t, g->pools_by_name
                           ? "buffer pools (known by name only) and threads grew by "
                           : "buffer pools and threads grew by ");
    format_size(t, (uint64_t)g->pools);
    text_add_string(t, ", ");
    format_percent(t, g->pools_share);
    text_add_string(t, " of the heap");
}

static void add_counts(struct text *t, uint64_t first, uint64_t last)
{
    format_count(t, first);
    text_add_string(t, " → ");
    format_count(t, last);
}

void phrase_native(struct text *t, const struct hd_native *n, const char *told)
{
    bool known = told != NULL && strcmp(told, n->type) == 0;
    text_add_string(t, known ? "what " : "");
    text_add_string(t, n->what);
    if (!known) {
        text_add_string(t, " rose in every step, ");
        add_counts(t, n->first, n->last);
        text_add_string(t, "; what they");
    }
    text_add_string(t, " hold outside the heap is not counted");
}

const struct hd_native *phrase_native_of(const struct hd_diff *d)
{
    for (size_t i = 0; i < d->native_count; i++)
        if (d->native[i].is_undecided)
            return &d->native[i];
    return NULL;
}

void phrase_no_match(struct text *t, enum hd_unit by, const struct hd_no_match *none)
{
    text_add_string(t, "no ");
    text_add_string(t, unit_names[by]);
    text_add_string(t, " matches ");
    text_add_string(t, none->pattern);
    if (none->nearest == NULL) {
        text_add_string(t, "; `heapdrift top` lists all");
        return;
    }
    text_add_string(t, "; did you mean ");
    text_add_string(t, none->nearest);
    text_add_char(t, '?');
}

const char *phrase_total(const struct hd_type_table *t)
{
    return t->is_whole ? "[total]" : "[total shown]";
}

/* --- warnings ------------------------------------------------------------ */

void phrase_unexplained(struct text *t, const struct hd_growth *g, bool suspects)
{
    if (!suspects) {
        phrase_open_growth(t, g->open_share, g->since);
        return;
    }
    text_add_string(t, "part of the growth is unexplained: ");
    format_size_signed(t, g->rest);
    text_add_string(t, ", ");
    format_percent(t, g->rest_share);
    text_add_string(t, " of the heap");
    if (isnan(g->explained))
        return;
    text_add_string(t, "; the suspects explain ");
    format_percent(t, g->explained);
    text_add_string(t, " of all growth");
}

void phrase_stopped(struct text *t, const struct stopped_growth *s)
{
    format_name(t, s->name);
    text_add_string(t, " grew from ");
    format_count(t, s->first);
    text_add_string(t, " to ");
    format_count(t, s->last);
    text_add_string(t, " (");
    format_size_signed(t, (int64_t)(s->bytes + 0.5));
    text_add_string(t, ", ");
    format_percent(t, s->share);
    text_add_string(t,
                    " of the heap), then leveled off: a full cache, finished start-up, or "
                    "a leak whose load stopped. Was the load still running? Measure "
                    "again under load");
}

void phrase_native_memory(struct text *t, const struct hd_native *n)
{
    text_add_string(t, n->type);
    text_add_string(t, " grows in every step, ");
    add_counts(t, n->first, n->last);
    text_add_string(t, ": ");
    text_add_string(t, n->what);
    text_add_string(t, " hold memory outside the heap, which is not counted here");
    if (n->hint == NULL)
        return;
    text_add_string(t, "; ");
    phrase_hint_command(t, n->hint);
}

void phrase_hint_command(struct text *t, const char *id)
{
    text_add_string(t, "heapdrift help hint ");
    text_add_string(t, id);
}

void phrase_meant(struct text *t, const char *name, const char *meant)
{
    text_add_string(t, name);
    if (meant == NULL)
        return;
    text_add_string(t, " (did you mean ");
    text_add_string(t, meant);
    text_add_string(t, "?)");
}

void phrase_no_unit(struct text *t, const char *name, uint64_t bytes)
{
    text_add_string(t, name);
    text_add_string(t, ": ");
    format_count(t, bytes);
    text_add_string(t, " is taken for ");
    format_count(t, bytes);
    text_add_string(t, bytes == 1 ? " byte" : " bytes");
}

void phrase_expired(struct text *t, const char *what, const char *until,
                    const char *because_of)
{
    text_add_string(t, what);
    text_add_string(t, " (until ");
    text_add_string(t, until);
    text_add_string(t, ", ");
    text_add_string(t, because_of);
    text_add_char(t, ')');
}

/* --- what a leak has to be --------------------------------------------------------- */

/* What a leak has to be so that the snapshots show it, in a sentence: who reads that
 * nothing keeps growing learns what that is worth. */

static void add_threshold(struct text *t, const struct hd_report *r, uint64_t amount)
{
    if (r->diff.types.bytes_known) {
        format_size(t, amount);
        return;
    }
    format_count(t, amount);
    text_add_string(t, " objects");
}

/* "in these 5 steps would have shown" */
static void add_steps(struct text *t, size_t steps)
{
    if (steps == 1) {
        text_add_string(t, " in this step would have shown");
        return;
    }
    text_add_string(t, " in these ");
    format_count(t, steps);
    text_add_string(t, " steps would have shown");
}

/* "25 objects and 75.0 KiB"; so many objects alone where none is so small that they have
 * less. */
static void add_objects(struct text *t, uint64_t objects, uint64_t bytes)
{
    enum { SMALLEST_OBJECT = 24 };
    format_count(t, objects);
    text_add_string(t, " objects");
    if (bytes / SMALLEST_OBJECT < objects)
        return;
    text_add_string(t, " and ");
    format_size(t, bytes);
}

static void add_by_age(struct text *t, const struct hd_report *r)
{
    const struct hd_power *p = &r->diff.would_show;
    text_add_string(t, "A leak of ");
    add_objects(t, p->objects, p->bytes);
    text_add_string(t, " or more");
    add_steps(t, p->steps);
    text_add_string(t, "; of fewer objects, one of ");
    add_threshold(t, r, p->large);
}

static void add_by_counts(struct text *t, const struct hd_report *r)
{
    const struct hd_power *p = &r->diff.would_show;
    text_add_string(t, "By counts alone, a leak of ");
    add_threshold(t, r, p->large);
    text_add_string(t, " or more");
    add_steps(t, p->steps);
    if (p->even == HD_UNKNOWN)
        return;
    text_add_string(t, "; with even steps, one of ");
    add_objects(t, p->even, p->bytes);
}

bool phrase_power_of_verdict(struct text *t, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    bool clears =
        r->kind == HD_REPORT_CHECK ? r->check.verdict == HD_PASS : d->suspect_count == 0;
    if (!clears || d->would_show.steps == 0 || d->no_match != NULL)
        return false;
    if (d->would_show.objects != HD_UNKNOWN)
        add_by_age(t, r);
    else
        add_by_counts(t, r);
    return true;
}
