/* gc_moves.h - the current addresses of the objects of a snapshot, from GC events.
 *
 * A collection that stops the program lists every stretch of surviving objects with its old
 * and its new address: all other objects of the generations that it collected are dead.
 * Objects of other generations are not listed and do not move; nor do frozen objects, which
 * are in no generation.
 *
 * A collection that calls itself background is one or several of the following: a young one
 * at its start, with a list of stretches only; at its end a list of all live objects in
 * every generation, including the survivors of young ones in the meantime, without moves;
 * or a blocking collection of everything, where it could not begin. It frees memory before
 * it ends, and young ones fill that: an object onto which another one was moved had died.
 *
 * Fed with one collection after the other it updates the addresses. 16 bytes per object; a
 * collection costs its stretches, sorted, and the objects in the generations that it
 * collected (few for a young one: the objects of a snapshot are old soon), or all objects
 * if any moved. Must not depend on events, processes or files.
 *
 * In addition it follows samples: objects allocated since the snapshot, about one in 100
 * KB. There are few, so a collection costs some binary searches per sample. They need two
 * more rules. A background collection judges only objects allocated before its start: later
 * ones are not in its list. And a sample outside of all generations is dead after a full
 * collection: it is not frozen, so its region is gone. */
#ifndef GC_MOVES_H
#define GC_MOVES_H

#include "identity/places.h"

/* Adjacent objects that survived together. */
struct stretch {
    uint64_t from, to; /* old and new address */
    uint64_t size;
};

/* A part of a generation before the collection: in use, and set aside. */
struct territory {
    unsigned generation; /* 0 to 2; 3 large, 4 pinned objects */
    uint64_t start, used, reserved;
};

struct collection {
    uint32_t number; /* in its process; 0: ignored for samples */
    unsigned depth;  /* oldest generation collected */
    bool is_background;
    /* In any order; may be modified. A stretch in `moved` may have from equal to to. */
    struct stretch *moved, *unmoved;
    size_t moved_count, unmoved_count;
    struct territory *territories, *later; /* later: at the end of a background
                                              collection */
    size_t territory_count, later_count;
};

/* An object with a reported allocation. */
struct sample {
    uint64_t address; /* now */
    uint64_t size;    /* bytes, rounded up to a multiple of 8 */
    uint64_t type;    /* id in its process */
    uint32_t born;    /* number of the last collection that began before it, or 0 */
    uint32_t stack;   /* for the caller's use */
    uint32_t number;  /* in the order of events */
    uint32_t excess;  /* bytes by which size may be too large */
};

/* A sample found in a snapshot. */
struct placed_sample {
    uint32_t object; /* number in the order of addresses */
    uint32_t sample; /* index of gc_moves.samples */
};

/* The objects of the older snapshot; {0} is empty. */
struct gc_moves {
    struct places now; /* current addresses; object: index in the snapshot in the order of
                          addresses */
    size_t count;      /* objects of the snapshot; now.len are alive */
    /* stretches of the last collection, if it stopped the program */
    struct stretch *named;
    size_t named_count;
    struct territory *collected; /* ascending, older generations among them */
    size_t collected_count;
    unsigned depth;
    struct sample *samples; /* the living ones */
    size_t sample_count, sample_cap;
};

/* Takes ownership of the places, and renumbers their objects. */
void gc_moves_begin(struct gc_moves *m, struct places *places);

/* Applies a collection. False if it is inconsistent, or lists no survivor although there
 * were objects: their moves are unknown from then on. */
bool gc_moves_fold(struct gc_moves *m, struct collection *c);

/* Returns the matches of the newer snapshot, malloc'd: for each of its objects the index in
 * the older one, NO_NODE for new objects; *survivors is their number. An object is dead if
 * its address has an object of another type or size, or is free. NULL if more than one in a
 * thousand died that way, or the last collection omitted that share of the newer
 * snapshot. */
uint32_t *gc_moves_end(struct gc_moves *m, const struct places *newer, uint32_t *survivors);

/* Adds a sample allocated after the last collection that was folded. */
void gc_moves_add_sample(struct gc_moves *m, const struct sample *s);

/* Returns the samples that are in the newer snapshot: malloc'd, ascending by object, each
 * object once. A sample is the object at its address if the type is the same and the size
 * is, or is smaller by up to excess; any other sample is dead. newer is places_of(snap).
 * The order of the samples changes. O(samples log objects). */
struct placed_sample *gc_moves_samples(struct gc_moves *m, const struct hd_snapshot *snap,
                                       const struct places *newer, size_t *count);

void gc_moves_free(struct gc_moves *m);

#endif
