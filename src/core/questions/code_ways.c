#include "questions/code_ways.h"

#include <stdlib.h>
#include <string.h>

/* Strings are copied once per frame. */
const struct hd_code *codes_of_sites(struct hd_report *r,
                                     const struct allocation_sites *sites)
{
    struct hd_code *codes = arena_array(&r->arena, struct hd_code, sites->frame_count + 1);
    for (uint32_t i = 0; i < sites->frame_count; i++) {
        const struct site_frame *from = &sites->frames[i];
        codes[i] = (struct hd_code){.method = report_string(r, from->method),
                                    .file = report_string(r, from->file),
                                    .line = from->line > 0 ? from->line : HD_UNKNOWN,
                                    .is_own = from->is_own};
    }
    return codes;
}

int code_order(const struct hd_code *a, const struct hd_code *b)
{
    int order = a == b ? 0 : strcmp(a->method, b->method);
    if (order == 0 && a != b)
        order = strcmp(a->file != NULL ? a->file : "", b->file != NULL ? b->file : "");
    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static int by_codes(const void *a, const void *b)
{
    const struct code_way *x = a, *y = b;
    for (size_t i = 0; i < x->len && i < y->len; i++) {
        int order = code_order(x->codes[i], y->codes[i]);
        if (order != 0)
            return order;
    }
    return (x->len > y->len) - (x->len < y->len);
}

static int by_growth(const void *a, const void *b)
{
    const struct code_branch *x = a, *y = b;
    if (x->growth != y->growth)
        return x->growth < y->growth ? 1 : -1;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Returns the end of the ways from i on that have the code of way i at that depth. */
static size_t end_of_alike(const struct code_way *all, size_t i, size_t end, size_t depth)
{
    const struct hd_code *code = all[i].codes[depth];
    while (i < end && code_order(all[i].codes[depth], code) == 0)
        i++;
    return i;
}

/* In sorted ways, if the first is a prefix of all, it is the shortest. */
size_t code_branch_shared(const struct code_way *all, const struct code_branch *b)
{
    size_t depth = b->from + 1;
    while (depth < all[b->first].len &&
           end_of_alike(all, b->first, b->end, depth) == b->end)
        depth++;
    return depth;
}

/* Returns the branches of the ways from first to end after that depth. Ways that end there
 * are first. */
static size_t branches_of(const struct code_way *all, size_t first, size_t end,
                          size_t depth, struct code_branch *to)
{
    size_t count = 0, i = first;
    while (i < end && all[i].len <= depth)
        i++;
    while (i < end) {
        struct code_branch b = {
            .first = i, .end = end_of_alike(all, i, end, depth), .from = depth};
        for (; i < b.end; i++) {
            b.samples += all[i].samples;
            b.growth += all[i].growth;
        }
        to[count++] = b;
    }
    if (count > 1)
        qsort(to, count, sizeof(*to), by_growth);
    return count;
}

/* Pending branches have no way in common, so there are at most as many as ways. */
void code_ways_walk(struct code_way *all, size_t len, code_visit *visit, void *context)
{
    struct arena scratch = {0};
    struct code_branch *waiting = arena_array(&scratch, struct code_branch, len + 1);
    struct code_branch *below = arena_array(&scratch, struct code_branch, len + 1);
    size_t count = 0, visited = 0;
    if (len > 0)
        qsort(all, len, sizeof(*all), by_codes);
    size_t found = branches_of(all, 0, len, 0, below), parent = SIZE_MAX;
    unsigned depth = 0;
    for (;;) {
        for (size_t i = found; i-- > 0;) {
            waiting[count] = below[i];
            waiting[count].parent = parent;
            waiting[count++].depth = depth;
        }
        if (count == 0)
            break;
        struct code_branch b = waiting[--count];
        size_t after = visit(context, all, &b);
        found = branches_of(all, b.first, b.end, after, below);
        parent = visited++;
        depth = b.depth + 1;
    }
    arena_free(&scratch);
}
