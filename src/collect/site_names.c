#include "collect/site_names.h"

#include "base/alloc.h"
#include "base/arrays.h"
#include "heap/names.h"

#include <stdlib.h>
#include <string.h>

static bool is_below(const void *names, size_t i, const void *address)
{
    return ((const struct named_address *)names)[i].address < *(const uint64_t *)address;
}

const struct named_address *site_names_find(const struct site_names *n, uint64_t address)
{
    size_t i = search_first(n->all, 0, n->count, is_below, &address);
    return i < n->count && n->all[i].address == address ? &n->all[i] : NULL;
}

void site_names_free(struct site_names *n)
{
    arena_free(&n->arena);
    *n = (struct site_names){0};
}

/* --- reading --------------------------------------------------------------------- */

/* True if the file of its module decides whether a method is the program's own. */
static bool needs_file(const struct code_name *c)
{
    return c->module != NULL && !names_is_framework(name_part(c->frame.method), NAME_CLASS);
}

/* Sets *to to the frame at an address as read, or as known before. False if it remains
 * unknown. */
static bool choose_frame(const struct site_names *n, uint64_t address,
                         const struct code_names *read, const struct code_name *c,
                         bool is_complete, struct site_frame *to)
{
    const struct named_address *before = site_names_find(n, address);
    const struct site_frame *old = before != NULL ? &before->frame : NULL;
    if (c->frame.method == NULL) {
        *to = old != NULL ? *old : c->frame;
        return old != NULL || is_complete;
    }
    bool is_same =
        old != NULL && old->method != NULL && strcmp(old->method, c->frame.method) == 0;
    bool lacks_file = n->own_is_known && !read->own_is_known && needs_file(c);
    bool lost_line = is_same && old->line != 0 && c->frame.line == 0;
    *to = is_same && (lacks_file || lost_line) ? *old : c->frame;
    return is_same || !lacks_file;
}

void site_names_update(struct site_names *n, const uint64_t *addresses, size_t count,
                       const struct code_names *read, bool is_complete)
{
    struct site_names to = {.own_is_known = n->own_is_known || read->own_is_known};
    if (read->all == NULL)
        return;
    to.all = arena_array(&to.arena, struct named_address, count + 1);
    for (size_t i = 0; i < count; i++) {
        struct site_frame f;
        if (!choose_frame(n, addresses[i], read, &read->all[i], is_complete, &f))
            continue;
        f.method =
            f.method != NULL ? arena_strdup(&to.arena, f.method, strlen(f.method)) : NULL;
        f.file = f.file != NULL ? arena_strdup(&to.arena, f.file, strlen(f.file)) : NULL;
        to.all[to.count++] = (struct named_address){addresses[i], f};
    }
    arena_free(&n->arena);
    *n = to;
}

/* --- applying -------------------------------------------------------------------- */

uint64_t site_address(const struct site_frame *f)
{
    return strtoull(f->method, NULL, 16);
}

/* A frame of the addresses. */
struct applied_frame {
    uint32_t number; /* of the named frame */
    enum { FRAME_UNKNOWN, FRAME_STUB, FRAME_NAMED, FRAME_OWN } kind;
};

static struct applied_frame apply_frame(const struct site_names *n,
                                        const struct site_frame *f, struct site_builder *b)
{
    struct applied_frame to = {NO_SITE, FRAME_UNKNOWN};
    const struct named_address *name = site_names_find(n, site_address(f));
    if (name != NULL && name->frame.method == NULL)
        to.kind = FRAME_STUB;
    else if (name != NULL)
        to.number = site_builder_frame(b, &name->frame);
    if (to.number != NO_SITE)
        to.kind = name->frame.is_own ? FRAME_OWN : FRAME_NAMED;
    return to;
}

/* Returns the named frames of a stack, leaf first; 0 if its site may be unknown. */
static size_t apply_stack(const struct site_stack *stack, const struct applied_frame *of,
                          uint32_t *named)
{
    size_t count = 0;
    bool has_own = false;
    for (size_t i = 0; i < stack->frame_count; i++) {
        const struct applied_frame *f = &of[stack->frames[i]];
        if (f->kind == FRAME_UNKNOWN)
            return has_own ? count : 0;
        if (f->kind != FRAME_STUB)
            named[count++] = f->number;
        has_own |= f->kind == FRAME_OWN;
    }
    return count;
}

const struct allocation_sites *site_names_apply(const struct site_names *n,
                                                const struct allocation_sites *s,
                                                struct arena *a)
{
    struct site_builder b;
    struct applied_frame *frames =
        alloc_zeroed(array_bytes((size_t)s->frame_count + 1, sizeof(*frames)));
    uint32_t *stacks =
        alloc_zeroed(array_bytes((size_t)s->stack_count + 1, sizeof(*stacks)));
    site_builder_begin(&b, a);
    for (uint32_t i = 0; i < s->frame_count; i++)
        frames[i] = apply_frame(n, &s->frames[i], &b);
    for (uint32_t i = 0; i < s->stack_count; i++) {
        uint32_t named[MAX_STACK_FRAMES];
        stacks[i] =
            site_builder_stack(&b, named, apply_stack(&s->stacks[i], frames, named));
    }
    for (uint32_t i = 0; i < s->object_count; i++) {
        struct site_object object = s->objects[i];
        object.stack = stacks[object.stack];
        site_builder_object(&b, object);
    }
    free(frames);
    free(stacks);
    return site_builder_end(&b, s, false);
}
