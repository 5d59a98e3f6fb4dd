#include "process/runtime.h"

#include "base/error.h"
#include "process/runtime_descriptor.h"
#include "process/runtime_gc.h"
#include "process/runtime_module.h"
#include "process/runtime_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TAKE_GCDUMP "; take a gcdump of the process, with `dotnet-gcdump collect -p PID`"
#define TAKE_HEAP "; take one with `createdump --withheap PID` or `dotnet-dump collect`"

enum { OLDEST = 9, TLS_OFFSETS_UNUSED = 2 };

/* --- MethodTables -------------------------------------------------------------------- */

bool runtime_is_method_table(const struct runtime *r, uint64_t address)
{
    const struct memory *m = &r->image->memory;
    bool ok = address % 8 == 0 && address != 0;
    uint64_t to = ok ? memory_u64(m, address + r->at.method_table.class_or_canon, &ok) : 0;
    if (to & 1) {
        address = to & ~UINT64_C(1);
        to = memory_u64(m, address + r->at.method_table.class_or_canon, &ok);
    }
    uint64_t back = ok ? memory_u64(m, to + r->at.ee_class.method_table, &ok) : 0;
    return ok && back == address;
}

/* The type of free space is an array of bytes without a class. */
static bool is_free_type(const struct runtime *r, uint64_t address)
{
    enum { SIZE = 24, COMPONENT_MASK = 0xffff };
    static const uint32_t has_components = UINT32_C(1) << 31;
    const struct memory *m = &r->image->memory;
    bool ok = address != 0 && address % 8 == 0;
    uint32_t flags = memory_u32(m, address + r->at.method_table.flags, &ok);
    uint32_t size = memory_u32(m, address + r->at.method_table.base_size, &ok);
    return ok && size == SIZE && (flags & COMPONENT_MASK) == 1 &&
           (flags & has_components) != 0;
}

/* --- what describes it --------------------------------------------------------------- */

struct search {
    struct runtime *r;
    struct runtime_module module;
    uint64_t dac_table;
    struct descriptor d;
    uint64_t variables[GLOBALS]; /* addresses of these globals; 0 unknown */
    struct arena *a;
    struct hd_error *err;
};

static const struct memory *memory_in(const struct search *s)
{
    return &s->r->image->memory;
}

/* The text and the list of pointers of a descriptor, which begins with "DNCCDAC\0". */
struct own_descriptor {
    const char *text;
    uint32_t size;
    uint64_t pointers;
    uint32_t count;
};

static bool read_own(const struct elf_image *e, uint64_t at, struct own_descriptor *own)
{
    enum { SIZE = 12, TEXT = 16, COUNT = 24, POINTERS = 32, LARGEST = 1 << 20 };
    bool ok = at != 0;
    const unsigned char *head = ok ? memory_at(e->memory, at, POINTERS + 8) : NULL;
    if (head == NULL || memcmp(head, "DNCCDAC", 8) != 0)
        return false;
    own->size = le_u32(head + SIZE);
    own->count = le_u32(head + COUNT);
    own->pointers = elf_pointer(e, at + POINTERS, &ok);
    uint64_t text = elf_pointer(e, at + TEXT, &ok);
    if (!ok || own->size > LARGEST)
        return false;
    own->text = (const char *)memory_at(e->memory, text, own->size);
    return own->text != NULL;
}

/* What a runtime says of itself; and where its globals are. */
static bool add_own(struct search *s, const struct elf_image *e)
{
    struct own_descriptor own;
    if (!read_own(e, elf_symbol(e, "DotNetRuntimeContractDescriptor"), &own) ||
        !descriptor_add(&s->d, own.text, own.size, s->err))
        return false;
    for (size_t i = 0; i < GLOBALS; i++) {
        bool ok = true;
        uint64_t at = own.pointers + (uint64_t)s->d.place[i] * 8;
        if (s->d.place[i] < own.count)
            s->variables[i] = elf_pointer(e, at, &ok);
        if (!ok)
            s->variables[i] = 0;
    }
    return true;
}

static void add_table(struct search *s, const struct runtime_table *t)
{
    const unsigned positions[GLOBALS] = {[GLOBAL_APP_DOMAIN] = t->app_domain,
                                         [GLOBAL_THREAD_STORE] = t->thread_store,
                                         [GLOBAL_FREE_OBJECT] = t->free_object};
    descriptor_add(&s->d, t->json, strlen(t->json), NULL);
    for (size_t i = 0; i < GLOBALS; i++) {
        bool ok = s->dac_table != 0;
        uint64_t at = s->dac_table + positions[i] * UINT64_C(8);
        s->variables[i] = ok ? memory_u64(memory_in(s), at, &ok) : 0;
    }
}

/* Offsets of this major version; what the runtime says of itself counts more. */
static bool describe(struct search *s, const struct runtime_table *t)
{
    struct runtime *r = s->r;
    descriptor_clear(&s->d);
    s->d.at.tls_offsets_unused = TLS_OFFSETS_UNUSED;
    if (t != NULL)
        add_table(s, t);
    struct hd_error before = *s->err;
    if (add_own(s, &s->module.in_memory))
        r->described_by = "its descriptor";
    else if (s->module.has_file && add_own(s, &s->module.in_file))
        r->described_by = "the descriptor in its file";
    else if (t != NULL)
        r->described_by = arena_printf(s->a, "the table of .NET %u", t->major);
    else
        return false;
    r->at = s->d.at;
    return s->err->status == before.status;
}

static bool take_globals(struct search *s)
{
    struct runtime *r = s->r;
    uint64_t *const to[GLOBALS] = {[GLOBAL_APP_DOMAIN] = &r->app_domain,
                                   [GLOBAL_THREAD_STORE] = &r->thread_store,
                                   [GLOBAL_FREE_OBJECT] = &r->free_object};
    for (size_t i = 0; i < GLOBALS; i++) {
        bool ok = s->variables[i] != 0;
        *to[i] = ok ? memory_u64(memory_in(s), s->variables[i], &ok) : 0;
    }
    return is_free_type(r, r->free_object);
}

/* --- which version ------------------------------------------------------------------- */

static unsigned major_of(const char *version)
{
    return (unsigned)strtoul(version, NULL, 10);
}

/* Without a version by what fits: a wrong table has another type than that of free space
 * at its place. */
static bool try_tables(struct search *s)
{
    struct runtime *r = s->r;
    for (size_t i = 0; i < runtime_table_count; i++) {
        if (!describe(s, &runtime_tables[i]) || !take_globals(s))
            continue;
        r->major = runtime_tables[i].major;
        r->version = arena_printf(s->a, "%u", r->major);
        return true;
    }
    return false;
}

static bool refuse_version(struct search *s, const char *version)
{
    unsigned major = major_of(version);
    if (major < OLDEST)
        return fail(s->err, HD_UNSUPPORTED,
                    "a core dump of .NET %s; those of .NET 9 and later can be "
                    "read" TAKE_GCDUMP,
                    version);
    return fail(s->err, HD_UNSUPPORTED,
                "a core dump of .NET %s, which this heapdrift does not know and which does "
                "not describe itself; a full dump (`createdump --full`) may" TAKE_GCDUMP,
                version);
}

static bool describe_version(struct search *s, const char *version)
{
    struct runtime *r = s->r;
    r->major = major_of(version);
    r->version = version;
    if (r->major < OLDEST || !describe(s, runtime_table_of(r->major))) {
        refuse_version(s, version);
        return false;
    }
    const char *lacks = descriptor_lacks(&s->d, s->a);
    if (lacks != NULL)
        return fail(s->err, HD_UNSUPPORTED,
                    "a core dump of .NET %s, which does not say where it keeps %s; a newer "
                    "heapdrift may read it" TAKE_GCDUMP,
                    version, lacks);
    return true;
}

/* --- the runtime --------------------------------------------------------------------- */

static bool refuse_small(struct search *s)
{
    const struct process_image *image = s->r->image;
    if (image->lost > 0)
        return fail_at_byte(
            s->err, image->cut_at,
            "the core dump is cut: %" PRIu64
            " bytes of memory are missing, what .NET keeps of its heap among "
            "them",
            image->lost);
    return fail(s->err, HD_UNSUPPORTED,
                "a core dump without the heap (a mini or triage dump)" TAKE_HEAP);
}

static bool find_module(struct search *s)
{
    const struct process_image *image = s->r->image;
    if (!runtime_module_find(&s->module, image, s->a))
        return fail(
            s->err, HD_UNSUPPORTED,
            image->mapping_count == 0
                ? "a core dump that does not list the files of its process, so .NET "
                  "cannot be found in it" TAKE_HEAP
                : "a core dump of a program without .NET");
    s->r->base = s->module.base;
    s->dac_table = runtime_module_symbol(&s->module, "g_dacTable");
    if (s->dac_table != 0)
        return true;
    if (!s->module.is_program)
        return refuse_small(s);
    return fail(s->err, HD_UNSUPPORTED,
                runtime_module_symbol(&s->module, "DotNetRuntimeDebugHeader") != 0
                    ? "a core dump of a native AOT program, whose heap cannot be "
                      "read" TAKE_GCDUMP
                    : "a core dump of a program without .NET");
}

static bool find_description(struct search *s)
{
    const char *version = runtime_module_version(&s->module, s->r->image, s->a);
    if (version == NULL ? try_tables(s) : describe_version(s, version) && take_globals(s))
        return true;
    return refuse_small(s);
}

struct first_objects {
    const struct runtime *r;
    size_t there, typed;
};

static bool look_at(void *context, uint64_t object)
{
    struct first_objects *f = context;
    bool ok = true;
    uint64_t type = memory_u64(&f->r->image->memory, object, &ok) & ~UINT64_C(7);
    f->there += ok;
    f->typed += ok && (type == f->r->free_object || runtime_is_method_table(f->r, type));
    return true;
}

/* A heap that is not in the dump, and offsets of another version, show at once. */
static bool check_heap(struct search *s)
{
    struct first_objects f = {.r = s->r};
    runtime_gc_first_objects(s->r, look_at, &f);
    if (f.there == 0)
        return refuse_small(s);
    return f.typed > 0 ||
           fail(s->err, HD_UNSUPPORTED,
                "the heap of this .NET %s is not laid out as %s has it" TAKE_GCDUMP,
                s->r->version, s->r->described_by);
}

bool runtime_find(struct runtime *r, const struct process_image *image, struct arena *a,
                  struct hd_error *err)
{
    enum { MOST_GLOBALS = 512 };
    struct hd_error why = {0};
    struct search s = {.r = r, .a = a, .err = &why};
    *r = (struct runtime){.image = image};
    bool ok = find_module(&s) && find_description(&s);
    if (ok) {
        const struct runtime_table *t = runtime_table_of(r->major);
        unsigned count = t != NULL ? t->count : MOST_GLOBALS;
        r->gc = runtime_gc_find(&image->memory, s.dac_table, count);
        ok = (r->gc != 0 || refuse_small(&s)) && check_heap(&s);
    }
    if (!ok && err != NULL && err->status == HD_OK)
        *err = why;
    return ok;
}
