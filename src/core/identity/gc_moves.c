#include "identity/gc_moves.h"

#include "base/alloc.h"
#include "base/arrays.h"

#include <stdlib.h>
#include <string.h>

/* Gen2 is collected together with large and pinned objects, and with its reserved ends. */
enum { FULL = 2 };

static void forget_named(struct gc_moves *m)
{
    free(m->named);
    free(m->collected);
    m->named = NULL;
    m->collected = NULL;
    m->named_count = m->collected_count = 0;
}

void gc_moves_begin(struct gc_moves *m, struct places *places)
{
    gc_moves_free(m);
    m->now = *places;
    m->count = places->len;
    *places = (struct places){0};
    for (size_t i = 0; i < m->count; i++)
        m->now.all[i].object = (uint32_t)i;
}

void gc_moves_free(struct gc_moves *m)
{
    places_free(&m->now);
    forget_named(m);
    free(m->samples);
    *m = (struct gc_moves){0};
}

/* --- one collection ------------------------------------------------------------------ */

static int by_from(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static int by_start(const void *a, const void *b)
{
    const struct territory *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->used > y->used) - (x->used < y->used);
}

/* A whole or partial collection that is applied as a unit. */
struct gc_moves_part {
    uint32_t number; /* of the collection; later samples are born with it or after it */
    unsigned depth;
    struct stretch *stretches;
    size_t stretch_count;
    struct territory *territories;
    size_t territory_count;
    bool may_overlap; /* true if all objects stay in place */
};

static bool fits(const struct stretch *s)
{
    return s->size <= UINT64_MAX - s->from && s->size <= UINT64_MAX - s->to;
}

static uint64_t end_of_stretch(const struct stretch *s)
{
    return s->from + s->size;
}

/* Sorts the stretches; false if they overlap. */
static bool sort_stretches(struct gc_moves_part *c)
{
    struct stretch *s = c->stretches;
    size_t kept = 0;
    bool in_order = true;
    for (size_t i = 1; i < c->stretch_count; i++)
        in_order = in_order && s[i - 1].from <= s[i].from;
    if (!in_order)
        qsort(s, c->stretch_count, sizeof(*s), by_from);
    for (size_t i = 0; i < c->stretch_count; i++) {
        if (!fits(&s[i]))
            return false;
        bool apart = kept == 0 || s[i].from >= end_of_stretch(&s[kept - 1]);
        if (apart)
            s[kept++] = s[i];
        else if (!c->may_overlap)
            return false;
        else if (end_of_stretch(&s[i]) > end_of_stretch(&s[kept - 1]))
            s[kept - 1].size = end_of_stretch(&s[i]) - s[kept - 1].from;
    }
    c->stretch_count = kept;
    return true;
}

static bool lies_below(const void *places, size_t i, const void *address)
{
    return ((const struct place *)places)[i].address < *(const uint64_t *)address;
}

static size_t first_at(const struct places *p, uint64_t address)
{
    return search_first(p->all, 0, p->len, lies_below, &address);
}

static bool ends_below(const void *stretches, size_t i, const void *address)
{
    const struct stretch *s = (const struct stretch *)stretches + i;
    uint64_t a = *(const uint64_t *)address;
    return s->from <= a && a - s->from >= s->size;
}

/* Applies a part to the objects from begin to end, which are in collected memory: objects
 * in stretches move along, others are dead. True if any changed. */
static bool gc_moves_judge(struct gc_moves *m, const struct gc_moves_part *c, size_t begin,
                           size_t end)
{
    bool changed = false;
    if (begin >= end)
        return false;
    struct place *all = m->now.all;
    size_t at =
        search_first(c->stretches, 0, c->stretch_count, ends_below, &all[begin].address);
    for (size_t i = begin; i < end; i++) {
        uint64_t address = all[i].address;
        while (at < c->stretch_count && ends_below(c->stretches, at, &address))
            at++;
        const struct stretch *s = &c->stretches[at];
        bool survived = at < c->stretch_count && s->from <= address;
        if (!survived)
            all[i].object = NO_NODE;
        else
            all[i].address = address - s->from + s->to;
        changed = changed || !survived || s->from != s->to;
    }
    return changed;
}

static bool is_collected(const struct gc_moves_part *c, const struct territory *t)
{
    return c->depth >= FULL || t->generation <= c->depth;
}

/* Ranges of objects are found before any is changed: search needs unchanged addresses. */
struct gc_moves_found {
    size_t begin, end;
};

/* A territory ends where the next one begins: with segments a younger generation is within
 * the reserve of an older one. */
static size_t gc_moves_find(const struct places *in, const struct gc_moves_part *c,
                            struct gc_moves_found *to)
{
    size_t count = 0, judged = 0;
    for (size_t i = 0; i < c->territory_count; i++) {
        const struct territory *t = &c->territories[i];
        uint64_t size = c->depth >= FULL ? t->reserved : t->used;
        uint64_t end = size <= UINT64_MAX - t->start ? t->start + size : UINT64_MAX;
        if (i + 1 < c->territory_count && c->territories[i + 1].start < end)
            end = c->territories[i + 1].start;
        if (!is_collected(c, t) || end <= t->start)
            continue;
        struct gc_moves_found f = {first_at(in, t->start), first_at(in, end)};
        f.begin = f.begin > judged ? f.begin : judged;
        if (f.begin < f.end)
            to[count++] = f;
        judged = f.end > judged ? f.end : judged;
    }
    return count;
}

static int by_to(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return (x->to > y->to) - (x->to < y->to);
}

static bool arrives_below(const void *stretches, size_t i, const void *address)
{
    const struct stretch *s = (const struct stretch *)stretches + i;
    uint64_t a = *(const uint64_t *)address;
    return s->to <= a && a - s->to >= s->size;
}

/* Returns the stretches that moved, in the order of their new addresses; malloc'd. NULL if
 * some arrive at the same place: millions would have to be searched for each object. */
static struct stretch *arrivals(const struct gc_moves_part *c, size_t *count)
{
    struct stretch *all = alloc_zeroed(array_bytes(c->stretch_count + 1, sizeof(*all)));
    *count = 0;
    for (size_t i = 0; i < c->stretch_count; i++)
        if (c->stretches[i].from != c->stretches[i].to)
            all[(*count)++] = c->stretches[i];
    qsort(all, *count, sizeof(*all), by_to);
    for (size_t i = 1; i < *count; i++) {
        if (all[i].to - all[i - 1].to >= all[i - 1].size)
            continue;
        free(all);
        *count = 0;
        return NULL;
    }
    return all;
}

/* An object is dead if another one was moved onto it. A collection in the background frees
 * memory before it ends with its list, and a young one in between fills the gaps. judged
 * has count ranges of objects that are judged otherwise. Returns true if any is dead. */
static bool gc_moves_overwrite(struct gc_moves *m, const struct stretch *arrived,
                               size_t arrived_count, const struct gc_moves_found *judged,
                               size_t count)
{
    bool changed = false;
    size_t range = 0;
    for (size_t i = 0; i < arrived_count; i++) {
        size_t at = first_at(&m->now, arrived[i].to);
        for (; at < m->now.len && m->now.all[at].address - arrived[i].to < arrived[i].size;
             at++) {
            while (range < count && judged[range].end <= at)
                range++;
            if (range < count && judged[range].begin <= at)
                continue;
            m->now.all[at].object = NO_NODE;
            changed = true;
        }
    }
    return changed;
}

/* --- samples ------------------------------------------------------------------------- */

static bool starts_by(const void *territories, size_t i, const void *address)
{
    return ((const struct territory *)territories)[i].start <= *(const uint64_t *)address;
}

/* True if an object at the address that did not survive is dead. In an older generation it
 * stays. */
static bool is_judged(const struct gc_moves_part *c, uint64_t address)
{
    size_t at = search_first(c->territories, 0, c->territory_count, starts_by, &address);
    const struct territory *t = at > 0 ? &c->territories[at - 1] : NULL;
    if (c->depth >= FULL || t == NULL)
        return c->depth >= FULL;
    return address - t->start < t->used && is_collected(c, t);
}

/* Updates its address; false if it is dead. */
static bool sample_survives(struct sample *s, const struct gc_moves_part *c,
                            const struct stretch *arrived, size_t arrived_count)
{
    if (s->born >= c->number)
        return true;
    size_t at = search_first(c->stretches, 0, c->stretch_count, ends_below, &s->address);
    const struct stretch *with = &c->stretches[at];
    if (at < c->stretch_count && with->from <= s->address) {
        s->address = s->address - with->from + with->to;
        return true;
    }
    if (is_judged(c, s->address))
        return false;
    at = search_first(arrived, 0, arrived_count, arrives_below, &s->address);
    return at == arrived_count || arrived[at].to > s->address;
}

/* Updates samples. Stretches and territories must be sorted. */
static void judge_samples(struct gc_moves *m, const struct gc_moves_part *c,
                          const struct stretch *arrived, size_t arrived_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->sample_count; i++)
        if (sample_survives(&m->samples[i], c, arrived, arrived_count))
            m->samples[kept++] = m->samples[i];
    m->sample_count = kept;
}

/* --- both ---------------------------------------------------------------------------- */

/* A list without survivors does not prove deaths: some runtimes never list any. */
static bool fold(struct gc_moves *m, struct gc_moves_part *c)
{
    if (c->territory_count == 0)
        return false;
    qsort(c->territories, c->territory_count, sizeof(*c->territories), by_start);
    struct gc_moves_found *all =
        alloc_zeroed(array_bytes(c->territory_count, sizeof(*all)));
    size_t count = gc_moves_find(&m->now, c, all);
    bool makes_sense = sort_stretches(c), changed = false;
    size_t arrived_count = 0;
    struct stretch *arrived = NULL;
    if (makes_sense && c->depth < FULL) {
        arrived = arrivals(c, &arrived_count);
        makes_sense = arrived != NULL;
    }
    bool ok = count == 0 || (c->stretch_count > 0 && makes_sense);
    if (ok)
        changed = gc_moves_overwrite(m, arrived, arrived_count, all, count);
    for (size_t i = 0; ok && i < count; i++)
        changed = gc_moves_judge(m, c, all[i].begin, all[i].end) || changed;
    free(all);
    if (changed) {
        /* drops the dead, and sorts again */
        size_t kept = 0;
        for (size_t i = 0; i < m->now.len; i++)
            if (m->now.all[i].object != NO_NODE)
                m->now.all[kept++] = m->now.all[i];
        m->now.len = kept;
        places_sort(m->now.all, m->now.len);
    }
    if (makes_sense)
        judge_samples(m, c, arrived, arrived_count);
    else
        m->sample_count = 0;
    free(arrived);
    return ok;
}

/* Concatenates both lists; malloc'd. */
static void *joined(const void *a, size_t a_count, const void *b, size_t b_count,
                    size_t size)
{
    unsigned char *all = alloc_zeroed(array_bytes(a_count + b_count + 1, size));
    if (a_count > 0)
        memcpy(all, a, a_count * size);
    if (b_count > 0)
        memcpy(all + a_count * size, b, b_count * size);
    return all;
}

static bool fold_all(struct gc_moves *m, const struct collection *c, unsigned depth)
{
    struct gc_moves_part all = {.number = c->number,
                                .depth = depth,
                                .stretch_count = c->moved_count + c->unmoved_count,
                                .territories = c->territories,
                                .territory_count = c->territory_count};
    all.stretches = joined(c->moved, c->moved_count, c->unmoved, c->unmoved_count,
                           sizeof(struct stretch));
    bool ok = fold(m, &all);
    /* The program is stopped until the next snapshot, so the stretches must cover the
     * snapshot. */
    forget_named(m);
    m->depth = all.depth;
    m->named = all.stretches;
    m->named_count = all.stretch_count;
    m->collected =
        joined(all.territories, all.territory_count, NULL, 0, sizeof(struct territory));
    m->collected_count = all.territory_count;
    return ok;
}

/* --- in the background --------------------------------------------------------------- */

/* Returns the oldest generation in which a stretch began, or 0. */
static unsigned oldest_of(const struct collection *c, const struct stretch *all,
                          size_t count)
{
    unsigned oldest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at =
            search_first(c->territories, 0, c->territory_count, starts_by, &all[i].from);
        const struct territory *t = at > 0 ? &c->territories[at - 1] : NULL;
        if (t != NULL && all[i].from - t->start < t->reserved && t->generation > oldest)
            oldest = t->generation;
    }
    return oldest;
}

static bool fold_young(struct gc_moves *m, const struct collection *c,
                       struct stretch *stretches, size_t count, unsigned depth)
{
    struct gc_moves_part young = {.number = c->number,
                                  .depth = depth,
                                  .stretches = stretches,
                                  .stretch_count = count,
                                  .territories = c->territories,
                                  .territory_count = c->territory_count};
    return count == 0 || fold(m, &young);
}

/* Listed objects are alive, all others are dead. */
static bool fold_list(struct gc_moves *m, const struct collection *c)
{
    struct gc_moves_part list = {.number = c->number,
                                 .depth = FULL,
                                 .stretches = c->unmoved,
                                 .stretch_count = c->unmoved_count,
                                 .territory_count = c->territory_count + c->later_count,
                                 .may_overlap = true};
    list.territories = joined(c->territories, c->territory_count, c->later, c->later_count,
                              sizeof(struct territory));
    bool ok = fold(m, &list);
    free(list.territories);
    return ok;
}

static bool fold_background(struct gc_moves *m, const struct collection *c)
{
    if (c->moved_count + c->unmoved_count == 0)
        return true;
    if (c->territory_count == 0)
        return false;
    qsort(c->territories, c->territory_count, sizeof(*c->territories), by_start);
    unsigned moved = oldest_of(c, c->moved, c->moved_count);
    unsigned unmoved = oldest_of(c, c->unmoved, c->unmoved_count);
    if (moved >= FULL)
        return fold_all(m, c, FULL);
    if (unmoved < FULL && c->moved_count == 0)
        return fold_young(m, c, c->unmoved, c->unmoved_count, unmoved);
    return fold_young(m, c, c->moved, c->moved_count, moved) &&
           (unmoved < FULL || fold_list(m, c));
}

bool gc_moves_fold(struct gc_moves *m, struct collection *c)
{
    forget_named(m);
    return c->is_background ? fold_background(m, c) : fold_all(m, c, c->depth);
}

/* --- the next snapshot --------------------------------------------------------------- */

enum { TOLERATED = 1000 }; /* one object per this many */

/* Returns the number of objects from begin to end whose address is in no stretch. */
static size_t count_unnamed(const struct gc_moves_part *last, const struct places *newer,
                            struct gc_moves_found f)
{
    const struct stretch *s = last->stretches;
    size_t at = 0, unnamed = 0;
    for (size_t i = f.begin; i < f.end; i++) {
        uint64_t address = newer->all[i].address;
        while (at < last->stretch_count && s[at].to <= address &&
               address - s[at].to >= s[at].size)
            at++;
        unnamed += at == last->stretch_count || s[at].to > address;
    }
    return unnamed;
}

/* True if the last collection listed the objects of the snapshot that was taken in it. It
 * lists only the generations that it collected. */
static bool names_all(const struct gc_moves *m, const struct places *newer)
{
    struct gc_moves_part last = {.depth = m->depth,
                                 .stretches = m->named,
                                 .stretch_count = m->named_count,
                                 .territories = m->collected,
                                 .territory_count = m->collected_count};
    size_t unnamed = 0;
    if (last.territory_count == 0)
        return true;
    struct gc_moves_found *all =
        alloc_zeroed(array_bytes(last.territory_count, sizeof(*all)));
    size_t count = gc_moves_find(newer, &last, all);
    if (last.stretch_count > 0)
        qsort(last.stretches, last.stretch_count, sizeof(*last.stretches), by_to);
    for (size_t i = 0; i < count; i++)
        unnamed += count_unnamed(&last, newer, all[i]);
    free(all);
    return unnamed <= newer->len / TOLERATED;
}

uint32_t *gc_moves_end(struct gc_moves *m, const struct places *newer, uint32_t *survivors)
{
    uint32_t *older_of = alloc_resize(NULL, array_bytes(newer->len + 1, sizeof(*older_of)));
    size_t same = 0, i = 0;
    for (size_t k = 0; k < newer->len; k++) {
        const struct place *n = &newer->all[k];
        while (i < m->now.len && m->now.all[i].address < n->address)
            i++;
        bool is_same = i < m->now.len && m->now.all[i].address == n->address &&
                       m->now.all[i].key == n->key;
        older_of[k] = is_same ? m->now.all[i].object : NO_NODE;
        i += is_same;
        same += is_same;
    }
    *survivors = (uint32_t)same;
    if ((m->now.len - same) <= m->now.len / TOLERATED && names_all(m, newer))
        return older_of;
    free(older_of);
    return NULL;
}

/* --- samples in it ------------------------------------------------------------------- */

void gc_moves_add_sample(struct gc_moves *m, const struct sample *s)
{
    *APPEND(m->samples, m->sample_count, m->sample_cap) = *s;
}

static int by_address(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Compares types by name: a row of the snapshot has no id, but type_names has the name of
 * each id. Ids with the same name share a row. */
static bool is_object(const struct sample *s, const struct hd_snapshot *snap, node_id n)
{
    const char *name = snapshot_type_name(snap, s->type);
    uint64_t size = (graph_size(snap->graph, n) + 7) / 8 * 8;
    return size <= s->size && s->size - size <= s->excess && name != NULL &&
           strcmp(name, snap->types[snap->graph->type[n]].name) == 0;
}

struct placed_sample *gc_moves_samples(struct gc_moves *m, const struct hd_snapshot *snap,
                                       const struct places *newer, size_t *count)
{
    struct placed_sample *all =
        alloc_zeroed(array_bytes(m->sample_count + 1, sizeof(*all)));
    *count = 0;
    if (m->sample_count > 0)
        qsort(m->samples, m->sample_count, sizeof(*m->samples), by_address);
    for (size_t i = 0; i < m->sample_count; i++) {
        const struct sample *s = &m->samples[i];
        size_t at = first_at(newer, s->address);
        if (at == newer->len || newer->all[at].address != s->address ||
            !is_object(s, snap, newer->all[at].object))
            continue;
        /* The older of two at one address had died. */
        if (*count > 0 && all[*count - 1].object == at)
            (*count)--;
        all[(*count)++] = (struct placed_sample){(uint32_t)at, (uint32_t)i};
    }
    return all;
}
