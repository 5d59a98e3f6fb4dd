#include "format/core/core_check.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

/* Fewer are no evidence: one variable may be half written in a process that was stopped. */
enum { FEWEST = 8, SENTENCE = 160 };

static const struct runtime *runtime_of(const struct core_facts *f)
{
    return f->heap->runtime;
}

/* --- threads ------------------------------------------------------------------- */

enum {
    MOST_ID = 1 << 22,    /* the most that Linux gives */
    MOST_STACK = 1 << 30, /* bytes between a stack pointer and the end of its stack */
    NOT_STARTED = 0
};

/* The id that the runtime writes into a Thread whose own thread has ended. */
static const uint64_t ended = 0xBAADF00D;

/* Running threads of the runtime's list, found in the dump by their ids; or by their
 * stacks, if a debugger in another pid namespace wrote ids that the process does not know.
 */
struct census {
    uint64_t running, by_id, with_stack, by_stack, impossible;
};

static bool has_id(const struct process_image *p, uint64_t id)
{
    for (size_t i = 0; i < p->thread_count; i++)
        if (p->threads[i].id == id)
            return true;
    return false;
}

static bool has_stack(const struct process_image *p, uint64_t base)
{
    for (size_t i = 0; i < p->thread_count; i++) {
        uint64_t top = p->threads[i].registers[p->processor->stack_pointer];
        if (top < base && base - top < MOST_STACK)
            return true;
    }
    return false;
}

static struct census count_threads(const struct core_facts *f)
{
    const struct process_image *p = runtime_of(f)->image;
    bool is_linux = p->processor->machine != MACHINE_WINDOWS;
    struct census c = {0};
    for (size_t i = 0; i < f->threads->len; i++) {
        const struct gc_thread *t = &f->threads->all[i];
        if (t->os_id == NOT_STARTED || t->os_id == ended)
            continue;
        c.running++;
        c.by_id += has_id(p, t->os_id);
        c.impossible += is_linux && t->os_id > MOST_ID;
        c.with_stack += t->stack_base != 0;
        c.by_stack += t->stack_base != 0 && has_stack(p, t->stack_base);
    }
    return c;
}

/* True if the list is shorter or longer than the runtime's count by more than the one
 * thread that is being added or removed. */
static bool is_short(const struct core_facts *f, uint64_t *counted)
{
    const struct runtime *r = runtime_of(f);
    bool ok = r->at.thread_store.count != RUNTIME_NO_OFFSET;
    *counted =
        memory_u32(&r->image->memory, r->thread_store + r->at.thread_store.count, &ok);
    uint64_t listed = f->threads->len;
    return ok && (listed > *counted + 1 || *counted > listed + 1);
}

static bool threads_differ(const struct core_facts *f, char *why)
{
    const struct process_image *p = runtime_of(f)->image;
    uint64_t counted;
    if (runtime_of(f)->thread_store == 0 || p->thread_count == 0)
        return false;
    if (!f->threads->whole) {
        snprintf(why, SENTENCE, "the list of the runtime does not end after %zu",
                 f->threads->len);
        return true;
    }
    if (is_short(f, &counted)) {
        snprintf(why, SENTENCE, "%zu in the list of the runtime, which counts %" PRIu64,
                 f->threads->len, counted);
        return true;
    }
    struct census c = count_threads(f);
    bool is_elsewhere = c.by_id == 0 && (c.with_stack == 0 || c.by_stack > 0);
    if (c.impossible == 0 && (is_elsewhere || 2 * c.by_id >= c.running))
        return false;
    snprintf(why, SENTENCE,
             "%" PRIu64 " of %" PRIu64 " in the list of the runtime are among the %zu of "
             "the process",
             c.by_id, c.running, p->thread_count);
    return true;
}

/* --- static variables ---------------------------------------------------------- */

/* Threads that ran managed code have at least the Thread object of their own. */
static bool thread_statics_lack(const struct core_facts *f, char *why)
{
    const struct clr_declared *d = &f->declared;
    if (f->roots == NULL || d->thread_types < FEWEST || d->thread_instances > 0)
        return false;
    snprintf(why, SENTENCE,
             "%" PRIu64 " types declare some, and none of %zu threads has any",
             d->thread_types, f->threads->len);
    return true;
}

/* True if most of them lead to no object. */
static bool most_lead_nowhere(const struct core_tally *t, const char *what, char *why)
{
    if (t->met < FEWEST || 2 * t->objects >= t->met)
        return false;
    snprintf(why, SENTENCE, "%" PRIu64 " of %" PRIu64 " %s", t->objects, t->met, what);
    return true;
}

static bool statics_differ(const struct core_facts *f, char *why)
{
    uint64_t types = f->declared.types;
    if (f->roots == NULL)
        return false;
    if (types < FEWEST || f->roots->statics.met > 0)
        return most_lead_nowhere(&f->roots->statics, "lead to objects", why);
    snprintf(why, SENTENCE, "%" PRIu64 " types declare some, and none has a value", types);
    return true;
}

/* --- types --------------------------------------------------------------------- */

/* True if fewer than three quarters agree: no module lists a few instantiations, and edit
 * and continue adds fields. */
static bool disagree(const struct core_facts *f, const struct clr_tally *t,
                     const char *what, char *why)
{
    if (f->roots == NULL || t->asked < FEWEST || 4 * t->agreed >= 3 * t->asked)
        return false;
    snprintf(why, SENTENCE, "%" PRIu64 " of %" PRIu64 " %s", t->agreed, t->asked, what);
    return true;
}

static bool rows_disagree(const struct core_facts *f, char *why)
{
    return disagree(f, &f->agreement.rows, "are in the map of their module", why);
}

static bool instances_disagree(const struct core_facts *f, char *why)
{
    return disagree(f, &f->agreement.instances, "are listed by a module", why);
}

static bool fields_disagree(const struct core_facts *f, char *why)
{
    return disagree(f, &f->agreement.fields, "types have the number that they declare",
                    why);
}

/* --- handles and finalizers ---------------------------------------------------- */

/* The runtime allocates some at its start, and never frees them. */
static bool handles_differ(const struct core_facts *f, char *why)
{
    const struct memory *m = &runtime_of(f)->image->memory;
    bool has_map = f->globals->handle_map != 0;
    memory_u64(m, f->globals->handle_map, &has_map);
    if (f->roots == NULL || !has_map)
        return false;
    if (f->roots->handles.met > 0)
        return most_lead_nowhere(&f->roots->handles, "lead to objects", why);
    snprintf(why, SENTENCE, "their tables are empty");
    return true;
}

/* Counts the types with a finalizer that have objects. */
static uint64_t finalizable_types(const struct gc_heap *h)
{
    static const uint32_t has_finalizer = 0x00100000; /* of MTFlags */
    uint64_t found = 0;
    for (size_t i = 0; i < h->type_count; i++) {
        bool ok = h->types[i].clr != NULL;
        uint64_t at = h->types[i].method_table + h->runtime->at.method_table.flags;
        uint32_t flags = ok ? memory_u32(&h->runtime->image->memory, at, &ok) : 0;
        found += ok && (flags & has_finalizer) && h->types[i].component_size == 0;
    }
    return found;
}

static bool finalizable_differ(const struct core_facts *f, char *why)
{
    if (f->roots == NULL)
        return false;
    if (f->roots->finalizable.met > 0)
        return most_lead_nowhere(&f->roots->finalizable, "registered ones are objects",
                                 why);
    uint64_t types = finalizable_types(f->heap);
    if (types < FEWEST)
        return false;
    snprintf(why, SENTENCE,
             "%" PRIu64 " types have finalizers, and no object is registered", types);
    return true;
}

/* --- regions ------------------------------------------------------------------- */

/* Threads leave gaps of some kilobytes, which are more than the objects of a tiny heap. */
static bool regions_lack_objects(const struct core_facts *f, char *why)
{
    enum { FEWEST_BYTES = 1 << 20 };
    const struct gc_regions *all = &f->heap->regions;
    uint64_t bytes = 0;
    for (size_t i = 0; i < all->len; i++)
        bytes += all->all[i].end - all->all[i].start;
    if (f->heap->unread < FEWEST_BYTES || f->heap->unread <= bytes / 2)
        return false;
    snprintf(why, SENTENCE, "%" PRIu64 " of %" PRIu64 " bytes contain no objects",
             f->heap->unread, bytes);
    return true;
}

/* --- all ----------------------------------------------------------------------- */

static const struct check {
    const char *what;
    bool (*contradicts)(const struct core_facts *f, char *why); /* why: SENTENCE bytes */
} checks[] = {
    {"threads", threads_differ},
    {"types", rows_disagree},
    {"generic types and arrays", instances_disagree},
    {"fields", fields_disagree},
    {"thread statics", thread_statics_lack},
    {"static variables", statics_differ},
    {"handles", handles_differ},
    {"finalizable objects", finalizable_differ},
    {"regions of the heap", regions_lack_objects},
};

const char *core_check(const struct core_facts *f, struct arena *a)
{
    const struct process_image *p = runtime_of(f)->image;
    struct text found = {0};
    if (p->lost > 0 || p->redaction.is_redacted)
        return NULL;
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        char why[SENTENCE];
        if (!checks[i].contradicts(f, why))
            continue;
        text_add_string(&found, found.len > 0 ? "; " : "");
        text_add_string(&found, checks[i].what);
        text_add_string(&found, ": ");
        text_add_string(&found, why);
    }
    const char *all = found.len > 0 ? arena_strdup(a, found.data, found.len) : NULL;
    text_free(&found);
    return all;
}
