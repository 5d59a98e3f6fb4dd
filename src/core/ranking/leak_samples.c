#include "ranking/leak_samples.h"

#include <stdlib.h>
#include <string.h>

const struct allocation_sites *leak_sites_of(const struct hd_snapshot *snap)
{
    return snap->digest != NULL ? snap->digest->sites : snap->sites;
}

/* --- intervals ---------------------------------------------------------------------- */

/* Numbers of the collections in which snapshots were taken; they determine the interval in
 * which an object was allocated. */
struct collections {
    uint32_t of[SERIES_MAX_SNAPSHOTS];
    size_t count;
    bool are_known; /* all known and ascending */
};

static struct collections collections_of(struct hd_snapshot *const *snaps, size_t count)
{
    struct collections c = {.count = count, .are_known = true};
    for (size_t k = 0; k < count; k++) {
        const struct allocation_sites *sites = leak_sites_of(snaps[k]);
        c.of[k] = sites != NULL && sites->collection != 0 ? sites->collection
                                                          : snaps[k]->identity.collection;
        c.are_known &= c.of[k] != 0 && (k == 0 || c.of[k] > c.of[k - 1]);
    }
    return c;
}

/* 0: the first snapshot has it. */
static uint32_t interval_of(const struct collections *c, uint32_t born)
{
    uint32_t k = 0;
    if (!c->are_known || born == 0)
        return NO_INTERVAL;
    while (k + 1 < c->count && c->of[k] < born)
        k++;
    return k;
}

/* --- samples ------------------------------------------------------------------------ */

static void add_sample(struct leak_samples *to, path_id path, uint32_t stack,
                       uint32_t interval)
{
    if (path != NO_PATH && interval != 0)
        to->all[to->len++] = (struct leak_sample){path, stack, interval};
}

/* The interval of allocation is exact; if collections are unknown, it is the one in which
 * the object first appeared at its path. */
static void add_objects(struct leak_samples *to, const struct full_tree *f,
                        const struct cohorts *cohorts, const struct hd_snapshot *snap,
                        const struct collections *c)
{
    const struct allocation_sites *sites = snap->sites;
    node_id *nodes = sampled_nodes(snap);
    bool by_cohorts = cohorts != NULL && cohorts->cohort != NULL &&
                      cohorts->nodes == snap->graph->node_count;
    if (nodes == NULL) {
        to->sites = NULL;
        return;
    }
    for (uint32_t i = 0; i < sites->object_count; i++) {
        path_id p = f->at_node[nodes[i]];
        uint32_t interval = interval_of(c, sites->objects[i].born);
        if (interval == NO_INTERVAL && by_cohorts)
            interval = cohorts->cohort[nodes[i]];
        add_sample(to, p != NO_PATH ? f->cut[p] : NO_PATH, sites->objects[i].stack,
                   interval);
    }
    free(nodes);
}

static void add_places(struct leak_samples *to, const struct full_tree *f,
                       const struct collections *c)
{
    const struct allocation_sites *sites = to->sites;
    for (uint32_t i = 0; i < sites->object_count; i++)
        add_sample(to, f->cut[f->at_place[sites->objects[i].object]],
                   sites->objects[i].stack, interval_of(c, sites->objects[i].born));
}

struct leak_samples leak_samples_of(const struct ownership_tree *t,
                                    const struct cohorts *cohorts,
                                    struct hd_snapshot *const *snaps, struct arena *a)
{
    size_t n = t->snapshots;
    const struct full_tree *f = &t->full[n - 1];
    struct leak_samples samples = {.sites = leak_sites_of(snaps[n - 1])};
    if (samples.sites == NULL)
        return samples;
    const struct collections c = collections_of(snaps, n);
    samples.all = arena_array(a, struct leak_sample, samples.sites->object_count);
    if (f->at_place != NULL)
        add_places(&samples, f, &c);
    else if (f->at_node != NULL && snaps[n - 1]->graph != NULL)
        add_objects(&samples, f, cohorts, snaps[n - 1], &c);
    else
        samples.sites = NULL;
    return samples;
}

/* --- rows --------------------------------------------------------------------------- */

struct leak_rows leak_rows_new(const struct ownership_tree *t, struct arena *a)
{
    return (struct leak_rows){.row = arena_array(a, uint32_t, t->len),
                              .above = arena_array(a, path_id, t->len),
                              .t = t};
}

void leak_rows_end(struct leak_rows *rows)
{
    for (path_id p = 1; p < rows->t->len; p++)
        rows->above[p] = rows->row[p] != 0 ? p : rows->above[rows->t->parent[p]];
}
