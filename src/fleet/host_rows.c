/* Rows of --by=host: each host of each service by itself; and what answer.c shares with
 * them of single runs. */
#include "fleet/answer.h"

#include <math.h>
#include <stdlib.h>

/* Later than that nobody waits for a limit: ten years, in hours. */
static const double never = 10 * 365.25 * 24;

/* --- one run --------------------------------------------------------------------- */

uint64_t run_last_heap(const struct hd_run_record *run)
{
    return run != NULL && run->count > 0 ? run->heap[run->count - 1] : HD_UNKNOWN;
}

double run_hours_left(const struct hd_run_record *run, uint64_t limit)
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

size_t runs_of_host(const struct hd_run_record *all, size_t len)
{
    size_t i = 0;
    while (i < len && fleet_order(all[i].run.service, all[0].run.service) == 0 &&
           fleet_order(all[i].run.host, all[0].run.host) == 0)
        i++;
    return i;
}

/* --- a row -------------------------------------------------------------------------- */

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

/* --- what several runs show --------------------------------------------------- */

/* A suspect that does not rest on judged runs alone, on one of its hosts. */
struct besides {
    const char *service, *host;
    const struct hd_fleet_suspect *suspect;
    const struct hd_fleet_host *on;
};

/* Of one host those that say most first. */
static int by_place(const void *a, const void *b)
{
    const struct besides *x = a, *y = b;
    int order = fleet_order(x->service, y->service);
    order = order != 0 ? order : fleet_order(x->host, y->host);
    return order != 0 ? order
                      : (x->suspect->rank > y->suspect->rank) -
                            (x->suspect->rank < y->suspect->rank);
}

static struct besides *find_besides(const struct hd_fleet_answer *a, size_t *count)
{
    size_t n = 0, suspects = a->suspect_count + a->few_count + a->open_count;
    for (size_t i = 0; i < suspects; i++)
        n += a->suspects[i].on_count;
    struct besides *all = alloc_zeroed(array_bytes(n, sizeof(*all)));
    *count = 0;
    for (size_t i = 0; i < suspects; i++) {
        const struct hd_fleet_suspect *s = &a->suspects[i];
        for (size_t k = 0; s->evidence != HD_EVIDENCE_JUDGED && k < s->on_count; k++)
            all[(*count)++] = (struct besides){s->service, s->on[k].host, s, &s->on[k]};
    }
    if (*count > 0)
        qsort(all, *count, sizeof(*all), by_place);
    return all;
}

/* What pools say is the worst where no judged run shows anything. */
static void add_besides(struct hd_fleet_host_row *row, const struct besides *b)
{
    const struct hd_fleet_suspect *s = b->suspect;
    if (s->evidence == HD_EVIDENCE_OPEN) {
        row->open_subject = row->suspects_open++ == 0 ? s->subject : row->open_subject;
        return;
    }
    if (row->suspects_pooled++ > 0 || row->type != NULL)
        return;
    row->type = s->type;
    row->subject = s->subject;
    row->holder = s->holder;
    row->score_share = b->on->score_share;
    row->per_hour = b->on->per_hour;
    row->hours_left = b->on->hours_left;
    row->run = b->on->run;
}

/* --- rows --------------------------------------------------------------------- */

void fleet_host_rows(struct hd_fleet_answer *a, const struct hd_fleet *f,
                     struct arena *arena)
{
    size_t count, next = 0;
    struct besides *all = find_besides(a, &count);
    a->host_rows = arena_array(arena, struct hd_fleet_host_row, a->hosts);
    for (size_t i = 0, n; i < f->len; i += n) {
        n = runs_of_host(&f->all[i], f->len - i);
        struct hd_fleet_host_row *row = &a->host_rows[a->host_row_count++];
        *row = row_of(&f->all[i], n, a->limit);
        for (; next < count && fleet_order(all[next].service, row->service) == 0 &&
               fleet_order(all[next].host, row->host) == 0;
             next++)
            add_besides(row, &all[next]);
    }
    free(all);
    if (a->host_row_count > 0)
        qsort(a->host_rows, a->host_row_count, sizeof(*a->host_rows), by_host_badness);
}
