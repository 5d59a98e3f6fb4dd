/* snapshot.h - one heap at one moment, as every analysis sees it.
 *
 * Made by a builder (builder.h), never changed afterwards but for what is reachable, which
 * may be found out later (reach.h). It always has a type table; a graph only if the input
 * has one and it was asked for. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "base/arena.h"
#include "base/input.h"
#include "heap/digest.h"
#include "heap/graph.h"
#include "heap/ranges.h"
#include "heap/root_kind.h"
#include "heap/source.h"
#include "heap/survivor_map.h"
#include "heap/warning.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* --- identity of the process ------------------------------------------------ */

/* Which process a snapshot is of, as far as its own bytes tell.
 *
 * Two things in the heap of a process stay where they are as long as it lives, and lie
 * elsewhere in the next one, because the system places memory at random: the objects that
 * stand for types (System.RuntimeType; frozen since .NET 8) and the pinned tables in which
 * the runtime keeps static variables and literals (System.Object[] of a few fixed sizes).
 * Of each kind the addresses with the smallest hashes are kept: those of two snapshots can
 * be compared whatever became of the heaps meanwhile, in memory that does not grow.
 *
 * Native AOT and Mono have neither. There it is the blocks of memory in which objects are:
 * a collector moves objects, but not all of them to other blocks at a time, and literals in
 * the image and pinned objects never. So no block in common is another process; one in
 * common proves nothing, since memory may be placed alike.
 *
 * Whether an absence means anything is decided with care: a rule that takes one process
 * for two would cost more than one that says nothing. */

/* The smallest hashes of a set of addresses, ascending, each once. */
struct sketch {
    uint64_t *all;
    size_t len;
    bool is_cut; /* there are more, all above the last one here */
};

struct identity {
    struct sketch types, tables;
    struct sketch blocks; /* their first addresses, if types or tables are missing */
    uint64_t instance;    /* of a process, on whatever machine; 0 unknown */
    uint32_t collection; /* the number of the garbage collection that it was taken in, among
                            those of its process; 0 unknown */
};

enum kinship {
    KIN_UNKNOWN,
    KIN_SAME,
    KIN_OTHER /* certainly not of one process */
};

enum kinship identity_compare(const struct identity *a, const struct identity *b);

struct hd_snapshot;

/* Fill in snap->identity, but for the instance, from its graph; info.runtime from where
 * its modules lie, if it is not known. One pass over the types of the nodes. */
void identity_find(struct hd_snapshot *snap);

/* --- sketches ------------------------------------------------------------- */

/* A hash of an address, and the address that has it. */
uint64_t address_hash(uint64_t address);
uint64_t address_of_hash(uint64_t hash);

enum { SKETCH_SIZE = 1024 };

/* Addresses on their way into a sketch; {0} is none. */
struct sketch_builder {
    uint64_t hashes[2 * SKETCH_SIZE];
    size_t len;
    bool is_cut;
};

void sketch_add(struct sketch_builder *s, uint64_t address);
struct sketch sketch_finish(struct sketch_builder *s, struct arena *a);

/* KIN_UNKNOWN if one of them has nothing that the other could have as well. */
enum kinship sketch_compare(const struct sketch *a, const struct sketch *b);

enum type_kind {
    TYPE_OBJECT,
    TYPE_PSEUDO,   /* groups roots: "[static vars]"; size 0, no object */
    TYPE_UNDEFINED /* referred to but never described; no object */
};

/* Which objects are counted; values combine as bits and index type.tally. */
enum selection { SELECT_ALL = 0, SELECT_GEN2 = 1, SELECT_REACHABLE = 2, SELECTIONS = 4 };

/* Both known, and the sums fit. */
static inline void tally_add(struct hd_tally *to, const struct hd_tally *more)
{
    to->count += more->count;
    to->bytes += more->bytes;
}

/* Less is a part of it. */
static inline void tally_take(struct hd_tally *from, const struct hd_tally *less)
{
    from->count -= less->count;
    from->bytes -= less->bytes;
}

/* n times scale, rounded; at most what is known. A damaged file may scale beyond all
 * bounds. */
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

/* A row of the type table: all types of one kind with one canonical name. */
struct type {
    const char *name;      /* canonical, NUL-terminated, any bytes but NUL */
    const char *full_name; /* with the outer class that name lacks; NULL: not known */
    const char *module;    /* NULL: unknown, or several */
    enum type_kind kind;
    struct hd_tally raw;               /* as in the file */
    struct hd_tally tally[SELECTIONS]; /* scaled if the file is sampled */
    double count_scale;                /* scaled / raw count; 1 unless sampled */
    struct hd_tally *by_generation; /* raw, HD_GENERATION_COUNT of them; NULL if unknown */
};

/* Whether it has a row of its own. What a sample scales to less than half an object has a
 * count of 0, but bytes, and so have the rows of a table made of it. */
static inline bool type_has_row(const struct type *t)
{
    bool has_bytes = t->raw.bytes > 0 && t->raw.bytes != HD_UNKNOWN;
    return t->kind == TYPE_OBJECT && (t->raw.count > 0 || has_bytes);
}

/* Its objects in gen2 and what is collected with it, as in the file. */
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

struct hd_snapshot {
    struct arena arena;
    struct hd_info info;
    struct type *types; /* ordered by first use in the input */
    uint32_t type_count;
    struct type_name *type_names; /* by id; empty if the input tells none */
    size_t type_name_count;
    uint64_t image_base; /* of a native AOT program: ids are this and the number in names of
                            types without one; 0: another runtime, or not known */
    type_id *renamed;    /* rows that others took up (borrow.h); NULL: none did */
    struct warnings warnings;
    unsigned number;   /* which of several in the input, as builder.number */
    bool is_ordered;   /* its name does not have to say in which place it belongs */
    bool has_no_order; /* its name cannot */
    struct hd_table_origin origin;
    struct identity identity;
    const struct survivor_map *told; /* of the snapshot before it; in the arena; NULL:
                                     nothing was told */
    enum hd_untold untold;           /* why not, where somebody listened */
    struct hd_ages *ages; /* whom its digest asks since when its objects are there, and
                             tells what it found; not owned; NULL: nobody */
    uint64_t weak_roots;  /* records of weak handles, HD_UNKNOWN without */
    uint64_t roots_by_kind[HD_ROOT_KIND_COUNT]; /* if info.has_roots */
    struct ranges ranges; /* where each generation lies, if info.has_generations */
    struct hd_tally
        by_generation[HD_GENERATION_COUNT]; /* raw objects, if has_generations */
    uint64_t *reachable;                    /* of a graph that was dropped; malloc'd */
    uint32_t node_count, edge_count; /* of the graph, dropped or not; 0 without one */
    uint64_t graph_bytes;            /* that it takes, or took */
    uint64_t reading_bytes;          /* that reading it took at the most, with the graph */
    struct graph *graph;             /* NULL: none, not wanted, or dropped */
    struct digest *digest;           /* read from one: in the place of the graph; NULL */
    struct input *input;             /* kept open: graph addresses lie in it */
    struct file_stamp stamp;         /* of its file, to read that again */
    struct source *source;           /* NULL unless hd_read_options.to_write */
    struct hd_read_options read;     /* how it was read, to read its graph again */
    bool writes_plain;               /* its digest, for who packs it himself */
    bool may_drop;                   /* a large graph need not stay: it is read again */
    unsigned pins;                   /* how many look at the graph meanwhile: it stays */
    double clock;       /* seconds since some start, for ordering; NAN if unknown */
    bool clock_is_date; /* the start is a calendar's, not the machine's */
};

/* Whether selection means the object that node n of the graph is. */
static inline bool snapshot_selects(const struct hd_snapshot *snap, node_id n,
                                    enum selection selection)
{
    if ((selection & SELECT_REACHABLE) && !graph_reachable(snap->graph, n))
        return false;
    return !(selection & SELECT_GEN2) ||
           generation_is_old(ranges_find(&snap->ranges, graph_address(snap->graph, n)));
}

#endif
