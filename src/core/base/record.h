/* record.h - describe the output of a struct once, for JSON, CSV and schemas.
 *
 * A record is a table of fields: a key, the place and kind of the value in the struct, when
 * it is null, and a sentence for readers. One walker writes its JSON, one its cells of CSV,
 * one reads it back; tests/support/schema.h makes the JSON schemas. So the formats cannot
 * differ in their fields. A field whose member has another type than its kind does not
 * compile. Must not depend on any record. */
#ifndef RECORD_H
#define RECORD_H

#include "base/arena.h"
#include "base/json.h"
#include "base/out.h"
#include "heapdrift_model.h"

/* Facts that all records of a document share. */
struct record_walk {
    size_t snapshots;    /* the length of arrays with one element per snapshot */
    const void *context; /* for fields that a function makes */
    const char *title;   /* of the first column of a table; NULL: its key */
};

enum field_kind {
    FIELD_STRING,  /* const char * */
    FIELD_UINT64,  /* HD_UNKNOWN is null */
    FIELD_SIZE,    /* size_t */
    FIELD_UINT32,  /* uint32_t, unsigned */
    FIELD_INT64,   /* int64_t */
    FIELD_DOUBLE,  /* null unless finite */
    FIELD_BOOL,    /* bool */
    FIELD_ENUM,    /* an enum by its name; null without one */
    FIELD_ADDRESS, /* uint64_t as "0x7f.."; 0 is null */
    FIELD_XXH3,    /* uint64_t as 16 hexadecimal digits; HD_UNKNOWN is null */
    FIELD_SERIES,  /* uint64_t *: a number per snapshot */
    FIELD_COUNTS,  /* struct hd_tally *: the counts of each snapshot */
    FIELD_BYTES,   /* the bytes of the same */
    FIELD_COUNT,   /* the first count alone */
    FIELD_SIZE_OF, /* the first bytes alone */
    FIELD_NUMBERS, /* uint64_t * and how many */
    FIELD_DOUBLES, /* double * and how many */
    FIELD_STRINGS, /* const char ** and how many */
    FIELD_RECORD,  /* a record embedded at the offset */
    FIELD_POINTER, /* a record that a pointer leads to */
    FIELD_RECORDS, /* of each of an array: a pointer to it and how many */
    FIELD_PART, /* the fields of another record, embedded at the offset, in this object */
    FIELD_PART_AT, /* the same, through a pointer */
    FIELD_MADE,    /* by a function; the schema of the field describes it */
    FIELD_CELL     /* of CSV only, by a function */
};

typedef json_t *record_make(const void *of, const struct record_walk *w);
typedef void record_words(struct text *t, const void *of, const struct record_walk *w);

/* Place and kind of a value. Made by the macros below. */
struct field_shape {
    enum field_kind kind;
    size_t offset;
    size_t count;  /* offset of the size_t with the number of elements */
    size_t stride; /* bytes of an element, or of the struct of the record */
    const struct record *record;
    const struct record *other; /* of an element that is_other */
    bool (*is_other)(const void *element);
    const char *(*name)(unsigned value); /* for an enum, below end; NULL is null. For a
                                            string: its closed list of values */
    unsigned end;
    record_make *make;
    record_words *cell;
};

enum field_null { MAY_BE_NULL, NEVER_NULL, NULL_AT_ZERO, LISTS_ONLY };

/* A column of lists for people: document, browser and page. */
struct column {
    const char *title;
    const char *(*title_in)(const struct hd_model *m); /* of a report; NULL: title */
    enum hd_cell_kind kind; /* numbers are aligned to the right */
    struct hd_cell (*cell)(const struct hd_model *m, const void *of);
    record_words *words;                        /* in documents, instead of the cell */
    record_words *brief;                        /* the same in fewer columns than */
    unsigned brief_below;                       /* this */
    bool (*is_known)(const struct hd_model *m); /* else no column; NULL: always */
    bool is_subject, is_title, gives_way;       /* as of struct doc_column */
    bool is_detail, is_for_pages;               /* the same */
    bool grows;                                 /* of suspects it is what is bad */
    const char *meaning;                        /* NULL: clear */
    const char *(*meaning_in)(const struct hd_model *m); /* of a report; NULL: meaning */
    const char
        *file; /* key in files of the browser; NULL: that of the field, "": left out */
    const char *page; /* classes of its cells in the page's long table */
};

struct record_field {
    const char *key;
    struct field_shape shape;
    enum field_null null;
    const char *doc;
    const char *schema; /* further members of the JSON schema, or NULL; the whole schema if
                           a function makes the value */
    bool (*known)(const void *of, const struct record_walk *w); /* else null; NULL: known */
    const struct column *column; /* NULL: no list for people has it */
};

struct record {
    const char *name; /* in schemas, if several refer to it; NULL: written inline */
    const char *doc;
    size_t size; /* of the struct */
    const struct record_field *fields;
    size_t count;
    /* Columns of lists in their order, a blank between them: keys, each with its width on a
     * screen after ":", and after "@" the width from which on there is space for it. */
    const char *csv; /* what is per snapshot is last, snapshot after snapshot */
    const char *lines, *screen, *last_screen, *page;
};

/* A column of a list, found once for all rows. */
struct listed {
    const struct record_field *field;
    size_t offset; /* of the struct that the field is of */
    unsigned width, from_width;
};
enum { MAX_LISTED = 40 };

/* Finds the columns of a list, such as r->lines; returns their number. */
size_t record_list(const struct record *r, const char *list, struct listed all[MAX_LISTED]);

/* The same without columns of which the model has no value. */
size_t record_list_known(const struct record *r, const char *list, const struct hd_model *m,
                         struct listed all[MAX_LISTED]);

const char *column_title(const struct column *c, const struct hd_model *m);

/* The rows of a table begin with a T that names the struct: #define T struct hd_info */
#define FIELD_AT(m, ...) \
    (offsetof(T, m) + 0 * sizeof(char[_Generic(((T *)0)->m, __VA_ARGS__, default : -1)]))
#define FIELD_COUNT_AT(m) FIELD_AT(m, size_t : 1)
#define FIELD_OF(kind_, m, ...)                             \
    {                                                       \
        .kind = (kind_), .offset = FIELD_AT(m, __VA_ARGS__) \
    }
#define FIELD_NAMED(kind_, m, name_, end_, ...)                               \
    {                                                                         \
        .kind = (kind_), .offset = FIELD_AT(m, __VA_ARGS__), .name = (name_), \
        .end = (end_)                                                         \
    }
#define FIELD_LIST(kind_, m, n, ...)                                                    \
    {                                                                                   \
        .kind = (kind_), .offset = FIELD_AT(m, __VA_ARGS__), .count = FIELD_COUNT_AT(n) \
    }
#define FIELD_WITHIN(kind_, m, record_)                                           \
    {                                                                             \
        .kind = (kind_), .offset = offsetof(T, m), .stride = sizeof(((T *)0)->m), \
        .record = &(record_)                                                      \
    }
#define FIELD_POINTED_TO(kind_, m, record_)                                        \
    {                                                                              \
        .kind = (kind_), .offset = offsetof(T, m), .stride = sizeof(*((T *)0)->m), \
        .record = &(record_)                                                       \
    }
#define FIELD_HERE(kind_, record_)                                 \
    {                                                              \
        .kind = (kind_), .stride = sizeof(T), .record = &(record_) \
    }

#define TEXT(m) FIELD_OF(FIELD_STRING, m, const char * : 1, char * : 1)
#define WORD(m, name) FIELD_NAMED(FIELD_STRING, m, name, UINT32_MAX, const char * : 1)
#define CHOICE(m, name, end) FIELD_NAMED(FIELD_ENUM, m, name, end, unsigned : 1, int : 1)
#define UINT64(m) FIELD_OF(FIELD_UINT64, m, uint64_t : 1)
#define SIZE(m) FIELD_OF(FIELD_SIZE, m, size_t : 1)
#define UINT32(m) FIELD_OF(FIELD_UINT32, m, uint32_t : 1)
#define INT64(m) FIELD_OF(FIELD_INT64, m, int64_t : 1)
#define REAL(m) FIELD_OF(FIELD_DOUBLE, m, double : 1)
#define TRUTH(m) FIELD_OF(FIELD_BOOL, m, bool : 1)
#define ADDRESS(m) FIELD_OF(FIELD_ADDRESS, m, uint64_t : 1)
#define XXH3(m) FIELD_OF(FIELD_XXH3, m, uint64_t : 1)
#define SERIES(m) FIELD_OF(FIELD_SERIES, m, uint64_t * : 1, const uint64_t * : 1)
#define COUNTS(m) \
    FIELD_OF(FIELD_COUNTS, m, struct hd_tally * : 1, const struct hd_tally * : 1)
#define BYTES(m) \
    FIELD_OF(FIELD_BYTES, m, struct hd_tally * : 1, const struct hd_tally * : 1)
#define FIRST_COUNT(m) FIELD_OF(FIELD_COUNT, m, struct hd_tally * : 1)
#define FIRST_BYTES(m) FIELD_OF(FIELD_SIZE_OF, m, struct hd_tally * : 1)
#define NUMBERS(m, n) FIELD_LIST(FIELD_NUMBERS, m, n, uint64_t * : 1, const uint64_t * : 1)
#define REALS(m, n) FIELD_LIST(FIELD_DOUBLES, m, n, double * : 1, const double * : 1)
#define TEXTS(m, n) \
    FIELD_LIST(FIELD_STRINGS, m, n, const char ** : 1, const char *const * : 1)
#define RECORD(m, record) FIELD_WITHIN(FIELD_RECORD, m, record)
#define POINTER(m, record) FIELD_POINTED_TO(FIELD_POINTER, m, record)
#define RECORDS_OR(m, n, record_, is_other_, other_)                                 \
    {                                                                                \
        .kind = FIELD_RECORDS, .offset = offsetof(T, m), .count = FIELD_COUNT_AT(n), \
        .stride = sizeof(*((T *)0)->m), .record = &(record_), .other = (other_),     \
        .is_other = (is_other_)                                                      \
    }
#define RECORDS(m, n, record) RECORDS_OR(m, n, record, NULL, NULL)
#define GROUP(record)                                                                 \
    FIELD_HERE(FIELD_RECORD, record)                /* an object of its own of this T \
                                                     */
#define SAME(record) FIELD_HERE(FIELD_PART, record) /* of this T, in the same object */
#define PART(m, record) FIELD_WITHIN(FIELD_PART, m, record)
#define PART_AT(m, record) FIELD_POINTED_TO(FIELD_PART_AT, m, record)
#define MADE(function)                         \
    {                                          \
        .kind = FIELD_MADE, .make = (function) \
    }
#define MADE_RECORD(function, record_)                               \
    {                                                                \
        .kind = FIELD_MADE, .make = (function), .record = &(record_) \
    }
#define MADE_RECORDS(function, record_)                                           \
    {                                                                             \
        .kind = FIELD_MADE, .make = (function), .record = &(record_), .stride = 1 \
    }
#define CSV_CELL(function)                     \
    {                                          \
        .kind = FIELD_CELL, .cell = (function) \
    }

/* A row: a key, a shape, when it is null, its doc; optionally, further schema members and
 * the function that tests whether it is known. */
#define FIELD(key_, shape_, null_, ...)                                     \
    {                                                                       \
        .key = (key_), .shape = shape_, .null = (null_), .doc = __VA_ARGS__ \
    }
/* All of another record; a cell that only tables have. */
#define FIELDS_OF(...)       \
    {                        \
        .shape = __VA_ARGS__ \
    }
#define IN_TABLES(key_, ...)                                    \
    {                                                           \
        .key = (key_), .null = LISTS_ONLY, .shape = __VA_ARGS__ \
    }
/* A column that only lists for people have; the last of a FIELD's arguments, if they have
 * it; and the value of its cells, of a T that is called x. */
#define LISTED(key_, ...)                                                 \
    {                                                                     \
        .key = (key_), .null = LISTS_ONLY, .shape = {.kind = FIELD_CELL}, \
        COLUMN(__VA_ARGS__)                                               \
    }
#define COLUMN(title_, kind_, ...)                                      \
    .column = &(const struct column)                                    \
    {                                                                   \
        .title = (title_), .kind = HD_CELL_##kind_, .cell = __VA_ARGS__ \
    }
#define CELLS(name, kind_, ...)                                          \
    static struct hd_cell name(const struct hd_model *m, const void *of) \
    {                                                                    \
        const T *x = of;                                                 \
        (void)m, (void)x;                                                \
        return (struct hd_cell){.kind = (kind_), __VA_ARGS__};           \
    }
#define IN_REPORT(type, name, expression)      \
    static type name(const struct hd_model *m) \
    {                                          \
        return (expression);                   \
    }

/* Functions of a T that is called x, for known and for MADE(). */
#define KNOWN(name, expression)                                   \
    static bool name(const void *of, const struct record_walk *w) \
    {                                                             \
        const T *x = of;                                          \
        (void)x, (void)w;                                         \
        return (expression);                                      \
    }
#define VALUE(name, expression)                                      \
    static json_t *name(const void *of, const struct record_walk *w) \
    {                                                                \
        const T *x = of;                                             \
        (void)x, (void)w;                                            \
        return (expression);                                         \
    }
/* A WORDS function with one statement, also for CSV_CELL(). */
#define WORDS(name, statement)                                                    \
    static void name(struct text *t, const void *of, const struct record_walk *w) \
    {                                                                             \
        const T *x = of;                                                          \
        (void)t, (void)x, (void)w;                                                \
        statement;                                                                \
    }

/* The words of a public enum, for CHOICE(): NAMES(unit) makes unit_word() of
 * hd_unit_name().
 */
#define NAMES(what)                                 \
    static const char *what##_word(unsigned i)      \
    {                                               \
        return hd_##what##_name((enum hd_##what)i); \
    }

/* static const RECORD_OF(...): record_frame is of frame_fields, which are of a T. */
#define RECORD_OF(tag_, name_, fields_, doc_) \
    struct record record_##tag_ = {.name = (name_), .doc = (doc_), FIELDS(fields_)}
#define FIELDS(all) \
    .size = sizeof(T), .fields = (all), .count = sizeof(all) / sizeof(*(all))

/* As a JSON object: keys in the order of the fields. */
json_t *record_json(const struct record *r, const void *of, const struct record_walk *w);

/* The JSON of an array of len records; and the fields added to an existing object. */
json_t *records_json(const struct record *r, const void *all, size_t len,
                     const struct record_walk *w);
void record_put(json_t *object, const struct record *r, const void *of,
                const struct record_walk *w);

/* Parses the values of object into `to`, strings and arrays into the arena. Records,
 * tallies and values made by functions are skipped. w->snapshots numbers are expected per
 * snapshot. False if a value is missing, or does not match its field. */
bool record_parse(const struct record *r, const json_t *object, void *to,
                  const struct record_walk *w, struct arena *a);

/* Returns the field with that key, also of a part, and the offset of its struct; or
 * NULL. */
const struct record_field *record_find(const struct record *r, const char *key, size_t len,
                                       size_t *offset);

/* The titles of the columns that the record names, and a row for each of an array. */
void csv_record_titles(struct csv_writer *csv, const struct record *r,
                       const struct record_walk *w);
void csv_record_rows(struct csv_writer *csv, const struct record *r, const void *all,
                     size_t len, const struct record_walk *w);

#endif
