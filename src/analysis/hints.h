/* hints.h - what a suspect of this kind usually is, and what to do about it.
 *
 * A hint is one sentence and a section of docs/hints.md of the same name. It is chosen by
 * names alone: of the suspect's type, of what is above and below it. The list is data,
 * in hints_table.c, which also says how to add one. It does not know what a report is. */
#ifndef HINTS_H
#define HINTS_H

#include "heap/root_kind.h"

#include <stddef.h>

/* What has to be so for a hint to fit; NULL: anything. Patterns are those of docs/names.md.
 * "A > B" are types that follow each other on the way down to the suspect. */
struct hint_case {
    const char *type;    /* the suspect's own */
    const char *held_by; /* directly above it: the last one refers to the suspect */
    const char *above;   /* anywhere on the way from the root, pseudo-nodes too */
    const char *below;   /* a type that it holds, or that grows with it */
    const char *root;    /* the word of JSON: "static", "strong_handle", ... */
};

struct hint {
    const char *id;       /* and the anchor in docs/hints.md; NULL: better say nothing */
    const char *sentence; /* "Usually ..." */
    const struct hint_case *cases;
    size_t case_count;
};

/* All of them, the most specific first. */
extern const struct hint hints[];
extern const size_t hint_count;

/* One way from a root to a suspect: types from the root on, the suspect not included. */
struct hint_way {
    const char *const *types;
    size_t len;
    enum hd_root_kind root;
};

/* What is known of a suspect. Without ways only cases fit that ask for none. */
struct hint_clues {
    const char *type;
    const char *const *below;
    size_t below_count;
    struct hint_way ways[2];
    size_t way_count;
};

/* The first hint that fits; NULL if none does or the first says nothing. */
const struct hint *hint_for(const struct hint_clues *clues);

/* The hint of that id; NULL for NULL. */
const struct hint *hint_named(const char *id);

#endif
