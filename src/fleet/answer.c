#include "fleet/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- one run --------------------------------------------------------------------- */

static double last_time(const struct hd_run_record *run)
{
    return run->count > 0 ? run->times[run->count - 1] : -INFINITY;
}

/* The newest run of a host, among runs that follow each other, that counts for so much;
 * NULL: none. */
static const struct hd_run_record *newest_of(const struct hd_run_record *all, size_t len,
                                             const struct pools *pools,
                                             enum run_weight least)
{
    const struct hd_run_record *newest = NULL;
    for (size_t i = 0; i < len; i++)
        if (pools_weight(pools, &all[i]) >= least &&
            (newest == NULL || last_time(&all[i]) >= last_time(newest)))
            newest = &all[i];
    return newest;
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

struct making {
    struct hd_fleet_answer *answer;
    const struct hd_fleet_options *opt;
    struct arena *arena;
    /* The newest run of each host of the service that counts for so much. */
    const struct hd_run_record **newest[RUN_JUDGED + 1];
    struct pools *pools;      /* of the service */
    struct hits hits, picked; /* of the service; of a suspect */
    size_t suspect_cap, service_cap;
};

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

/* Hits that follow each other, all of one host; newest is its newest run that counts. */
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
        .hours_left = still ? run_hours_left(newest, limit) : NAN,
        .heap = run_last_heap(newest),
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

int fleet_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double fleet_median(double *values, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[n++] = values[i];
    if (n == 0)
        return NAN;
    qsort(values, n, sizeof(*values), fleet_by_value);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* --- lives ------------------------------------------------------------------------- */

static const double hour = 3600;

/* Hours from the start of a process to its limit, if its heap grows as in that run: NAN
 * unknown, INFINITY never. */
static double life_of(const struct hd_run_record *run, uint64_t limit)
{
    if (run->count == 0 || run->heap[0] == HD_UNKNOWN)
        return NAN;
    struct hd_run_record begun = *run;
    double age = run->times[0] - run->run.started;
    begun.heap = &run->heap[0];
    begun.count = 1;
    return run_hours_left(&begun, limit) + (age > 0 ? age / hour : 0);
}

/* What a pool says of a host: how long a process lives there, and what that leaves to the
 * newest. One that has only begun has all of it; of one that is dead nothing is left. */
static void add_life(struct hd_fleet_suspect *s, struct hd_fleet_host *host,
                     const struct hit *hits, size_t count, const struct making *m)
{
    const struct hd_run_record *newest = m->newest[RUN_COMPARED][hits[0].host];
    uint64_t limit = m->opt->limit;
    double *values = alloc_zeroed(array_bytes(count, sizeof(*values)));
    for (size_t i = 0; i < count; i++)
        values[i] = life_of(hits[i].run, limit);
    double life = fleet_median(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = hits[i].run->heap_per_hour;
    struct hd_run_record now = *newest;
    now.heap_per_hour = fleet_median(values, count);
    host->hours_left =
        pools_was_followed(m->pools, newest) ? life : run_hours_left(&now, limit);
    s->life_hours = sooner(s->life_hours, life);
    free(values);
}

static void add_medians(struct hd_fleet_suspect *s)
{
    double *values = alloc_zeroed(array_bytes(s->on_count, sizeof(*values)));
    for (size_t i = 0; i < s->on_count; i++)
        values[i] = s->on[i].score_share;
    s->score_share = fleet_median(values, s->on_count);
    for (size_t i = 0; i < s->on_count; i++)
        values[i] = s->on[i].per_hour;
    s->per_hour = fleet_median(values, s->on_count);
    s->per_day = 24 * s->per_hour;
    free(values);
}

/* --- suspects ----------------------------------------------------------------------- */

static bool is_on_few(const struct hd_fleet_suspect *s, const struct hd_fleet_options *opt)
{
    double least = opt->min_hosts > 0 ? (double)opt->min_hosts
                                      : opt->min_hosts_share * (double)s->of_hosts;
    return (double)s->hosts < least;
}

/* How much runs have to count for to be held against those that show it. */
static enum run_weight weight_for(const struct hd_fleet_suspect *s)
{
    static const enum run_weight weights[] = {[HD_EVIDENCE_JUDGED] = RUN_JUDGED,
                                              [HD_EVIDENCE_POOLED] = RUN_POOLED,
                                              [HD_EVIDENCE_OPEN] = RUN_COMPARED};
    return weights[s->evidence];
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
        struct hd_fleet_host host = host_of(
            &hits[i], end - i, m->newest[weight_for(s)][hits[i].host], m->opt->limit);
        if (s->evidence != HD_EVIDENCE_JUDGED)
            add_life(s, &host, &hits[i], end - i, m);
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

/* Of hits of one suspect, sorted by host, those that speak for it. */
static void pick(struct making *m, const struct hit *hits, size_t count,
                 enum hd_fleet_evidence evidence)
{
    m->picked.len = 0;
    for (size_t i = 0; i < count; i++)
        if (evidence == HD_EVIDENCE_OPEN || hits[i].run->judgement == HD_JUDGED ||
            (evidence == HD_EVIDENCE_POOLED && hits[i].counts))
            add_hit(&m->picked, hits[i]);
}

/* Where it began is told by all runs: one too short to count is no less of its build. */
static void add_onset(struct making *m, struct hd_fleet_suspect *s, struct hit *hits,
                      size_t count, const struct service_runs *of)
{
    if (s->evidence != HD_EVIDENCE_JUDGED)
        pick(m, hits, count, HD_EVIDENCE_OPEN);
    for (size_t i = 0; i < m->picked.len; i++)
        s->first_seen = fmin(s->first_seen, onset_seen(m->picked.all[i].run));
    s->runs = m->picked.len;
    onset_find(s, m->picked.all, m->picked.len, of->builds, m->arena);
}

/* Hits of one suspect, sorted by host, and what pools say of them. */
static struct hd_fleet_suspect suspect_of(struct making *m, struct hit *hits, size_t count,
                                          const struct service_runs *of,
                                          struct hd_fleet_suspect s)
{
    enum run_weight weight = weight_for(&s);
    s.of_hosts = of->hosts[weight];
    s.of_runs = of->runs[weight];
    s.first_seen = s.hours_left = s.life_hours = NAN;
    pick(m, hits, count, s.evidence);
    for (size_t i = 0; i < m->picked.len; i++)
        s.ended_near_limit += pools_ended_near(m->pools, m->picked.all[i].run);
    add_name(&s, m->picked.all, m->picked.len);
    add_hosts(m, &s, m->picked.all, m->picked.len);
    add_medians(&s);
    s.hosts_share = (double)s.hosts / (double)s.of_hosts;
    s.score = s.hosts_share * (isnan(s.score_share) ? 0 : s.score_share);
    s.is_few = is_on_few(&s, m->opt);
    add_onset(m, &s, hits, count, of);
    return s;
}

/* Judged runs alone, if they make it a suspect; else those together with what pools say;
 * else it is open. */
static void add_suspect(struct making *m, struct hit *hits, size_t count,
                        const struct service_runs *of)
{
    struct hd_fleet_answer *a = m->answer;
    struct hd_fleet_suspect said = {0}, s = {.is_few = true};
    size_t judged = 0;
    for (size_t i = 0; i < count; i++)
        judged += hits[i].run->judgement == HD_JUDGED;
    if (judged < count)
        pools_judge(m->pools, hits, count, &said);
    if (judged > 0)
        s = suspect_of(m, hits, count, of, (struct hd_fleet_suspect){0});
    if (s.is_few && judged < count && said.missing == HD_MISSING_NOTHING) {
        said.evidence = HD_EVIDENCE_POOLED;
        s = suspect_of(m, hits, count, of, said);
    } else if (judged == 0) {
        said.evidence = HD_EVIDENCE_OPEN;
        s = suspect_of(m, hits, count, of, said);
    }
    a->suspects = grow(a->suspects, a->suspect_count, &m->suspect_cap, sizeof(s));
    a->suspects[a->suspect_count++] = s;
}

/* Where hits of the same suspect end. */
static size_t suspect_end(const struct hits *h, size_t i)
{
    size_t end = i + 1;
    while (end < h->len && is_same_suspect(&h->all[i], &h->all[end]))
        end++;
    return end;
}

static void add_suspects(struct making *m, const struct service_runs *of)
{
    struct hits *h = &m->hits;
    size_t different = 0;
    if (h->len > 0)
        qsort(h->all, h->len, sizeof(*h->all), by_suspect);
    for (size_t i = 0; i < h->len; i = suspect_end(h, i))
        different++;
    pools_set_suspects(m->pools, different);
    for (size_t i = 0, end; i < h->len; i = end) {
        end = suspect_end(h, i);
        add_suspect(m, &h->all[i], end - i, of);
    }
}

/* First those of the fleet. */
static int by_score(const void *a, const void *b)
{
    const struct hd_fleet_suspect *x = a, *y = b;
    bool is_open = x->evidence == HD_EVIDENCE_OPEN;
    if (is_open != (y->evidence == HD_EVIDENCE_OPEN))
        return is_open ? 1 : -1;
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
                     const struct hd_run_record *all, size_t len, struct service_runs *of)
{
    uint32_t host = (uint32_t)s->hosts++;
    for (enum run_weight w = RUN_COMPARED; w <= RUN_JUDGED; w++) {
        m->newest[w][host] = newest_of(all, len, m->pools, w);
        of->hosts[w] += m->newest[w][host] != NULL;
    }
    if (m->newest[RUN_JUDGED][host] != NULL)
        s->hours_left = sooner(s->hours_left,
                               run_hours_left(m->newest[RUN_JUDGED][host], m->opt->limit));
    for (size_t i = 0; i < len; i++) {
        count_run(m, s, &all[i]);
        for (size_t k = 0; all[i].judgement != HD_NOT_JUDGED && k < all[i].finding_count;
             k++)
            add_hit(&m->hits, (struct hit){&all[i], &all[i].findings[k], host,
                                           onset_build_of(of->builds, &all[i]),
                                           all[i].judgement == HD_JUDGED});
    }
}

/* What the suspects from there on, which are of it, are to their service. */
static void count_suspects_of(struct hd_fleet_service *s,
                              const struct hd_fleet_suspect *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_open = all[i].evidence == HD_EVIDENCE_OPEN;
        s->suspects += !is_open && !all[i].is_few;
        s->suspects_open += is_open;
        if (all[i].evidence == HD_EVIDENCE_POOLED)
            s->hours_left = sooner(s->hours_left, all[i].hours_left);
    }
}

static void add_service(struct making *m, const struct hd_run_record *all, size_t len)
{
    struct hd_fleet_answer *a = m->answer;
    struct arena scratch = {0};
    struct service_runs of = {
        .all = all, .len = len, .builds = onset_builds(all, len, m->arena)};
    struct hd_fleet_service s = {.service = all[0].run.service,
                                 .hours_left = NAN,
                                 .last = NAN,
                                 .builds = of.builds->len};
    m->hits.len = 0;
    m->pools = pools_make(&of, m->opt->limit, &scratch);
    for (size_t i = 0, n; i < len; i += n) {
        n = runs_of_host(&all[i], len - i);
        add_host(m, &s, &all[i], n, &of);
    }
    s.hosts_judged = of.hosts[RUN_JUDGED];
    of.runs[RUN_JUDGED] = s.runs[HD_JUDGED];
    of.runs[RUN_POOLED] = of.runs[RUN_COMPARED] = s.runs[HD_JUDGED] + s.runs[HD_UNSURE];
    size_t before = a->suspect_count;
    add_suspects(m, &of);
    arena_free(&scratch);
    if (a->suspect_count > before)
        count_suspects_of(&s, &a->suspects[before], a->suspect_count - before);
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
    for (enum run_weight w = RUN_COMPARED; w <= RUN_JUDGED; w++)
        m.newest[w] =
            alloc_zeroed(array_bytes(f->len, sizeof(const struct hd_run_record *)));
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
        bool is_open = a->suspects[i].evidence == HD_EVIDENCE_OPEN;
        a->suspects[i].rank = i + 1;
        a->open_count += is_open;
        a->few_count += !is_open && a->suspects[i].is_few;
    }
    a->suspect_count -= a->few_count + a->open_count;
    add_unjudged(a, f, arena);
    if (opt->by == HD_FLEET_BY_HOST)
        fleet_host_rows(a, f, arena);
    for (enum run_weight w = RUN_COMPARED; w <= RUN_JUDGED; w++)
        free(m.newest[w]);
    free(m.hits.all);
    free(m.picked.all);
}
