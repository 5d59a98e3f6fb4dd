/* A snapshot's digest as zstd-compressed JSON: mirror of read_digest.c. The snapshot needs
 * its digest (heap/digest.h) if it tells who owns what; without, it is a table. */
#include "base/hash.h"
#include "base/json_out.h"
#include "base/pack.h"
#include "format/digest/digest_format.h"
#include "format/snapshot_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of the levels that zstd has: the last, 19, makes files smaller by a seventh, and takes
 * twenty times as long. */
static const char level[] = "9";

struct writing {
    const struct hd_snapshot *snap;
    const struct digest *digest; /* perhaps without anything */
    struct out *o;
    bool begun;    /* the group has a member */
    type_id *kept; /* types that are written: those that something is of */
    size_t kept_count;
    type_id *number_of; /* of each type, in the file */
    uint64_t unit;      /* of the addresses that are written */
};

/* --- values ---------------------------------------------------------- */

/* printf takes five times as long, for a hundred thousand numbers. */
static void put_number(struct out *o, uint64_t n)
{
    char digits[24];
    size_t at = sizeof(digits);
    if (n == HD_UNKNOWN) {
        out_string(o, "null");
        return;
    }
    do {
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    out_bytes(o, digits + at, sizeof(digits) - at);
}

static void put_string(struct out *o, const char *s)
{
    json_write_string(s, o);
}

/* --- members --------------------------------------------------------- */

static void begin_group(struct writing *w, enum digest_group group)
{
    out_printf(w->o, ",\n\"%s\":{", digest_group_names[group]);
    w->begun = false;
}

static void end_group(struct writing *w)
{
    out_string(w->o, "}");
}

static void put_name(struct writing *w, const char *name)
{
    out_printf(w->o, "%s\"%s\":", w->begun ? ",\n " : "", name);
    w->begun = true;
}

static void member_number(struct writing *w, const char *name, uint64_t n)
{
    put_name(w, name);
    put_number(w->o, n);
}

static void member_string(struct writing *w, const char *name, const char *s)
{
    put_name(w, name);
    put_string(w->o, s);
}

static void member_truth(struct writing *w, const char *name, bool truth)
{
    put_name(w, name);
    out_string(w->o, truth ? "true" : "false");
}

/* Numbers beyond what doubles hold exactly. */
static void member_hex(struct writing *w, const char *name, uint64_t n)
{
    put_name(w, name);
    if (n == HD_UNKNOWN)
        out_string(w->o, "null");
    else
        out_printf(w->o, "\"%016" PRIx64 "\"", n);
}

/* The shortest of 17 digits that is read back as the same. */
static void member_real(struct writing *w, const char *name, double x)
{
    put_name(w, name);
    if (isfinite(x))
        out_printf(w->o, "%.17g", x);
    else
        out_string(w->o, "null");
}

/* A column: number i of count by a function of the digest. */
typedef uint64_t column_of(const struct writing *w, const void *context, size_t i);

static void column(struct writing *w, const char *name, size_t count, column_of *of,
                   const void *context)
{
    put_name(w, name);
    out_string(w->o, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            out_string(w->o, ",");
        put_number(w->o, of(w, context, i));
    }
    out_string(w->o, "]");
}

static uint64_t number_32(const struct writing *w, const void *context, size_t i)
{
    (void)w;
    return ((const uint32_t *)context)[i];
}

/* "None" of ids is null. */
static uint64_t id_32(const struct writing *w, const void *context, size_t i)
{
    uint64_t id = number_32(w, context, i);
    return id == UINT32_MAX ? HD_UNKNOWN : id;
}

/* Of types, the numbers that they have in the file. */
static uint64_t type_32(const struct writing *w, const void *context, size_t i)
{
    return w->number_of[number_32(w, context, i)];
}

/* An array by type, for those that are kept. */
static uint64_t by_type_64(const struct writing *w, const void *context, size_t i)
{
    return ((const uint64_t *)context)[w->kept[i]];
}

static uint64_t number_64(const struct writing *w, const void *context, size_t i)
{
    (void)w;
    return ((const uint64_t *)context)[i];
}

static uint64_t number_8(const struct writing *w, const void *context, size_t i)
{
    (void)w;
    return ((const unsigned char *)context)[i];
}

/* Of ascending numbers the differences. */
static uint64_t rise_32(const struct writing *w, const void *context, size_t i)
{
    (void)w;
    const uint32_t *all = context;
    return i > 0 ? all[i] - all[i - 1] : all[0];
}

/* Of what stands behind its parent: how far. 0 hangs from none. */
static uint64_t back_32(const struct writing *w, const void *context, size_t i)
{
    (void)w;
    uint32_t above = ((const uint32_t *)context)[i];
    return above != NO_PLACE ? i - above : 0;
}

static uint64_t tally_count(const struct writing *w, const void *context, size_t i)
{
    (void)w;
    return ((const struct hd_tally *)context)[i].count;
}

static uint64_t tally_bytes(const struct writing *w, const void *context, size_t i)
{
    (void)w;
    return ((const struct hd_tally *)context)[i].bytes;
}

/* Between the offsets of lists in one array. */
static uint64_t length_32(const struct writing *w, const void *context, size_t i)
{
    (void)w;
    const uint32_t *begin = context;
    return begin[i + 1] - begin[i];
}

/* --- what is known of the snapshot ----------------------------------- */

static void put_source(struct writing *w)
{
    begin_group(w, DIGEST_SOURCE);
    member_string(w, "format", w->digest->source_format);
    member_hex(w, "xxh3", w->digest->source_xxh3);
    end_group(w);
}

/* Some files tell that there are roots where nobody wanted to know what they reach, or
 * where they reach nothing. */
static struct hd_info info_of(const struct writing *w)
{
    struct hd_info info = w->snap->info;
    info.has_roots &= w->digest->places.len > 0;
    info.has_fields &= w->digest->places.len > 0;
    if (w->digest->lost == NULL)
        info.reachable_objects = info.reachable_bytes = HD_UNKNOWN;
    return info;
}

static void put_info(struct writing *w)
{
    const struct hd_snapshot *snap = w->snap;
    const struct hd_info known = info_of(w);
    const char *info = (const char *)&known;
    begin_group(w, DIGEST_INFO);
    for (size_t i = 0; i < DIGEST_FACTS; i++)
        member_string(w, digest_facts[i].name,
                      *(const char *const *)(info + digest_facts[i].offset));
    for (size_t i = 0; i < DIGEST_NUMBERS; i++)
        member_number(w, digest_numbers[i].name,
                      *(const uint64_t *)(info + digest_numbers[i].offset));
    for (size_t i = 0; i < DIGEST_TRUTHS; i++)
        member_truth(w, digest_truths[i].name,
                     *(const bool *)(info + digest_truths[i].offset));
    member_number(w, "weak_roots", snap->weak_roots);
    column(w, "roots_by_kind", HD_ROOT_KIND_COUNT, number_64, snap->roots_by_kind);
    member_real(w, "clock", snap->clock);
    member_truth(w, "clock_is_date", snap->clock_is_date);
    member_hex(w, "instance", snap->identity.instance);
    end_group(w);
    begin_group(w, DIGEST_ORIGIN);
    for (size_t i = 0; i < DIGEST_ORIGINS; i++)
        member_string(
            w, digest_origins[i].name,
            *(const char *const *)((const char *)&snap->origin + digest_origins[i].offset));
    end_group(w);
}

static void put_warnings(struct writing *w)
{
    const struct warnings *all = &w->snap->warnings;
    const char *const members[] = {"code", "detail", "count", "line"};
    begin_group(w, DIGEST_WARNINGS);
    for (size_t m = 0; m < sizeof(members) / sizeof(members[0]); m++) {
        put_name(w, members[m]);
        out_string(w->o, "[");
        for (size_t i = 0; i < all->len; i++) {
            const struct warning *at = &all->all[i];
            if (i > 0)
                out_string(w->o, ",");
            if (m < 2)
                put_string(w->o, m == 0 ? warning_texts[at->code].code : at->detail);
            else
                put_number(w->o, m == 2 ? at->count : at->line);
        }
        out_string(w->o, "]");
    }
    end_group(w);
}

/* --- types ----------------------------------------------------------- */

typedef const char *type_string(const struct type *t);

static const char *name_of(const struct type *t)
{
    return t->name;
}

static const char *full_name_of(const struct type *t)
{
    return t->full_name;
}

/* A column of strings; left out if no type has one. */
static void type_strings(struct writing *w, const char *name, type_string *of)
{
    const struct hd_snapshot *snap = w->snap;
    bool any = of == name_of;
    for (size_t i = 0; i < w->kept_count && !any; i++)
        any = of(&snap->types[w->kept[i]]) != NULL;
    if (!any)
        return;
    put_name(w, name);
    out_string(w->o, "[");
    for (size_t i = 0; i < w->kept_count; i++) {
        if (i > 0)
            out_string(w->o, ",");
        put_string(w->o, of(&snap->types[w->kept[i]]));
    }
    out_string(w->o, "]");
}

/* Each name once, in order of first use, and for each type which it is. */
struct module_slot {
    const char *name;
    uint32_t number;
    UT_hash_handle hh;
};

static void put_modules(struct writing *w)
{
    struct module_slot *all = NULL, *slot;
    struct arena scratch = {0};
    uint32_t *of = arena_array(&scratch, uint32_t, w->kept_count);
    for (size_t i = 0; i < w->kept_count; i++) {
        const char *module = w->snap->types[w->kept[i]].module;
        of[i] = UINT32_MAX;
        if (module == NULL)
            continue;
        HASH_FIND_STR(all, module, slot);
        if (slot == NULL) {
            slot = arena_alloc(&scratch, sizeof(*slot));
            *slot = (struct module_slot){.name = module, .number = HASH_COUNT(all)};
            HASH_ADD_KEYPTR(hh, all, slot->name, strlen(slot->name), slot);
        }
        of[i] = slot->number;
    }
    if (all != NULL) {
        column(w, "module", w->kept_count, id_32, of);
        put_name(w, "modules");
        for (slot = all; slot != NULL; slot = slot->hh.next) {
            out_string(w->o, slot == all ? "[" : ",");
            put_string(w->o, slot->name);
        }
        out_string(w->o, "]");
    }
    HASH_CLEAR(hh, all);
    arena_free(&scratch);
}

static uint64_t kind_of(const struct writing *w, const void *context, size_t i)
{
    (void)context;
    return w->snap->types[w->kept[i]].kind;
}

/* context is where a tally lies in struct type. */
static const struct hd_tally *tally_in(const struct writing *w, const void *context,
                                       size_t i)
{
    return (const struct hd_tally *)((const char *)&w->snap->types[w->kept[i]] +
                                     *(const size_t *)context);
}

static uint64_t type_count_of(const struct writing *w, const void *context, size_t i)
{
    return tally_in(w, context, i)->count;
}

static uint64_t type_bytes_of(const struct writing *w, const void *context, size_t i)
{
    return tally_in(w, context, i)->bytes;
}

static uint64_t generation_count_of(const struct writing *w, const void *context, size_t i)
{
    const struct hd_tally *all = w->snap->types[w->kept[i]].by_generation;
    return all != NULL ? all[*(const int *)context].count : 0;
}

static uint64_t generation_bytes_of(const struct writing *w, const void *context, size_t i)
{
    const struct hd_tally *all = w->snap->types[w->kept[i]].by_generation;
    return all != NULL ? all[*(const int *)context].bytes : 0;
}

static void tally_columns(struct writing *w, const char *count, const char *bytes,
                          size_t offset)
{
    column(w, count, w->kept_count, type_count_of, &offset);
    column(w, bytes, w->kept_count, type_bytes_of, &offset);
}

static void put_samples(struct writing *w)
{
    const struct hd_snapshot *snap = w->snap;
    tally_columns(w, "scaled_count", "scaled_bytes",
                  offsetof(struct type, tally) + SELECT_ALL * sizeof(struct hd_tally));
    tally_columns(w, "scaled_old_count", "scaled_old_bytes",
                  offsetof(struct type, tally) + SELECT_GEN2 * sizeof(struct hd_tally));
    put_name(w, "count_scale");
    for (size_t i = 0; i < w->kept_count; i++)
        out_printf(w->o, "%s%.17g", i > 0 ? "," : "[", snap->types[w->kept[i]].count_scale);
    out_string(w->o, w->kept_count > 0 ? "]" : "[]");
}

static void put_types(struct writing *w)
{
    const struct hd_snapshot *snap = w->snap;
    begin_group(w, DIGEST_TYPES);
    type_strings(w, "name", name_of);
    type_strings(w, "full_name", full_name_of);
    put_modules(w);
    column(w, "kind", w->kept_count, kind_of, NULL);
    tally_columns(w, "count", "bytes", offsetof(struct type, raw));
    for (int g = 0; snap->info.has_generations && g < HD_GENERATION_COUNT; g++) {
        column(w, digest_generation_columns[g][0], w->kept_count, generation_count_of, &g);
        column(w, digest_generation_columns[g][1], w->kept_count, generation_bytes_of, &g);
    }
    if (snap->info.sampled)
        put_samples(w);
    if (w->digest->retained != NULL)
        column(w, "retained", w->kept_count, by_type_64, w->digest->retained);
    end_group(w);
}

/* Of few types: those only. */
static void put_lost(struct writing *w)
{
    const struct hd_tally *lost = w->digest->lost;
    size_t cells = lost != NULL ? (size_t)w->snap->type_count * HD_GENERATION_COUNT : 0;
    uint32_t *at = alloc_zeroed(array_bytes(cells + 1, sizeof(*at)));
    struct hd_tally *some = alloc_zeroed(array_bytes(cells + 1, sizeof(*some)));
    size_t len = 0;
    for (size_t i = 0; i < cells; i++) {
        if (lost[i].count == 0)
            continue;
        some[len] = lost[i];
        type_id number = w->number_of[i / HD_GENERATION_COUNT];
        at[len++] = number * HD_GENERATION_COUNT + (uint32_t)(i % HD_GENERATION_COUNT);
    }
    if (lost != NULL) {
        begin_group(w, DIGEST_LOST);
        column(w, "at", len, rise_32, at);
        column(w, "count", len, tally_count, some);
        column(w, "bytes", len, tally_bytes, some);
        end_group(w);
    }
    free(at);
    free(some);
}

/* --- which process --------------------------------------------------- */

static uint64_t type_id_of(const struct writing *w, const void *context, size_t i)
{
    (void)context;
    const struct type_name *all = w->snap->type_names;
    return i > 0 ? all[i].id - all[i - 1].id : all[0].id;
}

static void put_type_ids(struct writing *w)
{
    const struct hd_snapshot *snap = w->snap;
    if (snap->type_name_count == 0)
        return;
    begin_group(w, DIGEST_TYPE_IDS);
    column(w, "id", snap->type_name_count, type_id_of, NULL);
    put_name(w, "name");
    for (size_t i = 0; i < snap->type_name_count; i++) {
        out_string(w->o, i > 0 ? "," : "[");
        put_string(w->o, snap->type_names[i].name);
    }
    out_string(w->o, "]");
    end_group(w);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Objects stand at multiples of 8, as a rule: what all numbers are multiples of. */
static uint64_t unit_of(const uint64_t *all, size_t count)
{
    uint64_t bits = 8;
    for (size_t i = 0; i < count; i++)
        bits |= all[i];
    return bits & (~bits + 1);
}

static uint64_t in_units(const struct writing *w, const void *context, size_t i)
{
    return number_64(w, context, i) / w->unit;
}

/* Ascending numbers, by their differences. */
static void column_of_addresses(struct writing *w, const char *name, const char *unit,
                                size_t count, uint64_t *differences)
{
    w->unit = unit_of(differences, count);
    column(w, name, count, in_units, differences);
    member_number(w, unit, w->unit);
}

/* Addresses pack, their hashes do not. */
static void put_sketch(struct writing *w, const char *name, const char *unit,
                       const char *cut, const struct sketch *s)
{
    uint64_t *all = alloc_zeroed(array_bytes(s->len + 1, sizeof(*all)));
    for (size_t i = 0; i < s->len; i++)
        all[i] = address_of_hash(s->all[i]);
    if (s->len > 0)
        qsort(all, s->len, sizeof(*all), by_value);
    for (size_t i = s->len; i-- > 1;)
        all[i] -= all[i - 1];
    column_of_addresses(w, name, unit, s->len, all);
    member_truth(w, cut, s->is_cut);
    free(all);
}

static void put_identity(struct writing *w)
{
    const struct identity *id = &w->snap->identity;
    begin_group(w, DIGEST_IDENTITY);
    put_sketch(w, "types", "types_unit", "types_are_cut", &id->types);
    put_sketch(w, "tables", "tables_unit", "tables_are_cut", &id->tables);
    end_group(w);
}

/* --- who owns what --------------------------------------------------- */

static void put_fields(struct writing *w)
{
    const struct digest *d = w->digest;
    if (d->field_count == 0)
        return;
    begin_group(w, DIGEST_FIELDS);
    put_name(w, "name");
    for (uint32_t i = 0; i < d->field_count; i++) {
        out_string(w->o, i > 0 ? "," : "[");
        put_string(w->o, d->field_names[i]);
    }
    out_string(w->o, "]");
    end_group(w);
}

/* Place 0, the root, says nothing. */
static void put_places(struct writing *w)
{
    const struct digest_places *p = &w->digest->places;
    size_t n = p->len > 0 ? p->len - 1 : 0;
    begin_group(w, DIGEST_PLACES);
    uint32_t *above = alloc_zeroed(array_bytes(n + 1, sizeof(*above)));
    for (size_t i = 1; i <= n; i++)
        above[i] = (uint32_t)i - p->parent[i];
    column(w, "above", n, number_32, above + (n > 0));
    free(above);
    column(w, "type", n, type_32, p->type + (n > 0));
    column(w, "count", n, tally_count, p->at + (n > 0));
    column(w, "bytes", n, tally_bytes, p->at + (n > 0));
    if (p->old != NULL) {
        struct hd_tally *young = alloc_zeroed(array_bytes(n + 1, sizeof(*young)));
        for (size_t i = 1; i <= n; i++) {
            young[i] = p->at[i];
            tally_take(&young[i], &p->old[i]);
        }
        column(w, "young_count", n, tally_count, young + (n > 0));
        column(w, "young_bytes", n, tally_bytes, young + (n > 0));
        free(young);
    }
    if (p->field != NULL) {
        column(w, "field", n, id_32, p->field + 1);
        column(w, "held", n, number_64, p->held + 1);
        column(w, "held_of", n, number_64, p->held_of + 1);
    }
    end_group(w);
}

/* How far a place is from another: 2n in front of it, 2n - 1 behind. */
static uint32_t distance(uint32_t from, uint32_t place)
{
    return from < place ? 2 * (place - from) : 2 * (from - place) - 1;
}

/* What refers to objects often stands near them. */
static void put_sharing(struct writing *w)
{
    const struct digest_sharing *s = &w->digest->sharing;
    size_t n = s->len > 0 ? s->begin[s->len] : 0;
    uint32_t *from = alloc_zeroed(array_bytes(n + 1, sizeof(*from)));
    for (uint32_t g = 0; g < s->len; g++)
        for (uint32_t i = s->begin[g]; i < s->begin[g + 1]; i++)
            from[i] = distance(s->from[i], s->target[g]);
    begin_group(w, DIGEST_SHARING);
    column(w, "place", s->len, rise_32, s->target);
    column(w, "objects", s->len, number_64, s->objects);
    column(w, "from_count", s->len, length_32, s->begin);
    column(w, "from", n, number_32, from);
    end_group(w);
    free(from);
}

/* Nodes rise within a place. */
static void put_samples_of_chains(struct writing *w, const struct digest_chains *c)
{
    uint32_t *node = alloc_zeroed(array_bytes((size_t)c->sample_count + 1, sizeof(*node)));
    for (uint32_t i = 0; i < c->sample_count; i++) {
        bool first = i == 0 || c->place[i] != c->place[i - 1];
        node[i] = first ? c->node[i] : c->node[i] - c->node[i - 1];
    }
    column(w, "place", c->sample_count, rise_32, c->place);
    column(w, "node", c->sample_count, number_32, node);
    column(w, "link", c->sample_count, number_32, c->link);
    free(node);
}

static void put_chains(struct writing *w)
{
    const struct digest_chains *c = &w->digest->chains;
    begin_group(w, DIGEST_CHAINS);
    member_number(w, "samples_each", c->samples_each);
    column(w, "above", c->link_count, back_32, c->above);
    column(w, "type", c->link_count, type_32, c->type);
    if (w->snap->info.has_generations)
        column(w, "generation", c->link_count, number_8, c->generation);
    if (c->field != NULL)
        column(w, "field", c->link_count, id_32, c->field);
    put_samples_of_chains(w, c);
    if (c->by_call_sites != NULL)
        column(w, "by_call_sites", w->kept_count, by_type_64, c->by_call_sites);
    end_group(w);
}

static void put_survivors(struct writing *w)
{
    const struct digest_survivors *s = &w->digest->survivors;
    size_t n = s->len > 0 ? s->begin[s->len] : 0;
    uint64_t *address = alloc_zeroed(array_bytes(n + 1, sizeof(*address)));
    for (uint32_t t = 0; t < s->len; t++)
        for (uint32_t i = s->begin[t]; i < s->begin[t + 1]; i++)
            address[i] =
                i > s->begin[t] ? s->address[i] - s->address[i - 1] : s->address[i];
    begin_group(w, DIGEST_SURVIVORS);
    member_number(w, "samples_each", s->samples_each);
    column(w, "type", s->len, type_32, s->type);
    column(w, "samples", s->len, length_32, s->begin);
    column_of_addresses(w, "address", "address_unit", n, address);
    column(w, "size", n, id_32, s->size);
    if (w->snap->info.has_generations)
        column(w, "old", n, number_8, s->old);
    end_group(w);
    free(address);
}

/* --- all of it ------------------------------------------------------- */

static void choose_types(struct writing *w, struct arena *a)
{
    const struct hd_snapshot *snap = w->snap;
    const struct digest *d = w->digest;
    w->kept = arena_array(a, type_id, snap->type_count);
    w->number_of = arena_array(a, type_id, snap->type_count);
    bool *used = arena_array(a, bool, snap->type_count);
    for (uint32_t i = 1; i < d->places.len; i++)
        used[d->places.type[i]] = true;
    for (uint32_t i = 0; i < d->chains.link_count; i++)
        used[d->chains.type[i]] = true;
    for (type_id t = 0; t < snap->type_count; t++)
        if (used[t] || type_has_row(&snap->types[t])) {
            w->number_of[t] = (type_id)w->kept_count;
            w->kept[w->kept_count++] = t;
        }
}

static void put_digest(struct writing *w)
{
    out_printf(w->o, DIGEST_BEGIN "%d,\"heapdrift\":\"%s\"", DIGEST_VERSION, hd_version());
    put_source(w);
    put_info(w);
    put_warnings(w);
    put_types(w);
    put_lost(w);
    put_type_ids(w);
    put_identity(w);
    if (w->digest->places.len > 0) {
        put_fields(w);
        put_places(w);
        put_sharing(w);
        put_chains(w);
        put_survivors(w);
    }
    out_string(w->o, "}\n");
}

static bool write(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                  struct hd_error *err)
{
    static const struct digest nothing;
    struct hd_memory json = {0};
    struct out to = {.to = hd_sink_memory(&json)};
    struct digest table = nothing;
    struct writing w = {.snap = snap, .digest = snap->digest, .o = &to};
    (void)l;
    if (w.digest == NULL) {
        table.source_format = snap->info.format;
        table.source_xxh3 = snap->info.source_xxh3;
        w.digest = &table;
    }
    struct arena scratch = {0};
    choose_types(&w, &scratch);
    put_digest(&w);
    arena_free(&scratch);
    bool ok = out_finish(&to, err);
    if (ok)
        pack_zstd(json.bytes, json.size, level, o);
    hd_memory_free(&json);
    return ok;
}

const struct snapshot_writer write_digest = {
    .name = "digest",
    .summary = "who owns what, without the objects: some ten kilobytes",
    .suffix = ".digest",
    .holds = FACT_OWNERS | FACT_GENERATIONS | FACT_MODULES | FACT_TIME | FACT_PROCESS |
             FACT_PID | FACT_HOST | FACT_SAMPLING | FACT_INCOMPLETE | FACT_ORIGIN |
             FACT_FIELDS,
    .binary = true,
    .write = write,
};
