/* A fleet: suspects with their hosts and builds, services, hosts, runs without a verdict.
 */
#include "fleet/report_fleet.h"
#include "report/records.h"

#include <math.h>

/* Maximum of hosts listed per suspect, worst first; the rest is counted. */
enum { MAX_HOSTS = 24 };

NAMES(fleet_onset)
NAMES(fleet_evidence)
NAMES(fleet_missing)
NAMES(judgement)
NAMES(doubt)

static const char *by_word(unsigned i)
{
    static const char *const all[] = {"service", "host", "build"};
    return i < 3 ? all[i] : NULL;
}

/* --- when it is full ------------------------------------------------------------- */

/* Writes hours: null for unknown and never; a word distinguishes these and "now". */
static json_t *runs_full(double hours)
{
    return isnan(hours)   ? json_null()
           : isinf(hours) ? json_string("never")
           : hours <= 0   ? json_string("now")
                          : json_string("later");
}

#define FIELD_HOURS_LEFT(full)                                                            \
    FIELD("hours_left", REAL(hours_left), MAY_BE_NULL,                                    \
          "Hours until the memory limit is reached at the current growth of the heap; "   \
          "null if unknown or never."),                                                   \
        FIELD("runs_full", MADE(full), MAY_BE_NULL,                                       \
              "Time at which the memory limit is reached: now, later (see `hours_left`) " \
              "or never; null if unknown.",                                               \
              "\"enum\": [\"now\", \"later\", \"never\", null]")
#define FIELD_NAME(key, m, words) FIELD(key, TEXT(m), MAY_BE_NULL, words)

static void cell_moment(struct text *t, double seconds)
{
    if (!isnan(seconds))
        phrase_moment(t, seconds);
}

/* --- runs ------------------------------------------------------------------------ */

struct fleet_runs {
    uint64_t of[HD_JUDGEMENT_COUNT];
};

#define T struct fleet_runs
static const struct record_field runs_fields[] = {
    FIELD("judged", UINT64(of[HD_JUDGED]), NEVER_NULL, "Runs with a verdict."),
    FIELD("unsure", UINT64(of[HD_UNSURE]), NEVER_NULL,
          "Runs that were compared, with too little evidence for a verdict."),
    FIELD("not_judged", UINT64(of[HD_NOT_JUDGED]), NEVER_NULL,
          "Runs that could not be compared."),
};
static const RECORD_OF(runs, "runs", runs_fields, "Runs in the window by judgement.");
#undef T

/* --- a suspect ------------------------------------------------------------------- */

#define T struct hd_fleet_host
VALUE(host_full, runs_full(x->hours_left))
static const struct record_field host_fields[] = {
    FIELD_NAME("host", host, "Name of the host; null if unknown."),
    FIELD_NAME("build", build, "Build of the worst run on the host; null if unknown."),
    FIELD("score_share", REAL(score_share), MAY_BE_NULL,
          "Share of the heap in the worst run on the host; null if unknown."),
    FIELD("bytes_per_hour", REAL(per_hour), MAY_BE_NULL,
          "Growth of the retained bytes per hour in that run; null if unknown."),
    FIELD("heap_bytes", UINT64(heap), MAY_BE_NULL,
          "Heap of the newest judged run on the host, in its last snapshot, in bytes; null "
          "if unknown."),
    FIELD_HOURS_LEFT(host_full),
    FIELD("still", TRUTH(is_there_still), NEVER_NULL,
          "True if the newest judged run on the host shows the suspect."),
    FIELD("times", REALS(times, count), NEVER_NULL,
          "Times of the snapshots of the worst run: Unix seconds."),
    FIELD("retained", NUMBERS(retained, count), NEVER_NULL,
          "Bytes that the suspect retained in each snapshot of the worst run."),
    FIELD("run", UINT64(run), MAY_BE_NULL,
          "Number of the worst run, for heapdrift report --run; null if unknown."),
    FIELD("rank", UINT32(rank), NEVER_NULL, "Rank of the suspect in that run."),
};
static const RECORD_OF(host, "host", host_fields, "A host that shows the suspect.");
#undef T

#define T struct hd_fleet_build_count
static const struct record_field build_fields[] = {
    FIELD("build", TEXT(build), NEVER_NULL, "Name of the build."),
    FIELD("first_seen", REAL(first_seen), MAY_BE_NULL,
          "First snapshot of the first run of the build: Unix seconds; null if unknown."),
    FIELD("runs_with", UINT64(with), NEVER_NULL, "Judged runs that show the suspect."),
    FIELD("runs_judged", UINT64(runs), NEVER_NULL, "All judged runs of the build."),
};
static const RECORD_OF(build, "build", build_fields,
                       "A build with runs that show the suspect.");
#undef T

#define T struct hd_fleet_suspect
VALUE(suspect_full, runs_full(x->hours_left))

KNOWN(has_boundary, x->began_with != NULL)

VALUE(log10_chance,
      x->began_with != NULL ? json_real_or_null(x->log_chance / log(10)) : json_null())

static size_t hosts_shown(const T *s)
{
    return s->on_count < MAX_HOSTS ? s->on_count : MAX_HOSTS;
}

VALUE(hosts, records_json(&record_host, x->on, hosts_shown(x), w))
VALUE(hosts_omitted, json_integer((json_int_t)(x->on_count - hosts_shown(x))))

static const struct record_field onset_fields[] = {
    FIELD("status", CHOICE(onset, fleet_onset_word, HD_ONSET_COUNT), NEVER_NULL,
          "named: it began with `build`, which is not due to chance; first-build: the "
          "first recorded build shows it already; chance: it may be due to chance; "
          "unknown: no run that shows it has a build."),
    FIELD_NAME("build", began_with,
               "The build at which the difference to all builds before is least likely to "
               "be chance; null if unknown."),
    FIELD("since_with", UINT64(since_with), NEVER_NULL,
          "Judged runs of this and later builds that show the suspect."),
    FIELD("since_without", UINT64(since_without), NEVER_NULL,
          "Judged runs of this and later builds that do not show the suspect."),
    FIELD("before_with", UINT64(before_with), NEVER_NULL,
          "Judged runs of earlier builds that show the suspect."),
    FIELD("before_without", UINT64(before_without), NEVER_NULL,
          "Judged runs of earlier builds that do not show the suspect."),
    FIELD("chance", REAL(chance), MAY_BE_NULL,
          "Probability by Fisher's exact test, one-sided, for these four numbers; 0 if too "
          "small for a double, null if unknown.",
          A_SHARE, has_boundary),
    FIELD("log10_chance", MADE(log10_chance), MAY_BE_NULL,
          "Decimal logarithm of `chance`; null if unknown.",
          "\"type\": [\"number\", \"null\"]"),
    FIELD("boundaries", SIZE(boundaries), NEVER_NULL,
          "Boundaries between builds of the service; `chance` is multiplied by this number "
          "for `status`."),
};
static const RECORD_OF(onset, "onset", onset_fields,
                       "The build with which the suspect began.");

KNOWN(is_open, x->evidence == HD_EVIDENCE_OPEN)
KNOWN(was_pooled, x->periods > 0)
VALUE(pool_log10_chance,
      x->periods > 0 ? json_real_or_null(x->pool_log_chance / log(10)) : json_null())

static const struct record_field pool_fields[] = {
    FIELD(
        "periods", UINT64(periods), NEVER_NULL,
        "Periods that do not overlap, each with a counted run; 0 if no runs were pooled."),
    FIELD("periods_with", UINT64(periods_with), NEVER_NULL,
          "Periods in which a run shows the suspect."),
    FIELD("log10_chance", MADE(pool_log10_chance), MAY_BE_NULL,
          "Decimal logarithm of an upper bound on the probability that this is due to "
          "chance; null if unknown.",
          "\"type\": [\"number\", \"null\"]"),
    FIELD("hours_of_day", UINT32(pool_hours), NEVER_NULL,
          "Hours of the day, UTC, in which the suspect grew."),
};
static const RECORD_OF(pool, "pool", pool_fields,
                       "Evidence of runs that are judged only together: of the builds and "
                       "hosts with the strongest evidence.");

WORDS(add_worst_host,
      text_add_string(t, x->on_count > 0 && x->on[0].host != NULL ? x->on[0].host : ""))
WORDS(add_first_seen, cell_moment(t, x->first_seen))

static const struct record_field suspect_fields[] = {
    FIELD("rank", SIZE(rank), NEVER_NULL,
          "Rank, from 1; suspects on few hosts follow the others."),
    FIELD_NAME("service", service, "Service; null if unknown."),
    FIELD("type", TEXT(type), NEVER_NULL, "The ranked type."),
    FIELD("subject", TEXT(title), NEVER_NULL,
          "Name for a title: the type if nothing better is known."),
    FIELD_NAME("holder", holder, "Owners, as one line; null if unknown."),
    FIELD_NAME("hint", hint, "Hint: a section of docs/hints.md; null if there is none."),
    FIELD("on_few_hosts", TRUTH(is_few), NEVER_NULL,
          "True if fewer hosts than --min-hosts show it: a problem of these hosts, not a "
          "suspect of the fleet."),
    FIELD("hosts_with", UINT64(hosts), NEVER_NULL, "Hosts on which a judged run shows it."),
    FIELD("hosts_judged", UINT64(of_hosts), NEVER_NULL,
          "Hosts of the service with a judged run."),
    FIELD("hosts_still", UINT64(hosts_still), NEVER_NULL,
          "Hosts on which the newest judged run shows it."),
    FIELD("hosts_share", REAL(hosts_share), NEVER_NULL,
          "hosts_with divided by hosts_judged.", A_SHARE),
    FIELD("runs_with", UINT64(runs), NEVER_NULL, "Judged runs that show it."),
    FIELD("runs_judged", UINT64(of_runs), NEVER_NULL, "Judged runs of the service."),
    FIELD("score", REAL(score), NEVER_NULL,
          "hosts_share multiplied by score_share; the suspects are ranked by this.",
          "\"minimum\": 0"),
    FIELD("score_share", REAL(score_share), MAY_BE_NULL,
          "Median share of the heap, by the score of the ranking, over the worst run of "
          "each host that shows it; null if unknown.",
          "\"minimum\": 0"),
    FIELD("bytes_per_hour", REAL(per_hour), MAY_BE_NULL,
          "Median growth of the retained bytes per hour over the same runs; null if "
          "unknown."),
    FIELD(
        "bytes_per_day", REAL(per_day), MAY_BE_NULL,
        "Median growth of the retained bytes per day over the same runs; null if unknown."),
    FIELD_HOURS_LEFT(suspect_full),
    FIELD_NAME(
        "first_build", first_build,
        "The first build, in order of time, with a run that shows it; null if unknown."),
    FIELD("first_seen", REAL(first_seen), MAY_BE_NULL,
          "First snapshot of the first run that shows it: Unix seconds; null if unknown."),
    FIELD("onset", GROUP(record_onset), NEVER_NULL, NULL),
    FIELD("builds", RECORDS(builds, build_count, record_build), NEVER_NULL,
          "Builds with runs that show it, in order of time."),
    FIELD("hosts", MADE_RECORDS(hosts, record_host), NEVER_NULL,
          "Hosts that show it, fastest growth first, at most 24."),
    FIELD("hosts_omitted", MADE(hosts_omitted), NEVER_NULL, "Hosts omitted from `hosts`.",
          A_COUNT),
    FIELD("fix", TEXT(fix), MAY_BE_NULL,
          "Remedy as text: the first sentences of docs/hints.md on the hint; null if there "
          "is none."),
    FIELD("run", UINT64(run), MAY_BE_NULL,
          "Number of the worst run, on the first of the hosts; null if unknown."),
    FIELD("chain", TEXT(chain), MAY_BE_NULL,
          "Chain from a root that keeps most of the instances alive, as one line, in the "
          "last snapshot of that run; null if unknown."),
    FIELD("command", TEXT(command), MAY_BE_NULL,
          "Command that opens that run, for a shell; without a password, and with "
          "--store=URL if the store is unknown. Null if unknown."),
    FIELD("evidence", CHOICE(evidence, fleet_evidence_word, HD_EVIDENCE_COUNT), NEVER_NULL,
          "Evidence. judged: runs judged on their own; pooled: these and runs that suffice "
          "together, which count as judged here; open: runs that do not suffice, which "
          "count as judged here; not a suspect."),
    FIELD("missing", CHOICE(missing, fleet_missing_word, HD_MISSING_COUNT), MAY_BE_NULL,
          "Missing evidence of an open one: snapshots, runs, share, hours or pace "
          "(docs/fleet.md); null for others.",
          NULL, is_open),
    FIELD("pool", GROUP(record_pool), NEVER_NULL, NULL),
    FIELD("ended_near_limit", UINT64(ended_near_limit), NEVER_NULL,
          "Runs that show it, ended near their memory limit, and were followed by another "
          "run."),
    FIELD("hours_from_start", REAL(life_hours), MAY_BE_NULL,
          "Hours from the start of a process to its memory limit at the growth of its "
          "heap: median of the worst host; null if unknown, never, or if judged."),
};
static const RECORD_OF(
    fleet_suspect, "fleet_suspect", suspect_fields,
    "A type that accumulates in runs of a service, kept alive by the same owners.");

/* Overrides for tables: dates as text, and names for nested values. Found first. */
static const struct record_field suspect_table_cells[] = {
    IN_TABLES("first_seen", CSV_CELL(add_first_seen)),
    IN_TABLES("worst_host", CSV_CELL(add_worst_host)),
    IN_TABLES("onset", CHOICE(onset, fleet_onset_word, HD_ONSET_COUNT)),
    IN_TABLES("began_with", TEXT(began_with)),
    IN_TABLES("chance", REAL(chance), .known = has_boundary),
    IN_TABLES("periods", UINT64(periods)),
    IN_TABLES("periods_with", UINT64(periods_with)),
    IN_TABLES("hours_of_day", UINT32(pool_hours), .known = was_pooled),
    FIELDS_OF(SAME(record_fleet_suspect)),
};
static const struct record record_fleet_suspect_cells = {
    .name = NULL,
    NULL,
    FIELDS(suspect_table_cells),
    .csv =
        "rank service type subject holder on_few_hosts hosts_with hosts_judged hosts_still "
        "hosts_share runs_with runs_judged score score_share bytes_per_hour bytes_per_day "
        "hours_left worst_host first_build first_seen onset began_with chance evidence "
        "missing periods_with periods hours_of_day ended_near_limit hours_from_start hint "
        "run chain command"};
#undef T

/* --- services, hosts, runs ------------------------------------------------------- */

#define T struct hd_fleet_service
VALUE(service_full, runs_full(x->hours_left))
static const struct record_field service_fields[] = {
    FIELD_NAME("service", service, "Name of the service; null if unknown."),
    FIELD("suspects", SIZE(suspects), NEVER_NULL, "Suspects of the fleet in the service."),
    FIELD("hosts", UINT64(hosts), NEVER_NULL, "Hosts with a snapshot in the window."),
    FIELD("hosts_judged", UINT64(hosts_judged), NEVER_NULL, "Hosts with a judged run."),
    FIELD("runs", RECORD(runs, record_runs), NEVER_NULL, NULL),
    FIELD("snapshots_compared", UINT64(snapshots), NEVER_NULL, "Compared snapshots."),
    FIELD("builds", SIZE(builds), NEVER_NULL, "Builds named by the runs."),
    FIELD_HOURS_LEFT(service_full),
    FIELD("last_snapshot", REAL(last), MAY_BE_NULL,
          "Time of the newest compared snapshot, Unix seconds; null if there is none."),
    FIELD("suspects_open", SIZE(suspects_open), NEVER_NULL,
          "Growing types in runs with too little evidence; not suspects."),
};
static const RECORD_OF(service, "service", service_fields, "A service.");
#undef T

#define T struct hd_fleet_host_row
VALUE(row_full, runs_full(x->hours_left))
static const struct record_field host_row_fields[] = {
    FIELD_NAME("service", service, "Name of the service; null if unknown."),
    FIELD_NAME("host", host, "Name of the host; null if unknown."),
    FIELD_NAME("build", build, "Build of the newest run; null if unknown."),
    FIELD("suspects", SIZE(suspects), NEVER_NULL, "Different suspects of judged runs."),
    FIELD_NAME("type", type,
               "Name of the worst suspect for a title; null if there is none."),
    FIELD_NAME("subject", title, "Type of the worst suspect; null if there is none."),
    FIELD_NAME("holder", holder,
               "Owners of the worst suspect, as one line; null if unknown."),
    FIELD("score_share", REAL(score_share), MAY_BE_NULL,
          "Share of the heap of the worst suspect; null if there is none."),
    FIELD("bytes_per_hour", REAL(per_hour), MAY_BE_NULL,
          "Growth of the worst suspect in bytes per hour; null if there is none."),
    FIELD("runs", RECORD(runs, record_runs), NEVER_NULL, NULL),
    FIELD("heap_bytes", UINT64(heap), MAY_BE_NULL,
          "Heap in the last snapshot of the newest run, in bytes; null if unknown."),
    FIELD("heap_bytes_per_hour", REAL(heap_per_hour), MAY_BE_NULL,
          "Growth of the heap of that run in bytes per hour; null if unknown."),
    FIELD_HOURS_LEFT(row_full),
    FIELD("times", REALS(times, count), NEVER_NULL,
          "Times of the snapshots of the newest run: Unix seconds."),
    FIELD("heap", NUMBERS(bytes, count), NEVER_NULL,
          "Bytes of the heap of the newest run in each snapshot."),
    FIELD("run", UINT64(run), MAY_BE_NULL,
          "Number of the run with the worst suspect, or else of the newest run; null if "
          "unknown."),
    FIELD("suspects_pooled", SIZE(suspects_pooled), NEVER_NULL,
          "Further suspects on the host, from runs that suffice only together. If "
          "`suspects` is 0, `type` and the other keys describe the first of these."),
    FIELD("suspects_open", SIZE(suspects_open), NEVER_NULL,
          "Further growing types on the host, in runs with too little evidence."),
    FIELD_NAME("open_subject", open_subject,
               "Name of the first of the growing types in `suspects_open`; null if there "
               "is none."),

    IN_TABLES("runs_judged", UINT64(runs[HD_JUDGED])),
    IN_TABLES("runs_unsure", UINT64(runs[HD_UNSURE])),
    IN_TABLES("runs_not_judged", UINT64(runs[HD_NOT_JUDGED])),
};
static const struct record record_host_row = {
    .name = "host_row",
    .doc = "A host of a service.",
    FIELDS(host_row_fields),
    .csv = "service host build suspects type subject holder score_share bytes_per_hour "
           "runs_judged runs_unsure runs_not_judged heap_bytes heap_bytes_per_hour "
           "hours_left suspects_pooled suspects_open open_subject run"};
#undef T

#define T struct hd_fleet_unjudged
static const struct record_field unjudged_fields[] = {
    FIELD("series", UINT64(series), NEVER_NULL, "Id of the run in the store."),
    FIELD_NAME("service", service, "Name of the service; null if unknown."),
    FIELD_NAME("host", host, "Name of the host; null if unknown."),
    FIELD_NAME("process", process, "Name of the process; null if unknown."),
    FIELD("pid", UINT64(pid), MAY_BE_NULL, "Process id; null if unknown."),
    FIELD_NAME("build", build, "Name of the build; null if unknown."),
    FIELD("judgement", CHOICE(judgement, judgement_word, HD_JUDGEMENT_COUNT), NEVER_NULL,
          "unsure: compared, with too little evidence; not-judged: could not be compared."),
    FIELD("doubt", CHOICE(doubt, doubt_word, HD_DOUBT_COUNT), NEVER_NULL,
          "Reason why there is no verdict: docs/fleet.md."),
    FIELD_NAME("message", why, "The error, as text; null if nothing failed."),
    FIELD("recorded", SIZE(recorded), NEVER_NULL, "Snapshots in the window."),
    FIELD("compared", SIZE(compared), NEVER_NULL, "Compared snapshots."),
    FIELD("damaged", SIZE(damaged), NEVER_NULL, "Unreadable snapshots."),
    FIELD("suspects", SIZE(findings), NEVER_NULL,
          "Suspects of the run, which do not count."),
};
static const RECORD_OF(unjudged, "unjudged", unjudged_fields, "A run without a verdict.");
#undef T

/* --- complete record ----------------------------------------------------------------- */

#define T struct hd_fleet_answer

static const struct record_field window_fields[] = {
    FIELD("since", REAL(rules.since), MAY_BE_NULL,
          "Start of the window, Unix seconds; null if open."),
    FIELD("until", REAL(rules.until), MAY_BE_NULL,
          "End of the window, Unix seconds; null if open."),
    FIELD("first", REAL(first), MAY_BE_NULL,
          "First compared snapshot, Unix seconds; null if there is none."),
    FIELD("last", REAL(last), MAY_BE_NULL,
          "Last compared snapshot, Unix seconds; null if there is none."),
};
static const RECORD_OF(window, "window", window_fields, "The window of time.");

VALUE(is_complete, json_boolean(x->shards_missing == 0))

static json_t *suspects(const void *of, const struct record_walk *w)
{
    const T *a = of;
    json_t *array = records_json(&record_fleet_suspect, a->suspects, a->suspects_shown, w);
    for (size_t i = 0; i < a->few_shown; i++)
        json_append(array, record_json(&record_fleet_suspect,
                                       &a->suspects[a->suspect_count + i], w));
    return array;
}

VALUE(suspects_open,
      records_json(&record_fleet_suspect, x->suspects + x->suspect_count + x->few_count,
                   x->open_shown, w))
VALUE(suspects_open_omitted, json_integer((json_int_t)(x->open_count - x->open_shown)))
VALUE(suspects_omitted, json_integer((json_int_t)(x->suspect_count + x->few_count -
                                                  x->suspects_shown - x->few_shown)))
VALUE(services_omitted, json_integer((json_int_t)(x->service_count - x->services_shown)))
VALUE(host_rows_omitted, json_integer((json_int_t)(x->host_row_count - x->host_rows_shown)))
VALUE(unjudged_omitted, json_integer((json_int_t)(x->unjudged_count - x->unjudged_shown)))

#define FIELD_OMITTED(what)                                                              \
    FIELD(#what "_omitted", MADE(what##_omitted), NEVER_NULL, "Rows omitted by --rows.", \
          A_COUNT)

static const struct record_field answer_fields[] = {
    FIELD("by", CHOICE(by, by_word, 3), NEVER_NULL,
          "The table of --by; `host_rows` is filled only for host."),
    FIELD_NAME("service", rules.service, "The service of --service; null for all."),
    FIELD("window", GROUP(record_window), NEVER_NULL, NULL),
    FIELD("limit", UINT64(limit), MAY_BE_NULL,
          "Memory limit of every process in bytes (--limit); null: as recorded."),
    FIELD("headline", TEXT(headline), NEVER_NULL, "The verdict in one or two sentences."),
    FIELD("complete", MADE(is_complete), NEVER_NULL, "True if no part is missing.",
          A_BOOLEAN),
    FIELD("shards", UINT32(rules.shards), NEVER_NULL,
          "Number of shards that the runs were divided into; 1 if they were not divided."),
    FIELD("shards_missing", UINT32(shards_missing), NEVER_NULL, "Missing shards."),
    FIELD("runs", RECORD(runs, record_runs), NEVER_NULL, NULL),
    FIELD("runs_open", UINT64(runs_open), NEVER_NULL,
          "Runs without a verdict that show a suspect."),
    FIELD("runs_damaged", UINT64(runs_damaged), NEVER_NULL,
          "Runs with an unreadable snapshot."),
    FIELD("hosts", UINT64(hosts), NEVER_NULL,
          "Hosts with a snapshot in the window, summed over the services."),
    FIELD("hosts_judged", UINT64(hosts_judged), NEVER_NULL, "Hosts with a judged run."),
    FIELD("snapshots_compared", UINT64(snapshots), NEVER_NULL, "Compared snapshots."),
    FIELD("suspects", MADE_RECORDS(suspects, record_fleet_suspect), NEVER_NULL,
          "Suspects by score; then those on few hosts."),
    FIELD_OMITTED(suspects),
    FIELD("services", RECORDS(services, services_shown, record_service), NEVER_NULL,
          "Services by name."),
    FIELD_OMITTED(services),
    FIELD("host_rows", RECORDS(host_rows, host_rows_shown, record_host_row), NEVER_NULL,
          "Hosts with --by=host, those with the worst suspects first."),
    FIELD_OMITTED(host_rows),
    FIELD("unjudged", RECORDS(unjudged, unjudged_shown, record_unjudged), NEVER_NULL,
          "Runs without a verdict: not judged, then unsure."),
    FIELD_OMITTED(unjudged),
    FIELD("suspects_open", MADE_RECORDS(suspects_open, record_fleet_suspect), NEVER_NULL,
          "Growing types in runs that do not suffice for a verdict, even together."),
    FIELD_OMITTED(suspects_open),
};
static const RECORD_OF(answer, NULL, answer_fields, NULL);
#undef T

#define T struct hd_model
static const struct record_field fleet_fields[] = {
    FIELDS_OF(PART_AT(fleet, record_answer)),
    FIELD_WARNINGS,
};
const RECORD_OF(
    fleet, "fleet", fleet_fields,
    "Combined result of many runs of many processes. Unknown numbers are null.");
#undef T

/* --- tables ---------------------------------------------------------------------- */

/* A build of a suspect. */
struct build_row {
    struct hd_fleet_suspect suspect;
    struct hd_fleet_build_count build;
    bool began_here;
};

#define T struct build_row
WORDS(add_build_seen, cell_moment(t, x->build.first_seen))

static const struct record_field build_cells[] = {
    IN_TABLES("first_seen", CSV_CELL(add_build_seen)),
    IN_TABLES("runs_with", UINT64(build.with)),
    IN_TABLES("runs_judged", UINT64(build.runs)),
    IN_TABLES("build", TEXT(build.build)),
    IN_TABLES("began_here", TRUTH(began_here)),
    IN_TABLES("evidence", CHOICE(suspect.evidence, fleet_evidence_word, HD_EVIDENCE_COUNT)),
    FIELDS_OF(PART(suspect, record_fleet_suspect)),
};
static const struct record record_build_cells = {
    .name = NULL,
    NULL,
    FIELDS(build_cells),
    .csv = "rank service type holder build first_seen runs_with runs_judged began_here "
           "evidence"};
#undef T

static void put_builds(struct csv_writer *csv, const struct hd_fleet_suspect *s,
                       const struct record_walk *w)
{
    for (size_t k = 0; k < s->build_count; k++) {
        const struct hd_fleet_build_count *b = &s->builds[k];
        bool here = s->onset == HD_ONSET_NAMED && s->began_with == b->build;
        csv_record_rows(csv, &record_build_cells, &(struct build_row){*s, *b, here}, 1, w);
    }
}

void csv_fleet(struct csv_writer *csv, const struct hd_fleet_answer *a)
{
    const struct record *const tables[] = {[HD_FLEET_BY_SERVICE] =
                                               &record_fleet_suspect_cells,
                                           [HD_FLEET_BY_HOST] = &record_host_row,
                                           [HD_FLEET_BY_BUILD] = &record_build_cells};
    const struct record *r = tables[a->by];
    const struct hd_fleet_suspect *open = a->suspects + a->suspect_count + a->few_count;
    struct record_walk w = {0};
    csv_record_titles(csv, r, &w);
    if (a->by == HD_FLEET_BY_HOST) {
        csv_record_rows(csv, r, a->host_rows, a->host_rows_shown, &w);
    } else if (a->by == HD_FLEET_BY_SERVICE) {
        csv_record_rows(csv, r, a->suspects, a->suspects_shown, &w);
        csv_record_rows(csv, r, a->suspects + a->suspect_count, a->few_shown, &w);
        csv_record_rows(csv, r, open, a->open_shown, &w);
    } else {
        for (size_t i = 0; i < a->suspects_shown; i++)
            put_builds(csv, &a->suspects[i], &w);
        for (size_t i = 0; i < a->open_shown; i++)
            put_builds(csv, &open[i], &w);
    }
}
