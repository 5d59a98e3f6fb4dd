#include "digest/survivors.h"

#include "base/arrays.h"
#include "base/hash.h"
#include "chains/chains.h"
#include "heap/snapshot.h"
#include "series/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the samples of a digest --------------------------------------------------------- */

enum { SAMPLES = 256 };

static struct sampler *survivors_take_samples(const struct hd_snapshot *snap,
                                              bool of_all_types, struct arena *scratch)
{
    const struct graph *g = snap->graph;
    struct sampler *samplers = arena_array(scratch, struct sampler, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        bool is_large = type->raw.bytes >= snap->info.bytes / LARGE_SHARE ||
                        type->raw.count >= snap->info.objects / LARGE_SHARE;
        if (type->kind == TYPE_OBJECT && (of_all_types || is_large))
            samplers[t].cap = SAMPLES;
    }
    for (node_id n = 0; n < g->node_count; n++)
        if (samplers[g->type[n]].cap > 0 && graph_address(g, n) != 0)
            sampler_offer_hashed(&samplers[g->type[n]], n,
                                 address_hash(graph_address(g, n)));
    return samplers;
}

struct object {
    uint64_t address;
    node_id node;
};

static void keep_type(struct digest_survivors *to, const struct hd_snapshot *snap,
                      type_id t, const struct sampler *from)
{
    const struct graph *g = snap->graph;
    struct object all[SAMPLES];
    uint32_t at = to->begin[to->len];
    for (uint32_t i = 0; i < from->len; i++)
        all[i] = (struct object){graph_address(g, from->heap[i].node), from->heap[i].node};
    qsort(all, from->len, sizeof(*all), by_first_number);
    for (uint32_t i = 0; i < from->len; i++) {
        /* A damaged file may have two objects at one address: the first counts. */
        if (i > 0 && all[i].address == all[i - 1].address)
            continue;
        to->address[at] = all[i].address;
        to->size[at] = g->small_size[all[i].node];
        to->old[at++] = may_have_survived(snap, all[i].address);
    }
    to->type[to->len++] = t;
    to->begin[to->len] = at;
}

void survivors_sample(struct digest_survivors *to, const struct hd_snapshot *snap,
                      bool of_all_types, struct arena *a)
{
    struct arena scratch = {0};
    const struct graph *g = snap->graph;
    if (g->addresses == NULL)
        return;
    struct sampler *samplers = survivors_take_samples(snap, of_all_types, &scratch);
    size_t types = 0, objects = 0;
    for (type_id t = 0; t < snap->type_count; t++) {
        types += samplers[t].len > 0;
        objects += samplers[t].len;
    }
    *to = (struct digest_survivors){.samples_each = SAMPLES,
                                    .type = arena_array(a, type_id, types),
                                    .begin = arena_array(a, uint32_t, types + 1),
                                    .address = arena_array(a, uint64_t, objects),
                                    .size = arena_array(a, uint32_t, objects),
                                    .old = arena_alloc(a, objects + 1)};
    for (type_id t = 0; t < snap->type_count; t++) {
        if (samplers[t].len > 0)
            keep_type(to, snap, t, &samplers[t]);
        sampler_free(&samplers[t]);
    }
    arena_free(&scratch);
}

struct survivor_name {
    uint32_t number;
    UT_hash_handle hh;
};

bool may_have_survived(const struct hd_snapshot *snap, uint64_t address)
{
    if (address == 0)
        return false;
    return !snap->info.has_generations ||
           generation_is_old(ranges_find(&snap->ranges, address));
}

static bool has_addresses(const struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    for (node_id n = 0; g != NULL && g->addresses != NULL && n < g->node_count; n++)
        if (snap->types[g->type[n]].kind == TYPE_OBJECT)
            return graph_address(g, n) != 0;
    return false;
}

static struct survivor_name *find_name(const struct survivors *s, const char *name)
{
    struct survivor_name *found;
    HASH_FIND(hh, s->names, name, strlen(name), found);
    return found;
}

/* Names of a snapshot are copied: it may be freed before the next one is read. */
static void survivors_add_name(struct survivors *s, const char *name, uint32_t number)
{
    struct survivor_name *slot = arena_alloc(&s->arena, sizeof(*slot));
    size_t len = strlen(name);
    slot->number = number;
    HASH_ADD_KEYPTR(hh, s->names, arena_strdup(&s->arena, name, len), len, slot);
}

/* Replaces the pair by one that a file, which chooses the sizes, cannot predict. Different
 * pairs remain different. */
static uint32_t survivor_kind(struct pair_table *kinds, uint32_t number, uint32_t size,
                              uint32_t new_kind)
{
    uint64_t pair = mix(((uint64_t)number << 32 | size) ^ hash_seed());
    return pair_table_put(kinds, (uint32_t)(pair >> 32), (uint32_t)pair, new_kind);
}

/* The latest answer per type: its objects mostly have the same size. */
struct latest {
    uint32_t size, kind;
};

static inline uint32_t kind_of(struct survivors *s, struct latest *latest, uint32_t number,
                               uint32_t size, uint32_t new_kind)
{
    struct latest *l = &latest[number];
    if (l->size != size || l->kind == NO_PAIR)
        *l = (struct latest){size, survivor_kind(&s->kinds, number, size, new_kind)};
    return l->kind;
}

static struct latest *no_answers(const struct survivors *s, struct arena *a)
{
    struct latest *latest = arena_array(a, struct latest, s->name_count);
    for (uint32_t i = 0; i < s->name_count; i++)
        latest[i].kind = NO_PAIR;
    return latest;
}

/* --- samples --------------------------------------------------------- */

static struct digest_survivors sample_of(const struct hd_snapshot *snap, struct arena *a)
{
    struct digest_survivors sample = {0};
    if (snap->digest != NULL)
        return snap->digest->survivors;
    if (has_addresses(snap))
        survivors_sample(&sample, snap, true, a);
    return sample;
}

/* Returns the hash up to which the sample of a type is complete. */
static uint64_t reach_of(const struct digest_survivors *of, uint32_t i)
{
    uint64_t reach = 0;
    if (of->begin[i + 1] - of->begin[i] < of->samples_each)
        return UINT64_MAX;
    for (uint32_t k = of->begin[i]; k < of->begin[i + 1]; k++) {
        uint64_t hash = address_hash(of->address[k]);
        reach = hash > reach ? hash : reach;
    }
    return reach;
}

static struct survived estimate(uint64_t kept, uint64_t seen, uint64_t all, bool complete)
{
    double low = 0, high = 0, share = seen > 0 ? (double)kept / (double)seen : 0;
    if (seen == 0)
        return (struct survived){HD_UNKNOWN, HD_UNKNOWN, HD_UNKNOWN};
    if (complete)
        return (struct survived){kept, kept, kept};
    wilson_interval(kept, seen, &low, &high);
    return (struct survived){tally_rounded(share * (double)all),
                             tally_rounded(floor(low * (double)all)),
                             tally_rounded(ceil(high * (double)all))};
}

/* Addresses ascend in both. Objects that are young now did not exist before. */
static struct survived compare_type(const struct survivors *s, uint32_t i,
                                    const struct digest_survivors *now, uint32_t k,
                                    uint64_t all)
{
    const struct digest_survivors *then = &s->sample;
    uint64_t before = reach_of(then, i), after = reach_of(now, k), kept = 0, seen = 0;
    uint64_t reach = before < after ? before : after;
    bool of_age = s->selection & SELECT_GEN2;
    uint32_t at = then->begin[i];
    for (uint32_t j = now->begin[k]; j < now->begin[k + 1]; j++) {
        if (address_hash(now->address[j]) > reach || (of_age && !now->old[j]))
            continue;
        while (at < then->begin[i + 1] && then->address[at] < now->address[j])
            at++;
        bool was = at < then->begin[i + 1] && then->address[at] == now->address[j] &&
                   then->size[at] == now->size[j] && (!of_age || then->old[at]);
        seen++;
        kept += was && now->old[j];
    }
    return estimate(kept, seen, all, reach == UINT64_MAX);
}

/* --- all objects ----------------------------------------------------- */

static inline bool is_followed(const struct hd_snapshot *snap, node_id n,
                               const type_id *number, enum selection selection)
{
    const struct graph *g = snap->graph;
    return number[g->type[n]] != NO_TYPE && graph_address(g, n) != 0 &&
           snapshot_selects(snap, n, selection);
}

bool survivors_begin(struct survivors *s, const struct hd_snapshot *first,
                     enum selection selection, bool estimates)
{
    *s = (struct survivors){.selection = selection};
    if (estimates) {
        s->estimates = true;
        s->sample = sample_of(first, &s->arena);
        for (uint32_t i = 0; i < s->sample.len; i++)
            survivors_add_name(s, first->types[s->sample.type[i]].name, i);
        if (s->sample.len == 0)
            arena_free(&s->arena);
        return s->sample.len > 0;
    }
    if (!has_addresses(first))
        return false;
    const struct graph *g = first->graph;
    struct arena scratch = {0};
    type_id *number = arena_array(&scratch, type_id, first->type_count);
    for (type_id t = 0; t < first->type_count; t++) {
        bool is_object = first->types[t].kind == TYPE_OBJECT;
        number[t] = is_object ? s->name_count++ : NO_TYPE;
        if (is_object)
            survivors_add_name(s, first->types[t].name, number[t]);
    }
    uint64_t *address =
        alloc_resize(NULL, array_bytes((size_t)g->node_count + 1, sizeof(*address)));
    size_t len = 0;
    for (node_id n = 0; n < g->node_count; n++)
        if (is_followed(first, n, number, selection))
            address[len++] = graph_address(g, n);
    address_index_make_any(&s->addresses, address, len);
    s->kind = alloc_unknown(len + 1);
    struct latest *latest = no_answers(s, &scratch);
    for (node_id n = 0; n < g->node_count; n++) {
        if (!is_followed(first, n, number, selection))
            continue;
        uint32_t *kind = &s->kind[address_index_find(&s->addresses, graph_address(g, n))];
        if (*kind == NO_PAIR)
            *kind = kind_of(s, latest, number[g->type[n]], g->small_size[n],
                            (uint32_t)s->kinds.len);
    }
    arena_free(&scratch);
    return true;
}

static struct survived *compare_samples(struct survivors *s, const struct hd_snapshot *last,
                                        struct arena *a)
{
    struct arena scratch = {0};
    const struct digest_survivors now = sample_of(last, &scratch);
    struct survived *kept = arena_array(a, struct survived, last->type_count);
    for (type_id t = 0; t < last->type_count; t++)
        kept[t] = (struct survived){HD_UNKNOWN, HD_UNKNOWN, HD_UNKNOWN};
    for (uint32_t k = 0; k < now.len; k++) {
        const struct type *type = &last->types[now.type[k]];
        const struct survivor_name *before = find_name(s, type->name);
        if (before != NULL)
            kept[now.type[k]] =
                compare_type(s, before->number, &now, k, type->tally[s->selection].count);
    }
    arena_free(&scratch);
    return now.len > 0 ? kept : NULL;
}

struct survived *survivors_count(struct survivors *s, const struct hd_snapshot *last,
                                 struct arena *a)
{
    if (s->estimates)
        return compare_samples(s, last, a);
    if (!has_addresses(last))
        return NULL;
    const struct graph *g = last->graph;
    struct arena scratch = {0};
    type_id *number = arena_array(&scratch, type_id, last->type_count);
    for (type_id t = 0; t < last->type_count; t++) {
        const struct survivor_name *name = find_name(s, last->types[t].name);
        bool known = name != NULL && last->types[t].kind == TYPE_OBJECT;
        number[t] = known ? name->number : NO_TYPE;
    }
    struct latest *latest = no_answers(s, &scratch);
    struct survived *kept = arena_array(a, struct survived, last->type_count);
    for (type_id t = 0; t < last->type_count; t++)
        kept[t] = (struct survived){0, HD_UNKNOWN, HD_UNKNOWN};
    for (node_id n = 0; n < g->node_count; n++) {
        uint64_t address = graph_address(g, n);
        if (number[g->type[n]] == NO_TYPE || !may_have_survived(last, address) ||
            !snapshot_selects(last, n, s->selection))
            continue;
        uint32_t at = address_index_find(&s->addresses, address);
        kept[g->type[n]].count +=
            at != UINT32_MAX && s->kind[at] == kind_of(s, latest, number[g->type[n]],
                                                       g->small_size[n], NO_PAIR);
    }
    arena_free(&scratch);
    return kept;
}

void survivors_free(struct survivors *s)
{
    HASH_CLEAR(hh, s->names);
    address_index_free(&s->addresses);
    pair_table_free(&s->kinds);
    free(s->kind);
    arena_free(&s->arena);
    *s = (struct survivors){0};
}
