/* comparison.h - own the snapshots of a comparison and cache facts about them.
 *
 * It owns the snapshots (unless the caller does), decides which of their graphs are in
 * memory, and keeps intermediate results: owners of the heap, holders, retained sizes of
 * types. So a second question about the same objects needs no further analysis. Must not
 * depend on the questions: they are in src/core/questions. */
#ifndef COMPARISON_H
#define COMPARISON_H

#include "ages/cohorts.h"
#include "digest/survivors.h"
#include "owners/holders.h"
#include "owners/ownership_tree.h"

#include "chains/chains.h"
#include "heap/snapshot.h"
#include <pthread.h>

struct plan {
    unsigned at_once; /* snapshots that are worked on at the same time; at least 1 */
    bool keep;        /* graphs may stay until the question is answered */
    uint64_t left;    /* bytes left for work data; UINT64_MAX: no limit */
};

/* Returns the bytes that the work on a graph needs in addition to it. */
typedef uint64_t plan_work(uint64_t objects, uint64_t references);
uint64_t plan_dominators(uint64_t objects, uint64_t references);
uint64_t plan_walk(uint64_t objects, uint64_t references);

/* Plans work on the graphs of snaps; some may lack a graph. Releases graphs that are in the
 * way. HD_TOO_BIG, with the snapshot in err->snapshot, if one does not fit. */
bool plan_graphs(struct plan *plan, struct hd_snapshot *const *snaps, size_t count,
                 plan_work *work, const struct hd_read_options *how, struct hd_error *err);

/* The aligned ownership trees of several snapshots, the certain survivors from the first to
 * the last, and the cohorts of each step. Costs the dominators of every graph, so a
 * comparison keeps it. */
struct ownership {
    enum selection selection;
    size_t
        usable[SERIES_MAX_SNAPSHOTS]; /* ownership tree snapshot i is snapshot usable[i] */
    size_t usable_count;
    bool restarted; /* as in the series: then survivors is NULL */
    struct ownership_tree tree;
    struct survived *survivors; /* per type of the last; NULL: not known */
    struct cohorts cohorts;     /* source HD_SAME_UNKNOWN: not known */
    bool looked_for_cohorts;
    struct arena arena;
};

struct hd_comparison {
    struct hd_info_entry *entries; /* an input each */
    size_t entry_count;
    struct hd_snapshot **snaps; /* those that are one, in order */
    size_t count;
    bool owns; /* snapshots are closed with it */
    struct hd_read_options how;
    struct hd_error refused; /* set: options that we do not know */

    /* One question at a time: graphs are read and released during one. */
    pthread_mutex_t asked;

    /* Results by selection; NULL: not yet. */
    struct ownership *owned[SELECTIONS];
    struct hd_snapshot **holders[SELECTIONS];
    uint64_t *retained_by_type; /* of the only snapshot, or the last */
    struct dominators found;    /* both kinds, same snapshot, until the question ends */
    uint64_t
        reserved; /* bytes that callers hold in addition to graphs (comparison_reserve) */
    struct arena arena;
};

/* True if unreachable objects are left out by default: a snapshot has garbage, and all have
 * reachability. */
bool comparison_leaves_garbage(const struct hd_comparison *c);

/* Begins and ends a question. False and err, with the number of the input, if one could not
 * be read: then do not answer, and do not call comparison_end(). */
bool comparison_begin(struct hd_comparison *c, struct hd_error *err);
void comparison_end(struct hd_comparison *c);

/* Begins a question about the inputs themselves, which always has an answer. */
void comparison_begin_any(struct hd_comparison *c);

/* Calls the progress function. */
void comparison_report_progress(const struct hd_comparison *c, enum hd_phase phase,
                                uint64_t more, uint64_t all);

/* Names snapshot k as the cause of a failure without a snapshot. Always false. */
bool comparison_blame(struct hd_error *err, size_t k);

/* Within a question: reserves bytes in addition to the graphs in memory, until
 * comparison_unreserve(). Releases graphs to make room; else HD_TOO_BIG, "to " what. */
bool comparison_reserve(struct hd_comparison *c, uint64_t bytes, const char *what,
                        struct hd_error *err);
void comparison_unreserve(struct hd_comparison *c, uint64_t bytes);

/* Work on several snapshots in parallel: plan.h uses `work` to decide their number, and
 * which graphs to release. Failures are reported as if it were sequential. indexes are
 * those of the comparison, ascending. */
struct graph_work {
    struct hd_comparison *c;
    const size_t *indexes;
    size_t count;
    plan_work *work;

    /* Works on number i of indexes, and reads its graph first if needed. False and err:
     * stop. */
    bool (*on)(void *context, size_t i, struct hd_snapshot *snap, struct hd_error *err);
    void *context;

    /* True if the graph is needed again soon; NULL: it is. It is kept if there is room. */
    bool (*wants_again)(const void *context, size_t i);

    struct plan plan; /* filled in before the first */
};
bool comparison_work(struct graph_work *w, struct hd_error *err);

/* Returns owners, and the fields through which they own, in the usable snapshots of s, a
 * series of the comparison by type; computed for the first caller. The graph of the last
 * snapshot is in memory afterwards. all_chains_follow: a question about chains in all
 * snapshots is next; else in the first and the last. NULL and err if a graph cannot be read
 * again. */
const struct ownership *comparison_ownership(struct hd_comparison *c,
                                             const struct series *s,
                                             enum ownership_fields fields,
                                             bool all_chains_follow, struct hd_error *err);

/* Finds the cohorts of s, and their survivors; after comparison_ownership(). *cohorts is
 * NULL if they are not known. False and err as there; the graph of the last snapshot is in
 * memory afterwards. */
bool comparison_cohorts(struct hd_comparison *c, const struct series *s,
                        const struct cohorts **cohorts, struct hd_error *err);

/* Returns a snapshot of holders for each; they belong to the comparison. NULL and err, also
 * if one has no such data. */
struct hd_snapshot *const *
comparison_holders(struct hd_comparison *c, enum selection selection, struct hd_error *err);

/* The same, and of their parts (holder_parts.h): parts->count after each other per
 * snapshot. These are the caller's, for snapshot_free(); NULL on failure. */
struct hd_snapshot *const *comparison_holder_parts(struct hd_comparison *c,
                                                   enum selection selection,
                                                   const struct holder_parts *parts,
                                                   struct hd_snapshot **of_parts,
                                                   struct hd_error *err);

/* Returns the bytes that the instances of each type of the last snapshot retain together,
 * by its types. NULL: it has no graph, or err. with_owners: the same question needs its
 * ownership next. */
const uint64_t *comparison_retained(struct hd_comparison *c, bool with_owners,
                                    struct hd_error *err);

/* --- steps.c: what comparison.c keeps ---------------------------------------------- */

/* Finds it; NULL and err if a graph cannot be read again. */
struct ownership *ownership_of(struct hd_comparison *c, const struct series *s,
                               enum ownership_fields fields, bool all_chains_follow,
                               struct hd_error *err);

/* Finds cohorts once, if they can be known: of snapshots of the same process, in order,
 * complete and with graphs. False and err if a graph cannot be read again, or if two graphs
 * and identity matching do not fit in memory. */
bool ownership_need_cohorts(struct hd_comparison *c, struct ownership *o,
                            const struct series *s, struct hd_error *err);

/* Returns the bytes of a snapshot in an ownership: a path for each object. */
static inline uint64_t ownership_node_bytes(const struct hd_snapshot *snap)
{
    return (uint64_t)snap->node_count * sizeof(path_id);
}

/* True if it is that of the usable snapshots of s, with at least these fields. */
bool ownership_fits(const struct ownership *o, const struct series *s,
                    enum ownership_fields fields);
void ownership_free(struct ownership *o); /* NULL is fine */

struct series_chains {
    struct hd_comparison *c;
    size_t indexes[HD_MAX_SNAPSHOTS]; /* of the snapshots to look at, ascending */
    size_t count;
    size_t queries;
    enum selection selection;
    struct owner_types types; /* of the snapshots used to find owners; freed with this */
    struct chain_options how;

    /* Selects the instances of the snapshot in that place: sets queries and selection in
     * *ask, roles are added later; arrays from scratch. False without instances. */
    bool (*ask)(void *context, size_t place, const struct hd_snapshot *snap,
                struct chain_question *ask, struct arena *scratch);
    void *context;

    /* By place: an answer for each query; NULL without a graph. */
    const struct chains *answers[HD_MAX_SNAPSHOTS];
    struct arena scratch[HD_MAX_SNAPSHOTS];
    uint64_t objects; /* for progress */
    const struct graph_work *work;
};

/* Finds them. series_chains_free() also after a failure. */
bool series_chains_find(struct series_chains *s, struct hd_error *err);
void series_chains_free(struct series_chains *s);

#endif
