#include "report/report_fleet.h"

#include "report/phrase_fleet.h"

#include <math.h>

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

static void add_headline(struct hd_report *r)
{
    struct headline h;
    phrase_fleet_verdict(&h, &r->fleet);
    r->fleet.headline = report_string(r, text_string(&h.words));
    r->fleet.tone = h.tone;
    headline_free(&h);
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
    report_fleet_cut(r);
    add_warnings(r);
    warn_missing(r);
    add_headline(r);
    report_publish(r);
    return r;
}
