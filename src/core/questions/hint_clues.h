/* hint_clues.h - what hints are chosen by (ranking/hints.h), gathered from chains: for
 * suspects of the ranking and for chains of roots alike. */
#ifndef HINT_CLUES_H
#define HINT_CLUES_H

#include "owners/ownership_tree.h"
#include "ranking/hints.h"
#include "report/report.h"

/* Classes of the program that are called like those of the framework, which hints are
 * about; nearly always there are none. */
struct disguised {
    const char **names;
    size_t len;
};

/* t may be NULL: nothing is known. Names live as long as what they are from. */
struct disguised disguised_of_tree(const struct ownership_tree *t, struct arena *scratch);
struct disguised disguised_of_snapshots(struct hd_snapshot *const *snaps, size_t count,
                                        struct arena *scratch);

struct clue_search {
    struct hint_clues clues;
    struct disguised disguised;
    struct arena *scratch;
};

/* The name, unless it says what is not so. */
const char *looking_honest(const struct clue_search *l, const char *name);

/* One more way from a root: types from the root on, without what they lead to. */
void looking_add_way(struct clue_search *l, const char *const *types, size_t len,
                     enum hd_root_kind root, double share);

/* A chain without the suspect at its end. What is repeated stands there twice, so that an
 * array of arrays can be told from one array. */
void looking_add_chain(struct clue_search *l, const struct hd_chain *c);

/* What a chain usually is, whoever asks for its last object: that of the element between
 * owner and instance whose hint says most, and no less than this; of several the nearest to
 * the instance. An id, or NULL: nothing holds what is unreachable. */
const char *hint_of_chain(const struct hd_chain *c, const struct disguised *disguised,
                          enum hint_breadth broadest);

#endif
