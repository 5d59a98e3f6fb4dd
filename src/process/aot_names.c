#include "process/aot_image.h"

#include "base/search.h"

#include <string.h>

/* --- names of definitions ---------------------------------------------------------- */

/* A record, and those that enclose it, the innermost first. */
enum { MOST_ENCLOSING = 32 };

static struct cursor record_at(const struct aot_image *i, uint32_t offset)
{
    struct cursor c = cursor_over(i->metadata, NULL);
    cursor_seek(&c, offset);
    return c;
}

static bool add_string(const struct aot_image *i, uint32_t offset, struct text *name)
{
    struct cursor c = record_at(i, offset);
    uint32_t size = aot_unsigned(&c);
    const unsigned char *bytes = cursor_bytes(&c, size);
    if (bytes == NULL || memchr(bytes, '\0', size) != NULL)
        return false;
    text_add(name, bytes, size);
    return true;
}

/* A namespace has its parent, another one or an assembly, and its name. */
static bool add_namespace(const struct aot_image *i, uint32_t offset, struct text *name)
{
    uint32_t names[MOST_ENCLOSING];
    size_t count = 0;
    for (bool more = true; more;) {
        struct cursor c = record_at(i, offset);
        uint32_t parent = aot_unsigned(&c), own = aot_unsigned(&c);
        if (!cursor_ok(&c) || count == MOST_ENCLOSING)
            return false;
        if (own != 0) /* the outermost one has none */
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
struct definition {
    uint32_t space, name, enclosing;
};

static bool read_definition(const struct aot_image *i, uint32_t offset,
                            struct definition *d)
{
    struct cursor c = record_at(i, offset);
    uint32_t flags = aot_unsigned(&c), base = aot_unsigned(&c);
    (void)flags, (void)base;
    d->space = aot_unsigned(&c);
    d->name = aot_unsigned(&c);
    uint32_t size = aot_unsigned(&c), packing = aot_unsigned(&c);
    (void)size, (void)packing;
    d->enclosing = aot_unsigned(&c);
    return cursor_ok(&c) && d->name != 0;
}

static bool add_definition_name(const struct aot_image *i, uint32_t offset,
                                struct text *name)
{
    struct definition all[MOST_ENCLOSING];
    size_t count = 0;
    do {
        if (count == MOST_ENCLOSING || !read_definition(i, offset, &all[count]))
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

/* --- names of what is made of them ------------------------------------------------- */

/* MethodTable: flags, size of an object, the related type, how many virtual methods and
 * interfaces, a hash; then these; then distances of 4 bytes, some of which flags announce.
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

struct method_table {
    uint64_t address, related;
    uint32_t flags, size;
    unsigned slots, interfaces;
};

static bool read_table(const struct aot_image *i, uint64_t address, struct method_table *t)
{
    const unsigned char *p = memory_at(i->memory, address, TABLE);
    if (p == NULL || address % 8 != 0)
        return false;
    *t = (struct method_table){address,       le_u64(p + 8),  le_u32(p),
                               le_u32(p + 4), le_u16(p + 16), le_u16(p + 18)};
    return true;
}

static bool is_before(const void *all, size_t i, const void *address)
{
    return ((const struct aot_type *)all)[i].address < *(const uint64_t *)address;
}

static const struct aot_type *find_definition(const struct aot_image *i, uint64_t address)
{
    size_t at = search_first(i->types, 0, i->type_count, is_before, &address);
    return at < i->type_count && i->types[at].address == address ? &i->types[at] : NULL;
}

/* What is still to be appended, the next one last: a type, or a word. */
struct piece {
    const char *word; /* NULL: a type */
    uint64_t type;
};

struct composition {
    const struct aot_image *image;
    struct text *name;
    struct piece todo[512];
    size_t count;
};

static bool push(struct composition *c, const char *word, uint64_t type)
{
    if (c->count == sizeof(c->todo) / sizeof(*c->todo))
        return false;
    c->todo[c->count++] = (struct piece){word, type};
    return true;
}

static bool expand_parameterized(struct composition *c, const struct method_table *t)
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
    return word != NULL && push(c, word, 0) && push(c, NULL, t->related);
}

static uint64_t generic_part(const struct aot_image *i, const struct method_table *t)
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
static bool expand_generic(struct composition *c, const struct method_table *t)
{
    enum { MOST_ARGUMENTS = 64 };
    const struct aot_image *i = c->image;
    bool ok = true;
    uint64_t part = generic_part(i, t), definition = aot_follow(i->memory, part, &ok),
             arguments = aot_follow(i->memory, part + 4, &ok);
    struct method_table of;
    const struct aot_type *known = find_definition(i, definition);
    if (!ok || known == NULL || !read_table(i, definition, &of) ||
        (of.flags & KIND) != KIND_DEFINITION)
        return false;
    uint32_t count = i->major == 9 ? of.flags & UINT16_MAX : of.size;
    if (count == 0 || count > MOST_ARGUMENTS || !push(c, "]]", 0))
        return false;
    for (uint32_t k = count; k-- > 0 && ok;) {
        uint64_t at = arguments + 4 * (uint64_t)k;
        ok = push(c, NULL, count == 1 ? arguments : aot_follow(i->memory, at, &ok)) && ok &&
             push(c, k > 0 ? "],[" : "[[", 0);
    }
    return ok && add_definition_name(i, known->record, c->name);
}

/* What holds the static variables of a class: an object of no kind, whose method table ends
 * after the related type. */
static bool is_of_statics(const struct aot_image *i, const struct method_table *t)
{
    return (t->flags & KIND) == KIND_DEFINED && (t->flags & IS_GENERIC) == 0 &&
           (t->flags >> ELEMENT_SHIFT & ELEMENT_MASK) == 0 &&
           find_definition(i, t->related) != NULL;
}

static bool expand(struct composition *c, uint64_t type)
{
    struct method_table t;
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
    bool ok = i->memory != NULL && push(&c, NULL, i->base + rva);
    for (unsigned steps = 0; ok && c.count > 0; steps++) {
        struct piece next = c.todo[--c.count];
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
