#include "support/leaks_noise.h"

#define DICTIONARY "System.Collections.Generic.Dictionary"
#define LIST "System.Collections.Generic.List"

/* Constant: some 7,000 objects of 0.6 MB. */
enum { PRODUCTS = 800, USERS = 250, SETTINGS = 400, BLOCKS = 8 };

static const struct item product = {STREAM_PRODUCT,
                                    7,
                                    {{BY_HOLDER, "App.Product", .size = 72},
                                     {0, "System.String", .size = 40, .spread = 64},
                                     {0, "System.String", .size = 32, .spread = 16},
                                     {0, "App.Price", .size = 32},
                                     {0, LIST "<App.Tag>", .size = 32},
                                     {4, "App.Tag[]", .size = 56},
                                     {5, "App.Tag", .size = 24}}};

static const struct item user = {STREAM_USER,
                                 4,
                                 {{BY_HOLDER, "App.User", .size = 56},
                                  {0, "System.String", .size = 40, .spread = 40},
                                  {0, "System.String", .size = 48, .spread = 40},
                                  {0, "System.Byte[]", .size = 88}}};

static const struct item setting = {
    STREAM_SETTING, 1, {{BY_HOLDER, "System.String", .size = 40, .spread = 80}}};

static const struct item block = {
    STREAM_BLOCK, 1, {{BY_HOLDER, "System.Byte[]", .size = 32792}}};

static const struct item method = {
    STREAM_METHOD, 1, {{BY_HOLDER, "System.Reflection.RuntimeMethodInfo", .size = 104}}};

static const struct item cache_item = {STREAM_CACHE_ITEM,
                                       2,
                                       {{BY_HOLDER, "App.CacheItem", .size = 48},
                                        {0, "System.Byte[]", .size = 824, .spread = 400}}};

static const struct item job = {
    STREAM_JOB,
    2,
    {{BY_HOLDER, "App.Job", .size = 48}, {0, "System.String", .size = 56, .spread = 80}}};

/* --- what stays ------------------------------------------------------------------- */

static void make_tables(struct made_heap *h)
{
    const struct items products = {.item = &product, .count = PRODUCTS};
    made_static(h, "App.Catalog.s_products",
                made_list(h, LIST "<App.Product>", "App.Product[]", &products));
    made_items(h, &products);
    const struct items users = {.item = &user, .count = USERS};
    made_static(h, "App.Users.s_byId",
                made_dictionary(h, DICTIONARY "<System.Int32,App.User>",
                                DICTIONARY "<System.Int32,App.User>+Entry[]", &users));
    made_items(h, &users);
    const struct items settings = {.item = &setting, .count = SETTINGS};
    made_static(h, "App.Settings.s_values",
                made_list(h, LIST "<System.String>", "System.String[]", &settings));
    made_items(h, &settings);
    const struct items blocks = {.item = &block, .count = BLOCKS};
    made_static(h, "App.Blocks.s_all",
                made_list(h, LIST "<System.Byte[]>", "System.Byte[][]", &blocks));
    made_items(h, &blocks);
}

/* --- what does not ------------------------------------------------------------------ */

uint32_t leak_warm_up(size_t k)
{
    static const uint32_t methods[] = {200, 1500, 1600};
    return methods[k < 3 ? k : 2];
}

/* The runtime's array has no spare capacity, so that it grows, too. */
static void make_methods(struct made_heap *h, size_t k)
{
    enum { ARRAY_HEAD = 24, WORD = 8 };
    const struct items methods = {.item = &method, .count = leak_warm_up(k)};
    node_id cache = made_object(h, "System.RuntimeType+RuntimeTypeCache", 64);
    made_reference(h, h->next);
    made_object(h, "System.Reflection.RuntimeMethodInfo[]",
                ARRAY_HEAD + WORD * methods.count);
    made_hold(h, &method, h->next, methods.count);
    made_items(h, &methods);
    root_set_add(&h->roots, HD_ROOT_STRONG_HANDLE, NULL, 0, cache);
}

uint32_t leak_cache_items(const struct leak_series *s, size_t k)
{
    uint32_t most = LEAK_CACHE_ITEMS * s->swing_percent / 100;
    uint64_t r = made_chance(s->seed, STREAM_CACHE_LENGTH, k);
    return LEAK_CACHE_ITEMS - most + (uint32_t)(r % (2 * most + 1));
}

uint32_t leak_queue_jobs(const struct leak_series *s, size_t k)
{
    return (uint32_t)(made_chance(s->seed, STREAM_QUEUE_LENGTH, k) % LEAK_QUEUE_JOBS);
}

static void make_cache(struct made_heap *h, uint32_t count)
{
    const struct items cached = {.item = &cache_item, .count = count};
    made_static(h, "App.Cache.s_items",
                made_dictionary(h, DICTIONARY "<System.Int32,App.CacheItem>",
                                DICTIONARY "<System.Int32,App.CacheItem>+Entry[]",
                                &cached));
    made_items(h, &cached);
}

/* All jobs are new in every snapshot; a thread works on the queue. */
static void make_queue(struct made_heap *h, uint32_t count, size_t k)
{
    const struct items jobs = {
        .item = &job, .start = (uint64_t)k * LEAK_QUEUE_JOBS, .count = count};
    node_id queue =
        made_list(h, "System.Collections.Generic.Queue<App.Job>", "App.Job[]", &jobs);
    made_items(h, &jobs);
    made_static(h, "App.Work.s_queue", queue);
    root_set_add(&h->roots, HD_ROOT_STACK, NULL, 0, queue);
}

void noise_make(struct made_heap *h, const struct leak_series *s, size_t k)
{
    make_tables(h);
    make_methods(h, k);
    make_cache(h, leak_cache_items(s, k));
    make_queue(h, leak_queue_jobs(s, k), k);
}
