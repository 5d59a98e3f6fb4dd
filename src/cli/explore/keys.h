/* keys.h - what keys do, and in which view: the one table that the help (`?`), the line at
 * the bottom and docs/explore.md are made of. What happens is elsewhere (explore.c, the
 * views); a test presses every key and looks for it here. */
#ifndef EXPLORE_KEYS_H
#define EXPLORE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* A kind of view; they add up. */
enum place {
    IN_SUSPECTS = 1,
    IN_TREE = 2,
    IN_TYPES = 4,
    IN_OBJECTS = 8,
    IN_OBJECT = 16,
    IN_HELP = 32,
    IN_LISTS = IN_SUSPECTS | IN_TREE | IN_TYPES | IN_OBJECTS,
    EVERYWHERE = 63
};

struct key_line {
    unsigned places;
    const char *keys;       /* as they are told: "PgUp PgDn  b Space" */
    const char *what;       /* they do */
    const char *key, *word; /* for the line at the bottom; NULL: not there */
    const char *characters; /* those among them */
};

extern const struct key_line key_lines[];
extern const size_t key_line_count;

/* Whether a line is about that place alone, or a few; such lines come first. */
static inline bool key_is_own(const struct key_line *line, enum place place)
{
    return line->places != EVERYWHERE && (line->places & (unsigned)place) != 0;
}

/* "Tree" */
const char *place_name(enum place place);

#endif
