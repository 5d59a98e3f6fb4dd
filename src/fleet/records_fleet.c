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

#define FIELD_HOURS_LEFT(full)                                                             \
    FIELD("hours_left", REAL(hours_left), MAY_BE_NULL,                                     \
          "Hours until the limit of memory is reached, if the heap goes on growing as it " \
          "does; null if unknown or never."),                                              \
        FIELD("runs_full", MADE(full), MAY_BE_NULL,                                        \
              "Whether the limit of memory is ever reached: now, later (then hours_left "  \
              "says "                                                                      \
              "when), never, or null where that is unknown.",                              \
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
    FIELD("judged", UINT64(of[HD_JUDGED]), NEVER_NULL, "With a verdict."),
    FIELD("unsure", UINT64(of[HD_UNSURE]), NEVER_NULL,
          "Compared, but with too little for a verdict."),
    FIELD("not_judged", UINT64(of[HD_NOT_JUDGED]), NEVER_NULL,
          "That could not be compared."),
};
static const RECORD_OF(runs, "runs", runs_fields,
                       "Runs in the window, by what they allow to say.");
#undef T

/* --- a suspect ------------------------------------------------------------------- */

#define T struct hd_fleet_host
VALUE(host_full, runs_full(x->hours_left))
static const struct record_field host_fields[] = {
    FIELD_NAME("host", host, "Its name; null unknown."),
    FIELD_NAME("build", build, "Of the worst run there."),
    FIELD("score_share", REAL(score_share), MAY_BE_NULL,
          "Of the heap, in the worst run there."),
    FIELD("bytes_per_hour", REAL(per_hour), MAY_BE_NULL,
          "What it retains more in that run."),
    FIELD("heap_bytes", UINT64(heap), MAY_BE_NULL,
          "Heap of the newest judged run there, in its last snapshot."),
    FIELD_HOURS_LEFT(host_full),
    FIELD("still", TRUTH(is_there_still), NEVER_NULL,
          "The newest judged run there shows it."),
    FIELD("times", REALS(times, count), NEVER_NULL,
          "When each snapshot was taken: Unix seconds."),
    FIELD("retained", NUMBERS(retained, count), NEVER_NULL,
          "Bytes that the suspect retained in each snapshot of the worst run."),
    FIELD("run", UINT64(run), MAY_BE_NULL,
          "The number of the worst run: heapdrift report --run=."),
    FIELD("rank", UINT32(rank), NEVER_NULL, "Of the suspect in that run."),
};
static const RECORD_OF(host, "host", host_fields, "A host that shows it.");
#undef T

#define T struct hd_fleet_build_count
static const struct record_field build_fields[] = {
    FIELD("build", TEXT(build), NEVER_NULL, "Its name."),
    FIELD("first_seen", REAL(first_seen), MAY_BE_NULL,
          "First snapshot of its first run: Unix seconds."),
    FIELD("runs_with", UINT64(with), NEVER_NULL, "Judged runs that show the suspect."),
    FIELD("runs_judged", UINT64(runs), NEVER_NULL, "All judged runs of it."),
};
static const RECORD_OF(build, "build", build_fields, "A build of which runs show it.");
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
          "named: it began with build, and that is no chance; first-build: the first build "
          "that was seen shows it already; chance: it may be chance; unknown: no run that "
          "shows it tells its build."),
    FIELD_NAME("build", began_with,
               "The build whose boundary to those before is least likely chance."),
    FIELD("since_with", UINT64(since_with), NEVER_NULL,
          "Judged runs of it and later builds that show the suspect."),
    FIELD("since_without", UINT64(since_without), NEVER_NULL, "Those that do not."),
    FIELD("before_with", UINT64(before_with), NEVER_NULL,
          "Judged runs of earlier builds that show the suspect."),
    FIELD("before_without", UINT64(before_without), NEVER_NULL, "Those that do not."),
    FIELD("chance", REAL(chance), MAY_BE_NULL,
          "Fisher's exact test, one-sided, of these four numbers; 0 if smaller than any "
          "number.",
          A_SHARE, has_boundary),
    FIELD("log10_chance", MADE(log10_chance), MAY_BE_NULL, "Its decimal logarithm.",
          "\"type\": [\"number\", \"null\"]"),
    FIELD("boundaries", SIZE(boundaries), NEVER_NULL,
          "Between builds of the service: chance counts so often for status."),
};
static const RECORD_OF(onset, "onset", onset_fields, "With which build it began.");

KNOWN(is_open, x->evidence == HD_EVIDENCE_OPEN)
KNOWN(was_pooled, x->periods > 0)
VALUE(pool_log10_chance,
      x->periods > 0 ? json_real_or_null(x->pool_log_chance / log(10)) : json_null())

static const struct record_field pool_fields[] = {
    FIELD(
        "periods", UINT64(periods), NEVER_NULL,
        "Periods that do not overlap, in each of which a run lies that is counted; 0: none "
        "was pooled."),
    FIELD("periods_with", UINT64(periods_with), NEVER_NULL,
          "Those in which a run shows the suspect."),
    FIELD("log10_chance", MADE(pool_log10_chance), MAY_BE_NULL,
          "Decimal logarithm of a bound on the probability that chance does that.",
          "\"type\": [\"number\", \"null\"]"),
    FIELD("hours_of_day", UINT32(pool_hours), NEVER_NULL,
          "Hours of the day, UTC, in which it grew."),
};
static const RECORD_OF(
    pool, "pool", pool_fields,
    "What runs say together that say too little alone: of the builds and "
    "hosts that say most.");

WORDS(add_worst_host,
      text_add_string(t, x->on_count > 0 && x->on[0].host != NULL ? x->on[0].host : ""))
WORDS(add_first_seen, cell_moment(t, x->first_seen))

static const struct record_field suspect_fields[] = {
    FIELD("rank", SIZE(rank), NEVER_NULL, "From 1; those on few hosts follow the others."),
    FIELD_NAME("service", service, "Which service; null if unknown."),
    FIELD("type", TEXT(type), NEVER_NULL, "What was ranked."),
    FIELD("subject", TEXT(subject), NEVER_NULL,
          "The name for a title: the type if nothing better is known."),
    FIELD_NAME("holder", holder, "What holds it, as one line; null unknown."),
    FIELD_NAME("hint", hint, "What it usually is: an id of docs/hints.md."),
    FIELD("on_few_hosts", TRUTH(is_few), NEVER_NULL,
          "It is on fewer hosts than --min-hosts: a matter of these, and no suspect of the "
          "fleet."),
    FIELD("hosts_with", UINT64(hosts), NEVER_NULL, "Hosts on which a judged run shows it."),
    FIELD("hosts_judged", UINT64(of_hosts), NEVER_NULL,
          "Hosts of the service with a judged run."),
    FIELD("hosts_still", UINT64(hosts_still), NEVER_NULL,
          "Hosts on which the newest judged run shows it."),
    FIELD("hosts_share", REAL(hosts_share), NEVER_NULL, "hosts_with over hosts_judged.",
          A_SHARE),
    FIELD("runs_with", UINT64(runs), NEVER_NULL, "Judged runs that show it."),
    FIELD("runs_judged", UINT64(of_runs), NEVER_NULL, "Judged runs of the service."),
    FIELD("score", REAL(score), NEVER_NULL,
          "hosts_share times score_share: what decides the order.", "\"minimum\": 0"),
    FIELD("score_share", REAL(score_share), MAY_BE_NULL,
          "Median over the hosts that show it of its share of the heap, by the score of "
          "the ranking, in the worst run there.",
          "\"minimum\": 0"),
    FIELD("bytes_per_hour", REAL(per_hour), MAY_BE_NULL,
          "Median over the same of what it retains more per hour."),
    FIELD("bytes_per_day", REAL(per_day), MAY_BE_NULL, "The same per day."),
    FIELD_HOURS_LEFT(suspect_full),
    FIELD_NAME("first_build", first_build,
               "The first build, in order of time, of which a run shows it."),
    FIELD("first_seen", REAL(first_seen), MAY_BE_NULL,
          "First snapshot of the first run that shows it: Unix seconds."),
    FIELD("onset", GROUP(record_onset), NEVER_NULL, NULL),
    FIELD("builds", RECORDS(builds, build_count, record_build), NEVER_NULL,
          "Builds of which runs show it, in order of time."),
    FIELD("hosts", MADE_RECORDS(hosts, record_host), NEVER_NULL,
          "Hosts that show it, fastest growth first; 24 at most."),
    FIELD("hosts_omitted", MADE(hosts_omitted), NEVER_NULL,
          "How many more hosts there are.", A_COUNT),
    FIELD("fix", TEXT(fix), MAY_BE_NULL,
          "What to do, in words: the first ones of docs/hints.md on the hint."),
    FIELD("run", UINT64(run), MAY_BE_NULL,
          "The number of the run that shows it worst, on the first of the hosts."),
    FIELD("chain", TEXT(chain), MAY_BE_NULL,
          "What holds its instances, from a root on, as one line: the chain that most of "
          "them have, in the last snapshot of that run."),
    FIELD(
        "command", TEXT(command), MAY_BE_NULL,
        "What opens that run, to be pasted; without a password, and --store=URL where the "
        "store is not known."),
    FIELD(
        "evidence", CHOICE(evidence, fleet_evidence_word, HD_EVIDENCE_COUNT), NEVER_NULL,
        "What it rests on. judged: runs judged by themselves; pooled: those and runs that "
        "say enough together, all of which count as judged here; open: runs that do not, "
        "all of which count as judged here: no suspect."),
    FIELD("missing", CHOICE(missing, fleet_missing_word, HD_MISSING_COUNT), MAY_BE_NULL,
          "What an open one lacks: snapshots, runs, share, hours or pace (docs/fleet.md); "
          "else null.",
          NULL, is_open),
    FIELD("pool", GROUP(record_pool), NEVER_NULL, NULL),
    FIELD("ended_near_limit", UINT64(ended_near_limit), NEVER_NULL,
          "Runs that show it, ended near their limit of memory, and were followed by "
          "another."),
    FIELD(
        "hours_from_start", REAL(life_hours), MAY_BE_NULL,
        "Hours from the start of a process to its limit, as its heap grows: median of the "
        "host that has least; null if unknown, never, or if judged."),
};
static const RECORD_OF(fleet_suspect, "fleet_suspect", suspect_fields,
                       "What piles up in runs of a service, held in one way.");

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
    FIELD_NAME("service", service, "Its name; null unknown."),
    FIELD("suspects", SIZE(suspects), NEVER_NULL, "Suspects of the fleet in it."),
    FIELD("hosts", UINT64(hosts), NEVER_NULL, "With a snapshot in the window."),
    FIELD("hosts_judged", UINT64(hosts_judged), NEVER_NULL, "With a judged run."),
    FIELD("runs", RECORD(runs, record_runs), NEVER_NULL, NULL),
    FIELD("snapshots_compared", UINT64(snapshots), NEVER_NULL,
          "Snapshots that were compared."),
    FIELD("builds", SIZE(builds), NEVER_NULL, "That runs tell."),
    FIELD_HOURS_LEFT(service_full),
    FIELD("last_snapshot", REAL(last), MAY_BE_NULL,
          "When the newest snapshot was taken that was compared, Unix seconds; null: none "
          "was."),
    FIELD("suspects_open", SIZE(suspects_open), NEVER_NULL,
          "What grows in runs that say too little: no suspects."),
};
static const RECORD_OF(service, "service", service_fields, "A service.");
#undef T

#define T struct hd_fleet_host_row
VALUE(row_full, runs_full(x->hours_left))
static const struct record_field host_row_fields[] = {
    FIELD_NAME("service", service, "Its name; null unknown."),
    FIELD_NAME("host", host, "Its name; null unknown."),
    FIELD_NAME("build", build, "Of the newest run."),
    FIELD("suspects", SIZE(suspects), NEVER_NULL, "Different suspects of judged runs."),
    FIELD_NAME("type", type, "Of the worst of them."),
    FIELD_NAME("subject", subject, "Of the worst of them."),
    FIELD_NAME("holder", holder, "Of the worst of them."),
    FIELD("score_share", REAL(score_share), MAY_BE_NULL, "Of the worst of them."),
    FIELD("bytes_per_hour", REAL(per_hour), MAY_BE_NULL, "Of the worst of them."),
    FIELD("runs", RECORD(runs, record_runs), NEVER_NULL, NULL),
    FIELD("heap_bytes", UINT64(heap), MAY_BE_NULL,
          "In the last snapshot of the newest run."),
    FIELD("heap_bytes_per_hour", REAL(heap_per_hour), MAY_BE_NULL,
          "How the heap of that run grows."),
    FIELD_HOURS_LEFT(row_full),
    FIELD("times", REALS(times, count), NEVER_NULL,
          "When each snapshot was taken: Unix seconds."),
    FIELD("heap", NUMBERS(bytes, count), NEVER_NULL,
          "Bytes of the heap of the newest run in each snapshot."),
    FIELD("run", UINT64(run), MAY_BE_NULL,
          "The number of the run with the worst suspect, or else of the newest."),
    FIELD("suspects_pooled", SIZE(suspects_pooled), NEVER_NULL,
          "Besides: suspects there by runs that say enough together. type and the like are "
          "of the first if suspects is 0."),
    FIELD("suspects_open", SIZE(suspects_open), NEVER_NULL,
          "Besides: what grows in runs that say too little."),
    FIELD_NAME("open_subject", open_subject, "The first of those."),

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
    FIELD("series", UINT64(series), NEVER_NULL, "Its id in the store."),
    FIELD_NAME("service", service, "Its name; null unknown."),
    FIELD_NAME("host", host, "Its name; null unknown."),
    FIELD_NAME("process", process, "Its name; null unknown."),
    FIELD("pid", UINT64(pid), MAY_BE_NULL, "Of the process."),
    FIELD_NAME("build", build, "Its build."),
    FIELD("judgement", CHOICE(judgement, judgement_word, HD_JUDGEMENT_COUNT), NEVER_NULL,
          "Whether something could be compared."),
    FIELD("doubt", CHOICE(doubt, doubt_word, HD_DOUBT_COUNT), NEVER_NULL,
          "Why there is no verdict: docs/fleet.md."),
    FIELD_NAME("message", why, "What failed, in words."),
    FIELD("recorded", SIZE(recorded), NEVER_NULL, "Snapshots in the window."),
    FIELD("compared", SIZE(compared), NEVER_NULL, "Of these."),
    FIELD("damaged", SIZE(damaged), NEVER_NULL, "Of these: could not be read."),
    FIELD("suspects", SIZE(findings), NEVER_NULL,
          "That it has all the same; they do not count."),
};
static const RECORD_OF(unjudged, "unjudged", unjudged_fields, "A run without a verdict.");
#undef T

/* --- complete record ----------------------------------------------------------------- */

#define T struct hd_fleet_answer

static const struct record_field window_fields[] = {
    FIELD("since", REAL(rules.since), MAY_BE_NULL,
          "Where the window begins, Unix seconds; null: open."),
    FIELD("until", REAL(rules.until), MAY_BE_NULL, "Where it ends."),
    FIELD("first", REAL(first), MAY_BE_NULL, "First snapshot that was compared."),
    FIELD("last", REAL(last), MAY_BE_NULL, "Last one."),
};
static const RECORD_OF(window, "window", window_fields, "The time that was looked at.");

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

#define FIELD_OMITTED(what)                                   \
    FIELD(#what "_omitted", MADE(what##_omitted), NEVER_NULL, \
          "How many --rows leaves out.", A_COUNT)

static const struct record_field answer_fields[] = {
    FIELD("by", CHOICE(by, by_word, 3), NEVER_NULL,
          "What --by asks for; host_rows are there for host only."),
    FIELD_NAME("service", rules.service, "The only service that was looked at; null: all."),
    FIELD("window", GROUP(record_window), NEVER_NULL, NULL),
    FIELD("limit", UINT64(limit), MAY_BE_NULL,
          "Memory that every process may use, by --limit; null: as recorded."),
    FIELD("headline", TEXT(headline), NEVER_NULL, "The verdict in a sentence or two."),
    FIELD("complete", MADE(is_complete), NEVER_NULL, "Every part is there.", A_BOOLEAN),
    FIELD("shards", UINT32(rules.shards), NEVER_NULL,
          "Into how many parts the runs were divided; 1: not divided."),
    FIELD("shards_missing", UINT32(shards_missing), NEVER_NULL,
          "Of which so many are not there."),
    FIELD("runs", RECORD(runs, record_runs), NEVER_NULL, NULL),
    FIELD("runs_open", UINT64(runs_open), NEVER_NULL,
          "Runs without a verdict that have a suspect all the same."),
    FIELD("runs_damaged", UINT64(runs_damaged), NEVER_NULL,
          "Runs of which a snapshot could not be read."),
    FIELD("hosts", UINT64(hosts), NEVER_NULL,
          "Hosts with a snapshot in the window; of each service."),
    FIELD("hosts_judged", UINT64(hosts_judged), NEVER_NULL, "Hosts with a judged run."),
    FIELD("snapshots_compared", UINT64(snapshots), NEVER_NULL,
          "Snapshots that were compared."),
    FIELD("suspects", MADE_RECORDS(suspects, record_fleet_suspect), NEVER_NULL,
          "By score; then those on few hosts."),
    FIELD_OMITTED(suspects),
    FIELD("services", RECORDS(services, services_shown, record_service), NEVER_NULL,
          "By name."),
    FIELD_OMITTED(services),
    FIELD("host_rows", RECORDS(host_rows, host_rows_shown, record_host_row), NEVER_NULL,
          "With --by=host: those with the worst suspects first."),
    FIELD_OMITTED(host_rows),
    FIELD("unjudged", RECORDS(unjudged, unjudged_shown, record_unjudged), NEVER_NULL,
          "Runs without a verdict: not judged, then unsure."),
    FIELD_OMITTED(unjudged),
    FIELD("suspects_open", MADE_RECORDS(suspects_open, record_fleet_suspect), NEVER_NULL,
          "What grows in runs without a verdict that say too little together, too."),
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
    "What many runs of many processes say together. Numbers that are not known are null.");
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
