/* database.h - what a kind of database has to provide, and the list of those that do. It
 * knows nothing about heaps: what is stored is in store.c and its neighbours.
 *
 * To add one: write src/fleet/store/<name>.c that ends in a const struct database, and list
 * it in store.c.
 *
 * Statements are one text for all databases. Values go beside it, never into it: $1, $2,
 * ... in the order in which they are first met. Words in braces are the database's own:
 * {id} {text} {bytes} {each} {lock} {now} {owner} {server}, and about a COLUMN that may
 * have values of any kind and size {text_size:COLUMN} {bytes_size:COLUMN} {number:COLUMN}.
 * Of functions FLOOR, COALESCE and windows are used. */
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
    const char *text; /* UTF-8 with a NUL behind it */
    const void *bytes;
    size_t size; /* of bytes */
};

/* What may help after a failure. */
enum remedy {
    REMEDY_NONE,
    REMEDY_AGAIN,    /* the transaction collided with another one: once more */
    REMEDY_RECONNECT /* the server is gone, or what it said was lost */
};

struct database {
    const char *name;            /* "SQLite" */
    const char *const *prefixes; /* of URLs, ended by NULL; NULL: of what no other takes */

    /* With the right to write, what is not there is made, without tables. */
    struct connection *(*open)(const char *url, enum hd_store_use use,
                               struct hd_error *err);
    /* Where to make what is not there yet, so that it has its name when it is whole;
     * malloc'd, NULL: it is there. And its name, which it gets only if it is: another one
     * may have been faster. NULL: made in its place. */
    char *(*draft)(const char *url);
    bool (*publish)(const char *draft, const char *url, bool is_whole,
                    struct hd_error *err);

    /* The path of the file that a URL names; malloc'd. NULL: it names none. */
    char *(*path)(const char *url);

    void (*close)(struct connection *c);
    const char *(*note)(const struct connection *c); /* hd_store_note(); NULL: none */
    const char *(*file)(const struct connection *c); /* hd_store_file(); NULL: none */

    /* The rows that a statement returns whose words in braces were replaced, to be ended;
     * NULL and err. Several may be open. */
    struct rows *(*ask)(struct connection *c, const char *sql, const struct value *values,
                        size_t count, struct hd_error *err);
    /* The next row: *there is false behind the last. */
    bool (*next)(struct rows *rows, bool *there, struct hd_error *err);
    /* Column i from 0 as that kind, or nothing; lives until the next row. */
    struct value (*column)(struct rows *rows, unsigned i, enum value_kind kind);
    void (*end)(struct rows *rows); /* NULL is fine */

    /* From now on a statement fails with HD_TOO_BIG rather than load a value of more
     * bytes than that. NULL: values are bounded where they are asked for. */
    void (*bound)(struct connection *c, uint64_t bytes);

    /* Of the last failure. */
    enum remedy (*remedy)(const struct connection *c);

    /* Behind a thinning: give space back. NULL: the database does it by itself. */
    bool (*tidy)(struct connection *c, struct hd_error *err);

    const char *begin_write, *begin_read; /* a transaction; one to read sees one moment */
    const char *make_alone; /* behind begin_write: nobody else makes tables; NULL */
    const char *tables;     /* asks for the names of the tables that are there */
    const char *lacks;      /* asks in words for rights that changing tables takes and that
                               are missing, most important first; NULL: writing shows it */
    const char *verify;     /* asks in words what is damaged; NULL: a server knows that */
    const char *has_rights; /* asks for 1 if role $1 is there, and may read the version;
                               NULL: there are no roles */
    const char
        *disguised; /* asks which of ours are something else: views, foreign tables */

    const char *may_read; /* asks whether this user may read digests: 1 or 0; NULL: yes */

    /* The words. */
    const char *id;    /* type of a key that counts by itself */
    const char *text;  /* of strings that are sorted by their bytes */
    const char *bytes; /* of bytes */
    const char *each;  /* function: the elements of an array in JSON, column "value" */
    const char *lock;  /* behind SELECT: nobody else changes those rows */

    /* About a column, which is where the @ are: its bytes; NULL where it is of another
     * kind. And its value; NULL where that is no number. */
    const char *text_size, *bytes_size, *number;

    const char *now;   /* the time by the store's own clock, in whole seconds */
    const char *owner; /* of the series that are made: this role, this machine */
    bool has_clock;    /* one for all; else each goes by that of its machine */
};

/* The tables of schema.sql, as a list of SQL. */
#define STORE_TABLES \
    "('heapdrift_store', 'series', 'snapshot', 'type', 'type_row', 'finding')"

/* The kind that a URL names; NULL and err. */
const struct database *database_for(const char *url, struct hd_error *err);

/* --- values ------------------------------------------------------------------------ */

static inline struct value of_number(int64_t number)
{
    return (struct value){.kind = VALUE_NUMBER, .number = number};
}

/* HD_UNKNOWN is nothing; what is larger than a database can count is the largest number. */
static inline struct value of_count(uint64_t n)
{
    return (struct value){.kind = n == HD_UNKNOWN ? VALUE_NOTHING : VALUE_NUMBER,
                          .number = n < INT64_MAX ? (int64_t)n : INT64_MAX};
}

/* What is no number is nothing. */
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
