/* movement.h - where the objects of a snapshot lie by now, as the collector tells it.
 *
 * A collection that stops the program names every stretch of objects that it leaves, with
 * where it lay and where it lies: what else lay in the generations that it collected is
 * dead. Others are not named and stay, as do frozen objects, which lie in no generation.
 *
 * What calls itself a background collection is one of these, or several of them: a young
 * one at its beginning, which is told by its stretches alone; at its end a list of all that
 * is there, in every generation, with what young ones have left meanwhile, and nothing
 * moved; or a blocking one of everything, where it could not begin.
 *
 * Fed with one collection after the other it keeps the addresses up to date. 16 bytes for
 * an object; a collection costs its stretches, sorted, and the objects in what it collected
 * (of a young one few: what a snapshot has seen soon is old), all of them if any moved. It
 * knows no events, no process and no file. */
#ifndef MOVEMENT_H
#define MOVEMENT_H

#include "identity/places.h"

/* Objects side by side that survived together. */
struct stretch {
    uint64_t from, to; /* where they lay, where they lie */
    uint64_t size;
};

/* A part of a generation before the collection: in use, and set aside. */
struct territory {
    unsigned generation; /* 0 to 2; 3 large, 4 pinned objects */
    uint64_t start, used, reserved;
};

struct collection {
    unsigned depth; /* the oldest generation that it collected */
    bool is_background;
    /* In any order, which may be changed. What it says it moved may lie where it lay. */
    struct stretch *moved, *stayed;
    size_t moved_count, stayed_count;
    struct territory *territories, *later; /* later: behind one in the background */
    size_t territory_count, later_count;
};

/* The objects of the older snapshot; {0} is none. */
struct movement {
    struct places now; /* where they lie; object: its place among those of the snapshot
                          in the order of addresses */
    size_t count;      /* of the snapshot: now.len is that of the living */
    /* of the last collection, if it stopped the program: what it named */
    struct stretch *named;
    size_t named_count;
    struct territory *collected; /* ascending, older generations among them */
    size_t collected_count;
    unsigned depth;
};

/* Take over the places, whose objects are numbered anew. */
void movement_begin(struct movement *m, struct places *places);

/* False if it makes no sense, or names no survivor where objects lay: nothing is known any
 * more. */
bool movement_fold(struct movement *m, struct collection *c);

/* Which is which of the newer snapshot: told[] is the place among those of the older for
 * each of newer, NO_NODE for what came; malloc'd, and how many survived. What lies where no
 * object of that type and size does is dead. NULL if that are more than one in a thousand,
 * or if the last collection left out as many of the newer. */
uint32_t *movement_end(struct movement *m, const struct places *newer, uint32_t *survivors);

void movement_free(struct movement *m);

#endif
