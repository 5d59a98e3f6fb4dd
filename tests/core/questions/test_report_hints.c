/* Hints on series made by hand: chains of types as in real programs of .NET 8 to 11. */
#include "questions/hint_kinds.h"
#include "ranking/hints.h"

/* --- one for each hint ------------------------------------------------------ */

static const struct hint_example examples[] = {
    {"property-changed-not-unsubscribed",
     STATIC("App.Model.model") "App.Model > "
                               "System.ComponentModel.PropertyChangedEventHandler > "
                               "System.Object[] > "
                               "System.ComponentModel.PropertyChangedEventHandler",
     "App.View"},
    {"change-token-not-disposed",
     PROVIDER SCOPE " > " OBJECTS
                    "Microsoft.Extensions.Options.OptionsMonitor<App.Settings> > "
                    "System.Action<App.Settings,System.String> > System.Object[] > "
                    "System.Action<App.Settings,System.String>",
     "ChangeTrackerDisposable<App.Settings> > App.Mailer"},
    {"change-token-not-disposed",
     STATIC(
         "App.Host.configuration") "Microsoft.Extensions.Configuration.ConfigurationRoot > "
                                   "Microsoft.Extensions.Configuration."
                                   "ConfigurationReloadToken > "
                                   "System.Threading.CancellationTokenSource > "
                                   "Registrations > CallbackNode",
     "App.View"},
    {"event-not-unsubscribed",
     STATIC("App.Catalog.Current") "App.Catalog > System.EventHandler > App.Window", NULL},
    {"event-not-unsubscribed",
     STATIC("App.Catalog.Changed") "App.ChangedHandler > App.Window", NULL},
    {"event-not-unsubscribed",
     STATIC("App.Feed.feed") "App.Feed > System.EventHandler > System.Object[] > "
                             "System.EventHandler",
     "App.View"},
    {"event-not-unsubscribed",
     STATIC("App.Feed.feed") "App.Feed > System.EventHandler > System.Delegate+Wrapper[] > "
                             "System.EventHandler",
     "App.View"},
    {"event-not-unsubscribed",
     STATIC("App.Feed.feed") "App.Feed > System.EventHandler > Wrapper[] > "
                             "System.EventHandler",
     "App.View"},
    {"event-not-unsubscribed",
     STATIC("App.Feed.feed") "App.Feed > System.Action<System.Int32> > System.Object[] > "
                             "System.Action<System.Int32>",
     "App.View"},
    {"event-not-unsubscribed",
     STATIC("App.Feed.feed") "App.Feed > App.OrderPlacedHandler > System.Object[] > "
                             "App.OrderPlacedHandler",
     "App.View"},
    {"linked-token-source-not-disposed", TOKENS "CallbackNode",
     "Linked1CancellationTokenSource"},
    {"delay-not-cancelled", TOKENS "CallbackNode", "DelayPromiseWithCancellation"},
    {"delay-not-cancelled", TIMERS "System.Threading.TimerQueueTimer",
     "DelayPromise > AsyncStateMachineBox<System.Int32,App.Job+<Run>d__1>"},
    {"token-registration-not-disposed", TOKENS "CallbackNode", "System.Action > App.View"},
    {"periodic-timer-not-disposed", TIMERS "System.Threading.TimerQueueTimer",
     "State > System.Threading.PeriodicTimer"},
    {"timeout-token-source-not-disposed", TIMERS "System.Threading.TimerQueueTimer",
     "System.Threading.CancellationTokenSource"},
    {"timer-not-disposed", TIMERS "System.Threading.TimerQueueTimer",
     "System.Threading.TimerCallback > App.Reminder"},
    {"listener-not-disposed",
     STATIC("App.Host.source") "System.Diagnostics.DiagnosticListener > "
                               "DiagnosticSubscription",
     "App.Tracer"},
    {"listener-not-disposed", STATIC("App.Tracer.s_Listeners") "App.Tracer", "App.Order"},
    {"subscription-not-disposed",
     STATIC("App.Host.prices") "System.Reactive.Subjects.Subject<System.Int32> > "
                               "SubjectDisposable<System.Int32>[] > "
                               "SubjectDisposable<System.Int32>",
     "App.Observer"},
    {"semaphore-not-released",
     STATIC("App.Host.gate") "System.Threading.SemaphoreSlim > TaskNode",
     "AsyncStateMachineBox<System.Int32,App.Job+<Run>d__1>"},
    {"thread-pool-behind",
     STATIC(
         "System.Threading.ThreadPoolWorkQueue.s_workQueue") "System.Threading."
                                                             "ThreadPoolWorkQueue > "
                                                             "System.Collections."
                                                             "Concurrent.ConcurrentQueue<"
                                                             "System.Object> > "
                                                             "System.Collections."
                                                             "Concurrent."
                                                             "ConcurrentQueueSegment<"
                                                             "System.Object> > "
                                                             "Slot<System.Object>[] > "
                                                             "System.Threading.Tasks.Task",
     "System.Action > App.Order"},
    {"wait-not-unregistered",
     STATIC("System.Threading.PortableThreadPool.ThreadPoolInstance") "System.Threading."
                                                                      "PortableThreadPool "
                                                                      "> WaitThreadNode",
     "WaitThread"},
    {"reply-never-removed",
     CONCURRENT("System.Int32,System.Threading.Tasks.TaskCompletionSource<App.Order>"),
     "System.Threading.Tasks.TaskCompletionSource<App.Order>"},
    {"await-never-completes",
     TASK OBJECTS "AsyncStateMachineBox<System.Int32,App.Job+<Run>d__1>", "App.Order"},
    {"await-never-completes", KEPT "System.Threading.Tasks.TaskCompletionSource",
     "System.Threading.Tasks.Task"},
    {"await-never-completes",
     STATIC("App.Host.orders") "System.Threading.Channels.UnboundedChannel<System.Int32> > "
                               "System.Threading.Channels.BlockedReadAsyncOperation<System."
                               "Int32>",
     "App.Order"},
    {"channel-without-reader",
     STATIC("App.Host.orders") "System.Threading.Channels.UnboundedChannel<App.Order> "
                               "> " SEGMENTS "App.Order",
     NULL},
    {"continuations-on-one-task",
     TASK OBJECTS "System.Threading.Tasks.ContinueWithTaskContinuation", "App.Order"},
    {"continuations-on-one-task",
     TASK OBJECTS "TwoTaskWhenAnyPromise<System.Threading.Tasks.Task>", NULL},
    {"cache-without-limit",
     STATIC("App.Host.cache") "Microsoft.Extensions.Caching.Memory.MemoryCache > "
                              "CoherentState > "
                              "Node<System.String,Microsoft.Extensions.Caching.Memory."
                              "CacheEntry>",
     "Microsoft.Extensions.Caching.Memory.CacheEntry > App.Order"},
    {"http-context-kept",
     STATIC("App.Host.contexts") "System.Collections.Generic.List<Microsoft.AspNetCore."
                                 "Http.HttpContext> > "
                                 "Microsoft.AspNetCore.Http.HttpContext[] > "
                                 "Microsoft.AspNetCore.Http.DefaultHttpContext",
     SCOPE},
    {"dbcontext-lives-too-long",
     STATIC("App.Db.db") "App.Db > "
                         "Microsoft.EntityFrameworkCore.Internal.DbContextDependencies > "
                         "Microsoft.EntityFrameworkCore.ChangeTracking.Internal."
                         "StateManager > "
                         "Microsoft.EntityFrameworkCore.ChangeTracking.Internal."
                         "EntityReferenceMap > App.Order",
     NULL},
    {"dbcontext-lives-too-long", KEPT "App.Db",
     SCOPE " > Microsoft.EntityFrameworkCore.ChangeTracking.Internal.StateManager"},
    {"disposable-from-root-provider", PROVIDER SCOPE " > " OBJECTS "App.Unit", "App.Order"},
    {"scope-not-disposed", KEPT SCOPE, OBJECTS "App.Unit"},
    {"service-provider-per-call",
     KEPT "Microsoft.Extensions.DependencyInjection.ServiceProvider", SCOPE},
    {"logger-per-instance",
     PROVIDER "Microsoft.Extensions.Logging.LoggerFactory > "
              "VolatileNode<System.String,Microsoft.Extensions.Logging.Logger>[] > "
              "Node<System.String,Microsoft.Extensions.Logging.Logger>",
     "Microsoft.Extensions.Logging.Logger"},
    {"http-client-per-call", KEPT "System.Net.Http.HttpClient",
     "System.Net.Http.HttpClientHandler"},
    {"http-client-per-call", KEPT "App.Api",
     "System.Net.Http.HttpClient > System.Net.Http.HttpConnectionPoolManager"},
    {"json-options-per-call", KEPT "System.Text.Json.JsonSerializerOptions",
     "CachingContext"},
    {"regex-per-call",
     DICTIONARY(
         "System.String,System.Text.RegularExpressions.Regex") "System.Text."
                                                               "RegularExpressions.Regex",
     "System.Reflection.Emit.DynamicMethod"},
    {"xml-serializer-per-call", KEPT "App.Format",
     "System.Xml.Serialization.XmlSerializer"},
    {"compiled-code-kept",
     DICTIONARY("System.String,System.Delegate") "System.Func<System.Int32>",
     "System.Reflection.Emit.DynamicMethod"},
    {"assembly-not-unloaded",
     "[strong Handles] > System.Object[] > System.Reflection.RuntimeAssembly", NULL},
    {"assembly-not-unloaded",
     "[strong Handles] > System.Runtime.Loader.IndividualAssemblyLoadContext", NULL},
    {"activity-not-stopped",
     "[strong Handles] > System.Threading.Thread > System.Threading.ExecutionContext > "
     "OneElementAsyncLocalValueMap > System.Diagnostics.Activity",
     "System.String"},
    {"instrument-per-call",
     STATIC(
         "System.Diagnostics.Metrics.Meter.s_allMeters") "System.Collections.Generic.List<"
                                                         "System.Diagnostics.Metrics.Meter>"
                                                         " > "
                                                         "System.Diagnostics.Metrics.Meter["
                                                         "] > "
                                                         "System.Diagnostics.Metrics.Meter",
     NULL},
    {"file-watcher-not-disposed", KEPT "System.IO.FileSystemWatcher",
     "NormalizedFilterCollection"},
    {"handle-not-disposed", KEPT "System.IO.FileStream",
     "Microsoft.Win32.SafeHandles.SafeFileHandle"},
    {"handle-not-disposed", KEPT "System.Diagnostics.Process", NULL},
    {"thread-never-ends", "[local vars] > <>c__DisplayClass3_0", "App.Order"},
    {"thread-never-ends", "[strong Handles] > System.Threading.Thread", NULL},
    {"pooled-memory-not-disposed", KEPT "ArrayMemoryPoolBuffer<System.Byte>",
     "System.Byte[]"},
    {"array-pool-not-returned",
     "[local vars] > System.Object[] > SharedArrayPoolThreadLocalArray[] > System.Byte[]",
     NULL},
    {"buffer-never-cleared",
     STATIC("App.Log.s_log") "System.Text.StringBuilder > System.Text.StringBuilder",
     "System.Char[]"},
    {"weak-references-kept",
     STATIC("App.Host.watched") "System.Collections.Generic.List<System.WeakReference<App."
                                "Order>> > "
                                "System.WeakReference<App.Order>[] > "
                                "System.WeakReference<App.Order>",
     NULL},
    {"lock-per-key", CONCURRENT("System.String,System.Threading.SemaphoreSlim"),
     "System.Threading.SemaphoreSlim"},
    {"tasks-kept",
     STATIC(
         "App.Host.tasks") "System.Collections.Generic.List<System.Threading.Tasks.Task> > "
                           "System.Threading.Tasks.Task[] > "
                           "System.Threading.Tasks.Task<System.Int32>",
     NULL},
    {"async-local-kept", KEPT "System.Threading.ExecutionContext",
     "OneElementAsyncLocalValueMap > App.Order"},
    {"thread-local-kept",
     STATIC("App.Host.batch") "System.Threading.ThreadLocal<System.Collections.Generic."
                              "List<App.Order>> > "
                              "LinkedSlot<System.Collections.Generic.List<App.Order>> > "
                              "System.Collections.Generic.List<App.Order> > App.Order[] > "
                              "App.Order",
     NULL},
    {"string-interning", "[strong Handles] > System.Object[] > System.String", NULL},
    {"thread-static-kept",
     "[local vars] > System.Object[] > System.Object[] > "
     "System.Collections.Generic.List<App.Order> > App.Order[] > App.Order",
     NULL},
    {"native-aot-static",
     "[strong Handles] > System.Object[] > System.Object[] > <static variables> > "
     "System.Collections.Generic.List<App.Order> > App.Order[] > App.Order",
     NULL},
    {"native-aot-static",
     "[strong Handles] > System.Object[] > System.Object[] > "
     "System.Collections.Generic.List<App.Order> > App.Order[] > App.Order",
     NULL},
    {"static-without-name",
     "[strong Handles] > System.Object[] > System.Collections.Generic.List<App.Order> > "
     "App.Order[] > App.Order",
     NULL},
    {"thread-static-kept",
     "[thread static vars] > System.Collections.Generic.List<App.Order> > App.Order[] > "
     "App.Order",
     NULL},
    {"instrument-per-call",
     STATIC("App.Events.Log") "System.Diagnostics.Tracing.CounterGroup > "
                              "System.Diagnostics.Tracing.DiagnosticCounter[] > "
                              "System.Diagnostics.Tracing.EventCounter",
     NULL},
    {"listener-not-disposed",
     STATIC("System.Diagnostics.AllListenerObservable.s_all") "AllListenerObservable > "
                                                              "AllListenerSubscription",
     "App.Observer"},
    {"pinned-handle-not-freed", "[pinning Handles] > System.Byte[]", NULL},
    {"gc-handle-not-freed", "[strong Handles] > System.Action", "App.Order"},
    {"com-object-not-released", "[COM/WinRT Objects] > App.Document", NULL},
    {"finalizer-behind", "[finalizer Handles] > App.Connection", "App.Order"},
    {"conditional-weak-table", "[Dependent Handles] > App.Order", NULL},
    {"queue-without-consumer",
     STATIC("App.Host.orders") "System.Collections.Concurrent.BlockingCollection<App.Order>"
                               " > " SEGMENTS "App.Order",
     NULL},
    {"queue-without-consumer",
     STATIC(
         "App.Host.orders") "System.Collections.Generic.Queue<App.Order> > App.Order[] > "
                            "App.Order",
     NULL},
    {"closure-kept",
     STATIC("App.Host.later") "System.Collections.Generic.List<System.Action> > "
                              "System.Action[] > System.Action",
     "<>c__DisplayClass3_0 > App.Order"},
    {"collection-in-singleton",
     PROVIDER
     "ServiceAccessor > App.Sessions > System.Collections.Generic.List<App.Order> > "
     "App.Order[] > App.Order",
     NULL},
    {"collection-in-singleton",
     PROVIDER
     "Microsoft.Extensions.DependencyInjection.ServiceLookup.ConstructorCallSite > "
     "App.Sessions > System.Collections.Generic.List<App.Order> > App.Order[] > "
     "App.Order",
     NULL},
    {"static-collection",
     STATIC("App.Host.all") "System.Collections.Generic.List<App.Order> > App.Order[] > "
                            "App.Order",
     NULL},
    {"static-collection", CONCURRENT("System.String,App.Session"), "App.Session"},
    {"static-collection", DICTIONARY("System.String,App.Order") "App.Order", NULL},
    {"static-collection",
     STATIC("App.Host.all") "System.Collections.Generic.LinkedList<App.Order> > "
                            "System.Collections.Generic.LinkedListNode<App.Order>",
     "App.Order"},
    {"collection-never-emptied",
     "[local vars] > App.Board > "
     "System.Collections.Generic.Dictionary<System.Int32,App.Order> > "
     "Entry<System.Int32,App.Order>[] > App.Order",
     NULL},
};

enum { EXAMPLES = sizeof(examples) / sizeof(*examples) };

Test(report_hints, a_leak_of_each_kind_has_its_hint)
{
    for (size_t i = 0; i < EXAMPLES; i++)
        expect_hint(&examples[i]);
}

Test(report_hints, every_hint_has_an_example)
{
    for (size_t h = 0; h < hint_count; h++) {
        bool found = hints[h].id == NULL || hints[h].case_count == 0; /* process */
        for (size_t i = 0; i < EXAMPLES; i++)
            found |= !found && strcmp(examples[i].id, hints[h].id) == 0;
        for (size_t i = 0; i < KINDS; i++)
            found |= !found && strcmp(kinds[i].id, hints[h].id) == 0;
        for (size_t i = 0; i < DOCUMENTED; i++)
            found |= !found && strcmp(documented[i].id, hints[h].id) == 0;
        cr_expect(found, "no example of %s", id_of(hints[h].id));
    }
}

/* --- leaks of real packages --------------------------------------------------- */

Test(report_hints, leaks_of_real_packages_have_their_hints)
{
    for (size_t i = 0; i < KINDS; i++)
        expect_hint(&kinds[i]);
}

Test(report_hints, documented_examples_have_their_hints)
{
    for (size_t i = 0; i < DOCUMENTED; i++)
        expect_hint(&documented[i]);
}

Test(report_hints, a_lookalike_does_not_get_the_hint)
{
    for (size_t i = 0; i < OTHERS; i++)
        expect_hint(&others[i]);
}

/* --- no hint, or not that one ------------------------------------------------ */

Test(report_hints, an_unknown_pattern_has_no_hint)
{
    static const struct hint_example unknown[] = {
        {NULL, STATIC("App.Store.s_first") "App.Store > App.Order", "System.String"},
        {NULL, "[local vars] > App.Store > App.Order", NULL},
        {NULL, "[local vars] > App.Store > System.String", NULL},
        {NULL, STATIC("App.Store.s_first") "App.Store > CallbackNode", NULL},
        {NULL, STATIC("App.Store.s_first") "App.Store > TaskNode", NULL},
        {NULL, STATIC("App.Store.s_first") "App.Store > System.Action", "App.Panel"},
        {NULL, "[strong Handles] > System.Object[]", NULL},
        {NULL, "[strong Handles] > System.Object[] > System.RuntimeType", NULL},
    };
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
        expect_hint(&unknown[i]);
}

/* One timer, registration, subscription or entry whose object has a growing collection: the
 * collection leaks, not its holder. */
Test(report_hints, a_single_object_is_not_blamed_for_growth_below_it)
{
#define LIST_OF_ORDERS \
    "System.Collections.Generic.List<App.Order> > App.Order[] > App.Order"
    static const struct hint_example below[] = {
        {"collection-never-emptied",
         TIMERS "System.Threading.TimerQueueTimer > System.Threading.TimerCallback > "
                "App.Poller > " LIST_OF_ORDERS,
         NULL},
        {"collection-never-emptied",
         TOKENS "CallbackNode > System.Action > App.Service > " LIST_OF_ORDERS, NULL},
        {"collection-never-emptied",
         STATIC("App.Host.cache") "Microsoft.Extensions.Caching.Memory.MemoryCache > "
                                  "Microsoft.Extensions.Caching.Memory.CacheEntry > "
                                  "App.Basket > " LIST_OF_ORDERS,
         NULL},
        {"collection-never-emptied",
         STATIC(
             "App.Feed.feed") "App.Feed > System.EventHandler > App.View > " LIST_OF_ORDERS,
         NULL},
        {"collection-never-emptied",
         TASK "AsyncStateMachineBox<System.Int32,App.Job+<Run>d__1> > "
              "App.Job > " LIST_OF_ORDERS,
         NULL},
        {"collection-never-emptied",
         STATIC(
             "System.Diagnostics.Metrics.Meter.s_meter") "System.Diagnostics.Metrics.Meter "
                                                         "> App.Gauge > " LIST_OF_ORDERS,
         NULL},
    };
    for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++)
        expect_hint(&below[i]);
}

static void add_steps(struct text *chain, int from, int end)
{
    for (int i = from; i < end; i++) {
        char type[32];
        snprintf(type, sizeof(type), "App.Step%d > ", i);
        text_add_string(chain, type);
    }
}

/* On a long way only the types nearest to the suspect are examined. The decisive type is in
 * the middle, which the name of a holder omits. */
Test(report_hints, the_end_of_a_long_way_decides)
{
    enum { BEFORE = 40, ALL = 70 };
    struct text chain = {0};
    text_add_string(&chain, STATIC("App.Feed.feed"));
    add_steps(&chain, 0, BEFORE);
    text_add_string(&chain, "Microsoft.Extensions.Options.OptionsMonitor<App.Settings> > ");
    add_steps(&chain, BEFORE, ALL);
    text_add_string(&chain, "System.Action<App.Settings>");
    struct hint_example e = {"change-token-not-disposed", text_string(&chain), NULL};
    struct hd_snapshot *snaps[SHOPS];
    struct hd_options opt = hd_default_options();
    opt.min_share = 0;
    opt.depth = 0;
    for (uint32_t k = 0; k < SHOPS; k++)
        snaps[k] = example_heap(&e, 10 * (k + 1));
    struct hd_report *r = diff_of(snaps, SHOPS, &opt);
    cr_assert_geq(r->diff.suspect_count, 1);
    cr_assert_geq(r->diff.suspects[0].chains.all[0].chain.frame_count, ALL);
    cr_expect_str_eq(id_of(r->diff.suspects[0].hint), e.id);
    hd_report_free(r);
    text_free(&chain);
}

Test(report_hints, a_holder_of_few_instances_does_not_decide_for_all)
{
    struct hd_snapshot *snaps[SHOPS];
    for (uint32_t k = 0; k < SHOPS; k++) {
        struct forge f = {0};
        uint32_t orders = 20 * (k + 1);
        node_id top = forge_object(&f, "App.Store", 24);
        node_id order = forge_objects(&f, "App.Order", 96, orders);
        node_id context = forge_objects(&f, "Microsoft.AspNetCore.Http.DefaultHttpContext",
                                        64, orders / 4);
        for (uint32_t i = 0; i < orders; i++)
            forge_reference(&f, top, order + i);
        for (uint32_t i = 0; i < orders / 4; i++)
            forge_reference(&f, order + i, context + i);
        forge_root(&f, HD_ROOT_STATIC, "App.Store.s_store", top);
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = diff_of(snaps, SHOPS, NULL);
    cr_assert_str_eq(r->diff.suspects[0].type, "App.Order");
    cr_expect_null(r->diff.suspects[0].hint);
    hd_report_free(r);
}

/* A store owns orders that are on two neighboring shelves each. The first shelf is a queue
 * and nearest to them: with two shelves all chains lead through it, with five two fifths.
 */
static struct hd_snapshot *shelves(uint32_t orders, uint32_t count)
{
    static const char *const types[] = {"App.Order[]", "App.B", "App.C", "App.D", "App.E"};
    struct forge f = {0};
    node_id store = forge_object(&f, "App.Store", 24);
    node_id queue = forge_object(&f, "System.Collections.Generic.Queue<App.Order>", 24);
    forge_reference(&f, store, queue);
    node_id shelf[5];
    for (uint32_t i = 0; i < count; i++) {
        shelf[i] = forge_object(&f, types[i], 24);
        forge_reference(&f, i == 0 ? queue : store, shelf[i]);
    }
    for (uint32_t i = 1; i < count; i++) {
        node_id box = forge_object(&f, "App.Box", 24);
        forge_reference(&f, shelf[i], box);
        shelf[i] = box;
    }
    node_id order = forge_objects(&f, "App.Order", 96, orders);
    for (uint32_t i = 0; i < orders; i++) {
        forge_reference(&f, shelf[i % count], order + i);
        forge_reference(&f, shelf[(i + 1) % count], order + i);
    }
    forge_root(&f, HD_ROOT_STATIC, "App.Store.s_store", store);
    return forge_finish(&f);
}

Test(report_hints, a_chain_counts_if_it_holds_half_of_the_instances)
{
    for (uint32_t count = 2; count <= 5; count += 3) {
        struct hd_snapshot *snaps[SHOPS];
        for (uint32_t k = 0; k < SHOPS; k++)
            snaps[k] = shelves(60 * (k + 1), count);
        struct hd_options opt = hd_default_options();
        opt.exact = true;
        struct hd_report *r = diff_of(snaps, SHOPS, &opt);
        cr_assert_str_eq(r->diff.suspects[0].type, "App.Order");
        cr_assert_eq(r->diff.suspects[0].chains.all[0].chain.share >= 0.5, count == 2);
        cr_expect_str_eq(id_of(r->diff.suspects[0].hint),
                         count == 2 ? "queue-without-consumer" : "none");
        hd_report_free(r);
    }
}

Test(report_hints, without_chains_what_owns_it_decides)
{
    static const struct hint_example list = {"static-collection",
                                             STATIC("App.Host.all") LIST_OF_ORDERS, NULL};
    struct hd_snapshot *snaps[SHOPS];
    struct hd_options opt = hd_default_options();
    opt.chains = 0;
    for (uint32_t k = 0; k < SHOPS; k++)
        snaps[k] = example_heap(&list, 10 * (k + 1));
    struct hd_report *r = diff_of(snaps, SHOPS, &opt);
    cr_assert_eq(r->diff.suspects[0].chains.len, 0);
    cr_expect_str_eq(id_of(r->diff.suspects[0].hint), list.id);
    hd_report_free(r);
}

/* --- without graphs --------------------------------------------------------- */

static struct hd_report *table_diff(const char *type, enum hd_unit by)
{
    struct hd_snapshot *snaps[SHOPS];
    struct hd_options opt = hd_default_options();
    opt.by = by;
    for (uint32_t k = 0; k < SHOPS; k++)
        snaps[k] = table_of(type, 10 * (k + 1), 1000 * (k + 1));
    return diff_of(snaps, SHOPS, &opt);
}

Test(report_hints, in_tables_only_a_sufficiently_specific_type_has_one)
{
    static const struct hint_example cases[] = {
        {"timer-not-disposed", "System.Threading.TimerQueueTimer", NULL},
        {"token-registration-not-disposed",
         "System.Threading.CancellationTokenSource+CallbackNode", NULL},
        {"none", "System.EventHandler", NULL},
        {"none", "App.Order", NULL},
        {"none", "System.String", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct hd_report *r = table_diff(cases[i].chain, HD_BY_TYPE);
        cr_expect_str_eq(id_of(r->diff.suspects[0].hint), cases[i].id, "%s",
                         cases[i].chain);
        hd_report_free(r);
    }
}

Test(report_hints, namespaces_and_similar_rows_have_none)
{
    struct hd_report *r = table_diff("System.Threading.Timer.Timer", HD_BY_NAMESPACE);
    cr_assert_str_eq(r->diff.suspects[0].type, "System.Threading.Timer");
    cr_expect_null(r->diff.suspects[0].hint);
    hd_report_free(r);
}

/* --- as it is written -------------------------------------------------------- */

static const struct hint_example timers = {
    "timer-not-disposed", TIMERS "System.Threading.TimerQueueTimer", "App.Reminder"};

Test(report_hints, text_has_the_sentence_and_the_page_below_the_chains)
{
    struct hd_report *r = example_diff(&timers);
    char *got = written(r, "text");
    expect_part(got, "\n    fix      A running timer keeps its callback's target alive: "
                     "stop or dispose it together with its owner.  "
                     "heapdrift help hint timer-not-disposed\n");
    cr_expect(strstr(got, "held by") < strstr(got, "    fix  "));
    free(got);
    struct hd_write_options narrow = {.width = 60, .details = true};
    got = written_with(r, "text", &narrow);
    expect_part(got, "\n    fix      A running timer keeps its callback's target"
                     "\n             alive: stop or dispose it together with its"
                     "\n             owner.  heapdrift help hint timer-not-disposed\n");
    free(got);
    hd_report_free(r);
}

Test(report_hints, markdown_has_it_below_the_chains)
{
    struct hd_report *r = example_diff(&timers);
    char *got = written(r, "md");
    expect_part(got, "\n```\n\nfix: A running timer keeps its callback's target alive: "
                     "stop or dispose it together with its owner. "
                     "`heapdrift help hint timer-not-disposed`\n");
    free(got);
    hd_report_free(r);
}

Test(report_hints, json_has_its_name_or_null)
{
    static const struct hint_example unknown = {
        NULL, STATIC("App.Store.s_first") "App.Store > App.Order", NULL};
    struct hd_report *r = example_diff(&timers);
    char *got = written(r, "json");
    expect_part(got, "\"hint\": \"timer-not-disposed\"");
    free(got);
    hd_report_free(r);
    r = example_diff(&unknown);
    got = written(r, "json");
    expect_part(got, "\"hint\": null");
    free(got);
    hd_report_free(r);
}
