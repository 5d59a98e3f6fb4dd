/* A snapshot's digest as zstd-compressed JSON: mirror of read_digest.c. A snapshot with
 * owners must have its digest (heap/digest.h); without owners it is written as a table. */
#include "base/arrays.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/out.h"
#include "format/digest/digest_file.h"
#include "format/snapshot_writer.h"
#include "heap/process_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct digest_writer {
    const struct hd_snapshot *snap;
    struct digest_file file;
    struct arena scratch;
    struct out *o;
    type_id *kept;      /* written types: those in use */
    type_id *number_of; /* of each type, in the file */
};

/* --- members ------------------------------------------------------------------- */

/* Five times as fast as printf, for a hundred thousand numbers. */
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

/* Returns element k of a column, at that address; the elements before it precede it. */
static uint64_t number_at(const struct digest_writer *w, const struct digest_member *m,
                          size_t k, const char *at)
{
    const char *before = k > 0 ? at - m->stride : NULL;
    uint32_t n;
    switch (m->coding) {
    case CODED_RISE:
        return *(const uint64_t *)at - (before != NULL ? *(const uint64_t *)before : 0);
    case CODED_RISE_32:
        return *(const uint32_t *)at - (before != NULL ? *(const uint32_t *)before : 0);
    case CODED_BACK:
        n = *(const uint32_t *)at;
        return n != NO_PLACE ? k - n : 0;
    case CODED_LENGTH:
        return ((const uint32_t *)at)[1] - *(const uint32_t *)at;
    case CODED_AGO:
        return w->file.count[ROWS_MOMENTS] - 1 - *(const unsigned char *)at;
    case CODED_NUMBER_8:
        return *(const unsigned char *)at;
    case CODED_NUMBER_32:
        return *(const uint32_t *)at;
    case CODED_ID:
        n = *(const uint32_t *)at;
        return n != UINT32_MAX ? n : HD_UNKNOWN;
    case CODED_TYPE:
        return w->number_of[*(const type_id *)at];
    default:
        return *(const uint64_t *)at;
    }
}

static void put_value(const struct digest_writer *w, const struct digest_member *m,
                      size_t k, const char *at)
{
    switch (m->coding) {
    case CODED_TEXT:
        json_write_string(*(const char *const *)at, w->o);
        return;
    case CODED_TRUTH:
        out_string(w->o, *(const bool *)at ? "true" : "false");
        return;
    case CODED_REAL: /* 17 digits are read back as the same number */
        if (isfinite(*(const double *)at))
            out_printf(w->o, "%.17g", *(const double *)at);
        else
            out_string(w->o, "null");
        return;
    case CODED_HEX: /* beyond what doubles hold exactly */
        if (*(const uint64_t *)at != HD_UNKNOWN)
            out_printf(w->o, "\"%016" PRIx64 "\"", *(const uint64_t *)at);
        else
            out_string(w->o, "null");
        return;
    default:
        put_number(w->o, number_at(w, m, k, at));
    }
}

static void put_group(const struct digest_writer *w, enum digest_group group)
{
    const char *joint = "";
    out_printf(w->o, ",\n\"%s\":{", digest_group_names[group]);
    for (const struct digest_member *m = digest_members; m->name != NULL; m++) {
        const char *at = (const char *)&w->file + m->offset;
        if (m->group != group || !digest_has(&w->file, m))
            continue;
        out_printf(w->o, "%s\"%s\":", joint, m->name);
        joint = ",\n ";
        if (m->rows == ROWS_NONE) {
            put_value(w, m, 0, at);
            continue;
        }
        const char *all = *(const char *const *)at;
        out_string(w->o, "[");
        for (size_t i = 0; i < w->file.count[m->rows]; i++) {
            size_t k = digest_element(m, i);
            if (i > 0)
                out_string(w->o, ",");
            put_value(w, m, k, all + k * m->stride + m->within);
        }
        out_string(w->o, "]");
    }
    out_string(w->o, "}");
}

/* --- facts about the snapshot ---------------------------------------- */

/* Some files report roots although reachability was not requested, or the roots reach no
 * objects. */
static void take_info(struct digest_writer *w)
{
    const struct hd_snapshot *snap = w->snap;
    struct digest_file *f = &w->file;
    const struct warnings *warnings = &snap->warnings;
    f->info = snap->info;
    f->info.has_roots &= f->digest.places.len > 0;
    f->info.has_fields &= f->digest.places.len > 0;
    if (f->digest.lost == NULL)
        f->info.reachable_objects = f->info.reachable_bytes = HD_UNKNOWN;
    f->origin = snap->origin;
    f->weak_roots = snap->weak_roots;
    f->roots_by_kind = (uint64_t *)snap->roots_by_kind;
    f->count[ROWS_ROOT_KINDS] = HD_ROOT_KIND_COUNT;
    f->clock = snap->clock;
    f->clock_is_date = snap->clock_is_date;
    f->instance = snap->identity.instance;
    struct text facts = {0};
    process_facts_put(&snap->facts, &facts);
    if (facts.len > 0)
        f->facts = arena_strdup(&w->scratch, facts.data, facts.len);
    text_free(&facts);
    f->count[ROWS_WARNINGS] = warnings->len;
    f->warnings = arena_array(&w->scratch, struct digest_warning, warnings->len + 1);
    for (size_t i = 0; i < warnings->len; i++) {
        const struct warning *at = &warnings->all[i];
        f->warnings[i] = (struct digest_warning){warning_texts[at->code].code, at->detail,
                                                 at->count, at->line};
    }
}

/* Divides the numbers by their largest common power of two, up to 8, and returns it:
 * objects are usually at multiples of 8. */
static uint64_t in_units(uint64_t *all, size_t count)
{
    uint64_t bits = 8;
    for (size_t i = 0; i < count; i++)
        bits |= all[i];
    uint64_t unit = bits & (~bits + 1);
    for (size_t i = 0; i < count; i++)
        all[i] /= unit;
    return unit;
}

/* Stores addresses, which compress, unlike their hashes. */
static struct digest_sketch sketch_of(struct digest_writer *w, const struct sketch *s)
{
    uint64_t *all = arena_array(&w->scratch, uint64_t, s->len + 1);
    for (size_t i = 0; i < s->len; i++)
        all[i] = address_of_hash(s->all[i]);
    if (s->len > 0)
        qsort(all, s->len, sizeof(*all), by_first_number);
    for (size_t i = s->len; i-- > 1;)
        all[i] -= all[i - 1];
    return (struct digest_sketch){all, in_units(all, s->len), s->is_cut};
}

static void take_identity(struct digest_writer *w)
{
    const struct identity *id = &w->snap->identity;
    struct digest_file *f = &w->file;
    f->type_ids = w->snap->type_names;
    f->count[ROWS_TYPE_IDS] = w->snap->type_name_count;
    f->sketch_types = sketch_of(w, &id->types);
    f->count[ROWS_SKETCH_TYPES] = id->types.len;
    f->sketch_tables = sketch_of(w, &id->tables);
    f->count[ROWS_SKETCH_TABLES] = id->tables.len;
    if (id->blocks.len > 0)
        f->sketch_blocks = sketch_of(w, &id->blocks);
    f->count[ROWS_SKETCH_BLOCKS] = id->blocks.len;
}

/* --- types ----------------------------------------------------------- */

static void choose_types(struct digest_writer *w)
{
    const struct hd_snapshot *snap = w->snap;
    const struct digest *d = &w->file.digest;
    w->kept = arena_array(&w->scratch, type_id, snap->type_count);
    w->number_of = arena_array(&w->scratch, type_id, snap->type_count);
    bool *used = arena_array(&w->scratch, bool, snap->type_count);
    for (uint32_t i = 1; i < d->places.len; i++)
        used[d->places.type[i]] = true;
    for (uint32_t i = 0; i < d->chains.link_count; i++)
        used[d->chains.type[i]] = true;
    for (type_id t = 0; t < snap->type_count; t++)
        if (used[t] || type_has_row(&snap->types[t])) {
            w->number_of[t] = (type_id)w->file.count[ROWS_TYPES];
            w->kept[w->file.count[ROWS_TYPES]++] = t;
        }
}

/* Each name once, in order of first use, and its index for each type. */
struct module_slot {
    const char *name;
    uint32_t number;
    UT_hash_handle hh;
};

static void take_modules(struct digest_writer *w)
{
    struct module_slot *all = NULL, *slot;
    struct digest_file *f = &w->file;
    size_t count = f->count[ROWS_TYPES];
    uint32_t *of = arena_array(&w->scratch, uint32_t, count);
    const char **names = arena_array(&w->scratch, const char *, count);
    for (size_t i = 0; i < count; i++) {
        const char *module = w->snap->types[w->kept[i]].module;
        of[i] = UINT32_MAX;
        if (module == NULL)
            continue;
        HASH_FIND_STR(all, module, slot);
        if (slot == NULL) {
            slot = arena_alloc(&w->scratch, sizeof(*slot));
            *slot = (struct module_slot){.name = module, .number = HASH_COUNT(all)};
            HASH_ADD_KEYPTR(hh, all, slot->name, strlen(slot->name), slot);
            names[slot->number] = module;
        }
        of[i] = slot->number;
    }
    f->count[ROWS_MODULES] = HASH_COUNT(all);
    if (all != NULL) {
        f->module = of;
        f->modules = names;
    }
    HASH_CLEAR(hh, all);
}

/* Returns numbers by type, for the written types. */
static uint64_t *of_kept(struct digest_writer *w, const uint64_t *all)
{
    size_t count = w->file.count[ROWS_TYPES];
    uint64_t *kept = all != NULL ? arena_array(&w->scratch, uint64_t, count + 1) : NULL;
    for (size_t i = 0; all != NULL && i < count; i++)
        kept[i] = all[w->kept[i]];
    return kept;
}

static void take_types(struct digest_writer *w)
{
    struct digest_file *f = &w->file;
    size_t count = f->count[ROWS_TYPES];
    const char **full_names = arena_array(&w->scratch, const char *, count);
    f->types = arena_array(&w->scratch, struct digest_type, count);
    f->digest.scaled = arena_array(&w->scratch, struct digest_scaled, count);
    for (size_t i = 0; i < count; i++) {
        const struct type *t = &w->snap->types[w->kept[i]];
        struct digest_type *to = &f->types[i];
        f->digest.scaled[i].count_scale = 1;
        if (t->kind == TYPE_FREE) { /* its numbers are facts */
            *to = (struct digest_type){.name = t->name, .kind = TYPE_UNDEFINED};
            continue;
        }
        *to = (struct digest_type){.name = t->name, .kind = t->kind, .all = t->raw};
        if (t->by_generation != NULL)
            memcpy(to->by_generation, t->by_generation, sizeof(to->by_generation));
        f->digest.scaled[i] = (struct digest_scaled){t->tally[SELECT_ALL],
                                                     t->tally[SELECT_GEN2], t->count_scale};
        full_names[i] = t->full_name;
        if (t->full_name != NULL)
            f->full_names = full_names;
    }
    take_modules(w);
    f->digest.retained = of_kept(w, f->digest.retained);
    f->digest.chains.by_call_sites = of_kept(w, f->digest.chains.by_call_sites);
}

/* Only the few types with unreachable objects. */
static void take_lost(struct digest_writer *w)
{
    struct digest_file *f = &w->file;
    const struct hd_tally *lost = f->digest.lost;
    size_t cells = array_bytes(w->snap->type_count, HD_GENERATION_COUNT), len = 0, k = 0;
    for (size_t i = 0; i < cells; i++)
        len += lost[i].count > 0;
    f->cells = arena_array(&w->scratch, struct digest_cell, len);
    for (size_t i = 0; i < cells; i++)
        if (lost[i].count > 0)
            f->cells[k++] = (struct digest_cell){w->number_of[i / HD_GENERATION_COUNT] *
                                                         HD_GENERATION_COUNT +
                                                     (uint32_t)(i % HD_GENERATION_COUNT),
                                                 lost[i]};
    f->count[ROWS_CELLS] = len;
}

/* --- owners ---------------------------------------------------------- */

static void take_places(struct digest_writer *w)
{
    struct digest_file *f = &w->file;
    const struct digest_places *p = &f->digest.places;
    const struct shared_groups *s = &f->digest.sharing;
    f->count[ROWS_FIELDS] = f->digest.field_count;
    f->count[ROWS_PLACES] = p->len - 1;
    f->young = arena_array(&w->scratch, struct hd_tally, p->len);
    for (uint32_t i = 1; p->old != NULL && i < p->len; i++) {
        f->young[i] = p->at[i];
        tally_take(&f->young[i], &p->old[i]);
    }
    f->count[ROWS_SHARING] = s->len;
    f->count[ROWS_REFERRERS] = s->len > 0 ? s->begin[s->len] : 0;
    /* Referrers are often near their targets, so distances are small. */
    f->distance = arena_array(&w->scratch, uint32_t, f->count[ROWS_REFERRERS]);
    for (uint32_t g = 0; g < s->len; g++)
        for (uint32_t i = s->begin[g]; i < s->begin[g + 1]; i++)
            f->distance[i] = s->from[i] < s->target[g]
                                 ? 2 * (s->target[g] - s->from[i])
                                 : 2 * (s->from[i] - s->target[g]) - 1;
}

static void digest_take_samples(struct digest_writer *w)
{
    struct digest_file *f = &w->file;
    const struct digest_chains *c = &f->digest.chains;
    const struct digest_survivors *s = &f->digest.survivors;
    f->chains_each = c->samples_each;
    f->count[ROWS_LINKS] = c->link_count;
    f->count[ROWS_SAMPLES] = c->sample_count;
    f->node = arena_array(&w->scratch, node_id, c->sample_count);
    for (uint32_t i = 0; i < c->sample_count; i++) {
        bool first = i == 0 || c->place[i] != c->place[i - 1];
        f->node[i] = first ? c->node[i] : c->node[i] - c->node[i - 1];
    }
    f->survivors_each = s->samples_each;
    f->count[ROWS_SURVIVOR_TYPES] = s->len;
    f->count[ROWS_SURVIVORS] = s->len > 0 ? s->begin[s->len] : 0;
    f->address = arena_array(&w->scratch, uint64_t, f->count[ROWS_SURVIVORS]);
    for (uint32_t t = 0; t < s->len; t++)
        for (uint32_t i = s->begin[t]; i < s->begin[t + 1]; i++)
            f->address[i] =
                i > s->begin[t] ? s->address[i] - s->address[i - 1] : s->address[i];
    f->address_unit = in_units(f->address, f->count[ROWS_SURVIVORS]);
}

static void take_sites(struct digest_writer *w)
{
    struct digest_file *f = &w->file;
    struct text line = {0};
    if (f->digest.sites != NULL)
        allocation_sites_put(f->digest.sites, &line);
    if (line.len > 0)
        f->sites = arena_strdup(&w->scratch, line.data, line.len);
    text_free(&line);
}

/* --- the whole file -------------------------------------------------- */

static void put_digest(struct digest_writer *w)
{
    struct digest_file *f = &w->file;
    bool has_places = f->digest.places.len > 0;
    choose_types(w);
    take_info(w);
    take_types(w);
    take_identity(w);
    if (f->digest.lost != NULL)
        take_lost(w);
    if (has_places) {
        take_places(w);
        digest_take_samples(w);
        const struct digest_ages *s = &f->digest.ages;
        f->age_source = hd_identity_source_name(s->source);
        if (w->snap->survivors_unknown != HD_SURVIVORS_UNKNOWN_NONE)
            f->survivors_unknown = hd_survivors_unknown_name(w->snap->survivors_unknown);
        take_sites(w);
        f->count[ROWS_MOMENTS] = s->moment_count;
        f->count[ROWS_AGES] = s->len;
        f->count[ROWS_LOST_AGES] = s->lost_len;
    }
    const bool is_there[DIGEST_GROUPS] = {
        [DIGEST_SOURCE] = true,
        [DIGEST_INFO] = true,
        [DIGEST_ORIGIN] = true,
        [DIGEST_WARNINGS] = true,
        [DIGEST_TYPES] = true,
        [DIGEST_LOST] = f->digest.lost != NULL,
        [DIGEST_TYPE_IDS] = f->count[ROWS_TYPE_IDS] > 0,
        [DIGEST_IDENTITY] = true,
        [DIGEST_FIELDS] = has_places && f->digest.field_count > 0,
        [DIGEST_PLACES] = has_places,
        [DIGEST_SHARING] = has_places,
        [DIGEST_CHAINS] = has_places,
        [DIGEST_SURVIVORS] = has_places,
        [DIGEST_AGES] = has_places && f->digest.ages.moment_count > 0,
        [DIGEST_SITES] = f->sites != NULL,
    };
    out_printf(w->o, DIGEST_BEGIN "%d,\"heapdrift\":\"%s\"", DIGEST_VERSION, hd_version());
    for (enum digest_group g = 0; g < DIGEST_GROUPS; g++)
        if (is_there[g])
            put_group(w, g);
    out_string(w->o, "}\n");
}

static bool write(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                  struct hd_error *err)
{
    struct hd_memory json = {0};
    struct out to = {.to = hd_sink_memory(&json)};
    struct digest_writer w = {.snap = snap, .o = &to};
    (void)l;
    if (snap->digest != NULL)
        w.file.digest = *snap->digest;
    else
        w.file.digest = (struct digest){.source_format = snap->info.format,
                                        .source_xxh3 = snap->info.source_xxh3};
    put_digest(&w);
    arena_free(&w.scratch);
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
