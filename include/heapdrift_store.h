/* heapdrift_store.h - keep snapshots for months: reduced to digests, in a database.
 *
 * A store is a file (SQLite, no server) or a PostgreSQL database, named by a URL:
 *     heapdrift.db, file:/var/lib/heapdrift.db          a file; the default is
 * HD_STORE_DEFAULT postgresql://user@host:5432/name, postgres://...  whatever libpq takes
 * Both have the same tables (docs/store.md). libpq is loaded when a URL first asks for it.
 *
 * A password comes from the URL, PGPASSFILE or a service file; hd_store_name() and messages
 * never have it. Strings that are stored are UTF-8: any other byte becomes U+FFFD, and what
 * is longer than 1,000 bytes is cut and ends in a hash of the whole. Times are seconds
 * since 1970-01-01 UTC. Different stores may be used from different threads at once, one of
 * them from one thread at a time. */
#ifndef HEAPDRIFT_STORE_H
#define HEAPDRIFT_STORE_H

#include "heapdrift.h"

#include <math.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The file that is meant where nobody names a store. */
#define HD_STORE_DEFAULT "heapdrift.db"

/* A connection to a store. */
struct hd_store;

enum hd_store_use {
    HD_STORE_READ,   /* changes nothing, and needs no right to. It must be there */
    HD_STORE_WRITE,  /* makes it if nothing is there */
    HD_STORE_UPGRADE /* the same, and brings an older version forward, in one transaction */
};

/* A store may be one version older than this library, which then uses it as it is, or
 * newer, if it accepts that (docs/store.md).
 *
 * HD_IO: cannot be opened, made or reached. HD_UNSUPPORTED: it is of another version,
 * the database is somebody else's, or this build or system has no such database.
 * HD_TIMED_OUT: others kept it locked for too long. */
struct hd_store *hd_store_open(const char *url, enum hd_store_use use,
                               struct hd_error *err);
void hd_store_close(struct hd_store *s); /* NULL is fine */

/* The version of its tables: when it was opened (0: it was not there), now, and that which
 * this library makes. */
struct hd_store_version {
    unsigned found, now, newest;
};
struct hd_store_version hd_store_version(const struct hd_store *s);

/* The URL without a password, for messages. Lives as long as the store. */
const char *hd_store_name(const struct hd_store *s);

/* For how long what is stored waits for a server that was lost meanwhile, which is tried
 * less and less often. 0, from the start: it is tried once, after a second. */
void hd_store_set_patience(struct hd_store *s, double seconds);

/* How much memory a digest may take while it is read, in bytes; 0, from the start: no
 * limit. */
void hd_store_set_memory(struct hd_store *s, uint64_t bytes);

/* Digests that were stored whole, of each series the last: the next ones are stored as what
 * differs from them. A store has its own as long as it is open, and reads those of others
 * where it may. For writers that open it for each snapshot and must not read digests: these
 * are used from now on, stay the caller's and outlive the store. At most 32 MiB. */
struct hd_store_bases;
struct hd_store_bases *hd_store_bases_new(void);
void hd_store_bases_free(struct hd_store_bases *b); /* NULL is fine */
void hd_store_use_bases(struct hd_store *s, struct hd_store_bases *b);

/* The server is gone: what comes next connects again, and fails if it cannot. A file is
 * never lost. */
bool hd_store_is_lost(const struct hd_store *s);

/* Something that its user should know, in one line: that its file is on a network file
 * system, where writers wait longer for each other; that it can be upgraded. NULL: nothing.
 */
const char *hd_store_note(const struct hd_store *s);

/* The path of its file, beside which others come and go ("-wal", "-journal"); NULL: it is
 * on a server. Lives as long as the store. */
const char *hd_store_file(const struct hd_store *s);

/* The same of a URL, whether or not there is a file yet. False: it names no file. */
bool hd_store_put_path(struct hd_sink to, const char *url);

/* The same as hd_store_name() of any URL, of one that could not be opened. */
void hd_store_put_url(struct hd_sink to, const char *url);

/* The same to be used by others: nothing stands in the place of the password, which whoever
 * uses it has elsewhere. */
void hd_store_put_public_url(struct hd_sink to, const char *url);

/* --- what is stored ---------------------------------------------------------------- */

struct hd_label {
    const char *name, *value;
};

/* One run of one process: a row of `series`. Strings may be NULL and numbers HD_UNKNOWN
 * where nobody knows.
 *
 * Which snapshots are of one run: those with the same service, host, process, build, and
 * the same instance; if that is unknown, the same pid and start. What differs in one of
 * these is another run, so a pid that is used again needs a start to tell. limit and labels
 * do not part runs: those that were recorded last count. */
struct hd_run {
    const char *service, *host, *process, *build;
    uint64_t pid;
    double started;    /* NAN: unknown */
    uint64_t instance; /* of a process, among all of all machines; 0: unknown */
    uint64_t limit;    /* bytes of memory that it may use */
    const struct hd_label *labels;
    size_t label_count; /* sorted by name, each name once, when they are read; when they are
                           stored in any order, and of two with one name the last counts */
};

/* {0} with numbers unknown. */
static inline struct hd_run hd_unknown_run(void)
{
    struct hd_run run;
    memset(&run, 0, sizeof(run));
    run.pid = run.limit = HD_UNKNOWN;
    run.started = NAN;
    return run;
}

/* What a snapshot is of by its own account; its strings live as long as it does. The
 * service is the name of its program: of `dotnet /app/Shop.dll` it is Shop. */
struct hd_run hd_run_of(struct hd_snapshot *snap);

/* When it was taken, by its own account; a time without a zone is taken for UTC. NAN. */
double hd_time_taken(const struct hd_snapshot *snap);

struct hd_recording {
    size_t size; /* sizeof(struct hd_recording) */
    const struct hd_run
        *run;             /* what it leaves unknown is asked of the snapshot; NULL: all */
    double taken;         /* 0 or NAN: what the snapshot says; it has to say it then */
    double pause_seconds; /* that taking it stopped the process for; 0 or NAN: unknown */
};

enum hd_recorded { HD_RECORDED, HD_WAS_RECORDED };

/* Store snap, which must have been read with checksum: its digest, a row per
 * type, its run; of the first two only what differs from an earlier one of its series where
 * that is less. One transaction: all of it or nothing, and what was said to be stored is
 * stored, whatever happens next. The same snapshot (hd_info.source_xxh3) is stored once; a
 * table of types counts as the same if it is also of the same run and second. what may be
 * NULL. HD_USAGE: it does not say when it was taken, or of which service it is.
 * HD_IO with nothing stored: the disk is full, the server is gone.
 */
bool hd_store_record(struct hd_store *s, struct hd_snapshot *snap,
                     const struct hd_recording *how, enum hd_recorded *what,
                     struct hd_error *err);

/* --- thinning ---------------------------------------------------------------------- */

struct hd_thinned {
    uint64_t snapshots; /* that went */
    uint64_t series;    /* that had no snapshot any more, and went too */
    uint64_t left;      /* snapshots that are left */
};

/* Of the day before now keep every snapshot, of the week before that the last of every
 * hour, then the last of every day (UTC), and nothing older than keep_seconds. The first
 * and the last of a series stay as long as they are not older, and so does whatever was
 * recorded within the last hour. What others are built on stays until those are gone, so
 * for a week more at most. A server goes by its own clock, whatever now is. In a file, what
 * other machines recorded goes only if one of them recorded something in the day before
 * now. Snapshots go whole, 10,000 in a transaction. done may be NULL. */
bool hd_store_thin(struct hd_store *s, double keep_seconds, double now,
                   struct hd_thinned *done, struct hd_error *err);

/* The same, unless somebody did it within the last hour: for many writers of one store. */
bool hd_store_thin_if_due(struct hd_store *s, double keep_seconds, double now,
                          struct hd_thinned *done, struct hd_error *err);

/* --- reading ----------------------------------------------------------------------- */

struct hd_stored_snapshot {
    uint64_t id;
    double taken;
    uint64_t objects, bytes, reachable_bytes; /* as in hd_info */
    bool complete, sampled;
    double pause_seconds; /* NAN */
};

struct hd_stored_series {
    uint64_t id;
    struct hd_run run;                          /* of strings none is NULL: "" is unknown */
    const struct hd_stored_snapshot *snapshots; /* by time, then id; at least one */
    size_t snapshot_count;
};

/* {0} asks for what was taken in 1970; hd_store_everything() for all. */
struct hd_store_filter {
    size_t size;              /* sizeof(struct hd_store_filter) */
    const char *service;      /* NULL: any */
    double since, until;      /* taken at since or later, before until. NAN: open */
    unsigned shard, shards;   /* series of part I of N, from 1; 0 of 0: all */
    const char *host, *build; /* as service; "": those that tell none */
    uint64_t run;             /* hd_stored_series.id; 0: any */
};

static inline struct hd_store_filter hd_store_everything(void)
{
    struct hd_store_filter filter;
    memset(&filter, 0, sizeof(filter));
    filter.size = sizeof(filter);
    filter.since = filter.until = NAN;
    return filter;
}

/* Series that have a snapshot in the window, by service, host, started, pid and id, one at
 * a time; what others write meanwhile is not seen. One list of a store at a time; while it
 * is open nothing can be recorded, thinned or saved through that store. */
struct hd_series_list;
struct hd_series_list *hd_store_series(struct hd_store *s,
                                       const struct hd_store_filter *filter,
                                       struct hd_error *err);

/* The next one, which lives until the call after; NULL behind the last. */
bool hd_series_next(struct hd_series_list *l, const struct hd_stored_series **series,
                    struct hd_error *err);
void hd_series_list_free(struct hd_series_list *l); /* NULL is fine */

/* Ids of the series that the list leaves out, as far as known: a value of theirs is longer
 * than any that is recorded (docs/store.md). Of all series if the filter names no run.
 * Until the next call. */
const uint64_t *hd_series_left_out(const struct hd_series_list *l, size_t *count);

/* The digest of a snapshot, whole, for hd_snapshot_from_memory(); packed or not. bytes is
 * {0}. HD_USAGE: there is no such snapshot (any more). HD_BAD_FORMAT: it is damaged, or
 * what it is built on. HD_TOO_BIG: it takes more memory than it may. */
bool hd_store_digest(struct hd_store *s, uint64_t snapshot, struct hd_memory *bytes,
                     struct hd_error *err);

/* --- findings ---------------------------------------------------------------------- */

/* Which suspects a series has: a row of `finding`. NULL and NAN: unknown. */
struct hd_stored_finding {
    unsigned rank;             /* from 1, each once */
    const char *type;          /* that piles up */
    const char *subject;       /* as reports name it */
    const char *holder;        /* what holds it */
    double score, score_share; /* bytes; of the heap */
    double per_hour;           /* bytes */
    const char *confidence;    /* a word of reports */
};

/* Replace what is known of a series by what a window of it showed. One transaction. */
bool hd_store_save_findings(struct hd_store *s, uint64_t series, double first, double last,
                            const struct hd_stored_finding *all, size_t count,
                            struct hd_error *err);

/* --- care ------------------------------------------------------------------------------
 */

/* What is wrong with a store. */
struct hd_store_problem {
    const char *code; /* a word: docs/store.md */
    bool is_warning;  /* nothing is lost by it */
    uint64_t count;   /* of what the message is about, which stands in front of it unless
                         it is about one */
    char *message;    /* "rows have no type" */
};

struct hd_store_check {
    uint64_t series, snapshots, types, type_rows, findings; /* rows */
    uint64_t digest_bytes, digests_read;
    struct hd_store_problem *problems;
    size_t problem_count;
};

struct hd_store_checking {
    size_t size;         /* sizeof(struct hd_store_checking) */
    bool all;            /* read every digest, not some hundred */
    uint64_t max_memory; /* for one of them; 0: no limit */
};

/* Look at all of a store; nothing is changed. NULL and err if it could not be looked at;
 * what is wrong with it is no failure. */
struct hd_store_check *hd_store_check(struct hd_store *s,
                                      const struct hd_store_checking *how,
                                      struct hd_error *err);
void hd_store_check_free(struct hd_store_check *c); /* NULL is fine */

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
