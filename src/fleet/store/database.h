/* database.h - interface of a kind of database, and the list of kinds. Must not depend on
 * heaps: store.c and its neighbours define the contents.
 *
 * To add one: write src/fleet/store/<name>.c that ends in a const struct database, and list
 * it in store.c.
 *
 * Statements have one text for all databases. Values are passed separately, never in the
 * text: $1, $2, ... in the order of their first use. Words in braces are replaced by the
 * database's own: {id} {text} {bytes} {each} {lock} {now} {owner} {server}, and for a
 * COLUMN that may have values of any kind and size {text_size:COLUMN} {bytes_size:COLUMN}
 * {number:COLUMN}. The only functions are FLOOR, COALESCE and windows. */
#ifndef DATABASE_H
#define DATABASE_H

#include "heapdrift_store.h"

struct connection;
struct rows;

enum value_kind { VALUE_NOTHING, VALUE_NUMBER, VALUE_REAL, VALUE_TEXT, VALUE_BYTES };

/* A parameter, or a column of a row. */
struct value {
    enum value_kind kind;
    int64_t number;
    double real;
    const char *text; /* UTF-8, NUL-terminated */
    const void *bytes;
    size_t size; /* of bytes */
};

/* Possible remedy after a failure. */
enum remedy {
    REMEDY_NONE,
    REMEDY_AGAIN,    /* the transaction collided with another: retry */
    REMEDY_RECONNECT /* the server or its answer was lost */
};

struct database {
    const char *name; /* "SQLite" */
    const char *const
        *prefixes; /* URL prefixes, NULL-terminated; NULL: the default database */

    /* Opens a database. With the right to write, creates a missing one, without tables. */
    struct connection *(*open)(const char *url, enum hd_store_use use,
                               struct hd_error *err);
    /* Returns a name for creating a missing database, malloc'd; NULL: it exists. publish
     * renames it to its final name after it is complete, unless another process was faster.
     * NULL: created in place. */
    char *(*draft)(const char *url);
    bool (*publish)(const char *draft, const char *url, bool is_whole,
                    struct hd_error *err);

    /* Returns the path of the file that a URL names; malloc'd. NULL: not a file. */
    char *(*path)(const char *url);

    void (*close)(struct connection *c);
    const char *(*note)(const struct connection *c); /* hd_store_note(); may be NULL */
    const char *(*file)(const struct connection *c); /* hd_store_file(); may be NULL */

    /* Executes a statement whose words in braces were replaced, and returns its rows, to be
     * freed by end; NULL and err. Several may be open. */
    struct rows *(*ask)(struct connection *c, const char *sql, const struct value *values,
                        size_t count, struct hd_error *err);
    /* Fetches the next row: *there is false after the last. */
    bool (*next)(struct rows *rows, bool *there, struct hd_error *err);
    /* Returns column i from 0 as that kind, or VALUE_NOTHING; valid until the next row. */
    struct value (*column)(struct rows *rows, unsigned i, enum value_kind kind);
    void (*end)(struct rows *rows); /* NULL is fine */

    /* Limits the size of loaded values in bytes: statements with larger ones fail with
     * HD_TOO_BIG. NULL: each query has to limit its values. */
    void (*bound)(struct connection *c, uint64_t bytes);

    /* Returns the remedy for the last failure. */
    enum remedy (*remedy)(const struct connection *c);

    /* Releases space after thinning. NULL: the database does so automatically. */
    bool (*tidy)(struct connection *c, struct hd_error *err);

    const char *begin_write,
        *begin_read; /* start of a transaction; a reading one sees a consistent state */
    const char *make_alone; /* after begin_write: no other may create tables; NULL */
    const char *tables;     /* query for the names of existing tables */
    const char *lacks;      /* query for missing rights to change tables, in words, most
                               important first; NULL: writing reports them */
    const char *verify;     /* query for damage, in words; NULL: a server checks itself */
    const char *has_rights; /* query for 1 if role $1 exists and may read the version; NULL:
                               no roles */
    const char *disguised;  /* query for tables of ours that are something else: views,
                               foreign tables */

    const char *may_read; /* query for 1 if this user may read digests, else 0; NULL: yes */

    /* Replacements for words in braces. */
    const char *id;    /* type of an auto-increment key */
    const char *text;  /* type of strings sorted by their bytes */
    const char *bytes; /* type of byte strings */
    const char *each;  /* function: the elements of an array in JSON, column "value" */
    const char *lock;  /* after SELECT: locks those rows */

    /* For a column (each @): its size in bytes, NULL for another kind. Its value; NULL if
     * not a number. */
    const char *text_size, *bytes_size, *number;

    const char *now;   /* time of the store's own clock, in whole seconds */
    const char *owner; /* owner of new series: this role, this machine */
    bool has_clock;    /* one clock for all; false: that of each machine */
};

/* Tables of schema.sql, as a list in SQL. */
#define STORE_TABLES \
    "('heapdrift_store', 'series', 'snapshot', 'type', 'type_row', 'finding')"

/* Returns the kind of database for a URL; NULL and err. */
const struct database *database_for(const char *url, struct hd_error *err);

/* --- values ------------------------------------------------------------------------ */

static inline struct value of_number(int64_t number)
{
    return (struct value){.kind = VALUE_NUMBER, .number = number};
}

/* HD_UNKNOWN is stored as NULL; larger numbers than a database supports as the maximum. */
static inline struct value of_count(uint64_t n)
{
    return (struct value){.kind = n == HD_UNKNOWN ? VALUE_NOTHING : VALUE_NUMBER,
                          .number = n < INT64_MAX ? (int64_t)n : INT64_MAX};
}

/* Non-finite numbers are stored as NULL. */
static inline struct value of_real(double real)
{
    return (struct value){.kind = isfinite(real) ? VALUE_REAL : VALUE_NOTHING,
                          .real = real};
}

static inline struct value of_text(const char *text)
{
    return (struct value){.kind = VALUE_TEXT, .text = text};
}

static inline struct value of_bytes(const void *bytes, size_t size)
{
    return (struct value){.kind = VALUE_BYTES, .bytes = bytes, .size = size};
}

#endif
