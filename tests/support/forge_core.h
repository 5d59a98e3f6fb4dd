/* forge_core.h - readable builders of ELF cores, for tests: of any process, and of one
 * with a made-up .NET runtime and heap.
 *
 *     struct core_forge f = {0};
 *     forge_core_runtime(&f, &(struct forged_runtime){0});
 *     uint64_t type = forge_core_type(&f, 24, 0);
 *     uint64_t object = forge_core_object(&f, 2, type, 24);
 *     forge_core_put(&f, object + 8, 7, 8);
 *     struct bytes core = forge_core_bytes(&f);
 *     ...
 *     forge_core_free(&f);
 *
 * From the description of the format; must not share code with the reader. A wrong address
 * ends the test. */
#ifndef FORGE_CORE_H
#define FORGE_CORE_H

#include "base/input.h"
#include "base/text.h"
#include "clr/process/process_image.h"

enum {
    FORGED_REGIONS = 32,
    FORGED_MAPPINGS = 32,
    FORGED_CORE_THREADS = 8,
    FORGED_GENERATIONS = 5
};

struct forged_region {
    uint64_t address, size;
    unsigned char *bytes; /* malloc'd */
};

struct forged_mapping {
    uint64_t start, end, offset;
    const char *path;
};

struct forged_thread {
    uint32_t id;
    uint64_t stack, thread_pointer;
    uint64_t others; /* in every other register */
};

struct forged_runtime {
    const char *path;        /* NULL: of .NET 10.0.12, or 8.0.31, in its usual place */
    const char *json;        /* its descriptor; NULL: missing, as in a dump of the heap */
    const char *own_version; /* its own version, "10.0.1226.1"; NULL: missing */
    bool is_program;         /* in the main program, as in a single file */
    bool is_native;          /* with the symbols of a native AOT program instead */
    unsigned major;          /* positions in g_dacTable; 0: of .NET 10 */
};

/* {0} is a process without memory. Fields set directly are used when the core is written.
 */
struct core_forge {
    struct forged_region regions[FORGED_REGIONS];
    struct forged_mapping mappings[FORGED_MAPPINGS];
    struct forged_thread threads[FORGED_CORE_THREADS];
    size_t region_count, mapping_count, thread_count;
    const char *name, *command;
    uint32_t pid;
    uint64_t program_headers; /* AT_PHDR; 0: no such note */
    uint64_t page;            /* AT_PAGESZ; 0: missing */
    uint16_t machine;         /* 0: x86-64 */
    bool many_segments;       /* count them in section 0 */
    struct text core;

    uint64_t type_end, object_end[FORGED_GENERATIONS];
    uint64_t free_type;
};

/* Addresses in the made-up runtime. */
#define FORGED_RUNTIME_BASE UINT64_C(0x7f0000000000)
enum {
    FORGED_LIBRARY_DATA = 0x3000,
    FORGED_LIBRARY_SIZE = 0x6000
};                                           /* constant up to the first writable byte */
enum { FORGED_LIBRARY_BUILD_ID = 0x210 };    /* its first byte in the file */
#define FORGED_HEAP UINT64_C(0x7f1000000000) /* a generation every FORGED_HEAP_STEP */
#define FORGED_SEGMENTS UINT64_C(0x7f2000000000) /* the same, every 0x100 */
#define FORGED_TYPES UINT64_C(0x7f3000000000)
enum {
    FORGED_HEAP_STEP = 1 << 20,
    FORGED_HEAP_SIZE = 1 << 13,
    FORGED_TYPES_SIZE = 1 << 14
};

/* A region of zeros, which can be written to. */
void forge_core_region(struct core_forge *f, uint64_t address, uint64_t size);

/* The dump lacks these bytes of a region. */
void forge_core_leave_out(struct core_forge *f, uint64_t begin, uint64_t end);

/* The lowest size bytes of value, at an address in a region. */
void forge_core_put(struct core_forge *f, uint64_t address, uint64_t value, size_t size);
void forge_core_put_bytes(struct core_forge *f, uint64_t address, const void *bytes,
                          size_t size);
uint64_t forge_core_get(const struct core_forge *f, uint64_t address);

/* path must outlive f. */
void forge_core_mapping(struct core_forge *f, uint64_t start, uint64_t end, uint64_t offset,
                        const char *path);
void forge_core_thread(struct core_forge *f, uint32_t id, uint64_t stack,
                       uint64_t thread_pointer);

/* libcoreclr.so with its globals, a workstation collector with regions, a heap in which
 * every generation is empty, the type of free space. */
void forge_core_runtime(struct core_forge *f, const struct forged_runtime *how);

/* The same library as a file; text_free() it. */
void forge_core_library(struct text *to, const struct forged_runtime *how);

/* The descriptor of .NET 8, 9 or 10, as its carried table has it. */
const char *forged_json(unsigned major);

/* The description of a runtime of .NET 11 with the offsets of .NET 10; its path. */
const char *forged_json_11(void);
#define FORGED_PATH_11 "/usr/share/dotnet/shared/Microsoft.NETCore.App/11.0.3/libcoreclr.so"

/* Addresses of the variables that only such a description names: of the type of
 * continuations, and 8 further of their class. */
uint64_t forged_continuation_variables(void);

/* Addresses of g_dacTable, of the variables for AppDomain and ThreadStore, of GcDacVars and
 * gc_structures_invalid_cnt. */
uint64_t forged_globals(void);
uint64_t forged_app_domain_variable(void);
uint64_t forged_thread_store_variable(void);
uint64_t forged_collector(void);
uint64_t forged_count_variable(void);

/* As in another version: moves a global in g_dacTable. */
void forged_move_global(struct core_forge *f, unsigned from, unsigned to);

/* A MethodTable with an EEClass that refers back to it. */
uint64_t forge_core_type(struct core_forge *f, uint32_t base_size, uint32_t flags);

/* An object at the end of a generation. */
uint64_t forge_core_object(struct core_forge *f, unsigned generation, uint64_t type,
                           uint64_t size);

/* The core in its present state; valid until the next call or forge_core_free(). */
struct bytes forge_core_bytes(struct core_forge *f);
void forge_core_free(struct core_forge *f);

#endif
