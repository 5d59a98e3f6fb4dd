#include "compare/series_chains.h"

#include "base/error.h"
#include "format/open.h"

/* Bytes of a chain of an exact answer, with what finds it. */
enum { PER_CHAIN = 384 };

static bool too_many_chains(const struct series_chains *s, struct hd_error *err)
{
    uint64_t limit = s->c->how.max_memory;
    return fail_memory(err, "counting all instances by chain",
                       limit + s->objects * PER_CHAIN, limit);
}

static bool search_in(void *context, size_t place, struct hd_snapshot *snap,
                      struct hd_error *err)
{
    struct series_chains *s = context;
    struct arena *scratch = &s->scratch[place];
    struct chain_question ask = {.queries = s->queries, .selection = s->selection};
    if (!s->ask(s->context, place, snap, &ask, scratch)) {
        s->answers[place] = arena_array(scratch, struct chains, s->queries);
        return true;
    }
    if (!snapshot_need_graph(snap, err))
        return false;
    bool digest = snap->digest != NULL && snap->digest->places.len > 0;
    if ((snap->graph == NULL && !digest) || !snap->info.has_roots)
        return true;
    if (digest && s->how.exact)
        return fail(err, HD_USAGE,
                    "a digest has chains of a sample only; an exact answer needs the "
                    "original snapshot");
    ask.role_of_type = owner_roles(&s->types, snap, scratch);
    struct arena of_walk = {0};
    struct chain_options how = s->how;
    uint64_t most = s->work->plan.left / s->count / PER_CHAIN;
    how.most = most < snap->node_count ? (size_t)most + 1 : 0;
    struct walk walk = {0};
    if (!digest)
        walk = walk_graph(snap, &of_walk);
    s->answers[place] = chains_find(snap, &walk, &ask, &how, scratch);
    arena_free(&of_walk);
    comparison_report_progress(s->c, HD_FINDING_CHAINS, snap->node_count, s->objects);
    return s->answers[place] != NULL || too_many_chains(s, err);
}

bool series_chains_find(struct series_chains *s, struct hd_error *err)
{
    struct graph_work w = {.c = s->c,
                           .indexes = s->indexes,
                           .count = s->count,
                           .work = plan_walk,
                           .on = search_in,
                           .context = s};
    s->work = &w;
    for (size_t place = 0; place < s->count; place++)
        s->objects += s->c->snaps[s->indexes[place]]->node_count;
    comparison_report_progress(s->c, HD_FINDING_CHAINS, 0, s->objects);
    return comparison_work(&w, err);
}

void series_chains_free(struct series_chains *s)
{
    owner_types_free(&s->types);
    for (size_t place = 0; place < s->count; place++)
        arena_free(&s->scratch[place]);
}
