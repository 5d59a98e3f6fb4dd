#include "questions/report_hints.h"

#include "heap/place.h"
#include "ranking/hints.h"

#include <string.h>

/* What is below a suspect is looked at so far down, and so many types of it: the objects
 * that a delegate, a timer or a state machine is there for. What goes along is next to it.
 */
enum { DEEPEST = 5, MOST_BELOW = 64 };

/* --- names ------------------------------------------------------------------ */

/* Classes of the program that are called like those of the framework, which hints are
 * about; nearly always there are none. */
struct disguised {
    const char **names;
    size_t len;
};

static struct disguised disguised_in(const struct ownership_tree *t, struct arena *scratch)
{
    struct disguised d = {.len = 0};
    if (t == NULL)
        return d;
    d.names = arena_array(scratch, const char *, t->labels.len);
    for (size_t i = 0; i < t->labels.len; i++) {
        const struct label *l = &t->labels.all[i];
        if (l->origin == ORIGIN_PROGRAM && !names_is_array(l->name) &&
            names_is_framework(name_part(l->name), NAME_CLASS))
            d.names[d.len++] = l->name;
    }
    return d;
}

/* The name, unless it says what is not so. */
static const char *honest(const struct disguised *d, const char *name)
{
    for (size_t i = 0; i < d->len; i++)
        if (strcmp(d->names[i], name) == 0)
            return "[of the program]";
    return name;
}

/* --- above ------------------------------------------------------------------ */

/* What is farther from the suspect says nothing about it, and every case looks at all. */
enum { MOST_ABOVE = 64 };

struct looking {
    struct hint_clues clues;
    struct disguised disguised;
    struct arena *scratch;
};

static void add_way(struct looking *l, const char *const *types, size_t len,
                    enum hd_root_kind root, double share)
{
    size_t far = len > MOST_ABOVE ? len - MOST_ABOVE : 0;
    const char **names = arena_array(l->scratch, const char *, len);
    for (size_t i = far; i < len; i++)
        names[i] = honest(&l->disguised, types[i]);
    if (len > 0)
        l->clues.ways[l->clues.way_count++] = (struct hint_way){
            .types = names + far, .len = len - far, .root = root, .share = share};
}

/* What all ways to it have in common. */
static void add_holder(struct looking *l, const struct hd_suspect *s)
{
    enum hd_root_kind root = HD_ROOT_OTHER;
    for (size_t i = 0; i < s->holder_len && place_is_root(s->holder[i]); i++)
        root = root_kind_below(s->holder[i], root);
    add_way(l, s->holder, s->holder_len, root, 1);
}

/* A chain without the suspect at its end. What is repeated stands there twice, so that an
 * array of arrays can be told from one array. */
static void add_chain(struct looking *l, const struct hd_chain *c)
{
    size_t most = c->frame_count * 2 * HD_MOST_FRAME_TYPES;
    const char **types = arena_array(l->scratch, const char *, most);
    size_t len = 0;
    for (size_t i = 0; i < c->frame_count; i++) {
        const struct hd_frame *f = &c->frames[i];
        unsigned times = f->repeat_min > 1 ? 2 : 1;
        for (unsigned k = 0; k < times * f->type_count; k++)
            types[len++] = f->types[k % f->type_count];
    }
    add_way(l, types, len > 0 ? len - 1 : 0, c->kind, c->share);
}

/* --- below ------------------------------------------------------------------ */

struct below {
    struct hint_below all[MOST_BELOW];
    size_t len;
};

static void add_below(struct below *b, const char *type, unsigned depth)
{
    if (b->len < MOST_BELOW)
        b->all[b->len++] = (struct hint_below){type, depth};
}

/* Paths stand behind their parents, so one pass finds what is below all suspects: what at
 * least every second of a suspect's instances has. */
static void find_below(const struct hd_report *r, const struct ownership_tree *t,
                       const path_id *heads, struct below *of)
{
    struct place {
        uint32_t suspect; /* from 1; 0: below none */
        uint32_t depth;
    };
    struct arena scratch = {0};
    struct place *at = arena_array(&scratch, struct place, t->len);
    size_t n = t->snapshots;
    for (size_t i = 0; i < r->diff.suspect_count; i++)
        at[heads[i]] = (struct place){.suspect = (uint32_t)i + 1};
    for (path_id p = 1; p < t->len; p++) {
        struct place above = at[t->parent[p]];
        if (above.suspect == 0 || above.depth == DEEPEST)
            continue;
        path_id head = heads[above.suspect - 1];
        if (2 * t->count[p * n + n - 1] < t->count[head * n + n - 1])
            continue;
        add_below(&of[above.suspect - 1], t->labels.all[t->label[p]].name, above.depth + 1);
        if (at[p].suspect == 0)
            at[p] = (struct place){.suspect = above.suspect, .depth = above.depth + 1};
    }
    arena_free(&scratch);
}

/* --- all of it -------------------------------------------------------------- */

void report_add_hints(struct hd_report *r, const struct ownership_tree *t,
                      const path_id *heads)
{
    if (r->options.by != HD_BY_TYPE || r->diff.suspect_count == 0)
        return;
    struct arena scratch = {0};
    struct below *below = arena_array(&scratch, struct below, r->diff.suspect_count);
    struct looking look = {.disguised = disguised_in(t, &scratch), .scratch = &scratch};
    if (t != NULL)
        find_below(r, t, heads, below);
    for (size_t i = 0; i < r->diff.suspect_count; i++) {
        struct hd_suspect *s = &r->diff.suspects[i];
        for (size_t k = 0; k < s->also_count; k++)
            add_below(&below[i], s->also[k], 1);
        look.clues = (struct hint_clues){.type = honest(&look.disguised, s->type),
                                         .below = below[i].all,
                                         .below_count = below[i].len};
        add_holder(&look, s);
        for (size_t k = 0; k < s->chains.len && look.clues.way_count < HINT_MOST_WAYS; k++)
            add_chain(&look, &s->chains.all[k].chain);
        const struct hint *hint = hint_for(&look.clues);
        s->hint = hint != NULL ? hint->id : NULL;
    }
    arena_free(&scratch);
}
