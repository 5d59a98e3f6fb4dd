#include "clr/process/aot_image.h"

#include "base/arrays.h"
#include "base/cursor.h"
#include "clr/process/elf_image.h"

#include <stdlib.h>
#include <string.h>

/* Sections of a ReadyToRun header, as of src/coreclr/inc/readytorun.h. */
enum {
    SECTION_DEHYDRATED = 207,
    SECTION_TYPE_MAP = 301,
    SECTION_FIXUPS = 308,
    SECTION_METADATA = 313
};

/* --- numbers of the native format ------------------------------------------------ */

/* Reads a packed number: ones at the bottom of the first byte count further bytes. */
static uint32_t read_packed(struct cursor *c, unsigned *bits)
{
    enum { MAX_MORE = 4 };
    uint8_t first = cursor_u8(c);
    unsigned more = 0;
    while (more <= MAX_MORE && (first >> more & 1) != 0)
        more++;
    *bits = more < MAX_MORE ? 7 * (more + 1) : 32;
    if (more == MAX_MORE)
        return cursor_u32(c);
    if (more > MAX_MORE) {
        cursor_fail(c, "not a packed number");
        return 0;
    }
    uint32_t value = (uint32_t)first >> (more + 1);
    for (unsigned k = 0; k < more; k++)
        value |= (uint32_t)cursor_u8(c) << (7 - more + 8 * k);
    return value;
}

static uint32_t read_unsigned(struct cursor *c)
{
    unsigned bits;
    return read_packed(c, &bits);
}

/* An offset from the place where it begins. */
static uint64_t read_relative(struct cursor *c)
{
    uint64_t from = cursor_offset(c);
    unsigned bits;
    uint64_t value = read_packed(c, &bits);
    if ((value >> (bits - 1) & 1) != 0)
        value -= UINT64_C(1) << bits;
    return from + value;
}

/* --- sections ---------------------------------------------------------------------- */

struct loader {
    struct aot_image *image;
    const struct elf_image *elf; /* of a file, whose pointers are in relocations */
    const struct memory *memory;
    uint64_t header;
    struct arena *arena;
};

static uint64_t read_pointer(const struct loader *l, uint64_t address, bool *ok)
{
    return l->elf != NULL ? elf_pointer(l->elf, address, ok)
                          : memory_u64(l->memory, address, ok);
}

enum { HEADER = 16, ENTRY = 24, ENTRY_SINCE_11 = 16, MAX_SECTIONS = 128 };

/* Signature, version, flags, then how many sections there are, the size of an entry, and
 * their kind, which is 1. */
static bool is_header(const unsigned char *p)
{
    unsigned count = le_u16(p + 12);
    return memcmp(p, "RTR", 4) == 0 && count > 0 && count <= MAX_SECTIONS &&
           (p[14] == ENTRY || p[14] == ENTRY_SINCE_11) && p[15] == 1;
}

/* Nothing else points there: section headers, which name its place, are not loaded. */
static bool find_header(struct loader *l, uint64_t begin, uint64_t end)
{
    enum { ALIGNMENT = 8 };
    for (size_t i = 0; i < l->memory->len; i++) {
        const struct memory_piece *piece = &l->memory->all[i];
        uint64_t at = piece->address > begin ? piece->address : begin,
                 past = sum_or_most(piece->address, piece->size);
        past = past < end ? past : end;
        at = (at + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
        for (; at < past && past - at >= HEADER; at += ALIGNMENT)
            if (is_header(piece->bytes + (at - piece->address))) {
                l->header = at;
                return true;
            }
    }
    return false;
}

/* An entry has an id, flags, the begin and the end; since .NET 11 an id, the size, the
 * begin.
 */
static bool find_section(const struct loader *l, uint32_t id, uint64_t *start,
                         struct bytes *bytes)
{
    bool ok = true;
    unsigned count = memory_u16(l->memory, l->header + 12, &ok);
    uint64_t size = memory_u8(l->memory, l->header + 14, &ok);
    for (unsigned k = 0; k < count && ok; k++) {
        uint64_t entry = l->header + HEADER + size * k;
        if (memory_u32(l->memory, entry, &ok) != id)
            continue;
        *start = read_pointer(l, entry + 8, &ok);
        uint64_t end = size == ENTRY ? read_pointer(l, entry + 16, &ok)
                                     : *start + memory_u32(l->memory, entry + 4, &ok);
        if (!ok || end < *start)
            return false;
        bytes->size = (size_t)(end - *start);
        bytes->data = memory_at(l->memory, *start, bytes->size);
        return bytes->data != NULL;
    }
    return false;
}

/* --- method tables of a file ------------------------------------------------------- */

/* Method tables are encoded as commands that write them: a byte with a command in three
 * bits, and a count in five and up to three more bytes, or the number of a pointer after
 * all commands. Pointers are stored as distances. (Internal.Runtime.DehydratedData) */
enum dehydrated {
    DEHYDRATED_COPY,
    DEHYDRATED_ZEROS,
    DEHYDRATED_RELATIVE,
    DEHYDRATED_POINTER,
    DEHYDRATED_INLINE_RELATIVE,
    DEHYDRATED_INLINE_POINTERS
};

struct hydration {
    const struct memory *memory;
    struct cursor commands;
    uint64_t from, to,
        fixups;         /* addresses: of the commands, of their output, of the pointers */
    unsigned char *out; /* NULL: only measure */
    uint64_t len, capacity;
    bool ok;
};

static unsigned char *reserve_output(struct hydration *h, uint64_t size)
{
    if (h->len > h->capacity || size > h->capacity - h->len) {
        h->ok = false;
        return NULL;
    }
    unsigned char *at = h->out != NULL ? h->out + h->len : NULL;
    h->len += size;
    return at;
}

/* The address that a distance of 4 bytes at an address leads to. */
static uint64_t follow_distance(const struct memory *m, uint64_t address, bool *ok)
{
    return address + (uint64_t)(int64_t)(int32_t)memory_u32(m, address, ok);
}

static void put_pointer(struct hydration *h, uint64_t stored_at, bool relative)
{
    uint64_t here = h->to + h->len;
    unsigned char *at = reserve_output(h, relative ? 4 : 8);
    if (at == NULL)
        return;
    uint64_t value = follow_distance(h->memory, stored_at, &h->ok);
    le_put(at, relative ? value - here : value, relative ? 4 : 8);
}

static void run_command(struct hydration *h)
{
    enum { SHORT = 28 };
    uint8_t first = cursor_u8(&h->commands), what = first & 7;
    uint32_t payload = first >> 3, more = payload > SHORT ? payload - SHORT : 0;
    for (uint32_t k = 0; k < more; k++)
        payload = (k == 0 ? SHORT : payload) + ((uint32_t)cursor_u8(&h->commands) << 8 * k);
    if (what == DEHYDRATED_COPY) {
        const unsigned char *bytes = cursor_bytes(&h->commands, payload);
        unsigned char *at = reserve_output(h, payload);
        if (at != NULL && bytes != NULL)
            memcpy(at, bytes, payload);
    } else if (what == DEHYDRATED_ZEROS) {
        reserve_output(h, payload);
    } else if (what == DEHYDRATED_RELATIVE || what == DEHYDRATED_POINTER) {
        put_pointer(h, h->fixups + 4 * (uint64_t)payload, what == DEHYDRATED_RELATIVE);
    } else if (what == DEHYDRATED_INLINE_RELATIVE || what == DEHYDRATED_INLINE_POINTERS) {
        for (; payload > 0 && h->ok && cursor_ok(&h->commands); payload--) {
            put_pointer(h, h->from + cursor_offset(&h->commands),
                        what == DEHYDRATED_INLINE_RELATIVE);
            cursor_bytes(&h->commands, 4);
        }
    } else {
        h->ok = false;
    }
}

static bool hydrate(struct hydration *h, struct bytes commands, size_t first)
{
    h->commands = cursor_over(commands, NULL);
    h->len = 0;
    h->ok = true;
    cursor_seek(&h->commands, first);
    while (h->ok && cursor_ok(&h->commands) && cursor_left(&h->commands) > 0)
        run_command(h);
    return h->ok && cursor_ok(&h->commands);
}

/* The section: where to write, since .NET 11 the offset of the pointers, commands,
 * pointers. Measured first, since few bytes can ask for many: programs write 2 for each of
 * theirs. */
static bool add_method_tables(struct loader *l)
{
    enum { MAX_TIMES = 16, ANYWAY = 1 << 16, SINCE_11 = 26 };
    struct bytes commands = {0};
    struct hydration h = {.memory = l->memory};
    bool ok = find_section(l, SECTION_DEHYDRATED, &h.from, &commands);
    if (!ok)
        return false;
    h.to = follow_distance(l->memory, h.from, &ok);
    if (l->image->major >= SINCE_11) {
        uint32_t size = memory_u32(l->memory, h.from + 4, &ok);
        ok = ok && size <= commands.size;
        commands.size = size;
    }
    h.fixups = h.from + commands.size;
    h.capacity = MAX_TIMES * (uint64_t)commands.size + ANYWAY;
    size_t first = l->image->major >= SINCE_11 ? 8 : 4;
    if (!ok || !hydrate(&h, commands, first))
        return false;
    h.capacity = h.len;
    h.out = arena_alloc(l->arena, (size_t)h.len);
    if (!hydrate(&h, commands, first))
        return false;
    size_t count = l->memory->len;
    struct memory_piece *pieces = arena_array(l->arena, struct memory_piece, count + 1);
    pieces[0] = (struct memory_piece){h.to, h.len, h.out};
    memcpy(pieces + 1, l->memory->all, count * sizeof(*pieces));
    l->image->own = memory_of(pieces, count + 1, l->arena);
    l->memory = &l->image->own;
    return true;
}

/* --- definitions ------------------------------------------------------------------- */

/* Bits for the kind of a handle; the others are its offset. */
enum { TAG_BITS_BEFORE_10 = 8, TAG_BITS = 7 };

/* A map has offsets of buckets, which contain a byte of the hash and the offset of an
 * entry: the number of a pointer, and a handle with its kind in the top bits. */
struct type_map {
    struct bytes map;
    unsigned offset_size;
    uint64_t fixups; /* address of the pointers */
    size_t fixup_count, cap;
};

/* Returns the offset of a bucket. Offsets are stored after the first byte, and relative to
 * it. */
static uint64_t map_offset(const struct type_map *m, uint64_t bucket)
{
    const unsigned char *p = m->map.data + 1 + bucket * m->offset_size;
    return 1 + (m->offset_size == 1 ? *p : m->offset_size == 2 ? le_u16(p) : le_u32(p));
}

static bool add_definition(struct loader *l, struct type_map *map, struct cursor entry)
{
    struct aot_image *i = l->image;
    uint32_t number = read_unsigned(&entry), handle = read_unsigned(&entry);
    unsigned tag_bits =
        handle >> (32 - TAG_BITS) == AOT_RECORD_TYPE ? TAG_BITS : TAG_BITS_BEFORE_10;
    if (!cursor_ok(&entry) || number >= map->fixup_count)
        return false;
    if (handle >> (32 - tag_bits) != AOT_RECORD_TYPE)
        return true; /* a reference: the definition is not there */
    if (i->type_count > 0 && tag_bits != i->tag_bits)
        return false;
    bool ok = true;
    i->tag_bits = tag_bits;
    i->types = grow(i->types, i->type_count, &map->cap, sizeof(*i->types));
    i->types[i->type_count++] = (struct aot_type){
        follow_distance(l->memory, map->fixups + 4 * (uint64_t)number, &ok),
        handle & (UINT32_MAX >> tag_bits)};
    return ok;
}

static int types_by_address(const void *a, const void *b)
{
    const struct aot_type *x = a, *y = b;
    return compare_numbers(x->address, y->address);
}

/* Entries have at least two bytes: more than that limit would be repetitions. */
static bool walk_map(struct loader *l, struct type_map *m, uint64_t buckets)
{
    size_t left = m->map.size / 2;
    for (uint64_t bucket = 0; bucket < buckets; bucket++) {
        struct cursor c = cursor_over(m->map, NULL);
        cursor_seek(&c, map_offset(m, bucket));
        uint64_t end = map_offset(m, bucket + 1);
        while (cursor_ok(&c) && cursor_offset(&c) < end && left-- > 0) {
            struct cursor entry = c;
            cursor_u8(&c);
            cursor_seek(&entry, read_relative(&c));
            if (!cursor_ok(&c) || !add_definition(l, m, entry))
                return false;
        }
        if (!cursor_ok(&c) || left == 0)
            return false;
    }
    return true;
}

static bool add_definitions(struct loader *l)
{
    struct aot_image *i = l->image;
    struct type_map m = {.cap = 0};
    struct bytes fixups;
    uint64_t at;
    if (!find_section(l, SECTION_TYPE_MAP, &at, &m.map) ||
        !find_section(l, SECTION_FIXUPS, &m.fixups, &fixups) ||
        !find_section(l, SECTION_METADATA, &at, &i->metadata))
        return false;
    unsigned head = m.map.size > 0 ? m.map.data[0] : 0;
    uint64_t buckets = UINT64_C(1) << (head >> 2 < 32 ? head >> 2 : 32);
    m.offset_size = 1U << (head & 3);
    m.fixup_count = fixups.size / 4;
    if ((head & 3) == 3 || (buckets + 1) * m.offset_size >= m.map.size)
        return false;
    bool ok = walk_map(l, &m, buckets);
    i->types = arena_take_array(l->arena, i->types, i->type_count, sizeof(*i->types),
                                types_by_address);
    return ok && i->type_count > 0;
}

static bool load(struct loader *l, uint64_t begin, uint64_t end)
{
    bool ok = true;
    if (!find_header(l, begin, end))
        return false;
    l->image->base = begin;
    l->image->major = memory_u16(l->memory, l->header + 4, &ok);
    unsigned major = l->image->major;
    ok = ok && (major == 9 || major == 10 || major == 16 || major == 26) &&
         (l->elf == NULL || add_method_tables(l)) && add_definitions(l);
    l->image->memory = l->memory;
    return ok;
}

bool aot_image_of_file(struct aot_image *i, struct bytes file, struct arena *a)
{
    const uint64_t anywhere = UINT64_C(1) << 40;
    struct elf_image elf;
    struct memory *m = arena_alloc(a, sizeof(*m));
    *i = (struct aot_image){0};
    struct loader l = {.image = i, .elf = &elf, .memory = m, .arena = a};
    return elf_image_of_file(&elf, m, file, anywhere, a) && load(&l, anywhere, UINT64_MAX);
}

bool aot_image_in_memory(struct aot_image *i, const struct memory *m, uint64_t base,
                         uint64_t end, struct arena *a)
{
    *i = (struct aot_image){0};
    struct loader l = {.image = i, .memory = m, .arena = a};
    return load(&l, base, end);
}

/* --- names of definitions ---------------------------------------------------------- */

/* A record, and those that enclose it, the innermost first. */
enum { MAX_ENCLOSING = 32 };

static struct cursor record_at(const struct aot_image *i, uint32_t offset)
{
    struct cursor c = cursor_over(i->metadata, NULL);
    cursor_seek(&c, offset);
    return c;
}

static bool add_string(const struct aot_image *i, uint32_t offset, struct text *name)
{
    struct cursor c = record_at(i, offset);
    uint32_t size = read_unsigned(&c);
    const unsigned char *bytes = cursor_bytes(&c, size);
    if (bytes == NULL || memchr(bytes, '\0', size) != NULL)
        return false;
    text_add(name, bytes, size);
    return true;
}

/* A namespace has its parent, another one or an assembly, and its name. */
static bool add_namespace(const struct aot_image *i, uint32_t offset, struct text *name)
{
    uint32_t names[MAX_ENCLOSING];
    size_t count = 0;
    for (bool more = true; more;) {
        struct cursor c = record_at(i, offset);
        uint32_t parent = read_unsigned(&c), own = read_unsigned(&c);
        if (!cursor_ok(&c) || count == MAX_ENCLOSING)
            return false;
        if (own != 0) /* 0: the outermost namespace */
            names[count++] = own;
        offset = parent >> i->tag_bits;
        more = (parent & ((1U << i->tag_bits) - 1)) == AOT_RECORD_NAMESPACE && offset != 0;
    }
    bool ok = true;
    while (count > 0 && ok) {
        size_t before = name->len;
        ok = add_string(i, names[--count], name);
        if (name->len > before)
            text_add_char(name, '.');
    }
    return ok;
}

/* TypeDefinition: flags, base type, namespace, name, size, packing size, enclosing type. */
struct aot_image_definition {
    uint32_t space, name, enclosing;
};

static bool read_definition(const struct aot_image *i, uint32_t offset,
                            struct aot_image_definition *d)
{
    struct cursor c = record_at(i, offset);
    uint32_t flags = read_unsigned(&c), base = read_unsigned(&c);
    (void)flags, (void)base;
    d->space = read_unsigned(&c);
    d->name = read_unsigned(&c);
    uint32_t size = read_unsigned(&c), packing = read_unsigned(&c);
    (void)size, (void)packing;
    d->enclosing = read_unsigned(&c);
    return cursor_ok(&c) && d->name != 0;
}

static bool add_definition_name(const struct aot_image *i, uint32_t offset,
                                struct text *name)
{
    struct aot_image_definition all[MAX_ENCLOSING];
    size_t count = 0;
    do {
        if (count == MAX_ENCLOSING || !read_definition(i, offset, &all[count]))
            return false;
        offset = all[count++].enclosing;
    } while (offset != 0);
    bool ok = all[count - 1].space == 0 || add_namespace(i, all[count - 1].space, name);
    for (size_t k = count; k-- > 0 && ok;) {
        ok = add_string(i, all[k].name, name);
        if (k > 0)
            text_add_char(name, '+');
    }
    return ok;
}

/* --- names of composite types -------------------------------------------------------- */

/* MethodTable: flags, size of an object, the related type, numbers of virtual methods and
 * interfaces, a hash; then these; then distances of 4 bytes, some only with a flag.
 * (Internal.Runtime.EETypeFlags) */
enum {
    TABLE = 24,
    KIND = 0x30000,
    KIND_DEFINED = 0,
    KIND_PARAMETERIZED = 0x20000,
    KIND_DEFINITION = 0x30000,
    HAS_DISPATCH_MAP = 0x40000,
    HAS_FINALIZER = 0x100000,
    HAS_SEALED_SLOTS = 0x400000,
    HAS_OPTIONAL_FIELDS = 0x1000000, /* of .NET 8; later that there are pointers */
    IS_GENERIC = 0x2000000,
    ELEMENT_SHIFT = 26,
    ELEMENT_MASK = 0x1f,
    ELEMENT_ARRAY = 0x17,
    ELEMENT_VECTOR = 0x18,
    ELEMENT_BY_REFERENCE = 0x19,
    ELEMENT_POINTER = 0x1a,
    VECTOR_SIZE = 24 /* of an object without elements; 8 more for each dimension */
};

struct aot_image_method_table {
    uint64_t address, related;
    uint32_t flags, size;
    unsigned slots, interfaces;
};

static bool read_table(const struct aot_image *i, uint64_t address,
                       struct aot_image_method_table *t)
{
    const unsigned char *p = memory_at(i->memory, address, TABLE);
    if (p == NULL || address % 8 != 0)
        return false;
    *t = (struct aot_image_method_table){address,       le_u64(p + 8),  le_u32(p),
                                         le_u32(p + 4), le_u16(p + 16), le_u16(p + 18)};
    return true;
}

static bool begins_before(const void *all, size_t i, const void *address)
{
    return ((const struct aot_type *)all)[i].address < *(const uint64_t *)address;
}

static const struct aot_type *find_definition(const struct aot_image *i, uint64_t address)
{
    size_t at = search_first(i->types, 0, i->type_count, begins_before, &address);
    return at < i->type_count && i->types[at].address == address ? &i->types[at] : NULL;
}

/* Stack of pieces to append, the next one last: a type, or a word. */
struct aot_image_piece {
    const char *word; /* NULL: a type */
    uint64_t type;
};

struct composition {
    const struct aot_image *image;
    struct text *name;
    struct aot_image_piece todo[512];
    size_t count;
};

static bool aot_image_push(struct composition *c, const char *word, uint64_t type)
{
    if (c->count == sizeof(c->todo) / sizeof(*c->todo))
        return false;
    c->todo[c->count++] = (struct aot_image_piece){word, type};
    return true;
}

static bool expand_parameterized(struct composition *c,
                                 const struct aot_image_method_table *t)
{
    static const char *const ranks[] = {"[*]",    "[,]",     "[,,]",     "[,,,]",
                                        "[,,,,]", "[,,,,,]", "[,,,,,,]", "[,,,,,,,]"};
    uint32_t element = t->flags >> ELEMENT_SHIFT & ELEMENT_MASK;
    const char *word = NULL;
    if (element == ELEMENT_VECTOR)
        word = "[]";
    else if (element == ELEMENT_POINTER)
        word = "*";
    else if (element == ELEMENT_BY_REFERENCE)
        word = "&";
    else if (element == ELEMENT_ARRAY && t->size > VECTOR_SIZE &&
             (t->size - VECTOR_SIZE) / 8 <= sizeof(ranks) / sizeof(*ranks))
        word = ranks[(t->size - VECTOR_SIZE) / 8 - 1];
    return word != NULL && aot_image_push(c, word, 0) &&
           aot_image_push(c, NULL, t->related);
}

static uint64_t generic_part(const struct aot_image *i,
                             const struct aot_image_method_table *t)
{
    uint64_t at = t->address + TABLE + 8 * ((uint64_t)t->slots + t->interfaces);
    at += 4 + 4; /* the module's, and data that may be written to */
    at += (t->flags & HAS_DISPATCH_MAP) != 0 ? 4 : 0;
    at += (t->flags & HAS_FINALIZER) != 0 ? 4 : 0;
    at += i->major == 9 && (t->flags & HAS_OPTIONAL_FIELDS) != 0 ? 4 : 0;
    at += (t->flags & HAS_SEALED_SLOTS) != 0 ? 4 : 0;
    return at;
}

/* The definition, and its argument, or a list of distances to them. */
static bool expand_generic(struct composition *c, const struct aot_image_method_table *t)
{
    enum { MAX_ARGUMENTS = 64 };
    const struct aot_image *i = c->image;
    bool ok = true;
    uint64_t part = generic_part(i, t), definition = follow_distance(i->memory, part, &ok),
             arguments = follow_distance(i->memory, part + 4, &ok);
    struct aot_image_method_table of;
    const struct aot_type *known = find_definition(i, definition);
    if (!ok || known == NULL || !read_table(i, definition, &of) ||
        (of.flags & KIND) != KIND_DEFINITION)
        return false;
    uint32_t count = i->major == 9 ? of.flags & UINT16_MAX : of.size;
    if (count == 0 || count > MAX_ARGUMENTS || !aot_image_push(c, "]]", 0))
        return false;
    for (uint32_t k = count; k-- > 0 && ok;) {
        uint64_t at = arguments + 4 * (uint64_t)k;
        ok = aot_image_push(c, NULL,
                            count == 1 ? arguments : follow_distance(i->memory, at, &ok)) &&
             ok && aot_image_push(c, k > 0 ? "],[" : "[[", 0);
    }
    return ok && add_definition_name(i, known->record, c->name);
}

/* True for objects that hold the static variables of a class: of no kind, with a method
 * table that ends after the related type. */
static bool is_of_statics(const struct aot_image *i, const struct aot_image_method_table *t)
{
    return (t->flags & KIND) == KIND_DEFINED && (t->flags & IS_GENERIC) == 0 &&
           (t->flags >> ELEMENT_SHIFT & ELEMENT_MASK) == 0 &&
           find_definition(i, t->related) != NULL;
}

static bool expand(struct composition *c, uint64_t type)
{
    struct aot_image_method_table t;
    const struct aot_type *known = find_definition(c->image, type);
    if (known != NULL)
        return add_definition_name(c->image, known->record, c->name);
    if (!read_table(c->image, type, &t))
        return false;
    if (is_of_statics(c->image, &t)) {
        text_add_string(c->name, AOT_STATICS);
        return true;
    }
    if ((t.flags & KIND) == KIND_PARAMETERIZED)
        return expand_parameterized(c, &t);
    return (t.flags & KIND) == KIND_DEFINED && (t.flags & IS_GENERIC) != 0 &&
           expand_generic(c, &t);
}

/* Types that are made of each other in a circle, which no program has, end at the limits.
 */
bool aot_image_name(const struct aot_image *i, uint64_t rva, struct text *name)
{
    enum { LONGEST = 16 << 10 };
    struct composition c = {.image = i, .name = name};
    size_t before = name->len;
    bool ok = i->memory != NULL && aot_image_push(&c, NULL, i->base + rva);
    for (unsigned steps = 0; ok && c.count > 0; steps++) {
        struct aot_image_piece next = c.todo[--c.count];
        ok = steps < LONGEST && name->len - before < LONGEST;
        if (next.word != NULL)
            text_add_string(name, next.word);
        else
            ok = ok && expand(&c, next.type);
    }
    if (!ok)
        name->len = before;
    return ok;
}
