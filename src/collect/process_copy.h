/* process_copy.h - a process whose memory is to be copied into a core: that it is the one
 * meant, what /proc tells about it, and what of it lies where. It needs no diagnostics
 * socket. When to copy, and what, is for those who use it. */
#ifndef PROCESS_COPY_H
#define PROCESS_COPY_H

#include "base/text.h"
#include "clr/clr.h"
#include "collect/proc.h"

#include <sys/procfs.h>

/* --- address_space.c -------------------------------------------------------- */

/* What a process has mapped, and which pages of it are worth a copy.
 *
 * From /proc/PID/maps and /proc/PID/pagemap; looking changes nothing in the process: no
 * page is touched that it has not touched itself. Pages that lie unchanged in a file of a
 * disk stay there. It must not know what a runtime is, but for the memory that one shares
 * with itself (doublemapper: data that is executed is written through a second mapping). */

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

/* --- thread_freeze.c -------------------------------------------------------- */

/* A process stands still for a moment: every thread, by ptrace.
 *
 * Safe by construction: threads are seized (PTRACE_SEIZE), not stopped by a signal, so the
 * kernel lets go of all of them when the one that holds them ends, however that ends; no
 * SIGSTOP is left behind, the parent of the process is told nothing, and a process that
 * was stopped before stays so. A signal that is on its way to a thread when that is
 * stopped is looked at without being taken (WNOWAIT): it arrives afterwards, also where
 * nobody is left to pass it on. docs/collect.md.
 *
 * It must not know what is read meanwhile. */

struct still_thread {
    pid_t id;
    int signal; /* that is on its way to it; 0 */
    bool stands, is_gone;
};

struct thread_freeze {
    pid_t pid;
    struct still_thread
        *threads; /* in the order of /proc/PID/task, those seen later last */
    size_t count, cap;
    uint64_t began_us; /* when the first was stopped, on clock_us() */
    atomic_bool is_unwanted;
};

/* What is done while it stands still; false and err, as usual. It runs in a thread of its
 * own, which holds the others, and ends soon when thread_freeze_is_unwanted(). */
struct meanwhile {
    bool (*work)(const struct thread_freeze *s, void *context, struct hd_error *err);
    void *context;
    /* Asked every 20 ms or so, in the thread of the caller; false: end. NULL: go on. */
    bool (*go_on)(void *context);
    void *go_on_context;
};

/* Stop every thread, and those that they start meanwhile, work, and let them run on.
 * *stood_us becomes the time for which they stood still. False, with all of them running,
 * if that failed or work did: HD_UNSUPPORTED says which right is missing, HD_TIMED_OUT that
 * a thread did not stop within half a second (it waits in the kernel for a disk, or for a
 * child that it vforked), HD_IO that the process has ended. */
bool thread_freeze_run(pid_t pid, const struct meanwhile *m, uint64_t *stood_us,
                       struct hd_error *err);

static inline bool thread_freeze_is_unwanted(const struct thread_freeze *s)
{
    return atomic_load_explicit(&s->is_unwanted, memory_order_relaxed);
}

/* A set of registers of one, by the type of its note (NT_PRSTATUS), size bytes of it; false
 * if the thread is gone, or has none. For the thread that works. */
bool thread_freeze_registers(const struct thread_freeze *s, size_t i, uint32_t set,
                             void *registers, size_t size);

/* --- process_copy.c --------------------------------------------------------- */

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
