#include "collect/process_copy.h"

#include "base/error.h"
#include "base/text.h"
#include "collect/denied.h"
#include "collect/origin.h"
#include "collect/others.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the core's file ----------------------------------------------------------- */

/* The rest of the file, to be written behind the memory. */
struct rest {
    const struct core_content *content;
    struct text notes;
    uint64_t notes_at, segments_at;
    Elf64_Phdr *segments; /* of memory */
    size_t segment_count, cap;
};

/* --- notes --------------------------------------------------------------------- */

static void pad(struct text *t, size_t to)
{
    while (t->len % to != 0)
        text_add_char(t, '\0');
}

static void add_note_of(struct rest *r, const char *owner, uint32_t type, const void *bytes,
                        size_t size)
{
    const Elf64_Nhdr head = {.n_namesz = (uint32_t)strlen(owner) + 1,
                             .n_descsz = (uint32_t)size,
                             .n_type = type};
    text_add(&r->notes, &head, sizeof(head));
    text_add(&r->notes, owner, head.n_namesz);
    pad(&r->notes, 4);
    text_add(&r->notes, bytes, size);
    pad(&r->notes, 4);
}

static void add_note(struct rest *r, uint32_t type, const void *bytes, size_t size)
{
    add_note_of(r, "CORE", type, bytes, size);
}

static void add_thread(struct rest *r, const struct core_thread *t)
{
    const uint32_t note = r->content->processor->thread_pointer_note;
    struct elf_prstatus status = {.pr_pid = t->id, .pr_cursig = (short)t->signal};
    memcpy(&status.pr_reg, &t->registers, sizeof(t->registers));
    add_note(r, NT_PRSTATUS, &status, sizeof(status));
    if (note != 0 && t->thread_pointer != 0)
        add_note_of(r, "LINUX", note, &t->thread_pointer, sizeof(t->thread_pointer));
}

static void copy_cut(char *to, size_t size, const char *from)
{
    size_t len = from != NULL ? strlen(from) : 0;
    memcpy(to, from != NULL ? from : "", len < size ? len : size - 1);
}

static void add_process(struct rest *r)
{
    const struct core_content *c = r->content;
    struct elf_prpsinfo info = {.pr_sname = 'R', .pr_pid = c->pid};
    copy_cut(info.pr_fname, sizeof(info.pr_fname), c->name);
    copy_cut(info.pr_psargs, sizeof(info.pr_psargs), c->arguments);
    add_note(r, NT_PRPSINFO, &info, sizeof(info));
}

static void add_u64(struct text *t, uint64_t n)
{
    text_add(t, &n, sizeof(n));
}

/* Count and unit, a triple for each, then their names; offsets in units. */
static void add_files(struct rest *r)
{
    const struct address_space *space = r->content->space;
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
    const struct core_content *c = r->content;
    for (size_t i = 0; i < c->thread_count; i++) {
        add_thread(r, &c->threads[i]);
        if (i > 0)
            continue;
        add_process(r);
        if (c->auxv.size > 0)
            add_note(r, NT_AUXV, c->auxv.data, c->auxv.size);
        add_files(r);
    }
}

/* --- segments ------------------------------------------------------------------ */

static uint32_t rights_of(const struct area *a)
{
    return PF_R | (a->writable ? PF_W : 0) | (a->executable ? PF_X : 0);
}

static void add_segment(struct rest *r, const struct area *area, uint64_t address,
                        uint64_t size, uint64_t at)
{
    r->segments = grow(r->segments, r->segment_count, &r->cap, sizeof(*r->segments));
    r->segments[r->segment_count++] = (Elf64_Phdr){.p_type = PT_LOAD,
                                                   .p_flags = rights_of(area),
                                                   .p_offset = at,
                                                   .p_vaddr = address,
                                                   .p_filesz = size,
                                                   .p_memsz = size,
                                                   .p_align = PAGE};
}

/* What no span has of it. *next is the first that does not end before it. */
static void add_image(struct rest *r, const struct image_piece *p, size_t *next)
{
    const struct span *spans = r->content->runs->spans;
    const size_t count = r->content->runs->span_count;
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

static int by_address(const void *a, const void *b)
{
    const Elf64_Phdr *x = a, *y = b;
    return (x->p_vaddr > y->p_vaddr) - (x->p_vaddr < y->p_vaddr);
}

static void add_segments(struct rest *r)
{
    const struct core_content *c = r->content;
    const uint64_t at = CORE_MEMORY_AT + c->images->size;
    size_t next = 0;
    for (size_t i = 0; i < c->images->count; i++)
        add_image(r, &c->images->all[i], &next);
    for (size_t i = 0; i < c->runs->span_count; i++) {
        const struct span *s = &c->runs->spans[i];
        add_segment(r, s->area, s->address, s->size, at + s->at);
    }
    if (r->segment_count > 0)
        qsort(r->segments, r->segment_count, sizeof(*r->segments), by_address);
}

/* --- the file ------------------------------------------------------------------ */

static bool put(int fd, uint64_t at, const void *bytes, size_t size, struct hd_error *err)
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
                       .e_machine = (Elf64_Half)r->content->processor->machine,
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
        if (!put(fd, *size, &section, sizeof(section), err))
            return false;
        *size += sizeof(section);
    }
    return put(fd, 0, &head, sizeof(head), err);
}

bool core_write_rest(int fd, const struct core_content *c, uint64_t *size,
                     struct hd_error *err)
{
    struct rest r = {.content = c,
                     .notes_at = CORE_MEMORY_AT + c->images->size + c->runs->span_size};
    add_notes(&r);
    add_segments(&r);
    r.segments_at = (r.notes_at + r.notes.len + 7) / 8 * 8;
    const Elf64_Phdr notes = {
        .p_type = PT_NOTE, .p_offset = r.notes_at, .p_filesz = r.notes.len, .p_align = 4};
    bool ok = put(fd, r.notes_at, r.notes.data, r.notes.len, err) &&
              put(fd, r.segments_at, &notes, sizeof(notes), err) &&
              put(fd, r.segments_at + sizeof(notes), r.segments,
                  r.segment_count * sizeof(*r.segments), err) &&
              put_head(fd, &r, size, err);
    if (ok && ftruncate(fd, (off_t)*size) != 0)
        ok = fail(err, HD_IO, "cannot write: %s", strerror(errno));
    text_free(&r.notes);
    free(r.segments);
    return ok;
}

/* --- the copy ------------------------------------------------------------------ */

static bool find(struct target *found, const struct hd_collect_options *how,
                 struct arena *arena, struct hd_error *err)
{
    static const struct patience brief = {.silence_ms = 1000};
    if (how->socket != NULL)
        return target_at_socket(found, how->socket, &brief, arena, err);
    *found = (struct target){.socket = "", .pid = (pid_t)how->pid, .visible = how->pid > 0};
    if (how->pid > INT32_MAX)
        return fail(err, HD_IO, "no process %" PRIu64, how->pid);
    return true;
}

static void read_auxv(struct process_copy *c)
{
    proc_read_file(c->pid, "auxv", &c->auxv);
}

/* Registers, layouts and the core that is written are those of one machine. */
static bool find_processor(struct process_copy *c, struct hd_error *err)
{
    c->processor = processor_here();
    return c->processor != NULL ||
           fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                      "the memory of processes can only be read on " PROCESSORS_READ);
}

bool process_copy_open(struct process_copy *c, const struct hd_collect_options *how,
                       struct hd_error *err)
{
    struct target found;
    struct proc proc;
    *c = (struct process_copy){
        .mem = -1, .pages = {.pages = -1, .shared = -1}, .room = {.fd = -1}};
    if (!find_processor(c, err) || !find(&found, how, &c->arena, err))
        return false;
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
    if (!proc_read(&proc, found.pid, &c->arena))
        return fail(err, HD_IO, "no process %ld", (long)found.pid);
    c->start = proc.start;
    c->name = proc.short_name;
    c->arguments = proc.command;
    found.uid = proc.uid;
    c->origin = origin_of(&found);
    read_auxv(c);
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
    return proc_start(c->pid) == c->start || fail(err, HD_IO, "the process has exited");
}

struct core_content process_copy_content(const struct process_copy *c,
                                         const struct core_thread *threads, size_t count)
{
    return (struct core_content){.processor = c->processor,
                                 .pid = c->pid,
                                 .name = c->name,
                                 .arguments = c->arguments,
                                 .auxv = {(unsigned char *)c->auxv.data, c->auxv.len},
                                 .space = &c->space,
                                 .images = &c->images,
                                 .runs = &c->runs,
                                 .threads = threads,
                                 .thread_count = count};
}

void process_copy_close(struct process_copy *c)
{
    copy_room_free(&c->room);
    if (c->mem >= 0)
        close(c->mem);
    page_source_close(&c->pages);
    runs_free(&c->runs);
    images_free(&c->images);
    text_free(&c->auxv);
    arena_free(&c->arena);
}
