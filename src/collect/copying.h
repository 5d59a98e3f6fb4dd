/* copying.h - the memory of a process that stands still, copied into a mapped file.
 *
 * Room is made before the process is stopped, down to the pages, so that nothing but the
 * copying itself happens meanwhile. It must not know what the memory means. */
#ifndef COPYING_H
#define COPYING_H

#include "collect/address_space.h"
#include "collect/thread_freeze.h"
#include "collect/transport.h"

/* A file, mapped. */
struct copy_room {
    int fd;
    unsigned char *bytes; /* NULL: none yet */
    uint64_t size;
    bool lets_go; /* pages of a file on a disk do not stay in the memory of this process */
};

/* Map so many bytes of it: the file gets as long, but takes no place yet. */
bool copy_room_make(struct copy_room *room, uint64_t size, struct hd_error *err);
void copy_room_free(struct copy_room *room); /* the file stays */

/* Copy so many bytes of a file, or of the memory of a process, from a place on. How many:
 * fewer where it ends, or was given back. */
uint64_t copy_from(int fd, unsigned char *to, uint64_t size, uint64_t from);

struct copying {
    const struct page_source *from;
    const struct runs *runs;
    struct copy_room *room;
    uint64_t at;       /* where the place of the first begins */
    uint64_t deadline; /* on clock_us() */
};

/* See that the file has room for these bytes of it, and that its pages are there. */
bool copy_room_fill(struct copy_room *room, uint64_t at, uint64_t size,
                    struct hd_error *err);

/* What was written there need not be read again soon. */
void copy_room_let_go(const struct copy_room *room, uint64_t at, uint64_t size);

/* The same for those that the runs go to. go_on may be NULL. */
bool copy_room_fill_runs(const struct copying *c, bool (*go_on)(void *context),
                         void *context, struct hd_error *err);

/* On several threads. False and err: HD_STOPPED when it is unwanted, HD_TIMED_OUT, HD_IO.
 */
bool copy_runs(const struct copying *c, const struct thread_freeze *still,
               struct hd_error *err);

/* --- images -------------------------------------------------------------------- */

/* The files of a .NET process that its heap cannot be read without: runtime, collector,
 * assemblies, the program.
 *
 * Their unchanged pages are no memory of the process. They are taken along all the same,
 * from the files, so that a core can be read on another machine, outside of the container,
 * or after an update. It takes no stop. */

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

/* Of a copy that is read here and at once: keep of each assembly only the page that says
 * which file it is, where that is found here under its path. The reader looks for the rest
 * there (process/mapped_files.c). */
void images_leave_to_disk(struct images *images, pid_t pid, const struct patience *p);

/* Copy them to that place of the room. What cannot be read stays zero. */
void images_copy(struct images *images, pid_t pid, struct copy_room *room, uint64_t at,
                 const struct patience *p);
void images_free(struct images *images);

#endif
