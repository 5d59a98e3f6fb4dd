/* Minidumps of Windows: minidumpapiset.h. */
#include "base/arrays.h"
#include "base/error.h"
#include "base/text.h"
#include "clr/process/process_image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 32,
    STREAM_COUNT = 8,
    DIRECTORY = 12, /* where */
    TIME = 20,
    ENTRY = 12,
    VERSION_MARK = 4, /* of the format; the other half of the number is the writer's */

    STREAM_THREADS = 3,
    STREAM_MODULES = 4,
    STREAM_MEMORY = 5,
    STREAM_SYSTEM = 7,
    STREAM_MEMORY_64 = 9,
    STREAM_MISC = 15,
    STREAM_THREAD_NAMES = 24
};

bool minidump_is(struct bytes head)
{
    return head.size >= VERSION_MARK + 2 && memcmp(head.data, "MDMP\x93\xA7", 6) == 0;
}

static const struct image_kind minidump_kind = {
    .name = "minidump",
    .library = "coreclr.dll",
    .separator = '\\',
    .lacks_heap = "without all memory (a mini, triage or heap dump)",
    .take_heap = "; take one with `dotnet-dump collect -p PID`, `procdump -ma PID` or "
                 "Task Manager",
};

/* --- the file ------------------------------------------------------------------ */

struct minidump_reader {
    struct process_image *p;
    struct bytes file;
    const unsigned char *directory;
    uint32_t streams;
    struct arena *a;
    struct hd_error *err;
};

static bool open_directory(struct minidump_reader *r)
{
    struct bytes file = r->file;
    if (file.size < HEADER)
        return fail_at_byte(r->err, file.size, "the minidump is truncated in its header");
    r->streams = le_u32(file.data + STREAM_COUNT);
    uint64_t at = le_u32(file.data + DIRECTORY), size = r->streams * (uint64_t)ENTRY;
    r->directory = bytes_whole(file, at, size).data;
    return r->directory != NULL ||
           fail_at_byte(r->err, file.size,
                        "the minidump is truncated in the directory of its %" PRIu32
                        " streams",
                        r->streams);
}

/* Finds the first stream of a type; size 0 if missing. False and err if truncated. */
static bool find_stream(const struct minidump_reader *r, uint32_t type, struct bytes *found)
{
    *found = (struct bytes){0};
    for (uint32_t i = 0; i < r->streams; i++) {
        const unsigned char *entry = r->directory + i * (size_t)ENTRY;
        uint32_t size = le_u32(entry + 4), at = le_u32(entry + 8);
        if (le_u32(entry) != type)
            continue;
        *found = bytes_within(r->file, at, size);
        if (found->size < size)
            return fail_at_byte(r->err, r->file.size,
                                "the minidump is truncated: its stream %" PRIu32
                                " is %" PRIu32 " bytes at byte %" PRIu32,
                                type, size, at);
        return true;
    }
    return true;
}

/* Finds a stream that is a list: a count, then that many records after head. */
static bool find_list(const struct minidump_reader *r, uint32_t type, size_t head,
                      size_t record, struct bytes *list, uint64_t *count)
{
    struct bytes stream;
    *count = 0;
    if (!find_stream(r, type, &stream))
        return false;
    if (stream.size < head)
        return stream.size == 0 ||
               fail(r->err, HD_BAD_FORMAT,
                    "stream %" PRIu32 " of the minidump is too short", type);
    *count = head == 4 ? le_u32(stream.data) : le_u64(stream.data);
    *list = (struct bytes){stream.data + head, stream.size - head};
    return *count <= list->size / record ||
           fail(r->err, HD_BAD_FORMAT,
                "stream %" PRIu32
                " of the minidump has room for %zu records, not for %" PRIu64,
                type, list->size / record, *count);
}

/* --- what is refused ----------------------------------------------------------- */

/* Programs of Google's and Mozilla's write the format on other systems. */
static bool check_system(const struct minidump_reader *r)
{
    enum { ARCHITECTURE = 0, PLATFORM = 20, MIN_SIZE = 24, AMD64 = 9, NT = 2 };
    static const struct {
        unsigned architecture;
        const char *name;
    } known[] = {{0, "a process of 32 bits (x86)"},
                 {5, "a process of ARM (32 bits)"},
                 {6, "a process of Itanium"},
                 {10, "a process of 32 bits (x86)"},
                 {12, "a process of ARM64"}};
    char unknown[48];
    const char *name = unknown;
    struct bytes s;
    if (!find_stream(r, STREAM_SYSTEM, &s))
        return false;
    if (s.size < MIN_SIZE)
        return fail(r->err, HD_BAD_FORMAT,
                    "the minidump does not contain its system and processor");
    unsigned architecture = le_u16(s.data + ARCHITECTURE);
    if (le_u32(s.data + PLATFORM) != NT)
        return fail(r->err, HD_UNSUPPORTED,
                    "a minidump of another system than Windows" TAKE_GCDUMP);
    snprintf(unknown, sizeof(unknown), "an unknown processor (%u)", architecture);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].architecture == architecture)
            name = known[i].name;
    return architecture == AMD64 ||
           fail(r->err, HD_UNSUPPORTED,
                "a minidump of %s; only those of x64 can be read" TAKE_GCDUMP, name);
}

/* --- memory -------------------------------------------------------------------- */

/* Reads ranges: with 64 bits their bytes are consecutive from one offset, possibly beyond 4
 * GB; else each range has its own offset. They are disjoint in the file, so that a few
 * cannot represent terabytes of memory. */
static bool read_ranges(struct minidump_reader *r, struct memory_pieces *to, bool is_64)
{
    /* Linux lets a process have 65,530 mappings; Windows has no such limit. */
    enum { HEAD = 4, HEAD_64 = 16, BASE = 8, RECORD = 16, SIZE = 8, PLACE = 12 };
    enum { MAX_RANGES = 1 << 24 };
    struct bytes list;
    uint64_t count, taken = 0;
    if (!find_list(r, is_64 ? STREAM_MEMORY_64 : STREAM_MEMORY, is_64 ? HEAD_64 : HEAD,
                   RECORD, &list, &count))
        return false;
    if (count > MAX_RANGES)
        return fail(r->err, HD_BAD_FORMAT,
                    "a minidump of %" PRIu64 " ranges of memory, more than any process has",
                    count);
    uint64_t at = is_64 && count > 0 ? le_u64(list.data - HEAD_64 + BASE) : 0;
    for (uint64_t i = 0; i < count && taken <= r->file.size; i++) {
        const unsigned char *record = list.data + i * RECORD;
        uint64_t size = is_64 ? le_u64(record + SIZE) : le_u32(record + SIZE);
        struct bytes part =
            bytes_within(r->file, is_64 ? at : le_u32(record + PLACE), size);
        r->p->lost = sum_or_most(r->p->lost, size - part.size);
        at = sum_or_most(at, size);
        taken += is_64 ? 0 : part.size;
        memory_pieces_add(to, le_u64(record), part);
    }
    return taken <= r->file.size ||
           fail(r->err, HD_BAD_FORMAT, "ranges of the minidump overlap in the file");
}

/* Some writers also list stacks in the 32-bit list, and all memory in the other, which has
 * precedence. */
static bool read_memory(struct minidump_reader *r)
{
    struct memory_pieces pieces = {0};
    bool ok = read_ranges(r, &pieces, true) && read_ranges(r, &pieces, false);
    r->p->cut_at = r->file.size;
    if (ok)
        r->p->memory = memory_of(pieces.all, pieces.len, r->a);
    free(pieces.all);
    return ok;
}

/* --- modules ------------------------------------------------------------------- */

/* A MINIDUMP_STRING: bytes, then UTF-16. Its folders end in a slash then, as elsewhere.
 * left: bytes that names may still have. */
static const char *read_name(struct minidump_reader *r, uint64_t at, uint64_t *left)
{
    enum { LENGTH = 4, MAX_BYTES = 2 * 0x8000 };
    struct bytes head = bytes_within(r->file, at, LENGTH);
    uint64_t size = head.size == LENGTH ? le_u32(head.data) : 0;
    struct bytes units = bytes_within(r->file, at + LENGTH, size);
    if (size == 0 || size > MAX_BYTES || units.size < size || size > *left)
        return "";
    *left -= size;
    struct text name = {0};
    text_add_utf16(&name, units.data, (size_t)size / 2, UTF16_LITTLE);
    for (size_t i = 0; i < name.len; i++)
        if (name.data[i] == '\\')
            name.data[i] = '/';
    const char *copy = arena_strdup(r->a, text_string(&name), strlen(text_string(&name)));
    text_free(&name);
    return copy;
}

/* The first one is the program. The total of names is limited by the size of the file, so
 * that a shared one is not copied many times. A version is a VS_FIXEDFILEINFO: signature,
 * version of the structure, four numbers. */
static bool read_modules(struct minidump_reader *r)
{
    enum { HEAD = 4, RECORD = 108, SIZE = 8, NAME = 20, VERSION = 24 };
    enum { MAX_MODULES = 1 << 16, UPPER = 8, LOWER = 12 };
    const uint32_t signature = 0xFEEF04BD;
    struct process_image *p = r->p;
    struct bytes list;
    uint64_t count, left = r->file.size;
    if (!find_list(r, STREAM_MODULES, HEAD, RECORD, &list, &count))
        return false;
    p->mapping_count = count < MAX_MODULES ? (size_t)count : MAX_MODULES;
    p->mappings = arena_array(r->a, struct image_mapping, p->mapping_count);
    for (size_t i = 0; i < p->mapping_count; i++) {
        const unsigned char *record = list.data + i * RECORD, *info = record + VERSION;
        uint64_t start = le_u64(record),
                 version = (uint64_t)le_u32(info + UPPER) << 32 | le_u32(info + LOWER);
        p->mappings[i] =
            (struct image_mapping){.start = start,
                                   .end = sum_or_most(start, le_u32(record + SIZE)),
                                   .path = read_name(r, le_u32(record + NAME), &left),
                                   .version = le_u32(info) == signature ? version : 0};
    }
    if (p->mapping_count > 0) {
        p->program_headers = p->mappings[0].start;
        p->name = path_file_name(p->mappings[0].path);
    }
    image_mappings_sort(p);
    return true;
}

/* --- threads and the process --------------------------------------------------- */

static bool read_threads(struct minidump_reader *r)
{
    enum { HEAD = 4, RECORD = 48, CONTEXT_SIZE = 40, CONTEXT = 44 };
    enum { TEB = 16, STACK = 24, STACK_SIZE = 32, STACK_BASE = 8 };
    enum { FLAGS = 0x30, FIRST = 0x78, COUNT = 17, AMD64 = 0x100000 };
    struct process_image *p = r->p;
    struct bytes list;
    uint64_t count;
    if (!find_list(r, STREAM_THREADS, HEAD, RECORD, &list, &count))
        return false;
    p->threads = arena_array(r->a, struct image_thread, (size_t)count);
    for (p->thread_count = 0; p->thread_count < count; p->thread_count++) {
        const unsigned char *record = list.data + p->thread_count * RECORD;
        struct image_thread *t = &p->threads[p->thread_count];
        /* Its environment block has the end of its stack; else use the range of its dumped
         * stack. */
        bool ok = true;
        uint64_t top = memory_u64(&p->memory, le_u64(record + TEB) + STACK_BASE, &ok),
                 end = sum_or_most(le_u64(record + STACK), le_u32(record + STACK_SIZE));
        *t = (struct image_thread){.id = le_u32(record), .thread_pointer = ok ? top : end};
        /* A CONTEXT of AMD64, of which the integer registers and Rip are taken. */
        struct bytes context =
            bytes_within(r->file, le_u32(record + CONTEXT), le_u32(record + CONTEXT_SIZE));
        if (context.size < FIRST + 8 * COUNT || !(le_u32(context.data + FLAGS) & AMD64))
            continue;
        for (size_t k = 0; k < COUNT; k++)
            t->registers[k] = le_u64(context.data + FIRST + 8 * k);
    }
    return true;
}

static int by_thread_id(const void *a, const void *b)
{
    const struct image_thread *const *x = a, *const *y = b;
    return compare_numbers((*x)->id, (*y)->id);
}

static bool id_is_before(const void *threads, size_t i, const void *id)
{
    const struct image_thread *const *all = threads;
    return all[i]->id < *(const uint64_t *)id;
}

/* Names are not needed to read the heap: an invalid stream is ignored. O(n log n). */
static void read_thread_names(struct minidump_reader *r)
{
    enum { HEAD = 4, RECORD = 12, NAME = 4 };
    struct process_image *p = r->p;
    struct minidump_reader quiet = *r;
    struct hd_error ignored = {0};
    struct bytes list;
    uint64_t count, left = r->file.size;
    quiet.err = &ignored;
    if (!find_list(&quiet, STREAM_THREAD_NAMES, HEAD, RECORD, &list, &count))
        return;
    struct image_thread **by_id = arena_array(r->a, struct image_thread *, p->thread_count);
    for (size_t i = 0; i < p->thread_count; i++)
        by_id[i] = &p->threads[i];
    if (p->thread_count > 0)
        qsort(by_id, p->thread_count, sizeof(struct image_thread *), by_thread_id);
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *record = list.data + i * RECORD;
        uint64_t id = le_u32(record);
        size_t at = search_first(by_id, 0, p->thread_count, id_is_before, &id);
        if (at < p->thread_count && by_id[at]->id == id)
            by_id[at]->name = read_name(r, le_u64(record + NAME), &left);
    }
}

bool minidump_open(struct process_image *p, struct bytes file, struct arena *a,
                   struct hd_error *err)
{
    enum { FLAGS = 4, ID = 8, MIN_SIZE = 12, HAS_ID = 1 };
    struct minidump_reader r = {.p = p, .file = file, .a = a, .err = err};
    *p = (struct process_image){.pid = HD_UNKNOWN,
                                .processor = processor_of(MACHINE_WINDOWS),
                                .kind = &minidump_kind};
    if (!minidump_is(file))
        return fail(err, HD_NOT_A_SNAPSHOT, "not a minidump");
    struct bytes misc;
    if (!open_directory(&r) || !check_system(&r) || !read_memory(&r) || !read_modules(&r) ||
        !read_threads(&r) || !find_stream(&r, STREAM_MISC, &misc))
        return false;
    read_thread_names(&r);
    if (misc.size >= MIN_SIZE && le_u32(misc.data + FLAGS) & HAS_ID)
        p->pid = le_u32(misc.data + ID);
    p->time = le_u32(file.data + TIME);
    return true;
}
