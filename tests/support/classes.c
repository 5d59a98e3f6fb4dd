/* Each class is a record: the items that its objects are made of, their load, and a
 * function that makes their holders. */
#include "support/classes.h"

#include "support/classes_load.h"
#include "support/leaks_noise.h"

#include <string.h>

#define DICTIONARY "System.Collections.Generic.Dictionary"
#define LIST "System.Collections.Generic.List"
#define ORDERS DICTIONARY "<System.Int32,App.Order>"
#define SESSIONS LIST "<App.Session>"
#define WIDGETS DICTIONARY "<System.String,App.Widget>"
#define TIMER "System.Threading.TimerQueueTimer"
#define ENTERED "" /* in a path: the entrance, which differs between snapshots */

enum { ARRAY_HEAD = 24, WORD = 8, ENTRY = 24, LIST_SIZE = 32, DICTIONARY_SIZE = 80 };

/* Random streams, after those of leaks.h. */
enum {
    STREAM_LOAD = 64,
    STREAM_PLACE = STREAM_LOAD + CLASS_KINDS,
    STREAM_ITEM,
    STREAM_LINES,
    STREAM_EVENTS,
    STREAM_CACHES = STREAM_EVENTS + CLASS_NAMES
};

/* Input of one snapshot. */
struct moment {
    uint64_t seed;
    size_t k;
    uint32_t count[CLASS_SNAPSHOTS]; /* up to the end of the series */
};

struct class
{
    const char *name;
    enum class_nature nature;
    const char *found[CLASS_NAMES];
    const char *path[CLASS_PATH];
    const struct item *item; /* NULL: chosen in the function */
    struct load load;

    /* Makes the holder and its contents. */
    void (*make)(struct made_heap *h, const struct class *class, const struct moment *m);

    /* NULL: the number of objects given by the load, each retaining its item. */
    uint64_t (*count)(const struct moment *m);
    uint64_t (*retained)(const struct class *class, const struct moment *m);
};

/* --- stores ----------------------------------------------------------------------- */

/* A collection and its array, which refers to the next objects. Arrays never shrink. */
static node_id make_collection(struct made_heap *h, const char *type, const char *array,
                               uint64_t array_bytes)
{
    node_id made = made_object(h, type, LIST_SIZE);
    made_reference(h, h->next);
    made_object(h, array, array_bytes);
    return made;
}

static uint64_t array_for(const struct moment *m)
{
    uint32_t most = 0;
    for (size_t k = 0; k <= m->k; k++)
        most = m->count[k] > most ? m->count[k] : most;
    return ARRAY_HEAD + WORD * (uint64_t)made_capacity(most);
}

static void make_store(struct made_heap *h, const struct class *class,
                       const struct moment *m)
{
    const struct items all = {.item = class->item, .count = m->count[m->k]};
    node_id list = make_collection(h, LIST "<App.Record>", "App.Record[]", array_for(m));
    made_hold(h, all.item, h->next, all.count);
    made_items(h, &all);
    made_static(h, "App.Records.s_all", list);
}

/* --- caches that swing ---------------------------------------------------------- */

enum { CACHES = 6, CACHED = 120 };

static const char *const cached[CACHES] = {"App.Thumbnail", "App.Quote",  "App.Page",
                                           "App.Profile",   "App.Rating", "App.Offer"};
static const char *const cache_of[CACHES] = {"App.Thumbnails.s_all", "App.Quotes.s_all",
                                             "App.Pages.s_all",      "App.Profiles.s_all",
                                             "App.Ratings.s_all",    "App.Offers.s_all"};

/* Each is 3 % of the heap and swings by half. */
static void make_caches(struct made_heap *h, const struct moment *m)
{
    for (uint32_t i = 0; i < CACHES; i++) {
        const struct item item = {STREAM_CACHES + CACHES + i,
                                  1,
                                  {{BY_HOLDER, cached[i], .size = 200, .spread = 96}}};
        uint64_t chance = made_chance(m->seed, STREAM_CACHES + i, m->k);
        const struct items all = {.item = &item,
                                  .count = CACHED / 2 + (uint32_t)(chance % (CACHED + 1))};
        made_static(h, cache_of[i], h->next);
        made_object(h, "System.Object[]", ARRAY_HEAD + WORD * 2 * CACHED);
        made_hold(h, &item, h->next, all.count);
        made_items(h, &all);
    }
}

static void make_busy(struct made_heap *h, const struct class *class,
                      const struct moment *m)
{
    make_caches(h, m);
    make_store(h, class, m);
}

/* --- orders that are there from the start --------------------------------------- */

enum { OLD_ORDERS = 500, ORDER_SIZE = 72 };

static const struct item order = {
    STREAM_ITEM, 1, {{BY_HOLDER, "App.Order", .size = ORDER_SIZE}}};

static const struct item order_lines = {STREAM_LINES,
                                        5,
                                        {{BY_HOLDER, LIST "<App.OrderLine>", .size = 32},
                                         {0, "App.OrderLine[]", .size = 56},
                                         {1, "App.OrderLine", .size = 40},
                                         {1, "App.OrderLine", .size = 40},
                                         {2, "System.String", .size = 40, .spread = 64}}};

/* Next to each other, followed by their lines. Returns the first. */
static node_id make_orders(struct made_heap *h)
{
    node_id first = h->next, lines = first + OLD_ORDERS;
    for (uint32_t i = 0; i < OLD_ORDERS; i++) {
        made_object(h, "App.Order", ORDER_SIZE);
        made_reference(h, lines + i * (uint32_t)order_lines.part_count);
    }
    made_items(h, &(struct items){.item = &order_lines, .count = OLD_ORDERS});
    return first;
}

static node_id make_table_of_orders(struct made_heap *h, uint32_t from)
{
    node_id table =
        make_collection(h, ORDERS, ORDERS "+Entry[]",
                        ARRAY_HEAD + ENTRY * (uint64_t)made_capacity(OLD_ORDERS));
    made_hold(h, &order, h->next + from, OLD_ORDERS - from);
    return table;
}

static uint64_t first_orders_retain(const struct class *class, const struct moment *m)
{
    (void)class;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m->count[m->k]; i++)
        sum += ORDER_SIZE + item_retained(&order_lines, m->seed, i, 0);
    return sum;
}

/* The same number of views as orders; the first ones show an order. */
static void make_shared_old(struct made_heap *h, const struct class *class,
                            const struct moment *m)
{
    (void)class;
    static const struct item view = {
        STREAM_PLACE, 1, {{BY_HOLDER, "App.View", .size = 48}}};
    uint32_t showing = m->count[m->k];
    made_static(h, "App.Orders.s_byId", make_table_of_orders(h, 0));
    node_id first = make_orders(h);
    const struct items views = {
        .item = &view, .count = showing, .shared = first, .sharers = 1};
    const struct items others = {.item = &view, .count = OLD_ORDERS - showing};
    made_static(h, "App.Views.s_all", h->next);
    made_object(h, "App.View[]", ARRAY_HEAD + WORD * OLD_ORDERS);
    made_hold(h, &view, h->next, OLD_ORDERS);
    made_items(h, &views);
    made_items(h, &others);
}

static void make_handed_over(struct made_heap *h, const struct class *class,
                             const struct moment *m)
{
    (void)class;
    uint32_t archived = m->count[m->k];
    made_static(h, "App.Orders.s_active", make_table_of_orders(h, archived));
    node_id first = make_orders(h);
    made_static(h, "App.Archive.s_orders",
                make_collection(h, LIST "<App.Order>", "App.Order[]", array_for(m)));
    made_hold(h, &order, first, archived);
}

static void make_sharing(struct made_heap *h, const struct class *class,
                         const struct moment *m)
{
    made_static(h, "App.Orders.s_byId", make_table_of_orders(h, 0));
    node_id first = make_orders(h);
    const struct items all = {
        .item = class->item, .count = m->count[m->k], .shared = first, .sharers = 1};
    made_static(h, "App.Sessions.s_open",
                make_collection(h, SESSIONS, "App.Session[]", array_for(m)));
    made_hold(h, all.item, h->next, all.count);
    made_items(h, &all);
}

/* --- two holders ---------------------------------------------------------------- */

/* The table refers to widgets and to their names, which are their keys. */
static void make_two_holders(struct made_heap *h, const struct class *class,
                             const struct moment *m)
{
    enum { APP_TO_LIST = 3, APP_TO_WIDGETS = 5 };
    uint32_t count = m->count[m->k], parts = (uint32_t) class->item->part_count;
    node_id app = made_object(h, "App.Main", 24), first = app + APP_TO_WIDGETS;
    made_reference(h, h->next);
    made_reference(h, app + APP_TO_LIST);
    make_collection(h, WIDGETS, WIDGETS "+Entry[]",
                    ARRAY_HEAD + ENTRY * (uint64_t)made_capacity(count));
    for (uint32_t i = 0; i < count * parts; i++)
        made_reference(h, first + i);
    make_collection(h, LIST "<App.Widget>", "App.Widget[]", array_for(m));
    made_hold(h, class->item, first, count);
    made_items(h, &(struct items){.item = class->item, .count = count});
    made_static(h, "App.Main.s_instance", app);
}

/* Excludes the names, which have other owners, too. */
static uint64_t widgets_retain(const struct class *class, const struct moment *m)
{
    return class->item->parts[0].size * (uint64_t)m->count[m->k];
}

/* --- one list, many entries ----------------------------------------------------- */

enum { ENTRANCES = 8 };

static const char *const entrance[ENTRANCES] = {"App.Poller", "App.Mailer", "App.Retry",
                                                "App.Lease",  "App.Ping",   "App.Batch",
                                                "App.Gauge",  "App.Renewal"};
static const char *const entrance_variable[ENTRANCES] = {
    "App.Poller.s_one", "App.Mailer.s_one", "App.Retry.s_one", "App.Lease.s_one",
    "App.Ping.s_one",   "App.Batch.s_one",  "App.Gauge.s_one", "App.Renewal.s_one"};
static const char *const entrance_label[ENTRANCES] = {
    "[static var App.Poller.s_one]", "[static var App.Mailer.s_one]",
    "[static var App.Retry.s_one]",  "[static var App.Lease.s_one]",
    "[static var App.Ping.s_one]",   "[static var App.Batch.s_one]",
    "[static var App.Gauge.s_one]",  "[static var App.Renewal.s_one]"};

/* Differs in every snapshot. */
static uint32_t entrance_at(uint64_t seed, size_t k)
{
    uint32_t order_of[ENTRANCES];
    struct random r = random_from(made_chance(seed, STREAM_PLACE, 0));
    for (uint32_t i = 0; i < ENTRANCES; i++) {
        uint32_t at = random_below(&r, i + 1);
        order_of[i] = order_of[at];
        order_of[at] = i;
    }
    return order_of[k];
}

/* All timers hang from the one that is entered, whichever it is. */
static void make_entries(struct made_heap *h, const struct class *class,
                         const struct moment *m)
{
    const struct items all = {
        .item = class->item, .count = m->count[m->k], .link = ITEMS_IN_CHAIN};
    uint64_t chance = made_chance(m->seed, STREAM_PLACE, m->k + 1);
    node_id entered =
        h->next + ENTRANCES + (node_id)(chance % all.count) * (node_id)all.item->part_count;
    for (uint32_t i = 0; i < ENTRANCES; i++) {
        made_static(h, entrance_variable[i], made_object(h, entrance[i], 24));
        if (i == entrance_at(m->seed, m->k))
            made_reference(h, entered);
    }
    made_items(h, &all);
}

/* --- ten classes ---------------------------------------------------------------- */

static const char *const event_types[CLASS_NAMES] = {
    "App.Opened", "App.Closed",  "App.Moved", "App.Renamed", "App.Copied",
    "App.Sent",   "App.Deleted", "App.Read",  "App.Shared",  "App.Signed"};

static struct item event_item(uint32_t type)
{
    return (struct item){STREAM_EVENTS + type,
                         1,
                         {{BY_HOLDER, event_types[type], .size = 200, .spread = 96}}};
}

/* The first type follows the load of the class; all others grow the same way. */
static uint32_t events_of(const struct class *class, const struct moment *m, uint32_t type)
{
    if (type == 0)
        return m->count[m->k];
    uint32_t count[CLASS_SNAPSHOTS];
    struct random r = random_from(made_chance(m->seed, STREAM_EVENTS, type));
    class->load.run(&class->load, &r, CLASS_SNAPSHOTS, count);
    return count[m->k];
}

static uint64_t first_events_retain(const struct class *class, const struct moment *m)
{
    (void)class;
    struct item item = event_item(0);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m->count[m->k]; i++)
        sum += item_part_bytes(&item, m->seed, i, 0);
    return sum;
}

static void make_ten_classes(struct made_heap *h, const struct class *class,
                             const struct moment *m)
{
    enum { CAPACITY = 2048 };
    node_id journal = made_object(h, "App.Journal", 24);
    made_reference(h, h->next);
    node_id first = made_object(h, "App.Event[]", ARRAY_HEAD + WORD * CAPACITY) + 1;
    for (uint32_t t = 0; t < CLASS_NAMES; t++)
        for (uint32_t i = 0; i < events_of(class, m, t); i++)
            made_reference(h, first++);
    for (uint32_t t = 0; t < CLASS_NAMES; t++) {
        struct item item = event_item(t);
        made_items(h, &(struct items){.item = &item, .count = events_of(class, m, t)});
    }
    made_static(h, "App.Journal.s_instance", journal);
}

/* --- an array of values --------------------------------------------------------- */

enum { VALUE = 16 };

/* Starts anywhere between two sizes of the array. */
static uint64_t values_retain(const struct class *class, const struct moment *m)
{
    uint64_t chance = made_chance(m->seed, STREAM_PLACE, 0);
    uint32_t values = m->count[m->k] + (uint32_t)(chance % class->load.start);
    return ARRAY_HEAD + VALUE * (uint64_t)made_capacity(values);
}

static uint64_t one_array(const struct moment *m)
{
    (void)m;
    return 1;
}

static void make_doubling(struct made_heap *h, const struct class *class,
                          const struct moment *m)
{
    made_static(
        h, "App.Samples.s_all",
        make_collection(h, LIST "<App.Sample>", "App.Sample[]", values_retain(class, m)));
}

/* --- the list --------------------------------------------------------------------- */

#define RECORD_PATH                                                         \
    "[static vars]", "[static var App.Records.s_all]", LIST "<App.Record>", \
        "App.Record[]", "App.Record"

static const struct item record = {STREAM_ITEM,
                                   3,
                                   {{BY_HOLDER, "App.Record", .size = 56},
                                    {0, "System.String", .size = 48, .spread = 64},
                                    {0, "System.Byte[]", .size = 184}}};

static const struct item slim_record = {STREAM_ITEM,
                                        2,
                                        {{BY_HOLDER, "App.Record", .size = 56},
                                         {0, "System.String", .size = 48, .spread = 64}}};

static const struct item session = {STREAM_ITEM,
                                    3,
                                    {{BY_HOLDER, "App.Session", .size = 56},
                                     {0, "System.String", .size = 48, .spread = 64},
                                     {0, "System.Byte[]", .size = 88}}};

static const struct item widget = {STREAM_ITEM,
                                   2,
                                   {{BY_HOLDER, "App.Widget", .size = 56},
                                    {0, "System.String", .size = 48, .spread = 64}}};

static const struct item timer = {STREAM_ITEM,
                                  5,
                                  {{BY_HOLDER, TIMER, .size = 104},
                                   {0, "System.Threading.TimerCallback", .size = 64},
                                   {1, "App.Reminders+<>c__DisplayClass3_0", .size = 24},
                                   {2, "App.Reminder", .size = 48},
                                   {3, "System.String", .size = 48, .spread = 64}}};

static const struct class classes[CLASS_KINDS] = {
    [CLASS_SHARED_OLD] = {.name = "old objects get a holder",
                          .found = {"App.Order"},
                          .path = {"[static vars]", "App.Order"},
                          .load = {load_growing, 60, 60, 20},
                          .make = make_shared_old,
                          .retained = first_orders_retain},
    [CLASS_HANDED_OVER] = {.name = "handed over",
                           .found = {"App.Order"},
                           .path = {"[static vars]", "[static var App.Archive.s_orders]",
                                    LIST "<App.Order>", "App.Order[]", "App.Order"},
                           .load = {load_growing, 20, 60, 40},
                           .make = make_handed_over,
                           .retained = first_orders_retain},
    [CLASS_FILLING] = {.name = "filling cache",
                       .found = {"App.Record"},
                       .path = {RECORD_PATH},
                       .item = &record,
                       .load = {load_filling, 100, 300, 0},
                       .make = make_store},
    [CLASS_WALK] = {.name = "random walk",
                    .found = {"App.Record"},
                    .path = {RECORD_PATH},
                    .item = &record,
                    .load = {load_walk, 600, 0, 0},
                    .make = make_store},
    [CLASS_DAY] = {.name = "load by the hour",
                   .found = {"App.Record"},
                   .path = {RECORD_PATH},
                   .item = &record,
                   .load = {load_day, 300, 45, 5},
                   .make = make_store},
    [CLASS_DRAINING] = {.name = "bursts that drain",
                        .found = {"App.Record"},
                        .path = {RECORD_PATH},
                        .item = &record,
                        .load = {load_draining, 100, 200, 50},
                        .make = make_store},
    [CLASS_SHARING] = {.name = "new ones refer to old ones",
                       .nature = CLASS_LEAK,
                       .found = {"App.Session"},
                       .path = {"[static vars]", "[static var App.Sessions.s_open]",
                                SESSIONS, "App.Session[]", "App.Session"},
                       .item = &session,
                       .load = {load_growing, 60, 60, 20},
                       .make = make_sharing},
    [CLASS_TWO_HOLDERS] = {.name = "two holders",
                           .nature = CLASS_LEAK,
                           .found = {"App.Widget"},
                           .path = {"[static vars]", "[static var App.Main.s_instance]",
                                    "App.Main", "App.Widget"},
                           .item = &widget,
                           .load = {load_growing, 100, 100, 20},
                           .make = make_two_holders,
                           .retained = widgets_retain},
    [CLASS_ENTRIES] = {.name = "list with many entries",
                       .nature = CLASS_LEAK,
                       .found = {TIMER, "App.Reminder", "System.Threading.TimerCallback",
                                 "App.Reminders+<>c__DisplayClass3_0"},
                       .path = {"[static vars]", ENTERED, ENTERED, TIMER},
                       .item = &timer,
                       .load = {load_growing, 60, 60, 20},
                       .make = make_entries},
    [CLASS_TEN_CLASSES] = {.name = "ten classes in one store",
                           .nature = CLASS_LEAK,
                           .found = {"App.Opened", "App.Closed", "App.Moved", "App.Renamed",
                                     "App.Copied", "App.Sent", "App.Deleted", "App.Read",
                                     "App.Shared", "App.Signed"},
                           .path = {"[static vars]", "[static var App.Journal.s_instance]",
                                    "App.Journal", "App.Event[]", "App.Opened"},
                           .load = {load_growing, 10, 10, 80},
                           .make = make_ten_classes,
                           .retained = first_events_retain},
    [CLASS_BUSY] = {.name = "slow in a busy heap",
                    .nature = CLASS_LEAK,
                    .found = {"App.Record"},
                    .path = {RECORD_PATH},
                    .item = &slim_record,
                    .load = {load_growing, 20, 20, 0},
                    .make = make_busy},
    [CLASS_RANDOM] = {.name = "slow at random",
                      .nature = CLASS_LEAK,
                      .found = {"App.Record"},
                      .path = {RECORD_PATH},
                      .item = &slim_record,
                      .load = {load_poisson, 30, 30, 0},
                      .make = make_store},
    [CLASS_BURSTS] = {.name = "bursts that stay",
                      .nature = CLASS_LEAK,
                      .found = {"App.Record"},
                      .path = {RECORD_PATH},
                      .item = &record,
                      .load = {load_bursts, 60, 150, 20},
                      .make = make_store},
    [CLASS_STOPPED] = {.name = "stopped load",
                       .nature = CLASS_UNKNOWN,
                       .found = {"App.Record"},
                       .path = {RECORD_PATH},
                       .item = &record,
                       .load = {load_stopped, 150, 150, 10},
                       .make = make_store},
    [CLASS_DOUBLING] = {.name = "doubling array of values",
                        .nature = CLASS_UNKNOWN,
                        .found = {"App.Sample[]"},
                        .path = {"[static vars]", "[static var App.Samples.s_all]",
                                 LIST "<App.Sample>", "App.Sample[]"},
                        .load = {load_growing, 2048, 300, 20},
                        .make = make_doubling,
                        .count = one_array,
                        .retained = values_retain},
};

/* --- series ----------------------------------------------------------------------- */

static struct moment moment_of(const struct class_series *s, size_t k)
{
    const struct load *load = &classes[s->kind].load;
    struct moment m = {.seed = s->seed, .k = k};
    struct random r = random_from(made_chance(s->seed, STREAM_LOAD + s->kind, 0));
    load->run(load, &r, s->snapshots, m.count);
    return m;
}

static uint64_t items_retain(const struct class *class, const struct moment *m)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m->count[m->k]; i++)
        sum += item_retained(class->item, m->seed, i, 0);
    return sum;
}

static uint64_t retained_at(const struct class *class, const struct moment *m)
{
    return class->retained != NULL ? class->retained(class, m) : items_retain(class, m);
}

static void add_path(struct class_truth *truth, const struct class *class,
                     const struct moment *m)
{
    const char **path = truth->path[m->k];
    memcpy(path, class->path, sizeof(class->path));
    for (size_t i = 0; path[i] != NULL; i++)
        if (strcmp(path[i], ENTERED) == 0) {
            path[i] = entrance_label[entrance_at(m->seed, m->k)];
            path[i + 1] = entrance[entrance_at(m->seed, m->k)];
        }
}

const char *class_name(enum class_kind kind)
{
    return classes[kind].name;
}

enum class_nature class_nature(enum class_kind kind)
{
    return classes[kind].nature;
}

struct class_truth class_truth(const struct class_series *s)
{
    const struct class *class = &classes[s->kind];
    struct class_truth truth = {0};
    memcpy(truth.found, class->found, sizeof(class->found));
    for (size_t k = 0; k < s->snapshots; k++) {
        struct moment m = moment_of(s, k);
        truth.count[k] = class->count != NULL ? class->count(&m) : m.count[k];
        truth.retained[k] = retained_at(class, &m);
        add_path(&truth, class, &m);
    }
    return truth;
}

bool class_is_found(const struct class_truth *truth, const char *type)
{
    for (size_t i = 0; truth->found[i] != NULL; i++)
        if (strcmp(truth->found[i], type) == 0)
            return true;
    return false;
}

struct hd_snapshot *class_snapshot(const struct class_series *s, size_t k)
{
    enum { SWING_PERCENT = 20 };
    struct made_heap h;
    struct moment m = moment_of(s, k);
    made_heap_begin(&h, s->seed);
    noise_make(&h, &(struct leak_series){.seed = s->seed, .swing_percent = SWING_PERCENT},
               k);
    classes[s->kind].make(&h, &classes[s->kind], &m);
    return made_heap_finish(&h);
}
