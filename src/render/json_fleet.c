#include "render/json_fleet.h"

#include <math.h>

/* Of a suspect so many hosts stand in it, the worst first; how many more is told. */
enum { MOST_HOSTS = 24 };

static json_t *whole(uint64_t n)
{
    return json_number_or_null(n);
}

/* Hours: null for unknown and for never; which of them, and "now", is a word. */
static void put_hours(json_t *o, double hours)
{
    json_put(o, "hours_left", json_real_or_null(hours));
    json_put(o, "runs_full",
             isnan(hours)   ? json_null()
             : isinf(hours) ? json_string("never")
             : hours <= 0   ? json_string("now")
                            : json_string("later"));
}

static json_t *runs(const uint64_t *counts)
{
    json_t *o = json_object();
    json_put(o, "judged", whole(counts[HD_JUDGED]));
    json_put(o, "unsure", whole(counts[HD_UNSURE]));
    json_put(o, "not_judged", whole(counts[HD_NOT_JUDGED]));
    return o;
}

static json_t *host(const struct hd_fleet_host *h)
{
    json_t *o = json_object();
    json_put(o, "host", json_string_or_null(h->host));
    json_put(o, "build", json_string_or_null(h->build));
    json_put(o, "score_share", json_real_or_null(h->score_share));
    json_put(o, "bytes_per_hour", json_real_or_null(h->per_hour));
    json_put(o, "heap_bytes", whole(h->heap));
    put_hours(o, h->hours_left);
    json_put(o, "still", json_boolean(h->is_there_still));
    json_put(o, "times", json_reals(h->times, h->count));
    json_put(o, "retained", json_numbers(h->retained, h->count));
    return o;
}

static json_t *onset(const struct hd_fleet_suspect *s)
{
    json_t *o = json_object();
    json_put(o, "status", json_string(hd_fleet_onset_name(s->onset)));
    json_put(o, "build", json_string_or_null(s->began_with));
    json_put(o, "since_with", whole(s->since_with));
    json_put(o, "since_without", whole(s->since_without));
    json_put(o, "before_with", whole(s->before_with));
    json_put(o, "before_without", whole(s->before_without));
    json_put(o, "chance",
             s->began_with != NULL ? json_real_or_null(s->chance) : json_null());
    json_put(o, "log10_chance",
             s->began_with != NULL ? json_real_or_null(s->log_chance / log(10))
                                   : json_null());
    json_put(o, "boundaries", whole(s->boundaries));
    return o;
}

static json_t *builds(const struct hd_fleet_suspect *s)
{
    json_t *array = json_array();
    for (size_t i = 0; i < s->build_count; i++) {
        const struct hd_fleet_build_count *c = &s->builds[i];
        json_t *o = json_object();
        json_put(o, "build", json_string_or_null(c->build));
        json_put(o, "first_seen", json_real_or_null(c->first_seen));
        json_put(o, "runs_with", whole(c->with));
        json_put(o, "runs_judged", whole(c->runs));
        json_append(array, o);
    }
    return array;
}

static json_t *suspect(const struct hd_fleet_suspect *s)
{
    size_t shown = s->on_count < MOST_HOSTS ? s->on_count : MOST_HOSTS;
    json_t *o = json_object(), *hosts = json_array();
    for (size_t i = 0; i < shown; i++)
        json_append(hosts, host(&s->on[i]));
    json_put(o, "rank", whole(s->rank));
    json_put(o, "service", json_string_or_null(s->service));
    json_put(o, "type", json_string_or_null(s->type));
    json_put(o, "subject", json_string_or_null(s->subject));
    json_put(o, "holder", json_string_or_null(s->holder));
    json_put(o, "hint", json_string_or_null(s->hint));
    json_put(o, "on_few_hosts", json_boolean(s->is_few));
    json_put(o, "hosts_with", whole(s->hosts));
    json_put(o, "hosts_judged", whole(s->of_hosts));
    json_put(o, "hosts_still", whole(s->hosts_still));
    json_put(o, "hosts_share", json_real_or_null(s->hosts_share));
    json_put(o, "runs_with", whole(s->runs));
    json_put(o, "runs_judged", whole(s->of_runs));
    json_put(o, "score", json_real_or_null(s->score));
    json_put(o, "score_share", json_real_or_null(s->score_share));
    json_put(o, "bytes_per_hour", json_real_or_null(s->per_hour));
    json_put(o, "bytes_per_day", json_real_or_null(s->per_day));
    put_hours(o, s->hours_left);
    json_put(o, "first_build", json_string_or_null(s->first_build));
    json_put(o, "first_seen", json_real_or_null(s->first_seen));
    json_put(o, "onset", onset(s));
    json_put(o, "builds", builds(s));
    json_put(o, "hosts", hosts);
    json_put(o, "hosts_omitted", whole(s->on_count - shown));
    return o;
}

static json_t *suspects(const struct hd_fleet_answer *a)
{
    json_t *array = json_array();
    for (size_t i = 0; i < a->suspects_shown; i++)
        json_append(array, suspect(&a->suspects[i]));
    for (size_t i = 0; i < a->few_shown; i++)
        json_append(array, suspect(&a->suspects[a->suspect_count + i]));
    return array;
}

static json_t *services(const struct hd_fleet_answer *a)
{
    json_t *array = json_array();
    for (size_t i = 0; i < a->services_shown; i++) {
        const struct hd_fleet_service *s = &a->services[i];
        json_t *o = json_object();
        json_put(o, "service", json_string_or_null(s->service));
        json_put(o, "suspects", whole(s->suspects));
        json_put(o, "hosts", whole(s->hosts));
        json_put(o, "hosts_judged", whole(s->hosts_judged));
        json_put(o, "runs", runs(s->runs));
        json_put(o, "snapshots_compared", whole(s->snapshots));
        json_put(o, "builds", whole(s->builds));
        put_hours(o, s->hours_left);
        json_put(o, "last_snapshot", json_real_or_null(s->last));
        json_append(array, o);
    }
    return array;
}

static json_t *host_rows(const struct hd_fleet_answer *a)
{
    json_t *array = json_array();
    for (size_t i = 0; i < a->host_rows_shown; i++) {
        const struct hd_fleet_host_row *h = &a->host_rows[i];
        json_t *o = json_object();
        json_put(o, "service", json_string_or_null(h->service));
        json_put(o, "host", json_string_or_null(h->host));
        json_put(o, "build", json_string_or_null(h->build));
        json_put(o, "suspects", whole(h->suspects));
        json_put(o, "type", json_string_or_null(h->type));
        json_put(o, "subject", json_string_or_null(h->subject));
        json_put(o, "holder", json_string_or_null(h->holder));
        json_put(o, "score_share", json_real_or_null(h->score_share));
        json_put(o, "bytes_per_hour", json_real_or_null(h->per_hour));
        json_put(o, "runs", runs(h->runs));
        json_put(o, "heap_bytes", whole(h->heap));
        json_put(o, "heap_bytes_per_hour", json_real_or_null(h->heap_per_hour));
        put_hours(o, h->hours_left);
        json_put(o, "times", json_reals(h->times, h->count));
        json_put(o, "heap", json_numbers(h->bytes, h->count));
        json_append(array, o);
    }
    return array;
}

static json_t *unjudged(const struct hd_fleet_answer *a)
{
    json_t *array = json_array();
    for (size_t i = 0; i < a->unjudged_shown; i++) {
        const struct hd_fleet_unjudged *u = &a->unjudged[i];
        json_t *o = json_object();
        json_put(o, "series", whole(u->series));
        json_put(o, "service", json_string_or_null(u->service));
        json_put(o, "host", json_string_or_null(u->host));
        json_put(o, "process", json_string_or_null(u->process));
        json_put(o, "pid", whole(u->pid));
        json_put(o, "build", json_string_or_null(u->build));
        json_put(o, "judgement", json_string(hd_judgement_name(u->judgement)));
        json_put(o, "doubt", json_string(hd_doubt_name(u->doubt)));
        json_put(o, "message", json_string_or_null(u->why));
        json_put(o, "recorded", whole(u->recorded));
        json_put(o, "compared", whole(u->compared));
        json_put(o, "damaged", whole(u->damaged));
        json_put(o, "suspects", whole(u->findings));
        json_append(array, o);
    }
    return array;
}

static json_t *window(const struct hd_fleet_answer *a)
{
    json_t *o = json_object();
    json_put(o, "since", json_real_or_null(a->rules.since));
    json_put(o, "until", json_real_or_null(a->rules.until));
    json_put(o, "first", json_real_or_null(a->first));
    json_put(o, "last", json_real_or_null(a->last));
    return o;
}

void json_add_fleet(json_t *o, const struct hd_model *m)
{
    static const char *const by[] = {"service", "host", "build"};
    const struct hd_fleet_answer *a = m->fleet;
    json_put(o, "by", json_string(by[a->by]));
    json_put(o, "service", json_string_or_null(a->rules.service));
    json_put(o, "window", window(a));
    json_put(o, "limit", whole(a->limit));
    json_put(o, "headline", json_string_or_null(a->headline));
    json_put(o, "complete", json_boolean(a->shards_missing == 0));
    json_put(o, "shards", whole(a->rules.shards));
    json_put(o, "shards_missing", whole(a->shards_missing));
    json_put(o, "runs", runs(a->runs));
    json_put(o, "runs_open", whole(a->runs_open));
    json_put(o, "runs_damaged", whole(a->runs_damaged));
    json_put(o, "hosts", whole(a->hosts));
    json_put(o, "hosts_judged", whole(a->hosts_judged));
    json_put(o, "snapshots_compared", whole(a->snapshots));
    json_put(o, "suspects", suspects(a));
    json_put(o, "suspects_omitted",
             whole(a->suspect_count + a->few_count - a->suspects_shown - a->few_shown));
    json_put(o, "services", services(a));
    json_put(o, "services_omitted", whole(a->service_count - a->services_shown));
    json_put(o, "host_rows", host_rows(a));
    json_put(o, "host_rows_omitted", whole(a->host_row_count - a->host_rows_shown));
    json_put(o, "unjudged", unjudged(a));
    json_put(o, "unjudged_omitted", whole(a->unjudged_count - a->unjudged_shown));
}
