/* Each leak is a record: the item that leaks, its part that is the culprit, and a function
 * that makes the holders. */
#include "support/leaks.h"

#include "support/leaks_noise.h"

#include <string.h>

#define DICTIONARY "System.Collections.Generic.Dictionary"
#define LIST "System.Collections.Generic.List"
#define LINKED "System.Collections.Generic.LinkedList"
#define HANDLER "System.EventHandler<App.OrderPlaced>"
#define SESSIONS DICTIONARY "<System.String,App.Session>"
#define ORDERS DICTIONARY "<System.Int32,App.Order>"
#define TIMER "System.Threading.TimerQueueTimer"

enum { ARRAY_HEAD = 24, WORD = 8 };

struct leak {
    const char *name;
    const char *found[LEAK_NAMES];
    const char *path[LEAK_PATH];
    struct item item;
    size_t culprit; /* number of a part of the item */

    /* Makes the holder and count items. */
    void (*make)(struct made_heap *h, const struct leak *leak, uint32_t count);

    /* Both NULL: one culprit per item, retaining everything below its part. */
    uint64_t (*count)(uint32_t items);
    uint64_t (*retained)(const struct leak *leak, uint64_t seed, uint32_t items);
};

/* --- holders ---------------------------------------------------------------------- */

/* A delegate with several targets has an array of delegates. */
static void make_event(struct made_heap *h, const struct leak *leak, uint32_t count)
{
    node_id all = made_object(h, HANDLER, 64);
    made_reference(h, h->next);
    made_object(h, "System.Object[]", ARRAY_HEAD + WORD * made_capacity(count));
    made_hold(h, &leak->item, h->next, count);
    made_items(h, &(struct items){.item = &leak->item, .count = count});
    made_static(h, "App.Orders.OrderPlaced", all);
}

static void make_dictionary(struct made_heap *h, const struct leak *leak, uint32_t count)
{
    const struct items all = {.item = &leak->item, .count = count};
    node_id made = made_dictionary(h, SESSIONS, SESSIONS "+Entry[]", &all);
    made_items(h, &all);
    made_static(h, "App.Sessions.s_open", made);
}

static void make_list(struct made_heap *h, const struct leak *leak, uint32_t count)
{
    const struct items all = {.item = &leak->item, .count = count};
    node_id audit = made_object(h, "App.Audit", 24);
    made_reference(h, h->next);
    made_list(h, LIST "<System.String>", "System.String[]", &all);
    made_items(h, &all);
    made_static(h, "App.Audit.s_instance", audit);
}

/* Every node of .NET's linked list refers to the list, too. */
static void make_linked(struct made_heap *h, const struct leak *leak, uint32_t count)
{
    node_id list = made_object(h, LINKED "<App.Request>", 40);
    made_reference(h, h->next);
    made_items(h, &(struct items){.item = &leak->item,
                                  .count = count,
                                  .link = ITEMS_IN_RING,
                                  .shared = list,
                                  .sharers = UINT32_MAX});
    made_static(h, "App.RequestPool.s_free", list);
}

static void make_two_owners(struct made_heap *h, const struct leak *leak, uint32_t count)
{
    const struct items all = {.item = &leak->item, .count = count};
    node_id by_id = made_dictionary(h, ORDERS, ORDERS "+Entry[]", &all);
    node_id first = h->next;
    made_items(h, &all);
    node_id open = made_object(h, LIST "<App.Order>", 32);
    made_reference(h, h->next);
    made_object(h, "App.Order[]", ARRAY_HEAD + WORD * made_capacity(count));
    made_hold(h, &leak->item, first, count);
    made_static(h, "App.Orders.s_byId", by_id);
    made_static(h, "App.Orders.s_open", open);
}

static void make_timers(struct made_heap *h, const struct leak *leak, uint32_t count)
{
    node_id queues = made_object(h, "System.Threading.TimerQueue[]", ARRAY_HEAD + WORD);
    made_reference(h, h->next);
    made_object(h, "System.Threading.TimerQueue", 72);
    made_reference(h, h->next);
    made_items(
        h, &(struct items){.item = &leak->item, .count = count, .link = ITEMS_IN_CHAIN});
    made_static(h, "System.Threading.TimerQueue.s_queues", queues);
}

static void make_shared(struct made_heap *h, const struct leak *leak, uint32_t count)
{
    struct items all = {.item = &leak->item, .count = count, .sharers = 2};
    node_id list = made_list(h, LIST "<App.Customer>", "App.Customer[]", &all);
    all.shared = h->next + count * (uint32_t)leak->item.part_count;
    made_items(h, &all);
    for (uint32_t i = 0; i < count / all.sharers; i++)
        made_object(h, "System.String", 56);
    made_static(h, "App.Customers.s_all", list);
}

/* --- one byte[] -------------------------------------------------------------------- */

enum { BUFFER_START = 16384, RECORD = 400 };

static uint64_t buffer_bytes(const struct leak *leak, uint64_t seed, uint32_t items)
{
    (void)leak;
    (void)seed;
    return ARRAY_HEAD + BUFFER_START + RECORD * (uint64_t)items;
}

static uint64_t one_buffer(uint32_t items)
{
    (void)items;
    return 1;
}

static void make_buffer(struct made_heap *h, const struct leak *leak, uint32_t count)
{
    node_id journal = made_object(h, "System.IO.MemoryStream", 64);
    made_reference(h, h->next);
    made_object(h, "System.Byte[]", buffer_bytes(leak, h->seed, count));
    made_static(h, "App.Journal.s_stream", journal);
}

/* --- more per owner ------------------------------------------------------------------ */

/* Two entries for each board at the start, then one more board per 30 entries; entries are
 * dealt out evenly. */
enum { BOARDS = 40, FIRST_ENTRIES = 80, ENTRIES_PER_BOARD = 30, BOARD_MAX = 4096 };

static uint32_t boards_for(uint32_t entries)
{
    return BOARDS + entries / ENTRIES_PER_BOARD;
}

static uint32_t entries_of(uint32_t board, uint32_t entries)
{
    uint32_t all = FIRST_ENTRIES + entries, boards = boards_for(entries);
    return all / boards + (board < all % boards);
}

static struct items entries_at(const struct leak *leak, uint32_t board, uint32_t entries)
{
    return (struct items){.item = &leak->item,
                          .start = (uint64_t)board * BOARD_MAX,
                          .count = entries_of(board, entries)};
}

static uint64_t entry_count(uint32_t items)
{
    return FIRST_ENTRIES + (uint64_t)items;
}

static uint64_t entries_retained(const struct leak *leak, uint64_t seed, uint32_t items)
{
    uint64_t sum = 0;
    for (uint32_t board = 0; board < boards_for(items); board++) {
        struct items all = entries_at(leak, board, items);
        for (uint32_t n = 0; n < all.count; n++)
            sum += item_retained(all.item, seed, all.start + n, leak->culprit);
    }
    return sum;
}

static void make_density(struct made_heap *h, const struct leak *leak, uint32_t count)
{
    uint32_t boards = boards_for(count);
    node_id all = made_object(h, "App.Board[]", ARRAY_HEAD + WORD * made_capacity(boards));
    node_id board = h->next;
    for (uint32_t i = 0; i < boards; i++) {
        made_reference(h, board);
        enum { BOARD_PARTS = 3 };
        board += BOARD_PARTS + entries_of(i, count) * (uint32_t)leak->item.part_count;
    }
    for (uint32_t i = 0; i < boards; i++) {
        struct items entries = entries_at(leak, i, count);
        made_object(h, "App.Board", 48);
        made_reference(h, h->next);
        made_list(h, LIST "<App.LogEntry>", "App.LogEntry[]", &entries);
        made_items(h, &entries);
    }
    made_static(h, "App.Boards.s_all", all);
}

/* --- the list ------------------------------------------------------------------------- */

static const struct leak leaks[LEAK_KINDS] = {
    [LEAK_NONE] = {.name = "none"},
    [LEAK_EVENT] = {.name = "event",
                    .found = {"App.OrderNotifier", HANDLER},
                    .path = {"[static vars]", "[static var App.Orders.OrderPlaced]",
                             HANDLER, "App.OrderNotifier"},
                    .item = {LEAK_STREAMS + LEAK_EVENT,
                             6,
                             {{BY_HOLDER, HANDLER, .size = 64},
                              {0, "App.OrderNotifier", .size = 32},
                              {1, "System.Byte[]", .size = 264},
                              {1, "App.Order", .size = 72},
                              {3, "App.Address", .size = 32},
                              {4, "System.String", .size = 40, .spread = 32}}},
                    .culprit = 1,
                    .make = make_event},
    [LEAK_DICTIONARY] = {.name = "dictionary",
                         .found = {"App.Session"},
                         .path = {"[static vars]", "[static var App.Sessions.s_open]",
                                  SESSIONS, SESSIONS "+Entry[]", "App.Session"},
                         .item = {LEAK_STREAMS + LEAK_DICTIONARY,
                                  7,
                                  {{BY_HOLDER, "System.String", .size = 56},
                                   {BY_HOLDER, "App.Session", .size = 48},
                                   {1, "System.String", .size = 40, .spread = 24},
                                   {1, LIST "<App.LogEntry>", .size = 32},
                                   {3, "App.LogEntry[]", .size = 56},
                                   {4, "App.LogEntry", .size = 56},
                                   {5, "System.String", .size = 80, .spread = 80}}},
                         .culprit = 1,
                         .make = make_dictionary},
    [LEAK_LIST] = {.name = "list",
                   .found = {"System.String"},
                   .path = {"[static vars]", "[static var App.Audit.s_instance]",
                            "App.Audit", LIST "<System.String>", "System.String[]",
                            "System.String"},
                   .item = {LEAK_STREAMS + LEAK_LIST,
                            1,
                            {{BY_HOLDER, "System.String", .size = 184, .spread = 120}}},
                   .make = make_list},
    [LEAK_LINKED] = {.name = "linked list",
                     .found = {"App.Request", LINKED "Node<App.Request>"},
                     .path = {"[static vars]", "[static var App.RequestPool.s_free]",
                              LINKED "<App.Request>", LINKED "Node<App.Request>",
                              "App.Request"},
                     .item = {LEAK_STREAMS + LEAK_LINKED,
                              4,
                              {{BY_HOLDER, LINKED "Node<App.Request>", .size = 48},
                               {0, "App.Request", .size = 40},
                               {1, "System.String", .size = 48, .spread = 24},
                               {1, "System.Byte[]", .size = 152}}},
                     .culprit = 1,
                     .make = make_linked},
    [LEAK_TWO_OWNERS] = {.name = "two owners",
                         .found = {"App.Order"},
                         .path = {"[static vars]", "App.Order"},
                         .item = {LEAK_STREAMS + LEAK_TWO_OWNERS,
                                  6,
                                  {{BY_HOLDER, "App.Order", .size = 72},
                                   {0, "App.Address", .size = 32},
                                   {1, "System.String", .size = 40, .spread = 32},
                                   {0, LIST "<App.OrderLine>", .size = 32},
                                   {3, "App.OrderLine[]", .size = 56},
                                   {4, "App.OrderLine", .size = 40}}},
                         .make = make_two_owners},
    [LEAK_DENSITY] = {.name = "density",
                      .found = {"App.LogEntry"},
                      .path = {"[static vars]", "[static var App.Boards.s_all]",
                               "App.Board[]", "App.Board", LIST "<App.LogEntry>",
                               "App.LogEntry[]", "App.LogEntry"},
                      .item = {LEAK_STREAMS + LEAK_DENSITY,
                               2,
                               {{BY_HOLDER, "App.LogEntry", .size = 56},
                                {0, "System.String", .size = 120, .spread = 120}}},
                      .make = make_density,
                      .count = entry_count,
                      .retained = entries_retained},
    [LEAK_BUFFER] = {.name = "buffer",
                     .found = {"System.Byte[]"},
                     .path = {"[static vars]", "[static var App.Journal.s_stream]",
                              "System.IO.MemoryStream", "System.Byte[]"},
                     .make = make_buffer,
                     .count = one_buffer,
                     .retained = buffer_bytes},
    [LEAK_TIMER] =
        {.name = "timer",
         .found = {"App.Reminder", TIMER, "System.Threading.TimerCallback",
                   "App.ReminderService+<>c__DisplayClass3_0"},
         .path = {"[static vars]", "[static var System.Threading.TimerQueue.s_queues]",
                  "System.Threading.TimerQueue[]", "System.Threading.TimerQueue", TIMER,
                  "System.Threading.TimerCallback",
                  "App.ReminderService+<>c__DisplayClass3_0", "App.Reminder"},
         .item = {LEAK_STREAMS + LEAK_TIMER,
                  7,
                  {{BY_HOLDER, TIMER, .size = 104},
                   {0, "System.Threading.TimerCallback", .size = 64},
                   {1, "App.ReminderService+<>c__DisplayClass3_0", .size = 24},
                   {2, "App.Reminder", .size = 48},
                   {3, "System.String", .size = 64, .spread = 40},
                   {3, "System.Threading.Timer", .size = 24},
                   {5, "System.Threading.TimerHolder", .size = 24, .back = true}}},
         .culprit = 3,
         .make = make_timers},
    [LEAK_SHARED] = {.name = "shared strings",
                     .found = {"App.Customer"},
                     .path = {"[static vars]", "[static var App.Customers.s_all]",
                              LIST "<App.Customer>", "App.Customer[]", "App.Customer"},
                     .item = {LEAK_STREAMS + LEAK_SHARED,
                              4,
                              {{BY_HOLDER, "App.Customer", .size = 64},
                               {0, "System.String", .size = 40, .spread = 40},
                               {0, "App.Address", .size = 40},
                               {2, "System.String", .size = 48, .spread = 40}}},
                     .make = make_shared},
};

/* --- series --------------------------------------------------------------------------- */

static uint32_t items_at(const struct leak_series *s, size_t k)
{
    return s->per_step * (uint32_t)(k + 1);
}

static uint64_t retained_by(const struct leak *leak, uint64_t seed, uint32_t items)
{
    if (leak->retained != NULL)
        return leak->retained(leak, seed, items);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < items; i++)
        sum += item_retained(&leak->item, seed, i, leak->culprit);
    return sum;
}

struct leak_truth leak_truth(const struct leak_series *s, size_t snapshots)
{
    const struct leak *leak = &leaks[s->kind];
    struct leak_truth truth = {.name = leak->name};
    memcpy(truth.found, leak->found, sizeof(leak->found));
    memcpy(truth.path, leak->path, sizeof(leak->path));
    for (size_t k = 0; k < snapshots && s->kind != LEAK_NONE; k++) {
        uint32_t items = items_at(s, k);
        truth.count[k] = leak->count != NULL ? leak->count(items) : items;
        truth.retained[k] = retained_by(leak, s->seed, items);
    }
    return truth;
}

bool leak_is_found(const struct leak_truth *truth, const char *type)
{
    for (size_t i = 0; truth->found[i] != NULL; i++)
        if (strcmp(truth->found[i], type) == 0)
            return true;
    return false;
}

struct hd_snapshot *leak_snapshot(const struct leak_series *s, size_t k)
{
    struct made_heap h;
    made_heap_begin(&h, s->seed);
    noise_make(&h, s, k);
    const struct leak *leak = &leaks[s->kind];
    if (leak->make != NULL)
        leak->make(&h, leak, items_at(s, k));
    return made_heap_finish(&h);
}
