/* clr_types.h - the types of a .NET process out of its memory: names, fields, statics.
 *
 * A type is a MethodTable; its name stands in the metadata of its module (metadata.h), its
 * fields in FieldDescs. Everything is made at first use and kept. It must not know of
 * objects, nor of the heap. docs/formats/core-dump.md. */
#ifndef CLR_TYPES_H
#define CLR_TYPES_H

#include "base/hash.h"
#include "clr/managed/clr_forms.h"
#include "clr/managed/gc_threads.h"
#include "clr/managed/metadata.h"
#include "heapdrift.h"

struct clr_types; /* malloc'd */

struct clr_field {
    uint32_t offset;  /* from the start of the object (its MethodTable pointer); of an
                         array: from the start of an element */
    const char *name; /* "_items", "Extra.Item3"; of an array "[]", "[].value"; of an inline
                         array or fixed buffer "Slots[2].Key"; a property's own field is
                         called as the property */
    const char *declared_by; /* class, as shown; NULL for elements */
    uint64_t type;           /* MethodTable, or 0 */
    const char *type_name;   /* as shown; NULL unknown */
    enum hd_field_kind kind;
    bool is_signed; /* the numbers of an enum */
    uint32_t size;  /* in bytes */

    /* Of a struct of the core library that is one value: what it looks like. */
    enum clr_form form;
    /* Of a Nullable that is one value: where the value stands, behind a byte that says
     * whether there is one. Else 0. */
    uint8_t inside;
    /* Of a DATE_TIME_OFFSET: where its parts stand in size bytes, and how long the offset
     * is. */
    uint8_t date_at, minutes_at, minutes_size;
};

/* What an object is to people besides its fields. */
enum clr_self { CLR_JUST_FIELDS, CLR_BOXED_VALUE, CLR_A_VERSION, CLR_A_URI };

struct clr_type {
    uint64_t method_table;
    const char *name;      /* spelled as dotnet-gcdump does: without the outer class */
    const char *full_name; /* with it */
    const char *module;    /* path of its file, "" for one that was emitted; or NULL */
    bool is_array, is_string, is_collectible;
    uint32_t elements_at, element_size; /* of arrays and strings */
    const struct clr_field *fields;     /* of it and its bases, structs taken apart into
                                           what is in them; by offset */
    size_t field_count;
    enum clr_self self;          /* not JUST_FIELDS: */
    struct clr_field self_value; /* the value in a box; the four numbers; the string */
};

/* A static variable. */
struct clr_static {
    const char *declared_by; /* "Shop.Store", as shown */
    const char *module;      /* path; NULL unknown */
    const char *field;       /* "s_byNumber", "<Log>k__BackingField": as gcdumps have it */
    uint64_t slot;           /* its address; 0: it has none yet */
    bool of_thread;
    uint64_t thread; /* id that the system gives it; 0: of no thread, or unknown */

    uint64_t object; /* what it holds, by clr_types_statics() */

    /* By clr_types_variables(). */
    struct clr_field value; /* kind UNKNOWN where this runtime's way is not known */
    bool is_boxed;          /* a struct, which is a REFERENCE to its box then */
    bool is_used;           /* its class, or by this thread: else it has no value yet */
};

typedef void static_taker(void *context, const struct clr_static *s);

/* r and a must outlive it; a gets all strings and arrays. */
struct clr_types *clr_types_open(const struct runtime *r, struct arena *a);
void clr_types_close(struct clr_types *t); /* NULL is fine */

/* Whether the offsets of a table are those of the process, by types of the runtime's own
 * library: the structure that does not fit, or NULL. */
const char *clr_types_misfit(struct clr_types *t);

/* The type of a MethodTable that runtime_is_method_table(); never NULL: what has no name
 * has "UNKNOWN 0x7f...". Lives as long as t. One thread at a time. */
const struct clr_type *clr_type_of(struct clr_types *t, uint64_t method_table);

/* All static and thread static variables that hold an object, modules in the order of their
 * list, then types by token: always the same order. */
void clr_types_statics(struct clr_types *t, static_taker *take, void *context);

/* Counts of the last walk of the statics. */
struct clr_declared {
    uint64_t types;            /* with static fields */
    uint64_t thread_types;     /* with thread statics */
    uint64_t thread_instances; /* pairs of such a type and a thread that has its statics */
};

/* Types that were compared with a second source, and those that agree with it. */
struct clr_tally {
    uint64_t asked, agreed;
};

struct clr_agreement {
    struct clr_tally rows;      /* plain types, with the map of their module */
    struct clr_tally instances; /* arrays and generic types, with the lists of modules */
    struct clr_tally fields;    /* plain types, their number of fields with metadata */
};

/* Compares all types that were asked for so far. Takes some milliseconds. */
struct clr_agreement clr_types_agreement(struct clr_types *t);

/* clr_types_statics() with all that is not literal, whatever it holds, also of classes
 * whose constructor has not run. What the compiler keeps in the image (RVA) is left out: it
 * is data of initialisers, not variables. Some thousands. take may be NULL. */
void clr_types_variables(struct clr_types *t, static_taker *take, void *context);

/* The name of the member of an enum that has this value, as C# would write it ("Red",
 * "Read | Write"); NULL: none has. */
const char *clr_enum_name(struct clr_types *t, uint64_t method_table, uint64_t value);

/* --- between its files ------------------------------------------------------ */

/* What the files behind clr_types.h share.
 *
 *   clr_tables.c      MethodTables, classes, FieldDescs as they stand in memory
 *   clr_modules.c     modules, their metadata, their maps of types
 *   clr_shapes.c      handles of types, and signatures, to names with their arguments
 *   clr_statics.c     static variables
 *   clr_types.c       names, each kept once; fields; which structs are one value; members
 *                     of enums
 *
 * Everything that is made costs of a budget, which the size of the memory sets, so that
 * many small lies cannot ask for more than there are bytes. */

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
    MAX_ARGUMENTS = 64, /* generic ones */
    MAX_NESTING = 32,   /* types in types, arguments in arguments, structs in structs */
    MAX_PARENTS = 128,
    MAX_NAME = 16 * 1024, /* bytes */
    MAX_FIELDS = 4096,    /* with those of structs in it */
    MAX_MODULES = 1 << 16,
    MAX_LINKS = 4096 /* of a chain in a map or hash table */
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

/* The same of a handle; false, too, if it is that of a TypeDesc, or of nothing. */
bool method_table_of(const struct clr_types *t, uint64_t handle, struct method_table *m);

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

/* How many generic arguments it has, at most MAX_ARGUMENTS; *first is where their handles
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

/* The MethodTable that is loaded for a row of TypeDefs or TypeRefs; 0: none. */
uint64_t clr_module_type(const struct clr_types *t, const struct clr_module *m,
                         enum metadata_table_number table, uint32_t row);

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

/* Never NULL; what cannot be read is called "UNKNOWN 0x7f...". */
const struct clr_shape *clr_shape_of(struct clr_types *t, uint64_t handle);

/* System.Int32 and the like, by element type; NULL: it is none. */
const struct clr_shape *clr_primitive(struct clr_types *t, unsigned element);

/* The generic arguments of a shape; *count may be 0. */
const struct clr_shape *const *
clr_shape_arguments(struct clr_types *t, const struct clr_shape *s, uint32_t *count);

/* Where a signature is read. */
struct clr_scope {
    const struct clr_module *module;
    const struct clr_shape *const *arguments; /* of the class that it stands in */
    uint32_t count;
};

/* The type of a field. Never NULL. */
const struct clr_shape *clr_field_shape(struct clr_types *t, const struct clr_scope *scope,
                                        struct bytes signature);

/* --- fields -------------------------------------------------------------- */

/* A field without name and place: what an element type and a shape tell. */
struct clr_field clr_field_of(struct clr_types *t, unsigned element,
                              const struct clr_shape *shape);

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
    const struct runtime_layout *at; /* r's */
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
