/* heapdrift_model.h - what a report says, as data: for programs that do not want to read
 * text or JSON. heapdrift.h includes it.
 *
 * A model has numbers, enums, names and ids. It is read only, belongs to its report and
 * lives as long: nothing in it is changed or freed by who reads it. Arrays that are "per
 * snapshot" have one element for each of hd_model.snapshots, in that order. Unknown whole
 * numbers are HD_UNKNOWN, unknown fractions NAN, unknown names NULL. Bytes are shallow
 * sizes unless they are called retained. Types and holders have canonical names
 * (docs/names.md); hd_report_shown() has the name that people know. */
#ifndef HEAPDRIFT_MODEL_H
#define HEAPDRIFT_MODEL_H

#include "heapdrift.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- objects and roots --------------------------------------------------- */

/* So many objects. Of a sample both numbers are scaled up. */
struct hd_tally {
    uint64_t count;
    uint64_t bytes; /* HD_UNKNOWN when the input has none */
};

enum hd_generation {
    HD_GEN0,
    HD_GEN1,
    HD_GEN2,
    HD_GEN_LOH,
    HD_GEN_POH,
    HD_GEN_FROZEN,
    HD_GEN_UNKNOWN,
    HD_GENERATION_COUNT
};

/* How it is known which object of one snapshot is which of the next; best last. */
enum hd_identity_source {
    HD_SAME_UNKNOWN,
    HD_SAME_BY_ORDER,    /* the order in which the collector leaves what survives */
    HD_SAME_BY_CONTENTS, /* the same, with what stands in the objects */
    HD_SAME_BY_EVENTS,   /* what the collector said: exact */
    HD_SAME_SOURCE_COUNT
};

/* Why the collector's word is not known of a snapshot and the one before, though somebody
 * listened. */
enum hd_untold {
    HD_UNTOLD_NOTHING,    /* it was told, or nobody listened */
    HD_UNTOLD_REFUSED,    /* no session was opened */
    HD_UNTOLD_ENDED,      /* by the process, too early */
    HD_UNTOLD_TOO_MUCH,   /* for what it would cost the process */
    HD_UNTOLD_LOST,       /* events */
    HD_UNTOLD_GAPS,       /* collections that were not told, or cannot be followed */
    HD_UNTOLD_MISPLACED,  /* too many objects are not where they should be */
    HD_UNTOLD_RESTARTED,  /* they are of two processes */
    HD_UNTOLD_INCOMPLETE, /* one of the two is */
    HD_UNTOLD_SILENT,     /* the runtime names no survivors, ever: Native AOT */
    HD_UNTOLD_COUNT
};

/* Why an object is alive. */
enum hd_root_kind {
    HD_ROOT_STATIC,
    HD_ROOT_THREAD_STATIC,
    HD_ROOT_STRONG_HANDLE,
    HD_ROOT_PINNED_HANDLE,
    HD_ROOT_REF_COUNTED_HANDLE, /* COM wrappers; async pinned */
    HD_ROOT_DEPENDENT_HANDLE,   /* ConditionalWeakTable */
    HD_ROOT_STACK,
    HD_ROOT_FINALIZER,
    HD_ROOT_OTHER,
    HD_ROOT_UNREACHABLE, /* no root at all */
    HD_ROOT_KIND_COUNT
};

/* --- snapshots ----------------------------------------------------------- */

/* What a table says about how it was made. */
struct hd_table_origin {
    const char *command;    /* "dumpheap -stat -live" */
    const char *generation; /* "gen2", "loh", ...: all rows are of this one */
    const char *liveness;   /* "all", "live", "dead" */
    const char *filters;    /* "-type Orchard -min 40"; "" = none */
};

struct hd_snapshot_facts {
    struct hd_info info;
    struct hd_error error; /* its status says whether the file is no snapshot after all */
    struct hd_table_origin origin;
    uint64_t weak_roots;                                /* weak handles */
    uint64_t roots_by_kind[HD_ROOT_KIND_COUNT];         /* if info.has_roots */
    struct hd_tally by_generation[HD_GENERATION_COUNT]; /* if info.has_generations; as in
                                                           the file, not scaled */
    /* What the collector said of the objects of the snapshot before: how many of them are
     * still there, of how many; HD_UNKNOWN: nothing. */
    uint64_t told_survivors, told_of;
    enum hd_untold untold;         /* why it said nothing, if that is known */
    uint64_t sampled;              /* objects whose allocation was sampled; HD_UNKNOWN */
    uint64_t methods;              /* whose names the file has with these */
    struct hd_process_facts facts; /* of its process */
    double clock;                  /* seconds since some start, for order and distance */
    bool clock_is_date;            /* the start is that of a calendar, not of a machine */
};

/* --- chains of references ------------------------------------------------ */

enum { HD_MAX_FRAME_TYPES = 3 };

/* A type on the way from a root, or a pattern of up to three that is repeated. */
struct hd_frame {
    const char *types[HD_MAX_FRAME_TYPES];
    const char *shown[HD_MAX_FRAME_TYPES];  /* as people know them; NULL: as types */
    const char *fields[HD_MAX_FRAME_TYPES]; /* of a repeated pattern: by which each leads
                                                to the next in it, the last to the first */
    const char
        *field; /* by which it leads on to the next frame: "_items", "[]", "[].value";
                   NULL unknown, or not the same for all that were looked at */
    unsigned type_count;
    uint32_t repeat_min, repeat_max; /* how often, over the instances looked at */
    uint32_t example_nodes;          /* how many objects of the example it stands for */
    enum hd_generation generation;   /* the youngest of these */
    bool is_program;                 /* a class of the program is among its types */
};

/* How the container of services holds an owner. */
enum hd_service {
    HD_SERVICE_NONE,
    HD_SERVICE_SINGLETON,
    HD_SERVICE_HELD,
    HD_SERVICE_COUNT
};

/* hd_chain.owner_frame of a chain that has none. */
#define HD_NO_OWNER SIZE_MAX

/* Instances that are held in the same way, from their owner down (docs/chains.md). */
struct hd_chain {
    enum hd_root_kind kind;
    uint64_t hash;           /* the same for the same chain in every snapshot */
    struct hd_frame *frames; /* root first, instance last */
    size_t frame_count;      /* 0 for a rare chain of an exact answer */
    size_t frames_skipped;   /* before frame skipped_at: of a very long chain */
    size_t skipped_at;
    uint64_t count;          /* instances, if exact; else samples that have this chain */
    double share, low, high; /* of the instances, 0 to 1; and a 95 % interval */
    bool exact;              /* all instances were looked at: low = share = high */
    uint32_t example;        /* number of one of its objects in the graph */
    enum hd_generation example_generation;
    size_t owner_frame; /* the one that has the owner, or HD_NO_OWNER */
    const char *owner;  /* its type */
    enum hd_service service;
    const char
        *owner_of; /* the program's own class or a variable that has the owner, as the
                      dominators know it; NULL: none, or the owner is one itself */
};

/* What became of a chain over the series. */
enum hd_chain_status {
    HD_CHAIN_UNKNOWN,
    HD_CHAIN_NEW,
    HD_CHAIN_GONE,
    HD_CHAIN_GROWING,
    HD_CHAIN_STEADY,
    HD_CHAIN_SHRINKING,
    HD_CHAIN_STATUS_COUNT
};

struct hd_chain_row {
    struct hd_chain chain;
    enum hd_chain_status status;
    uint64_t *instances;               /* per snapshot; NULL: not all were looked at */
    size_t frames_omitted, omitted_at; /* cut in the middle: how many, before which frame */
    size_t frames_above;               /* the owner, of all; if it has one */
    bool in_full;                      /* so many frames were asked for: a line shows all */
    uint64_t retained;                 /* bytes, by its instances, in the last snapshot */
    uint64_t address;                  /* of the example; 0 unknown */
    enum hd_generation generation;     /* of the example */
    const char *held_by; /* its owner in a few words; NULL: none. Of hd_roots, as is: */
    const char *hint;    /* what such a chain usually is: an id of docs/hints.md; NULL */
};

/* Some of the chains of some instances, most frequent first. */
struct hd_chains {
    struct hd_chain_row *all;
    size_t len;
    size_t omitted;       /* chains beyond the wanted number */
    size_t available;     /* chains that can be shown at all */
    double omitted_share; /* of the instances, 0 to 1 */
    double owner_share; /* that the owner of the first has, by whatever chain: the places in
                           a list of several classes have one each; 0 without owner */
    uint64_t instances; /* in the last snapshot */
    uint64_t samples;   /* of them that were looked at */
    bool of_stayed;     /* instances: only those that came after the first snapshot and
                           stayed; what became of a chain is of all */
};

/* --- rows ---------------------------------------------------------------- */

enum hd_series_status {
    HD_SERIES_GROWING,
    HD_SERIES_NEW,
    HD_SERIES_GONE,
    HD_SERIES_SHRINKING,
    HD_SERIES_STEADY,
    HD_SERIES_VARYING,
    HD_SERIES_STATUS_COUNT
};

/* A type, or what rows stand for by another unit. */
struct hd_type_row {
    const char *type;
    const char *full_name; /* as people know it; NULL: as type */
    struct hd_tally *at;   /* per snapshot */
    bool is_free;          /* free space, of which the heap is no whole */
    enum hd_series_status status;
    uint64_t retained;              /* bytes, of a top */
    struct hd_tally *by_generation; /* of a top, HD_GENERATION_COUNT of them */
    uint64_t survivors; /* at least so many of the first snapshot are in the last one */
    uint64_t survivors_low,
        survivors_high; /* known: about so many are, with 95 % between these */
};

/* What some rows add up to. */
struct hd_sum {
    size_t rows;
    struct hd_tally *at; /* per snapshot; bytes are unknown if those of one row are */
};

struct hd_type_table {
    struct hd_type_row *rows; /* those that the options chose, in their order */
    size_t len;
    size_t shown;            /* the first ones; of the others the sum is told */
    struct hd_sum others;    /* of rows behind those that are shown */
    struct hd_sum sum;       /* of all rows */
    bool is_whole;           /* that is the total: no row is hidden */
    struct hd_tally *totals; /* per snapshot, of all that was counted, hidden or not */
    bool bytes_known;        /* in every snapshot; else bytes of some rows are unknown */
};

/* --- what grew ----------------------------------------------------------- */

/* How much the snapshots can show. */
enum hd_confidence { HD_CONFIDENCE_LOW, HD_CONFIDENCE_MEDIUM, HD_CONFIDENCE_HIGH };

/* What a row of the ranking was found by. */
enum hd_basis {
    HD_BASIS_TABLE, /* shallow bytes of a type */
    HD_BASIS_GRAPH, /* a place in the tree of owners */
    HD_BASIS_TYPE   /* a whole type, held in changing places */
};

/* Why a row of the ranking is a suspect. */
enum hd_suspicion {
    HD_SUSPECT_NOT,
    HD_SUSPECT_SIZE,   /* its score is large */
    HD_SUSPECT_STEADY, /* a small one, but nearly the same number more in every step */
    HD_SUSPECT_AGE     /* neither, and yet: what came in every step stayed */
};

/* Reason why a type that grew like a suspect is not one; the verdict is then unsure. */
enum hd_reservation {
    HD_RESERVED_NOT,
    HD_RESERVED_FILLS,    /* it gains ever less per unit of load */
    HD_RESERVED_PER_TYPE, /* its holder keeps one for each type that the program uses */
    HD_RESERVED_LIFETIME  /* its holder lets go of entries later than this series ends */
};

/* One place that a suspect is held at. */
struct hd_head {
    const char *holder; /* "[static var App.s_all] → Order[]" */
    double score;       /* its part of that of the suspect */
};

/* A row of the ranking (docs/ranking.md). */
/* Who came when, of what is where a suspect grows, and who of them stayed. Objects that
 * came from elsewhere and were there before are no births. */
struct hd_births {
    size_t count;           /* snapshots that can be compared */
    const size_t *snapshot; /* their numbers, from 0 */
    const uint64_t *at;  /* of those first seen in the j-th of them, how many are there in
                            the  k-th: count - j numbers of j = 0, then of j = 1, ... */
    uint64_t came, went; /* in all steps, once they have been there for `age` snapshots */
    size_t since;        /* it keeps what it gets after this snapshot, from 0; came and went
                            are those since then. The first of them: all the time */
    unsigned age;        /* 0 as a rule; more where most die young */
    double chance;       /* of such numbers where half an object goes for each that comes;
                            1: nothing speaks against that */
    bool keeps;          /* it keeps what it gets: the chance is 1 % at most, and it goes
                            on */
    bool turns_over;     /* as many go as come, or the oldest go first: it grows with its
                            load */
};

/* A place in code. */
struct hd_code {
    const char *method; /* "Shop.Checkout.Add", as it is written */
    const char *file;   /* without folders; NULL: not known */
    uint64_t line;      /* from 1; HD_UNKNOWN */
    bool is_own;        /* of the program: neither framework nor package */
};

/* Samples with the same stack. */
struct hd_site_stack {
    const struct hd_code *frames; /* the innermost first */
    size_t frame_count;
    uint64_t samples;
};

/* Samples that one method allocated: the innermost of the program on their stacks or, if
 * there is none, the innermost of all. */
struct hd_site {
    const struct hd_code *code;   /* where most of its samples are from */
    const struct hd_code *caller; /* the next method of the program above it; NULL: none */
    uint64_t samples;
    const uint64_t *at; /* per snapshot, as of all samples */
    const struct hd_site_stack *stacks;
    size_t stack_count;
};

/* Ways from where samples were allocated up to the callers, as a tree in preorder. It has
 * the methods of the program, and the innermost ones of stacks. */
struct hd_site_node {
    unsigned depth;              /* 0: allocated there */
    const struct hd_code *codes; /* several that follow each other without a branch */
    size_t code_count;
    uint64_t samples;
    const uint64_t *at; /* per snapshot */
};

/* Which code allocated the objects of a suspect that the first snapshot does not have and
 * the last one has, by samples. */
struct hd_allocations {
    const struct hd_site *sites; /* of the program first, then by their samples */
    size_t site_count;           /* 0: there is no sample */
    const struct hd_site_node *nodes;
    size_t node_count;
    uint64_t samples;
    const uint64_t *at;     /* per snapshot: samples made in the interval that it ends;
                               HD_UNKNOWN of others. NULL: intervals are not known */
    bool in_every_interval; /* some of each are there */
    uint64_t per_sample;    /* bytes that one stands for, about; HD_UNKNOWN */
    uint64_t unnamed;       /* samples without names of methods, of the whole heap */
    bool is_whole;          /* every interval was sampled */
    uint64_t wait_seconds;  /* without a sample: until one is nearly certain; HD_UNKNOWN,
                               also where not every interval was sampled */
    uint64_t grown;         /* bytes that the suspect gained so far; HD_UNKNOWN */
};

struct hd_suspect {
    size_t rank; /* from 1; 0: what pools hold is not ranked */
    const char *type;
    const char *subject; /* for a title; type if nothing better is known */
    enum hd_basis basis;
    enum hd_suspicion suspicion;
    enum hd_reservation reservation; /* of what is no suspect */
    struct {
        const char *holder, *keeps, *setting; /* NULL where nothing sets it */
        uint64_t seconds, watch; /* for which it keeps them; that a series has to span */
    } lifetime;                  /* of HD_RESERVED_PER_TYPE and HD_RESERVED_LIFETIME */
    const char **also;           /* types that go with it */
    size_t also_count;
    struct hd_head *heads; /* where it is held; their scores sum to its own */
    size_t head_count;
    double score;        /* bytes, or objects where bytes are unknown */
    double score_share;  /* of the heap, 0 to 1 */
    double tau;          /* how steadily it grows, -1 to 1 */
    struct hd_tally *at; /* per snapshot */
    uint64_t *held; /* how many of them are where it grows, per snapshot; NULL unknown */
    uint64_t *retained; /* bytes per snapshot; NULL unknown */
    int64_t more;       /* bytes that these and what goes along retain more; by graph */
    double more_share;  /* of the heap, 0 to 1 */
    uint64_t step_least, step_most; /* of a steady one: how many more came in a step */
    uint64_t per_iteration;         /* exactly so many more */
    const char **holder;            /* types from below the root; NULL unknown */
    size_t holder_len;
    uint64_t survivors, survivors_low, survivors_high; /* as of a row */
    struct hd_chains chains;        /* what holds it; of suspects that are shown */
    const char *hint;               /* what it usually is: an id of docs/hints.md */
    const struct hd_births *births; /* NULL: not known */
    uint64_t *own; /* bytes per snapshot that are its and, where suspects lie within each
                      other, no other's; NULL unknown */

    /* The one count that every view shows: of the subject, where its objects come with
     * those of the type; else of the type, those that are held at its places where there
     * are more in the end. HD_UNKNOWN where a snapshot was left out of the ranking. */
    const char *counted;
    uint64_t *counts;
    bool counts_place;                      /* the whole heap has others */
    const struct hd_allocations *allocated; /* NULL: nobody sampled */
};

/* Where the growth of the reachable heap went: bytes, last minus first snapshot that can be
 * compared. */
struct hd_growth {
    bool known;                           /* by graph only */
    int64_t bytes, suspects, pools, rest; /* bytes is the sum of the others */
    double share, rest_share;             /* of the heap in the last such snapshot */
    double explained;  /* share of the growth that suspects have; NAN: it did not grow */
    bool unexplained;  /* is_open, and there is no suspect or the rest is more than half */
    bool is_open;      /* part of it nothing explains, suspects or not; of tables too */
    double open_share; /* that, of the heap */
    size_t since;      /* the snapshot after which it began, from 0 */
    bool has_stopped;  /* something large grew and stayed, suspects or not */
    double stopped_share; /* that, of the heap */
    double pools_share;   /* of the heap: what pools and threads have more */
    bool pools_are_told;  /* that is too much for silence */
    bool pools_by_name;   /* no module says that they are the runtime's */
    /* Of the reachable heap, bytes per snapshot: they add up to it. Of the suspects, shown
     * or not, the sum of what is their own. */
    uint64_t *suspects_at, *pools_at, *rest_at;
};

/* What a leak has to be so that these snapshots show it: retain so much, or be of so many
 * objects that retain less. Whole window, and what is smaller may show as well. */
struct hd_power {
    size_t steps;   /* between snapshots that can be compared; 0: nothing would show */
    uint64_t large; /* bytes, or objects where bytes are unknown, whatever it is made of */
    uint64_t bytes; /* retained, of the objects below; HD_UNKNOWN: those do not show */
    uint64_t objects; /* that come at random and stay: four of five such leaks show;
                         HD_UNKNOWN: counts cannot tell these from chance */
    uint64_t even;    /* that come in nearly the same number in every step; HD_UNKNOWN */
};

/* What grew, and then stayed as large. */
struct hd_stopped {
    const char *type, *subject;
    uint64_t *count, *retained; /* objects and bytes per snapshot */
    double growth, share;       /* bytes, and of the heap */
    const char **holder;        /* as of a suspect */
    size_t holder_len;
};

/* What has more instances in every snapshot than in the one before, and holds memory that
 * no snapshot shows. */
struct hd_native {
    const char *type, *what;   /* "System.Threading.Thread", "threads" */
    const struct hd_tally *at; /* per snapshot */
    uint64_t first, last;      /* instances, of those that can be compared */
    const char *hint;          /* as of a suspect */
    bool is_undecided;         /* so many that a check cannot say that nothing leaks */
};

/* Objects that free space lies between, in the last snapshot. */
struct hd_between {
    const char *type; /* NULL: not known */
    uint64_t count;   /* of such objects */
    uint64_t bytes;   /* of the free blocks beside them; of those that are pinned theirs */
};

/* Free space between objects. Arrays are per snapshot, HD_UNKNOWN if it is not known. */
struct hd_free_growth {
    uint64_t *bytes, *blocks, *largest;
    size_t first, last; /* the first and last snapshot that has bytes, from 0 */
    bool is_finding;    /* it keeps growing, and objects explain less than half of what the
                           process grew by, or if its size is not known the heap with it */
    enum hd_fact
        within; /* of the generation that it grew in most; HD_FACT_COUNT: not known */
    uint64_t within_first, within_last;
    uint64_t pinned_objects;  /* that the last collection found; HD_UNKNOWN */
    struct hd_between pinned; /* the type of most objects with a pinned handle */
    struct hd_between beside; /* the type of gen2, LOH or POH behind most of the large
                                 blocks, by their bytes */
    const char *hint;         /* as of a suspect; NULL: no finding */
};

/* What became of the process beside its objects, by the facts that come with snapshots.
 * Arrays are per snapshot, HD_UNKNOWN where it is not known. */
struct hd_process_growth {
    size_t known;   /* snapshots that can be compared and tell its size; 2 or more */
    uint64_t *size; /* resident and swapped out */
    uint64_t *parts[HD_PART_COUNT]; /* which sum to that */
    uint64_t *threads;
    size_t first, last;         /* the first and last such snapshot, from 0 */
    int64_t growth;             /* bytes, from one to the other */
    double explained;           /* share of it that objects have; NAN: it did not grow,
                                   or their size is not known */
    enum hd_process_part where; /* the part that keeps growing and grew most;
                                   HD_PART_COUNT: none */
    enum hd_fact within; /* of native memory what grew most; HD_FACT_COUNT: not known */
    bool is_outside;    /* it keeps growing, objects explain less than half of that, and the
                           part half or more */
    const char *hint;   /* as of a suspect */
    const char *holder; /* a type that holds native memory by its name, and rises along; or
                           NULL */
    uint64_t holder_first, holder_last; /* its instances */
    bool is_opened[HD_FACT_OTHERS + 1]; /* from HD_FACT_SOCKETS on: descriptors of that kind
                                           are more in each snapshot, and a quarter more in
                                           the last than in the first */
};

/* A row of the account of a process: its size, a part, a class of a part, a count. */
struct hd_process_row {
    const char *name; /* "native memory", "arenas of malloc"; constant */
    unsigned depth;   /* 0: the size, and counts; 1: a part; 2: a class of the part above */
    bool is_count;    /* else bytes */
    const uint64_t *at; /* per snapshot; HD_UNKNOWN if unknown or not compared */
};

/* Limit that time puts on the confidence in suspects. */
enum hd_time_limit {
    HD_TIME_ENOUGH,
    HD_TIME_UNKNOWN, /* the files have no times */
    HD_TIME_SHORT, /* frameworks keep objects by design for longer than these snapshots span
                    */
    HD_TIME_YOUNG, /* the process is not three times as old as that */
    HD_TIME_LIMIT_COUNT
};

/* How a verdict may be painted: never the only sign of it. */
enum hd_tone { HD_TONE_GOOD, HD_TONE_UNSURE, HD_TONE_BAD };

/* A line of a summary: UTF-8 without control characters, names short. */
struct hd_span {
    size_t from, to; /* bytes of the text that are a name from a file */
};
struct hd_line {
    const char *label; /* "LEAK", "FIX", "heap"; NULL: it goes on with the line before */
    const char *text;
    const struct hd_span *names; /* HTML and Markdown have to escape these */
    size_t name_count;
    const char *command; /* to run for more, behind the text; NULL: none */
    const char *brief;   /* the text for places of fewer columns; NULL: there is no other */
    unsigned brief_below;
};

/* What a report comes to, in the few lines that are read first. All formats for people
 * begin with them. */
struct hd_summary {
    enum hd_tone tone;
    struct hd_line *verdict; /* "LEAK", one line each, three at most, and "FIX" */
    size_t verdict_len;
    struct hd_line *facts; /* "heap", "confidence", "path", "also" */
    size_t fact_len;
};

/* A pattern of hd_options.types that no row matches. */
struct hd_no_match {
    const char *pattern;
    const char *nearest; /* what may be meant */
};

struct hd_diff {
    uint64_t *iterations;       /* per snapshot; NULL without */
    struct hd_tally *reachable; /* per snapshot */
    enum hd_confidence confidence;
    size_t usable_count;              /* snapshots that can be compared */
    bool by_graph;                    /* what the ranking is based on */
    enum hd_identity_source identity; /* how it is known who stayed; unknown: counts only */
    /* Why not by what the collector said, as far as files tell, and the first snapshot of
     * which it said nothing. */
    enum hd_untold untold;
    size_t untold_snapshot;
    enum hd_time_limit time_limit;
    double uptime_seconds; /* of the process at the first that can be compared; NAN */
    double span_seconds;   /* from the first to the last snapshot */
    double bytes_per_hour; /* of growth, over a minute or more */

    /* By score: suspects, what scores less, what buffer pools hold. */
    struct hd_suspect *suspects, *minor, *pooled;
    size_t suspect_count, minor_count, pooled_count;
    size_t suspects_shown; /* the first ones */
    size_t hidden_count;   /* suspects that types, excludes or app_only hide */

    struct hd_growth growth;
    struct hd_power would_show; /* suspects or not */
    struct hd_stopped *stopped; /* by growth */
    size_t stopped_count, stopped_shown;

    /* Without a suspect: a type that grew like one, but for its doubt; or, without doubt,
     * that rose in every step, though it cannot be shown that it leaks, nor that as many go
     * as come. NULL: none. */
    const struct hd_suspect *undecided;

    const struct hd_process_growth *process; /* NULL: fewer than two tell its size */
    const struct hd_free_growth *free;       /* NULL: fewer than two tell it */

    struct hd_native *native; /* that are shown, by type only */
    size_t native_count;

    struct hd_no_match *unmatched;
    size_t unmatched_count;
    const struct hd_no_match *no_match; /* the first, if none matches: no row is left */

    struct hd_type_table types;

    /* The verdict in one line, of what is shown: the first lines of hd_model.summary. */
    const char *headline;
};

/* --- rules --------------------------------------------------------------- */

/* What a rule is about, and which total; what it counts; over what. */
enum hd_rule_kind {
    HD_RULE_TOTAL,
    HD_RULE_TYPE,
    HD_RULE_HOLDER,
    HD_RULE_SUSPECTS,
    HD_RULE_PROCESS
};
enum hd_total {
    HD_TOTAL_BYTES,
    HD_TOTAL_OBJECTS,
    HD_TOTAL_REACHABLE_BYTES,
    HD_TOTAL_COUNT
};
/* Numbers of the process: bytes, except for threads and handles. */
enum hd_process_number {
    HD_PROCESS_SIZE, /* resident and swapped-out memory */
    HD_PROCESS_RESIDENT,
    HD_PROCESS_PRIVATE,
    HD_PROCESS_NATIVE,     /* HD_PART_NATIVE */
    HD_PROCESS_FRAGMENTED, /* free memory between objects */
    HD_PROCESS_THREADS,
    HD_PROCESS_HANDLES, /* descriptors of all kinds */
    HD_PROCESS_NUMBER_COUNT
};
enum hd_measure { HD_MEASURE_COUNT, HD_MEASURE_BYTES, HD_MEASURE_SCORE };
enum hd_per { HD_PER_TOTAL, HD_PER_STEP, HD_PER_ITERATION };

struct hd_limit {
    bool relative;
    double percent;  /* relative: of the first snapshot; of scores: of the heap */
    uint64_t amount; /* else */
};

enum hd_finding_status {
    HD_FOUND_PASS,
    HD_FOUND_FAIL,
    HD_FOUND_SUPPRESSED,
    HD_FOUND_INCONCLUSIVE,
    HD_FINDING_STATUS_COUNT
};

/* Why a finding is what it is. */
enum hd_reason_code {
    HD_REASON_NONE,

    /* nothing can be said: the snapshots */
    HD_REASON_TOO_FEW,        /* fewer than two can be compared */
    HD_REASON_NOT_ENOUGH,     /* fewer than four: the ranking needs so many */
    HD_REASON_ONLY_GARBAGE,   /* a table lists garbage only */
    HD_REASON_PART_OF_HEAP,   /* a table was filtered */
    HD_REASON_END_LEFT_OUT,   /* the first or the last one was left out */
    HD_REASON_END_INCOMPLETE, /* ... because it is incomplete */
    HD_REASON_STEP_LEFT_OUT,  /* one between was left out, so a step is missing */
    HD_REASON_OUT_OF_ORDER,
    HD_REASON_GIVEN_TWICE,
    HD_REASON_RESTARTED, /* they are not of one process */
    HD_REASON_DIFFERENT_PROGRAMS,

    /* nothing can be said: the numbers */
    HD_REASON_NUMBER_UNKNOWN,  /* not every snapshot tells it */
    HD_REASON_BYTES_UNKNOWN,   /* so that a score has no size */
    HD_REASON_NO_HOLDERS,      /* a snapshot does not tell what holds what */
    HD_REASON_HOLDERS_UNTOLD,  /* the same, for a suppression by holder */
    HD_REASON_HOLDER_UNTOLD,   /* ... of this row of the ranking */
    HD_REASON_SAMPLE_IS_OFF,   /* by more than the distance to the limit, perhaps */
    HD_REASON_SAMPLE_MAY_HIDE, /* growth of the size of the limit */
    HD_REASON_UNEXPLAINED,     /* share of the heap grew since snapshot count, and nothing
                                  explains it */
    HD_REASON_RESERVED,        /* suspect grew like one, but for its reservation */
    HD_REASON_NATIVE,          /* native piles up */
    HD_REASON_OUTSIDE,         /* the process grew, and not by its objects */
    HD_REASON_FRAGMENTED,      /* free space between objects grew */
    HD_REASON_SCALE_UNKNOWN,   /* of the baseline: its run was longer or shorter by an
                                  unknown amount */

    /* passed with a reservation */
    HD_REASON_NO_MATCH,      /* no row matches the pattern; meant may be what is meant */
    HD_REASON_STOPPED,       /* share of the heap grew, and stayed as large */
    HD_REASON_HIDDEN,        /* count suspects are not shown; of 0, no type is */
    HD_REASON_POOLS_BY_NAME, /* pools grew by bytes, share of the heap; no module says that
                                they are the runtime's */

    /* what was decided, and how */
    HD_REASON_OUTSIDE_ALLOWED, /* passed: process grew outside of its objects; words name
                                  the budget that allows it, or are NULL: the baseline */
    HD_REASON_POOLS,  /* passed: pools of the runtime grew by bytes, share of the heap */
    HD_REASON_STEADY, /* the limit is that of steady growth */
    HD_REASON_SUPPRESSED, /* words say why */
    HD_REASON_EXPIRED,    /* was suppressed until then, because of words */
    HD_REASON_ACCEPTED,   /* the baseline accepts some of it */
    HD_REASON_COUNT
};

/* Fields that the code does not speak of are 0 and NULL. */
struct hd_reason {
    enum hd_reason_code code;
    double share;
    size_t count;      /* suspects that are hidden; else the snapshot, from 0 */
    const char *meant; /* or NULL: nothing is near */
    const char *words; /* of the suppression, as its file has them */
    const char *until; /* its last day, likewise */
    int64_t bytes;
    const struct hd_native *native;
    const struct hd_process_growth *process;
    const struct hd_free_growth *free;
    const struct hd_suspect *suspect;
};

/* What became of one rule, or of one type under a rule for many. */
struct hd_finding {
    /* the rule */
    size_t number; /* from 0 */
    enum hd_rule_kind kind;
    enum hd_total total;            /* of that kind */
    enum hd_process_number process; /* likewise */
    const char *pattern; /* of types or holders; the name of a number of the process */
    enum hd_measure measure;
    enum hd_per per;
    const char *path; /* of the file that has it; NULL: an option, or the default */
    uint64_t line;    /* in it, or 0 */
    bool is_default;

    /* what it was held against */
    const char *subject;       /* the type; NULL if the rule is about no single one */
    const char *type;          /* of a suspect, what was ranked; else the subject */
    size_t first, last;        /* the snapshots that show it */
    const struct hd_tally *at; /* of the subject, per snapshot */
    const char *holder;        /* what holds it, as one line */
    bool is_suspect;           /* and shown as such, with the same chains */
    struct hd_chains chains;

    /* what came of it */
    enum hd_finding_status status;
    bool is_lenient; /* a pass that --strict does not take */
    struct hd_reason reason;
    struct hd_limit limit;              /* as it was given */
    bool is_by_steadiness;              /* the limit is that of steady growth */
    bool is_in_bytes;                   /* the unit of the values; else objects */
    double limit_value, observed_value; /* exact */
    double base;     /* what relative limits are of: of scores the heap */
    double accepted; /* what the baseline took off the observed value */
};

enum hd_accepted_kind {
    HD_ACCEPTED_TOTAL,
    HD_ACCEPTED_TYPE,
    HD_ACCEPTED_HOLDER,
    HD_ACCEPTED_PROCESS, /* a number of the process */
    HD_ACCEPTED_KIND_COUNT
};

/* What is subtracted from growth before it is held against a limit: none of it negative,
 * 0 where bytes are unknown. */
struct hd_accepted {
    enum hd_accepted_kind kind;
    const char *name;                /* "bytes", a type, the pattern of a holder */
    uint64_t count, bytes;           /* first to last snapshot */
    uint64_t step_count, step_bytes; /* of the worst step */
    uint64_t score;                  /* of the ranking, in bytes; rounded up */
};

/* What a baseline says, sorted by kind and name. */
struct hd_accepted_growth {
    struct hd_accepted *all;
    size_t count;
    uint64_t snapshots;  /* of the run that was accepted */
    uint64_t iterations; /* between its first and last snapshot; HD_UNKNOWN */
    uint64_t seconds;    /* likewise */
};

/* A diff held against rules. */
struct hd_check {
    enum hd_verdict verdict;
    struct hd_finding *rules; /* in order of the rules; of one rule, by growth */
    size_t rule_count, rules_shown;
    const struct hd_accepted_growth *accepted; /* NULL: hd_budgets_accept() was not asked */
};

/* --- the other reports --------------------------------------------------- */

/* What takes the space in one snapshot. */
struct hd_top {
    struct hd_type_table types;
};

/* Why instances of some types are alive. */
struct hd_roots {
    const char *pattern;
    const char **matched; /* types, by name */
    size_t matched_count;
    struct hd_tally *instances;       /* per snapshot */
    struct hd_chains chains;          /* of all, or of what was new in these snapshots: */
    size_t born_first, born_last;     /* from 1 on; 0: of all */
    enum hd_identity_source identity; /* by which that is known */
};

/* --- the ownership tree -------------------------------------------------- */

enum hd_node_kind {
    HD_NODE_HEAP,    /* the top: all that is reachable */
    HD_NODE_ROOTS,   /* a group of roots, or a variable: no object */
    HD_NODE_TYPE,    /* objects of a type, held by those of the node above */
    HD_NODE_PATTERN, /* a top of its own: what matches a pattern of hd_options.types */
    HD_NODE_OTHERS,  /* places that are too small to be shown */
    HD_NODE_METHOD,  /* of a tree of sites: a method, called by the one above */
    HD_NODE_KIND_COUNT
};

/* hd_tree_node.parent of a top node. */
#define HD_NO_NODE SIZE_MAX

/* A place in the heap: the objects that are held in one way. What the children own and what
 * is at the node itself sums to what it owns, exactly, in every snapshot. Of holders it is
 * the other way round: the objects are those of the top, and stand at the end of a way. */
struct hd_tree_node {
    enum hd_node_kind kind;
    size_t parent;
    size_t end; /* its subtree is the nodes from itself to before this one */
    unsigned depth;
    const char *type;            /* of a pattern that; NULL: the heap, the others */
    const char *full_name;       /* as people know it; NULL: as type */
    enum hd_root_kind root_kind; /* of roots */
    struct hd_tally *at;         /* per snapshot: objects of the place itself */
    struct hd_tally *owned;      /* per snapshot: of it and all below: retained bytes */
    int64_t growth;  /* retained bytes, last minus first snapshot that is compared */
    uint64_t stayed; /* objects that it owns in the last one and that came after the first;
                        HD_UNKNOWN */
    size_t suspect;  /* rank of the suspect that is held here, or 0 */
    bool is_single;  /* no snapshot has a second object of the type */
    bool folds;      /* has hardly more than its one large child: they may share a line */
    size_t others;   /* of the others: how many places */

    /* By which field the parent holds its objects, "_items"; of holders by which they hold
     * what the parent is. Of several the most frequent, of so large a share. NULL: not
     * known, or not directly. */
    const char *field;
    double field_share;

    const struct hd_code *code; /* of a method; its name is the type */
};

/* Who owns the heap (docs/tree.md). */
struct hd_tree {
    struct hd_tree_node *nodes; /* in preorder: by growth, size and name */
    size_t len;
    size_t first, last; /* numbers of the snapshots that are compared; the same: of one */
    uint64_t least;    /* bytes: what owns less, and changed by less, is among the others */
    bool is_holders;   /* ways up from objects, not down to them */
    bool parts_fields; /* two fields of one type are two places */
    bool is_sites; /* methods that allocated samples: their objects, and bytes that these
                      stand for, about */
    bool declares_statics; /* variables have the class that declares them in their name, not
                              the type of what they hold */
    const struct hd_tally *reachable; /* per snapshot: all that has an owner, whatever the
                                         tree is of */
    const struct hd_no_match *unmatched; /* patterns that match nothing */
    size_t unmatched_count;
};

struct hd_process_list {
    struct hd_process *all;
    size_t count;
};

/* --- all of it ----------------------------------------------------------- */

enum hd_report_kind {
    HD_REPORT_DIFF,
    HD_REPORT_TOP,
    HD_REPORT_ROOTS,
    HD_REPORT_INFO,
    HD_REPORT_CHECK, /* a diff with rules */
    HD_REPORT_PROCESSES,
    HD_REPORT_TREE, /* of several snapshots it has a diff as well, without chains */
    HD_REPORT_OBJECT,
    HD_REPORT_FLEET,   /* heapdrift_fleet.h */
    HD_REPORT_OBJECTS, /* those of some types */
    HD_REPORT_STATICS,
    HD_REPORT_KIND_COUNT
};

struct hd_instance;
struct hd_object_set;
struct hd_static_set;
struct hd_fleet_answer;

struct hd_model {
    enum hd_report_kind kind;
    enum hd_unit by; /* what a row of types stands for */
    uint32_t rows;   /* that a table shows at most; 0: all */
    const struct hd_snapshot_facts *snapshots;
    size_t snapshot_count;
    const struct hd_warning *warnings;
    size_t warning_count;
    bool counts_reachable; /* only objects on a chain from a root: as asked for, or because
                              a snapshot holds garbage */

    /* NULL of reports that come to no verdict. */
    const struct hd_summary *summary;

    /* What the kind says; NULL where it does not. A check has a diff as well. */
    const struct hd_diff *diff;
    const struct hd_check *check;
    const struct hd_top *top;
    const struct hd_roots *roots;
    const struct hd_process_list *processes;
    const struct hd_tree *tree; /* of a diff, a check and a top: if hd_options.tree asked */
    const struct hd_instance *instance;  /* heapdrift_objects.h */
    const struct hd_fleet_answer *fleet; /* heapdrift_fleet.h */
    const struct hd_object_set *objects; /* heapdrift_objects.h */
    const struct hd_static_set *statics; /* heapdrift_objects.h */

    /* Of a diff, a check and a top: the parts of the process, the size first. Rows without
     * a value are left out; no row: fewer than two snapshots (of a top: one) have the size.
     */
    const struct hd_process_row *account;
    size_t account_len;
};

const struct hd_model *hd_report_model(const struct hd_report *report);

/* What people read instead of a canonical name, or the name itself. */
const char *hd_report_shown(const struct hd_report *report, const char *name);

/* hd_suspect.counts without what was left out. at has room for all snapshots; how many it
 * got. */
size_t hd_suspect_counts(const struct hd_suspect *suspect, size_t snapshots,
                         struct hd_tally *at);

/* Whether it is told who of them stayed: where order alone tells, one may trust what
 * stayed, and not what is said to have gone. births may be NULL. */
bool hd_report_tells_births(const struct hd_report *report, const struct hd_births *births);

/* The words of JSON: "static", "gen0", "growing", ... NULL for what has none. */
/* What names a snapshot's file where people read it: the end of its path that tells it from
 * the others. It lives as long as the report. */
const char *hd_snapshot_file(const struct hd_model *model, size_t snapshot);

const char *hd_root_kind_name(enum hd_root_kind kind);
const char *hd_generation_name(enum hd_generation generation);
const char *hd_service_name(enum hd_service service);
const char *hd_chain_status_name(enum hd_chain_status status);
const char *hd_series_status_name(enum hd_series_status status);
const char *hd_confidence_name(enum hd_confidence confidence);
const char *hd_basis_name(enum hd_basis basis);
const char *hd_suspicion_name(enum hd_suspicion suspicion);
/* True if there is no suspect, but a type with a reservation. */
bool hd_diff_is_reserved(const struct hd_diff *diff);
const char *hd_reservation_name(enum hd_reservation reservation);    /* NULL: none */
const char *hd_time_limit_name(enum hd_time_limit limit);            /* NULL: none */
const char *hd_identity_source_name(enum hd_identity_source source); /* NULL: unknown */
const char *hd_untold_name(enum hd_untold why);                      /* NULL: nothing */
const char *hd_untold_words(enum hd_untold why);                     /* behind a colon */
const char *hd_finding_status_name(enum hd_finding_status status);
const char *hd_verdict_name(enum hd_verdict verdict);
const char *hd_unit_name(enum hd_unit unit);
const char *hd_node_kind_name(enum hd_node_kind kind);

/* --- columns of lists ------------------------------------------------------ */

/* The value of a cell, for a reader who prints it. */
enum hd_cell_kind {
    HD_CELL_NONE,
    HD_CELL_COUNT,        /* a */
    HD_CELL_SIZE,         /* a, bytes */
    HD_CELL_COUNT_CHANGE, /* from a to b */
    HD_CELL_SIZE_CHANGE,
    HD_CELL_FROM_TO,   /* counts a and b */
    HD_CELL_SHARE,     /* share; NAN: unknown */
    HD_CELL_BAR,       /* the same, drawn */
    HD_CELL_TREND,     /* counts or at, per snapshot: hd_cell_trend() */
    HD_CELL_OBJECT,    /* at address a, or 0, with number b */
    HD_CELL_FIELD,     /* value of the field */
    HD_CELL_ROOT_KIND, /* a, an enum hd_root_kind */
    HD_CELL_WORD,      /* text of ours */
    HD_CELL_QUOTED,    /* text of others */
    HD_CELL_NAME,      /* a name as it is */
    HD_CELL_TYPE,      /* canonical name of a type */
    HD_CELL_TITLE      /* the same; of an async method's call the method */
};

struct hd_field;
struct hd_cell {
    enum hd_cell_kind kind;
    uint64_t a, b;
    double share;
    const char *text; /* NULL: unknown */
    const struct hd_tally *at;
    const uint64_t *counts; /* HD_UNKNOWN where a snapshot was left out */
    const struct hd_field *field;
};

/* The tables of reports that other programs may list on a screen. */
enum hd_list {
    HD_LIST_CHANGES,       /* struct hd_type_row of a diff */
    HD_LIST_TYPES,         /* the same, in the last snapshot */
    HD_LIST_SUSPECTS,      /* struct hd_suspect */
    HD_LIST_LAST_SUSPECTS, /* the same, in the last snapshot */
    HD_LIST_PLACES,        /* struct hd_tree_node */
    HD_LIST_LAST_PLACES,   /* the same, in the last snapshot */
    HD_LIST_OBJECTS,       /* struct hd_object */
    HD_LIST_PROCESS,       /* struct hd_process_row */
    HD_LIST_LAST_PROCESS   /* the same, in the last snapshot */
};

enum { HD_MAX_COLUMNS = 12 };

struct hd_column {
    const char *title;
    const char *key; /* in files; NULL: not there */
    enum hd_cell_kind kind;
    unsigned width;      /* of a screen; 0: what the others leave */
    unsigned from_width; /* of the screen that shows it */
    struct hd_cell (*cell)(const struct hd_model *model, const void *row);
};

/* Whether cells of that kind are numbers, which are aligned to the right. */
bool hd_cell_is_number(enum hd_cell_kind kind);

/* Columns of a list, those without a value in this report left out; how many. */
size_t hd_list_columns(const struct hd_model *model, enum hd_list list,
                       struct hd_column all[HD_MAX_COLUMNS]);

/* Counts of a trend into at, which has space for so many snapshots; how many there are. */
size_t hd_cell_trend(const struct hd_cell *cell, size_t snapshots, struct hd_tally *at);

/* --- as reports print it ------------------------------------------------- */

/* Numbers, "-" for unknown ones: 1,234; +1,234; 1.84 MiB; -188 KiB; 7.9 %. */
void hd_put_count(struct hd_sink to, uint64_t n);
void hd_put_count_change(struct hd_sink to, uint64_t first, uint64_t last);
void hd_put_size(struct hd_sink to, uint64_t bytes);
void hd_put_size_change(struct hd_sink to, uint64_t first, uint64_t last);
void hd_put_share(struct hd_sink to, double share);

/* A bar per snapshot, from the smallest to the largest count. */
void hd_put_trend(struct hd_sink to, const struct hd_tally *at, size_t count);

/* "of 23, 20 and 15 that came in each step all are still there; of 81 older ones all", with
 * "since snapshot 13 (14:05 UTC), " before it where it began later; of what is no suspect
 * "as many go as come: 120 came, 100 went". False, and nothing, where too little is known.
 */
bool hd_put_births(struct hd_sink to, const struct hd_report *report,
                   const struct hd_suspect *suspect);

/* Which code allocated its objects, in that many columns if it can be, or why that is not
 * known. False, and nothing, if nobody sampled. */
bool hd_put_allocated(struct hd_sink to, const struct hd_suspect *suspect, size_t columns);

/* "Checkout.Add (Checkout.cs:42) ← OrdersController.Post" */
void hd_put_site_node(struct hd_sink to, const struct hd_site_node *node);

/* A type's name as hd_put_name() prints it, shortened to so many columns of a terminal:
 * its namespaces go first, then its middle. Without any: hd_put_short_type(); so in a frame
 * of a chain, "(A → B) ×2–9" for a repeated pattern. */
void hd_put_type(struct hd_sink to, const char *name, size_t columns);
void hd_put_short_type(struct hd_sink to, const char *name);
void hd_put_frame(struct hd_sink to, const struct hd_frame *frame);

/* Words of others as a cell: of CSV, as tables of reports have it (RFC 4180; an apostrophe
 * before what a spreadsheet would take for a formula); of a table in Markdown, where they
 * are no markup. */
void hd_put_csv_cell(struct hd_sink to, const char *words);
void hd_put_markdown_cell(struct hd_sink to, const char *words);

/* What a program tells of itself, in the text exposition format 0.0.4 of Prometheus. A
 * metric whose name ends in "_total" is a counter, any other a gauge; one without samples
 * is left out, and so is a sample whose value is NAN. False and err if the sink failed. */
enum { HD_METRIC_LABELS = 5 };
struct hd_metric_sample {
    struct {
        const char *name, *value; /* of the first without a name there is no label more */
    } labels[HD_METRIC_LABELS];
    double value;
};
struct hd_metric {
    const char *name, *help; /* one line */
    const struct hd_metric_sample *samples;
    size_t count;
};
bool hd_put_metrics(struct hd_sink to, const struct hd_metric *metrics, size_t count,
                    struct hd_error *err);

/* "s_all" of "[static var App.Shop.s_all]"; false, and nothing, for what is no variable. */
bool hd_put_static_field(struct hd_sink to, const char *name);

/* ".Log", to be put behind the name of a type that leads on by it; of an array "", or
 * ".value" for its "[].value". NULL: nothing. */
void hd_put_field(struct hd_sink to, const char *type, const char *field);

#ifdef __cplusplus
}
#endif

#endif
