/* hints.h - the usual cause of a suspect of this kind, and its remedy.
 *
 * A hint is a remedy in one line, and a section of docs/hints.md with the same name. It is
 * chosen by evidence: the suspect's type, the types below it and co-retained with it, and
 * those above it. The list is data, in hints_table.c, with instructions for adding one; its
 * order is irrelevant. Must not depend on reports. */
#ifndef HINTS_H
#define HINTS_H

#include "heap/root_kind.h"

#include <stdbool.h>
#include <stddef.h>

/* Conditions of a hint; NULL: any. Patterns are those of docs/names.md. "A > B" are
 * adjacent types on a way down, "A > B >" ends directly above the suspect. All conditions
 * on types above must hold on the ways of half of the instances. */
struct hint_case {
    const char *at;      /* the suspect's own type */
    const char *with;    /* at or below: the suspect itself, its contents, or a type that
                            grows with it */
    const char *above;   /* on the way from the root, pseudo-nodes too */
    const char *in;      /* the framework's collection that contains it */
    const char *of;      /* owner of the collection, and of any around it */
    const char *without; /* absent above, at and below */
    const char *root;    /* the word of JSON: "static", "strong_handle", ... */
    bool direct;         /* `with` is at most one reference below */
};

/* Specificity. A hint for a part of a framework is worth more than one for its ingredients;
 * every suspect has some kind of root. */
enum hint_breadth {
    HINT_OF_PART,      /* a class with users: MemoryCache, IOptionsMonitor */
    HINT_OF_MECHANISM, /* of the runtime: events, timers, tasks */
    HINT_OF_ROOT,      /* a handle, a thread, a scope */
    HINT_OF_USE,       /* the use of a collection: a queue, delegates */
    HINT_OF_COLLECTION /* any */
};

struct hint {
    const char *id;  /* and the section of docs/hints.md; NULL: no hint is better */
    const char *fix; /* remedy, in a sentence or two: the line FIX of a verdict */
    /* Noun phrase for the retaining structure, to follow "kept alive by"; NULL if the name
     * of the root or of the owner is more informative. */
    const char *holder;
    enum hint_breadth breadth;
    const struct hint_case *cases;
    size_t case_count;
};

extern const struct hint hints[];
extern const size_t hint_count;

/* A way from a root to a suspect: types from the root on, without the suspect. */
struct hint_way {
    const char *const *types;
    size_t len;
    enum hd_root_kind root;
    double share; /* of the instances; a condition needs half in total */
};

enum { HINT_MAX_WAYS = 4 };

/* A type below a suspect, and how far; 0: itself. */
struct hint_below {
    const char *type;
    unsigned depth;
};

/* The facts about a suspect. Without ways only cases without conditions on ways fit. */
struct hint_clues {
    const char *type;
    const struct hint_below *below;
    size_t below_count;
    struct hint_way ways[HINT_MAX_WAYS];
    size_t way_count;
};

/* Returns the hint of the most specific matching case: of the narrowest hint; then with the
 * most conditions; with the nearest type below; with the longest patterns. NULL without a
 * match, or if the hint has no text. */
const struct hint *hint_for(const struct hint_clues *clues);

/* Returns the hint with this id; NULL for NULL. */
const struct hint *hint_named(const char *id);

#endif
