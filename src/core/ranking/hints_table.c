/* Usual causes of leaks: the list of hints.
 *
 * To add one, write a record next to similar ones and a section of the same name in
 * docs/hints.md; tests/core/ranking/test_hints.c lists the requirements of a record, and
 * tests/core/questions has a line for each. If several fit, their specificity and number of
 * conditions decide (hints.h), not the order here. The fix is imperative, the holder a noun
 * phrase in the plural or with an article. Use names from a real snapshot of a small
 * program that leaks in this way: run `heapdrift collect` on it a few times, and check the
 * output of `heapdrift` and `heapdrift roots`.
 *
 * These names are those of .NET 8 to 11. In .gcdump and .nettrace files nested types lack
 * the outer one ("CallbackNode"); if a type alone decides, the other spelling is listed
 * too. A short name that any program might use needs a second condition. */
#include "ranking/hints.h"

#define COUNT_OF(...) \
    (sizeof((const struct hint_case[]){__VA_ARGS__}) / sizeof(struct hint_case))
#define CASES(...) (const struct hint_case[]){__VA_ARGS__}, COUNT_OF(__VA_ARGS__)

/* One of the handlers of a multicast delegate: in System.Object[], since .NET 11 in
 * System.Delegate+Wrapper[]. */
#define LISTED(delegate)                               \
    {                                                  \
        .at = (delegate), .above = delegate " > *[] >" \
    }

#define TOKEN_CALLBACK .at = "CallbackNode", .above = "Registrations >"
#define LINKED_SOURCE .with = "*Linked*CancellationTokenSource"
#define TIMER .at = "System.Threading.TimerQueueTimer"
#define DI "Microsoft.Extensions.DependencyInjection."
#define SCOPE DI "ServiceLookup.ServiceProviderEngineScope"
#define LIST "System.Collections.Generic.List<*>"
#define DESCRIPTOR "*.ComponentModel.*PropertyDescriptor"
#define CLOSURE .with = "*<>c__DisplayClass*"
#define EF "Microsoft.EntityFrameworkCore."

const struct hint hints[] = {
    /* --- subscriptions that never end -------------------------------------------- */
    {"property-changed-not-unsubscribed",
     "Views subscribe to a model that outlives them: unsubscribe (`-=`) when the view "
     "closes, or use a weak event.",
     "subscriptions to a model's events", HINT_OF_PART,
     CASES({.at = "System.ComponentModel.Property*EventHandler"},
           {.at = "System.Collections.Specialized.NotifyCollectionChangedEventHandler"},
           LISTED("System.Windows.*EventHandler"))},
    {"change-token-not-disposed",
     "OnChange returns its subscription: keep it, and dispose it together with its owner.",
     "OnChange subscriptions", HINT_OF_PART,
     CASES({.at = "System.Action<*>",
            .above = "Microsoft.Extensions.Options.OptionsMonitor<*>"},
           {.at = "*ChangeTrackerDisposable<*>"},
           {TOKEN_CALLBACK, .with = "Microsoft.Extensions.Primitives.*"},
           {TOKEN_CALLBACK, .with = "ChangeTokenRegistration<*>"},
           {.at = "CallbackNode", .above = "Microsoft.Extensions.*Token"})},
    {"composite-change-token-kept",
     "Each CompositeChangeToken stays registered with its long-lived parts: create it "
     "once, and share it.",
     "registrations with long-lived change tokens", HINT_OF_PART,
     CASES(
         {.at = "Microsoft.Extensions.Primitives.CompositeChangeToken"},
         {TOKEN_CALLBACK, .with = "Microsoft.Extensions.Primitives.CompositeChangeToken"})},
    {"event-not-unsubscribed",
     "Handlers are added to an event and never removed: unsubscribe (`-=`) the same "
     "delegate in Dispose, not a new lambda.",
     "event subscriptions", HINT_OF_MECHANISM,
     CASES(LISTED("System.EventHandler"), LISTED("System.EventHandler<*>"),
           LISTED("System.Action"), LISTED("System.Action<*>"), LISTED("System.Func<*>"),
           LISTED("*Handler"), LISTED("*Handler<*>"), LISTED("*Callback"),
           LISTED("*Delegate"),
           /* The only handler so far, of an event of a single object, or a static event.
            * Further from the root the owner may be one of many objects, which then are
            * what accumulates. */
           {.above = "[static var *] > * > System.EventHandler >"},
           {.above = "[static var *] > * > System.EventHandler<*> >"},
           {.above = "[static var *] > * > *Handler >"},
           {.above = "[static var *] > System.EventHandler >"},
           {.above = "[static var *] > System.EventHandler<*> >"},
           {.above = "[static var *] > *Handler >"})},
    {"value-changed-not-removed",
     "AddValueChanged keeps the component and its handler in the property's descriptor: "
     "call RemoveValueChanged when the view closes.",
     "handlers of AddValueChanged", HINT_OF_PART,
     CASES({.at = "*Node<System.Object,System.EventHandler>", .above = DESCRIPTOR},
           {.at = "System.EventHandler", .above = DESCRIPTOR},
           {.in = "*<System.Object,System.EventHandler>", .of = DESCRIPTOR})},
    /* Nodes are below the list of their parent; with several parents in sequence below a
     * single one. Registering with a linked source creates a list of its own, and then all
     * lists are below the parent's. In core dumps nested types have whole names. */
    {"linked-token-source-not-disposed",
     "A linked CancellationTokenSource stays registered with its parents: dispose it "
     "(`using`) when the work is done.",
     "linked token sources", HINT_OF_MECHANISM,
     CASES(
         {TOKEN_CALLBACK, LINKED_SOURCE},
         {.at = "CallbackNode", .above = "CallbackNode >", LINKED_SOURCE},
         {.at = "*CancellationTokenSource+CallbackNode", LINKED_SOURCE},
         {.at = "Registrations",
          .above = "System.Threading.CancellationTokenSource >",
          LINKED_SOURCE},
         {.at = "*CancellationTokenSource+Registrations", LINKED_SOURCE},
         {.at = "*CancellationTokenSource+Linked*CancellationTokenSource"},
         {.at = "Linked*CancellationTokenSource"},
         /* Another parent, to which the linked source refers through its registration. */
         {.at = "System.Threading.CancellationTokenSource",
          .above = "*Linked*CancellationTokenSource > *CallbackNode > *Registrations >"})},
    {"delay-not-cancelled",
     "A Task.Delay or WaitAsync with a long timeout outlives the work: pass a token, and "
     "cancel it when the work is done.",
     "delays", HINT_OF_MECHANISM,
     CASES({TOKEN_CALLBACK, .with = "*DelayPromise*"}, {TIMER, .with = "*DelayPromise*"},
           {TIMER, .above = "*CancellationPromise<*> >"},
           {TIMER, .with = "*CancellationPromise<*>"}, {.at = "DelayPromise*"},
           {.at = "*Task+DelayPromise*"})},
    {"application-token-registered",
     "Callbacks are registered on ApplicationStopping and never removed: dispose the "
     "registration together with its owner.",
     "registrations on ApplicationStopping", HINT_OF_MECHANISM,
     CASES({.at = "*CallbackNode", .above = "Microsoft.Extensions.Hosting.*Lifetime"})},
    {"token-registration-not-disposed",
     "Callbacks are registered on a long-lived CancellationToken: dispose each "
     "registration when its work is done.",
     "CancellationToken registrations", HINT_OF_MECHANISM,
     CASES({TOKEN_CALLBACK}, {.at = "CallbackNode", .above = "*CallbackNode >"},
           {.at = "*CancellationTokenSource+CallbackNode"})},
    {"periodic-timer-not-disposed",
     "A PeriodicTimer loop never ends: dispose the timer, or pass a token to "
     "WaitForNextTickAsync.",
     "PeriodicTimer loops", HINT_OF_MECHANISM,
     CASES({TIMER, .with = "System.Threading.PeriodicTimer"},
           {.at = "System.Threading.PeriodicTimer"})},
    {"timeout-token-source-not-disposed",
     "A CancellationTokenSource with a timeout keeps its timer until it fires: dispose it "
     "(`using`) when the work is done.",
     "token sources with a timeout", HINT_OF_MECHANISM,
     CASES({TIMER, .with = "System.Threading.CancellationTokenSource"},
           {TIMER, .with = "*CancellationTokenSource"})},
    {"timer-not-disposed",
     "A running timer keeps its callback's target alive: stop or dispose it together with "
     "its owner.",
     "timers", HINT_OF_MECHANISM,
     /* The dispatcher of a UI framework lists those that run. */
     CASES({TIMER}, {.at = "System.Threading.Timer"}, {.at = "System.Timers.Timer"},
           {.at = "System.Threading.TimerHolder"}, {.at = "*.Threading.DispatcherTimer"},
           {.above = "*.Threading.DispatcherTimer[] > *.Threading.DispatcherTimer >"})},
    {"listener-not-disposed",
     "A diagnostics listener is added again and again: register one at startup, or dispose "
     "each when it is done.",
     "diagnostics listeners", HINT_OF_PART,
     CASES({.at = "DiagnosticSubscription"}, {.at = "*AllListenerSubscription"},
           {.at = "System.Diagnostics.DiagnosticListener+DiagnosticSubscription"},
           {.at = "System.Diagnostics.ActivityListener"},
           {.at = "System.Diagnostics.Metrics.MeterListener"},
           {.at = "System.Diagnostics.Tracing.EventDispatcher"}, {.at = "EventDispatcher"},
           {.above = "System.Diagnostics.Tracing.EventDispatcher >"},
           {.above = "[static var *.s_Listeners] >"})},
    {"diagnostic-source-not-disposed",
     "A DiagnosticListener, ActivitySource or EventSource is created per object and stays "
     "in a static list: keep one in a static field.",
     "diagnostic sources", HINT_OF_PART,
     CASES({.at = "System.Diagnostics.DiagnosticListener"},
           {.at = "System.Diagnostics.ActivitySource"},
           {.at = "System.Diagnostics.Tracing.EventSource"},
           {.with = "System.Diagnostics.Tracing.EventSource+OverrideEventProvider"},
           {.with = "OverrideEventProvider"})},
    {"subscription-not-disposed",
     "Subscribe on a long-lived observable returns an IDisposable: keep it, and dispose it "
     "together with the observer.",
     "observable subscriptions", HINT_OF_PART,
     CASES({.at = "*SubjectDisposable<*>"}, {.at = "System.Reactive.*"},
           {.above = "System.Reactive.* >"})},
    {"dataflow-link-not-disposed",
     "LinkTo on a long-lived block returns an IDisposable: keep it and dispose it, or "
     "complete the target block.",
     "dataflow links", HINT_OF_PART,
     CASES({.above = "System.Threading.Tasks.Dataflow.*TargetRegistry<*>"},
           {.at = "*LinkedTargetInfo<*>"})},
    /* --- waits that never end ---------------------------------------------------- */
    {"semaphore-not-released",
     "A SemaphoreSlim is not released on every path: call Release in `finally`, and give "
     "WaitAsync a timeout.",
     "waits on a semaphore", HINT_OF_PART,
     CASES({.at = "TaskNode", .above = "System.Threading.SemaphoreSlim"},
           {.at = "System.Threading.SemaphoreSlim+TaskNode"})},
    {"thread-pool-behind",
     "Work is queued faster than the thread pool runs it: await instead of blocking, and "
     "limit how much is queued.",
     "the thread pool's backlog", HINT_OF_PART,
     CASES({.above = "*Slot<*>[] >", .of = "System.Threading.ThreadPoolWorkQueue"},
           {.above = "*WorkStealingQueue > System.Object[] >"},
           {.at = "System.Threading.QueueUserWorkItemCallback*"})},
    {"wait-not-unregistered",
     "RegisterWaitForSingleObject is never undone: call Unregister on the handle it "
     "returns.",
     "registered waits", HINT_OF_MECHANISM,
     CASES({.at = "WaitThreadNode"},
           {.at = "System.Threading.PortableThreadPool+WaitThreadNode"},
           {.at = "System.Threading.RegisteredWaitHandle"})},
    {"reply-never-removed",
     "Requests are removed only when their reply arrives: remove them on timeout and "
     "failure, too.",
     "requests that wait for a reply", HINT_OF_PART,
     CASES({.at = "*Node<*,System.Threading.Tasks.TaskCompletionSource*>"},
           {.above = "*Entry<*,System.Threading.Tasks.TaskCompletionSource*>[] >"})},
    {"await-never-completes",
     "An await never completes: give it a timeout or a token, and complete every "
     "TaskCompletionSource.",
     "awaits that have not completed", HINT_OF_MECHANISM,
     CASES({.at = "*AsyncStateMachineBox<*>"}, {.at = "*BlockedReadAsyncOperation<*>"},
           {.at = "*WaitingReadAsyncOperation"},
           {.at = "*AsyncOperation<*>", .above = "System.Threading.Channels.*"},
           {.at = "System.Threading.Tasks.TaskCompletionSource*"})},
    {"channel-without-reader",
     "The reader of an unbounded channel is too slow, or has stopped: use CreateBounded, "
     "and watch the reader's task.",
     "the backlog of a channel", HINT_OF_PART,
     CASES({.above = "*Slot<*>[] >", .of = "System.Threading.Channels.*"},
           {.above = "System.Threading.Channels.* > *[] >"},
           {.in = "*Deque<*>", .of = "System.Threading.Channels.*"})},
    {"continuations-on-one-task",
     "ContinueWith, WhenAny or WaitAsync keep adding continuations to one long-lived task: "
     "pass a token instead of waiting on it.",
     "continuations on a long-lived task", HINT_OF_MECHANISM,
     CASES({.at = "*ContinueWithTaskContinuation"}, {.at = "*WhenAnyPromise*"},
           {.above = "*WhenAnyPromise<*>"}, {.at = "*CancellationPromise<*>"},
           {.at = "*WhenAllPromise*"},
           {.above = "System.Threading.Tasks.Task* > " LIST " > System.Object[] >"})},
    {"actor-never-stopped",
     "Actors are created per piece of work and never stopped: call `Context.Stop(Self)` at "
     "its end, or set a receive timeout.",
     "actors", HINT_OF_PART,
     CASES({.at = "Akka.Actor.*"}, {.with = "Akka.Actor.ActorCell"},
           {.above = "Akka.Actor.ActorCell"})},
    /* --- parts of frameworks ----------------------------------------------------- */
    {"cache-without-limit",
     "A MemoryCache without SizeLimit keeps entries that do not expire: set both, and give "
     "every entry a size.",
     "a MemoryCache", HINT_OF_PART,
     CASES({.at = "*Microsoft.Extensions.Caching.Memory.CacheEntry*"},
           {.above = "Microsoft.Extensions.Caching.Memory.CacheEntry >"},
           {.at = "System.Runtime.Caching.*"},
           {.above = "System.Runtime.Caching.MemoryCacheEntry >"})},
    {"memory-cache-per-call",
     "Each MemoryCache of System.Runtime.Caching has timers that keep it alive: create it "
     "once, and dispose the ones you no longer need.",
     "caches", HINT_OF_PART,
     CASES({.at = "System.Runtime.Caching.MemoryCache"},
           {TIMER, .with = "System.Runtime.Caching.*"},
           {.at = "System.Threading.Timer", .with = "System.Runtime.Caching.*"})},
    {"query-per-constant",
     "Queries contain constants, and EF Core compiles and caches each one: use variables, "
     "which become parameters.",
     "EF Core's query cache", HINT_OF_PART,
     CASES({.at = "*Microsoft.Extensions.Caching.Memory.CacheEntry*", .with = EF "Query.*"},
           {.at = "*Microsoft.Extensions.Caching.Memory.CacheEntry*",
            .above = "[static var " EF "*]"},
           {.above = EF "Query.*CompiledQueryCache*"})},
    {"context-options-per-call",
     "EF Core builds services for each set of options: share logger factories, "
     "interceptors and option objects between contexts.",
     "EF Core's cache of service providers", HINT_OF_PART,
     CASES({.at = "*Node<" EF "Infrastructure.IDbContextOptions,*>"},
           {.in = "*", .of = EF "Internal.ServiceProviderCache"})},
    {"sql-text-per-value",
     "Values are written into the SQL text, and Dapper caches every text: use parameters.",
     "Dapper's query cache", HINT_OF_PART,
     CASES({.at = "*Node<*SqlMapper+Identity,*>"},
           {.above = "*VolatileNode<*SqlMapper+Identity,*>[]"})},
    {"http-context-kept",
     "An HttpContext is kept beyond its request: copy the values you need, and let the "
     "context go.",
     NULL, HINT_OF_MECHANISM,
     CASES({.at = "Microsoft.AspNetCore.Http.*HttpContext"},
           {.with = "Microsoft.AspNetCore.Http.DefaultHttpContext"})},
    {"dbcontext-lives-too-long",
     "A DbContext tracks every entity it has seen: create one per unit of work, and read "
     "with AsNoTracking.",
     "a DbContext", HINT_OF_MECHANISM,
     CASES({.at = EF "ChangeTracking.*"}, {.above = EF "ChangeTracking.*"},
           {.with = EF "ChangeTracking.*"})},
    {"service-provider-per-call",
     "BuildServiceProvider is called again and again: build one provider at startup, and "
     "create scopes from it.",
     NULL, HINT_OF_PART,
     CASES({.at = DI "ServiceProvider"}, {.at = "*<" DI "ServiceProvider>*"})},
    {"disposable-from-root-provider",
     "The root provider keeps transient disposables until shutdown: resolve them from a "
     "scope.",
     "the root service provider", HINT_OF_PART,
     CASES({/* except a scope in a list of the program */ .above =
                SCOPE " > " LIST " > System.Object[] >",
            .without = "*IServiceScope[]"},
           {.above = "Autofac.Core.Disposer"})},
    {"scope-not-disposed",
     "A service scope is never disposed, and keeps every service it created: `using var "
     "scope = provider.CreateScope()`.",
     "service scopes", HINT_OF_ROOT,
     CASES({.at = SCOPE}, {.with = SCOPE}, {.with = "Autofac.Core.Lifetime.LifetimeScope"},
           {.above = SCOPE " >"})},
    {"logger-per-instance",
     "The logger factory keeps one logger per name forever: name loggers by class, and put "
     "ids into logging scopes.",
     "the logger factory", HINT_OF_PART,
     CASES({.at = "*Node<*,Microsoft.Extensions.Logging.Logger>"},
           {.at = "Microsoft.Extensions.Logging.Logger"},
           {.above = "*Entry<*,Microsoft.Extensions.Logging.Logger>[] >"})},
    {"logger-chained",
     "Each ForContext logger holds the one it was derived from: derive all of them from "
     "one base logger.",
     "a chain of loggers", HINT_OF_PART,
     CASES({.at = "Serilog.Core.Logger"},
           {.with = "Serilog.Core.Logger", .above = "Serilog.Core.Logger"},
           {.at = "Serilog.*", .above = "Serilog.Core.Logger"})},
    {"http-client-per-call",
     "An HttpClient or GrpcChannel is created per call or per object: share one, or use "
     "IHttpClientFactory.",
     NULL, HINT_OF_MECHANISM,
     CASES({.at = "System.Net.Http.*"}, {.at = "Grpc.Net.Client.GrpcChannel"},
           {.with = "System.Net.Http.HttpConnectionPoolManager"},
           {.with = "System.Net.Http.HttpConnectionSettings"})},
    {"wcf-channel-not-closed",
     "WCF channels are opened and never closed, and their factory keeps each: call Close, "
     "or Abort after a failure.",
     "WCF channels", HINT_OF_PART,
     CASES({.at = "System.ServiceModel.*"},
           {.above = "System.ServiceModel.Channels.ServiceChannelFactory*"})},
    {"grpc-call-not-disposed",
     "A streaming gRPC call is neither read to its end nor disposed, so its channel keeps "
     "it: `using var call = client.Watch(…)`.",
     "gRPC calls", HINT_OF_PART,
     CASES({.at = "Grpc.Net.Client.Internal.*"},
           {.in = "*<System.IDisposable>", .of = "Grpc.Net.Client.GrpcChannel"})},
    {"http-client-name-per-tenant",
     "CreateClient is called with ever new names, and the factory keeps options and a "
     "handler for each: use few, fixed names.",
     "the HttpClient factory", HINT_OF_PART,
     CASES({.at = "Microsoft.Extensions.Http.*"},
           {.above = "Microsoft.Extensions.Http.DefaultHttpClientFactory",
            .of = "Microsoft.Extensions.*"})},
    {"default-header-per-call",
     "DefaultRequestHeaders.Add is called per request on a shared HttpClient: set the "
     "header on the HttpRequestMessage.",
     "the default headers of a shared HttpClient", HINT_OF_PART,
     CASES({.above = "System.Net.Http.Headers.HttpRequestHeaders",
            .without = "System.Net.Http.HttpRequestMessage"})},
    {"resilience-pipeline-per-key",
     "A resilience pipeline is kept for every key: use one per kind of call, and put the "
     "key into the context.",
     NULL, HINT_OF_PART,
     CASES({.at = "Polly.*"}, {.at = "*Node<*,Polly.*>"}, {.above = "Polly.Registry.*"},
           {.in = "*", .with = "Polly.ResiliencePipeline*"})},
    {"rate-limiter-per-key",
     "A rate limiter is kept for each key until it is idle: dispose every lease, and use "
     "keys with few values.",
     "a partitioned rate limiter", HINT_OF_PART,
     CASES({.at = "System.Threading.RateLimiting.*"},
           {.at = "*<*System.Threading.RateLimiting.*"},
           {.above = "System.Threading.RateLimiting.DefaultPartitionedRateLimiter<*>"})},
    {"json-options-per-call",
     "Each JsonSerializerOptions builds its own type metadata: keep one in a static "
     "readonly field.",
     NULL, HINT_OF_PART,
     CASES({.at = "System.Text.Json.*"}, {.at = "*<System.Text.Json.*"},
           {.in = "*", .with = "System.Text.Json.JsonSerializerOptions", .direct = true})},
    {"configuration-reload-per-call",
     "Configuration with reloadOnChange is built repeatedly, and each build watches its "
     "files: build it once, or turn reload off.",
     "configurations that keep watching their files", HINT_OF_PART,
     CASES({.with = "Microsoft.Extensions.FileProviders.*"})},
    {"regex-per-call",
     "Regexes are built from input and kept: use one static Regex or [GeneratedRegex], and "
     "keep input out of the pattern.",
     NULL, HINT_OF_PART,
     CASES({.at = "System.Text.RegularExpressions.*"},
           {.above = "System.Text.RegularExpressions.*"})},
    {"culture-per-input",
     "CultureInfo.GetCultureInfo caches every name it is given: pass it names from a fixed "
     "list only, not input.",
     "the cache of cultures", HINT_OF_PART,
     CASES({.at = "*System.Globalization.Culture*",
            .above = "[static var *System.Globalization.Culture*]"},
           {.in = "*<System.String,System.Globalization.Culture*>", .root = "static"})},
    {"xml-serializer-per-call",
     "An XmlSerializer created with extra arguments generates an assembly that is never "
     "unloaded: cache the serializers.",
     "assemblies generated by XmlSerializer", HINT_OF_PART,
     CASES({.at = "System.Xml.Serialization.*"}, {.above = "System.Xml.Serialization.*"},
           {.with = "System.Xml.Serialization.*"})},
    {"compiled-code-kept",
     "Expressions are compiled again and again: compile each once, and cache the delegate "
     "under a key that repeats.",
     NULL, HINT_OF_MECHANISM,
     CASES({.at = "System.Linq.Expressions.*"}, {.at = "System.Reflection.Emit.*"},
           {.at = "*DynamicMethod"}, {.with = "System.Reflection.Emit.DynamicMethod"},
           {.with = "System.Reflection.Emit.DynamicResolver"})},
    {"proxy-generator-per-call",
     "Each ProxyGenerator generates an assembly of its own, which is never unloaded: share "
     "one generator.",
     "proxy assemblies", HINT_OF_PART,
     CASES({.above = "[static var *.signedAssemblyCache]"},
           {.at = "Castle.DynamicProxy.ProxyGenerator"},
           {.with = "Castle.DynamicProxy.ModuleScope"})},
    {"dynamic-class-per-shape",
     "Every new shape generates a class that is never unloaded: use dictionaries, or "
     "shapes that repeat.",
     "generated classes", HINT_OF_PART,
     CASES({.above = "System.Reflection.Emit.RuntimeModuleBuilder > *"})},
    {"script-per-call",
     "Each run of a script compiles an assembly that is never unloaded: compile each "
     "script once, and cache its runner.",
     "script assemblies", HINT_OF_PART,
     CASES({.with = "Microsoft.CodeAnalysis.Scripting.*"})},
    {"assembly-not-unloaded",
     "Assemblies are loaded or generated again and again: do it once, or unload a "
     "collectible AssemblyLoadContext.",
     "assemblies", HINT_OF_MECHANISM,
     CASES({.at = "System.Reflection.RuntimeAssembly"},
           {.at = "System.Reflection.RuntimeModule"}, {.at = "System.Runtime.Loader.*"},
           {.at = "System.Reflection.LoaderAllocator"},
           {.above = "System.Reflection.LoaderAllocator >"},
           {.at = "System.WeakReference<System.Runtime.Loader.AssemblyLoadContext>"},
           {.with = "System.Reflection.RuntimeAssembly", .root = "strong_handle"})},
    {"activity-not-stopped",
     "An Activity is started and never stopped, so the next becomes its child: `using var "
     "activity = source.StartActivity(…)`.",
     "activities", HINT_OF_PART,
     CASES({.at = "System.Diagnostics.Activity"},
           {.above = "System.Diagnostics.Activity >"})},
    {"instrument-per-call",
     "Meters, instruments or event counters are created per call: keep them in static "
     "fields, and keep ids out of names and tags.",
     "metric instruments", HINT_OF_PART,
     CASES({.at = "System.Diagnostics.Metrics.*"},
           {.at = "System.Diagnostics.Tracing.*Counter"},
           {.at = "*<System.Diagnostics.Metrics.*"})},
    {"metric-label-per-id",
     "A metric keeps one time series per label value, forever: use labels with few values, "
     "and put ids into the log.",
     "label values of a metric", HINT_OF_PART, CASES({.above = "Prometheus.*"})},
    {"telemetry-configuration-per-call",
     "A TelemetryConfiguration is created per call, and each has a channel and a thread: "
     "share one, and dispose it at the end.",
     "telemetry configurations", HINT_OF_PART,
     CASES({.at = "Microsoft.ApplicationInsights.Channel.*"},
           {.at = "Microsoft.ApplicationInsights.Extensibility.*"},
           {.with = "Microsoft.ApplicationInsights.Extensibility.TelemetryConfiguration"})},
    {"job-kept-in-store",
     "Jobs stay in a store in memory: delete them when they are done, let durable ones go "
     "with their trigger, or let them expire sooner.",
     "the job store", HINT_OF_PART,
     CASES({.at = "Quartz.*"}, {.above = "Quartz.Simpl.RAMJobStore"}, {.at = "Hangfire.*"},
           {.at = "*<*Hangfire.*"}, {.above = "Hangfire.*Storage*"})},
    {"file-watcher-not-disposed",
     "A FileSystemWatcher is never disposed, and keeps an OS handle and its handlers: "
     "dispose it together with its owner.",
     "file watchers", HINT_OF_PART,
     CASES({.with = "System.IO.FileSystemWatcher"},
           {.at = "*FileSystemWatcher+RunningInstance"},
           {.at = "RunningInstance", .with = "Microsoft.Win32.SafeHandles.*"},
           {.above = "System.IO.FileSystemWatcher >"})},
    {"handle-not-disposed",
     "Streams, sockets, processes, connections or commands are not disposed on every "
     "path: declare them with `using`.",
     NULL, HINT_OF_MECHANISM,
     CASES({.at = "System.Diagnostics.Process*"}, {.at = "System.IO.FileStream"},
           {.at = "System.Net.Sockets.*"}, {.at = "Microsoft.Win32.SafeHandles.*"},
           {.at = "System.WeakReference<*Command>"}, {.at = "System.Data.*Connection"},
           {.at = "Microsoft.Data.*Connection"}, {.at = "Npgsql.NpgsqlConnection"},
           {.at = "MySqlConnector.MySqlConnection"})},
    {"thread-never-ends",
     "Threads are started and never end: give each a way to stop, or use tasks.", "threads",
     HINT_OF_MECHANISM,
     CASES({.at = "System.Threading.Thread"}, {.at = "*StartHelper"},
           {.at = "*<>c__DisplayClass*", .above = "[local vars] >"},
           /* The registration of a wait, which a stack refers to as long as it lasts. */
           {.at = "*CallbackNode", .above = "[local vars] >"})},
    /* --- outside of the objects: the process grew (process_growth.c) ------------- */
    {"native-memory-grows",
     "Native code allocates and does not free: look for objects that wrap it and are not "
     "disposed, and for AllocHGlobal or malloc without free.",
     NULL, HINT_OF_MECHANISM, NULL, 0},
    {"malloc-arenas",
     "malloc keeps an arena for each of many threads: set MALLOC_ARENA_MAX=2, and see "
     "whether it still grows.",
     NULL, HINT_OF_MECHANISM, NULL, 0},
    {"mapped-files-kept",
     "Files stay mapped: dispose views and MemoryMappedFiles, or what reads them (stores, "
     "indexes, models).",
     NULL, HINT_OF_MECHANISM, NULL, 0},
    {"heap-fragmented",
     "Free space lies between objects that cannot move or live long: pin for less long, "
     "rent large arrays from a pool.",
     NULL, HINT_OF_MECHANISM, NULL, 0},
    {"collector-keeps",
     "The collector keeps memory that no object uses: set a limit (DOTNET_GCHeapHardLimit) "
     "or DOTNET_GCConserveMemory.",
     NULL, HINT_OF_MECHANISM, NULL, 0},
    /* --- memory in reserve ------------------------------------------------------- */
    {"pooled-memory-not-disposed",
     "Memory rented from a MemoryPool is never disposed: `using var owner = …` returns the "
     "array to the pool.",
     NULL, HINT_OF_MECHANISM, CASES({.at = "*ArrayMemoryPoolBuffer<*>"})},
    {"array-pool-not-returned",
     "A pool keeps buffers for reuse, which is no leak. If it never levels off, return "
     "what is rented in `finally`.",
     "a buffer pool", HINT_OF_PART,
     CASES({.above = "System.Buffers.SharedArrayPool*"},
           {.above = "*SharedArrayPoolThreadLocalArray[]"},
           {.above = "System.Buffers.ConfigurableArrayPool<*>"},
           {.above = "*PinnedBlockMemoryPool"}, {.at = "*MemoryPoolBlock"})},
    {"buffer-never-cleared",
     "A StringBuilder or MemoryStream is appended to and never emptied: write it out and "
     "clear it, or start a new one.",
     "a buffer", HINT_OF_MECHANISM,
     CASES({.at = "System.Text.StringBuilder"}, {.above = "System.Text.StringBuilder >"},
           {.above = "System.IO.MemoryStream >"}, {.at = "System.IO.MemoryStream"})},
    {"weak-references-kept",
     "Weak references stay in a collection after their targets are gone: remove the dead "
     "ones.",
     NULL, HINT_OF_MECHANISM,
     CASES({.at = "System.WeakReference"}, {.at = "System.WeakReference<*>"},
           {.at = "System.WeakReference*[]"})},
    {"lock-per-key",
     "A lock is created per key and never removed: count its users and remove it, or use a "
     "fixed number of locks.",
     NULL, HINT_OF_MECHANISM,
     CASES({.at = "*Node<*,System.Threading.SemaphoreSlim>"},
           {.at = "*Node<*,System.Threading.Lock>"},
           {.at = "System.Threading.SemaphoreSlim"},
           {.at = "System.Threading.ReaderWriterLockSlim"},
           {.above = "*Entry<*,System.Threading.SemaphoreSlim>[] >"})},
    {"tasks-kept",
     "Completed tasks stay in a collection: remove each one when it completes.", NULL,
     HINT_OF_MECHANISM,
     CASES({.above = "System.Threading.Tasks.Task*[] >"},
           {.at = "*AsyncStateMachineBox<*>",
            .in = "System.Collections.*<*System.Threading.Tasks.Task*>"},
           {.above = "*Entry<*,System.Threading.Tasks.Task*>[] >"},
           {.at = "*Node<*,System.Threading.Tasks.Task*>"})},
    /* --- kinds of roots ---------------------------------------------------------- */
    {"async-local-kept",
     "Timers, tasks and registrations capture all AsyncLocal values: clear the values "
     "first, or suppress the flow.",
     "captured AsyncLocal values", HINT_OF_MECHANISM,
     CASES({.at = "System.Threading.ExecutionContext"}, {.at = "*AsyncLocalValueMap"},
           {.above = "*AsyncLocalValueMap >"},
           {.above = "*Entry<System.Threading.IAsyncLocal,*>[] >"},
           {.at = "*Entry<System.Threading.IAsyncLocal,*"},
           /* One value: the program's own. A request of a service has several of the
            * framework's, and its timers survive because they are never disposed. */
           {TIMER, .with = "*OneElementAsyncLocalValueMap"})},
    {"thread-local-kept",
     "A ThreadLocal is never disposed, or its values only grow: clear the value after use, "
     "and dispose the ThreadLocal.",
     "values of a ThreadLocal", HINT_OF_PART,
     CASES({.at = "System.Threading.ThreadLocal<*>"},
           {.above = "System.Threading.ThreadLocal<*>"}, {.at = "*LinkedSlot<*>"},
           {.above = "*LinkedSlot<*>"})},
    {"string-interning",
     "Interned strings live as long as the process: do not intern input; use a set of your "
     "own that can be cleared.",
     "the runtime's table of interned strings", HINT_OF_ROOT,
     CASES({.at = "System.String",
            .above = "[*] > System.Object[] >",
            .root = "strong_handle"},
           {.at = "System.String",
            .above = "[*] > System.Object[] >",
            .root = "pinned_handle"})},
    {"thread-static-kept",
     "A [ThreadStatic] variable is filled and never cleared, once per thread: clear it "
     "after use.",
     "values of a [ThreadStatic] variable", HINT_OF_ROOT,
     CASES({.root = "thread_static"},
           {.above = "[local vars] > System.Object[] > System.Object[]"})},
    {"native-aot-static",
     "A static variable, which Native AOT does not name, is filled and never cleared: "
     "remove entries, or set a bound. The types below it lead to the class.",
     "a static variable", HINT_OF_ROOT,
     CASES({.above = "[strong Handles] > System.Object[] > *<static variables> > *"},
           {/* several variables hold it, or the way covers the whole array */
            .above = "[strong Handles] > System.Object[] > System.Object[] > *"})},
    {"static-without-name",
     "A static variable of a generic class, or in .NET 8 a [ThreadStatic] one, is filled "
     "and "
     "never cleared: remove entries.",
     "a static variable of a generic class", HINT_OF_ROOT,
     CASES({/* direct elements of the array may be the runtime's */ .above =
                "[strong Handles] > System.Object[] > *"})},
    /* Arrays of the runtime itself, for static variables and interned strings. */
    {NULL, NULL, NULL, HINT_OF_ROOT,
     CASES({.at = "System.Object[]", .above = "[*] >"},
           {.at = "System.Object[]", .above = "[*] > System.Object[] >"})},
    {"pinned-handle-not-freed",
     "A pinned GCHandle is never freed, or a native call never returns: call Free in "
     "`finally`, or use `fixed`.",
     "pinned GC handles", HINT_OF_ROOT, CASES({.above = "[*] >", .root = "pinned_handle"})},
    {"gc-handle-not-freed",
     "A GCHandle is allocated and never freed: call Free when native code is done with it.",
     "GC handles", HINT_OF_ROOT, CASES({.above = "[*] >", .root = "strong_handle"})},
    {"com-object-not-released",
     "Native code still counts a reference to a COM object: unsubscribe from its events, "
     "or call Marshal.ReleaseComObject.",
     "COM references", HINT_OF_ROOT,
     CASES({.root = "ref_counted_handle"}, {.at = "[RCW*"}, {.at = "System.__ComObject"})},
    {"finalizer-behind",
     "Objects are created faster than they are finalized, or a finalizer blocks: dispose "
     "them, and never wait in a finalizer.",
     "the finalizer queue", HINT_OF_ROOT, CASES({.root = "finalizer"})},
    {"conditional-weak-table",
     "A ConditionalWeakTable keeps each value as long as its key lives: find what keeps "
     "the keys alive.",
     "the keys of a ConditionalWeakTable", HINT_OF_ROOT,
     CASES({.root = "dependent_handle"},
           {.above = "System.Runtime.CompilerServices.ConditionalWeakTable<*>"})},
    /* --- collections, the most general ------------------------------------------- */
    {"queue-without-consumer",
     "The queue fills faster than it drains, or its consumer has stopped: set a bound, and "
     "watch the consumer.",
     NULL, HINT_OF_USE,
     CASES({.above = "*Slot<*>[] >", .in = "*ConcurrentQueueSegment<*>"},
           {.in = "System.Collections.Generic.*Queue<*>", .above = "*[] >"},
           {.in = "System.Collections.Queue", .above = "*[] >"})},
    {"closure-kept",
     "A stored lambda keeps everything it captures: remove it when it is done, and capture "
     "only what it needs.",
     NULL, HINT_OF_USE,
     /* Except delegates of methods, which lack captured variables. */
     CASES({.at = "*<>c__DisplayClass*"}, {.at = "System.Action", CLOSURE},
           {.at = "System.Action<*>", CLOSURE}, {.at = "System.Func<*>", CLOSURE})},
    {"collection-in-singleton",
     "A collection in a singleton lives as long as the process: remove entries that are "
     "done, or make the service scoped.",
     NULL, HINT_OF_COLLECTION,
     CASES({.in = "*", .above = "*ServiceProvider+ServiceAccessor"},
           {.in = "*", .above = "ServiceAccessor > *"},
           {.in = "*", .above = DI "ServiceLookup.*CallSite > *"})},
    {"static-collection",
     "Entries are added and never removed: remove them, or set a limit.", NULL,
     HINT_OF_COLLECTION, CASES({.in = "*", .of = "[*", .root = "static"})},
    {"collection-never-emptied",
     "Entries are added to a long-lived collection and never removed: remove them, or set "
     "a limit.",
     NULL, HINT_OF_COLLECTION, CASES({.in = "*"})},
};

const size_t hint_count = sizeof(hints) / sizeof(hints[0]);
