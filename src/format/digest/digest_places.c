#include "format/digest/digest_parts.h"

#include <string.h>

/* --- what no root reaches -------------------------------------------- */

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

/* --- places ---------------------------------------------------------- */

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

static bool take_field_names(struct digest_reading *r)
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

field_id *digest_fields_of(struct digest_reading *r, enum digest_group group, size_t count,
                           size_t from)
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

static bool take_held(struct digest_reading *r, size_t count)
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
    return sum_places(r, p) && take_field_names(r) && take_held(r, n);
}

/* --- who refers to whom ---------------------------------------------- */

/* 2n is n places in front, 2n - 1 is n behind; NO_PLACE for what is no place. */
static uint64_t place_at(uint64_t target, uint64_t distance)
{
    uint64_t n = distance / 2 + distance % 2;
    if (distance % 2 == 1)
        return target + n;
    return n > 0 && n <= target ? target - n : NO_PLACE;
}

/* The places of one group, ascending. */
static bool take_group(struct digest_reading *r, struct digest_sharing *s, size_t g,
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
        if (!take_group(r, s, g, from, (size_t)count[g]))
            return false;
    }
    return s->begin[n] == all || digest_refuse(r, "references");
}
