#include "compare/steps.h"

#include "format/open.h"
#include "identity/same.h"

#include <stdlib.h>
#include <string.h>

static const char *obstacle_of_series(const struct series *s)
{
    if (s->usable_count < 2)
        return "fewer than two of the snapshots can be compared";
    if (s->restarted || s->out_of_order)
        return "the snapshots are not from one process, in order of time";
    return s->has_repeats ? "one snapshot is given twice" : NULL;
}

bool steps_are_of_digests(const struct series *s)
{
    bool all = obstacle_of_series(s) == NULL;
    for (size_t i = 0; all && i < s->usable_count; i++) {
        const struct hd_snapshot *snap = s->snaps[s->usable[i]];
        all = snap->digest != NULL && !snap->info.sampled;
    }
    return all;
}

/* NULL: nothing speaks against it. */
static const char *obstacle(const struct series *s)
{
    const char *of_series = obstacle_of_series(s);
    if (of_series != NULL)
        return of_series;
    for (size_t i = 0; i < s->usable_count; i++) {
        const struct hd_snapshot *snap = s->snaps[s->usable[i]];
        if (snap->digest != NULL)
            return "a digest has no single objects";
        if (snap->info.sampled)
            return "a sample lacks most objects";
    }
    return NULL;
}

const char *steps_why_unknown(const struct series *s)
{
    const char *why = obstacle(s);
    for (size_t i = 0; why == NULL && i < s->usable_count; i++)
        if (!s->snaps[s->usable[i]]->info.has_graph ||
            s->snaps[s->usable[i]]->read.tables_only)
            why = "a table has no single objects";
    return why != NULL ? why : "their order is not known well enough";
}

/* What same_find() takes for each object of both, and births for each of the newer. */
enum { PER_OBJECT = 48 };

/* Reserving may give graphs back, so it comes first. */
static bool show_step(struct hd_comparison *c, const struct series *s, size_t i,
                      step_visitor *visit, void *context, bool *more, struct hd_error *err)
{
    struct hd_snapshot *older = c->snaps[s->usable[i - 1]], *newer = c->snaps[s->usable[i]];
    uint64_t bytes = PER_OBJECT * ((uint64_t)older->node_count + newer->node_count);
    if (!comparison_reserve(c, bytes, "following objects between snapshots", err))
        return false;
    bool ok = snapshot_need_graph(older, err) && snapshot_need_graph(newer, err);
    struct same same = {0};
    *more = ok && older->graph != NULL && newer->graph != NULL;
    if (*more) {
        same_find(&same, older, newer, c->how.threads);
        same_add_remade(&same, older, newer);
        *more = visit(context, i, older, newer, &same);
    }
    same_free(&same);
    comparison_unreserve(c, bytes);
    return ok || comparison_blame(err, s->usable[i]);
}

bool steps_follow(struct hd_comparison *c, const struct series *s, step_visitor *visit,
                  void *context, struct hd_error *err)
{
    bool ok = true, more = obstacle(s) == NULL;
    for (size_t i = 1; ok && more && i < s->usable_count; i++)
        ok = show_step(c, s, i, visit, context, &more, err);
    return ok;
}

/* --- since when ------------------------------------------------------------------ */

struct age_count {
    struct ages *ages;
    size_t steps; /* that were seen */
};

static bool age(void *context, size_t i, const struct hd_snapshot *older,
                const struct hd_snapshot *newer, const struct same *same)
{
    struct age_count *a = context;
    struct ages *ages = a->ages;
    if (i == 1) {
        ages->source = HD_SAME_BY_EVENTS;
        ages->since = alloc_zeroed((size_t)older->graph->node_count + 1);
    }
    if (same->source < ages->source)
        ages->source = same->source;
    if (ages->source == HD_SAME_UNKNOWN)
        return false;
    unsigned char *since = alloc_zeroed((size_t)newer->graph->node_count + 1);
    memset(since, (int)i, newer->graph->node_count);
    for (node_id n = 0; n < same->count; n++)
        if (same->next[n] != NO_NODE)
            since[same->next[n]] = ages->since[n];
    free(ages->since);
    ages->since = since;
    a->steps++;
    return true;
}

bool steps_ages(struct hd_comparison *c, const struct series *s, struct ages *ages,
                struct hd_error *err)
{
    *ages = (struct ages){.source = HD_SAME_UNKNOWN};
    struct age_count a = {.ages = ages};
    bool ok = steps_follow(c, s, age, &a, err);
    if (a.steps == 0 || a.steps + 1 < s->usable_count)
        ages_free(ages);
    return ok;
}

void ages_free(struct ages *ages)
{
    free(ages->since);
    *ages = (struct ages){.source = HD_SAME_UNKNOWN};
}
