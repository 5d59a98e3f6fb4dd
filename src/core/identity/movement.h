/* movement.h - where the objects of a snapshot lie by now, as the collector tells it.
 *
 * A collection that stops the program names every stretch of objects that it leaves, with
 * where it lay and where it lies: what else lay in the generations that it collected is
 * dead. Others are not named and stay, as do frozen objects, which lie in no generation.
 *
 * What calls itself a background collection is one of these, or several of them: a young
 * one at its beginning, which is told by its stretches alone; at its end a list of all that
 * is there, in every generation, with what young ones have left meanwhile, and nothing
 * moved; or a blocking one of everything, where it could not begin. It frees memory before
 * it ends, and young ones fill that: an object onto which another one was moved had died.
 *
 * Fed with one collection after the other it keeps the addresses up to date. 16 bytes for
 * an object; a collection costs its stretches, sorted, and the objects in what it collected
 * (of a young one few: what a snapshot has seen soon is old), all of them if any moved. It
 * knows no events, no process and no file.
 *
 * In addition it follows samples: objects allocated since the snapshot, about one in 100
 * KB. There are few, so a collection costs some binary searches per sample. They need two
 * more rules. A background collection decides nothing about objects allocated after its
 * start: its list was made of those before. And a sample outside of all generations is dead
 * after a full collection: it is not frozen, so its region is gone. */
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
    uint32_t number; /* in its process; 0: samples stay as they are */
    unsigned depth;  /* the oldest generation that it collected */
    bool is_background;
    /* In any order, which may be changed. What it says it moved may lie where it lay. */
    struct stretch *moved, *stayed;
    size_t moved_count, stayed_count;
    struct territory *territories, *later; /* later: behind one in the background */
    size_t territory_count, later_count;
};

/* An object whose allocation the runtime reported. */
struct sample {
    uint64_t address; /* now */
    uint64_t size;    /* bytes, rounded up to a multiple of 8 */
    uint64_t type;    /* id in its process */
    uint32_t born;    /* number of the last collection that began before it, or 0 */
    uint32_t stack;   /* a number of the caller's */
    uint32_t number;  /* in the order of events */
    uint32_t excess;  /* bytes by which size may be too large */
};

/* A sample whose object is in a snapshot. */
struct placed_sample {
    uint32_t object; /* number in the order of addresses */
    uint32_t sample; /* index of movement.samples */
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
    struct sample *samples; /* the living ones */
    size_t sample_count, sample_cap;
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

/* Adds a sample, which was allocated after the last collection that was folded. */
void movement_add_sample(struct movement *m, const struct sample *s);

/* Returns the samples that are in the newer snapshot: malloc'd, ascending by object, each
 * object once. A sample is the object at its address if the type is the same and the size
 * is, or is smaller by up to excess; any other sample is dead. newer is places_of(snap).
 * The order of the samples changes. O(samples log objects). */
struct placed_sample *movement_samples(struct movement *m, const struct hd_snapshot *snap,
                                       const struct places *newer, size_t *count);

void movement_free(struct movement *m);

#endif
