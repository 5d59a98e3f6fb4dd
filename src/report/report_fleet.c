/* The verdict on a fleet in a sentence or two, and the words of its numbers. A fleet
 * without a suspect is called healthy for the runs that were judged, and for no others. */
#include "report/report_fleet.h"

#include "base/c_locale.h"
#include "base/calendar.h"
#include "ranking/hints.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- numbers ---------------------------------------------------------------------- */

static void add_rate(struct text *t, double bytes, const char *unit)
{
    const double most = 9e18;
    if (isnan(bytes)) {
        text_add_char(t, '-');
        return;
    }
    double whole = bytes > most ? most : bytes < -most ? -most : round(bytes);
    format_size_signed(t, (int64_t)whole);
    text_add_string(t, unit);
}

void phrase_per_hour(struct text *t, double bytes)
{
    add_rate(t, bytes, "/h");
}

void phrase_per_day(struct text *t, double bytes)
{
    add_rate(t, bytes, "/d");
}

void phrase_hours_left(struct text *t, double hours)
{
    if (isnan(hours))
        text_add_char(t, '-');
    else if (isinf(hours))
        text_add_string(t, "never");
    else if (hours <= 0)
        text_add_string(t, "now");
    else
        format_duration(t, (uint64_t)(hours * 3600));
}

void phrase_moment(struct text *t, double seconds)
{
    enum { TO_MINUTES = 16, BETWEEN = 10 };
    char time[CALENDAR_TIME];
    if (!(fabs(seconds) < 1e15) || !calendar_time((int64_t)floor(seconds), time)) {
        text_add_char(t, '-');
        return;
    }
    time[BETWEEN] = ' ';
    text_add(t, time, TO_MINUTES);
}

/* "less than once in a million", "once in 2,400": of a logarithm that counts so often. */
static void phrase_chance(struct text *t, double log_chance, size_t times)
{
    double log_odds = -(log_chance + log(times > 0 ? (double)times : 1));
    if (log_odds > log(1e6))
        text_add_string(t, "less than once in a million");
    else if (log_odds < log(2))
        text_add_string(t, "more often than not");
    else {
        text_add_string(t, "once in ");
        format_count(t, (uint64_t)floor(exp(log_odds)));
    }
}

static void add_part(struct text *t, uint64_t with, uint64_t without)
{
    if (with == 0)
        text_add_string(t, "none");
    else
        format_count(t, with);
    text_add_string(t, " of ");
    format_plural(t, with + without, "run");
}

void phrase_sides(struct text *t, const struct hd_fleet_suspect *s)
{
    add_part(t, s->since_with, s->since_without);
    text_add_string(t, s->since_with == 1 ? " from it on shows it, "
                                          : " from it on show it, ");
    add_part(t, s->before_with, s->before_without);
    text_add_string(t, " before; by chance ");
    phrase_chance(t, s->log_chance, s->boundaries);
}

static void add_of(struct text *t, uint64_t n, uint64_t of, const char *what)
{
    format_count(t, n);
    text_add_string(t, " of ");
    format_plural(t, of, what);
}

void phrase_pool(struct text *t, const struct hd_fleet_suspect *s)
{
    enum { HOURS = 24 };
    if (s->periods == 0)
        return;
    text_add_string(t, "runs judged together: it grew in ");
    add_of(t, s->periods_with, s->periods, "period");
    text_add_string(t, ", by chance ");
    phrase_chance(t, s->pool_log_chance, 1);
    text_add_string(t, ", and at ");
    add_of(t, s->pool_hours, HOURS, "hour");
    text_add_string(t, " of the day");
}

void phrase_missing(struct text *t, const struct hd_fleet_suspect *s)
{
    enum { HOURS = 24 };
    switch (s->missing) {
    case HD_MISSING_SNAPSHOTS:
        text_add_string(t, "three snapshots of one process after its first half hour");
        break;
    case HD_MISSING_RUNS:
        text_add_string(t, "more runs at other times: it grew in ");
        add_of(t, s->periods_with, s->periods, "period");
        text_add_string(t, " so far");
        break;
    case HD_MISSING_SHARE:
        text_add_string(t, "a larger share of runs: it grew in only ");
        add_of(t, s->periods_with, s->periods, "period");
        text_add_string(t, ", or in few runs of each");
        break;
    case HD_MISSING_HOURS:
        text_add_string(
            t, "growth at nearly all hours of the day, as load may be behind it: so "
               "far at ");
        add_of(t, s->pool_hours, HOURS, "hour");
        break;
    case HD_MISSING_PACE:
        text_add_string(t, "a steady pace: it slows down in most runs, as what fills does");
        break;
    default:
        break;
    }
}

void phrase_ends(struct text *t, const struct hd_fleet_suspect *s)
{
    if (s->ended_near_limit == 0)
        return;
    format_plural(t, s->ended_near_limit, "run");
    text_add_string(t, s->ended_near_limit == 1 ? " ended near its limit of memory"
                                                : " ended near their limit of memory");
}

/* "shard 3 of 4 is missing", "3 of 4 shards are missing" */
static void phrase_shards_missing(struct text *t, const struct hd_fleet_answer *a)
{
    format_count(t, a->shards_missing);
    text_add_string(t, " of ");
    format_plural(t, a->rules.shards, "shard");
    text_add_string(t, a->shards_missing == 1 ? " is" : " are");
    text_add_string(t, " missing: what their runs show is not counted");
}

const char *phrase_doubt(enum hd_doubt doubt)
{
    static const char *const words[] = {
        [HD_DOUBT_NONE] = "",
        [HD_DOUBT_ONE_SNAPSHOT] = "one snapshot in the window",
        [HD_DOUBT_DAMAGED] = "fewer than two snapshots can be read",
        [HD_DOUBT_UNFIT] = "fewer than two snapshots can be compared",
        [HD_DOUBT_CLOCK] = "its clock jumped",
        [HD_DOUBT_ORDER] = "equal times: the order is unknown",
        [HD_DOUBT_FAILED] = "could not be compared",
        [HD_DOUBT_PROCESSES] = "snapshots of several processes",
        [HD_DOUBT_SHORT] = "too short for a verdict (--min-span)",
        [HD_DOUBT_FEW] = "fewer than four snapshots can be compared",
        [HD_DOUBT_INCOMPLETE] = "no suspect, but snapshots are incomplete or samples",
        [HD_DOUBT_UNEXPLAINED] = "no suspect, but the heap grew",
        [HD_DOUBT_STOPPED] = "no suspect, but something grew, and stayed",
    };
    return (unsigned)doubt < HD_DOUBT_COUNT ? words[doubt] : "";
}

/* --- the verdict -------------------------------------------------------------------- */

static void add_hosts(struct headline *h, uint64_t n, uint64_t of)
{
    if (n == of && of == 1) {
        headline_add(h, " on its only host");
        return;
    }
    headline_add(h, " on ");
    if (n == of)
        headline_add(h, "all ");
    format_count(&h->words, n);
    if (n != of) {
        headline_add(h, " of ");
        format_count(&h->words, of);
    }
    headline_add(h, of == 1 ? " host" : " hosts");
}

static bool is_soon(double hours)
{
    const double a_month = 31 * 24;
    return hours < a_month;
}

/* "checkout: Session on 12 of 40 hosts, +24 MiB per day each; since build 1.2.3" */
static void add_suspect(struct headline *h, const struct hd_fleet_suspect *s)
{
    if (s->service != NULL) {
        headline_add_name(h, s->service);
        headline_add(h, ": ");
    }
    headline_add_type(h, s->subject);
    add_hosts(h, s->hosts, s->of_hosts);
    if (!isnan(s->per_hour)) {
        headline_add(h, ", ");
        phrase_per_day(&h->words, s->per_day);
        headline_add(h, s->hosts > 1 ? " each" : "");
    }
    if (s->onset == HD_ONSET_NAMED) {
        headline_add(h, "; since build ");
        headline_add_name(h, s->began_with);
    } else if (s->onset == HD_ONSET_FIRST) {
        headline_add(h, "; present since the first recorded build");
    }
    if (s->ended_near_limit > 0) {
        headline_add(h, "; ");
        phrase_ends(&h->words, s);
    } else if (is_soon(s->hours_left)) {
        headline_add(h, s->hours_left > 0 ? "; first host full in " : "; a host is full ");
        phrase_hours_left(&h->words, s->hours_left);
    }
}

static void add_suspects(struct hd_report *r)
{
    enum { MOST = 3 };
    const struct hd_fleet_answer *a = &r->fleet;
    for (size_t i = 0; i < a->suspect_count && i < MOST; i++) {
        struct headline h = {0};
        add_suspect(&h, &a->suspects[i]);
        summary_add(r, "LEAK", &h);
    }
    if (a->suspect_count > MOST) {
        struct headline h = {0};
        headline_add(&h, "and ");
        format_count(&h.words, a->suspect_count - MOST);
        headline_add(&h, " more");
        summary_add(r, NULL, &h);
    }
}

/* "Shop: Order grows in 3 of 4 runs; missing for a verdict: ..." */
static void add_open_suspects(struct hd_report *r)
{
    enum { MOST = 3 };
    const struct hd_fleet_answer *a = &r->fleet;
    const struct hd_fleet_suspect *open = a->suspects + a->suspect_count + a->few_count;
    for (size_t i = 0; i < a->open_count && i < MOST; i++) {
        struct headline h = {0};
        if (open[i].service != NULL) {
            headline_add_name(&h, open[i].service);
            headline_add(&h, ": ");
        }
        headline_add_type(&h, open[i].subject);
        headline_add(&h, " grows in ");
        add_of(&h.words, open[i].runs, open[i].of_runs, "run");
        headline_add(&h, "; missing for a verdict: ");
        phrase_missing(&h.words, &open[i]);
        headline_add(&h, open[i].ended_near_limit > 0 ? "; " : "");
        phrase_ends(&h.words, &open[i]);
        summary_add(r, NULL, &h);
    }
}

static void add_healthy(struct headline *h, const struct hd_fleet_answer *a)
{
    headline_add(h, a->few_count > 0 ? "on more than single hosts, in " : "in ");
    format_plural(&h->words, a->runs[HD_JUDGED], "judged run");
    headline_add(h, " on ");
    format_plural(&h->words, a->hosts_judged, "host");
}

/* What was not looked at must not be taken for healthy. */
static void add_open(struct hd_report *r, uint64_t runs)
{
    const struct hd_fleet_answer *a = &r->fleet;
    uint64_t open = a->runs[HD_UNSURE] + a->runs[HD_NOT_JUDGED];
    struct headline h = {0};
    if (a->runs[HD_JUDGED] > 0 && open > 0) {
        format_count(&h.words, open);
        headline_add(&h, " of ");
        format_plural(&h.words, runs, "run");
        headline_add(&h, open == 1 ? " allows no verdict" : " allow no verdict");
    }
    if (a->shards_missing > 0) {
        headline_add(&h, h.words.len > 0 ? "; " : "");
        phrase_shards_missing(&h.words, a);
    }
    if (h.words.len > 0)
        summary_add(r, NULL, &h);
    headline_free(&h);
}

/* Which runs have none, in a word or two: the list is below. */
static void add_no_verdict(struct headline *h, const struct hd_fleet_answer *a,
                           uint64_t runs)
{
    headline_add(h, "No verdict yet: ");
    if (runs == 0) {
        headline_add(h, "no snapshot was taken in the window");
        return;
    }
    headline_add(h, runs == 1 ? "the only run allows none" : "none of ");
    if (runs > 1)
        format_plural(&h->words, runs, "run");
    headline_add(h, runs > 1 ? " allows one" : "");
    if (a->unjudged_count == 0)
        return;
    headline_add(h, " (");
    headline_add(h, phrase_doubt(a->unjudged[0].doubt));
    headline_add(h, runs > 1 ? ", and others)" : ")");
}

/* Who leaks what, on how many hosts; or that nobody does, and what that rests on. */
static void summarize(struct hd_report *r)
{
    struct hd_fleet_answer *a = &r->fleet;
    uint64_t runs = a->runs[HD_JUDGED] + a->runs[HD_UNSURE] + a->runs[HD_NOT_JUDGED];
    struct headline h = {0};
    r->summary = (struct hd_summary){.tone = HD_TONE_UNSURE};
    if (a->runs[HD_JUDGED] == 0 && a->suspect_count == 0) {
        add_no_verdict(&h, a, runs);
        summary_add(r, "UNSURE", &h);
    } else if (a->suspect_count > 0) {
        r->summary.tone = HD_TONE_BAD;
        add_suspects(r);
    } else {
        bool whole = a->runs[HD_JUDGED] == runs && a->shards_missing == 0;
        bool good = whole && a->few_count == 0;
        r->summary.tone = good ? HD_TONE_GOOD : HD_TONE_UNSURE;
        headline_add(&h, good ? "" : "No leak found ");
        add_healthy(&h, a);
        summary_add(r, good ? "NO LEAK FOUND" : "UNSURE", &h);
    }
    if (a->suspect_count == 0)
        add_open_suspects(r);
    add_open(r, runs);
    a->headline = summary_line(r);
}

/* --- the evidence ------------------------------------------------------------------- */

/* What was before the window is not what was looked at. Most processes are younger. */
static void add_since(struct text *t, const struct hd_fleet_answer *a,
                      const struct hd_fleet_host *h)
{
    char time[CALENDAR_TIME];
    double since = a->rules.since;
    if (h->started >= since || !(fabs(since) < 1e15) ||
        !calendar_time((int64_t)floor(since), time))
        return;
    text_add_string(t, " --since=");
    text_add_string(t, time);
    text_add_char(t, 'Z');
}

/* The command that opens the run in which it stands worst. */
static void add_command(struct text *t, const struct hd_fleet_answer *a,
                        const struct hd_fleet_host *h)
{
    struct text store = {0};
    char run[32];
    snprintf(run, sizeof(run), "%" PRIu64, h->run);
    text_add_string(&store, "--store=");
    text_add_string(&store, a->store != NULL ? a->store : "URL");
    text_add_string(t, "heapdrift report ");
    format_shell_word(t, text_string(&store));
    text_add_string(t, " --run=");
    text_add_string(t, run);
    add_since(t, a, h);
    text_add_string(t, " -o run-");
    text_add_string(t, run);
    text_add_string(t, ".html");
    text_free(&store);
}

static void add_evidence(struct hd_report *r, struct hd_fleet_suspect *s)
{
    const struct hint *hint = hint_named(s->hint);
    const struct hd_fleet_host *worst = s->on_count > 0 ? &s->on[0] : NULL;
    struct text command = {0};
    s->fix = hint != NULL ? hint->fix : NULL;
    s->run = worst != NULL ? worst->run : HD_UNKNOWN;
    s->chain = worst != NULL ? worst->chain : NULL;
    if (s->run == HD_UNKNOWN)
        return;
    add_command(&command, &r->fleet, worst);
    s->command = report_string(r, text_string(&command));
    text_free(&command);
}

/* --- the report of a fleet --------------------------------------------------------- */

/* On fewer than one host of twenty a suspect is a matter of that host. */
static const double usual_min_hosts = 0.05;

void hd_fleet_set_default_options(struct hd_fleet_options *opt)
{
    *opt = (struct hd_fleet_options){
        .limit = HD_UNKNOWN, .min_hosts_share = usual_min_hosts, .rows = HD_DEFAULT_ROWS};
}

bool report_fleet_is_conclusive(const struct hd_fleet_answer *a)
{
    return a->shards_missing == 0 && a->runs[HD_JUDGED] > 0 && a->runs[HD_UNSURE] == 0 &&
           a->runs[HD_NOT_JUDGED] == 0;
}

void report_fleet_cut(struct hd_report *r)
{
    struct hd_fleet_answer *a = &r->fleet;
    a->suspects_shown = report_rows(r, a->suspect_count);
    a->few_shown = report_rows(r, a->few_count);
    a->open_shown = report_rows(r, a->open_count);
    a->services_shown = report_rows(r, a->service_count);
    a->host_rows_shown = report_rows(r, a->host_row_count);
    a->unjudged_shown = report_rows(r, a->unjudged_count);
}

/* So many times; nothing for none. */
static void warn_count(struct hd_report *r, enum warning_code code, uint64_t count)
{
    if (count == 0)
        return;
    report_warn(r, code, (size_t)-1);
    r->warnings[r->warning_count - 1].count = count;
}

static void add_warnings(struct hd_report *r)
{
    const struct hd_fleet_answer *a = &r->fleet;
    warn_count(r, WARN_RUNS_NOT_JUDGED, a->runs[HD_NOT_JUDGED] + a->runs[HD_UNSURE]);
    warn_count(r, WARN_SNAPSHOTS_DAMAGED, a->runs_damaged);
    warn_count(r, WARN_HOST_UNKNOWN, a->unnamed_hosts);
}

static void warn_missing(struct hd_report *r)
{
    struct text t = {0};
    if (r->fleet.shards_missing == 0)
        return;
    phrase_shards_missing(&t, &r->fleet);
    report_warn_text(r, WARN_SHARDS_MISSING, (size_t)-1, &t);
}

struct hd_report *hd_report_fleet(struct hd_fleet *f, const struct hd_fleet_options *opt)
{
    struct hd_fleet_options how;
    hd_fleet_set_default_options(&how);
    how = opt != NULL ? *opt : how;
    struct hd_report *r = report_new(HD_REPORT_FLEET, NULL);
    r->options.rows = how.rows;
    r->rows = how.rows != HD_DEFAULT_ROWS ? how.rows : REPORT_USUAL_ROWS;
    r->records = fleet_hold(f);
    fleet_answer(&r->fleet, f, &how, &r->arena);
    r->fleet.store = how.store != NULL ? report_string(r, how.store) : NULL;
    for (size_t i = 0;
         i < r->fleet.suspect_count + r->fleet.few_count + r->fleet.open_count; i++)
        add_evidence(r, &r->fleet.suspects[i]);
    report_fleet_cut(r);
    add_warnings(r);
    warn_missing(r);
    summarize(r);
    report_publish(r);
    return r;
}
