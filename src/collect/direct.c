/* Writes a core of a running process by copying its memory while it is frozen: examine,
 * freeze, check that the heap is consistent, copy, resume. The file's headers and tables
 * are written after the process has resumed. */
#include "base/error.h"
#include "base/input.h"
#include "clr/clr.h"
#include "collect/find_target.h"
#include "collect/process_copy.h"

#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- the runtime --------------------------------------------------------------- */

/* The address of the collector's variable that shows whether its heap may be walked. Read
 * without stopping the process: the library and the variable never move. */

/* Maximum for the library and its variables; a single-file program is larger, and this
 * bounds it. */
enum { MAX_OF_AN_AREA = 256 << 20 };

/* --- its memory ---------------------------------------------------------------- */

struct direct_pieces {
    struct memory_piece *all;
    size_t count, cap;
    struct arena *arena;
};

/* Reads an image from its first area, including the variables after it, which have no file.
 * Programs for aarch64 have gaps between their parts, which the kernel frees. */
static size_t read_image(struct direct_pieces *p, int mem,
                         const struct address_space *space, size_t first)
{
    size_t i = first;
    const char *path = space->areas[first].path;
    do {
        const struct area *a = &space->areas[i];
        uint64_t size = a->end - a->start;
        if (!a->readable || size > MAX_OF_AN_AREA)
            continue;
        unsigned char *bytes = arena_alloc(p->arena, (size_t)size);
        ssize_t n = pread(mem, bytes, (size_t)size, (off_t)a->start);
        if (n <= 0)
            continue;
        p->all = grow(p->all, p->count, &p->cap, sizeof(*p->all));
        p->all[p->count++] = (struct memory_piece){a->start, (uint64_t)n, bytes};
    } while (++i < space->count && (strcmp(space->areas[i].path, path) == 0 ||
                                    (space->areas[i].path[0] == '\0' &&
                                     space->areas[i].start == space->areas[i - 1].end)));
    return i;
}

/* The address of gc_structures_invalid_cnt (32 bits); 0 and err, HD_UNSUPPORTED, if there
 * is no .NET runtime in the process, or one that is not known. */
static uint64_t live_heap_count_address(const struct process_copy *of, struct hd_error *err)
{
    const struct address_space *space = &of->space;
    struct bytes auxv = {(unsigned char *)of->auxv.data, of->auxv.len};
    struct arena arena = {0};
    struct direct_pieces pieces = {.arena = &arena};
    struct clr_process p = {.program_headers = clr_program_headers(auxv)};
    p.mappings = arena_array(&arena, struct image_mapping, space->count);
    for (size_t i = 0; i < space->count; i++) {
        const struct area *a = &space->areas[i];
        if (a->path[0] == '/')
            p.mappings[p.mapping_count++] =
                (struct image_mapping){a->start, a->end, a->offset, a->path, 0};
    }
    for (size_t i = 0; i < space->count;) {
        const struct area *a = &space->areas[i];
        bool is_program = p.program_headers >= a->start && p.program_headers < a->end;
        i = is_program || (a->offset == 0 && runtime_library_is(a->path))
                ? read_image(&pieces, of->mem, space, i)
                : i + 1;
    }
    p.pieces = pieces.all;
    p.piece_count = pieces.count;
    uint64_t at = clr_heap_count_address(&p, &arena, err);
    free(pieces.all);
    arena_free(&arena);
    return at;
}

/* --- the copy ------------------------------------------------------------------ */

/* A collection lasts milliseconds: maximum number of stops, and pauses between them, which
 * double. */
enum { MAX_TRIES = 100, FIRST_PAUSE_MS = 1, LONGEST_PAUSE_MS = 100 };

struct direct {
    struct hd_collect_options *how;
    struct process_copy of; /* its arena is for all tries: about 100 KiB each */
    int lock;
    uint64_t count_address; /* 0 there: the heap is consistent */
    uint64_t give_up_us;

    /* of the last try */
    struct core_thread *threads;
    size_t thread_count;
    enum { COPIED, BUSY, TOO_LARGE } outcome;

    uint64_t longest_us; /* stop */
    unsigned tries;
};

/* --- output -------------------------------------------------------------------- */

/* Adds a reserve, since the process continues to run while space is allocated. */
static uint64_t and_some(uint64_t now)
{
    const uint64_t some = (uint64_t)16 << 20;
    return (now + now / 8 + some + PAGE - 1) / PAGE * PAGE;
}

/* The stop is shortest if the copy goes to memory. It goes directly to the file if that is
 * in memory itself, or if memory is scarce. */
static bool make_output(struct direct *d, FILE *to, struct hd_error *err)
{
    uint64_t most = d->how->max_memory;
    if (!runs_find(&d->of.runs, &d->of.pages, &d->of.space, err))
        return false;
    images_find(&d->of);
    uint64_t wanted = d->of.images.size + and_some(d->of.runs.size);
    bool fits = most == 0 || wanted <= most;
    bool in_memory = is_in_memory(fileno(to));
    if (in_memory && !fits)
        return fail_memory(err, "copying the memory of the process", wanted, most);
    d->of.output.lets_go = !fits;
    /* A file without a place on any disk, where the kernel has one. */
    const unsigned long close_on_exec = 1;
    if (d->of.output.fd < 0 && !in_memory && fits)
        d->of.output.fd = (int)syscall(SYS_memfd_create, "heapdrift", close_on_exec);
    int fd = d->of.output.fd;
    if (fd < 0)
        d->of.output.fd = fileno(to);
    const struct patience patience = collect_patience(d->how);
    return copy_output_make(&d->of.output,
                            process_copy_runs_at(&d->of) + and_some(d->of.runs.span_size),
                            err) &&
           process_copy_prepare(&d->of, &patience, err);
}

/* --- while it is frozen --------------------------------------------------------------- */

static bool heap_is_whole(const struct direct *d)
{
    uint32_t count = 1;
    return pread(d->of.mem, &count, sizeof(count), (off_t)d->count_address) ==
               (ssize_t)sizeof(count) &&
           count == 0;
}

/* Uses the thread ids of the process's own namespace, as the kernel does in a core: readers
 * find the stacks by these. */
static void read_threads(struct direct *d, const struct thread_freeze *frozen)
{
    const uint32_t note = d->of.processor->thread_pointer_note;
    d->threads = arena_array(&d->of.arena, struct core_thread, frozen->count);
    d->thread_count = 0;
    for (size_t i = 0; i < frozen->count; i++) {
        struct core_thread *t = &d->threads[d->thread_count];
        *t = (struct core_thread){.id = proc_inner_thread(d->of.pid, frozen->threads[i].id),
                                  .signal = frozen->threads[i].signal};
        d->thread_count += thread_freeze_registers(frozen, i, NT_PRSTATUS, &t->registers,
                                                   sizeof(t->registers));
        if (note != 0)
            thread_freeze_registers(frozen, i, note, &t->thread_pointer,
                                    sizeof(t->thread_pointer));
    }
}

static bool direct_take(const struct thread_freeze *frozen, void *context,
                        struct hd_error *err)
{
    struct direct *d = context;
    d->outcome = BUSY;
    if (!process_copy_is_same(&d->of, err))
        return false;
    if (!heap_is_whole(d))
        return true;
    read_threads(d, frozen);
    if (!address_space_read(&d->of.space, d->of.pid, &d->of.arena))
        return denied_or_ended(d->of.pid, err);
    if (!runs_find(&d->of.runs, &d->of.pages, &d->of.space, err))
        return false;
    d->outcome = TOO_LARGE;
    if (process_copy_runs_at(&d->of) + d->of.runs.span_size > d->of.output.size)
        return true;
    d->outcome = COPIED;
    return copy_runs(&d->of, frozen, d->give_up_us, err);
}

/* --- tries --------------------------------------------------------------------- */

static bool try_once(struct direct *d, struct hd_error *err)
{
    const int looks = 50;
    const struct meanwhile m = {.work = direct_take,
                                .context = d,
                                .go_on = collect_goes_on,
                                .go_on_context = d->how};
    uint64_t stood;
    /* Checking without a stop is cheap; a stop during a collection would be useless. */
    for (int i = 0; i < looks && !heap_is_whole(d); i++)
        poll(NULL, 0, 1);
    d->tries++;
    bool ok = thread_freeze_run(d->of.pid, &m, &stood, err);
    d->longest_us = stood > d->longest_us ? stood : d->longest_us;
    return ok;
}

/* A thread that waits for a disk, or for a vforked child, is asked again. */
static bool direct_copy(struct direct *d, FILE *to, struct hd_error *err)
{
    for (int pause = FIRST_PAUSE_MS;;) {
        struct hd_error failure = {0};
        bool ok = try_once(d, &failure);
        if (ok && d->outcome == COPIED) {
            d->of.origin.taken = clock_seconds(CLOCK_REALTIME);
            return true;
        }
        if (d->tries >= MAX_TRIES || clock_us() >= d->give_up_us ||
            (!ok && failure.status != HD_TIMED_OUT)) {
            if (ok)
                return fail_about(err, HD_ABOUT_SILENCE, HD_TIMED_OUT,
                                  "a garbage collection was running at each of %u attempts",
                                  d->tries);
            *err = err->status == HD_OK ? failure : *err;
            return false;
        }
        if (!collect_goes_on(d->how))
            return fail(err, HD_CANCELLED, "stopped");
        if (ok && d->outcome == TOO_LARGE && !make_output(d, to, err))
            return false;
        poll(NULL, 0, pause);
        pause = pause * 2 < LONGEST_PAUSE_MS ? pause * 2 : LONGEST_PAUSE_MS;
    }
}

/* --- afterwards ---------------------------------------------------------------- */

/* From the same place in memory to that of the file, where zeros are left out: it reads as
 * if they were there. */
static bool put_range(const struct direct *d, uint64_t at, uint64_t size, int to,
                      struct hd_error *err)
{
    enum { BLOCK = 64 << 10 };
    for (uint64_t end = at + size; at < end;) {
        size_t here = (size_t)(end - at < BLOCK ? end - at : BLOCK);
        ssize_t n = (ssize_t)here;
        const unsigned char *bytes = d->of.output.bytes + at;
        if (bytes[0] != 0 || memcmp(bytes, bytes + 1, here - 1) != 0)
            n = pwrite(to, bytes, here, (off_t)at);
        if (n < 0 && errno != EINTR)
            return fail(err, HD_IO, "cannot write: %s", strerror(errno));
        at += n > 0 ? (uint64_t)n : 0;
    }
    return true;
}

static bool finish(struct direct *d, int to, uint64_t *size, struct hd_error *err)
{
    bool is_there = d->of.output.fd == to;
    bool ok = is_there || put_range(d, CORE_MEMORY_AT, d->of.images.size, to, err);
    for (size_t i = 0; ok && !is_there && i < d->of.runs.count; i++)
        ok = put_range(d, process_copy_runs_at(&d->of) + d->of.runs.all[i].at,
                       d->of.runs.all[i].size, to, err);
    return ok && core_write_rest(to, &d->of, d->threads, d->thread_count, size, err);
}

bool hd_collect_direct(FILE *to, const struct hd_collect_options *opt,
                       struct hd_collected *collected, struct hd_error *err)
{
    struct hd_error own = {0};
    struct hd_collect_options how;
    err = err != NULL ? err : &own;
    if (!collect_options_copy(&how, opt, err))
        return false;
    const struct patience patience = collect_patience(&how);
    struct direct d = {.how = &how, .lock = -1};
    uint64_t size = 0;
    *collected = (struct hd_collected){0};
    /* Everything that may be refused is asked for before the process is stopped. */
    bool ok = process_copy_open(&d.of, &how, err) &&
              process_lock_wait(d.of.pid, &patience, &d.lock, err) &&
              process_copy_look(&d.of, err) &&
              (d.count_address = live_heap_count_address(&d.of, err)) != 0 &&
              page_source_open(&d.of.pages, d.of.pid, err) && make_output(&d, to, err);
    if (ok)
        d.of.origin.facts = collect_facts(&how, d.of.pid);
    d.give_up_us = clock_us() + (uint64_t)how.silence_ms * 1000;
    ok = ok && direct_copy(&d, to, err);
    collected->paused_us = d.longest_us;
    collected->tries = d.tries;
    ok = ok && finish(&d, fileno(to), &size, err);
    if (ok) {
        collected->pid = (uint64_t)d.of.pid;
        collected->bytes = size;
        collected->origin = d.of.origin;
    }
    int output = d.of.output.fd;
    process_copy_close(&d.of);
    if (output >= 0 && output != fileno(to))
        close(output);
    close_quietly(d.lock);
    return ok;
}

/* --- what it knows of its types ------------------------------------------------ */

/* Copies parts while the process runs: runtime, assemblies, and its smallest written areas.
 * Large areas contain the heap and are omitted: the reader of the copy asks the process for
 * the few words that it needs. */

struct written {
    const struct area *area;
    uint64_t bytes;
};

static int by_bytes(const void *a, const void *b)
{
    const struct written *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return (x->area > y->area) - (x->area < y->area);
}

static int direct_by_address(const void *a, const void *b)
{
    const struct area *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Selects the areas with the least written memory, up to a maximum in total. */
static struct address_space small_areas(struct process_copy *c)
{
    const uint64_t most_written = (uint64_t)64 << 20;
    struct written *all = arena_array(&c->arena, struct written, c->runs.count);
    struct address_space small = {0};
    size_t count = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < c->runs.count; i++) {
        const struct run *run = &c->runs.all[i];
        if (count == 0 || all[count - 1].area != run->area)
            all[count++] = (struct written){run->area, 0};
        all[count - 1].bytes += run->size;
    }
    if (count > 0)
        qsort(all, count, sizeof(*all), by_bytes);
    small.areas = arena_array(&c->arena, struct area, count);
    for (size_t i = 0; i < count && (bytes += all[i].bytes) <= most_written; i++)
        small.areas[small.count++] = *all[i].area;
    if (small.count > 0)
        qsort(small.areas, small.count, sizeof(*small.areas), direct_by_address);
    return small;
}

/* Freed memory is zero. Readers of cores require a thread: one without registers. */
static bool copy_types(struct process_copy *c, uint64_t most, const struct patience *p,
                       struct hd_error *err)
{
    const struct core_thread thread = {.id = c->pid};
    uint64_t at = process_copy_runs_at(c), size = at + c->runs.span_size;
    uint64_t takes = c->images.size + c->runs.size;
    if (most > 0 && takes > most)
        return fail_memory(err, "copying the type information of the process", takes, most);
    if (!copy_output_make(&c->output, size, err))
        return false;
    images_copy(c, p);
    for (size_t i = 0; i < c->runs.count; i++) {
        const struct run *run = &c->runs.all[i];
        uint64_t offset = run->area->offset + (run->address - run->area->start);
        copy_from(run->is_shared ? c->pages.shared : c->mem, c->output.bytes + at + run->at,
                  run->size, run->is_shared ? offset : run->address);
    }
    return process_copy_is_same(c, err) &&
           core_write_rest(c->output.fd, c, &thread, 1, &size, err);
}

bool hd_collect_types(FILE *to, const struct hd_collect_options *opt, struct hd_error *err)
{
    struct hd_collect_options how;
    struct process_copy c;
    if (!collect_options_copy(&how, opt, err))
        return false;
    const struct patience patience = collect_patience(&how);
    bool ok = process_copy_open(&c, &how, err) && process_copy_look(&c, err) &&
              page_source_open(&c.pages, c.pid, err) &&
              runs_find(&c.runs, &c.pages, &c.space, err);
    c.output.fd = fileno(to);
    if (ok) {
        const struct address_space small = small_areas(&c);
        images_find(&c);
        images_leave_to_disk(&c, &patience);
        ok = runs_find(&c.runs, &c.pages, &small, err) &&
             copy_types(&c, how.max_memory, &patience, err);
    }
    process_copy_close(&c);
    return ok;
}
