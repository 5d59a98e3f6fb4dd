/* The first objects are singletons, each of its own type, and most references that are not
 * from an owner are to these. Then follow blocks: a list, its array, and the items, each a
 * small tree of objects copied from a template. The last blocks are unreachable; the leak
 * is at the end. */
#include "bench/synthetic.h"

#include "base/alloc.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SINGLETONS = 1300,
    HUBS = 1024,
    TEMPLATES = 120,
    TEMPLATE_MAX = 64,
    CHAIN_MAX = 150,
    ZIPF_STEPS = 1 << 16
};

static const uint32_t NONE = UINT32_MAX;

/* Streams of random numbers, by purpose. */
enum stream {
    FOR_TEMPLATE,
    FOR_TEMPLATE_SIZE,
    FOR_TYPE_SIZE,
    FOR_TYPE_NAME,
    FOR_BLOCK,
    FOR_LENGTH,
    FOR_PLACE,
    FOR_ROOT,
    FOR_SIZE,
    FOR_EXTRA,
    FOR_EXTRA_TO
};

/* Types shared by many templates, followed by those of the program. */
enum {
    STRING,
    BYTES,
    INTS,
    OBJECTS,
    SHARED_LEAVES = OBJECTS,
    LEAKED = 4,
    LEAK_LIST,
    LEAK_ARRAY
};

struct template
{
    uint32_t count;
    uint16_t type[TEMPLATE_MAX];
    uint8_t parent[TEMPLATE_MAX];
    uint16_t list, array; /* types of the containers */
};

/* A heap under construction. */
struct maker {
    struct heap *h;
    uint64_t seed;
    uint32_t objects; /* wanted, without the leak */
    uint32_t hubs;    /* number of the first objects that are referred to often */
    size_t root_cap;

    uint32_t type_sizes[SYNTHETIC_TYPES_MAX];
    struct template templates[TEMPLATES];
    uint16_t hub_of[ZIPF_STEPS], template_of[ZIPF_STEPS];

    uint32_t *parent; /* per object: its holder, or NONE */
    uint8_t *extras;  /* per object: number of other references, in order in extra_to */
    uint32_t *extra_to;
    size_t extra_count, extra_cap;
};

/* --- random numbers --------------------------------------------------------- */

/* splitmix64, by Sebastiano Vigna (public domain). */
uint64_t synthetic_mix(uint64_t n)
{
    n += 0x9e3779b97f4a7c15U;
    n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9U;
    n = (n ^ n >> 27) * 0x94d049bb133111ebU;
    return n ^ n >> 31;
}

static uint64_t chance(const struct maker *m, enum stream stream, uint64_t i)
{
    return synthetic_mix(synthetic_mix(m->seed + ((uint64_t)stream << 56)) + i);
}

static double unit(uint64_t bits) /* 0 <= x < 1 */
{
    return (double)(bits >> 11) * 0x1p-53;
}

static uint32_t below(uint64_t bits, uint32_t n)
{
    return (uint32_t)((bits >> 32) * n >> 32);
}

/* The inverse of the distribution 1 / rank^s, so that drawing is one look-up. */
static void make_zipf(uint16_t *table, uint32_t ranks, double s)
{
    double total = 0, sum = 0;
    for (uint32_t r = 1; r <= ranks; r++)
        total += pow(r, -s);
    uint32_t filled = 0;
    for (uint32_t r = 1; r <= ranks; r++) {
        sum += pow(r, -s);
        for (; filled < ZIPF_STEPS && filled < sum / total * ZIPF_STEPS; filled++)
            table[filled] = (uint16_t)(r - 1);
    }
    for (; filled < ZIPF_STEPS; filled++)
        table[filled] = (uint16_t)(ranks - 1);
}

/* --- types and templates ------------------------------------------------------ */

static uint16_t add_type(struct maker *m, const char *name, uint32_t size)
{
    uint16_t id = m->h->type_count++;
    m->h->type_names[id] = strcpy(alloc_zeroed(strlen(name) + 1), name);
    m->type_sizes[id] = size;
    return id;
}

/* Names as dotnet-gcdump writes them, which may have [] for <>. */
static uint16_t add_own_type(struct maker *m)
{
    static const char *const areas[] = {"Orders", "Catalog", "Billing", "Users",
                                        "Search", "Storage", "Web",     "Jobs"};
    static const char *const nouns[] = {"Item",  "Line",   "Entry",   "Handler",
                                        "State", "Policy", "Context", "Options"};
    uint16_t i = m->h->type_count;
    uint64_t r = chance(m, FOR_TYPE_NAME, i);
    const char *area = areas[r & 7], *noun = nouns[r >> 3 & 7];
    const char *format = r % 100 < 70 ? "Bench.%s.%s%u"
                         : r % 100 < 80
                             ? "System.Collections.Generic.HashSet<Bench.%s.%s%u>"
                         : r % 100 < 88 ? "Entry<System.String,Bench.%s.%s%u>"
                                        : "Bench.%s.%s.[]c__DisplayClass%u_0";
    char name[128];
    snprintf(name, sizeof(name), format, area, noun, (unsigned)i);
    double steps = -log(1 - unit(chance(m, FOR_TYPE_SIZE, i))) * 4.5;
    return add_type(m, name, 32 + 8 * (uint32_t)fmin(steps, 43));
}

/* Sizes from 1 to 64, most of them small; leaves are usually of shared types. */
static void make_template(struct maker *m, uint32_t t)
{
    struct template *tree = &m->templates[t];
    double u = unit(chance(m, FOR_TEMPLATE_SIZE, t));
    tree->count = (uint32_t)fmin(exp(3.9 * u * u), TEMPLATE_MAX - 1) + 1;
    tree->type[0] = add_own_type(m);
    for (uint32_t k = 1; k < tree->count; k++) {
        uint64_t r = chance(m, FOR_TEMPLATE, (uint64_t)t * TEMPLATE_MAX + k);
        static const uint8_t leaves[8] = {STRING, STRING, STRING, STRING,
                                          STRING, BYTES,  BYTES,  INTS};
        tree->type[k] = r % 100 < 45 ? leaves[r >> 8 & 7] : add_own_type(m);
        uint32_t parent = below(r, k);
        while (tree->type[parent] < SHARED_LEAVES)
            parent--;
        tree->parent[k] = (uint8_t)parent;
    }
    char name[200];
    const char *item = m->h->type_names[tree->type[0]];
    snprintf(name, sizeof(name), "System.Collections.Generic.List<%s>", item);
    tree->list = add_type(m, name, 32);
    snprintf(name, sizeof(name), "%s[]", item);
    tree->array = add_type(m, name, 24);
}

static void make_types(struct maker *m)
{
    add_type(m, "System.String", 22);
    add_type(m, "System.Byte[]", 24);
    add_type(m, "System.Int32[]", 24);
    add_type(m, "System.Object[]", 24);
    add_type(m, "Bench.Leaked", 48);
    add_type(m, "System.Collections.Generic.List<Bench.Leaked>", 32);
    add_type(m, "Bench.Leaked[]", 24);
    for (uint32_t t = 0; t < TEMPLATES; t++)
        make_template(m, t);
    make_zipf(m->template_of, TEMPLATES, 1.05);
    make_zipf(m->hub_of, HUBS, 1.1);
}

/* --- objects -------------------------------------------------------------------- */

static uint32_t size_of(const struct maker *m, uint16_t type, uint32_t i)
{
    if (type > INTS)
        return m->type_sizes[type];
    /* Characters or elements: half have less than 17, one in a thousand more than 1000. */
    double u = unit(chance(m, FOR_SIZE, i));
    uint32_t elements = (uint32_t)fmin(17 * pow(1 / u - 1, 0.6), 200000);
    return m->type_sizes[type] + elements * (type == STRING ? 2 : type == INTS ? 4 : 1);
}

static uint32_t add_object(struct maker *m, uint16_t type, uint32_t parent)
{
    uint32_t i = m->h->count++;
    m->h->type[i] = type;
    m->h->size[i] = size_of(m, type, i);
    m->parent[i] = parent;
    return i;
}

static void add_root(struct maker *m, uint32_t object, uint16_t group, uint16_t variable)
{
    m->h->roots = grow(m->h->roots, m->h->root_count, &m->root_cap, sizeof(*m->h->roots));
    m->h->roots[m->h->root_count++] = (struct root){object, group, variable};
}

static void add_some_root(struct maker *m, uint32_t object)
{
    static const uint8_t percent[ROOT_GROUPS] = {
        [ROOTS_STATIC] = 60, [ROOTS_STRONG] = 20,   [ROOTS_LOCAL] = 10,
        [ROOTS_PINNING] = 5, [ROOTS_FINALIZER] = 2, [ROOTS_DEPENDENT] = 3};
    uint64_t r = chance(m, FOR_ROOT, object);
    uint32_t left = below(r, 100);
    uint16_t group = 0;
    while (left >= percent[group])
        left -= percent[group++];
    add_root(m, object, group, (uint16_t)(r % SYNTHETIC_STATICS));
}

static bool is_leaf(uint16_t type)
{
    return type < SHARED_LEAVES;
}

/* An earlier object, more likely a near one. */
static uint32_t earlier(const struct maker *m, uint64_t bits, uint32_t i)
{
    uint32_t back = (uint32_t)exp(unit(bits) * log((double)i));
    uint32_t to = i - (back < i ? back : i);
    while (is_leaf(m->h->type[to]))
        to--;
    return to;
}

static void add_extra(struct maker *m, uint32_t from, uint32_t to)
{
    m->extra_to = grow(m->extra_to, m->extra_count, &m->extra_cap, sizeof(*m->extra_to));
    m->extra_to[m->extra_count++] = to;
    m->extras[from]++;
}

/* References to services, to neighbors, back to the owner and to older objects; never to
 * younger ones outside of the block, so that garbage stays unreachable. */
static void add_extras(struct maker *m, uint32_t start, uint32_t end)
{
    for (uint32_t i = start; i < end; i++) {
        static const uint8_t cumulated[] = {35, 68, 96};
        uint32_t percent = below(chance(m, FOR_EXTRA, i), 100), n = 0;
        while (n < sizeof(cumulated) && percent >= cumulated[n])
            n++;
        if (is_leaf(m->h->type[i]))
            n = 0;
        for (uint32_t k = 0; k < n; k++) {
            uint64_t r = chance(m, FOR_EXTRA_TO, (uint64_t)i * 4 + k), q = synthetic_mix(r);
            uint32_t to = start;
            if (r % 100 < 56)
                to = m->hub_of[q % ZIPF_STEPS] % m->hubs;
            else if (r % 100 < 75)
                to = start + below(q, end - start);
            else if (r % 100 >= 84)
                to = earlier(m, q, i);
            add_extra(m, i, to);
        }
    }
}

/* Each has its own type; a quarter are roots, the others belong to older ones. */
static void make_singletons(struct maker *m)
{
    uint32_t count = m->objects / 8 < SINGLETONS ? m->objects / 8 : SINGLETONS;
    m->hubs = count < 1 ? 1 : count < HUBS ? count : HUBS;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t r = chance(m, FOR_PLACE, i);
        bool rooted = i == 0 || r % 4 == 0;
        uint32_t o = add_object(m, add_own_type(m), rooted ? NONE : below(r, i));
        if (rooted)
            add_some_root(m, o);
    }
    add_extras(m, 0, count);
}

/* Number of items; Pareto's distribution, so a few blocks have most of the heap. */
static uint32_t block_length(const struct maker *m, uint32_t block,
                             const struct template *tree, uint32_t capacity)
{
    double most =
        fmin(m->objects / 12.0 / tree->count, (double)(capacity - 2) / tree->count);
    double length = 4 * pow(1 - unit(chance(m, FOR_LENGTH, block)), -1 / 0.9);
    return (uint32_t)fmax(fmin(length, most), 0);
}

/* Fills the rest, too small for a block. */
static void fill_up(struct maker *m, uint32_t limit, bool reachable)
{
    while (m->h->count < limit) {
        uint32_t i = m->h->count;
        bool owned = reachable && i > 0;
        add_object(m, OBJECTS, owned ? earlier(m, chance(m, FOR_PLACE, i), i) : NONE);
        if (i == 0)
            add_some_root(m, i);
    }
}

static void make_block(struct maker *m, uint32_t block, uint32_t limit, bool reachable)
{
    uint64_t r = chance(m, FOR_BLOCK, block);
    const struct template *tree = &m->templates[m->template_of[r % ZIPF_STEPS]];
    uint32_t start = m->h->count, capacity = limit - start;
    if (capacity < 2 + tree->count) {
        fill_up(m, limit, reachable);
        return;
    }
    uint32_t length = block_length(m, block, tree, capacity);
    bool chain = length <= CHAIN_MAX && (r >> 32) % 9 == 0;
    bool rooted = start == 0 || (r >> 40) % 4 == 0;
    uint32_t owner =
        !reachable || rooted ? NONE : earlier(m, chance(m, FOR_PLACE, start), start);
    uint32_t list = add_object(m, tree->list, owner);
    if (reachable && rooted)
        add_some_root(m, list);
    uint32_t array = add_object(m, tree->array, list);
    m->h->size[array] += 8 * (chain ? 1 : length);
    uint32_t holder = array;
    for (uint32_t k = 0; k < length; k++) {
        uint32_t item = add_object(m, tree->type[0], holder);
        for (uint32_t n = 1; n < tree->count; n++)
            add_object(m, tree->type[n], item + tree->parent[n]);
        holder = chain ? item : array;
    }
    add_extras(m, start, m->h->count);
}

/* The leak: a static variable, a list, its array, the instances. */
static void make_leak(struct maker *m, uint32_t leaked)
{
    uint32_t list = add_object(m, LEAK_LIST, NONE);
    add_root(m, list, ROOTS_STATIC, SYNTHETIC_STATICS);
    uint32_t array = add_object(m, LEAK_ARRAY, list);
    m->h->size[array] += 8 * leaked;
    for (uint32_t k = 0; k < leaked; k++)
        add_object(m, LEAKED, array);
}

/* Collects the references of each object: first to its children, then the extras. */
static void make_references(const struct maker *m)
{
    struct heap *h = m->h;
    h->begin = alloc_zeroed(array_bytes((size_t)h->count + 1, sizeof(*h->begin)));
    for (uint32_t i = 0; i < h->count; i++) {
        h->begin[i + 1] += m->extras[i];
        if (m->parent[i] != NONE)
            h->begin[m->parent[i] + 1]++;
    }
    for (uint32_t i = 0; i < h->count; i++)
        h->begin[i + 1] += h->begin[i];
    h->to = alloc_zeroed(array_bytes((size_t)h->begin[h->count] + 1, sizeof(*h->to)));
    uint32_t *next = alloc_zeroed(array_bytes((size_t)h->count + 1, sizeof(*next)));
    memcpy(next, h->begin, ((size_t)h->count + 1) * sizeof(*next));
    for (uint32_t i = 0; i < h->count; i++)
        if (m->parent[i] != NONE)
            h->to[next[m->parent[i]]++] = i;
    size_t done = 0;
    for (uint32_t i = 0; i < h->count; i++)
        for (unsigned k = 0; k < m->extras[i]; k++)
            h->to[next[i]++] = m->extra_to[done++];
    free(next);
}

struct heap *synthetic_make(uint64_t seed, uint32_t objects, uint32_t leaked)
{
    enum { LEAK_HOLDERS = 2 };
    size_t cap = (size_t)objects + LEAK_HOLDERS + leaked;
    struct heap *h = alloc_zeroed(sizeof(*h));
    h->type = alloc_zeroed(array_bytes(cap, sizeof(*h->type)));
    h->size = alloc_zeroed(array_bytes(cap, sizeof(*h->size)));

    struct maker *m = alloc_zeroed(sizeof(*m));
    m->h = h;
    m->seed = seed;
    m->objects = objects;
    m->parent = alloc_zeroed(array_bytes(cap, sizeof(*m->parent)));
    m->extras = alloc_zeroed(cap);
    make_types(m);
    make_singletons(m);
    uint32_t block = 0, reachable = objects - objects / 50;
    while (h->count < reachable)
        make_block(m, block++, reachable, true);
    while (h->count < objects)
        make_block(m, block++, objects, false);
    make_leak(m, leaked);
    make_references(m);
    free(m->parent);
    free(m->extras);
    free(m->extra_to);
    free(m);
    return h;
}

void synthetic_free(struct heap *h)
{
    for (uint16_t t = 0; t < h->type_count; t++)
        free(h->type_names[t]);
    free(h->type);
    free(h->size);
    free(h->roots);
    free(h->begin);
    free(h->to);
    free(h);
}
