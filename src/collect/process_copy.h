/* process_copy.h - a process whose memory is to be copied into a core: that it is the one
 * meant, what /proc tells about it, and what of it lies where. It needs no diagnostics
 * socket. When to copy, and what, is for those who use it. */
#ifndef PROCESS_COPY_H
#define PROCESS_COPY_H

#include "base/input.h"
#include "base/text.h"
#include "collect/copying.h"
#include "process/clr.h"

#include <sys/procfs.h>

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
    uint64_t start;        /* in clock ticks since boot: another process of that pid has
                              another */
    const char *name;      /* the kernel's 15 characters; NULL */
    const char *arguments; /* NULL */
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
