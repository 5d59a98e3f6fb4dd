/* The text exposition format of Prometheus, version 0.0.4: for a textfile collector, a push
 * gateway or whatever scrapes files. What is unknown has no sample; what never happens is
 * +Inf. Of two rows whose labels cannot be told apart in print the worse one is told. */
#include "base/c_locale.h"
#include "base/hash.h"
#include "render/writer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct printed {
    UT_hash_handle hh;
    char labels[];
};

struct exposition {
    struct out *o;
    const char *metric;
    struct printed *labels; /* of this metric */
    struct arena arena;
};

/* --- one metric -------------------------------------------------------------------- */

static void begin_metric(struct exposition *e, const char *name, const char *help)
{
    HASH_CLEAR(hh, e->labels);
    e->metric = name;
    out_printf(e->o, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

/* Backslash, quote and line end are escaped, as the format wants it; what a terminal would
 * obey is made visible before. */
static void add_label(struct text *t, const char *name, const char *value)
{
    struct text plain = {0};
    text_add_string(t, t->len > 0 ? "," : "");
    text_add_string(t, name);
    text_add_string(t, "=\"");
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
    struct printed *found;
    HASH_FIND(hh, e->labels, labels->data, labels->len, found);
    if (found != NULL)
        return false;
    found = arena_alloc(&e->arena, sizeof(*found) + labels->len + 1);
    memcpy(found->labels, labels->data, labels->len);
    HASH_ADD_KEYPTR(hh, e->labels, found->labels, labels->len, found);
    return true;
}

/* Takes the labels. */
static void put_sample(struct exposition *e, struct text *labels, double value)
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

static void put_total(struct exposition *e, const char *name, const char *help,
                      double value)
{
    struct text none = {0};
    begin_metric(e, name, help);
    put_sample(e, &none, value);
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

/* What it is, and not how it stands today, so that an alert goes on under one name. */
static void add_suspect(struct text *labels, const struct hd_fleet_suspect *s)
{
    add_label(labels, "service", s->service);
    add_label(labels, "type", s->type);
    add_label(labels, "holder", s->holder);
    add_label(labels, "few_hosts", s->is_few ? "true" : "false");
}

static void put_suspect(struct exposition *e, const struct hd_fleet_suspect *s,
                        double value)
{
    struct text labels = {0};
    add_suspect(&labels, s);
    put_sample(e, &labels, value);
}

static void put_suspects(struct exposition *e, const struct hd_fleet_answer *a)
{
    const struct hd_fleet_suspect *few = a->suspects + a->suspect_count;
    for (size_t m = 0; m < sizeof(of_suspects) / sizeof(*of_suspects); m++) {
        begin_metric(e, of_suspects[m].name, of_suspects[m].help);
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
        begin_metric(e, of_open[m].name, of_open[m].help);
        for (size_t i = 0; i < a->open_shown; i++)
            put_suspect(e, &open[i], of_open[m].value(&open[i]));
    }
    begin_metric(e, "heapdrift_open_suspect_missing_info",
                 "What they lack for a verdict: see docs/fleet.md.");
    for (size_t i = 0; i < a->open_shown; i++) {
        struct text labels = {0};
        add_suspect(&labels, &open[i]);
        add_label(&labels, "missing", hd_fleet_missing_name(open[i].missing));
        put_sample(e, &labels, 1);
    }
}

/* --- services -------------------------------------------------------- */

static void put_service(struct exposition *e, const struct hd_fleet_service *s,
                        double value)
{
    struct text labels = {0};
    add_label(&labels, "service", s->service);
    put_sample(e, &labels, value);
}

static void put_services(struct exposition *e, const struct hd_fleet_answer *a)
{
    begin_metric(e, "heapdrift_service_runs",
                 "Runs in the window, by whether they allow a verdict.");
    for (size_t i = 0; i < a->services_shown; i++)
        for (size_t k = 0; k < HD_JUDGEMENT_COUNT; k++) {
            struct text labels = {0};
            add_label(&labels, "service", a->services[i].service);
            add_label(&labels, "judgement", hd_judgement_name((enum hd_judgement)k));
            put_sample(e, &labels, (double)a->services[i].runs[k]);
        }
    begin_metric(e, "heapdrift_service_hosts", "Hosts with a snapshot in the window.");
    for (size_t i = 0; i < a->services_shown; i++)
        put_service(e, &a->services[i], (double)a->services[i].hosts);
    begin_metric(e, "heapdrift_service_hosts_judged", "Hosts with a judged run.");
    for (size_t i = 0; i < a->services_shown; i++)
        put_service(e, &a->services[i], (double)a->services[i].hosts_judged);
    begin_metric(e, "heapdrift_service_suspects",
                 "Suspects of the service on enough of its hosts.");
    for (size_t i = 0; i < a->services_shown; i++)
        put_service(e, &a->services[i], (double)a->services[i].suspects);
    begin_metric(e, "heapdrift_service_suspects_open",
                 "What grows in runs of the service that allow no verdict.");
    for (size_t i = 0; i < a->services_shown; i++)
        put_service(e, &a->services[i], (double)a->services[i].suspects_open);
    begin_metric(e, "heapdrift_service_hours_to_limit",
                 "Hours until its first host reaches its limit of memory; +Inf never.");
    for (size_t i = 0; i < a->services_shown; i++)
        put_service(e, &a->services[i], a->services[i].hours_left);
    begin_metric(e, "heapdrift_service_last_snapshot_timestamp_seconds",
                 "When the newest snapshot of the service was taken that was compared.");
    for (size_t i = 0; i < a->services_shown; i++)
        put_service(e, &a->services[i], a->services[i].last);
}

/* --- all of it ------------------------------------------------------- */

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
    put_total(&e, "heapdrift_fleet_window_end_timestamp_seconds",
              "When the window ends that was looked at.", a->rules.until);
    put_total(&e, "heapdrift_fleet_last_snapshot_timestamp_seconds",
              "When the newest snapshot was taken that was compared.", a->last);
    HASH_CLEAR(hh, e.labels);
    arena_free(&e.arena);
}

const struct writer write_prometheus = {
    .name = "prometheus",
    .summary = "the text exposition format, to alert on (fleet)",
    .holds = HOLDS_FLEETS,
    .all_rows = true,
    .write = write,
};
