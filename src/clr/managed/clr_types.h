/* clr_types.h - the types of a .NET process from its memory: names, fields, statics.
 *
 * A type is a MethodTable; its name is in the metadata of its module (metadata.h), its
 * fields are FieldDescs. Results are computed on first use and cached. Must not depend on
 * objects or the heap. docs/formats/core-dump.md. */
#ifndef CLR_TYPES_H
#define CLR_TYPES_H

#include "base/hash.h"
#include "clr/managed/clr_forms.h"
#include "clr/managed/gc_threads.h"
#include "clr/managed/metadata.h"
#include "heapdrift.h"

struct clr_types; /* malloc'd */

struct clr_field {
    uint32_t offset; /* from the start of the object (its MethodTable pointer); in an array:
                        from the start of an element */
    const char *name; /* "_items", "Extra.Item3"; in an array "[]", "[].value"; in an inline
                         array or fixed buffer "Slots[2].Key"; a backing field is named
                         after its property */
    const char *declared_by; /* class, as shown; NULL for elements */
    uint64_t type;           /* MethodTable, or 0 */
    const char *type_name;   /* as shown; NULL: unknown */
    enum hd_field_kind kind;
    bool is_signed; /* the numbers of an enum */
    uint32_t size;  /* in bytes */

    /* Format of a struct of the core library with a single value. */
    enum clr_form form;
    /* Offset of the only value of a Nullable, after a byte that shows whether it exists.
     * Else 0. */
    uint8_t inside;
    /* Offsets of a DATE_TIME_OFFSET's parts, and size of the time offset. */
    uint8_t date_at, minutes_at, minutes_size;
};

/* Value of an object in addition to its fields. */
enum clr_self { CLR_JUST_FIELDS, CLR_BOXED_VALUE, CLR_A_VERSION, CLR_A_URI };

struct clr_type {
    uint64_t method_table;
    const char *name;      /* as in dotnet-gcdump: without the outer class */
    const char *full_name; /* with outer classes */
    const char *module;    /* path of its file, "" for an emitted one; or NULL */
    bool is_array, is_string, is_collectible;
    uint32_t elements_at, element_size; /* of arrays and strings */
    const struct clr_field *fields;     /* with bases, structs expanded; by offset */
    size_t field_count;
    enum clr_self self;          /* not JUST_FIELDS: */
    struct clr_field self_value; /* the boxed value; the four numbers; the string */
};

/* A static variable. */
struct clr_static {
    const char *declared_by; /* "Shop.Store", as shown */
    const char *module;      /* path; NULL: unknown */
    const char *field;       /* "s_byNumber", "<Log>k__BackingField": as in gcdumps */
    uint64_t slot;           /* its address; 0: not yet allocated */
    bool of_thread;
    uint64_t thread; /* id in the system; 0: not a thread's, or unknown */

    uint64_t object; /* from clr_types_statics(): its value */

    /* From clr_types_variables(). */
    struct clr_field value; /* kind UNKNOWN if unsupported for this runtime */
    bool is_boxed;          /* a struct, which is a REFERENCE to its box */
    bool is_used;           /* its class, or by this thread; else it has no value yet */
};

typedef void static_taker(void *context, const struct clr_static *s);

/* Opens the types. r and a must outlive the result; a has all strings and arrays. */
struct clr_types *clr_types_open(const struct runtime *r, struct arena *a);
void clr_types_close(struct clr_types *t); /* NULL is fine */

/* Checks that the offsets of a layout table fit the process, by types of the runtime's own
 * library. Returns the structure that does not fit, or NULL. */
const char *clr_types_misfit(struct clr_types *t);

/* Returns the type of a MethodTable that runtime_is_method_table(); never NULL: an unnamed
 * type is "UNKNOWN 0x7f...". Owned by t. One thread at a time. */
const struct clr_type *clr_type_of(struct clr_types *t, uint64_t method_table);

/* Calls take for all static and thread static variables that hold an object, in a fixed
 * order: modules as listed, then types by token. */
void clr_types_statics(struct clr_types *t, static_taker *take, void *context);

/* Numbers from the last walk of the statics. */
struct clr_declared {
    uint64_t types;            /* with static fields */
    uint64_t thread_types;     /* with thread statics */
    uint64_t thread_instances; /* pairs of a type and a thread that has its statics */
};

/* Number of types compared with a second source, and number that agree. */
struct clr_tally {
    uint64_t asked, agreed;
};

struct clr_agreement {
    struct clr_tally rows;      /* plain types, compared with the map of their module */
    struct clr_tally instances; /* arrays and generic types, with the lists of modules */
    struct clr_tally fields;    /* plain types, their number of fields with metadata */
};

/* Compares all types returned so far. Takes some milliseconds. */
struct clr_agreement clr_types_agreement(struct clr_types *t);

/* Like clr_types_statics() for all variables except literals, with any value, and for
 * classes whose constructor has not run. Values in the image (RVA) are omitted: they are
 * data of initialisers, not variables. Some thousands. take may be NULL. */
void clr_types_variables(struct clr_types *t, static_taker *take, void *context);

/* Returns the name of an enum's value, as in C# ("Red", "Read | Write"), or NULL. */
const char *clr_enum_name(struct clr_types *t, uint64_t method_table, uint64_t value);

/* --- between its files ------------------------------------------------------ */

/* Shared by the files of clr_types.h.
 *
 *     clr_tables.c      MethodTables, classes, FieldDescs in memory
 *     clr_modules.c     modules, their metadata, their maps of types
 *     clr_shapes.c      handles of types, and signatures, to names with their arguments
 *     clr_statics.c     static variables
 *     clr_types.c       unique names; fields; structs with a single value; members of
 *                       enums
 *
 * All results are charged to a budget, derived from the size of the memory, so that many
 * small lies cannot allocate more than there are bytes. */

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

/* Limits per type. */
enum {
    MAX_ARGUMENTS = 64, /* generic ones */
    MAX_NESTING = 32,   /* nested types, nested arguments, nested structs */
    MAX_PARENTS = 128,
    MAX_NAME = 16 * 1024, /* bytes */
    MAX_FIELDS = 4096,    /* including those of embedded structs */
    MAX_MODULES = 1 << 16,
    MAX_LINKS = 4096 /* per chain in a map or hash table */
};

/* --- names --------------------------------------------------------------------- */

/* A unique name as in the runtime's events, "List`1[Shop.Outer+Inner]". */
struct clr_name {
    const char *raw, *shown; /* shown: canonical; NULL until clr_shown() */
    size_t len;
    UT_hash_handle hh;
};

struct clr_name *clr_name_of(struct clr_types *t, const char *raw, size_t len);
struct clr_name *clr_name_add(struct clr_types *t, struct text *raw);

/* Returns the canonical form of a full name, without the backslashes in arguments. */
const char *clr_shown_full(struct clr_types *t, struct clr_name *name);

/* --- clr_tables.c -------------------------------------------------------------- */

struct method_table {
    uint64_t address;
    uint32_t flags, base_size, flags2, row; /* row: of TypeDef; 0: unknown */
    uint64_t parent, module, auxiliary, per_inst, ee_class;
};

/* Reads a MethodTable. False: unreadable. */
bool method_table_read(const struct clr_types *t, uint64_t address, struct method_table *m);

/* Reads that of a handle; false also for a TypeDesc or an invalid handle. */
bool method_table_of(const struct clr_types *t, uint64_t handle, struct method_table *m);

/* From MTFlags. The low half is the size of an element if there are elements. */
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
    enum { GENERICS = 0x30 }; /* instantiated, unshared or shared, or the definition */
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

/* Returns the number of generic arguments, at most MAX_ARGUMENTS; *first is the address of
 * their handles. 0 without arguments, or with too many. */
uint32_t method_table_arguments(const struct clr_types *t, const struct method_table *m,
                                uint64_t *first);

/* Returns the bytes of a struct, without padding; 0: unknown. */
uint32_t method_table_value_size(const struct clr_types *t, const struct method_table *m);

/* Returns the underlying primitive of an enum or struct. */
uint8_t method_table_element(const struct clr_types *t, const struct method_table *m);

struct field_desc {
    uint32_t token,
        offset; /* row of the field; bytes, in a class after the MethodTable pointer */
    uint8_t element;
    bool is_static, is_thread, is_rva;
};

/* FieldDescs of a class, without its bases. */
struct field_list {
    uint64_t at;
    uint32_t count;
};

struct field_list method_table_fields(const struct clr_types *t,
                                      const struct method_table *m);

/* True if it declares static fields; on .NET 8 also if it has an entry of its own, as
 * generic and emitted types do. */
bool method_table_has_statics(const struct clr_types *t, const struct method_table *m);
bool method_table_has_entry(const struct method_table *m);

bool field_desc_read(const struct clr_types *t, const struct field_list *list, uint32_t i,
                     struct field_desc *f);

/* --- clr_modules.c ------------------------------------------------------------- */

struct clr_module {
    uint64_t address;
    struct metadata metadata; /* empty if unreadable */
    const char *path;         /* "" for an emitted one; NULL: unknown */
    UT_hash_handle hh;
};

/* Returns the module; NULL: invalid. */
struct clr_module *clr_module_of(struct clr_types *t, uint64_t address);

/* Returns the loaded MethodTable of a row of TypeDefs or TypeRefs, or 0. */
uint64_t clr_module_type(const struct clr_types *t, const struct clr_module *m,
                         enum metadata_table_number table, uint32_t row);

/* Registers every module of the process: those of its list, then those of their loaded
 * types. Others are found through their objects (collectible contexts), so this is called
 * again: it processes only new ones. */
void clr_modules_all(struct clr_types *t);

/* Returns the first module after done (NULL: of all), or NULL. */
struct clr_module *clr_module_after(const struct clr_types *t,
                                    const struct clr_module *done);

/* Calls take for handles of instantiations, arrays and pointers of a module. */
void clr_module_instances(struct clr_types *t, const struct clr_module *m,
                          void (*take)(void *context, uint64_t handle), void *context);

/* --- clr_shapes.c -------------------------------------------------------------- */

/* A type without its fields. */
struct clr_shape {
    uint8_t element; /* CLASS for all references, VALUETYPE, or a primitive */
    uint64_t table;  /* MethodTable; 0: unknown, not loaded, or not needed */
    /* Equal for types with the same layout: all references are equal. 0: unknown. */
    uint64_t key;
    struct clr_name *name, *full_name; /* without and with the outer class */
    /* Generic arguments, if from a signature. */
    const struct clr_shape *const *arguments;
    uint32_t argument_count;
};

/* Returns the shape of a handle. Never NULL; unreadable ones are named "UNKNOWN
 * 0x7f...". */
const struct clr_shape *clr_shape_of(struct clr_types *t, uint64_t handle);

/* Returns System.Int32 and similar ones, by element type; NULL: not a primitive. */
const struct clr_shape *clr_primitive(struct clr_types *t, unsigned element);

/* Returns the generic arguments of a shape; *count may be 0. */
const struct clr_shape *const *
clr_shape_arguments(struct clr_types *t, const struct clr_shape *s, uint32_t *count);

/* Context of a signature. */
struct clr_scope {
    const struct clr_module *module;
    const struct clr_shape *const *arguments; /* of the class that contains it */
    uint32_t count;
};

/* Returns the type of a field. Never NULL. */
const struct clr_shape *clr_field_shape(struct clr_types *t, const struct clr_scope *scope,
                                        struct bytes signature);

/* --- fields -------------------------------------------------------------- */

/* Builds a field from an element type and a shape, without name and offset. */
struct clr_field clr_field_of(struct clr_types *t, unsigned element,
                              const struct clr_shape *shape);

/* --- clr_statics.c ------------------------------------------------------------- */

/* Bases for the offsets of a type's statics, in the process or in a thread. 0 if missing,
 * or not yet allocated. */
struct clr_bases {
    uint64_t references; /* for references and boxed structs */
    uint64_t plain;      /* for all others */
    bool is_used;        /* its constructor, if any, has run */
};

/* For .NET 8; of the thread with this ThreadLocalBlock, or of the process for 0. */
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
    uint64_t budget; /* remaining bytes and steps */
    struct clr_name *names;
    struct clr_name *unknown;        /* placeholder after the budget is used up */
    const struct clr_shape *nothing; /* placeholder for an unknown type */
    struct known_type *types;
    struct clr_module *modules; /* in order of registration */
    bool has_list;
    const struct clr_module *expanded, *indexed; /* the last processed ones */
    struct instance *instances;
    struct clr_entry *entries;        /* types with separate statics, .NET 8 */
    const struct clr_module *located; /* the last one with known entries */
    struct gc_threads threads;        /* valid if has_threads */
    bool has_threads;
    struct clr_declared declared; /* from the last walk of the statics */
    const struct clr_shape *primitives[ELEMENT_OBJECT + 1];
    struct clr_type unnamed; /* placeholder after the budget is used up */
    struct text text;        /* buffer for names */
};

static inline void clr_gain(struct clr_types *t, uint64_t more)
{
    t->budget = more > UINT64_MAX - t->budget ? UINT64_MAX : t->budget + more;
}

/* Charges a cost. False if the budget is used up: allocation must stop. */
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
