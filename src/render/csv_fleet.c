#include "render/csv_fleet.h"

#include "base/c_locale.h"
#include "report/phrase_fleet.h"

#include <math.h>

/* Empty if unknown, "inf" for never. */
static void add_real(struct csv_writer *s, double x)
{
    char number[40];
    csv_begin_cell(s);
    if (isnan(x))
        return;
    c_snprintf(number, sizeof(number), "%.15g", x);
    out_string(s->out, number);
}

static void add_moment(struct csv_writer *s, double seconds)
{
    struct text t = {0};
    if (!isnan(seconds))
        phrase_moment(&t, seconds);
    csv_cell(s, text_string(&t));
    text_free(&t);
}

static void add_suspect(struct csv_writer *s, const struct hd_fleet_suspect *x)
{
    csv_number(s, x->rank);
    csv_optional(s, x->service);
    csv_optional(s, x->type);
    csv_optional(s, x->subject);
    csv_optional(s, x->holder);
    csv_cell(s, x->is_few ? "true" : "false");
    csv_number(s, x->hosts);
    csv_number(s, x->of_hosts);
    csv_number(s, x->hosts_still);
    add_real(s, x->hosts_share);
    csv_number(s, x->runs);
    csv_number(s, x->of_runs);
    add_real(s, x->score);
    add_real(s, x->score_share);
    add_real(s, x->per_hour);
    add_real(s, x->per_day);
    add_real(s, x->hours_left);
    csv_optional(s, x->on_count > 0 ? x->on[0].host : NULL);
    csv_optional(s, x->first_build);
    add_moment(s, x->first_seen);
    csv_cell(s, hd_fleet_onset_name(x->onset));
    csv_optional(s, x->began_with);
    add_real(s, x->began_with != NULL ? x->chance : NAN);
    csv_end_row(s);
}

static void by_service(const struct hd_fleet_answer *a, struct csv_writer *s)
{
    static const char *const titles[] = {
        "rank",          "service",     "type",         "subject",     "holder",
        "on_few_hosts",  "hosts_with",  "hosts_judged", "hosts_still", "hosts_share",
        "runs_with",     "runs_judged", "score",        "score_share", "bytes_per_hour",
        "bytes_per_day", "hours_left",  "worst_host",   "first_build", "first_seen",
        "onset",         "began_with",  "chance"};
    CSV_TITLES(s, titles);
    for (size_t i = 0; i < a->suspects_shown; i++)
        add_suspect(s, &a->suspects[i]);
    for (size_t i = 0; i < a->few_shown; i++)
        add_suspect(s, &a->suspects[a->suspect_count + i]);
}

static void by_host(const struct hd_fleet_answer *a, struct csv_writer *s)
{
    static const char *const titles[] = {"service",        "host",
                                         "build",          "suspects",
                                         "type",           "subject",
                                         "holder",         "score_share",
                                         "bytes_per_hour", "runs_judged",
                                         "runs_unsure",    "runs_not_judged",
                                         "heap_bytes",     "heap_bytes_per_hour",
                                         "hours_left"};
    CSV_TITLES(s, titles);
    for (size_t i = 0; i < a->host_rows_shown; i++) {
        const struct hd_fleet_host_row *h = &a->host_rows[i];
        csv_optional(s, h->service);
        csv_optional(s, h->host);
        csv_optional(s, h->build);
        csv_number(s, h->suspects);
        csv_optional(s, h->type);
        csv_optional(s, h->subject);
        csv_optional(s, h->holder);
        add_real(s, h->score_share);
        add_real(s, h->per_hour);
        for (size_t k = 0; k < HD_JUDGEMENT_COUNT; k++)
            csv_number(s, h->runs[k]);
        csv_number(s, h->heap);
        add_real(s, h->heap_per_hour);
        add_real(s, h->hours_left);
        csv_end_row(s);
    }
}

static void by_build(const struct hd_fleet_answer *a, struct csv_writer *s)
{
    static const char *const titles[] = {"rank",      "service",     "type",
                                         "holder",    "build",       "first_seen",
                                         "runs_with", "runs_judged", "began_here"};
    CSV_TITLES(s, titles);
    for (size_t i = 0; i < a->suspects_shown; i++) {
        const struct hd_fleet_suspect *x = &a->suspects[i];
        for (size_t k = 0; k < x->build_count; k++) {
            const struct hd_fleet_build_count *c = &x->builds[k];
            bool here = x->onset == HD_ONSET_NAMED && x->began_with == c->build;
            csv_number(s, x->rank);
            csv_optional(s, x->service);
            csv_optional(s, x->type);
            csv_optional(s, x->holder);
            csv_optional(s, c->build);
            add_moment(s, c->first_seen);
            csv_number(s, c->with);
            csv_number(s, c->runs);
            csv_cell(s, here ? "true" : "false");
            csv_end_row(s);
        }
    }
}

void csv_fleet(const struct hd_model *m, struct csv_writer *s)
{
    static void (*const write[])(const struct hd_fleet_answer *,
                                 struct csv_writer *) = {[HD_FLEET_BY_SERVICE] = by_service,
                                                         [HD_FLEET_BY_HOST] = by_host,
                                                         [HD_FLEET_BY_BUILD] = by_build};
    write[m->fleet->by](m->fleet, s);
}
