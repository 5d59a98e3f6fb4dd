/* address_space.h - what a process has mapped, and which pages of it are worth a copy.
 *
 * From /proc/PID/maps and /proc/PID/pagemap; looking changes nothing in the process: no
 * page is touched that it has not touched itself. Pages that lie unchanged in a file of a
 * disk stay there. It must not know what a runtime is, but for the memory that one shares
 * with itself (doublemapper: data that is executed is written through a second mapping). */
#ifndef ADDRESS_SPACE_H
#define ADDRESS_SPACE_H

#include "base/arena.h"
#include "heapdrift.h"

#include <sys/types.h>

/* What the kernel's pages are a multiple of: those of aarch64 may have 16 or 64 KiB. */
enum { PAGE = 4096 };

struct area {
    uint64_t start, end;
    uint64_t offset; /* in its file */
    uint64_t inode;
    bool readable, writable, executable, is_private;
    const char *path; /* as the kernel names it; "" memory without a file */
};

/* Areas by address; strings in the arena. */
struct address_space {
    struct area *areas;
    size_t count;
};

/* False when it cannot be read, with what errno says; ESRCH: it has ended. */
bool address_space_read(struct address_space *space, pid_t pid, struct arena *arena);

/* Whether the file system of an open file is in memory (tmpfs), as that of memfd is. */
bool is_in_memory(int fd);

/* Whether it is a file on a disk that is still there. */
bool area_is_of_file(const struct area *a);

/* --- pages to copy ------------------------------------------------------------ */

/* Side by side, of one area. */
struct run {
    uint64_t address, size;
    const struct area *area;
    bool is_shared; /* through the file that it is shared by, not through the process */
    uint64_t at;    /* where a copy goes, from the beginning of all */
};

/* Memory that the process has, and between runs of it what it has not touched: that reads
 * as zeros, and takes no place in a file with holes. */
struct span {
    uint64_t address, size;
    const struct area *area;
    uint64_t at;
};

/* malloc'd, by address. */
struct runs {
    struct run *all;
    size_t count, cap;
    struct span *spans;
    size_t span_count, span_cap;
    uint64_t size;      /* of all runs */
    uint64_t span_size; /* of all spans */
};

/* Where pages are looked up: open while the process is looked at. */
struct page_source {
    int pages;  /* /proc/PID/pagemap */
    int shared; /* the file of the doublemapper; -1 none */
    uint64_t shared_inode;
    uint64_t page; /* size of those that pagemap has entries of */
};

bool page_source_open(struct page_source *p, pid_t pid, struct hd_error *err);
void page_source_close(struct page_source *p);

/* Those that the process has written: of private memory, and what it shares with itself.
 * False if the kernel does not tell. */
bool runs_find(struct runs *runs, const struct page_source *from,
               const struct address_space *space, struct hd_error *err);
void runs_free(struct runs *runs);

#endif
