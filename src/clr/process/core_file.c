/* Reads ELF cores: notes and segments; and writes a core without values. Notes have the
 * kernel's layout (fs/binfmt_elf.c), also used by createdump and gcore. */
#include "base/error.h"
#include "base/text.h"
#include "clr/process/process_image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct image_kind core_kind = {
    .name = "core dump",
    .library = "libcoreclr.so",
    .separator = '/',
    .lacks_heap = "without the heap (a mini or triage dump)",
    .take_heap = "; take one with `createdump --withheap PID` or `dotnet-dump collect`",
};

/* <elf.h>. */
enum {
    ET_CORE = 4,
    PN_XNUM = 0xffff, /* the count is in section 0: */
    SECTION_INFO = 44,
    NT_PRSTATUS = 1,
    NT_PRPSINFO = 3,
    NT_AUXV = 6,
    NT_FILE = 0x46494c45
};

/* struct elf_prstatus: the thread's id, and its registers; struct elf_prpsinfo. */
enum { STATUS_ID = 32, STATUS_REGISTERS = 112, PROGRAM_ID = 24, PROGRAM_SIZE = 136 };

/* --- notes ----------------------------------------------------------------------- */

/* Initialised with {0}. The first of repeated notes counts, except for threads. */
struct core_notes {
    struct bytes files, program, auxiliary, redaction, facts;
    struct image_thread *threads; /* malloc'd */
    size_t thread_count, thread_cap, segment_count;
};

/* Notes about a thread follow that with its registers. */
static void add_thread_note(struct core_notes *n, const struct elf_note *note,
                            const struct processor *of)
{
    const unsigned char *at = note->payload.data;
    if (note->type == NT_PRSTATUS &&
        note->payload.size >= STATUS_REGISTERS + (size_t)of->registers * 8) {
        n->threads = grow(n->threads, n->thread_count, &n->thread_cap, sizeof(*n->threads));
        struct image_thread *t = &n->threads[n->thread_count++];
        *t = (struct image_thread){.id = le_u32(at + STATUS_ID)};
        for (size_t k = 0; k < of->registers; k++)
            t->registers[k] = le_u64(at + STATUS_REGISTERS + k * 8);
        if (of->thread_pointer != NO_REGISTER)
            t->thread_pointer = t->registers[of->thread_pointer];
    } else if (of->thread_pointer_note != 0 && note->type == of->thread_pointer_note &&
               note->payload.size >= 8 && n->thread_count > 0) {
        n->threads[n->thread_count - 1].thread_pointer = le_u64(at);
    }
}

/* Returns the member for a note whose payload is kept as it is, or NULL. */
static struct bytes *place_of_note(struct core_notes *n, const struct elf_note *note)
{
    static const char ours[] = CORE_NOTE;
    bool is_ours =
        note->name.size == sizeof(ours) && memcmp(note->name.data, ours, sizeof(ours)) == 0;
    if (is_ours && note->type == CORE_NOTE_REDACTION)
        return &n->redaction;
    if (is_ours && note->type == CORE_NOTE_FACTS)
        return &n->facts;
    return note->type == NT_FILE       ? &n->files
           : note->type == NT_PRPSINFO ? &n->program
           : note->type == NT_AUXV     ? &n->auxiliary
                                       : NULL;
}

/* Reads a segment of notes, whose bytes must stay valid. Stops at truncated or invalid
 * ones. */
static void add_notes(struct core_notes *n, struct bytes segment,
                      const struct processor *of)
{
    /* All writers make one segment; many would only cause the same bytes to be read a
     * million times. */
    enum { NOTE_SEGMENTS = 8 };
    struct elf_note note;
    if (n->segment_count++ >= NOTE_SEGMENTS)
        return;
    while (elf_note_next(&segment, &note)) {
        struct bytes *to = place_of_note(n, &note);
        if (to != NULL && to->size == 0)
            *to = note.payload;
        add_thread_note(n, &note, of);
    }
}

/* A count, the unit of offsets, then begin, end and offset of each, then their paths. */
static void read_mappings(struct bytes note, struct process_image *p, struct arena *a)
{
    enum { HEAD = 16, ENTRY = 24 };
    if (note.size < HEAD)
        return;
    uint64_t count = le_u64(note.data), unit = le_u64(note.data + 8);
    size_t most = (note.size - HEAD) / ENTRY;
    p->mapping_count = count < most ? (size_t)count : most;
    p->mappings = arena_array(a, struct image_mapping, p->mapping_count);
    const char *path = (const char *)note.data + HEAD + p->mapping_count * ENTRY,
               *end = (const char *)note.data + note.size;
    for (size_t i = 0; i < p->mapping_count; i++) {
        const unsigned char *at = note.data + HEAD + i * ENTRY;
        uint64_t offset = le_u64(at + 16);
        bool fits = unit == 0 || offset <= UINT64_MAX / unit;
        const char *nul = path < end ? memchr(path, '\0', (size_t)(end - path)) : NULL;
        p->mappings[i] = (struct image_mapping){
            .start = le_u64(at),
            .end = le_u64(at + 8),
            .offset = fits ? offset * unit : UINT64_MAX,
            .path = nul != NULL ? arena_strdup(a, path, (size_t)(nul - path)) : ""};
        path = nul != NULL ? nul + 1 : path;
    }
    image_mappings_sort(p);
}

/* A field of a fixed size, which is filled up with NULs or, arguments, ends in a space. */
static const char *field(struct bytes note, size_t at, size_t size, struct arena *a)
{
    const char *s = (const char *)note.data + at;
    size_t len = strnlen(s, size);
    while (len > 0 && s[len - 1] == ' ')
        len--;
    return len > 0 ? arena_strdup(a, s, len) : NULL;
}

/* Pairs of a type and a value: the address of the program headers of the main program, the
 * size of a page. */
enum auxiliary { AUXILIARY_PROGRAM_HEADERS = 3, AUXILIARY_PAGE = 6 };

static uint64_t auxiliary_value(struct bytes vector, enum auxiliary type)
{
    enum { PAIR = 16 };
    uint64_t found = 0;
    for (size_t at = 0; vector.size - at >= PAIR; at += PAIR)
        if (le_u64(vector.data + at) == (uint64_t)type)
            found = le_u64(vector.data + at + 8);
    return found;
}

uint64_t clr_program_headers(struct bytes vector)
{
    return auxiliary_value(vector, AUXILIARY_PROGRAM_HEADERS);
}

/* Returns the value of the first "key=value", or NULL. */
static const char *entry_of(struct bytes note, const char *key, struct arena *a)
{
    const char *at = (const char *)note.data, *end = at + note.size;
    size_t skip = strlen(key);
    for (size_t len;
         at < end && (len = strnlen(at, (size_t)(end - at))) < (size_t)(end - at);
         at += len + 1)
        if (len > skip && memcmp(at, key, skip) == 0 && at[skip] == '=')
            return arena_strdup(a, at + skip + 1, len - skip - 1);
    return NULL;
}

/* Fill mappings (by start, disjoint), threads and the rest of p; in a. */
static void read_notes(const struct core_notes *n, struct process_image *p, struct arena *a)
{
    enum { NAME = 40, NAME_SIZE = 16, COMMAND = 56, COMMAND_SIZE = 80 };
    read_mappings(n->files, p, a);
    p->thread_count = n->thread_count;
    p->threads =
        arena_take_array(a, n->threads, n->thread_count, sizeof(*n->threads), NULL);
    if (n->program.size >= PROGRAM_SIZE) {
        p->pid = le_u32(n->program.data + PROGRAM_ID);
        p->name = field(n->program, NAME, NAME_SIZE, a);
        p->command = field(n->program, COMMAND, COMMAND_SIZE, a);
    }
    p->program_headers = clr_program_headers(n->auxiliary);
    p->page = auxiliary_value(n->auxiliary, AUXILIARY_PAGE);
    p->facts = n->facts;
    struct image_redaction *r = &p->redaction;
    *r = (struct image_redaction){.is_redacted = n->redaction.size > 0,
                                  .process = entry_of(n->redaction, "process", a),
                                  .runtime = entry_of(n->redaction, "runtime", a),
                                  .lacking = entry_of(n->redaction, "lacking", a)};
    const char *unread = entry_of(n->redaction, "unread", a);
    if (unread != NULL &&
        sscanf(unread, "%19" SCNu64 " %20" SCNu64, &r->unread, &r->unread_at) != 2)
        r->unread = 0;
}

/* --- what is refused ----------------------------------------------------------- */

static bool is_big_endian(struct bytes b)
{
    return b.data[ELF_DATA] == 2;
}

static unsigned half(struct bytes b, size_t at)
{
    return is_big_endian(b) ? (unsigned)(b.data[at] << 8 | b.data[at + 1])
                            : le_u16(b.data + at);
}

bool core_file_is(struct bytes head)
{
    return head.size >= ELF_TYPE + 2 && memcmp(head.data, "\177ELF", 4) == 0 &&
           half(head, ELF_TYPE) == ET_CORE;
}

static bool find_processor(struct process_image *p, struct bytes file, struct hd_error *err)
{
    static const struct {
        unsigned machine;
        const char *name;
    } known[] = {
        {3, "x86 (32 bits)"},
        {8, "MIPS"},
        {20, "PowerPC"},
        {21, "PowerPC (64 bits)"},
        {22, "s390x"},
        {40, "ARM"},
        {243, "RISC-V"},
        {258, "LoongArch"},
        {183, "aarch64 with the highest byte first"},
    };
    unsigned machine = half(file, ELF_MACHINE);
    if (file.data[ELF_CLASS] == 2 && !is_big_endian(file) && machine != MACHINE_WINDOWS)
        p->processor = processor_of(machine);
    if (p->processor != NULL)
        return true;
    char unknown[48];
    snprintf(unknown, sizeof(unknown), "an unknown machine (%u)", machine);
    const char *name = file.data[ELF_CLASS] == 1 ? "a 32-bit process" : unknown;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].machine == machine)
            name = known[i].name;
    return fail(err, HD_UNSUPPORTED,
                "a core dump of %s; only those of " PROCESSORS_READ
                " can be read" TAKE_GCDUMP,
                name);
}

/* --- segments ------------------------------------------------------------------ */

static bool find_segments(struct bytes file, struct bytes *table, struct hd_error *err)
{
    /* A sparse file has space for any number of empty ones. Linux permits 65,530 mappings
     * per process by default. */
    enum { MAX_SEGMENTS = 1 << 24 };
    uint64_t count = le_u16(file.data + ELF_SEGMENT_COUNT),
             at = le_u64(file.data + ELF_SEGMENTS),
             section = le_u64(file.data + ELF_SECTIONS);
    if (le_u16(file.data + ELF_SEGMENT_SIZE) != ELF_PROGRAM_HEADER)
        return fail_at_byte(err, ELF_SEGMENT_SIZE, "segments of %u bytes instead of 56",
                            le_u16(file.data + ELF_SEGMENT_SIZE));
    if (count == PN_XNUM) {
        if (section == 0 || bytes_whole(file, section, ELF_SECTION_HEADER).data == NULL)
            return fail_at_byte(err, file.size,
                                "the core dump is truncated: the number of its segments "
                                "was at byte %" PRIu64,
                                section);
        count = le_u32(file.data + section + SECTION_INFO);
    }
    if (count > MAX_SEGMENTS)
        return fail(err, HD_BAD_FORMAT,
                    "a core dump of %" PRIu64 " segments, more than any process has",
                    count);
    *table = bytes_whole(file, at, count * ELF_PROGRAM_HEADER);
    return table->data != NULL ||
           fail_at_byte(err, file.size,
                        "the core dump is truncated in the table of its %" PRIu64
                        " segments",
                        count);
}

/* Memory beyond the bytes in the file was not dumped: the kernel shows that by p_filesz,
 * and writes zero pages as pages (of a sparse file). So it is missing, rather than zero.
 * Segments are disjoint in the file, so a few bytes cannot represent terabytes of
 * memory. */
static bool read_segments(struct bytes file, struct bytes table, struct process_image *p,
                          struct arena *a, struct hd_error *err)
{
    struct core_notes notes = {0};
    struct memory_pieces pieces = {0};
    uint64_t taken = 0;
    for (size_t at = 0; at < table.size && taken <= file.size; at += ELF_PROGRAM_HEADER) {
        struct elf_segment segment = elf_segment_of(table.data + at);
        struct bytes part = bytes_within(file, segment.offset, segment.in_file);
        if (segment.type == PT_NOTE)
            add_notes(&notes, part, p->processor);
        if (segment.type != PT_LOAD)
            continue;
        p->lost = sum_or_most(p->lost, segment.in_file - part.size);
        taken += part.size;
        memory_pieces_add(&pieces, segment.address, part);
    }
    p->cut_at = file.size;
    read_notes(&notes, p, a);
    if (taken <= file.size)
        p->memory = memory_of(pieces.all, pieces.len, a);
    free(pieces.all);
    return taken <= file.size ||
           fail(err, HD_BAD_FORMAT, "segments of the core dump overlap in the file");
}

bool core_file_open(struct process_image *p, struct bytes file, struct arena *a,
                    struct hd_error *err)
{
    struct bytes table;
    *p = (struct process_image){.pid = HD_UNKNOWN, .kind = &core_kind};
    if (!core_file_is(file))
        return fail(err, HD_NOT_A_SNAPSHOT, "not a core dump");
    if (file.size < ELF_HEADER)
        return fail_at_byte(err, file.size, "the core dump is truncated in its header");
    if (!find_processor(p, file, err) || !find_segments(file, &table, err) ||
        !read_segments(file, table, p, a, err))
        return false;
    /* All that is needed of files is in a redacted one. */
    if (!p->redaction.is_redacted)
        mapped_files_add(p, a);
    return true;
}

/* --- writing: notes -------------------------------------------------------------- */

static void add_number(struct text *t, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    le_put(bytes, value, size);
    text_add(t, bytes, size);
}

static void add_numbers(struct text *t, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_number(t, numbers[i], 8);
}

static void add_note(struct text *t, const char *name, uint32_t type, const void *payload,
                     size_t size)
{
    static const char padding[4];
    size_t name_size = strlen(name) + 1;
    add_number(t, name_size, 4);
    add_number(t, size, 4);
    add_number(t, type, 4);
    text_add(t, name, name_size);
    text_add(t, padding, (4 - t->len % 4) % 4);
    text_add(t, payload, size);
    text_add(t, padding, (4 - t->len % 4) % 4);
}

/* A prstatus ends with a number of 4 bytes, padded to 8; then what the processor has of a
 * thread apart from its registers. */
static void add_thread(struct text *t, const struct image_thread *thread,
                       const struct processor *of)
{
    enum { END = 8 };
    unsigned char status[STATUS_REGISTERS + 8 * MAX_REGISTERS + END] = {0}, pointer[8];
    le_put(status + STATUS_ID, thread->id, 4);
    for (size_t i = 0; i < of->registers; i++)
        le_put(status + STATUS_REGISTERS + 8 * i, thread->registers[i], 8);
    add_note(t, "CORE", NT_PRSTATUS, status,
             STATUS_REGISTERS + 8 * (size_t)of->registers + END);
    le_put(pointer, thread->thread_pointer, 8);
    if (of->thread_pointer_note != 0 && thread->thread_pointer != 0)
        add_note(t, "LINUX", of->thread_pointer_note, pointer, sizeof(pointer));
}

/* Adds notes: the id of the program; the two used numbers of the auxiliary vector, if
 * known; of mapped files only the runtime, without its folder, so that readers do not
 * search for it on another disk. */
static void add_process(struct text *t, const struct process_image *p, uint64_t runtime)
{
    const uint64_t pairs[][2] = {{AUXILIARY_PROGRAM_HEADERS, p->program_headers},
                                 {AUXILIARY_PAGE, p->page}},
                   end[2] = {0};
    const struct image_mapping *m = image_mapping_at(p, runtime);
    struct text vector = {0}, files = {0};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        if (pairs[i][1] != 0)
            add_numbers(&vector, pairs[i], 2);
    if (vector.len > 0) {
        add_numbers(&vector, end, 2);
        add_note(t, "CORE", NT_AUXV, vector.data, vector.len);
    }
    if (m != NULL) {
        const char *name = path_file_name(m->path);
        add_numbers(&files, (uint64_t[]){1, 1, m->start, m->end, m->offset}, 5);
        text_add(&files, name, strlen(name) + 1);
        add_note(t, "CORE", NT_FILE, files.data, files.len);
    }
    text_free(&vector);
    text_free(&files);
}

static void add_redaction(struct text *t, const struct image_redaction *say)
{
    struct text all = {0};
    char unread[48];
    snprintf(unread, sizeof(unread), "%" PRIu64 " %" PRIu64, say->unread, say->unread_at);
    const struct {
        const char *key, *value;
    } entries[] = {
        {"redacted=",
         "all values were overwritten with zeros; kept are addresses, references, "
         "sizes, lengths, names of types and fields, paths of assemblies, ids of "
         "process and threads"},
        {"process=", say->process},
        {"runtime=", say->runtime},
        {"lacking=", say->lacking},
        {"unread=", say->unread > 0 ? unread : NULL},
    };
    for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
        if (entries[i].value == NULL)
            continue;
        text_add_string(&all, entries[i].key);
        text_add(&all, entries[i].value, strlen(entries[i].value) + 1);
    }
    add_note(t, CORE_NOTE, CORE_NOTE_REDACTION, all.data, all.len);
    if (say->facts.size > 0)
        add_note(t, CORE_NOTE, CORE_NOTE_FACTS, say->facts.data, say->facts.size);
    text_free(&all);
}

/* --- writing: segments ----------------------------------------------------------- */

struct file_range {
    uint64_t address, size, offset; /* offset: in the file */
};

struct file_ranges {
    struct file_range *all;
    size_t len, cap;
};

static uint64_t whole_pages(uint64_t n)
{
    return (n + WATCH_PAGE - 1) / WATCH_PAGE * WATCH_PAGE;
}

/* Ranges that are adjacent in memory and in the file would be read as one piece, which they
 * were not: an empty page separates them. */
static void place_ranges(struct file_ranges *r, uint64_t offset)
{
    offset = whole_pages(offset);
    for (size_t i = 0; i < r->len; i++) {
        const struct file_range *before = i > 0 ? &r->all[i - 1] : NULL;
        if (before != NULL && before->address + before->size == r->all[i].address &&
            before->offset + before->size == offset)
            offset += WATCH_PAGE;
        r->all[i].offset = offset;
        offset = whole_pages(offset + r->all[i].size);
    }
}

static void add_segment(struct text *t, uint32_t type, const struct file_range *r)
{
    enum { PF_R = 4 };
    const uint64_t numbers[] = {r->offset, r->address, 0,
                                r->size,   r->size,    type == PT_LOAD ? WATCH_PAGE : 4};
    add_number(t, type, 4);
    add_number(t, PF_R, 4);
    add_numbers(t, numbers, sizeof(numbers) / sizeof(*numbers));
}

static void add_header(struct text *t, uint32_t machine, uint64_t segments,
                       uint64_t sections)
{
    enum { EV_CURRENT = 1 };
    unsigned char head[ELF_HEADER] = "\177ELF\2\1\1";
    const struct {
        uint64_t value;
        uint32_t at, size;
    } fields[] = {
        {ET_CORE, ELF_TYPE, 2},
        {machine, ELF_MACHINE, 2},
        {EV_CURRENT, 20, 4},
        {ELF_HEADER, ELF_SEGMENTS, 8},
        {sections, ELF_SECTIONS, 8},
        {ELF_HEADER, 52, 2},
        {ELF_PROGRAM_HEADER, ELF_SEGMENT_SIZE, 2},
        {segments < PN_XNUM ? segments : (uint64_t)PN_XNUM, ELF_SEGMENT_COUNT, 2},
        {ELF_SECTION_HEADER, ELF_SECTION_SIZE, 2},
        {sections > 0, ELF_SECTION_COUNT, 2},
    };
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
        le_put(head + fields[i].at, fields[i].value, fields[i].size);
    text_add(t, head, sizeof(head));
}

/* Nothing up to its place, which is not far away; then what was looked at. */
static void write_range(const struct memory *m, const struct file_range *r, uint64_t from,
                        struct out *o)
{
    static const char nothing[WATCH_PAGE];
    unsigned char page[WATCH_PAGE];
    for (uint64_t part; from < r->offset; from += part) {
        part = r->offset - from < WATCH_PAGE ? r->offset - from : (uint64_t)WATCH_PAGE;
        out_bytes(o, nothing, (size_t)part);
    }
    for (uint64_t at = 0; at < r->size && o->failed == 0;) {
        uint64_t address = r->address + at, left = r->size - at;
        size_t part = WATCH_PAGE - (size_t)(address % WATCH_PAGE);
        part = part < left ? part : (size_t)left;
        memory_kept_copy(m, address, part, page);
        out_bytes(o, (const char *)page, part);
        at += part;
    }
}

void core_file_write(const struct process_image *p, const struct image_thread *threads,
                     uint64_t runtime, const struct image_redaction *say, struct out *o)
{
    struct file_ranges ranges = {0};
    struct text notes = {0}, head = {0};
    unsigned char program[PROGRAM_SIZE] = {0}, section[ELF_SECTION_HEADER] = {0};
    le_put(program + PROGRAM_ID, p->pid, 4);
    if (p->pid != HD_UNKNOWN)
        add_note(&notes, "CORE", NT_PRPSINFO, program, PROGRAM_SIZE);
    for (size_t i = 0; i < p->thread_count; i++)
        add_thread(&notes, &threads[i], p->processor);
    add_process(&notes, p, runtime);
    add_redaction(&notes, say);
    for (uint64_t at = 0, size; (size = memory_kept_from(&p->memory, &at)) > 0;
         at += size) {
        ranges.all = grow(ranges.all, ranges.len, &ranges.cap, sizeof(*ranges.all));
        ranges.all[ranges.len++] = (struct file_range){at, size, 0};
    }
    uint64_t segments = ranges.len + 1, table = ELF_HEADER + segments * ELF_PROGRAM_HEADER;
    uint64_t sections = segments >= PN_XNUM ? table : 0;
    uint64_t notes_at = sections > 0 ? table + ELF_SECTION_HEADER : table;
    place_ranges(&ranges, notes_at + notes.len);
    add_header(&head, p->processor->machine, segments, sections);
    add_segment(&head, PT_NOTE, &(struct file_range){0, notes.len, notes_at});
    for (size_t i = 0; i < ranges.len; i++)
        add_segment(&head, PT_LOAD, &ranges.all[i]);
    le_put(section + SECTION_INFO, segments, 4);
    if (sections > 0)
        text_add(&head, section, ELF_SECTION_HEADER);
    out_text(o, &head);
    out_text(o, &notes);
    uint64_t at = head.len + notes.len;
    for (size_t i = 0; i < ranges.len && o->failed == 0; i++) {
        write_range(&p->memory, &ranges.all[i], at, o);
        at = ranges.all[i].offset + ranges.all[i].size;
    }
    free(ranges.all);
    text_free(&notes);
    text_free(&head);
}
