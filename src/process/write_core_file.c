#include "process/write_core_file.h"

#include "base/little_endian.h"
#include "base/path.h"
#include "process/core_file.h"
#include "process/memory_watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_number(struct text *t, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    le_put(bytes, value, size);
    text_add(t, bytes, size);
}

static void pad(struct text *t, size_t to)
{
    while (t->len % to != 0)
        text_add_char(t, '\0');
}

/* --- notes --------------------------------------------------------------------- */

enum { NT_PRSTATUS = 1, NT_PRPSINFO = 3, NT_AUXV = 6, NT_FILE = 0x46494c45 };

static void add_note(struct text *t, const char *name, uint32_t type, const void *payload,
                     size_t size)
{
    size_t name_size = strlen(name) + 1;
    add_number(t, name_size, 4);
    add_number(t, size, 4);
    add_number(t, type, 4);
    text_add(t, name, name_size);
    pad(t, 4);
    text_add(t, payload, size);
    pad(t, 4);
}

/* struct elf_prpsinfo: the id alone. */
static void add_program(struct text *t, uint64_t pid)
{
    enum { SIZE = 136, ID = 24 };
    unsigned char info[SIZE] = {0};
    if (pid == HD_UNKNOWN)
        return;
    le_put(info + ID, pid, 4);
    add_note(t, "CORE", NT_PRPSINFO, info, SIZE);
}

/* struct elf_prstatus, which ends with a number of 4 bytes, padded to 8; then what the
 * processor has of a thread apart from its registers. */
static void add_thread(struct text *t, const struct image_thread *thread,
                       const struct processor *of)
{
    enum { ID = 32, REGISTERS = 112, END = 8, MOST = REGISTERS + 8 * MOST_REGISTERS + END };
    unsigned char status[MOST] = {0}, pointer[8];
    le_put(status + ID, thread->id, 4);
    for (size_t i = 0; i < of->registers; i++)
        le_put(status + REGISTERS + 8 * i, thread->registers[i], 8);
    add_note(t, "CORE", NT_PRSTATUS, status, REGISTERS + 8 * (size_t)of->registers + END);
    le_put(pointer, thread->thread_pointer, 8);
    if (of->thread_pointer_note != 0 && thread->thread_pointer != 0)
        add_note(t, "LINUX", of->thread_pointer_note, pointer, sizeof(pointer));
}

/* The two numbers that core_file.h reads, as far as they are known. */
static void add_auxiliary(struct text *t, const struct process_image *p)
{
    const uint64_t pairs[][2] = {{AUXILIARY_PROGRAM_HEADERS, p->program_headers},
                                 {AUXILIARY_PAGE, p->page}};
    struct text vector = {0};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        if (pairs[i][1] == 0)
            continue;
        add_number(&vector, pairs[i][0], 8);
        add_number(&vector, pairs[i][1], 8);
    }
    if (vector.len > 0) {
        add_number(&vector, 0, 8);
        add_number(&vector, 0, 8);
        add_note(t, "CORE", NT_AUXV, vector.data, vector.len);
    }
    text_free(&vector);
}

/* The one mapped file that says where the runtime is, without its folder: so nobody looks
 * for it on another disk. */
static void add_runtime(struct text *t, const struct process_image *p, uint64_t runtime)
{
    enum { UNIT = 1 };
    const struct image_mapping *m = image_mapping_at(p, runtime);
    struct text files = {0};
    if (m == NULL)
        return;
    add_number(&files, 1, 8);
    add_number(&files, UNIT, 8);
    add_number(&files, m->start, 8);
    add_number(&files, m->end, 8);
    add_number(&files, m->offset, 8);
    const char *name = path_file_name(m->path);
    text_add(&files, name, strlen(name) + 1);
    add_note(t, "CORE", NT_FILE, files.data, files.len);
    text_free(&files);
}

static void add_entry(struct text *t, const char *key, const char *value)
{
    if (value == NULL)
        return;
    text_add_string(t, key);
    text_add_char(t, '=');
    text_add(t, value, strlen(value) + 1);
}

static void add_redaction(struct text *t, const struct image_redaction *say)
{
    struct text entries = {0};
    char unread[48];
    add_entry(&entries, "redacted",
              "all values were overwritten with zeros; kept are addresses, references, "
              "sizes, lengths, names of types and fields, paths of assemblies, ids of "
              "process and threads");
    add_entry(&entries, "process", say->process);
    add_entry(&entries, "runtime", say->runtime);
    add_entry(&entries, "lacking", say->lacking);
    snprintf(unread, sizeof(unread), "%" PRIu64 " %" PRIu64, say->unread, say->unread_at);
    if (say->unread > 0)
        add_entry(&entries, "unread", unread);
    add_note(t, REDACTION_NOTE, REDACTION_NOTE_TYPE, entries.data, entries.len);
    text_free(&entries);
}

/* --- segments ------------------------------------------------------------------ */

/* <elf.h>, 64 bits. */
enum {
    HEADER = 64,
    SEGMENT = 56,
    SECTION = 64,
    ET_CORE = 4,
    EV_CURRENT = 1,
    PT_LOAD = 1,
    PT_NOTE = 4,
    PF_R = 4,
    PN_XNUM = 0xffff /* the count stands in section 0 */
};

struct run {
    uint64_t address, size, offset; /* offset: in the file */
};

struct runs {
    struct run *all;
    size_t len, cap;
};

static uint64_t whole_pages(uint64_t n)
{
    return (n + WATCH_PAGE - 1) / WATCH_PAGE * WATCH_PAGE;
}

static void find_runs(struct runs *r, const struct memory *m)
{
    uint64_t address = 0, size;
    while ((size = memory_kept_from(m, &address)) > 0) {
        r->all = grow(r->all, r->len, &r->cap, sizeof(*r->all));
        r->all[r->len++] = (struct run){address, size, 0};
        address += size;
    }
}

/* What lies side by side in memory and in the file is read as one piece, which it was not
 * before: a page of nothing keeps it apart. */
static void place_runs(struct runs *r, uint64_t offset)
{
    offset = whole_pages(offset);
    for (size_t i = 0; i < r->len; i++) {
        const struct run *before = i > 0 ? &r->all[i - 1] : NULL;
        if (before != NULL && before->address + before->size == r->all[i].address &&
            before->offset + before->size == offset)
            offset += WATCH_PAGE;
        r->all[i].offset = offset;
        offset = whole_pages(offset + r->all[i].size);
    }
}

static void add_segment(struct text *t, uint32_t type, const struct run *r)
{
    add_number(t, type, 4);
    add_number(t, PF_R, 4);
    add_number(t, r->offset, 8);
    add_number(t, r->address, 8);
    add_number(t, 0, 8);
    add_number(t, r->size, 8);
    add_number(t, r->size, 8);
    add_number(t, type == PT_LOAD ? WATCH_PAGE : 4, 8);
}

static void add_header(struct text *t, uint32_t machine, uint64_t segments,
                       uint64_t sections)
{
    static const unsigned char ident[16] = "\177ELF\2\1\1";
    text_add(t, ident, sizeof(ident));
    add_number(t, ET_CORE, 2);
    add_number(t, machine, 2);
    add_number(t, EV_CURRENT, 4);
    add_number(t, 0, 8);
    add_number(t, HEADER, 8);
    add_number(t, sections, 8);
    add_number(t, 0, 4);
    add_number(t, HEADER, 2);
    add_number(t, SEGMENT, 2);
    add_number(t, segments < PN_XNUM ? segments : (uint64_t)PN_XNUM, 2);
    add_number(t, SECTION, 2);
    add_number(t, sections > 0, 2);
    add_number(t, 0, 2);
}

/* Section 0, where the count of segments has no room in the header. */
static void add_count(struct text *t, uint64_t segments)
{
    enum { INFO = 44 };
    unsigned char section[SECTION] = {0};
    le_put(section + INFO, segments, 4);
    text_add(t, section, SECTION);
}

/* --- the file ------------------------------------------------------------------ */

static void write_run(const struct memory *m, const struct run *r, struct out *o)
{
    unsigned char page[WATCH_PAGE];
    for (uint64_t at = 0; at < r->size && o->failed == 0;) {
        uint64_t address = r->address + at, left = r->size - at;
        size_t part = WATCH_PAGE - (size_t)(address % WATCH_PAGE);
        part = part < left ? part : (size_t)left;
        memory_kept_copy(m, address, part, page);
        out_bytes(o, (const char *)page, part);
        at += part;
    }
}

/* Nothing up to an offset that is not far away. */
static void write_gap(uint64_t from, uint64_t to, struct out *o)
{
    static const char nothing[WATCH_PAGE];
    for (uint64_t part; from < to; from += part) {
        part = to - from < WATCH_PAGE ? to - from : (uint64_t)WATCH_PAGE;
        out_bytes(o, nothing, (size_t)part);
    }
}

void core_file_write(const struct process_image *p, const struct image_thread *threads,
                     uint64_t runtime, const struct image_redaction *say, struct out *o)
{
    struct runs runs = {0};
    struct text notes = {0}, head = {0};
    add_program(&notes, p->pid);
    for (size_t i = 0; i < p->thread_count; i++)
        add_thread(&notes, &threads[i], p->processor);
    add_auxiliary(&notes, p);
    add_runtime(&notes, p, runtime);
    add_redaction(&notes, say);
    find_runs(&runs, &p->memory);
    uint64_t segments = runs.len + 1, table = HEADER + segments * SEGMENT;
    uint64_t sections = segments >= PN_XNUM ? table : 0;
    uint64_t notes_at = sections > 0 ? table + SECTION : table;
    place_runs(&runs, notes_at + notes.len);
    add_header(&head, p->processor->machine, segments, sections);
    add_segment(&head, PT_NOTE, &(struct run){0, notes.len, notes_at});
    for (size_t i = 0; i < runs.len; i++)
        add_segment(&head, PT_LOAD, &runs.all[i]);
    if (sections > 0)
        add_count(&head, segments);
    out_text(o, &head);
    out_text(o, &notes);
    uint64_t at = head.len + notes.len;
    for (size_t i = 0; i < runs.len && o->failed == 0; i++) {
        write_gap(at, runs.all[i].offset, o);
        write_run(&p->memory, &runs.all[i], o);
        at = runs.all[i].offset + runs.all[i].size;
    }
    free(runs.all);
    text_free(&notes);
    text_free(&head);
}
