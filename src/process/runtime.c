#include "process/runtime.h"

#include "base/error.h"
#include "process/memory.h"
#include "process/runtime_check.h"
#include "process/runtime_layout.h"
#include "process/runtime_module.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- the collector ------------------------------------------------------------- */

/* Version 1 is .NET Core 3, 2 all since; a minor is a few more members. */
static bool is_gc(const struct memory *m, uint64_t at)
{
    enum { GENERATIONS = 5, SMALLEST = 64, LARGEST = 4096, NEWEST_MAJOR = 9 };
    bool ok = true;
    uint8_t major = memory_u8(m, at + GC_VERSION, &ok);
    uint64_t size = memory_u64(m, at + GC_GENERATION_SIZE, &ok);
    uint64_t count = memory_u64(m, at + GC_GENERATION_COUNT, &ok);
    return ok && at % 8 == 0 && major > 0 && major <= NEWEST_MAJOR && size % 8 == 0 &&
           size >= SMALLEST && size <= LARGEST && count == GENERATIONS;
}

/* What global number i of a table points to, if that is it; else 0. */
static uint64_t gc_at(const struct memory *m, uint64_t table, unsigned i)
{
    bool ok = true;
    uint64_t variable = memory_u64(m, table + i * UINT64_C(8), &ok);
    uint64_t at = ok ? memory_u64(m, variable, &ok) : 0;
    return ok && is_gc(m, at) ? at : 0;
}

/* The other globals are nobody's business (memory.h). */
uint64_t runtime_gc_find(const struct memory *m, uint64_t table, unsigned count)
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

/* --- the first objects --------------------------------------------------------- */

static uint64_t pointer(const struct runtime *r, uint64_t at, bool *ok)
{
    return *ok ? memory_u64(&r->image->memory, at, ok) : 0;
}

/* gc_heap_field_offsets[18]: where a heap of its own has its generations. */
static uint64_t generation_table(const struct runtime *r, uint64_t heap, bool *ok)
{
    enum { GENERATION_TABLE = 18 * 4 };
    if (heap == 0)
        return pointer(r, r->gc + GC_GENERATION_TABLE, ok);
    uint64_t offsets = pointer(r, r->gc + GC_HEAP_OFFSETS, ok);
    int32_t offset = (int32_t)memory_u32(&r->image->memory, offsets + GENERATION_TABLE, ok);
    return heap + (uint64_t)(int64_t)offset;
}

static bool read_heap(const struct runtime *r, uint64_t heap,
                      bool (*take)(void *context, uint64_t object), void *context)
{
    enum { ALLOCATED = 0, MEMORY = 32 };
    bool ok = true;
    uint64_t table = generation_table(r, heap, &ok);
    uint64_t size = pointer(r, r->gc + GC_GENERATION_SIZE, &ok);
    uint64_t count = pointer(r, r->gc + GC_GENERATION_COUNT, &ok);
    uint64_t offsets = pointer(r, r->gc + GC_GENERATION_OFFSETS, &ok);
    uint32_t start = memory_u32(&r->image->memory, offsets + 4, &ok);
    for (uint64_t i = 0; i < count && ok; i++) {
        bool has = true;
        uint64_t segment = pointer(r, table + i * size + start, &has);
        uint64_t object = pointer(r, segment + MEMORY, &has);
        uint64_t allocated = pointer(r, segment + ALLOCATED, &has);
        if (!has || allocated <= object)
            continue;
        if (!take(context, object))
            return false;
    }
    return true;
}

/* Calls take for the first object of every generation that has one, of at most 64 heaps;
 * false, and ends, when take does. True if there was none. */
static bool runtime_gc_first_objects(const struct runtime *r,
                                     bool (*take)(void *context, uint64_t object),
                                     void *context)
{
    enum { MOST_HEAPS = 64 };
    bool ok = true;
    const struct memory *m = &r->image->memory;
    uint64_t heaps_at = pointer(r, r->gc + GC_HEAPS, &ok);
    if (!ok || heaps_at == 0) /* a workstation collector leaves these empty */
        return read_heap(r, 0, take, context);
    uint64_t count_at = pointer(r, r->gc + GC_HEAP_COUNT, &ok);
    uint32_t count = memory_u32(m, count_at, &ok);
    uint64_t heaps = pointer(r, heaps_at, &ok);
    for (uint32_t i = 0; i < count && i < MOST_HEAPS && ok; i++) {
        uint64_t heap = pointer(r, heaps + i * UINT64_C(8), &ok);
        if (ok && heap != 0 && !read_heap(r, heap, take, context))
            return false;
    }
    return true;
}

/* --- may it be walked? --------------------------------------------------------- */

uint64_t runtime_heap_count_address(const struct runtime *r)
{
    bool ok = r->gc != 0;
    return pointer(r, r->gc + GC_INVALID_COUNT, &ok);
}

bool runtime_heap_is_valid(const struct runtime *r)
{
    bool ok = true;
    uint64_t at = runtime_heap_count_address(r);
    return at != 0 && memory_u32(&r->image->memory, at, &ok) == 0 && ok;
}

/* --- runtime ------------------------------------------------------------------- */

enum { TLS_OFFSETS_UNUSED = 2 };

/* --- MethodTables -------------------------------------------------------------- */

static bool leads_back(const struct runtime *r, uint64_t address)
{
    const struct memory *m = &r->image->memory;
    bool ok = address % 8 == 0 && address != 0;
    uint64_t to = ok ? memory_u64(m, address + r->at.method_table.class_or_canon, &ok) : 0;
    if (to & 1) {
        address = to & ~UINT64_C(1);
        to = memory_u64(m, address + r->at.method_table.class_or_canon, &ok);
    }
    uint64_t back = ok ? memory_u64(m, to + r->at.ee_class.method_table, &ok) : 0;
    return ok && (back == address || runtime_is_continuation(r, address));
}

bool runtime_is_continuation(const struct runtime *r, uint64_t address)
{
    const struct memory *m = &r->image->memory;
    bool ok = r->continuation != 0 && r->continuation_class != 0 && address % 8 == 0;
    uint64_t class =
        ok ? memory_u64(m, address + r->at.method_table.class_or_canon, &ok) : 0,
             parent = ok ? memory_u64(m, address + r->at.method_table.parent, &ok) : 0;
    return ok && class == r->continuation_class && parent == r->continuation;
}

/* What it is asked of may be any number: only what is one is looked at for good. */
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
    uint32_t flags = memory_u32(m, address + r->at.method_table.flags, &ok);
    uint32_t size = memory_u32(m, address + r->at.method_table.base_size, &ok);
    return ok && size == SIZE && (flags & COMPONENT_MASK) == 1 &&
           (flags & has_components) != 0;
}

/* --- what describes it --------------------------------------------------------- */

struct search {
    struct runtime *r;
    struct runtime_module module;
    const char *version;         /* told by the module; NULL: not */
    struct elf_symbol dac_table; /* addresses of globals, filled in when it starts */
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

static bool read_own(const struct runtime_image *e, uint64_t at, struct own_descriptor *own)
{
    enum { SIZE = 12, TEXT = 16, COUNT = 24, POINTERS = 32, LARGEST = 1 << 20 };
    bool ok = at != 0;
    const struct memory *m = runtime_image_memory(e);
    const unsigned char *head = ok ? memory_at(m, at, POINTERS + 8) : NULL;
    if (head == NULL || memcmp(head, "DNCCDAC", 8) != 0)
        return false;
    own->size = le_u32(head + SIZE);
    own->count = le_u32(head + COUNT);
    own->pointers = runtime_image_pointer(e, at + POINTERS, &ok);
    uint64_t text = runtime_image_pointer(e, at + TEXT, &ok);
    if (!ok || own->size > LARGEST)
        return false;
    own->text = (const char *)memory_at(m, text, own->size);
    return own->text != NULL;
}

/* What a runtime says of itself; and where its globals are. */
static bool add_own(struct search *s, const struct runtime_image *e)
{
    struct own_descriptor own;
    const char *name = "DotNetRuntimeContractDescriptor";
    if (!read_own(e, runtime_image_symbol(e, name).address, &own) ||
        !descriptor_add(&s->d, own.text, own.size, s->err))
        return false;
    for (size_t i = 0; i < GLOBALS; i++) {
        bool ok = true;
        uint64_t at = own.pointers + (uint64_t)s->d.place[i] * 8;
        if (s->d.place[i] < own.count)
            s->variables[i] = runtime_image_pointer(e, at, &ok);
        if (!ok)
            s->variables[i] = 0;
    }
    return true;
}

/* The address of a global by its position in g_dacTable. */
static uint64_t position(const struct search *s, unsigned n)
{
    bool ok = true;
    return memory_u64(memory_in(s), s->dac_table.address + n * UINT64_C(8), &ok);
}

static void add_table(struct search *s, const struct runtime_table *t)
{
    descriptor_add_table(&s->d, t);
    for (size_t i = 0; i <= GLOBAL_FREE_OBJECT; i++)
        s->variables[i] = position(s, t->positions[i]);
}

/* Offsets of this major version; what the runtime says of itself counts more. False:
 * nothing describes it, or err says what is wrong with its own words. */
static bool describe(struct search *s, const struct runtime_table *t)
{
    struct runtime *r = s->r;
    descriptor_clear(&s->d);
    s->d.at.tls_offsets_unused = TLS_OFFSETS_UNUSED;
    if (t != NULL)
        add_table(s, t);
    if (add_own(s, &s->module.in_memory))
        r->described_by = "its descriptor";
    else if (s->module.has_file && add_own(s, &s->module.in_file))
        r->described_by = "the descriptor in its file";
    else if (t != NULL)
        r->described_by = arena_printf(s->a, "the table of .NET %u", t->major);
    else
        return false;
    /* Next to the element type since .NET 9. */
    if (s->d.at.ee_class.padding == RUNTIME_NO_OFFSET)
        s->d.at.ee_class.padding = s->d.at.ee_class.element_type + 1;
    r->at = s->d.at;
    return s->err->status == HD_OK;
}

static bool read_globals(struct search *s)
{
    struct runtime *r = s->r;
    uint64_t *const to[GLOBALS] = {[GLOBAL_APP_DOMAIN] = &r->app_domain,
                                   [GLOBAL_THREAD_STORE] = &r->thread_store,
                                   [GLOBAL_FREE_OBJECT] = &r->free_object,
                                   [GLOBAL_CONTINUATION] = &r->continuation,
                                   [GLOBAL_CONTINUATION_CLASS] = &r->continuation_class};
    for (size_t i = 0; i < GLOBALS; i++) {
        bool ok = s->variables[i] != 0;
        *to[i] = ok ? memory_u64(memory_in(s), s->variables[i], &ok) : 0;
    }
    return is_free_type(r, r->free_object);
}

/* "core dump", in messages. */
static const char *kind_of(const struct search *s)
{
    return s->r->image->kind->name;
}

/* --- which version ------------------------------------------------------------- */

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

static bool refuse_version(struct search *s, const char *version)
{
    const struct processor *p = s->r->image->processor;
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
    return fail(s->err, HD_UNSUPPORTED, "a %s of .NET %s" NOT_KNOWN, kind_of(s), version);
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

static bool describe_version(struct search *s, const char *version)
{
    struct runtime *r = s->r;
    r->major = major_of(version);
    r->version = version;
    if (runtime_is_too_old(version) ||
        runtime_is_of_others(version, s->r->image->processor) ||
        !describe(s, runtime_table_of(r->major, s->r->image->processor)))
        return refuse_version(s, version);
    const char *lacks = descriptor_lacks(&s->d, s->a);
    if (lacks != NULL)
        return fail(s->err, HD_UNSUPPORTED,
                    "a %s of .NET %s, which does not say where %s is; a newer "
                    "heapdrift may read it" TAKE_GCDUMP,
                    kind_of(s), version, lacks);
    return read_globals(s) || runtime_refuse_layout(r, NULL, s->err);
}

/* Without a version by what fits: a wrong table has something else than the type of free
 * space at its place, whose members have not moved since .NET 8. */
static unsigned guess_major(struct search *s)
{
    const struct runtime_table *t;
    for (size_t i = 0; (t = runtime_table_at(i, s->r->image->processor)) != NULL; i++) {
        descriptor_clear(&s->d);
        add_table(s, t);
        s->r->at = s->d.at;
        if (read_globals(s))
            return t->major;
    }
    return 0;
}

/* Of those that are unknown the ones that describe themselves. */
#define NEWER "11 or later"

static bool describe_unknown(struct search *s)
{
    /* What fits is read again, for good. */
    bool before = memory_look_away(memory_in(s), true);
    unsigned major = guess_major(s);
    memory_look_away(memory_in(s), before);
    if (major != 0)
        return describe_version(s, arena_printf(s->a, "%u", major));
    if (describe(s, NULL))
        return describe_version(s, NEWER);
    return fail(s->err, HD_UNSUPPORTED, "a %s of a .NET version" NOT_KNOWN, kind_of(s));
}

/* --- the runtime --------------------------------------------------------------- */

/* What .NET keeps of its heap cannot be read. */
static bool refuse_small(struct search *s)
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

/* What the program has instead. */
static bool refuse_program(struct search *s)
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

/* A kernel core has no page of a library that nobody wrote to but the first, and where the
 * file is another one by now its symbols are lost. */
static bool refuse_module(struct search *s)
{
    const struct runtime_module *m = &s->module;
    bool may_have_file = s->r->image->processor->machine != MACHINE_WINDOWS;
    if (!m->is_program && may_have_file && s->r->image->lost == 0)
        return fail(s->err, HD_UNSUPPORTED,
                    "the symbols of libcoreclr.so are not in the core dump, and the file "
                    "itself is missing or has changed; put it where it was, or take a dump "
                    "with `createdump --withheap PID`");
    if (runtime_module_symbol(m, "DotNetRuntimeDebugHeader").address != 0)
        return fail(s->err, HD_UNSUPPORTED,
                    "a %s of a native AOT program; only programs running on the "
                    ".NET runtime can be read",
                    kind_of(s));
    return m->is_program ? refuse_program(s) : refuse_small(s);
}

static bool find_module(struct search *s)
{
    const struct process_image *image = s->r->image;
    if (runtime_module_is_32_bit(image) && !runtime_module_is_framework(image))
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

struct first_objects {
    const struct runtime *r;
    size_t there, typed;
    uint64_t type; /* of one of them */
};

static bool look_at(void *context, uint64_t object)
{
    struct first_objects *f = context;
    bool ok = true;
    uint64_t type = memory_u64(&f->r->image->memory, object, &ok) & ~UINT64_C(7);
    bool is_type = ok && runtime_is_method_table(f->r, type);
    f->there += ok;
    f->typed += is_type || (ok && type == f->r->free_object);
    f->type = is_type ? type : f->type;
    return true;
}

static bool is_newer(const struct search *s)
{
    return s->version != NULL && major_of(s->version) >= RUNTIME_OLDEST &&
           runtime_table_of(major_of(s->version), processor_of(MACHINE_X86_64)) == NULL;
}

static bool find_heap(struct search *s)
{
    enum { MOST_GLOBALS = 1024 };
    struct first_objects f = {.r = s->r};
    uint64_t count = s->dac_table.size / 8;
    s->r->gc = runtime_gc_find(memory_in(s), s->dac_table.address,
                               count < MOST_GLOBALS ? (unsigned)count : MOST_GLOBALS);
    if (s->r->gc != 0)
        runtime_gc_first_objects(s->r, look_at, &f);
    else if (is_newer(s))
        return fail(s->err, HD_UNSUPPORTED,
                    "a %s of .NET %s without its garbage collector: a mini or "
                    "triage dump, or a version that keeps it elsewhere; a newer heapdrift "
                    "may read it" TAKE_GCDUMP,
                    kind_of(s), s->version);
    return f.there > 0 || refuse_small(s);
}

static bool find_description(struct search *s)
{
    return s->version == NULL ? describe_unknown(s) : describe_version(s, s->version);
}

/* Offsets of another version show at once. */
static bool check_heap(struct search *s)
{
    struct first_objects f = {.r = s->r};
    runtime_gc_first_objects(s->r, look_at, &f);
    const char *misfit = f.typed > 0 ? runtime_misfit(s->r, f.type) : NULL;
    return (f.typed > 0 && misfit == NULL) || runtime_refuse_layout(s->r, misfit, s->err);
}

bool runtime_find(struct runtime *r, const struct process_image *image, struct arena *a,
                  struct hd_error *err)
{
    struct hd_error why = {0};
    struct search s = {.r = r, .a = a, .err = &why};
    *r = (struct runtime){.image = image};
    bool ok = find_module(&s) && find_heap(&s) && find_description(&s) && check_heap(&s);
    if (!ok && err != NULL && err->status == HD_OK)
        *err = why;
    return ok;
}
