/* heapdrift_objects.h - look at single objects: the instances of a type or a place in the
 * dominator tree, the references of an object, its referrers, what keeps it alive.
 * heapdrift.h includes it.
 *
 * Reports are about types; this shows their instances. hd_objects_open() opens a snapshot
 * of a comparison, and a thread of the library then computes what answers need. Each part
 * can be used as soon as it is ready. An answer takes some milliseconds, even for a heap of
 * ten million objects.
 *
 * Objects have the numbers of their snapshot's graph, as hd_chain.example. Names are
 * canonical and live as long as the snapshot. */
#ifndef HEAPDRIFT_OBJECTS_H
#define HEAPDRIFT_OBJECTS_H

#include "heapdrift.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The objects of a snapshot. */
struct hd_objects;

/* Parts, in the order of their computation. */
enum hd_objects_part {
    HD_OBJECTS_GRAPH =
        1, /* the graph, read again if it was dropped: objects and their references */
    HD_OBJECTS_OF_TYPES = 2,  /* 4 or 8 bytes per object: instances of a type */
    HD_OBJECTS_CHAINS = 4,    /* 4 bytes per object: a shortest chain from a root */
    HD_OBJECTS_REFERRERS = 8, /* 4 bytes per object and reference: referrers of an object */
    HD_OBJECTS_ALL = 15
};

/* Opens snapshot k of c. Its graph stays in memory until hd_objects_close(), which must
 * precede hd_comparison_free(). Other questions to c wait while the graph is read again;
 * otherwise they run concurrently. Use the result from one thread at a time. NULL if k is
 * out of range. */
struct hd_objects *hd_objects_open(struct hd_comparison *c, size_t k);

/* Cancels running work, which takes some milliseconds, and frees o. NULL is fine. */
void hd_objects_close(struct hd_objects *o);

struct hd_objects_progress {
    unsigned ready;   /* finished parts: sum of enum hd_objects_part */
    unsigned making;  /* part in progress; 0: finished */
    unsigned percent; /* progress of the part */
};

struct hd_objects_progress hd_objects_progress(const struct hd_objects *o);

/* Waits until no work is left. False and err if a part is missing: HD_USAGE if the snapshot
 * has no references, HD_TOO_BIG if the part exceeds the comparison's max_memory together
 * with existing data (earlier parts remain usable), HD_IO, ... */
bool hd_objects_wait(struct hd_objects *o, struct hd_error *err);

/* Returns false and err if a part is missing after hd_objects_progress.making became 0.
 * Does not wait. */
bool hd_objects_whole(const struct hd_objects *o, struct hd_error *err);

/* --- one object ------------------------------------------------------------------ */

/* Root groups and variables ("[static vars]") have numbers too, and so have targets of
 * references that the file does not describe; they are not objects. */
enum hd_object_kind { HD_OBJECT, HD_OBJECT_ROOTS, HD_OBJECT_UNDEFINED };

struct hd_object {
    uint32_t number;
    enum hd_object_kind kind;
    uint64_t address;      /* 0: unknown */
    const char *type;      /* canonical */
    const char *full_name; /* with outer classes; NULL: as type */
    uint64_t bytes;        /* shallow, as in the file */
    enum hd_generation generation;
    bool is_reachable;
    uint64_t instances;  /* of its type, as in the file */
    uint64_t references; /* including duplicates and references to itself */
    uint64_t referrers;  /* HD_UNKNOWN before HD_OBJECTS_REFERRERS is ready */
    const char *module;  /* of its type; NULL: unknown, or several */
};

/* Fills in *object. False for an unknown number, or before HD_OBJECTS_GRAPH. */
bool hd_object(const struct hd_objects *o, uint32_t number, struct hd_object *object);

/* Finds the object at an address, or the one that contains it. O(objects). False and
 * HD_USAGE for an address outside all objects; the message has the nearest ones. */
bool hd_object_at(const struct hd_objects *o, uint64_t address, uint32_t *number,
                  struct hd_error *err);

/* Finds a shortest chain from the strongest root that reaches the object, as in chains of
 * reports: the first of numbers is a root group, the last the object itself. A chain longer
 * than capacity (at least 2) is cut in the middle: *skipped numbers are missing before
 * number *skipped_at. The chain of an unreachable object begins with an object. Returns the
 * number of elements; 0 before HD_OBJECTS_CHAINS. O(chain). */
size_t hd_object_chain(const struct hd_objects *o, uint32_t number, uint32_t *numbers,
                       size_t capacity, size_t *skipped, size_t *skipped_at);

/* Returns the kind of the root that keeps it alive; HD_ROOT_UNREACHABLE without a root or
 * before HD_OBJECTS_CHAINS. */
enum hd_root_kind hd_object_root(const struct hd_objects *o, uint32_t number);

/* Computes the bytes that an object retains, itself included. The first call starts the
 * computation, in a thread, after all parts are ready; two walks over the graph. False: not
 * finished, call again. True with HD_UNKNOWN: undefined, because the object is unreachable
 * or the snapshot has no roots. A call for another object cancels the previous one, which
 * takes some milliseconds. */
bool hd_object_retained(struct hd_objects *o, uint32_t number, uint64_t *bytes);

/* --- fields and values ----------------------------------------------------------- */

enum hd_field_kind {
    HD_FIELD_UNKNOWN,
    HD_FIELD_REFERENCE,
    HD_FIELD_BOOLEAN,
    HD_FIELD_CHAR,     /* number: a UTF-16 unit */
    HD_FIELD_SIGNED,   /* number: two's complement, extended to 64 bits */
    HD_FIELD_UNSIGNED, /* pointers too */
    HD_FIELD_FLOAT,
    HD_FIELD_ENUM,  /* number as above; member if one has that value */
    HD_FIELD_STRUCT /* of the core library, with a single value: DateTime, decimal, Guid;
                       words */
};

/* A field of an object, or an element of an array or of a string. */
struct hd_field {
    const char *name;        /* "_items", "Extra.Item3", "[17].value"; NULL unknown */
    const char *declared_by; /* class; NULL for elements */
    const char *type;        /* as declared; NULL unknown */
    enum hd_field_kind kind;
    uint64_t number; /* value, except of a FLOAT; of a REFERENCE the address, 0 for null */
    double real;     /* value of a FLOAT; a single as the number with its shortest digits */
    const char *member;  /* name of the value of an ENUM; NULL */
    uint32_t to;         /* number of the object that a REFERENCE refers to; HD_NO_OBJECT */
    const char *to_type; /* its canonical type; NULL */
    const char *
        text; /* of a REFERENCE to a string or Uri, if requested: UTF-8, may be truncated */
    bool is_cut;
    bool is_hidden;   /* the value was not requested and is not here */
    bool is_unsigned; /* the number of an ENUM is unsigned */
    bool is_redacted; /* value or text was overwritten in the file */
    bool is_null;     /* a Nullable without a value */

    /* FLOAT: number of digits above which .NET writes an exponent, 17 for a double, 9 for a
     * single, 5 for a Half; 0: 17. */
    uint8_t digits;

    /* STRUCT: as its ToString() in the invariant culture, a DateTime as 2026-11-24
     * 15:04:05.1234567Z (docs/object.md); invalid bytes as 0x and their digits. NULL
     * unknown. */
    const char *words;

    /* REFERENCE to a string or an array: number of characters (UTF-16 units) or
     * elements. */
    bool has_length;
    uint64_t length;

    /* REFERENCE to a boxed number or struct or a Version: its value; not a REFERENCE
     * itself. NULL: see the fields of the object. */
    const struct hd_field *boxed;
};

#define HD_NO_OBJECT UINT32_MAX

/* Fields of an object, for hd_object_fields_free() before hd_objects_close(). */
struct hd_object_fields {
    const struct hd_field *all; /* from number first */
    size_t len;
    uint64_t first, count; /* total number */
    bool are_named;        /* false: the snapshot has only references, in their order */
    bool is_array;         /* they are elements of an array */
    const char *text;      /* of a string, if requested: UTF-8 */
    bool is_cut;           /* text is truncated */
    bool is_hidden;        /* a string whose text was not requested */
    bool is_redacted;      /* a string whose text was overwritten in the file */
    struct hd_fields_memory *memory;

    /* Value of the object in addition to its fields: of a Version or boxed value a field
     * without name, of a Uri a REFERENCE with text, if requested. NULL for others. */
    const struct hd_field *self;
};

/* Returns at most `most` fields or elements, from number first. Dumps contain secrets,
 * mostly as text: strings, characters, and elements of arrays of plain values are returned
 * only if most_text > 0, which limits texts to this number of UTF-16 units. Other numbers,
 * booleans and enums are always returned. NUL in a text is U+2400. False and *fields empty
 * for an unknown number, or before HD_OBJECTS_GRAPH. */
bool hd_object_fields(const struct hd_objects *o, uint32_t number, uint64_t first,
                      size_t most, size_t most_text, struct hd_object_fields *fields);
void hd_object_fields_free(struct hd_object_fields *fields);

/* Returns the first field through which an object refers to another: "_items", "[]",
 * "[].value". NULL: unknown, or no reference. O(references of the object). */
const char *hd_object_field(const struct hd_objects *o, uint32_t from, uint32_t to);

/* Prints the value of a field as reports do, on one line without control characters: 17,
 * true, 'x' U+0078, Blocked (2), "text"…; for a reference its text or boxed value, else
 * null or an empty text. */
void hd_put_value(struct hd_sink to, const struct hd_field *field);

/* A static variable. */
struct hd_static {
    const char *declared_by; /* its class; NULL: unknown */
    const char *module;      /* path of the assembly of the class; NULL: unknown */
    struct hd_field field; /* name, declared type and value; a struct with several values is
                              a REFERENCE to the object that holds it */
    bool is_set;     /* false: the class has not been used yet, or not by this thread */
    bool of_thread;  /* [ThreadStatic] */
    uint64_t thread; /* id in the system; 0: unknown */

    /* Bytes of the object that it refers to; HD_UNKNOWN without one. retained includes the
     * object. */
    uint64_t bytes, retained;
};

/* --- groups of neighbours -------------------------------------------------------- */

enum hd_direction { HD_REFERS_TO, HD_REFERRED_BY };

/* Neighbours with the same type and, if fields are known, the same field. */
struct hd_object_group {
    const char *type, *full_name;
    enum hd_object_kind kind;
    uint64_t references;
    uint64_t objects;  /* distinct objects */
    uint64_t bytes;    /* shallow, of the distinct objects */
    uint32_t first;    /* lowest number of an object */
    const char *field; /* of the referrer: "_items", "[].value"; NULL: unknown */
};

/* Groups the references of an object, or its referrers, by type and field: most objects
 * first, then by name; free() it. NULL and *count 0 without neighbours, or before they are
 * known. O(references of the object or of its referrers). */
struct hd_object_group *hd_object_groups(const struct hd_objects *o, uint32_t number,
                                         enum hd_direction direction, size_t *count);

/* A referrer of an object through one field: an object or a root. */
struct hd_object_holder {
    struct hd_object object;
    const char *field;      /* "_items", "[].value"; NULL: unknown, and for roots */
    uint64_t references;    /* through that field, at least one */
    enum hd_root_kind root; /* of the root, or of the root that keeps the referrer alive;
                               HD_ROOT_UNREACHABLE: the referrer is garbage */
};

/* Lists all referrers of an object: roots, then reachable objects, the strongest kind of
 * root first, then garbage; in each kind by number. Returns the first `most` of *count;
 * free() it. NULL and 0 without referrers, or before HD_OBJECTS_CHAINS and
 * HD_OBJECTS_REFERRERS. O(references of the referrers + objects). */
struct hd_object_holder *hd_object_holders(const struct hd_objects *o, uint32_t number,
                                           size_t most, size_t *len, size_t *count);

/* --- lists ----------------------------------------------------------------------- */

/* Distinct objects in some order. */
struct hd_object_list;

enum hd_object_order {
    HD_OBJECTS_BY_SIZE, /* largest first, then by number */
    HD_OBJECTS_BY_ADDRESS,
    HD_OBJECTS_BY_NUMBER
};

/* Lists all instances of a type. NULL and err: HD_USAGE for an unknown type, or
 * HD_OBJECTS_OF_TYPES is not ready. hd_object_list_free() before hd_objects_close(). */
struct hd_object_list *hd_objects_of_type(struct hd_objects *o, const char *type,
                                          enum hd_object_order order, struct hd_error *err);

/* A step on the path from the top of the dominator tree. */
struct hd_place_step {
    const char *type; /* canonical; "[static vars]" */
    bool is_roots;    /* a root group or variable */
};

/* Lists the objects at a place in the dominator tree, without those below. The tree must
 * have been computed, by hd_report_diff() or another question that needs owners, for all
 * objects or those of ask (its gen2 and reachable; NULL: all), with this snapshot among the
 * compared ones. NULL and HD_USAGE without such a tree or place. */
struct hd_object_list *hd_objects_at(struct hd_objects *o,
                                     const struct hd_place_step *steps, size_t count,
                                     const struct hd_options *ask,
                                     enum hd_object_order order, struct hd_error *err);

/* Lists the objects that an object refers to, or its referrers; type NULL: any. Never NULL:
 * the list is empty until the neighbours are known. */
struct hd_object_list *hd_object_neighbours(struct hd_objects *o, uint32_t number,
                                            enum hd_direction direction, const char *type,
                                            enum hd_object_order order);

size_t hd_object_list_count(const struct hd_object_list *list);
uint64_t hd_object_list_bytes(const struct hd_object_list *list); /* shallow sum */

/* Returns the number at an index from 0, which must be below the count. */
uint32_t hd_object_list_get(const struct hd_object_list *list, size_t place);

/* Returns the index of a number; the count if it is not in the list. O(count). */
size_t hd_object_list_find(const struct hd_object_list *list, uint32_t number);

void hd_object_list_free(struct hd_object_list *list); /* NULL is fine */

/* --- a report about one ---------------------------------------------------------- */

/* Selects an object and the details. */
struct hd_object_question {
    size_t size;      /* sizeof(struct hd_object_question) */
    bool by_number;   /* by number, as in hd_chain.example; else by address */
    uint64_t address; /* of the object or a byte in it */
    uint32_t number;
    bool values; /* strings, characters, elements of arrays of plain values: may be secrets
                  */
};

struct hd_instance_group {
    struct hd_object_group group;
    uint64_t address; /* of the first; 0: unknown */
};

/* An object on the path from a root. */
struct hd_instance_link {
    struct hd_object object;
    const char *field; /* that refers to the next one; NULL: unknown */
};

/* All about one object. With unlimited rows all fields, at most 10,000, or the first 20
 * elements of an array; else hd_options.rows. */
struct hd_instance {
    struct hd_object object;
    uint64_t asked;  /* requested address; 0: requested by number */
    uint64_t offset; /* of the address in the object */
    bool has_roots;  /* false: reachability is unknown */
    enum hd_root_kind root;
    struct hd_object_fields fields; /* do not free; to_type is hd_report_shown() */
    bool values;                    /* were requested */

    struct hd_instance_group *refers_to, *referred_by; /* most objects first */
    size_t refers_to_count, referred_by_count;

    struct hd_instance_link *chain; /* root group first, itself last */
    size_t chain_len;
    uint64_t chain_skipped; /* number of omitted objects, before number chain_skipped_at */
    size_t chain_skipped_at;

    /* Bytes, itself included, as in the file; HD_UNKNOWN without roots, and for unreachable
     * objects. */
    uint64_t retained;

    /* First of several snapshots that has it, from 0; (size_t)-1: unknown. */
    size_t since;
    enum hd_identity_source identity; /* by which since is known */

    /* All referrers in the order of hd_object_holders(): at most hd_options.rows and
     * 100,000. */
    const struct hd_object_holder *holders;
    size_t holder_count, holders_omitted;
};

/* Reports on one object of the last snapshot: its value, references, referrers, and what
 * keeps it alive; for several snapshots also the first that has it. HD_USAGE if the address
 * has no object (the message has the nearest) or the snapshot has no references. */
struct hd_report *hd_report_object(struct hd_comparison *c, const struct hd_options *opt,
                                   const struct hd_object_question *ask,
                                   struct hd_error *err);

/* --- a report about those of some types ------------------------------------------- */

/* Sum of selected objects, as in the file: samples are not scaled up. */
struct hd_object_sum {
    const char *type, *full_name, *module; /* NULL: all types; unchanged; unknown */
    uint64_t count, bytes;
    uint64_t retained; /* sum over objects that no other selected one dominates, so that
                          each byte is counted once; HD_UNKNOWN without roots */
    uint64_t held[HD_ROOT_KIND_COUNT]; /* number of objects by the kind of the strongest
                                          root that reaches them (docs/chains.md) */
    uint64_t held_by_older; /* number of objects kept alive by local variables through an
                               object older than born; HD_UNKNOWN without born */
};

struct hd_object_row {
    struct hd_object object;
    uint64_t retained; /* HD_UNKNOWN without roots, and for unreachable objects */
    enum hd_root_kind root;
    size_t since;        /* as in hd_instance */
    const char *held_by; /* owner of its chain in a few words, or NULL */
};

/* Instances of some types in the last snapshot. */
struct hd_object_set {
    const char **patterns;
    size_t pattern_count;
    size_t born_first, born_last;     /* new in these snapshots, from 1; 0: any */
    enum hd_identity_source identity; /* by which their age is known */
    bool has_roots;
    struct hd_object_sum all, *types; /* most objects first */
    size_t type_count;
    struct hd_object_row *rows; /* by retained bytes, then address and number */
    size_t len, omitted;
};

/* Reports on the instances of hd_options.types in the last snapshot: their number, what
 * keeps them alive, the bytes they retain, and the largest individually (hd_options.rows;
 * 0: HD_MAX_OBJECT_ROWS). excludes, app_only, gen2, born_first and born_last filter them.
 * HD_USAGE if no snapshot has such a type, or the last one has no objects. */
enum { HD_MAX_OBJECT_ROWS = 100000 };
struct hd_report *hd_report_objects(struct hd_comparison *c, const struct hd_options *opt,
                                    struct hd_error *err);

/* --- a report about static variables ------------------------------------------------ */

/* Selected static variables. */
struct hd_static_set {
    const char **patterns;
    size_t pattern_count;
    bool has_values;       /* all variables, with values; false: only those that refer to an
                              object */
    bool values;           /* texts were requested */
    uint64_t count, unset; /* unset: without a value so far */
    struct hd_static *rows; /* by retained bytes, then size and name */
    size_t len, omitted;
};

/* Reports on static variables of the only snapshot: of a core dump all, with values; of
 * other formats those that refer to an object, as far as the file names them. types and
 * excludes match the class, the variable (Class.field), its type and that of the object;
 * app_only the class. rows as in hd_report_objects(). HD_USAGE without named variables or
 * without a match. */
struct hd_report *hd_report_statics(struct hd_comparison *c, const struct hd_options *opt,
                                    struct hd_error *err);

/* Words of JSON: "object", "roots", "undefined"; "reference", "boolean", ... */
const char *hd_object_kind_name(enum hd_object_kind kind);
const char *hd_field_kind_name(enum hd_field_kind kind);

/* True if a type (canonical name) belongs to the framework: hd_options.app_only. */
bool hd_type_is_framework(const char *type);

#ifdef __cplusplus
}
#endif

#endif
