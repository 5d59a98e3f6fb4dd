#include "format/digest/digest_parts.h"

/* --- chains ---------------------------------------------------------- */

static bool take_links(struct digest_reading *r, size_t n)
{
    struct arena *a = &r->b->snap->arena;
    struct digest_chains *c = &r->digest->chains;
    const uint64_t *above = digest_numbers_of(r, DIGEST_CHAINS, "above", n, n + 1);
    const uint64_t *type = digest_numbers_of(r, DIGEST_CHAINS, "type", n, r->type_count);
    const uint64_t *generation = NULL;
    if (r->b->snap->info.has_generations) {
        generation =
            digest_numbers_of(r, DIGEST_CHAINS, "generation", n, HD_GENERATION_COUNT);
        if (generation == NULL)
            return false;
    }
    if (above == NULL || type == NULL)
        return false;
    c->link_count = (uint32_t)n;
    c->above = arena_array(a, uint32_t, n);
    c->type = arena_array(a, type_id, n);
    c->generation = arena_alloc(a, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (above[i] > i)
            return digest_refuse(r, "chains");
        c->above[i] = above[i] > 0 ? (uint32_t)(i - above[i]) : NO_PLACE;
        c->type[i] = (type_id)type[i];
        c->generation[i] =
            (unsigned char)(generation != NULL ? generation[i] : (uint64_t)HD_GEN_UNKNOWN);
    }
    if (digest_value(&r->columns, DIGEST_CHAINS, "field")->is_there)
        c->field = digest_fields_of(r, DIGEST_CHAINS, n, 0);
    return c->field != NULL || !digest_value(&r->columns, DIGEST_CHAINS, "field")->is_there;
}

static bool take_chain_samples(struct digest_reading *r, size_t n)
{
    struct arena *a = &r->b->snap->arena;
    struct digest_chains *c = &r->digest->chains;
    const struct digest_places *p = &r->digest->places;
    const uint64_t *rise = digest_numbers_of(r, DIGEST_CHAINS, "place", n, p->len);
    const uint64_t *node = digest_numbers_of(r, DIGEST_CHAINS, "node", n, NO_NODE);
    const uint64_t *link = digest_numbers_of(r, DIGEST_CHAINS, "link", n, c->link_count);
    uint64_t place = 0, at = 0, here = 0;
    if (rise == NULL || node == NULL || link == NULL)
        return false;
    c->sample_count = (uint32_t)n;
    c->node = arena_array(a, node_id, n);
    c->link = arena_array(a, uint32_t, n);
    c->place = arena_array(a, uint32_t, n);
    for (size_t i = 0; i < n; i++) {
        bool first = i == 0 || rise[i] > 0;
        place += rise[i];
        at = first ? node[i] : at + node[i];
        here = first ? 1 : here + 1;
        if (place == 0 || place >= p->len || at >= NO_NODE || (!first && node[i] == 0) ||
            here > c->samples_each || here > p->at[place].count ||
            c->type[link[i]] != p->type[place])
            return digest_refuse(r, "samples of chains");
        c->node[i] = (node_id)at;
        c->link[i] = (uint32_t)link[i];
        c->place[i] = (uint32_t)place;
    }
    return true;
}

bool digest_read_chains(struct digest_reading *r)
{
    struct digest_chains *c = &r->digest->chains;
    size_t links = digest_value(&r->columns, DIGEST_CHAINS, "above")->len;
    size_t samples = digest_value(&r->columns, DIGEST_CHAINS, "place")->len;
    uint64_t each = digest_value(&r->columns, DIGEST_CHAINS, "samples_each")->number;
    if (links > UINT32_MAX / 4 || samples > UINT32_MAX / 4 || each >= UINT32_MAX)
        return digest_refuse(r, "chains");
    c->samples_each = (uint32_t)each;
    if (!take_links(r, links) || !take_chain_samples(r, samples))
        return false;
    if (!digest_value(&r->columns, DIGEST_CHAINS, "by_call_sites")->is_there)
        return true;
    const uint64_t *from =
        digest_numbers_of(r, DIGEST_CHAINS, "by_call_sites", r->type_count, HD_UNKNOWN);
    c->by_call_sites = arena_array(&r->b->snap->arena, uint64_t, r->type_count);
    for (size_t i = 0; from != NULL && i < r->type_count; i++)
        c->by_call_sites[i] = from[i];
    return from != NULL;
}

/* --- survivors ------------------------------------------------------- */

static bool take_addresses(struct digest_reading *r, struct digest_survivors *s, size_t n)
{
    const uint64_t *rise = digest_numbers_of(r, DIGEST_SURVIVORS, "address", n, HD_UNKNOWN);
    const struct digest_value *size = digest_value(&r->columns, DIGEST_SURVIVORS, "size");
    const uint64_t *old = NULL;
    if (r->b->snap->info.has_generations) {
        old = digest_numbers_of(r, DIGEST_SURVIVORS, "old", n, 2);
        if (old == NULL)
            return false;
    }
    uint64_t unit = digest_value(&r->columns, DIGEST_SURVIVORS, "address_unit")->number;
    if (rise == NULL || size->len != n)
        return digest_refuse(r, "survivors");
    for (uint32_t t = 0; t < s->len; t++) {
        uint64_t address = 0;
        for (uint32_t i = s->begin[t]; i < s->begin[t + 1]; i++) {
            if (rise[i] == 0 || !digest_add_units(&address, rise[i], unit))
                return digest_refuse(r, "addresses");
            s->address[i] = address;
            s->size[i] =
                size->numbers[i] < BIG_SIZE ? (uint32_t)size->numbers[i] : BIG_SIZE;
            s->old[i] = old == NULL || old[i] == 1;
        }
    }
    return true;
}

bool digest_read_survivors(struct digest_reading *r)
{
    struct arena *a = &r->b->snap->arena;
    struct digest_survivors *s = &r->digest->survivors;
    size_t types = digest_value(&r->columns, DIGEST_SURVIVORS, "type")->len;
    size_t n = digest_value(&r->columns, DIGEST_SURVIVORS, "address")->len;
    uint64_t each = digest_value(&r->columns, DIGEST_SURVIVORS, "samples_each")->number;
    if (n > UINT32_MAX / 4 || each >= UINT32_MAX)
        return digest_refuse(r, "survivors");
    const uint64_t *type =
        digest_numbers_of(r, DIGEST_SURVIVORS, "type", types, r->type_count);
    const uint64_t *samples =
        digest_numbers_of(r, DIGEST_SURVIVORS, "samples", types, each + 1);
    if (type == NULL || samples == NULL)
        return false;
    *s = (struct digest_survivors){.samples_each = (uint32_t)each,
                                   .len = (uint32_t)types,
                                   .type = arena_array(a, type_id, types),
                                   .begin = arena_array(a, uint32_t, types + 1),
                                   .address = arena_array(a, uint64_t, n),
                                   .size = arena_array(a, uint32_t, n),
                                   .old = arena_alloc(a, n + 1)};
    for (size_t i = 0; i < types; i++) {
        if ((i > 0 && type[i] <= type[i - 1]) || samples[i] > n - s->begin[i] ||
            samples[i] > r->b->types[type[i]].all.count)
            return digest_refuse(r, "survivors");
        s->type[i] = (type_id)type[i];
        s->begin[i + 1] = s->begin[i] + (uint32_t)samples[i];
    }
    return s->begin[types] == n ? take_addresses(r, s, n) : digest_refuse(r, "survivors");
}
