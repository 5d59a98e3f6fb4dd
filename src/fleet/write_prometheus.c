/* Writes a fleet as metrics for Prometheus: for a textfile collector, a push gateway or a
 * scraper of files. Unknown values have no sample; "never" is +Inf. Writes the
 * worst of rows with equal labels. */
#include "base/hash.h"
#include "base/text.h"
#include "fleet/report_fleet.h"
#include "render/writer.h"
#include "report/format_units.h"

#include <math.h>
#include <string.h>

/* --- the format -------------------------------------------------------------------- */

/* The text exposition format of Prometheus, version 0.0.4: each metric with its help and
 * kind, then its samples. */

struct printed_labels {
    UT_hash_handle hh;
    char text[];
};

/* {.o = output}; exposition_end() is due. */
struct exposition {
    struct out *o;
    const char *metric;
    struct printed_labels *labels; /* of this metric */
    struct arena arena;
};

/* The next metric: a counter if its name ends in "_total", else a gauge. */
static void exposition_begin(struct exposition *e, const char *name, const char *help)
{
    HASH_CLEAR(hh, e->labels);
    e->metric = name;
    out_printf(e->o, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
               path_ends_in(name, "_total") ? "counter" : "gauge");
}

/* Append a label; no value is an empty one. Backslash, quote and line end are escaped, as
 * the format wants it; what a terminal would obey is made visible before. */
static void exposition_label(struct text *t, const char *name, const char *value)
{
    struct text plain = {0};
    say(t, t->len > 0 ? "," : "", name, "=\"");
    if (value != NULL)
        text_add_visible(&plain, value, strlen(value), true);
    for (size_t i = 0; i < plain.len; i++) {
        char c = plain.data[i];
        if (c == '\\' || c == '"' || c == '\n')
            text_add_char(t, '\\');
        if (c == '\n')
            c = 'n';
        text_add_char(t, c);
    }
    text_add_char(t, '"');
    text_free(&plain);
}

/* False if a sample has these labels. */
static bool is_new(struct exposition *e, struct text *labels)
{
    struct printed_labels *found;
    HASH_FIND(hh, e->labels, labels->data, labels->len, found);
    if (found != NULL)
        return false;
    found = arena_alloc(&e->arena, sizeof(*found) + labels->len + 1);
    memcpy(found->text, labels->data, labels->len);
    HASH_ADD_KEYPTR(hh, e->labels, found->text, labels->len, found);
    return true;
}

/* Writes a sample of the current metric; takes ownership of the labels. Skips NAN, and
 * samples with labels that were already used. */
static void exposition_sample(struct exposition *e, struct text *labels, double value)
{
    char number[40];
    if (!isnan(value) && (labels->len == 0 || is_new(e, labels))) {
        c_snprintf(number, sizeof(number), "%.15g", value);
        out_string(e->o, e->metric);
        if (labels->len > 0)
            out_printf(e->o, "{%s}", text_string(labels));
        out_printf(e->o, " %s\n", isinf(value) ? "+Inf" : number);
    }
    text_free(labels);
}

static void exposition_end(struct exposition *e)
{
    HASH_CLEAR(hh, e->labels);
    arena_free(&e->arena);
}

/* --- for the program --------------------------------------------------------------- */

bool hd_put_metrics(struct hd_sink to, const struct hd_metric *metrics, size_t count,
                    struct hd_error *err)
{
    struct out o = {.to = to};
    struct exposition e = {.o = &o};
    for (const struct hd_metric *m = metrics; m < metrics + count; m++) {
        if (m->count > 0)
            exposition_begin(&e, m->name, m->help);
        for (size_t i = 0; i < m->count; i++) {
            const struct hd_metric_sample *sample = &m->samples[i];
            struct text labels = {0};
            for (size_t k = 0; k < HD_METRIC_LABELS && sample->labels[k].name != NULL; k++)
                exposition_label(&labels, sample->labels[k].name, sample->labels[k].value);
            exposition_sample(&e, &labels, sample->value);
        }
    }
    exposition_end(&e);
    return out_finish(&o, err);
}

/* --- suspects ------------------------------------------------------------------------- */

/* Location and type of a value in a row. */
struct metric {
    const char *name, *help;
    size_t at;
    enum { METRIC_REAL, METRIC_COUNT, METRIC_POOLED } kind; /* HD_UNKNOWN: no sample */
};
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts are either");
#define OF(row, m) \
    offsetof(row, m), _Generic(((row *)0)->m, double : METRIC_REAL, default : METRIC_COUNT)

static const struct metric of_suspects[] = {
    {"heapdrift_suspect_bytes_per_hour",
     "Median growth of the retained bytes per hour, over the hosts that show the suspect.",
     OF(struct hd_fleet_suspect, per_hour)},
    {"heapdrift_suspect_hosts", "Hosts on which a judged run shows the suspect.",
     OF(struct hd_fleet_suspect, hosts)},
    {"heapdrift_suspect_hosts_ratio",
     "Hosts on which a judged run shows the suspect, as a share of the hosts of the "
     "service with a judged run.",
     OF(struct hd_fleet_suspect, hosts_share)},
    {"heapdrift_suspect_heap_ratio",
     "Median share of the heap, by the score of the ranking.",
     OF(struct hd_fleet_suspect, score_share)},
    {"heapdrift_suspect_score",
     "Share of the hosts multiplied by the median share of the heap; suspects are ranked "
     "by this.",
     OF(struct hd_fleet_suspect, score)},
    {"heapdrift_suspect_hours_to_limit",
     "Hours until the first host reaches its memory limit; +Inf if never.",
     OF(struct hd_fleet_suspect, hours_left)},
    {"heapdrift_suspect_run", "Number of the worst run, for heapdrift report --run.",
     OF(struct hd_fleet_suspect, run)},
    {"heapdrift_suspect_ended_near_limit",
     "Runs that show the suspect, ended near their memory limit, and were followed by "
     "another run.",
     OF(struct hd_fleet_suspect, ended_near_limit)},
    {"heapdrift_suspect_hours_from_start",
     "Hours from the start of a process to its memory limit; +Inf if never.",
     OF(struct hd_fleet_suspect, life_hours)},
    {"heapdrift_suspect_pooled",
     "1 if the evidence suffices only with all runs together, 0 if judged runs suffice.", 0,
     METRIC_POOLED},
};

/* Metrics of unconfirmed suspects. */
static const struct metric of_open[] = {
    {"heapdrift_open_suspect_bytes_per_hour",
     "Median growth of the retained bytes per hour, over the hosts that show the type; for "
     "types in runs without a verdict.",
     OF(struct hd_fleet_suspect, per_hour)},
    {"heapdrift_open_suspect_runs", "Runs without a verdict that show the type.",
     OF(struct hd_fleet_suspect, runs)},
    {"heapdrift_open_suspect_ended_near_limit",
     "Runs without a verdict that show the type, ended near their memory limit, and were "
     "followed by another run.",
     OF(struct hd_fleet_suspect, ended_near_limit)},
};

static double metric_value_of(const struct metric *m, const void *row)
{
    const void *at = (const char *)row + m->at;
    if (m->kind == METRIC_POOLED)
        return ((const struct hd_fleet_suspect *)row)->evidence == HD_EVIDENCE_POOLED;
    if (m->kind == METRIC_REAL)
        return *(const double *)at;
    uint64_t n = *(const uint64_t *)at;
    return n != HD_UNKNOWN ? (double)n : (double)NAN;
}

/* Labels only identify the suspect and do not depend on its current state, so that an alert
 * keeps its name: the worst run is a value. subject and hint follow from type and holder
 * and add no series. */
static void metric_add_suspect(struct text *labels, const struct hd_fleet_suspect *s)
{
    exposition_label(labels, "service", s->service);
    exposition_label(labels, "type", s->type);
    exposition_label(labels, "subject", s->title);
    exposition_label(labels, "holder", s->holder);
    exposition_label(labels, "hint", s->hint);
    exposition_label(labels, "few_hosts", s->is_few ? "true" : "false");
}

static void put_suspect(struct exposition *e, const struct metric *m,
                        const struct hd_fleet_suspect *s)
{
    struct text labels = {0};
    metric_add_suspect(&labels, s);
    exposition_sample(e, &labels, metric_value_of(m, s));
}

static void put_suspects(struct exposition *e, const struct hd_fleet_answer *a)
{
    const struct hd_fleet_suspect *few = a->suspects + a->suspect_count;
    const struct hd_fleet_suspect *open = few + a->few_count;
    for (size_t m = 0; m < sizeof(of_suspects) / sizeof(*of_suspects); m++) {
        exposition_begin(e, of_suspects[m].name, of_suspects[m].help);
        for (size_t i = 0; i < a->suspects_shown; i++)
            put_suspect(e, &of_suspects[m], &a->suspects[i]);
        for (size_t i = 0; i < a->few_shown; i++)
            put_suspect(e, &of_suspects[m], &few[i]);
    }
    for (size_t m = 0; m < sizeof(of_open) / sizeof(*of_open); m++) {
        exposition_begin(e, of_open[m].name, of_open[m].help);
        for (size_t i = 0; i < a->open_shown; i++)
            put_suspect(e, &of_open[m], &open[i]);
    }
    exposition_begin(e, "heapdrift_open_suspect_missing_info",
                     "Missing evidence for a verdict; see docs/fleet.md.");
    for (size_t i = 0; i < a->open_shown; i++) {
        struct text labels = {0};
        metric_add_suspect(&labels, &open[i]);
        exposition_label(&labels, "missing", hd_fleet_missing_name(open[i].missing));
        exposition_sample(e, &labels, 1);
    }
}

/* --- services -------------------------------------------------------- */

static const struct metric of_services[] = {
    {"heapdrift_service_hosts", "Hosts with a snapshot in the window.",
     OF(struct hd_fleet_service, hosts)},
    {"heapdrift_service_hosts_judged", "Hosts with a judged run.",
     OF(struct hd_fleet_service, hosts_judged)},
    {"heapdrift_service_suspects", "Suspects of the service on enough of its hosts.",
     OF(struct hd_fleet_service, suspects)},
    {"heapdrift_service_suspects_open",
     "Growing types in runs of the service without a verdict.",
     OF(struct hd_fleet_service, suspects_open)},
    {"heapdrift_service_hours_to_limit",
     "Hours until the first host of the service reaches its memory limit; +Inf if never.",
     OF(struct hd_fleet_service, hours_left)},
    {"heapdrift_service_last_snapshot_timestamp_seconds",
     "Unix time of the newest compared snapshot of the service.",
     OF(struct hd_fleet_service, last)},
};

static void put_services(struct exposition *e, const struct hd_fleet_answer *a)
{
    exposition_begin(e, "heapdrift_service_runs", "Runs in the window by judgement.");
    for (size_t i = 0; i < a->services_shown; i++)
        for (size_t k = 0; k < HD_JUDGEMENT_COUNT; k++) {
            struct text labels = {0};
            exposition_label(&labels, "service", a->services[i].service);
            exposition_label(&labels, "judgement", hd_judgement_name((enum hd_judgement)k));
            exposition_sample(e, &labels, (double)a->services[i].runs[k]);
        }
    for (size_t m = 0; m < sizeof(of_services) / sizeof(*of_services); m++) {
        exposition_begin(e, of_services[m].name, of_services[m].help);
        for (size_t i = 0; i < a->services_shown; i++) {
            struct text labels = {0};
            exposition_label(&labels, "service", a->services[i].service);
            exposition_sample(e, &labels,
                              metric_value_of(&of_services[m], &a->services[i]));
        }
    }
}

/* --- complete output ------------------------------------------------- */

static void put_total(struct exposition *e, const char *name, const char *help,
                      double value)
{
    struct text none = {0};
    exposition_begin(e, name, help);
    exposition_sample(e, &none, value);
}

/* Writes the URL as a shell word, for use in a command. */
static void put_store(struct exposition *e, const char *url)
{
    struct text labels = {0}, word = {0};
    exposition_begin(e, "heapdrift_fleet_store_info",
                     "URL of the store without a password, quoted for a shell.");
    if (url == NULL)
        return;
    format_shell_word(&word, url);
    exposition_label(&labels, "store", text_string(&word));
    exposition_sample(e, &labels, 1);
    text_free(&word);
}

static void prometheus_write(const struct hd_report *r, const struct hd_write_options *opt,
                             struct out *o)
{
    const struct hd_fleet_answer *a = r->model.fleet;
    struct exposition e = {.o = o};
    (void)opt;
    put_suspects(&e, a);
    put_services(&e, a);
    put_total(&e, "heapdrift_fleet_shards_missing",
              "Missing parts; their runs are not counted.", a->shards_missing);
    put_total(&e, "heapdrift_fleet_suspects_omitted",
              "Suspects omitted by --rows, which have no samples.",
              (double)(a->suspect_count + a->few_count - a->suspects_shown - a->few_shown));
    put_store(&e, a->store);
    put_total(&e, "heapdrift_fleet_window_begin_timestamp_seconds",
              "Unix time at which the window starts.", a->rules.since);
    put_total(&e, "heapdrift_fleet_window_end_timestamp_seconds",
              "Unix time at which the window ends.", a->rules.until);
    put_total(&e, "heapdrift_fleet_last_snapshot_timestamp_seconds",
              "Unix time of the newest compared snapshot.", a->last);
    exposition_end(&e);
}

const struct writer write_prometheus = {
    .name = "prometheus",
    .summary = PROMETHEUS_SUMMARY,
    .holds = HOLDS_FLEETS,
    .all_rows = true,
    .write = prometheus_write,
};

bool hd_format_is_for_fleet(size_t i)
{
    return hd_format_name(i) != NULL && writers[i]->holds == HOLDS_FLEETS;
}
