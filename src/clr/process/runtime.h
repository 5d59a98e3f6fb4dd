/* runtime.h - the .NET runtime in a process image: its version, the addresses of its
 * globals, and the offsets in its structures.
 *
 * Offsets are from the descriptor in the runtime (DotNetRuntimeContractDescriptor, in the
 * image or in libcoreclr.so on disk), else from a table for this major version
 * (runtime_layout.c). Wrong ones are detected immediately: MethodTables do not lead back to
 * themselves. docs/formats/core-dump.md. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "clr/process/process_image.h"

/* --- runtime ------------------------------------------------------------------- */

/* Offsets in bytes by structure and member, for 64-bit processes; names as in the runtime's
 * data contracts. RUNTIME_NO_OFFSET: this version has no such member. Structures specific
 * to .NET 8 are separate members, which later versions lack: readers check whether the
 * member exists, not the version. */
#define RUNTIME_NO_OFFSET UINT32_MAX

struct runtime_layout {
#define MEMBER(need, type, name, member, ...) uint32_t member;
#include "clr/process/runtime_members.h"
#undef MEMBER
    uint32_t thread_linked; /* offset of the target of links: of the link itself, or 0 */
    uint64_t statics_mask;  /* global StaticsPointerMask */
    uint32_t tls_offsets_unused; /* NumberOfTlsOffsetsNotUsedInNoncollectibleArray */
};

struct runtime {
    const struct process_image *image;
    struct runtime_layout at;
    unsigned major;           /* 10 */
    const char *version;      /* "10.0.12", or "10" if only that is known */
    const char *described_by; /* "its descriptor", "the descriptor in its file", "the table
                                 of .NET 10" */
    uint64_t base;            /* of libcoreclr.so, or of the program that contains it */
    uint64_t app_domain, thread_store,
        free_object; /* values of the runtime's globals; 0: unknown */
    uint64_t continuation,
        continuation_class; /* base of runtime-async's types, and the EEClass of generated
                               ones; 0: not yet created, or before .NET 11 */
    uint64_t gc;            /* address of GcDacVars */
};

/* Finds the runtime. False and HD_UNSUPPORTED, with the reason and a remedy, for images
 * without .NET runtime, unknown versions, native AOT programs, and dumps without the
 * required memory (mini, triage). Strings are in a. */
bool runtime_find(struct runtime *r, const struct process_image *image, struct arena *a,
                  struct hd_error *err);

/* Reports that a structure or, for NULL, the layout does not match the description. Always
 * false. */
bool runtime_refuse_layout(const struct runtime *r, const char *structure,
                           struct hd_error *err);

/* True if a MethodTable leads to a class that leads back to it or, for a generic
 * instantiation, to the canonical one. False for the type of free space, which has no
 * class. */
bool runtime_is_method_table(const struct runtime *r, uint64_t address);

/* True if a MethodTable is a layout of runtime-async's continuations. These are generated
 * without metadata; all share one class, which leads back to the first. */
bool runtime_is_continuation(const struct runtime *r, uint64_t address);

/* True for .NET 8, which has a DomainLocalModule and other differences. */
static inline bool runtime_is_8(const struct runtime *r)
{
    return r->at.module_local_module != RUNTIME_NO_OFFSET;
}

/* Returns the Thread of a link in the runtime's list. */
static inline uint64_t runtime_linked_thread(const struct runtime *r, uint64_t link)
{
    return link - r->at.thread_linked;
}

/* --- checks ----------------------------------------------------------------------- */

/* .NET 8 has no descriptor, so each structure is compared with data in another one: a wrong
 * table is rejected, with the structure's name, before it is used. Missing memory is
 * accepted, and data that changes in a running process may be half changed.
 * docs/formats/core-dump.md, "Does it fit?". */

/* Returns the structure that does not fit, "Thread"; NULL: all fit, or the runtime has a
 * descriptor. type: the MethodTable of any object, or 0. */
const char *runtime_misfit(const struct runtime *r, uint64_t type);

/* Returns the module of the runtime's own library, the first one; 0: unknown. */
uint64_t runtime_first_module(const struct runtime *r);

/* --- the collector ---------------------------------------------------------- */

/* Locates the heaps of the collector.
 *
 * The collector lists its globals for debuggers (GcDacVars, gcinterface.dac.h), in an order
 * that only grows at its end. A server collector has several heaps, a workstation collector
 * one; each has five generations, which are lists of regions or, in older collectors, of
 * segments. docs/formats/core-dump.md. */

/* Generations of a heap: 0, 1, 2, large objects, pinned objects. */
enum { GC_GENERATIONS = 5, GC_LARGE = 3, GC_PINNED = 4 };

/* Addresses of a heap's parts. */
struct gc_part {
    uint64_t generations;       /* their table */
    uint64_t ephemeral_segment; /* for new objects */
    uint64_t allocated;         /* end of objects in that segment */
    uint64_t finalizers;        /* the queue; or 0 */
};

struct gc_globals {
    struct gc_part *parts;
    size_t part_count;
    uint64_t generation_size;
    /* in a generation; allocation_start only with segments */
    uint32_t allocation_at, start_segment_at, allocation_start_at;
    bool has_segments;
    uint64_t handle_map; /* address of the map of handle tables */
};

/* Returns the address of gc_structures_invalid_cnt, given that of GcDacVars; 0: unknown. */
uint64_t gc_count_address(const struct memory *m, uint64_t gc);

/* True if the heap may be walked (that count is 0); false if not, or if unknown. */
bool gc_heap_is_valid(const struct runtime *r);

/* Reads the globals; parts are in a. False and HD_UNSUPPORTED if some are unreadable; parts
 * then has the readable ones. */
bool gc_globals_read(struct gc_globals *g, const struct runtime *r, struct arena *a,
                     struct hd_error *err);

/* --- layouts ---------------------------------------------------------------- */

/* Offsets of the runtime's structures: from its data descriptor, JSON (dotnet/runtime,
 * docs/design/datacontracts), and from tables per version.
 *
 * All dumps of .NET 8, and heap-only ones up to .NET 10, lack the descriptor. Offsets are
 * constant within a major version. docs/formats/core-dump.md, "Runtime". */

/* Pointer globals are in a separate list; these are indexes in it. */
enum runtime_global {
    GLOBAL_APP_DOMAIN,
    GLOBAL_THREAD_STORE,
    GLOBAL_FREE_OBJECT,
    GLOBAL_CONTINUATION,
    GLOBAL_CONTINUATION_CLASS,
    GLOBALS
};
#define NO_GLOBAL UINT32_MAX

struct descriptor {
    struct runtime_layout at;
    uint32_t place[GLOBALS];
    unsigned version; /* of the description: 0 up to .NET 10, then 2 */
};

/* Sets everything to unknown. */
void descriptor_clear(struct descriptor *d);

/* Adds the offsets in a descriptor; others are unchanged. False and err: HD_BAD_FORMAT if
 * it is invalid; HD_UNSUPPORTED, with its name, for an unknown version or contract
 * number. */
bool descriptor_add(struct descriptor *d, const char *text, size_t size,
                    struct hd_error *err);

/* Returns the first missing required member, "Module.Base"; NULL: complete. */
const char *descriptor_lacks(const struct descriptor *d, struct arena *a);

/* True if both agree on all offsets that are read for their version. */
bool descriptor_same_layout(const struct runtime_layout *a, const struct runtime_layout *b);

/* --- tables -------------------------------------------------------------------- */

/* The offset table of a version on a processor. */
struct runtime_table {
    unsigned major;
    uint32_t machine;
    unsigned positions[GLOBAL_FREE_OBJECT + 1]; /* of globals in g_dacTable */
};

/* Returns number i of the versions, newest first: its table for p, else for x86-64; NULL
 * after the last. */
const struct runtime_table *runtime_table_at(size_t i, const struct processor *p);

/* Returns the table of a version for p, or NULL. */
const struct runtime_table *runtime_table_of(unsigned major, const struct processor *p);

/* Sets all offsets from a table. */
void descriptor_add_table(struct descriptor *d, const struct runtime_table *t);

#endif
