/* store.h - a connection, for the files that store something by it: statements, numbers,
 * transactions. It does not know what is stored. */
#ifndef STORE_H
#define STORE_H

#include "base/arena.h"
#include "base/input.h"
#include "base/json_out.h"
#include "fleet/store/database.h"

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

/* Ids behind that one, $1 of a statement which asks for `most` of them in order. */
bool store_ids(struct hd_store *s, const char *sql, int64_t after, int64_t *ids,
               size_t most, size_t *count, struct hd_error *err);

/* The bytes that a digest may have, packed, when it is read. */
uint64_t store_digest_bound(const struct hd_store *s);

/* The first column of the first row as a number; *there is false without a row. */
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

unsigned schema_newest(void);

/* --- types --------------------------------------------------------------------- */

/* Names of types in the store: table `type`. */

/* A list that statements take as one value, [[...], [...]], as text. Freed by free(). */
char *json_to_text(const json_t *value);

/* See that there is a row for each type whose name is element `at` of a row of rows (text
 * of JSON). For others to see within the same transaction. */
bool types_add(struct hd_store *s, const char *rows, unsigned at, struct hd_error *err);

#endif
