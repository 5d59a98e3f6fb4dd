#include "fleet/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Later than that nobody waits for a limit: ten years, in hours. */
static const double never = 10 * 365.25 * 24;

/* --- one run --------------------------------------------------------------------- */

/* Of a run's last snapshot; HD_UNKNOWN. */
static uint64_t last_heap(const struct hd_run_record *run)
{
    return run->count > 0 ? run->heap[run->count - 1] : HD_UNKNOWN;
}

/* Hours from a run's last snapshot to its limit: NAN unknown, INFINITY never. */
static double hours_left(const struct hd_run_record *run, uint64_t limit)
{
    uint64_t heap = last_heap(run);
    limit = limit != HD_UNKNOWN ? limit : run->run.limit;
    if (limit == HD_UNKNOWN || heap == HD_UNKNOWN || isnan(run->heap_per_hour))
        return NAN;
    if (heap >= limit)
        return 0;
    if (run->heap_per_hour <= 0)
        return INFINITY;
    double hours = (double)(limit - heap) / run->heap_per_hour;
    return hours < never ? hours : INFINITY;
}

static double last_time(const struct hd_run_record *run)
{
    return run->count > 0 ? run->times[run->count - 1] : -INFINITY;
}

/* The newest judged run of a host among runs that follow each other; NULL: none. */
static const struct hd_run_record *newest_judged(const struct hd_run_record *all,
                                                 size_t len)
{
    const struct hd_run_record *newest = NULL;
    for (size_t i = 0; i < len; i++)
        if (all[i].judgement == HD_JUDGED &&
            (newest == NULL || last_time(&all[i]) >= last_time(newest)))
            newest = &all[i];
    return newest;
}

/* Where runs of the host and service that all[0] is of end. */
static size_t host_end(const struct hd_run_record *all, size_t len)
{
    size_t i = 0;
    while (i < len && fleet_order(all[i].run.service, all[0].run.service) == 0 &&
           fleet_order(all[i].run.host, all[0].run.host) == 0)
        i++;
    return i;
}

/* Of two times that are left the shorter; what is unknown says nothing. */
static double sooner(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a < b ? a : b;
}

/* --- hits ------------------------------------------------------------------------- */

struct hits {
    struct hit *all;
    size_t len, cap;
};

static void add_hit(struct hits *h, struct hit hit)
{
    h->all = grow(h->all, h->len, &h->cap, sizeof(*h->all));
    h->all[h->len++] = hit;
}

/* Suspects by type and holder; of one by host. */
static int by_suspect(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;
    int order = fleet_order(x->finding->type, y->finding->type);
    order = order != 0 ? order : fleet_order(x->finding->holder, y->finding->holder);
    if (order != 0)
        return order;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return (x->run->series > y->run->series) - (x->run->series < y->run->series);
}

static bool is_same_suspect(const struct hit *a, const struct hit *b)
{
    return fleet_order(a->finding->type, b->finding->type) == 0 &&
           fleet_order(a->finding->holder, b->finding->holder) == 0;
}

/* --- hosts of a suspect ------------------------------------------------------------ */

/* NAN is less than any number. */
static double known(double x)
{
    return isnan(x) ? -INFINITY : x;
}

/* The worst run is the one in which it takes the largest share of the heap. */
static bool is_worse(const struct hit *a, const struct hit *b)
{
    if (a->finding->score_share != b->finding->score_share)
        return known(a->finding->score_share) > known(b->finding->score_share);
    return known(a->finding->per_hour) > known(b->finding->per_hour);
}

static int by_badness(const void *a, const void *b)
{
    const struct hd_fleet_host *x = a, *y = b;
    double s = known(x->per_hour), t = known(y->per_hour);
    if (s != t)
        return s > t ? -1 : 1;
    s = known(x->score_share), t = known(y->score_share);
    return s != t ? (s > t ? -1 : 1) : fleet_order(x->host, y->host);
}

/* Hits that follow each other, all of one host; newest is its newest judged run. */
static struct hd_fleet_host host_of(const struct hit *hits, size_t count,
                                    const struct hd_run_record *newest, uint64_t limit)
{
    const struct hit *worst = &hits[0];
    bool still = false;
    for (size_t i = 0; i < count; i++) {
        worst = is_worse(&hits[i], worst) ? &hits[i] : worst;
        still |= hits[i].run == newest;
    }
    return (struct hd_fleet_host){
        .host = worst->run->run.host,
        .build = worst->run->run.build,
        .score_share = worst->finding->score_share,
        .per_hour = worst->finding->per_hour,
        .hours_left = still ? hours_left(newest, limit) : NAN,
        .heap = last_heap(newest),
        .is_there_still = still,
        .count = worst->run->count,
        .times = worst->run->times,
        .retained = worst->finding->retained,
        .run = worst->run->series,
        .rank = worst->finding->rank,
        .started = worst->run->run.started,
        .chain = worst->finding->chain,
    };
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of those that are known; values are sorted then. */
static double median(double *values, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[n++] = values[i];
    if (n == 0)
        return NAN;
    qsort(values, n, sizeof(*values), by_value);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void add_medians(struct hd_fleet_suspect *s)
{
    double *values = alloc_zeroed(array_bytes(s->on_count, sizeof(*values)));
    for (size_t i = 0; i < s->on_count; i++)
        values[i] = s->on[i].score_share;
    s->score_share = median(values, s->on_count);
    for (size_t i = 0; i < s->on_count; i++)
        values[i] = s->on[i].per_hour;
    s->per_hour = median(values, s->on_count);
    s->per_day = 24 * s->per_hour;
    free(values);
}

/* --- suspects ----------------------------------------------------------------------- */

struct making {
    struct hd_fleet_answer *answer;
    const struct hd_fleet_options *opt;
    struct arena *arena;
    const struct hd_run_record **newest; /* judged run of each host of the service */
    struct hits hits;                    /* of the service */
    size_t suspect_cap, service_cap;
};

static bool is_on_few(const struct hd_fleet_suspect *s, const struct hd_fleet_options *opt)
{
    double least = opt->min_hosts > 0 ? (double)opt->min_hosts
                                      : opt->min_hosts_share * (double)s->of_hosts;
    return (double)s->hosts < least;
}

static void add_hosts(struct making *m, struct hd_fleet_suspect *s, const struct hit *hits,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        s->hosts += i == 0 || hits[i].host != hits[i - 1].host;
    s->on = arena_array(m->arena, struct hd_fleet_host, s->hosts);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && hits[end].host == hits[i].host;)
            end++;
        struct hd_fleet_host host =
            host_of(&hits[i], end - i, m->newest[hits[i].host], m->opt->limit);
        s->hosts_still += host.is_there_still;
        s->hours_left = sooner(s->hours_left, host.hours_left);
        s->on[s->on_count++] = host;
    }
    qsort(s->on, s->on_count, sizeof(*s->on), by_badness);
}

/* A vote of one hit after the other, which a name wins that more than half of them have:
 * each name is there once. */
struct vote {
    const char *name;
    size_t lead;
};

static void vote(struct vote *v, const char *name)
{
    if (v->lead == 0)
        v->name = name;
    v->lead += v->name == name ? 1 : (size_t)-1;
}

/* What it is called is what most runs call it, so that an alert keeps its name when another
 * run gets worse. */
static void add_name(struct hd_fleet_suspect *s, const struct hit *hits, size_t count)
{
    struct vote subject = {0}, hint = {0};
    for (size_t i = 0; i < count; i++) {
        const struct hd_run_finding *f = hits[i].finding;
        vote(&subject, f->subject != NULL ? f->subject : f->type);
        vote(&hint, f->hint);
    }
    s->service = hits[0].run->run.service;
    s->type = hits[0].finding->type;
    s->subject = subject.name;
    s->holder = hits[0].finding->holder;
    s->hint = hint.name;
}

/* Hits of one suspect, sorted by host. */
static void add_suspect(struct making *m, struct hit *hits, size_t count,
                        const struct service_runs *of)
{
    struct hd_fleet_answer *a = m->answer;
    struct hd_fleet_suspect s = {.of_hosts = of->hosts_judged,
                                 .runs = count,
                                 .of_runs = of->runs_judged,
                                 .first_seen = NAN,
                                 .hours_left = NAN};
    add_name(&s, hits, count);
    add_hosts(m, &s, hits, count);
    add_medians(&s);
    s.hosts_share = (double)s.hosts / (double)s.of_hosts;
    s.score = s.hosts_share * (isnan(s.score_share) ? 0 : s.score_share);
    s.is_few = is_on_few(&s, m->opt);
    for (size_t i = 0; i < count; i++)
        s.first_seen = fmin(s.first_seen, onset_seen(hits[i].run));
    onset_find(&s, hits, count, of->builds, m->arena);
    a->suspects = grow(a->suspects, a->suspect_count, &m->suspect_cap, sizeof(s));
    a->suspects[a->suspect_count++] = s;
}

static void add_suspects(struct making *m, const struct service_runs *of)
{
    struct hits *h = &m->hits;
    if (h->len > 0)
        qsort(h->all, h->len, sizeof(*h->all), by_suspect);
    for (size_t i = 0, end; i < h->len; i = end) {
        for (end = i + 1; end < h->len && is_same_suspect(&h->all[i], &h->all[end]);)
            end++;
        add_suspect(m, &h->all[i], end - i, of);
    }
}

/* First those of the fleet. */
static int by_score(const void *a, const void *b)
{
    const struct hd_fleet_suspect *x = a, *y = b;
    if (x->is_few != y->is_few)
        return x->is_few ? 1 : -1;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    int order = fleet_order(x->service, y->service);
    order = order != 0 ? order : fleet_order(x->type, y->type);
    return order != 0 ? order : fleet_order(x->holder, y->holder);
}

/* --- services ------------------------------------------------------------------------ */

static void count_run(struct making *m, struct hd_fleet_service *s,
                      const struct hd_run_record *run)
{
    struct hd_fleet_answer *a = m->answer;
    s->runs[run->judgement]++;
    s->snapshots += run->count;
    a->runs[run->judgement]++;
    a->runs_damaged += run->damaged > 0;
    a->unnamed_hosts += run->run.host == NULL;
    a->snapshots += run->count;
    if (run->count == 0)
        return;
    a->first = fmin(a->first, run->times[0]);
    s->last = fmax(s->last, last_time(run));
    a->last = fmax(a->last, s->last);
}

/* Runs that follow each other, of one host. */
static void add_host(struct making *m, struct hd_fleet_service *s,
                     const struct hd_run_record *all, size_t len,
                     const struct service_runs *of)
{
    const struct hd_run_record *newest = newest_judged(all, len);
    uint32_t host = (uint32_t)s->hosts++;
    m->newest[host] = newest;
    if (newest != NULL) {
        s->hosts_judged++;
        s->hours_left = sooner(s->hours_left, hours_left(newest, m->opt->limit));
    }
    for (size_t i = 0; i < len; i++) {
        count_run(m, s, &all[i]);
        for (size_t k = 0; all[i].judgement == HD_JUDGED && k < all[i].finding_count; k++)
            add_hit(&m->hits, (struct hit){&all[i], &all[i].findings[k], host,
                                           onset_build_of(of->builds, &all[i])});
    }
}

static void add_service(struct making *m, const struct hd_run_record *all, size_t len)
{
    struct hd_fleet_answer *a = m->answer;
    struct service_runs of = {
        .all = all, .len = len, .builds = onset_builds(all, len, m->arena)};
    struct hd_fleet_service s = {.service = all[0].run.service,
                                 .hours_left = NAN,
                                 .last = NAN,
                                 .builds = of.builds->len};
    m->hits.len = 0;
    for (size_t i = 0, n; i < len; i += n) {
        n = host_end(&all[i], len - i);
        add_host(m, &s, &all[i], n, &of);
    }
    of.hosts_judged = s.hosts_judged;
    of.runs_judged = s.runs[HD_JUDGED];
    size_t before = a->suspect_count;
    add_suspects(m, &of);
    for (size_t i = before; i < a->suspect_count; i++)
        s.suspects += !a->suspects[i].is_few;
    a->hosts += s.hosts;
    a->hosts_judged += s.hosts_judged;
    a->services = grow(a->services, a->service_count, &m->service_cap, sizeof(s));
    a->services[a->service_count++] = s;
}

/* --- runs without a verdict ------------------------------------------ */

static int by_doubt(const void *a, const void *b)
{
    const struct hd_fleet_unjudged *x = a, *y = b;
    if (x->judgement != y->judgement)
        return x->judgement > y->judgement ? -1 : 1;
    if (x->doubt != y->doubt)
        return x->doubt < y->doubt ? -1 : 1;
    int order = fleet_order(x->service, y->service);
    order = order != 0 ? order : fleet_order(x->host, y->host);
    return order != 0 ? order : (x->series > y->series) - (x->series < y->series);
}

static void add_unjudged(struct hd_fleet_answer *a, const struct hd_fleet *f,
                         struct arena *arena)
{
    size_t count = f->len - a->runs[HD_JUDGED];
    a->unjudged = arena_array(arena, struct hd_fleet_unjudged, count);
    for (size_t i = 0; i < f->len; i++) {
        const struct hd_run_record *r = &f->all[i];
        if (r->judgement == HD_JUDGED)
            continue;
        a->runs_open += r->finding_count > 0;
        a->unjudged[a->unjudged_count++] = (struct hd_fleet_unjudged){
            r->run.service, r->run.host,  r->run.process,  r->run.build, r->series,
            r->run.pid,     r->judgement, r->doubt,        r->why,       r->recorded,
            r->count,       r->damaged,   r->finding_count};
    }
    if (count > 0)
        qsort(a->unjudged, count, sizeof(*a->unjudged), by_doubt);
}

/* --- by host ------------------------------------------------------------------------- */

/* Rows of --by=host: each host of each service by itself. */

static const struct hd_run_record *last_of_all(const struct hd_run_record *all, size_t len)
{
    const struct hd_run_record *last = &all[0];
    for (size_t i = 1; i < len; i++)
        if (all[i].count > 0 && (last->count == 0 || all[i].times[all[i].count - 1] >=
                                                         last->times[last->count - 1]))
            last = &all[i];
    return last;
}

/* What tells suspects apart. */
struct key {
    const char *type, *holder;
};

static int by_type(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = fleet_order(x->type, y->type);
    return order != 0 ? order : fleet_order(x->holder, y->holder);
}

/* How many different ones, of runs that follow each other. */
static size_t count_suspects(const struct hd_run_record *all, size_t len)
{
    size_t n = 0, different = 0;
    for (size_t i = 0; i < len; i++)
        n += all[i].judgement == HD_JUDGED ? all[i].finding_count : 0;
    struct key *keys = alloc_zeroed(array_bytes(n, sizeof(*keys)));
    n = 0;
    for (size_t i = 0; i < len; i++)
        for (size_t k = 0; all[i].judgement == HD_JUDGED && k < all[i].finding_count; k++)
            keys[n++] = (struct key){all[i].findings[k].type, all[i].findings[k].holder};
    if (n > 0)
        qsort(keys, n, sizeof(*keys), by_type);
    for (size_t i = 0; i < n; i++)
        different += i == 0 || by_type(&keys[i - 1], &keys[i]) != 0;
    free(keys);
    return different;
}

static void take_worst(struct hd_fleet_host_row *row, const struct hd_run_record *run)
{
    for (size_t k = 0; run->judgement == HD_JUDGED && k < run->finding_count; k++) {
        const struct hd_run_finding *f = &run->findings[k];
        if (row->type != NULL && !(f->score_share > row->score_share))
            continue;
        row->type = f->type;
        row->subject = f->subject != NULL ? f->subject : f->type;
        row->holder = f->holder;
        row->score_share = f->score_share;
        row->per_hour = f->per_hour;
        row->run = run->series;
    }
}

static struct hd_fleet_host_row row_of(const struct hd_run_record *all, size_t len,
                                       uint64_t limit)
{
    const struct hd_run_record *last = last_of_all(all, len);
    struct hd_fleet_host_row row = {.service = last->run.service,
                                    .host = last->run.host,
                                    .build = last->run.build,
                                    .suspects = count_suspects(all, len),
                                    .score_share = NAN,
                                    .per_hour = NAN,
                                    .heap = last_heap(last),
                                    .heap_per_hour = last->heap_per_hour,
                                    .hours_left = hours_left(last, limit),
                                    .count = last->count,
                                    .times = last->times,
                                    .bytes = last->heap,
                                    .run = last->series};
    for (size_t i = 0; i < len; i++) {
        row.runs[all[i].judgement]++;
        take_worst(&row, &all[i]);
    }
    return row;
}

/* Hosts with suspects first, the worst of them first; then by name. */
static int by_host_badness(const void *a, const void *b)
{
    const struct hd_fleet_host_row *x = a, *y = b;
    double s = isnan(x->score_share) ? -1 : x->score_share;
    double t = isnan(y->score_share) ? -1 : y->score_share;
    if (s != t)
        return s > t ? -1 : 1;
    int order = fleet_order(x->service, y->service);
    return order != 0 ? order : fleet_order(x->host, y->host);
}

static void add_host_rows(struct hd_fleet_answer *a, const struct hd_fleet *f,
                          struct arena *arena)
{
    a->host_rows = arena_array(arena, struct hd_fleet_host_row, a->hosts);
    for (size_t i = 0, n; i < f->len; i += n) {
        n = host_end(&f->all[i], f->len - i);
        a->host_rows[a->host_row_count++] = row_of(&f->all[i], n, a->limit);
    }
    if (a->host_row_count > 0)
        qsort(a->host_rows, a->host_row_count, sizeof(*a->host_rows), by_host_badness);
}

/* --- all of it ------------------------------------------------------- */

/* What grew on the heap, now in the arena. */
static void *settle(void *from, size_t count, size_t size, struct arena *arena)
{
    void *to = arena_alloc(arena, array_bytes(count, size));
    if (count > 0)
        memcpy(to, from, count * size);
    free(from);
    return to;
}

void fleet_answer(struct hd_fleet_answer *a, struct hd_fleet *f,
                  const struct hd_fleet_options *opt, struct arena *arena)
{
    struct making m = {.answer = a, .opt = opt, .arena = arena};
    fleet_sort(f);
    *a = (struct hd_fleet_answer){.by = opt->by,
                                  .rules = f->rules,
                                  .limit = opt->limit,
                                  .shards_missing = fleet_shards_missing(f),
                                  .first = NAN,
                                  .last = NAN};
    m.newest = alloc_zeroed(array_bytes(f->len, sizeof(const struct hd_run_record *)));
    for (size_t i = 0, end; i < f->len; i = end) {
        const char *service = f->all[i].run.service;
        for (end = i; end < f->len && fleet_order(f->all[end].run.service, service) == 0;)
            end++;
        add_service(&m, &f->all[i], end - i);
    }
    a->suspects = settle(a->suspects, a->suspect_count, sizeof(*a->suspects), arena);
    a->services = settle(a->services, a->service_count, sizeof(*a->services), arena);
    if (a->suspect_count > 0)
        qsort(a->suspects, a->suspect_count, sizeof(*a->suspects), by_score);
    for (size_t i = 0; i < a->suspect_count; i++) {
        a->suspects[i].rank = i + 1;
        a->few_count += a->suspects[i].is_few;
    }
    a->suspect_count -= a->few_count;
    add_unjudged(a, f, arena);
    if (opt->by == HD_FLEET_BY_HOST)
        add_host_rows(a, f, arena);
    free(m.newest);
    free(m.hits.all);
}
