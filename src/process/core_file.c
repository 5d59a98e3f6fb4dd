#include "process/core_file.h"

#include "base/error.h"
#include "process/core_notes.h"
#include "process/mapped_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    EM_X86_64 = 62,
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

/* --- what is refused ----------------------------------------------------------------- */

static const char *machine_name(unsigned machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } known[] = {
        {3, "x86 (32 bits)"}, {8, "MIPS"}, {20, "PowerPC"}, {21, "PowerPC (64 bits)"},
        {22, "s390x"},        {40, "ARM"}, {183, "arm64"},  {243, "RISC-V"},
        {258, "LoongArch"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].machine == machine)
            return known[i].name;
    return NULL;
}

#define TAKE_GCDUMP "; take a gcdump of the process, with `dotnet-gcdump collect -p PID`"

static bool check_machine(struct bytes file, struct hd_error *err)
{
    unsigned machine = half(file, ELF_MACHINE);
    bool is_ours = file.data[ELF_CLASS] == 2 && !is_big_endian(file);
    if (is_ours && machine == EM_X86_64)
        return true;
    const char *name = machine_name(machine);
    if (name == NULL && file.data[ELF_CLASS] == 1)
        name = "a process of 32 bits";
    if (name == NULL)
        return fail(err, HD_UNSUPPORTED,
                    "a core dump of a machine that is not known (%u); those of x86-64 can "
                    "be read" TAKE_GCDUMP,
                    machine);
    return fail(err, HD_UNSUPPORTED,
                "a core dump of %s; those of x86-64 can be read" TAKE_GCDUMP, name);
}

/* --- segments ------------------------------------------------------------------------ */

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
        return fail_at_byte(err, file.size,
                            "the core dump is cut: the number of its segments stood at "
                            "byte %" PRIu64,
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
        return fail_at_byte(err, ELF_SEGMENT_SIZE,
                            "segments of %u bytes where a core dump has 56",
                            le_u16(file.data + ELF_SEGMENT_SIZE));
    if (!count_segments(file, &count, err))
        return false;
    if (count > MOST_SEGMENTS)
        return fail(err, HD_BAD_FORMAT,
                    "a core dump of %" PRIu64 " segments, which no process has", count);
    if (!is_in(file, at, count * SEGMENT))
        return fail_at_byte(err, file.size,
                            "the core dump is cut in the table of its %" PRIu64 " segments",
                            count);
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
static bool take_pieces(struct bytes file, const struct segments *s,
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
           fail(err, HD_BAD_FORMAT, "segments of the core dump share bytes of the file");
}

static struct core_notes read_notes(struct bytes file, const struct segments *s)
{
    struct core_notes notes = {0};
    for (size_t i = 0; i < s->count; i++) {
        struct segment segment = segment_of(s, i);
        if (segment.type == PT_NOTE)
            core_notes_add(&notes, part_in(file, &segment));
    }
    return notes;
}

bool core_file_open(struct process_image *p, struct bytes file, struct arena *a,
                    struct hd_error *err)
{
    struct segments s = {0};
    *p = (struct process_image){.pid = HD_UNKNOWN};
    if (!core_file_is(file))
        return fail(err, HD_NOT_A_SNAPSHOT, "not a core dump");
    if (file.size < ELF_HEADER)
        return fail_at_byte(err, file.size, "the core dump is cut in its header");
    if (!check_machine(file, err) || !find_segments(file, &s, err))
        return false;
    struct core_notes notes = read_notes(file, &s);
    core_notes_take(&notes, p, a);
    if (!take_pieces(file, &s, p, a, err))
        return false;
    mapped_files_add(p, a);
    return true;
}

void core_file_close(struct process_image *p)
{
    mapped_files_close(p);
}
