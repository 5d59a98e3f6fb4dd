/* process_copy.h - a process whose memory is to be copied into a core: that it is the one
 * meant, what /proc tells about it, and what of it lies where. It needs no diagnostics
 * socket. When to copy, and what, is for those who use it. */
#ifndef PROCESS_COPY_H
#define PROCESS_COPY_H

#include "base/input.h"
#include "base/text.h"
#include "collect/address_space.h"
#include "collect/target.h"
#include "collect/thread_freeze.h"
#include "process/processor.h"

#include <sys/procfs.h>

/* --- copying ------------------------------------------------------------------- */

/* The memory of a process that stands still, copied into a mapped file. Room is made before
 * the process is stopped, down to the pages, so that nothing but the copying itself happens
 * meanwhile. */

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
void images_find(struct images *images, const struct address_space *space,
                 const struct proc *proc);

/* Of a copy that is read here and at once: keep of each assembly only the page that says
 * which file it is, where that is found here under its path. The reader looks for the rest
 * there (process/mapped_files.h). */
void images_leave_to_disk(struct images *images, const struct proc *proc,
                          const struct patience *p);

/* Copy them to that place of the room. What cannot be read stays zero. */
void images_copy(struct images *images, pid_t pid, struct copy_room *room, uint64_t at,
                 const struct patience *p);
void images_free(struct images *images);

/* --- the core's file ----------------------------------------------------------- */

/* What surrounds copied memory in an ELF core: header, notes, segments.
 *
 * First come the images, piece behind piece from CORE_MEMORY_AT on, then the memory, span
 * behind span, since these are copied before anything else is known; notes and the table
 * of segments follow them. Laid out as the kernel does it (fs/binfmt_elf.c), so that gdb
 * and others read it, too. */

enum { CORE_MEMORY_AT = PAGE };

struct core_thread {
    pid_t id;
    int signal;
    elf_gregset_t registers;
    uint64_t thread_pointer; /* of processors that have it apart; else, or unknown, 0 */
};

/* All of it belongs to the caller. */
struct core_content {
    const struct processor *processor;
    pid_t pid;
    const char *name;      /* the kernel's 15 characters; NULL */
    const char *arguments; /* with blanks between; NULL */
    struct bytes auxv;     /* /proc/PID/auxv; may be empty */
    const struct address_space *space;
    const struct images *images;
    const struct runs *runs; /* what both have counts as it is here; each at its place */
    const struct core_thread *threads;
    size_t thread_count;
};

/* Write the rest of a core whose memory is in the file already. *size becomes that of the
 * file, which is cut there. */
bool core_write_rest(int fd, const struct core_content *c, uint64_t *size,
                     struct hd_error *err);

/* --- the copy ------------------------------------------------------------------ */

/* Strings live in the arena. */
struct process_copy {
    const struct processor *processor;
    pid_t pid;
    struct proc proc;
    struct text auxv;
    struct hd_origin origin;

    int mem; /* /proc/PID/mem */
    struct page_source pages;
    struct copy_room room;
    struct address_space space;
    struct runs runs;
    struct images images;
    struct arena arena;
};

/* The process by the pid of the options, or the socket. process_copy_close() in any case.
 */
bool process_copy_open(struct process_copy *c, const struct hd_collect_options *how,
                       struct hd_error *err);

/* Its memory and its areas: whatever may be refused. */
bool process_copy_look(struct process_copy *c, struct hd_error *err);

/* Whether the pid still is that process: HD_IO. */
bool process_copy_is_same(const struct process_copy *c, struct hd_error *err);

/* What the core has of it, with those threads. */
struct core_content process_copy_content(const struct process_copy *c,
                                         const struct core_thread *threads, size_t count);

/* The file that the room is in stays open. */
void process_copy_close(struct process_copy *c);

#endif
