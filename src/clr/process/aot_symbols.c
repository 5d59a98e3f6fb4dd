#include "clr/process/aot_image.h"

#include "base/arrays.h"
#include "base/error.h"
#include "clr/process/elf_image.h"

#include <stdlib.h>
#include <string.h>

/* --- symbols of an ELF file -------------------------------------------------------- */

static bool is_elf(struct bytes file, struct hd_error *err)
{
    static const unsigned char mach[] = {0xcf, 0xfa, 0xed, 0xfe};
    if (file.size >= 2 && memcmp(file.data, "MZ", 2) == 0)
        return fail(err, HD_UNSUPPORTED, "a program of Windows; only ELF files are read");
    if (file.size >= sizeof(mach) && memcmp(file.data, mach, sizeof(mach)) == 0)
        return fail(err, HD_UNSUPPORTED, "a program of macOS; only ELF files are read");
    if (file.size < ELF_HEADER || memcmp(file.data, "\177ELF", 4) != 0)
        return fail(err, HD_UNSUPPORTED, "not a program (no ELF file)");
    if (file.data[ELF_CLASS] != 2 || file.data[ELF_DATA] != 1)
        return fail(err, HD_UNSUPPORTED, "an ELF file that is not of 64 bits");
    return true;
}

/* The address of RVA 0. */
static uint64_t load_address(struct bytes file)
{
    enum { PAGE_SIZE = 4096 };
    uint16_t count = le_u16(file.data + ELF_SEGMENT_COUNT);
    struct bytes all = bytes_whole(file, le_u64(file.data + ELF_SEGMENTS),
                                   (uint64_t)count * ELF_PROGRAM_HEADER);
    for (size_t at = 0; at < all.size; at += ELF_PROGRAM_HEADER)
        if (elf_segment_of(all.data + at).type == PT_LOAD)
            return elf_segment_of(all.data + at).address & ~(uint64_t)(PAGE_SIZE - 1);
    return 0;
}

/* The symbols, and the names that they refer to; size 0: stripped. */
static bool find_symbols(struct bytes file, struct bytes *symbols, struct bytes *names,
                         struct hd_error *err)
{
    enum { TYPE = 4, OFFSET = 24, SIZE = 32, LINK = 40, SHT_SYMTAB = 2 };
    static const char damaged[] = "damaged: its section headers are not in the file";
    uint16_t count = le_u16(file.data + ELF_SECTION_COUNT);
    struct bytes all = bytes_whole(file, le_u64(file.data + ELF_SECTIONS),
                                   (uint64_t)count * ELF_SECTION_HEADER);
    *symbols = *names = (struct bytes){0};
    if (count == 0)
        return true;
    if (all.data == NULL || le_u16(file.data + ELF_SECTION_SIZE) != ELF_SECTION_HEADER)
        return fail(err, HD_BAD_FORMAT, damaged);
    const unsigned char *h = all.data, *end = all.data + all.size;
    while (h < end && le_u32(h + TYPE) != SHT_SYMTAB)
        h += ELF_SECTION_HEADER;
    if (h == end)
        return true;
    if (le_u32(h + LINK) >= count)
        return fail(err, HD_BAD_FORMAT, damaged);
    const unsigned char *n = all.data + (size_t)le_u32(h + LINK) * ELF_SECTION_HEADER;
    *symbols = bytes_whole(file, le_u64(h + OFFSET), le_u64(h + SIZE));
    *names = bytes_whole(file, le_u64(n + OFFSET), le_u64(n + SIZE));
    return (symbols->data != NULL && names->data != NULL) ||
           fail(err, HD_BAD_FORMAT, "damaged: its symbols are not in the file");
}

/* --- words ------------------------------------------------------------------------- */

static bool begins(struct mangled m, const char *with)
{
    size_t len = strlen(with);
    return m.len >= len && memcmp(m.at, with, len) == 0;
}

static bool ends(struct mangled m, const char *with)
{
    size_t len = strlen(with);
    return m.len >= len && memcmp(m.at + m.len - len, with, len) == 0;
}

static struct mangled without(struct mangled m, size_t len)
{
    return (struct mangled){m.at + len, m.len - len};
}

static struct mangled up_to(struct mangled m, size_t len)
{
    return (struct mangled){m.at, len};
}

static size_t digits(struct mangled m)
{
    size_t n = 0;
    while (n < m.len && m.at[n] >= '0' && m.at[n] <= '9')
        n++;
    return n;
}

/* Parses at most six digits, not NUL-terminated. */
static size_t aot_symbols_number(struct mangled digits)
{
    size_t value = 0;
    for (size_t i = 0; i < digits.len; i++)
        value = value * 10 + (size_t)(digits.at[i] - '0');
    return value;
}

/* Returns the first index of a word, or m.len. */
static size_t find_word(struct mangled m, const char *what)
{
    const char *found = bytes_find(m.at, m.len, what, strlen(what));
    return found != NULL ? (size_t)(found - m.at) : m.len;
}

static int compare_mangled(const void *a, const void *b)
{
    const struct mangled *x = a, *y = b;
    int order = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);
    return order != 0 ? order : compare_numbers(x->len, y->len);
}

/* --- what is kept of the symbols --------------------------------------------------- */

/* Method tables of objects that hold the static variables of a class, named after the
 * layout of their references. */
static const char statics[] = "__GCStaticEEType_";

/* Placeholder for any class as argument, in shared code. */
static const char any_class[] = "System___Canon";

/* Consecutive symbols usually have the same type. */
static void add_class_name(struct aot_symbols *s, struct mangled type)
{
    if (type.len == 0 ||
        (s->type_count > 0 && compare_mangled(&s->types[s->type_count - 1], &type) == 0))
        return;
    s->types = grow(s->types, s->type_count, &s->type_cap, sizeof(*s->types));
    s->types[s->type_count++] = type;
}

static void add_symbol(struct aot_symbols *s, struct mangled name, uint64_t rva)
{
    s->tables = grow(s->tables, s->count, &s->cap, sizeof(*s->tables));
    s->tables[s->count++] = (struct aot_symbol){rva, name};
}

/* "_ZTV23My_Acme_Shop_Acme_Order". The runtime's own, of C++, are so, too. */
static void add_method_table(struct aot_symbols *s, struct mangled name, uint64_t rva)
{
    static const char module[] = "__Module_";
    name = without(name, strlen("_ZTV"));
    size_t width = digits(name);
    if (width == 0 || width > 6 ||
        aot_symbols_number(up_to(name, width)) != name.len - width)
        return;
    name = without(name, width);
    add_symbol(s, name, rva);
    if (begins(name, "Boxed_"))
        name = without(name, strlen("Boxed_"));
    if (find_word(name, "<") < name.len)
        return;
    add_class_name(s, name);
    size_t len = name.len - (name.len > strlen(module) ? strlen(module) : name.len);
    if (len > 0 && memcmp(name.at + len, module, strlen(module)) == 0)
        s->assembly = up_to(name, len);
}

/* "My_Acme_Shop_Acme_Order__Pay" is a method of a class. */
static void add_method(struct aot_symbols *s, struct mangled name)
{
    struct mangled plain = up_to(name, find_word(name, "<"));
    size_t at = find_word(plain, "__");
    if (at > 0 && at + 2 < plain.len && plain.at[at + 2] != '_')
        add_class_name(s, up_to(plain, at));
}

static int by_rva(const void *a, const void *b)
{
    const struct aot_symbol *x = a, *y = b;
    return compare_numbers(x->rva, y->rva);
}

bool aot_symbols_of_file(struct aot_symbols *s, struct bytes file, struct arena *a,
                         struct hd_error *err)
{
    enum { STT_FUNC = 2 };
    struct bytes symbols, names;
    *s = (struct aot_symbols){0};
    if (!is_elf(file, err) || !find_symbols(file, &symbols, &names, err))
        return false;
    uint64_t base = load_address(file);
    for (size_t at = 0; symbols.size - at >= ELF_SYMBOL; at += ELF_SYMBOL) {
        const unsigned char *p = symbols.data + at;
        struct bytes left = bytes_within(names, le_u32(p), UINT64_MAX);
        const char *begin = (const char *)left.data;
        struct mangled name = {begin, left.size > 0 ? strnlen(begin, left.size) : 0};
        if (begins(name, "_ZTV"))
            add_method_table(s, name, le_u64(p + 8) - base);
        else if (begins(name, statics))
            add_symbol(s, name, le_u64(p + 8) - base);
        else if ((p[4] & 15) == STT_FUNC)
            add_method(s, name);
    }
    s->tables = arena_take_array(a, s->tables, s->count, sizeof(*s->tables), by_rva);
    s->types =
        arena_take_array(a, s->types, s->type_count, sizeof(*s->types), compare_mangled);
    return true;
}

/* --- names that the C# compiler makes ---------------------------------------------- */

static void add_mangled(struct text *t, struct mangled m)
{
    text_add(t, m.at, m.len);
}

/* "_3" at the end of a generic type is the number of its parameters. False: something else
 * is left. */
static bool add_arity(struct text *t, struct mangled rest)
{
    if (rest.len == 0)
        return true;
    if (rest.at[0] != '_' || digits(without(rest, 1)) != rest.len - 1 || rest.len == 1)
        return false;
    text_add_char(t, '`');
    add_mangled(t, without(rest, 1));
    return true;
}

/* "__c", "__c__DisplayClass6_0", "__c__62": how long; what they are called is appended. */
static size_t add_closure(struct text *t, struct mangled m)
{
    static const char display[] = "__DisplayClass";
    struct mangled rest = without(m, strlen("__c"));
    text_add_string(t, "<>c");
    size_t len = 0;
    if (begins(rest, display)) {
        len = strlen(display) + digits(without(rest, strlen(display)));
        if (len < rest.len && rest.at[len] == '_')
            len += 1 + digits(without(rest, len + 1));
    } else if (begins(rest, "__") && digits(without(rest, 2)) > 0) {
        len = 2 + digits(without(rest, 2));
    }
    add_mangled(t, up_to(rest, len));
    return strlen("__c") + len;
}

/* "_Wait_d__0" is <Wait>d__0; "__Main_b__0_1_d" the state machine of a lambda,
 * <<Main>b__0_1>d. */
static bool add_state_machine(struct text *t, struct mangled m)
{
    size_t lambda = find_word(m, "_b__"), last = m.len;
    if (begins(m, "__") && lambda > 2 && lambda < m.len && m.len > lambda + 6 &&
        memcmp(m.at + m.len - 2, "_d", 2) == 0) {
        text_add_string(t, "<<");
        add_mangled(t, (struct mangled){m.at + 2, lambda - 2});
        text_add_string(t, ">b__");
        add_mangled(t, (struct mangled){m.at + lambda + 4, m.len - lambda - 6});
        text_add_string(t, ">d");
        return true;
    }
    for (size_t at = find_word(m, "_d__"); at < m.len;
         at += 1 + find_word(without(m, at + 1), "_d__"))
        last = at;
    size_t width = last < m.len ? digits(without(m, last + 4)) : 0;
    if (!begins(m, "_") || last < 2 || width == 0)
        return false;
    text_add_char(t, '<');
    add_mangled(t, (struct mangled){m.at + 1, last - 1});
    text_add_string(t, ">d__");
    add_mangled(t, (struct mangled){m.at + last + 4, width});
    return add_arity(t, without(m, last + 4 + width));
}

/* One that begins with "<" or "_": whatever has no such form stays as it is. */
static void add_generated(struct text *t, struct mangled m)
{
    static const char anonymous[] = "__f__AnonymousType";
    size_t before = t->len;
    if (begins(m, anonymous)) {
        struct mangled rest = without(m, strlen(anonymous));
        text_add_string(t, "<>f__AnonymousType");
        add_mangled(t, up_to(rest, digits(rest)));
        if (add_arity(t, without(rest, digits(rest))))
            return;
    } else if (begins(m, "__c")) {
        struct mangled rest = without(m, add_closure(t, m));
        if (add_arity(t, rest))
            return;
        text_add_char(t, '+');
        if (begins(rest, "__") && add_state_machine(t, without(rest, 1)))
            return;
    } else if (add_state_machine(t, m)) {
        return;
    }
    t->len = before;
    add_mangled(t, m);
}

/* --- names of classes -------------------------------------------------------------- */

static bool is_before(const void *all, size_t i, const void *type)
{
    return compare_mangled(&((const struct mangled *)all)[i], type) < 0;
}

static bool is_type(const struct aot_symbols *s, struct mangled name)
{
    size_t at = search_first(s->types, 0, s->type_count, is_before, &name);
    return at < s->type_count && compare_mangled(&s->types[at], &name) == 0;
}

/* Short names of System types. */
static const struct {
    const char *mangled, *name;
} primitives[] = {
    {"Bool", "Boolean"},  {"UInt8", "Byte"},      {"Int8", "SByte"},
    {"UInt16", "UInt16"}, {"Int16", "Int16"},     {"UInt32", "UInt32"},
    {"Int32", "Int32"},   {"UInt64", "UInt64"},   {"Int64", "Int64"},
    {"Char", "Char"},     {"Double", "Double"},   {"Single", "Single"},
    {"IntPtr", "IntPtr"}, {"UIntPtr", "UIntPtr"}, {"Object", "Object"},
    {"String", "String"},
};

static const char *primitive(struct mangled m)
{
    for (size_t i = 0; i < sizeof(primitives) / sizeof(*primitives); i++)
        if (strlen(primitives[i].mangled) == m.len && begins(m, primitives[i].mangled))
            return primitives[i].name;
    return NULL;
}

/* Returns the length of the assembly's name at the start, including the "_" after it: the
 * program's own, or one followed by a namespace of the framework. 0: unknown. */
static size_t assembly_length(const struct aot_symbols *s, struct mangled m)
{
    static const char *const spaces[] = {"_System_", "_Microsoft_", "_Internal_",
                                         "_Interop_"};
    if (s->assembly.len > 0 && m.len > s->assembly.len + 1 &&
        memcmp(m.at, s->assembly.at, s->assembly.len) == 0 && m.at[s->assembly.len] == '_')
        return s->assembly.len + 1;
    size_t first = m.len;
    for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
        size_t at = find_word(m, spaces[i]);
        first = at < first ? at : first;
    }
    return first < m.len ? first + 1 : 0;
}

/* Each "_" is a dot, or a plus after the name of a class. */
static bool add_class(const struct aot_symbols *s, struct mangled m, struct text *t)
{
    size_t start = assembly_length(s, m);
    bool nested = false;
    if (start == 0)
        return false;
    for (size_t at = start; at < m.len;) {
        struct mangled rest = without(m, at);
        size_t len = find_word(rest, "_");
        if (at > start && len > 0 && digits(rest) == len) {
            text_add_char(t, '`');
            nested = true;
        } else if (at > start) {
            text_add_char(t, nested ? '+' : '.');
        }
        if (len == 0) {
            add_generated(t, rest);
            return true;
        }
        add_mangled(t, up_to(rest, len));
        nested = (nested && digits(rest) == len) || is_type(s, up_to(m, at + len));
        at += len + 1;
    }
    return true;
}

/* --- names of composite types -------------------------------------------------------- */

struct mangled_piece {
    const char *word; /* NULL: a type */
    struct mangled type;
};

struct demangler {
    const struct aot_symbols *s;
    struct text *name;
    struct mangled_piece todo[512];
    size_t count;
};

static bool aot_symbols_push(struct demangler *d, const char *word, struct mangled type)
{
    if (d->count == sizeof(d->todo) / sizeof(*d->todo))
        return false;
    d->todo[d->count++] = (struct mangled_piece){word, type};
    return true;
}

static bool push_array(struct demangler *d, struct mangled m)
{
    static const char *const ranks[] = {"[*]", "[,]", "[,,]", "[,,,]", "[,,,,]"};
    static const struct mangled none;
    struct mangled inner = without(up_to(m, m.len - 1), find_word(m, "<") + 1);
    if (begins(m, "__Array<"))
        return aot_symbols_push(d, "[]", none) && aot_symbols_push(d, NULL, inner);
    if (!begins(m, "__MDArray<") || inner.len < 3 || inner.at[inner.len - 2] != ',' ||
        inner.at[inner.len - 1] < '1' || inner.at[inner.len - 1] > '5')
        return false;
    return aot_symbols_push(d, ranks[inner.at[inner.len - 1] - '1'], none) &&
           aot_symbols_push(d, NULL, up_to(inner, inner.len - 2));
}

static bool is_begin_of_type(const struct aot_symbols *s, struct mangled m)
{
    struct mangled word = up_to(m, find_word(m, "_"));
    return begins(m, "__Array<") || begins(m, "__MDArray<") || begins(m, any_class) ||
           (primitive(word) != NULL &&
            (word.len == m.len || begins(without(m, word.len), "__"))) ||
           assembly_length(s, m) > 0;
}

/* How long the first argument is: up to "__" outside of brackets in front of a type. */
static size_t argument_length(const struct aot_symbols *s, struct mangled m)
{
    size_t depth = 0;
    for (size_t i = 0; i < m.len; i++) {
        depth += m.at[i] == '<';
        depth -= m.at[i] == '>' && depth > 0;
        if (depth == 0 && i > 0 && i + 2 < m.len && memcmp(m.at + i, "__", 2) == 0 &&
            is_begin_of_type(s, without(m, i + 2)))
            return i;
    }
    return m.len;
}

/* Returns the total number of type parameters of a type and its outer types. */
static size_t arity(struct mangled m)
{
    size_t sum = 0;
    for (size_t at = find_word(m, "_"); at < m.len;
         at += 1 + find_word(without(m, at + 1), "_")) {
        struct mangled rest = without(m, at + 1);
        size_t len = digits(rest);
        if (len > 0 && len < 3 && (len == rest.len || rest.at[len] == '_'))
            sum += aot_symbols_number(up_to(rest, len));
    }
    return sum;
}

static bool push_generic(struct demangler *d, struct mangled m)
{
    enum { MAX_ARGUMENTS = 64 };
    static const struct mangled none;
    struct mangled arguments[MAX_ARGUMENTS], type = up_to(m, find_word(m, "<"));
    struct mangled rest = without(up_to(m, m.len - 1), type.len + 1);
    size_t count = 0;
    while (rest.len > 0 && count < MAX_ARGUMENTS) {
        size_t len = argument_length(d->s, rest);
        arguments[count++] = up_to(rest, len);
        rest = without(rest, len + 2 < rest.len ? len + 2 : rest.len);
    }
    bool ok = rest.len == 0 && count > 0 && aot_symbols_push(d, "]]", none);
    for (size_t i = count; i-- > 0 && ok;)
        ok = aot_symbols_push(d, NULL, arguments[i]) &&
             aot_symbols_push(d, i > 0 ? "],[" : "[[", none);
    return ok && arity(type) >= count && aot_symbols_push(d, NULL, type);
}

static bool expand(struct demangler *d, struct mangled m)
{
    static const struct mangled none;
    if (begins(m, "Boxed_"))
        m = without(m, strlen("Boxed_"));
    const char *name = primitive(m);
    if (name != NULL) {
        text_add_string(d->name, "System.");
        text_add_string(d->name, name);
        return true;
    }
    if (begins(m, statics) || (m.len == strlen(any_class) && begins(m, any_class))) {
        text_add_string(d->name, begins(m, statics) ? AOT_STATICS : "System.__Canon");
        return true;
    }
    if (find_word(m, "<") == m.len)
        return add_class(d->s, m, d->name);
    if (m.at[m.len - 1] != '>')
        return false;
    if (ends(m, "<Pointer>"))
        return aot_symbols_push(d, "*", none) &&
               aot_symbols_push(d, NULL, up_to(m, m.len - strlen("<Pointer>")));
    return begins(m, "__") ? push_array(d, m) : push_generic(d, m);
}

static bool is_lower(const void *all, size_t i, const void *rva)
{
    return ((const struct aot_symbol *)all)[i].rva < *(const uint64_t *)rva;
}

bool aot_symbols_name(const struct aot_symbols *s, uint64_t rva, struct text *name)
{
    enum { LONGEST = 4096 }; /* each "__" is looked at again */
    size_t at = search_first(s->tables, 0, s->count, is_lower, &rva), before = name->len;
    if (at == s->count || s->tables[at].rva != rva || s->tables[at].name.len == 0)
        return false;
    struct demangler d = {.s = s, .name = name};
    bool ok =
        s->tables[at].name.len <= LONGEST && aot_symbols_push(&d, NULL, s->tables[at].name);
    while (ok && d.count > 0) {
        struct mangled_piece next = d.todo[--d.count];
        if (next.word != NULL)
            text_add_string(name, next.word);
        else
            ok = next.type.len > 0 && expand(&d, next.type);
    }
    if (!ok) {
        name->len = before;
        add_mangled(name, s->tables[at].name);
    }
    return true;
}
