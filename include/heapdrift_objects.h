/* heapdrift_objects.h - look at single objects: which there are of a type or at a place of
 * the tree of owners, what one refers to, what refers to it, what keeps it alive.
 * heapdrift.h includes it.
 *
 * Reports tell about types. This is for who has found one and wants to see its instances:
 * hd_objects_open() for a snapshot of a comparison, and a thread of the library then makes
 * what answers need. Each part of that can be asked for as soon as it is there. An answer
 * takes some milliseconds, also of a heap of ten million objects.
 *
 * Objects have the numbers of their snapshot's graph, which are those of hd_chain.example.
 * Names are canonical, and live as long as the snapshot. */
#ifndef HEAPDRIFT_OBJECTS_H
#define HEAPDRIFT_OBJECTS_H

#include "heapdrift.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The objects of one snapshot. */
struct hd_objects;

/* What is made, one after the other. */
enum hd_objects_part {
    HD_OBJECTS_GRAPH = 1,     /* read, if it was dropped: one object, what it refers to */
    HD_OBJECTS_OF_TYPES = 2,  /* 4 or 8 bytes per object: which there are of a type */
    HD_OBJECTS_CHAINS = 4,    /* 4 bytes per object: a shortest chain from a root */
    HD_OBJECTS_REFERRERS = 8, /* 4 bytes per object and reference: what refers to it */
    HD_OBJECTS_ALL = 15
};

/* Begin to look at snapshot k of c. Its graph stays in memory until hd_objects_close(),
 * which has to come before hd_comparison_free(). While the graph is read again other
 * questions to c wait; else they are answered side by side. What is found is used by one
 * thread at a time. NULL if there is no such snapshot. */
struct hd_objects *hd_objects_open(struct hd_comparison *c, size_t k);

/* Stop what is under way, which takes some milliseconds, and forget all. NULL is fine. */
void hd_objects_close(struct hd_objects *o);

struct hd_objects_progress {
    unsigned ready;   /* parts that are there: enum hd_objects_part, added up */
    unsigned making;  /* the part that is being made; 0: none any more */
    unsigned percent; /* of that one */
};

struct hd_objects_progress hd_objects_progress(const struct hd_objects *o);

/* Wait until nothing more is made. False and err if a part is missing: HD_USAGE where the
 * snapshot has no references, HD_TOO_BIG where it does not fit the comparison's max_memory
 * beside what is held already (what came before can be used), HD_IO, ... */
bool hd_objects_wait(struct hd_objects *o, struct hd_error *err);

/* Why a part is missing, once hd_objects_progress.making is 0: false and err. Does not
 * wait. */
bool hd_objects_whole(const struct hd_objects *o, struct hd_error *err);

/* --- one object ------------------------------------------------------------------ */

/* Root groups and variables ("[static vars]") have numbers too, and so has what is referred
 * to without being described; neither is an object. */
enum hd_object_kind { HD_OBJECT, HD_OBJECT_ROOTS, HD_OBJECT_UNDEFINED };

struct hd_object {
    uint32_t number;
    enum hd_object_kind kind;
    uint64_t address;      /* 0: unknown */
    const char *type;      /* canonical */
    const char *full_name; /* with its outer class; NULL: as type */
    uint64_t bytes;        /* shallow, as the file has it */
    enum hd_generation generation;
    bool is_reachable;
    uint64_t instances;  /* of its type, as the file has them */
    uint64_t references; /* duplicates and those to itself counted */
    uint64_t referrers;  /* HD_UNKNOWN until HD_OBJECTS_REFERRERS is there */
    const char *module;  /* of its type; NULL: unknown, or several */
};

/* False if there is no such number, or no graph yet. */
bool hd_object(const struct hd_objects *o, uint32_t number, struct hd_object *object);

/* The object that begins at an address or, of those that begin before, contains it. Looks
 * at all addresses. False and err, with the nearest ones, if there is none: HD_USAGE. */
bool hd_object_at(const struct hd_objects *o, uint64_t address, uint32_t *number,
                  struct hd_error *err);

/* A shortest chain from the strongest root that reaches it, as chains of reports are: the
 * first of numbers is a root group, the last the object itself. Of one that is longer than
 * room, at least 2, the middle is left out: *skipped so many, before number *skipped_at. An
 * object that no root reaches has a chain that begins with an object. Returns how many
 * numbers there are; 0 before HD_OBJECTS_CHAINS. Takes as long as the chain is. */
size_t hd_object_chain(const struct hd_objects *o, uint32_t number, uint32_t *numbers,
                       size_t room, size_t *skipped, size_t *skipped_at);

/* Why the chain's first element keeps it alive: HD_ROOT_UNREACHABLE if nothing does, or
 * chains are not there yet. */
enum hd_root_kind hd_object_root(const struct hd_objects *o, uint32_t number);

/* What an object retains: bytes that roots reach through it alone, itself included. The
 * first question begins to look for it, with a thread of its own as soon as all parts are
 * there; two walks over the graph. False: not yet, ask again. True with HD_UNKNOWN: that
 * cannot be told, of what no root reaches or of a snapshot without roots. Asking for
 * another object stops looking for the last one, which takes some milliseconds. */
bool hd_object_retained(struct hd_objects *o, uint32_t number, uint64_t *bytes);

/* --- fields and values ----------------------------------------------------------- */

enum hd_field_kind {
    HD_FIELD_UNKNOWN,
    HD_FIELD_REFERENCE,
    HD_FIELD_BOOLEAN,
    HD_FIELD_CHAR,     /* number: a UTF-16 unit */
    HD_FIELD_SIGNED,   /* number: two's complement, extended to 64 bits */
    HD_FIELD_UNSIGNED, /* also pointers */
    HD_FIELD_FLOAT,
    HD_FIELD_ENUM,  /* number as above, and name where a member has that value */
    HD_FIELD_STRUCT /* of the core library and one value: DateTime, decimal, Guid; words */
};

/* A field of an object, or an element of an array or of a string. */
struct hd_field {
    const char *name;        /* "_items", "Extra.Item3", "[17].value"; NULL unknown */
    const char *declared_by; /* class; NULL of elements */
    const char *type;        /* as declared; NULL unknown */
    enum hd_field_kind kind;
    uint64_t number;     /* the value, but of a FLOAT; of a REFERENCE its address, 0
                            for null */
    double real;         /* of a FLOAT; of a single the number with its shortest digits */
    const char *member;  /* of an ENUM; NULL */
    uint32_t to;         /* of a REFERENCE the object's number; HD_NO_OBJECT */
    const char *to_type; /* and its type, canonical; NULL */
    const char *text;    /* of a REFERENCE to a string or to a Uri, which has one, if asked
                            for: UTF-8, perhaps cut */
    bool is_cut;
    bool is_hidden;   /* there is a value that was not asked for; it is not here */
    bool is_unsigned; /* the number of an ENUM is not two's complement */
    bool is_redacted; /* the value, or the text, was overwritten in the file */
    bool is_null;     /* of a Nullable: it has no value */

    /* Of a FLOAT: digits from which on .NET writes an exponent, 17 of a double, 9 of a
     * single, 5 of a Half; 0: 17. */
    uint8_t digits;

    /* Of a STRUCT: as its ToString() writes it in the invariant culture, a DateTime as
     * 2026-11-24 15:04:05.1234567Z (docs/object.md); of bytes that no value has 0x and
     * their digits. NULL unknown. */
    const char *words;

    /* Of a REFERENCE to a string or an array: how many characters (UTF-16 units) or
     * elements it has. */
    bool has_length;
    uint64_t length;

    /* Of a REFERENCE: what the object there says, a boxed number or struct, a Version; not
     * a REFERENCE itself. NULL: its fields say it. */
    const struct hd_field *boxed;
};

#define HD_NO_OBJECT UINT32_MAX

/* What an object is made of, for hd_object_fields_free() before hd_objects_close(). */
struct hd_object_fields {
    const struct hd_field *all; /* from number first on */
    size_t len;
    uint64_t first, count; /* of count that there are */
    bool are_named;        /* false: the snapshot tells references only, in their order */
    bool is_array;         /* they are elements of an array */
    const char *text;      /* of a string, if asked for: UTF-8 */
    bool is_cut;           /* the text goes on */
    bool is_hidden;        /* it is a string, whose text was not asked for */
    bool is_redacted;      /* it is a string, whose text was overwritten in the file */
    struct hd_fields_memory *memory;

    /* What the object says besides its fields: of a Version and of what is in a box a field
     * without name, of a Uri a REFERENCE with text, if asked for. NULL of others. */
    const struct hd_field *self;
};

/* Fields or elements from number first on, `most` of them at most. A dump holds secrets,
 * and these travel as text: strings, characters, and what arrays of plain values hold, are
 * there only with most_text > 0, and texts have so many UTF-16 units at most. Other
 * numbers, booleans and enums always are. NUL in a text is U+2400. False and *fields empty
 * if there is no such number. */
bool hd_object_fields(const struct hd_objects *o, uint32_t number, uint64_t first,
                      size_t most, size_t most_text, struct hd_object_fields *fields);
void hd_object_fields_free(struct hd_object_fields *fields);

/* The field by which an object refers to another, the first of several: "_items", "[]",
 * "[].value". NULL: unknown, or it does not. Takes as long as it has references. */
const char *hd_object_field(const struct hd_objects *o, uint32_t from, uint32_t to);

/* The value of a field as reports print it, on one line and harmless: 17, true, 'x' U+0078,
 * Blocked (2), "text"…; of a reference its text or what is in the box there, else nothing,
 * or null. */
void hd_put_value(struct hd_sink to, const struct hd_field *field);

/* A static variable. */
struct hd_static {
    const char *declared_by; /* its class; NULL: the snapshot does not tell */
    const char *module;      /* path of the class's assembly; NULL unknown */
    struct hd_field field;   /* its name, declared type and value; of a struct that is no
                                single value a REFERENCE to the object that holds it */
    bool is_set;             /* else its class has not been used yet, or not by a thread */
    bool of_thread;          /* [ThreadStatic] */
    uint64_t thread;         /* id that the system gives it; 0 unknown */

    /* Of the object that it refers to; HD_UNKNOWN of what refers to none. retained: bytes
     * that only that object keeps alive, itself included. */
    uint64_t bytes, retained;
};

/* --- groups of neighbours -------------------------------------------------------- */

enum hd_direction { HD_REFERS_TO, HD_REFERRED_BY };

/* Neighbours of one type, by one field where fields are known. */
struct hd_object_group {
    const char *type, *full_name;
    enum hd_object_kind kind;
    uint64_t references;
    uint64_t objects;  /* of these, each counted once */
    uint64_t bytes;    /* of those */
    uint32_t first;    /* number of one of them: the lowest */
    const char *field; /* of who refers: "_items", "[].value"; NULL unknown */
};

/* What an object refers to, or what refers to it, by type and field: most objects first,
 * then by name; free() it. NULL and *count 0 where there is nothing, or not yet. Takes as
 * long as it, or what refers to it, has references. */
struct hd_object_group *hd_object_groups(const struct hd_objects *o, uint32_t number,
                                         enum hd_direction direction, size_t *count);

/* What refers to an object by one field: another object, or a root. */
struct hd_object_holder {
    struct hd_object object;
    const char *field;      /* "_items", "[].value"; NULL unknown, and of roots */
    uint64_t references;    /* by that field, one at least */
    enum hd_root_kind root; /* of a root what it is; of an object what keeps it alive:
                               HD_ROOT_UNREACHABLE: nothing, so it holds nothing */
};

/* All that refers to an object, one by one: roots, then what roots reach, the strongest
 * kind first, then garbage; inside of a kind by number. The first `most` of *count; free()
 * it. NULL and 0 where there is nothing, or before HD_OBJECTS_CHAINS and
 * HD_OBJECTS_REFERRERS. Takes as long as what refers to it has references, and O(objects).
 */
struct hd_object_holder *hd_object_holders(const struct hd_objects *o, uint32_t number,
                                           size_t most, size_t *len, size_t *count);

/* --- lists ----------------------------------------------------------------------- */

/* Objects in some order, each once. */
struct hd_object_list;

enum hd_object_order {
    HD_OBJECTS_BY_SIZE, /* largest first, then by number */
    HD_OBJECTS_BY_ADDRESS,
    HD_OBJECTS_BY_NUMBER
};

/* All instances of a type. NULL and err: there is no such type, HD_USAGE, or
 * HD_OBJECTS_OF_TYPES is not there yet. hd_object_list_free() before hd_objects_close(). */
struct hd_object_list *hd_objects_of_type(struct hd_objects *o, const char *type,
                                          enum hd_object_order order, struct hd_error *err);

/* A step on the way from the top of the tree of owners. */
struct hd_place_step {
    const char *type; /* canonical; "[static vars]" */
    bool is_roots;    /* a root group or variable */
};

/* The objects that are at a place of the tree of owners themselves. That has to be known:
 * by hd_report_diff() or whatever else finds owners, of all objects or of those of ask (its
 * gen2 and reachable; NULL: all), with this snapshot among those that were compared. Else,
 * or if there is no such place: NULL, HD_USAGE. */
struct hd_object_list *hd_objects_at(struct hd_objects *o,
                                     const struct hd_place_step *steps, size_t count,
                                     const struct hd_options *ask,
                                     enum hd_object_order order, struct hd_error *err);

/* What an object refers to, or what refers to it; type NULL: of any. Never NULL: an empty
 * list where there is nothing, or not yet. */
struct hd_object_list *hd_object_neighbours(struct hd_objects *o, uint32_t number,
                                            enum hd_direction direction, const char *type,
                                            enum hd_object_order order);

size_t hd_object_list_count(const struct hd_object_list *list);
uint64_t hd_object_list_bytes(const struct hd_object_list *list); /* shallow, of all */

/* The number in that place from 0, which must be below the count. */
uint32_t hd_object_list_get(const struct hd_object_list *list, size_t place);

/* The place of a number; the count if it is not there. Looks at all. */
size_t hd_object_list_find(const struct hd_object_list *list, uint32_t number);

void hd_object_list_free(struct hd_object_list *list); /* NULL is fine */

/* --- a report about one ---------------------------------------------------------- */

/* Which object is meant, and how much of it is told. */
struct hd_object_question {
    size_t size;      /* sizeof(struct hd_object_question) */
    bool by_number;   /* that, as of hd_chain.example; else the address */
    uint64_t address; /* of the object, or of a byte in it */
    uint32_t number;
    bool values; /* strings, characters, what arrays of plain values hold: secrets too */
};

struct hd_instance_group {
    struct hd_object_group group;
    uint64_t address; /* of the first; 0 unknown */
};

/* An object on the way from a root. */
struct hd_instance_link {
    struct hd_object object;
    const char *field; /* by which it refers to the next one; NULL unknown */
};

/* One object, all that is known of it. Of an object without limits on rows all fields, up
 * to 10,000, of an array the first 20 elements; as many as hd_options.rows else. */
struct hd_instance {
    struct hd_object object;
    uint64_t asked;  /* the address that was asked for; 0: a number was */
    uint64_t offset; /* of that address in the object */
    bool has_roots;  /* else nobody knows whether it is reachable */
    enum hd_root_kind root;
    struct hd_object_fields
        fields;  /* not to be freed; to_type as shown: hd_report_shown() */
    bool values; /* were asked for */

    struct hd_instance_group *refers_to, *referred_by; /* most objects first */
    size_t refers_to_count, referred_by_count;

    struct hd_instance_link *chain; /* root group first, itself last */
    size_t chain_len;
    uint64_t chain_skipped; /* so many are left out, before number chain_skipped_at */
    size_t chain_skipped_at;

    /* Bytes, itself included, that only it keeps alive, as the file has them; HD_UNKNOWN
     * without roots, and of what no root reaches. */
    uint64_t retained;

    /* Of several snapshots: the one that first has it, from 0; (size_t)-1: not known. */
    size_t since;
    enum hd_identity_source identity; /* by which that is known */

    /* All that refers to it, one by one, in the order of hd_object_holders(): as many as
     * hd_options.rows, 100,000 at most. */
    const struct hd_object_holder *holders;
    size_t holder_count, holders_omitted;
};

/* What one object of the last snapshot is, what it refers to, what refers to it, and what
 * keeps it alive; of several snapshots since which of them it is there. HD_USAGE where
 * there is none at the address (the message has the nearest) and where the snapshot has no
 * references. */
struct hd_report *hd_report_object(struct hd_comparison *c, const struct hd_options *opt,
                                   const struct hd_object_question *ask,
                                   struct hd_error *err);

/* --- a report about those of some types ------------------------------------------- */

/* Chosen objects together, as the file has them: no sample is scaled up. */
struct hd_object_sum {
    const char *type, *full_name, *module; /* NULL: of all types; no other; unknown */
    uint64_t count, bytes;
    uint64_t retained; /* sum of those that none of the others dominates, so that no byte
                          counts twice; HD_UNKNOWN without roots */
    uint64_t held[HD_ROOT_KIND_COUNT]; /* so many of them the strongest class of roots that
                                          reaches them is of this kind (docs/chains.md) */
    uint64_t held_by_older; /* of those that local variables hold, so many through an object
                               that is older than born; HD_UNKNOWN without born */
};

struct hd_object_row {
    struct hd_object object;
    uint64_t retained; /* HD_UNKNOWN without roots, and of what no root reaches */
    enum hd_root_kind root;
    size_t since;        /* as of hd_instance */
    const char *held_by; /* the owner of its chain in a few words; NULL: none */
};

/* The instances of some types in the last snapshot. */
struct hd_object_set {
    const char **patterns;
    size_t pattern_count;
    size_t born_first, born_last;     /* new in these snapshots, from 1 on; 0: any */
    enum hd_identity_source identity; /* by which it is known since when they are there */
    bool has_roots;
    struct hd_object_sum all, *types; /* most objects first */
    size_t type_count;
    struct hd_object_row *rows; /* what retains most first, then by address and number */
    size_t len, omitted;
};

/* The instances of hd_options.types in the last snapshot: how many, what keeps them alive,
 * what they retain, and the largest of them each (hd_options.rows; 0: HD_MAX_OBJECT_ROWS).
 * excludes, app_only, gen2, born_first and born_last choose among them. HD_USAGE where no
 * snapshot has such a type, and where the last one has no objects. */
enum { HD_MAX_OBJECT_ROWS = 100000 };
struct hd_report *hd_report_objects(struct hd_comparison *c, const struct hd_options *opt,
                                    struct hd_error *err);

/* --- a report about static variables ------------------------------------------------ */

/* Those that were asked for. */
struct hd_static_set {
    const char **patterns;
    size_t pattern_count;
    bool has_values; /* the snapshot tells all of them, with values: else those only that
                        refer to an object */
    bool values;     /* texts were asked for */
    uint64_t count, unset;  /* unset: without a value yet */
    struct hd_static *rows; /* what retains most first, then largest first, then by name */
    size_t len, omitted;
};

/* Static variables of the only snapshot: all with values of a core dump, of others those
 * that refer to an object, as far as it names them. types and excludes match the class,
 * the variable (Class.field), its type and that of the object it refers to; app_only the
 * class. rows as of hd_report_objects(). HD_USAGE where none are named, and where none is
 * left. */
struct hd_report *hd_report_statics(struct hd_comparison *c, const struct hd_options *opt,
                                    struct hd_error *err);

/* The words of JSON: "object", "roots", "undefined"; "reference", "boolean", ... */
const char *hd_object_kind_name(enum hd_object_kind kind);
const char *hd_field_kind_name(enum hd_field_kind kind);

/* Whether a type, by its canonical name, is one of the framework: hd_options.app_only. */
bool hd_type_is_framework(const char *type);

#ifdef __cplusplus
}
#endif

#endif
