#include "format/gcdump/gcdump_records.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/workers.h"
#include "heap/names.h"
#include "heap/place.h"
#include "heap/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- types --------------------------------------------------------------------- */

/* --- names --------------------------------------------------------------------- */

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

static uint32_t add(struct gcdump_types *t, const char *name, const char *module,
                    int32_t size)
{
    t->all = grow(t->all, t->count, &t->cap, sizeof(*t->all));
    t->all[t->count] =
        (struct table_type){.name = name, .module = module, .size = size, .multiplier = 1};
    return (uint32_t)t->count++;
}

static uint32_t intern(struct gcdump_types *t, struct named_type **by_name,
                       const char *name, const char *module, int32_t size)
{
    struct named_type *found;
    size_t len = strlen(name);
    HASH_FIND(hh, *by_name, name, len, found);
    if (found != NULL)
        return found->index;
    found = arena_alloc(t->arena, sizeof(*found));
    found->name = name;
    found->index = add(t, name, module, size);
    HASH_ADD_KEYPTR(hh, *by_name, found->name, len, found);
    return found->index;
}

/* Only the type is respelled: the field of `[static var []c.<>9]` stays as it is. */

static uint32_t gcdump_types_pseudo(struct gcdump_types *t, const char *name)
{
    struct place place = place_of(name);
    struct text spelled = {0};
    if (place_is_variable(&place)) {
        place.type = name_part(gcdump_spelling(place.type.at, place.type.len, t->arena));
        place_add(&spelled, &place);
        name = arena_strdup(t->arena, spelled.data, spelled.len);
    }
    text_free(&spelled);
    return intern(t, &t->pseudo, name, NULL, 0);
}

static void take_table(struct gcdump_types *t)
{
    const struct source *s = t->snap->source;
    for (uint32_t i = 0; i < s->gcdump_type_count; i++) {
        const struct source_gcdump_type *type = &s->gcdump_types[i];
        uint32_t at = add(t, type->name, type->module, type->size);
        t->all[at].multiplier = s->gcdump_types[i].multiplier;
    }
}

struct gcdump_types gcdump_types_begin(const struct hd_snapshot *snap, struct arena *a)
{
    const struct source *s = snap->source;
    struct gcdump_types t = {.snap = snap, .arena = a, .as_they_are = s->is_gcdump};
    if (t.as_they_are) {
        take_table(&t);
        return t;
    }
    add(&t, "UNDEFINED", NULL, 0);
    t.of_pseudo = arena_array(a, uint32_t, snap->type_count);
    t.of_source = arena_alloc(a, array_bytes(s->type_count, sizeof(*t.of_source)));
    return t;
}

void gcdump_types_free(struct gcdump_types *t)
{
    HASH_CLEAR(hh, t->classes);
    HASH_CLEAR(hh, t->pseudo);
    free(t->all);
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

/* Other tools name a type without a name by its image, if that and the RVA are told. */
static void set_image(struct gcdump_types *t, uint32_t index, const struct source_type *s,
                      const char *suffix)
{
    struct table_type *type = &t->all[index];
    uint64_t number;
    if (s->base == 0)
        return;
    type->of = s;
    if (s->name == NULL || names_number(s->name, &number)) {
        type->name = NULL;
        type->suffix = suffix;
    }
}

static uint32_t object_type(struct gcdump_types *t, uint32_t source, unsigned class)
{
    const struct source_type *s = &t->snap->source->types[source];
    uint32_t *slot = &t->of_source[source][class];
    if (*slot != 0)
        return *slot;
    const char *name =
        gcdump_spelling(s->name != NULL ? s->name : "", s->name_len, t->arena);
    if (t->of_source[source][0] == 0) {
        t->of_source[source][0] = add(t, name, s->module, -1);
        set_image(t, t->of_source[source][0], s, NULL);
    }
    /* Types of classes are one per name, whatever the module: so they are there. */
    if (class > 0) {
        *slot = intern(t, &t->classes,
                       arena_printf(t->arena, "%s%s", name, class_suffixes[class]),
                       s->module, -1);
        set_image(t, *slot, s, class_suffixes[class]);
    }
    return *slot;
}

/* The index of node n's type; size as it will be written. Once it was asked for, several
 * threads may ask again. */
static uint32_t gcdump_types_of(struct gcdump_types *t, node_id n, uint32_t size)
{
    const struct graph *g = t->snap->graph;
    uint32_t source = g->source_type[n];
    const struct type *row = &t->snap->types[g->type[n]];
    if (t->as_they_are)
        return t->snap->source->types[source].number;
    if (row->kind == TYPE_UNDEFINED)
        return 0;
    uint32_t *pseudo = &t->of_pseudo[g->type[n]];
    if (row->kind == TYPE_PSEUDO && *pseudo == 0)
        *pseudo = gcdump_types_pseudo(t, row->name);
    if (row->kind == TYPE_PSEUDO)
        return *pseudo;
    return object_type(t, source, size_class(size));
}

/* --- numbers of nodes ---------------------------------------------------------- */

/* Give n the next number, unless it has one. */
static void meet(const struct gcdump_numbers *numbers, uint32_t *next, node_id n)
{
    if (numbers->number[n] == NO_NODE)
        numbers->number[n] = (*next)++;
}

struct gcdump_numbers gcdump_numbers_plan(const struct hd_snapshot *snap)
{
    const struct source *s = snap->source;
    const struct graph *g = snap->graph;
    struct gcdump_numbers numbers = {NULL, NULL};
    if (s->met == NULL)
        return numbers;
    uint32_t next = 0;
    numbers.number = alloc_resize(NULL, array_bytes(g->node_count, sizeof(uint32_t)));
    for (node_id n = 0; n < g->node_count; n++)
        numbers.number[n] = NO_NODE;
    for (size_t i = 0; i < s->met_count; i++)
        meet(&numbers, &next, s->met[i]);
    for (node_id n = 0; n < g->node_count; n++) {
        meet(&numbers, &next, n);
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            meet(&numbers, &next, g->edge_to[e]);
    }
    return numbers;
}

void gcdump_numbers_turn(struct gcdump_numbers *numbers, node_id count)
{
    if (numbers->number == NULL)
        return;
    numbers->node = alloc_resize(NULL, array_bytes(count, sizeof(node_id)));
    for (node_id n = 0; n < count; n++)
        numbers->node[numbers->number[n]] = n;
}

void gcdump_numbers_free(struct gcdump_numbers *numbers)
{
    free(numbers->number);
    free(numbers->node);
    *numbers = (struct gcdump_numbers){NULL, NULL};
}

/* --- records ------------------------------------------------------------------- */

/* Nodes of a share: some 70 KiB of records, which a second-level cache holds. */
enum { SHARE = 16 * 1024 };

/* Shares for each thread between two writes, whose records are in memory meanwhile. */
enum { SHARES_AT_ONCE = 8 };

/* --- numbers ------------------------------------------------------------------- */

enum { LONGEST = 5 };

/* Signed, groups of 7 bits, the highest first; the shortest form. */
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

/* Records are measured where there is no room for them. */
struct sink {
    unsigned char *at; /* NULL: measure */
    uint64_t size;
};

static inline void put(struct sink *s, int32_t value)
{
    if (s->at != NULL)
        s->at = put_compressed(s->at, value);
    else
        s->size += compressed_size(value);
}

/* --- nodes --------------------------------------------------------------------- */

uint32_t gcdump_records_group(const struct gcdump_records *r, uint32_t group)
{
    return r->tree->kept + group;
}

static void put_references(struct sink *s, const struct gcdump_records *r, uint32_t from,
                           node_id n)
{
    const struct graph *g = r->snap->graph;
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
        if (g->edge_to[e] < r->tree->kept)
            put(s, (int32_t)((int64_t)gcdump_number(r->numbers, g->edge_to[e]) - from));
}

static uint32_t out_degree(const struct graph *g, node_id n)
{
    return g->edge_begin[n + 1] - g->edge_begin[n];
}

static uint32_t size_of(const struct gcdump_records *r, node_id n)
{
    uint64_t size = graph_size(r->snap->graph, n);
    return size <= INT32_MAX ? (uint32_t)size : INT32_MAX;
}

static void put_type_and_size(struct sink *s, const struct gcdump_records *r, uint32_t type,
                              uint32_t size)
{
    bool stored = (uint32_t)r->types->all[type].size != size;
    put(s, (int32_t)(type * 2 + stored));
    if (stored)
        put(s, (int32_t)size);
}

static void put_node(struct sink *s, const struct gcdump_records *r, node_id n)
{
    uint32_t size = size_of(r, n);
    put_type_and_size(s, r, gcdump_types_of(r->types, n, size), size);
    put(s, (int32_t)out_degree(r->snap->graph, n));
    put_references(s, r, gcdump_number(r->numbers, n), n);
}

/* Of the members of a static group, the variables are groups by now. */
static uint32_t member_count(const struct gcdump_records *r, const struct tree_group *group)
{
    const struct graph *g = r->snap->graph;
    uint32_t count = 0;
    if (group->members == NO_NODE)
        return 0;
    for (uint32_t e = g->edge_begin[group->members]; e < g->edge_begin[group->members + 1];
         e++)
        count += g->edge_to[e] < r->tree->kept;
    return count;
}

static void put_group(struct sink *s, const struct gcdump_records *r, uint32_t number)
{
    const struct gcdump_tree *tree = r->tree;
    const struct tree_group *group = &tree->groups[number];
    put_type_and_size(s, r, gcdump_types_pseudo(r->types, group->name), 0);
    uint32_t children = 0;
    for (uint32_t i = 1; number < tree->parents && i < tree->count; i++)
        children += tree->groups[i].parent == number;
    put(s, (int32_t)(children + member_count(r, group)));
    for (uint32_t i = 1; number < tree->parents && i < tree->count; i++)
        if (tree->groups[i].parent == number)
            put(s, (int32_t)(i - number));
    if (group->members != NO_NODE)
        put_references(s, r, gcdump_records_group(r, number), group->members);
}

/* Described or not, where the file did not say: nothing is known of what is undefined. */
static bool is_undescribed(const struct gcdump_records *r, node_id n)
{
    const struct graph *g = r->snap->graph;
    return r->snap->types[g->type[n]].kind == TYPE_UNDEFINED && out_degree(g, n) == 0 &&
           graph_size(g, n) == 0;
}

/* --- in order ------------------------------------------------------------------ */

/* A blob begins with the record of what was never described: type 0, no references. Then
 * come objects, and behind them the groups. */
enum { UNDESCRIBED_SIZE = 2 };

static uint32_t record_count(const struct gcdump_records *r)
{
    const struct source *source = r->snap->source;
    return source->described != NULL ? source->described_count : r->tree->kept;
}

/* The node with the record of that number; NO_NODE: it is not described. */
static node_id recorded(const struct gcdump_records *r, uint32_t number)
{
    const struct source *source = r->snap->source;
    if (source->described != NULL)
        return source->described[number];
    return is_undescribed(r, number) ? NO_NODE : number;
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

/* Groups are few, and behind the last share. */
static uint32_t groups_to_put(const struct gcdump_records *r)
{
    return r->snap->source->described == NULL ? r->tree->count : 0;
}

/* --- measuring ----------------------------------------------------------------- */

/* Types get their numbers, and their sizes, from the first object that has them. An object
 * type of that name must not look like the type of what is undefined. */
static void meet_type(const struct gcdump_records *r, uint32_t type, uint32_t size)
{
    struct table_type *t = &r->types->all[type];
    if (t->size < 0 && !r->types->as_they_are)
        t->size =
            strcmp(t->name != NULL ? t->name : "", "UNDEFINED") == 0 ? 1 : (int32_t)size;
}

static void meet_types(const struct gcdump_records *r)
{
    for (uint32_t i = 0; i < record_count(r); i++) {
        node_id n = recorded(r, i);
        if (n == NO_NODE)
            continue;
        uint32_t size = size_of(r, n);
        meet_type(r, gcdump_types_of(r->types, n, size), size);
    }
    for (uint32_t i = 0; i < groups_to_put(r); i++)
        meet_type(r, gcdump_types_pseudo(r->types, r->tree->groups[i].name), 0);
}

/* Offsets are from the beginning of the share, and 1 more: 0 is none. */
static bool measure_share(void *context, size_t share)
{
    const struct gcdump_records *r = context;
    struct sink s = {.at = NULL};
    for (uint32_t i = (uint32_t)share * SHARE; i < share_end(r, share); i++) {
        node_id n = recorded(r, i);
        if (n == NO_NODE)
            continue;
        r->offsets[gcdump_number(r->numbers, n)] = (uint32_t)s.size + 1;
        put_node(&s, r, n);
    }
    r->shares[share] = s.size;
    return true;
}

static bool move_share(void *context, size_t share)
{
    const struct gcdump_records *r = context;
    for (uint32_t i = (uint32_t)share * SHARE; i < share_end(r, share); i++) {
        node_id n = recorded(r, i);
        if (n != NO_NODE)
            r->offsets[gcdump_number(r->numbers, n)] += (uint32_t)r->shares[share] - 1;
    }
    return true;
}

static void measure_groups(struct gcdump_records *r)
{
    struct sink s = {.size = r->blob_size};
    for (uint32_t i = 0; i < groups_to_put(r); i++) {
        r->offsets[gcdump_records_group(r, i)] = (uint32_t)s.size;
        put_group(&s, r, i);
    }
    r->blob_size = s.size;
}

void gcdump_records_measure(struct gcdump_records *r)
{
    uint32_t shares = share_count(r);
    r->node_count = r->tree->kept + r->tree->count;
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
    measure_groups(r);
    for (node_id n = 0; n < r->tree->kept; n++) {
        r->cut_sizes += graph_size(r->snap->graph, n) > INT32_MAX;
        r->total_size += size_of(r, n);
    }
}

void gcdump_records_free(struct gcdump_records *r)
{
    free(r->offsets);
    free(r->shares);
    r->offsets = NULL;
    r->shares = NULL;
}

/* --- writing ------------------------------------------------------------------- */

struct writing_shares {
    const struct gcdump_records *r;
    uint32_t first; /* share of those under way */
    unsigned char *room;
};

static bool write_share(void *context, size_t i)
{
    const struct writing_shares *w = context;
    const struct gcdump_records *r = w->r;
    uint32_t share = w->first + (uint32_t)i;
    struct sink s = {.at = w->room + (r->shares[share] - r->shares[w->first])};
    for (uint32_t k = share * SHARE; k < share_end(r, share); k++) {
        node_id n = recorded(r, k);
        if (n != NO_NODE)
            put_node(&s, r, n);
    }
    return true;
}

static void put_shares(const struct gcdump_records *r, struct fastser_write *f)
{
    uint32_t shares = share_count(r), at_once = SHARES_AT_ONCE;
    if (r->threads > 1)
        at_once *= r->threads;
    for (uint32_t i = 0; i < shares; i += at_once) {
        uint32_t end = shares - i < at_once ? shares : i + at_once;
        size_t size = (size_t)(r->shares[end] - r->shares[i]);
        struct writing_shares w = {r, i, alloc_resize(NULL, size + 1)};
        workers_run(end - i, r->threads, write_share, &w);
        fastser_put_bytes(f, w.room, size);
        free(w.room);
    }
}

void gcdump_records_put(const struct gcdump_records *r, struct fastser_write *f)
{
    static const unsigned char undescribed[UNDESCRIBED_SIZE] = {0};
    size_t size = (size_t)(r->blob_size - r->shares[share_count(r)]);
    unsigned char *room = alloc_resize(NULL, size + 1);
    struct sink s = {.at = room};
    fastser_put_bytes(f, undescribed, sizeof(undescribed));
    put_shares(r, f);
    for (uint32_t i = 0; i < groups_to_put(r); i++)
        put_group(&s, r, i);
    fastser_put_bytes(f, room, size);
    free(room);
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

/* --- limits -------------------------------------------------------------------- */

bool gcdump_can_hold(const struct gcdump_extent *e, struct hd_error *err)
{
    /* A type's number stands doubled in front of each of its nodes. */
    if (e->nodes > INT32_MAX || e->types > INT32_MAX / 2)
        return fail(err, HD_TOO_BIG, "too many nodes or types for a gcdump");
    if (e->record_bytes > INT32_MAX)
        return fail(err, HD_TOO_BIG,
                    "%" PRIu64
                    " bytes of node records; the limit of a gcdump is 2147483647",
                    e->record_bytes);
    if (e->file_bytes > UINT32_MAX)
        return fail(err, HD_TOO_BIG, "a gcdump of more than 4 GiB, which no tool can read");
    return true;
}
