/* comparison.h - snapshots that questions are asked about, and what is known of them.
 *
 * It owns them (unless somebody else does), decides which of their graphs are in memory,
 * and keeps what answers are made of: who owns the heap, holders, what types retain. So a
 * second question about the same objects analyses nothing again. It does not know what is
 * asked: questions are in src/core/questions. */
#ifndef COMPARISON_H
#define COMPARISON_H

#include "ages/births.h"
#include "digest/survivors.h"
#include "owners/holders.h"
#include "owners/ownership_tree.h"

#include "chains/chains.h"
#include "heap/snapshot.h"
#include <pthread.h>

struct plan {
    unsigned at_once; /* snapshots that are worked on at the same time; at least 1 */
    bool keep;        /* graphs may stay until the question is answered */
    uint64_t left;    /* bytes for what is built beside; UINT64_MAX: no limit */
};

/* What is done with a graph: how many bytes that takes beside it. */
typedef uint64_t plan_work(uint64_t objects, uint64_t references);
uint64_t plan_dominators(uint64_t objects, uint64_t references);
uint64_t plan_walk(uint64_t objects, uint64_t references);

/* Plan work on the graphs of snaps; some may have none. Graphs that would be in the way are
 * given back. HD_TOO_BIG, and which one in err->snapshot, if one does not fit. */
bool plan_graphs(struct plan *plan, struct hd_snapshot *const *snaps, size_t count,
                 plan_work *work, const struct hd_read_options *how, struct hd_error *err);

/* Who owns the heap in each of several snapshots, lined up, what certainly survived from
 * the first to the last, and who of what came in each step stayed. It costs the dominators
 * of every graph, so a comparison keeps it. */
struct ownership {
    enum selection selection;
    size_t
        usable[SERIES_MAX_SNAPSHOTS]; /* ownership tree snapshot i is snapshot usable[i] */
    size_t usable_count;
    bool restarted; /* as of the series: then nothing is said of survivors */
    struct ownership_tree tree;
    struct survived *survivors; /* per type of the last; NULL: not known */
    struct births births;       /* source HD_SAME_UNKNOWN: not known */
    bool looked_for_births;
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

    /* One question at a time: graphs come and go while it is answered. */
    pthread_mutex_t asked;

    /* What was found, by the objects that were asked for; NULL: not yet. */
    struct ownership *owned[SELECTIONS];
    struct hd_snapshot **holders[SELECTIONS];
    uint64_t *retained_by_type; /* of the only snapshot, or the last */
    struct dominators found;    /* of both kinds, of that one, until the question ends */
    uint64_t reserved; /* bytes that somebody holds beside graphs (comparison_reserve) */
    struct arena arena;
};

/* Whether objects that no root reaches are left out unasked: a snapshot holds garbage, and
 * all tell what is reachable. */
bool comparison_leaves_garbage(const struct hd_comparison *c);

/* Begin and end a question. False and err, with the number of the input, if one could not
 * be read: there is nothing to answer then, and nothing to end. */
bool comparison_begin(struct hd_comparison *c, struct hd_error *err);
void comparison_end(struct hd_comparison *c);

/* Begin a question about the inputs themselves, which has an answer whatever they are. */
void comparison_begin_any(struct hd_comparison *c);

/* Tell whoever watches. */
void comparison_report_progress(const struct hd_comparison *c, enum hd_phase phase,
                                uint64_t more, uint64_t all);

/* Tell that snapshot k is to blame for a failure that names none yet. Always false. */
bool comparison_blame(struct hd_error *err, size_t k);

/* Within a question: that somebody will hold so many bytes beside the graphs that are in
 * memory, until comparison_unreserve(). Graphs that need not stay are given back if that
 * makes room; else HD_TOO_BIG, "to " what. */
bool comparison_reserve(struct hd_comparison *c, uint64_t bytes, const char *what,
                        struct hd_error *err);
void comparison_unreserve(struct hd_comparison *c, uint64_t bytes);

/* Work on several snapshots side by side: how many at once, and what to release, is decided
 * by work (plan.h). What fails is told as if they had come one after the other. indexes are
 * those of the comparison, ascending. */
struct graph_work {
    struct hd_comparison *c;
    const size_t *indexes;
    size_t count;
    plan_work *work;

    /* Work on number i of indexes, reading its graph first if it needs it. False: stop, err
     * tells why. */
    bool (*on)(void *context, size_t i, struct hd_snapshot *snap, struct hd_error *err);
    void *context;

    /* Whether the graph is wanted again soon; NULL: it is. It stays if there is room. */
    bool (*wants_again)(const void *context, size_t i);

    struct plan plan; /* filled in before the first */
};
bool comparison_work(struct graph_work *w, struct hd_error *err);

/* Who owns what in the usable snapshots of s, a series of the comparison by type, and by
 * which fields; found by the first who asks. The graph of the last of them is in memory
 * afterwards. chains_follow: in all of them, or in the first and the last. NULL and err if
 * a graph cannot be read again.
 */
const struct ownership *comparison_ownership(struct hd_comparison *c,
                                             const struct series *s,
                                             enum ownership_fields fields,
                                             bool all_chains_follow, struct hd_error *err);

/* Who of what came in each step stayed; of what comparison_ownership() gave for s. *births
 * is NULL if that cannot be known. False and err as there; the graph of the last snapshot
 * is in memory afterwards. */
bool comparison_births(struct hd_comparison *c, const struct series *s,
                       const struct births **births, struct hd_error *err);

/* A snapshot of holders of each; they belong to the comparison. NULL and err, also where
 * one cannot tell. */
struct hd_snapshot *const *
comparison_holders(struct hd_comparison *c, enum selection selection, struct hd_error *err);

/* The same, and of their parts (holder_parts.h): parts->count after each other per
 * snapshot. These are the caller's, for snapshot_free(); NULL where it failed. */
struct hd_snapshot *const *comparison_holder_parts(struct hd_comparison *c,
                                                   enum selection selection,
                                                   const struct holder_parts *parts,
                                                   struct hd_snapshot **of_parts,
                                                   struct hd_error *err);

/* What the instances of each type of the last snapshot retain together, by its types. NULL:
 * it has no graph, or err. with_owners: the same question asks for its ownership next. */
const uint64_t *comparison_retained(struct hd_comparison *c, bool with_owners,
                                    struct hd_error *err);

/* --- steps.c: what comparison.c keeps ---------------------------------------------- */

/* Find it; NULL and err if a graph cannot be read again. */
struct ownership *ownership_of(struct hd_comparison *c, const struct series *s,
                               enum ownership_fields fields, bool all_chains_follow,
                               struct hd_error *err);

/* Find births once, if they can be known: of snapshots of one process, in order, whole and
 * with graphs. False and err if a graph cannot be read again, or if there is not the memory
 * for two of them and what identity takes. */
bool ownership_need_births(struct hd_comparison *c, struct ownership *o,
                           const struct series *s, struct hd_error *err);

/* Whether it is that of the usable snapshots of s, with no less of fields. */
bool ownership_fits(const struct ownership *o, const struct series *s,
                    enum ownership_fields fields);
void ownership_free(struct ownership *o); /* NULL is fine */

struct series_chains {
    struct hd_comparison *c;
    size_t indexes[HD_MAX_SNAPSHOTS]; /* of the snapshots to look at, ascending */
    size_t count;
    size_t queries;
    enum selection selection;
    struct owner_types types; /* of the snapshots that decide who owns; freed with this */
    struct chain_options how;

    /* Say which instances of the snapshot in that place are meant: queries and selection
     * are in *ask, roles come later; arrays from scratch. False: there are none. */
    bool (*ask)(void *context, size_t place, const struct hd_snapshot *snap,
                struct chain_question *ask, struct arena *scratch);
    void *context;

    /* By place: an answer for each query; NULL where there is no graph. */
    const struct chains *answers[HD_MAX_SNAPSHOTS];
    struct arena scratch[HD_MAX_SNAPSHOTS];
    uint64_t objects; /* to tell progress */
    const struct graph_work *work;
};

/* Find them. series_chains_free() also after a failure. */
bool series_chains_find(struct series_chains *s, struct hd_error *err);
void series_chains_free(struct series_chains *s);

#endif
