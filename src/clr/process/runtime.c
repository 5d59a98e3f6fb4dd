/* The runtime of a process image: its library, its collector, what describes it. */
#include "clr/process/runtime.h"

#include "base/error.h"
#include "base/text.h"
#include "clr/process/pe_image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- the library ----------------------------------------------------------------- */

/* libcoreclr.so or coreclr.dll in a process image, or the program that contains it: where
 * it is, its symbols and its version. */

/* Where its symbols are looked up: in memory, or in its file as it would be loaded. */
struct runtime_image {
    bool is_pe; /* which of the two it is */
    struct elf_image elf;
    struct pe_image pe;
};

struct runtime_module {
    const char *path; /* of the mapping; NULL: unknown */
    uint64_t base;
    bool is_program; /* it is the main program: a single file, or native */
    struct runtime_image in_memory;
    bool has_file;
    struct runtime_image in_file; /* as it would be loaded there; if has_file */
    struct memory file;
};

/* Deleted files have a suffix; names on Windows ignore case. */
static bool runtime_module_is_named(const char *path, const char *name)
{
    const char *file = path_file_name(path);
    return strncasecmp(file, name, strlen(name)) == 0 &&
           (file[strlen(name)] == '\0' || file[strlen(name)] == ' ');
}

bool runtime_library_is(const char *path)
{
    static const char collector[] = "libclrgc";
    return runtime_module_is_named(path, core_kind.library) ||
           strncmp(path_file_name(path), collector, strlen(collector)) == 0;
}

static bool has_library(const struct process_image *image, const char *name)
{
    for (size_t i = 0; i < image->mapping_count; i++)
        if (strcasecmp(path_file_name(image->mappings[i].path), name) == 0)
            return true;
    return false;
}

/* Whether a process without this runtime has that of .NET Framework. */
static bool runtime_module_is_framework(const struct process_image *image)
{
    return has_library(image, "clr.dll") || has_library(image, "mscorwks.dll");
}

/* Finds the library, else the main program, whose program headers follow its first 64
 * bytes, on its first page. False if both are missing. m must not move while it is used. */
static bool runtime_module_find(struct runtime_module *m, const struct process_image *image,
                                struct arena *a)
{
    const struct image_mapping *at = NULL;
    for (size_t i = 0; i < image->mapping_count && at == NULL; i++)
        if (image->mappings[i].offset == 0 &&
            runtime_module_is_named(image->mappings[i].path, image->kind->library))
            at = &image->mappings[i];
    *m = (struct runtime_module){.is_program = at == NULL};
    if (at == NULL && image->program_headers > 0)
        at = image_mapping_at(image, image->program_headers);
    if (at == NULL || at->offset != 0)
        return false;
    m->path = at->path;
    m->base = at->start;
    m->in_memory.is_pe = pe_image_at(&m->in_memory.pe, &image->memory, m->base);
    if (!elf_image_at(&m->in_memory.elf, &image->memory, m->base))
        m->in_memory.elf.dynamic_size = 0;
    const struct image_file *file = image_file_at(image, m->base);
    m->has_file = file != NULL &&
                  elf_image_of_file(&m->in_file.elf, &m->file, file->bytes, m->base, a);
    return true;
}

/* --- symbols --------------------------------------------------------------------- */

/* Finds a symbol; address 0 if missing. In a PE image its size is the rest of the piece. */
static struct elf_symbol runtime_image_symbol(const struct runtime_image *i,
                                              const char *name)
{
    if (!i->is_pe)
        return elf_symbol(&i->elf, name);
    uint64_t at = pe_export(&i->pe, name);
    return (struct elf_symbol){at, at != 0 ? memory_from(i->pe.memory, at).size : 0};
}

/* A pointer in it, as the loader leaves it. */
static uint64_t runtime_image_pointer(const struct runtime_image *i, uint64_t address,
                                      bool *ok)
{
    return i->is_pe ? memory_u64(i->pe.memory, address, ok)
                    : elf_pointer(&i->elf, address, ok);
}

/* Finds a symbol in the process; address 0 if missing. */
static struct elf_symbol runtime_module_symbol(const struct runtime_module *m,
                                               const char *name)
{
    struct elf_symbol found = runtime_image_symbol(&m->in_memory, name);
    return found.address == 0 && m->has_file ? runtime_image_symbol(&m->in_file, name)
                                             : found;
}

/* Whether it is a program of Native AOT. */
static bool runtime_module_is_native(const struct runtime_module *m)
{
    return runtime_module_symbol(m, "DotNetRuntimeDebugHeader").address != 0;
}

/* --- version --------------------------------------------------------------------- */

/* Matches digits and dots, and a suffix after a hyphen: "11.0.0-preview.2". */
static const char *version_in_path(const char *path, struct arena *a)
{
    static const char folder[] = "Microsoft.NETCore.App/", digits[] = "0123456789.",
                      rest[] = "0123456789.abcdefghijklmnopqrstuvwxyz-";
    const char *at = strstr(path, folder);
    if (at == NULL)
        return NULL;
    at += strlen(folder);
    size_t len = strspn(at, digits);
    if (len > 0 && at[len] == '-')
        len += strspn(at + len, rest);
    return len > 0 && at[len] == '/' ? arena_strdup(a, at, len) : NULL;
}

/* The third number is the patch and two digits more. */
static const char *spell(unsigned major, unsigned minor, unsigned build, struct arena *a)
{
    return arena_printf(a, "%u.%u.%u", major, minor, build / 100);
}

/* "@(#)Version 10.0.1226.42308 @Commit"; without the patch that of a first release:
 * 11.0.26.53018. */
static const char *version_parse(struct bytes where, struct arena *a)
{
    static const char mark[] = "@(#)Version ";
    enum { LONGEST = 48 };
    unsigned major, minor, build;
    const unsigned char *at = bytes_find(where.data, where.size, mark, strlen(mark));
    if (at == NULL)
        return NULL;
    at += strlen(mark);
    char text[LONGEST] = "";
    size_t left = where.size - (size_t)(at - where.data);
    memcpy(text, at, left < LONGEST - 1 ? left : LONGEST - 1);
    if (sscanf(text, "%4u.%4u.%8u", &major, &minor, &build) != 3)
        return NULL;
    return build >= 10 ? spell(major, minor, build, a)
                       : arena_printf(a, "%u.%u", major, minor);
}

/* VS_FIXEDFILEINFO, which a library's resources hold: signature, version of the structure,
 * minor and major, revision and build. */
static const char *version_fixed(struct bytes where, struct arena *a)
{
    static const char mark[] = "\xBD\x04\xEF\xFE\x00\x00\x01";
    const unsigned char *at = bytes_find(where.data, where.size, mark, sizeof(mark));
    if (at == NULL || where.size - (size_t)(at - where.data) < 16)
        return NULL;
    return spell(le_u16(at + 10), le_u16(at + 8), le_u16(at + 14), a);
}

/* In the parts that are there of a library or program, which have some megabytes. */
static const char *version_in_memory(const struct process_image *image, const char *path,
                                     const char *(*parse)(struct bytes where,
                                                          struct arena *a),
                                     struct arena *a)
{
    enum { LARGEST = 1 << 28 };
    uint64_t looked = 0;
    for (size_t i = 0; i < image->mapping_count; i++) {
        const struct image_mapping *at = &image->mappings[i];
        if (strcmp(at->path, path) != 0)
            continue;
        looked += at->end - at->start;
        if (looked > LARGEST)
            return NULL;
        for (uint64_t next = at->start; next < at->end;) {
            struct bytes there =
                bytes_within(memory_from(&image->memory, next), 0, at->end - next);
            const char *found = there.size > 0 ? parse(there, a) : NULL;
            if (found != NULL)
                return found;
            if (there.size == 0)
                break;
            next += there.size;
        }
    }
    return NULL;
}

/* Returns "10.0.12", from the path of a shared framework, or the library's resources; NULL:
 * unknown. */
static const char *runtime_module_version(const struct runtime_module *m,
                                          const struct process_image *image,
                                          struct arena *a)
{
    const char *found = version_in_path(m->path, a);
    for (size_t i = 0; i < image->mapping_count && found == NULL && m->is_program; i++)
        found = version_in_path(image->mappings[i].path, a);
    /* The version of coreclr.dll in the list of modules; a program has its own. */
    const struct image_mapping *at = image_mapping_at(image, m->base);
    if (found == NULL && !m->is_program && at != NULL && at->version != 0)
        found = spell((unsigned)(at->version >> 48), (unsigned)(at->version >> 32 & 0xffff),
                      (unsigned)(at->version >> 16 & 0xffff), a);
    const struct image_file *file = image_file_at(image, m->base);
    if (found == NULL && file != NULL)
        found = version_parse(file->bytes, a);
    if (found == NULL)
        found = version_in_memory(image, m->path, version_parse, a);
    /* The version of the runtime's own library, which is installed with it: a dump without
     * code has its resources if a program includes its runtime and the file is missing
     * here. */
    for (size_t i = 0; i < image->mapping_count && found == NULL; i++) {
        const char *path = image->mappings[i].path;
        if (strcmp(path_file_name(path), "System.Private.CoreLib.dll") == 0)
            return version_in_memory(image, path, version_fixed, a);
    }
    return found;
}

/* --- the collector --------------------------------------------------------------- */

/* GcDacVars, the collector's data for debuggers, whose layout is versioned and only grows
 * (dotnet/runtime, src/coreclr/gc/gcinterface.dacvars.def). Offsets of pointers to
 * variables of the collector. */
enum {
    GC_VERSION = 0, /* two bytes: major, minor */
    GC_GENERATION_SIZE = 8,
    GC_GENERATION_COUNT = 16,
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

/* Returns the target of global number i of a table if it is GcDacVars; else 0. Version 1 is
 * .NET Core 3, 2 all later; a minor version adds members. */
static uint64_t gc_at(const struct memory *m, uint64_t table, unsigned i)
{
    enum { SMALLEST = 64, LARGEST = 4096, NEWEST_MAJOR = 9 };
    bool ok = true;
    uint64_t variable = memory_u64(m, table + i * UINT64_C(8), &ok);
    uint64_t at = ok ? memory_u64(m, variable, &ok) : 0;
    if (!ok)
        return 0;
    uint8_t major = memory_u8(m, at + GC_VERSION, &ok);
    uint64_t size = memory_u64(m, at + GC_GENERATION_SIZE, &ok),
             count = memory_u64(m, at + GC_GENERATION_COUNT, &ok);
    bool is_gc = ok && at % 8 == 0 && major > 0 && major <= NEWEST_MAJOR && size % 8 == 0 &&
                 size >= SMALLEST && size <= LARGEST && count == GC_GENERATIONS;
    return is_gc ? at : 0;
}

/* Returns the only one of `count` globals at table with the pointer to GcDacVars, or 0,
 * also for several. Reads of the others are not recorded (memory.h). */
static uint64_t gc_globals_find(const struct memory *m, uint64_t table, unsigned count)
{
    bool before = memory_look_away(m, true), is_only = true;
    unsigned place = count;
    uint64_t found = 0;
    for (unsigned i = 0; i < count && is_only; i++) {
        uint64_t at = gc_at(m, table, i);
        if (at == 0 || at == found)
            continue;
        is_only = found == 0;
        found = at;
        place = i;
    }
    memory_look_away(m, before);
    return is_only && found != 0 ? gc_at(m, table, place) : 0;
}

uint64_t gc_count_address(const struct memory *m, uint64_t gc)
{
    return gc != 0 ? memory_u64(m, gc + GC_INVALID_COUNT, NULL) : 0;
}

bool gc_heap_is_valid(const struct runtime *r)
{
    bool ok = true;
    uint64_t at = gc_count_address(&r->image->memory, r->gc);
    return at != 0 && memory_u32(&r->image->memory, at, &ok) == 0 && ok;
}

/* --- heaps ----------------------------------------------------------------------- */

/* Positions in the offsets of a server heap's members (dac_gcheap_fields.h). */
enum {
    HEAP_ALLOC_ALLOCATED = 0,
    HEAP_EPHEMERAL_SEGMENT = 1,
    HEAP_FINALIZE_QUEUE = 2,
    HEAP_GENERATION_TABLE = 18
};

/* The runtime allows no more processors (MAX_SUPPORTED_CPUS). */
enum { MAX_HEAPS = 1024, MAX_MEMBER = 1 << 16 };

static uint64_t global(const struct runtime *r, unsigned at, bool *ok)
{
    return memory_u64(&r->image->memory, r->gc + at, ok);
}

/* Reads the variable at a global's address. */
static uint64_t value(const struct runtime *r, unsigned at, bool *ok)
{
    return memory_u64(&r->image->memory, global(r, at, ok), ok);
}

/* Reads number i of a table of offsets; members of the collector have limited offsets. */
static uint32_t offset(const struct runtime *r, unsigned table, unsigned i, bool *ok)
{
    uint32_t at = memory_u32(&r->image->memory, global(r, table, ok) + 4 * (uint64_t)i, ok);
    *ok = *ok && at < MAX_MEMBER;
    return *ok ? at : 0;
}

static void read_workstation(struct gc_globals *g, const struct runtime *r, struct arena *a,
                             bool *ok)
{
    g->parts = arena_array(a, struct gc_part, 1);
    g->part_count = 1;
    g->parts[0] = (struct gc_part){
        .generations = global(r, GC_GENERATION_TABLE, ok),
        .ephemeral_segment = value(r, GC_EPHEMERAL_SEGMENT, ok),
        .allocated = value(r, GC_ALLOC_ALLOCATED, ok),
        .finalizers = value(r, GC_FINALIZE_QUEUE, NULL),
    };
}

static void read_server(struct gc_globals *g, const struct runtime *r, uint32_t count,
                        struct arena *a, bool *ok)
{
    const struct memory *m = &r->image->memory;
    uint64_t heaps = value(r, GC_HEAPS, ok);
    uint32_t allocated = offset(r, GC_HEAP_OFFSETS, HEAP_ALLOC_ALLOCATED, ok),
             ephemeral = offset(r, GC_HEAP_OFFSETS, HEAP_EPHEMERAL_SEGMENT, ok),
             table = offset(r, GC_HEAP_OFFSETS, HEAP_GENERATION_TABLE, ok),
             queue = offset(r, GC_HEAP_OFFSETS, HEAP_FINALIZE_QUEUE, ok);
    g->parts = arena_array(a, struct gc_part, count);
    for (uint32_t i = 0; i < count && *ok; i++) {
        uint64_t heap = memory_u64(m, heaps + 8 * (uint64_t)i, ok);
        g->parts[g->part_count++] = (struct gc_part){
            .generations = heap + table,
            .ephemeral_segment = memory_u64(m, heap + ephemeral, ok),
            .allocated = memory_u64(m, heap + allocated, ok),
            .finalizers = memory_u64(m, heap + queue, NULL),
        };
    }
}

bool gc_globals_read(struct gc_globals *g, const struct runtime *r, struct arena *a,
                     struct hd_error *err)
{
    enum { KNOWN_MAJOR = 2, ALLOCATION = 0, START_SEGMENT, ALLOCATION_START };
    const struct memory *m = &r->image->memory;
    bool ok = r->gc != 0;
    *g = (struct gc_globals){.part_count = 0};
    uint8_t major = memory_u8(m, r->gc + GC_VERSION, &ok),
            minor = memory_u8(m, r->gc + GC_VERSION + 1, &ok);
    uint64_t generations = memory_u64(m, r->gc + GC_GENERATION_COUNT, &ok);
    bool is_known = !ok || (major == KNOWN_MAJOR && generations == GC_GENERATIONS);
    g->generation_size = global(r, GC_GENERATION_SIZE, &ok);
    g->allocation_at = offset(r, GC_GENERATION_OFFSETS, ALLOCATION, &ok);
    g->start_segment_at = offset(r, GC_GENERATION_OFFSETS, START_SEGMENT, &ok);
    /* -1 where there are regions. */
    g->has_segments = ok;
    g->allocation_start_at =
        offset(r, GC_GENERATION_OFFSETS, ALLOCATION_START, &g->has_segments);
    ok = ok && g->generation_size > 0 && g->generation_size < MAX_MEMBER;
    g->handle_map = global(r, GC_HANDLE_TABLE_MAP, &ok);
    /* Null pointers in a workstation collector. */
    bool is_server = ok;
    uint64_t count_at = global(r, GC_HEAP_COUNT, &is_server);
    uint32_t count = memory_u32(m, count_at, &is_server);
    if (ok && is_server && count > 0)
        read_server(g, r, count < MAX_HEAPS ? count : MAX_HEAPS, a, &ok);
    else if (ok)
        read_workstation(g, r, a, &ok);
    if (!is_known)
        return fail(err, HD_UNSUPPORTED,
                    "the garbage collector of this process (interface %u.%u) is unknown; "
                    "take a gcdump with `heapdrift collect -p PID`",
                    major, minor);
    return ok || fail(err, HD_UNSUPPORTED,
                      "the dump lacks the globals of the garbage collector; take one with "
                      "the heap: `createdump --withheap PID`");
}

/* --- MethodTables ---------------------------------------------------------------- */

static bool leads_back(const struct runtime *r, uint64_t address)
{
    const struct memory *m = &r->image->memory;
    bool ok = address % 8 == 0 && address != 0;
    uint64_t to = ok ? memory_u64(m, address + r->at.method_table_class_or_canon, &ok) : 0;
    if (to & 1) {
        address = to & ~UINT64_C(1);
        to = memory_u64(m, address + r->at.method_table_class_or_canon, &ok);
    }
    uint64_t back = ok ? memory_u64(m, to + r->at.ee_class_method_table, &ok) : 0;
    return ok && (back == address || runtime_is_continuation(r, address));
}

bool runtime_is_continuation(const struct runtime *r, uint64_t address)
{
    const struct memory *m = &r->image->memory;
    bool ok = r->continuation != 0 && r->continuation_class != 0 && address % 8 == 0;
    uint64_t class =
        ok ? memory_u64(m, address + r->at.method_table_class_or_canon, &ok) : 0,
             parent = ok ? memory_u64(m, address + r->at.method_table_parent, &ok) : 0;
    return ok && class == r->continuation_class && parent == r->continuation;
}

/* The argument may be any number: reads are recorded only if it is a MethodTable. */
bool runtime_is_method_table(const struct runtime *r, uint64_t address)
{
    const struct memory *m = &r->image->memory;
    if (m->watch == NULL)
        return leads_back(r, address);
    bool before = memory_look_away(m, true), found = leads_back(r, address);
    memory_look_away(m, before);
    return found && leads_back(r, address);
}

/* The type of free space is an array of bytes without a class. */
static bool is_free_type(const struct runtime *r, uint64_t address)
{
    enum { SIZE = 24, COMPONENT_MASK = 0xffff };
    static const uint32_t has_components = UINT32_C(1) << 31;
    const struct memory *m = &r->image->memory;
    bool ok = address != 0 && address % 8 == 0;
    uint32_t flags = memory_u32(m, address + r->at.method_table_flags, &ok);
    uint32_t size = memory_u32(m, address + r->at.method_table_base_size, &ok);
    return ok && size == SIZE && (flags & COMPONENT_MASK) == 1 &&
           (flags & has_components) != 0;
}

/* --- what describes it ----------------------------------------------------------- */

struct runtime_search {
    struct runtime *r;
    struct runtime_module module;
    const char *version;         /* from the module; NULL: unknown */
    struct elf_symbol dac_table; /* addresses of globals, filled in at start-up */
    struct descriptor d;
    uint64_t variables[GLOBALS]; /* addresses of the globals; 0: unknown */
    struct arena *a;
    struct hd_error *err;
};

static const struct memory *memory_in(const struct runtime_search *s)
{
    return &s->r->image->memory;
}

/* Reads the runtime's descriptor, a text and a list of pointers after "DNCCDAC\0"; and the
 * addresses of its globals. */
static bool add_own(struct runtime_search *s, const struct runtime_image *e)
{
    enum { SIZE = 12, TEXT = 16, COUNT = 24, POINTERS = 32, LARGEST = 1 << 20 };
    const struct memory *m = e->is_pe ? e->pe.memory : e->elf.memory;
    uint64_t at = runtime_image_symbol(e, "DotNetRuntimeContractDescriptor").address;
    const unsigned char *head = at != 0 ? memory_at(m, at, POINTERS + 8) : NULL;
    if (head == NULL || memcmp(head, "DNCCDAC", 8) != 0)
        return false;
    bool ok = true;
    uint32_t size = le_u32(head + SIZE), count = le_u32(head + COUNT);
    uint64_t pointers = runtime_image_pointer(e, at + POINTERS, &ok),
             text_at = runtime_image_pointer(e, at + TEXT, &ok);
    const void *text = ok && size <= LARGEST ? memory_at(m, text_at, size) : NULL;
    if (text == NULL || !descriptor_add(&s->d, text, size, s->err))
        return false;
    for (size_t i = 0; i < GLOBALS; i++) {
        ok = true;
        if (s->d.place[i] < count)
            s->variables[i] =
                runtime_image_pointer(e, pointers + (uint64_t)s->d.place[i] * 8, &ok);
        if (!ok)
            s->variables[i] = 0;
    }
    return true;
}

/* Globals by their position in g_dacTable. */
static void use_table(struct runtime_search *s, const struct runtime_table *t)
{
    descriptor_add_table(&s->d, t);
    for (size_t i = 0; i <= GLOBAL_FREE_OBJECT; i++)
        s->variables[i] = memory_u64(
            memory_in(s), s->dac_table.address + t->positions[i] * UINT64_C(8), NULL);
}

/* Uses the offsets of this major version; the runtime's descriptor has precedence. False:
 * no description, or err has a fault of the descriptor. */
static bool describe_offsets(struct runtime_search *s, const struct runtime_table *t)
{
    enum { USUALLY_UNUSED = 2 };
    struct runtime *r = s->r;
    descriptor_clear(&s->d);
    s->d.at.tls_offsets_unused = USUALLY_UNUSED;
    if (t != NULL)
        use_table(s, t);
    if (add_own(s, &s->module.in_memory))
        r->described_by = "its descriptor";
    else if (s->module.has_file && add_own(s, &s->module.in_file))
        r->described_by = "the descriptor in its file";
    else if (t != NULL)
        r->described_by = arena_printf(s->a, "the table of .NET %u", t->major);
    else
        return false;
    /* Next to the element type since .NET 9. */
    if (s->d.at.ee_class_padding == RUNTIME_NO_OFFSET)
        s->d.at.ee_class_padding = s->d.at.ee_class_element_type + 1;
    r->at = s->d.at;
    return s->err->status == HD_OK;
}

static bool read_globals(struct runtime_search *s)
{
    struct runtime *r = s->r;
    uint64_t *const to[GLOBALS] = {[GLOBAL_APP_DOMAIN] = &r->app_domain,
                                   [GLOBAL_THREAD_STORE] = &r->thread_store,
                                   [GLOBAL_FREE_OBJECT] = &r->free_object,
                                   [GLOBAL_CONTINUATION] = &r->continuation,
                                   [GLOBAL_CONTINUATION_CLASS] = &r->continuation_class};
    for (size_t i = 0; i < GLOBALS; i++)
        *to[i] = s->variables[i] != 0 ? memory_u64(memory_in(s), s->variables[i], NULL) : 0;
    return is_free_type(r, r->free_object);
}

/* "core dump", in messages. */
static const char *kind_of(const struct runtime_search *s)
{
    return s->r->image->kind->name;
}

/* --- which version --------------------------------------------------------------- */

static unsigned major_of(const char *version)
{
    return (unsigned)strtoul(version, NULL, 10);
}

#define NOT_KNOWN                                                                       \
    ", which is unknown here and does not describe itself; a newer heapdrift may read " \
    "it" TAKE_GCDUMP

bool runtime_is_too_old(const char *version)
{
    return major_of(version) < RUNTIME_OLDEST;
}

bool runtime_is_of_others(const char *version, const struct processor *p)
{
    unsigned major = major_of(version);
    return p != NULL && runtime_table_of(major, p) == NULL &&
           runtime_table_of(major, processor_of(MACHINE_X86_64)) != NULL;
}

bool runtime_refuse_layout(const struct runtime *r, const char *structure,
                           struct hd_error *err)
{
    bool is_one = structure != NULL;
    return fail(err, HD_UNSUPPORTED,
                "the memory layout of this .NET %s differs from %s%s%s%s" TAKE_GCDUMP,
                r->version, r->described_by, is_one ? " (" : "", is_one ? structure : "",
                is_one ? ")" : "");
}

static bool describe_version(struct runtime_search *s, const char *version)
{
    struct runtime *r = s->r;
    const struct processor *p = r->image->processor;
    r->major = major_of(version);
    r->version = version;
    if (runtime_is_too_old(version))
        return fail(s->err, HD_UNSUPPORTED,
                    "a %s of .NET %s; heapdrift reads those of " RUNTIME_OLDEST_READ
                    " or later" TAKE_GCDUMP,
                    kind_of(s), version);
    if (runtime_is_of_others(version, p))
        return fail(s->err, HD_UNSUPPORTED,
                    "a %s of .NET %s on %s; only later versions can be read "
                    "there" TAKE_GCDUMP,
                    kind_of(s), version, p->name);
    if (!describe_offsets(s, runtime_table_of(r->major, p)))
        return fail(s->err, HD_UNSUPPORTED, "a %s of .NET %s" NOT_KNOWN, kind_of(s),
                    version);
    const char *lacks = descriptor_lacks(&s->d, s->a);
    if (lacks != NULL)
        return fail(s->err, HD_UNSUPPORTED,
                    "a %s of .NET %s without the location of %s; a newer heapdrift may "
                    "read it" TAKE_GCDUMP,
                    kind_of(s), version, lacks);
    return read_globals(s) || runtime_refuse_layout(r, NULL, s->err);
}

/* Without a version, tries all tables: a wrong one does not have the type of free space at
 * its place. The match is read again, recorded. */
static unsigned guess_major(struct runtime_search *s)
{
    bool before = memory_look_away(memory_in(s), true), found = false;
    const struct runtime_table *t = NULL;
    for (size_t i = 0; !found && (t = runtime_table_at(i, s->r->image->processor)) != NULL;
         i++) {
        descriptor_clear(&s->d);
        use_table(s, t);
        s->r->at = s->d.at;
        found = read_globals(s);
    }
    memory_look_away(memory_in(s), before);
    return found ? t->major : 0;
}

/* Unknown versions that describe themselves. */
#define NEWER "11 or later"

static bool find_description(struct runtime_search *s)
{
    if (s->version != NULL)
        return describe_version(s, s->version);
    unsigned major = guess_major(s);
    if (major != 0)
        return describe_version(s, arena_printf(s->a, "%u", major));
    if (describe_offsets(s, NULL))
        return describe_version(s, NEWER);
    return fail(s->err, HD_UNSUPPORTED, "a %s of a .NET version" NOT_KNOWN, kind_of(s));
}

/* --- the runtime ----------------------------------------------------------------- */

/* The memory with .NET's heap data is missing. */
static bool refuse_small(struct runtime_search *s)
{
    const struct process_image *image = s->r->image;
    if (image->lost > 0)
        return fail_at_byte(s->err, image->cut_at,
                            "the %s is truncated: %" PRIu64
                            " bytes of memory are missing, including .NET's heap data",
                            kind_of(s), image->lost);
    return fail(s->err, HD_UNSUPPORTED, "a %s %s%s", kind_of(s), image->kind->lacks_heap,
                image->kind->take_heap);
}

/* Reports what the program has instead of .NET. */
static bool refuse_program(struct runtime_search *s)
{
    const struct process_image *image = s->r->image;
    if (image->mapping_count == 0)
        return fail(s->err, HD_UNSUPPORTED,
                    "a %s without a list of mapped files, so .NET cannot be found in it%s",
                    kind_of(s), image->kind->take_heap);
    if (runtime_module_is_framework(image))
        return fail(s->err, HD_UNSUPPORTED,
                    "a %s of .NET Framework; heapdrift reads those of .NET: take a gcdump "
                    "with PerfView (Memory, Take Heap Snapshot from Dump)",
                    kind_of(s));
    return fail(s->err, HD_UNSUPPORTED, "a %s of a program without .NET", kind_of(s));
}

/* A kernel core has only the first page of an unmodified library, so its symbols are lost
 * if the file was replaced. */
static bool refuse_module(struct runtime_search *s)
{
    const struct runtime_module *m = &s->module;
    bool may_have_file = s->r->image->processor->machine != MACHINE_WINDOWS;
    if (!m->is_program && may_have_file && s->r->image->lost == 0)
        return fail(s->err, HD_UNSUPPORTED,
                    "the symbols of libcoreclr.so are not in the core dump, and the file "
                    "itself is missing or has changed; put it where it was, or take a dump "
                    "with `createdump --withheap PID`");
    if (runtime_module_is_native(m))
        return fail(s->err, HD_UNSUPPORTED,
                    "a %s of a native AOT program; only programs running on the "
                    ".NET runtime can be read",
                    kind_of(s));
    return m->is_program ? refuse_program(s) : refuse_small(s);
}

static bool find_module(struct runtime_search *s)
{
    const struct process_image *image = s->r->image;
    /* Windows runs it with 64-bit libraries, too. */
    if (has_library(image, "wow64.dll") && !runtime_module_is_framework(image))
        return fail(s->err, HD_UNSUPPORTED,
                    "a %s of a 32-bit process; only those of 64 bits can be "
                    "read" TAKE_GCDUMP,
                    kind_of(s));
    if (!runtime_module_find(&s->module, s->r->image, s->a))
        return refuse_program(s);
    s->r->base = s->module.base;
    s->version = s->r->image->redaction.is_redacted
                     ? s->r->image->redaction.runtime
                     : runtime_module_version(&s->module, s->r->image, s->a);
    s->dac_table = runtime_module_symbol(&s->module, "g_dacTable");
    return s->dac_table.address != 0 || refuse_module(s);
}

/* Number of generations with a first object, and with a typed first object; one such
 * type. */
struct first_objects {
    size_t there, typed;
    uint64_t type;
};

static struct first_objects look_at_objects(const struct runtime_search *s)
{
    enum { ALLOCATED = 0, MEMORY = 32 };
    const struct memory *m = memory_in(s);
    struct first_objects f = {0};
    struct gc_globals g;
    gc_globals_read(&g, s->r, s->a, NULL);
    for (size_t i = 0; i < g.part_count * GC_GENERATIONS; i++) {
        bool ok = true;
        uint64_t table = g.parts[i / GC_GENERATIONS].generations +
                         i % GC_GENERATIONS * g.generation_size;
        uint64_t segment = memory_u64(m, table + g.start_segment_at, &ok);
        uint64_t object = ok ? memory_u64(m, segment + MEMORY, &ok) : 0;
        uint64_t end = ok ? memory_u64(m, segment + ALLOCATED, &ok) : 0;
        uint64_t type = ok && end > object ? memory_u64(m, object, &ok) & ~UINT64_C(7) : 0;
        if (!ok || end <= object)
            continue;
        bool is_type = runtime_is_method_table(s->r, type);
        f.there++;
        f.typed += is_type || type == s->r->free_object;
        f.type = is_type ? type : f.type;
    }
    return f;
}

/* A newer one than those with a table may keep its collector elsewhere. */
static bool find_heap(struct runtime_search *s)
{
    enum { MAX_GLOBALS = 1024 };
    uint64_t count = s->dac_table.size / 8;
    bool is_newer =
        s->version != NULL && major_of(s->version) >= RUNTIME_OLDEST &&
        runtime_table_of(major_of(s->version), processor_of(MACHINE_X86_64)) == NULL;
    s->r->gc = gc_globals_find(memory_in(s), s->dac_table.address,
                               count < MAX_GLOBALS ? (unsigned)count : MAX_GLOBALS);
    if (s->r->gc == 0 && is_newer)
        return fail(s->err, HD_UNSUPPORTED,
                    "a %s of .NET %s without its garbage collector: a mini or "
                    "triage dump, or a version that keeps it elsewhere; a newer heapdrift "
                    "may read it" TAKE_GCDUMP,
                    kind_of(s), s->version);
    return (s->r->gc != 0 && look_at_objects(s).there > 0) || refuse_small(s);
}

bool runtime_find(struct runtime *r, const struct process_image *image, struct arena *a,
                  struct hd_error *err)
{
    struct hd_error why = {0};
    struct runtime_search s = {.r = r, .a = a, .err = &why};
    *r = (struct runtime){.image = image};
    bool ok = find_module(&s) && find_heap(&s) && find_description(&s);
    if (ok) {
        /* Offsets of another version are detected immediately. */
        struct first_objects f = look_at_objects(&s);
        const char *misfit = f.typed > 0 ? runtime_misfit(r, f.type) : NULL;
        ok = (f.typed > 0 && misfit == NULL) || runtime_refuse_layout(r, misfit, &why);
    }
    if (!ok && err != NULL && err->status == HD_OK)
        *err = why;
    return ok;
}

/* --- a process that runs --------------------------------------------------------- */

uint64_t clr_heap_count_address(const struct clr_process *p, struct arena *a,
                                struct hd_error *err)
{
    enum { MAX_GLOBALS = 256 }; /* that are asked; .NET 8 has 157, which is most */
    const struct process_image image = {.processor = processor_here(),
                                        .kind = &core_kind,
                                        .program_headers = p->program_headers,
                                        .mappings = p->mappings,
                                        .mapping_count = p->mapping_count,
                                        .memory = memory_of(p->pieces, p->piece_count, a)};
    struct runtime_module module;
    bool found = runtime_module_find(&module, &image, a);
    uint64_t table = found ? runtime_module_symbol(&module, "g_dacTable").address : 0;
    if (found && module.is_program && runtime_module_is_native(&module))
        return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                          "a native AOT program, whose memory cannot be read");
    if (table == 0)
        return fail(
            err, HD_UNSUPPORTED,
            "the process has no .NET runtime whose memory can be read: " RUNTIME_OLDEST_READ
            " or later");
    const struct processor *of = module.in_memory.elf.processor;
    if (of != NULL && of != image.processor)
        return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                          "a program for %s, which is emulated here", of->name);
    const char *version = runtime_module_version(&module, &image, a);
    if (version != NULL && runtime_is_too_old(version))
        return fail_about(
            err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
            "its runtime is .NET %s; reading its memory needs " RUNTIME_OLDEST_READ
            " or later",
            version);
    if (version != NULL && runtime_is_of_others(version, image.processor))
        return fail_about(
            err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
            "its runtime is .NET %s; reading its memory on %s needs a later version",
            version, image.processor->name);
    uint64_t gc = gc_globals_find(&image.memory, table, MAX_GLOBALS),
             at = gc_count_address(&image.memory, gc);
    if (at == 0)
        fail(err, HD_UNSUPPORTED,
             "the runtime has no description of its heap: it has just started, or its "
             "version is unknown to this heapdrift");
    return at;
}
