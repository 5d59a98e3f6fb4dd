/* core_writer.h - what surrounds copied memory in an ELF core: header, notes, segments.
 *
 * First come the images, piece behind piece from CORE_MEMORY_AT on, then the memory, span
 * behind span, since these are copied before anything else is known; notes and the table of
 * segments follow them. Laid out as the
 * kernel does it (fs/binfmt_elf.c), so that gdb and others read it, too. */
#ifndef CORE_WRITER_H
#define CORE_WRITER_H

#include "base/input.h"
#include "collect/images.h"

#include <sys/procfs.h>

enum { CORE_MEMORY_AT = PAGE };

struct core_thread {
    pid_t id;
    int signal;
    elf_gregset_t registers;
};

/* All of it belongs to the caller. */
struct core_content {
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

#endif
