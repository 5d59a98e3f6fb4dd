#include "process/core_notes.h"

#include <stdlib.h>
#include <string.h>

/* Types of notes, <linux/elf.h>. */
enum { NT_PRSTATUS = 1, NT_PRPSINFO = 3, NT_AUXV = 6, NT_FILE = 0x46494c45 };

struct note {
    uint32_t type;
    struct bytes payload;
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
    *note = (struct note){le_u32(left->data + 8), {left->data + begin, (size_t)payload}};
    uint64_t end = begin + ((payload + 3) & ~UINT64_C(3));
    size_t skip = end < left->size ? (size_t)end : left->size;
    *left = (struct bytes){left->data + skip, left->size - skip};
    return true;
}

/* struct elf_prstatus: the thread's id, and its registers. */
enum { STATUS_ID = 32, STATUS_REGISTERS = 112 };

static bool is_thread(const struct note *n)
{
    return n->type == NT_PRSTATUS &&
           n->payload.size >= STATUS_REGISTERS + IMAGE_REGISTERS * 8;
}

void core_notes_add(struct core_notes *n, struct bytes segment)
{
    struct note note;
    if (n->segment_count == NOTE_SEGMENTS)
        return;
    n->segments[n->segment_count++] = segment;
    while (next_note(&segment, &note)) {
        struct bytes *to = note.type == NT_FILE       ? &n->files
                           : note.type == NT_PRPSINFO ? &n->program
                           : note.type == NT_AUXV     ? &n->auxiliary
                                                      : NULL;
        n->thread_count += is_thread(&note);
        if (to != NULL && to->size == 0)
            *to = note.payload;
    }
}

/* --- mapped files -------------------------------------------------------------------- */

static int by_start(const void *x, const void *y)
{
    const struct image_mapping *a = x, *b = y;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void drop_empty(struct process_image *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->mapping_count; i++)
        if (p->mappings[i].start < p->mappings[i].end)
            p->mappings[kept++] = p->mappings[i];
    p->mapping_count = kept;
}

/* The kernel's are in order; of others each ends at the latest where the next begins. */
static void make_disjoint(struct process_image *p)
{
    drop_empty(p);
    if (p->mapping_count > 0)
        qsort(p->mappings, p->mapping_count, sizeof(*p->mappings), by_start);
    for (size_t i = 0; i + 1 < p->mapping_count; i++)
        if (p->mappings[i].end > p->mappings[i + 1].start)
            p->mappings[i].end = p->mappings[i + 1].start;
    drop_empty(p);
}

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
static void take_mappings(struct bytes note, struct process_image *p, struct arena *a)
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
        p->mappings[i] =
            (struct image_mapping){le_u64(at), le_u64(at + 8),
                                   fits ? offset * unit : UINT64_MAX, next_path(&paths, a)};
    }
    make_disjoint(p);
}

/* --- threads and program ------------------------------------------------------------- */

static void take_threads(const struct core_notes *n, struct process_image *p,
                         struct arena *a)
{
    p->threads = arena_array(a, struct image_thread, n->thread_count);
    for (size_t i = 0; i < n->segment_count; i++) {
        struct bytes left = n->segments[i];
        struct note note;
        while (next_note(&left, &note)) {
            if (!is_thread(&note))
                continue;
            struct image_thread *t = &p->threads[p->thread_count++];
            t->id = le_u32(note.payload.data + STATUS_ID);
            for (size_t k = 0; k < IMAGE_REGISTERS; k++)
                t->registers[k] = le_u64(note.payload.data + STATUS_REGISTERS + k * 8);
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
static void take_program(struct bytes note, struct process_image *p, struct arena *a)
{
    enum { ID = 24, NAME = 40, NAME_SIZE = 16, COMMAND = 56, COMMAND_SIZE = 80 };
    p->pid = HD_UNKNOWN;
    if (note.size < COMMAND + COMMAND_SIZE)
        return;
    p->pid = le_u32(note.data + ID);
    p->name = field(note, NAME, NAME_SIZE, a);
    p->command = field(note, COMMAND, COMMAND_SIZE, a);
}

uint64_t core_program_headers(struct bytes auxiliary)
{
    enum { AT_PHDR = 3, PAIR = 16 };
    uint64_t found = 0;
    for (size_t at = 0; auxiliary.size - at >= PAIR; at += PAIR)
        if (le_u64(auxiliary.data + at) == AT_PHDR)
            found = le_u64(auxiliary.data + at + 8);
    return found;
}

void core_notes_take(const struct core_notes *n, struct process_image *p, struct arena *a)
{
    take_mappings(n->files, p, a);
    take_threads(n, p, a);
    take_program(n->program, p, a);
    p->program_headers = core_program_headers(n->auxiliary);
}
