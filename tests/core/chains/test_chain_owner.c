#include "chains/chain_owner.h"

#include "chains/chain_growth.h"
#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <string.h>

#define LOOKUP "Microsoft.Extensions.DependencyInjection.ServiceLookup."
#define SCOPE LOOKUP "ServiceProviderEngineScope"
#define CALL_SITE LOOKUP "ConstructorCallSite"
#define OBJECT_LIST "System.Collections.Generic.List<System.Object>"
#define CACHE "Microsoft.Extensions.Caching.Memory.MemoryCache"
#define PUMP_STATE "AsyncStateMachineBox<System.Int32,App.Pump+<ExecuteAsync>d__2>"

/* --- asking -------------------------------------------------------------------------- */

enum { MAX_SNAPSHOTS = 4 };

/* Chains of all instances of one type, in each snapshot of a series. */
struct asked {
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    size_t count;
    struct owner_types types;
    struct arena arena;
    const struct chains *found[MAX_SNAPSHOTS];
};

static const struct chains *found_in(struct asked *a, size_t k, const char *type,
                                     const char *wanted, bool exact)
{
    struct hd_snapshot *snap = a->snaps[k];
    struct walk walk = walk_graph(snap, &a->arena);
    uint32_t *query_of = arena_array(&a->arena, uint32_t, snap->type_count);
    if (forge_type(snap, TYPE_OBJECT, type) != NULL)
        query_of[forge_type_id(snap, TYPE_OBJECT, type)] = 1;
    type_id owner = wanted != NULL ? forge_type_id(snap, TYPE_OBJECT, wanted) : NO_TYPE;
    struct chain_question ask = {.query_of_key = query_of,
                                 .key_count = snap->type_count,
                                 .queries = 1,
                                 .role_of_type = owner_roles(&a->types, snap, &a->arena),
                                 .owner_of_query = &owner};
    struct chain_options how = {.samples = 1000, .exact = exact};
    return chains_find(snap, &walk, &ask, &how, &a->arena);
}

static struct asked ask_series(struct hd_snapshot *const *snaps, size_t count,
                               const char *type)
{
    struct asked a = {.count = count};
    memcpy(a.snaps, snaps, count * sizeof(*snaps));
    a.types = owner_types_of(a.snaps, count);
    for (size_t k = 0; k < count; k++)
        a.found[k] = found_in(&a, k, type, NULL, false);
    return a;
}

static struct asked ask(struct forge *f, const char *type)
{
    struct hd_snapshot *snap = forge_finish(f);
    return ask_series(&snap, 1, type);
}

static void asked_free(struct asked *a)
{
    for (size_t k = 0; k < a->count; k++)
        hd_snapshot_close(a->snaps[k]);
    owner_types_free(&a->types);
    arena_free(&a->arena);
}

static void expect_owner(const struct hd_chain *c, const char *owner, size_t frames_above,
                         enum hd_service service)
{
    cr_assert_not_null(c->owner, "no owner, but not %s", owner);
    cr_expect_str_eq(c->owner, owner, "%s", c->owner);
    cr_expect_eq(c->owner_frame, frames_above, "%zu", c->owner_frame);
    cr_expect_eq(c->service, service, "%d", c->service);
}

/* --- heaps ------------------------------------------------------------------------- */

/* A chain of objects, one of each type, below `above`; returns the last. */
static node_id line(struct forge *f, node_id above, const char *const *types)
{
    for (; *types != NULL; types++) {
        node_id n = forge_object(f, *types, 24);
        if (above != NO_NODE)
            forge_reference(f, above, n);
        above = n;
    }
    return above;
}

#define LINE(f, above, ...) line((f), (above), (const char *const[]){__VA_ARGS__, NULL})

static void below(struct forge *f, node_id above, const char *type, uint32_t count)
{
    node_id first = forge_objects(f, type, 24, count);
    for (uint32_t i = 0; i < count; i++)
        forge_reference(f, above, first + i);
}

/* A static variable -> the timer of an awaiting App.Pump. */
static node_id pump(struct forge *f)
{
    node_id queue = forge_object(f, "System.Threading.TimerQueue[]", 24);
    forge_root(f, HD_ROOT_STATIC, "System.Threading.TimerQueue[].s_all", queue);
    return LINE(f, queue, "System.Threading.TimerQueue", "System.Threading.TimerQueueTimer",
                "DelayPromise", PUMP_STATE, "App.Pump");
}

/* --- owners ------------------------------------------------------------------------ */

Test(chain_owner, is_the_nearest_object_that_is_alone_of_its_type)
{
    struct forge f = {0};
    node_id feed = LINE(&f, pump(&f), "App.PriceFeed");
    node_id list = LINE(&f, feed, "System.EventHandler<App.Price>", "System.Object[]");
    below(&f, list, "App.Notifier", 5);
    struct asked a = ask(&f, "App.Notifier");
    cr_assert_eq(a.found[0]->len, 1);
    expect_owner(&a.found[0]->all[0], "App.PriceFeed", 8, HD_SERVICE_NONE);
    cr_expect_str_eq(a.found[0]->all[0].frames[8].types[0], "App.PriceFeed");
    cr_expect(a.found[0]->all[0].frames[8].is_program);
    cr_expect_not(a.found[0]->all[0].frames[9].is_program);
    asked_free(&a);
}

Test(chain_owner, is_not_what_only_collects_or_passes_on)
{
    struct forge f = {0};
    node_id top = forge_object(&f, "System.Collections.Generic.Queue<App.Job>", 24);
    forge_root(&f, HD_ROOT_STATIC, "App.Work.s_jobs", top);
    node_id last = LINE(&f, top, "App.Job[]", "<>c__DisplayClass1_0",
                        "System.Action<App.Job>", "System.Threading.ExecutionContext",
                        "Node<App.Job>", "CallbackNode", "Nested", "System.String");
    below(&f, last, "App.Job", 3);
    struct asked a = ask(&f, "App.Job");
    expect_owner(&a.found[0]->all[0], "[static var App.Work.s_jobs]", 1, HD_SERVICE_NONE);
    asked_free(&a);
}

Test(chain_owner, may_be_missing)
{
    struct forge f = {0};
    node_id list = forge_object(&f, "App.Job[]", 24);
    forge_root(&f, HD_ROOT_STACK, NULL, list);
    below(&f, list, "App.Job", 3);
    struct asked a = ask(&f, "App.Job");
    cr_expect_null(a.found[0]->all[0].owner);
    cr_expect_eq(a.found[0]->all[0].owner_frame, HD_NO_OWNER);
    asked_free(&a);
}

Test(chain_owner, is_single_only_if_it_is_in_every_snapshot)
{
    struct hd_snapshot *snaps[2];
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id all = forge_object(&f, "App.Tenant[]", 24);
        forge_root(&f, HD_ROOT_STATIC, "App.Tenants.s_all", all);
        below(&f, all, "App.Tenant", k + 1);
        below(&f, 1, "App.Order", 4);
        snaps[k] = forge_finish(&f);
    }
    struct asked a = ask_series(snaps, 2, "App.Order");
    for (size_t k = 0; k < 2; k++)
        expect_owner(&a.found[k]->all[0], "[static var App.Tenants.s_all]", 1,
                     HD_SERVICE_NONE);
    asked_free(&a);
    struct forge f = {0};
    node_id all = forge_object(&f, "App.Tenant[]", 24);
    forge_root(&f, HD_ROOT_STATIC, "App.Tenants.s_all", all);
    below(&f, LINE(&f, all, "App.Tenant"), "App.Order", 4);
    a = ask(&f, "App.Order");
    expect_owner(&a.found[0]->all[0], "App.Tenant", 3, HD_SERVICE_NONE);
    asked_free(&a);
}

Test(chain_owner, without_a_namespace_counts_if_its_module_is_the_programs)
{
    static const char *const modules[] = {"App.dll", "/usr/lib/System.Private.CoreLib.dll"};
    for (size_t i = 0; i < 2; i++) {
        struct forge f = {0};
        node_id top = forge_object(&f, "App.Job[]", 24);
        forge_root(&f, HD_ROOT_STATIC, "App.Work.s_jobs", top);
        below(&f, LINE(&f, top, "Journal"), "App.Job", 3);
        forge_module(&f, "Journal", modules[i]);
        struct asked a = ask(&f, "App.Job");
        expect_owner(&a.found[0]->all[0],
                     i == 0 ? "Journal" : "[static var App.Work.s_jobs]", i == 0 ? 3 : 1,
                     HD_SERVICE_NONE);
        asked_free(&a);
    }
}

Test(chain_owner, from_dominators_takes_precedence_over_types_on_the_chain)
{
    struct forge f = {0};
    node_id session = LINE(&f, pump(&f), "App.Store", "App.Session", "App.View");
    below(&f, session, "App.Order", 3);
    below(&f, session, "App.Session", 3);
    struct asked a = ask(&f, "App.Order");
    expect_owner(&a.found[0]->all[0], "App.View", 10, HD_SERVICE_NONE);
    for (int exact = 0; exact < 2; exact++) {
        const struct chains *named = found_in(&a, 0, "App.Order", "App.Session", exact);
        expect_owner(&named->all[0], "App.Session", 9, HD_SERVICE_NONE);
        named = found_in(&a, 0, "App.Order", "App.Order", exact);
        expect_owner(&named->all[0], "App.View", 10, HD_SERVICE_NONE);
    }
    asked_free(&a);
}

Test(chain_owner, of_a_recursion_is_outside_of_it)
{
    struct forge f = {0};
    node_id list = forge_object(&f, "App.Chat", 24);
    forge_root(&f, HD_ROOT_STATIC, "App.Chat.s_one", list);
    node_id at = list;
    for (int i = 0; i < 4; i++)
        at = LINE(&f, at, "App.Message");
    struct asked a = ask(&f, "App.Message");
    cr_assert_eq(a.found[0]->len, 1);
    expect_owner(&a.found[0]->all[0], "App.Chat", 2, HD_SERVICE_NONE);
    cr_expect_eq(a.found[0]->all[0].frames[3].repeat_max, 4);
    asked_free(&a);
}

/* --- plumbing ---------------------------------------------------------------------- */

Test(chain_owner, of_an_object_waiting_for_a_timer_is_the_list_of_timers_on_any_path)
{
    struct forge f = {0};
    node_id queue = forge_object(&f, "System.Threading.TimerQueue[]", 24);
    forge_root(&f, HD_ROOT_STATIC, "System.Threading.TimerQueue[].s_all", queue);
    node_id pool = forge_object(&f, "App.Pool", 24);
    forge_root(&f, HD_ROOT_STATIC, "App.Pool.s_one", pool);
    node_id ways[] = {
        LINE(&f, queue, "System.Threading.TimerQueue", "System.Threading.TimerQueueTimer"),
        LINE(&f, pool, "System.Threading.Timer", "System.Threading.TimerHolder",
             "System.Threading.TimerQueueTimer")};
    for (size_t i = 0; i < 2; i++)
        LINE(&f, ways[i], "System.Threading.TimerCallback", "App.Reminder");
    struct asked a = ask(&f, "App.Reminder");
    cr_assert_eq(a.found[0]->len, 1);
    cr_expect_eq(a.found[0]->all[0].count, 2);
    expect_owner(&a.found[0]->all[0], "System.Threading.TimerQueueTimer",
                 a.found[0]->all[0].frame_count - 3, HD_SERVICE_NONE);
    for (int exact = 0; exact < 2; exact++) {
        const struct chains *timers =
            found_in(&a, 0, "System.Threading.TimerQueueTimer", NULL, exact);
        cr_expect_eq(timers->len, 1);
        expect_owner(&timers->all[0], "System.Threading.TimerQueueTimer",
                     timers->all[0].frame_count - 1, HD_SERVICE_NONE);
    }
    asked_free(&a);
}

/* The container's list of disposables, below the innocent App.Cleanup; and a second cache
 * elsewhere, so that its type has two instances. */
static struct forge caches(void)
{
    struct forge f = {0};
    node_id last = LINE(&f, pump(&f), "App.Cleanup", SCOPE, OBJECT_LIST, "System.Object[]",
                        CACHE, "Node<App.Page>[]");
    below(&f, last, "App.Page", 6);
    node_id other = forge_object(&f, CACHE, 24);
    forge_root(&f, HD_ROOT_STATIC, "App.Other.s_cache", other);
    return f;
}

Test(chain_owner, is_a_service_that_the_container_lists_though_it_is_not_alone)
{
    struct forge f = caches();
    struct asked a = ask(&f, "App.Page");
    expect_owner(&a.found[0]->all[0], CACHE, 12, HD_SERVICE_HELD);
    const struct chains *exact = found_in(&a, 0, "App.Page", NULL, true);
    expect_owner(&exact->all[0], CACHE, 12, HD_SERVICE_HELD);
    asked_free(&a);
}

Test(chain_owner, is_a_singleton_if_a_call_site_refers_to_all_objects_of_its_type)
{
    for (uint32_t extra = 0; extra < 2; extra++) {
        struct forge f = {0};
        node_id feed = LINE(&f, pump(&f), "App.PriceFeed");
        below(&f, feed, "App.Notifier", 5);
        node_id site = forge_object(&f, CALL_SITE, 24);
        forge_reference(&f, site, feed);
        forge_reference(&f, site, feed);
        forge_root(&f, HD_ROOT_STACK, NULL, site);
        if (extra > 0) {
            node_id other = forge_object(&f, "App.PriceFeed", 24);
            forge_root(&f, HD_ROOT_STACK, NULL, other);
        }
        struct asked a = ask(&f, "App.Notifier");
        if (extra == 0)
            expect_owner(&a.found[0]->all[0], "App.PriceFeed", 8, HD_SERVICE_SINGLETON);
        else
            expect_owner(&a.found[0]->all[0], "App.Pump", 7, HD_SERVICE_NONE);
        asked_free(&a);
    }
}

/* --- groups ------------------------------------------------------------------------ */

/* Orders below one store, two thirds of them through its index; and a third place without a
 * root. */
static struct hd_snapshot *store_below(const char *const *way)
{
    struct forge f = {0};
    node_id top = forge_object(&f, "App.Host", 24);
    forge_root(&f, HD_ROOT_STATIC, "App.Host.s_one", top);
    node_id store = LINE(&f, line(&f, top, way), "App.Store");
    below(&f, LINE(&f, store, "App.Order[]"), "App.Order", 4);
    below(&f, LINE(&f, store, "Node<App.Order>[]"), "App.Order", 8);
    return forge_finish(&f);
}

Test(chain_owner, makes_chains_that_enter_elsewhere_one)
{
    static const char *const ways[][4] = {{"App.Pump", "App.Job", NULL},
                                          {"App.Cleanup", NULL},
                                          {"App.Web", "App.Http", "App.Job", NULL}};
    struct hd_snapshot *snaps[3];
    for (size_t k = 0; k < 3; k++)
        snaps[k] = store_below(ways[k]);
    struct asked a = ask_series(snaps, 3, "App.Order");
    struct grown_chains g = chain_growth(a.found, 3, &a.arena);
    cr_assert_eq(g.len, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_expect_eq(g.all[i].status, HD_CHAIN_STEADY, "%d", g.all[i].status);
        for (size_t k = 0; k < 3; k++)
            cr_expect_eq(g.all[i].instances[k], i == 0 ? 8 : 4);
        expect_owner(&g.all[i].chain, "App.Store", 6, HD_SERVICE_NONE);
    }
    cr_expect_str_eq(g.all[0].chain.frames[3].types[0], "App.Web", "as in the last");
    asked_free(&a);
}

/* Two ways to the timers of one list: one group, shown with the more frequent way. */
Test(chain_owner, shows_the_entry_of_most_samples)
{
    struct forge f = {0};
    static const char *const names[] = {"App.First", "App.Second"};
    for (uint32_t i = 0; i < 2; i++) {
        node_id top = forge_object(&f, names[i], 24);
        forge_root(&f, HD_ROOT_STATIC, names[i], top);
        for (uint32_t n = 0; n < 2 + 3 * i; n++)
            LINE(&f, top, "System.Threading.TimerQueueTimer", "App.Reminder");
    }
    struct asked a = ask(&f, "App.Reminder");
    cr_assert_eq(a.found[0]->len, 1);
    cr_expect_eq(a.found[0]->all[0].count, 7);
    cr_expect_str_eq(a.found[0]->all[0].frames[2].types[0], "App.Second");
    const struct chains *exact = found_in(&a, 0, "App.Reminder", NULL, true);
    cr_assert_eq(exact->len, 1);
    cr_expect_eq(exact->all[0].count, 7);
    cr_expect_str_eq(exact->all[0].frames[2].types[0], "App.Second");
    asked_free(&a);
}

Test(chain_owner, of_unreachable_objects_is_another_chain)
{
    struct forge f = {0};
    for (uint32_t i = 0; i < 2; i++) {
        node_id timer = forge_object(&f, "System.Threading.TimerQueueTimer", 24);
        below(&f, timer, "App.Reminder", 3);
        if (i == 0)
            forge_root(&f, HD_ROOT_STATIC, "App.s", timer);
    }
    struct asked a = ask(&f, "App.Reminder");
    cr_expect_eq(a.found[0]->len, 2);
    cr_expect_eq(found_in(&a, 0, "App.Reminder", NULL, true)->len, 2);
    asked_free(&a);
}

/* --- very long chains ------------------------------------------------------------------
 */

/* Without a repetition that could be folded. */
static struct hd_snapshot *long_chain(uint32_t length)
{
    struct random r = random_from(1);
    struct forge f = {0};
    node_id at = forge_object(&f, "App.Top", 24);
    forge_root(&f, HD_ROOT_STATIC, "App.Top.s_all", at);
    for (uint32_t i = 1, last = 0; i < length; i++) {
        char name[32];
        last = (last + 1 + random_below(&r, 96)) % 97;
        snprintf(name, sizeof(name), "Node<App.T%u>", last);
        at = LINE(&f, at, name);
    }
    below(&f, LINE(&f, at, "App.Store"), "App.Order", 2);
    return forge_finish(&f);
}

Test(chain_owner, of_a_very_long_chain_is_known_although_its_middle_is_omitted)
{
    enum { LENGTH = 20000 };
    struct hd_snapshot *snap = long_chain(LENGTH);
    struct asked a = ask_series(&snap, 1, "App.Order");
    for (int exact = 0; exact < 2; exact++) {
        const struct chains *found = found_in(&a, 0, "App.Order", NULL, exact);
        cr_assert_eq(found->len, 1);
        const struct hd_chain *c = &found->all[0];
        cr_expect_leq(c->frame_count, CHAIN_MAX_ELEMENTS);
        size_t all = c->frame_count + c->frames_skipped;
        cr_expect(all <= LENGTH + 4 && all > LENGTH - 20, "%zu; hardly any repeats", all);
        cr_expect_gt(c->frames_skipped, LENGTH - CHAIN_MAX_ELEMENTS - 20);
        cr_expect_eq(c->skipped_at, CHAIN_HEAD_ELEMENTS);
        expect_owner(c, "App.Store", c->frame_count - 2, HD_SERVICE_NONE);
        cr_expect_str_eq(c->frames[c->owner_frame].types[0], "App.Store");
    }
    const struct chains *exact = found_in(&a, 0, "Node<App.T5>", NULL, true);
    cr_assert_gt(exact->len, 100);
    for (size_t i = 0; i < exact->len; i++)
        if (exact->all[i].frame_count > 0)
            cr_expect_str_eq(exact->all[i].frames[2].types[0], "App.Top");
    asked_free(&a);
}

/* --- against the definition ---------------------------------------------------------- */

static struct hd_snapshot *random_heap(struct random *r)
{
    static const char *const types[] = {
        "App.A",     "App.B", "System.Object[]",
        OBJECT_LIST, SCOPE,   "System.Threading.TimerQueueTimer",
        CALL_SITE,   "App.C", "App.D",
        "App.Order"};
    enum { TYPES = sizeof(types) / sizeof(*types), MAX_OBJECTS = 40 };
    struct forge f = {0};
    uint32_t objects = 5 + random_below(r, MAX_OBJECTS);
    for (uint32_t i = 0; i < objects; i++)
        forge_object(&f, i == 0 ? "App.Order" : types[random_below(r, TYPES)], 24);
    for (uint32_t i = random_below(r, 2 * objects); i > 0; i--)
        forge_reference(&f, random_below(r, objects), random_below(r, objects));
    forge_root(&f, HD_ROOT_STATIC, "App.s_first", random_below(r, objects));
    forge_root(&f, HD_ROOT_STACK, NULL, random_below(r, objects));
    return forge_finish(&f);
}

/* With more samples than instances both methods examine all: the results must be equal. */
Test(chain_owner, is_the_same_in_exact_answers_and_in_samples_of_all)
{
    struct random r = {2};
    static const char *const wanted[] = {NULL, "App.A", SCOPE};
    size_t owned = 0;
    for (int round = 0; round < 3000; round++) {
        struct hd_snapshot *snap = random_heap(&r);
        const char *owner = wanted[round % 3];
        if (owner != NULL && forge_type(snap, TYPE_OBJECT, owner) == NULL)
            owner = NULL;
        struct asked a = ask_series(&snap, 1, "App.Order");
        const struct chains *x = found_in(&a, 0, "App.Order", owner, false);
        const struct chains *y = found_in(&a, 0, "App.Order", owner, true);
        cr_assert_eq(x->len, y->len, "round %d", round);
        for (size_t i = 0; i < x->len; i++) {
            size_t j = 0;
            while (j < y->len && y->all[j].hash != x->all[i].hash)
                j++;
            cr_assert_lt(j, y->len, "round %d", round);
            cr_assert_eq(x->all[i].count, y->all[j].count, "round %d", round);
            owned += x->all[i].owner != NULL;
        }
        asked_free(&a);
    }
    cr_expect_gt(owned, 2000, "%zu", owned);
}

/* A node of the list that is held from outside leads to all of it; one with its own
 * callback does not. */
Test(chain_owner, of_a_registration_is_not_the_holder_of_another)
{
    struct forge f = {0};
    node_id list = LINE(&f, pump(&f), "App.Lifetime", "CallbackNode", "Registrations");
    below(&f, list, "CallbackNode", 5);
    struct asked a = ask(&f, "CallbackNode");
    cr_assert_eq(a.found[0]->len, 2);
    cr_expect_str_eq(a.found[0]->all[0].owner, "Registrations");
    cr_expect_null(a.found[0]->all[1].owner, "the one that is kept");
    asked_free(&a);
    struct forge g = {0};
    node_id action = LINE(&g, pump(&g), "App.Lifetime", "CallbackNode", "System.Action");
    below(&g, action, "App.View", 5);
    a = ask(&g, "App.View");
    cr_expect_str_eq(a.found[0]->all[0].owner, "App.Lifetime");
    asked_free(&a);
}

/* An object with an injected provider leads to everything in the list of its scope. */
Test(chain_owner, of_objects_in_a_scopes_list_is_the_scope)
{
    struct forge f = {0};
    node_id array =
        LINE(&f, pump(&f), "App.LoadGenerator", SCOPE, OBJECT_LIST, "System.Object[]");
    below(&f, array, "App.Renderer", 5);
    struct asked a = ask(&f, "App.Renderer");
    expect_owner(&a.found[0]->all[0], SCOPE, 9, HD_SERVICE_NONE);
    asked_free(&a);
}
