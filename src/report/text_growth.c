#include "report/text_growth.h"

#include "base/c_locale.h"

#include <math.h>
#include <string.h>

static const struct hd_tally *last_of(const struct hd_report *r, const struct hd_tally *at)
{
    return &at[r->snapshot_count - 1];
}

void text_gain(struct text *t, const struct hd_report *r, const struct hd_suspect *s)
{
    if (r->diff.by_graph)
        human_size_signed(t, s->more);
    else if (r->diff.types.bytes_known)
        human_size_delta(t, s->at[0].bytes, last_of(r, s->at)->bytes);
    else
        human_delta(t, s->at[0].count, last_of(r, s->at)->count);
}

double text_gain_share(const struct hd_report *r, const struct hd_suspect *s)
{
    const struct hd_tally *last = last_of(r, s->at),
                          *all = last_of(r, r->diff.types.totals);
    if (r->diff.by_graph)
        return s->more_share;
    double gain = r->diff.types.bytes_known ? (double)last->bytes - (double)s->at[0].bytes
                                            : (double)last->count - (double)s->at[0].count;
    double whole = (double)(r->diff.types.bytes_known ? all->bytes : all->count);
    return whole > 0 ? gain / whole : 0;
}

static bool is_growth_of(int64_t part, int64_t whole)
{
    return whole > 0 ? part > whole / 2 : whole == part;
}

/* A leak may hide in a type that is as many as before; and a type may grow elsewhere by far
 * more than where this row saw it. */
size_t text_counts(struct hd_tally *at, const struct hd_report *r,
                   const struct hd_suspect *s, bool *at_place)
{
    size_t n = 0;
    struct hd_tally all[SERIES_MAX_SNAPSHOTS];
    for (size_t k = 0; k < r->snapshot_count; k++) {
        if (s->held != NULL && s->held[k] == HD_UNKNOWN)
            continue;
        all[n] = s->at[k];
        at[n++] = (struct hd_tally){s->held != NULL ? s->held[k] : s->at[k].count, 0};
    }
    int64_t here = (int64_t)(at[n - 1].count - at[0].count);
    int64_t whole = (int64_t)(all[n - 1].count - all[0].count);
    *at_place = here > 0 && (!is_growth_of(here, whole) || !is_growth_of(whole, here));
    if (!*at_place)
        memcpy(at, all, n * sizeof(*at));
    return n;
}

void text_line(struct text *t, const struct hd_report *r)
{
    char share[32];
    if (r->options.min_bytes > 0) {
        human_size(t, r->options.min_bytes);
        return;
    }
    c_snprintf(share, sizeof(share), "%g %% of the heap", 100 * r->options.min_share);
    text_add_string(t, share);
}

void text_steady(struct text *t, const struct hd_suspect *s)
{
    text_add_string(t, "steady: +");
    human_count(t, s->step_least);
    if (s->step_most > s->step_least) {
        text_add_string(t, "–");
        human_count(t, s->step_most);
    }
    text_add_string(t, " every step");
}
