/* snapshot.h - one heap at one moment, in the form that every analysis reads: what its file
 * contained verbatim, its process, the weight of sampled objects, and reachability.
 *
 * Built by a builder (builder.h) and never changed afterwards, except that reachability may
 * be computed later (reach_find()). It always has a type table; a graph only if the input
 * has one and the caller requested it. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "base/arena.h"
#include "base/input.h"
#include "heap/allocation_sites.h"
#include "heap/digest.h"
#include "heap/graph.h"
#include "heap/root_kind.h"
#include "heap/survivor_map.h"
#include "heap/warning.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* --- source ----------------------------------------------------------------------- */

/* The verbatim content of an input, beyond the needs of any analysis.
 *
 * Stored only for hd_read_options.to_write, so that a writer can repeat it: names as
 * spelled, one type per type of the file, the order in which nodes were described, time and
 * place of the snapshot. Strings and tables live in the snapshot's arena. Costs 4 bytes per
 * node, 4 more if `described` is used. */

/* A type as the reader passed it to the builder; graph.source_type indexes these. */
struct source_type {
    const char *name; /* as spelled; may be NULL */
    size_t name_len;
    const char *module; /* may be NULL or "" */
    uint32_t number;    /* index into the gcdump's type table */

    /* Native AOT traces: offset of the method table in the image loaded at base; else 0. */
    uint64_t base;
    uint32_t rva;
};

/* A type of a gcdump's own table. */
struct source_gcdump_type {
    int32_t size; /* bytes, of nodes that store no size; -1 mostly: every node stores one */
    float multiplier;
    const char *name, *module; /* as stored; NULL: the null string */
};

/* The image of a native AOT program, and a type whose name is only in its symbols. */
struct source_module {
    const char *path, *pdb; /* or NULL */
    uint64_t base, size, build_time;
    unsigned char guid[16];
    int32_t age;
};

struct source_deferred {
    uint32_t id;     /* of the type in the image */
    uint32_t module; /* NO_TYPE if unknown */
    const char *suffix;
};

struct source_segment {
    uint64_t start, end, gen_end[5];
};

struct source {
    struct source_type *types; /* by number of builder_type() */
    size_t type_count;

    /* Nodes in the order in which the file described them, without those that it only
     * refers to. NULL: in order of their numbers. malloc'd. */
    node_id *described;
    uint32_t described_count;

    /* The nodes with which a gcdump's numbers begin, with repetitions: the roots of a
     * trace, in the order of traversal. Each object and its references follow. NULL: nodes
     * are not renumbered. */
    node_id *met;
    size_t met_count;

    /* True for a gcdump, which can be rewritten unchanged. If false, the fields below are
     * empty. */
    bool is_gcdump;
    struct source_gcdump_type *gcdump_types; /* the same as types[0] ..., in the form of the
                                                gcdump */
    uint32_t gcdump_type_count;
    bool is_64_bit;
    float average_count, average_size; /* multipliers of a sampled file */
    bool sampled;
    bool has_heap_info; /* perhaps without segments */
    uint64_t segment_bytes;
    struct source_segment *segments;
    uint32_t segment_count;
    const char *log, *machine, *process, *tool; /* each may be NULL */
    int64_t ticks; /* 100 ns since year 1, local time; 0 unknown */
    int32_t pid;
    uint64_t commit, working_set;
    const unsigned char *interop; /* table of COM wrappers; size may be 0 */
    size_t interop_size;
    bool has_deferred;                /* the list may be empty */
    struct source_deferred *deferred; /* of the first types */
    uint32_t deferred_count;
    struct source_module *modules;
    uint32_t module_count;
    bool module_size_is_64_bit;
};

/* --- identity of the process ------------------------------------------------ */

/* The identity of the process, as far as the bytes of the snapshot reveal it.
 *
 * Two sets of addresses are constant during the life of a process and different in the next
 * one, because the system places memory at random: the objects that represent types
 * (System.RuntimeType; frozen since .NET 8) and the pinned tables in which the runtime
 * stores static variables and literals (System.Object[] of a few fixed sizes). From each
 * set we store the addresses with the smallest hashes: two such samples are comparable
 * whatever happened to the heaps in between, in bounded memory.
 *
 * Native AOT and Mono lack both. There we use the blocks of memory that contain objects: a
 * collector moves objects, but never all objects to other blocks in one collection, and it
 * never moves literals in the image or pinned objects. So the absence of common blocks
 * proves two processes; but two processes may have common blocks, too, since memory may be
 * placed alike.
 *
 * The rules for missing addresses are conservative: a rule that splits one process into two
 * would cost more than one that gives no answer. */

/* The smallest hashes of a set of addresses, ascending, each once. */
struct sketch {
    uint64_t *all;
    size_t len;
    bool is_cut; /* larger hashes were dropped */
};

struct identity {
    struct sketch types, tables;
    struct sketch blocks; /* first addresses; only if types or tables are missing */
    uint64_t instance;    /* identifies a process across machines; 0 if unknown */
    uint32_t collection;  /* number of the garbage collection, within the process, that took
                             the snapshot; 0 if unknown */
};

enum process_match {
    PROCESS_UNKNOWN,
    PROCESS_SAME,
    PROCESS_OTHER /* certainly two processes */
};

enum process_match identity_compare(const struct identity *a, const struct identity *b);

struct hd_snapshot;

/* Fills in snap->identity, except the instance, from the graph, and info.runtime from the
 * addresses of its modules if it is unknown. One pass over the types of the nodes. */
void identity_find(struct hd_snapshot *snap);

/* --- sketches ------------------------------------------------------------- */

/* A hash of an address, and the address that has it. */
uint64_t address_hash(uint64_t address);
uint64_t address_of_hash(uint64_t hash);

enum { SKETCH_SIZE = 1024 };

/* A sketch under construction; {0} is empty. */
struct sketch_builder {
    uint64_t hashes[2 * SKETCH_SIZE];
    size_t len;
    bool is_cut;
};

void sketch_add(struct sketch_builder *s, uint64_t address);
struct sketch sketch_finish(struct sketch_builder *s, struct arena *a);

/* PROCESS_UNKNOWN if one sketch has no address that the other could have. */
enum process_match sketch_compare(const struct sketch *a, const struct sketch *b);

/* --- snapshot --------------------------------------------------------------------- */

enum type_kind {
    TYPE_OBJECT,
    TYPE_PSEUDO,    /* groups roots: "[static vars]"; size 0, no object */
    TYPE_UNDEFINED, /* referred to but never described; no object */
    TYPE_FREE       /* space between objects (free_space.h); no object */
};

/* The objects to count; values combine as bits and index type.tally. */
enum selection { SELECT_ALL = 0, SELECT_GEN2 = 1, SELECT_REACHABLE = 2, SELECTIONS = 4 };

/* Both tallies must be known, and the sums must fit. */
static inline void tally_add(struct hd_tally *to, const struct hd_tally *more)
{
    to->count += more->count;
    to->bytes += more->bytes;
}

/* less must be included in from. */
static inline void tally_take(struct hd_tally *from, const struct hd_tally *less)
{
    from->count -= less->count;
    from->bytes -= less->bytes;
}

/* n times scale, rounded; at most the largest known value, since a damaged file may have
 * any scale. */
static inline uint64_t tally_scaled(uint64_t n, double scale)
{
    const double beyond = 18446744073709549568.0; /* the largest double below 2^64 */
    double scaled = (double)n * scale + 0.5;
    return scaled < beyond ? (uint64_t)scaled : HD_UNKNOWN - 1;
}

/* Half to even, as lrint() in the default rounding mode. */
static inline uint64_t tally_rounded(double value)
{
    double r = nearbyint(value);
    return r < 18446744073709549568.0 ? (uint64_t)r : HD_UNKNOWN - 1;
}

/* A row of the type table: all types that share a kind and a canonical name. */
struct type {
    const char *name;      /* canonical, NUL-terminated, any bytes but NUL */
    const char *full_name; /* with the outer class, which name lacks; NULL if unknown */
    const char *module;    /* NULL: unknown, or several */
    enum type_kind kind;
    struct hd_tally raw;               /* as in the file */
    struct hd_tally tally[SELECTIONS]; /* scaled if the file is sampled */
    double count_scale;                /* scaled / raw count; 1 unless sampled */
    struct hd_tally *by_generation; /* raw; HD_GENERATION_COUNT entries; NULL if unknown */
};

/* True if the type has a row of its own. A sampled type that scales to less than half an
 * object has a count of 0 but non-zero bytes, and so have rows of tables written from
 * it. */
static inline bool type_has_row(const struct type *t)
{
    bool has_bytes = t->raw.bytes > 0 && t->raw.bytes != HD_UNKNOWN;
    return t->kind == TYPE_OBJECT && (t->raw.count > 0 || has_bytes);
}

/* True if the type is written to files as a type with objects. Rewritten files preserve
 * their free space. */
static inline bool type_is_written(const struct type *t)
{
    return t->kind == TYPE_OBJECT || t->kind == TYPE_FREE;
}

/* Objects in gen2 and in the generations collected with it, as in the file. */
static inline struct hd_tally type_raw_of_old(const struct type *t)
{
    struct hd_tally old = {0};
    for (enum hd_generation g = HD_GEN0;
         t->by_generation != NULL && g < HD_GENERATION_COUNT; g++)
        if (generation_is_old(g))
            tally_add(&old, &t->by_generation[g]);
    return old;
}

/* The canonical name of a type by the id that it has in its process. */
struct type_name {
    uint64_t id;
    const char *name;
};

/* The detail of WARN_UNKNOWN_TYPE. */
#define AOT_UNNAMED                                                                       \
    "types of a native AOT program without names; --symbols=PROGRAM reads them from its " \
    "file"

/* The objects around free space. {0}: unknown. */
struct free_holder {
    const char *type;
    struct hd_tally at; /* number of objects; their bytes, or the bytes of the adjacent free
                           blocks */
};

struct hd_snapshot {
    struct arena arena;
    struct hd_info info;
    struct type *types; /* ordered by first use in the input */
    uint32_t type_count;
    struct type_name *type_names; /* by id; empty if the input has no ids */
    size_t type_name_count;
    uint64_t image_base; /* of a native AOT program: an id minus this is the number in the
                            name of an unnamed type; 0: another runtime, or unknown */
    type_id *renamed;    /* new row of each row after merging (borrow.h); else NULL */
    struct warnings warnings;
    unsigned number;   /* index among the snapshots of the input, as builder.number */
    bool is_ordered;   /* order is known without the file name */
    bool has_no_order; /* file name cannot give the order */
    struct hd_table_origin origin;
    struct identity identity;
    struct hd_process_facts facts;   /* of its process, and of its free space */
    struct free_holder pinned;       /* the type of most objects with a pinned handle */
    struct free_holder next_to_free; /* the old type after most of the large free blocks */
    const struct survivor_map *survivor_map; /* from the snapshot before; in the arena; NULL
                                        if unknown */
    enum hd_survivors_unknown
        survivors_unknown; /* why survivor_map is NULL although GC events were traced */
    const struct allocation_sites *sites; /* where some of its objects were allocated; in
                                             the arena; NULL if not sampled */
    struct hd_ages *ages; /* the ages that building its digest reads and updates; not owned;
                             may be NULL */
    uint64_t weak_roots;  /* records of weak handles; HD_UNKNOWN without */
    uint64_t roots_by_kind[HD_ROOT_KIND_COUNT]; /* if info.has_roots */
    struct ranges ranges; /* addresses of each generation, if info.has_generations */
    struct hd_tally
        by_generation[HD_GENERATION_COUNT]; /* raw objects, if has_generations */
    uint64_t *reachable;                    /* of a graph that was dropped; malloc'd */
    uint32_t node_count, edge_count; /* of the graph, dropped or not; 0 without one */
    uint64_t graph_bytes;            /* size of the graph, dropped or not */
    uint64_t reading_bytes;          /* peak memory of reading, with the graph */
    struct graph *graph;             /* NULL: missing, not requested, or dropped */
    struct digest *digest;           /* if read from a digest, instead of the graph; else
                                        NULL */
    struct input *input;             /* open as long as graph addresses point into it */
    struct file_stamp stamp;         /* of its file, for reading that again */
    struct source *source;           /* NULL unless hd_read_options.to_write */
    struct hd_read_options read;     /* options for reading its graph again */
    bool writes_plain;               /* write its digest uncompressed, for callers that
                                        compress it themselves */
    bool may_drop;                   /* a large graph may be dropped: it can be read
                                        again */
    unsigned beside;                 /* snapshots of its comparison, if that opened it */
    unsigned pins;                   /* users of the graph; it is not dropped before this is
                                        0 */
    double clock;       /* seconds since some start, for ordering; NAN if unknown */
    bool clock_is_date; /* clock starts at a calendar date, not at the start of the
                           machine */
};

/* Returns the canonical name of the type with this id in its process; NULL if the input has
 * no such id. O(log types). */
const char *snapshot_type_name(const struct hd_snapshot *snap, uint64_t id);

/* True if the selection includes node n, an object of the graph. */
static inline bool snapshot_selects(const struct hd_snapshot *snap, node_id n,
                                    enum selection selection)
{
    if ((selection & SELECT_REACHABLE) && !graph_reachable(snap->graph, n))
        return false;
    return !(selection & SELECT_GEN2) ||
           generation_is_old(ranges_find(&snap->ranges, graph_address(snap->graph, n)));
}

/* --- sample ----------------------------------------------------------------------- */

/* The weight of an object in a sampled snapshot; no other file scales samples.
 *
 * A type has two factors (struct type): for the number of its objects and for their bytes.
 * A sum over some objects is scaled and rounded once (sample_tally). Where a total is split
 * into parts, each part gets its share and the shares add up to the total (struct deal):
 * parts that are scaled and rounded one by one would miss it.
 *
 * Scaled numbers are estimates. If every observed object represents m, an estimate of n is
 * based on n / m observed objects. That is a Poisson variable, so the estimate is off by up
 * to two standard deviations: m * 2 * sqrt(n / m) = 2 * sqrt(m * n). A type with factor 1
 * was not sampled and is exact. Errors of independent samples add as their squares; the
 * error of a sum of parts is never more than the sum of their errors. Bytes have the same
 * relative error as their objects. */

/* --- counts and bytes ------------------------------------------------------ */

/* Returns the factor for bytes of the type. */
static inline double sample_bytes_scale(const struct type *t)
{
    return t->raw.bytes > 0 ? (double)t->tally[SELECT_ALL].bytes / (double)t->raw.bytes : 1;
}

/* Returns the scaled count and bytes of some objects of the type. */
static inline struct hd_tally sample_tally(const struct type *t, struct hd_tally seen)
{
    return (struct hd_tally){tally_scaled(seen.count, t->count_scale),
                             tally_scaled(seen.bytes, sample_bytes_scale(t))};
}

/* --- parts of a whole -------------------------------------------------------- */

/* {whole, raw} is a deal that has not begun. */
struct deal {
    uint64_t whole; /* amount to distribute */
    uint64_t raw;   /* unscaled total over which it is distributed */
    uint64_t seen, given;
};

/* Returns the part for the next `more` of raw; at most one off its own rounded value. Once
 * all of raw has been passed in, the parts sum to the whole. */
static inline uint64_t deal_next(struct deal *d, uint64_t more)
{
    d->seen += more;
    uint64_t upto = d->whole;
    if (d->whole == d->raw)
        upto = d->seen;
    else if (d->seen < d->raw)
        upto = tally_rounded((double)d->seen * ((double)d->whole / (double)d->raw));
    /* Doubles are coarse beyond 2^53. */
    upto = upto > d->whole ? d->whole : upto < d->given ? d->given : upto;
    uint64_t part = upto - d->given;
    d->given = upto;
    return part;
}

/* --- errors ------------------------------------------------------------------ */

/* Returns the square of the error of an estimate of count objects; squares add up. */
static inline double sample_error_squared(double scale, double count)
{
    return scale > 1 ? 4 * scale * count : 0;
}

/* The error as a share of the estimate; 0 if count is 0. */
static inline double sample_share(double scale, double count)
{
    return count > 0 ? sqrt(sample_error_squared(scale, count)) / count : 0;
}

/* --- reach ------------------------------------------------------------------------ */

/* The objects and bytes reachable from the roots, by type and in total.
 *
 * A walk of a graph from its root finds them as a by-product, so reading a file need not
 * compute them (hd_read_options.reach_later): a separate walk costs as much as most of the
 * reading. */

bool reach_is_known(const struct hd_snapshot *snap);

/* If reachability is unknown, fills in info.reachable_*, the tallies of SELECT_REACHABLE
 * and graph->reachable, and warns if most objects are garbage. snap must have a graph.
 * O(nodes + references), 4 bytes per node while it runs. */
void reach_find(struct hd_snapshot *snap);

/* Does the same after a walk by the caller: nodes are all those on a chain from the root,
 * each once. */
void reach_given(struct hd_snapshot *snap, const node_id *nodes, uint32_t count);

/* Does the same from the sums of a digest, if it has any; the digest has its own
 * warnings. */
void reach_from_digest(struct hd_snapshot *snap);

/* Returns the unreachable objects by type and generation, [type * HD_GENERATION_COUNT +
 * generation], in a. NULL if graph and digest are NULL, or the digest lacks them.
 * Reachability must be known. */
struct hd_tally *reach_lost(const struct hd_snapshot *snap, struct arena *a);

#endif
