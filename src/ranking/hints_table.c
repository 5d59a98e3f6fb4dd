/* What leaks usually are: the list of hints.
 *
 * To add one, write a record among its like and a section of the same name in
 * docs/hints.md; tests/ranking/test_hints.c says what a record needs, and tests/questions
 * has a line for each. Which of several that fit is taken is not decided by the order here,
 * but by how much each says and asks (hints.h). A sentence says "usually", what it is and
 * what to do. Take names from a real snapshot of a small program that leaks in this way:
 * `heapdrift collect` it a few times, and see what `heapdrift` and `heapdrift roots` make
 * of it.
 *
 * These names are those of .NET 8 to 10. In .gcdump and .nettrace files nested types lack
 * the outer one ("CallbackNode"); where a type alone decides, the other spelling is there
 * too. A short name that anybody might use needs something beside it. */
#include "ranking/hints.h"

#define COUNT_OF(...) \
    (sizeof((const struct hint_case[]){__VA_ARGS__}) / sizeof(struct hint_case))
#define CASES(...) (const struct hint_case[]){__VA_ARGS__}, COUNT_OF(__VA_ARGS__)

/* One of the handlers that a delegate of several calls. */
#define LISTED(delegate)                                           \
    {                                                              \
        .at = (delegate), .above = delegate " > System.Object[] >" \
    }

#define TOKEN_CALLBACK .at = "CallbackNode", .above = "Registrations >"
#define TIMER .at = "System.Threading.TimerQueueTimer"
#define DI "Microsoft.Extensions.DependencyInjection."
#define SCOPE DI "ServiceLookup.ServiceProviderEngineScope"
#define LIST "System.Collections.Generic.List<*>"

const struct hint hints[] = {
    /* --- somebody is told of something for ever ---------------------------------- */
    {"property-changed-not-unsubscribed",
     "Usually a view that listens to a model that outlives it: `-=` when the view "
     "goes, or a weak event.",
     HINT_OF_PART,
     CASES({.at = "System.ComponentModel.Property*EventHandler"},
           {.at = "System.Collections.Specialized.NotifyCollectionChangedEventHandler"},
           LISTED("System.Windows.*EventHandler"))},
    {"change-token-not-disposed",
     "Usually IOptionsMonitor.OnChange or ChangeToken.OnChange whose result is thrown "
     "away: keep it, and dispose it.",
     HINT_OF_PART,
     CASES({.at = "System.Action<*>",
            .above = "Microsoft.Extensions.Options.OptionsMonitor<*>"},
           {.at = "*ChangeTrackerDisposable<*>"},
           {TOKEN_CALLBACK, .with = "Microsoft.Extensions.Primitives.*"},
           {TOKEN_CALLBACK, .with = "ChangeTokenRegistration<*>"},
           {.at = "CallbackNode", .above = "Microsoft.Extensions.*Token"})},
    {"composite-change-token-kept",
     "Usually a CompositeChangeToken made again and again of tokens that live long: "
     "each stays registered with all until one fires; make it once.",
     HINT_OF_PART,
     CASES(
         {.at = "Microsoft.Extensions.Primitives.CompositeChangeToken"},
         {TOKEN_CALLBACK, .with = "Microsoft.Extensions.Primitives.CompositeChangeToken"})},
    {"event-not-unsubscribed",
     "Usually an event that is subscribed to and never left: `-=` in Dispose, or a "
     "weak event.",
     HINT_OF_MECHANISM,
     CASES(LISTED("System.EventHandler"), LISTED("System.EventHandler<*>"),
           LISTED("System.Action"), LISTED("System.Action<*>"), LISTED("System.Func<*>"),
           LISTED("*Handler"), LISTED("*Handler<*>"), LISTED("*Callback"),
           LISTED("*Delegate"))},
    {"linked-token-source-not-disposed",
     "Usually CreateLinkedTokenSource without `using`: each stays registered with the "
     "long-lived token until it is disposed.",
     HINT_OF_MECHANISM,
     CASES({TOKEN_CALLBACK, .with = "*Linked*CancellationTokenSource"},
           {.at = "*CancellationTokenSource+Linked*CancellationTokenSource"},
           {.at = "Linked*CancellationTokenSource"})},
    {"delay-not-cancelled",
     "Usually Task.Delay or WaitAsync with a long time that nothing cancels once the "
     "other task is done: cancel it.",
     HINT_OF_MECHANISM,
     CASES({TOKEN_CALLBACK, .with = "*DelayPromise*"}, {TIMER, .with = "*DelayPromise*"},
           {TIMER, .above = "*CancellationPromise<*> >"},
           {TIMER, .with = "*CancellationPromise<*>"}, {.at = "DelayPromise*"},
           {.at = "*Task+DelayPromise*"})},
    {"application-token-registered",
     "Usually Register on ApplicationStopping by what lives shorter than the program: "
     "dispose the registration with it.",
     HINT_OF_PART,
     CASES({.at = "*CallbackNode", .above = "Microsoft.Extensions.Hosting.*Lifetime"})},
    {"token-registration-not-disposed",
     "Usually CancellationToken.Register on a token that lives long: dispose the "
     "registration when the work is done.",
     HINT_OF_MECHANISM,
     CASES({TOKEN_CALLBACK}, {.at = "CallbackNode", .above = "*CallbackNode >"},
           {.at = "*CancellationTokenSource+CallbackNode"})},
    {"periodic-timer-not-disposed",
     "Usually a loop on PeriodicTimer that nothing ends: dispose the timer, or give "
     "WaitForNextTickAsync a token.",
     HINT_OF_MECHANISM,
     CASES({TIMER, .with = "System.Threading.PeriodicTimer"},
           {.at = "System.Threading.PeriodicTimer"})},
    {"timeout-token-source-not-disposed",
     "Usually a CancellationTokenSource with a time-out that is not disposed: `using`, "
     "so that its timer goes with the work.",
     HINT_OF_MECHANISM,
     CASES({TIMER, .with = "System.Threading.CancellationTokenSource"},
           {TIMER, .with = "*CancellationTokenSource"})},
    {"timer-not-disposed",
     "Usually a Timer that is not disposed: it runs on and keeps its callback; Dispose "
     "it with its owner.",
     HINT_OF_MECHANISM,
     CASES({TIMER}, {.at = "System.Threading.Timer"}, {.at = "System.Timers.Timer"},
           {.at = "System.Threading.TimerHolder"})},
    {"listener-not-disposed",
     "Usually a subscription to DiagnosticListener, ActivitySource or EventSource made "
     "again and again: make one, or dispose it.",
     HINT_OF_PART,
     CASES({.at = "DiagnosticSubscription"}, {.at = "*AllListenerSubscription"},
           {.at = "System.Diagnostics.DiagnosticListener+DiagnosticSubscription"},
           {.at = "System.Diagnostics.ActivityListener"},
           {.at = "System.Diagnostics.Metrics.MeterListener"},
           {.at = "System.Diagnostics.Tracing.EventDispatcher"}, {.at = "EventDispatcher"},
           {.above = "System.Diagnostics.Tracing.EventDispatcher >"},
           {.above = "[static var *.s_Listeners] >"})},
    {"subscription-not-disposed",
     "Usually Subscribe on an observable that outlives the observer: keep the "
     "IDisposable that it returns, and dispose it.",
     HINT_OF_PART,
     CASES({.at = "*SubjectDisposable<*>"}, {.at = "System.Reactive.*"},
           {.above = "System.Reactive.* >"})},
    {"dataflow-link-not-disposed",
     "Usually LinkTo on a block that outlives the other: keep the IDisposable that it "
     "returns and dispose it, or complete the block.",
     HINT_OF_PART,
     CASES({.above = "System.Threading.Tasks.Dataflow.*TargetRegistry<*>"},
           {.at = "*LinkedTargetInfo<*>"})},
    /* --- somebody waits for ever ------------------------------------------------- */
    {"semaphore-not-released",
     "Usually a SemaphoreSlim that is not released on every way out: Release in "
     "`finally`, and WaitAsync with a time-out.",
     HINT_OF_PART,
     CASES({.at = "TaskNode", .above = "System.Threading.SemaphoreSlim"},
           {.at = "System.Threading.SemaphoreSlim+TaskNode"})},
    {"thread-pool-behind",
     "Usually work that is queued faster than the pool runs it, often because its "
     "threads block: await instead, and bound the queue.",
     HINT_OF_PART,
     CASES({.above = "*Slot<*>[] >", .of = "System.Threading.ThreadPoolWorkQueue"},
           {.above = "*WorkStealingQueue > System.Object[] >"},
           {.at = "System.Threading.QueueUserWorkItemCallback*"})},
    {"wait-not-unregistered",
     "Usually ThreadPool.RegisterWaitForSingleObject without Unregister: call it on "
     "the handle that you were given.",
     HINT_OF_MECHANISM,
     CASES({.at = "WaitThreadNode"},
           {.at = "System.Threading.PortableThreadPool+WaitThreadNode"},
           {.at = "System.Threading.RegisteredWaitHandle"})},
    {"reply-never-removed",
     "Usually requests that wait for a reply by their id: remove the entry on time-out "
     "and failure too, not only when the reply comes.",
     HINT_OF_PART,
     CASES({.at = "*Node<*,System.Threading.Tasks.TaskCompletionSource*>"},
           {.above = "*Entry<*,System.Threading.Tasks.TaskCompletionSource*>[] >"})},
    {"await-never-completes",
     "Usually an await on something that never completes: give it a time-out or a "
     "token, and complete every TaskCompletionSource.",
     HINT_OF_MECHANISM,
     CASES({.at = "*AsyncStateMachineBox<*>"}, {.at = "*BlockedReadAsyncOperation<*>"},
           {.at = "*WaitingReadAsyncOperation"},
           {.at = "*AsyncOperation<*>", .above = "System.Threading.Channels.*"},
           {.at = "System.Threading.Tasks.TaskCompletionSource*"})},
    {"channel-without-reader",
     "Usually a channel without bounds whose reader is slower than its writers, or "
     "gone: CreateBounded, and watch the reader's task.",
     HINT_OF_PART,
     CASES({.above = "*Slot<*>[] >", .of = "System.Threading.Channels.*"},
           {.above = "System.Threading.Channels.* > *[] >"},
           {.in = "*Deque<*>", .of = "System.Threading.Channels.*"})},
    {"continuations-on-one-task",
     "Usually ContinueWith, WhenAny or WaitAsync again and again on one task that "
     "lives long: each leaves a continuation on it.",
     HINT_OF_MECHANISM,
     CASES({.at = "*ContinueWithTaskContinuation"}, {.at = "*WhenAnyPromise*"},
           {.above = "*WhenAnyPromise<*>"}, {.at = "*CancellationPromise<*>"},
           {.at = "*WhenAllPromise*"},
           {.above = "System.Threading.Tasks.Task* > " LIST " > System.Object[] >"})},
    {"actor-never-stopped",
     "Usually actors that are made for a piece of work and never stopped: "
     "`Context.Stop(Self)` at its end, or a receive time-out.",
     HINT_OF_PART,
     CASES({.at = "Akka.Actor.*"}, {.with = "Akka.Actor.ActorCell"},
           {.above = "Akka.Actor.ActorCell"})},
    /* --- parts of frameworks ----------------------------------------------------- */
    {"cache-without-limit",
     "Usually a MemoryCache without SizeLimit whose entries do not expire: set both, "
     "and give every entry a size.",
     HINT_OF_PART,
     CASES({.at = "*Microsoft.Extensions.Caching.Memory.CacheEntry*"},
           {.above = "Microsoft.Extensions.Caching.Memory.CacheEntry >"},
           {.at = "System.Runtime.Caching.*"},
           {.above = "System.Runtime.Caching.MemoryCacheEntry >"})},
    {"query-per-constant",
     "Usually expressions with constants in them: EF Core compiles and caches a query "
     "for each; use a variable, so that it is a parameter.",
     HINT_OF_PART,
     CASES({.at = "*Microsoft.Extensions.Caching.Memory.CacheEntry*",
            .with = "Microsoft.EntityFrameworkCore.Query.*"},
           {.at = "*Microsoft.Extensions.Caching.Memory.CacheEntry*",
            .above = "[static var Microsoft.EntityFrameworkCore.*]"},
           {.above = "Microsoft.EntityFrameworkCore.Query.*CompiledQueryCache*"})},
    {"sql-text-per-value",
     "Usually SQL text with values in it: Dapper keeps what it made for each text; use "
     "parameters.",
     HINT_OF_PART,
     CASES({.at = "*Node<*SqlMapper+Identity,*>"},
           {.above = "*VolatileNode<*SqlMapper+Identity,*>[]"})},
    {"http-context-kept",
     "Usually an HttpContext (or what belongs to it) that is kept beyond its request: "
     "copy the values you need before the request ends.",
     HINT_OF_MECHANISM,
     CASES({.at = "Microsoft.AspNetCore.Http.*HttpContext"},
           {.with = "Microsoft.AspNetCore.Http.DefaultHttpContext"})},
    {"dbcontext-lives-too-long",
     "Usually a DbContext that lives too long: it tracks every entity it has seen; "
     "make one per unit of work, and use AsNoTracking for reads.",
     HINT_OF_MECHANISM,
     CASES({.at = "Microsoft.EntityFrameworkCore.ChangeTracking.*"},
           {.above = "Microsoft.EntityFrameworkCore.ChangeTracking.*"},
           {.with = "Microsoft.EntityFrameworkCore.ChangeTracking.*"})},
    {"service-provider-per-call",
     "Usually BuildServiceProvider called again and again: build one provider when the "
     "program starts, and make scopes from it.",
     HINT_OF_PART,
     CASES({.at = DI "ServiceProvider"}, {.at = "*<" DI "ServiceProvider>*"})},
    {"disposable-from-root-provider",
     "Usually a disposable service that is transient and comes from the root provider, "
     "which keeps it to the end: resolve it in a scope.",
     HINT_OF_PART,
     CASES({.above = SCOPE " > " LIST " > System.Object[] >"},
           {.above = "Autofac.Core.Disposer"})},
    {"scope-not-disposed",
     "Usually a scope that is kept or never disposed, with all services made in it: "
     "`using var scope = provider.CreateScope()`.",
     HINT_OF_ROOT,
     CASES({.at = SCOPE}, {.with = SCOPE}, {.with = "Autofac.Core.Lifetime.LifetimeScope"},
           {.above = SCOPE " >"})},
    {"logger-per-instance",
     "Usually CreateLogger with a name that is new each time: the factory keeps a "
     "logger per name; name loggers by class, and put ids into scopes.",
     HINT_OF_PART,
     CASES({.at = "*Node<*,Microsoft.Extensions.Logging.Logger>"},
           {.at = "Microsoft.Extensions.Logging.Logger"},
           {.above = "*Entry<*,Microsoft.Extensions.Logging.Logger>[] >"})},
    {"logger-chained",
     "Usually ForContext on the logger that the last ForContext gave: each holds the "
     "one before; derive all from one base.",
     HINT_OF_PART,
     CASES({.at = "Serilog.Core.Logger"},
           {.with = "Serilog.Core.Logger", .above = "Serilog.Core.Logger"},
           {.at = "Serilog.*", .above = "Serilog.Core.Logger"})},
    {"http-client-per-call",
     "Usually a new HttpClient (or GrpcChannel) per call: share one, or let "
     "IHttpClientFactory make them.",
     HINT_OF_MECHANISM,
     CASES({.at = "System.Net.Http.*"}, {.at = "Grpc.Net.Client.GrpcChannel"},
           {.with = "System.Net.Http.HttpConnectionPoolManager"},
           {.with = "System.Net.Http.HttpConnectionSettings"})},
    {"http-client-name-per-tenant",
     "Usually CreateClient with a name for each tenant or call: the factory keeps "
     "options, a logger and a handler for each; use few names.",
     HINT_OF_PART,
     CASES({.at = "Microsoft.Extensions.Http.*"},
           {.above = "Microsoft.Extensions.Http.DefaultHttpClientFactory",
            .of = "Microsoft.Extensions.*"})},
    {"default-header-per-call",
     "Usually DefaultRequestHeaders.Add for each request on a shared HttpClient: put "
     "headers into the HttpRequestMessage.",
     HINT_OF_PART,
     CASES({.above = "System.Net.Http.Headers.HttpRequestHeaders",
            .without = "System.Net.Http.HttpRequestMessage"})},
    {"resilience-pipeline-per-key",
     "Usually a resilience pipeline for each key, kept in a registry to the end: one "
     "per kind of call, and keys in the context.",
     HINT_OF_PART,
     CASES({.at = "Polly.*"}, {.at = "*Node<*,Polly.*>"}, {.above = "Polly.Registry.*"},
           {.in = "*", .with = "Polly.ResiliencePipeline*"})},
    {"json-options-per-call",
     "Usually new JsonSerializerOptions per call: each builds its own metadata of "
     "types; keep one in a static readonly field.",
     HINT_OF_PART, CASES({.at = "System.Text.Json.*"}, {.at = "*<System.Text.Json.*"})},
    {"configuration-reload-per-call",
     "Usually configuration built again and again with reloadOnChange: each watches "
     "its files to the end; build it once, or do not reload.",
     HINT_OF_PART, CASES({.with = "Microsoft.Extensions.FileProviders.*"})},
    {"regex-per-call",
     "Usually a Regex made anew for each text, and kept: one static Regex, or "
     "[GeneratedRegex]; no input in the pattern.",
     HINT_OF_PART,
     CASES({.at = "System.Text.RegularExpressions.*"},
           {.above = "System.Text.RegularExpressions.*"})},
    {"xml-serializer-per-call",
     "Usually an XmlSerializer made with more than a type: each makes an assembly that "
     "is never unloaded; keep serializers in a dictionary.",
     HINT_OF_PART,
     CASES({.at = "System.Xml.Serialization.*"}, {.above = "System.Xml.Serialization.*"},
           {.with = "System.Xml.Serialization.*"})},
    {"compiled-code-kept",
     "Usually expressions that are compiled again and again: Compile once per "
     "expression, and keep the delegate by a key that repeats.",
     HINT_OF_MECHANISM,
     CASES({.at = "System.Linq.Expressions.*"}, {.at = "System.Reflection.Emit.*"},
           {.at = "*DynamicMethod"}, {.with = "System.Reflection.Emit.DynamicMethod"},
           {.with = "System.Reflection.Emit.DynamicResolver"})},
    {"proxy-generator-per-call",
     "Usually a new ProxyGenerator per proxy: each makes its own assembly, which is "
     "never unloaded; share one.",
     HINT_OF_PART,
     CASES({.above = "[static var *.signedAssemblyCache]"},
           {.at = "Castle.DynamicProxy.ProxyGenerator"},
           {.with = "Castle.DynamicProxy.ModuleScope"})},
    {"dynamic-class-per-shape",
     "Usually classes made at run time for ever new shapes: they are never unloaded; "
     "use dictionaries, or shapes that repeat.",
     HINT_OF_PART, CASES({.above = "System.Reflection.Emit.RuntimeModuleBuilder > *"})},
    {"script-per-call",
     "Usually scripts that are compiled for each run: each is an assembly that is "
     "never unloaded; keep the ScriptRunner by its text.",
     HINT_OF_PART, CASES({.with = "Microsoft.CodeAnalysis.Scripting.*"})},
    {"assembly-not-unloaded",
     "Usually assemblies that are loaded or generated again and again: do it once, or "
     "Unload a collectible AssemblyLoadContext and drop all of its objects.",
     HINT_OF_MECHANISM,
     CASES({.at = "System.Reflection.RuntimeAssembly"},
           {.at = "System.Reflection.RuntimeModule"}, {.at = "System.Runtime.Loader.*"},
           {.at = "System.Reflection.LoaderAllocator"},
           {.above = "System.Reflection.LoaderAllocator >"},
           {.at = "System.WeakReference<System.Runtime.Loader.AssemblyLoadContext>"},
           {.with = "System.Reflection.RuntimeAssembly", .root = "strong_handle"})},
    {"activity-not-stopped",
     "Usually an Activity that is started and never stopped, so that the next becomes "
     "its child: `using var activity = source.StartActivity(…)`.",
     HINT_OF_PART,
     CASES({.at = "System.Diagnostics.Activity"},
           {.above = "System.Diagnostics.Activity >"})},
    {"instrument-per-call",
     "Usually a Meter, an instrument or an event counter made per call: they live "
     "until disposed of; keep them in static fields, and ids out of names and tags.",
     HINT_OF_PART,
     CASES({.at = "System.Diagnostics.Metrics.*"},
           {.at = "System.Diagnostics.Tracing.*Counter"},
           {.at = "*<System.Diagnostics.Metrics.*"})},
    {"metric-label-per-id",
     "Usually a label whose values are ids: the metric keeps a series for each to the "
     "end; label by few values.",
     HINT_OF_PART, CASES({.above = "Prometheus.*"})},
    {"job-kept-in-store",
     "Usually durable jobs that are stored under ever new keys: let them go with their "
     "trigger, or delete them when they are done.",
     HINT_OF_PART, CASES({.at = "Quartz.*"}, {.above = "Quartz.Simpl.RAMJobStore"})},
    {"file-watcher-not-disposed",
     "Usually a FileSystemWatcher that is not disposed: it holds a handle of the "
     "system and its handlers until Dispose.",
     HINT_OF_PART,
     CASES({.at = "System.IO.FileSystemWatcher"},
           {.above = "System.IO.FileSystemWatcher >"})},
    {"handle-not-disposed",
     "Usually a stream, socket, process or connection that is not disposed: `using`, "
     "on every way out.",
     HINT_OF_MECHANISM,
     CASES({.at = "System.Diagnostics.Process*"}, {.at = "System.IO.FileStream"},
           {.at = "System.Net.Sockets.*"}, {.at = "Microsoft.Win32.SafeHandles.*"},
           {.at = "System.Data.*Connection"}, {.at = "Microsoft.Data.*Connection"},
           {.at = "Npgsql.NpgsqlConnection"}, {.at = "MySqlConnector.MySqlConnection"})},
    {"thread-never-ends",
     "Usually threads that are started and never end: give each a way to stop, or use "
     "tasks.",
     HINT_OF_MECHANISM,
     CASES({.at = "System.Threading.Thread"}, {.at = "*StartHelper"},
           {.at = "*<>c__DisplayClass*", .above = "[local vars] >"})},
    /* --- memory kept for later --------------------------------------------------- */
    {"pooled-memory-not-disposed",
     "Usually MemoryPool.Rent without Dispose: `using var owner = …`, so that the "
     "array goes back to the pool.",
     HINT_OF_MECHANISM, CASES({.at = "*ArrayMemoryPoolBuffer<*>"})},
    {"array-pool-not-returned",
     "Usually no leak: buffers that a pool keeps for reuse; if they grow on, what is "
     "rented is not returned, so Return in `finally`.",
     HINT_OF_PART,
     CASES({.above = "System.Buffers.SharedArrayPool*"},
           {.above = "*SharedArrayPoolThreadLocalArray[]"},
           {.above = "System.Buffers.ConfigurableArrayPool<*>"},
           {.above = "*PinnedBlockMemoryPool"}, {.at = "*MemoryPoolBlock"})},
    {"buffer-never-cleared",
     "Usually a StringBuilder or MemoryStream that is written to and never emptied: "
     "write it out and clear it, or make a new one.",
     HINT_OF_MECHANISM,
     CASES({.at = "System.Text.StringBuilder"}, {.above = "System.Text.StringBuilder >"},
           {.above = "System.IO.MemoryStream >"}, {.at = "System.IO.MemoryStream"})},
    {"weak-references-kept",
     "Usually a list of weak references whose targets are gone: take the dead ones out "
     "when you go through it.",
     HINT_OF_MECHANISM,
     CASES({.at = "System.WeakReference"}, {.at = "System.WeakReference<*>"},
           {.at = "System.WeakReference*[]"})},
    {"lock-per-key",
     "Usually a lock for each key that is never taken out again: count its users and "
     "remove it, or use a fixed number of locks.",
     HINT_OF_MECHANISM,
     CASES({.at = "*Node<*,System.Threading.SemaphoreSlim>"},
           {.at = "*Node<*,System.Threading.Lock>"},
           {.at = "System.Threading.SemaphoreSlim"},
           {.at = "System.Threading.ReaderWriterLockSlim"},
           {.above = "*Entry<*,System.Threading.SemaphoreSlim>[] >"})},
    {"tasks-kept",
     "Usually a collection of tasks from which those that are done are never taken: "
     "remove each when it completes, with its result.",
     HINT_OF_ROOT,
     CASES({.above = "System.Threading.Tasks.Task*[] >"},
           {.above = "*Entry<*,System.Threading.Tasks.Task*>[] >"},
           {.at = "*Node<*,System.Threading.Tasks.Task*>"})},
    /* --- kinds of roots ---------------------------------------------------------- */
    {"async-local-kept",
     "Usually an AsyncLocal or a captured ExecutionContext: what is started keeps all "
     "values that are set then; set them to null, or suppress the flow.",
     HINT_OF_MECHANISM,
     CASES({.at = "System.Threading.ExecutionContext"}, {.at = "*AsyncLocalValueMap"},
           {.above = "*AsyncLocalValueMap >"},
           {.above = "*Entry<System.Threading.IAsyncLocal,*>[] >"},
           {.at = "*Entry<System.Threading.IAsyncLocal,*"},
           {TIMER, .with = "*AsyncLocalValueMap"})},
    {"thread-local-kept",
     "Usually a ThreadLocal whose value only grows, or that is not disposed: clear the "
     "value after use, and Dispose the ThreadLocal.",
     HINT_OF_PART,
     CASES({.at = "System.Threading.ThreadLocal<*>"},
           {.above = "System.Threading.ThreadLocal<*>"}, {.at = "*LinkedSlot<*>"},
           {.above = "*LinkedSlot<*>"})},
    {"string-interning",
     "Usually string.Intern of text from outside: interned strings stay to the end; "
     "keep a set of your own that can be cleared.",
     HINT_OF_ROOT,
     CASES({.at = "System.String",
            .above = "[*] > System.Object[] >",
            .root = "strong_handle"},
           {.at = "System.String",
            .above = "[*] > System.Object[] >",
            .root = "pinned_handle"})},
    {"thread-static-kept",
     "Usually a [ThreadStatic] variable that is filled and never cleared: there is one "
     "per thread, and pool threads live long.",
     HINT_OF_ROOT,
     CASES({.root = "thread_static"},
           {.above = "[local vars] > System.Object[] > System.Object[]"},
           {/* .NET 8; what is in the array itself may be the runtime's */ .above =
                "[strong Handles] > System.Object[] > *"})},
    /* Arrays of the runtime itself, for static variables and interned strings. */
    {NULL, NULL, HINT_OF_ROOT,
     CASES({.at = "System.Object[]", .above = "[*] >"},
           {.at = "System.Object[]", .above = "[*] > System.Object[] >"})},
    {"pinned-handle-not-freed",
     "Usually GCHandle.Alloc(…, Pinned) without Free, or a native call that is never "
     "answered: Free in `finally`, or use `fixed`.",
     HINT_OF_ROOT, CASES({.above = "[*] >", .root = "pinned_handle"})},
    {"gc-handle-not-freed",
     "Usually GCHandle.Alloc without Free, often for a callback from native code: Free "
     "it when the native side is done.",
     HINT_OF_ROOT, CASES({.above = "[*] >", .root = "strong_handle"})},
    {"com-object-not-released",
     "Usually a COM object or wrapper that the other side still counts: "
     "Marshal.ReleaseComObject, or leave its events.",
     HINT_OF_ROOT,
     CASES({.root = "ref_counted_handle"}, {.at = "[RCW*"}, {.at = "System.__ComObject"})},
    {"finalizer-behind",
     "Usually objects with a finalizer made faster than they are finalized, or one "
     "finalizer that blocks: Dispose them, and do not wait in finalizers.",
     HINT_OF_ROOT, CASES({.root = "finalizer"})},
    {"conditional-weak-table",
     "Usually a ConditionalWeakTable whose keys are kept elsewhere: values live as "
     "long as their keys; find what holds the keys.",
     HINT_OF_ROOT,
     CASES({.root = "dependent_handle"},
           {.above = "System.Runtime.CompilerServices.ConditionalWeakTable<*>"})},
    /* --- collections, the most general ------------------------------------------- */
    {"queue-without-consumer",
     "Usually a queue that is filled faster than it is emptied, or whose consumer has "
     "died: bound it, and watch the consumer.",
     HINT_OF_USE,
     CASES({.above = "*Slot<*>[] >", .in = "*ConcurrentQueueSegment<*>"},
           {.in = "System.Collections.Generic.*Queue<*>", .above = "*[] >"},
           {.in = "System.Collections.Queue", .above = "*[] >"})},
    {"closure-kept",
     "Usually a lambda that is kept and, with it, all that it uses of its method: take "
     "it out again, and copy only what it needs.",
     HINT_OF_USE,
     CASES({.at = "*<>c__DisplayClass*"}, {.at = "System.Action"},
           {.at = "System.Action<*>"}, {.at = "System.Func<*>"})},
    {"collection-in-singleton",
     "Usually a collection in a singleton service: it lives as long as the program; "
     "remove what is done, or make the service scoped.",
     HINT_OF_COLLECTION,
     CASES({.in = "*", .above = "*ServiceProvider+ServiceAccessor"},
           {.in = "*", .above = "ServiceAccessor > *"},
           {.in = "*", .above = DI "ServiceLookup.*CallSite > *"})},
    {"static-collection",
     "Usually a collection that a static variable holds and that nothing is taken out "
     "of: remove what is done, or give it a limit.",
     HINT_OF_COLLECTION, CASES({.in = "*", .of = "[*", .root = "static"})},
    {"collection-never-emptied",
     "Usually a collection of an object or a method that lives long, and that nothing "
     "is taken out of: remove what is done.",
     HINT_OF_COLLECTION, CASES({.in = "*"})},
};

const size_t hint_count = sizeof(hints) / sizeof(hints[0]);
