#include "ages/ages.h"

#include "base/arrays.h"
#include "base/hash.h"
#include "identity/places.h"

#include <stdlib.h>
#include <string.h>

/* Moments fit a byte (AGES_MAX). */
struct aged_object {
    uint32_t key; /* of its type and size, as in identity/places.h */
    path_id path;
    unsigned char born, arrived;
};

/* --- paths ----------------------------------------------------------------------- */

static int ages_by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static struct aged_paths paths_of(const struct ownership_tree *t)
{
    const struct full_tree *f = &t->full[0];
    const struct labels *l = &t->labels;
    struct aged_paths p = {.len = f->len};
    uint64_t *hash = alloc_zeroed(array_bytes(l->len + 1, sizeof(*hash)));
    p.parent = alloc_zeroed(array_bytes(f->len + 1, sizeof(*p.parent)));
    p.type = alloc_zeroed(array_bytes(f->len + 1, sizeof(*p.type)));
    p.several = alloc_zeroed(array_bytes(l->len + 1, sizeof(*p.several)));
    for (size_t i = 0; i < l->len; i++) {
        const struct label *label = &l->all[i];
        hash[i] = XXH3_64bits_withSeed(label->name, strlen(label->name), label->kind);
        if (label->count[0] > 1)
            p.several[p.several_count++] = hash[i];
    }
    for (size_t i = 1; i < f->len; i++) {
        p.parent[i] = f->parent[i];
        p.type[i] = hash[f->label[i]];
    }
    qsort(p.several, p.several_count, sizeof(*p.several), ages_by_value);
    free(hash);
    return p;
}

static bool ages_is_below(const void *all, size_t i, const void *wanted)
{
    return ((const uint64_t *)all)[i] < *(const uint64_t *)wanted;
}

static bool has_several(const struct aged_paths *p, uint64_t type)
{
    size_t i = search_first(p->several, 0, p->several_count, ages_is_below, &type);
    return i < p->several_count && p->several[i] == type;
}

/* Returns a number for each path, the same for equal paths of both. */
static uint64_t *names_of(const struct aged_paths *p, const struct aged_paths *other)
{
    uint64_t *name = alloc_zeroed(array_bytes(p->len + 1, sizeof(*name)));
    for (size_t i = 1; i < p->len; i++) {
        bool goes_on = has_several(p, p->type[i]) || has_several(other, p->type[i]);
        name[i] = XXH3_64bits_withSeed(&p->type[i], sizeof(p->type[i]),
                                       goes_on ? name[p->parent[i]] : 0);
    }
    return name;
}

/* --- objects --------------------------------------------------------------------- */

static void ages_free(struct hd_ages *h)
{
    free(h->object);
    holdings_free(&h->held);
    free(h->paths.parent);
    free(h->paths.type);
    free(h->paths.several);
    *h = (struct hd_ages){0};
}

/* object_of: the number of each node in the order of addresses; or NO_NODE. */
static struct hd_ages snapshot_alone(const struct hd_snapshot *snap,
                                     const struct ownership_tree *t, const struct places *p,
                                     const uint32_t *object_of, uint64_t token)
{
    struct hd_ages now = {.moment = {token},
                          .moment_count = 1,
                          .object_count = (uint32_t)p->len,
                          .held = holdings_of(snap, object_of, NULL),
                          .paths = paths_of(t)};
    now.object = alloc_zeroed(array_bytes(p->len + 1, sizeof(*now.object)));
    for (size_t i = 0; i < p->len; i++) {
        now.object[i].key = p->all[i].key;
        now.object[i].path = t->full[0].at_node[p->all[i].object];
    }
    size_t kept = 0;
    for (size_t i = 0; i < now.held.len; i++) {
        struct content_hash h = {now.held.all[i].hash, object_of[now.held.all[i].of]};
        if (h.of != NO_NODE)
            now.held.all[kept++] = h;
    }
    now.held.len = kept;
    return now;
}

/* Appends the new moment to the earlier ones. At AGES_MAX the oldest is dropped: its
 * objects and earlier ones are then alike. Returns the number of dropped moments, 0 or
 * 1. */
static unsigned add_moment(struct hd_ages *now, const struct hd_ages *before)
{
    uint32_t left_out = before->moment_count == AGES_MAX;
    uint32_t kept = before->moment_count - left_out;
    uint64_t token = now->moment[0];
    memcpy(now->moment, before->moment + left_out, kept * sizeof(*now->moment));
    now->moment[kept] = token;
    now->moment_count = kept + 1;
    for (uint32_t i = 0; i < now->object_count; i++)
        now->object[i].born = now->object[i].arrived = (unsigned char)kept;
    return left_out;
}

static unsigned char earlier(unsigned char moment, unsigned less)
{
    return (unsigned char)(moment > less ? moment - less : 0);
}

/* Carries ages from one snapshot to the next: which objects of the older one survived,
 * which older object each newer one was, or NO_NODE, and numbers for paths that both
 * have. */
struct cohort_carrier {
    struct hd_ages *now, *before;
    const uint32_t *object_of;
    unsigned left_out;
    uint64_t *survived;
    uint32_t *was;
    uint64_t *older, *newer;
};

static void take_age(void *context, uint32_t older, uint32_t newer)
{
    struct cohort_carrier *c = context;
    const struct aged_object *a = &c->before->object[older];
    struct aged_object *b = &c->now->object[newer];
    b->born = earlier(a->born, c->left_out);
    if (a->path != NO_PATH && b->path != NO_PATH && c->older[a->path] == c->newer[b->path])
        b->arrived = earlier(a->arrived, c->left_out);
}

/* False if the file is damaged: an object is matched twice, or with another type or
 * size. */
static bool carry_survivors(struct cohort_carrier *c, const struct survivor_map *map)
{
    struct survivor_map_reader r = {.map = map};
    struct survivor_run run;
    bool damaged = false, ok = true;
    while (ok && survivor_map_next(&r, &run, &damaged))
        for (uint32_t i = run.newer; ok && i < run.newer + run.count; i++) {
            uint32_t from = run.older + (i - run.newer);
            ok = c->before->object[from].key == c->now->object[i].key &&
                 bits_add(c->survived, from);
            c->was[i] = from;
            take_age(c, from, i);
        }
    return ok && !damaged;
}

static void take_age_of_node(void *context, uint32_t older, uint32_t node)
{
    struct cohort_carrier *c = context;
    take_age(c, older, c->object_of[node]);
}

/* The same for entries that were recreated around surviving objects (identity/same.h). */
static void carry_recreated(struct cohort_carrier *c, const struct hd_snapshot *snap,
                            const struct places *p)
{
    uint32_t *number = alloc_unknown(snap->graph->node_count);
    uint64_t *arrived = bits_new(snap->graph->node_count);
    for (size_t i = 0; i < p->len; i++) {
        number[p->all[i].object] = c->was[i];
        if (c->was[i] == NO_NODE)
            bits_set(arrived, p->all[i].object);
    }
    struct holdings now = holdings_of(snap, number, arrived);
    struct holdings *held = &c->before->held;
    size_t kept = 0;
    for (size_t i = 0; i < held->len; i++)
        if (!bits_have(c->survived, held->all[i].of))
            held->all[kept++] = held->all[i];
    held->len = kept;
    holdings_join(&c->before->held, &now, take_age_of_node, c);
    holdings_free(&now);
    free(number);
    free(arrived);
}

static bool carry(struct hd_ages *now, struct hd_ages *before,
                  const struct hd_snapshot *snap, const struct places *p,
                  const uint32_t *object_of)
{
    struct cohort_carrier c = {.now = now,
                               .before = before,
                               .object_of = object_of,
                               .left_out = add_moment(now, before),
                               .survived = bits_new(before->object_count),
                               .was = alloc_unknown(now->object_count),
                               .older = names_of(&before->paths, &now->paths),
                               .newer = names_of(&now->paths, &before->paths)};
    bool ok = carry_survivors(&c, snap->survivor_map);
    if (ok)
        carry_recreated(&c, snap, p);
    free(c.survived);
    free(c.was);
    free(c.older);
    free(c.newer);
    return ok;
}

static bool is_of(const struct survivor_map *map, const struct hd_ages *now,
                  const struct hd_ages *before)
{
    return map != NULL && before->moment_count > 0 &&
           map->older.token == before->moment[before->moment_count - 1] &&
           map->older.objects == before->object_count &&
           map->newer.token == now->moment[0] && map->newer.objects == now->object_count;
}

/* --- for the digest -------------------------------------------------------------- */

struct ages_group {
    uint32_t place; /* or the type of objects without a place */
    uint32_t age;   /* born * 256 + arrived */
    uint64_t objects, bytes;
};

static int ages_by_place(const void *a, const void *b)
{
    const struct ages_group *x = a, *y = b;
    return x->place != y->place ? (x->place > y->place) - (x->place < y->place)
                                : (x->age > y->age) - (x->age < y->age);
}

/* Groups reachable objects by place, or unreachable ones by type. Leaves out age 0. */
static struct ages_group *group_objects(const uint16_t *age, const struct hd_snapshot *snap,
                                        const struct ownership_tree *t, bool lost,
                                        size_t *len)
{
    const struct graph *g = snap->graph;
    const path_id *at = t->full[0].at_node;
    struct pair_table numbers = {0};
    size_t cap = 0;
    struct ages_group *all = grow(NULL, 0, &cap, sizeof(*all));
    *len = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        uint32_t place = lost ? g->type[n] : at[n], since = lost ? age[n] & 0xFF00 : age[n];
        if (since == 0 || lost != (at[n] == NO_PATH) ||
            snap->types[g->type[n]].kind != TYPE_OBJECT)
            continue;
        uint32_t i = pair_table_put(&numbers, place, since, (uint32_t)*len);
        if (i == *len) {
            all = grow(all, *len, &cap, sizeof(*all));
            all[(*len)++] = (struct ages_group){.place = place, .age = since};
        }
        all[i].objects++;
        all[i].bytes += graph_size(g, n);
    }
    pair_table_free(&numbers);
    qsort(all, *len, sizeof(*all), ages_by_place);
    return all;
}

static void keep_groups(struct digest_ages *to, const struct ages_group *all, size_t len,
                        struct arena *a)
{
    to->len = (uint32_t)len;
    to->place = arena_array(a, uint32_t, len);
    to->born = arena_alloc(a, len + 1);
    to->arrived = arena_alloc(a, len + 1);
    to->objects = arena_array(a, uint64_t, len);
    to->bytes = arena_array(a, uint64_t, len);
    for (size_t i = 0; i < len; i++) {
        to->place[i] = all[i].place;
        to->born[i] = (unsigned char)(all[i].age >> 8);
        to->arrived[i] = (unsigned char)all[i].age;
        to->objects[i] = all[i].objects;
        to->bytes[i] = all[i].bytes;
    }
}

static void ages_keep(struct digest_ages *to, const struct hd_ages *h,
                      const struct hd_snapshot *snap, const struct ownership_tree *t,
                      const struct places *p, struct arena *a)
{
    size_t len;
    bool follows = h->moment_count > 1;
    *to = (struct digest_ages){
        .source = HD_SAME_BY_EVENTS,
        .moment_count = h->moment_count,
        .moment = arena_array(a, uint64_t, h->moment_count),
        .survivors = follows ? snap->survivor_map->survivors : HD_UNKNOWN,
        .of = follows ? snap->survivor_map->older.objects : HD_UNKNOWN};
    memcpy(to->moment, h->moment, h->moment_count * sizeof(*to->moment));
    if (!follows)
        return;
    /* Age of each node; nodes without an address are always new. */
    uint32_t nodes = snap->graph->node_count;
    uint16_t *age = alloc_zeroed(array_bytes((size_t)nodes + 1, sizeof(*age)));
    for (uint32_t n = 0; n < nodes; n++)
        age[n] = (uint16_t)((h->moment_count - 1) * 0x101);
    for (size_t i = 0; i < p->len; i++)
        age[p->all[i].object] = (uint16_t)(h->object[i].born << 8 | h->object[i].arrived);
    struct ages_group *all = group_objects(age, snap, t, false, &len);
    keep_groups(to, all, len, a);
    free(all);
    all = group_objects(age, snap, t, true, &len);
    to->lost_len = (uint32_t)len;
    to->lost_type = arena_array(a, type_id, len);
    to->lost_born = arena_alloc(a, len + 1);
    to->lost_objects = arena_array(a, uint64_t, len);
    for (size_t i = 0; i < len; i++) {
        to->lost_type[i] = all[i].place;
        to->lost_born[i] = (unsigned char)(all[i].age >> 8);
        to->lost_objects[i] = all[i].objects;
    }
    free(all);
    free(age);
}

/* --- ages of a snapshot ---------------------------------------------------------- */

void ages_add(struct hd_ages *h, const struct hd_snapshot *snap,
              const struct ownership_tree *t, struct digest_ages *to, struct arena *a)
{
    struct places p = {0};
    if (snap->info.complete && !snap->info.sampled && snap->info.has_roots)
        p = places_of(snap);
    if (p.len == 0 || p.len >= UINT32_MAX) {
        places_free(&p);
        ages_free(h);
        return;
    }
    uint64_t token = places_token(&p);
    uint32_t *object_of = alloc_unknown(snap->graph->node_count);
    for (size_t i = 0; i < p.len; i++)
        object_of[p.all[i].object] = (uint32_t)i;
    struct hd_ages now = snapshot_alone(snap, t, &p, object_of, token);
    if (is_of(snap->survivor_map, &now, h) && !carry(&now, h, snap, &p, object_of)) {
        ages_free(&now);
        now = snapshot_alone(snap, t, &p, object_of, token);
    }
    ages_keep(to, &now, snap, t, &p, a);
    free(object_of);
    places_free(&p);
    ages_free(h);
    *h = now;
}

struct hd_ages *hd_ages_begin(void)
{
    return alloc_zeroed(sizeof(struct hd_ages));
}

void hd_snapshot_set_ages(struct hd_snapshot *snap, struct hd_ages *ages)
{
    snap->ages = ages;
}

void hd_ages_end(struct hd_ages *ages)
{
    if (ages == NULL)
        return;
    ages_free(ages);
    free(ages);
}
