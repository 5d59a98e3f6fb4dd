/* text_section.h - one section (AppDomain) of a heap text, while it is read.
 *
 * Records come in any order: objects before their types, roots before their
 * objects, references to objects further down. So a section keeps what it cannot
 * use yet and hands it to the builder when it ends. Ids mean something inside
 * their section only. Until then nothing outside of it is touched, so pieces of one
 * section can be read by several threads and put together (section_merge).
 *
 * With a graph it takes 24 bytes per object, 8 per reference, 24 per root, and
 * the index of ids.h; without one only the types. It must not know how records
 * are written. */
#ifndef TEXT_SECTION_H
#define TEXT_SECTION_H

#include "format/span.h"
#include "heap/ids.h"
#include "heap/root_set.h"

/* How often something was seen, and where first: what a warning says. */
struct occurrence {
    uint64_t count, line;
};

/* Over all sections of the file. */
struct text_totals {
    uint64_t bytes; /* of all objects */
    uint64_t references, dangling_references;
    uint64_t strong_roots; /* with a graph: of objects that exist */
    uint64_t weak_roots;
    uint64_t roots_by_kind[HD_ROOT_KIND_COUNT];
    bool sizes_have_letters; /* a digit from a to f */
};

struct section {
    bool want_graph;
    struct account *account;
    struct occurrence odd[WARN_CODE_COUNT];

    struct id_numbers type_ids;
    struct section_type *types; /* by number of the id */
    size_t type_cap;
    uint64_t last_type_id; /* objects of a type like to stand together */
    uint32_t last_type;
    struct arena names;

    struct ids ids; /* of objects */
    struct section_object *objects;
    size_t object_cap;
    uint64_t *references; /* ids, of one object after the other */
    size_t reference_count, reference_cap, references_taken;
    struct section_root *roots;
    size_t root_count, root_cap;
};

/* A {0} section holds nothing. section_begin() takes one that holds nothing; account is
 * charged for what it takes, until it is freed. */
void section_begin(struct section *s, bool want_graph, struct account *account);
void section_free(struct section *s);

/* Note a warning. They are given to the builder in order of their first line. */
void section_odd(struct section *s, enum warning_code code, uint64_t line);

/* A type record. False if the id has another name already. */
bool section_name_type(struct section *s, uint64_t id, const char *name, size_t len,
                       uint64_t line);

/* A reference of the object that comes next; only when a graph is wanted. */
static inline void section_reference(struct section *s, uint64_t id)
{
    if (s->reference_count == s->reference_cap)
        s->references = account_grow(s->account, s->references, s->reference_count,
                                     &s->reference_cap, sizeof(*s->references));
    s->references[s->reference_count++] = id;
}

enum section_result { SECTION_OK, SECTION_DUPLICATE, SECTION_OVERFLOW, SECTION_TOO_BIG };

/* An object of the type with that id, with the references added since the one before.
 * Duplicates are found only when a graph is wanted. */
enum section_result section_object(struct section *s, struct text_totals *t, uint64_t id,
                                   uint64_t type, uint64_t size, uint64_t line);

/* So many objects more of that type, without a graph; line is that of the first. The
 * number of the type is good for section_count_more(), which says no line: when there
 * were objects of the type before. The caller adds to the totals. */
uint32_t section_count(struct section *s, uint64_t type, uint64_t count, uint64_t bytes,
                       uint64_t line);
void section_count_more(struct section *s, uint32_t number, uint64_t count, uint64_t bytes);

/* A strong root. container is the id of the type that declares a static field;
 * NULL when it is not told, or the root is none. */
void section_root(struct section *s, struct text_totals *t, uint64_t object,
                  enum hd_root_kind kind, const uint64_t *container, uint64_t line);

/* The same section goes on in more, whose line 1 is line 1 + lines_before. Only without a
 * graph. False if the two have different names for one type: neither is of use then. */
bool section_merge(struct section *s, const struct section *more, uint64_t lines_before);

/* What two pieces of a file add up to. False if their bytes do not fit 64 bits. */
bool totals_merge(struct text_totals *t, const struct text_totals *more);

/* --- sections to a heap -------------------------------------------------------- */

/* A heap text as the sum of its sections (AppDomains).
 *
 * Which section is open, which names there were, what all add up to. It must not know how
 * records are written, nor by how many threads they were read. */

struct text_heap {
    struct builder *b;
    struct section section; /* the one that is open */
    bool in_section;
    struct span open; /* its name */
    uint64_t sections;
    struct text_domain *domains; /* names so far */
    struct arena names;
    struct root_set roots;
    struct text_totals totals;
};

/* A section begins at that line. */
void text_heap_begin(struct text_heap *h, struct span name, uint64_t version,
                     uint64_t stamp, uint64_t line);

/* The open section ends; name is what the end record says. */
void text_heap_end(struct text_heap *h, struct span name, uint64_t line);

/* Behind the last section: roots, and warnings about the whole. */
void text_heap_finish(struct text_heap *h);

/* Finished or not. */
void text_heap_free(struct text_heap *h);

#endif
