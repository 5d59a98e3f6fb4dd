/* runtime.h - the .NET runtime in a process image: which version, where its globals are,
 * and at which offsets its structures keep what.
 *
 * Offsets come from the descriptor that the runtime carries
 * (DotNetRuntimeContractDescriptor in the image or in the libcoreclr.so that it names),
 * else from a table of this major version (runtime_tables.c, made by
 * scripts/runtime-table.py). A wrong one shows at once: MethodTables do not lead back to
 * themselves. docs/formats/core-dump.md. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "process/process_image.h"

/* --- the collector ------------------------------------------------------------- */

/* What the collector of .NET tells debuggers: GcDacVars, whose layout is versioned and
 * only ever grows (dotnet/runtime, src/coreclr/gc/gcinterface.dacvars.def). */

/* Offsets in it of pointers to variables of the collector. */
enum {
    GC_VERSION = 0, /* two bytes: major, minor */
    GC_GENERATION_SIZE = 8,
    GC_GENERATION_COUNT = 16,
    GC_BUILT_WITH_SERVER = 32,
    GC_GENERATION_TABLE = 48,
    GC_EPHEMERAL_SEGMENT = 80,
    GC_ALLOC_ALLOCATED = 120,
    GC_FINALIZE_QUEUE = 144,
    GC_HEAP_COUNT = 176,
    GC_HEAPS = 184,
    GC_INVALID_COUNT = 192,
    GC_HANDLE_TABLE_MAP = 232,
    GC_HEAP_OFFSETS = 240,
    GC_GENERATION_OFFSETS = 248
};

/* The only one of count addresses of globals at table that holds the pointer to such a
 * structure; 0 if there is none, or several. */
uint64_t runtime_gc_find(const struct memory *m, uint64_t table, unsigned count);

/* --- runtime ------------------------------------------------------------------- */

/* Offsets in bytes by structure and member, of 64-bit processes; names as in the runtime's
 * data contracts. RUNTIME_NO_OFFSET: this version has no such member. What .NET 8 does in
 * another way than later versions are members of its own, which these lack: who reads by
 * them asks whether they are there, not for a version. */
#define RUNTIME_NO_OFFSET UINT32_MAX

/* Where the statics of classes are kept: of generic and emitted ones in entries of their
 * own, of all others of a module in one place (DomainLocalModule, ThreadLocalModule). */
struct runtime_local_module {
    uint32_t classes, count, gc_statics;
    uint32_t blob; /* a byte for each plain type, then what refers to nothing */
};

struct runtime_layout {
    struct {
        uint32_t flags, base_size, flags2, parent, module, auxiliary_data, class_or_canon,
            per_inst_info, size;
        uint32_t token;         /* 16 bits of flags2; .NET 8 only */
        uint32_t virtual_count; /* asked for where there is a token */
    } method_table;
    struct {
        uint32_t method_table, field_desc_list, element_type, instance_fields,
            static_fields;
        uint32_t padding;            /* of the base size: behind element_type if not told */
        uint32_t are_packed, packed; /* .NET 8 only: how its counts stand, and where */
    } ee_class;
    struct {
        uint32_t gc_statics, plain_statics, size; /* plain: of what is no reference */
    } dynamic_statics;
    struct {
        uint32_t gc_tls_index, plain_tls_index, size;
    } thread_statics;
    struct {
        uint32_t dict_count, type_arg_count;
    } generics_dict;
    struct {
        uint32_t base, path, loader_allocator, dynamic_metadata, available_type_params,
            type_def_map, type_ref_map;
        uint32_t pe_assembly, assembly;
        /* .NET 8 only: where statics are, and which types have entries of their own */
        uint32_t local_module, index, dynamic_types, dynamic_count;
    } module;
    struct {
        uint32_t image;        /* PEAssembly.PEImage */
        uint32_t path;         /* of a PEImage */
        uint32_t loaded, flat; /* layouts of a PEImage: as the loader has it, as a file */
        uint32_t base;         /* of a PEImageLayout */
    } pe; /* asked for where a module does not have the base of its image */
    struct {
        uint32_t next, table, count, flags_mask;
    } lookup_map;
    struct {
        uint32_t buckets, entry_value, entry_next;
    } type_hash;
    struct {
        uint32_t assembly_list; /* of DomainAssemblies, or: */
        uint32_t assemblies;    /* of Assemblies; since .NET 11 */
    } app_domain;
    struct {
        uint32_t count, first_block;
    } array_list;
    struct {
        uint32_t next, size, items;
    } array_list_block;
    struct {
        uint32_t module;
    } assembly;
    struct {
        uint32_t first_link, count;
    } thread_store;
    struct {
        uint32_t link, locals, static_data, os_id, stack_base;
        uint32_t linked; /* the offset that links lead to: that of the link itself, or 0 */
        uint32_t alloc_context, local_block; /* .NET 8 only */
    } thread;
    struct {
        uint32_t modules, count;
    } thread_local_block;                                          /* .NET 8 only */
    struct runtime_local_module local_module, thread_local_module; /* .NET 8 only */
    uint32_t allocator_object; /* LoaderAllocator.ObjectHandle */
    struct {
        uint32_t alloc_context;  /* RuntimeThreadLocals.AllocContext */
        uint32_t gc_context;     /* EEAllocContext.GCAllocationContext */
        uint32_t pointer, limit; /* GCAllocContext */
    } allocation;
    struct {
        uint32_t count, items; /* ThreadLocalData, of what is not collectible */
    } thread_local_data;
    uint32_t type_desc_flags, param_type_arg; /* TypeDesc, ParamTypeDesc */
    uint32_t dynamic_metadata_size, dynamic_metadata_data;
    uint32_t dynamic_metadata_pointer; /* to the data, .NET 8 only */
    uint64_t statics_mask;             /* global StaticsPointerMask */
    uint32_t tls_offsets_unused;       /* NumberOfTlsOffsetsNotUsedInNoncollectibleArray */
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

/* The oldest and the newest .NET that were tried: core dumps, minidumps, and collection on
 * Windows; documents name the same ranges (tests/cli/docs.bats). Later ones are read if
 * they describe themselves in a known way. */
#define RUNTIME_OLDEST 8
#define RUNTIME_NEWEST 11
#define RUNTIME_NEWEST_MINIDUMP 11
#define RUNTIME_NEWEST_WINDOWS 10

/* Whether a runtime of that version ("8.0.31") is older than those that can be read. */
bool runtime_is_too_old(const char *version);
#define RUNTIME_OLDEST_READ ".NET 8"

/* Whether it is one that is read on other processors, and not on this one. */
bool runtime_is_of_others(const char *version, const struct processor *p);

/* False and err, HD_UNSUPPORTED naming what it is and what to do, for images without a
 * .NET runtime, of versions that are not known, of native AOT programs, and dumps without
 * the memory that is needed (mini, triage). Strings live in a. */
bool runtime_find(struct runtime *r, const struct process_image *image, struct arena *a,
                  struct hd_error *err);

/* False and err: a structure of the process is not what the description says, or, NULL,
 * nothing is. */
bool runtime_refuse_layout(const struct runtime *r, const char *structure,
                           struct hd_error *err);

/* Whether the collector says that the heap may be walked (gc_structures_invalid_cnt is 0):
 * a proof, where anything else is none of the contrary. */
bool runtime_heap_is_valid(const struct runtime *r);

/* The address of that count, to look at it in a process that runs; 0 unknown. */
uint64_t runtime_heap_count_address(const struct runtime *r);

/* A MethodTable leads to a class that leads back to it, or, a generic instantiation, to
 * the canonical one. Not true of the type of free space, which has no class. */
bool runtime_is_method_table(const struct runtime *r, uint64_t address);

/* True if a MethodTable is a layout of runtime-async's continuations. These are generated
 * without metadata; all share one class, which leads back to the first. */
bool runtime_is_continuation(const struct runtime *r, uint64_t address);

/* Returns the Thread that a link of the runtime's list leads to. */
static inline uint64_t runtime_linked_thread(const struct runtime *r, uint64_t link)
{
    return link - r->at.thread.linked;
}

#endif
