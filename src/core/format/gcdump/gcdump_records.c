#include "format/gcdump/gcdump_records.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/little_endian.h"
#include "base/workers.h"
#include "heap/names.h"
#include "heap/place.h"
#include "heap/snapshot.h"

#include <stdlib.h>
#include <string.h>

/* --- the tree of roots ---------------------------------------------------- */

/* root_set.h makes a flatter tree after all objects, which is rebuilt as the one that
 * dotnet-gcdump makes; other trees are a file's own and not changed. */

enum group {
    ALL,
    STATIC,
    THREAD_STATIC,
    LOCAL,
    OTHER,
    REF_COUNTED,
    FINALIZER,
    PINNED,
    STRONG,
    OTHER_HANDLES,
    DEPENDENT,
    COM,
    GROUPS
};

static const struct {
    const char *name;
    enum group parent;
    bool always;
} groups[GROUPS] = {
    [ALL] = {"[.NET Roots]", ALL, true},
    [STATIC] = {"[static vars]", ALL, true},
    [THREAD_STATIC] = {"[thread static vars]", ALL, false},
    [LOCAL] = {"[local vars]", ALL, false},
    [OTHER] = {"[other roots]", ALL, false},
    [REF_COUNTED] = {"[COM/WinRT Objects]", OTHER, false},
    [FINALIZER] = {"[finalizer Handles]", OTHER, false},
    [PINNED] = {"[pinning Handles]", OTHER, false},
    [STRONG] = {"[strong Handles]", OTHER, false},
    [OTHER_HANDLES] = {"[other Handles]", OTHER, false},
    [DEPENDENT] = {"[Dependent Handles]", OTHER, false},
    [COM] = {"[COM/WinRT Objects]", ALL, true},
};

static const enum group of_kind[HD_ROOT_KIND_COUNT + 1] = {
    [HD_ROOT_STATIC] = STATIC,
    [HD_ROOT_THREAD_STATIC] = THREAD_STATIC,
    [HD_ROOT_STRONG_HANDLE] = STRONG,
    [HD_ROOT_PINNED_HANDLE] = PINNED,
    [HD_ROOT_REF_COUNTED_HANDLE] = REF_COUNTED,
    [HD_ROOT_DEPENDENT_HANDLE] = DEPENDENT,
    [HD_ROOT_STACK] = LOCAL,
    [HD_ROOT_FINALIZER] = FINALIZER,
    [HD_ROOT_OTHER] = OTHER_HANDLES,
    [HD_ROOT_UNREACHABLE] = OTHER_HANDLES,
    [HD_ROOT_KIND_COUNT] = OTHER_HANDLES,
};

static const struct type *type_of(const struct hd_snapshot *snap, node_id n)
{
    return &snap->types[snap->graph->type[n]];
}

/* True for a tree of root_set.h: no object refers back to a pseudo-node, and the root
 * refers only to pseudo-nodes. */
static bool is_flat_tree(const struct hd_snapshot *snap, node_id kept)
{
    const struct graph *g = snap->graph;
    /* A gcdump may call its root so, and has its records in an order of its own. */
    if (snap->source->is_gcdump || g->root < kept ||
        strcmp(type_of(snap, g->root)->name, "[roots]") != 0)
        return false;
    for (uint32_t e = 0; e < g->edge_begin[kept]; e++)
        if (g->edge_to[e] >= kept)
            return false;
    for (uint32_t e = g->edge_begin[g->root]; e < g->edge_begin[g->root + 1]; e++)
        if (g->edge_to[e] < kept)
            return false;
    return true;
}

/* Finds the node of the model with the members of each group. False if a group would need
 * two. */
static bool find_members(const struct hd_snapshot *snap, node_id kept, node_id *members,
                         size_t *variables)
{
    const struct graph *g = snap->graph;
    for (node_id n = kept; n < g->node_count; n++) {
        const char *name = type_of(snap, n)->name;
        if (n == g->root)
            continue;
        if (place_names_variable(name)) {
            ++*variables;
            continue;
        }
        enum group group = of_kind[root_kind_of(name)];
        if (members[group] != NO_NODE)
            return false;
        members[group] = n;
    }
    return true;
}

/* Adds the variables of a group as groups of their own. */
static void add_variables(struct gcdump_records *r, node_id group_node, uint32_t parent)
{
    const struct graph *g = r->snap->graph;
    if (group_node == NO_NODE)
        return;
    for (uint32_t e = g->edge_begin[group_node]; e < g->edge_begin[group_node + 1]; e++) {
        node_id n = g->edge_to[e];
        const char *name = type_of(r->snap, n)->name;
        if (n >= r->kept && place_names_variable(name))
            r->groups[r->group_count++] = (struct tree_group){name, parent, n};
    }
}

static void plan_tree(struct gcdump_records *r)
{
    const struct hd_snapshot *snap = r->snap;
    node_id members[GROUPS];
    size_t variables = 0;
    r->kept = snap->graph->node_count;
    while (r->kept > 0 && type_of(snap, r->kept - 1)->kind == TYPE_PSEUDO)
        r->kept--;
    for (size_t g = 0; g < GROUPS; g++)
        members[g] = NO_NODE;
    bool is_flat =
        is_flat_tree(snap, r->kept) && find_members(snap, r->kept, members, &variables);
    if (is_flat) {
        bool used[GROUPS] = {false};
        uint32_t number[GROUPS];
        for (size_t g = 0; g < GROUPS; g++)
            if (groups[g].always || members[g] != NO_NODE)
                used[g] = used[groups[g].parent] = true;
        r->groups = arena_array(r->arena, struct tree_group, GROUPS + variables);
        for (size_t g = 0; g < GROUPS; g++) {
            if (!used[g])
                continue;
            number[g] = r->group_count;
            r->groups[r->group_count++] =
                (struct tree_group){groups[g].name, number[groups[g].parent], members[g]};
        }
        r->parents = r->group_count;
        add_variables(r, members[STATIC], number[STATIC]);
        if (used[THREAD_STATIC])
            add_variables(r, members[THREAD_STATIC], number[THREAD_STATIC]);
    }
    /* A variable without exactly one group is not from root_set. */
    if (!is_flat || r->group_count != r->parents + variables) {
        r->kept = snap->graph->node_count;
        r->group_count = 0;
    }
}

/* --- names of types ------------------------------------------------------------ */

static void respell(struct text *t, const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (name[i] == '`') {
            while (i + 1 < len && name[i + 1] >= '0' && name[i + 1] <= '9')
                i++;
            continue;
        }
        char c = name[i];
        if (c == '[')
            c = '<';
        else if (c == ']')
            c = '>';
        text_add_char(t, c);
    }
    for (size_t i = 0; i + 1 < t->len; i++) {
        if (t->data[i] == '<' && t->data[i + 1] == '>') {
            t->data[i++] = '[';
            t->data[i] = ']';
        }
    }
}

static bool reads_as(const struct text *spelling, const struct text *canonical)
{
    struct text read = {0};
    names_canonical(&read, spelling->data, spelling->len);
    bool same = spelling->len > 0 && read.len == canonical->len &&
                memcmp(read.data, canonical->data, read.len) == 0;
    text_free(&read);
    return same;
}

const char *gcdump_spelling(const char *name, size_t len, struct arena *a)
{
    struct text canonical = {0}, theirs = {0};
    names_canonical(&canonical, name, len);
    respell(&theirs, name, len);
    if (!reads_as(&theirs, &canonical)) {
        text_clear(&theirs);
        respell(&theirs, canonical.data, canonical.len);
    }
    const struct text *use = reads_as(&theirs, &canonical) ? &theirs : &canonical;
    const char *spelling = arena_strdup(a, use->data, use->len);
    text_free(&canonical);
    text_free(&theirs);
    return spelling;
}

/* --- the table ----------------------------------------------------------------- */

struct named_type {
    uint32_t index;
    const char *name;
    UT_hash_handle hh;
};

static uint32_t table_add(struct gcdump_records *r, const char *name, const char *module,
                          int32_t size)
{
    r->types = grow(r->types, r->type_count, &r->type_cap, sizeof(*r->types));
    r->types[r->type_count] =
        (struct table_type){.name = name, .module = module, .size = size, .multiplier = 1};
    return (uint32_t)r->type_count++;
}

static uint32_t intern_type(struct gcdump_records *r, struct named_type **by_name,
                            const char *name, const char *module, int32_t size)
{
    struct named_type *found;
    size_t len = strlen(name);
    HASH_FIND(hh, *by_name, name, len, found);
    if (found != NULL)
        return found->index;
    found = arena_alloc(r->arena, sizeof(*found));
    found->name = name;
    found->index = table_add(r, name, module, size);
    HASH_ADD_KEYPTR(hh, *by_name, found->name, len, found);
    return found->index;
}

/* Only the type is respelled: the field of `[static var []c.<>9]` is not. */
static uint32_t pseudo_type(struct gcdump_records *r, const char *name)
{
    struct place place = place_of(name);
    struct text spelled = {0};
    if (place_is_variable(&place)) {
        place.type = name_part(gcdump_spelling(place.type.at, place.type.len, r->arena));
        place_add(&spelled, &place);
        name = arena_strdup(r->arena, spelled.data, spelled.len);
    }
    text_free(&spelled);
    return intern_type(r, &r->pseudo, name, NULL, 0);
}

/* --- types of objects ---------------------------------------------------------- */

static const char *const class_suffixes[] = {
    NULL,
    " (Bytes > 1K)",
    " (Bytes > 10K)",
    " (Bytes > 100K)",
    " (Bytes > 1M)",
    " (Bytes > 10M)",
    " (Bytes > 100M)",
};

static unsigned size_class(uint32_t size)
{
    static const uint32_t above[] = {1001, 10000, 100000, 1000000, 10000000, 100000000};
    unsigned c = 0;
    while (c < sizeof(above) / sizeof(above[0]) && size >= above[c])
        c++;
    return c;
}

/* Other tools name a type without a name by its image, if the file has that and the RVA. */
static void set_image(struct gcdump_records *r, uint32_t index, const struct source_type *s,
                      const char *suffix)
{
    struct table_type *type = &r->types[index];
    uint64_t number;
    if (s->base == 0)
        return;
    type->of = s;
    if (s->name == NULL || names_number(s->name, &number)) {
        type->name = NULL;
        type->suffix = suffix;
    }
}

static uint32_t object_type(struct gcdump_records *r, uint32_t source, unsigned class)
{
    const struct source_type *s = &r->snap->source->types[source];
    uint32_t *slot = &r->of_source[source][class];
    if (*slot != 0)
        return *slot;
    const char *name =
        gcdump_spelling(s->name != NULL ? s->name : "", s->name_len, r->arena);
    if (r->of_source[source][0] == 0) {
        r->of_source[source][0] = table_add(r, name, s->module, -1);
        set_image(r, r->of_source[source][0], s, NULL);
    }
    /* Class types are one per name, whatever the module, so it exists. */
    if (class > 0) {
        *slot = intern_type(r, &r->classes,
                            arena_printf(r->arena, "%s%s", name, class_suffixes[class]),
                            s->module, -1);
        set_image(r, *slot, s, class_suffixes[class]);
    }
    return *slot;
}

/* The index of node n's type; size as it will be written. Once it was asked for, several
 * threads may ask again. */
static uint32_t type_of_node(struct gcdump_records *r, node_id n, uint32_t size)
{
    const struct graph *g = r->snap->graph;
    uint32_t source = g->source_type[n];
    const struct type *row = &r->snap->types[g->type[n]];
    if (r->snap->source->is_gcdump)
        return r->snap->source->types[source].number;
    if (row->kind == TYPE_UNDEFINED)
        return 0;
    uint32_t *pseudo = &r->of_pseudo[g->type[n]];
    if (row->kind == TYPE_PSEUDO && *pseudo == 0)
        *pseudo = pseudo_type(r, row->name);
    if (row->kind == TYPE_PSEUDO)
        return *pseudo;
    return object_type(r, source, size_class(size));
}

/* --- numbers of nodes ---------------------------------------------------------- */

/* Assigns the next number to n, unless it has one. */
static void meet(struct gcdump_records *r, uint32_t *next, node_id n)
{
    if (r->number[n] == NO_NODE)
        r->number[n] = (*next)++;
}

/* Usually nodes are not renumbered. dotnet-gcdump numbers nodes in the order in which the
 * events of a trace first name them, as a root or in a reference, so a converted trace gets
 * the same numbers: its root is node 0, and referents are close by. O(nodes +
 * references). */
static void plan_numbers(struct gcdump_records *r)
{
    const struct source *s = r->snap->source;
    const struct graph *g = r->snap->graph;
    uint32_t next = 0;
    if (s->met == NULL)
        return;
    r->number = alloc_unknown(g->node_count);
    for (size_t i = 0; i < s->met_count; i++)
        meet(r, &next, s->met[i]);
    for (node_id n = 0; n < g->node_count; n++) {
        meet(r, &next, n);
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            meet(r, &next, g->edge_to[e]);
    }
}

static uint32_t node_number(const struct gcdump_records *r, node_id n)
{
    return r->number != NULL ? r->number[n] : n;
}

/* --- records ------------------------------------------------------------------- */

/* Nodes per share: some 70 KiB of records, which fit a second-level cache. */
enum { SHARE = 16 * 1024 };

/* Shares per thread between two writes; their records are buffered. */
enum { SHARES_AT_ONCE = 8 };

/* Returns the size of the shortest form: signed, groups of 7 bits, the highest first. */
static unsigned compressed_size(int32_t value)
{
    uint32_t bits = value >= 0 ? (uint32_t)value : ~(uint32_t)value;
    unsigned used = bits > 0 ? 32 - (unsigned)__builtin_clz(bits) : 0;
    return used / 7 + 1;
}

static unsigned char *put_compressed(unsigned char *at, int32_t value)
{
    unsigned more = compressed_size(value) - 1;
    for (; more > 0; more--)
        *at++ = (unsigned char)(0x80 | (value >> 7 * more & 0x7F));
    *at++ = (unsigned char)(value & 0x7F);
    return at;
}

/* Writes records, or measures them without a buffer. */
struct sink {
    unsigned char *at; /* NULL: measure */
    uint64_t size;
};

static inline void put_number(struct sink *s, int32_t value)
{
    if (s->at != NULL)
        s->at = put_compressed(s->at, value);
    else
        s->size += compressed_size(value);
}

/* --- nodes --------------------------------------------------------------------- */

/* Groups replace the pseudo-nodes, so the numbers of objects do not change, nor the samples
 * in reports. */
static uint32_t group_number(const struct gcdump_records *r, uint32_t group)
{
    return r->kept + group;
}

static void put_references(struct sink *s, const struct gcdump_records *r, uint32_t from,
                           node_id n)
{
    const struct graph *g = r->snap->graph;
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
        if (g->edge_to[e] < r->kept)
            put_number(s, (int32_t)((int64_t)node_number(r, g->edge_to[e]) - from));
}

static uint32_t out_degree(const struct graph *g, node_id n)
{
    return g->edge_begin[n + 1] - g->edge_begin[n];
}

static uint32_t written_size(const struct gcdump_records *r, node_id n)
{
    uint64_t size = graph_size(r->snap->graph, n);
    return size <= INT32_MAX ? (uint32_t)size : INT32_MAX;
}

static void put_type_and_size(struct sink *s, const struct gcdump_records *r, uint32_t type,
                              uint32_t size)
{
    bool stored = (uint32_t)r->types[type].size != size;
    put_number(s, (int32_t)(type * 2 + stored));
    if (stored)
        put_number(s, (int32_t)size);
}

static void put_node(struct sink *s, struct gcdump_records *r, node_id n)
{
    uint32_t size = written_size(r, n);
    put_type_and_size(s, r, type_of_node(r, n, size), size);
    put_number(s, (int32_t)out_degree(r->snap->graph, n));
    put_references(s, r, node_number(r, n), n);
}

static void put_group(struct sink *s, struct gcdump_records *r, uint32_t number)
{
    const struct tree_group *group = &r->groups[number];
    const struct graph *g = r->snap->graph;
    uint32_t count = 0, e = 0, end = 0;
    put_type_and_size(s, r, pseudo_type(r, group->name), 0);
    for (uint32_t i = 1; number < r->parents && i < r->group_count; i++)
        count += r->groups[i].parent == number;
    if (group->members != NO_NODE) {
        e = g->edge_begin[group->members];
        end = g->edge_begin[group->members + 1];
    }
    /* the variables among the members of a static group are groups by now */
    for (; e < end; e++)
        count += g->edge_to[e] < r->kept;
    put_number(s, (int32_t)count);
    for (uint32_t i = 1; number < r->parents && i < r->group_count; i++)
        if (r->groups[i].parent == number)
            put_number(s, (int32_t)(i - number));
    if (group->members != NO_NODE)
        put_references(s, r, group_number(r, number), group->members);
}

/* Undefined objects have no description. */
static bool is_undescribed(const struct gcdump_records *r, node_id n)
{
    const struct graph *g = r->snap->graph;
    return r->snap->types[g->type[n]].kind == TYPE_UNDEFINED && out_degree(g, n) == 0 &&
           graph_size(g, n) == 0;
}

/* --- in order ------------------------------------------------------------------ */

/* A blob begins with the record of undescribed nodes: type 0, no references. Then objects,
 * then the groups. */
enum { UNDESCRIBED_SIZE = 2 };

static uint32_t record_count(const struct gcdump_records *r)
{
    const struct source *source = r->snap->source;
    return source->described != NULL ? source->described_count : r->kept;
}

/* Returns the node of a record by number; NO_NODE if it is not described. */
static node_id recorded(const struct gcdump_records *r, uint32_t number)
{
    const struct source *source = r->snap->source;
    if (source->described != NULL)
        return source->described[number];
    return !source->is_gcdump && is_undescribed(r, number) ? NO_NODE : number;
}

static uint32_t share_count(const struct gcdump_records *r)
{
    return record_count(r) / SHARE + 1;
}

static uint32_t share_end(const struct gcdump_records *r, size_t share)
{
    uint32_t begin = (uint32_t)share * SHARE, left = record_count(r) - begin;
    return begin + (left < SHARE ? left : SHARE);
}

/* Groups are few, and after the last share. */
static uint32_t groups_to_put(const struct gcdump_records *r)
{
    return r->snap->source->described == NULL ? r->group_count : 0;
}

/* --- measuring ----------------------------------------------------------------- */

/* Types get their numbers, and their sizes, from their first object. An object type with
 * that name must not look like the undefined type. */
static void meet_type(struct gcdump_records *r, uint32_t type, uint32_t size)
{
    struct table_type *t = &r->types[type];
    if (t->size < 0 && !r->snap->source->is_gcdump)
        t->size =
            strcmp(t->name != NULL ? t->name : "", "UNDEFINED") == 0 ? 1 : (int32_t)size;
}

/* Offsets are from the beginning of the share, plus 1: 0 is unused. */
static bool measure_share(void *context, size_t share)
{
    struct gcdump_records *r = context;
    struct sink s = {.at = NULL};
    for (uint32_t i = (uint32_t)share * SHARE; i < share_end(r, share); i++) {
        node_id n = recorded(r, i);
        if (n == NO_NODE)
            continue;
        r->offsets[node_number(r, n)] = (uint32_t)s.size + 1;
        put_node(&s, r, n);
    }
    r->shares[share] = s.size;
    return true;
}

static bool move_share(void *context, size_t share)
{
    struct gcdump_records *r = context;
    for (uint32_t i = (uint32_t)share * SHARE; i < share_end(r, share); i++) {
        node_id n = recorded(r, i);
        if (n != NO_NODE)
            r->offsets[node_number(r, n)] += (uint32_t)r->shares[share] - 1;
    }
    return true;
}

static void meet_types(struct gcdump_records *r)
{
    for (uint32_t i = 0; i < record_count(r); i++) {
        node_id n = recorded(r, i);
        if (n == NO_NODE)
            continue;
        uint32_t size = written_size(r, n);
        meet_type(r, type_of_node(r, n, size), size);
    }
    for (uint32_t i = 0; i < groups_to_put(r); i++)
        meet_type(r, pseudo_type(r, r->groups[i].name), 0);
}

static void measure_records(struct gcdump_records *r)
{
    uint32_t shares = share_count(r);
    r->node_count = r->kept + r->group_count;
    r->offsets = alloc_zeroed(array_bytes(r->node_count, sizeof(*r->offsets)));
    r->shares = alloc_zeroed(array_bytes((size_t)shares + 1, sizeof(*r->shares)));
    meet_types(r);
    workers_run(shares, r->threads, measure_share, r);
    r->blob_size = UNDESCRIBED_SIZE;
    for (uint32_t i = 0; i < shares; i++) {
        uint64_t size = r->shares[i];
        r->shares[i] = r->blob_size;
        r->blob_size += size;
    }
    r->shares[shares] = r->blob_size;
    workers_run(shares, r->threads, move_share, r);
    struct sink s = {.size = r->blob_size};
    for (uint32_t i = 0; i < groups_to_put(r); i++) {
        r->offsets[group_number(r, i)] = (uint32_t)s.size;
        put_group(&s, r, i);
    }
    r->blob_size = s.size;
    for (node_id n = 0; n < r->kept; n++) {
        r->cut_sizes += graph_size(r->snap->graph, n) > INT32_MAX;
        r->total_size += written_size(r, n);
    }
}

struct gcdump_records gcdump_records_plan(const struct hd_snapshot *snap, struct arena *a)
{
    struct gcdump_records r = {.snap = snap, .arena = a, .threads = snap->read.threads};
    plan_tree(&r);
    plan_numbers(&r);
    /* For a gcdump its own table; else as dotnet-gcdump makes it. */
    const struct source *s = r.snap->source;
    for (uint32_t i = 0; i < s->gcdump_type_count; i++) {
        const struct source_gcdump_type *type = &s->gcdump_types[i];
        uint32_t at = table_add(&r, type->name, type->module, type->size);
        r.types[at].multiplier = type->multiplier;
    }
    if (!s->is_gcdump) {
        table_add(&r, "UNDEFINED", NULL, 0);
        r.of_pseudo = arena_array(r.arena, uint32_t, r.snap->type_count);
        r.of_source =
            arena_alloc(r.arena, array_bytes(s->type_count, sizeof(*r.of_source)));
    }
    measure_records(&r);
    r.root = r.group_count > 0 ? group_number(&r, 0) : node_number(&r, snap->graph->root);
    return r;
}

void gcdump_records_free(struct gcdump_records *r)
{
    HASH_CLEAR(hh, r->classes);
    HASH_CLEAR(hh, r->pseudo);
    free(r->types);
    free(r->number);
    free(r->offsets);
    free(r->shares);
}

/* --- writing ------------------------------------------------------------------- */

struct share_writer {
    struct gcdump_records *r;
    uint32_t first; /* first share of the batch */
    unsigned char *buffer;
};

static bool write_share(void *context, size_t i)
{
    const struct share_writer *w = context;
    struct gcdump_records *r = w->r;
    uint32_t share = w->first + (uint32_t)i;
    struct sink s = {.at = w->buffer + (r->shares[share] - r->shares[w->first])};
    for (uint32_t k = share * SHARE; k < share_end(r, share); k++) {
        node_id n = recorded(r, k);
        if (n != NO_NODE)
            put_node(&s, r, n);
    }
    return true;
}

static void put_shares(struct gcdump_records *r, struct fastser_write *f)
{
    uint32_t shares = share_count(r), at_once = SHARES_AT_ONCE;
    if (r->threads > 1)
        at_once *= r->threads;
    for (uint32_t i = 0; i < shares; i += at_once) {
        uint32_t end = shares - i < at_once ? shares : i + at_once;
        size_t size = (size_t)(r->shares[end] - r->shares[i]);
        struct share_writer w = {r, i, alloc_resize(NULL, size + 1)};
        workers_run(end - i, r->threads, write_share, &w);
        fastser_put_bytes(f, w.buffer, size);
        free(w.buffer);
    }
}

void gcdump_records_put(struct gcdump_records *r, struct fastser_write *f)
{
    static const unsigned char undescribed[UNDESCRIBED_SIZE] = {0};
    size_t size = (size_t)(r->blob_size - r->shares[share_count(r)]);
    unsigned char *buffer = alloc_resize(NULL, size + 1);
    struct sink s = {.at = buffer};
    fastser_put_bytes(f, undescribed, sizeof(undescribed));
    put_shares(r, f);
    for (uint32_t i = 0; i < groups_to_put(r); i++)
        put_group(&s, r, i);
    fastser_put_bytes(f, buffer, size);
    free(buffer);
}

void gcdump_records_put_offsets(const struct gcdump_records *r, struct fastser_write *f)
{
    enum { AT_ONCE = 8192 };
    unsigned char bytes[AT_ONCE * 4];
    for (uint32_t i = 0; i < r->node_count; i += AT_ONCE) {
        uint32_t count = r->node_count - i < AT_ONCE ? r->node_count - i : AT_ONCE;
        for (uint32_t k = 0; k < count; k++)
            le_put(bytes + 4 * (size_t)k, r->offsets[i + k], 4);
        fastser_put_bytes(f, bytes, 4 * (size_t)count);
    }
}

/* --- addresses ----------------------------------------------------------------- */

/* An object of no size and without an address would be read as a pseudo-node: those of
 * formats without addresses get one, which is their number. Addresses that others cannot
 * read, which no process has, are unknown ones. */
static uint64_t address_of(const struct gcdump_records *r, node_id n)
{
    uint64_t address = graph_address(r->snap->graph, n);
    if (address > FASTSER_MAX_ADDRESS)
        address = 0;
    bool object = r->snap->types[r->snap->graph->type[n]].kind == TYPE_OBJECT;
    return address == 0 && object && graph_size(r->snap->graph, n) == 0 ? (uint64_t)n + 1
                                                                        : address;
}

/* A range of nodes, by their numbers in the file. */
struct address_part {
    const struct gcdump_records *r;
    uint32_t first;
    node_id *numbered; /* by number; NULL: its own */
    unsigned char *bytes;
};

enum { ADDRESSES_OF_SHARE = 16 * 1024, ADDRESS_SHARES = 16 };

static bool gather_addresses(void *context, size_t share)
{
    const struct address_part *part = context;
    const struct gcdump_records *r = part->r;
    uint32_t begin = (uint32_t)share * ADDRESSES_OF_SHARE;
    for (uint32_t i = begin; i < begin + ADDRESSES_OF_SHARE; i++) {
        if (part->first + i >= r->kept)
            break;
        node_id n =
            part->numbered != NULL ? part->numbered[part->first + i] : part->first + i;
        le_put(part->bytes + 8 * (size_t)i, address_of(r, n), 8);
    }
    return true;
}

/* Numbers are not in the order of memory, so this is waiting for it: side by side. */
void gcdump_records_put_addresses(struct gcdump_records *r, struct fastser_write *f)
{
    enum { AT_ONCE = ADDRESSES_OF_SHARE * ADDRESS_SHARES };
    struct address_part part = {.r = r};
    free(r->offsets);
    r->offsets = NULL;
    if (r->number != NULL) {
        part.numbered = alloc_resize(NULL, array_bytes(r->kept, sizeof(node_id)));
        for (node_id n = 0; n < r->kept; n++)
            part.numbered[r->number[n]] = n;
    }
    part.bytes = alloc_resize(NULL, 8 * (size_t)AT_ONCE);
    for (; part.first < r->kept; part.first += AT_ONCE) {
        uint32_t left = r->kept - part.first, count = left < AT_ONCE ? left : AT_ONCE;
        workers_run((count + ADDRESSES_OF_SHARE - 1) / ADDRESSES_OF_SHARE, r->threads,
                    gather_addresses, &part);
        fastser_put_bytes(f, part.bytes, 8 * (size_t)count);
    }
    free(part.bytes);
    free(part.numbered);
    for (uint32_t i = 0; i < r->group_count; i++)
        fastser_put_u64(f, 0);
}
