#include "report/text_growth.h"

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

void text_growth_parts(struct text *t, const struct hd_growth *g)
{
    text_add_string(t, "suspects ");
    human_size_signed(t, g->suspects);
    if (g->pools != 0) {
        text_add_string(t, ", pools and threads ");
        human_size_signed(t, g->pools);
    }
    text_add_string(t, ", rest ");
    human_size_signed(t, g->rest);
}
