/* What a series shows that is no leak, and how sure that is: growth that leveled off or
 * that nothing explains, and what the snapshots themselves cannot show. No all-clear
 * without evidence. It knows no format and no width. */
#include "report/phrases.h"

#include "ranking/confidence.h"
#include "report/text_parts.h"
#include "series/ranking_constants.h"

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

/* Sentences behind each other, or reasons: what stands between two. Returns where to write
 * the next. */
static struct sentence *begin_next(struct sentence *h, const char *joint)
{
    say(h, h->words.len > 0 ? joint : "");
    return h;
}

/* "Nothing is growing now. Metric gained 128 KiB (8.0 % of the heap), then leveled off: a
 * full cache, or load that stopped?" */
static void say_stopped(struct sentence *h, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    const struct hd_stopped *most = d->stopped_count > 0 ? &d->stopped[0] : NULL;
    bool one = most != NULL && most->share == d->growth.stopped_share;
    say(begin_next(h, " "), "Nothing is growing now. ");
    if (one)
        say(h, as_place(r, most->subject), " gained ",
            as_size((uint64_t)(most->growth + 0.5)), " (", as_percent(most->share),
            " of the heap), then leveled off");
    else
        say(h, "The heap grew by ", as_percent(d->growth.stopped_share),
            ", then leveled off");
    if (!one && most != NULL)
        say(h, " (most: ", as_place(r, most->subject), ", ",
            as_size_signed((int64_t)(most->growth + 0.5)), ")");
    say(h, ": a full cache, or load that stopped?");
}

/* Whether nothing was looked at, which is no all-clear. */
static bool hides_all(const struct hd_report *r)
{
    return r->diff.types.len == 0 && r->found.diff.types.len > 0;
}

/* A clause as a sentence. */
static void add_clause(struct sentence *h, struct text *clause)
{
    size_t from = begin_next(h, " ")->words.len;
    say(h, as_text(clause), ".");
    sentence_capitalize(h, from);
    text_free(clause);
}

/* "it fills ever more slowly: a cache, or a set that is nearly complete?" "CircuitRegistry
 * keeps closed circuits for 3 min: watch for longer than 7 min" */
void phrase_reservation(struct text *t, const struct hd_suspect *s)
{
    if (s->reservation == HD_RESERVED_FILLS) {
        say(t, "it fills ever more slowly: a cache, or a set that is nearly complete?");
        return;
    }
    if (s->reservation == HD_RESERVED_PER_TYPE) {
        say(t, as_type(s->lifetime.holder), " keeps ", s->lifetime.keeps,
            " for each type that the program uses: watch until it has used all");
        return;
    }
    say(t, as_type(s->lifetime.holder), " keeps ", s->lifetime.keeps, " for ",
        as_duration(s->lifetime.seconds));
    if (s->lifetime.setting != NULL)
        say(t, " (", s->lifetime.setting, ")");
    say(t, ": watch for longer than ", as_duration(s->lifetime.watch));
}

/* "Order rose in every step, 35 → 77, and may leak: take more snapshots." "Page: 35 → 77
 * objects, but it fills ever more slowly: ..." */
static void say_undecided(struct sentence *h, const struct hd_report *r)
{
    const struct hd_suspect *s = r->diff.undecided;
    struct leak_counts c = leak_counts_of(r, s);
    uint64_t first = c.at[0].count, last = c.at[c.len - 1].count;
    struct text why = {0};
    if (s->reservation == HD_RESERVED_NOT) {
        say(h, as_place(r, s->subject), " rose in every step, ", first, " → ", last,
            ", and may leak: take more snapshots.");
        return;
    }
    phrase_reservation(&why, s);
    say(h, as_place(r, s->subject), ": ", first, " → ", as_plural(last, "object"), ", but ",
        as_text(&why), ".");
    text_free(&why);
}

/* What of the heap itself takes away the all-clear. */
void phrase_other_growth(struct sentence *h, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    const struct hd_growth *g = &d->growth;
    const struct hd_native *native = phrase_native_of(d);
    struct text hidden = {0}, open = {0}, pools = {0}, outside = {0};
    if (d->hidden_count > 0 || hides_all(r)) {
        phrase_hidden(&hidden, d->hidden_count);
        add_clause(h, &hidden);
        return;
    }
    if (d->undecided != NULL && d->undecided->reservation != HD_RESERVED_NOT) {
        say_undecided(begin_next(h, " "), r);
    } else if (g->is_open) {
        phrase_open_growth(&open, g->open_share, g->since);
        add_clause(h, &open);
    } else if (g->has_stopped) {
        say_stopped(h, r);
    }
    if (d->undecided != NULL && d->undecided->reservation == HD_RESERVED_NOT && !g->is_open)
        say_undecided(begin_next(h, " "), r);
    if (g->pools_are_told) {
        phrase_pools(&pools, g);
        add_clause(h, &pools);
    }
    if (native != NULL) {
        phrase_native(&outside, native);
        add_clause(h, &outside);
    }
}

void phrase_none(struct sentence *h, const struct hd_report *r)
{
    size_t snapshots = r->diff.usable_count;
    if (is_near(r)) {
        say(h, "above ");
        text_line(&h->words, r);
        say(h, " ");
    }
    say(h, snapshots == 2 ? "between " : "in ", as_plural(snapshots, "snapshot"));
    heading_add_span(&h->words, r);
}

/* --- how sure ----------------------------------------------------------------- */

/* Reasons why it is not surer have "; " between. */
static struct sentence *reason(struct sentence *to)
{
    return begin_next(to, "; ");
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

static void doubt_number(struct sentence *to, const struct hd_report *r)
{
    const size_t n = r->snapshot_count, usable = r->diff.usable_count;
    bool none = r->found.diff.suspect_count == 0;
    if (!report_is_enough(usable) && r->diff.suspect_count == 0)
        say(reason(to), as_plural(usable, "snapshot"),
            " cannot tell a leak from warm-up: take four or more");
    else if (!report_is_enough(usable) && !verdict_says_few(r))
        say(reason(to), "fewer than four cannot tell a leak from warm-up");
    else if (report_is_enough(usable) && none && !power_is_high(usable, r->diff.identity))
        say(reason(to), "a slow leak may not show in ", as_plural(usable, "snapshot"),
            ": take six");
    if (usable < n)
        say(reason(to), n - usable, " of ", as_plural(n, "snapshot"),
            " could not be compared");
}

static bool is_warned(const struct hd_report *r, const char *code)
{
    for (size_t i = 0; i < r->warning_count; i++)
        if (strcmp(r->warnings[i].code, code) == 0)
            return true;
    return false;
}

static void doubt_inputs(struct sentence *to, const struct hd_report *r)
{
    bool sampled = false;
    for (size_t k = 0; k < r->snapshot_count; k++)
        sampled |= r->snapshots[k].info.sampled;
    if (sampled)
        say(reason(to), "counts are estimates from a sample");
    if (is_warned(r, "different-program"))
        say(reason(to), "the snapshots seem to be of different programs");
    else if (is_warned(r, "different-process"))
        say(reason(to), "the snapshots are not of one process");
    if (!r->diff.by_graph && r->options.by == HD_BY_TYPE)
        say(reason(to), is_warned(r, "mostly-unreachable")
                            ? "most roots are unknown, so holders are, too"
                            : "without references the holders are unknown");
    if (r->options.gen2)
        say(reason(to), "only gen2, LOH, POH and frozen segments count");
    if (r->options.reachable && !r->leaves_garbage)
        say(reason(to), "only reachable objects count");
}

bool phrase_has_doubts(const struct hd_report *r)
{
    struct sentence doubts = {0};
    doubt_number(&doubts, r);
    doubt_inputs(&doubts, r);
    bool any = doubts.words.len > 0;
    sentence_free(&doubts);
    return any || r->diff.confidence < HD_CONFIDENCE_HIGH;
}

/* Whether the heap was never larger than after the first step. */
static bool grew_at_first_only(const struct hd_report *r)
{
    const struct hd_tally *at = r->diff.types.totals;
    size_t n = r->snapshot_count;
    return n > 2 && r->diff.types.bytes_known && at[1].bytes > at[0].bytes &&
           at[n - 1].bytes <= at[1].bytes;
}

static void doubt_growth(struct sentence *to, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    if (d->suspect_count > 0 || (!d->growth.has_stopped && !d->growth.is_open))
        return;
    if (d->growth.is_open) {
        say(reason(to), d->undecided != NULL && d->undecided->reservation != HD_RESERVED_NOT
                            ? "what grew may be kept by design"
                            : "part of the growth is unexplained");
        return;
    }
    say(reason(to), grew_at_first_only(r)
                        ? "all growth is from snapshot 1 to 2, as in a warm-up"
                        : "what leveled off may grow again under load");
}

/* "high for leaks above 32.0 KiB (2 % of the heap); slower leaks need a longer run" */
static void add_power(struct sentence *h, const struct hd_report *r)
{
    const struct hd_power *p = &r->diff.would_show;
    if (p->steps == 0)
        return;
    say(h, " for leaks above ",
        r->diff.types.bytes_known ? as_size(p->large) : as_plural(p->large, "object"));
    if (r->options.min_bytes > 0)
        return;
    say(h, " (");
    text_line(&h->words, r);
    say(h, ")");
}

/* "+1,200 objects in every step", "in 4 of 5 steps" */
static void add_steps(struct sentence *h, const struct hd_report *r,
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
    if (least > 0)
        say(h, ", +", as_range(least, most), " ", as_noun(most, "object"),
            " in every step");
    else
        say(h, ", more in ", up, " of ", as_plural(c.len - 1, "step"));
}

/* Who stayed is what a suspect by age rests on. */
static void add_stayed(struct sentence *h, const struct hd_report *r,
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
    say(h, ", ", stayed, " of ", came, " new objects are still there");
}

/* What a leak has in common with what only lives long. */
static void doubt_time(struct sentence *to, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    if (d->suspect_count == 0 || !report_is_enough(d->usable_count))
        return;
    switch (d->time_limit) {
    case HD_TIME_UNKNOWN:
        say(reason(to), "no times: long-lived objects are not ruled out");
        break;
    case HD_TIME_SHORT:
        say(reason(to),
            "frameworks keep objects for minutes by design: watch for longer "
            "than ",
            as_duration(rank_by.sure_seconds));
        break;
    case HD_TIME_YOUNG:
        say(reason(to), "the process was ", as_duration((uint64_t)d->uptime_seconds),
            " old at first, so caches may still fill");
        break;
    default:
        break;
    }
}

void phrase_confidence(struct sentence *h, const struct hd_report *r)
{
    const struct hd_diff *d = &r->diff;
    struct sentence why = {0};
    bool suspects = d->suspect_count > 0;
    bool clears = d->suspect_count + d->hidden_count == 0 && !d->growth.is_open &&
                  !d->growth.has_stopped && d->undecided == NULL &&
                  report_is_enough(d->usable_count);
    say(h, confidence_names[d->confidence]);
    if (clears)
        add_power(h, r);
    doubt_number(&why, r);
    doubt_inputs(&why, r);
    doubt_growth(&why, r);
    doubt_time(&why, r);
    if (suspects) {
        say(h, ": ", as_plural(d->usable_count, "snapshot"));
        heading_add_span(&h->words, r);
        if (r->options.by == HD_BY_TYPE && d->usable_count > 2)
            add_steps(h, r, &d->suspects[0]);
        add_stayed(h, r, &d->suspects[0]);
    }
    if (why.words.len > 0)
        say(h, suspects || clears ? "; " : ": ", as_text(&why.words));
    else if (clears && d->would_show.steps > 0)
        say(h, "; slower leaks need a longer run");
    sentence_free(&why);
}
