#include "format/digest/digest_parts.h"

#include "heap/untold.h"

#include <string.h>

/* One that a later version may have is unknown, and so are its ages. */
static enum hd_identity_source source_named(const char *name)
{
    for (int i = HD_SAME_UNKNOWN + 1; name != NULL && i < HD_SAME_SOURCE_COUNT; i++)
        if (strcmp(hd_identity_source_name((enum hd_identity_source)i), name) == 0)
            return (enum hd_identity_source)i;
    return HD_SAME_UNKNOWN;
}

static bool take_moments(struct digest_reading *r, struct digest_ages *s)
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

static bool take_survivors(struct digest_reading *r, struct digest_ages *s)
{
    const struct digest_value *survivors =
                                  digest_value(&r->columns, DIGEST_AGES, "survivors"),
                              *of = digest_value(&r->columns, DIGEST_AGES, "of");
    s->survivors = survivors->is_there ? survivors->number : HD_UNKNOWN;
    s->of = of->is_there ? of->number : HD_UNKNOWN;
    if ((s->survivors == HD_UNKNOWN) != (s->of == HD_UNKNOWN) ||
        (s->of != HD_UNKNOWN &&
         (s->survivors > s->of || s->survivors > r->b->snap->info.objects)))
        return digest_refuse(r, "survivors of the snapshot before");
    return true;
}

/* What is at a place and has no group yet: groups take it bit by bit. */
static bool take_group(struct digest_reading *r, struct digest_ages *s, uint32_t i,
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

static bool take_groups(struct digest_reading *r, struct digest_ages *s, size_t n)
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
        if (!take_group(r, s, i, &left))
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

static bool take_lost(struct digest_reading *r, struct digest_ages *s, size_t n)
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
    if (!take_moments(r, &s) || !take_survivors(r, &s) || !take_groups(r, &s, n) ||
        !take_lost(r, &s, lost))
        return false;
    if (s.source != HD_SAME_UNKNOWN && !r->b->snap->info.sampled)
        r->digest->ages = s;
    return true;
}
