/* digest_format.h - what the file of a digest is made of, for its reader and its writer:
 * the names of all members, and how their numbers are coded. docs/formats/digest.md
 * describes each.
 *
 * It is one JSON object of objects, each of which has plain members and columns: arrays of
 * the same length, one number or string per type, place, chain, ... Columns pack ten times
 * better than rows would. */
#ifndef DIGEST_FORMAT_H
#define DIGEST_FORMAT_H

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

#endif
