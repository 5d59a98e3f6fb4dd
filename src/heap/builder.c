#include "heap/builder.h"

#include "base/error.h"
#include "base/hash.h"
#include "heap/builder_graph.h"
#include "heap/names.h"
#include "heap/reach.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- types --------------------------------------------------------------------- */

struct account *builder_account(struct builder *b)
{
    const uint64_t always = 4 << 20;
    b->account.limit =
        b->max_memory == 0 || b->max_memory > always ? b->max_memory : always;
    return &b->account;
}

/* Whether something is to be dropped, which builder_finish() then knows whatever is freed
 * until then. */
static bool drops(struct builder *b)
{
    b->has_dropped |= account_is_over(builder_account(b));
    return b->has_dropped;
}

uint32_t builder_type(struct builder *b, enum type_kind kind, const char *name, size_t len)
{
    /* Beside raw_type, in builder_finish(): a row, its sums, its place in a table. */
    enum { PER_ROW = sizeof(struct type) + 256 };
    if (b->type_count > 0 && drops(b))
        return (uint32_t)b->type_count - 1;
    b->types =
        account_grow(&b->account, b->types, b->type_count, &b->type_cap, sizeof(*b->types));
    account_charge(&b->account, PER_ROW);
    b->types[b->type_count] = (struct raw_type){.kind = kind, .multiplier = 1};
    uint32_t id = (uint32_t)b->type_count++;
    if (name != NULL)
        builder_name_type(b, id, name, len);
    return id;
}

const char *builder_name(struct builder *b, const char *name, size_t len)
{
    text_clear(&b->scratch);
    names_canonical(&b->scratch, name, len);
    if (b->across_builds) {
        struct text folded = {0};
        builds_fold(&folded, b->scratch.data, b->scratch.len);
        text_free(&b->scratch);
        b->scratch = folded;
    }
    if (drops(b))
        return "";
    /* Once here, once in the key of its row. */
    account_charge(&b->account, 2 * (uint64_t)b->scratch.len);
    return arena_strdup(&b->snap->arena, b->scratch.data, b->scratch.len);
}

void builder_name_type(struct builder *b, uint32_t type, const char *name, size_t len)
{
    if (b->source != NULL) {
        b->types[type].source.name = builder_string(b, name, len);
        b->types[type].source.name_len = len;
    }
    b->types[type].name = builder_name(b, name, len);
}

void builder_full_name(struct builder *b, uint32_t type, const char *full_name)
{
    b->types[type].full_name = full_name;
}

void builder_module(struct builder *b, uint32_t type, const char *module, size_t len)
{
    b->types[type].module = builder_string(b, module, len);
    b->types[type].source.module = b->types[type].module;
}

void builder_image(struct builder *b, uint32_t type, uint64_t base, uint32_t rva)
{
    b->types[type].source.base = base;
    b->types[type].source.rva = rva;
}

const char *builder_string(struct builder *b, const char *s, size_t len)
{
    if (s == NULL || drops(b))
        return s != NULL ? "" : NULL;
    account_charge(&b->account, len);
    return arena_strdup(&b->snap->arena, s, len);
}

void builder_warn(struct builder *b, enum warning_code code, uint64_t line)
{
    warnings_add(&b->snap->warnings, code, line);
}

/* --- counting ------------------------------------------------------------------ */

static struct hd_tally *make_generations(struct builder *b)
{
    account_charge(&b->account, HD_GENERATION_COUNT * sizeof(struct hd_tally));
    return arena_array(&b->snap->arena, struct hd_tally, HD_GENERATION_COUNT);
}

bool builder_object(struct builder *b, uint32_t type, uint64_t size, enum hd_generation gen)
{
    struct hd_info *info = &b->snap->info;
    if (size > HD_UNKNOWN - 1 - info->bytes)
        return false;
    info->objects++;
    info->bytes += size;
    struct raw_type *t = &b->types[type];
    t->all.count++;
    t->all.bytes += size;
    if (info->has_generations) {
        b->snap->by_generation[gen].count++;
        b->snap->by_generation[gen].bytes += size;
        if (t->by_generation == NULL)
            t->by_generation = make_generations(b);
        t->by_generation[gen].count++;
        t->by_generation[gen].bytes += size;
        if (generation_is_old(gen)) {
            t->old.count++;
            t->old.bytes += size;
        }
    }
    return true;
}

void builder_objects(struct builder *b, uint32_t type, const struct hd_tally *more,
                     enum hd_generation gen)
{
    struct raw_type *t = &b->types[type];
    if (more->count == 0)
        return;
    b->snap->info.objects += more->count;
    b->snap->info.bytes += more->bytes;
    tally_add(&t->all, more);
    tally_add(&b->snap->by_generation[gen], more);
    if (t->by_generation == NULL)
        t->by_generation = make_generations(b);
    tally_add(&t->by_generation[gen], more);
    if (generation_is_old(gen))
        tally_add(&t->old, more);
}

bool builder_row(struct builder *b, uint32_t type, uint64_t count, uint64_t bytes)
{
    struct hd_info *info = &b->snap->info;
    struct raw_type *t = &b->types[type];
    if (count > HD_UNKNOWN - 1 - info->objects)
        return false;
    info->objects += count;
    t->all.count += count;
    if (bytes == HD_UNKNOWN) {
        t->bytes_unknown = true;
        return true;
    }
    if (bytes > HD_UNKNOWN - 1 - info->bytes)
        return false;
    info->bytes += bytes;
    t->all.bytes += bytes;
    return true;
}

/* --- rows ---------------------------------------------------------------------- */

/* Rows are found by kind and canonical name together: the key is the name with
 * the kind as its first byte. */
struct row_slot {
    type_id id;
    UT_hash_handle hh;
};

/* What a row adds up in doubles until it is rounded once. */
struct row_sum {
    double count, bytes, old_count, old_bytes;
    bool bytes_unknown, several_modules, several_names, named;
};

static type_id intern_row(struct builder *b, const struct raw_type *raw,
                          struct row_slot **slots, struct arena *scratch)
{
    text_clear(&b->scratch);
    text_add_char(&b->scratch, (char)raw->kind);
    text_add_string(&b->scratch, raw->name);
    struct row_slot *slot;
    HASH_FIND(hh, *slots, b->scratch.data, b->scratch.len, slot);
    if (slot != NULL)
        return slot->id;
    slot = arena_alloc(scratch, sizeof(*slot));
    slot->id = b->snap->type_count++;
    const char *key = arena_strdup(scratch, b->scratch.data, b->scratch.len);
    HASH_ADD_KEYPTR(hh, *slots, key, b->scratch.len, slot);
    b->snap->types[slot->id] = (struct type){
        .name = raw->name, .module = raw->module, .kind = raw->kind, .count_scale = 1};
    return slot->id;
}

static void add_to_row(struct type *row, struct row_sum *sum, const struct raw_type *raw)
{
    tally_add(&row->raw, &raw->all);
    tally_add(&row->tally[SELECT_GEN2], &raw->old);
    if (row->by_generation == NULL)
        row->by_generation = raw->by_generation;
    for (size_t g = 0; raw->by_generation != NULL &&
                       row->by_generation != raw->by_generation && g < HD_GENERATION_COUNT;
         g++)
        tally_add(&row->by_generation[g], &raw->by_generation[g]);
    sum->count += raw->multiplier * (double)raw->all.count;
    sum->bytes += raw->multiplier * (double)raw->all.bytes;
    sum->old_count += raw->multiplier * (double)raw->old.count;
    sum->old_bytes += raw->multiplier * (double)raw->old.bytes;
    sum->bytes_unknown |= raw->bytes_unknown;
    if (!sum->named)
        row->full_name = raw->full_name;
    sum->named = true;
    if (row->full_name == NULL || raw->full_name == NULL ||
        strcmp(row->full_name, raw->full_name) != 0)
        sum->several_names = true;
    if (row->module != NULL &&
        (raw->module == NULL || strcmp(row->module, raw->module) != 0))
        sum->several_modules = true;
}

static void settle_row(struct type *row, const struct row_sum *sum, bool sampled)
{
    if (sum->several_modules)
        row->module = NULL;
    if (sum->several_names)
        row->full_name = NULL;
    row->tally[SELECT_ALL] = row->raw;
    if (sampled) {
        row->tally[SELECT_ALL] =
            (struct hd_tally){tally_rounded(sum->count), tally_rounded(sum->bytes)};
        row->tally[SELECT_GEN2] =
            (struct hd_tally){tally_rounded(sum->old_count), tally_rounded(sum->old_bytes)};
        row->count_scale = row->raw.count > 0 ? sum->count / (double)row->raw.count : 1;
    }
    if (sum->bytes_unknown)
        row->raw.bytes = row->tally[SELECT_ALL].bytes = HD_UNKNOWN;
}

/* Merge the types of the file into rows; row_of[i] is the row of type i. */
static type_id *make_rows(struct builder *b, struct row_sum **sums, struct arena *scratch)
{
    struct hd_snapshot *snap = b->snap;
    struct row_slot *slots = NULL;
    type_id *row_of = arena_array(scratch, type_id, b->type_count);
    *sums = arena_array(scratch, struct row_sum, b->type_count);
    snap->types = arena_array(&snap->arena, struct type, b->type_count);
    for (size_t i = 0; i < b->type_count; i++) {
        if (b->types[i].name == NULL)
            b->types[i].name = UNKNOWN_TYPE_NAME;
        row_of[i] = intern_row(b, &b->types[i], &slots, scratch);
        add_to_row(&snap->types[row_of[i]], &(*sums)[row_of[i]], &b->types[i]);
    }
    HASH_CLEAR(hh, slots);
    for (type_id t = 0; t < snap->type_count; t++)
        settle_row(&snap->types[t], &(*sums)[t], snap->info.sampled);
    return row_of;
}

/* --- the graph ----------------------------------------------------------------- */

static void warn_about_roots(struct hd_snapshot *snap)
{
    if (snap->info.objects > 0 && !snap->info.has_roots &&
        warnings_find(&snap->warnings, WARN_NO_ROOTS) == NULL)
        warnings_add(&snap->warnings, WARN_NO_ROOTS, 0);
}

static bool finish_graph(struct builder *b, const type_id *row_of, struct hd_error *err)
{
    if (!builder_settle_graph(b, row_of, err))
        return false;
    struct graph *g = b->graph;
    b->snap->graph = g;
    b->snap->info.has_fields = g->fields != NULL;
    b->graph = NULL;
    b->snap->node_count = g->node_count;
    b->snap->edge_count = g->edge_count;
    b->snap->graph_bytes = graph_bytes(g);
    b->snap->reading_bytes = b->account.most;
    if (b->graph_only)
        return true;
    graph_counts_references(b->snap, b->threads);
    b->snap->info.references -= b->handle_edges;
    graph_counts_roots(b->snap);
    return true;
}

/* --- what the input said ------------------------------------------------------- */

void builder_keep_source(struct builder *b)
{
    b->source = arena_alloc(&b->snap->arena, sizeof(*b->source));
    b->snap->source = b->source;
}

static void keep_types(struct builder *b)
{
    struct source *s = b->source;
    s->type_count = b->type_count;
    s->types = arena_array(&b->snap->arena, struct source_type, b->type_count);
    for (size_t i = 0; i < b->type_count; i++)
        s->types[i] = b->types[i].source;
}

/* --- around a reader ----------------------------------------------------------- */

struct builder builder_begin(struct input *in, const char *path)
{
    struct hd_snapshot *snap = alloc_zeroed(sizeof(*snap));
    snap->input = in;
    snap->clock = NAN;
    snap->weak_roots = HD_UNKNOWN;
    snap->info = (struct hd_info){.path = arena_strdup(&snap->arena, path, strlen(path)),
                                  .pid = HD_UNKNOWN,
                                  .references = HD_UNKNOWN,
                                  .roots = HD_UNKNOWN,
                                  .reachable_objects = HD_UNKNOWN,
                                  .reachable_bytes = HD_UNKNOWN,
                                  .xxh3 = HD_UNKNOWN,
                                  .source_xxh3 = HD_UNKNOWN,
                                  .complete = true};
    return (struct builder){.snap = snap, .size_base = 16};
}

static void finish_digest(struct builder *b, const type_id *row_of)
{
    struct hd_snapshot *snap = b->snap;
    const struct digest_scaled *scaled = b->digest->scaled;
    for (type_id t = 0; scaled != NULL && t < snap->type_count; t++)
        snap->types[t].tally[SELECT_ALL] = snap->types[t].tally[SELECT_GEN2] =
            (struct hd_tally){0};
    for (size_t i = 0; scaled != NULL && i < b->type_count; i++) {
        struct type *row = &snap->types[row_of[i]];
        tally_add(&row->tally[SELECT_ALL], &scaled[i].all);
        tally_add(&row->tally[SELECT_GEN2], &scaled[i].old);
        row->count_scale = scaled[i].count_scale;
    }
    if (!b->want_graph)
        return;
    digest_rename(b->digest, row_of, b->type_count, snap->type_count, &snap->arena);
    snap->digest = b->digest;
    snap->info.has_owners = b->digest->places.len > 0;
    reach_from_digest(snap);
}

static void count_types(struct hd_snapshot *snap)
{
    bool unknown = false;
    for (type_id t = 0; t < snap->type_count; t++) {
        snap->info.types += type_has_row(&snap->types[t]);
        unknown |= snap->types[t].raw.bytes == HD_UNKNOWN;
    }
    if (unknown)
        snap->info.bytes = HD_UNKNOWN;
}

void builder_lacks(struct builder *b, node_id n)
{
    b->lacking = account_grow(&b->account, b->lacking, b->lacking_count, &b->lacking_cap,
                              sizeof(*b->lacking));
    b->lacking[b->lacking_count++] = n;
}

static void judge_lacking(struct builder *b)
{
    struct hd_snapshot *snap = b->snap;
    uint32_t held = 0;
    for (size_t i = 0; i < b->lacking_count; i++)
        held += graph_reachable(snap->graph, b->lacking[i]);
    if (held == 0 || !snap->info.complete)
        return;
    snap->info.complete = false;
    builder_warn(b, WARN_INCOMPLETE, 0);
    warnings_add_detail(
        &snap->warnings, WARN_INCOMPLETE,
        arena_printf(&snap->arena,
                     "live objects refer to objects that were not found (%" PRIu32 ")",
                     held));
}

struct hd_snapshot *builder_finish(struct builder *b, struct hd_error *err)
{
    struct arena scratch = {0};
    struct row_sum *sums;
    if (!b->over_memory && drops(b)) {
        account_fail(&b->account, err);
        builder_abandon(b);
        return NULL;
    }
    type_id *row_of = make_rows(b, &sums, &scratch);
    bool ok = b->graph == NULL || finish_graph(b, row_of, err);
    if (b->digest != NULL)
        finish_digest(b, row_of);
    arena_free(&scratch);
    if (b->source != NULL)
        keep_types(b);
    struct hd_snapshot *snap = b->snap;
    count_types(snap);
    snap->info.is_native_aot = snap->image_base != 0;
    if (!b->graph_only)
        identity_find(snap);
    if (snap->graph != NULL && !b->graph_only)
        warn_about_roots(snap);
    snap->info.has_owners |= snap->graph != NULL && snap->info.has_roots;
    bool later = b->reach_later && !snap->info.holds_garbage;
    if (ok && snap->graph != NULL && !b->graph_only && !later)
        reach_find(snap);
    if (ok && b->lacking_count > 0 && reach_is_known(snap))
        judge_lacking(b);
    b->snap = ok ? NULL : snap;
    builder_abandon(b);
    return ok ? snap : NULL;
}

void builder_abandon(struct builder *b)
{
    free(b->types);
    free(b->lacking);
    text_free(&b->scratch);
    graph_free(b->graph);
    snapshot_free(b->snap);
    *b = (struct builder){0};
}

void snapshot_free(struct hd_snapshot *snap)
{
    if (snap == NULL)
        return;
    graph_free(snap->graph);
    free(snap->reachable);
    warnings_free(&snap->warnings);
    if (snap->source != NULL)
        free(snap->source->described);
    input_close(snap->input);
    arena_free(&snap->arena);
    free(snap);
}
