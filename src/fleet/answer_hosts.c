/* Rows of --by=host: each host of each service by itself. */
#include "fleet/answer.h"

#include <math.h>
#include <stdlib.h>

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
                                    .heap = answer_heap(last),
                                    .heap_per_hour = last->heap_per_hour,
                                    .hours_left = answer_hours_left(last, limit),
                                    .count = last->count,
                                    .times = last->times,
                                    .bytes = last->heap};
    for (size_t i = 0; i < len; i++) {
        row.runs[all[i].judgement]++;
        take_worst(&row, &all[i]);
    }
    return row;
}

/* Hosts with suspects first, the worst of them first; then by name. */
static int by_badness(const void *a, const void *b)
{
    const struct hd_fleet_host_row *x = a, *y = b;
    double s = isnan(x->score_share) ? -1 : x->score_share;
    double t = isnan(y->score_share) ? -1 : y->score_share;
    if (s != t)
        return s > t ? -1 : 1;
    int order = fleet_order(x->service, y->service);
    return order != 0 ? order : fleet_order(x->host, y->host);
}

void answer_hosts(struct hd_fleet_answer *a, const struct hd_fleet *f, struct arena *arena)
{
    a->host_rows = arena_array(arena, struct hd_fleet_host_row, a->hosts);
    for (size_t i = 0, n; i < f->len; i += n) {
        n = answer_host_end(&f->all[i], f->len - i);
        a->host_rows[a->host_row_count++] = row_of(&f->all[i], n, a->limit);
    }
    if (a->host_row_count > 0)
        qsort(a->host_rows, a->host_row_count, sizeof(*a->host_rows), by_badness);
}
