#include "heap/borrow.h"

#include "base/hash.h"
#include "heap/place.h"

#include <inttypes.h>
#include <string.h>

struct named_row {
    type_id row;
    UT_hash_handle hh;
};

/* A name with an id instead of a type's name; the text before and after it. */
struct unnamed {
    uint64_t id;
    struct name_part before;
    const char *after;
};

/* As spelled by readers: "UNKNOWN 0x7f3a" for objects, "[static var Type(0x7f3a).s_all]";
 * "TypeID(0x39a6f0)" in a native AOT program, where it is a part of the id. */
static bool is_unnamed(const struct hd_snapshot *snap, const struct type *t,
                       struct unnamed *n)
{
    enum { MAX_DIGITS = 16 };
    uint64_t number;
    if (snap->image_base != 0 && t->kind == TYPE_OBJECT && names_number(t->name, &number)) {
        *n = (struct unnamed){snap->image_base + number, {"", 0}, ""};
        return true;
    }
    struct place place = place_of(t->name);
    bool variable = t->kind == TYPE_PSEUDO;
    const char *begin = variable ? "Type(0x" : "UNKNOWN 0x", *type = place.type.at;
    if (t->kind == TYPE_UNDEFINED || place.kind != (variable ? PLACE_STATIC : PLACE_TYPE) ||
        strncmp(type, begin, strlen(begin)) != 0)
        return false;
    type += strlen(begin);
    size_t len = strspn(type, "0123456789abcdef");
    if (len == 0 || len > MAX_DIGITS || type[len] != (variable ? ')' : '\0'))
        return false;
    *n = (struct unnamed){strtoull(type, NULL, 16), place.lead, type + len + variable};
    return true;
}

/* Files of dotnet-gcdump lack the pid. A program is loaded at a random address, except on
 * Windows, where a restart has the same one. */
static bool is_same_process(const struct hd_snapshot *a, const struct hd_snapshot *b)
{
    bool named = a->info.process != NULL && b->info.process != NULL;
    if (a->image_base != b->image_base ||
        (named && strcmp(a->info.process, b->info.process) != 0))
        return false;
    bool known = a->info.pid != HD_UNKNOWN && b->info.pid != HD_UNKNOWN;
    return known ? a->info.pid == b->info.pid : a->image_base != 0;
}

static void take_over(struct hd_tally *to, struct hd_tally *from)
{
    bool unknown = to->bytes == HD_UNKNOWN || from->bytes == HD_UNKNOWN;
    to->count += from->count;
    to->bytes = unknown ? HD_UNKNOWN : to->bytes + from->bytes;
    *from = (struct hd_tally){0};
}

/* Merges row t into row into; t is empty from then on. */
static void merge_rows(struct hd_snapshot *snap, type_id t, type_id into)
{
    if (snap->renamed == NULL) {
        snap->renamed = arena_array(&snap->arena, type_id, snap->type_count);
        for (type_id i = 0; i < snap->type_count; i++)
            snap->renamed[i] = i;
    }
    snap->renamed[t] = into;
    if (snap->types[t].kind == TYPE_OBJECT && snap->types[t].raw.count > 0 &&
        snap->types[into].raw.count > 0)
        snap->info.types--;
    take_over(&snap->types[into].raw, &snap->types[t].raw);
    struct hd_tally *to = snap->types[into].by_generation,
                    *from = snap->types[t].by_generation;
    for (size_t g = 0; to != NULL && from != NULL && g < HD_GENERATION_COUNT; g++)
        take_over(&to[g], &from[g]);
    if (to == NULL)
        snap->types[into].by_generation = from;
    snap->types[t].by_generation = NULL;
    for (size_t s = 0; s < SELECTIONS; s++)
        take_over(&snap->types[into].tally[s], &snap->types[t].tally[s]);
}

/* Merges rows of the same kind and name: those with a name of their own, and then, if
 * is_new, the others. Returns how many others have objects. */
static uint64_t settle_rows(struct hd_snapshot *snap, const char *const *names, bool is_new,
                            struct named_row *rows[2], struct arena *scratch)
{
    uint64_t named = 0;
    for (type_id t = 0; t < snap->type_count; t++) {
        struct type *type = &snap->types[t];
        struct named_row **of_kind = &rows[type->kind == TYPE_PSEUDO], *slot = NULL;
        if (type->kind == TYPE_UNDEFINED || (names[t] != NULL) != is_new)
            continue;
        const char *name = is_new ? names[t] : type->name;
        size_t len = strlen(name);
        named += is_new && type->kind == TYPE_OBJECT && type->raw.count > 0;
        if (is_new)
            HASH_FIND(hh, *of_kind, name, len, slot);
        if (slot != NULL) {
            merge_rows(snap, t, slot->row);
            continue;
        }
        slot = arena_alloc(scratch, sizeof(*slot));
        slot->row = t;
        type->name = name;
        HASH_ADD_KEYPTR(hh, *of_kind, name, len, slot);
    }
    return named;
}

uint64_t snapshot_rename_types(struct hd_snapshot *snap, type_name_finder *name_of,
                               void *context)
{
    struct arena scratch = {0};
    struct named_row *rows[2] = {NULL, NULL};
    const char **names = arena_array(&scratch, const char *, snap->type_count);
    uint64_t all = 0, named;
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        names[t] = type->kind != TYPE_UNDEFINED ? name_of(context, type) : NULL;
        all += names[t] != NULL;
    }
    settle_rows(snap, names, false, rows, &scratch);
    named = settle_rows(snap, names, true, rows, &scratch);
    HASH_CLEAR(hh, rows[0]);
    HASH_CLEAR(hh, rows[1]);
    arena_free(&scratch);
    for (type_id t = 0; snap->renamed != NULL && t < snap->type_count; t++)
        snap->renamed[t] = snap->renamed[snap->renamed[t]]; /* renamed before */
    if (all > 0 && snap->graph != NULL)
        snapshot_rename_graph(snap, snap->graph);
    if (all > 0 && snap->digest != NULL && snap->renamed != NULL)
        digest_rename(snap->digest, snap->renamed, snap->type_count, snap->type_count,
                      &snap->arena);
    return named;
}

/* --- names of others ----------------------------------------------------------- */

struct name_borrower {
    struct hd_snapshot *snap;
    struct hd_snapshot *const *snaps;
    size_t count;
    const char *lender; /* path of the first that had a name */
};

static const char *name_of_others(void *context, const struct type *type)
{
    struct name_borrower *b = context;
    struct unnamed n;
    const char *name = NULL;
    if (!is_unnamed(b->snap, type, &n))
        return NULL;
    for (size_t k = 0; k < b->count && name == NULL; k++) {
        if (b->snaps[k] == b->snap || !is_same_process(b->snap, b->snaps[k]))
            continue;
        name = snapshot_type_name(b->snaps[k], n.id);
        if (name != NULL && b->lender == NULL)
            b->lender = b->snaps[k]->info.path;
    }
    return name == NULL ? NULL
                        : arena_printf(&b->snap->arena, "%.*s%s%s", (int)n.before.len,
                                       n.before.at, name, n.after);
}

static void borrow(struct hd_snapshot *snap, struct hd_snapshot *const *snaps, size_t count)
{
    struct name_borrower b = {.snap = snap, .snaps = snaps, .count = count};
    uint64_t named = snapshot_rename_types(snap, name_of_others, &b);
    if (named > 0) {
        warnings_take_back(&snap->warnings, WARN_UNKNOWN_TYPE, named);
        for (uint64_t i = 0; i < named; i++)
            warnings_add(&snap->warnings, WARN_NAMES_BORROWED, 0);
        warnings_add_detail(
            &snap->warnings, WARN_NAMES_BORROWED,
            arena_printf(&snap->arena,
                         "types without names; names taken from %s, from the same process",
                         b.lender));
    }
}

void snapshots_borrow_names(struct hd_snapshot *const *snaps, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (warnings_find(&snaps[k]->warnings, WARN_UNKNOWN_TYPE) != NULL)
            borrow(snaps[k], snaps, count);
}

void snapshot_rename_graph(const struct hd_snapshot *snap, struct graph *g)
{
    for (node_id n = 0; snap->renamed != NULL && n < g->node_count; n++)
        g->type[n] = snap->renamed[g->type[n]];
}
