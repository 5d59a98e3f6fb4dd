/* clr_types.h - the types of a .NET process out of its memory: names, fields, statics.
 *
 * A type is a MethodTable; its name stands in the metadata of its module (metadata.h), its
 * fields in FieldDescs. Everything is made at first use and kept. It must not know of
 * objects, nor of the heap. docs/formats/core-dump.md. */
#ifndef CLR_TYPES_H
#define CLR_TYPES_H

#include "format/core/clr_forms.h"
#include "heapdrift.h"
#include "process/runtime.h"

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

/* What a static variable holds. */
struct clr_static {
    const char *declared_by; /* "Shop.Store", as shown */
    const char *field;       /* "s_byNumber", "<Log>k__BackingField": as gcdumps have it */
    uint64_t slot, object;   /* the variable's address and value; object is never 0 */
    bool of_thread;
    uint64_t thread; /* id that the system gives it; 0 unknown */
};

/* Any static variable, with whatever it holds. */
struct clr_variable {
    const char *declared_by, *module, *name; /* module: path; NULL unknown */
    struct clr_field value; /* kind UNKNOWN where this runtime's way is not known */
    bool is_boxed;          /* a struct, which is a REFERENCE to its box then */
    uint64_t slot;          /* its address; 0: it has none yet */
    bool is_used;           /* its class, or by this thread: else it has no value yet */
    bool of_thread;
    uint64_t thread; /* 0: of no thread, or unknown */
};

/* r and a must outlive it; a gets all strings and arrays. */
struct clr_types *clr_types_open(const struct runtime *r, struct arena *a);
void clr_types_close(struct clr_types *t); /* NULL is fine */

/* Whether the offsets of a table are those of the process, by types of the runtime's own
 * library: the structure that does not fit, or NULL. */
const char *clr_types_misfit(struct clr_types *t);

/* The type of a MethodTable that runtime_is_method_table(); never NULL: what has no name
 * has "UNKNOWN 0x7f...". Lives as long as t. One thread at a time. */
const struct clr_type *clr_type_of(struct clr_types *t, uint64_t method_table);

/* All static and thread static variables with a value, modules in the order of their list,
 * then types by token: always the same order. */
void clr_types_statics(struct clr_types *t,
                       void (*take)(void *context, const struct clr_static *s),
                       void *context);

/* Counts of the last walk of the statics. */
struct clr_declared {
    uint64_t types;            /* with static fields */
    uint64_t thread_types;     /* with thread statics */
    uint64_t thread_instances; /* pairs of such a type and a thread that has its statics */
};

struct clr_declared clr_types_declared(const struct clr_types *t);

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
 * is data of initialisers, not variables. Some thousands. */
void clr_types_variables(struct clr_types *t,
                         void (*take)(void *context, const struct clr_variable *v),
                         void *context);

/* The name of the member of an enum that has this value, as C# would write it ("Red",
 * "Read | Write"); NULL: none has. */
const char *clr_enum_name(struct clr_types *t, uint64_t method_table, uint64_t value);

#endif
