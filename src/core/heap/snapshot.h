/* snapshot.h - one heap at one moment, as every analysis sees it; what its file said word
 * for word, which process it is of, what a sampled object stands for, what roots reach.
 *
 * Made by a builder (builder.h), never changed afterwards but for what is reachable, which
 * may be found out later (reach_find()). It always has a type table; a graph only if the
 * input has one and it was asked for. */
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

/* What an input said word for word, beyond what any analysis needs.
 *
 * Kept only for hd_read_options.to_write, so that a writer can say it again: names as
 * they were spelled, one type per type of the file, the order in which nodes were
 * described, when and where the snapshot was taken. Strings and tables live in the
 * snapshot's arena. Costs 4 bytes per node, 4 more if `described` is used. */

/* A type as a reader gave it to the builder; graph.source_type indexes these. */
struct source_type {
    const char *name; /* as spelled; NULL: none */
    size_t name_len;
    const char *module; /* NULL: none; may be "" */
    uint32_t number;    /* of a gcdump: which type of its table */

    /* Of a trace of a native AOT program: where its method table is in the image at base;
     * 0: other types. */
    uint64_t base;
    uint32_t rva;
};

/* A type of a gcdump's own table. */
struct source_gcdump_type {
    int32_t size; /* of nodes that store none; -1 mostly: there are none */
    float multiplier;
    const char *name, *module; /* as stored; NULL: the null string */
};

/* The image of a native AOT program, and a type whose name only its symbols tell. */
struct source_module {
    const char *path, *pdb; /* or NULL */
    uint64_t base, size, build_time;
    unsigned char guid[16];
    int32_t age;
};

struct source_deferred {
    uint32_t id;     /* of the type in the image */
    uint32_t module; /* NO_TYPE: none */
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

    /* With which nodes a gcdump's numbers begin, perhaps several times: the roots of a
     * trace, as they were met. Behind them each object and what it refers to. NULL: nodes
     * keep their numbers. */
    node_id *met;
    size_t met_count;

    /* Of a gcdump, which can be written as it was; else false, and the rest is empty. */
    bool is_gcdump;
    struct source_gcdump_type *gcdump_types; /* these are types[0] ... as well */
    uint32_t gcdump_type_count;
    bool is_64_bit;
    float average_count, average_size; /* multipliers of a sampled file */
    bool sampled;
    bool has_heap_info; /* perhaps without segments */
    uint64_t segment_bytes;
    struct source_segment *segments;
    uint32_t segment_count;
    const char *log, *machine, *process, *tool; /* NULL: none */
    int64_t ticks; /* 100 ns since year 1, local time; 0 unknown */
    int32_t pid;
    uint64_t commit, working_set;
    const unsigned char *interop;     /* the table of COM wrappers */
    size_t interop_size;              /* 0: none */
    bool has_deferred;                /* perhaps none */
    struct source_deferred *deferred; /* of the first types */
    uint32_t deferred_count;
    struct source_module *modules;
    uint32_t module_count;
    bool module_size_is_64_bit;
};

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

/* --- snapshot --------------------------------------------------------------------- */

enum type_kind {
    TYPE_OBJECT,
    TYPE_PSEUDO,    /* groups roots: "[static vars]"; size 0, no object */
    TYPE_UNDEFINED, /* referred to but never described; no object */
    TYPE_FREE       /* space between objects (free_space.h); no object */
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

/* Whether it is in the file as a type that has objects: files that are written again have
 * free space as it was. */
static inline bool type_is_written(const struct type *t)
{
    return t->kind == TYPE_OBJECT || t->kind == TYPE_FREE;
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

/* Objects that free space lies between. {0}: not known. */
struct free_holder {
    const char *type;
    struct hd_tally at; /* objects; bytes of theirs, or of the free blocks beside them */
};

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
    struct hd_process_facts facts;   /* of its process; its free space too */
    struct free_holder pinned;       /* the type of most objects with a pinned handle */
    struct free_holder beside_free;  /* the old type behind most of large free blocks */
    const struct survivor_map *told; /* of the snapshot before it; in the arena; NULL:
                                     nothing was told */
    enum hd_untold untold;           /* why not, where somebody listened */
    const struct allocation_sites *sites; /* which code allocated some of its objects; in
                                             the arena; NULL: nobody sampled */
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

/* Returns the canonical name of the type with that id in its process; NULL if the input has
 * none. O(log types). */
const char *snapshot_type_name(const struct hd_snapshot *snap, uint64_t id);

/* Whether selection means the object that node n of the graph is. */
static inline bool snapshot_selects(const struct hd_snapshot *snap, node_id n,
                                    enum selection selection)
{
    if ((selection & SELECT_REACHABLE) && !graph_reachable(snap->graph, n))
        return false;
    return !(selection & SELECT_GEN2) ||
           generation_is_old(ranges_find(&snap->ranges, graph_address(snap->graph, n)));
}

/* --- sample ----------------------------------------------------------------------- */

/* What one object of a sampled snapshot stands for: the one place that knows.
 *
 * Objects of a type stand for so many objects, and their bytes for so many bytes (struct
 * type). A sum over some of them is scaled and rounded once (sample_tally). Where a whole
 * is told by its parts, each part gets its share and the shares add up to the whole
 * (struct deal): parts scaled and rounded one by one would miss it.
 *
 * Such numbers are estimates. Where each object that was seen stands for m, n objects are
 * estimated from n / m that were. Those are a Poisson variable, so the estimate is off by
 * up to two standard deviations: m * 2 * sqrt(n / m) = 2 * sqrt(m * n). A type whose
 * objects stand for themselves was not sampled, and is exact. Errors of things that were
 * sampled apart add up as their squares do; the error of parts is never less than that of
 * their sum. Bytes are off by the same share as the objects that they are of. */

/* --- counts and bytes ------------------------------------------------------ */

/* What a byte of the type stands for. */
static inline double sample_bytes_scale(const struct type *t)
{
    return t->raw.bytes > 0 ? (double)t->tally[SELECT_ALL].bytes / (double)t->raw.bytes : 1;
}

/* What so many objects of the type, and their bytes, stand for. */
static inline struct hd_tally sample_tally(const struct type *t, struct hd_tally seen)
{
    return (struct hd_tally){tally_scaled(seen.count, t->count_scale),
                             tally_scaled(seen.bytes, sample_bytes_scale(t))};
}

/* --- parts of a whole -------------------------------------------------------- */

/* {whole, raw} is a deal that has not begun. */
struct deal {
    uint64_t whole; /* what is dealt out */
    uint64_t raw;   /* over so much of the file */
    uint64_t seen, given;
};

/* The part of the next more of raw; at most one off its own rounded value. When all of raw
 * has come, the parts sum to the whole. */
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

/* The square of the error of an estimate of so many objects; to be added up. */
static inline double sample_error_squared(double scale, double count)
{
    return scale > 1 ? 4 * scale * count : 0;
}

/* The error as a share of the estimate; 0 of nothing. */
static inline double sample_share(double scale, double count)
{
    return count > 0 ? sqrt(sample_error_squared(scale, count)) / count : 0;
}

/* --- reach ------------------------------------------------------------------------ */

/* What the roots keep alive: objects and bytes, by type and in all.
 *
 * Whoever walks a graph from its root finds this on the way, so it need not be looked for
 * while a file is read (hd_read_options.reach_later): a walk of its own costs as much as
 * reading most of the file does. */

bool reach_is_known(const struct hd_snapshot *snap);

/* Fill in info.reachable_*, the tallies of SELECT_REACHABLE and graph->reachable, and warn
 * if most objects are garbage; nothing happens if it is known already. snap must have a
 * graph. O(nodes + references), 4 bytes per node while it runs. */
void reach_find(struct hd_snapshot *snap);

/* The same after a walk: nodes are all those that are on a chain from the root, each
 * once. */
void reach_given(struct hd_snapshot *snap, const node_id *nodes, uint32_t count);

/* The same from a digest's sums, if it has any; its warnings are those of the file. */
void reach_from_digest(struct hd_snapshot *snap);

/* What no root reaches, by type and generation: [type * HD_GENERATION_COUNT + generation],
 * in a; what is reachable must be known. NULL: neither a graph nor a digest tells. */
struct hd_tally *reach_lost(const struct hd_snapshot *snap, struct arena *a);

#endif
