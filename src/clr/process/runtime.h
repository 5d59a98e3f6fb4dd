/* runtime.h - the .NET runtime in a process image: which version, where its globals are,
 * and at which offsets its structures keep what.
 *
 * Offsets come from the descriptor that the runtime carries
 * (DotNetRuntimeContractDescriptor in the image or in the libcoreclr.so that it names),
 * else from a table of this major version (runtime_layout.c). A wrong one shows at once:
 * MethodTables do not lead back to themselves. docs/formats/core-dump.md. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "clr/process/process_image.h"

/* --- runtime ------------------------------------------------------------------- */

/* Offsets in bytes by structure and member, of 64-bit processes; names as in the runtime's
 * data contracts. RUNTIME_NO_OFFSET: this version has no such member. What .NET 8 does in
 * another way than later versions are members of its own, which these lack: who reads by
 * them asks whether they are there, not for a version. */
#define RUNTIME_NO_OFFSET UINT32_MAX

struct runtime_layout {
#define MEMBER(need, type, name, member, ...) uint32_t member;
#include "clr/process/runtime_members.h"
#undef MEMBER
    uint32_t thread_linked;      /* what links lead to: the link itself, or 0 */
    uint64_t statics_mask;       /* global StaticsPointerMask */
    uint32_t tls_offsets_unused; /* NumberOfTlsOffsetsNotUsedInNoncollectibleArray */
};

struct runtime {
    const struct process_image *image;
    struct runtime_layout at;
    unsigned major;           /* 10 */
    const char *version;      /* "10.0.12", or "10" where only that is known */
    const char *described_by; /* "its descriptor", "the descriptor in its file", "the table
                                 of .NET 10" */
    uint64_t base;            /* of libcoreclr.so, or of the program that contains it */
    uint64_t app_domain, thread_store, free_object; /* values of these globals; 0 unknown */
    uint64_t continuation, continuation_class; /* the base of runtime-async's types, and the
                                                  EEClass of all that are generated; 0: none
                                                  yet, or before .NET 11 */
    uint64_t gc;                               /* address of GcDacVars */
};

/* False and err, HD_UNSUPPORTED naming what it is and what to do, for images without a
 * .NET runtime, of versions that are not known, of native AOT programs, and dumps without
 * the memory that is needed (mini, triage). Strings live in a. */
bool runtime_find(struct runtime *r, const struct process_image *image, struct arena *a,
                  struct hd_error *err);

/* False and err: a structure of the process is not what the description says, or, NULL,
 * nothing is. */
bool runtime_refuse_layout(const struct runtime *r, const char *structure,
                           struct hd_error *err);

/* A MethodTable leads to a class that leads back to it, or, a generic instantiation, to
 * the canonical one. Not true of the type of free space, which has no class. */
bool runtime_is_method_table(const struct runtime *r, uint64_t address);

/* True if a MethodTable is a layout of runtime-async's continuations. These are generated
 * without metadata; all share one class, which leads back to the first. */
bool runtime_is_continuation(const struct runtime *r, uint64_t address);

/* True of .NET 8, which has a DomainLocalModule, and does much in another way. */
static inline bool runtime_is_8(const struct runtime *r)
{
    return r->at.module_local_module != RUNTIME_NO_OFFSET;
}

/* Returns the Thread that a link of the runtime's list leads to. */
static inline uint64_t runtime_linked_thread(const struct runtime *r, uint64_t link)
{
    return link - r->at.thread_linked;
}

/* --- does it fit? ------------------------------------------------------------------ */

/* .NET 8 describes nothing of itself, so each structure is asked for something that another
 * one says as well: a wrong table is refused by the structure's name before anything is
 * read by it. What the dump lacks proves nothing, and what changes while a process runs is
 * allowed to be half changed. docs/formats/core-dump.md, "Does it fit?". */

/* The structure that does not fit, "Thread"; NULL: all do, or the runtime describes itself.
 * type: the MethodTable of any object, or 0. */
const char *runtime_misfit(const struct runtime *r, uint64_t type);

/* The module of the runtime's own library, which is the first of all; 0: not known. */
uint64_t runtime_first_module(const struct runtime *r);

/* --- the collector ---------------------------------------------------------- */

/* Where the collector of a .NET process keeps its heap.
 *
 * The collector lists its own globals for debuggers (GcDacVars, gcinterface.dac.h), in an
 * order that only grows at its end. A server collector has several heaps, the workstation's
 * has one; each has five generations, which are lists of regions or, in older collectors,
 * of segments. docs/formats/core-dump.md. */

/* Generations of a heap: 0, 1, 2, large objects, pinned objects. */
enum { GC_GENERATIONS = 5, GC_LARGE = 3, GC_PINNED = 4 };

/* Addresses of one heap's parts. */
struct gc_part {
    uint64_t generations;       /* the table of them */
    uint64_t ephemeral_segment; /* in which objects are allocated */
    uint64_t allocated;         /* where they end in that one */
    uint64_t finalizers;        /* the queue; 0: none */
};

struct gc_globals {
    struct gc_part *parts;
    size_t part_count;
    uint64_t generation_size;
    /* of a generation; allocation_start only where heaps consist of segments */
    uint32_t allocation_at, start_segment_at, allocation_start_at;
    bool has_segments;
    uint64_t handle_map; /* address of the map of handle tables */
};

/* The address of the collector's gc_structures_invalid_cnt, by that of GcDacVars; 0
 * unknown.
 */
uint64_t gc_count_address(const struct memory *m, uint64_t gc);

/* Whether the collector says that the heap may be walked (that count is 0): a proof, where
 * anything else is none of the contrary. */
bool gc_heap_is_valid(const struct runtime *r);

/* parts live in a. False and err, HD_UNSUPPORTED, if the globals cannot be had; parts has
 * those that are there all the same. */
bool gc_globals_read(struct gc_globals *g, const struct runtime *r, struct arena *a,
                     struct hd_error *err);

/* --- layouts ---------------------------------------------------------------- */

/* At which offsets the structures of a .NET runtime keep what: from the
 * data descriptor that it carries, JSON (dotnet/runtime, docs/design/datacontracts), and
 * from a table of this version.
 *
 * Dumps of the heap alone lack the descriptor up to .NET 10, and .NET 8 has none. Offsets
 * have not changed within a major version. docs/formats/core-dump.md, "Runtime". */

/* Globals that are pointers stand elsewhere, in a list; these are places in it. */
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
    unsigned version; /* of the description: 0 up to .NET 10, 2 since */
};

/* Nothing known. */
void descriptor_clear(struct descriptor *d);

/* Take over what the text tells; the rest stays. False and err: HD_BAD_FORMAT if it is no
 * descriptor; HD_UNSUPPORTED, naming it, for a version or a contract of a number that is
 * not known. */
bool descriptor_add(struct descriptor *d, const char *text, size_t size,
                    struct hd_error *err);

/* The first that is needed and not told, "Module.Base"; NULL: it is whole. */
const char *descriptor_lacks(const struct descriptor *d, struct arena *a);

/* True if both have the same offsets of everything that is read of their version. */
bool descriptor_same_layout(const struct runtime_layout *a, const struct runtime_layout *b);

/* --- tables -------------------------------------------------------------------- */

/* A version on a processor whose offsets are carried. */
struct runtime_table {
    unsigned major;
    uint32_t machine;
    unsigned positions[GLOBAL_FREE_OBJECT + 1]; /* of globals in g_dacTable */
};

/* Number i of the versions, newest first: its table there, else on x86-64; NULL behind the
 * last. */
const struct runtime_table *runtime_table_at(size_t i, const struct processor *p);

/* NULL: none of this version there. */
const struct runtime_table *runtime_table_of(unsigned major, const struct processor *p);

/* Take over all offsets of a table. */
void descriptor_add_table(struct descriptor *d, const struct runtime_table *t);

#endif
