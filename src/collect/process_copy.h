/* process_copy.h - a process whose memory is to be copied into a core: that it is the one
 * meant, what /proc tells about it, and what of it lies where. It needs no diagnostics
 * socket. When to copy, and what, is for those who use it. */
#ifndef PROCESS_COPY_H
#define PROCESS_COPY_H

#include "base/text.h"
#include "clr/clr.h"
#include "collect/address_space.h"
#include "collect/proc.h"
#include "collect/thread_freeze.h"

#include <sys/procfs.h>

/* --- the copy ------------------------------------------------------------------ */

/* A file, mapped. */
struct copy_room {
    int fd;
    unsigned char *bytes; /* NULL: none yet */
    uint64_t size;
    bool lets_go; /* pages of a file on a disk do not stay in the memory of this process */
};

/* The files of a .NET process that its heap cannot be read without: runtime, collector,
 * assemblies, the program.
 *
 * Their unchanged pages are no memory of the process. They are taken along all the same,
 * from the files, so that a core can be read on another machine, outside of the container,
 * or after an update. It takes no stop. */
struct images {
    struct image_piece {
        const struct area *area;
        uint64_t size;
        uint64_t at; /* from the beginning of all on */
    } * all;         /* by address; malloc'd */
    size_t count, cap;
    uint64_t size; /* of all */
};

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

/* The file that the room is in stays open. */
void process_copy_close(struct process_copy *c);

/* --- copying ------------------------------------------------------------------- */

/* First come the images, piece behind piece from here on, then the memory, span behind
 * span, since these are copied before anything else is known. Room is made before the
 * process is stopped, down to the pages, so that nothing but the copying itself happens
 * meanwhile. */
enum { CORE_MEMORY_AT = PAGE };

static inline uint64_t process_copy_runs_at(const struct process_copy *c)
{
    return CORE_MEMORY_AT + c->images.size;
}

/* Map so many bytes of the file: it gets as long, but takes no place yet. */
bool copy_room_make(struct copy_room *room, uint64_t size, struct hd_error *err);

/* Copy so many bytes of a file, or of the memory of a process, from a place on. How many:
 * fewer where it ends, or was given back. */
uint64_t copy_from(int fd, unsigned char *to, uint64_t size, uint64_t from);

/* The images among its areas. */
void images_find(struct process_copy *c);

/* Of a copy that is read here and at once: keep of each assembly only the page that says
 * which file it is, where that is found here under its path. The reader looks for the rest
 * there (process/mapped_files.h). */
void images_leave_to_disk(struct process_copy *c, const struct patience *p);

/* Copy them to their place. What cannot be read stays zero. */
void images_copy(struct process_copy *c, const struct patience *p);

/* The same, and see that the file has room for all that is to be copied, and that its pages
 * are there. */
bool process_copy_prepare(struct process_copy *c, const struct patience *p,
                          struct hd_error *err);

/* The memory of a process that stands still, on several threads, until a time on
 * clock_us(). False and err: HD_STOPPED when it is unwanted, HD_TIMED_OUT, HD_IO. */
bool copy_runs(struct process_copy *c, const struct thread_freeze *still, uint64_t deadline,
               struct hd_error *err);

/* --- the core's file ----------------------------------------------------------- */

struct core_thread {
    pid_t id;
    int signal;
    elf_gregset_t registers;
    uint64_t thread_pointer; /* of processors that have it apart; else, or unknown, 0 */
};

/* Write what surrounds the memory that is in the file already: header, notes, and the table
 * of segments, which follow it. Laid out as the kernel does it (fs/binfmt_elf.c), so that
 * gdb and others read it, too. *size becomes that of the file, which is cut there. */
bool core_write_rest(int fd, const struct process_copy *c,
                     const struct core_thread *threads, size_t count, uint64_t *size,
                     struct hd_error *err);

#endif
