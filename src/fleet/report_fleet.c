/* The verdict on a fleet in a sentence or two, and the words of its numbers. A fleet
 * without a suspect is called healthy for the runs that were judged, and for no others. */
#include "fleet/report_fleet.h"

#include "base/quantity.h"
#include "fleet/answer.h"
#include "ranking/hints.h"

#include <math.h>
#include <string.h>

/* --- numbers ---------------------------------------------------------------------- */

static void add_rate(struct text *t, double bytes, const char *unit)
{
    const double most = 9e18;
    double whole = bytes > most ? most : bytes < -most ? -most : round(bytes);
    if (isnan(bytes))
        say(t, "-");
    else
        say(t, as_size_signed((int64_t)whole), unit);
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
    say(t, isnan(hours)   ? say_words("-")
           : isinf(hours) ? say_words("never")
           : hours <= 0   ? say_words("now")
                          : as_duration((uint64_t)(hours * 3600)));
}

void phrase_moment(struct text *t, double seconds)
{
    enum { TO_MINUTES = 16, BETWEEN = 10 };
    char time[CALENDAR_TIME];
    if (!(fabs(seconds) < 1e15) || !calendar_time((int64_t)floor(seconds), time)) {
        say(t, "-");
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
        say(t, "less than once in a million");
    else if (log_odds < log(2))
        say(t, "more often than not");
    else
        say(t, "once in ", (uint64_t)floor(exp(log_odds)));
}

/* Formats "none of 240 runs", "120 of 360 runs". */
static void add_part(struct text *t, uint64_t with, uint64_t without)
{
    say(t, with == 0 ? say_words("none") : say_count(with), " of ",
        as_plural(with + without, "run"));
}

void phrase_sides(struct text *t, const struct hd_fleet_suspect *s)
{
    add_part(t, s->since_with, s->since_without);
    say(t, " from it on ", s->since_with == 1 ? "shows" : "show", " it, ");
    add_part(t, s->before_with, s->before_without);
    say(t, " before; by chance ");
    phrase_chance(t, s->log_chance, s->boundaries);
}

enum { HOURS = 24 };

void phrase_pool(struct text *t, const struct hd_fleet_suspect *s)
{
    if (s->periods == 0)
        return;
    say(t, "runs judged together: it grew in ", s->periods_with, " of ",
        as_plural(s->periods, "period"), ", by chance ");
    phrase_chance(t, s->pool_log_chance, 1);
    say(t, ", and at ", s->pool_hours, " of ", as_plural(HOURS, "hour"), " of the day");
}

void phrase_missing(struct text *t, const struct hd_fleet_suspect *s)
{
    switch (s->missing) {
    case HD_MISSING_SNAPSHOTS:
        say(t, "three snapshots of one process after its first half hour");
        break;
    case HD_MISSING_RUNS:
        say(t, "more runs at other times: it grew in ", s->periods_with, " of ",
            as_plural(s->periods, "period"), " so far");
        break;
    case HD_MISSING_SHARE:
        say(t, "a larger share of runs: it grew in only ", s->periods_with, " of ",
            as_plural(s->periods, "period"), ", or in few runs of each");
        break;
    case HD_MISSING_HOURS:
        say(t, "growth at nearly all hours of the day, to rule out daily load; so far at ",
            s->pool_hours, " of ", as_plural(HOURS, "hour"));
        break;
    case HD_MISSING_PACE:
        say(t, "steady growth: it slows down in most runs, as a filling cache does");
        break;
    default:
        break;
    }
}

void phrase_ends(struct text *t, const struct hd_fleet_suspect *s)
{
    if (s->ended_near_limit > 0)
        say(t, as_plural(s->ended_near_limit, "run"), " ended near ",
            s->ended_near_limit == 1 ? "its" : "their", " limit of memory");
}

/* "3 of 4 shards are missing" */
static void phrase_shards_missing(struct text *t, const struct hd_fleet_answer *a)
{
    say(t, a->shards_missing, " of ", as_plural(a->rules.shards, "shard"),
        a->shards_missing == 1 ? " is" : " are", " missing; their runs are not counted");
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
        [HD_DOUBT_LEVELED_OFF] = "no suspect, but growth leveled off",
        [HD_DOUBT_RESERVED] = "no suspect, but a store fills or empties later",
        [HD_DOUBT_OUTSIDE] = "no suspect, but memory outside the objects grew",
    };
    return (unsigned)doubt < HD_DOUBT_COUNT ? words[doubt] : "";
}

/* --- the verdict -------------------------------------------------------------------- */

/* "checkout: " */
static void add_service(struct sentence *h, const struct hd_fleet_suspect *s)
{
    if (s->service != NULL)
        say(h, as_whole_name(s->service), ": ");
}

/* "checkout: Session on 12 of 40 hosts, +24 MiB per day each; since build 1.2.3" */
static void add_suspect(struct sentence *h, const struct hd_fleet_suspect *s)
{
    const double a_month = 31 * 24;
    add_service(h, s);
    say(h, as_type(s->title));
    if (s->of_hosts == 1 && s->hosts == 1)
        say(h, " on its only host");
    else if (s->hosts == s->of_hosts)
        say(h, " on all ", as_plural(s->hosts, "host"));
    else
        say(h, " on ", s->hosts, " of ", as_plural(s->of_hosts, "host"));
    if (!isnan(s->per_hour)) {
        say(h, ", ");
        phrase_per_day(&h->words, s->per_day);
        say(h, s->hosts > 1 ? " each" : "");
    }
    if (s->onset == HD_ONSET_NAMED)
        say(h, "; since build ", as_whole_name(s->began_with));
    else if (s->onset == HD_ONSET_FIRST)
        say(h, "; present since the first recorded build");
    if (s->ended_near_limit > 0) {
        say(h, "; ");
        phrase_ends(&h->words, s);
    } else if (s->hours_left < a_month) {
        say(h, s->hours_left > 0 ? "; first host full in " : "; a host is full ");
        phrase_hours_left(&h->words, s->hours_left);
    }
}

/* Maximum of suspects in the verdict. */
enum { MAX_SHOWN = 3 };

static void add_suspects(struct hd_report *r, const struct hd_fleet_answer *a)
{
    for (size_t i = 0; i < a->suspect_count && i < MAX_SHOWN; i++) {
        struct sentence h = {0};
        add_suspect(&h, &a->suspects[i]);
        summary_add(r, "LEAK", &h);
    }
    if (a->suspect_count > MAX_SHOWN) {
        struct sentence h = {0};
        say(&h, "and ", a->suspect_count - MAX_SHOWN, " more");
        summary_add(r, NULL, &h);
    }
}

/* "Shop: Order grows in 3 of 4 runs; missing for a verdict: ..." */
static void add_open_suspects(struct hd_report *r, const struct hd_fleet_answer *a)
{
    const struct hd_fleet_suspect *open = a->suspects + a->suspect_count + a->few_count;
    for (size_t i = 0; i < a->open_count && i < MAX_SHOWN; i++) {
        struct sentence h = {0};
        add_service(&h, &open[i]);
        say(&h, as_type(open[i].title), " grows in ", open[i].runs, " of ",
            as_plural(open[i].of_runs, "run"), "; missing for a verdict: ");
        phrase_missing(&h.words, &open[i]);
        say(&h, open[i].ended_near_limit > 0 ? "; " : "");
        phrase_ends(&h.words, &open[i]);
        summary_add(r, NULL, &h);
    }
}

/* Runs without a verdict must not be taken for healthy. */
static void add_open(struct hd_report *r, const struct hd_fleet_answer *a, uint64_t runs)
{
    uint64_t open = a->runs[HD_UNSURE] + a->runs[HD_NOT_JUDGED];
    struct sentence h = {0};
    if (a->runs[HD_JUDGED] > 0 && open > 0)
        say(&h, open, " of ", as_plural(runs, "run"),
            open == 1 ? " allows no verdict" : " allow no verdict");
    if (a->shards_missing > 0) {
        say(&h, h.words.len > 0 ? "; " : "");
        phrase_shards_missing(&h.words, a);
    }
    if (h.words.len > 0)
        summary_add(r, NULL, &h);
    sentence_free(&h);
}

/* Names the runs without verdict, in a word or two: the list is below. */
static void add_no_verdict(struct sentence *h, const struct hd_fleet_answer *a,
                           uint64_t runs)
{
    say(h, "No verdict yet: ");
    if (runs == 0) {
        say(h, "no snapshot was taken in the window");
        return;
    }
    if (runs == 1)
        say(h, "the only run allows none");
    else
        say(h, "none of ", as_plural(runs, "run"), " allows one");
    if (a->unjudged_count > 0)
        say(h, " (", phrase_doubt(a->unjudged[0].doubt), runs > 1 ? ", and others)" : ")");
}

/* Builds the summary: which service leaks what, on how many hosts; or that no leak was
 * found, and in which runs. */
static void summarize(struct hd_report *r, struct hd_fleet_answer *a)
{
    uint64_t runs = a->runs[HD_JUDGED] + a->runs[HD_UNSURE] + a->runs[HD_NOT_JUDGED];
    struct sentence h = {0};
    r->summary = (struct hd_summary){.severity = HD_SEVERITY_UNSURE};
    if (a->runs[HD_JUDGED] == 0 && a->suspect_count == 0) {
        add_no_verdict(&h, a, runs);
        summary_add(r, "UNSURE", &h);
    } else if (a->suspect_count > 0) {
        r->summary.severity = HD_SEVERITY_BAD;
        add_suspects(r, a);
    } else {
        bool whole = a->runs[HD_JUDGED] == runs && a->shards_missing == 0;
        bool good = whole && a->few_count == 0;
        r->summary.severity = good ? HD_SEVERITY_GOOD : HD_SEVERITY_UNSURE;
        say(&h, good ? "" : "No leak found ",
            a->few_count > 0 ? "on more than single hosts, in " : "in ",
            as_plural(a->runs[HD_JUDGED], "judged run"), " on ",
            as_plural(a->hosts_judged, "host"));
        summary_add(r, good ? "NO LEAK FOUND" : "UNSURE", &h);
    }
    if (a->suspect_count == 0)
        add_open_suspects(r, a);
    add_open(r, a, runs);
    a->headline = summary_line(r);
}

/* --- the evidence ------------------------------------------------------------------- */

static void add_evidence(struct hd_report *r, const struct hd_fleet_answer *a,
                         struct hd_fleet_suspect *s)
{
    const struct hint *hint = hint_named(s->hint);
    const struct hd_fleet_host *worst = s->on_count > 0 ? &s->on[0] : NULL;
    struct text command = {0};
    s->fix = hint != NULL ? hint->fix : NULL;
    s->run = worst != NULL ? worst->run : HD_UNKNOWN;
    s->chain = worst != NULL ? worst->chain : NULL;
    if (s->run == HD_UNKNOWN)
        return;
    /* The command that opens the worst run. */
    struct text store = {0};
    char time[CALENDAR_TIME];
    double since = a->rules.since;
    say(&store, "--store=", a->store != NULL ? a->store : "URL");
    say(&command, "heapdrift report ");
    format_shell_word(&command, text_string(&store));
    say(&command, " --run=", as_digits(worst->run));
    /* Snapshots before the window were not examined. Most processes started later. */
    if (worst->started < since && fabs(since) < 1e15 &&
        calendar_time((int64_t)floor(since), time))
        say(&command, " --since=", time, "Z");
    say(&command, " -o run-", as_digits(worst->run), ".html");
    text_free(&store);
    s->command = report_keep_text(r, &command);
}

/* --- the report of a fleet --------------------------------------------------------- */

/* On fewer than one host of twenty, a suspect is the host's own problem. */
static const double usual_min_hosts = 0.05;

void hd_fleet_set_default_options(struct hd_fleet_options *opt)
{
    *opt = (struct hd_fleet_options){
        .limit = HD_UNKNOWN, .min_hosts_share = usual_min_hosts, .rows = HD_DEFAULT_ROWS};
}

static size_t count_suspects(const struct hd_report *r)
{
    return r->fleet->suspect_count;
}

/* True if every shard is present, and every run was judged. */
static bool is_conclusive(const struct hd_report *r)
{
    const struct hd_fleet_answer *a = r->fleet;
    return a->shards_missing == 0 && a->runs[HD_JUDGED] > 0 && a->runs[HD_UNSURE] == 0 &&
           a->runs[HD_NOT_JUDGED] == 0;
}

static void cut(struct hd_report *r, struct arena *arena)
{
    struct hd_fleet_answer *a = arena_alloc(arena, sizeof(*a));
    *a = *r->fleet;
    a->suspects_shown = report_rows(r, a->suspect_count);
    a->few_shown = report_rows(r, a->few_count);
    a->open_shown = report_rows(r, a->open_count);
    a->services_shown = report_rows(r, a->service_count);
    a->host_rows_shown = report_rows(r, a->host_row_count);
    a->unjudged_shown = report_rows(r, a->unjudged_count);
    r->fleet = a;
}

/* The records have the names of the answer. */
static void release(struct hd_report *r)
{
    hd_fleet_free(r->made);
}

/* Adds a warning with a count, unless it is 0. */
static void warn_count(struct hd_report *r, enum warning_code code, uint64_t count)
{
    if (count == 0)
        return;
    report_warn(r, code, (size_t)-1);
    r->warnings[r->warning_count - 1].count = count;
}

struct hd_report *hd_report_fleet(struct hd_fleet *f, const struct hd_fleet_options *opt)
{
    static const struct report_maker maker = {count_suspects, is_conclusive, cut, release};
    struct hd_fleet_options how;
    hd_fleet_set_default_options(&how);
    how = opt != NULL ? *opt : how;
    struct hd_report *r = report_new(HD_REPORT_FLEET, NULL);
    struct hd_fleet_answer *a = arena_alloc(&r->arena, sizeof(*a));
    r->made = fleet_hold(f);
    r->maker = &maker;
    r->fleet = a;
    r->options.rows = how.rows;
    r->rows = how.rows != HD_DEFAULT_ROWS ? how.rows : REPORT_USUAL_ROWS;
    fleet_answer(a, f, &how, &r->arena);
    a->store = report_string(r, how.store);
    for (size_t i = 0; i < a->suspect_count + a->few_count + a->open_count; i++)
        add_evidence(r, a, &a->suspects[i]);
    warn_count(r, WARN_RUNS_NOT_JUDGED, a->runs[HD_NOT_JUDGED] + a->runs[HD_UNSURE]);
    warn_count(r, WARN_SNAPSHOTS_DAMAGED, a->runs_damaged);
    warn_count(r, WARN_HOST_UNKNOWN, a->unnamed_hosts);
    if (a->shards_missing > 0) {
        struct text t = {0};
        phrase_shards_missing(&t, a);
        report_warn_text(r, WARN_SHARDS_MISSING, (size_t)-1, &t);
    }
    summarize(r, a);
    cut(r, &r->arena);
    report_publish(r);
    return r;
}
