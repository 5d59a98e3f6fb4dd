/* What a series shows that is no leak, and how sure that is: growth that leveled off or
 * that nothing explains, and what the snapshots themselves cannot show. No all-clear
 * without evidence. It knows no format and no width. */
#include "report/phrases.h"

#include "ranking/confidence.h"
#include "report/text_parts.h"

#include <string.h>

/* --- no leak, or nobody knows ------------------------------------------------ */

/* What is below the line, but more than noise; between two snapshots all that grew is worth
 * the exact words. */
static bool is_near(const struct hd_report *r)
{
    const struct hd_diff *all = &r->found.diff;
    for (size_t i = 0; i < all->minor_count; i++)
        if (text_gain_share(r, &all->minor[i]) >= TEXT_NOISE_SHARE)
            return true;
    return r->diff.usable_count == 2 && all->minor_count > 0;
}

/* Sentences behind each other; who adds one gets where to write. */
struct sentences {
    struct headline *h;
    size_t count, begin; /* of the last one */
};

static struct text *sentence(struct sentences *to)
{
    headline_add(to->h, to->count++ > 0 ? " " : "");
    to->begin = to->h->words.len;
    return &to->h->words;
}

/* Of a clause. */
static void end_sentence(struct sentences *to)
{
    headline_capitalize(to->h, to->begin);
    headline_add(to->h, ".");
}

/* "Order rose in every step, 35 → 77, and may leak: take more snapshots." */
static void say_undecided(struct sentences *to, const struct hd_report *r)
{
    const struct hd_suspect *s = r->diff.undecided;
    struct leak_counts c = leak_counts_of(r, s);
    sentence(to);
    headline_add_place(to->h, r, s->subject);
    headline_add(to->h, " rose in every step, ");
    headline_add_count(to->h, c.at[0].count);
    headline_add(to->h, " → ");
    headline_add_count(to->h, c.at[c.len - 1].count);
    headline_add(to->h, ", and may leak: take more snapshots.");
}

/* "Nothing is growing now. Metric gained 128 KiB (8.0 % of the heap), then leveled off: a
 * full cache, or load that stopped?" */
static void say_stopped(struct sentences *to, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    const struct hd_growth *g = &d->growth;
    const struct hd_stopped *most = d->stopped_count > 0 ? &d->stopped[0] : NULL;
    bool one = most != NULL && most->share == g->stopped_share;
    struct text *t = sentence(to);
    text_add_string(t, "Nothing is growing now. ");
    if (one) {
        headline_add_place(to->h, r, most->subject);
        text_add_string(t, " gained ");
        format_size(t, (uint64_t)(most->growth + 0.5));
        text_add_string(t, " (");
        format_percent(t, most->share);
        text_add_string(t, " of the heap)");
    } else {
        text_add_string(t, "The heap grew by ");
        format_percent(t, g->stopped_share);
    }
    text_add_string(t, ", then leveled off");
    if (!one && most != NULL) {
        text_add_string(t, " (most: ");
        headline_add_place(to->h, r, most->subject);
        text_add_string(t, ", ");
        format_size_signed(t, (int64_t)(most->growth + 0.5));
        text_add_char(t, ')');
    }
    text_add_string(t, ": a full cache, or load that stopped?");
}

/* Whether nothing was looked at, which is no all-clear. */
static bool hides_all(const struct hd_report *r)
{
    return r->diff.types.len == 0 && r->found.diff.types.len > 0;
}

/* What of the heap itself takes away the all-clear. */
void phrase_other_growth(struct headline *h, const struct hd_report *r)
{
    struct sentences all = {.h = h}, *to = &all;
    const struct hd_diff *d = &r->diff;
    const struct hd_growth *g = &d->growth;
    const struct hd_native *native = phrase_native_of(d);
    if (d->hidden_count > 0 || hides_all(r)) {
        phrase_hidden(sentence(to), d->hidden_count);
        end_sentence(to);
        return;
    }
    if (g->is_open) {
        phrase_open_growth(sentence(to), g->open_share, g->since);
        end_sentence(to);
    } else if (g->has_stopped) {
        say_stopped(to, r);
    }
    if (d->undecided != NULL && !g->is_open)
        say_undecided(to, r);
    if (g->pools_are_told) {
        phrase_pools(sentence(to), g);
        end_sentence(to);
    }
    if (native != NULL) {
        phrase_native(sentence(to), native, NULL);
        end_sentence(to);
    }
}

void phrase_none(struct headline *h, const struct hd_report *r)
{
    if (is_near(r)) {
        headline_add(h, "above ");
        text_line(&h->words, r);
        headline_add(h, " ");
    }
    headline_add(h, r->diff.usable_count == 2 ? "between " : "in ");
    format_plural(&h->words, r->diff.usable_count, "snapshot");
    heading_add_span(&h->words, r);
}

/* --- how sure ----------------------------------------------------------------- */

/* Reasons why it is not surer, with "; " between. */
struct reasons {
    struct headline *h;
    size_t count;
};

static struct headline *reason(struct reasons *to)
{
    headline_add(to->h, to->count++ == 0 ? "" : "; ");
    return to->h;
}

/* Whether the verdict itself says of suspects that the snapshots are too few for a leak. A
 * check whose rules need no more decides without a word about it. */
static bool verdict_says_few(const struct hd_report *r)
{
    const struct hd_check *c = &r->check;
    if (r->kind != HD_REPORT_CHECK)
        return true;
    for (size_t i = 0; i < c->rule_count && c->verdict == HD_INCONCLUSIVE; i++)
        if (c->rules[i].reason.code == HD_REASON_NOT_ENOUGH)
            return true;
    return false;
}

static void doubt_number(struct reasons *to, const struct hd_report *r)
{
    const size_t n = r->snapshot_count, usable = r->diff.usable_count;
    bool none = r->found.diff.suspect_count == 0;
    if (!report_is_enough(usable) && r->diff.suspect_count == 0) {
        format_plural(&reason(to)->words, usable, "snapshot");
        headline_add(to->h, " cannot tell a leak from warm-up: take four or more");
    } else if (!report_is_enough(usable)) {
        if (!verdict_says_few(r))
            headline_add(reason(to), "fewer than four cannot tell a leak from warm-up");
    } else if (none && !power_is_high(usable, r->diff.identity)) {
        headline_add(reason(to), "a slow leak may not show in ");
        format_plural(&to->h->words, usable, "snapshot");
        headline_add(to->h, ": take six");
    }
    if (usable == n)
        return;
    headline_add_count(reason(to), n - usable);
    headline_add(to->h, " of ");
    format_plural(&to->h->words, n, "snapshot");
    headline_add(to->h, " could not be compared");
}

static bool is_warned(const struct hd_report *r, const char *code)
{
    for (size_t i = 0; i < r->warning_count; i++)
        if (strcmp(r->warnings[i].code, code) == 0)
            return true;
    return false;
}

static void doubt_inputs(struct reasons *to, const struct hd_report *r)
{
    bool sampled = false;
    for (size_t k = 0; k < r->snapshot_count; k++)
        sampled |= r->snapshots[k].info.sampled;
    if (sampled)
        headline_add(reason(to), "counts are estimates from a sample");
    if (is_warned(r, "different-program"))
        headline_add(reason(to), "the snapshots seem to be of different programs");
    else if (is_warned(r, "different-process"))
        headline_add(reason(to), "the snapshots are not of one process");
    if (!r->diff.by_graph && r->options.by == HD_BY_TYPE)
        headline_add(reason(to), is_warned(r, "mostly-unreachable")
                                     ? "most roots are unknown, so holders are, too"
                                     : "without references the holders are unknown");
    if (r->options.gen2)
        headline_add(reason(to), "only gen2, LOH, POH and frozen segments count");
    if (r->options.reachable && !r->leaves_garbage)
        headline_add(reason(to), "only reachable objects count");
}

bool phrase_has_doubts(const struct hd_report *r)
{
    struct headline doubts = {0};
    struct reasons to = {&doubts, 0};
    doubt_number(&to, r);
    doubt_inputs(&to, r);
    headline_free(&doubts);
    return to.count > 0 || r->diff.confidence < HD_CONFIDENCE_HIGH;
}

/* Whether the heap was never larger than after the first step. */
static bool grew_at_first_only(const struct hd_report *r)
{
    const struct hd_tally *at = r->diff.types.totals;
    size_t n = r->snapshot_count;
    return n > 2 && r->diff.types.bytes_known && at[1].bytes > at[0].bytes &&
           at[n - 1].bytes <= at[1].bytes;
}

static void doubt_growth(struct reasons *to, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    if (d->suspect_count > 0 || (!d->growth.has_stopped && !d->growth.is_open))
        return;
    if (d->growth.is_open) {
        headline_add(reason(to), "part of the growth is unexplained");
        return;
    }
    headline_add(reason(to), grew_at_first_only(r)
                                 ? "all growth is from snapshot 1 to 2, as in a warm-up"
                                 : "what leveled off may grow again under load");
}

/* "high for leaks above 32.0 KiB (2 % of the heap); slower leaks need a longer run" */
static void add_power(struct headline *h, const struct hd_report *r)
{
    const struct hd_power *p = &r->diff.would_show;
    struct text line = {0};
    if (p->steps == 0)
        return;
    headline_add(h, " for leaks above ");
    if (r->diff.types.bytes_known)
        format_size(&h->words, p->large);
    else
        format_plural(&h->words, p->large, "object");
    text_line(&line, r);
    headline_add(h, r->options.min_bytes > 0 ? "" : " (");
    headline_add(h, r->options.min_bytes > 0 ? "" : text_string(&line));
    headline_add(h, r->options.min_bytes > 0 ? "" : ")");
    text_free(&line);
}

static void add_range(struct headline *h, uint64_t least, uint64_t most)
{
    headline_add(h, "+");
    headline_add_count(h, least);
    if (most > least) {
        headline_add(h, "–");
        headline_add_count(h, most);
    }
}

/* "+1,200 objects in every step", "in 4 of 5 steps" */
static void add_steps(struct headline *h, const struct hd_report *r,
                      const struct hd_suspect *s)
{
    struct leak_counts c = leak_counts_of(r, s);
    uint64_t least = UINT64_MAX, most = 0;
    size_t up = 0;
    for (size_t i = 1; i < c.len; i++) {
        uint64_t before = c.at[i - 1].count, now = c.at[i].count;
        uint64_t more = now > before ? now - before : 0;
        up += more > 0;
        least = more < least ? more : least;
        most = more > most ? more : most;
    }
    if (most == 0 || leak_grows_in_size(&c))
        return;
    headline_add(h, ", ");
    if (least > 0) {
        add_range(h, least, most);
        headline_add(h, most == 1 ? " object in every step" : " objects in every step");
        return;
    }
    headline_add(h, "more in ");
    headline_add_count(h, up);
    headline_add(h, " of ");
    format_plural(&h->words, c.len - 1, "step");
}

/* Who stayed is what a suspect by age rests on. */
static void add_stayed(struct headline *h, const struct hd_report *r,
                       const struct hd_suspect *s)
{
    const struct hd_births *b = s->births;
    uint64_t came = 0, stayed = 0;
    if (!text_shows_births(r, b))
        return;
    for (size_t j = 1; j < b->count; j++) {
        struct text_cohorts c = text_cohorts(b, j, j + 1, j);
        came += c.came;
        stayed += c.stayed;
    }
    if (came == 0 || s->suspicion != HD_SUSPECT_AGE)
        return;
    headline_add(h, ", ");
    headline_add_count(h, stayed);
    headline_add(h, " of ");
    headline_add_count(h, came);
    headline_add(h, " new objects are still there");
}

void phrase_confidence(struct headline *h, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    struct headline why = {0};
    struct reasons to = {&why, 0};
    bool suspects = d->suspect_count > 0;
    bool clears = d->suspect_count + d->hidden_count == 0 && !d->growth.is_open &&
                  !d->growth.has_stopped && d->undecided == NULL &&
                  report_is_enough(d->usable_count);
    headline_add(h, confidence_names[d->confidence]);
    if (clears)
        add_power(h, r);
    doubt_number(&to, r);
    doubt_inputs(&to, r);
    doubt_growth(&to, r);
    if (suspects) {
        headline_add(h, ": ");
        format_plural(&h->words, d->usable_count, "snapshot");
        heading_add_span(&h->words, r);
        if (r->options.by == HD_BY_TYPE && d->usable_count > 2)
            add_steps(h, r, &d->suspects[0]);
        add_stayed(h, r, &d->suspects[0]);
    }
    if (to.count > 0) {
        headline_add(h, suspects || clears ? "; " : ": ");
        headline_add(h, text_string(&why.words));
    } else if (clears && d->would_show.steps > 0) {
        headline_add(h, "; slower leaks need a longer run");
    }
    headline_free(&why);
}
