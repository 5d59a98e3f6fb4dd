/* heapdrift.h - read .NET heap snapshots, compare them, report what grew.
 *
 * There are three nouns. A snapshot is one heap at one moment. A report is the answer to a
 * question about one or more snapshots. An error is the reason for a missing answer.
 *
 * Functions that can fail return NULL or false and fill in err. Everything that belongs to
 * a snapshot or report lives as long as its owner, and is freed with it. The library never
 * prints; its only global state is the out-of-memory handler. It ends the process only if
 * memory runs out and no handler is set. Numbers are read and written independently of
 * setlocale(). Threads may use different snapshots and reports concurrently, but each from
 * one thread at a time.
 *
 * Option structs grow at their end. `size` is the first member of most: sizeof the struct
 * that the caller was compiled with, or 0 for the members of version 0.1. So
 *     struct hd_read_options how = {.size = sizeof(how), .tables_only = true};
 * or hd_default_options(), which sets it. A bit that is set after the members that this
 * version knows is HD_USAGE. */
#ifndef HEAPDRIFT_H
#define HEAPDRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
/* A shared library exports the declarations below. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

#define HD_VERSION "0.1.0"

/* Returns HD_VERSION of the running library, which may be newer than this header. */
const char *hd_version(void);

/* A number that the input does not have. Printed as "-" in text, null in JSON, an empty
 * cell in CSV. */
#define HD_UNKNOWN UINT64_MAX

enum hd_status {
    HD_OK,
    HD_IO,             /* missing, unreadable, unwritable */
    HD_NOT_A_SNAPSHOT, /* no known format */
    HD_UNSUPPORTED,    /* a known format or feature that is not supported here */
    HD_BAD_FORMAT,     /* a snapshot, but damaged */
    HD_TOO_BIG,        /* over a limit of memory or of 32-bit ids */
    HD_USAGE,          /* the question does not fit the snapshots */
    HD_TIMED_OUT,      /* a process did not answer in time */
    HD_CANCELLED,      /* cancelled by the caller */
    HD_CLOSED          /* the reader of the output has closed it */
};

/* The option that would help, by its name in this API. A program with other names
 * (command-line options, a form) appends its own to the message. */
enum hd_topic {
    HD_NO_TOPIC,
    HD_ABOUT_MEMORY,       /* max_memory */
    HD_ABOUT_GRAPH_MEMORY, /* max_memory, or tables_only, which needs no graph */
    HD_ABOUT_REACHABLE,    /* hd_options.reachable; the message continues after its name */
    HD_ABOUT_GEN2,         /* hd_options.gen2; the same */
    HD_ABOUT_HOLDERS,      /* hd_options.by; the same */
    HD_ABOUT_ITERATIONS,   /* hd_options.iterations */
    HD_ABOUT_ROWS,         /* hd_options.rows: a table was read that lacks some rows */
    HD_ABOUT_BASELINE,     /* hd_report_write_baseline() writes a new one */
    HD_ABOUT_SILENCE,      /* hd_collect_options.silence_ms */
    HD_ABOUT_NAMES,        /* hd_processes_find() lists the processes */
    HD_ABOUT_SOCKETS,      /* the same: those with a socket */
    HD_ABOUT_PID,          /* hd_collect_options.pid chooses one */
    HD_ABOUT_SOCKET,       /* hd_collect_options.socket chooses one */
    HD_ABOUT_DIRECT,     /* hd_collect() needs no right to read the memory of the process */
    HD_ABOUT_SERVICE,    /* hd_run.service names it */
    HD_ABOUT_RESUME,     /* hd_collect_options.resume resumes it */
    HD_ABOUT_COLLECTION, /* the core was written during a garbage collection; another one
                            may be usable */
    HD_ABOUT_LIMIT /* hd_collect_options.memory_left; hd_collect_direct() needs none */
};

/* A failure, for the person who has to fix it. The caller owns it and initialises it
 * with {0}; NULL if only success matters. The first failure wins: functions do not change
 * an error that is set. */
struct hd_error {
    enum hd_status status;
    enum { HD_NOWHERE, HD_AT_BYTE, HD_AT_LINE } where;
    uint64_t at;      /* byte offset or line from 1, depending on where */
    const char *kind; /* text inputs: "bad-number"; else NULL. Static */
    enum hd_topic topic;
    unsigned snapshot; /* number of the snapshot from 1; 0: no particular one */
    char message[240]; /* one line, no trailing newline, no file name */
};

/* --- progress ----------------------------------------------------------- */

/* Progress of long operations: `more` is the number of bytes just read from the file (as
 * stored, compressed or not) or of objects just processed; `all` is the number of objects,
 * and while reading 0, or the bytes to be read a second time. Called some hundred times per
 * file, by the threads that do the work, by several concurrently: it has to be quick. */
enum hd_phase { HD_READING, HD_FINDING_OWNERS, HD_FINDING_CHAINS };

/* --- where bytes go ------------------------------------------------------ */

/* Receives output, in pieces and in order. Returns 0 or an errno; after an errno it is not
 * called again, and the writing function fails with HD_CLOSED for EPIPE, else with HD_IO.
 * It has to return: no longjmp(), no exception. */
struct hd_sink {
    int (*write)(void *context, const void *bytes, size_t size);
    void *context;
};

/* Writes to a file of the C library, and flushes it. */
struct hd_sink hd_sink_file(FILE *file);

/* Memory, initialised with {0}; further output is appended. */
struct hd_memory {
    char *bytes; /* NUL-terminated; NULL before any output */
    size_t size; /* without the NUL */
    size_t capacity;
};

struct hd_sink hd_sink_memory(struct hd_memory *memory);
void hd_memory_free(struct hd_memory *memory);

/* --- out of memory ------------------------------------------------------- */

/* Sizes in a file are checked against the file and max_memory before allocation
 * (HD_TOO_BIG). If the system is out of memory nevertheless, the handler is called with the
 * number of bytes wanted, or 0 if unknown, in the thread that allocates, which may be one
 * of the library's own. It must not return. It may end the process, or longjmp() out of a
 * question without threads (hd_options.threads and hd_read_options.threads 0 or 1); the
 * question's snapshots and their memory are then lost: do not touch or close them. If the
 * handler is NULL or returns: abort(). Applies to the whole process; set it before the
 * first question. */
void hd_set_out_of_memory(void (*handler)(size_t wanted));

/* --- words of a command line ------------------------------------------- */

/* Parses 64KiB, 10MB, 1.5GiB, plain bytes: K and Ki are 1024, kB and MB decimal. False if s
 * is not a size, or is 2^63 bytes or more. */
bool hd_size_from_text(const char *s, uint64_t *bytes);

/* Returns the word of `all` (NULL-terminated) with the smallest edit distance from a
 * mistyped one, the first if several have it; NULL if the distance is too large for a
 * slip. */
const char *hd_nearest_word(const char *word, const char *const *all);

/* Prints the name of a file or type as reports do: on one line, in valid UTF-8, without
 * terminal control characters (written as \n, \t, \x1b). */
void hd_put_name(struct hd_sink to, const char *name);

/* The same in ASCII: é is \u{e9}, … is "...". */
void hd_put_ascii(struct hd_sink to, const char *name);

/* --- snapshot ---------------------------------------------------------- */

struct hd_snapshot;

/* Contents of a snapshot, in raw numbers of the file. Formats differ: a table has types but
 * no graph, hence no roots. Numbers may be HD_UNKNOWN, strings NULL. */
struct hd_info {
    const char *path;     /* as given */
    const char *format;   /* "gcdump", "heap-text", "dumpheap-stat", ... */
    const char *producer; /* tool that wrote the file; NULL if unnamed */
    const char *time; /* ISO 8601 without zone: local time of the writer, UTC for a trace */
    const char *process;
    uint64_t pid;
    uint64_t objects;    /* without pseudo-nodes and undefined ones */
    uint64_t references; /* from object to object */
    uint64_t roots;      /* references from a root group to an object */
    uint64_t types;      /* canonical names with at least one object */
    uint64_t bytes;      /* sum of shallow sizes */
    uint64_t reachable_objects, reachable_bytes;
    uint64_t xxh3; /* of the decompressed bytes; HD_UNKNOWN unless requested */
    bool has_graph, has_roots, has_generations;
    bool sampled;
    bool complete; /* false: objects may be missing */

    /* Where it was taken. Complete only in files that heapdrift collected. */
    const char *host;
    const char *container; /* its id, usually 64 hexadecimal digits */
    const char *program;   /* program, without arguments: "dotnet /app/Shop.dll" */
    const char *started;   /* start time of the process; ISO 8601 without zone, UTC */
    const char *runtime;   /* "10.0.12" */

    bool holds_garbage; /* unreachable objects are normal in this format, as in a core dump:
                           reports count reachable objects */
    bool has_fields;    /* references have the names of fields */

    bool has_owners;      /* owners can be computed: a graph with roots, or its digest */
    uint64_t source_xxh3; /* of a digest: xxh3 of its source, or of the digest itself if the
                             source was not a file; of other formats: xxh3. The second
                             snapshot of a file ("#2") has a different value */
    bool redacted; /* a core dump whose values were overwritten: hd_snapshot_write() */
    const char *processor; /* of the process: "x86-64", "aarch64"; NULL if unknown */
    bool is_native_aot; /* types are those of a native AOT program, which may have numbers
                           in place of names; false: no, or unknown */
};

/* --- names of types ------------------------------------------------------ */

/* A Native AOT program (.NET 8 to 11), or the .dbg file with its symbols. The program's
 * snapshots have only numbers for types; this has the names. Names from the program are
 * exact; symbols lack those that the compiler dropped. */
struct hd_symbols;

/* Opens a 64-bit ELF file, for any number of snapshots and threads. NULL: it has another
 * format (HD_UNSUPPORTED), or is damaged. */
struct hd_symbols *hd_symbols_open(const char *path, struct hd_error *err);

/* Close the snapshots that were read with it first. NULL is fine. */
void hd_symbols_close(struct hd_symbols *symbols);

/* Names the types of a snapshot that was read without symbols. False: they are of another
 * build, and the snapshot is unchanged. */
bool hd_snapshot_add_symbols(struct hd_snapshot *snap, const struct hd_symbols *symbols,
                             struct hd_error *err);

/* Result for one input: a snapshot, or the error. */
struct hd_info_entry {
    const char *path;
    struct hd_snapshot *snap; /* NULL: see error */
    struct hd_error error;
    bool skipped; /* found in a folder, but not a snapshot: no error */
};

/* A snapshot in a zip, found by hd_inputs_add(). */
struct hd_zip_part {
    unsigned entry;    /* its file, from 1 in the order of the zip; 0: unknown */
    bool has_no_order; /* neither a manifest nor names give an order */
};

struct hd_read_options {
    size_t size;         /* sizeof(struct hd_read_options); 0: that of version 0.1 */
    bool tables_only;    /* no graph: counts and bytes per type, in one pass */
    bool reach_later;    /* leave hd_info.reachable_* unknown: reports compute it */
    bool across_builds;  /* fold numbers in compiler-made names */
    bool checksum;       /* fill in hd_info.xxh3 */
    bool to_write;       /* keep what hd_snapshot_write() needs */
    unsigned size_base;  /* of sizes in heap text: 16 or 10; 0 means 16 */
    uint64_t max_memory; /* bytes; exceeding it is HD_TOO_BIG. 0: no limit */
    unsigned threads; /* threads for this one file; 0 and 1: the caller's only. Affects only
                         the time */

    void (*progress)(void *context, enum hd_phase phase, uint64_t more, uint64_t all);

    /* For a comparison: called before (read false) and after (read true) input number i is
     * read, from the same threads as progress. */
    void (*file)(void *context, size_t i, const struct hd_info_entry *entry, bool read);
    void *progress_context; /* for progress and file */

    bool plain_names; /* name static variables by the type of their value, as a gcdump does,
                         not by the class that declares them */
    bool redact; /* with to_write: record which bytes of a core dump are read, so that it
                    can be written as "core-dump" without values. Needs more memory: an
                    eighth of the heap */
    const struct hd_symbols *symbols; /* for types that have numbers, or NULL. Symbols of
                                         another build are HD_USAGE */
    struct hd_zip_part zip; /* for "FILE#2": hd_input.zip; {0}: the zip is searched */
};

/* Reads one snapshot. path may be "-" (standard input), or end in "#2" for the second
 * snapshot of a file that contains several (traces). The format is recognised by the bytes,
 * never by the name; compressed and zipped files are unpacked. A folder is an error (see
 * hd_inputs_add). opt may be NULL.
 *
 * A file that changes while it is read is HD_IO, also when a report has to read it again. A
 * file of more than 1 MiB (or an eighth of max_memory) may be mapped while the snapshot is
 * open, and so may the files that a core dump refers to: truncating such a file raises
 * SIGBUS here, which the program has to handle. */
struct hd_snapshot *hd_snapshot_open(const char *path, const struct hd_read_options *opt,
                                     struct hd_error *err);

/* The same from memory, which must stay valid until hd_snapshot_close(); unpacked if
 * compressed. */
struct hd_snapshot *hd_snapshot_from_memory(const void *data, size_t size,
                                            const struct hd_read_options *opt,
                                            struct hd_error *err);

/* Reads a snapshot while its file is still being written, from the beginning, as by
 * hd_collect():
 *
 *     struct hd_reading *r = hd_reading_begin(file, &how);
 *     ... hd_reading_arrived(r, progress->bytes) in hd_collect_options.go_on
 *     hd_reading_arrived(r, collected.bytes), again when it is complete
 *     hd_reading_end(r);
 *     struct hd_snapshot *snap = hd_reading_snapshot(r, &err);
 *
 * The result is that of hd_snapshot_open() of the whole file. With how.threads of 2 or
 * more, a thread reads concurrently. Otherwise, and for files that cannot be read early
 * (formats other than traces, traces without exactly one complete walk), everything is read
 * at the end. */
struct hd_reading;

/* Begins to read file, a regular file. It stays the caller's and open until
 * hd_reading_snapshot(). how may be NULL. Never returns NULL: errors are reported at the
 * end. */
struct hd_reading *hd_reading_begin(FILE *file, const struct hd_read_options *how);

/* Reports the number of bytes now in the file (written, not in the buffer of a FILE). A
 * smaller number than before: the file was restarted from its beginning. */
void hd_reading_arrived(struct hd_reading *r, uint64_t bytes);

/* Reports that the file is complete; the rest is read in the background. */
void hd_reading_end(struct hd_reading *r);

/* Waits for the snapshot; NULL and err on failure. Frees r in either case. Without a
 * preceding hd_reading_end(): HD_CANCELLED. */
struct hd_snapshot *hd_reading_snapshot(struct hd_reading *r, struct hd_error *err);

/* True if the file begins like a snapshot. Some tables are recognised only when they are
 * read, so false is not certain. Reads the first 64 KiB. */
bool hd_path_is_snapshot(const char *path);

void hd_snapshot_close(struct hd_snapshot *snap); /* NULL is fine */

/* Returns the name of input format number i, NULL after the last; and a line about it, NULL
 * for formats that are recognised but cannot be read. */
const char *hd_input_format_name(size_t i);
const char *hd_input_format_summary(size_t i);

const struct hd_info *hd_snapshot_info(const struct hd_snapshot *snap);

/* --- snapshots in other formats ---------------------------------------- */

/* A format that can be written. */
struct hd_target {
    const char *name;    /* the input format that reads it back */
    const char *summary; /* one line */
    const char *suffix;  /* ".gcdump": suffix of its files */
    bool needs_graph;    /* cannot be made from a type table */
    bool binary;         /* not for a terminal */
    bool takes_graph;    /* holds more if the snapshot has a graph: read it with one */
    bool redacts; /* has no values, and needs a core dump that was read with redact */
};

/* Fills in format number i; false after the last. */
bool hd_target(size_t i, struct hd_target *target);

/* Data of the snapshot that the target cannot hold, or not exactly. */
struct hd_loss {
    const char *what;    /* "generations"; the closed list is in docs/convert.md */
    const char *message; /* one line */
};

/* Owned by the snapshot. */
struct hd_losses {
    const struct hd_loss *all;
    size_t count;
};

/* Resources of a process at the time of a snapshot, in addition to its objects. Bytes,
 * except those listed as counts; docs/process.md has the source of each. */
enum hd_fact {
    /* from the system: memory in RAM and swap, and its limit */
    HD_FACT_RESIDENT,
    HD_FACT_PRIVATE, /* anonymous; on Windows the committed memory */
    HD_FACT_FILES,   /* mapped files, resident */
    HD_FACT_SHARED,  /* shared memory without a file, resident */
    HD_FACT_SWAPPED,
    HD_FACT_LIMIT, /* tightest limit of its control group */
    HD_FACT_USED,  /* memory use of the group */

    /* the same memory, resident or swapped out, by purpose; sums to resident and swapped */
    HD_FACT_OF_GC, /* reserved by the collector: heap, free space, unreturned memory, its
                      tables */
    HD_FACT_OF_ARENAS, /* of glibc's malloc, for threads */
    HD_FACT_OF_BRK,    /* "[heap]": malloc's first */
    HD_FACT_OF_STACKS,
    HD_FACT_OF_CODE,  /* code compiled at run time, and tables of the runtime */
    HD_FACT_OF_FILES, /* programs, libraries, mapped files */
    HD_FACT_OF_SHARED,
    HD_FACT_OF_LARGE, /* other private blocks of 1 MiB or more */
    HD_FACT_OF_SMALL, /* smaller ones */

    /* from the runtime, about the collection that the snapshot was taken in */
    HD_FACT_GC_COMMITTED, /* heap, free space, and tables of the collector */
    HD_FACT_GC_FREE,      /* whole committed regions that no generation uses */
    HD_FACT_FRAGMENTED,   /* free space between objects, all generations */
    HD_FACT_FREE_GEN0,    /* the same, per generation */
    HD_FACT_FREE_GEN1,
    HD_FACT_FREE_GEN2,
    HD_FACT_FREE_LOH,
    HD_FACT_FREE_POH,
    HD_FACT_LARGEST_FREE, /* largest free block between objects */

    /* counts */
    HD_FACT_FREE_BLOCKS, /* free blocks between objects, all generations */
    HD_FACT_GC_HEAPS,
    HD_FACT_PINNED, /* objects that were pinned in the collection */
    HD_FACT_THREADS,
    HD_FACT_SOCKETS, /* descriptors, by kind */
    HD_FACT_REGULAR, /* files and folders */
    HD_FACT_PIPES,
    HD_FACT_OTHERS, /* events, timers, devices; on Windows all handles */
    HD_FACT_MAPPINGS,
    HD_FACT_UPTIME, /* seconds */

    /* counts, of the program's own collections, not those for snapshots. Known if GC events
     * were traced from the previous snapshot to this one */
    HD_FACT_GC_PAUSE,   /* share of the time between them that the program was paused, in
                           millionths */
    HD_FACT_SINCE_GEN2, /* seconds from the last gen2 collection to this snapshot */
    HD_FACT_COUNT
};

enum { HD_MAX_THREAD_NAMES = 16 };

/* {0}: all unknown. */
struct hd_process_facts {
    uint64_t known; /* bit f: fact f is known */
    uint64_t at[HD_FACT_COUNT];
    struct {
        char name[16]; /* name in the kernel; "" ends the list */
        uint32_t count;
    } threads[HD_MAX_THREAD_NAMES]; /* most frequent first */
};

/* Returns a fact, or HD_UNKNOWN; its key in JSON; true if its unit is not bytes. */
uint64_t hd_fact(const struct hd_process_facts *facts, enum hd_fact fact);
const char *hd_fact_name(enum hd_fact fact);
bool hd_fact_is_count(enum hd_fact fact);
void hd_fact_set(struct hd_process_facts *facts, enum hd_fact fact, uint64_t value);

/* Parts of the memory of a process. */
enum hd_process_part {
    HD_PART_OBJECTS, /* live heap, as in snapshots */
    HD_PART_FREE,    /* free between objects */
    HD_PART_GC,      /* reserved by the collector beyond these */
    HD_PART_CODE,    /* compiled code and tables of the runtime */
    HD_PART_STACKS,
    HD_PART_FILES,  /* programs, libraries, mapped files, shared memory */
    HD_PART_NATIVE, /* the rest: allocated by native code */
    HD_PART_COUNT
};

/* Splits the memory of a process (resident and swapped out) into parts, given the bytes of
 * the objects in its snapshot, and returns its size, the sum of the parts. An unknown part
 * is HD_UNKNOWN and counted in a later one: free space in HD_PART_GC, all others in
 * HD_PART_NATIVE. HD_UNKNOWN if the size is unknown. */
uint64_t hd_process_parts(const struct hd_process_facts *facts, uint64_t objects,
                          uint64_t parts[HD_PART_COUNT]);
const char *hd_process_part_name(enum hd_process_part part); /* "objects", "native" */

/* Identity of a process and its machine. Unknown: "" and 0. */
struct hd_origin {
    char host[65];      /* as the process sees it */
    char container[65]; /* id of its container */
    char program[512];  /* as in hd_info */
    char started[24];
    char runtime[64];
    uint64_t instance; /* hash that is unique to this process on all machines */
    double taken;      /* time of the copy of its memory, seconds since 1970; 0: unknown */
    struct hd_process_facts facts; /* right before the snapshot */
};

/* Adds facts that are not in the file of a newly collected snapshot. Facts of the file have
 * precedence. */
void hd_snapshot_set_origin(struct hd_snapshot *snap, const struct hd_origin *origin);

/* Gives the types and static variables of a newly collected snapshot their full names: with
 * outer classes, and by the class that declares them. core is from hd_collect_types(); a
 * few words are also read from the process, which should still be running. Names that are
 * ambiguous are not used. False and err if no name could be found; snap is then
 * unchanged. */
bool hd_snapshot_add_full_names(struct hd_snapshot *snap, FILE *core, struct hd_error *err);

/* Writes snap in a format; except for "digest" it must have been read with to_write. A
 * digest needs the graph, which is analysed for it (hd_target.takes_graph). A "core-dump"
 * can only be made from a core dump that was read with redact, and has no values: strings,
 * numbers and all other non-references are zero. lost may be NULL. False if the snapshot
 * does not fit the format (HD_USAGE: it has no graph; HD_TOO_BIG: over a limit of the
 * format) or a write failed (HD_IO). */
bool hd_snapshot_write(struct hd_snapshot *snap, const char *target, struct hd_sink to,
                       struct hd_losses *lost, struct hd_error *err);

/* --- inputs ------------------------------------------------------------ */

struct hd_input {
    const char *path;
    bool from_folder;      /* found in a folder, not named: see hd_inputs_claim() */
    struct hd_error error; /* set: it cannot be opened */
    const void *bytes;     /* contents in memory, with path as its name; NULL: a file */
    size_t size;           /* of bytes */
    bool is_ordered;       /* ordered by a manifest, not by its name */
    bool has_no_order;     /* in a folder whose names give no order */
    struct hd_zip_part zip;
};

/* Paths to open, in order. Initialised with {0}. */
struct hd_inputs {
    struct hd_input *all;
    size_t count;
    struct hd_inputs_memory *memory;
    bool names_only; /* open no file, and append every candidate: for a sandbox */
};

/* Appends path. A folder: its files in natural order of their names ("2.gcdump" before
 * "10.gcdump"), without hidden files and pipes; if it has no snapshot, the snapshots of its
 * subfolders, of which at most one may have several. A zip with several snapshots:
 * "FILE#1", "FILE#2", ... for each. Files of Visual Studio's profiler, in a zip or
 * unpacked, are in the order of its manifest. A dangling link in a folder is appended with
 * HD_NOT_A_SNAPSHOT. False if path does not exist, or is a folder that is unreadable or
 * empty: it is then appended with that error. */
bool hd_inputs_add(struct hd_inputs *inputs, const char *path, struct hd_error *err);

/* Appends a snapshot in memory; reports and messages use name like the path of a file.
 * Copies name; bytes must stay valid until hd_comparison_free(). */
void hd_inputs_add_memory(struct hd_inputs *inputs, const char *name, const void *bytes,
                          size_t size);

/* Decides which files of a folder are broken snapshots, not other files. skipped[i]: input
 * i was found in a folder and is not a snapshot (HD_NOT_A_SNAPSHOT or HD_UNSUPPORTED).
 * Clears it, so that its error counts, if the name is that of a snapshot (.gcdump,
 * .nettrace, .digest, .core, .dmp, packed or not), or differs only in numbers from a file
 * in the same folder that is not skipped: app-3.txt if app-2.txt is a snapshot. */
void hd_inputs_claim(const struct hd_input *inputs, size_t count, bool *skipped);
void hd_inputs_free(struct hd_inputs *inputs);

/* --- comparisons ------------------------------------------------------- */

/* Snapshots of one program, in order, to ask questions about: what grew, what is large,
 * what keeps a type alive. Results are cached: another order, another filter, chains of
 * another type need no new analysis. Graphs that are not needed any more are dropped, and
 * read again if necessary, as how->max_memory requires. Questions may come from several
 * threads; they are answered one after the other. */
struct hd_comparison;

enum { HD_MAX_SNAPSHOTS = 50 };

/* Opens inputs, several concurrently if how->threads allows it. An input that cannot be
 * opened is reported by its entry, and by every question. inputs must stay valid until
 * hd_comparison_free(). */
struct hd_comparison *hd_comparison_open(const struct hd_input *inputs, size_t count,
                                         const struct hd_read_options *how);

/* Compares snapshots that are already open. The caller still owns them and must neither
 * close them before the comparison is freed nor use them during a question. In how, only
 * threads, max_memory and progress matter; NULL is {0}. */
struct hd_comparison *hd_comparison_of(struct hd_snapshot *const *snaps, size_t count,
                                       const struct hd_read_options *how);

/* Returns the result of opening each input. */
const struct hd_info_entry *hd_comparison_entries(const struct hd_comparison *c,
                                                  size_t *count);

/* Returns snapshot number k from 0 of the comparison; NULL after the last. */
struct hd_snapshot *hd_comparison_snapshot(const struct hd_comparison *c, size_t k);

/* Reports outlive it. NULL is fine. */
void hd_comparison_free(struct hd_comparison *c);

/* --- budgets ----------------------------------------------------------- */

/* Allowed growth of a check, and its suppressions. */
struct hd_budgets;

struct hd_budgets *hd_budgets_new(void);
void hd_budgets_free(struct hd_budgets *b); /* NULL is fine */

/* Adds the rule of an option: "max-growth" (SIZE|PCT), "max-growth-objects" (N|PCT),
 * "max-process-growth" (SIZE|PCT), "budget" (TYPE=N|SIZE|PCT), "max-score" (SIZE|PCT).
 * Among budgets for types the first match counts, so add options before files. HD_USAGE for
 * an invalid value. */
bool hd_budgets_add_option(struct hd_budgets *b, const char *name, const char *value,
                           struct hd_error *err);

/* Adds the rules and suppressions of a heapdrift.yml (docs/check.md). A mistake in the file
 * is an error with its line. */
bool hd_budgets_read(struct hd_budgets *b, const char *path, struct hd_error *err);

/* Subtracts the growth accepted by a file of hd_report_write_baseline(). One file only. */
bool hd_budgets_read_baseline(struct hd_budgets *b, const char *path, struct hd_error *err);

/* Accepts all growth that the check finds, instead of a baseline's growth: for
 * hd_report_write_baseline(). */
void hd_budgets_accept(struct hd_budgets *b);

/* Sets the date for the expiry of suppressions: seconds since 1970-01-01 UTC. Without a
 * date they do not expire. */
void hd_budgets_set_time(struct hd_budgets *b, int64_t seconds);

/* --- running processes ------------------------------------------------- */

/* A process with a .NET runtime. Strings may be NULL. New members are added at the end. */
struct hd_process {
    uint64_t pid;
    const char *name;    /* of its program; app for `dotnet app.dll` */
    const char *runtime; /* "10.0.12" */
    const char *command;
    const char *user;
    const char *socket;    /* its diagnostics socket */
    const char *problem;   /* why it cannot be collected from; NULL: it can be */
    const char *host;      /* host name in its container */
    const char *container; /* id of its container */
    const char *started;   /* ISO 8601 without zone, UTC */
    uint64_t uptime;       /* seconds since its start; HD_UNKNOWN if started is */
    uint64_t memory;       /* resident memory (RSS) in bytes; HD_UNKNOWN, or 0 */
    bool is_denied;        /* the problem: it belongs to another user */
    uint64_t owner; /* number of the user that it counts against: its own or, in a user
                       namespace, the creator of the namespace */
};

/* Initialised with {0}. */
struct hd_processes {
    struct hd_process *all; /* by pid */
    size_t count;
    struct hd_processes_memory *memory;
    const char *incomplete; /* why the list may be incomplete; NULL: it is complete */
    const char *name;       /* what the caller selected them by; NULL: not selected */
};

/* Finds the processes of this machine that have a diagnostics socket, including those in
 * containers, as far as this user may see them. Queries them in parallel, each for one
 * second at most, alternating between users: after 32 processes of an owner that do not
 * answer, that owner's others are skipped. */
void hd_processes_find(struct hd_processes *processes);
void hd_processes_free(struct hd_processes *processes);

/* Returns the content of a file of /proc/PID, such as "environ": at most 1 MiB,
 * NUL-terminated, malloc'd. NULL with errno if it cannot be read. */
char *hd_process_file(uint64_t pid, const char *name, size_t *size);

/* Copies the program file of a native AOT process to an anonymous file, for
 * hd_symbols_open("/proc/self/fd/N") in a program that may not read the original. False and
 * err: HD_IO, HD_TOO_BIG (more than 1 GiB), HD_TIMED_OUT after ten seconds. */
bool hd_process_program(uint64_t pid, FILE *to, struct hd_error *err);

/* Returns the start of a process in ticks of the kernel since boot: a pid with the same
 * start is the same process. 0 if it has ended, or is not visible. */
uint64_t hd_process_start(uint64_t pid);

/* Reads files of control groups in the root of a process of another container, such as
 * "/sys/fs/cgroup/memory.max", into texts of HD_GROUP_FILE bytes; "" for missing files and
 * files that are not the kernel's. False if the process has the same root as the caller, or
 * after a second. */
enum { HD_GROUP_FILE = 4096 };
bool hd_process_group_files(uint64_t pid, const char *const *paths, size_t count,
                            char (*texts)[HD_GROUP_FILE]);

/* True if the socket of a process (hd_process.socket) was removed. False also if that is
 * not known within a second. */
bool hd_socket_is_gone(const char *socket);

/* True if the process has that name: of its program, or the first 15 characters, which the
 * kernel shows. With * (any characters) and ? (one) the name is a pattern. */
bool hd_process_goes_by(const struct hd_process *process, const char *name);

/* Returns the name of the process that was probably meant by an unknown name: the first
 * that contains it, ignoring case, else the nearest word, or NULL. Owned by processes. */
const char *hd_process_meant(const struct hd_processes *processes, const char *name);

/* Returns the pid of the only process with that name; else 0 and err. */
uint64_t hd_process_named(const char *name, struct hd_error *err);

struct hd_collect_progress {
    uint64_t bytes;   /* bytes received; 0 while the heap is walked */
    uint64_t objects; /* objects received */
};

struct hd_collect_options {
    size_t size; /* sizeof(struct hd_collect_options); 0: that of version 0.1 */
    uint64_t pid;
    const char *socket;  /* instead of pid: the absolute path of a diagnostics socket */
    unsigned silence_ms; /* timeout without a byte; 0: 30,000 */
    bool keep_names;     /* accept a snapshot without type names */

    /* Called about every 100 ms; false cancels. NULL: always continue. The bytes that
     * hd_collect() reports are in the file: hd_reading_arrived(). */
    bool (*go_on)(void *context, const struct hd_collect_progress *so_far);
    void *context;
    uint64_t max_memory; /* hd_collect_direct(): for the copy; 0: no limit */

    /* hd_collect(): first opens an empty session, two seconds at most. The first session
     * makes a runtime allocate 100 to 250 KiB that it then keeps; this way the first
     * snapshot has them too. Not needed with hd_gc_listener: it opens a session anyway. */
    bool warm_up;

    /* hd_collect(): called right before the heap is requested; pid is 0 if the process is
     * not visible. Returns the bytes that the process may allocate before it is killed,
     * HD_UNKNOWN without a limit. The runtime's buffer is limited to that; if that is too
     * small for a snapshot, hd_collect() fails: HD_TOO_BIG, HD_ABOUT_LIMIT. NULL: no
     * limit. */
    uint64_t (*memory_left)(void *context, uint64_t pid);
    uint64_t expected_bytes; /* expected size of the trace: hd_collected.bytes of the
                                previous one; 0 */

    /* Resume a runtime that its environment suspends at its start until a tool resumes it;
     * false: such a process is HD_ABOUT_RESUME. */
    bool resume;

    /* Called right before the snapshot with the facts of a visible process: adds limit and
     * memory use of its control group. NULL: both are unknown. */
    void (*add_limits)(void *context, uint64_t pid, struct hd_process_facts *facts);

    /* hd_gc_listener_before(): also sample about one allocation in 100 KB with its stack,
     * for the code that allocated the objects. docs/sites.md has the cost. */
    bool with_sites;
    /* The last snapshot: method names are read at any cost. */
    bool is_last;
    /* hd_gc_listener_activity() needs sites: method names may be read more often. */
    bool with_activity;
};

/* A process that is connected to the diagnostics socket of the target. */
struct hd_client {
    uint64_t pid;
    char name[64]; /* of its program, printable UTF-8, may be truncated; "" unknown */
};

enum { HD_MAX_CLIENTS = 4 };

/* Result of a collection. */
struct hd_collected {
    uint64_t pid, bytes; /* bytes of the trace */
    uint64_t objects, object_bytes, references;
    uint64_t events_lost;
    uint64_t types, unnamed; /* types of objects; those without a name */
    bool complete; /* every object and reference is present. A core: false until it is read,
                      see hd_info.complete */
    bool other_client; /* a second tracing client prevents the names */
    /* Candidates: connected clients, as far as this user may see them. */
    struct hd_client clients[HD_MAX_CLIENTS];
    size_t client_count;
    struct hd_origin origin;
    /* How long the process was paused, in microseconds; 0: unknown. hd_collect(): for the
     * collection and the walk of its heap. hd_collect_direct(): for the longest stop. */
    uint64_t paused_us;
    unsigned tries; /* hd_collect_direct(): number of stops */
};

/* Identifies the objects of consecutive snapshots of a process: it keeps a session open, in
 * which the collector reports which objects survive and where they are moved. The result is
 * added to the snapshots, and to .gcdump files written from them (to traces by
 * hd_gc_listener_write()):
 *
 *     struct hd_gc_listener *f = hd_gc_listener_begin();
 *     ... hd_gc_listener_before(f, &opt); before each hd_collect()
 *     ... hd_gc_listener_after(f); immediately after it has succeeded
 *     ... hd_gc_listener_snapshot(f, snap, &err); for its snapshot, before it is written
 *     hd_gc_listener_end(f);
 *
 * Failures here never prevent a snapshot. The pointers in opt must stay valid until
 * hd_gc_listener_snapshot(). Memory: 16 bytes per object, and at most some 100 MiB for
 * bursts of events. */
struct hd_gc_listener;

struct hd_gc_listener *hd_gc_listener_begin(void); /* never NULL */

/* Takes at most two seconds if the process does not answer. */
void hd_gc_listener_before(struct hd_gc_listener *f, const struct hd_collect_options *opt);

/* Optional: saves the 100 ms that the runtime takes to end the previous session if the
 * caller has other work before hd_gc_listener_snapshot(). */
void hd_gc_listener_after(struct hd_gc_listener *f);

/* snap needs its graph. True for the first snapshot, and if survivors of the previous one
 * are known; else err has the reason. */
bool hd_gc_listener_snapshot(struct hd_gc_listener *f, struct hd_snapshot *snap,
                             struct hd_error *err);
void hd_gc_listener_end(struct hd_gc_listener *f); /* NULL is fine */

/* Returns why some or all method names could not be read for the last snapshot; its status
 * is HD_OK if all that were needed could be read. Owned by f. */
const struct hd_error *hd_gc_listener_sites_error(const struct hd_gc_listener *f);

enum { HD_BUSY_SITES = 3 };

/* Activity of a process between two snapshots, from the events of its collector. */
struct hd_activity {
    double seconds;          /* 0: unknown */
    uint64_t allocated;      /* bytes, accurate to some 100 KB; HD_UNKNOWN: not sampled */
    uint32_t collections[3]; /* per generation, without those for snapshots */
    double collecting;       /* seconds in collections that paused the program */
    /* The code that allocates most, whether the objects survive or not: the innermost
     * method of the program's own on each stack. Shares of the samples, the largest
     * first. */
    struct hd_busy_site {
        const char *method; /* NULL: the stack has no method of the program's own */
        double share;
    } sites[HD_BUSY_SITES];
    size_t site_count; /* 0: not requested, or no names are known */
};

/* Returns the activity between the last two snapshots. Valid until the next
 * hd_gc_listener_snapshot(). */
const struct hd_activity *hd_gc_listener_activity(const struct hd_gc_listener *f);

/* The same for traces that are kept: appends the survivors in snap (NULL: not traced), or
 * the reason why they are unknown, and the facts about the process to the trace that it was
 * read from, where other tools skip them. trace is a regular file, readable and writable;
 * its position is then its end. True also without data to append. False: err has the
 * reason, and the trace is unchanged. */
bool hd_gc_listener_write(FILE *trace, const struct hd_snapshot *snap,
                          const struct hd_origin *origin, struct hd_error *err);

/* Age of the objects of a series, for its digests, which store the number of objects per
 * age. Needs survivors from hd_gc_listener_snapshot() or a .gcdump:
 *
 *     struct hd_ages *ages = hd_ages_begin();
 *     ... hd_snapshot_set_ages(snap, ages); for each, in order, before its digest is
 * written hd_ages_end(ages);
 *
 * Memory: 12 bytes per object. */
struct hd_ages;

struct hd_ages *hd_ages_begin(void); /* never NULL */

/* ages must outlive all uses of snap. If the survivors of the previously written snapshot
 * are unknown, ages begin with this one. */
void hd_snapshot_set_ages(struct hd_snapshot *snap, struct hd_ages *ages);
void hd_ages_end(struct hd_ages *ages); /* NULL is fine */

/* Takes a snapshot of the heap of a running process, as a .nettrace, from the current
 * position of `to`. `to` must be a file, since an old runtime may need two tries. The
 * process does a full, blocking collection; it continues afterwards, also after a failure.
 * Memory: some 2 MiB, for any heap. The size of the trace is limited to 64 MiB plus eight
 * times the memory of the process, or 2 GiB if that is not visible. Waits for another
 * hd_collect() of the same process, at most silence_ms. */
bool hd_collect(FILE *to, const struct hd_collect_options *opt,
                struct hd_collected *collected, struct hd_error *err);

/* How much of the memory of a process its core has. */
enum hd_core_kind {
    HD_CORE_HEAP, /* what a heap reader needs */
    HD_CORE_FULL  /* all of its memory; single-file programs can write only this */
};

/* Has the runtime write a core of its process (createdump), which is paused during that
 * time, to the file of `to`. Its mode should be 0600: a core contains all secrets of the
 * process. It is written directly if the process has the permission, else into its folder
 * for temporary files and copied. `to` must be a regular file, at its beginning. silence_ms
 * is the time without growth of the file. After a timeout, or when go_on cancels, the
 * process still finishes its core and then continues. Sets pid, bytes and origin of
 * hd_collected. A core taken during a garbage collection is detected when it is read
 * (HD_ABOUT_COLLECTION); runtimes older than .NET 8 are refused immediately. */
bool hd_collect_core(FILE *to, enum hd_core_kind kind, const struct hd_collect_options *opt,
                     struct hd_collected *collected, struct hd_error *err);

/* Writes a core with the type information of a running process, for
 * hd_snapshot_add_full_names(), without stopping it. Its size does not depend on the heap:
 * at most 64 MiB and the assemblies. `to` must be a regular file, at its beginning,
 * preferably in memory (memfd_create). Needs the same right as hd_collect_direct(). */
bool hd_collect_types(FILE *to, const struct hd_collect_options *opt, struct hd_error *err);

/* Writes a core by stopping the process (ptrace) outside of garbage collections and copying
 * the memory that it has written: nothing is collected or allocated in it. Needs no
 * diagnostics socket, but the right to read its memory (HD_ABOUT_DIRECT). The process
 * continues even if the caller dies. `to` must be a regular file, at its beginning; a file
 * in memory (memfd_create) is written directly. Otherwise memory is copied first and
 * written later, unless the copy exceeds max_memory: then the stop lasts as long as the
 * writing. HD_TOO_BIG if the file is in memory, which does not suffice. On x86-64 and
 * aarch64. */
bool hd_collect_direct(FILE *to, const struct hd_collect_options *opt,
                       struct hd_collected *collected, struct hd_error *err);

/* --- report ------------------------------------------------------------ */

enum hd_sort {
    HD_SORT_DEFAULT,
    HD_SORT_COUNT,
    HD_SORT_BYTES,
    HD_SORT_RETAINED, /* of a diff: ranked types, then the others by count */
    HD_SORT_NAME
};

/* Unit of a row. */
enum hd_unit { HD_BY_TYPE, HD_BY_NAMESPACE, HD_BY_MODULE, HD_BY_HOLDER };

#define HD_DEFAULT_ROWS UINT32_MAX

/* Default of hd_options.depth. */
#define HD_USUAL_DEPTH UINT32_MAX

/* Unit of a tree: owners, or the code that allocated the objects, from samples that
 * survive. */
/* Options of questions. {0} for all off; hd_default_options() for the defaults of the
 * command line. */
enum hd_tree_unit { HD_TREE_BY_OWNER, HD_TREE_BY_SITE };

struct hd_options {
    size_t size; /* sizeof(struct hd_options); 0: that of version 0.1 */

    /* rows, chosen after the analysis: ranks, scores and totals do not depend on it */
    const char *const *types; /* patterns; a row must match one */
    size_t type_count;
    const char *const *excludes; /* patterns; matching rows are left out */
    size_t exclude_count;
    bool app_only;     /* no framework types */
    enum hd_sort sort; /* default: diff by count, top by bytes */
    uint32_t rows;     /* per table; 0: all; HD_DEFAULT_ROWS: 20, but all in CSV */
    enum hd_unit by;

    /* objects, chosen before the analysis */
    bool gen2, reachable;

    /* the ranking */
    double min_share;           /* minimum score of a suspect, as a share of the heap */
    uint64_t min_bytes;         /* the same in bytes; overrides it if not 0 */
    double min_steady_share;    /* the same for steady growth: nearly the same gain in every
                                   step */
    uint64_t min_steady_bytes;  /* in bytes; both 0: steady growth alone does not suffice */
    const uint64_t *iterations; /* one rising number per snapshot, or NULL */

    /* root chains */
    uint32_t chains;  /* groups shown per suspect */
    uint32_t samples; /* instances examined per suspect */
    uint32_t depth; /* frames shown per chain; longer chains are cut in the middle. 0: all.
                       HD_USUAL_DEPTH: 64, of which text and Markdown show the most
                       informative, except in roots */
    uint64_t seed;
    bool exact; /* examine the chains of all instances, not of a sample */

    /* the ownership tree */
    bool tree;               /* include it in diff, check and top if possible */
    bool owner_of_most;      /* top names the owner of most: the tree without its fields */
    bool holders;            /* the tree from types upwards */
    double least_kept_share; /* smaller places are summed up: share of the tree */
    uint64_t least_kept;     /* the same in bytes; overrides it if not 0 */
    uint32_t tree_depth;     /* levels below the top; 0: all */

    bool fields;  /* separate chains and places by field, if fields are known */
    bool no_ages; /* do not identify survivors: rank by counts */

    /* Roots: only instances that were new in these snapshots, from 1; in the first all are
     * new. 0: any. */
    uint32_t born_first, born_last;

    bool values; /* statics: also print texts and single characters, which may be secrets */

    enum hd_tree_unit tree_by; /* unit of the tree */
};

/* Fills in the first size bytes of opt, and opt->size. */
void hd_set_default_options(struct hd_options *opt, size_t size);

static inline struct hd_options hd_default_options(void)
{
    struct hd_options opt;
    hd_set_default_options(&opt, sizeof(opt));
    return opt;
}

struct hd_report;

/* Reports what grew from the first snapshot, the baseline, to the last, of 2 to 50. Those
 * in between distinguish steady growth from a spike. Ranked by what owners retain if all
 * have graphs (docs/ranking.md), else by type tables. opt may be NULL here and below. */
struct hd_report *hd_report_diff(struct hd_comparison *c, const struct hd_options *opt,
                                 struct hd_error *err);

enum hd_verdict { HD_PASS, HD_FAIL, HD_INCONCLUSIVE };

/* Reports what grew, and which rules of b are violated. Without a rule, any suspect of
 * opt->min_share or min_bytes fails, from four snapshots on. HD_USAGE, with the line of the
 * rule if there is one, if a rule needs data that the run does not have. b must not change
 * during the call; the report does not need it afterwards. */
struct hd_report *hd_report_check(struct hd_comparison *c, const struct hd_options *opt,
                                  const struct hd_budgets *b, struct hd_error *err);

/* Returns fail if a rule failed; else inconclusive if one could not be decided. */
enum hd_verdict hd_report_verdict(const struct hd_report *report);

/* The same with --strict: a pass is inconclusive unless hd_report_conclusive(). */
enum hd_verdict hd_report_verdict_if(const struct hd_report *report, bool strict);

/* Returns the exit status of `heapdrift check`: 1 for a failure, 3 if inconclusive because
 * of strict, else 0. */
int hd_report_status(const struct hd_report *report, bool strict);

/* Writes the growth that hd_budgets_accept() accepted. */
bool hd_report_write_baseline(const struct hd_report *report, struct hd_sink to,
                              struct hd_error *err);

/* Reports the largest types of the only snapshot. */
struct hd_report *hd_report_top(struct hd_comparison *c, const struct hd_options *opt,
                                struct hd_error *err);

/* Reports why instances of opt->types are alive in the last snapshot, and their number in
 * each. HD_USAGE without a graph or a matching type, and with opt->born_first if survivors
 * are unknown. */
struct hd_report *hd_report_roots(struct hd_comparison *c, const struct hd_options *opt,
                                  struct hd_error *err);

/* Reports the owners of the heap as a tree of types, and where its growth is; for 1 to 50
 * snapshots. With opt->types only matching types, with opt->holders from the types upwards.
 * HD_USAGE if no type matches or a snapshot has no references. */
struct hd_report *hd_report_tree(struct hd_comparison *c, const struct hd_options *opt,
                                 struct hd_error *err);

/* Reports on each input: a snapshot, or its error. */
struct hd_report *hd_report_info(struct hd_comparison *c);

/* Reports a list of processes. */
struct hd_report *hd_report_processes(const struct hd_processes *processes);

/* A warning about the snapshots or their order. snapshot counts from 0, or is
 * (size_t)-1. */
struct hd_warning {
    const char *code; /* the closed list is in docs/warnings.md */
    const char *message;
    size_t snapshot;
    const char *path;     /* of the snapshot, or NULL */
    uint64_t count, line; /* or HD_UNKNOWN */
    bool in_summary;      /* hd_model.summary has it too */
};

const struct hd_warning *hd_report_warnings(const struct hd_report *report, size_t *count);

/* Return the number of suspects; and true if the snapshots allow a judgement. False if one
 * is incomplete or sampled. A diff: also if fewer than four can be compared, if growth
 * without suspects is unexplained or has leveled off, or if opt->types are all unmatched. A
 * check: also if a rule could not be decided, or passed with a reservation: its pattern is
 * unmatched, or something grew and remained as large. */
size_t hd_report_suspects(const struct hd_report *report);
bool hd_report_conclusive(const struct hd_report *report);

/* The page of a run, in addition to that of a fleet. */
struct hd_page_of_run {
    uint64_t run;     /* hd_stored_series.id */
    const char *href; /* a relative URL, or NULL */
    const char *why;  /* reason for no page: a clause */
};

struct hd_write_options {
    size_t size;    /* sizeof(struct hd_write_options); 0: that of version 0.1 */
    unsigned width; /* of the terminal, in columns; 0: no limit */
    bool color;     /* escape sequences of a terminal */
    bool files_go;  /* the snapshots are temporary: print no command that names them */
    bool details;   /* also print what the ranking computed: scores */
    bool ascii;     /* text: no character beyond ASCII; others are \u{e9} */
    unsigned lines; /* of the terminal: longer output repeats its verdict at the end */

    /* The words of the command line, for formats that contain it; NULL */
    const char *const *command;
    size_t command_len;

    /* The snapshots as the user named them, a folder as one, for suggested commands; by
     * default their paths. */
    const char *const *inputs;
    size_t input_count;

    int64_t made_at; /* of a page: seconds since 1970; 0: no date */

    /* Pages that the page of a fleet links to, one per run. */
    const struct hd_page_of_run *pages;
    size_t page_count;

    bool inputs_are_options; /* inputs are options that every command accepts in place of
                                files: --store=URL, --run=ID */
};

/* Returns the name of output format number i, and a line about it; NULL after the last.
 * Some can hold only a check, or a report with a tree; binary ones are not for a
 * terminal. */
const char *hd_format_name(size_t i);
const char *hd_format_summary(size_t i);
bool hd_format_is_for_check(size_t i);
bool hd_format_is_for_tree(size_t i);
bool hd_format_is_binary(size_t i);

/* Writes the report in a format. False if the format is unknown or cannot hold such a
 * report, or a write failed. */
bool hd_report_write(const struct hd_report *report, const char *format,
                     const struct hd_write_options *opt, struct hd_sink to,
                     struct hd_error *err);

void hd_report_free(struct hd_report *report); /* NULL is fine */

/* Returns the name of hint number i, as in models, and the remedy in a sentence or two;
 * NULL after the last. */
const char *hd_hint_name(size_t i);
const char *hd_hint_fix(size_t i);

/* Writes a hint as text: how to recognise it, why it leaks, code before and after, how to
 * confirm it. Without a name: all hints, each with its remedy. HD_USAGE for an unknown
 * name. */
bool hd_hint_write(const char *name, const struct hd_write_options *opt, struct hd_sink to,
                   struct hd_error *err);

/* Reports as data. */
#include "heapdrift_model.h"

/* Single objects. */
#include "heapdrift_objects.h"

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
