/* images.h - the files of a .NET process that its heap cannot be read without: runtime,
 * collector, assemblies, the program.
 *
 * Their unchanged pages are no memory of the process. They are taken along all the same,
 * from the files, so that a core can be read on another machine, outside of the container,
 * or after an update. It takes no stop. */
#ifndef IMAGES_H
#define IMAGES_H

#include "collect/address_space.h"
#include "collect/copying.h"

struct image_piece {
    const struct area *area;
    uint64_t size;
    uint64_t at; /* from the beginning of all on */
};

struct images {
    struct image_piece *all; /* by address; malloc'd */
    size_t count, cap;
    uint64_t size; /* of all */
};

/* Those among the areas. */
void images_find(struct images *images, const struct address_space *space, pid_t pid);

/* Copy them to that place of the room. What cannot be read stays zero. */
void images_copy(struct images *images, pid_t pid, struct copy_room *room, uint64_t at);
void images_free(struct images *images);

#endif
