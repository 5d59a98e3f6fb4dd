#include "report/text_growth.h"

#include "base/c_locale.h"

#include <math.h>

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
