#include "process/runtime_check.h"

#include <string.h>

/* Reads until something is missing: from then on nothing is known. */
struct look {
    const struct runtime *r;
    bool known;
};

static uint64_t look_at(struct look *l, uint64_t address)
{
    return l->known ? memory_u64(&l->r->image->memory, address, &l->known) : 0;
}

/* --- types --------------------------------------------------------------------- */

/* All of them end at System.Object. */
static bool parents_fit(const struct runtime *r, uint64_t type)
{
    enum { MOST_PARENTS = 128 };
    struct look l = {r, type != 0};
    for (int i = 0; i < MOST_PARENTS && l.known && type != 0; i++) {
        uint64_t parent = look_at(&l, type + r->at.method_table.parent);
        look_at(&l, parent + r->at.method_table.class_or_canon);
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
    uint64_t assembly = look_at(&l, module + r->at.module.assembly);
    if (l.known && assembly == 0)
        return false;
    uint64_t back = look_at(&l, assembly + r->at.assembly.module);
    if (l.known && back != module)
        return false;
    uint64_t local = look_at(&l, module + r->at.module.local_module);
    uint64_t told = look_at(&l, look_at(&l, local));
    return !l.known || told == assembly;
}

/* What was emitted has no image. */
static bool image_fits(const struct runtime *r, uint64_t module)
{
    struct look l = {r, module != 0};
    uint64_t pe = look_at(&l, module + r->at.module.pe_assembly);
    uint64_t image = look_at(&l, pe + r->at.pe.image);
    uint64_t layout = image != 0 ? look_at(&l, image + r->at.pe.loaded) : 0;
    uint64_t base = layout != 0 ? look_at(&l, layout + r->at.pe.base) : 0;
    const unsigned char *at =
        l.known && base != 0 ? memory_at(&r->image->memory, base, 2) : NULL;
    return at == NULL || memcmp(at, "MZ", 2) == 0;
}

/* The first of the list. */
static uint64_t first_module(const struct runtime *r)
{
    struct look l = {r, r->app_domain != 0};
    uint64_t block =
        r->app_domain + r->at.app_domain.assembly_list + r->at.array_list.first_block;
    uint64_t item = look_at(&l, block + r->at.array_list_block.items);
    uint64_t module = look_at(&l, look_at(&l, item) + r->at.assembly.module);
    return l.known ? module : 0;
}

/* --- threads ------------------------------------------------------------------- */

/* Its allocation context, and its statics by module. */
static bool thread_fits(const struct runtime *r, uint64_t thread)
{
    struct look l = {r, true};
    uint64_t context = thread + r->at.thread.alloc_context;
    uint64_t pointer = look_at(&l, context + r->at.allocation.pointer);
    uint64_t limit = look_at(&l, context + r->at.allocation.limit);
    uint64_t block = thread + r->at.thread.local_block;
    uint64_t modules = look_at(&l, block + r->at.thread_local_block.modules);
    uint64_t count = look_at(&l, block + r->at.thread_local_block.count);
    return !l.known || (pointer <= limit && (modules == 0) == (count == 0));
}

/* As many as are counted; one may just have come or gone, and another be half changed. */
static const char *threads_misfit(const struct runtime *r)
{
    enum { MOST_THREADS = 1 << 16 };
    struct look l = {r, r->thread_store != 0};
    uint64_t count = (uint32_t)look_at(&l, r->thread_store + r->at.thread_store.count);
    uint64_t link = look_at(&l, r->thread_store + r->at.thread_store.first_link);
    uint64_t found = 0, fitting = 0;
    for (; l.known && link != 0 && found < MOST_THREADS; found++) {
        fitting += thread_fits(r, link - r->at.thread.link);
        link = look_at(&l, link);
    }
    if (l.known && (found > count + 1 || count > found + 1))
        return "ThreadStore";
    return l.known && found > 0 && fitting == 0 ? "Thread" : NULL;
}

/* --- all of them --------------------------------------------------------------- */

const char *runtime_misfit(const struct runtime *r, uint64_t type)
{
    struct look l = {r, type != 0};
    if (r->at.module.local_module == RUNTIME_NO_OFFSET)
        return NULL;
    if (!parents_fit(r, type))
        return "MethodTable";
    uint64_t of_type = look_at(&l, type + r->at.method_table.module);
    uint64_t listed = first_module(r);
    if (!module_fits(r, of_type))
        return "Module";
    if (!module_fits(r, listed))
        return "AppDomain";
    if (!image_fits(r, of_type) || !image_fits(r, listed))
        return "PEAssembly";
    return threads_misfit(r);
}
