/* A digest: who owns what in a heap, without its objects. docs/formats/digest.md.
 *
 * Types go through the builder like those of any table; what replaces the graph is made by
 * digest_parts.h. Everything is checked against the types: a digest that was cut or forged
 * is refused, never believed in part. */
#include "base/c_locale.h"
#include "base/error.h"
#include "format/digest/digest_parts.h"
#include "format/reader.h"
#include "heap/reach.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static enum recognition recognises(struct bytes head)
{
    size_t len = sizeof(DIGEST_BEGIN) - 1;
    return head.size >= len && memcmp(head.data, DIGEST_BEGIN, len) == 0 ? RECOGNISED_YES
                                                                         : RECOGNISED_NO;
}

/* --- what the parts need --------------------------------------------- */

bool digest_refuse(struct digest_reading *r, const char *what, ...)
{
    char words[120];
    va_list args;
    va_start(args, what);
    c_vsnprintf(words, sizeof(words), what, args);
    va_end(args);
    return fail(r->err, HD_BAD_FORMAT, "a digest with inconsistent numbers: %s", words);
}

const uint64_t *digest_numbers_of(struct digest_reading *r, enum digest_group group,
                                  const char *name, size_t count, uint64_t limit)
{
    static const uint64_t none;
    const struct digest_value *v = digest_value(&r->columns, group, name);
    bool fits = v->is_there && v->len == count;
    for (size_t i = 0; fits && i < count; i++)
        fits = v->numbers[i] < limit;
    if (fits)
        return count > 0 ? v->numbers : &none;
    digest_refuse(r, "%s of %s", name, digest_group_names[group]);
    return NULL;
}

/* --- what is known of the snapshot ----------------------------------- */

uint64_t digest_hex_of(const char *text, uint64_t otherwise)
{
    char *end;
    if (text == NULL || text[0] == '\0')
        return otherwise;
    uint64_t n = strtoull(text, &end, 16);
    return *end == '\0' ? n : otherwise;
}

static void parse_info(struct digest_reading *r)
{
    struct hd_snapshot *snap = r->b->snap;
    const struct digest_columns *c = &r->columns;
    char *info = (char *)&snap->info;
    for (size_t i = 0; i < DIGEST_FACTS; i++)
        *(const char **)(info + digest_facts[i].offset) =
            digest_value(c, DIGEST_INFO, digest_facts[i].name)->text;
    for (size_t i = 0; i < DIGEST_NUMBERS; i++) {
        const struct digest_value *v = digest_value(c, DIGEST_INFO, digest_numbers[i].name);
        *(uint64_t *)(info + digest_numbers[i].offset) =
            v->is_there ? v->number : HD_UNKNOWN;
    }
    for (size_t i = 0; i < DIGEST_TRUTHS; i++)
        *(bool *)(info + digest_truths[i].offset) =
            digest_value(c, DIGEST_INFO, digest_truths[i].name)->truth;
    for (size_t i = 0; i < DIGEST_ORIGINS; i++)
        *(const char **)((char *)&snap->origin + digest_origins[i].offset) =
            digest_value(c, DIGEST_ORIGIN, digest_origins[i].name)->text;
    const struct digest_value *clock = digest_value(c, DIGEST_INFO, "clock"),
                              *weak = digest_value(c, DIGEST_INFO, "weak_roots"),
                              *kinds = digest_value(c, DIGEST_INFO, "roots_by_kind");
    snap->clock = clock->is_there ? clock->real : NAN;
    snap->clock_is_date = digest_value(c, DIGEST_INFO, "clock_is_date")->truth;
    snap->weak_roots = weak->is_there ? weak->number : HD_UNKNOWN;
    snap->identity.instance =
        digest_hex_of(digest_value(c, DIGEST_INFO, "instance")->text, 0);
    for (size_t i = 0; i < kinds->len && i < HD_ROOT_KIND_COUNT; i++)
        snap->roots_by_kind[i] = kinds->numbers[i];
}

/* Those that a later version may have are left out. */
static void parse_warnings(struct digest_reading *r)
{
    const struct digest_columns *c = &r->columns;
    const struct digest_value *code = digest_value(c, DIGEST_WARNINGS, "code"),
                              *detail = digest_value(c, DIGEST_WARNINGS, "detail"),
                              *count = digest_value(c, DIGEST_WARNINGS, "count"),
                              *line = digest_value(c, DIGEST_WARNINGS, "line");
    struct warnings *to = &r->b->snap->warnings;
    for (size_t i = 0; i < code->len && i < detail->len && i < count->len && i < line->len;
         i++)
        for (int w = 0; code->strings[i] != NULL && w < WARN_CODE_COUNT; w++) {
            if (strcmp(warning_texts[w].code, code->strings[i]) != 0 ||
                warnings_find(to, (enum warning_code)w) != NULL)
                continue;
            warnings_add_detail(to, (enum warning_code)w, detail->strings[i]);
            to->all[to->len - 1].count = count->numbers[i];
            to->all[to->len - 1].line = line->numbers[i];
        }
}

/* Differences of ascending numbers; false if they go beyond 64 bits. */
static bool add_up(uint64_t *sum, uint64_t more)
{
    if (more == HD_UNKNOWN || more > HD_UNKNOWN - 1 - *sum)
        return false;
    *sum += more;
    return true;
}

bool digest_add_units(uint64_t *sum, uint64_t more, uint64_t unit)
{
    return unit > 0 && unit <= 8 && more <= (HD_UNKNOWN - 1) / unit &&
           add_up(sum, more * unit);
}

/* --- which process --------------------------------------------------- */

static bool parse_sketch(struct digest_reading *r, struct sketch *to, const char *name,
                         const char *unit, const char *cut)
{
    uint64_t times = digest_value(&r->columns, DIGEST_IDENTITY, unit)->number;
    const struct digest_value *v = digest_value(&r->columns, DIGEST_IDENTITY, name);
    struct sketching *all = alloc_zeroed(sizeof(*all));
    uint64_t address = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < v->len; i++) {
        ok = digest_add_units(&address, v->numbers[i], times);
        sketch_add(all, address);
    }
    if (v->len > 0)
        *to = sketch_finish(all, &r->b->snap->arena);
    to->is_cut |= digest_value(&r->columns, DIGEST_IDENTITY, cut)->truth;
    free(all);
    return ok || digest_refuse(r, "addresses");
}

static bool parse_type_ids(struct digest_reading *r)
{
    struct hd_snapshot *snap = r->b->snap;
    const struct digest_value *id = digest_value(&r->columns, DIGEST_TYPE_IDS, "id"),
                              *name = digest_value(&r->columns, DIGEST_TYPE_IDS, "name");
    uint64_t sum = 0;
    if (id->len != name->len)
        return digest_refuse(r, "ids of types");
    snap->type_names = arena_array(&snap->arena, struct type_name, id->len);
    for (size_t i = 0; i < id->len; i++) {
        if (!add_up(&sum, id->numbers[i]) || name->strings[i] == NULL)
            return digest_refuse(r, "ids of types");
        snap->type_names[snap->type_name_count++] =
            (struct type_name){sum, name->strings[i]};
    }
    return true;
}

/* --- types ----------------------------------------------------------- */

struct type_columns {
    const char **name, **full_name;
    const struct digest_value *module, *modules; /* perhaps not there */
    const uint64_t *kind, *count, *bytes;
    const uint64_t *generation[HD_GENERATION_COUNT][2];
};

static const char **strings_of(struct digest_reading *r, const char *name)
{
    const struct digest_value *v = digest_value(&r->columns, DIGEST_TYPES, name);
    return v->is_there && v->len == r->type_count ? v->strings : NULL;
}

/* NULL: none is known. */
static const char *module_of(const struct type_columns *t, size_t i)
{
    uint64_t module = i < t->module->len ? t->module->numbers[i] : HD_UNKNOWN;
    return module < t->modules->len ? t->modules->strings[module] : NULL;
}

static bool find_columns(struct digest_reading *r, struct type_columns *t)
{
    size_t n = r->type_count = digest_value(&r->columns, DIGEST_TYPES, "name")->len;
    const struct digest_value *bytes = digest_value(&r->columns, DIGEST_TYPES, "bytes");
    t->name = strings_of(r, "name");
    t->full_name = strings_of(r, "full_name");
    t->module = digest_value(&r->columns, DIGEST_TYPES, "module");
    t->modules = digest_value(&r->columns, DIGEST_TYPES, "modules");
    t->kind = digest_numbers_of(r, DIGEST_TYPES, "kind", n, TYPE_UNDEFINED + 1);
    t->count = digest_numbers_of(r, DIGEST_TYPES, "count", n, HD_UNKNOWN);
    t->bytes = bytes->numbers; /* which may be unknown */
    bool ok = (t->name != NULL || n == 0) && t->kind != NULL && t->count != NULL &&
              bytes->len == n;
    bool has = r->b->snap->info.has_generations;
    for (int g = 0; ok && has && g < HD_GENERATION_COUNT; g++)
        for (int i = 0; ok && i < 2; i++) {
            t->generation[g][i] = digest_numbers_of(
                r, DIGEST_TYPES, digest_generation_columns[g][i], n, HD_UNKNOWN);
            ok = t->generation[g][i] != NULL;
        }
    return ok || digest_refuse(r, "types");
}

static bool add_tally(struct hd_tally *sum, struct hd_tally more)
{
    return add_up(&sum->count, more.count) && add_up(&sum->bytes, more.bytes);
}

/* The parts that lie in each generation are all there is. */
static bool add_generations(struct digest_reading *r, const struct type_columns *t,
                            uint32_t raw, size_t i)
{
    struct hd_tally parts = {0};
    for (enum hd_generation g = HD_GEN0; g < HD_GENERATION_COUNT; g++) {
        struct hd_tally part = {t->generation[g][0][i], t->generation[g][1][i]};
        if (!add_tally(&parts, part) || (part.count == 0 && part.bytes > 0))
            return digest_refuse(r, "generations");
        builder_objects(r->b, raw, &part, g);
    }
    return (parts.count == t->count[i] && parts.bytes == t->bytes[i]) ||
           digest_refuse(r, "generations");
}

/* Names are canonical there, and kept as long as the snapshot. */
static uint32_t add_name(struct builder *b, enum type_kind kind, const char *name)
{
    if (b->across_builds || b->source != NULL)
        return builder_type(b, kind, name, strlen(name));
    uint32_t raw = builder_type(b, kind, NULL, 0);
    b->types[raw].name = name;
    return raw;
}

static bool add_type(struct digest_reading *r, const struct type_columns *t, size_t i,
                     struct hd_tally *sum)
{
    struct builder *b = r->b;
    enum type_kind kind = (enum type_kind)t->kind[i];
    if (t->name[i] == NULL || (kind != TYPE_OBJECT && (t->count[i] > 0 || t->bytes[i] > 0)))
        return digest_refuse(r, "types");
    uint32_t raw = add_name(b, kind, t->name[i]);
    if (t->full_name != NULL)
        builder_full_name(b, raw, t->full_name[i]);
    const char *module = module_of(t, i);
    if (module != NULL && b->source != NULL)
        builder_module(b, raw, module, strlen(module));
    else
        b->types[raw].module = module;
    struct hd_tally all = {t->count[i], t->bytes[i] != HD_UNKNOWN ? t->bytes[i] : 0};
    if (!add_tally(sum, all))
        return digest_refuse(r, "types");
    if (b->snap->info.has_generations)
        return add_generations(r, t, raw, i);
    return builder_row(b, raw, t->count[i], t->bytes[i]) || digest_refuse(r, "types");
}

/* The builder adds up what the file tells too. */
static bool add_types(struct digest_reading *r)
{
    struct type_columns t = {0};
    struct hd_info *info = &r->b->snap->info;
    uint64_t objects = info->objects, bytes = info->bytes;
    struct hd_tally sum = {0};
    info->objects = info->bytes = 0;
    if (!find_columns(r, &t))
        return false;
    for (size_t i = 0; i < r->type_count; i++)
        if (!add_type(r, &t, i, &sum))
            return false;
    if (account_is_over(builder_account(r->b)))
        return account_fail(builder_account(r->b), r->err);
    return (objects == sum.count && (bytes == sum.bytes || bytes == HD_UNKNOWN)) ||
           digest_refuse(r, "types and totals");
}

static bool parse_samples(struct digest_reading *r)
{
    static const char *const names[] = {"scaled_count", "scaled_bytes", "scaled_old_count",
                                        "scaled_old_bytes"};
    const struct digest_value *scale =
        digest_value(&r->columns, DIGEST_TYPES, "count_scale");
    const uint64_t *of[4];
    size_t n = r->type_count;
    if (!r->b->snap->info.sampled)
        return true;
    for (int i = 0; i < 4; i++) {
        of[i] = digest_numbers_of(r, DIGEST_TYPES, names[i], n, HD_UNKNOWN);
        if (of[i] == NULL)
            return false;
    }
    if (scale->len != n)
        return digest_refuse(r, "multipliers");
    struct digest_scaled *to = arena_array(&r->b->snap->arena, struct digest_scaled, n);
    for (size_t i = 0; i < n; i++) {
        to[i] = (struct digest_scaled){
            {of[0][i], of[1][i]}, {of[2][i], of[3][i]}, scale->reals[i]};
        if (!(to[i].count_scale >= 0))
            return digest_refuse(r, "multipliers");
    }
    r->digest->scaled = to;
    return true;
}

static bool parse_retained(struct digest_reading *r)
{
    if (!digest_value(&r->columns, DIGEST_TYPES, "retained")->is_there)
        return true;
    const uint64_t *from =
        digest_numbers_of(r, DIGEST_TYPES, "retained", r->type_count, HD_UNKNOWN);
    if (from == NULL)
        return false;
    r->digest->retained = arena_array(&r->b->snap->arena, uint64_t, r->type_count);
    for (size_t i = 0; i < r->type_count; i++)
        r->digest->retained[i] = from[i];
    return true;
}

/* --- all of it ------------------------------------------------------- */

static void parse_source(struct digest_reading *r, struct bytes json)
{
    const struct digest_columns *c = &r->columns;
    r->digest->source_format = digest_value(c, DIGEST_SOURCE, "format")->text;
    r->digest->source_xxh3 =
        digest_hex_of(digest_value(c, DIGEST_SOURCE, "xxh3")->text, HD_UNKNOWN);
    if (r->digest->source_xxh3 == HD_UNKNOWN)
        r->digest->source_xxh3 = XXH3_64bits(json.data, json.size);
    r->b->snap->info.source_xxh3 = r->digest->source_xxh3;
}

/* As of any other file whose references are not wanted. */
static void forget_references(struct hd_snapshot *snap)
{
    snap->info.references = snap->info.roots = HD_UNKNOWN;
    snap->info.reachable_objects = snap->info.reachable_bytes = HD_UNKNOWN;
    snap->info.has_roots = snap->info.has_fields = false;
    memset(snap->roots_by_kind, 0, sizeof(snap->roots_by_kind));
    snap->identity.types = snap->identity.tables = snap->identity.blocks =
        (struct sketch){0};
}

static bool parse_digest(struct digest_reading *r)
{
    struct builder *b = r->b;
    bool has_places = digest_value(&r->columns, DIGEST_PLACES, "above")->is_there;
    parse_info(r);
    parse_warnings(r);
    if (!r->wants_places) {
        forget_references(b->snap);
        return parse_type_ids(r) && add_types(r) && parse_samples(r);
    }
    if (!parse_sketch(r, &b->snap->identity.types, "types", "types_unit",
                      "types_are_cut") ||
        !parse_sketch(r, &b->snap->identity.tables, "tables", "tables_unit",
                      "tables_are_cut") ||
        !parse_sketch(r, &b->snap->identity.blocks, "blocks", "blocks_unit",
                      "blocks_are_cut") ||
        !parse_type_ids(r) || !add_types(r) || !parse_samples(r) || !parse_retained(r) ||
        !digest_read_lost(r))
        return false;
    if (has_places != b->snap->info.has_roots)
        return digest_refuse(r, "roots and places");
    return !has_places ||
           (digest_read_places(r) && digest_read_sharing(r) && digest_read_chains(r) &&
            digest_read_survivors(r) && digest_read_ages(r));
}

static bool read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct bytes json;
    struct digest_reading r = {.b = b, .err = err, .wants_places = b->want_graph};
    if (!input_all(in, &json, err))
        return false;
    r.digest = b->digest = arena_alloc(&b->snap->arena, sizeof(*r.digest));
    bool ok = digest_columns_read(&r.columns, json, b, err);
    if (ok) {
        parse_source(&r, json);
        ok = parse_digest(&r);
    }
    digest_columns_free(&r.columns, b);
    return ok;
}

const struct reader read_digest = {
    .name = "digest",
    .statics = STATICS_BY_TYPE,
    .summary = "digest of a heap: owners without objects, from `heapdrift convert`",
    .recognises = recognises,
    .read = read,
};
