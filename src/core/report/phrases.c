#include "report/phrases.h"

#include "base/text.h"
#include "budget/budgets.h"
#include "series/ranking_constants.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* --- parts of sentences ---------------------------------------------------- */

/* A name is a word of a sentence here: longer ones are cut. */
enum { NAME_COLUMNS = 48 };

void sentence_add_name(struct sentence *s, struct text *name)
{
    size_t from = s->words.len;
    format_shorten(&s->words, text_string(name), name->len, NAME_COLUMNS, false);
    sentence_end_name(s, from);
    text_free(name);
}

static void add_type(struct sentence *to, const struct say_part *p)
{
    struct text plain = {0};
    format_short_name(&plain, p->words);
    sentence_add_name(to, &plain);
}

struct say_part as_type(const char *name)
{
    return (struct say_part){.add = add_type, .words = name};
}

static void add_whole_name(struct sentence *to, const struct say_part *p)
{
    struct text whole = {0};
    format_name(&whole, p->words);
    sentence_add_name(to, &whole);
}

struct say_part as_whole_name(const char *name)
{
    return (struct say_part){.add = add_whole_name, .words = name};
}

struct say_part as_long_type(const char *name)
{
    enum { CAPACITY = 40 };
    struct text whole = {0};
    format_name(&whole, name);
    bool fits = printed_columns(text_string(&whole), whole.len, false) <= CAPACITY;
    text_free(&whole);
    return fits ? as_whole_name(name) : as_type(name);
}

static void add_objects(struct sentence *to, const struct say_part *p)
{
    if (strcmp(p->words, "System.Object") != 0)
        say(to, p->last ? as_type(p->words) : as_long_type(p->words), " ");
    say(to, as_noun(p->n, "object"));
}

struct say_part as_objects(const char *type, bool brief, uint64_t n)
{
    return (struct say_part){.add = add_objects, .words = type, .n = n, .last = brief};
}

void sentence_capitalize(struct sentence *s, size_t from)
{
    if (from < s->words.len)
        s->words.data[from] = (char)toupper((unsigned char)s->words.data[from]);
}

void sentence_add_words(struct sentence *s, struct text *words)
{
    size_t from = s->words.len;
    format_name(&s->words, text_string(words));
    sentence_capitalize(s, from);
    bool ends =
        s->words.len > from && strchr(".?!", s->words.data[s->words.len - 1]) != NULL;
    sentence_end_name(s, from);
    say(s, ends ? "" : ".");
}

/* --- counted objects ------------------------------------------------------ */

const char phrase_no_garbage[] = "garbage, which a memory dump holds, is not counted";

const char *phrase_what_counts(const struct hd_model *m)
{
    bool garbage = false;
    for (size_t k = 0; k < m->snapshot_count; k++)
        garbage |= m->snapshots[k].info.holds_garbage;
    return garbage && m->counts_reachable ? phrase_no_garbage : NULL;
}

/* --- amounts ------------------------------------------------------------- */

/* Limit and observed value are printed side by side with enough decimals to differ, at most
 * this many. */
enum { MAX_DECIMALS = 12 };

/* Appends n with `decimals` decimals, or more until it differs from the other number. */
static void add_apart(struct text *t, const char *format, int decimals, double n,
                      double other)
{
    char s[64], o[64];
    do {
        c_snprintf(s, sizeof(s), format, decimals, n);
        c_snprintf(o, sizeof(o), format, decimals, other);
    } while (n != other && strcmp(s, o) == 0 && decimals++ < MAX_DECIMALS);
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
             more++ < MAX_DECIMALS);
    text_add(t, s.data, s.len);
    text_free(&s);
    text_free(&o);
}

/* The unit of a rule. */
static const char *noun_of(const struct hd_finding *rule)
{
    if (rule->kind == HD_RULE_PROCESS)
        return rule->process == HD_PROCESS_THREADS ? "thread" : "handle";
    return rule->kind == HD_RULE_TOTAL ? "object" : "instance";
}

/* "120 instances", "1.84 MiB". */
static void add_amount(struct text *t, const struct hd_finding *rule, double n,
                       double other)
{
    if (rule->measure != HD_MEASURE_COUNT) {
        add_size_apart(t, tally_rounded(n), tally_rounded(other));
        return;
    }
    /* a mean per iteration may be fractional */
    if (n == floor(n) && n < 9e15)
        say(t, (uint64_t)n);
    else
        add_apart(t, "%.*f", 2, n, other);
    say(t, " ", as_noun(n == 1 ? 1 : 2, noun_of(rule)));
}

/* other: the value next to it, or NAN. */
static void add_signed_amount(struct text *t, const struct hd_finding *rule, double n,
                              double other)
{
    bool apart = isnan(other) || (other != 0 && (n < 0) != (other < 0));
    say(t, n < 0 ? "-" : "+");
    add_amount(t, rule, fabs(n), apart ? fabs(n) : fabs(other));
}

static const char *const per_words[] = {[HD_PER_TOTAL] = "",
                                        [HD_PER_STEP] = " per step",
                                        [HD_PER_ITERATION] = " per iteration"};

/* --- rules of a check ---------------------------------------------------- */

void phrase_rule(struct text *t, const struct hd_finding *rule)
{
    struct arena scratch = {0};
    say(t, rule_name(rule->kind, rule->total, rule->pattern, &scratch));
    arena_free(&scratch);
}

void phrase_source(struct text *t, const struct hd_finding *rule)
{
    if (rule->path == NULL)
        say(t, rule->is_default ? "default" : "option");
    else
        say(t, rule->path, ":", as_digits(rule->line));
}

void phrase_limit(struct text *t, const struct hd_finding *rule)
{
    const struct hd_limit *limit = &rule->limit;
    bool is_score = rule->measure == HD_MEASURE_SCORE;
    say(t, is_score ? "score below " : limit->relative ? "+" : "");
    if (limit->relative)
        say(t, as_number(limit->percent), " %");
    else if (!is_score)
        add_signed_amount(t, rule, (double)limit->amount, rule->observed_value);
    else
        add_size_apart(t, limit->amount,
                       isnan(rule->observed_value) ? limit->amount
                                                   : tally_rounded(rule->observed_value));
    say(t, !is_score ? per_words[rule->per] : rule->is_by_steadiness ? " if steady" : "");
}

static void add_growth(struct text *t, const struct hd_finding *rule)
{
    bool share = rule->limit.relative && rule->base > 0;
    if (share) {
        double percent = 100 * rule->observed_value / rule->base;
        add_apart(t, "%+.*f %%", fabs(percent) < 99.5 ? 1 : 0, percent,
                  rule->limit.percent);
        say(t, " (");
    }
    add_signed_amount(t, rule, rule->observed_value,
                      rule->limit.relative ? NAN : (double)rule->limit.amount);
    say(t, share ? ")" : "", per_words[rule->per]);
}

static void add_score(struct text *t, const struct hd_finding *rule)
{
    double share = rule->base > 0 ? rule->observed_value / rule->base : 0;
    uint64_t bytes = tally_rounded(rule->observed_value);
    say(t, "score ");
    if (rule->limit.relative && share >= 0.0005)
        add_apart(t, "%.*f %%", share < 0.0995 ? 1 : 0, 100 * share, rule->limit.percent);
    else
        say(t, as_percent(share));
    say(t, " (");
    if (rule->is_in_bytes)
        add_size_apart(t, bytes, rule->limit.relative ? bytes : rule->limit.amount);
    else
        say(t, as_plural(bytes, "object"));
    say(t, ")");
}

bool phrase_observed(struct text *t, const struct hd_finding *rule)
{
    bool is_score = rule->measure == HD_MEASURE_SCORE;
    bool nothing = is_score && rule->status == HD_FOUND_PASS; /* to score */
    if (isnan(rule->observed_value) && !nothing)
        return false;
    if (isnan(rule->observed_value))
        say(t, rule->reason.code == HD_REASON_NONE ? "nothing grows" : "no suspect");
    else if (is_score)
        add_score(t, rule);
    else
        add_growth(t, rule);
    return true;
}

const char *phrase_unit(const struct hd_finding *rule)
{
    if (rule->kind == HD_RULE_PROCESS && !rule->is_in_bytes)
        return rule->process == HD_PROCESS_THREADS ? "threads" : "handles";
    return rule->is_in_bytes ? "bytes" : "objects";
}

/* Reasons without a parameter. */
static const char *const reasons[HD_REASON_COUNT] = {
    [HD_REASON_TOO_FEW] = "fewer than two of the snapshots can be compared",
    [HD_REASON_NOT_ENOUGH] =
        ("fewer than four comparable snapshots cannot tell a leak from "
         "warm-up: take four or more, under the same load"),
    [HD_REASON_ONLY_GARBAGE] = "a table lists garbage only; its growth is no leak",
    [HD_REASON_PART_OF_HEAP] = ("a table was filtered, so growth of other types does not "
                                "show: take a whole one, and filter with --type"),
    [HD_REASON_END_LEFT_OUT] = "the first or the last snapshot was left out",
    [HD_REASON_END_INCOMPLETE] =
        "the first or the last snapshot is incomplete: take it again",
    [HD_REASON_STEP_LEFT_OUT] =
        "a snapshot was left out, so a step is missing: take it again",
    [HD_REASON_OUT_OF_ORDER] =
        ("the snapshots are not, or not surely, in order of time: give them as they were "
         "taken"),
    [HD_REASON_GIVEN_TWICE] = "a snapshot was given twice: give each once",
    [HD_REASON_RESTARTED] = ("the snapshots are from several processes: take them without "
                             "a restart in between"),
    [HD_REASON_DIFFERENT_PROGRAMS] =
        "the snapshots seem to be of different programs: compare snapshots of one program",
    [HD_REASON_NUMBER_UNKNOWN] = "not every snapshot has this number",
    [HD_REASON_BYTES_UNKNOWN] = "bytes are unknown, so a score has no size",
    [HD_REASON_NO_HOLDERS] =
        "holders need snapshots with references and roots, and a table has none",
    [HD_REASON_HOLDERS_UNKNOWN] =
        "a holder is suppressed, but not all snapshots have references",
    [HD_REASON_HOLDER_UNKNOWN] =
        "a holder is suppressed, but the holder of this is unknown",
    [HD_REASON_SAMPLE_IS_OFF] =
        "the sampling error exceeds the distance to the limit: take full snapshots",
    [HD_REASON_SAMPLE_MAY_HIDE] =
        "the sampling error hides growth of this size: take full snapshots",
    [HD_REASON_SCALE_UNKNOWN] =
        ("the run of the baseline has another length, so its growth cannot be scaled: give "
         "--iterations for both"),
    [HD_REASON_STEADY] = "it grew in every step; --min-steady sets when that counts",
};

bool phrase_reason(struct text *t, const struct hd_finding *rule)
{
    const struct hd_reason *why = &rule->reason;
    switch (why->code) {
    case HD_REASON_NONE:
        return false;
    case HD_REASON_UNEXPLAINED:
        phrase_open_growth(t, why->share, why->count);
        break;
    case HD_REASON_RESERVED:
        say(t, as_type(why->suspect->title), ": ");
        phrase_reservation(t, why->suspect);
        break;
    case HD_REASON_LEVELED_OFF:
        phrase_has_leveled_off(t, why->share);
        break;
    case HD_REASON_HIDDEN:
        phrase_hidden(t, why->count);
        break;
    case HD_REASON_NATIVE_MEMORY:
        phrase_native_memory(t, why->native_memory);
        break;
    case HD_REASON_OUTSIDE:
        phrase_outside(t, why->process);
        break;
    case HD_REASON_OUTSIDE_ALLOWED:
        if (why->free != NULL)
            phrase_free(t, why->free);
        else
            phrase_outside(t, why->process);
        if (why->words != NULL)
            say(t, "; the budget ", why->words, " allows that");
        else
            say(t, "; the baseline accepts that");
        break;
    case HD_REASON_FRAGMENTED:
        phrase_free(t, why->free);
        break;
    case HD_REASON_POOLS:
    case HD_REASON_POOLS_BY_NAME:
        phrase_pools(
            t, &(struct hd_growth){.pools = why->bytes,
                                   .pools_share = why->share,
                                   .pools_by_name = why->code == HD_REASON_POOLS_BY_NAME});
        break;
    case HD_REASON_NO_MATCH:
        say(t, "matches no ", rule->kind == HD_RULE_HOLDER ? "holder" : "type");
        if (why->meant != NULL)
            say(t, "; did you mean ", why->meant, "?");
        break;
    case HD_REASON_EXPIRED:
        say(t, "was suppressed until ", why->until, ": ", why->words);
        break;
    case HD_REASON_SUPPRESSED:
        say(t, why->words);
        break;
    case HD_REASON_ACCEPTED:
        say(t, "besides ");
        add_amount(t, rule, rule->accepted, rule->accepted);
        say(t, " that the baseline accepts");
        break;
    default:
        say(t, reasons[why->code]);
        break;
    }
    return true;
}

/* --- growth -------------------------------------------------------------- */

void phrase_open_growth(struct text *t, double share, size_t since)
{
    say(t, "unexplained growth: ", as_percent(share), " of the heap");
    if (since > 0)
        say(t, " since snapshot ", since + 1,
            "; compare the snapshots from there on, or take more");
    else
        say(t, "; take more snapshots, further apart");
}

void phrase_has_leveled_off(struct text *t, double share)
{
    say(t, "the heap grew by ", as_percent(share),
        ", then leveled off; was the load still running?");
}

void phrase_hidden(struct text *t, size_t suspects)
{
    if (suspects == 0)
        say(t, "no type is shown: --type, --exclude and --app-only hide all");
    else
        say(t, as_plural(suspects, "suspect"), suspects == 1 ? " is" : " are",
            " hidden by --type, --exclude or --app-only");
}

void phrase_pools(struct text *t, const struct hd_growth *g)
{
    say(t, g->pools_by_name ? "buffer pools (known by name only)" : "buffer pools",
        " and threads grew by ", as_size((uint64_t)g->pools), ", ",
        as_percent(g->pools_share), " of the heap");
}

void phrase_native_memory(struct text *t, const struct hd_native_memory *n)
{
    say(t, n->what, " rose in every step, ", n->first, " → ", n->last,
        "; their memory outside the heap is not counted");
}

const char *phrase_part(enum hd_process_part part)
{
    static const char *const names[] = {
        [HD_PART_OBJECTS] = "objects",          [HD_PART_FREE] = "free between objects",
        [HD_PART_GC] = "kept by the collector", [HD_PART_CODE] = "compiled code",
        [HD_PART_STACKS] = "stacks of threads", [HD_PART_FILES] = "mapped files",
        [HD_PART_NATIVE] = "native memory"};
    return names[part];
}

void phrase_outside(struct text *t, const struct hd_process_growth *g)
{
    bool grew = g->size[g->last] > g->size[g->first];
    if (!grew)
        say(t, "the process did not grow, but memory");
    else
        say(t, "the process grew from ", as_size(g->size[g->first]), " to ",
            as_size(g->size[g->last]));
    if (g->is_undivided) {
        if (!isnan(g->explained))
            say(t, "; objects explain ", as_percent(g->explained), " of that");
        say(t, "; where the rest is, is unknown");
        return;
    }
    const uint64_t *part = g->parts[g->where];
    if (!grew)
        say(t, " outside of the managed heap did");
    else if (g->where == HD_PART_FREE || g->where == HD_PART_GC)
        say(t, ", and objects explain ", as_percent(g->explained), " of that");
    else
        say(t, ", outside of the managed heap");
    say(t, ": ", phrase_part(g->where), " ", as_size(part[g->first]), " → ",
        as_size(part[g->last]));
    if (g->where == HD_PART_STACKS && g->threads[g->first] != HD_UNKNOWN &&
        g->threads[g->last] != HD_UNKNOWN)
        say(t, ", ", g->threads[g->first], " → ", as_plural(g->threads[g->last], "thread"));
    if (g->holder != NULL)
        say(t, ", as ", g->holder_first, " → ", g->holder_last, " ", as_type(g->holder),
            " objects");
}

/* Appends the pinned or old objects that separate the free blocks. */
static void say_between(struct text *t, const struct hd_free_growth *g)
{
    if (g->next_to.type != NULL)
        say(t, "; ", as_size(g->next_to.bytes), " before old ", as_type(g->next_to.type),
            " objects");
    if (g->pinned.type != NULL)
        say(t, "; pinned by handles: ", g->pinned.count, " ", as_type(g->pinned.type));
    else if (g->pinned_objects != HD_UNKNOWN && g->pinned_objects > 0)
        say(t, "; pinned: ", as_plural(g->pinned_objects, "object"));
}

void phrase_free(struct text *t, const struct hd_free_growth *g)
{
    uint64_t largest = g->largest[g->last], blocks = g->blocks[g->last];
    say(t, "the heap is fragmented: free between objects ", as_size(g->bytes[g->first]),
        " → ", as_size(g->bytes[g->last]));
    if (g->within != HD_FACT_COUNT)
        say(t, ", including ", generation_names[HD_GEN0 + (g->within - HD_FACT_FREE_GEN0)],
            " ", as_size(g->within_last));
    if (blocks != HD_UNKNOWN)
        say(t, ", in ", as_plural(blocks, "block"));
    if (largest != HD_UNKNOWN)
        say(t, ", the largest of ", as_size(largest));
    say_between(t, g);
}

void phrase_free_trend(struct sentence *h, const struct hd_report *r)
{
    enum { BARS = 16 };
    const struct hd_free_growth *g = r->diff.free;
    struct hd_tally bars[SERIES_MAX_SNAPSHOTS];
    size_t n = 0;
    if (g == NULL || !g->is_finding)
        return;
    for (size_t k = 0; k < r->snapshot_count; k++)
        if (g->bytes[k] != HD_UNKNOWN)
            bars[n++].count = g->bytes[k];
    say(h, as_size(g->bytes[g->first]), " → ", as_size(g->bytes[g->last]), "  ");
    format_trend_of(&h->words, bars, n, BARS);
    say(h, "  ", as_size_change(g->bytes[g->first], g->bytes[g->last]), " between objects");
}

void phrase_process(struct sentence *h, const struct hd_report *r)
{
    enum { BARS = 16 };
    const struct hd_process_growth *g = r->diff.process;
    const double worth = 0.2; /* start-up uses less, mostly */
    if (g == NULL)
        return;
    uint64_t first = g->size[g->first], last = g->size[g->last];
    bool is_finding = g->is_outside || g->is_undivided,
         is_unexplained = g->growth > 0 && g->explained < rank_by.process_explained &&
                          (double)g->growth >= worth * (double)first;
    if (!is_finding && !is_unexplained)
        return;
    struct hd_tally bars[SERIES_MAX_SNAPSHOTS];
    size_t n = 0;
    for (size_t k = 0; k < r->snapshot_count; k++)
        if (g->size[k] != HD_UNKNOWN)
            bars[n++] = (struct hd_tally){.count = g->size[k]};
    say(h, as_size(first), " → ", as_size(last), "  ");
    format_trend_of(&h->words, bars, n, BARS);
    say(h, "  ", as_size_change(first, last));
    if (!isnan(g->explained))
        say(h, ", objects ", as_percent(g->explained));
    if (g->where != HD_PART_COUNT)
        say(h, ", ", phrase_part(g->where), " ",
            as_size_change(g->parts[g->where][g->first], g->parts[g->where][g->last]));
}

const struct hd_native_memory *phrase_native_memory_of(const struct hd_diff *d)
{
    for (size_t i = 0; i < d->native_memory_count; i++)
        if (d->native_memory[i].is_undecided)
            return &d->native_memory[i];
    return NULL;
}

void phrase_no_match(struct text *t, enum hd_unit by, const struct hd_no_match *none)
{
    say(t, "no ", unit_names[by], " matches ", none->pattern);
    if (none->nearest == NULL)
        say(t, "; `heapdrift top` lists all");
    else
        say(t, "; did you mean ", none->nearest, "?");
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
    say(t, "part of the growth is unexplained: ", as_size_signed(g->rest), ", ",
        as_percent(g->rest_share), " of the heap");
    if (!isnan(g->explained))
        say(t, "; the suspects explain ", as_percent(g->explained), " of all growth");
}

void phrase_leveled_off(struct text *t, const struct hd_leveled_off *s, const char *name,
                        uint64_t first, uint64_t last)
{
    say(t, as_name(name), " grew from ", first, " to ", last, " (",
        as_size_signed((int64_t)(s->growth + 0.5)), ", ", as_percent(s->share),
        " of the heap), then leveled off: a full cache, finished start-up, or a leak whose "
        "load stopped. Was the load still running? Measure again under load");
}

void phrase_native_warning(struct text *t, const struct hd_native_memory *n)
{
    say(t, n->type, " grows in every step, ", n->first, " → ", n->last, ": ", n->what,
        " hold memory outside the heap, which is not counted here");
    if (n->hint == NULL)
        return;
    say(t, "; ");
    phrase_hint_command(t, n->hint);
}

void phrase_hint_command(struct text *t, const char *id)
{
    say(t, "heapdrift help hint ", id);
}

void phrase_no_unit(struct text *t, const char *name, uint64_t bytes)
{
    say(t, name, ": ", bytes, " is taken for ", as_plural(bytes, "byte"));
}

/* --- smallest visible leak --------------------------------------------------------- */

/* The smallest leak that the snapshots would show, as a sentence: the value of an
 * all-clear. */

/* "25 objects and 75.0 KiB"; objects only if that many of the smallest size have more
 * bytes. */
static void add_size_of_leak(struct text *t, uint64_t objects, uint64_t bytes)
{
    enum { SMALLEST_OBJECT = 24 };
    say(t, objects, " objects");
    if (bytes / SMALLEST_OBJECT >= objects)
        say(t, " and ", as_size(bytes));
}

bool phrase_power_of_verdict(struct text *t, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    const struct hd_power *p = &d->would_show;
    bool clears =
        r->kind == HD_REPORT_CHECK ? r->check.verdict == HD_PASS : d->suspect_count == 0;
    if (!clears || p->steps == 0 || d->no_match != NULL)
        return false;
    bool by_age = p->objects != HD_UNKNOWN, bytes = d->types.bytes_known;
    struct text large = {0};
    say(&large, bytes ? as_size(p->large) : say_count(p->large), bytes ? "" : " objects");
    say(t, by_age ? "A leak of " : "By counts alone, a leak of ");
    if (by_age)
        add_size_of_leak(t, p->objects, p->bytes);
    else
        say(t, as_text(&large));
    if (p->steps == 1)
        say(t, " or more in this step would have shown");
    else
        say(t, " or more in these ", p->steps, " steps would have shown");
    if (by_age) {
        say(t, "; of fewer objects, one of ", as_text(&large));
    } else if (p->even != HD_UNKNOWN) {
        say(t, "; with even steps, one of ");
        add_size_of_leak(t, p->even, p->bytes);
    }
    text_free(&large);
    return true;
}
