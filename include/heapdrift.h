/* heapdrift.h - read .NET heap snapshots, compare them, say what grew.
 *
 * There are three nouns. A snapshot is one heap at one moment. A report is
 * the answer to a question about one or more snapshots. An error says why
 * there is no answer.
 *
 * Functions that can fail return NULL or false and fill in err. Whatever a
 * snapshot or report hands out lives as long as it does; nothing is freed
 * piecemeal. The library prints nothing, keeps no state but what
 * hd_set_out_of_memory() was told, and never ends the process save when memory
 * runs out and nobody handles it. Numbers are read and written the same
 * whatever setlocale() says. Different snapshots and reports may be used from
 * different threads at once; one of them from one thread at a time.
 *
 * Option structs grow at their end. Those that begin with `size` tell how far
 * the caller knows them: sizeof of it, or 0 for what version 0.1 had. So
 *     struct hd_read_options how = {.size = sizeof(how), .tables_only = true};
 * or hd_default_options(), which sets it. A bit that is set beyond what this
 * version of the library knows is HD_USAGE. */
#ifndef HEAPDRIFT_H
#define HEAPDRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
/* What is declared here is what a shared library shows. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

#define HD_VERSION "0.1.0"

/* HD_VERSION of the library that runs, which may be newer than this header. */
const char *hd_version(void);

/* A number that the input does not tell. Never printed as such: "-" in text,
 * null in JSON, an empty cell in CSV. */
#define HD_UNKNOWN UINT64_MAX

enum hd_status {
    HD_OK,
    HD_IO,             /* missing, unreadable, unwritable */
    HD_NOT_A_SNAPSHOT, /* no known format */
    HD_UNSUPPORTED,    /* a known thing that cannot be used here */
    HD_BAD_FORMAT,     /* a snapshot, but damaged */
    HD_TOO_BIG,        /* over a limit, of memory or of 32-bit ids */
    HD_USAGE,          /* the question does not fit the snapshots */
    HD_TIMED_OUT,      /* a process did not answer in time */
    HD_STOPPED,        /* by the caller */
    HD_CLOSED          /* nobody reads what is written any more */
};

/* Which of our names would help, where one does: a program that asks people by other names
 * (options of a command line, a form) adds those to the message. */
enum hd_topic {
    HD_NO_TOPIC,
    HD_ABOUT_MEMORY,       /* max_memory */
    HD_ABOUT_GRAPH_MEMORY, /* max_memory, or tables_only, which does without a graph */
    HD_ABOUT_REACHABLE,    /* hd_options.reachable; the message goes on behind its name */
    HD_ABOUT_GEN2,         /* hd_options.gen2; the same */
    HD_ABOUT_HOLDERS,      /* hd_options.by; the same */
    HD_ABOUT_ITERATIONS,   /* hd_options.iterations */
    HD_ABOUT_ROWS,         /* hd_options.rows: a table without all of them was read */
    HD_ABOUT_BASELINE,     /* hd_report_write_baseline() writes a new one */
    HD_ABOUT_SILENCE,      /* hd_collect_options.silence_ms */
    HD_ABOUT_NAMES,        /* hd_processes_find() tells which there are */
    HD_ABOUT_SOCKETS,      /* the same: which have a socket */
    HD_ABOUT_PID,          /* hd_collect_options.pid chooses one */
    HD_ABOUT_SOCKET,       /* hd_collect_options.socket does */
    HD_ABOUT_DIRECT,       /* hd_collect() does without the right to read its memory */
    HD_ABOUT_SERVICE,      /* hd_run.service says which */
    HD_ABOUT_RESUME,       /* hd_collect_options.resume lets it run */
    HD_ABOUT_COLLECTION,   /* a core taken during a garbage collection: the next may do */
    HD_ABOUT_LIMIT /* hd_collect_options.memory_left; hd_collect_direct() needs none */
};

/* What went wrong, for the person who has to fix it. The caller owns it and
 * starts it as {0}; NULL means "knowing that it failed is enough". The first
 * failure wins: a function leaves an error alone that is already set. */
struct hd_error {
    enum hd_status status;
    enum { HD_NOWHERE, HD_AT_BYTE, HD_AT_LINE } where;
    uint64_t at;      /* byte offset or line from 1, as where says */
    const char *kind; /* for text inputs, "bad-number"; else NULL. Static */
    enum hd_topic topic;
    unsigned snapshot; /* which one of several is meant, from 1; 0: none or all */
    char message[240]; /* one line, no trailing newline, no file name */
};

/* --- progress ----------------------------------------------------------- */

/* What takes time. Whoever gives hd_read_options or hd_options a progress function is told
 * of more bytes of the file that were read (as it lies there, compressed or not; all is 0,
 * or so many bytes that have to be read once more), or of more objects out of all. It is
 * called by whichever thread does the work, by several at once, some hundred times per
 * file: it has to be quick. */
enum hd_phase { HD_READING, HD_FINDING_OWNERS, HD_FINDING_CHAINS };

/* --- where bytes go ------------------------------------------------------ */

/* Takes what is written, piece by piece and in order: 0, or the errno that says why not.
 * After that nothing more is written, and who writes fails with HD_CLOSED for EPIPE, else
 * with HD_IO. It has to return: neither longjmp() nor an exception. */
struct hd_sink {
    int (*write)(void *context, const void *bytes, size_t size);
    void *context;
};

/* A file of the C library; what was written is flushed. */
struct hd_sink hd_sink_file(FILE *file);

/* Memory, which starts as {0}; another thing written is appended. */
struct hd_memory {
    char *bytes; /* with a NUL behind them; NULL: nothing was written */
    size_t size; /* without it */
    size_t room;
};

struct hd_sink hd_sink_memory(struct hd_memory *memory);
void hd_memory_free(struct hd_memory *memory);

/* --- out of memory ------------------------------------------------------- */

/* Sizes that a file tells are checked against the file and max_memory before anything is
 * allocated (HD_TOO_BIG). When the system has none left all the same, the handler is called
 * with the bytes that were wanted, 0 if a library below did not say: in whichever thread
 * works, which may be one of the library's own. It must not return. It may end the process,
 * or longjmp() out of a question that has no threads (hd_options.threads and
 * hd_read_options.threads 0 or 1), whose snapshots and memory are then lost: do not touch
 * or close them. Without a handler, NULL, or when it returns: abort(). For the whole
 * process; set it before the first question. */
void hd_set_out_of_memory(void (*handler)(size_t wanted));

/* --- words of a command line ------------------------------------------- */

/* 64KiB, 10MB, 1.5GiB, plain bytes: K and Ki are 1024, kB and MB decimal. False if s is
 * none of them, or 2^63 bytes and more. */
bool hd_size_from_text(const char *s, uint64_t *bytes);

/* The word of all, ended by NULL, that is fewest edits away from a mistyped one, if few
 * enough to be a slip; else NULL. The first of several. */
const char *hd_nearest_word(const char *word, const char *const *all);

/* Print a name as reports do, of a file or a type: on one line, in valid UTF-8, and with
 * nothing in it that a terminal obeys (\n, \t, \x1b are written so). */
void hd_put_name(struct hd_sink to, const char *name);

/* The same without characters beyond ASCII: é is \u{e9}, … is "...". */
void hd_put_ascii(struct hd_sink to, const char *name);

/* --- snapshot ---------------------------------------------------------- */

struct hd_snapshot;

/* What a snapshot holds, in raw numbers of the file. Not every format records
 * everything: a table has types but no graph, so nothing can be said about
 * roots. Numbers may be HD_UNKNOWN, strings NULL. */
struct hd_info {
    const char *path;     /* as given */
    const char *format;   /* "gcdump", "heap-text", "dumpheap-stat", ... */
    const char *producer; /* the tool that wrote it, if it says so */
    const char *time; /* ISO 8601 without zone: the writer's local time, of a trace UTC */
    const char *process;
    uint64_t pid;
    uint64_t objects;    /* without pseudo-nodes and undefined ones */
    uint64_t references; /* from object to object */
    uint64_t roots;      /* references from a root group to an object */
    uint64_t types;      /* canonical names with at least one object */
    uint64_t bytes;      /* sum of shallow sizes */
    uint64_t reachable_objects, reachable_bytes;
    uint64_t xxh3; /* of the decompressed bytes; HD_UNKNOWN unless asked for */
    bool has_graph, has_roots, has_generations;
    bool sampled;
    bool complete; /* false: objects may be missing */

    /* Where it was taken. Only files that heapdrift collected tell all of it. */
    const char *host;
    const char *container; /* its id, 64 hexadecimal digits as a rule */
    const char *program;   /* what was started, without arguments: "dotnet /app/Shop.dll" */
    const char *started;   /* when; ISO 8601 without zone, UTC */
    const char *runtime;   /* "10.0.12" */

    bool holds_garbage; /* objects that no root reaches are there as a matter of course, as
                           in a core dump: reports count those that are reachable */
    bool has_fields;    /* references have the names of fields */

    bool has_owners; /* it tells who owns what: a graph with roots, or a digest of one */
    uint64_t source_xxh3; /* of a digest: xxh3 of what it was made of, or its own where that
                             was no file; else as xxh3. That of the second snapshot of a
                             file ("#2") is another */
    bool redacted; /* a core dump whose values were overwritten: hd_snapshot_write() */
    const char *processor; /* of the process, as far as known: "x86-64", "aarch64" */
    bool is_native_aot; /* types are those of a native AOT program, which may have numbers
                           in the place of names; false: no, or not known */
};

/* --- names of types ------------------------------------------------------ */

/* A Native AOT program (.NET 8 to 11), or the .dbg file with its symbols: what names the
 * types of its snapshots, whose files have numbers only. From the program names are exact;
 * symbols lack what the compiler left out of them. */
struct hd_symbols;

/* Opens an ELF file of 64 bits, for any number of snapshots and threads. NULL: it is none
 * (HD_UNSUPPORTED), or damaged. */
struct hd_symbols *hd_symbols_open(const char *path, struct hd_error *err);

/* After the snapshots that were read with it. NULL is fine. */
void hd_symbols_close(struct hd_symbols *symbols);

/* Names the types of a snapshot that was read without it. False: it is of another build,
 * and the snapshot is as it was. */
bool hd_snapshot_add_symbols(struct hd_snapshot *snap, const struct hd_symbols *symbols,
                             struct hd_error *err);

/* What became of an input: a snapshot, or the error that kept it from being one. */
struct hd_info_entry {
    const char *path;
    struct hd_snapshot *snap; /* NULL: error tells */
    struct hd_error error;
    bool skipped; /* found in a folder, and no snapshot: not what was asked for */
};

/* A snapshot in a zip, as hd_inputs_add() finds it. */
struct hd_zip_part {
    unsigned entry;    /* its file, from 1 in the order of the zip; 0: not known */
    bool has_no_order; /* neither a manifest nor names tell which snapshot came first */
};

struct hd_read_options {
    size_t size;         /* sizeof(struct hd_read_options); 0: as of version 0.1 */
    bool tables_only;    /* no graph: counts and bytes per type, in one pass */
    bool reach_later;    /* leave hd_info.reachable_* unknown: reports find it on the way */
    bool across_builds;  /* fold numbers in compiler-made names */
    bool checksum;       /* fill in hd_info.xxh3 */
    bool to_write;       /* keep what hd_snapshot_write() can say again */
    unsigned size_base;  /* of sizes in heap text: 16, or 10; 0 means 16 */
    uint64_t max_memory; /* bytes; HD_TOO_BIG instead of more. 0: no limit */
    unsigned threads;    /* that may work on this one file; 0 and 1: only the caller's.
                            Nothing but the time depends on it */

    void (*progress)(void *context, enum hd_phase phase, uint64_t more, uint64_t all);

    /* Of a comparison: input number i is about to be read, and then was read. Called like
     * progress. */
    void (*file)(void *context, size_t i, const struct hd_info_entry *entry, bool read);
    void *progress_context; /* of both */

    bool plain_names; /* static variables by the type of their value, as a gcdump names
                         them, not by the class that declares them */
    bool redact;      /* with to_write: note what is read of a core dump, which can then be
                         written as "core-dump", without values. An eighth of the heap more
                         memory */
    const struct hd_symbols *symbols; /* names types that have numbers; NULL: nothing does.
                                         Of another build: HD_USAGE */
    struct hd_zip_part zip; /* of "FILE#2": hd_input.zip; {0}: the zip is looked through */
};

/* Read one snapshot. path may be "-" (standard input), and end in "#2" for the second
 * snapshot of a file that holds several (traces). The format is recognised by the bytes,
 * never by the name; compressed and zipped files are unpacked on the way. A folder is an
 * error here (see hd_inputs_add). opt may be NULL.
 *
 * A file that is written to meanwhile is HD_IO, also when a report has to read it again.
 * One of more than 1 MiB (or an eighth of max_memory) may be mapped as long as the snapshot
 * is open, and so may the files from disk that a core dump lacks: whoever makes one shorter
 * then raises SIGBUS here, which is the program's to handle. */
struct hd_snapshot *hd_snapshot_open(const char *path, const struct hd_read_options *opt,
                                     struct hd_error *err);

/* The same from memory, which must stay until hd_snapshot_close(); unpacked if it is
 * packed. */
struct hd_snapshot *hd_snapshot_from_memory(const void *data, size_t size,
                                            const struct hd_read_options *opt,
                                            struct hd_error *err);

/* A snapshot that is read while its file is still being written, from the beginning on, as
 * that of hd_collect() is:
 *
 *     struct hd_reading *r = hd_reading_begin(file, &how);
 *     ... hd_reading_came(r, progress->bytes) in hd_collect_options.go_on
 *     hd_reading_came(r, collected.bytes), once more, when it is complete
 *     hd_reading_end(r);
 *     struct hd_snapshot *snap = hd_reading_snapshot(r, &err);
 *
 * It is what hd_snapshot_open() of the whole file gives. With how.threads of 2 or more a
 * thread reads meanwhile; else, and where reading along is of no use (any format but
 * traces, any trace but of one whole walk), all is read at the end. */
struct hd_reading;

/* Begin to read file, a regular one that stays open and the caller's until
 * hd_reading_snapshot(). how may be NULL. Never NULL: what is wrong shows at the end. */
struct hd_reading *hd_reading_begin(FILE *file, const struct hd_read_options *how);

/* So many bytes are in the file now, and written (not in the buffer of a FILE). Fewer than
 * before: it was begun anew. */
void hd_reading_came(struct hd_reading *r, uint64_t bytes);

/* That was all: the rest is done while the caller does something else. */
void hd_reading_end(struct hd_reading *r);

/* Wait for the snapshot, or NULL and err. Without an hd_reading_end() before there is none:
 * HD_STOPPED. r is used up either way. */
struct hd_snapshot *hd_reading_snapshot(struct hd_reading *r, struct hd_error *err);

/* Whether the file begins like a snapshot, as far as that can be told for sure: some tables
 * are only known when they are read. Looks at the first 64 KiB of it. */
bool hd_path_is_snapshot(const char *path);

void hd_snapshot_close(struct hd_snapshot *snap); /* NULL is fine */

/* The name of input format number i, NULL behind the last; and a line about it, NULL for
 * what is recognised only to say what it is. */
const char *hd_input_format_name(size_t i);
const char *hd_input_format_summary(size_t i);

const struct hd_info *hd_snapshot_info(const struct hd_snapshot *snap);

/* --- snapshots in other formats ---------------------------------------- */

/* A format that snapshots can be written in. */
struct hd_target {
    const char *name;    /* that of the input format which reads it back */
    const char *summary; /* one line */
    const char *suffix;  /* ".gcdump": how names of such files end */
    bool needs_graph;    /* a type table cannot become one */
    bool binary;         /* nothing to look at in a terminal */
    bool takes_graph;    /* it tells more of a snapshot with a graph: read that */
    bool redacts;        /* without values, and of a core dump only: read it with redact */
};

/* Format number i; false behind the last. */
bool hd_target(size_t i, struct hd_target *target);

/* Something that the snapshot tells and the target cannot hold, or not as it is. */
struct hd_loss {
    const char *what;    /* "generations", of a closed list: docs/convert.md */
    const char *message; /* one line */
};

/* They live as long as the snapshot. */
struct hd_losses {
    const struct hd_loss *all;
    size_t count;
};

/* What a process took when a snapshot was taken, beside its objects. Bytes, but for those
 * that are called counts; docs/process.md says where each is read. */
enum hd_fact {
    /* what the system says: in memory, swapped out, and its limit */
    HD_FACT_RESIDENT,
    HD_FACT_PRIVATE, /* anonymous; of Windows what is committed */
    HD_FACT_FILES,   /* resident, of mapped files */
    HD_FACT_SHARED,  /* resident, shared without a file */
    HD_FACT_SWAPPED,
    HD_FACT_LIMIT, /* of its control group, the tightest */
    HD_FACT_USED,  /* by that group */

    /* the same memory, resident or swapped out, by what it is for. These sum to resident
     * and swapped */
    HD_FACT_OF_GC, /* what the collector reserved: heap, free, not returned, its tables */
    HD_FACT_OF_ARENAS, /* of glibc's malloc, for threads */
    HD_FACT_OF_BRK,    /* "[heap]": malloc's first */
    HD_FACT_OF_STACKS,
    HD_FACT_OF_CODE,  /* what is compiled while it runs, and the runtime's tables */
    HD_FACT_OF_FILES, /* programs, libraries, mapped files */
    HD_FACT_OF_SHARED,
    HD_FACT_OF_LARGE, /* other private blocks of 1 MiB and more */
    HD_FACT_OF_SMALL, /* and less */

    /* what the runtime says of the collection that the snapshot was taken in */
    HD_FACT_GC_COMMITTED, /* heap, free, and the collector's tables */
    HD_FACT_GC_FREE,      /* of it: whole regions that no generation uses */
    HD_FACT_FRAGMENTED,   /* free between objects, of all generations */
    HD_FACT_FREE_GEN0,    /* the same, of each */
    HD_FACT_FREE_GEN1,
    HD_FACT_FREE_GEN2,
    HD_FACT_FREE_LOH,
    HD_FACT_FREE_POH,
    HD_FACT_LARGEST_FREE, /* the largest block between objects */

    /* counts */
    HD_FACT_FREE_BLOCKS, /* between objects, of all generations */
    HD_FACT_GC_HEAPS,
    HD_FACT_PINNED, /* objects that the collection found pinned */
    HD_FACT_THREADS,
    HD_FACT_SOCKETS, /* descriptors by kind */
    HD_FACT_REGULAR, /* files and folders */
    HD_FACT_PIPES,
    HD_FACT_OTHERS, /* events, timers, devices; of Windows all handles */
    HD_FACT_MAPPINGS,
    HD_FACT_UPTIME, /* seconds */

    /* counts, of collections that are the program's and not a snapshot's. Known where its
     * objects were followed from the snapshot before to this one */
    HD_FACT_GC_PAUSE,   /* of the time between them: stopped for these, in millionths */
    HD_FACT_SINCE_GEN2, /* seconds from the last one of gen2 to this snapshot */
    HD_FACT_COUNT
};

enum { HD_MAX_THREAD_NAMES = 16 };

/* {0}: nothing is known. */
struct hd_process_facts {
    uint64_t known; /* bit f: fact f is */
    uint64_t at[HD_FACT_COUNT];
    struct {
        char name[16]; /* that the kernel shows; "" ends the list */
        uint32_t count;
    } threads[HD_MAX_THREAD_NAMES]; /* most frequent first */
};

/* A fact, or HD_UNKNOWN; its key in JSON; whether it is no bytes. */
uint64_t hd_fact(const struct hd_process_facts *facts, enum hd_fact fact);
const char *hd_fact_name(enum hd_fact fact);
bool hd_fact_is_count(enum hd_fact fact);
void hd_fact_set(struct hd_process_facts *facts, enum hd_fact fact, uint64_t value);

/* What a process is made of. */
enum hd_process_part {
    HD_PART_OBJECTS, /* the heap in use, which is what snapshots show */
    HD_PART_FREE,    /* free between objects */
    HD_PART_GC,      /* what the collector keeps beyond these */
    HD_PART_CODE,    /* compiled code and the runtime's tables */
    HD_PART_STACKS,
    HD_PART_FILES,  /* programs, libraries, mapped files, shared memory */
    HD_PART_NATIVE, /* the rest: what native code allocated */
    HD_PART_COUNT
};

/* Resident and swapped out bytes of a process whose snapshot has objects of so many bytes:
 * the size that is returned is the sum of the parts. A part that is not known is HD_UNKNOWN
 * and in what follows: free in what the collector keeps, all others in the rest. HD_UNKNOWN
 * if the size is not known. */
uint64_t hd_process_parts(const struct hd_process_facts *facts, uint64_t objects,
                          uint64_t parts[HD_PART_COUNT]);
const char *hd_process_part_name(enum hd_process_part part); /* "objects", "native" */

/* Where a process runs and what it is. "" is unknown, and so is an instance of 0. */
struct hd_origin {
    char host[65];      /* that it sees */
    char container[65]; /* id of the container that it is in */
    char program[512];  /* as in hd_info */
    char started[24];
    char runtime[64];
    uint64_t instance; /* this very process, among all of all machines: a hash */
    double taken;      /* seconds since 1970 when its memory was copied; 0: not known */
    struct hd_process_facts facts; /* right before the snapshot was taken */
};

/* Add what a snapshot that was just collected cannot tell itself. What it tells stays. */
void hd_snapshot_set_origin(struct hd_snapshot *snap, const struct hd_origin *origin);

/* Give the types and static variables of a snapshot that was just collected the names that
 * its process knows: with outer classes, by the class that declares them. core is of
 * hd_collect_types(); of the process itself, which should still run, a few words are read
 * besides. What has several such names gets none. False and err if nothing can be told;
 * then snap is as before. */
bool hd_snapshot_add_full_names(struct hd_snapshot *snap, FILE *core, struct hd_error *err);

/* Write snap, which must have been read with to_write (but for "digest"), in that format.
 * A digest needs the graph, which is analysed for it (hd_target.takes_graph). A "core-dump"
 * is made of a core dump only, read with redact, and has no values: strings, numbers and
 * all else that is no reference is zero. lost may be NULL.
 * False if the snapshot does not fit the format (HD_USAGE: it has no graph; HD_TOO_BIG:
 * over a limit of the format) or a byte was lost (HD_IO). */
bool hd_snapshot_write(struct hd_snapshot *snap, const char *target, struct hd_sink to,
                       struct hd_losses *lost, struct hd_error *err);

/* --- inputs ------------------------------------------------------------ */

struct hd_input {
    const char *path;
    bool from_folder;      /* found, not named: see hd_inputs_claim() */
    struct hd_error error; /* set: it cannot be opened */
    const void *bytes;     /* it is no file: path is only what it is called; else NULL */
    size_t size;           /* of bytes */
    bool is_ordered;       /* its place is that of a manifest, whatever its name */
    bool has_no_order;     /* found in a folder where no name has an order */
    struct hd_zip_part zip;
};

/* Paths to open, in order. {0} is empty. */
struct hd_inputs {
    struct hd_input *all;
    size_t count;
    struct hd_inputs_memory *memory;
    bool names_only; /* open no file, and append all that may be meant, for a sandbox */
};

/* Append path; of a folder, the files in it in natural order of their names
 * ("2.gcdump" before "10.gcdump"), without hidden ones and pipes. If none of them is a
 * snapshot, then those of the folders in it, but of these at most one may have several
 * snapshots. Of a zip with several snapshots, "FILE#1", "FILE#2", ... for each. Files of
 * Visual Studio's profiler, in a zip or unpacked, are in the order of its manifest. A link
 * in a folder that leads nowhere is appended with HD_NOT_A_SNAPSHOT. False when path does
 * not exist or is a folder that cannot be read or is empty: then it is appended with that
 * error. */
bool hd_inputs_add(struct hd_inputs *inputs, const char *path, struct hd_error *err);

/* Append a snapshot that lies in memory, by that name: in reports and messages it stands
 * like the path of a file. name is copied; bytes must stay until hd_comparison_free(). */
void hd_inputs_add_memory(struct hd_inputs *inputs, const char *name, const void *bytes,
                          size_t size);

/* A folder may hold other files, but a broken snapshot is none of those. skipped[i] says
 * that input i was found in a folder and is no snapshot (HD_NOT_A_SNAPSHOT or
 * HD_UNSUPPORTED). That is taken back, and its error counts, where the name is that of a
 * snapshot (.gcdump, .nettrace, .digest, .core, .dmp, packed or not), or differs only in
 * numbers from a file beside it that is not skipped: app-3.txt where app-2.txt is one. */
void hd_inputs_claim(const struct hd_input *inputs, size_t count, bool *skipped);
void hd_inputs_free(struct hd_inputs *inputs);

/* --- comparisons ------------------------------------------------------- */

/* Snapshots of one program, in order, that questions are asked about: what grew, what takes
 * the space, what holds a type. What is found for one answer is kept for the next: another
 * order, another filter, chains of another type are not a new analysis. Graphs that are not
 * needed any more are dropped, and read again if they are, as far as how->max_memory wants
 * it. Questions may come from several threads; they are answered one after the other. */
struct hd_comparison;

enum { HD_MAX_SNAPSHOTS = 50 };

/* Open inputs, several at once if how->threads says so. What cannot be opened is told by
 * its entry, and by every question. inputs must stay until hd_comparison_free(). */
struct hd_comparison *hd_comparison_open(const struct hd_input *inputs, size_t count,
                                         const struct hd_read_options *how);

/* Of snapshots that are open already. They stay the caller's, who must neither close them
 * before the comparison is freed nor use them while a question is answered. Of how only
 * threads, max_memory and progress matter; NULL is {0}. */
struct hd_comparison *hd_comparison_of(struct hd_snapshot *const *snaps, size_t count,
                                       const struct hd_read_options *how);

/* What became of each input. */
const struct hd_info_entry *hd_comparison_entries(const struct hd_comparison *c,
                                                  size_t *count);

/* Snapshot number k from 0 of those that are compared; NULL behind the last. */
struct hd_snapshot *hd_comparison_snapshot(const struct hd_comparison *c, size_t k);

/* Reports live on without it. NULL is fine. */
void hd_comparison_free(struct hd_comparison *c);

/* --- budgets ----------------------------------------------------------- */

/* How much growth a check allows, and what is excused. */
struct hd_budgets;

struct hd_budgets *hd_budgets_new(void);
void hd_budgets_free(struct hd_budgets *b); /* NULL is fine */

/* Add the rule of an option: "max-growth" (SIZE|PCT), "max-growth-objects" (N|PCT),
 * "max-process-growth" (SIZE|PCT), "budget" (TYPE=N|SIZE|PCT), "max-score" (SIZE|PCT). Of
 * budgets for types the first that matches counts, so options come before files. HD_USAGE
 * for a value that is none. */
bool hd_budgets_add_option(struct hd_budgets *b, const char *name, const char *value,
                           struct hd_error *err);

/* Add the rules and suppressions of a heapdrift.yml (docs/check.md). A mistake in it is an
 * error with its line. */
bool hd_budgets_read(struct hd_budgets *b, const char *path, struct hd_error *err);

/* Subtract the growth that a file of hd_report_write_baseline() accepts. One only. */
bool hd_budgets_read_baseline(struct hd_budgets *b, const char *path, struct hd_error *err);

/* Take the growth that the check will see for accepted, instead of a baseline that was
 * read: hd_report_write_baseline() then has something to write. */
void hd_budgets_accept(struct hd_budgets *b);

/* Which day suppressions are held against: seconds since 1970-01-01 UTC. Without it none
 * expires. */
void hd_budgets_set_time(struct hd_budgets *b, int64_t seconds);

/* --- running processes ------------------------------------------------- */

/* A process with a .NET runtime. Strings may be NULL. It gets new members at its end. */
struct hd_process {
    uint64_t pid;
    const char *name;    /* of its program; of `dotnet app.dll` it is app */
    const char *runtime; /* "10.0.12" */
    const char *command;
    const char *user;
    const char *socket;    /* its diagnostics socket */
    const char *problem;   /* why it cannot be collected from; NULL: it can */
    const char *host;      /* name of the machine that it sees: of its container */
    const char *container; /* id of the container that it is in */
    const char *started;   /* ISO 8601 without zone, UTC */
    uint64_t uptime;       /* seconds since then; HD_UNKNOWN, as without started */
    uint64_t memory;       /* bytes that it has in memory (RSS); HD_UNKNOWN, or 0 */
    bool is_denied;        /* the problem is that it belongs to another user */
    uint64_t owner; /* number of the user that it counts against: its own, or, in a user
                       namespace, who made that */
};

/* {0} is empty. */
struct hd_processes {
    struct hd_process *all; /* by pid */
    size_t count;
    struct hd_processes_memory *memory;
    const char *incomplete; /* why there may be more of them; NULL: these are all */
};

/* Find the processes of this machine that have a diagnostics socket, containers included
 * as far as this user may look into them. Asks them side by side, each for a second at
 * most, and in turns of users: when 32 of an owner did not answer, no more of his are
 * asked. */
void hd_processes_find(struct hd_processes *processes);
void hd_processes_free(struct hd_processes *processes);

/* Returns the content of a file of /proc/PID, such as "environ": one mebibyte at most, with
 * a NUL after it, malloc'd. NULL with errno if it cannot be read. */
char *hd_process_file(uint64_t pid, const char *name, size_t *size);

/* Copies the file of the program of a process to a file without a name: of a native AOT
 * program, for hd_symbols_open("/proc/self/fd/N"), where its memory may not be read. False
 * and err: HD_IO, HD_TOO_BIG (more than 1 GiB), HD_TIMED_OUT after ten seconds. */
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

/* Whether a process goes by that name: its program's, or the first 15 characters that the
 * kernel shows. With * (any characters) and ? (one) in it the name is a pattern. */
bool hd_process_goes_by(const struct hd_process *process, const char *name);

/* The name of a process that may be meant by one that none has: the first that contains it,
 * letter case ignored, else the nearest word. NULL if none; it belongs to processes. */
const char *hd_process_meant(const struct hd_processes *processes, const char *name);

/* The process of that name, or 0 when there is none, or more than one. */
uint64_t hd_process_named(const char *name, struct hd_error *err);

struct hd_collect_progress {
    uint64_t bytes;   /* that came; 0 while the heap is walked */
    uint64_t objects; /* among them */
};

struct hd_collect_options {
    size_t size; /* sizeof(struct hd_collect_options); 0: as of version 0.1 */
    uint64_t pid;
    const char *socket;  /* instead of pid: the absolute path of a diagnostics socket */
    unsigned silence_ms; /* without a byte until giving up; 0: 30,000 */
    bool keep_names;     /* take a snapshot without type names as it is */

    /* Asked every 100 ms or so; false stops. NULL: go on. The bytes that hd_collect() tells
     * of are in the file: hd_reading_came(). */
    bool (*go_on)(void *context, const struct hd_collect_progress *so_far);
    void *context;
    uint64_t max_memory; /* hd_collect_direct(): for the copy; 0: no limit */

    /* hd_collect(): first a session that asks for nothing, two seconds at most. The first
     * one makes a runtime allocate what it then keeps, 100 to 250 KiB: so the first
     * snapshot has it, as all others do. Whoever follows objects has one already. */
    bool warm_up;

    /* hd_collect(): asked right before the heap is, of a process whose pid is 0 if it is
     * not visible: bytes that it may take before it is killed, HD_UNKNOWN without a limit.
     * Its runtime gets no larger buffer, and where that is too small for a snapshot there
     * is none: HD_TOO_BIG, HD_ABOUT_LIMIT. NULL: no limit. */
    uint64_t (*memory_left)(void *context, uint64_t pid);
    uint64_t expected_bytes; /* of the trace: hd_collected.bytes of the last one; 0 */

    /* A runtime that its environment suspends at its start, until a tool resumes it, is
     * resumed; false: it is HD_ABOUT_RESUME. */
    bool resume;

    /* Called right before the snapshot, with the facts of a process that is visible: adds
     * the limit of its control group and the use of that. NULL: both stay unknown. */
    void (*add_limits)(void *context, uint64_t pid, struct hd_process_facts *facts);

    /* hd_following_before(): also ask for about one allocation in 100 KB with its stack, so
     * that snapshots know which code allocated what is there. docs/sites.md has the cost.
     */
    bool with_sites;
    /* No snapshot follows: names of methods are read whatever they cost. */
    bool is_last;
    /* hd_following_activity() has sites, which may need names of methods more often. */
    bool with_activity;
};

/* A process that is connected to the diagnostics socket of the one that is asked. */
struct hd_client {
    uint64_t pid;
    char name[64]; /* of its program, printable UTF-8, perhaps cut; "" unknown */
};

enum { HD_MAX_CLIENTS = 4 };

/* What was collected. */
struct hd_collected {
    uint64_t pid, bytes; /* bytes of the trace */
    uint64_t objects, object_bytes, references;
    uint64_t events_lost;
    uint64_t types, nameless; /* types of objects; those that nobody named */
    bool complete;            /* every object and reference is there. Of a core that is not
                                 known, and false, until it is read: hd_info.complete */
    bool other_client;        /* a second tracing client keeps the names away */
    /* Who that may be: those that are connected, as far as this user may see them. */
    struct hd_client clients[HD_MAX_CLIENTS];
    size_t client_count;
    struct hd_origin origin;
    /* How long the process stood still, in microseconds; 0: not known. hd_collect(): for
     * the collection and the walk of its heap. hd_collect_direct(): for the longest stop.
     */
    uint64_t stood_still_us;
    unsigned tries; /* hd_collect_direct(): how often it was stopped */
};

/* Which object of one snapshot is which of the next, of snapshots that are taken of one
 * process one after the other: while a session is held open the collector says what
 * survives and where it goes. What is learned goes into the snapshots, and into .gcdump
 * files that are written of them (into traces: hd_following_write()):
 *
 *     struct hd_following *f = hd_following_begin();
 *     ... hd_following_before(f, &opt); before each hd_collect()
 *     ... hd_following_after(f); when it has succeeded, at once
 *     ... hd_following_snapshot(f, snap, &err); of what it gave, before it is written
 *     hd_following_end(f);
 *
 * Nothing that goes wrong here is in the way of a snapshot. What opt points to must stay
 * until hd_following_snapshot(). Memory: 16 bytes for each
 * object, and some 100 MiB at most for what comes in bursts. */
struct hd_following;

struct hd_following *hd_following_begin(void); /* never NULL */

/* Takes two seconds at most, of a process that does not answer. */
void hd_following_before(struct hd_following *f, const struct hd_collect_options *opt);

/* Optional: saves the 100 ms that the runtime takes to end the session before this one, if
 * something else is done before hd_following_snapshot(). */
void hd_following_after(struct hd_following *f);

/* snap needs its graph. True for the first one, and for those which now tell of the one
 * before; else err says why that is not known. */
bool hd_following_snapshot(struct hd_following *f, struct hd_snapshot *snap,
                           struct hd_error *err);
void hd_following_end(struct hd_following *f); /* NULL is fine */

/* Returns why names of methods could not be read for the last snapshot, or all of them; its
 * status is HD_OK if they could, or none were needed. Lives as long as f. */
const struct hd_error *hd_following_sites_error(const struct hd_following *f);

enum { HD_BUSY_SITES = 3 };

/* What a process did between two snapshots, by the events of its collector. */
struct hd_activity {
    double seconds;          /* 0: nothing is known */
    uint64_t allocated;      /* bytes, to some 100 KB; HD_UNKNOWN: not sampled */
    uint32_t collections[3]; /* of each generation, without those of the snapshots */
    double collecting;       /* seconds in collections that stopped the program */
    /* Which code allocates most, whether it keeps it or not: the innermost method of the
     * program's own on each stack. Shares of the samples, the largest first. */
    struct hd_busy_site {
        const char *method; /* NULL: no method of the program's own is on the stack */
        double share;
    } sites[HD_BUSY_SITES];
    size_t site_count; /* 0: not asked for, or no names are known */
};

/* Returns it for the last snapshot and the one before. Lives until the next
 * hd_following_snapshot(). */
const struct hd_activity *hd_following_activity(const struct hd_following *f);

/* The same for who keeps the trace itself: put what snap was told into the trace that it
 * was read of, or why it was not told (NULL: nobody listened), and how the process was,
 * behind all else, where other tools pass it over.
 * trace is a regular file that can be read and written; behind it its position is its end.
 * True also if nothing was told. False: err says why, and the trace is the one that it was.
 */
bool hd_following_write(FILE *trace, const struct hd_snapshot *snap,
                        const struct hd_origin *origin, struct hd_error *err);

/* Since when the objects of a series have been there, for digests of it, which keep how
 * many of them came when. It goes by what hd_following_snapshot() or a .gcdump tells:
 *
 *     struct hd_ages *ages = hd_ages_begin();
 *     ... hd_snapshot_set_ages(snap, ages); of each, in order, before its digest is written
 *     hd_ages_end(ages);
 *
 * Memory: 12 bytes for each object. */
struct hd_ages;

struct hd_ages *hd_ages_begin(void); /* never NULL */

/* ages must outlive what is done with snap. Where nothing is told of the snapshot that was
 * written before, ages begin with this one. */
void hd_snapshot_set_ages(struct hd_snapshot *snap, struct hd_ages *ages);
void hd_ages_end(struct hd_ages *ages); /* NULL is fine */

/* Take a snapshot of the heap of a running process, as a .nettrace from the position of to
 * on, which must be a file: of an old runtime it may take two tries. The process does a
 * full, blocking collection; it goes on afterwards, also after a failure. Memory: some
 * 2 MiB, whatever the heap. What is written is bounded by the memory of the process: some
 * 64 MiB and eight times that, 2 GiB where it cannot be seen. While another hd_collect()
 * is at that process this one waits, silence_ms at most. */
bool hd_collect(FILE *to, const struct hd_collect_options *opt,
                struct hd_collected *collected, struct hd_error *err);

/* How much of a process its core has. */
enum hd_core_kind {
    HD_CORE_HEAP, /* what a reader of heaps needs */
    HD_CORE_FULL  /* all of its memory; the only kind that single-file programs write */
};

/* Have the runtime write a core of its process (createdump), which stands still meanwhile,
 * to the file of `to`, whose mode should be 0600: a core has all that the process knows. It
 * is written there at once if the process may do so, else into its folder for temporary
 * files and copied. `to` must be a regular file, at its beginning. silence_ms is the time
 * without growth of the file. One that gives up, or is stopped by go_on, cannot keep the
 * process from finishing, which goes on then. Of hd_collected pid, bytes and origin are
 * set. Whether it was taken during a garbage collection shows when it is read
 * (HD_ABOUT_COLLECTION); runtimes older than .NET 8 are refused at once. */
bool hd_collect_core(FILE *to, enum hd_core_kind kind, const struct hd_collect_options *opt,
                     struct hd_collected *collected, struct hd_error *err);

/* Write a core of what a process that runs on knows of its types, for
 * hd_snapshot_add_full_names(): without a stop, and without a large heap, 64 MiB and its
 * assemblies at most. `to` must be a regular file, at its beginning, best one in memory
 * (memfd_create). The right that is needed is that of hd_collect_direct(). */
bool hd_collect_types(FILE *to, const struct hd_collect_options *opt, struct hd_error *err);

/* Write a core by stopping the process (ptrace) and copying the memory that it has written,
 * when no garbage collection is going on: nothing is collected or allocated in it, and no
 * diagnostics socket is needed, but the right to read its memory (HD_ABOUT_DIRECT). It runs
 * on whatever becomes of the caller. `to` must be a regular file, at its beginning; one in
 * memory (memfd_create) is written to at once. Else the copy lies in memory first, unless
 * that would be more than max_memory: then the stop is as long as writing takes. HD_TOO_BIG
 * if the file itself lies in memory and there is not so much. On x86-64 and aarch64. */
bool hd_collect_direct(FILE *to, const struct hd_collect_options *opt,
                       struct hd_collected *collected, struct hd_error *err);

/* --- report ------------------------------------------------------------ */

enum hd_sort {
    HD_SORT_DEFAULT,
    HD_SORT_COUNT,
    HD_SORT_BYTES,
    HD_SORT_RETAINED, /* of diff: types that are ranked, then the others by count */
    HD_SORT_NAME
};

/* What a row stands for. */
enum hd_unit { HD_BY_TYPE, HD_BY_NAMESPACE, HD_BY_MODULE, HD_BY_HOLDER };

#define HD_DEFAULT_ROWS UINT32_MAX

/* hd_options.depth if nobody says otherwise. */
#define HD_USUAL_DEPTH UINT32_MAX

/* Questions to snapshots. {0} asks for nothing special; hd_default_options() for what
 * the command line asks for without options. */
/* Of a tree: who owns what, or which code allocated it, by samples that survive. */
enum hd_tree_unit { HD_TREE_BY_OWNER, HD_TREE_BY_SITE };

struct hd_options {
    size_t size; /* sizeof(struct hd_options); 0: as of version 0.1 */

    /* rows, chosen after the analysis: ranks, scores and totals stay as they are */
    const char *const *types; /* patterns; a row must match one */
    size_t type_count;
    const char *const *excludes; /* patterns; a row must match none */
    size_t exclude_count;
    bool app_only;     /* no framework types */
    enum hd_sort sort; /* default: diff by count, top by bytes */
    uint32_t rows;     /* per table; 0 all; HD_DEFAULT_ROWS 20, but all in CSV */
    enum hd_unit by;

    /* objects, chosen before it */
    bool gen2, reachable;

    /* the ranking */
    double min_share;           /* score of a suspect, as a share of the heap */
    uint64_t min_bytes;         /* the same in bytes; used instead if not 0 */
    double min_steady_share;    /* the same for what gains nearly as much in every step */
    uint64_t min_steady_bytes;  /* in bytes; both 0: being steady makes no suspect */
    const uint64_t *iterations; /* one rising number per snapshot, or NULL */

    /* root chains */
    uint32_t chains;  /* groups shown per suspect */
    uint32_t samples; /* instances looked at per suspect */
    uint32_t depth;   /* frames shown per chain; what is cut is cut in the middle. 0: all.
                         HD_USUAL_DEPTH: 64, of which text and Markdown of all but roots
                         show those that say most */
    uint64_t seed;
    bool exact; /* count every instance's chain instead of a sample's */

    /* the ownership tree */
    bool tree;               /* diff, check and top tell it too, where they can */
    bool owner_of_most;      /* top says who that is: the tree without its fields */
    bool holders;            /* of a tree: from types upwards */
    double least_kept_share; /* places that own less are summed up: share of what the tree
                                is of */
    uint64_t least_kept;     /* the same in bytes; used instead if not 0 */
    uint32_t tree_depth;     /* levels below the top; 0: all */

    bool fields; /* two fields of one type part chains and places; where fields are known */
    bool no_ages; /* do not find out who stayed from snapshot to snapshot: rank by counts */

    /* Roots: only instances that were new in one of these snapshots, from 1 on; in the
     * first is new what it has. 0: any. */
    uint32_t born_first, born_last;

    bool values; /* statics: texts and single characters too, which may be secrets */

    enum hd_tree_unit tree_by; /* what a tree is made of */
};

/* Fill in the first size bytes of opt, and opt->size. */
void hd_set_default_options(struct hd_options *opt, size_t size);

static inline struct hd_options hd_default_options(void)
{
    struct hd_options opt;
    hd_set_default_options(&opt, sizeof(opt));
    return opt;
}

struct hd_report;

/* What grew from the first snapshot, the baseline, to the last, of 2 to 50. Those in
 * between tell steady growth from a spike. Ranked by what owners retain if all have graphs
 * (docs/ranking.md), else by type tables. opt may be NULL here and below. */
struct hd_report *hd_report_diff(struct hd_comparison *c, const struct hd_options *opt,
                                 struct hd_error *err);

enum hd_verdict { HD_PASS, HD_FAIL, HD_INCONCLUSIVE };

/* The same held against budgets: what grew, and which rules that breaks. Without a rule in
 * b: any suspect of opt->min_share or min_bytes, from four snapshots on. HD_USAGE, with a
 * line if one is to blame, for a rule that asks what the run does not tell. b must not
 * change while the report is made; the report does not need it afterwards. */
struct hd_report *hd_report_check(struct hd_comparison *c, const struct hd_options *opt,
                                  const struct hd_budgets *b, struct hd_error *err);

/* Fail if a rule failed; else inconclusive if one could not be decided. */
enum hd_verdict hd_report_verdict(const struct hd_report *report);

/* The same with --strict: a pass is inconclusive unless hd_report_conclusive(). */
enum hd_verdict hd_report_verdict_if(const struct hd_report *report, bool strict);

/* What `heapdrift check` ends with: 1 for a failure, 3 where strictness makes it
 * inconclusive, else 0. */
int hd_report_status(const struct hd_report *report, bool strict);

/* Write the growth that hd_budgets_accept() took for accepted. */
bool hd_report_write_baseline(const struct hd_report *report, struct hd_sink to,
                              struct hd_error *err);

/* What takes the space in the only snapshot. */
struct hd_report *hd_report_top(struct hd_comparison *c, const struct hd_options *opt,
                                struct hd_error *err);

/* Why instances of opt->types are alive in the last snapshot; how many there are in
 * each. HD_USAGE when no type matches or there is no graph, and with opt->born_first where
 * nobody knows which object of one snapshot is which of the next. */
struct hd_report *hd_report_roots(struct hd_comparison *c, const struct hd_options *opt,
                                  struct hd_error *err);

/* Who owns the heap, as a tree of types, and where its growth went; of 1 to 50 snapshots.
 * By opt->types only what they match, opt->holders the other way round. HD_USAGE when no
 * type matches or a snapshot has no references. */
struct hd_report *hd_report_tree(struct hd_comparison *c, const struct hd_options *opt,
                                 struct hd_error *err);

/* What each input is: a snapshot, or the error that kept it from being one. */
struct hd_report *hd_report_info(struct hd_comparison *c);

/* Which processes there are. */
struct hd_report *hd_report_processes(const struct hd_processes *processes);

/* Warnings about the snapshots and their order. snapshot counts from 0, or is
 * (size_t)-1. */
struct hd_warning {
    const char *code; /* of a closed list: docs/warnings.md */
    const char *message;
    size_t snapshot;
    const char *path;     /* of that snapshot, or NULL */
    uint64_t count, line; /* HD_UNKNOWN when not told */
    bool in_summary;      /* hd_model.summary says it */
};

const struct hd_warning *hd_report_warnings(const struct hd_report *report, size_t *count);

/* How many suspects there are; and whether the snapshots allow a judgement: false if
 * one is incomplete or sampled, for a diff of fewer than four that can be compared, or
 * without a suspect for growth that nothing explains or that has stopped, where opt->types
 * match nothing, and for a check with a rule that could not be decided, or that passed with
 * a reservation: it matches nothing, or something grew and stayed. */
size_t hd_report_suspects(const struct hd_report *report);
bool hd_report_conclusive(const struct hd_report *report);

/* The page of a run, beside that of a fleet. */
struct hd_page_of_run {
    uint64_t run;     /* hd_stored_series.id */
    const char *href; /* a relative URL; NULL: there is none */
    const char *why;  /* there is none: a clause */
};

struct hd_write_options {
    size_t size;    /* sizeof(struct hd_write_options); 0: as of version 0.1 */
    unsigned width; /* of the terminal, in columns; 0: no limit */
    bool color;     /* escape sequences of a terminal */
    bool files_go;  /* the snapshots will not be there: no command that names them */
    bool details;   /* what the ranking computed beside what people need: scores */
    bool ascii;     /* of text: no character beyond ASCII; others are \u{e9} */
    unsigned lines; /* of the terminal: what is longer says its verdict again at its end */

    /* The words of the command that asks, for formats that tell how they were made; NULL */
    const char *const *command;
    size_t command_len;

    /* The snapshots as the user named them, a folder as one, for commands to run next;
     * none: by their paths. */
    const char *const *inputs;
    size_t input_count;

    int64_t made_at; /* of a page: seconds since 1970; 0: it says no date */

    /* Of the page of a fleet: what it links to, each run once. */
    const struct hd_page_of_run *pages;
    size_t page_count;

    bool inputs_are_options; /* inputs are no files, but options that every command takes in
                                their place: --store=URL, --run=ID */
};

/* The name of output format number i, and a line about it; NULL behind the last. Some can
 * only hold a check, or a report with a tree; some are nothing for a terminal. */
const char *hd_format_name(size_t i);
const char *hd_format_summary(size_t i);
bool hd_format_is_for_check(size_t i);
bool hd_format_is_for_tree(size_t i);
bool hd_format_is_binary(size_t i);

/* Write the report as one of them. False if the format is unknown or cannot hold
 * such a report, or a byte was lost. */
bool hd_report_write(const struct hd_report *report, const char *format,
                     const struct hd_write_options *opt, struct hd_sink to,
                     struct hd_error *err);

void hd_report_free(struct hd_report *report); /* NULL is fine */

/* The name of hint number i, as models have it, and what to do in a sentence or two; NULL
 * behind the last. */
const char *hd_hint_name(size_t i);
const char *hd_hint_fix(size_t i);

/* Write what there is to say of it as text: how to recognise it, why it leaks, code before
 * and after, how to confirm it. Without a name: all of them, each with what to do. HD_USAGE
 * if there is no such hint. */
bool hd_hint_write(const char *name, const struct hd_write_options *opt, struct hd_sink to,
                   struct hd_error *err);

/* What a report says, as data. */
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
