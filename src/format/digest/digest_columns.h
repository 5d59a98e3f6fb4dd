/* digest_columns.h - the members of a digest's file, by their names, before anybody looks
 * at what they say. What is not known here is left out, so that a later version may add
 * members. */
#ifndef DIGEST_COLUMNS_H
#define DIGEST_COLUMNS_H

#include "heap/builder.h"
#include "heap/snapshot.h"

/* --- names of members ---------------------------------------------------------- */

/* What the file of a digest is made of, for its reader and its writer: the names of all
 * members, and how their numbers are coded. docs/formats/digest.md describes each.
 *
 * It is one JSON object of objects, each of which has plain members and columns: arrays of
 * the same length, one number or string per type, place, chain, ... Columns pack ten times
 * better than rows would. */

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
    DIGEST_GROUPS
};
extern const char *const digest_group_names[DIGEST_GROUPS];

/* Facts of hd_info that are strings. */
struct digest_fact {
    const char *name;
    size_t offset; /* in struct hd_info */
};

enum { DIGEST_FACTS = 8 };
extern const struct digest_fact digest_facts[DIGEST_FACTS];

/* Those that are numbers, null if unknown, and those that are true or false. */
enum { DIGEST_NUMBERS = 7, DIGEST_TRUTHS = 6 };
extern const struct digest_fact digest_numbers[DIGEST_NUMBERS];
extern const struct digest_fact digest_truths[DIGEST_TRUTHS];

/* The strings of hd_table_origin. */
enum { DIGEST_ORIGINS = 4 };
extern const struct digest_fact digest_origins[DIGEST_ORIGINS];

/* "gen2_count", "gen2_bytes": columns of the types. */
extern const char *const digest_generation_columns[HD_GENERATION_COUNT][2];

/* --- columns ------------------------------------------------------------------- */

/* A member, or {0} if the file has none of that name. */
struct digest_value {
    bool is_there;
    bool truth;
    uint64_t number;
    double real;
    const char *text;  /* NULL for null */
    uint64_t *numbers; /* of a column; malloc'd; HD_UNKNOWN for null */
    double *reals;
    const char **strings;
    size_t len, cap;
};

struct digest_columns {
    struct digest_value *all; /* by the numbers of a list inside */
};

/* False and err if it is no digest that can be read. digest_columns_free() in any case. */
bool digest_columns_read(struct digest_columns *c, struct bytes json, struct builder *b,
                         struct hd_error *err);
void digest_columns_free(struct digest_columns *c, struct builder *b);

/* A member that is known here; never NULL. */
const struct digest_value *digest_value(const struct digest_columns *c,
                                        enum digest_group group, const char *name);

#endif
