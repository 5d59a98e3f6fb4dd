/* The answer: suspects, services, hosts and runs without a verdict, of the sorted records.
 */
#include "fleet/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- one run --------------------------------------------------------------------- */

/* Limits after more than ten years (in hours) do not matter. */
static const double never = 10 * 365.25 * 24;

/* Heap in the last snapshot; HD_UNKNOWN. NULL is fine. */
static uint64_t run_last_heap(const struct hd_run_record *run)
{
    return run != NULL && run->count > 0 ? run->heap[run->count - 1] : HD_UNKNOWN;
}

/* Hours from its last snapshot to its limit: NAN unknown, INFINITY never. */
static double run_hours_left(const struct hd_run_record *run, uint64_t limit)
{
    uint64_t heap = run_last_heap(run);
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

/* Returns the number of leading runs with the service and host of the first. */
static size_t runs_of_host(const struct hd_run_record *all, size_t len)
{
    size_t i = 0;
    while (i < len && fleet_order(all[i].run.service, all[0].run.service) == 0 &&
           fleet_order(all[i].run.host, all[0].run.host) == 0)
        i++;
    return i;
}

static double last_time(const struct hd_run_record *run)
{
    return run->count > 0 ? run->times[run->count - 1] : -INFINITY;
}

/* Returns the shorter of two remaining times; unknown ones are ignored. */
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

static int order_of_suspects(const struct hit *x, const struct hit *y)
{
    return fleet_order_of_two(x->finding->type, y->finding->type, x->finding->holder,
                              y->finding->holder);
}

/* Suspects by type and holder; each by host. */
static int by_suspect(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;
    int order = order_of_suspects(x, y);
    if (order != 0)
        return order;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return (x->run->series > y->run->series) - (x->run->series < y->run->series);
}

struct answer_builder {
    struct hd_fleet_answer *answer;
    const struct hd_fleet_options *opt;
    struct arena *arena;
    /* Newest run per host of the service with at least this weight. */
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

static int by_badness(const void *a, const void *b)
{
    const struct hd_fleet_host *x = a, *y = b;
    double s = known(x->per_hour), t = known(y->per_hour);
    if (s != t)
        return s > t ? -1 : 1;
    s = known(x->score_share), t = known(y->score_share);
    return s != t ? (s > t ? -1 : 1) : fleet_order(x->host, y->host);
}

/* Summarises consecutive hits of a host; newest is its newest run that counts. */
static struct hd_fleet_host host_of(const struct hit *hits, size_t count,
                                    const struct hd_run_record *newest, uint64_t limit)
{
    const struct hit *worst = &hits[0];
    bool still = false;
    for (size_t i = 0; i < count; i++) {
        /* worst: the largest share of the heap. */
        const struct hd_run_finding *f = hits[i].finding, *most = worst->finding;
        if (f->score_share != most->score_share
                ? known(f->score_share) > known(most->score_share)
                : known(f->per_hour) > known(most->per_hour))
            worst = &hits[i];
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

/* Derives the life of a process on a host from its hits, and the time left for the newest:
 * the whole life if another run followed, since that has just begun. */
static void add_life(struct hd_fleet_suspect *s, struct hd_fleet_host *host,
                     const struct hit *hits, size_t count, const struct answer_builder *m)
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
        pools_run(m->pools, newest)->was_followed ? life : run_hours_left(&now, limit);
    s->life_hours = sooner(s->life_hours, life);
    free(values);
}

/* --- suspects ----------------------------------------------------------------------- */

/* How much runs have to count for to be held against those that show it. */
static enum run_weight weight_for(const struct hd_fleet_suspect *s)
{
    static const enum run_weight weights[] = {[HD_EVIDENCE_JUDGED] = RUN_JUDGED,
                                              [HD_EVIDENCE_POOLED] = RUN_POOLED,
                                              [HD_EVIDENCE_OPEN] = RUN_COMPARED};
    return weights[s->evidence];
}

static void add_hosts(struct answer_builder *m, struct hd_fleet_suspect *s,
                      const struct hit *hits, size_t count)
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

/* Majority vote (Boyer and Moore), one hit after the other: finds the name that more than
 * half of the hits have. */
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

/* Uses the name from most runs, so that an alert keeps its name when another run becomes
 * worse. */
static void answer_add_name(struct hd_fleet_suspect *s, const struct hit *hits,
                            size_t count)
{
    struct vote title = {0}, hint = {0};
    for (size_t i = 0; i < count; i++) {
        const struct hd_run_finding *f = hits[i].finding;
        vote(&title, f->title != NULL ? f->title : f->type);
        vote(&hint, f->hint);
    }
    s->service = hits[0].run->run.service;
    s->type = hits[0].finding->type;
    s->title = title.name;
    s->holder = hits[0].finding->holder;
    s->hint = hint.name;
}

/* Selects the hits of a suspect (sorted by host) that are evidence. */
static void pick(struct answer_builder *m, const struct hit *hits, size_t count,
                 enum hd_fleet_evidence evidence)
{
    m->picked.len = 0;
    for (size_t i = 0; i < count; i++)
        if (evidence == HD_EVIDENCE_OPEN || hits[i].run->judgement == HD_JUDGED ||
            (evidence == HD_EVIDENCE_POOLED && hits[i].counts))
            add_hit(&m->picked, hits[i]);
}

/* Builds a suspect from its hits, sorted by host, and the result of pools. */
static struct hd_fleet_suspect suspect_of(struct answer_builder *m, struct hit *hits,
                                          size_t count, const struct service_runs *of,
                                          struct hd_fleet_suspect s)
{
    enum run_weight weight = weight_for(&s);
    s.of_hosts = of->hosts[weight];
    s.of_runs = of->runs[weight];
    s.first_seen = s.hours_left = s.life_hours = NAN;
    pick(m, hits, count, s.evidence);
    for (size_t i = 0; i < m->picked.len; i++)
        s.ended_near_limit += pools_run(m->pools, m->picked.all[i].run)->ended_near;
    answer_add_name(&s, m->picked.all, m->picked.len);
    add_hosts(m, &s, m->picked.all, m->picked.len);
    double *values = alloc_zeroed(array_bytes(s.on_count, sizeof(*values)));
    for (size_t i = 0; i < s.on_count; i++)
        values[i] = s.on[i].score_share;
    s.score_share = fleet_median(values, s.on_count);
    for (size_t i = 0; i < s.on_count; i++)
        values[i] = s.on[i].per_hour;
    s.per_hour = fleet_median(values, s.on_count);
    s.per_day = 24 * s.per_hour;
    free(values);
    s.hosts_share = (double)s.hosts / (double)s.of_hosts;
    s.score = s.hosts_share * (isnan(s.score_share) ? 0 : s.score_share);
    double least = m->opt->min_hosts > 0 ? (double)m->opt->min_hosts
                                         : m->opt->min_hosts_share * (double)s.of_hosts;
    s.is_few = (double)s.hosts < least;
    /* Use all runs to find the first build: short ones know their build too. */
    if (s.evidence != HD_EVIDENCE_JUDGED)
        pick(m, hits, count, HD_EVIDENCE_OPEN);
    for (size_t i = 0; i < m->picked.len; i++)
        s.first_seen = fmin(s.first_seen, onset_seen(m->picked.all[i].run));
    s.runs = m->picked.len;
    onset_find(&s, m->picked.all, m->picked.len, of->builds, m->arena);
    return s;
}

/* Uses only judged runs if they are sufficient for a suspect; else also pooled ones; else
 * it is unconfirmed. */
static void add_suspect(struct answer_builder *m, struct hit *hits, size_t count,
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
    while (end < h->len && order_of_suspects(&h->all[i], &h->all[end]) == 0)
        end++;
    return end;
}

static void add_suspects(struct answer_builder *m, const struct service_runs *of)
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
static int answer_by_score(const void *a, const void *b)
{
    const struct hd_fleet_suspect *x = a, *y = b;
    bool is_open = x->evidence == HD_EVIDENCE_OPEN;
    if (is_open != (y->evidence == HD_EVIDENCE_OPEN))
        return is_open ? 1 : -1;
    if (x->is_few != y->is_few)
        return x->is_few ? 1 : -1;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    int order = fleet_order_of_two(x->service, y->service, x->type, y->type);
    return order != 0 ? order : fleet_order(x->holder, y->holder);
}

/* --- services ------------------------------------------------------------------------ */

static void count_run(struct answer_builder *m, struct hd_fleet_service *s,
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

/* Adds consecutive runs of a host. */
static void add_host(struct answer_builder *m, struct hd_fleet_service *s,
                     const struct hd_run_record *all, size_t len, struct service_runs *of)
{
    uint32_t host = (uint32_t)s->hosts++;
    for (enum run_weight w = RUN_COMPARED; w <= RUN_JUDGED; w++) {
        const struct hd_run_record *newest = NULL;
        for (size_t i = 0; i < len; i++)
            if (pools_run(m->pools, &all[i])->weight >= w &&
                (newest == NULL || last_time(&all[i]) >= last_time(newest)))
                newest = &all[i];
        m->newest[w][host] = newest;
        of->hosts[w] += newest != NULL;
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

static void add_service(struct answer_builder *m, const struct hd_run_record *all,
                        size_t len)
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
    for (size_t i = before; i < a->suspect_count; i++) {
        const struct hd_fleet_suspect *x = &a->suspects[i];
        s.suspects += x->evidence != HD_EVIDENCE_OPEN && !x->is_few;
        s.suspects_open += x->evidence == HD_EVIDENCE_OPEN;
        if (x->evidence == HD_EVIDENCE_POOLED)
            s.hours_left = sooner(s.hours_left, x->hours_left);
    }
    a->hosts += s.hosts;
    a->hosts_judged += s.hosts_judged;
    a->services = grow(a->services, a->service_count, &m->service_cap, sizeof(s));
    a->services[a->service_count++] = s;
}

/* --- rows of --by=host ----------------------------------------------------------------
 *
 * Each host of each service separately. */

/* Identity of a suspect. */
struct answer_key {
    const char *type, *holder;
};

static int by_type(const void *a, const void *b)
{
    const struct answer_key *x = a, *y = b;
    return fleet_order_of_two(x->type, y->type, x->holder, y->holder);
}

/* How many different ones, of runs that follow each other. */
static size_t count_suspects(const struct hd_run_record *all, size_t len)
{
    size_t n = 0, different = 0;
    for (size_t i = 0; i < len; i++)
        n += all[i].judgement == HD_JUDGED ? all[i].finding_count : 0;
    struct answer_key *keys = alloc_zeroed(array_bytes(n, sizeof(*keys)));
    n = 0;
    for (size_t i = 0; i < len; i++)
        for (size_t k = 0; all[i].judgement == HD_JUDGED && k < all[i].finding_count; k++)
            keys[n++] =
                (struct answer_key){all[i].findings[k].type, all[i].findings[k].holder};
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
        row->title = f->title != NULL ? f->title : f->type;
        row->holder = f->holder;
        row->score_share = f->score_share;
        row->per_hour = f->per_hour;
        row->run = run->series;
    }
}

static struct hd_fleet_host_row row_of(const struct hd_run_record *all, size_t len,
                                       uint64_t limit)
{
    const struct hd_run_record *last = &all[0];
    for (size_t i = 1; i < len; i++)
        if (all[i].count > 0 && last_time(&all[i]) >= last_time(last))
            last = &all[i];
    struct hd_fleet_host_row row = {.service = last->run.service,
                                    .host = last->run.host,
                                    .build = last->run.build,
                                    .suspects = count_suspects(all, len),
                                    .score_share = NAN,
                                    .per_hour = NAN,
                                    .heap = run_last_heap(last),
                                    .heap_per_hour = last->heap_per_hour,
                                    .hours_left = run_hours_left(last, limit),
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

/* Hosts with suspects first, by their worst one; then by name. */
static int by_host_badness(const void *a, const void *b)
{
    const struct hd_fleet_host_row *x = a, *y = b;
    double s = isnan(x->score_share) ? -1 : x->score_share;
    double t = isnan(y->score_share) ? -1 : y->score_share;
    if (s != t)
        return s > t ? -1 : 1;
    return fleet_order_of_two(x->service, y->service, x->host, y->host);
}

/* --- what several runs show --------------------------------------------------- */

/* A suspect that does not rest on judged runs alone, on one of its hosts. */
struct other_suspect {
    const char *service, *host;
    const struct hd_fleet_suspect *suspect;
    const struct hd_fleet_host *on;
};

/* Per host, the most significant first. */
static int answer_by_place(const void *a, const void *b)
{
    const struct other_suspect *x = a, *y = b;
    int order = fleet_order_of_two(x->service, y->service, x->host, y->host);
    return order != 0 ? order
                      : (x->suspect->rank > y->suspect->rank) -
                            (x->suspect->rank < y->suspect->rank);
}

static struct other_suspect *find_other_suspects(const struct hd_fleet_answer *a,
                                                 size_t *count)
{
    size_t n = 0, suspects = a->suspect_count + a->few_count + a->open_count;
    for (size_t i = 0; i < suspects; i++)
        n += a->suspects[i].on_count;
    struct other_suspect *all = alloc_zeroed(array_bytes(n, sizeof(*all)));
    *count = 0;
    for (size_t i = 0; i < suspects; i++) {
        const struct hd_fleet_suspect *s = &a->suspects[i];
        for (size_t k = 0; s->evidence != HD_EVIDENCE_JUDGED && k < s->on_count; k++)
            all[(*count)++] =
                (struct other_suspect){s->service, s->on[k].host, s, &s->on[k]};
    }
    if (*count > 0)
        qsort(all, *count, sizeof(*all), answer_by_place);
    return all;
}

/* Uses a pooled suspect as the worst one if no judged run has any. */
static void add_other_suspect(struct hd_fleet_host_row *row, const struct other_suspect *b)
{
    const struct hd_fleet_suspect *s = b->suspect;
    if (s->evidence == HD_EVIDENCE_OPEN) {
        row->open_subject = row->suspects_open++ == 0 ? s->title : row->open_subject;
        return;
    }
    if (row->suspects_pooled++ > 0 || row->type != NULL)
        return;
    row->type = s->type;
    row->title = s->title;
    row->holder = s->holder;
    row->score_share = b->on->score_share;
    row->per_hour = b->on->per_hour;
    row->hours_left = b->on->hours_left;
    row->run = b->on->run;
}

/* --- rows --------------------------------------------------------------------- */

static void add_host_rows(struct hd_fleet_answer *a, const struct hd_fleet *f,
                          struct arena *arena)
{
    size_t count, next = 0;
    struct other_suspect *all = find_other_suspects(a, &count);
    a->host_rows = arena_array(arena, struct hd_fleet_host_row, a->hosts);
    for (size_t i = 0, n; i < f->len; i += n) {
        n = runs_of_host(&f->all[i], f->len - i);
        struct hd_fleet_host_row *row = &a->host_rows[a->host_row_count++];
        *row = row_of(&f->all[i], n, a->limit);
        for (; next < count && fleet_order(all[next].service, row->service) == 0 &&
               fleet_order(all[next].host, row->host) == 0;
             next++)
            add_other_suspect(row, &all[next]);
    }
    free(all);
    if (a->host_row_count > 0)
        qsort(a->host_rows, a->host_row_count, sizeof(*a->host_rows), by_host_badness);
}

/* --- runs without a verdict ------------------------------------------ */

static int by_doubt(const void *a, const void *b)
{
    const struct hd_fleet_unjudged *x = a, *y = b;
    if (x->judgement != y->judgement)
        return x->judgement > y->judgement ? -1 : 1;
    if (x->doubt != y->doubt)
        return x->doubt < y->doubt ? -1 : 1;
    int order = fleet_order_of_two(x->service, y->service, x->host, y->host);
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

/* --- complete answer ------------------------------------------------- */

/* Moves an array from the heap to the arena. */
static void *answer_settle(void *from, size_t count, size_t size, struct arena *arena)
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
    struct answer_builder m = {.answer = a, .opt = opt, .arena = arena};
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
    a->suspects = answer_settle(a->suspects, a->suspect_count, sizeof(*a->suspects), arena);
    a->services = answer_settle(a->services, a->service_count, sizeof(*a->services), arena);
    if (a->suspect_count > 0)
        qsort(a->suspects, a->suspect_count, sizeof(*a->suspects), answer_by_score);
    for (size_t i = 0; i < a->suspect_count; i++) {
        bool is_open = a->suspects[i].evidence == HD_EVIDENCE_OPEN;
        a->suspects[i].rank = i + 1;
        a->open_count += is_open;
        a->few_count += !is_open && a->suspects[i].is_few;
    }
    a->suspect_count -= a->few_count + a->open_count;
    add_unjudged(a, f, arena);
    if (opt->by == HD_FLEET_BY_HOST)
        add_host_rows(a, f, arena);
    for (enum run_weight w = RUN_COMPARED; w <= RUN_JUDGED; w++)
        free(m.newest[w]);
    free(m.hits.all);
    free(m.picked.all);
}
