/* A snapshot's digest as zstd-compressed JSON: mirror of read_digest.c. The snapshot needs
 * its digest (heap/digest.h) if it tells who owns what; without, it is a table. */
#include "base/hash.h"
#include "base/pack.h"
#include "format/digest/digest_out.h"
#include "format/snapshot_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- what is known of the snapshot ----------------------------------- */

static void put_source(struct digest_out *w)
{
    digest_begin_group(w, DIGEST_SOURCE);
    digest_member_string(w, "format", w->digest->source_format);
    digest_member_hex(w, "xxh3", w->digest->source_xxh3);
    digest_end_group(w);
}

/* Some files tell that there are roots where nobody wanted to know what they reach, or
 * where they reach nothing. */
static struct hd_info info_of(const struct digest_out *w)
{
    struct hd_info info = w->snap->info;
    info.has_roots &= w->digest->places.len > 0;
    info.has_fields &= w->digest->places.len > 0;
    if (w->digest->lost == NULL)
        info.reachable_objects = info.reachable_bytes = HD_UNKNOWN;
    return info;
}

static void put_info(struct digest_out *w)
{
    const struct hd_snapshot *snap = w->snap;
    const struct hd_info known = info_of(w);
    const char *info = (const char *)&known;
    digest_begin_group(w, DIGEST_INFO);
    for (size_t i = 0; i < DIGEST_FACTS; i++)
        digest_member_string(w, digest_facts[i].name,
                             *(const char *const *)(info + digest_facts[i].offset));
    for (size_t i = 0; i < DIGEST_NUMBERS; i++)
        digest_member_number(w, digest_numbers[i].name,
                             *(const uint64_t *)(info + digest_numbers[i].offset));
    for (size_t i = 0; i < DIGEST_TRUTHS; i++)
        digest_member_truth(w, digest_truths[i].name,
                            *(const bool *)(info + digest_truths[i].offset));
    digest_member_number(w, "weak_roots", snap->weak_roots);
    digest_column(w, "roots_by_kind", HD_ROOT_KIND_COUNT, digest_number_64,
                  snap->roots_by_kind);
    digest_member_real(w, "clock", snap->clock);
    digest_member_truth(w, "clock_is_date", snap->clock_is_date);
    digest_member_hex(w, "instance", snap->identity.instance);
    digest_end_group(w);
    digest_begin_group(w, DIGEST_ORIGIN);
    for (size_t i = 0; i < DIGEST_ORIGINS; i++)
        digest_member_string(
            w, digest_origins[i].name,
            *(const char *const *)((const char *)&snap->origin + digest_origins[i].offset));
    digest_end_group(w);
}

static void put_warnings(struct digest_out *w)
{
    const struct warnings *all = &w->snap->warnings;
    const char *const members[] = {"code", "detail", "count", "line"};
    digest_begin_group(w, DIGEST_WARNINGS);
    for (size_t m = 0; m < sizeof(members) / sizeof(members[0]); m++) {
        digest_put_name(w, members[m]);
        out_string(w->o, "[");
        for (size_t i = 0; i < all->len; i++) {
            const struct warning *at = &all->all[i];
            if (i > 0)
                out_string(w->o, ",");
            if (m < 2)
                digest_put_string(w->o, m == 0 ? warning_texts[at->code].code : at->detail);
            else
                digest_put_number(w->o, m == 2 ? at->count : at->line);
        }
        out_string(w->o, "]");
    }
    digest_end_group(w);
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
static void type_strings(struct digest_out *w, const char *name, type_string *of)
{
    const struct hd_snapshot *snap = w->snap;
    bool any = of == name_of;
    for (size_t i = 0; i < w->kept_count && !any; i++)
        any = of(&snap->types[w->kept[i]]) != NULL;
    if (!any)
        return;
    digest_put_name(w, name);
    out_string(w->o, "[");
    for (size_t i = 0; i < w->kept_count; i++) {
        if (i > 0)
            out_string(w->o, ",");
        digest_put_string(w->o, of(&snap->types[w->kept[i]]));
    }
    out_string(w->o, "]");
}

/* Each name once, in order of first use, and for each type which it is. */
struct module_slot {
    const char *name;
    uint32_t number;
    UT_hash_handle hh;
};

static void put_modules(struct digest_out *w)
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
        digest_column(w, "module", w->kept_count, digest_id_32, of);
        digest_put_name(w, "modules");
        for (slot = all; slot != NULL; slot = slot->hh.next) {
            out_string(w->o, slot == all ? "[" : ",");
            digest_put_string(w->o, slot->name);
        }
        out_string(w->o, "]");
    }
    HASH_CLEAR(hh, all);
    arena_free(&scratch);
}

static uint64_t kind_of(const struct digest_out *w, const void *context, size_t i)
{
    (void)context;
    return w->snap->types[w->kept[i]].kind;
}

/* context is where a tally lies in struct type. */
static const struct hd_tally *tally_in(const struct digest_out *w, const void *context,
                                       size_t i)
{
    return (const struct hd_tally *)((const char *)&w->snap->types[w->kept[i]] +
                                     *(const size_t *)context);
}

static uint64_t type_count_of(const struct digest_out *w, const void *context, size_t i)
{
    return tally_in(w, context, i)->count;
}

static uint64_t type_bytes_of(const struct digest_out *w, const void *context, size_t i)
{
    return tally_in(w, context, i)->bytes;
}

static uint64_t generation_count_of(const struct digest_out *w, const void *context,
                                    size_t i)
{
    const struct hd_tally *all = w->snap->types[w->kept[i]].by_generation;
    return all != NULL ? all[*(const int *)context].count : 0;
}

static uint64_t generation_bytes_of(const struct digest_out *w, const void *context,
                                    size_t i)
{
    const struct hd_tally *all = w->snap->types[w->kept[i]].by_generation;
    return all != NULL ? all[*(const int *)context].bytes : 0;
}

static void tally_columns(struct digest_out *w, const char *count, const char *bytes,
                          size_t offset)
{
    digest_column(w, count, w->kept_count, type_count_of, &offset);
    digest_column(w, bytes, w->kept_count, type_bytes_of, &offset);
}

static void put_samples(struct digest_out *w)
{
    const struct hd_snapshot *snap = w->snap;
    tally_columns(w, "scaled_count", "scaled_bytes",
                  offsetof(struct type, tally) + SELECT_ALL * sizeof(struct hd_tally));
    tally_columns(w, "scaled_old_count", "scaled_old_bytes",
                  offsetof(struct type, tally) + SELECT_GEN2 * sizeof(struct hd_tally));
    digest_put_name(w, "count_scale");
    for (size_t i = 0; i < w->kept_count; i++)
        out_printf(w->o, "%s%.17g", i > 0 ? "," : "[", snap->types[w->kept[i]].count_scale);
    out_string(w->o, w->kept_count > 0 ? "]" : "[]");
}

static void put_types(struct digest_out *w)
{
    const struct hd_snapshot *snap = w->snap;
    digest_begin_group(w, DIGEST_TYPES);
    type_strings(w, "name", name_of);
    type_strings(w, "full_name", full_name_of);
    put_modules(w);
    digest_column(w, "kind", w->kept_count, kind_of, NULL);
    tally_columns(w, "count", "bytes", offsetof(struct type, raw));
    for (int g = 0; snap->info.has_generations && g < HD_GENERATION_COUNT; g++) {
        digest_column(w, digest_generation_columns[g][0], w->kept_count,
                      generation_count_of, &g);
        digest_column(w, digest_generation_columns[g][1], w->kept_count,
                      generation_bytes_of, &g);
    }
    if (snap->info.sampled)
        put_samples(w);
    if (w->digest->retained != NULL)
        digest_column(w, "retained", w->kept_count, digest_by_type_64, w->digest->retained);
    digest_end_group(w);
}

/* Of few types: those only. */
static void put_lost(struct digest_out *w)
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
        digest_begin_group(w, DIGEST_LOST);
        digest_column(w, "at", len, digest_rise_32, at);
        digest_column(w, "count", len, digest_tally_count, some);
        digest_column(w, "bytes", len, digest_tally_bytes, some);
        digest_end_group(w);
    }
    free(at);
    free(some);
}

/* --- which process --------------------------------------------------- */

static uint64_t type_id_of(const struct digest_out *w, const void *context, size_t i)
{
    (void)context;
    const struct type_name *all = w->snap->type_names;
    return i > 0 ? all[i].id - all[i - 1].id : all[0].id;
}

static void put_type_ids(struct digest_out *w)
{
    const struct hd_snapshot *snap = w->snap;
    if (snap->type_name_count == 0)
        return;
    digest_begin_group(w, DIGEST_TYPE_IDS);
    digest_column(w, "id", snap->type_name_count, type_id_of, NULL);
    digest_put_name(w, "name");
    for (size_t i = 0; i < snap->type_name_count; i++) {
        out_string(w->o, i > 0 ? "," : "[");
        digest_put_string(w->o, snap->type_names[i].name);
    }
    out_string(w->o, "]");
    digest_end_group(w);
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

static uint64_t in_units(const struct digest_out *w, const void *context, size_t i)
{
    return digest_number_64(w, context, i) / w->unit;
}

/* Ascending numbers, by their differences. */
static void column_of_addresses(struct digest_out *w, const char *name, const char *unit,
                                size_t count, uint64_t *differences)
{
    w->unit = unit_of(differences, count);
    digest_column(w, name, count, in_units, differences);
    digest_member_number(w, unit, w->unit);
}

/* Addresses pack, their hashes do not. */
static void put_sketch(struct digest_out *w, const char *name, const char *unit,
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
    digest_member_truth(w, cut, s->is_cut);
    free(all);
}

static void put_identity(struct digest_out *w)
{
    const struct identity *id = &w->snap->identity;
    digest_begin_group(w, DIGEST_IDENTITY);
    put_sketch(w, "types", "types_unit", "types_are_cut", &id->types);
    put_sketch(w, "tables", "tables_unit", "tables_are_cut", &id->tables);
    if (id->blocks.len > 0)
        put_sketch(w, "blocks", "blocks_unit", "blocks_are_cut", &id->blocks);
    digest_end_group(w);
}

/* --- who owns what --------------------------------------------------- */

static void put_fields(struct digest_out *w)
{
    const struct digest *d = w->digest;
    if (d->field_count == 0)
        return;
    digest_begin_group(w, DIGEST_FIELDS);
    digest_put_name(w, "name");
    for (uint32_t i = 0; i < d->field_count; i++) {
        out_string(w->o, i > 0 ? "," : "[");
        digest_put_string(w->o, d->field_names[i]);
    }
    out_string(w->o, "]");
    digest_end_group(w);
}

/* Place 0, the root, says nothing. */
static void put_places(struct digest_out *w)
{
    const struct digest_places *p = &w->digest->places;
    size_t n = p->len > 0 ? p->len - 1 : 0;
    digest_begin_group(w, DIGEST_PLACES);
    uint32_t *above = alloc_zeroed(array_bytes(n + 1, sizeof(*above)));
    for (size_t i = 1; i <= n; i++)
        above[i] = (uint32_t)i - p->parent[i];
    digest_column(w, "above", n, digest_number_32, above + (n > 0));
    free(above);
    digest_column(w, "type", n, digest_type_32, p->type + (n > 0));
    digest_column(w, "count", n, digest_tally_count, p->at + (n > 0));
    digest_column(w, "bytes", n, digest_tally_bytes, p->at + (n > 0));
    if (p->old != NULL) {
        struct hd_tally *young = alloc_zeroed(array_bytes(n + 1, sizeof(*young)));
        for (size_t i = 1; i <= n; i++) {
            young[i] = p->at[i];
            tally_take(&young[i], &p->old[i]);
        }
        digest_column(w, "young_count", n, digest_tally_count, young + (n > 0));
        digest_column(w, "young_bytes", n, digest_tally_bytes, young + (n > 0));
        free(young);
    }
    if (p->field != NULL) {
        digest_column(w, "field", n, digest_id_32, p->field + 1);
        digest_column(w, "held", n, digest_number_64, p->held + 1);
        digest_column(w, "held_of", n, digest_number_64, p->held_of + 1);
    }
    digest_end_group(w);
}

/* How far a place is from another: 2n in front of it, 2n - 1 behind. */
static uint32_t distance(uint32_t from, uint32_t place)
{
    return from < place ? 2 * (place - from) : 2 * (from - place) - 1;
}

/* What refers to objects often stands near them. */
static void put_sharing(struct digest_out *w)
{
    const struct digest_sharing *s = &w->digest->sharing;
    size_t n = s->len > 0 ? s->begin[s->len] : 0;
    uint32_t *from = alloc_zeroed(array_bytes(n + 1, sizeof(*from)));
    for (uint32_t g = 0; g < s->len; g++)
        for (uint32_t i = s->begin[g]; i < s->begin[g + 1]; i++)
            from[i] = distance(s->from[i], s->target[g]);
    digest_begin_group(w, DIGEST_SHARING);
    digest_column(w, "place", s->len, digest_rise_32, s->target);
    digest_column(w, "objects", s->len, digest_number_64, s->objects);
    digest_column(w, "from_count", s->len, digest_length_32, s->begin);
    digest_column(w, "from", n, digest_number_32, from);
    digest_end_group(w);
    free(from);
}

/* Nodes rise within a place. */
static void put_samples_of_chains(struct digest_out *w, const struct digest_chains *c)
{
    uint32_t *node = alloc_zeroed(array_bytes((size_t)c->sample_count + 1, sizeof(*node)));
    for (uint32_t i = 0; i < c->sample_count; i++) {
        bool first = i == 0 || c->place[i] != c->place[i - 1];
        node[i] = first ? c->node[i] : c->node[i] - c->node[i - 1];
    }
    digest_column(w, "place", c->sample_count, digest_rise_32, c->place);
    digest_column(w, "node", c->sample_count, digest_number_32, node);
    digest_column(w, "link", c->sample_count, digest_number_32, c->link);
    free(node);
}

static void put_chains(struct digest_out *w)
{
    const struct digest_chains *c = &w->digest->chains;
    digest_begin_group(w, DIGEST_CHAINS);
    digest_member_number(w, "samples_each", c->samples_each);
    digest_column(w, "above", c->link_count, digest_back_32, c->above);
    digest_column(w, "type", c->link_count, digest_type_32, c->type);
    if (w->snap->info.has_generations)
        digest_column(w, "generation", c->link_count, digest_number_8, c->generation);
    if (c->field != NULL)
        digest_column(w, "field", c->link_count, digest_id_32, c->field);
    put_samples_of_chains(w, c);
    if (c->by_call_sites != NULL)
        digest_column(w, "by_call_sites", w->kept_count, digest_by_type_64,
                      c->by_call_sites);
    digest_end_group(w);
}

static void put_survivors(struct digest_out *w)
{
    const struct digest_survivors *s = &w->digest->survivors;
    size_t n = s->len > 0 ? s->begin[s->len] : 0;
    uint64_t *address = alloc_zeroed(array_bytes(n + 1, sizeof(*address)));
    for (uint32_t t = 0; t < s->len; t++)
        for (uint32_t i = s->begin[t]; i < s->begin[t + 1]; i++)
            address[i] =
                i > s->begin[t] ? s->address[i] - s->address[i - 1] : s->address[i];
    digest_begin_group(w, DIGEST_SURVIVORS);
    digest_member_number(w, "samples_each", s->samples_each);
    digest_column(w, "type", s->len, digest_type_32, s->type);
    digest_column(w, "samples", s->len, digest_length_32, s->begin);
    column_of_addresses(w, "address", "address_unit", n, address);
    digest_column(w, "size", n, digest_id_32, s->size);
    if (w->snap->info.has_generations)
        digest_column(w, "old", n, digest_number_8, s->old);
    digest_end_group(w);
    free(address);
}

/* Moments are told backwards, from this snapshot on: so equal ages look alike in all. */
static uint64_t moments_ago(const struct digest_out *w, const void *context, size_t i)
{
    return w->digest->ages.moment_count - 1 - digest_number_8(w, context, i);
}

static void put_ages(struct digest_out *w)
{
    const struct digest_ages *s = &w->digest->ages;
    digest_begin_group(w, DIGEST_AGES);
    digest_member_string(w, "source", hd_identity_source_name(s->source));
    digest_put_name(w, "moment");
    for (uint32_t i = 0; i < s->moment_count; i++)
        out_printf(w->o, "%s\"%016" PRIx64 "\"", i > 0 ? "," : "[", s->moment[i]);
    out_string(w->o, "]");
    digest_member_number(w, "survivors", s->survivors);
    digest_member_number(w, "of", s->of);
    if (w->snap->untold != HD_UNTOLD_NOTHING)
        digest_member_string(w, "untold", hd_untold_name(w->snap->untold));
    digest_column(w, "place", s->len, digest_rise_32, s->place);
    digest_column(w, "born", s->len, moments_ago, s->born);
    digest_column(w, "came", s->len, moments_ago, s->came);
    digest_column(w, "objects", s->len, digest_number_64, s->objects);
    digest_column(w, "bytes", s->len, digest_number_64, s->bytes);
    digest_column(w, "lost_type", s->lost_len, digest_type_32, s->lost_type);
    digest_column(w, "lost_born", s->lost_len, moments_ago, s->lost_born);
    digest_column(w, "lost_objects", s->lost_len, digest_number_64, s->lost_objects);
    digest_end_group(w);
}

/* --- all of it ------------------------------------------------------- */

static void choose_types(struct digest_out *w, struct arena *a)
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

static void put_digest(struct digest_out *w)
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
        if (w->digest->ages.moment_count > 0)
            put_ages(w);
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
    struct digest_out w = {.snap = snap, .digest = snap->digest, .o = &to};
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
    if (ok && snap->writes_plain)
        out_bytes(o, json.bytes, json.size);
    else if (ok)
        pack_zstd(json.bytes, json.size, DIGEST_LEVEL, o);
    hd_memory_free(&json);
    return ok;
}

const struct snapshot_writer write_digest = {
    .name = "digest",
    .summary = "owners without objects, a few tens of KB",
    .suffix = ".digest",
    .holds = FACT_OWNERS | FACT_GENERATIONS | FACT_MODULES | FACT_TIME | FACT_PROCESS |
             FACT_PID | FACT_HOST | FACT_SAMPLING | FACT_INCOMPLETE | FACT_ORIGIN |
             FACT_FIELDS,
    .binary = true,
    .write = write,
};
