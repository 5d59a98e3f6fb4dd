#include "clr/process/runtime.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

struct runtime_search {
    struct runtime *r;
    struct runtime_module module;
    const char *version;         /* told by the module; NULL: not */
    struct elf_symbol dac_table; /* addresses of globals, filled in when it starts */
    struct descriptor d;
    uint64_t variables[GLOBALS]; /* addresses of these globals; 0 unknown */
    struct arena *a;
    struct hd_error *err;
};

static const struct memory *memory_in(const struct runtime_search *s)
{
    return &s->r->image->memory;
}

/* What a runtime says of itself, a text and a list of pointers behind "DNCCDAC\0"; and
 * where its globals are. */
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
    for (size_t i = 0; i <= GLOBAL_FREE_OBJECT; i++) {
        bool ok = true;
        uint64_t at = s->dac_table.address + t->positions[i] * UINT64_C(8);
        s->variables[i] = memory_u64(memory_in(s), at, &ok);
    }
}

/* Offsets of this major version; what the runtime says of itself counts more. False:
 * nothing describes it, or err says what is wrong with its own words. */
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
    if (s->d.at.ee_class.padding == RUNTIME_NO_OFFSET)
        s->d.at.ee_class.padding = s->d.at.ee_class.element_type + 1;
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
    for (size_t i = 0; i < GLOBALS; i++) {
        bool ok = s->variables[i] != 0;
        *to[i] = ok ? memory_u64(memory_in(s), s->variables[i], &ok) : 0;
    }
    return is_free_type(r, r->free_object);
}

/* "core dump", in messages. */
static const char *kind_of(const struct runtime_search *s)
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

static bool refuse_version(struct runtime_search *s, const char *version)
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

static bool describe_version(struct runtime_search *s, const char *version)
{
    struct runtime *r = s->r;
    r->major = major_of(version);
    r->version = version;
    if (runtime_is_too_old(version) ||
        runtime_is_of_others(version, s->r->image->processor) ||
        !describe_offsets(s, runtime_table_of(r->major, s->r->image->processor)))
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
 * space at its place. What fits is read again, for good. */
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

/* Of those that are unknown the ones that describe themselves. */
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

/* --- the runtime --------------------------------------------------------------- */

/* What .NET keeps of its heap cannot be read. */
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

/* What the program has instead. */
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

/* A kernel core has no page of a library that nobody wrote to but the first, and where the
 * file is another one by now its symbols are lost. */
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

/* How many generations have a first object, and of how many it has a type; one of these. */
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

/* Offsets of another version show at once. */
static bool check_heap(struct runtime_search *s)
{
    struct first_objects f = look_at_objects(s);
    const char *misfit = f.typed > 0 ? runtime_misfit(s->r, f.type) : NULL;
    return (f.typed > 0 && misfit == NULL) || runtime_refuse_layout(s->r, misfit, s->err);
}

bool runtime_find(struct runtime *r, const struct process_image *image, struct arena *a,
                  struct hd_error *err)
{
    struct hd_error why = {0};
    struct runtime_search s = {.r = r, .a = a, .err = &why};
    *r = (struct runtime){.image = image};
    bool ok = find_module(&s) && find_heap(&s) && find_description(&s) && check_heap(&s);
    if (!ok && err != NULL && err->status == HD_OK)
        *err = why;
    return ok;
}
