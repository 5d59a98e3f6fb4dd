#include "format/core/core_roots.h"

#include "base/alloc.h"
#include "format/core/gc_collectible.h"
#include "format/core/gc_finalizers.h"
#include "format/core/gc_handles.h"
#include "format/core/gc_stacks.h"
#include "heap/place.h"

#include <stdlib.h>
#include <string.h>

struct search {
    struct core_roots *r;
    struct gc_heap *h;
    uint64_t weak;
    node_id *found; /* from stacks */
    size_t found_count, found_cap;
    struct text name;
};

static void note_lost(struct search *s, uint64_t object)
{
    s->r->lost += gc_heap_has(s->h, object);
    builder_warn(s->h->builder, WARN_DANGLING_ROOT, 0);
}

static void add(struct search *s, enum root_group group, uint64_t object)
{
    node_id n = gc_heap_find(s->h, object);
    if (n != NO_NODE)
        root_tree_add(&s->r->tree, group, NULL, 0, n);
    else
        note_lost(s, object);
}

/* --- static variables ---------------------------------------------------- */

static void name_variable(struct search *s, const char *type, const char *field)
{
    text_clear(&s->name);
    place_add_static(&s->name, name_part(type), name_part(field));
}

static void take_static(void *context, const struct clr_static *variable)
{
    struct search *s = context;
    const char *full_name = NULL;
    node_id n = gc_heap_find(s->h, variable->object);
    if (n == NO_NODE) {
        note_lost(s, variable->object);
        return;
    }
    name_variable(s, variable->declared_by, variable->field);
    /* As a gcdump names them: it knows the type of the value only. */
    if (s->h->builder->plain_names) {
        full_name = builder_name(s->h->builder, s->name.data, s->name.len);
        name_variable(s, gc_heap_type(s->h, n)->clr->name, variable->field);
    }
    root_tree_add_variable(&s->r->tree,
                           variable->of_thread ? GROUP_THREAD_STATICS : GROUP_STATICS,
                           s->name.data, s->name.len, full_name, n);
}

/* The arrays that have the values of thread statics are the runtime's own: nothing else
 * refers to them. */
static void add_thread_statics(struct search *s, const struct gc_threads *threads)
{
    for (size_t i = 0; i < threads->len; i++)
        if (threads->all[i].statics != 0)
            add(s, GROUP_OTHER, threads->all[i].statics);
}

/* --- handles ------------------------------------------------------------- */

static void add_link(struct search *s, const struct gc_handle *handle)
{
    struct core_roots *r = s->r;
    node_id from = gc_heap_find(s->h, handle->object),
            to = gc_heap_find(s->h, handle->secondary);
    if (handle->secondary == 0)
        return;
    if (from == NO_NODE || to == NO_NODE) {
        builder_warn(s->h->builder, WARN_DANGLING_ROOT, 0);
        if (from != NO_NODE)
            builder_lacks(s->h->builder, from);
        return;
    }
    r->links = account_grow(&s->h->builder->account, r->links, r->link_count, &r->link_cap,
                            sizeof(*r->links));
    r->links[r->link_count++] = (struct core_link){from, to};
}

static void take_handle(void *context, const struct gc_handle *handle)
{
    struct search *s = context;
    switch (handle->kind) {
    case GC_HANDLE_WEAK:
    case GC_HANDLE_WEAK_LONG:
        s->weak++;
        return;
    case GC_HANDLE_STRONG:
    case GC_HANDLE_SIZED_REF:
        add(s, GROUP_STRONG, handle->object);
        return;
    case GC_HANDLE_PINNED:
    case GC_HANDLE_ASYNC_PINNED:
        add(s, GROUP_PINNING, handle->object);
        return;
    case GC_HANDLE_REF_COUNTED:
        add(s, GROUP_REF_COUNTED, handle->object);
        return;
    case GC_HANDLE_DEPENDENT:
        add_link(s, handle);
        return;
    default:
        return;
    }
}

/* The order of equal ones does not show. */
static int by_from(const void *a, const void *b)
{
    const struct core_link *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* --- stacks and finalizers ----------------------------------------------- */

static void take_word(void *context, uint64_t word)
{
    struct search *s = context;
    node_id n = gc_heap_containing(s->h, word);
    if (n == NO_NODE)
        return;
    s->found = account_grow(&s->h->builder->account, s->found, s->found_count,
                            &s->found_cap, sizeof(*s->found));
    s->found[s->found_count++] = n;
}

static int by_number(const void *a, const void *b)
{
    node_id x = *(const node_id *)a, y = *(const node_id *)b;
    return (x > y) - (x < y);
}

/* Each once: how often a word stands on stacks tells nothing. */
static void add_stacks(struct search *s, const struct gc_threads *threads)
{
    gc_stacks_each(s->h->runtime->image, threads, take_word, s);
    if (s->found_count > 0)
        qsort(s->found, s->found_count, sizeof(*s->found), by_number);
    for (size_t i = 0; i < s->found_count; i++)
        if (i == 0 || s->found[i] != s->found[i - 1])
            root_tree_add(&s->r->tree, GROUP_STACK, NULL, 0, s->found[i]);
}

static void take_finalizer(void *context, uint64_t object)
{
    add(context, GROUP_FINALIZER, object);
}

/* --- all ----------------------------------------------------------------- */

void core_roots_find(struct core_roots *r, struct gc_heap *h, const struct gc_globals *g,
                     const struct gc_threads *threads)
{
    struct search s = {.r = r, .h = h};
    const struct memory *m = &h->runtime->image->memory;
    *r = (struct core_roots){.tree = {.names = {.account = &h->builder->account}}};
    clr_types_statics(h->clr, take_static, &s);
    add_thread_statics(&s, threads);
    add_stacks(&s, threads);
    gc_finalizers_each(g, m, take_finalizer, &s);
    gc_handles_each(g, m, take_handle, &s);
    gc_collectible_find(h);
    if (r->link_count > 0)
        qsort(r->links, r->link_count, sizeof(*r->links), by_from);
    h->builder->snap->weak_roots = s.weak;
    free(s.found);
    text_free(&s.name);
}

void core_roots_free(struct core_roots *r)
{
    root_tree_free(&r->tree);
    free(r->links);
    *r = (struct core_roots){.link_count = 0};
}
