/* clr_inner.h - what the files behind clr_types.h share.
 *
 *   clr_tables.c      MethodTables, classes, FieldDescs as they stand in memory
 *   clr_modules.c     modules, their metadata, their maps of types
 *   clr_shapes.c      handles of types to names, with their arguments
 *   clr_signatures.c  signatures to the same, instantiations of generic structs
 *   clr_fields.c      fields; which structs are one value
 *   clr_statics.c     static variables
 *   clr_types.c       names, each kept once; members of enums
 *
 * Everything that is made costs of a budget, which the size of the memory sets, so that
 * many small lies cannot ask for more than there are bytes. */
#ifndef CLR_INNER_H
#define CLR_INNER_H

#include "base/hash.h"
#include "base/text.h"
#include "format/core/clr_types.h"
#include "format/core/gc_threads.h"
#include "format/core/metadata.h"

/* Types of elements, ECMA-335 II.23.1.16. */
enum {
    ELEMENT_VOID = 0x01,
    ELEMENT_BOOLEAN = 0x02,
    ELEMENT_CHAR = 0x03,
    ELEMENT_I1 = 0x04,
    ELEMENT_U1 = 0x05,
    ELEMENT_I2 = 0x06,
    ELEMENT_U2 = 0x07,
    ELEMENT_I4 = 0x08,
    ELEMENT_U4 = 0x09,
    ELEMENT_I8 = 0x0A,
    ELEMENT_U8 = 0x0B,
    ELEMENT_R4 = 0x0C,
    ELEMENT_R8 = 0x0D,
    ELEMENT_STRING = 0x0E,
    ELEMENT_PTR = 0x0F,
    ELEMENT_BYREF = 0x10,
    ELEMENT_VALUETYPE = 0x11,
    ELEMENT_CLASS = 0x12,
    ELEMENT_VAR = 0x13,
    ELEMENT_ARRAY = 0x14,
    ELEMENT_GENERICINST = 0x15,
    ELEMENT_TYPEDBYREF = 0x16,
    ELEMENT_I = 0x18,
    ELEMENT_U = 0x19,
    ELEMENT_FNPTR = 0x1B,
    ELEMENT_OBJECT = 0x1C,
    ELEMENT_SZARRAY = 0x1D,
    ELEMENT_MVAR = 0x1E,
    ELEMENT_CMOD_REQD = 0x1F,
    ELEMENT_CMOD_OPT = 0x20,
    ELEMENT_PINNED = 0x45
};

/* Bounds of what one type may take. */
enum {
    MOST_ARGUMENTS = 64, /* generic ones */
    MOST_NESTING = 32,   /* types in types, arguments in arguments, structs in structs */
    MOST_PARENTS = 128,
    MOST_NAME = 16 * 1024, /* bytes */
    MOST_FIELDS = 4096,    /* with those of structs in it */
    MOST_MODULES = 1 << 16,
    MOST_LINKS = 4096 /* of a chain in a map or hash table */
};

/* --- names --------------------------------------------------------------------- */

/* A name as the runtime's events spell it, "List`1[Shop.Outer+Inner]", kept once. */
struct clr_name {
    const char *raw, *shown; /* shown: canonical; NULL until clr_shown() */
    size_t len;
    UT_hash_handle hh;
};

struct clr_name *clr_name_of(struct clr_types *t, const char *raw, size_t len);
struct clr_name *clr_name_add(struct clr_types *t, struct text *raw);

/* The same of a full name, without the backslashes that arguments have. */
const char *clr_shown_full(struct clr_types *t, struct clr_name *name);

/* --- clr_tables.c -------------------------------------------------------------- */

struct method_table {
    uint64_t address;
    uint32_t flags, base_size, flags2, row; /* row: of TypeDef; 0 unknown */
    uint64_t parent, module, auxiliary, per_inst, ee_class;
};

/* False: it cannot be read. */
bool method_table_read(const struct clr_types *t, uint64_t address, struct method_table *m);

/* Of MTFlags. The low half is the size of an element where there are elements. */
static inline bool method_table_has_elements(const struct method_table *m)
{
    return m->flags & UINT32_C(0x80000000);
}

enum { CATEGORY = 0xC0000, CATEGORY_VALUE = 0x40000, CATEGORY_ARRAY = 0x80000 };

static inline bool method_table_is_array(const struct method_table *m)
{
    return method_table_has_elements(m) && (m->flags & CATEGORY) == CATEGORY_ARRAY;
}

static inline bool method_table_is_vector(const struct method_table *m) /* T[] */
{
    enum { IS_VECTOR = 0x20000 };
    return method_table_is_array(m) && (m->flags & IS_VECTOR);
}

static inline bool method_table_is_string(const struct method_table *m)
{
    return method_table_has_elements(m) && (m->flags & CATEGORY) != CATEGORY_ARRAY;
}

static inline bool method_table_is_value(const struct method_table *m)
{
    return !method_table_has_elements(m) && (m->flags & CATEGORY) == CATEGORY_VALUE;
}

static inline bool method_table_is_generic(const struct method_table *m)
{
    enum { GENERICS = 0x30 }; /* instantiated, by itself or shared, or the definition */
    return !method_table_has_elements(m) && (m->flags & GENERICS);
}

static inline uint32_t method_table_rank(const struct method_table *m)
{
    enum { VECTOR_BASE = 24, BOUND_SIZES = 8 }; /* of an array without content */
    return method_table_is_vector(m) || m->base_size <= VECTOR_BASE
               ? 1
               : (m->base_size - VECTOR_BASE) / BOUND_SIZES;
}

static inline uint32_t method_table_element_size(const struct method_table *m)
{
    return method_table_has_elements(m) ? m->flags & 0xFFFF : 0;
}

bool method_table_is_collectible(const struct clr_types *t, const struct method_table *m);

/* How many generic arguments it has, at most MOST_ARGUMENTS; *first is where their handles
 * stand. 0: none, or too many. */
uint32_t method_table_arguments(const struct clr_types *t, const struct method_table *m,
                                uint64_t *first);

/* Bytes of a struct, without padding; 0 unknown. */
uint32_t method_table_value_size(const struct clr_types *t, const struct method_table *m);

/* Of the class: which primitive an enum or a struct is inside. */
uint8_t method_table_element(const struct clr_types *t, const struct method_table *m);

struct field_desc {
    uint32_t token, offset; /* row of the field; bytes, of a class from behind the start */
    uint8_t element;
    bool is_static, is_thread, is_rva;
};

/* FieldDescs of a class, without those of its bases. */
struct field_list {
    uint64_t at;
    uint32_t count;
};

struct field_list method_table_fields(const struct clr_types *t,
                                      const struct method_table *m);

/* Whether it declares static fields; of .NET 8 also whether it keeps them by itself, as
 * generic types and emitted ones do. */
bool method_table_has_statics(const struct clr_types *t, const struct method_table *m);
bool method_table_has_entry(const struct method_table *m);

bool field_desc_read(const struct clr_types *t, const struct field_list *list, uint32_t i,
                     struct field_desc *f);

/* --- clr_modules.c ------------------------------------------------------------- */

struct clr_module {
    uint64_t address;
    struct metadata metadata; /* empty where it cannot be read */
    const char *path;         /* "" of one that was emitted; NULL unknown */
    UT_hash_handle hh;
};

/* NULL: there is none. */
struct clr_module *clr_module_of(struct clr_types *t, uint64_t address);

/* MethodTables that are loaded for a row; 0: none. */
uint64_t clr_module_type_def(const struct clr_types *t, const struct clr_module *m,
                             uint32_t row);
uint64_t clr_module_type_ref(const struct clr_types *t, const struct clr_module *m,
                             uint32_t row);

/* Take every module of the process in: those of its list, then those of the types that are
 * loaded in them. Others come with their objects (of collectible contexts), so this is
 * called again: it looks at what is new. */
void clr_modules_all(struct clr_types *t);

/* The first module behind done, which may be NULL; NULL: there is none. */
struct clr_module *clr_module_after(const struct clr_types *t,
                                    const struct clr_module *done);

/* Handles of the instantiations, arrays and pointers that a module keeps. */
void clr_module_instances(struct clr_types *t, const struct clr_module *m,
                          void (*take)(void *context, uint64_t handle), void *context);

/* --- clr_shapes.c -------------------------------------------------------------- */

/* What is known of a type without its fields. */
struct clr_shape {
    uint8_t element; /* CLASS of whatever is referred to, VALUETYPE, or a primitive */
    uint64_t table;  /* MethodTable; 0 unknown, not loaded, or not needed */
    /* Equal for types of one layout: all references are. 0: equal to none. */
    uint64_t key;
    struct clr_name *name, *full_name; /* without, with the outer class */
    /* Generic arguments, where a signature gave them. */
    const struct clr_shape *const *arguments;
    uint32_t argument_count;
};

/* The key of references, and of what is made of others. */
enum { KEY_REFERENCE = 0x100, KEY_POINTER = 0x101 };

/* Never NULL; what cannot be read is called "UNKNOWN 0x7f...". */
const struct clr_shape *clr_shape_of(struct clr_types *t, uint64_t handle);

/* System.Int32 and the like, by element type; NULL: it is none. */
const struct clr_shape *clr_primitive(struct clr_types *t, unsigned element);

/* The generic arguments of a shape; *count may be 0. */
const struct clr_shape *const *
clr_shape_arguments(struct clr_types *t, const struct clr_shape *s, uint32_t *count);

/* Room for that many; NULL for none. */
const struct clr_shape **clr_new_arguments(struct clr_types *t, uint32_t count);

/* Names of a row with its outer classes, behind what is there. */
void clr_add_type_def(struct text *to, const struct metadata *m, uint32_t row);
void clr_add_type_ref(struct text *to, const struct metadata *m, uint32_t row);

/* "[A,B]" */
void clr_add_arguments(struct text *to, const struct clr_shape *const *arguments,
                       uint32_t count);

/* What arrays, pointers and references add to a name: "[]", "[,]", "[*]"; "*", "&". rank:
 * dimensions of an array. */
enum { MOST_RANK = 32 };
void clr_add_suffix(struct text *to, unsigned element, uint32_t rank);

/* The key of an instantiation of a struct. */
uint64_t clr_instance_key(uint64_t module, uint32_t row,
                          const struct clr_shape *const *arguments, uint32_t count);

/* --- clr_signatures.c ----------------------------------------- */

/* Where a signature is read. */
struct clr_scope {
    const struct clr_module *module;
    const struct clr_shape *const *arguments; /* of the class that it stands in */
    uint32_t count;
};

/* The type of a field. Never NULL. */
const struct clr_shape *clr_field_shape(struct clr_types *t, const struct clr_scope *scope,
                                        struct bytes signature);

/* --- clr_fields.c -------------------------------------------------------------- */

bool clr_is_enum(struct clr_types *t, const struct method_table *m);

/* A field without name and place: what an element type and a shape tell. */
struct clr_field clr_field_of(struct clr_types *t, unsigned element,
                              const struct clr_shape *shape);

/* The fields of a type with MethodTable m, into shown. */
void clr_fields_of(struct clr_types *t, const struct method_table *m,
                   struct clr_type *shown);

/* --- clr_statics.c ------------------------------------------------------------- */

/* Where the offsets of a type's statics count from, in the process or in a thread. 0: there
 * are none, or not yet. */
struct clr_bases {
    uint64_t references; /* of what refers to objects, boxed structs too */
    uint64_t plain;      /* of all others */
    bool is_used;        /* its constructor has run, or it has none */
};

/* Of .NET 8; of the thread whose ThreadLocalBlock is given, else of the process. */
struct clr_bases clr_local_bases(struct clr_types *t, const struct method_table *m,
                                 uint64_t block);
void clr_statics_free(struct clr_types *t);

/* --- clr_types.c --------------------------------------------------------------- */

struct known_type {
    uint64_t handle;
    struct clr_shape shape;
    bool is_shown;
    struct clr_type shown;
    UT_hash_handle hh;
};

struct clr_entry;

struct instance {
    uint64_t key, table;
    UT_hash_handle hh;
};

struct clr_types {
    const struct runtime *r;
    const struct memory *memory;
    struct arena *a;
    uint64_t budget; /* bytes and steps that may still be spent */
    struct clr_name *names;
    struct clr_name *unknown;        /* what is called so when the budget is used up */
    const struct clr_shape *nothing; /* a type of which nothing is known */
    struct known_type *types;
    struct clr_module *modules; /* in the order in which they came */
    bool has_list;
    const struct clr_module *expanded,
        *indexed; /* the last ones whose types were looked at */
    struct instance *instances;
    struct clr_entry *entries;        /* of types with statics of their own, .NET 8 */
    const struct clr_module *located; /* the last one whose entries are known */
    struct gc_threads threads;        /* valid if has_threads */
    bool has_threads;
    struct clr_declared declared; /* by the last walk of the statics */
    const struct clr_shape *primitives[ELEMENT_OBJECT + 1];
    struct clr_type nameless; /* where the budget is used up */
    struct text text;         /* for names that are being made */
};

static inline void clr_gain(struct clr_types *t, uint64_t more)
{
    t->budget = more > UINT64_MAX - t->budget ? UINT64_MAX : t->budget + more;
}

/* False, and nothing is to be made any more, when it is used up. */
static inline bool clr_spend(struct clr_types *t, uint64_t cost)
{
    if (cost > t->budget) {
        t->budget = 0;
        return false;
    }
    t->budget -= cost;
    return true;
}

#endif
