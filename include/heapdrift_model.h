/* heapdrift_model.h - reports as data, for programs that do not want to read text or JSON.
 * heapdrift.h includes it.
 *
 * A model has numbers, enums, names and ids. It is read-only, belongs to its report and
 * lives as long. Arrays "per snapshot" have one element for each of hd_model.snapshots, in
 * that order. Unknown whole numbers are HD_UNKNOWN, unknown fractions NAN, unknown names
 * NULL. Bytes are shallow sizes unless they are called retained. Types and holders have
 * canonical names (docs/names.md); hd_report_shown() returns the name for people. */
#ifndef HEAPDRIFT_MODEL_H
#define HEAPDRIFT_MODEL_H

#include "heapdrift.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- objects and roots --------------------------------------------------- */

/* A number of objects and their bytes, scaled up in a sample. */
struct hd_tally {
    uint64_t count;
    uint64_t bytes; /* HD_UNKNOWN if the input lacks them */
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

/* How objects of a snapshot were identified in the next; best last. */
enum hd_identity_source {
    HD_SAME_UNKNOWN,
    HD_SAME_BY_ORDER,    /* by the order in which compaction leaves survivors */
    HD_SAME_BY_CONTENTS, /* the same, and by the contents of the objects */
    HD_SAME_BY_EVENTS,   /* exact: by events of the collector */
    HD_SAME_SOURCE_COUNT
};

/* Why the exact survivors of a snapshot are unknown although GC events were traced. */
enum hd_survivors_unknown {
    HD_SURVIVORS_UNKNOWN_NONE,       /* they are known, or not traced */
    HD_SURVIVORS_UNKNOWN_REFUSED,    /* the session could not be opened */
    HD_SURVIVORS_UNKNOWN_ENDED,      /* the process ended the session early */
    HD_SURVIVORS_UNKNOWN_TOO_MUCH,   /* tracing would have cost the process too much */
    HD_SURVIVORS_UNKNOWN_LOST,       /* events were lost */
    HD_SURVIVORS_UNKNOWN_GAPS,       /* collections are missing, or cannot be followed */
    HD_SURVIVORS_UNKNOWN_MISPLACED,  /* too many objects are at unexpected addresses */
    HD_SURVIVORS_UNKNOWN_RESTARTED,  /* the snapshots are of two processes */
    HD_SURVIVORS_UNKNOWN_INCOMPLETE, /* one of the two snapshots is incomplete */
    HD_SURVIVORS_UNKNOWN_SILENT,     /* the runtime never reports survivors: Native AOT */
    HD_SURVIVORS_UNKNOWN_COUNT
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
    HD_ROOT_UNREACHABLE, /* no root */
    HD_ROOT_KIND_COUNT
};

/* --- snapshots ----------------------------------------------------------- */

/* How a table was made, from its header. */
struct hd_table_origin {
    const char *command;    /* "dumpheap -stat -live" */
    const char *generation; /* "gen2", "loh", ...: the generation of all rows */
    const char *liveness;   /* "all", "live", "dead" */
    const char *filters;    /* "-type Orchard -min 40"; may be "" */
};

struct hd_snapshot_facts {
    struct hd_info info;
    struct hd_error error; /* its status: whether the file is a snapshot at all */
    struct hd_table_origin origin;
    uint64_t weak_roots;                                /* weak handles */
    uint64_t roots_by_kind[HD_ROOT_KIND_COUNT];         /* if info.has_roots */
    struct hd_tally by_generation[HD_GENERATION_COUNT]; /* if info.has_generations; as in
                                                           the file, not scaled */
    /* Exact survivors of the previous snapshot, and the number of its objects; HD_UNKNOWN
     * if not traced. */
    uint64_t traced_survivors, traced_objects;
    enum hd_survivors_unknown survivors_unknown; /* why they are unknown, if recorded */
    uint64_t sampled;              /* objects whose allocation was sampled; HD_UNKNOWN */
    uint64_t methods;              /* methods with names, for the stacks of the samples */
    struct hd_process_facts facts; /* of its process */
    double clock;                  /* seconds since some start, for order and distance */
    bool clock_is_date;            /* the start is a date, not the start of the machine */
};

/* --- chains of references ------------------------------------------------ */

enum { HD_MAX_FRAME_TYPES = 3 };

/* A type on the path from a root, or a repeated pattern of up to three. */
struct hd_frame {
    const char *types[HD_MAX_FRAME_TYPES];
    const char *shown[HD_MAX_FRAME_TYPES];  /* names for people; NULL: as types */
    const char *fields[HD_MAX_FRAME_TYPES]; /* of a pattern; the last leads to the first */
    const char *field; /* field that leads to the next frame: "_items", "[]", "[].value";
                          NULL: unknown or different */
    unsigned type_count;
    uint32_t repeat_min, repeat_max; /* number of repetitions in the examined instances */
    uint32_t example_nodes;          /* number of objects of the example in this frame */
    enum hd_generation generation;   /* the youngest of their generations */
    bool is_program;                 /* one of its types is a class of the program */
};

/* How the service container keeps an owner alive. */
enum hd_service {
    HD_SERVICE_NONE,
    HD_SERVICE_SINGLETON,
    HD_SERVICE_HELD,
    HD_SERVICE_COUNT
};

/* hd_chain.owner_frame without an owner. */
#define HD_NO_OWNER SIZE_MAX

/* Instances with the same path from their owner down (docs/chains.md). */
struct hd_chain {
    enum hd_root_kind kind;
    uint64_t hash;           /* equal for equal chains in all snapshots */
    struct hd_frame *frames; /* root first, instance last */
    size_t frame_count;      /* 0 for a rare chain of an exact answer */
    size_t frames_skipped;   /* before frame skipped_at, in a very long chain */
    size_t skipped_at;
    uint64_t count;          /* instances if exact; else samples with this chain */
    double share, low, high; /* share of the instances, 0 to 1, and its 95 % interval */
    bool exact;              /* all instances were examined: low = share = high */
    uint32_t example;        /* number of an instance in the graph */
    enum hd_generation example_generation;
    size_t owner_frame; /* frame of the owner, or HD_NO_OWNER */
    const char *owner;  /* its type */
    enum hd_service service;
    const char *owner_of; /* class or variable of the program that dominates the owner; NULL
                             also if it is the owner itself */
};

/* Change of a chain over the series. */
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
    uint64_t *instances; /* per snapshot; NULL: not all were examined */
    size_t frames_omitted,
        omitted_at; /* number of frames cut in the middle, and the frame before which */
    size_t frames_above; /* index of the owner among all frames, if there is one */
    bool in_full;        /* all frames were requested: show them all */
    uint64_t retained;   /* bytes retained by its instances in the last snapshot */
    uint64_t address;    /* of the example; 0: unknown */
    enum hd_generation generation; /* of the example */
    const char *held_by;           /* its owner in a few words, or NULL. hd_roots only: */
    const char *hint;              /* its usual meaning: an id of docs/hints.md; NULL */
};

/* Chains of some instances, most frequent first. */
struct hd_chains {
    struct hd_chain_row *all;
    size_t len;
    size_t omitted;       /* chains beyond the requested number */
    size_t available;     /* chains that could be shown */
    double omitted_share; /* of the instances, 0 to 1 */
    double owner_share;   /* share of the instances that the owner of the first chain has,
                             through any chain; the places in a list of several classes have
                             one each; 0: no owner */
    uint64_t instances;   /* in the last snapshot */
    uint64_t samples;     /* instances that were examined */
    bool of_survivors;    /* instances: only survivors that were added after the first
                             snapshot; chain statuses are for all */
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

/* A type, or another unit of rows. */
struct hd_type_row {
    const char *type;
    const char *full_name; /* name for people; NULL: as type */
    struct hd_tally *at;   /* per snapshot */
    bool is_free;          /* free space, which is not part of the heap */
    enum hd_series_status status;
    uint64_t retained;              /* bytes, in a top */
    struct hd_tally *by_generation; /* in a top: HD_GENERATION_COUNT elements */
    uint64_t survivors; /* minimum number of objects of the first snapshot that are alive in
                           the last */
    uint64_t survivors_low, survivors_high; /* if known: estimate, 95 % interval */
};

/* Sum of some rows. */
struct hd_sum {
    size_t rows;
    struct hd_tally *at; /* per snapshot; bytes are unknown if a row's are */
};

struct hd_type_table {
    struct hd_type_row *rows; /* chosen and ordered by the options */
    size_t len;
    size_t shown; /* number of rows shown, the first ones; the others are summed up */
    struct hd_sum others;    /* sum of rows that are not shown */
    struct hd_sum sum;       /* sum of all rows */
    bool is_whole;           /* the sum is the total: no row is hidden */
    struct hd_tally *totals; /* per snapshot, all counted objects, hidden or not */
    bool bytes_known;        /* in every snapshot; else bytes of some rows are unknown */
};

/* --- what grew ----------------------------------------------------------- */

/* How much the snapshots can show. */
enum hd_confidence { HD_CONFIDENCE_LOW, HD_CONFIDENCE_MEDIUM, HD_CONFIDENCE_HIGH };

/* Evidence of a row of the ranking. */
enum hd_basis {
    HD_BASIS_TABLE, /* shallow bytes of a type */
    HD_BASIS_GRAPH, /* a place in the dominator tree */
    HD_BASIS_TYPE   /* a whole type, with changing owners */
};

/* Why a row of the ranking is a suspect. */
enum hd_suspicion {
    HD_SUSPECT_NOT,
    HD_SUSPECT_SIZE,   /* its score is large */
    HD_SUSPECT_STEADY, /* small, with nearly the same gain in every step */
    HD_SUSPECT_AGE     /* small and unsteady, but objects added in every step survived */
};

/* Why a type that grew like a suspect is not one; the verdict is then unsure. */
enum hd_reservation {
    HD_RESERVED_NOT,
    HD_RESERVED_FILLS,    /* its gain per unit of load decreases */
    HD_RESERVED_PER_TYPE, /* its holder has one for each type that the program uses */
    HD_RESERVED_LIFETIME  /* its holder keeps entries for longer than this series */
};

/* A place where a suspect grows. */
struct hd_head {
    const char *holder; /* "[static var App.s_all] → Order[]" */
    double score;       /* its part of the suspect's score */
};

/* Cohorts of a suspect: in which snapshot its objects first appeared, and how many survive.
 * An object that existed before and was only moved under the suspect is not a birth. */
struct hd_cohorts {
    size_t count;           /* snapshots that can be compared */
    const size_t *snapshot; /* their numbers, from 0 */
    const uint64_t *at; /* survivors of cohort j in snapshot k >= j: count - j numbers for j
                           = 0, then for j = 1, ... */
    uint64_t arrived, died; /* objects added and freed, in all steps, counted once they are
                            `age` snapshots old */
    size_t since; /* it accumulates after this snapshot, from 0; arrived and died count from
                     there. The first snapshot: all the time */
    unsigned age; /* usually 0; more if most objects die young */
    double chance; /* p-value of the counts, if one object is freed for every two added; 1:
                      no evidence against that */
    bool accumulates; /* the chance is at most 1 %, and growth continues */
    bool turns_over;  /* as many are freed as added, or the oldest are freed first: it grows
                         with its load */
};

/* A line of code. */
struct hd_code {
    const char *method; /* as in the source: "Shop.Checkout.Add" */
    const char *file;   /* without folders; NULL: unknown */
    uint64_t line;      /* from 1; HD_UNKNOWN */
    bool is_own;        /* part of the program, not of a framework or package */
};

/* Samples with the same stack. */
struct hd_site_stack {
    const struct hd_code *frames; /* the innermost first */
    size_t frame_count;
    uint64_t samples;
};

/* Samples allocated by one method: the innermost method of the program on the stack; else
 * the innermost of all. */
struct hd_site {
    const struct hd_code *code;   /* line with most of its samples */
    const struct hd_code *caller; /* next method of the program above it, or NULL */
    uint64_t samples;
    const uint64_t *at; /* per snapshot, as hd_allocations.at */
    const struct hd_site_stack *stacks;
    size_t stack_count;
};

/* Calls from allocations up to their callers, as a tree in preorder. It has the methods of
 * the program, and the innermost ones of stacks. */
struct hd_site_node {
    unsigned depth;              /* 0: the allocation */
    const struct hd_code *codes; /* consecutive methods without a branch */
    size_t code_count;
    uint64_t samples;
    const uint64_t *at; /* per snapshot */
};

/* The code that allocated the objects of a suspect that are in the last snapshot but not in
 * the first, from samples. */
struct hd_allocations {
    const struct hd_site *sites; /* those of the program first, then by samples */
    size_t site_count;           /* 0: no sample */
    const struct hd_site_node *nodes;
    size_t node_count;
    uint64_t samples;
    const uint64_t *at; /* per snapshot: samples from the interval before it; HD_UNKNOWN for
                           others. NULL: unknown intervals */
    bool in_every_interval; /* each interval has samples */
    uint64_t per_sample;    /* bytes per sample, approximately; HD_UNKNOWN */
    uint64_t unnamed;       /* samples without method names, in the whole heap */
    bool is_whole;          /* every interval was sampled */
    uint64_t wait_seconds;  /* without a sample: time until one is nearly certain;
                               HD_UNKNOWN, also if some intervals were not sampled */
    uint64_t grown;         /* bytes that the suspect gained; HD_UNKNOWN */
};

/* A row of the ranking (docs/ranking.md). */
struct hd_suspect {
    size_t rank; /* from 1; 0: pooled objects, not ranked */
    const char *type;
    const char *title; /* title; else the type */
    enum hd_basis basis;
    enum hd_suspicion suspicion;
    enum hd_reservation reservation; /* of a type that is not a suspect */
    struct {
        const char *holder, *keeps, *setting; /* may be NULL */
        uint64_t seconds,
            watch;     /* time for which it keeps them; time that a series has to span */
    } lifetime;        /* for HD_RESERVED_PER_TYPE and HD_RESERVED_LIFETIME */
    const char **also; /* types that are retained together with it */
    size_t also_count;
    struct hd_head *heads; /* places where it grows; their scores sum to its own */
    size_t head_count;
    double score;        /* bytes, or objects where bytes are unknown */
    double score_share;  /* of the heap, 0 to 1 */
    double tau;          /* steadiness of the growth, -1 to 1 */
    struct hd_tally *at; /* per snapshot */
    uint64_t *held;      /* objects at its places, per snapshot; NULL unknown */
    uint64_t *retained;  /* bytes per snapshot; NULL unknown */
    int64_t more;        /* growth of the bytes retained by these and `also`; by graph */
    double more_share;   /* of the heap, 0 to 1 */
    uint64_t step_least, step_most; /* steady growth: smallest and largest gain per step */
    uint64_t per_iteration;         /* exact gain per iteration */
    const char **holder;            /* types from the root down; NULL unknown */
    size_t holder_len;
    uint64_t survivors, survivors_low, survivors_high; /* as in hd_type_row */
    struct hd_chains chains;          /* root chains; for suspects that are shown */
    const char *hint;                 /* usual cause: an id of docs/hints.md */
    const struct hd_cohorts *cohorts; /* NULL: unknown */
    uint64_t *own; /* bytes per snapshot, without nested suspects; NULL unknown */

    /* The one count that every view shows: of the title, if its objects are added along
     * with those of the type; else of the type, counting only objects at its places if
     * there are more elsewhere at the end. HD_UNKNOWN for snapshots that were left out of
     * the ranking. */
    const char *counted;
    uint64_t *counts;
    bool counts_place;                      /* the rest of the heap has others */
    const struct hd_allocations *allocated; /* NULL: not sampled */
};

/* Breakdown of the growth of the reachable heap: bytes, last minus first snapshot that can
 * be compared. */
struct hd_growth {
    bool known;                           /* by graph only */
    int64_t bytes, suspects, pools, rest; /* bytes is the sum of the other three */
    double share, rest_share;             /* of the heap in the last such snapshot */
    double explained;  /* share of the growth that is in suspects; NAN: it did not grow */
    bool unexplained;  /* is_open, without suspects or with a rest of more than half */
    bool is_open;      /* some growth is unexplained; also of tables */
    double open_share; /* unexplained share of the heap */
    size_t since;      /* snapshot after which that began, from 0 */
    bool has_leveled_off;     /* something large did, with or without suspects */
    double leveled_off_share; /* its share of the heap */
    double pools_share;       /* growth of pools and threads, as a share of the heap */
    bool pools_are_reported;  /* that is large enough to be mentioned */
    bool pools_by_name;       /* pools were recognised by name only, not by a module of the
                                 runtime */
    /* Bytes per snapshot, which sum to the reachable heap. Suspects, shown or not: the sum
     * of their own bytes. */
    uint64_t *suspects_at, *pools_at, *rest_at;
};

/* Detection limits: minimum size of a leak that these snapshots would show if it lasts for
 * the whole series: retained bytes or, for smaller ones, a number of objects. Smaller leaks
 * may show as well. */
struct hd_power {
    size_t steps;     /* between snapshots that can be compared; 0: no leak would show */
    uint64_t large;   /* bytes, or objects where bytes are unknown, for any leak */
    uint64_t bytes;   /* retained by the objects below; HD_UNKNOWN: these would not show */
    uint64_t objects; /* added at random times, never freed: four of five such leaks show;
                         HD_UNKNOWN: indistinguishable from chance */
    uint64_t even;    /* added at nearly the same rate in every step; HD_UNKNOWN */
};

/* Something that grew, and then leveled off. */
struct hd_leveled_off {
    const char *type, *title;
    uint64_t *count, *retained; /* objects and bytes per snapshot */
    double growth, share;       /* bytes, and of the heap */
    const char **holder;        /* as in hd_suspect */
    size_t holder_len;
};

/* A type with more instances in every snapshot than in the one before, which holds memory
 * outside the heap. */
struct hd_native_memory {
    const char *type, *what;   /* "System.Threading.Thread", "threads" */
    const struct hd_tally *at; /* per snapshot */
    uint64_t first,
        last;          /* instances, in the first and last snapshot that can be compared */
    const char *hint;  /* as in hd_suspect */
    bool is_undecided; /* too many for a check to exclude a leak */
};

/* Objects next to free space, in the last snapshot. */
struct hd_between {
    const char *type; /* NULL: unknown */
    uint64_t count;   /* of these objects */
    uint64_t bytes;   /* of adjacent free blocks; of pinned objects their own */
};

/* Free space between objects. Arrays are per snapshot, HD_UNKNOWN if unknown. */
struct hd_free_growth {
    uint64_t *bytes, *blocks, *largest;
    size_t first, last; /* the first and last snapshot that has bytes, from 0 */
    bool is_finding; /* it grows steadily, and objects explain less than half of the growth
                        of the process or, if its size is unknown, of the heap with free
                        space */
    enum hd_fact within; /* generation that it grew in most; HD_FACT_COUNT: unknown */
    uint64_t within_first, within_last;
    uint64_t pinned_objects;   /* in the last collection; HD_UNKNOWN */
    struct hd_between pinned;  /* type of most objects with a pinned handle */
    struct hd_between next_to; /* type after most large blocks (gen2, LOH, POH), by bytes */
    const char *hint;          /* as in hd_suspect; NULL: no finding */
};

/* Memory of the process in addition to its objects, from the facts in snapshots. Arrays are
 * per snapshot, HD_UNKNOWN if unknown. */
struct hd_process_growth {
    size_t known;   /* snapshots that can be compared and have the size; 2 or more */
    uint64_t *size; /* resident and swapped out */
    uint64_t *parts[HD_PART_COUNT]; /* sum to size */
    uint64_t *threads;
    size_t first, last; /* first and last such snapshot, from 0 */
    int64_t growth;     /* bytes, between these */
    double explained;   /* share explained by objects, without those in memory that the
                           collector had; NAN: no growth, or their size is unknown */
    enum hd_process_part where; /* part that grows steadily and most, or HD_PART_COUNT */
    enum hd_fact within; /* of native memory, what grew most; HD_FACT_COUNT: unknown */
    bool is_outside;     /* parts have sustained growth of half of `rise` or more, and
                            objects explain less than half */
    bool is_undivided; /* the process has sustained growth, and the known parts have at most
                          half the growth */
    bool keeps_growing[HD_PART_COUNT];
    double rise;      /* growth; if it is 0 or less, what the parts that grew have gained */
    const char *hint; /* as in hd_suspect */
    const char *holder; /* type whose name stands for native memory and whose count rises
                           too; or NULL */
    uint64_t holder_first, holder_last; /* its instances */
    bool is_opened[HD_FACT_OTHERS + 1]; /* from HD_FACT_SOCKETS: the descriptors' number
                                           rises in every snapshot, in total by a quarter */
};

/* A row of the table of a process: its size, a part, a class of a part, a count. */
struct hd_process_row {
    const char *name;   /* "native memory", "arenas of malloc"; constant */
    unsigned depth;     /* 0: size and counts; 1: a part; 2: a class of the part above */
    bool is_count;      /* else bytes */
    const uint64_t *at; /* per snapshot; HD_UNKNOWN if unknown or not compared */
};

/* Why time limits the confidence in suspects. */
enum hd_time_limit {
    HD_TIME_ENOUGH,
    HD_TIME_UNKNOWN, /* the files have no times */
    HD_TIME_SHORT, /* frameworks keep objects by design for longer than these snapshots span
                    */
    HD_TIME_YOUNG, /* the process is younger than three times that span */
    HD_TIME_LIMIT_COUNT
};

/* Colour of a verdict; must not be its only sign. */
enum hd_severity { HD_SEVERITY_GOOD, HD_SEVERITY_UNSURE, HD_SEVERITY_BAD };

/* A line of a summary: UTF-8 without control characters, names short. */
struct hd_span {
    size_t from, to; /* range of bytes of the text that is a name from a file */
};
struct hd_line {
    const char *label; /* "LEAK", "FIX", "heap"; NULL: continues the previous line */
    const char *text;
    const struct hd_span *names; /* HTML and Markdown have to escape these */
    size_t name_count;
    const char *command; /* to run for more, after the text; or NULL */
    const char *brief;   /* shorter text, for fewer than brief_below columns; or NULL */
    unsigned brief_below;
};

/* The result of a report in a few lines, which all formats for people begin with. */
struct hd_summary {
    enum hd_severity severity;
    struct hd_line *verdict; /* "LEAK", at most three lines, and "FIX" */
    size_t verdict_len;
    struct hd_line *facts; /* "heap", "confidence", "path", "also" */
    size_t fact_len;
};

/* A pattern of hd_options.types that no row matches. */
struct hd_no_match {
    const char *pattern;
    const char *nearest; /* similar name that may be meant */
};

struct hd_diff {
    uint64_t *iterations;       /* per snapshot; NULL if not given */
    struct hd_tally *reachable; /* per snapshot */
    enum hd_confidence confidence;
    size_t usable_count;              /* snapshots that can be compared */
    bool by_graph;                    /* the ranking is based on graphs, not tables */
    enum hd_identity_source identity; /* how survivors are known; unknown: counts only */
    /* Why survivors are not from GC events, as far as files have the reason, and the first
     * snapshot without. */
    enum hd_survivors_unknown survivors_unknown;
    size_t survivors_unknown_snapshot;
    enum hd_time_limit time_limit;
    double uptime_seconds; /* age of the process at the first snapshot that can be compared;
                              NAN */
    double span_seconds;   /* from the first to the last snapshot */
    double bytes_per_hour; /* growth; requires at least a minute */

    /* By score: suspects, rows with a lower score, objects in buffer pools. */
    struct hd_suspect *suspects, *below_threshold, *pooled;
    size_t suspect_count, below_threshold_count, pooled_count;
    size_t suspects_shown; /* number of shown ones, the first */
    size_t hidden_count;   /* suspects, or the undecided row, that are hidden by types,
                              excludes or app_only */

    struct hd_growth growth;
    struct hd_power would_show;         /* with or without suspects */
    struct hd_leveled_off *leveled_off; /* by growth */
    size_t leveled_off_count, leveled_off_shown;

    /* Without suspects: a type that grew like a suspect, but has a reservation; or one that
     * rose in every step, without evidence for a leak or for turnover. May be NULL. */
    const struct hd_suspect *undecided;

    const struct hd_process_growth *process; /* NULL: fewer than two have the size */
    const struct hd_free_growth *free;       /* NULL: fewer than two have it */

    struct hd_native_memory *native_memory; /* shown ones; filtered by type only */
    size_t native_memory_count;

    struct hd_no_match *unmatched;
    size_t unmatched_count;
    const struct hd_no_match *no_match; /* the first, if all patterns are unmatched */

    struct hd_type_table types;

    /* Verdict about the shown rows, in one line: the first lines of hd_model.summary. */
    const char *headline;
};

/* --- rules --------------------------------------------------------------- */

/* Subject of a rule, its total, measure and reference. */
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
    double percent;  /* relative: of the first snapshot; scores: of the heap */
    uint64_t amount; /* otherwise */
};

enum hd_finding_status {
    HD_FOUND_PASS,
    HD_FOUND_FAIL,
    HD_FOUND_SUPPRESSED,
    HD_FOUND_INCONCLUSIVE,
    HD_FINDING_STATUS_COUNT
};

/* Reason for the status of a finding. */
enum hd_reason_code {
    HD_REASON_NONE,

    /* undecided because of the snapshots */
    HD_REASON_TOO_FEW,        /* fewer than two can be compared */
    HD_REASON_NOT_ENOUGH,     /* fewer than four: the ranking needs four */
    HD_REASON_ONLY_GARBAGE,   /* a table lists only garbage */
    HD_REASON_PART_OF_HEAP,   /* a table was filtered */
    HD_REASON_END_LEFT_OUT,   /* the first or the last snapshot was left out */
    HD_REASON_END_INCOMPLETE, /* ... because it is incomplete */
    HD_REASON_STEP_LEFT_OUT,  /* another snapshot was left out, so a step is missing */
    HD_REASON_OUT_OF_ORDER,
    HD_REASON_GIVEN_TWICE,
    HD_REASON_RESTARTED, /* they are of several processes */
    HD_REASON_DIFFERENT_PROGRAMS,

    /* undecided because of the numbers */
    HD_REASON_NUMBER_UNKNOWN,  /* a snapshot does not have it */
    HD_REASON_BYTES_UNKNOWN,   /* scores have no unit */
    HD_REASON_NO_HOLDERS,      /* a snapshot has no owners */
    HD_REASON_HOLDERS_UNKNOWN, /* the same, for a suppression by holder */
    HD_REASON_HOLDER_UNKNOWN,  /* the same, for this row of the ranking */
    HD_REASON_SAMPLE_IS_OFF,   /* the error may exceed the distance to the limit */
    HD_REASON_SAMPLE_MAY_HIDE, /* growth as large as the limit may be hidden */
    HD_REASON_UNEXPLAINED,   /* unexplained growth of this share of the heap since snapshot
                                count */
    HD_REASON_RESERVED,      /* suspect grew like one, but has a reservation */
    HD_REASON_NATIVE_MEMORY, /* native memory grows */
    HD_REASON_OUTSIDE,       /* the process grew, but not its objects */
    HD_REASON_FRAGMENTED,    /* free space between objects grew */
    HD_REASON_SCALE_UNKNOWN, /* of the baseline: its run was longer or shorter by an unknown
                                amount */

    /* passed with a reservation */
    HD_REASON_NO_MATCH,      /* no row matches the pattern; meant: a similar name */
    HD_REASON_LEVELED_OFF,   /* this share of the heap grew and leveled off */
    HD_REASON_HIDDEN,        /* count suspects are hidden; 0: no type is shown */
    HD_REASON_POOLS_BY_NAME, /* pools grew by bytes, this share of the heap; recognised by
                                name only, not by a module */

    /* decided, and how */
    HD_REASON_OUTSIDE_ALLOWED, /* passed: process grew outside of its objects; words: the
                                  budget that allows it, NULL: the baseline */
    HD_REASON_POOLS,  /* passed: pools of the runtime grew by bytes, this share of the heap
                       */
    HD_REASON_STEADY, /* the limit for steady growth applies */
    HD_REASON_SUPPRESSED, /* words: the reason given */
    HD_REASON_EXPIRED,    /* the suppression expired on until; words: its reason */
    HD_REASON_ACCEPTED,   /* the baseline accepts part of the growth */
    HD_REASON_COUNT
};

/* Fields that a code does not mention are 0 and NULL. */
struct hd_reason {
    enum hd_reason_code code;
    double share;
    size_t count;      /* hidden suspects; else the snapshot, from 0 */
    const char *meant; /* NULL: no similar name */
    const char *words; /* of the suppression, as in its file */
    const char *until; /* its last day, likewise */
    int64_t bytes;
    const struct hd_native_memory *native_memory;
    const struct hd_process_growth *process;
    const struct hd_free_growth *free;
    const struct hd_suspect *suspect;
};

/* Result of a rule, or of a type under a rule for many. */
struct hd_finding {
    /* the rule */
    size_t number; /* from 0 */
    enum hd_rule_kind kind;
    enum hd_total total;            /* of HD_RULE_TOTAL */
    enum hd_process_number process; /* of HD_RULE_PROCESS */
    const char *pattern; /* of types or holders; the name of a number of the process */
    enum hd_measure measure;
    enum hd_per per;
    const char *path; /* file of the rule; NULL: an option, or the default */
    uint64_t line;    /* in the file, or 0 */
    bool is_default;

    /* what the rule found */
    const char *title;         /* the type; NULL if the rule has no single one */
    const char *type;          /* ranked type of a suspect; else the title */
    size_t first, last;        /* snapshots for the comparison */
    const struct hd_tally *at; /* of the title, per snapshot */
    const char *holder;        /* its owners, on one line */
    bool is_suspect;           /* it is shown as a suspect, with the same chains */
    struct hd_chains chains;

    /* result */
    enum hd_finding_status status;
    bool is_lenient; /* a pass that --strict rejects */
    struct hd_reason reason;
    struct hd_limit limit;              /* as given */
    bool is_by_steadiness;              /* the limit for steady growth applies */
    bool is_in_bytes;                   /* unit of the values: bytes, else objects */
    double limit_value, observed_value; /* exact */
    double base;                        /* base of relative limits; for scores the heap */
    double accepted; /* already subtracted from the observed value: the baseline */
};

enum hd_accepted_kind {
    HD_ACCEPTED_TOTAL,
    HD_ACCEPTED_TYPE,
    HD_ACCEPTED_HOLDER,
    HD_ACCEPTED_PROCESS, /* a number of the process */
    HD_ACCEPTED_KIND_COUNT
};

/* Amounts subtracted from growth before comparison with a limit: never negative, 0 if bytes
 * are unknown. */
struct hd_accepted {
    enum hd_accepted_kind kind;
    const char *name;                /* "bytes", a type, the pattern of a holder */
    uint64_t count, bytes;           /* first to last snapshot */
    uint64_t step_count, step_bytes; /* in the worst step */
    uint64_t score;                  /* of the ranking, in bytes, rounded up */
};

/* Contents of a baseline, sorted by kind and name. */
struct hd_accepted_growth {
    struct hd_accepted *all;
    size_t count;
    uint64_t snapshots;  /* of the accepted run */
    uint64_t iterations; /* between its first and last snapshot; HD_UNKNOWN */
    uint64_t seconds;    /* likewise */
};

/* A diff with rules. */
struct hd_check {
    enum hd_verdict verdict;
    struct hd_finding *rules; /* in order of the rules; for one rule, by growth */
    size_t rule_count, rules_shown;
    const struct hd_accepted_growth *accepted; /* NULL: hd_budgets_accept() was not used */
};

/* --- the other reports --------------------------------------------------- */

/* Largest types of a snapshot. */
struct hd_top {
    struct hd_type_table types;
};

/* Why instances of some types are alive. */
struct hd_roots {
    const char *pattern;
    const char **matched; /* types, by name */
    size_t matched_count;
    struct hd_tally *instances;   /* per snapshot */
    struct hd_chains chains;      /* of all instances, or of new ones in these snapshots: */
    size_t born_first, born_last; /* from 1; 0: of all */
    enum hd_identity_source identity; /* how new ones were identified */
};

/* --- the ownership tree -------------------------------------------------- */

enum hd_node_kind {
    HD_NODE_HEAP,    /* the top: all reachable objects */
    HD_NODE_ROOTS,   /* a group of roots, or a variable; no objects */
    HD_NODE_TYPE,    /* objects of a type, owned by the node above */
    HD_NODE_PATTERN, /* a top for a pattern of hd_options.types: matching objects */
    HD_NODE_OTHERS,  /* places that are too small to be shown */
    HD_NODE_METHOD,  /* in a tree of sites: a method, called by the one above */
    HD_NODE_KIND_COUNT
};

/* hd_tree_node.parent of a top node. */
#define HD_NO_NODE SIZE_MAX

/* A place in the heap: objects with the same owners. It owns exactly the objects at the
 * node itself and those that its children own, in every snapshot. In a tree of holders the
 * direction is reversed: the objects are those of the top, at the end of a path. */
struct hd_tree_node {
    enum hd_node_kind kind;
    size_t parent;
    size_t end; /* end of its subtree in nodes, exclusive */
    unsigned depth;
    const char *type;            /* the pattern if it is one; NULL: the heap, the others */
    const char *full_name;       /* name for people; NULL: as type */
    enum hd_root_kind root_kind; /* of roots */
    struct hd_tally *at;         /* per snapshot: objects of the place itself */
    struct hd_tally *owned; /* per snapshot: objects of the place and below; retained */
    int64_t growth;         /* of retained bytes, last minus first compared snapshot */
    uint64_t survived;      /* objects owned in the last snapshot that were added after the
                               first; HD_UNKNOWN */
    size_t suspect;         /* rank of the suspect that grows here, or 0 */
    bool is_single;         /* no snapshot has more than one object of the type here */
    bool folds;    /* its one large child has nearly all bytes: they may share a line */
    size_t others; /* HD_NODE_OTHERS: number of places */

    /* Field through which the parent holds these objects, "_items"; in a tree of holders,
     * through which these hold the parent. The most frequent, with its share. NULL:
     * unknown, or indirect. */
    const char *field;
    double field_share;

    const struct hd_code *code; /* HD_NODE_METHOD; type is its name */
};

/* The owners of the heap (docs/tree.md). */
struct hd_tree {
    struct hd_tree_node *nodes; /* in preorder: siblings by growth, size and name */
    size_t len;
    size_t first, last; /* compared snapshots; equal for one */
    uint64_t least;     /* bytes: smaller places with smaller changes are summed up */
    bool is_holders;    /* paths up from objects, not down to them */
    bool parts_fields;  /* places are separated by field */
    bool is_sites; /* methods that allocated samples: their objects and approximate bytes */
    bool declares_statics; /* names of variables have the declaring class, not the type of
                              the value */
    const struct hd_tally *reachable; /* per snapshot: everything that has an owner, also if
                                         the tree shows only a part */
    const struct hd_no_match *unmatched; /* patterns without a match */
    size_t unmatched_count;
};

struct hd_process_list {
    struct hd_process *all;
    size_t count;
    const char *name; /* the requested name or pattern; NULL: every process */
};

/* --- the whole report ---------------------------------------------------- */

enum hd_report_kind {
    HD_REPORT_DIFF,
    HD_REPORT_TOP,
    HD_REPORT_ROOTS,
    HD_REPORT_INFO,
    HD_REPORT_CHECK, /* a diff with rules */
    HD_REPORT_PROCESSES,
    HD_REPORT_TREE, /* for several snapshots it has a diff as well, without chains */
    HD_REPORT_OBJECT,
    HD_REPORT_FLEET,   /* heapdrift_fleet.h */
    HD_REPORT_OBJECTS, /* objects of some types */
    HD_REPORT_STATICS,
    HD_REPORT_KIND_COUNT
};

struct hd_instance;
struct hd_object_set;
struct hd_static_set;
struct hd_fleet_answer;

struct hd_model {
    enum hd_report_kind kind;
    enum hd_unit by; /* unit of rows in tables of types */
    uint32_t rows;   /* maximum per table; 0: all */
    const struct hd_snapshot_facts *snapshots;
    size_t snapshot_count;
    const struct hd_warning *warnings;
    size_t warning_count;
    bool counts_reachable; /* only objects with a chain from a root: requested, or because a
                              snapshot has garbage */

    /* NULL for reports without a verdict. */
    const struct hd_summary *summary;

    /* Content by kind, else NULL. A check has a diff as well. */
    const struct hd_diff *diff;
    const struct hd_check *check;
    const struct hd_top *top;
    const struct hd_roots *roots;
    const struct hd_process_list *processes;
    const struct hd_tree *tree;          /* in a diff, check or top: if hd_options.tree */
    const struct hd_instance *instance;  /* heapdrift_objects.h */
    const struct hd_fleet_answer *fleet; /* heapdrift_fleet.h */
    const struct hd_object_set *objects; /* heapdrift_objects.h */
    const struct hd_static_set *statics; /* heapdrift_objects.h */

    /* Table of the process for a diff, check or top, beginning with the size. Rows without
     * a value are left out; empty if fewer than two snapshots (top: one) have the size. */
    const struct hd_process_row *account;
    size_t account_len;
};

const struct hd_model *hd_report_model(const struct hd_report *report);

/* Returns the name for people, or the canonical name itself. */
const char *hd_report_shown(const struct hd_report *report, const char *name);

/* Fills `at` with hd_suspect.counts without snapshots that were left out, and returns their
 * number. `at` has space for all snapshots. */
size_t hd_suspect_counts(const struct hd_suspect *suspect, size_t snapshots,
                         struct hd_tally *at);

/* True if survivors can be shown. With identity by address order a survivor is reliable, a
 * death is not. cohorts may be NULL. */
bool hd_report_has_cohorts(const struct hd_report *report,
                           const struct hd_cohorts *cohorts);

/* Returns the name of a snapshot's file for people: the end of its path that distinguishes
 * it from the others. Owned by the report. */
const char *hd_snapshot_file(const struct hd_model *model, size_t snapshot);

/* Words of JSON: "static", "gen0", "growing", ... NULL for values without a word. */
const char *hd_root_kind_name(enum hd_root_kind kind);
const char *hd_generation_name(enum hd_generation generation);
const char *hd_service_name(enum hd_service service);
const char *hd_chain_status_name(enum hd_chain_status status);
const char *hd_series_status_name(enum hd_series_status status);
const char *hd_confidence_name(enum hd_confidence confidence);
const char *hd_basis_name(enum hd_basis basis);
const char *hd_suspicion_name(enum hd_suspicion suspicion);
/* True if, without suspects, a type has a reservation. */
bool hd_diff_is_reserved(const struct hd_diff *diff);

/* True if memory outside the objects has sustained growth: a part of the process, what
 * cannot be divided into parts, or free space. */
bool hd_diff_grows_outside(const struct hd_diff *diff);
const char *hd_reservation_name(enum hd_reservation reservation);    /* or NULL */
const char *hd_time_limit_name(enum hd_time_limit limit);            /* or NULL */
const char *hd_identity_source_name(enum hd_identity_source source); /* NULL: unknown */
/* NULL for HD_SURVIVORS_UNKNOWN_NONE. The words are for use after a colon. */
const char *hd_survivors_unknown_name(enum hd_survivors_unknown why);
const char *hd_survivors_unknown_words(enum hd_survivors_unknown why);
const char *hd_finding_status_name(enum hd_finding_status status);
const char *hd_verdict_name(enum hd_verdict verdict);
const char *hd_unit_name(enum hd_unit unit);
const char *hd_node_kind_name(enum hd_node_kind kind);

/* --- columns of lists ------------------------------------------------------ */

/* Kind of a cell's value. */
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
    HD_CELL_OBJECT,    /* address a, or 0; number b */
    HD_CELL_FIELD,     /* value of the field */
    HD_CELL_ROOT_KIND, /* a, an enum hd_root_kind */
    HD_CELL_WORD,      /* text of the library */
    HD_CELL_QUOTED,    /* text from elsewhere */
    HD_CELL_NAME,      /* a name, printed unchanged */
    HD_CELL_TYPE,      /* canonical name of a type */
    HD_CELL_TITLE      /* the same; for an async method's call the method */
};

struct hd_field;
struct hd_cell {
    enum hd_cell_kind kind;
    uint64_t a, b;
    double share;
    const char *text; /* NULL: unknown */
    const struct hd_tally *at;
    const uint64_t *counts; /* HD_UNKNOWN if a snapshot was left out */
    const struct hd_field *field;
};

/* Tables of reports that other programs can show. */
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
    const char *key; /* in files; NULL: not in files */
    enum hd_cell_kind kind;
    unsigned width;      /* on a screen; 0: the remaining columns */
    unsigned from_width; /* minimum width of a screen that shows it */
    struct hd_cell (*cell)(const struct hd_model *model, const void *row);
};

/* True if the cells are numbers, which are aligned to the right. */
bool hd_cell_is_number(enum hd_cell_kind kind);

/* Fills `all` with the columns of a list that have a value in this report, and returns
 * their number. */
size_t hd_list_columns(const struct hd_model *model, enum hd_list list,
                       struct hd_column all[HD_MAX_COLUMNS]);

/* Fills `at`, which has space for all snapshots, with the counts of a trend, and returns
 * their number. */
size_t hd_cell_trend(const struct hd_cell *cell, size_t snapshots, struct hd_tally *at);

/* --- formatted as in reports ------------------------------------------------ */

/* Numbers, "-" for unknown ones: 1,234; +1,234; 1.84 MiB; -188 KiB; 7.9 %. */
void hd_put_count(struct hd_sink to, uint64_t n);
void hd_put_count_change(struct hd_sink to, uint64_t first, uint64_t last);
void hd_put_size(struct hd_sink to, uint64_t bytes);
void hd_put_size_change(struct hd_sink to, uint64_t first, uint64_t last);
void hd_put_share(struct hd_sink to, double share);

/* Prints a bar per snapshot, scaled from the smallest to the largest count. */
void hd_put_trend(struct hd_sink to, const struct hd_tally *at, size_t count);

/* Prints "all of the 23, 20 and 15 added in each step are still alive; of 81 older ones,
 * all", preceded by "since snapshot 13 (14:05 UTC), " if growth began later; for turnover,
 * if not a suspect, "as many are freed as are added: 120 added, 100 freed". False, without
 * output, if too little is known. */
bool hd_put_cohorts(struct hd_sink to, const struct hd_report *report,
                    const struct hd_suspect *suspect);

/* Prints which code allocated the suspect's objects, in that many columns if possible, or
 * why that is unknown. False, without output, if they were not sampled. */
bool hd_put_allocated(struct hd_sink to, const struct hd_suspect *suspect, size_t columns);

/* Prints "Checkout.Add (Checkout.cs:42) ← OrdersController.Post". */
void hd_put_site_node(struct hd_sink to, const struct hd_site_node *node);

/* Prints the name of a type as hd_put_name() does, shortened to this number of columns:
 * first without namespaces, then without its middle. hd_put_short_type() prints it without
 * namespaces; so does hd_put_frame(), with "(A → B) ×2–9" for a repeated pattern. */
void hd_put_type(struct hd_sink to, const char *name, size_t columns);
void hd_put_short_type(struct hd_sink to, const char *name);
void hd_put_frame(struct hd_sink to, const struct hd_frame *frame);

/* Prints foreign text as a cell: for CSV as tables of reports do (RFC 4180; an apostrophe
 * before text that a spreadsheet would evaluate as a formula); for Markdown with markup
 * escaped. */
void hd_put_csv_cell(struct hd_sink to, const char *words);
void hd_put_markdown_cell(struct hd_sink to, const char *words);

/* Prints metrics of a program in the text exposition format 0.0.4 of Prometheus. A metric
 * whose name ends in "_total" is a counter, any other a gauge. Metrics without samples and
 * samples with value NAN are left out. False and err if the sink failed. */
enum { HD_METRIC_LABELS = 5 };
struct hd_metric_sample {
    struct {
        const char *name, *value; /* the first without a name ends the list */
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

/* Prints "s_all" for "[static var App.Shop.s_all]"; false, without output, for other
 * names. */
bool hd_put_static_field(struct hd_sink to, const char *name);

/* Prints ".Log", to be appended to the name of the type that has the field; for an array
 * "", or ".value" for its "[].value". A NULL field is ignored. */
void hd_put_field(struct hd_sink to, const char *type, const char *field);

#ifdef __cplusplus
}
#endif

#endif
