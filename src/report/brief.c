/* A chain through a service has forty elements, and its reader looks for three. */
#include "report/brief.h"

#include "heap/place.h"

#include <string.h>

enum { MOST_SHOWN = 8 };

static bool is_pseudo(const struct hd_frame *f)
{
    return f->type_count == 1 && place_is_root(f->types[0]) && f->repeat_max == 1;
}

/* The last of the groups and variables that a chain begins with. */
static size_t root_of(const struct hd_chain *c)
{
    size_t first = 0;
    while (first + 1 < c->frame_count && is_pseudo(&c->frames[first]) &&
           is_pseudo(&c->frames[first + 1]))
        first++;
    return first;
}

static bool is_innocent(const struct hd_frame *root)
{
    struct place place = place_of(root->types[0]);
    return is_pseudo(root) && place_is_variable(&place) && !place_tells(&place);
}

/* How far each frame is from one that is worth showing by itself. */
static size_t *distances(const struct hd_chain *c, struct arena *a)
{
    size_t n = c->frame_count, *far = arena_array(a, size_t, n);
    for (size_t i = 0; i < n; i++) {
        bool marked = c->frames[i].is_program || i == c->owner_frame || i + 1 == n;
        far[i] = marked ? 0 : i > 0 ? far[i - 1] + 1 : n;
    }
    for (size_t i = n; i-- > 1;)
        if (far[i - 1] > far[i] + 1)
            far[i - 1] = far[i] + 1;
    return far;
}

/* Besides the frames that are shown in any case: the nearest, of two the lower one. */
static void show_nearest(const struct hd_chain *c, struct report_brief *b, size_t from,
                         size_t room)
{
    struct arena scratch = {0};
    size_t *far = distances(c, &scratch);
    for (; room > 0; room--) {
        size_t best = c->frame_count;
        for (size_t i = from; i < c->frame_count; i++)
            if (!b->shown[i] && (best == c->frame_count || far[i] <= far[best]))
                best = i;
        if (best == c->frame_count)
            break;
        b->shown[best] = true;
    }
    arena_free(&scratch);
}

/* "… 1 more" takes as much room as what it stands for. */
static void fill_single_gaps(const struct hd_chain *c, struct report_brief *b, size_t from)
{
    for (size_t i = from; i + 1 < c->frame_count; i++)
        b->shown[i] |= b->shown[i - 1] && b->shown[i + 1];
}

/* From where on a chain says something: its owner, or the program's own class that has it;
 * of several those next to it. */
static size_t top_of(const struct hd_chain *c)
{
    for (size_t i = c->owner_frame; c->owner_of != NULL && i-- > 0;)
        if (c->frames[i].type_count == 1 && strcmp(c->frames[i].types[0], c->owner_of) == 0)
            return i;
    return c->owner_frame;
}

struct report_brief report_brief_of(const struct hd_chain *c, bool all, struct arena *a)
{
    struct report_brief b = {.first = root_of(c)};
    if (all || c->frame_count == 0)
        return b;
    b.shown = arena_array(a, bool, c->frame_count);
    size_t from = b.first + 1, last = c->frame_count - 1, room = MOST_SHOWN;
    bool owned = c->owner_frame != HD_NO_OWNER && c->owner_frame > b.first;
    size_t top = owned ? top_of(c) : 0;
    if (top >= b.first + 3) {
        b.root_by_kind = is_innocent(&c->frames[b.first]);
        from = top;
    }
    b.shown[b.first] = b.shown[last] = true;
    if (owned)
        b.shown[c->owner_frame] = b.shown[top] = true;
    for (size_t i = 0; i <= last; i++)
        room -= b.shown[i];
    show_nearest(c, &b, from, room);
    fill_single_gaps(c, &b, from);
    return b;
}
