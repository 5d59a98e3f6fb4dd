#include "clr/managed/core_check.h"

#include <inttypes.h>

/* Fewer are insufficient: a variable may be half written in a stopped process. */
enum { MIN_CASES = 8 };

static const struct runtime *runtime_of(const struct core_facts *f)
{
    return f->heap->runtime;
}

/* --- threads ------------------------------------------------------------------- */

enum {
    MAX_ID = 1 << 22,    /* the most that Linux gives */
    MAX_STACK = 1 << 30, /* bytes between a stack pointer and the end of its stack */
    NOT_STARTED = 0
};

/* Thread id that the runtime stores when the thread has ended. */
static const uint64_t ended = 0xBAADF00D;

/* Running threads of the runtime's list, identified in the dump by their ids, or by their
 * stacks if a debugger in another pid namespace wrote different ids. */
struct census {
    uint64_t running, by_id, with_stack, by_stack, impossible;
};

static struct census count_threads(const struct core_facts *f)
{
    const struct process_image *p = runtime_of(f)->image;
    bool is_linux = p->processor->machine != MACHINE_WINDOWS;
    struct census c = {0};
    for (size_t i = 0; i < f->threads->len; i++) {
        const struct gc_thread *t = &f->threads->all[i];
        bool has_id = false, has_stack = false;
        if (t->os_id == NOT_STARTED || t->os_id == ended)
            continue;
        for (size_t k = 0; k < p->thread_count; k++) {
            uint64_t top = p->threads[k].registers[p->processor->stack_pointer];
            has_id |= p->threads[k].id == t->os_id;
            has_stack |= top < t->stack_base && t->stack_base - top < MAX_STACK;
        }
        c.running++;
        c.by_id += has_id;
        c.impossible += is_linux && t->os_id > MAX_ID;
        c.with_stack += t->stack_base != 0;
        c.by_stack += has_stack;
    }
    return c;
}

static const char *threads_differ(const struct core_facts *f, struct arena *a)
{
    const struct runtime *r = runtime_of(f);
    const struct process_image *p = r->image;
    size_t listed = f->threads->len;
    if (r->thread_store == 0 || p->thread_count == 0)
        return NULL;
    if (!f->threads->whole)
        return arena_printf(a, "the list of the runtime does not end after %zu", listed);
    /* By more than the one thread that is being added or removed. */
    bool ok = r->at.thread_store_count != RUNTIME_NO_OFFSET;
    uint64_t counted =
        memory_u32(&p->memory, r->thread_store + r->at.thread_store_count, &ok);
    if (ok && (listed > counted + 1 || counted > listed + 1))
        return arena_printf(a, "%zu in the list of the runtime, which counts %" PRIu64,
                            listed, counted);
    struct census c = count_threads(f);
    bool is_elsewhere = c.by_id == 0 && (c.with_stack == 0 || c.by_stack > 0);
    if (c.impossible == 0 && (is_elsewhere || 2 * c.by_id >= c.running))
        return NULL;
    return arena_printf(a,
                        "%" PRIu64 " of %" PRIu64 " in the list of the runtime are among "
                        "the %zu of the process",
                        c.by_id, c.running, p->thread_count);
}

/* --- static variables ---------------------------------------------------------- */

/* Threads that ran managed code have at least the Thread object of their own. */
static const char *thread_statics_lack(const struct core_facts *f, struct arena *a)
{
    const struct clr_declared *d = &f->declared;
    if (d->thread_types < MIN_CASES || d->thread_instances > 0)
        return NULL;
    return arena_printf(a,
                        "%" PRIu64 " types declare some, and none of %zu threads has any",
                        d->thread_types, f->threads->len);
}

/* Reports if fewer than half refer to an object. */
static const char *most_lead_nowhere(const struct core_tally *t, const char *what,
                                     struct arena *a)
{
    if (t->met < MIN_CASES || 2 * t->objects >= t->met)
        return NULL;
    return arena_printf(a, "%" PRIu64 " of %" PRIu64 " %s", t->objects, t->met, what);
}

static const char *statics_differ(const struct core_facts *f, struct arena *a)
{
    uint64_t types = f->declared.types;
    if (types < MIN_CASES || f->roots->statics.met > 0)
        return most_lead_nowhere(&f->roots->statics, "lead to objects", a);
    return arena_printf(a, "%" PRIu64 " types declare some, and none has a value", types);
}

/* --- types --------------------------------------------------------------------- */

/* If fewer than three quarters agree: no module lists a few instantiations, and edit and
 * continue adds fields. */
static const char *disagree(const struct clr_tally *t, const char *what, struct arena *a)
{
    if (t->asked < MIN_CASES || 4 * t->agreed >= 3 * t->asked)
        return NULL;
    return arena_printf(a, "%" PRIu64 " of %" PRIu64 " %s", t->agreed, t->asked, what);
}

/* --- handles and finalizers ---------------------------------------------------- */

/* The runtime allocates some at its start, and never frees them. */
static const char *handles_differ(const struct core_facts *f, struct arena *a)
{
    bool has_map = f->globals->handle_map != 0;
    memory_u64(&runtime_of(f)->image->memory, f->globals->handle_map, &has_map);
    if (!has_map || f->roots->handles.met > 0)
        return has_map ? most_lead_nowhere(&f->roots->handles, "lead to objects", a) : NULL;
    return "their tables are empty";
}

/* By the types with a finalizer that have objects. */
static const char *finalizable_differ(const struct core_facts *f, struct arena *a)
{
    static const uint32_t has_finalizer = 0x00100000; /* of MTFlags */
    const struct gc_heap *h = f->heap;
    uint64_t types = 0;
    if (f->roots->finalizable.met > 0)
        return most_lead_nowhere(&f->roots->finalizable, "registered ones are objects", a);
    for (size_t i = 0; i < h->type_count; i++) {
        bool ok = h->types[i].clr != NULL;
        uint64_t at = h->types[i].method_table + h->runtime->at.method_table_flags;
        uint32_t flags = ok ? memory_u32(&h->runtime->image->memory, at, &ok) : 0;
        types += ok && (flags & has_finalizer) && h->types[i].component_size == 0;
    }
    if (types < MIN_CASES)
        return NULL;
    return arena_printf(a, "%" PRIu64 " types have finalizers, and no object is registered",
                        types);
}

/* --- regions ------------------------------------------------------------------- */

/* Threads leave gaps of some kilobytes, which are more than the objects of a tiny heap. */
static const char *regions_lack_objects(const struct core_facts *f, struct arena *a)
{
    enum { MIN_BYTES = 1 << 20 };
    const struct gc_regions *all = &f->heap->regions;
    uint64_t bytes = 0;
    for (size_t i = 0; i < all->len; i++)
        bytes += all->all[i].end - all->all[i].start;
    if (f->heap->unread < MIN_BYTES || f->heap->unread <= bytes / 2)
        return NULL;
    return arena_printf(a, "%" PRIu64 " of %" PRIu64 " bytes contain no objects",
                        f->heap->unread, bytes);
}

/* --- all ----------------------------------------------------------------------- */

const char *core_check(const struct core_facts *f, struct arena *a)
{
    const struct process_image *p = runtime_of(f)->image;
    const struct clr_agreement *g = &f->agreement;
    const char *all = NULL;
    if (p->lost > 0 || p->redaction.is_redacted)
        return NULL;
    const struct {
        const char *what, *why;
        bool needs_roots;
    } checks[] = {
        {"threads", threads_differ(f, a), false},
        {"types", disagree(&g->rows, "are in the map of their module", a), true},
        {"generic types and arrays", disagree(&g->instances, "are listed by a module", a),
         true},
        {"fields", disagree(&g->fields, "types have the number that they declare", a),
         true},
        {"thread statics", thread_statics_lack(f, a), true},
        {"static variables", statics_differ(f, a), true},
        {"handles", handles_differ(f, a), true},
        {"finalizable objects", finalizable_differ(f, a), true},
        {"regions of the heap", regions_lack_objects(f, a), false},
    };
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        if (checks[i].why != NULL && (f->has_roots || !checks[i].needs_roots))
            all = arena_printf(a, "%s%s%s: %s", all != NULL ? all : "",
                               all != NULL ? "; " : "", checks[i].what, checks[i].why);
    return all;
}
