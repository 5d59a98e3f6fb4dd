/* hints.h - what a suspect of this kind usually is, and what to do about it.
 *
 * A hint is what to do, in a line, and a section of docs/hints.md of the same name. It is
 * chosen by evidence: of what the suspect's type is, what is below it and goes along, and
 * what stands above it. The list is data, in hints_table.c, which also says how to add one;
 * its order means nothing. It does not know what a report is. */
#ifndef HINTS_H
#define HINTS_H

#include "heap/root_kind.h"

#include <stdbool.h>
#include <stddef.h>

/* What has to be so for a hint to fit; NULL: anything. Patterns are those of docs/names.md.
 * "A > B" are types that follow each other on a way down, "A > B >" has the suspect next.
 * All that is asked of what is above has to be so on the ways of half of the instances. */
struct hint_case {
    const char *at;      /* the suspect's own type */
    const char *with;    /* at or below: itself, what it holds, or what grows with it */
    const char *above;   /* on the way from the root, pseudo-nodes too */
    const char *in;      /* the collection of the framework that holds it */
    const char *of;      /* what has that collection, and any that this is in */
    const char *without; /* neither above nor at or below */
    const char *root;    /* the word of JSON: "static", "strong_handle", ... */
    bool direct;         /* `with` is at most one reference below */
};

/* How much a hint says. One of a part of a framework is worth more than one of what it is
 * made of; some kind of root is there in every case. */
enum hint_breadth {
    HINT_OF_PART,      /* something that somebody calls: MemoryCache, IOptionsMonitor */
    HINT_OF_MECHANISM, /* of the runtime: events, timers, tasks */
    HINT_OF_ROOT,      /* a handle, a thread, a scope */
    HINT_OF_USE,       /* what a collection of it is for: a queue, delegates */
    HINT_OF_COLLECTION /* any */
};

struct hint {
    const char *id;  /* and the section of docs/hints.md; NULL: better say nothing */
    const char *fix; /* what to do, in a sentence or two: the line FIX of a verdict */
    /* What keeps the objects alive, in words that fit behind "kept alive by"; NULL where
     * the name of the root or of the owner says more. */
    const char *holder;
    enum hint_breadth breadth;
    const struct hint_case *cases;
    size_t case_count;
};

extern const struct hint hints[];
extern const size_t hint_count;

/* One way from a root to a suspect: types from the root on, the suspect not included. */
struct hint_way {
    const char *const *types;
    size_t len;
    enum hd_root_kind root;
    double share; /* of the instances; what fewer than half share says too little */
};

enum { HINT_MAX_WAYS = 4 };

/* A type below a suspect, and how far; 0: itself. */
struct hint_below {
    const char *type;
    unsigned depth;
};

/* What is known of a suspect. Without ways only cases fit that ask for none. */
struct hint_clues {
    const char *type;
    const struct hint_below *below;
    size_t below_count;
    struct hint_way ways[HINT_MAX_WAYS];
    size_t way_count;
};

/* Of the cases that fit the most specific: of the narrowest hint; then the one that asks
 * for most; whose type below is nearest; whose patterns have most letters. Its hint; NULL
 * if none fits, or that says nothing. */
const struct hint *hint_for(const struct hint_clues *clues);

/* The hint of that id; NULL for NULL. */
const struct hint *hint_named(const char *id);

#endif
