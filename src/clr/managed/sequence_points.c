/* Finds lines of source code by the sequence points of a portable PDB.
 *
 * Layouts: ECMA-335 II.24 and dotnet/runtime, docs/design/specs, PortablePdb-Metadata.md
 * and PE-COFF.md. docs/sites.md.
 *
 * Both files are untrusted: sizes are believed only as far as bytes follow, the symbols are
 * read into memory up to a limit, and only the required parts of the module. */
#include "base/alloc.h"
#include "base/text.h"
#include "clr/managed/metadata.h"
#include "clr/process/pe_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Larger ones are not read. */
enum { MAX_SYMBOLS = 32 << 20, MAX_METADATA = 32 << 20, ID_SIZE = 20 };

struct clr_source {
    struct metadata module, symbols;
    bool has_symbols;
    struct text module_bytes, symbol_bytes;
    struct arena arena;
    int file; /* of the module; the caller's */
};

/* The entries of a module for its symbols. */
struct debug_entries {
    unsigned char id[ID_SIZE];
    bool has_id;
    uint32_t embedded, embedded_size; /* offset in the file; size, or 0 */
};

/* --- files ----------------------------------------------------------------------- */

static bool read_at(const struct memory_fallback *b, uint64_t at, void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = at <= INT64_MAX - size
                        ? pread(b->fd, (char *)to + done, size - done, (off_t)(at + done))
                        : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* Reads at most size bytes from an offset. */
static bool read_piece(int fd, uint64_t at, uint64_t size, struct text *to)
{
    char block[1 << 16];
    const struct memory_fallback file = {.fd = fd};
    for (uint64_t done = 0; done < size;) {
        size_t left = size - done < sizeof(block) ? (size_t)(size - done) : sizeof(block);
        if (!read_at(&file, at + done, block, left))
            return false;
        text_add(to, block, left);
        done += left;
    }
    return true;
}

/* All of a file that begins as metadata does. */
static bool read_symbols(int fd, struct text *to)
{
    char mark[4];
    const struct memory_fallback file = {.fd = fd};
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    return size > 0 && size <= MAX_SYMBOLS && read_at(&file, 0, mark, sizeof(mark)) &&
           memcmp(mark, "BSJB", sizeof(mark)) == 0 && read_piece(fd, 0, (uint64_t)size, to);
}

/* --- symbols in a module ----------------------------------------------------------- */

/* A debug directory has 28 bytes an entry. The id of the symbols is the GUID of the entry
 * for them, and its time. */
static struct debug_entries read_debug_directory(const struct memory *m)
{
    enum { ENTRY = 28, TIME = 4, TYPE = 12, SIZE = 16, PLACE = 24, MAX_ENTRIES = 64 };
    enum { CODE_VIEW = 2, EMBEDDED = 17, RSDS = 0x53445352, GUID = 4 };
    struct debug_entries found = {0};
    struct pe_image image;
    uint32_t at;
    if (!pe_image_at(&image, m, 0))
        return found;
    struct pe_range directory = pe_directory(&image, PE_DEBUG);
    if (!pe_in_file(&image, directory.at, &at))
        return found;
    for (uint32_t i = 0; i < directory.size / ENTRY && i < MAX_ENTRIES; i++) {
        bool ok = true;
        uint64_t entry = (uint64_t)at + (uint64_t)ENTRY * i;
        uint32_t type = memory_u32(m, entry + TYPE, &ok);
        uint32_t size = memory_u32(m, entry + SIZE, &ok);
        uint32_t place = memory_u32(m, entry + PLACE, &ok);
        if (ok && type == EMBEDDED) {
            found.embedded = place;
            found.embedded_size = size;
        }
        if (!ok || type != CODE_VIEW || memory_u32(m, place, &ok) != RSDS)
            continue;
        le_put(found.id, memory_u64(m, (uint64_t)place + GUID, &ok), 8);
        le_put(found.id + 8, memory_u64(m, (uint64_t)place + GUID + 8, &ok), 8);
        le_put(found.id + 16, memory_u32(m, entry + TIME, &ok), 4);
        found.has_id = ok;
    }
    return found;
}

/* "MPDB", u32 size of the symbols, then deflated data. Converted to a gzip file with a
 * header of ten bytes; reading ends before the checksum, which is unknown. */
static bool unpack_symbols(int module, const struct debug_entries *entries, struct text *to)
{
    static const char head[10] = {'\x1f', '\x8b', 8}, end[8];
    enum { HEAD = 8 };
    unsigned char mark[HEAD];
    const struct memory_fallback file = {.fd = module};
    struct text packed = {0};
    struct hd_error unused = {0};
    struct bytes block = {.size = 1};
    if (entries->embedded_size <= HEAD || entries->embedded_size > MAX_SYMBOLS ||
        !read_at(&file, entries->embedded, mark, HEAD) || memcmp(mark, "MPDB", 4) != 0)
        return false;
    uint32_t size = le_u32(mark + 4), packed_size = entries->embedded_size - HEAD;
    text_add(&packed, head, sizeof(head));
    bool ok = size <= MAX_SYMBOLS &&
              read_piece(module, (uint64_t)entries->embedded + HEAD, packed_size, &packed);
    text_add(&packed, end, sizeof(end));
    const struct input_options opt = {.max_memory = MAX_SYMBOLS};
    struct input *in = ok ? input_unpack(packed.data, packed.len, &opt, &unused) : NULL;
    while (in != NULL && to->len < size && input_next(in, &block, &unused) &&
           block.size > 0)
        text_add(to, block.data, block.size < size - to->len ? block.size : size - to->len);
    if (in != NULL)
        input_close(in);
    text_free(&packed);
    return ok && size > 0 && to->len == size;
}

/* --- opening --------------------------------------------------------------------- */

static bool open_metadata(struct metadata *m, const struct text *bytes, struct arena *a)
{
    const struct memory_piece all = {0, bytes->len, (unsigned char *)bytes->data};
    return metadata_open(m, &all, NULL, a);
}

/* Whether they are symbols, and have that id. */
static bool open_symbols(struct clr_source *s, const struct debug_entries *entries)
{
    s->has_symbols = open_metadata(&s->symbols, &s->symbol_bytes, &s->arena) &&
                     s->symbols.symbols.size >= ID_SIZE &&
                     memcmp(s->symbols.symbols.data, entries->id, ID_SIZE) == 0;
    if (!s->has_symbols)
        text_clear(&s->symbol_bytes);
    return s->has_symbols;
}

/* II.25.3.3: the CLI header has the place and size of the metadata at 8. */
static bool read_module(struct clr_source *s, const struct memory *image, int module)
{
    enum { METADATA = 8 };
    struct pe_image pe;
    uint32_t header, at;
    bool ok = pe_image_at(&pe, image, 0) &&
              pe_in_file(&pe, pe_directory(&pe, PE_CLI_HEADER).at, &header);
    uint32_t place = ok ? memory_u32(image, (uint64_t)header + METADATA, &ok) : 0;
    uint32_t size = ok ? memory_u32(image, (uint64_t)header + METADATA + 4, &ok) : 0;
    return ok && size <= MAX_METADATA && pe_in_file(&pe, place, &at) &&
           read_piece(module, at, size, &s->module_bytes) &&
           open_metadata(&s->module, &s->module_bytes, &s->arena);
}

struct clr_source *clr_source_open(int module, int symbols)
{
    const struct memory_fallback file = {.read = read_at, .fd = module};
    const struct memory image = {.fallback = &file};
    struct clr_source *s = alloc_zeroed(sizeof(*s));
    s->file = module;
    if (!read_module(s, &image, module)) {
        clr_source_free(s);
        return NULL;
    }
    struct debug_entries entries = read_debug_directory(&image);
    if (!entries.has_id ||
        (read_symbols(symbols, &s->symbol_bytes) && open_symbols(s, &entries)))
        return s;
    text_clear(&s->symbol_bytes);
    if (unpack_symbols(module, &entries, &s->symbol_bytes))
        open_symbols(s, &entries);
    return s;
}

void clr_source_free(struct clr_source *s)
{
    if (s == NULL)
        return;
    text_free(&s->module_bytes);
    text_free(&s->symbol_bytes);
    arena_free(&s->arena);
    free(s);
}

/* --- methods --------------------------------------------------------------------- */

bool clr_source_has(const struct clr_source *s, uint32_t token, const char *type,
                    const char *method)
{
    uint32_t row = token & 0xFFFFFF;
    if (token >> 24 != METADATA_METHOD_DEF || row == 0 ||
        row > s->module.tables[METADATA_METHOD_DEF].count ||
        strcmp(metadata_method_name(&s->module, row), method) != 0)
        return false;
    const char *name =
        metadata_type_name(&s->module, metadata_method_type(&s->module, row)).name;
    size_t len = strlen(name), end = strcspn(type, "[");
    return len > 0 && len <= end && memcmp(type + end - len, name, len) == 0;
}

/* --- instructions ------------------------------------------------------------------ */

/* III.1.9 and 3: operand bytes after an opcode; two-byte opcodes begin with 0xFE. A switch
 * has more after its four. */
static size_t operand_size(unsigned char first, unsigned char second)
{
    static const struct {
        unsigned char from, to, size;
    } one[] = {{0x0E, 0x13, 1}, {0x1F, 0x1F, 1}, {0x20, 0x20, 4}, {0x21, 0x21, 8},
               {0x22, 0x22, 4}, {0x23, 0x23, 8}, {0x27, 0x29, 4}, {0x2B, 0x37, 1},
               {0x38, 0x45, 4}, {0x6F, 0x75, 4}, {0x79, 0x79, 4}, {0x7B, 0x81, 4},
               {0x8C, 0x8D, 4}, {0x8F, 0x8F, 4}, {0xA3, 0xA5, 4}, {0xC2, 0xC2, 4},
               {0xC6, 0xC6, 4}, {0xD0, 0xD0, 4}, {0xDD, 0xDD, 4}, {0xDE, 0xDE, 1}},
      two[] = {{0x06, 0x07, 4}, {0x09, 0x0E, 2}, {0x12, 0x12, 1},
               {0x15, 0x16, 4}, {0x19, 0x19, 1}, {0x1C, 0x1C, 4}};
    if (first == 0xFE) {
        for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
            if (second >= two[i].from && second <= two[i].to)
                return two[i].size;
        return 0;
    }
    for (size_t i = 0; i < sizeof(one) / sizeof(*one); i++)
        if (first >= one[i].from && first <= one[i].to)
            return one[i].size;
    return 0;
}

enum {
    CALL = 0x28,
    CALLI = 0x29,
    SWITCH = 0x45,
    CALLVIRT = 0x6F,
    LDSTR = 0x72,
    NEWOBJ = 0x73,
    BOX = 0x8C,
    NEWARR = 0x8D,
    LDTOKEN = 0xD0,
    TWO = 0xFE
};

/* Whether it calls something that may be inlined and allocate, or has the runtime make an
 * object when it is first used. */
static bool may_allocate(unsigned char opcode)
{
    return opcode == CALL || opcode == CALLI || opcode == CALLVIRT || opcode == LDSTR ||
           opcode == LDTOKEN;
}

/* Returns the first instruction in [from, until) that allocates: newobj, box, newarr. from
 * itself if only calls may have allocated, else CLR_NO_OFFSET: code that the JIT compiler
 * moved has the offset of the preceding code. */
static uint32_t find_allocation(struct bytes code, uint32_t from, uint32_t until)
{
    uint32_t found = CLR_NO_OFFSET;
    for (size_t at = 0; at < code.size && at < until;) {
        unsigned char opcode = code.data[at];
        if (at >= from && (opcode == NEWOBJ || opcode == BOX || opcode == NEWARR))
            return (uint32_t)at;
        if (at >= from && may_allocate(opcode))
            found = from;
        unsigned char second = at + 1 < code.size ? code.data[at + 1] : 0;
        size_t size = (opcode == TWO ? 2U : 1U) + operand_size(opcode, second);
        if (opcode == SWITCH && code.size - at >= size)
            size += 4 * (size_t)le_u32(code.data + at + 1);
        at = size < code.size - at ? at + size : code.size;
    }
    return found;
}

/* II.25.4: a tiny head has two bits and the size; others have 12 bytes, the size at 4. */
static bool read_code(const struct clr_source *s, uint32_t method, struct text *code)
{
    enum { TINY = 2, FAT = 3, FORM = 3, SIZE = 4, HEAD = 12, MAX_CODE = 1 << 20 };
    const struct memory_fallback file = {.read = read_at, .fd = s->file};
    const struct memory image = {.fallback = &file};
    struct pe_image pe;
    uint32_t at, place = metadata_method_code(&s->module, method);
    bool ok = place != 0 && pe_image_at(&pe, &image, 0) && pe_in_file(&pe, place, &at);
    unsigned char first = ok ? memory_u8(&image, at, &ok) : 0;
    if (ok && (first & FORM) == TINY)
        return read_piece(s->file, (uint64_t)at + 1, first >> 2, code);
    uint32_t size = ok ? memory_u32(&image, (uint64_t)at + SIZE, &ok) : 0;
    return ok && (first & FORM) == FAT && size <= MAX_CODE &&
           read_piece(s->file, (uint64_t)at + HEAD, size, code);
}

static uint32_t allocation_between(const struct clr_source *s,
                                   const struct clr_instruction *at)
{
    struct text code = {0};
    uint32_t found = at->offset;
    if (read_code(s, at->token & 0xFFFFFF, &code))
        found = find_allocation((struct bytes){(unsigned char *)code.data, code.len},
                                at->offset, at->until);
    text_free(&code);
    return found;
}

/* --- documents ------------------------------------------------------------------- */

/* A separator, and parts of the name; the last is usually the name of the file. */
static struct bytes file_name(const struct metadata *m, uint32_t document)
{
    enum { LONGEST = 1 << 12 };
    struct bytes name = metadata_document_name(m, document), last = {0};
    size_t at = 1;
    uint32_t part = 0;
    if (name.size > LONGEST)
        return last;
    while (at < name.size)
        if (!metadata_number(name, &at, &part))
            return last;
    last = metadata_blob(m, part);
    for (size_t i = last.size; i > 0; i--)
        if (last.data[i - 1] == '/' || last.data[i - 1] == '\\')
            return (struct bytes){last.data + i, last.size - i};
    return last;
}

/* --- sequence points --------------------------------------------------------------- */

/* II.23.2: a signed number has its sign in the lowest bit. */
static bool signed_number(struct bytes s, size_t *at, int64_t *number)
{
    size_t before = *at;
    uint32_t n;
    if (!metadata_number(s, at, &n))
        return false;
    size_t size = *at - before;
    int64_t most = INT64_C(1) << (size == 1 ? 6 : size == 2 ? 13 : 28);
    *number = (int64_t)(n >> 1) - ((n & 1) != 0 ? most : 0);
    return true;
}

struct point_reader {
    struct bytes blob;
    size_t at;
    uint32_t document, offset;
    int64_t line;
    bool is_first, is_visible; /* the next point; the last one */
    bool has_line;             /* a visible one was read */
};

/* Reads the next sequence point; false after the last, or if the blob is damaged. */
static bool next_point(struct point_reader *r)
{
    uint32_t step, lines, columns;
    int64_t change = 0;
    for (;;) {
        if (r->at >= r->blob.size || !metadata_number(r->blob, &r->at, &step))
            return false;
        if (step != 0 || r->is_first)
            break;
        if (!metadata_number(r->blob, &r->at, &r->document))
            return false;
    }
    r->is_first = false;
    r->offset += step;
    if (!metadata_number(r->blob, &r->at, &lines))
        return false;
    bool ok = lines == 0 ? metadata_number(r->blob, &r->at, &columns)
                         : signed_number(r->blob, &r->at, &change);
    r->is_visible = lines != 0 || (ok && columns != 0);
    if (!ok || !r->is_visible)
        return ok;
    if (r->has_line) {
        ok = signed_number(r->blob, &r->at, &change);
        r->line += change;
        return ok && signed_number(r->blob, &r->at, &change);
    }
    r->has_line = true;
    ok = metadata_number(r->blob, &r->at, &lines);
    r->line = lines;
    return ok && metadata_number(r->blob, &r->at, &columns);
}

/* Begins the points of a method. Those of an async method or iterator are in its state
 * machine; the method itself only creates that, so it has the first line. */
static bool begin_points(struct point_reader *r, const struct metadata *m,
                         struct clr_instruction *at)
{
    enum { MAX_BLOB = 1 << 20 };
    uint32_t local_signature, method = at->token & 0xFFFFFF;
    uint32_t machine = metadata_state_machine(m, method);
    *r = (struct point_reader){.is_first = true};
    r->blob = metadata_sequence_points(m, method, &r->document);
    if (r->blob.size == 0 && machine != 0) {
        r->blob = metadata_sequence_points(m, machine, &r->document);
        at->offset = at->offset != CLR_NO_OFFSET ? 0 : at->offset;
        at->until = 0;
    }
    return r->blob.size <= MAX_BLOB && metadata_number(r->blob, &r->at, &local_signature) &&
           (r->document != 0 || metadata_number(r->blob, &r->at, &r->document));
}

bool clr_source_line(const struct clr_source *s, const struct clr_instruction *asked,
                     struct clr_line *line)
{
    enum { MAX_LINE = 0x20000000 };
    struct clr_instruction at = *asked;
    struct point_reader r;
    uint32_t document = 0;
    *line = (struct clr_line){.line = 0};
    if (at.token >> 24 != METADATA_METHOD_DEF || !s->has_symbols ||
        !begin_points(&r, &s->symbols, &at))
        return false;
    if (at.until > at.offset && at.offset != CLR_NO_OFFSET)
        at.offset = allocation_between(s, &at);
    while (next_point(&r) && (r.offset <= at.offset || document == 0)) {
        if (!r.is_visible || r.line <= 0 || r.line >= MAX_LINE)
            continue;
        document = r.document;
        line->line = at.offset != CLR_NO_OFFSET ? (uint32_t)r.line : 0;
        if (at.offset == CLR_NO_OFFSET)
            break;
    }
    line->file = document != 0 ? file_name(&s->symbols, document) : line->file;
    return line->file.size > 0;
}
