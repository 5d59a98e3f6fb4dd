/* What a fleet shows as metrics of Prometheus: for a textfile collector, a push gateway or
 * whatever scrapes files. What is unknown has no sample; what never happens is +Inf. Of two
 * rows whose labels cannot be told apart in print the worse one is told. */
#include "render/exposition.h"
#include "render/writer.h"
#include "report/format_units.h"
#include "report/report_fleet.h"

static void put_total(struct exposition *e, const char *name, const char *help,
                      double value)
{
    struct text none = {0};
    exposition_begin(e, name, help);
    exposition_sample(e, &none, value);
}

/* --- suspects ------------------------------------------------------------------------- */

static double per_hour(const struct hd_fleet_suspect *s)
{
    return s->per_hour;
}

static double hosts(const struct hd_fleet_suspect *s)
{
    return (double)s->hosts;
}

static double hosts_share(const struct hd_fleet_suspect *s)
{
    return s->hosts_share;
}

static double score_share(const struct hd_fleet_suspect *s)
{
    return s->score_share;
}

static double score(const struct hd_fleet_suspect *s)
{
    return s->score;
}

static double hours_left(const struct hd_fleet_suspect *s)
{
    return s->hours_left;
}

static double run(const struct hd_fleet_suspect *s)
{
    return s->run != HD_UNKNOWN ? (double)s->run : (double)NAN;
}

static double ends(const struct hd_fleet_suspect *s)
{
    return (double)s->ended_near_limit;
}

static double life(const struct hd_fleet_suspect *s)
{
    return s->life_hours;
}

static double is_pooled(const struct hd_fleet_suspect *s)
{
    return s->evidence == HD_EVIDENCE_POOLED;
}

static double runs(const struct hd_fleet_suspect *s)
{
    return (double)s->runs;
}

struct metric {
    const char *name, *help;
    double (*value)(const struct hd_fleet_suspect *s);
};
static const struct metric of_suspects[] = {
    {"heapdrift_suspect_bytes_per_hour",
     "Median growth of what a suspect retains, over the hosts that show it.", per_hour},
    {"heapdrift_suspect_hosts", "Hosts on which a judged run shows the suspect.", hosts},
    {"heapdrift_suspect_hosts_ratio",
     "The same, as a share of the hosts of the service with a judged run.", hosts_share},
    {"heapdrift_suspect_heap_ratio",
     "Median share of the heap, by the score of the ranking.", score_share},
    {"heapdrift_suspect_score",
     "Share of the hosts times median share of the heap, which decides the order.", score},
    {"heapdrift_suspect_hours_to_limit",
     "Hours until the first of its hosts reaches its limit of memory; +Inf never.",
     hours_left},
    {"heapdrift_suspect_run",
     "The number of the run that shows it worst, for heapdrift report --run.", run},
    {"heapdrift_suspect_ended_near_limit",
     "Runs that show it and ended near their limit of memory, followed by another.", ends},
    {"heapdrift_suspect_hours_from_start",
     "Hours from the start of a process to its limit; +Inf never.", life},
    {"heapdrift_suspect_pooled",
     "1: it rests on runs that say enough only together; 0: on judged runs alone.",
     is_pooled},
};

/* What too little is known of for a verdict: for who wants to be told all the same. */
static const struct metric of_open[] = {
    {"heapdrift_open_suspect_bytes_per_hour",
     "Median growth of what grows in runs that allow no verdict, over their hosts.",
     per_hour},
    {"heapdrift_open_suspect_runs", "Runs without a verdict that show it.", runs},
    {"heapdrift_open_suspect_ended_near_limit",
     "Those that ended near their limit of memory, followed by another.", ends},
};

/* What it is and not how it stands today, so that an alert goes on under one name: which
 * run is the worst is a value. Subject and hint follow from type and holder and make no
 * more series. */
static void add_suspect(struct text *labels, const struct hd_fleet_suspect *s)
{
    exposition_label(labels, "service", s->service);
    exposition_label(labels, "type", s->type);
    exposition_label(labels, "subject", s->subject);
    exposition_label(labels, "holder", s->holder);
    exposition_label(labels, "hint", s->hint);
    exposition_label(labels, "few_hosts", s->is_few ? "true" : "false");
}

static void put_suspect(struct exposition *e, const struct hd_fleet_suspect *s,
                        double value)
{
    struct text labels = {0};
    add_suspect(&labels, s);
    exposition_sample(e, &labels, value);
}

static void put_suspects(struct exposition *e, const struct hd_fleet_answer *a)
{
    const struct hd_fleet_suspect *few = a->suspects + a->suspect_count;
    for (size_t m = 0; m < sizeof(of_suspects) / sizeof(*of_suspects); m++) {
        exposition_begin(e, of_suspects[m].name, of_suspects[m].help);
        for (size_t i = 0; i < a->suspects_shown; i++)
            put_suspect(e, &a->suspects[i], of_suspects[m].value(&a->suspects[i]));
        for (size_t i = 0; i < a->few_shown; i++)
            put_suspect(e, &few[i], of_suspects[m].value(&few[i]));
    }
}

static void put_open(struct exposition *e, const struct hd_fleet_answer *a)
{
    const struct hd_fleet_suspect *open = a->suspects + a->suspect_count + a->few_count;
    for (size_t m = 0; m < sizeof(of_open) / sizeof(*of_open); m++) {
        exposition_begin(e, of_open[m].name, of_open[m].help);
        for (size_t i = 0; i < a->open_shown; i++)
            put_suspect(e, &open[i], of_open[m].value(&open[i]));
    }
    exposition_begin(e, "heapdrift_open_suspect_missing_info",
                     "What they lack for a verdict: see docs/fleet.md.");
    for (size_t i = 0; i < a->open_shown; i++) {
        struct text labels = {0};
        add_suspect(&labels, &open[i]);
        exposition_label(&labels, "missing", hd_fleet_missing_name(open[i].missing));
        exposition_sample(e, &labels, 1);
    }
}

/* --- services -------------------------------------------------------- */

static void put_service(struct exposition *e, const struct hd_fleet_service *s,
                        double value)
{
    struct text labels = {0};
    exposition_label(&labels, "service", s->service);
    exposition_sample(e, &labels, value);
}

static void put_services(struct exposition *e, const struct hd_fleet_answer *a)
{
    exposition_begin(e, "heapdrift_service_runs",
                     "Runs in the window, by whether they allow a verdict.");
    for (size_t i = 0; i < a->services_shown; i++)
        for (size_t k = 0; k < HD_JUDGEMENT_COUNT; k++) {
            struct text labels = {0};
            exposition_label(&labels, "service", a->services[i].service);
            exposition_label(&labels, "judgement", hd_judgement_name((enum hd_judgement)k));
            exposition_sample(e, &labels, (double)a->services[i].runs[k]);
        }
    exposition_begin(e, "heapdrift_service_hosts", "Hosts with a snapshot in the window.");
    for (size_t i = 0; i < a->services_shown; i++)
        put_service(e, &a->services[i], (double)a->services[i].hosts);
    exposition_begin(e, "heapdrift_service_hosts_judged", "Hosts with a judged run.");
    for (size_t i = 0; i < a->services_shown; i++)
        put_service(e, &a->services[i], (double)a->services[i].hosts_judged);
    exposition_begin(e, "heapdrift_service_suspects",
                     "Suspects of the service on enough of its hosts.");
    for (size_t i = 0; i < a->services_shown; i++)
        put_service(e, &a->services[i], (double)a->services[i].suspects);
    exposition_begin(e, "heapdrift_service_suspects_open",
                     "What grows in runs of the service that allow no verdict.");
    for (size_t i = 0; i < a->services_shown; i++)
        put_service(e, &a->services[i], (double)a->services[i].suspects_open);
    exposition_begin(e, "heapdrift_service_hours_to_limit",
                     "Hours until its first host reaches its limit of memory; +Inf never.");
    for (size_t i = 0; i < a->services_shown; i++)
        put_service(e, &a->services[i], a->services[i].hours_left);
    exposition_begin(
        e, "heapdrift_service_last_snapshot_timestamp_seconds",
        "When the newest snapshot of the service was taken that was compared.");
    for (size_t i = 0; i < a->services_shown; i++)
        put_service(e, &a->services[i], a->services[i].last);
}

/* --- all of it ------------------------------------------------------- */

/* A word of a shell, as it is pasted behind an option. */
static void put_store(struct exposition *e, const char *url)
{
    struct text labels = {0}, word = {0};
    exposition_begin(e, "heapdrift_fleet_store_info",
                     "The store that was read, without a password, as a word of a shell.");
    if (url == NULL)
        return;
    format_shell_word(&word, url);
    exposition_label(&labels, "store", text_string(&word));
    exposition_sample(e, &labels, 1);
    text_free(&word);
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    const struct hd_fleet_answer *a = r->model.fleet;
    struct exposition e = {.o = o};
    (void)opt;
    put_suspects(&e, a);
    put_open(&e, a);
    put_services(&e, a);
    put_total(&e, "heapdrift_fleet_shards_missing",
              "Parts that are missing: what their runs show is not counted.",
              a->shards_missing);
    put_total(&e, "heapdrift_fleet_suspects_omitted",
              "Suspects beyond the number that --rows wants, which have no samples.",
              (double)(a->suspect_count + a->few_count - a->suspects_shown - a->few_shown));
    put_store(&e, a->store);
    put_total(&e, "heapdrift_fleet_window_begin_timestamp_seconds",
              "When the window begins that was looked at.", a->rules.since);
    put_total(&e, "heapdrift_fleet_window_end_timestamp_seconds",
              "When the window ends that was looked at.", a->rules.until);
    put_total(&e, "heapdrift_fleet_last_snapshot_timestamp_seconds",
              "When the newest snapshot was taken that was compared.", a->last);
    exposition_end(&e);
}

const struct writer write_prometheus = {
    .name = "prometheus",
    .summary = "the text exposition format, to alert on (fleet)",
    .holds = HOLDS_FLEETS,
    .all_rows = true,
    .write = write,
};
