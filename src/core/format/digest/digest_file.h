/* digest_file.h - the contents of the file of a digest: docs/formats/digest.md.
 *
 * It is one JSON object of groups, each of which has plain members and columns: arrays of
 * the same length, one number or string per type, place, chain, ... Columns pack ten times
 * better than rows would. The table of members has one entry for each: its name, the coding
 * of its values, their place in struct digest_file, and the limits that a reader checks.
 * The writer fills that struct and walks the table; the reader does the reverse. */
#ifndef DIGEST_FILE_H
#define DIGEST_FILE_H

#include "heap/snapshot.h"

enum { DIGEST_VERSION = 1 };
#define DIGEST_BEGIN "{\"heapdrift_digest\":"

/* A group of members. */
enum digest_group {
    DIGEST_SOURCE,
    DIGEST_INFO,
    DIGEST_ORIGIN,
    DIGEST_WARNINGS,
    DIGEST_TYPES,
    DIGEST_LOST,
    DIGEST_TYPE_IDS,
    DIGEST_IDENTITY,
    DIGEST_FIELDS,
    DIGEST_PLACES,
    DIGEST_SHARING,
    DIGEST_CHAINS,
    DIGEST_SURVIVORS,
    DIGEST_AGES,
    DIGEST_SITES,
    DIGEST_GROUPS
};
extern const char *const digest_group_names[DIGEST_GROUPS];

/* Sets of rows for columns. */
enum digest_rows {
    ROWS_NONE, /* a plain member */
    ROWS_ROOT_KINDS,
    ROWS_WARNINGS,
    ROWS_TYPES,
    ROWS_MODULES,
    ROWS_CELLS, /* of types and generations */
    ROWS_TYPE_IDS,
    ROWS_SKETCH_TYPES,
    ROWS_SKETCH_TABLES,
    ROWS_SKETCH_BLOCKS,
    ROWS_FIELDS,
    ROWS_PLACES, /* without place 0, the root */
    ROWS_SHARING,
    ROWS_REFERRERS,
    ROWS_LINKS,
    ROWS_SAMPLES,
    ROWS_SURVIVOR_TYPES,
    ROWS_SURVIVORS,
    ROWS_MOMENTS,
    ROWS_AGES,
    ROWS_LOST_AGES,
    DIGEST_ROW_SETS
};

/* The coding of a value and its type in memory: plain up to CODED_NUMBER. */
enum digest_coding {
    CODED_TEXT,      /* const char * */
    CODED_TRUTH,     /* bool */
    CODED_REAL,      /* double; null is NAN */
    CODED_HEX,       /* uint64_t as a string of 16 digits; null is HD_UNKNOWN */
    CODED_NUMBER,    /* uint64_t; null is HD_UNKNOWN */
    CODED_NUMBER_32, /* uint32_t */
    CODED_NUMBER_8,  /* unsigned char */
    CODED_ID,        /* uint32_t; null is UINT32_MAX */
    CODED_TYPE,      /* type_id; in the file the types that are written are numbered */
    CODED_RISE,      /* uint64_t, ascending: the difference to the one before */
    CODED_RISE_32,   /* uint32_t */
    CODED_BACK,      /* uint32_t, a row before this one: how far; 0: NO_PLACE */
    CODED_LENGTH,    /* uint32_t, where lists begin: their length. One more than rows */
    CODED_AGO        /* unsigned char, a moment: how many before the last, so that equal
                        ages look alike in all digests */
};

/* Condition under which a member is written and required. */
enum digest_when { ALWAYS, IF_GENERATIONS, IF_SAMPLED, IF_BLOCKS, IF_THERE };

/* Rejected values: numbers at or above the limit. */
enum digest_limit {
    ANY,   /* no limit */
    KNOWN, /* null */
    BELOW_ROWS,
    BELOW_KINDS,
    BELOW_TYPES,
    BELOW_CELLS,
    BELOW_GENERATIONS,
    BELOW_FIELDS,
    BELOW_PLACES,
    BELOW_DISTANCES,
    BELOW_LINKS,
    BELOW_NODES,
    BELOW_SURVIVORS_EACH,
    BELOW_MOMENTS,
    BELOW_LOST_MOMENTS,
    BELOW_TWO
};

/* Addresses that distinguish processes. */
struct digest_sketch {
    uint64_t *rise; /* ascending: the differences, in units */
    uint64_t unit;  /* bytes */
    bool is_cut;
};

/* The contents of a file; arrays by the number of their rows. */
struct digest_file {
    struct digest digest; /* types by their number in the file */
    struct hd_info info;
    struct hd_table_origin origin;
    uint64_t weak_roots, instance;
    uint64_t *roots_by_kind;
    double clock;
    bool clock_is_date;
    struct digest_warning {
        const char *code, *detail;
        uint64_t count, line;
    } * warnings;
    struct digest_type {
        const char *name;
        uint64_t kind;
        struct hd_tally all, by_generation[HD_GENERATION_COUNT];
    } * types;
    const char **full_names, **modules; /* NULL if unknown */
    uint32_t *module;                   /* of each type, or UINT32_MAX */
    struct digest_cell {
        uint32_t at; /* type × HD_GENERATION_COUNT + generation */
        struct hd_tally lost;
    } * cells;
    struct type_name *type_ids;
    struct digest_sketch sketch_types, sketch_tables, sketch_blocks;
    struct hd_tally *young; /* of each place */
    uint32_t *distance;     /* of places that refer to others: 2n is n places before the
                               target, 2n - 1 is n after */
    node_id *node;          /* of samples: the difference within a place */
    uint64_t *address;      /* of survivors: the difference within a type, in units */
    uint64_t address_unit;  /* bytes */
    uint64_t chains_each, survivors_each;
    const char *age_source, *survivors_unknown, *facts, *sites;
    size_t count[DIGEST_ROW_SETS];
};

struct digest_member {
    enum digest_group group;
    const char *name;
    enum digest_coding coding;
    size_t offset; /* of the value, or of a pointer to the first one, in struct
                      digest_file */
    enum digest_rows rows;
    enum digest_limit limit;
    enum digest_when when;
    size_t stride, within; /* of elements; of the value in an element */
};

enum { DIGEST_MEMBERS = 128 };                                    /* at most */
extern const struct digest_member digest_members[DIGEST_MEMBERS]; /* a name of NULL ends */

/* True if the file's own facts require that optional member. */
bool digest_has(const struct digest_file *f, const struct digest_member *m);

/* The element of a column in row i; i + 1 for places. */
static inline size_t digest_element(const struct digest_member *m, size_t i)
{
    return i + (m->rows == ROWS_PLACES);
}

#endif
