#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_PATH */
#include "collect/process_copy.h"

#include "base/error.h"
#include "base/text.h"
#include "base/workers.h"
#include "clr/clr.h"
#include "collect/proc.h"
#include "heap/process_facts.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- output -------------------------------------------------------------------- */

static void copy_output_free(struct copy_output *output)
{
    if (output->bytes != NULL)
        munmap(output->bytes, (size_t)output->size);
    output->bytes = NULL;
    output->size = 0;
}

bool copy_output_make(struct copy_output *output, uint64_t size, struct hd_error *err)
{
    copy_output_free(output);
    if (ftruncate(output->fd, (off_t)size) != 0)
        return fail(err, HD_IO, "cannot write: %s", strerror(errno));
    void *bytes = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE, output->fd, 0);
    if (bytes == MAP_FAILED)
        return fail(err, HD_IO, "no room for a copy: %s", strerror(errno));
    output->bytes = bytes;
    output->size = size;
    return true;
}

/* A write to a mapped page that the disk, or the memory of its file system, has no room for
 * ends the program. */
static bool fill(struct copy_output *output, uint64_t at, uint64_t size,
                 struct hd_error *err)
{
    enum { POPULATE_WRITE = 23 };
    int why = size > 0 ? posix_fallocate(output->fd, (off_t)at, (off_t)size) : 0;
    if (why != 0)
        return fail(err, HD_IO, "cannot write: %s", strerror(why));
    /* Kernels before 5.14 have no word for it: then it is done by hand. */
    if (!output->lets_go && madvise(output->bytes + at, (size_t)size, POPULATE_WRITE) != 0)
        for (uint64_t page = 0; page < size; page += PAGE)
            *(volatile unsigned char *)(output->bytes + at + page) = 0;
    return true;
}

/* Releases written pages, which are not read soon. */
static void let_go(const struct copy_output *output, uint64_t at, uint64_t size)
{
    if (output->lets_go)
        madvise(output->bytes + at, (size_t)size, MADV_DONTNEED);
}

/* --- copying ------------------------------------------------------------------- */

uint64_t copy_from(int fd, unsigned char *to, uint64_t size, uint64_t from)
{
    uint64_t done = 0;
    while (done < size) {
        ssize_t n = pread(fd, to + done, (size_t)(size - done), (off_t)(from + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (uint64_t)n;
    }
    return done;
}

enum { PART = 2 << 20, MAX_COPIERS = 8 };

/* A run, or a part of a long one. */
struct process_copy_part {
    const struct run *run;
    uint64_t from, size, to;
};

struct process_copy_job {
    struct process_copy *what;
    const struct thread_freeze *frozen;
    uint64_t deadline;
    struct process_copy_part *parts;
    size_t count, cap;
    atomic_uint_fast64_t unreadable; /* the address of a page that was not there; 0 */
};

static bool copy_process(pid_t pid, const struct process_copy_part *p, void *to)
{
    struct iovec local = {to, (size_t)p->size};
    while (local.iov_len > 0) {
        struct iovec remote = {.iov_len = local.iov_len};
        uint64_t there = p->from + p->size - local.iov_len;
        memcpy(&remote.iov_base, &there, sizeof(there));
        long n = syscall(SYS_process_vm_readv, (long)pid, &local, 1L, &remote, 1L, 0L);
        if (n <= 0)
            return false;
        local.iov_base = (unsigned char *)local.iov_base + n;
        local.iov_len -= (size_t)n;
    }
    return true;
}

static bool copy_part(void *context, size_t i)
{
    struct process_copy_job *job = context;
    const struct process_copy_part *p = &job->parts[i];
    unsigned char *to = job->what->output.bytes + p->to;
    if (thread_freeze_is_unwanted(job->frozen) || clock_us() >= job->deadline)
        return false;
    uint64_t offset = p->run->area->offset + (p->from - p->run->area->start);
    bool ok = p->run->is_shared
                  ? copy_from(job->what->pages.shared, to, p->size, offset) == p->size
                  : copy_process(job->frozen->pid, p, to);
    let_go(&job->what->output, p->to, p->size);
    if (!ok)
        atomic_store(&job->unreadable, p->from);
    return ok;
}

bool copy_runs(struct process_copy *c, const struct thread_freeze *frozen,
               uint64_t deadline, struct hd_error *err)
{
    struct process_copy_job job = {.what = c, .frozen = frozen, .deadline = deadline};
    const uint64_t at = process_copy_runs_at(c);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    for (size_t i = 0; i < c->runs.count; i++)
        for (uint64_t done = 0, size; done < c->runs.all[i].size; done += size) {
            const struct run *run = &c->runs.all[i];
            size = run->size - done < PART ? run->size - done : PART;
            job.parts = grow(job.parts, job.count, &job.cap, sizeof(*job.parts));
            job.parts[job.count++] = (struct process_copy_part){run, run->address + done,
                                                                size, at + run->at + done};
        }
    unsigned copiers = n < 1 ? 1 : n > MAX_COPIERS ? MAX_COPIERS : (unsigned)n;
    workers_run(job.count, copiers, copy_part, &job);
    free(job.parts);
    uint64_t unreadable = atomic_load(&job.unreadable);
    if (thread_freeze_is_unwanted(frozen))
        return fail(err, HD_CANCELLED, "stopped");
    if (unreadable != 0)
        return fail(err, HD_IO, "cannot read its memory at 0x%llx; has it exited?",
                    (unsigned long long)unreadable);
    return clock_us() < deadline ||
           fail_about(err, HD_ABOUT_SILENCE, HD_TIMED_OUT,
                      "its memory was not copied in time; the process continues");
}

/* --- images -------------------------------------------------------------------- */

/* Maximum per area: a single-file program may have 200 MiB. */
static const uint64_t most = (uint64_t)1 << 30;

void images_find(struct process_copy *c)
{
    struct images *images = &c->images;
    images->count = 0;
    images->size = 0;
    for (size_t i = 0; i < c->space.count; i++) {
        const struct area *a = &c->space.areas[i];
        uint64_t size = a->end - a->start;
        bool is_image = runtime_library_is(a->path) || path_ends_in(a->path, ".dll") ||
                        path_ends_in(a->path, ".exe") ||
                        (c->proc.exe != NULL && strcmp(a->path, c->proc.exe) == 0);
        if (!a->readable || !area_is_of_file(a) || size > most || !is_image)
            continue;
        images->all = grow(images->all, images->count, &images->cap, sizeof(*images->all));
        images->all[images->count++] = (struct image_piece){a, size, images->size};
        images->size += size;
    }
}

struct process_copy_visit {
    const struct images *images;
    unsigned char *to; /* NULL: only see which are there */
};

/* Answers with a byte per image: true if its file, below the root of its process, still is
 * that file and, with `to`, was copied. */
static int visit_files(const struct inside *at, void *context, struct text *answer)
{
    const struct process_copy_visit *v = context;
    for (size_t i = 0; i < v->images->count; i++) {
        const struct image_piece *p = &v->images->all[i];
        struct stat st;
        int file = inside_open(&(struct inside){at->root, p->area->path}, O_PATH);
        if (file >= 0 && (fstat(file, &st) != 0 || !S_ISREG(st.st_mode) ||
                          (uint64_t)st.st_ino != p->area->inode)) {
            close(file);
            file = -1;
        }
        if (file >= 0 && v->to != NULL)
            file = others_open_held(file);
        if (file >= 0 && v->to != NULL)
            copy_from(file, v->to + p->at, p->size, p->area->offset);
        text_add_char(answer, file >= 0 ? 1 : 0);
        close_quietly(file);
    }
    errno = 0;
    return -1;
}

/* Works in a child, since a file system may never answer. The mapping is shared. */
static struct text visit_images(const struct process_copy *c, bool copies,
                                const struct patience *p)
{
    struct process_copy_visit v = {&c->images,
                                   copies ? c->output.bytes + CORE_MEMORY_AT : NULL};
    const struct other_work work = {.work = visit_files, .context = &v};
    struct text is_there = {0};
    int none;
    others_run(proc_path(c->pid, "root/").text, &work, p, &is_there, &none);
    while (is_there.len < c->images.count)
        text_add_char(&is_there, false);
    return is_there;
}

void images_leave_to_disk(struct process_copy *c, const struct patience *p)
{
    struct images *images = &c->images;
    size_t len = 0;
    if (!c->proc.same_files)
        return;
    struct text is_there = visit_images(c, false, p);
    images->size = 0;
    for (size_t i = 0; i < images->count; i++) {
        struct image_piece piece = images->all[i];
        if (is_there.data[i] && path_ends_in(piece.area->path, ".dll"))
            piece.size = piece.area->offset == 0 ? PAGE : 0;
        piece.at = images->size;
        images->size += piece.size;
        if (piece.size > 0)
            images->all[len++] = piece;
    }
    images->count = len;
    text_free(&is_there);
}

/* Pages of deleted files are read from the process. */
void images_copy(struct process_copy *c, const struct patience *p)
{
    struct text is_there = visit_images(c, true, p);
    for (size_t i = 0; c->mem >= 0 && i < c->images.count; i++) {
        const struct image_piece *piece = &c->images.all[i];
        if (!is_there.data[i])
            copy_from(c->mem, c->output.bytes + CORE_MEMORY_AT + piece->at, piece->size,
                      piece->area->start);
    }
    text_free(&is_there);
}

bool process_copy_prepare(struct process_copy *c, const struct patience *p,
                          struct hd_error *err)
{
    const uint64_t part = (uint64_t)64 << 20, at = process_copy_runs_at(c);
    if (!fill(&c->output, CORE_MEMORY_AT, c->images.size, err))
        return false;
    images_copy(c, p);
    let_go(&c->output, CORE_MEMORY_AT, c->images.size);
    for (size_t i = 0; i < c->runs.count; i++)
        for (uint64_t done = 0; done < c->runs.all[i].size; done += part) {
            uint64_t left = c->runs.all[i].size - done;
            if (!patience_goes_on(p))
                return fail(err, HD_CANCELLED, "stopped");
            if (!fill(&c->output, at + c->runs.all[i].at + done, left < part ? left : part,
                      err))
                return false;
        }
    return true;
}

/* --- the core's file ----------------------------------------------------------- */

/* The rest of the file, written after the memory. */
struct rest {
    const struct process_copy *of;
    const struct core_thread *threads;
    size_t thread_count;
    struct text notes;
    uint64_t notes_at, segments_at;
    Elf64_Phdr *segments; /* of memory */
    size_t segment_count, cap;
};

/* --- notes --------------------------------------------------------------------- */

static void add_note_of(struct rest *r, const char *owner, uint32_t type, const void *bytes,
                        size_t size)
{
    const Elf64_Nhdr head = {.n_namesz = (uint32_t)strlen(owner) + 1,
                             .n_descsz = (uint32_t)size,
                             .n_type = type};
    text_add(&r->notes, &head, sizeof(head));
    text_add(&r->notes, owner, head.n_namesz);
    text_add(&r->notes, "\0\0\0", -r->notes.len % 4);
    text_add(&r->notes, bytes, size);
    text_add(&r->notes, "\0\0\0", -r->notes.len % 4);
}

/* Facts from before the stop. */
static void add_facts(struct rest *r)
{
    struct text line = {0};
    process_facts_put(&r->of->origin.facts, &line);
    if (line.len > 0)
        add_note_of(r, CORE_NOTE, CORE_NOTE_FACTS, line.data, line.len);
    text_free(&line);
}

static void add_note(struct rest *r, uint32_t type, const void *bytes, size_t size)
{
    add_note_of(r, "CORE", type, bytes, size);
}

static void add_u64(struct text *t, uint64_t n)
{
    text_add(t, &n, sizeof(n));
}

/* Count and unit, a triple for each, then their names; offsets in units. */
static void add_files(struct rest *r)
{
    const struct address_space *space = &r->of->space;
    struct text triples = {0}, names = {0}, note = {0};
    uint64_t count = 0;
    for (size_t i = 0; i < space->count; i++) {
        const struct area *a = &space->areas[i];
        if (a->path[0] != '/')
            continue;
        add_u64(&triples, a->start);
        add_u64(&triples, a->end);
        add_u64(&triples, a->offset / PAGE);
        text_add(&names, a->path, strlen(a->path) + 1);
        count++;
    }
    add_u64(&note, count);
    add_u64(&note, PAGE);
    if (count > 0) {
        text_add(&note, triples.data, triples.len);
        text_add(&note, names.data, names.len);
    }
    add_note(r, NT_FILE, note.data, note.len);
    text_free(&note);
    text_free(&names);
    text_free(&triples);
}

/* The first thread, then what is of the process, then the others, as the kernel does. */
static void add_notes(struct rest *r)
{
    const struct process_copy *c = r->of;
    const uint32_t note = c->processor->thread_pointer_note;
    for (size_t i = 0; i < r->thread_count; i++) {
        const struct core_thread *t = &r->threads[i];
        struct elf_prstatus status = {.pr_pid = t->id, .pr_cursig = (short)t->signal};
        struct elf_prpsinfo info = {.pr_sname = 'R', .pr_pid = c->pid};
        memcpy(&status.pr_reg, &t->registers, sizeof(t->registers));
        add_note(r, NT_PRSTATUS, &status, sizeof(status));
        if (note != 0 && t->thread_pointer != 0)
            add_note_of(r, "LINUX", note, &t->thread_pointer, sizeof(t->thread_pointer));
        if (i > 0)
            continue;
        if (c->proc.short_name != NULL)
            snprintf(info.pr_fname, sizeof(info.pr_fname), "%s", c->proc.short_name);
        if (c->proc.command != NULL)
            snprintf(info.pr_psargs, sizeof(info.pr_psargs), "%s", c->proc.command);
        add_note(r, NT_PRPSINFO, &info, sizeof(info));
        if (c->auxv.len > 0)
            add_note(r, NT_AUXV, c->auxv.data, c->auxv.len);
        add_files(r);
    }
    add_facts(r);
}

/* --- segments ------------------------------------------------------------------ */

static void add_segment(struct rest *r, const struct area *area, uint64_t address,
                        uint64_t size, uint64_t at)
{
    r->segments = grow(r->segments, r->segment_count, &r->cap, sizeof(*r->segments));
    r->segments[r->segment_count++] = (Elf64_Phdr){
        .p_type = PT_LOAD,
        .p_flags = PF_R | (area->writable ? PF_W : 0) | (area->executable ? PF_X : 0),
        .p_offset = at,
        .p_vaddr = address,
        .p_filesz = size,
        .p_memsz = size,
        .p_align = PAGE};
}

/* Adds the parts of an image that no span has. *next: the first span that does not end
 * before it. */
static void add_image(struct rest *r, const struct image_piece *p, size_t *next)
{
    const struct span *spans = r->of->runs.spans;
    const size_t count = r->of->runs.span_count;
    uint64_t start = p->area->start, end = start + p->size, at = start;
    while (*next < count && spans[*next].address + spans[*next].size <= start)
        ++*next;
    for (size_t i = *next; i < count && spans[i].address < end; i++) {
        if (spans[i].address > at)
            add_segment(r, p->area, at, spans[i].address - at,
                        CORE_MEMORY_AT + p->at + (at - start));
        at = spans[i].address + spans[i].size;
    }
    if (at < end)
        add_segment(r, p->area, at, end - at, CORE_MEMORY_AT + p->at + (at - start));
}

static int process_copy_by_address(const void *a, const void *b)
{
    const Elf64_Phdr *x = a, *y = b;
    return (x->p_vaddr > y->p_vaddr) - (x->p_vaddr < y->p_vaddr);
}

static void add_segments(struct rest *r)
{
    const struct process_copy *c = r->of;
    const uint64_t at = process_copy_runs_at(c);
    size_t next = 0;
    for (size_t i = 0; i < c->images.count; i++)
        add_image(r, &c->images.all[i], &next);
    for (size_t i = 0; i < c->runs.span_count; i++) {
        const struct span *s = &c->runs.spans[i];
        add_segment(r, s->area, s->address, s->size, at + s->at);
    }
    if (r->segment_count > 0)
        qsort(r->segments, r->segment_count, sizeof(*r->segments), process_copy_by_address);
}

/* --- the file ------------------------------------------------------------------ */

static bool process_copy_put(int fd, uint64_t at, const void *bytes, size_t size,
                             struct hd_error *err)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(fd, (const char *)bytes + done, size - done, (off_t)(at + done));
        if (n < 0 && errno != EINTR)
            return fail(err, HD_IO, "cannot write: %s", strerror(errno));
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* More segments than the header can count are counted in the first section. */
static bool put_head(int fd, const struct rest *r, uint64_t *size, struct hd_error *err)
{
    size_t count = r->segment_count + 1;
    Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
                                   ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_CORE,
                       .e_machine = (Elf64_Half)r->of->processor->machine,
                       .e_version = EV_CURRENT,
                       .e_phoff = r->segments_at,
                       .e_ehsize = sizeof(head),
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = (uint16_t)count};
    *size = r->segments_at + count * sizeof(Elf64_Phdr);
    if (count >= PN_XNUM) {
        const Elf64_Shdr section = {
            .sh_type = SHT_NULL, .sh_size = 1, .sh_info = (uint32_t)count};
        head.e_phnum = PN_XNUM;
        head.e_shoff = *size;
        head.e_shnum = 1;
        head.e_shentsize = sizeof(section);
        if (!process_copy_put(fd, *size, &section, sizeof(section), err))
            return false;
        *size += sizeof(section);
    }
    return process_copy_put(fd, 0, &head, sizeof(head), err);
}

bool core_write_rest(int fd, const struct process_copy *c,
                     const struct core_thread *threads, size_t count, uint64_t *size,
                     struct hd_error *err)
{
    struct rest r = {.of = c,
                     .threads = threads,
                     .thread_count = count,
                     .notes_at = process_copy_runs_at(c) + c->runs.span_size};
    add_notes(&r);
    add_segments(&r);
    r.segments_at = (r.notes_at + r.notes.len + 7) / 8 * 8;
    const Elf64_Phdr notes = {
        .p_type = PT_NOTE, .p_offset = r.notes_at, .p_filesz = r.notes.len, .p_align = 4};
    bool ok = process_copy_put(fd, r.notes_at, r.notes.data, r.notes.len, err) &&
              process_copy_put(fd, r.segments_at, &notes, sizeof(notes), err) &&
              process_copy_put(fd, r.segments_at + sizeof(notes), r.segments,
                               r.segment_count * sizeof(*r.segments), err) &&
              put_head(fd, &r, size, err);
    if (ok && ftruncate(fd, (off_t)*size) != 0)
        ok = fail(err, HD_IO, "cannot write: %s", strerror(errno));
    text_free(&r.notes);
    free(r.segments);
    return ok;
}

/* --- the copy ------------------------------------------------------------------ */

/* Registers, layouts and the written core are for one machine. */
bool process_copy_open(struct process_copy *c, const struct hd_collect_options *how,
                       struct hd_error *err)
{
    static const struct patience brief = {.silence_ms = 1000};
    struct target found = {.socket = "", .pid = (pid_t)how->pid, .visible = how->pid > 0};
    *c = (struct process_copy){
        .mem = -1, .pages = {.pages = -1, .shared = -1}, .output = {.fd = -1}};
    c->processor = processor_here();
    if (c->processor == NULL)
        return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                          "the memory of processes can only be read on " PROCESSORS_READ);
    if (how->socket != NULL &&
        !target_at_socket(&found, how->socket, &brief, &c->arena, err))
        return false;
    if (how->socket == NULL && how->pid > INT32_MAX)
        return fail(err, HD_IO, "no process %" PRIu64, how->pid);
    c->pid = found.pid;
    if (found.visible && proc_is_hidden(found.pid))
        return fail(err, HD_IO,
                    "process %ld is hidden from this user by /proc (hidepid): run "
                    "heapdrift as its user, or as root",
                    (long)found.pid);
    if (!found.visible)
        return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                          "the process is in another pid namespace, so its memory cannot "
                          "be read from here");
    if (!proc_read(&c->proc, found.pid, &c->arena))
        return fail(err, HD_IO, "no process %ld", (long)found.pid);
    found.proc = &c->proc;
    c->origin = origin_of(&found);
    proc_read_file(c->pid, "auxv", &c->auxv);
    return true;
}

bool process_copy_look(struct process_copy *c, struct hd_error *err)
{
    c->mem = others_open(c->pid, "mem", O_RDONLY);
    return (c->mem >= 0 && address_space_read(&c->space, c->pid, &c->arena)) ||
           denied_or_ended(c->pid, err);
}

bool process_copy_is_same(const struct process_copy *c, struct hd_error *err)
{
    return proc_start(c->pid) == c->proc.start ||
           fail(err, HD_IO, "the process has exited");
}

void process_copy_close(struct process_copy *c)
{
    copy_output_free(&c->output);
    close_quietly(c->mem);
    page_source_close(&c->pages);
    runs_free(&c->runs);
    free(c->images.all);
    text_free(&c->auxv);
    arena_free(&c->arena);
}
