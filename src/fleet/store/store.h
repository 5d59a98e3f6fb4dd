/* store.h - a connection, for the files that store something by it: statements, numbers,
 * transactions; and between these files, the forms in which runs, types and digests are
 * stored. */
#ifndef STORE_H
#define STORE_H

#include "base/arena.h"
#include "base/input.h"
#include "base/json.h"
#include "fleet/store/database.h"
#include "heap/snapshot.h"

struct hd_store {
    const struct database *kind;
    struct connection *connection; /* NULL: lost, and not found again */
    enum hd_store_use use;
    int64_t version;        /* of the tables as they are used; 0: they are not yet */
    int64_t stored_version; /* that the store says: larger where it is newer */
    int64_t found_version;  /* before it was opened; 0: nothing was there */
    char *url;
    struct hd_memory name; /* the URL without a password */
    bool is_listing;       /* in a transaction that reads */
    bool trusts_callers;   /* about what time it is, also on a server: for tests */
    double patience;       /* seconds: for how long a lost server is waited for */
    double delay;          /* seconds before the first try to find it again */
    uint64_t max_memory;   /* bytes that a digest may take when it is read; 0: no limit */
    struct hd_store_bases *bases; /* to build on */
    bool owns_bases;
    struct {
        struct input *in; /* NULL: none */
        struct bytes json;
        char source[17];
        struct hd_memory file; /* that in reads from */
    } read; /* the base that was read last: those of a series follow each other */
};

/* A statement with words in braces; rows are dropped. {snapshot}, which takes a name behind
 * it, is the table with base_id, also where that is not known yet. */
bool store_run(struct hd_store *s, const char *sql, const struct value *values,
               size_t count, struct hd_error *err);

/* Its rows, for store_next(), or store_end() before the last. NULL and err. */
struct rows *store_ask(struct hd_store *s, const char *sql, const struct value *values,
                       size_t count, struct hd_error *err);

/* The next row. False behind the last one and after a failure, that to ask included: *ok
 * says which, and the rows are ended. */
bool store_next(struct hd_store *s, struct rows *rows, bool *ok, struct hd_error *err);
void store_end(struct hd_store *s, struct rows *rows);

/* Values of a statement, and how many. */
#define NO_VALUES NULL, 0
#define VALUES(...)                      \
    (const struct value[]){__VA_ARGS__}, \
        sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value)

/* A column of the row; "" and HD_UNKNOWN and NAN for nothing. */
int64_t store_number(struct hd_store *s, struct rows *rows, unsigned i);
uint64_t store_count(struct hd_store *s, struct rows *rows, unsigned i);
double store_real(struct hd_store *s, struct rows *rows, unsigned i);
const char *store_text(struct hd_store *s, struct rows *rows, unsigned i);

/* Row by row: looks at each id, and leaves out those of rows that the database refuses to
 * load (HD_TOO_BIG). The statement asks for the ids behind $1 in order, a page of them. */
#define SWEEP_PAGE 500
struct sweep {
    bool (*look)(void *context, int64_t id, struct hd_error *why);
    void (*leave_out)(void *context, int64_t id);
    void *context;
};
bool store_sweep(struct hd_store *s, const char *ids, const struct sweep *of,
                 struct hd_error *err);

/* The bytes that a digest may have, packed, when it is read. */
uint64_t store_digest_bound(const struct hd_store *s);

/* The first column of the first row as a number. Without a row that is 0, and *there, which
 * may be NULL, is false. */
bool store_ask_number(struct hd_store *s, const char *sql, const struct value *values,
                      size_t count, int64_t *number, bool *there, struct hd_error *err);

/* How the work of a transaction ends: with err set, all undone; all undone; all done. */
enum ending { ENDING_FAILED, ENDING_UNDONE, ENDING_KEPT };

static inline enum ending kept_if(bool ok)
{
    return ok ? ENDING_KEPT : ENDING_FAILED;
}

/* That work. It may run more than once, from its beginning. */
typedef enum ending transaction(struct hd_store *s, void *context, struct hd_error *err);

/* All of it or nothing. Begun anew if it collided with another one, and if the server
 * was lost and found again: *unsure is then true if a try may have been kept all the same.
 * unsure may be NULL. HD_USAGE while a list is open. */
bool store_transact(struct hd_store *s, transaction *body, void *context, bool *unsure,
                    struct hd_error *err);

/* A string as it is stored: UTF-8 of 1,000 bytes at most; NULL is "". */
const char *store_clean(struct arena *a, const char *s);

/* See that the tables are there and can be used, or make them so. */
bool schema_prepare(struct hd_store *s, struct hd_error *err);

/* See which version is there, and that it can be used. */
bool schema_look(struct hd_store *s, struct hd_error *err);

/* The same where it was an older version: somebody may have upgraded it meanwhile. A
 * connection that was lost is no failure: what follows connects again. */
bool schema_look_again(struct hd_store *s, struct hd_error *err);

int64_t schema_newest(void);

/* --- types --------------------------------------------------------------------- */

/* Names of types in the store: table `type`. */

/* A list that statements take as one value, [[...], [...]], as text. Freed by free(). */
char *json_to_text(const json_t *value);

/* See that there is a row for each type whose name is element `at` of a row of rows (text
 * of JSON). For others to see within the same transaction. */
bool types_add(struct hd_store *s, const char *rows, unsigned at, struct hd_error *err);

/* --- sizes ------------------------------------------------------------------ */

/* The sizes that values of a store may have. Writers keep to them, and readers leave out
 * what exceeds them: a database takes up to 1 GB per value from anybody who may write
 * (docs/store.md, "Limits of values"). As text, since they are parts of statements. */

/* Bytes of a name: store_clean() cuts longer ones. */
#define MAX_NAME 1000

/* Bytes of the labels of a run, as JSON: some thirty of the longest, or a thousand usual
 * ones. */
#define MAX_LABELS 65536

/* Bytes of a digest, packed: a hundred times that of the largest service that was seen. */
#define MAX_DIGEST 67108864

/* Snapshots of a series that are listed: one every four minutes for two years. */
#define MAX_SNAPSHOTS 262144

#define BOUND_TEXT(n) #n
#define BOUND(n) BOUND_TEXT(n)

/* Conditions that are true of a row whose values keep to them. */
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

/* Rows of a table of which that is not true, NULL included. */
#define UNFIT(fits) "CASE WHEN " fits " THEN 0 ELSE 1 END = 1"

/* --- run.c ------------------------------------------------------------------ */

/* The run of a process as the columns of `series`. */

/* What was told of a run (NULL: nothing), and what else the snapshot says; strings as they
 * are stored: "" is unknown. */
struct hd_run run_stored(const struct hd_run *told, struct hd_snapshot *snap,
                         struct arena *a);

/* What parts a stored run from others: the same for all of its snapshots. */
const char *run_key(const struct hd_run *run, struct arena *a);

/* 16 digits, or "". */
const char *run_instance(const struct hd_run *run, struct arena *a);

/* Labels as JSON, {"name":"value"}, and back. */
const char *run_labels(const struct hd_run *run, struct arena *a);
void run_parse_labels(struct hd_run *run, const char *text, struct arena *a);

/* --- record.c --------------------------------------------------------------- */

/* The count and bytes of each type, as they are stored: sorted by name, each name once. */

struct type_sum {
    const char *name; /* as store_clean() makes it */
    uint64_t objects, bytes;
};

struct type_sums {
    struct type_sum *all;
    size_t count;
};

/* Of the types of snap. In a. */
struct type_sums type_sums_of(const struct hd_snapshot *snap, struct arena *a);

/* What is not as in base, with 0 for what is gone; and what base has none of, with 0. In a.
 */
void type_sums_compare(const struct type_sums *now, const struct type_sums *base,
                       struct type_sums *changed, struct type_sums *new, struct arena *a);

/* [[name, objects, bytes], ...], text of JSON; malloc'd. */
char *type_sums_rows(const struct type_sums *sums);

/* --- base.c ----------------------------------------------------------------- */

/* The digests that a writer builds others on: of each series the last that is whole
 * (docs/store.md). Kept in memory, else asked of the store. */

enum { SOURCE_DIGITS = 16 };

struct base {
    char *run; /* run_key() */
    int64_t id;
    char source[SOURCE_DIGITS + 1]; /* its xxh3: ids are given again */
    double taken;
    struct hd_memory digest; /* a file */
    uint64_t spent;          /* bytes of what was built on it */
    unsigned tries;          /* of the series: bases before it */
    uint64_t used;           /* when that was last, as a number that rises */
};

/* One that a snapshot of that time can be built on. NULL: none, or a new one pays. Lives
 * until something is kept or dropped. */
const struct base *base_find(struct hd_store *s, const char *run, double taken);

/* It was stored: a snapshot whole; so many bytes built on its series' base. id 0: nobody
 * knows its id, and nothing can be built on it. */
void base_keep(struct hd_store *s, const char *run, int64_t id, const char *source,
               double taken, const struct hd_memory *digest);
void base_spend(struct hd_store *s, const char *run, uint64_t bytes);

/* A whole digest as JSON, at most limit bytes of memory (0: no limit); to be closed. */
struct input *digest_open(const void *digest, size_t size, uint64_t limit,
                          struct bytes *json, struct hd_error *err);

/* A copy, with a NUL behind it. */
struct hd_memory digest_copy(const void *bytes, size_t size);

/* Bytes as what differs from others: zstd with those in front of it. For digests of one
 * series, most of which is equal. */

/* What makes whole of base; of {0}, a file like any other that zstd packed. False if both
 * together are too large for that. */
bool delta_make(struct bytes whole, struct bytes base, struct hd_memory *delta);

/* The other way round. Charged to a before it is taken. False and err of a delta to another
 * base, of one that is damaged, and of one that stands for more than any digest would. */
bool delta_apply(struct bytes delta, struct bytes base, struct account *a,
                 struct hd_memory *whole, struct hd_error *err);

#endif
