#include "format/digest/digest_parts.h"
#include "heap/told_same.h"

#include <string.h>

/* --- what no root reaches ------------------------------------------------------ */

static bool is_part_of(const struct hd_tally *part, const struct hd_tally *whole)
{
    return part->count <= whole->count && part->bytes <= whole->bytes;
}

/* What type i has in a generation; all of it where generations are not known. */
static struct hd_tally tally_of(const struct digest_reading *r, size_t i,
                                enum hd_generation g)
{
    const struct raw_type *t = &r->b->types[i];
    if (r->b->snap->info.has_generations)
        return t->by_generation != NULL ? t->by_generation[g] : (struct hd_tally){0};
    return g == HD_GEN_UNKNOWN ? t->all : (struct hd_tally){0};
}

bool digest_read_lost(struct digest_reading *r)
{
    struct hd_info *info = &r->b->snap->info;
    const struct digest_value *at = digest_value(&r->columns, DIGEST_LOST, "at");
    uint64_t cells = (uint64_t)r->type_count * HD_GENERATION_COUNT, cell = 0;
    if (!at->is_there)
        return info->reachable_objects == HD_UNKNOWN || digest_refuse(r, "reachable");
    const uint64_t *rise = digest_numbers_of(r, DIGEST_LOST, "at", at->len, cells);
    const uint64_t *count = digest_numbers_of(r, DIGEST_LOST, "count", at->len, HD_UNKNOWN);
    const uint64_t *bytes = digest_numbers_of(r, DIGEST_LOST, "bytes", at->len, HD_UNKNOWN);
    if (rise == NULL || count == NULL || bytes == NULL)
        return false;
    struct hd_tally sum = {0};
    r->digest->lost = arena_array(&r->b->snap->arena, struct hd_tally, cells);
    for (size_t i = 0; i < at->len; i++) {
        cell += rise[i];
        if ((i > 0 && rise[i] == 0) || cell >= cells)
            return digest_refuse(r, "unreachable objects");
        struct hd_tally lost = {count[i], bytes[i]};
        struct hd_tally all =
            tally_of(r, cell / HD_GENERATION_COUNT, cell % HD_GENERATION_COUNT);
        if (!is_part_of(&lost, &all) || lost.count == 0)
            return digest_refuse(r, "unreachable objects");
        r->digest->lost[cell] = lost;
        tally_add(&sum, &lost);
    }
    return (info->reachable_objects == info->objects - sum.count &&
            info->reachable_bytes == info->bytes - sum.bytes) ||
           digest_refuse(r, "reachable objects");
}

/* --- places -------------------------------------------------------------------- */

/* What of each type is at places has to be what the roots reach of it, in all and of
 * what is old. */
static bool places_are_all(struct digest_reading *r, const struct hd_tally *at,
                           const struct hd_tally *old)
{
    for (size_t i = 0; i < r->type_count; i++) {
        const struct raw_type *t = &r->b->types[i];
        struct hd_tally all = t->all, aged = t->old;
        if (t->kind != TYPE_OBJECT)
            continue;
        for (enum hd_generation g = HD_GEN0; g < HD_GENERATION_COUNT; g++) {
            const struct hd_tally *lost = &r->digest->lost[i * HD_GENERATION_COUNT + g];
            tally_take(&all, lost);
            if (generation_is_old(g) && r->b->snap->info.has_generations)
                tally_take(&aged, lost);
        }
        if (at[i].count != all.count || at[i].bytes != all.bytes ||
            (old != NULL && (old[i].count != aged.count || old[i].bytes != aged.bytes)))
            return digest_refuse(r, "types and places");
    }
    return true;
}

/* The sums are below those of the file, which fit 64 bits: each is looked at. */
static bool add_place(struct hd_tally *sum, const struct hd_tally *more,
                      const struct raw_type *t)
{
    if (t->kind != TYPE_OBJECT)
        return more->bytes == 0;
    if (more->count > t->all.count - sum->count || more->bytes > t->all.bytes - sum->bytes)
        return false;
    tally_add(sum, more);
    return true;
}

static bool sum_places(struct digest_reading *r, const struct digest_places *p)
{
    struct arena scratch = {0};
    struct hd_tally *at = arena_array(&scratch, struct hd_tally, r->type_count);
    struct hd_tally *old = arena_array(&scratch, struct hd_tally, r->type_count);
    bool ok = true;
    for (uint32_t i = 1; ok && i < p->len; i++) {
        type_id t = p->type[i];
        ok = p->at[i].count > 0 && add_place(&at[t], &p->at[i], &r->b->types[t]);
        if (ok && p->old != NULL)
            ok = add_place(&old[t], &p->old[i], &r->b->types[t]);
    }
    ok = ok ? places_are_all(r, at, p->old != NULL ? old : NULL)
            : digest_refuse(r, "types and places");
    arena_free(&scratch);
    return ok;
}

static bool parse_field_names(struct digest_reading *r)
{
    const struct digest_value *name = digest_value(&r->columns, DIGEST_FIELDS, "name");
    struct digest *d = r->digest;
    d->field_names = arena_array(&r->b->snap->arena, const char *, name->len);
    for (size_t i = 0; i < name->len; i++) {
        if (name->strings[i] == NULL || i == NO_FIELD - 2)
            return digest_refuse(r, "fields");
        d->field_names[d->field_count++] = name->strings[i];
    }
    return true;
}

/* Fields of count places or links, `from` of them behind others; null is none. NULL after
 * digest_refuse(). */
static field_id *digest_fields_of(struct digest_reading *r, enum digest_group group,
                                  size_t count, size_t from)
{
    const struct digest_value *v = digest_value(&r->columns, group, "field");
    field_id *to = arena_array(&r->b->snap->arena, field_id, count + from);
    to[0] = NO_FIELD;
    for (size_t i = 0; i < count; i++) {
        if (v->len != count ||
            (v->numbers[i] != HD_UNKNOWN && v->numbers[i] >= r->digest->field_count)) {
            digest_refuse(r, "fields");
            return NULL;
        }
        to[i + from] = v->numbers[i] != HD_UNKNOWN ? (field_id)v->numbers[i] : NO_FIELD;
    }
    return to;
}

static bool parse_held(struct digest_reading *r, size_t count)
{
    struct digest_places *p = &r->digest->places;
    if (!digest_value(&r->columns, DIGEST_PLACES, "field")->is_there)
        return true;
    const uint64_t *held = digest_numbers_of(r, DIGEST_PLACES, "held", count, HD_UNKNOWN);
    const uint64_t *held_of =
        digest_numbers_of(r, DIGEST_PLACES, "held_of", count, HD_UNKNOWN);
    field_id *field = digest_fields_of(r, DIGEST_PLACES, count, 1);
    if (held == NULL || held_of == NULL || field == NULL)
        return false;
    p->held = arena_array(&r->b->snap->arena, uint64_t, p->len);
    p->held_of = arena_array(&r->b->snap->arena, uint64_t, p->len);
    for (size_t i = 0; i < count; i++) {
        if (held[i] > held_of[i] || held_of[i] > p->at[i + 1].count)
            return digest_refuse(r, "fields");
        p->held[i + 1] = held[i];
        p->held_of[i + 1] = held_of[i];
    }
    p->field = field;
    return true;
}

bool digest_read_places(struct digest_reading *r)
{
    enum { MOST = UINT32_MAX / 4 };
    struct arena *a = &r->b->snap->arena;
    struct digest_places *p = &r->digest->places;
    size_t n = digest_value(&r->columns, DIGEST_PLACES, "above")->len;
    bool old = r->b->snap->info.has_generations;
    if (n > MOST || r->digest->lost == NULL)
        return digest_refuse(r, "places");
    const uint64_t *above = digest_numbers_of(r, DIGEST_PLACES, "above", n, MOST);
    const uint64_t *type = digest_numbers_of(r, DIGEST_PLACES, "type", n, r->type_count);
    const uint64_t *of[4] = {NULL};
    static const char *const names[4] = {"count", "bytes", "young_count", "young_bytes"};
    for (int i = 0; i < (old ? 4 : 2); i++) {
        of[i] = digest_numbers_of(r, DIGEST_PLACES, names[i], n, HD_UNKNOWN);
        if (of[i] == NULL)
            return false;
    }
    if (above == NULL || type == NULL)
        return false;
    *p = (struct digest_places){.len = (uint32_t)n + 1,
                                .parent = arena_array(a, uint32_t, n + 1),
                                .type = arena_array(a, type_id, n + 1),
                                .at = arena_array(a, struct hd_tally, n + 1),
                                .old = old ? arena_array(a, struct hd_tally, n + 1) : NULL};
    p->parent[0] = NO_PLACE;
    p->type[0] = NO_TYPE;
    for (size_t i = 1; i <= n; i++) {
        if (above[i - 1] == 0 || above[i - 1] > i)
            return digest_refuse(r, "places");
        p->parent[i] = (uint32_t)(i - above[i - 1]);
        p->type[i] = (type_id)type[i - 1];
        p->at[i] = (struct hd_tally){of[0][i - 1], of[1][i - 1]};
        if (!old)
            continue;
        struct hd_tally young = {of[2][i - 1], of[3][i - 1]};
        if (!is_part_of(&young, &p->at[i]))
            return digest_refuse(r, "places");
        p->old[i] = p->at[i];
        tally_take(&p->old[i], &young);
    }
    return sum_places(r, p) && parse_field_names(r) && parse_held(r, n);
}

/* --- who refers to whom -------------------------------------------------------- */

/* 2n is n places in front, 2n - 1 is n behind; NO_PLACE for what is no place. */
static uint64_t place_at(uint64_t target, uint64_t distance)
{
    uint64_t n = distance / 2 + distance % 2;
    if (distance % 2 == 1)
        return target + n;
    return n > 0 && n <= target ? target - n : NO_PLACE;
}

/* The places of one group, ascending. */
static bool parse_group(struct digest_reading *r, struct digest_sharing *s, size_t g,
                        const uint64_t *from, size_t len)
{
    for (size_t i = s->begin[g]; i < s->begin[g] + len; i++) {
        uint64_t place = place_at(s->target[g], from[i]);
        if (place >= r->digest->places.len || (i > s->begin[g] && place <= s->from[i - 1]))
            return digest_refuse(r, "references");
        s->from[i] = (uint32_t)place;
    }
    s->begin[g + 1] = s->begin[g] + (uint32_t)len;
    return true;
}

bool digest_read_sharing(struct digest_reading *r)
{
    struct arena *a = &r->b->snap->arena;
    struct digest_sharing *s = &r->digest->sharing;
    uint32_t places = r->digest->places.len;
    size_t n = digest_value(&r->columns, DIGEST_SHARING, "place")->len;
    size_t all = digest_value(&r->columns, DIGEST_SHARING, "from")->len;
    if (n > UINT32_MAX / 4 || all > UINT32_MAX / 2)
        return digest_refuse(r, "references");
    const uint64_t *rise = digest_numbers_of(r, DIGEST_SHARING, "place", n, places);
    const uint64_t *objects =
        digest_numbers_of(r, DIGEST_SHARING, "objects", n, HD_UNKNOWN);
    const uint64_t *count = digest_numbers_of(r, DIGEST_SHARING, "from_count", n, all + 1);
    const uint64_t *from =
        digest_numbers_of(r, DIGEST_SHARING, "from", all, 2 * (uint64_t)places);
    if (rise == NULL || objects == NULL || count == NULL || from == NULL)
        return false;
    *s = (struct digest_sharing){.len = (uint32_t)n,
                                 .target = arena_array(a, uint32_t, n),
                                 .begin = arena_array(a, uint32_t, n + 1),
                                 .from = arena_array(a, uint32_t, all),
                                 .objects = arena_array(a, uint64_t, n)};
    uint64_t target = 0, left = 0;
    for (size_t g = 0; g < n; g++) {
        target += rise[g];
        if (target == 0 || target >= places || count[g] > all - s->begin[g])
            return digest_refuse(r, "references");
        left = g == 0 || rise[g] > 0 ? r->digest->places.at[target].count : left;
        if (objects[g] == 0 || objects[g] > left)
            return digest_refuse(r, "references");
        left -= objects[g];
        s->target[g] = (uint32_t)target;
        s->objects[g] = objects[g];
        if (!parse_group(r, s, g, from, (size_t)count[g]))
            return false;
    }
    return s->begin[n] == all || digest_refuse(r, "references");
}

/* --- samples ------------------------------------------------------------------- */

/* --- chains -------------------------------------------------------------------- */

static bool parse_links(struct digest_reading *r, size_t n)
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

static bool parse_chain_samples(struct digest_reading *r, size_t n)
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
    if (!parse_links(r, links) || !parse_chain_samples(r, samples))
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

/* --- survivors ----------------------------------------------------------------- */

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

/* --- ages ---------------------------------------------------------------------- */

/* One that a later version may have is unknown, and so are its ages. */
static enum hd_identity_source source_named(const char *name)
{
    for (int i = HD_SAME_UNKNOWN + 1; name != NULL && i < HD_SAME_SOURCE_COUNT; i++)
        if (strcmp(hd_identity_source_name((enum hd_identity_source)i), name) == 0)
            return (enum hd_identity_source)i;
    return HD_SAME_UNKNOWN;
}

static bool parse_moments(struct digest_reading *r, struct digest_ages *s)
{
    const struct digest_value *v = digest_value(&r->columns, DIGEST_AGES, "moment");
    if (v->len == 0 || v->len > AGES_MOST)
        return digest_refuse(r, "moments");
    s->moment_count = (uint32_t)v->len;
    s->moment = arena_array(&r->b->snap->arena, uint64_t, v->len);
    for (size_t i = 0; i < v->len; i++) {
        s->moment[i] = digest_hex_of(v->strings[i], HD_UNKNOWN);
        if (s->moment[i] == HD_UNKNOWN)
            return digest_refuse(r, "moments");
    }
    return true;
}

static bool parse_survivors(struct digest_reading *r, struct digest_ages *s)
{
    const struct digest_value *survivors =
                                  digest_value(&r->columns, DIGEST_AGES, "survivors"),
                              *of = digest_value(&r->columns, DIGEST_AGES, "of");
    s->survivors = survivors->is_there ? survivors->number : HD_UNKNOWN;
    s->of = of->is_there ? of->number : HD_UNKNOWN;
    if ((s->survivors == HD_UNKNOWN) != (s->of == HD_UNKNOWN) ||
        (s->of != HD_UNKNOWN &&
         (s->survivors > s->of || s->survivors > r->b->snap->info.objects)))
        return digest_refuse(r, "survivors of the previous snapshot");
    return true;
}

/* What is at a place and has no group yet: groups take it bit by bit. */
static bool parse_age_group(struct digest_reading *r, struct digest_ages *s, uint32_t i,
                            struct hd_tally *left)
{
    const struct digest_places *p = &r->digest->places;
    uint32_t place = s->place[i];
    bool first = i == 0 || place != s->place[i - 1];
    if (place == 0 || place >= p->len || r->b->types[p->type[place]].kind != TYPE_OBJECT)
        return false;
    if (first)
        *left = p->at[place];
    else if (s->born[i] < s->born[i - 1] ||
             (s->born[i] == s->born[i - 1] && s->came[i] <= s->came[i - 1]))
        return false;
    if (s->came[i] == 0 || s->born[i] > s->came[i] || s->objects[i] == 0 ||
        s->objects[i] > left->count || s->bytes[i] > left->bytes)
        return false;
    left->count -= s->objects[i];
    left->bytes -= s->bytes[i];
    return true;
}

static bool parse_groups(struct digest_reading *r, struct digest_ages *s, size_t n)
{
    struct arena *a = &r->b->snap->arena;
    uint64_t moments = s->moment_count, place = 0;
    const uint64_t *rise =
        digest_numbers_of(r, DIGEST_AGES, "place", n, r->digest->places.len);
    const uint64_t *born = digest_numbers_of(r, DIGEST_AGES, "born", n, moments);
    const uint64_t *came = digest_numbers_of(r, DIGEST_AGES, "came", n, moments);
    const uint64_t *objects = digest_numbers_of(r, DIGEST_AGES, "objects", n, HD_UNKNOWN);
    const uint64_t *bytes = digest_numbers_of(r, DIGEST_AGES, "bytes", n, HD_UNKNOWN);
    struct hd_tally left = {0};
    if (rise == NULL || born == NULL || came == NULL || objects == NULL || bytes == NULL)
        return false;
    s->place = arena_array(a, uint32_t, n);
    s->born = arena_alloc(a, n + 1);
    s->came = arena_alloc(a, n + 1);
    s->objects = arena_array(a, uint64_t, n);
    s->bytes = arena_array(a, uint64_t, n);
    for (; s->len < n; s->len++) {
        uint32_t i = s->len;
        place += rise[i];
        s->place[i] = place < NO_PLACE ? (uint32_t)place : NO_PLACE;
        s->born[i] = (unsigned char)(moments - 1 - born[i]);
        s->came[i] = (unsigned char)(moments - 1 - came[i]);
        s->objects[i] = objects[i];
        s->bytes[i] = bytes[i];
        if (!parse_age_group(r, s, i, &left))
            return digest_refuse(r, "ages");
    }
    return true;
}

/* In all generations. */
static uint64_t lost_of(const struct digest_reading *r, uint64_t type)
{
    const struct hd_tally *lost = &r->digest->lost[type * HD_GENERATION_COUNT];
    uint64_t all = 0;
    for (int g = 0; g < HD_GENERATION_COUNT; g++)
        all += lost[g].count;
    return all;
}

static bool parse_lost(struct digest_reading *r, struct digest_ages *s, size_t n)
{
    struct arena *a = &r->b->snap->arena;
    uint64_t moments = s->moment_count, left = 0;
    const uint64_t *type = digest_numbers_of(r, DIGEST_AGES, "lost_type", n, r->type_count);
    const uint64_t *born = digest_numbers_of(r, DIGEST_AGES, "lost_born", n, moments - 1);
    const uint64_t *objects =
        digest_numbers_of(r, DIGEST_AGES, "lost_objects", n, HD_UNKNOWN);
    if (type == NULL || born == NULL || objects == NULL)
        return false;
    s->lost_len = (uint32_t)n;
    s->lost_type = arena_array(a, type_id, n);
    s->lost_born = arena_alloc(a, n + 1);
    s->lost_objects = arena_array(a, uint64_t, n);
    for (size_t i = 0; i < n; i++) {
        bool first = i == 0 || type[i] != type[i - 1];
        left = first ? lost_of(r, type[i]) : left;
        if (objects[i] == 0 || objects[i] > left || (i > 0 && type[i] < type[i - 1]) ||
            (!first && born[i] >= born[i - 1]))
            return digest_refuse(r, "ages");
        left -= objects[i];
        s->lost_type[i] = (type_id)type[i];
        s->lost_born[i] = (unsigned char)(moments - 1 - born[i]);
        s->lost_objects[i] = objects[i];
    }
    return true;
}

bool digest_read_ages(struct digest_reading *r)
{
    struct digest_ages s = {0};
    size_t n = digest_value(&r->columns, DIGEST_AGES, "place")->len;
    size_t lost = digest_value(&r->columns, DIGEST_AGES, "lost_type")->len;
    if (!digest_value(&r->columns, DIGEST_AGES, "moment")->is_there)
        return true;
    const char *untold = digest_value(&r->columns, DIGEST_AGES, "untold")->text;
    if (untold != NULL)
        r->b->snap->untold = untold_named(untold, strlen(untold));
    s.source = source_named(digest_value(&r->columns, DIGEST_AGES, "source")->text);
    if (n > UINT32_MAX / 4 || lost > UINT32_MAX / 4)
        return digest_refuse(r, "ages");
    if (!parse_moments(r, &s) || !parse_survivors(r, &s) || !parse_groups(r, &s, n) ||
        !parse_lost(r, &s, lost))
        return false;
    if (s.source != HD_SAME_UNKNOWN && !r->b->snap->info.sampled)
        r->digest->ages = s;
    return true;
}
