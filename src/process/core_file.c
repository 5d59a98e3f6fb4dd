#include "process/core_file.h"

#include "base/error.h"
#include "process/mapped_files.h"
#include "process/write_core_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- notes --------------------------------------------------------------------- */

/* One segment is what all writers make; more than a few would only be somebody's wish that
 * the same bytes be read a million times. */
enum { NOTE_SEGMENTS = 8 };

/* {0} is none. Of notes that are there several times the first counts, but for threads. */
struct core_notes {
    struct bytes files, program, auxiliary, redaction;
    struct bytes segments[NOTE_SEGMENTS];
    size_t segment_count, thread_count;
};

/* Types of notes, <linux/elf.h>. */
enum { NT_PRSTATUS = 1, NT_PRPSINFO = 3, NT_AUXV = 6, NT_FILE = 0x46494c45 };

struct note {
    uint32_t type;
    struct bytes name, payload;
};

/* Names and payloads are padded to 4 bytes. Every note of a core has a name: zeros are the
 * end, of which a sparse file may have gigabytes. */
static bool next_note(struct bytes *left, struct note *note)
{
    enum { HEAD = 12 };
    if (left->size < HEAD)
        return false;
    uint64_t name = le_u32(left->data), payload = le_u32(left->data + 4);
    uint64_t begin = HEAD + ((name + 3) & ~UINT64_C(3));
    if (name == 0 || begin > left->size || payload > left->size - begin)
        return false;
    *note = (struct note){le_u32(left->data + 8),
                          {left->data + HEAD, (size_t)name},
                          {left->data + begin, (size_t)payload}};
    uint64_t end = begin + ((payload + 3) & ~UINT64_C(3));
    size_t skip = end < left->size ? (size_t)end : left->size;
    *left = (struct bytes){left->data + skip, left->size - skip};
    return true;
}

/* struct elf_prstatus: the thread's id, and its registers. */
enum { STATUS_ID = 32, STATUS_REGISTERS = 112 };

static bool is_thread(const struct note *n, const struct processor *of)
{
    return n->type == NT_PRSTATUS &&
           n->payload.size >= STATUS_REGISTERS + (size_t)of->registers * 8;
}

static bool is_redaction(const struct note *n)
{
    static const char name[] = REDACTION_NOTE;
    return n->type == REDACTION_NOTE_TYPE && n->name.size == sizeof(name) &&
           memcmp(n->name.data, name, sizeof(name)) == 0;
}

/* Look through a segment of notes, whose bytes stay. What is cut or wrong ends it. */
static void core_notes_add(struct core_notes *n, struct bytes segment,
                           const struct processor *of)
{
    struct note note;
    if (n->segment_count == NOTE_SEGMENTS)
        return;
    n->segments[n->segment_count++] = segment;
    while (next_note(&segment, &note)) {
        struct bytes *to = note.type == NT_FILE       ? &n->files
                           : note.type == NT_PRPSINFO ? &n->program
                           : note.type == NT_AUXV     ? &n->auxiliary
                           : is_redaction(&note)      ? &n->redaction
                                                      : NULL;
        n->thread_count += is_thread(&note, of);
        if (to != NULL && to->size == 0)
            *to = note.payload;
    }
}

/* --- mapped files -------------------------------------------------------------- */

/* The next string of what is left; "" behind the last. */
static const char *next_path(struct bytes *left, struct arena *a)
{
    const unsigned char *nul = left->size > 0 ? memchr(left->data, '\0', left->size) : NULL;
    if (nul == NULL)
        return "";
    size_t len = (size_t)(nul - left->data);
    const char *path = arena_strdup(a, (const char *)left->data, len);
    *left = (struct bytes){nul + 1, left->size - len - 1};
    return path;
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
    size_t table = HEAD + p->mapping_count * ENTRY;
    struct bytes paths = {note.data + table, note.size - table};
    for (size_t i = 0; i < p->mapping_count; i++) {
        const unsigned char *at = note.data + HEAD + i * ENTRY;
        uint64_t offset = le_u64(at + 16);
        bool fits = unit == 0 || offset <= UINT64_MAX / unit;
        p->mappings[i] = (struct image_mapping){.start = le_u64(at),
                                                .end = le_u64(at + 8),
                                                .offset = fits ? offset * unit : UINT64_MAX,
                                                .path = next_path(&paths, a)};
    }
    image_mappings_sort(p);
}

/* --- threads and program ------------------------------------------------------- */

static struct image_thread read_thread(struct bytes status, const struct processor *of)
{
    struct image_thread t = {.id = le_u32(status.data + STATUS_ID)};
    for (size_t k = 0; k < of->registers; k++)
        t.registers[k] = le_u64(status.data + STATUS_REGISTERS + k * 8);
    if (of->thread_pointer != NO_REGISTER)
        t.thread_pointer = t.registers[of->thread_pointer];
    return t;
}

/* What else there is of a thread follows its registers. */
static void read_threads(const struct core_notes *n, struct process_image *p,
                         struct arena *a)
{
    const struct processor *of = p->processor;
    p->threads = arena_array(a, struct image_thread, n->thread_count);
    for (size_t i = 0; i < n->segment_count; i++) {
        struct bytes left = n->segments[i];
        struct note note;
        while (next_note(&left, &note)) {
            if (is_thread(&note, of))
                p->threads[p->thread_count++] = read_thread(note.payload, of);
            else if (of->thread_pointer_note != 0 && note.type == of->thread_pointer_note &&
                     note.payload.size >= 8 && p->thread_count > 0)
                p->threads[p->thread_count - 1].thread_pointer = le_u64(note.payload.data);
        }
    }
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

/* struct elf_prpsinfo. */
static void read_program(struct bytes note, struct process_image *p, struct arena *a)
{
    enum { ID = 24, NAME = 40, NAME_SIZE = 16, COMMAND = 56, COMMAND_SIZE = 80 };
    p->pid = HD_UNKNOWN;
    if (note.size < COMMAND + COMMAND_SIZE)
        return;
    p->pid = le_u32(note.data + ID);
    p->name = field(note, NAME, NAME_SIZE, a);
    p->command = field(note, COMMAND, COMMAND_SIZE, a);
}

/* --- a dump without values ----------------------------------------------------- */

/* What follows the key in "key=value"; NULL: it is another key. */
static const char *value_of(const char *entry, size_t len, const char *key, struct arena *a)
{
    size_t skip = strlen(key);
    if (len <= skip || memcmp(entry, key, skip) != 0 || entry[skip] != '=')
        return NULL;
    return arena_strdup(a, entry + skip + 1, len - skip - 1);
}

static void read_entry(const char *entry, size_t len, struct image_redaction *r,
                       struct arena *a)
{
    const struct {
        const char *key, **to;
    } texts[] = {
        {"process", &r->process}, {"runtime", &r->runtime}, {"lacking", &r->lacking}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (*texts[i].to == NULL)
            *texts[i].to = value_of(entry, len, texts[i].key, a);
    const char *unread = value_of(entry, len, "unread", a);
    if (unread != NULL &&
        sscanf(unread, "%19" SCNu64 " %20" SCNu64, &r->unread, &r->unread_at) != 2)
        r->unread = 0;
}

static void read_redaction(struct bytes note, struct image_redaction *r, struct arena *a)
{
    const char *at = (const char *)note.data;
    size_t left = note.size;
    r->is_redacted = note.size > 0;
    while (left > 0) {
        size_t len = strnlen(at, left);
        if (len == left)
            return;
        read_entry(at, len, r, a);
        at += len + 1;
        left -= len + 1;
    }
}

uint64_t core_auxiliary(struct bytes vector, enum auxiliary type)
{
    enum { PAIR = 16 };
    uint64_t found = 0;
    for (size_t at = 0; vector.size - at >= PAIR; at += PAIR)
        if (le_u64(vector.data + at) == (uint64_t)type)
            found = le_u64(vector.data + at + 8);
    return found;
}

/* Fill mappings (by start, disjoint), threads and the rest of p; in a. */
static void core_notes_read(const struct core_notes *n, struct process_image *p,
                            struct arena *a)
{
    read_mappings(n->files, p, a);
    read_threads(n, p, a);
    read_program(n->program, p, a);
    p->program_headers = core_auxiliary(n->auxiliary, AUXILIARY_PROGRAM_HEADERS);
    p->page = core_auxiliary(n->auxiliary, AUXILIARY_PAGE);
    read_redaction(n->redaction, &p->redaction, a);
}

/* --- the file ------------------------------------------------------------------ */

/* <elf.h>, 64 bits. */
enum {
    ELF_HEADER = 64,
    ELF_CLASS = 4, /* where; 2: 64 bits */
    ELF_DATA = 5,  /* 2: the highest byte first */
    ELF_TYPE = 16,
    ELF_MACHINE = 18,
    ELF_SEGMENTS = 32, /* where the table of segments begins */
    ELF_SECTIONS = 40,
    ELF_SEGMENT_SIZE = 54,
    ELF_SEGMENT_COUNT = 56,
    SEGMENT = 56,
    SECTION = 64,
    SECTION_INFO = 44,
    ET_CORE = 4,
    PT_LOAD = 1,
    PT_NOTE = 4,
    PN_XNUM = 0xffff /* the count stands in section 0 */
};

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

/* --- what is refused ----------------------------------------------------------- */

static const char *machine_name(unsigned machine)
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
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].machine == machine)
            return known[i].name;
    return NULL;
}

static bool find_processor(struct process_image *p, struct bytes file, struct hd_error *err)
{
    unsigned machine = half(file, ELF_MACHINE);
    bool is_ours = file.data[ELF_CLASS] == 2 && !is_big_endian(file);
    p->processor = is_ours ? processor_of(machine) : NULL;
    if (p->processor != NULL)
        return true;
    const char *name = machine_name(machine);
    if (name == NULL && file.data[ELF_CLASS] == 1)
        name = "a 32-bit process";
    if (name == NULL)
        return fail(err, HD_UNSUPPORTED,
                    "a core dump of an unknown machine (%u); only those of " PROCESSORS_READ
                    " can be read" TAKE_GCDUMP,
                    machine);
    return fail(err, HD_UNSUPPORTED,
                "a core dump of %s; only those of " PROCESSORS_READ
                " can be read" TAKE_GCDUMP,
                name);
}

/* --- segments ------------------------------------------------------------------ */

struct segments {
    const unsigned char *table;
    size_t count;
};

static bool is_in(struct bytes file, uint64_t at, uint64_t size)
{
    return at <= file.size && size <= file.size - at;
}

/* More segments than 16 bits can count: Linux allows a process that many mappings. */
static bool count_segments(struct bytes file, uint64_t *count, struct hd_error *err)
{
    *count = le_u16(file.data + ELF_SEGMENT_COUNT);
    if (*count != PN_XNUM)
        return true;
    uint64_t section = le_u64(file.data + ELF_SECTIONS);
    if (section == 0 || !is_in(file, section, SECTION))
        return fail_at_byte(
            err, file.size,
            "the core dump is truncated: the number of its segments was at byte %" PRIu64,
            section);
    *count = le_u32(file.data + section + SECTION_INFO);
    return true;
}

/* A sparse file has room for any number of empty ones. Linux lets a process have 65,530
 * mappings unless it is told otherwise. */
enum { MOST_SEGMENTS = 1 << 24 };

static bool find_segments(struct bytes file, struct segments *s, struct hd_error *err)
{
    uint64_t count, at = le_u64(file.data + ELF_SEGMENTS);
    if (le_u16(file.data + ELF_SEGMENT_SIZE) != SEGMENT)
        return fail_at_byte(err, ELF_SEGMENT_SIZE, "segments of %u bytes instead of 56",
                            le_u16(file.data + ELF_SEGMENT_SIZE));
    if (!count_segments(file, &count, err))
        return false;
    if (count > MOST_SEGMENTS)
        return fail(err, HD_BAD_FORMAT,
                    "a core dump of %" PRIu64 " segments, more than any process has",
                    count);
    if (!is_in(file, at, count * SEGMENT))
        return fail_at_byte(
            err, file.size,
            "the core dump is truncated in the table of its %" PRIu64 " segments", count);
    *s = (struct segments){file.data + at, (size_t)count};
    return true;
}

struct segment {
    uint32_t type;
    uint64_t offset, address, in_file;
};

/* Memory beyond what is in the file was not dumped: the kernel says so with p_filesz, and
 * writes zero pages as pages (of a sparse file). So it is not there, rather than zero. */
static struct segment segment_of(const struct segments *s, size_t i)
{
    const unsigned char *at = s->table + i * SEGMENT;
    return (struct segment){le_u32(at), le_u64(at + 8), le_u64(at + 16), le_u64(at + 32)};
}

/* What of a segment is there. */
static struct bytes part_in(struct bytes file, const struct segment *s)
{
    if (s->offset >= file.size)
        return (struct bytes){0};
    uint64_t left = file.size - s->offset;
    return (struct bytes){file.data + s->offset,
                          (size_t)(s->in_file < left ? s->in_file : left)};
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Segments do not share bytes, so a few bytes cannot stand for terabytes of memory. */
static bool read_pieces(struct bytes file, const struct segments *s,
                        struct process_image *p, struct arena *a, struct hd_error *err)
{
    struct memory_piece *pieces = NULL;
    uint64_t taken = 0;
    size_t len = 0, cap = 0;
    for (size_t i = 0; i < s->count && taken <= file.size; i++) {
        struct segment segment = segment_of(s, i);
        if (segment.type != PT_LOAD || segment.in_file == 0)
            continue;
        struct bytes part = part_in(file, &segment);
        p->lost = sum(p->lost, segment.in_file - part.size);
        taken += part.size;
        if (part.size == 0)
            continue;
        pieces = grow(pieces, len, &cap, sizeof(*pieces));
        pieces[len++] = (struct memory_piece){segment.address, part.size, part.data};
    }
    p->cut_at = file.size;
    if (taken <= file.size)
        p->memory = memory_of(pieces, len, a);
    free(pieces);
    return taken <= file.size ||
           fail(err, HD_BAD_FORMAT, "segments of the core dump overlap in the file");
}

static struct core_notes read_notes(struct bytes file, const struct segments *s,
                                    const struct processor *of)
{
    struct core_notes notes = {0};
    for (size_t i = 0; i < s->count; i++) {
        struct segment segment = segment_of(s, i);
        if (segment.type == PT_NOTE)
            core_notes_add(&notes, part_in(file, &segment), of);
    }
    return notes;
}

const struct image_kind core_kind = {
    .name = "core dump",
    .library = "libcoreclr.so",
    .separator = '/',
    .lacks_heap = "without the heap (a mini or triage dump)",
    .take_heap = "; take one with `createdump --withheap PID` or `dotnet-dump collect`",
};

bool core_file_open(struct process_image *p, struct bytes file, struct arena *a,
                    struct hd_error *err)
{
    struct segments s = {0};
    *p = (struct process_image){.pid = HD_UNKNOWN, .kind = &core_kind};
    if (!core_file_is(file))
        return fail(err, HD_NOT_A_SNAPSHOT, "not a core dump");
    if (file.size < ELF_HEADER)
        return fail_at_byte(err, file.size, "the core dump is truncated in its header");
    if (!find_processor(p, file, err) || !find_segments(file, &s, err))
        return false;
    struct core_notes notes = read_notes(file, &s, p->processor);
    core_notes_read(&notes, p, a);
    if (!read_pieces(file, &s, p, a, err))
        return false;
    /* All that is needed of files is in it. */
    if (!p->redaction.is_redacted)
        mapped_files_add(p, a);
    return true;
}

void core_file_close(struct process_image *p)
{
    mapped_files_close(p);
}
