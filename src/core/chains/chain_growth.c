#include "chains/chain_growth.h"

#include "base/hash.h"

#include <string.h>

const char *const chain_status_names[HD_CHAIN_STATUS_COUNT] = {
    [HD_CHAIN_NEW] = "new",
    [HD_CHAIN_GONE] = "gone",
    [HD_CHAIN_GROWING] = "growing",
    [HD_CHAIN_STEADY] = "steady",
    [HD_CHAIN_SHRINKING] = "shrinking",
};

/* One chain in all snapshots; NULL where no instance, or no sample, has it. */
struct line {
    const struct hd_chain **at;
    UT_hash_handle hh;
};

static struct line *line_of(struct line **lines, const struct hd_chain *c, size_t count,
                            struct arena *scratch)
{
    struct line *line;
    HASH_FIND(hh, *lines, &c->hash, sizeof(c->hash), line);
    if (line != NULL)
        return line;
    line = arena_alloc(scratch, sizeof(*line));
    line->at = arena_array(scratch, const struct hd_chain *, count);
    HASH_ADD_KEYPTR(hh, *lines, &c->hash, sizeof(c->hash), line);
    return line;
}

static enum hd_chain_status status_of_counts(const uint64_t *instances, size_t count)
{
    double x[SERIES_MAX_SNAPSHOTS], y[SERIES_MAX_SNAPSHOTS];
    uint64_t first = instances[0], last = instances[count - 1];
    bool steady = true;
    for (size_t k = 0; k < count; k++) {
        x[k] = (double)k;
        y[k] = (double)instances[k];
        steady &= instances[k] == first;
    }
    struct trend t = {count, x, y, NULL};
    if (steady)
        return HD_CHAIN_STEADY;
    if (last == 0)
        return HD_CHAIN_GONE;
    if (first == 0)
        return HD_CHAIN_NEW;
    if (trend_grows(&t))
        return HD_CHAIN_GROWING;
    return last < first && trend_falls(&t) ? HD_CHAIN_SHRINKING : HD_CHAIN_UNKNOWN;
}

/* Finds the bounds of the number of instances with the chain, with 95 % certainty. */
static void bounds(const struct chains *all, const struct hd_chain *c, double *low,
                   double *high)
{
    *low = 0;
    *high = (double)all->instances;
    if (all->samples == 0)
        return;
    double share_low = 0, share_high = 0;
    if (c != NULL) {
        share_low = c->low;
        share_high = c->high;
    } else if (all->samples < all->instances) {
        wilson_interval(0, all->samples, &share_low, &share_high);
        double unknown = (double)all->uncovered / (double)all->instances;
        share_high = share_high * (1 - unknown) + unknown;
    }
    *low = share_low * (double)all->instances;
    *high = share_high * (double)all->instances;
}

static enum hd_chain_status status_of_samples(const struct chains *const *in,
                                              const struct line *line, size_t count)
{
    double first_low, first_high, last_low, last_high;
    const struct hd_chain *first = line->at[0], *last = line->at[count - 1];
    bounds(in[0], first, &first_low, &first_high);
    bounds(in[count - 1], last, &last_low, &last_high);
    if (last_low > first_high)
        return first == NULL ? HD_CHAIN_NEW : HD_CHAIN_GROWING;
    if (first_low > last_high)
        return last == NULL ? HD_CHAIN_GONE : HD_CHAIN_SHRINKING;
    return HD_CHAIN_UNKNOWN;
}

static struct grown_chain grow_chain(const struct chains *const *in,
                                     const struct line *line, size_t count, struct arena *a)
{
    struct grown_chain g = {0};
    bool exact = true;
    for (size_t k = 0; k < count; k++) {
        if (line->at[k] != NULL)
            g.chain = *line->at[k];
        exact &= in[k]->samples == in[k]->instances;
    }
    if (line->at[count - 1] == NULL) {
        g.chain.count = 0;
        g.chain.share = g.chain.low = g.chain.high = 0;
    }
    if (!exact) {
        g.status = count > 1 ? status_of_samples(in, line, count) : HD_CHAIN_UNKNOWN;
        return g;
    }
    g.instances = arena_array(a, uint64_t, count);
    for (size_t k = 0; k < count; k++)
        g.instances[k] = line->at[k] != NULL ? line->at[k]->count : 0;
    g.status = count > 1 ? status_of_counts(g.instances, count) : HD_CHAIN_UNKNOWN;
    return g;
}

struct grown_chains chain_growth(const struct chains *const *in, size_t count,
                                 struct arena *a)
{
    struct arena scratch = {0};
    struct line *lines = NULL;
    for (size_t k = count; k-- > 0;)
        for (size_t i = 0; i < in[k]->len; i++)
            line_of(&lines, &in[k]->all[i], count, &scratch)->at[k] = &in[k]->all[i];
    struct grown_chains out = {.all =
                                   arena_array(a, struct grown_chain, HASH_COUNT(lines))};
    for (const struct line *line = lines; line != NULL; line = line->hh.next)
        out.all[out.len++] = grow_chain(in, line, count, a);
    HASH_CLEAR(hh, lines);
    arena_free(&scratch);
    return out;
}
