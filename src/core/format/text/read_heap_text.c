/* Reads the text heap dump of the .NET Compact Framework ("XNA" format): a record per line,
 * a letter and fields. docs/formats/heap-text.md has the grammar, every error and every
 * warning.
 *
 * One pass, in blocks. Fields are parsed from left to right; an error in a value is
 * reported after all fields of the line were parsed. Records may refer to later lines, so
 * they wait for the end of their section: with a graph 24 bytes per object, 8 per
 * reference, 24 per root, and the index of ids.h; without one only the types. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "format/reader.h"
#include "format/span.h"
#include "heap/ids.h"
#include "heap/root_set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Ids are valid in their section only. */
struct text_type {
    const char *name; /* as in the file; NULL before its record */
    size_t name_len;
    struct hd_tally objects;
    uint64_t containers;                    /* static fields that it declares */
    uint64_t first_object, first_container; /* lines */
    uint32_t type; /* of the builder, once the section ends; if it has objects */
};

struct text_object {
    uint64_t size, line;
    uint32_t type; /* number of the type id */
    uint32_t reference_count;
};

struct text_root {
    uint64_t object, line;
    uint32_t container; /* number of the type id, or NO_ID */
    enum hd_root_kind kind;
};

struct text_domain {
    UT_hash_handle hh;
};

enum {
    BLOCK_BYTES = 256 * 1024, /* at most, of input_next() */
    AHEAD = 64                /* bytes: more than a valid number and a line end */
};

struct heap_text {
    struct builder *b;
    struct account *account;
    struct hd_error *err;
    uint64_t line; /* current, from 1 */

    /* The current bytes. A line feed that is not part of the text follows them, so that a
     * loop through a line needs no other limit. */
    struct input *in;
    const unsigned char *at, *end;
    unsigned char *buffer; /* AHEAD, BLOCK_BYTES, the line feed */
    bool ended, failed;    /* no more bytes; because of an error of the input */
    struct text rest;      /* of a line: rest_of_line() */

    /* The open section. */
    bool in_section;
    struct span name;
    struct arena names; /* of its types */
    struct id_numbers type_ids;
    struct text_type *types; /* by number of the id */
    uint32_t last_type;      /* objects of a type are often adjacent */
    size_t type_cap;
    struct ids ids; /* of objects */
    struct text_object *objects;
    size_t object_cap;
    uint64_t *references; /* ids, grouped by object */
    size_t reference_count, reference_cap;
    struct text_root *roots;
    size_t root_count, root_cap;

    /* The file so far. */
    uint64_t sections, bytes;    /* of all objects */
    struct text_domain *domains; /* names of sections */
    struct arena domain_names;
    struct root_set root_set;
    uint64_t dangling_references, references_in_all;
    uint64_t strong_roots; /* with a graph: of objects that exist */
    uint64_t roots_by_kind[HD_ROOT_KIND_COUNT];
    bool sizes_have_letters; /* a digit from a to f */
};

/* --- bytes ----------------------------------------------------------------------- */

/* Appends the next block to the rest of this one, fewer than AHEAD bytes. False at the end
 * of the text. */
static bool next_block(struct heap_text *r)
{
    struct bytes block = {0};
    if (account_is_over(r->account))
        r->failed = !account_fail(r->account, r->err);
    else
        r->failed = !input_next(r->in, &block, r->err);
    r->ended = r->failed || block.size == 0;
    if (r->ended)
        return false;
    size_t left = (size_t)(r->end - r->at);
    unsigned char *begin = r->buffer + AHEAD - left;
    memmove(begin, r->at, left);
    memcpy(r->buffer + AHEAD, block.data, block.size);
    r->at = begin;
    r->end = r->buffer + AHEAD + block.size;
    r->buffer[AHEAD + block.size] = '\n';
    return true;
}

/* Ensures AHEAD current bytes, or all remaining ones. */
static inline void look_ahead(struct heap_text *r)
{
    while (r->end - r->at < AHEAD && !r->ended)
        next_block(r);
}

static inline bool is_blank(int c)
{
    return c == ' ' || c == '\t';
}

static inline void skip_blanks(struct heap_text *r)
{
    for (look_ahead(r); is_blank(*r->at); look_ahead(r))
        r->at++;
}

/* One CR belongs to the line end; every other is an ordinary byte. */
static inline bool ends_line(const unsigned char *p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

/* Skips to the end of the line. Stores the trimmed rest of the line in *rest, unless that
 * is NULL. False if it contains a NUL. */
static bool rest_of_line(struct heap_text *r, struct text *rest)
{
    bool clean = true;
    if (rest != NULL) {
        text_clear(rest);
        skip_blanks(r);
    }
    do {
        size_t len =
            (size_t)((unsigned char *)memchr(r->at, '\n', (size_t)(r->end - r->at) + 1) -
                     r->at);
        clean = clean && memchr(r->at, '\0', len) == NULL;
        if (rest != NULL) {
            size_t before = rest->cap;
            text_add(rest, r->at, len);
            account_charge(r->account, rest->cap - before);
        }
        r->at += len;
    } while (r->at == r->end && !r->ended && next_block(r));
    if (rest != NULL) {
        if (rest->len > 0 && rest->data[rest->len - 1] == '\r')
            rest->len--;
        while (rest->len > 0 && is_blank(rest->data[rest->len - 1]))
            rest->len--;
    }
    return clean;
}

/* --- errors and warnings --------------------------------------------------------- */

static bool refuse_end(struct heap_text *r)
{
    return fail_at_line(r->err, r->line, "truncated",
                        "the file ends inside a section: the dump is incomplete");
}

/* Rejects the line. The message begins with quote, unless that is empty. In a section a
 * last line without a line end was cut, whatever else is wrong with it. */
static bool refuse_quote(struct heap_text *r, const char *kind, struct span quote,
                         const char *why)
{
    rest_of_line(r, NULL);
    if (r->in_section && r->at == r->end)
        return refuse_end(r);
    if (quote.len == 0)
        return fail_at_line(r->err, r->line, kind, "%s", why);
    return fail_at_line(r->err, r->line, kind, "\"%s\" %s", excerpt_of(quote).text, why);
}

static bool refuse_line(struct heap_text *r, const char *kind, const char *why)
{
    return refuse_quote(r, kind, (struct span){0}, why);
}

static bool refuse_nul(struct heap_text *r)
{
    return refuse_line(r, "nul-byte", "a NUL byte: not text");
}

/* Rejects the line because of the current word, which it quotes. */
static bool refuse_word(struct heap_text *r, const char *kind, const char *why)
{
    char word[AHEAD];
    size_t len = 0;
    for (look_ahead(r); !is_blank(*r->at) && !ends_line(r->at); r->at++, look_ahead(r)) {
        if (*r->at == '\0')
            return refuse_nul(r);
        if (len < sizeof(word))
            word[len++] = (char)*r->at;
    }
    return refuse_quote(r, kind, (struct span){word, len}, why);
}

/* Counts a warning. Lines are not in order, since missing objects and types are found at
 * the end of a section; finish_text() sorts the list. */
static void warn_at_line(struct heap_text *r, enum warning_code code, uint64_t line)
{
    struct warnings *all = &r->b->snap->warnings;
    builder_warn(r->b, code, line);
    for (size_t i = 0; i < all->len; i++)
        if (all->all[i].code == code && line < all->all[i].line)
            all->all[i].line = line;
}

static int by_line(const void *a, const void *b)
{
    const struct warning *x = a, *y = b;
    return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
                              : (x->code > y->code) - (x->code < y->code);
}

/* --- fields ---------------------------------------------------------------------- */

enum { MAX_DIGITS = 16 };
enum field { FIELD_NUMBER, FIELD_NONE, FIELD_BAD };

/* The value of a hex digit; more than 15 for every other byte. */
static inline unsigned digit_of(unsigned char c)
{
    static const unsigned char one_more[256] = {
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
        ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['A'] = 11, ['B'] = 12,
        ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16, ['a'] = 11, ['b'] = 12,
        ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    };
    return one_more[c] - 1U;
}

static inline enum field next_number(struct heap_text *r, unsigned base, uint64_t *value)
{
    skip_blanks(r);
    const unsigned char *p = r->at;
    uint64_t v = 0;
    for (unsigned digit; (digit = digit_of(*p)) < base; p++)
        v = v * base + digit;
    if (p == r->at && ends_line(p))
        return FIELD_NONE;
    if (p == r->at || p - r->at > MAX_DIGITS || !(is_blank(*p) || ends_line(p)))
        return FIELD_BAD;
    r->at = p;
    *value = v;
    return FIELD_NUMBER;
}

static bool refuse_number(struct heap_text *r, unsigned base)
{
    return refuse_word(r, "bad-number",
                       base == 16 ? "is not a hexadecimal number"
                                  : "is not a decimal number");
}

/* A required field; missing names it. */
static inline bool read_number(struct heap_text *r, unsigned base, uint64_t *value,
                               const char *missing)
{
    enum field field = next_number(r, base, value);
    if (field == FIELD_NUMBER)
        return true;
    return field == FIELD_BAD ? refuse_number(r, base)
                              : refuse_line(r, "missing-field", missing);
}

/* "name stamp", where the name may have blanks in it: the rest of an a or c line. */
static bool read_name_and_stamp(struct heap_text *r, struct span *name, uint64_t *stamp)
{
    if (!rest_of_line(r, &r->rest))
        return refuse_nul(r);
    size_t begin = r->rest.len;
    while (begin > 0 && !is_blank(r->rest.data[begin - 1]))
        begin--;
    if (begin == 0)
        return refuse_line(r, "missing-field", "a section needs a name and a time stamp");
    *name = span_trim((struct span){r->rest.data, begin});
    struct span word = {r->rest.data + begin, r->rest.len - begin};
    *stamp = 0;
    bool good = word.len <= MAX_DIGITS;
    for (size_t i = 0; good && i < word.len; i++) {
        unsigned digit = digit_of((unsigned char)word.data[i]);
        good = digit < 16;
        *stamp = *stamp << 4 | digit;
    }
    return good || refuse_quote(r, "bad-number", word, "is not a hexadecimal number");
}

/* --- records --------------------------------------------------------------------- */

/* Returns the type with this id, known or new. Valid until the next call. */
static struct text_type *type_by_id(struct heap_text *r, uint64_t id)
{
    size_t known = r->type_ids.len;
    if (known > 0 && r->type_ids.ids[r->last_type] == id)
        return &r->types[r->last_type];
    r->last_type = id_numbers_add(&r->type_ids, id);
    if (r->last_type == known) {
        r->types =
            account_grow(r->account, r->types, known, &r->type_cap, sizeof(*r->types));
        r->types[known] = (struct text_type){0};
    }
    return &r->types[r->last_type];
}

/* t id name */
static bool read_type(struct heap_text *r)
{
    uint64_t id = 0;
    if (!read_number(r, 16, &id, "a type without an id"))
        return false;
    if (!rest_of_line(r, &r->rest))
        return refuse_nul(r);
    struct span name = {r->rest.data, r->rest.len};
    if (name.len == 0)
        return refuse_line(r, "missing-field", "a type without a name");
    struct text_type *t = type_by_id(r, id);
    if (t->name == NULL) {
        t->name = arena_strdup(&r->names, name.data, name.len);
        t->name_len = name.len;
        return true;
    }
    if (t->name_len != name.len || memcmp(t->name, name.data, name.len) != 0)
        return refuse_quote(r, "duplicate-type", name, "has the same id as another type");
    warn_at_line(r, WARN_REPEATED_TYPE, r->line);
    return true;
}

/* Reads to the end of the line. Null references are skipped. */
static bool read_edges(struct heap_text *r)
{
    uint64_t id = 0;
    enum field field;
    while ((field = next_number(r, 16, &id)) == FIELD_NUMBER) {
        if (id == 0)
            continue;
        if (r->reference_count == r->reference_cap)
            r->references = account_grow(r->account, r->references, r->reference_count,
                                         &r->reference_cap, sizeof(*r->references));
        r->references[r->reference_count++] = id;
    }
    return field == FIELD_NONE || refuse_number(r, 16);
}

/* Stores an object for the end of the section, with its number of references. */
static bool keep_object(struct heap_text *r, uint64_t id, struct text_object object,
                        size_t references)
{
    if (r->ids.len >= NO_NODE - 1 || references >= UINT32_MAX)
        return fail(r->err, HD_TOO_BIG, "more than 4294967294 objects or references");
    object.reference_count = (uint32_t)references;
    r->objects = account_grow(r->account, r->objects, r->ids.len, &r->object_cap,
                              sizeof(*r->objects));
    r->objects[r->ids.len] = object;
    if (ids_add(&r->ids, id))
        return true;
    char digits[MAX_DIGITS + 1];
    size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIx64, id);
    return refuse_quote(r, "duplicate-object", (struct span){digits, len},
                        "is already the id of an object");
}

/* True if any hex digit is from a to f. */
static bool has_letter(uint64_t value)
{
    return (value >> 3 & (value >> 2 | value >> 1) & 0x1111111111111111) != 0;
}

/* o id type size references... */
static bool read_object(struct heap_text *r)
{
    uint64_t id = 0, of = 0, size = 0;
    size_t references = r->reference_count;
    if (!read_number(r, 16, &id, "an object without an id") ||
        !read_number(r, 16, &of, "an object without a type id") ||
        !read_number(r, r->b->size_base, &size, "an object without a size"))
        return false;
    if (r->b->want_graph) {
        if (!read_edges(r))
            return false;
    } else if (!rest_of_line(r, NULL)) {
        return refuse_nul(r);
    }
    if (id == 0)
        return refuse_line(r, "null-id", "an object with id 0, which means null");
    r->sizes_have_letters |= has_letter(size);
    struct text_type *type = type_by_id(r, of);
    struct text_object object = {.size = size, .line = r->line, .type = r->last_type};
    if (r->b->want_graph && !keep_object(r, id, object, r->reference_count - references))
        return false;
    if (size > HD_UNKNOWN - 1 - r->bytes)
        return refuse_line(r, "size-overflow", "the sum of all sizes exceeds 64 bits");
    r->bytes += size;
    type->objects.bytes += size;
    if (type->objects.count++ == 0)
        type->first_object = r->line;
    return true;
}

enum { KIND_HANDLE = 3, KIND_STATIC = 4 };
enum { FLAG_PINNED = 1, FLAG_WEAK = 2, FLAG_UNSAFE = 4 };

static const enum hd_root_kind root_kinds[] = {
    HD_ROOT_OTHER,         HD_ROOT_STACK,  HD_ROOT_FINALIZER,
    HD_ROOT_STRONG_HANDLE, HD_ROOT_STATIC, HD_ROOT_OTHER,
};
enum { KIND_COUNT = sizeof(root_kinds) / sizeof(root_kinds[0]) };

/* r object kind flags [type], the type for statics only */
static bool read_root(struct heap_text *r)
{
    uint64_t object = 0, kind = 0, flags = 0, of = 0;
    if (!read_number(r, 16, &object, "a root without an object") ||
        !read_number(r, 16, &kind, "a root without a kind") ||
        !read_number(r, 16, &flags, "a root without flags"))
        return false;
    enum field declared = kind == KIND_STATIC ? next_number(r, 16, &of) : FIELD_NONE;
    if (declared == FIELD_BAD)
        return refuse_number(r, 16);
    skip_blanks(r);
    if (!ends_line(r->at))
        return refuse_word(r, "extra-field", "is one field too many");
    if (object == 0)
        return true;
    if (kind >= KIND_COUNT)
        warn_at_line(r, WARN_UNKNOWN_ROOT_KIND, r->line);
    if (flags & ~(uint64_t)(FLAG_PINNED | FLAG_WEAK | FLAG_UNSAFE))
        warn_at_line(r, WARN_UNKNOWN_ROOT_FLAG, r->line);
    if (flags & FLAG_WEAK) {
        r->b->snap->weak_roots++;
        return true;
    }
    struct text_root root = {.object = object,
                             .line = r->line,
                             .container = NO_ID,
                             .kind = kind < KIND_COUNT ? root_kinds[kind] : HD_ROOT_OTHER};
    if (kind == KIND_HANDLE && flags & FLAG_PINNED)
        root.kind = HD_ROOT_PINNED_HANDLE;
    if (declared == FIELD_NUMBER) {
        struct text_type *t = type_by_id(r, of);
        if (t->containers++ == 0)
            t->first_container = r->line;
        root.container = r->last_type;
    } else if (kind == KIND_STATIC) {
        warn_at_line(r, WARN_MISSING_CONTAINER, r->line);
    }
    if (!r->b->want_graph) {
        r->strong_roots++;
        r->roots_by_kind[root.kind]++;
        return true;
    }
    *ACCOUNT_APPEND(r->account, r->roots, r->root_count, r->root_cap) = root;
    return true;
}

/* a version name stamp */
static bool read_begin(struct heap_text *r)
{
    uint64_t version = 0, stamp = 0;
    struct span name;
    struct hd_snapshot *snap = r->b->snap;
    if (!read_number(r, 16, &version, "a section without a version") ||
        !read_name_and_stamp(r, &name, &stamp))
        return false;
    r->in_section = true;
    r->name = (struct span){arena_strdup(&r->domain_names, name.data, name.len), name.len};
    r->type_ids.account = r->names.account = r->account;
    ids_init(&r->ids, 0);
    ids_charge_to(&r->ids, r->account);
    if (version != 2)
        warn_at_line(r, WARN_UNKNOWN_VERSION, r->line);
    struct text_domain *domain;
    HASH_FIND(hh, r->domains, r->name.data, r->name.len, domain);
    if (domain != NULL) {
        warn_at_line(r, WARN_REPEATED_DOMAIN, r->line);
        snap->info.complete = false;
    } else {
        domain = arena_alloc(&r->domain_names, sizeof(*domain));
        HASH_ADD_KEYPTR(hh, r->domains, r->name.data, r->name.len, domain);
    }
    if (r->sections++ == 0) {
        snap->info.process = builder_string(r->b, name.data, name.len);
        snap->clock = (double)stamp / 1000;
    }
    return true;
}

/* --- the end of a section -------------------------------------------------------- */

static void give_objects(struct heap_text *r, node_id first)
{
    const uint64_t *reference = r->references;
    for (uint32_t i = 0; i < r->ids.len; i++) {
        const struct text_object *o = &r->objects[i];
        builder_node(r->b, r->types[o->type].type, o->size);
        for (uint32_t k = 0; k < o->reference_count; k++) {
            uint32_t to = ids_find(&r->ids, *reference++);
            if (to != NO_ID) {
                builder_edge(r->b, first + to);
                continue;
            }
            warn_at_line(r, WARN_DANGLING_REFERENCE, o->line);
            r->dangling_references++;
        }
    }
    r->references_in_all += r->reference_count;
}

static void give_roots(struct heap_text *r, node_id first)
{
    for (size_t i = 0; i < r->root_count; i++) {
        const struct text_root *root = &r->roots[i];
        uint32_t object = ids_find(&r->ids, root->object);
        if (object == NO_ID) {
            warn_at_line(r, WARN_DANGLING_ROOT, root->line);
            continue;
        }
        r->strong_roots++;
        struct span variable = {0};
        if (root->kind == HD_ROOT_STATIC) {
            variable = (struct span){"?", 1};
            if (root->container != NO_ID && r->types[root->container].name != NULL)
                variable = (struct span){r->types[root->container].name,
                                         r->types[root->container].name_len};
        }
        root_set_add(&r->root_set, root->kind, variable.data, variable.len, first + object);
    }
}

static void section_free(struct heap_text *r)
{
    account_free(r->account, r->types, r->type_cap, sizeof(*r->types));
    account_free(r->account, r->objects, r->object_cap, sizeof(*r->objects));
    account_free(r->account, r->references, r->reference_cap, sizeof(*r->references));
    account_free(r->account, r->roots, r->root_cap, sizeof(*r->roots));
    r->types = NULL;
    r->objects = NULL;
    r->references = NULL;
    r->roots = NULL;
    r->type_cap = r->object_cap = r->reference_cap = r->root_cap = 0;
    r->reference_count = r->root_count = 0;
    r->last_type = 0;
    id_numbers_free(&r->type_ids);
    ids_free(&r->ids);
    arena_free(&r->names);
}

/* c name stamp */
static bool read_end(struct heap_text *r)
{
    struct span name;
    uint64_t stamp = 0;
    if (!read_name_and_stamp(r, &name, &stamp))
        return false;
    if (name.len != r->name.len || memcmp(name.data, r->name.data, name.len) != 0)
        warn_at_line(r, WARN_DOMAIN_NAME_MISMATCH, r->line);
    for (size_t i = 0; i < r->type_ids.len; i++) {
        struct text_type *t = &r->types[i];
        if (t->objects.count > 0) {
            t->type = builder_type(r->b, TYPE_OBJECT, t->name, t->name_len);
            builder_row(r->b, t->type, t->objects.count, t->objects.bytes);
        }
        for (uint64_t n = t->name == NULL ? t->objects.count : 0; n > 0; n--)
            warn_at_line(r, WARN_UNKNOWN_TYPE, t->first_object);
        for (uint64_t n = t->name == NULL ? t->containers : 0; n > 0; n--)
            warn_at_line(r, WARN_UNKNOWN_CONTAINER, t->first_container);
    }
    if (r->b->want_graph) {
        /* there may be many sections: after the first the builder grows on demand */
        if (r->b->graph == NULL && r->ids.len > 0)
            builder_reserve(r->b, r->ids.len, r->reference_count);
        node_id first = r->b->graph != NULL ? r->b->graph->node_count : 0;
        ids_freeze(&r->ids);
        give_objects(r, first);
        give_roots(r, first);
    }
    section_free(r);
    r->in_section = false;
    return true;
}

/* --- the file -------------------------------------------------------------------- */

static bool read_line(struct heap_text *r)
{
    unsigned char letter = *r->at;
    if (is_blank(letter) || ends_line(r->at)) {
        skip_blanks(r);
        return ends_line(r->at) ||
               refuse_word(r, "unknown-record",
                           "has leading blanks: a record starts in column 1");
    }
    if (!is_blank(r->at[1]))
        return refuse_word(r, "unknown-record",
                           "is not a record: expected a, t, o, r or c and a blank");
    if (letter == '\0' || strchr("atorc", letter) == NULL)
        return refuse_word(r, "unknown-record",
                           "is not a record: expected a, t, o, r or c");
    if (letter == 'a' && r->in_section)
        return refuse_quote(r, "nested-domain", r->name, "has no end record yet");
    if (letter != 'a' && !r->in_section)
        return refuse_word(r, "outside-domain", "record outside a section (a ... c)");
    r->at++;
    return letter == 'o'   ? read_object(r)
           : letter == 'r' ? read_root(r)
           : letter == 't' ? read_type(r)
           : letter == 'a' ? read_begin(r)
                           : read_end(r);
}

static void finish_text(struct heap_text *r)
{
    enum { MANY_OBJECTS = 1000 };
    struct hd_snapshot *snap = r->b->snap;
    if (snap->warnings.len > 0)
        qsort(snap->warnings.all, snap->warnings.len, sizeof(struct warning), by_line);
    snap->info.has_graph = true;
    snap->info.has_roots = r->strong_roots > 0;
    if (r->dangling_references > r->references_in_all / 100)
        snap->info.complete = false;
    if (snap->info.objects > MANY_OBJECTS && r->b->size_base == 16 &&
        !r->sizes_have_letters)
        builder_warn(r->b, WARN_SIZES_LOOK_DECIMAL, 0);
    if (snap->info.objects > 0 && r->strong_roots == 0)
        builder_warn(r->b, WARN_NO_ROOTS, 0);
    if (!r->b->want_graph) {
        snap->info.roots = r->strong_roots;
        memcpy(snap->roots_by_kind, r->roots_by_kind, sizeof(snap->roots_by_kind));
    } else if (r->strong_roots > 0) {
        root_set_emit(&r->root_set, r->b);
    } else {
        /* Ranking and chains start at a root of all roots, even if it is empty. */
        static const char name[] = "[roots]";
        node_id root = r->b->graph != NULL ? r->b->graph->node_count : 0;
        builder_node(r->b, builder_type(r->b, TYPE_PSEUDO, name, sizeof(name) - 1), 0);
        builder_root(r->b, root);
    }
}

static bool read_sections(struct heap_text *r)
{
    for (look_ahead(r); r->at < r->end; look_ahead(r)) {
        r->line++;
        if (!read_line(r))
            return false;
        r->at += *r->at == '\r';
        r->at += r->at < r->end;
    }
    if (r->failed)
        return false;
    if (r->in_section)
        return refuse_end(r);
    if (r->sections == 0) {
        fail_at_line(r->err, 1, "empty", "nothing in it");
        /* A run that was stopped leaves such files; in a folder they are skipped. */
        if (r->err != NULL && r->err->status == HD_BAD_FORMAT)
            r->err->status = HD_NOT_A_SNAPSHOT;
        return false;
    }
    finish_text(r);
    return true;
}

static size_t utf8_mark(struct bytes head)
{
    return head.size >= 3 && memcmp(head.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* True for little or big endian UTF-16 with a byte order mark. */
static bool is_utf16(struct bytes head)
{
    return head.size >= 2 &&
           (memcmp(head.data, "\xFF\xFE", 2) == 0 || memcmp(head.data, "\xFE\xFF", 2) == 0);
}

static bool heap_text_read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct bytes head = input_head(in);
    if (is_utf16(head))
        return fail_at_line(err, 1, "utf-16", "UTF-16 text; convert it to UTF-8");
    struct account *account = builder_account(b);
    struct heap_text r = {.b = b,
                          .account = account,
                          .err = err,
                          .in = in,
                          .buffer = alloc_zeroed(AHEAD + BLOCK_BYTES + 1),
                          .domain_names = {.account = account},
                          .root_set = {.names = {.account = account}}};
    r.at = r.end = r.buffer;
    b->snap->weak_roots = 0;
    look_ahead(&r);
    r.at += utf8_mark(head);
    bool ok = read_sections(&r);
    section_free(&r);
    root_set_free(&r.root_set);
    HASH_CLEAR(hh, r.domains);
    arena_free(&r.domain_names);
    text_free(&r.rest);
    free(r.buffer);
    return ok;
}

/* --- recognising ----------------------------------------------------------------- */

static bool begins_record(int letter, int next)
{
    return letter > 0 && strchr("atorc", letter) != NULL && is_blank(next);
}

/* Decides by the first line that is not blank. */
static enum recognition heap_text_recognises(struct bytes head)
{
    const unsigned char *p = head.data;
    if (is_utf16(head)) {
        /* two letters after the byte order mark; the other half of each is 0 */
        size_t letter = p[0] == 0xFE ? 3 : 2;
        return head.size >= 6 && p[letter ^ 1] == 0 && p[(letter ^ 1) + 2] == 0 &&
                       begins_record(p[letter], p[letter + 2])
                   ? RECOGNISED_YES
                   : RECOGNISED_NO;
    }
    size_t begin = utf8_mark(head), at = begin;
    while (at < head.size && p[at] != 0 && strchr(" \t\r\n", p[at]) != NULL)
        at++;
    if (at == head.size)
        return RECOGNISED_MAYBE;
    bool in_column_1 = at == begin || p[at - 1] == '\n';
    return in_column_1 && at + 1 < head.size && begins_record(p[at], p[at + 1])
               ? RECOGNISED_YES
               : RECOGNISED_NO;
}

const struct reader read_heap_text = {
    .name = "heap-text",
    .summary = "text heap dump of the .NET Compact Framework (XNA)",
    .recognises = heap_text_recognises,
    .read = heap_text_read,
};
