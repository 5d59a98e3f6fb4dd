/* store.h - a connection to a store, for the files that use it: statements, numbers,
 * transactions; and the stored forms of runs, types and digests. */
#ifndef STORE_H
#define STORE_H

#include "base/arena.h"
#include "base/input.h"
#include "base/json.h"
#include "fleet/store/database.h"
#include "heap/snapshot.h"

struct hd_store {
    const struct database *kind;
    struct connection *connection; /* NULL: lost */
    enum hd_store_use use;
    int64_t version;        /* of the tables in use; 0: not used yet */
    int64_t stored_version; /* in the database: may be newer */
    int64_t found_version;  /* before it was opened; 0: did not exist */
    char *url;
    struct hd_memory name;        /* the URL without a password */
    bool is_listing;              /* in a reading transaction */
    bool trusts_callers;          /* for the current time, also on a server: for tests */
    double patience;              /* seconds to wait for a lost server */
    double delay;                 /* seconds before the first retry */
    uint64_t max_memory;          /* for reading a digest, in bytes; 0: no limit */
    struct hd_store_bases *bases; /* bases for deltas */
    bool owns_bases;
    struct {
        struct input *in; /* may be NULL */
        struct bytes json;
        char source[17];
        struct hd_memory file; /* source of in */
    } read;                    /* the last base read: consecutive snapshots share it */
};

/* Executes a statement with words in braces; discards rows. {snapshot}, followed by an
 * alias, is the table with base_id, also in stores without that column. */
bool store_run(struct hd_store *s, const char *sql, const struct value *values,
               size_t count, struct hd_error *err);

/* Executes a query. Free the rows by store_next() to the end, or store_end(). NULL and
 * err. */
struct rows *store_ask(struct hd_store *s, const char *sql, const struct value *values,
                       size_t count, struct hd_error *err);

/* Fetches the next row. False after the last one and after a failure, also if `rows` is
 * NULL: *ok distinguishes these, and the rows are freed. */
bool store_next(struct hd_store *s, struct rows *rows, bool *ok, struct hd_error *err);
void store_end(struct hd_store *s, struct rows *rows);

/* Values of a statement, and their number. */
#define NO_VALUES NULL, 0
#define VALUES(...)                      \
    (const struct value[]){__VA_ARGS__}, \
        sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value)

/* Return a column of the row; NULL values as "", HD_UNKNOWN, NAN. */
int64_t store_number(struct hd_store *s, struct rows *rows, unsigned i);
uint64_t store_count(struct hd_store *s, struct rows *rows, unsigned i);
double store_real(struct hd_store *s, struct rows *rows, unsigned i);
const char *store_text(struct hd_store *s, struct rows *rows, unsigned i);

/* Iteration over single rows: calls look for each id, and leave_out for rows that the
 * database refuses to load (HD_TOO_BIG). The statement queries a page of ids after $1, in
 * order. */
#define SWEEP_PAGE 500
struct sweep {
    bool (*look)(void *context, int64_t id, struct hd_error *why);
    void (*leave_out)(void *context, int64_t id);
    void *context;
};
bool store_sweep(struct hd_store *s, const char *ids, const struct sweep *of,
                 struct hd_error *err);

/* Returns the maximum size of a compressed digest for reading. */
uint64_t store_digest_bound(const struct hd_store *s);

/* Queries a number: the first column of the first row. 0 without a row; *there, which may
 * be NULL, is then false. */
bool store_ask_number(struct hd_store *s, const char *sql, const struct value *values,
                      size_t count, int64_t *number, bool *there, struct hd_error *err);

/* Result of a transaction's body: rolled back with err set; rolled back; committed. */
enum ending { ENDING_FAILED, ENDING_UNDONE, ENDING_KEPT };

static inline enum ending kept_if(bool ok)
{
    return ok ? ENDING_KEPT : ENDING_FAILED;
}

/* Body of a transaction. May be executed more than once, from its start. */
typedef enum ending transaction(struct hd_store *s, void *context, struct hd_error *err);

/* Executes a transaction. Retries after a collision and after a lost server was found
 * again: *unsure is then true if an earlier try may have been committed. unsure may be
 * NULL. HD_USAGE while a list is open. */
bool store_transact(struct hd_store *s, transaction *body, void *context, bool *unsure,
                    struct hd_error *err);

/* Returns the stored form of a string: UTF-8 of at most 1,000 bytes; "" for NULL. */
const char *store_clean(struct arena *a, const char *s);

/* Checks that the tables exist and are usable; creates or upgrades them if permitted. */
bool schema_prepare(struct hd_store *s, struct hd_error *err);

/* Checks that the existing version is usable. */
bool schema_look(struct hd_store *s, struct hd_error *err);

/* Checks again if it was an older version, since another process may have upgraded it. A
 * lost connection counts as success: the next statement connects again. */
bool schema_look_again(struct hd_store *s, struct hd_error *err);

int64_t schema_newest(void);

/* --- types --------------------------------------------------------------------- */

/* Names of types in table `type`. */

/* Returns a list as text for use as one value, [[...], [...]]. Freed by free(). */
char *json_to_text(const json_t *value);

/* Inserts missing rows for the types whose name is element `at` of each row (JSON). Others
 * in the same transaction can use them. */
bool types_add(struct hd_store *s, const char *rows, unsigned at, struct hd_error *err);

/* --- sizes ------------------------------------------------------------------ */

/* Maximum sizes of values in a store. Writers comply, and readers skip larger ones: a
 * database accepts up to 1 GB per value from every user with write access (docs/store.md,
 * "Limits of values"). As text, since they are parts of statements. */

/* Bytes of a name: store_clean() truncates longer ones. */
#define MAX_NAME 1000

/* Bytes of the labels of a run, as JSON: some thirty of maximum length, or a thousand usual
 * ones. */
#define MAX_LABELS 65536

/* Bytes of a compressed digest: a hundred times that of the largest known service. */
#define MAX_DIGEST 67108864

/* Snapshots listed per series: one every four minutes for two years. */
#define MAX_SNAPSHOTS 262144

#define BOUND_TEXT(n) #n
#define BOUND(n) BOUND_TEXT(n)

/* Conditions for rows whose values are within the limits. */
#define NAME_FITS(column) "{text_size:" column "} <= " BOUND(MAX_NAME)
#define LABELS_FIT "{text_size:labels} <= " BOUND(MAX_LABELS)
#define RUN_FITS NAME_FITS("run") " AND " NAME_FITS("service") " AND " NAME_FITS("host")
#define BUILD_FITS \
    NAME_FITS("process") " AND " NAME_FITS("build") " AND " NAME_FITS("instance")
#define SERIES_FITS RUN_FITS " AND " BUILD_FITS " AND " LABELS_FIT
#define SNAPSHOT_FITS NAME_FITS("xxh3") " AND {bytes_size:digest} <= " BOUND(MAX_DIGEST)
#define TYPE_FITS NAME_FITS("name")
#define FINDING_FITS \
    NAME_FITS("subject") " AND " NAME_FITS("confidence") " AND " NAME_FITS("holder")

/* Rows of a table that violate a condition, NULL included. */
#define UNFIT(fits) "CASE WHEN " fits " THEN 0 ELSE 1 END = 1"

/* --- run.c ------------------------------------------------------------------ */

/* The run of a process as columns of `series`. */

/* Returns the stored form of a run: the facts given by the caller (may be NULL), completed
 * from the snapshot; unknown strings are "". */
struct hd_run run_stored(const struct hd_run *given, struct hd_snapshot *snap,
                         struct arena *a);

/* Returns the identity of a stored run: equal for all of its snapshots. */
const char *run_key(const struct hd_run *run, struct arena *a);

/* 16 digits, or "". */
const char *run_instance(const struct hd_run *run, struct arena *a);

/* Labels as JSON, {"name":"value"}, and back. */
const char *run_labels(const struct hd_run *run, struct arena *a);
void run_parse_labels(struct hd_run *run, const char *text, struct arena *a);

/* --- record.c --------------------------------------------------------------- */

/* Number and bytes of each type, as stored: sorted by name, unique. */

struct type_sum {
    const char *name; /* from store_clean() */
    uint64_t objects, bytes;
};

struct type_sums {
    struct type_sum *all;
    size_t count;
};

/* Computes the sums of a snapshot; allocated in a. */
struct type_sums type_sums_of(const struct hd_snapshot *snap, struct arena *a);

/* Compares sums: `changed` has those that differ from base, with 0 for types that
 * disappeared; `new` those that base lacks, with 0. Allocated in a. */
void type_sums_compare(const struct type_sums *now, const struct type_sums *base,
                       struct type_sums *changed, struct type_sums *new, struct arena *a);

/* Formats [[name, objects, bytes], ...], text of JSON; malloc'd. */
char *type_sums_rows(const struct type_sums *sums);

/* --- base.c ----------------------------------------------------------------- */

/* The bases of a writer: the last full digest of each series (docs/store.md). In memory, or
 * read from the store. */

enum { SOURCE_DIGITS = 16 };

struct base {
    char *run; /* run_key() */
    int64_t id;
    char source[SOURCE_DIGITS + 1]; /* its xxh3: ids are reused */
    double taken;
    struct hd_memory digest; /* a file */
    uint64_t spent;          /* bytes of all deltas to it */
    unsigned tries;          /* earlier bases of the series */
    uint64_t used;           /* last use, on a logical clock */
};

/* Returns a base for a snapshot taken then, or NULL if it is to be stored in full. Valid
 * until the next base_keep(). */
const struct base *base_find(struct hd_store *s, const char *run, double taken);

/* Register what was stored: a full snapshot; the bytes of a delta to the base of its
 * series. id 0: unknown, so it cannot become a base. */
void base_keep(struct hd_store *s, const char *run, int64_t id, const char *source,
               double taken, const struct hd_memory *digest);
void base_spend(struct hd_store *s, const char *run, uint64_t bytes);

/* Opens a full digest as JSON, with at most limit bytes of memory (0: no limit); to be
 * closed. */
struct input *digest_open(const void *digest, size_t size, uint64_t limit,
                          struct bytes *json, struct hd_error *err);

/* Returns a copy, NUL-terminated. */
struct hd_memory digest_copy(const void *bytes, size_t size);

/* Delta compression: zstd with the base as prefix, for digests of a series, which are
 * mostly equal. */

/* Compresses whole relative to base; with base {0} the result is an ordinary zstd file.
 * False if both together exceed the window. */
bool delta_make(struct bytes whole, struct bytes base, struct hd_memory *delta);

/* Decompresses a delta. Memory is charged to a in advance. False and err for a delta to
 * another base, a damaged one, and one larger than any digest. */
bool delta_apply(struct bytes delta, struct bytes base, struct account *a,
                 struct hd_memory *whole, struct hd_error *err);

#endif
