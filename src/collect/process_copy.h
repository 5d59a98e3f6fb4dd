/* process_copy.h - copies the memory of a process to a core: checks its identity, reads
 * /proc, and locates its memory. Needs no diagnostics socket. The callers decide when to
 * copy, and what. */
#ifndef PROCESS_COPY_H
#define PROCESS_COPY_H

#include "base/text.h"
#include "clr/clr.h"
#include "collect/proc.h"

#include <sys/procfs.h>

/* --- address_space.c -------------------------------------------------------- */

/* Mappings of a process, and the pages worth a copy.
 *
 * From /proc/PID/maps and /proc/PID/pagemap, without side effects: no page is touched.
 * Unchanged pages of files are not copied. Must not depend on the runtime, except for the
 * memory that it maps twice (doublemapper: data that is executed is written through a
 * second mapping). */

/* Granularity: pages of the kernel are multiples, 16 or 64 KiB on some aarch64. */
enum { PAGE = 4096 };

struct area {
    uint64_t start, end;
    uint64_t offset; /* in its file */
    uint64_t inode;
    bool readable, writable, executable, is_private;
    const char *path; /* name in the kernel; "" memory without a file */
};

/* Areas by address; strings are in the arena. */
struct address_space {
    struct area *areas;
    size_t count;
};

/* Reads the mappings. False with errno; ESRCH: the process has ended. */
bool address_space_read(struct address_space *space, pid_t pid, struct arena *arena);

/* True if the file system of an open file is in memory (tmpfs), as for memfd. */
bool is_in_memory(int fd);

/* True if it belongs to an existing file on a disk. */
bool area_is_of_file(const struct area *a);

/* --- pages to copy ------------------------------------------------------------ */

/* Adjacent pages of an area. */
struct run {
    uint64_t address, size;
    const struct area *area;
    bool is_shared; /* read through the shared file, not through the process */
    uint64_t at;    /* offset in the copy */
};

/* Runs and the untouched memory between them, which reads as zeros and becomes a hole in
 * the file. */
struct span {
    uint64_t address, size;
    const struct area *area;
    uint64_t at;
};

/* Sorted by address; malloc'd. */
struct runs {
    struct run *all;
    size_t count, cap;
    struct span *spans;
    size_t span_count, span_cap;
    uint64_t size;      /* sum of runs */
    uint64_t span_size; /* sum of spans */
};

/* Sources for looking up pages, open during the examination. */
struct page_source {
    int pages;  /* /proc/PID/pagemap */
    int shared; /* the file of the doublemapper; or -1 */
    uint64_t shared_inode;
    uint64_t page; /* page size of pagemap entries */
};

bool page_source_open(struct page_source *p, pid_t pid, struct hd_error *err);
void page_source_close(struct page_source *p);

/* Finds the pages that the process has written: private memory, and the shared memory of
 * the doublemapper. False if the kernel lacks support. */
bool runs_find(struct runs *runs, const struct page_source *from,
               const struct address_space *space, struct hd_error *err);
void runs_free(struct runs *runs);

/* --- thread_freeze.c -------------------------------------------------------- */

/* Freezes a process for a moment: every thread, by ptrace.
 *
 * Safe by construction: threads are seized (PTRACE_SEIZE), not stopped by a signal, so the
 * kernel releases all threads when the tracing thread ends in any way; no SIGSTOP remains,
 * the parent of the process is not notified, and a stopped process stays stopped. A signal
 * pending for a thread at that moment is read without being consumed (WNOWAIT): it is
 * delivered later, even if this process is killed. docs/collect.md.
 *
 * Must not depend on what is read. */

struct frozen_thread {
    pid_t id;
    int signal; /* pending for it; or 0 */
    bool stands, is_gone;
};

struct thread_freeze {
    pid_t pid;
    struct frozen_thread *threads; /* in the order of /proc/PID/task, later ones last */
    size_t count, cap;
    uint64_t began_us; /* first stop, on clock_us() */
    atomic_bool is_unwanted;
};

/* Work during the freeze; false and err on failure. It runs in the tracing thread, and must
 * end soon when thread_freeze_is_unwanted(). */
struct meanwhile {
    bool (*work)(const struct thread_freeze *s, void *context, struct hd_error *err);
    void *context;
    /* Called about every 20 ms, in the thread of the caller; false cancels. NULL: always
     * continue. */
    bool (*go_on)(void *context);
    void *go_on_context;
};

/* Stops every thread, including those started in that time, does the work, and resumes
 * them. *frozen_us is the duration of the freeze. False, with all threads running, if the
 * freeze or the work failed: HD_UNSUPPORTED names the missing right, HD_TIMED_OUT: a thread
 * did not stop within half a second (it waits in the kernel for a disk, or for a vforked
 * child), HD_IO: the process has ended. */
bool thread_freeze_run(pid_t pid, const struct meanwhile *m, uint64_t *frozen_us,
                       struct hd_error *err);

static inline bool thread_freeze_is_unwanted(const struct thread_freeze *s)
{
    return atomic_load_explicit(&s->is_unwanted, memory_order_relaxed);
}

/* Reads a register set of a thread, by the type of its note (NT_PRSTATUS), at most size
 * bytes; false if the thread has ended or lacks the set. For the tracing thread only. */
bool thread_freeze_registers(const struct thread_freeze *s, size_t i, uint32_t set,
                             void *registers, size_t size);

/* --- process_copy.c --------------------------------------------------------- */

/* A mapped file. */
struct copy_output {
    int fd;
    unsigned char *bytes; /* NULL: not mapped yet */
    uint64_t size;
    bool lets_go; /* of a file on a disk: release written pages */
};

/* Files of a .NET process that are required to read its heap: runtime, collector,
 * assemblies, the program.
 *
 * Their unchanged pages are not memory of the process, but are copied from the files, so
 * that a core can be read on another machine, outside of the container, or after an update.
 * Needs no stop. */
struct images {
    struct image_piece {
        const struct area *area;
        uint64_t size;
        uint64_t at; /* offset from the start of all images */
    } * all;         /* by address; malloc'd */
    size_t count, cap;
    uint64_t size; /* sum */
};

/* Strings are in the arena. */
struct process_copy {
    const struct processor *processor;
    pid_t pid;
    struct proc proc;
    struct text auxv;
    struct hd_origin origin;

    int mem; /* /proc/PID/mem */
    struct page_source pages;
    struct copy_output output;
    struct address_space space;
    struct runs runs;
    struct images images;
    struct arena arena;
};

/* Opens the process that the options select by pid or socket. Call process_copy_close() in
 * any case. */
bool process_copy_open(struct process_copy *c, const struct hd_collect_options *how,
                       struct hd_error *err);

/* Opens its memory and reads its mappings: everything that may be denied. */
bool process_copy_look(struct process_copy *c, struct hd_error *err);

/* Checks that the pid is still the same process: HD_IO. */
bool process_copy_is_same(const struct process_copy *c, struct hd_error *err);

/* Does not close the file of the output. */
void process_copy_close(struct process_copy *c);

/* --- copying ------------------------------------------------------------------- */

/* Layout: images, one after the other, then memory, span after span, since their sizes are
 * known first. Space is allocated, including its pages, before the process is stopped, so
 * that the stop contains only the copying. */
enum { CORE_MEMORY_AT = PAGE };

static inline uint64_t process_copy_runs_at(const struct process_copy *c)
{
    return CORE_MEMORY_AT + c->images.size;
}

/* Maps size bytes of the file, which is extended without allocating disk space. */
bool copy_output_make(struct copy_output *output, uint64_t size, struct hd_error *err);

/* Copies size bytes of a file or process memory from an offset. Returns the number: fewer
 * at the end, or if memory was freed. */
uint64_t copy_from(int fd, unsigned char *to, uint64_t size, uint64_t from);

/* Finds the images in its areas. */
void images_find(struct process_copy *c);

/* For a copy that is read immediately on this machine: keeps only the page of each assembly
 * that identifies its file, if that exists here under its path. The reader reads the rest
 * there (process/mapped_files.h). */
void images_leave_to_disk(struct process_copy *c, const struct patience *p);

/* Copies them to their offsets. Unreadable parts are zero. */
void images_copy(struct process_copy *c, const struct patience *p);

/* Does the same, and allocates the space for the whole copy, including its pages. */
bool process_copy_prepare(struct process_copy *c, const struct patience *p,
                          struct hd_error *err);

/* Copies the memory of a frozen process, in several threads, until a deadline on
 * clock_us(). False and err: HD_CANCELLED if cancelled, HD_TIMED_OUT, HD_IO. */
bool copy_runs(struct process_copy *c, const struct thread_freeze *frozen,
               uint64_t deadline, struct hd_error *err);

/* --- the core's file ----------------------------------------------------------- */

struct core_thread {
    pid_t id;
    int signal;
    elf_gregset_t registers;
    uint64_t thread_pointer; /* on processors with a separate one; else, or if unknown, 0 */
};

/* Writes everything except the memory: header, notes, and the table of segments, which
 * follow it. In the kernel's layout (fs/binfmt_elf.c), so that gdb and others can read it.
 * Truncates the file to its final *size. */
bool core_write_rest(int fd, const struct process_copy *c,
                     const struct core_thread *threads, size_t count, uint64_t *size,
                     struct hd_error *err);

#endif
