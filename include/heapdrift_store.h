/* heapdrift_store.h - keep snapshots for months: reduced to digests, in a database.
 *
 * A store is a file (SQLite, no server) or a PostgreSQL database, named by a URL:
 *     heapdrift.db, file:/var/lib/heapdrift.db             a file
 *     postgresql://user@host:5432/name, postgres://...     any URL of libpq
 * The default is the file HD_STORE_DEFAULT. Both have the same tables (docs/store.md).
 * libpq is loaded at the first use of a PostgreSQL URL.
 *
 * A password comes from the URL, PGPASSFILE or a service file; hd_store_name() and messages
 * never have it. Stored strings are UTF-8: any other byte becomes U+FFFD, and strings of
 * more than 1,000 bytes are truncated and end in a hash of the whole. Times are seconds
 * since 1970-01-01 UTC. Threads may use different stores concurrently, but each from one
 * thread at a time. */
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

/* File name of the default store. */
#define HD_STORE_DEFAULT "heapdrift.db"

/* A connection to a store. */
struct hd_store;

enum hd_store_use {
    HD_STORE_READ,   /* never writes, and needs no right to. The store must exist */
    HD_STORE_WRITE,  /* creates it if it does not exist */
    HD_STORE_UPGRADE /* the same, and upgrades an older version, in one transaction */
};

/* Opens a store. It may be one version older than this library, which then uses it
 * unchanged, or newer, if it permits that (docs/store.md).
 *
 * HD_IO: cannot be opened, created or reached. HD_UNSUPPORTED: another version, a database
 * with other contents, or a database that this build or system does not support.
 * HD_TIMED_OUT: locked by others for too long. */
struct hd_store *hd_store_open(const char *url, enum hd_store_use use,
                               struct hd_error *err);
void hd_store_close(struct hd_store *s); /* NULL is fine */

/* Version of its tables: when opened (0: did not exist), now, and the newest of this
 * library. */
struct hd_store_version {
    unsigned found, now, newest;
};
struct hd_store_version hd_store_version(const struct hd_store *s);

/* Returns the URL without a password, for messages. Owned by the store. */
const char *hd_store_name(const struct hd_store *s);

/* Sets how long writing waits for a server whose connection was lost, with retries at
 * growing intervals. 0, the default: one retry, after a second. */
void hd_store_set_patience(struct hd_store *s, double seconds);

/* Limits the memory for reading a digest, in bytes; 0, the default: no limit. */
void hd_store_set_memory(struct hd_store *s, uint64_t bytes);

/* The last full digest of each series: later ones are stored as deltas to it. A store has
 * its own set while it is open, and reads digests of other writers if permitted. For
 * writers that open the store for each snapshot and must not read digests: a set that
 * outlives the store. It stays the caller's. At most 32 MiB. */
struct hd_store_bases;
struct hd_store_bases *hd_store_bases_new(void);
void hd_store_bases_free(struct hd_store_bases *b); /* NULL is fine */
void hd_store_use_bases(struct hd_store *s, struct hd_store_bases *b);

/* True if the server connection is lost: the next call reconnects, and fails if it cannot.
 * A file is never lost. */
bool hd_store_is_lost(const struct hd_store *s);

/* Returns a note for the user, in one line: the file is on a network file system, where
 * writers wait longer for each other; the store can be upgraded. May be NULL. */
const char *hd_store_note(const struct hd_store *s);

/* Returns the path of its file, next to which temporary ones are created ("-wal",
 * "-journal"); NULL: it is on a server. Owned by the store. */
const char *hd_store_file(const struct hd_store *s);

/* Prints the path for a URL, whether or not the file exists. False: not a file. */
bool hd_store_put_path(struct hd_sink to, const char *url);

/* Prints any URL like hd_store_name(), also one that could not be opened. */
void hd_store_put_url(struct hd_sink to, const char *url);

/* Prints a URL for use by others: without the password, and without a placeholder. */
void hd_store_put_public_url(struct hd_sink to, const char *url);

/* --- contents ------------------------------------------------------------------------ */

struct hd_label {
    const char *name, *value;
};

/* A run of a process: a row of `series`. Unknown strings are NULL, unknown numbers
 * HD_UNKNOWN.
 *
 * Snapshots belong to the same run if service, host, process, build and instance are equal
 * or, if the instance is unknown, pid and start; a reused pid is therefore recognised only
 * if the start is known. limit and labels do not distinguish runs: the last recorded ones
 * count. */
struct hd_run {
    const char *service, *host, *process, *build;
    uint64_t pid;
    double started;    /* NAN: unknown */
    uint64_t instance; /* of the process, unique on all machines; 0: unknown */
    uint64_t limit;    /* limit of its memory in bytes */
    const struct hd_label *labels;
    size_t label_count; /* when read: sorted by name, unique; when stored: any order, the
                           last of duplicates counts */
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

/* Returns the run of a snapshot from the facts in it; its strings are owned by the
 * snapshot. The service is the name of the program: Shop for `dotnet /app/Shop.dll`. */
struct hd_run hd_run_of(struct hd_snapshot *snap);

/* Returns the time of a snapshot from the facts in it; without a zone it is read as UTC.
 * NAN. */
double hd_time_taken(const struct hd_snapshot *snap);

struct hd_recording {
    size_t size;              /* sizeof(struct hd_recording) */
    const struct hd_run *run; /* NULL and unknown members: from the snapshot */
    double taken;             /* 0 or NAN: from the snapshot, which must have it */
    double pause_seconds;     /* pause of the process for the snapshot; 0 or NAN: unknown */
};

enum hd_recorded { HD_RECORDED, HD_WAS_RECORDED };

/* Stores snap, which must have been read with checksum: its digest, a row per type, its
 * run; of the first two only the differences from an earlier one of the series if that is
 * smaller. One transaction, durable when it returns. The same snapshot
 * (hd_info.source_xxh3) is stored once; a table of types is the same only if its run and
 * second are also equal. what may be NULL. HD_USAGE: its time or service is unknown. HD_IO
 * with nothing stored: the disk is full, the server is gone. */
bool hd_store_record(struct hd_store *s, struct hd_snapshot *snap,
                     const struct hd_recording *how, enum hd_recorded *what,
                     struct hd_error *err);

/* --- thinning ---------------------------------------------------------------------- */

struct hd_thinned {
    uint64_t snapshots; /* deleted */
    uint64_t series;    /* deleted, because empty */
    uint64_t left;      /* remaining snapshots */
};

/* Deletes old snapshots. Keeps all of the day before now, of the week before that the last
 * of every hour, then the last of every day (UTC), up to an age of keep_seconds. Up to that
 * age the first and the last of a series are kept, and everything recorded within the last
 * hour. Bases of deltas are kept until these are deleted, at most a week longer. A server
 * uses its own clock instead of now. In a file, snapshots recorded by other machines are
 * deleted only if such a machine recorded something in the day before now. Snapshots are
 * deleted completely, 10,000 per transaction. done may be NULL. */
bool hd_store_thin(struct hd_store *s, double keep_seconds, double now,
                   struct hd_thinned *done, struct hd_error *err);

/* The same, unless done within the last hour: for stores with many writers. */
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
    struct hd_run run;                          /* unknown strings are "", not NULL */
    const struct hd_stored_snapshot *snapshots; /* by time, then id; at least one */
    size_t snapshot_count;
};

/* {0} selects snapshots of 1970; hd_store_everything() all. */
struct hd_store_filter {
    size_t size;              /* sizeof(struct hd_store_filter) */
    const char *service;      /* NULL: any */
    double since, until;      /* taken at since or later, before until. NAN: open */
    unsigned shard, shards;   /* part I of N of the series, from 1; 0 of 0: all */
    const char *host, *build; /* as service; "": series without one */
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

/* Lists series that have a snapshot in the window, by service, host, started, pid and id,
 * one at a time; concurrent writes are not visible. One list per store at a time; until it
 * is freed, that store cannot record, thin or save. */
struct hd_series_list;
struct hd_series_list *hd_store_series(struct hd_store *s,
                                       const struct hd_store_filter *filter,
                                       struct hd_error *err);

/* Fetches the next series, valid until the following call; NULL after the last. */
bool hd_series_next(struct hd_series_list *l, const struct hd_stored_series **series,
                    struct hd_error *err);
void hd_series_list_free(struct hd_series_list *l); /* NULL is fine */

/* Returns ids of series that the list omits because a value is longer than recording
 * permits (docs/store.md), as far as known; of all series if the filter has no run. Valid
 * until the next call. */
const uint64_t *hd_series_left_out(const struct hd_series_list *l, size_t *count);

/* Reads the full digest of a snapshot for hd_snapshot_from_memory(), compressed or not.
 * bytes must be {0}. HD_USAGE: the snapshot does not exist (any more). HD_BAD_FORMAT: it or
 * its base is damaged. HD_TOO_BIG: over the memory limit. */
bool hd_store_digest(struct hd_store *s, uint64_t snapshot, struct hd_memory *bytes,
                     struct hd_error *err);

/* --- findings ---------------------------------------------------------------------- */

/* A suspect of a series: a row of `finding`. NULL and NAN: unknown. */
struct hd_stored_finding {
    unsigned rank;             /* from 1, each once */
    const char *type;          /* growing type */
    const char *title;         /* title, as in reports */
    const char *holder;        /* its owners */
    double score, score_share; /* bytes; of the heap */
    double per_hour;           /* bytes */
    const char *confidence;    /* as in reports */
};

/* Replaces the findings of a series by those from a window. One transaction. */
bool hd_store_save_findings(struct hd_store *s, uint64_t series, double first, double last,
                            const struct hd_stored_finding *all, size_t count,
                            struct hd_error *err);

/* --- checks
 * ------------------------------------------------------------------------------ */

/* Damage of a store. */
struct hd_store_problem {
    const char *code; /* one of docs/store.md */
    bool is_warning;  /* no data is lost */
    uint64_t count; /* number of affected rows, printed before the message unless it is 1 */
    char *message;  /* "rows have no type" */
};

struct hd_store_check {
    uint64_t series, snapshots, types, type_rows, findings; /* rows */
    uint64_t digest_bytes, digests_read;
    struct hd_store_problem *problems;
    size_t problem_count;
};

struct hd_store_checking {
    size_t size;         /* sizeof(struct hd_store_checking) */
    bool all;            /* read every digest, not only some hundred */
    uint64_t max_memory; /* per digest; 0: no limit */
};

/* Checks all of a store, read-only. NULL and err if that was impossible; damage is not an
 * error. */
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
