/* Whether the offsets of a carried table are those of a process. */
#include "clr/process/runtime.h"

#include <string.h>

/* Reader that stops at missing memory: `known` is then false. */
struct look {
    const struct runtime *r;
    bool known;
};

static uint64_t peek(struct look *l, uint64_t address)
{
    return l->known ? memory_u64(&l->r->image->memory, address, &l->known) : 0;
}

/* True unless the target is missing: a complete dump has all memory that the runtime writes
 * to. */
static bool is_pointer(const struct look *l, uint64_t value)
{
    bool there = l->known && value != 0;
    if (there)
        memory_u64(&l->r->image->memory, value, &there);
    return there || value == 0 || !l->known;
}

/* --- types --------------------------------------------------------------------- */

/* True if the chain of parents ends at System.Object. */
static bool parents_fit(const struct runtime *r, uint64_t type)
{
    enum { MAX_PARENTS = 128 };
    struct look l = {r, type != 0};
    for (int i = 0; i < MAX_PARENTS && l.known && type != 0; i++) {
        uint64_t parent = peek(&l, type + r->at.method_table_parent);
        peek(&l, parent + r->at.method_table_class_or_canon);
        if (parent == 0 || (l.known && !runtime_is_method_table(r, parent)))
            return parent == 0;
        type = parent;
    }
    return !l.known || type == 0;
}

/* --- modules ------------------------------------------------------------------- */

/* Its Assembly leads back, and where its statics are begins with the DomainAssembly, which
 * begins with the Assembly. */
static bool module_fits(const struct runtime *r, uint64_t module)
{
    struct look l = {r, module != 0};
    uint64_t assembly = peek(&l, module + r->at.module_assembly);
    if (l.known && assembly == 0)
        return false;
    uint64_t back = peek(&l, assembly + r->at.assembly_module);
    if (l.known && back != module)
        return false;
    uint64_t local = peek(&l, module + r->at.module_local_module);
    uint64_t from_local = peek(&l, peek(&l, local));
    return !l.known || from_local == assembly;
}

/* One that has to be there, and leads somewhere; it takes the place of *at. */
static bool follow_pointer(struct look *l, uint64_t *at, uint32_t offset)
{
    *at = peek(l, *at + offset);
    return !l->known || (*at != 0 && is_pointer(l, *at));
}

/* That of the runtime's own library, which is never emitted. Where the dump lacks it there
 * is at least a file. */
static bool image_fits(const struct runtime *r, uint64_t module)
{
    struct look l = {r, module != 0};
    uint64_t at = module;
    if (!follow_pointer(&l, &at, r->at.module_pe_assembly) ||
        !follow_pointer(&l, &at, r->at.pe_image) ||
        !follow_pointer(&l, &at, r->at.pe_loaded))
        return false;
    uint64_t base = peek(&l, at + r->at.pe_base);
    const unsigned char *first = memory_at(&r->image->memory, base, 2);
    bool is_image = first != NULL ? memcmp(first, "MZ", 2) == 0
                                  : image_mapping_at(r->image, base) != NULL;
    return !l.known || is_image;
}

static uint64_t first_listed(const struct runtime *r, struct look *l)
{
    uint64_t block =
        r->app_domain + r->at.app_domain_assembly_list + r->at.array_list_first_block;
    uint64_t item = peek(l, block + r->at.array_list_block_items);
    uint64_t assembly = is_pointer(l, item) && item != 0 ? peek(l, item) : 0;
    return is_pointer(l, assembly) && assembly != 0
               ? peek(l, assembly + r->at.assembly_module)
               : 0;
}

uint64_t runtime_first_module(const struct runtime *r)
{
    struct look l = {r, r->app_domain != 0};
    uint64_t module = first_listed(r, &l);
    return l.known ? module : 0;
}

/* --- threads ------------------------------------------------------------------- */

/* Where a thread has statics of a module: an array, and a table. */
static bool local_fits(struct look *l, uint64_t local)
{
    const struct runtime *r = l->r;
    uint64_t handle = peek(l, local + r->at.thread_local_module_gc_statics);
    uint64_t classes = peek(l, local + r->at.thread_local_module_classes);
    if (!is_pointer(l, handle) || !is_pointer(l, classes))
        return false;
    uint64_t array = handle != 0 ? peek(l, handle) : 0;
    uint64_t type = array != 0 ? peek(l, array) & ~UINT64_C(7) : 0;
    return !l->known || type == 0 || runtime_is_method_table(r, type);
}

static bool statics_fit(const struct runtime *r, uint64_t block)
{
    enum { MAX_MODULES = 1 << 16 };
    struct look l = {r, true};
    uint64_t modules = peek(&l, block + r->at.thread_local_block_modules), local = 0;
    uint64_t count = peek(&l, block + r->at.thread_local_block_count);
    if (l.known && (count > MAX_MODULES || !is_pointer(&l, modules)))
        return false;
    for (uint64_t i = 0; l.known && modules != 0 && i < count && local == 0; i++)
        local = peek(&l, modules + 8 * i);
    return is_pointer(&l, local) && (local == 0 || local_fits(&l, local));
}

/* Compares the number of threads: one may have just been added or removed, and active
 * allocation contexts are half changed. */
static const char *threads_misfit(const struct runtime *r)
{
    enum { MAX_THREADS = 1 << 16, ALIGNMENT = 8, LARGEST = 64 << 20, MAX_ID = 1 << 22 };
    const uint64_t ended =
        0xBAADF00D; /* an id, too; others are at most the kernel's most */
    const struct runtime_layout *at = &r->at;
    struct look l = {r, r->thread_store != 0};
    uint64_t count = (uint32_t)peek(&l, r->thread_store + at->thread_store_count);
    uint64_t link = peek(&l, r->thread_store + at->thread_store_first_link);
    uint64_t found = 0, changing = 0;
    for (; l.known && link != 0 && found < MAX_THREADS; found++) {
        uint64_t thread = runtime_linked_thread(r, link);
        if (!is_pointer(&l, link))
            return "ThreadStore";
        struct look own = l;
        /* Each allocates in a piece of some kilobytes. */
        uint64_t context = thread + at->thread_alloc_context;
        uint64_t pointer = peek(&own, context + at->allocation_pointer);
        uint64_t limit = peek(&own, context + at->allocation_limit);
        changing += own.known && (pointer > limit || limit - pointer > LARGEST ||
                                  pointer % ALIGNMENT != 0 || limit % ALIGNMENT != 0);
        uint64_t id = peek(&own, thread + at->thread_os_id);
        if (!statics_fit(r, thread + at->thread_local_block) ||
            (id > MAX_ID && id != ended))
            return "Thread";
        link = peek(&l, thread + at->thread_link);
    }
    if (l.known && (found > count + 1 || count > found + 1))
        return "ThreadStore";
    return l.known && changing > found / 2 ? "Thread" : NULL;
}

/* --- complete check ---------------------------------------------------------------- */

const char *runtime_misfit(const struct runtime *r, uint64_t type)
{
    struct look l = {r, type != 0};
    if (!runtime_is_8(r) || r->image->lost > 0)
        return NULL;
    if (!parents_fit(r, type))
        return "MethodTable";
    uint64_t of_type = peek(&l, type + r->at.method_table_module);
    struct look list = {r, r->app_domain != 0};
    uint64_t listed = first_listed(r, &list);
    if (list.known && listed == 0)
        return "AppDomain";
    if (!module_fits(r, of_type))
        return "Module";
    if (!module_fits(r, listed))
        return "AppDomain";
    if (!image_fits(r, listed))
        return "PEAssembly";
    return threads_misfit(r);
}
