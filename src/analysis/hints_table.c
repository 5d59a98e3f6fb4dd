/* What leaks usually are: the list of hints.
 *
 * To add one, write a record at its place (the first that fits wins, so what is more
 * specific stands before what is more general) and a section of the same name in
 * docs/hints.md; tests/analysis/test_hints.c says what a record needs, and has a line for
 * each. A sentence says "usually", what it is and what to do. Take names from a real
 * snapshot of a small program that leaks in this way: `heapdrift collect` it a few times,
 * and see what `heapdrift` and `heapdrift roots` make of it.
 *
 * These names are those of .NET 8 to 10. In .gcdump and .nettrace files nested types lack
 * the outer one ("CallbackNode"); where a type alone decides, the other spelling is there
 * too. A short name that anybody might use needs something beside it. */
#include "analysis/hints.h"

#define COUNT_OF(...) \
    (sizeof((const struct hint_case[]){__VA_ARGS__}) / sizeof(struct hint_case))
#define CASES(...) (const struct hint_case[]){__VA_ARGS__}, COUNT_OF(__VA_ARGS__)

/* One of the handlers that a delegate of several calls. */
#define LISTED(delegate)                                             \
    {                                                                \
        .type = (delegate), .held_by = delegate " > System.Object[]" \
    }

#define TOKEN_CALLBACK .type = "CallbackNode", .held_by = "Registrations"
#define TIMER .type = "System.Threading.TimerQueueTimer"
#define DI "Microsoft.Extensions.DependencyInjection."
#define SCOPE DI "ServiceLookup.ServiceProviderEngineScope"
#define LIST "System.Collections.Generic.List<*>"

/* What a collection of the framework holds its elements in. */
#define IN_COLLECTION(...)                                                                 \
    {.held_by = LIST " > *[]", __VA_ARGS__},                                               \
        {.held_by = "System.Collections.Generic.*Dictionary<*> > *Entry*[]", __VA_ARGS__}, \
        {.held_by = "System.Collections.Generic.HashSet<*> > *Entry*[]", __VA_ARGS__},     \
        {.type = "*LinkedListNode<*>", __VA_ARGS__},                                       \
        {.held_by = "*LinkedListNode<*>", __VA_ARGS__},                                    \
        {.type = "*Node<*>", .held_by = "*VolatileNode<*>[]", __VA_ARGS__},                \
        {.held_by = "*VolatileNode<*>[] > *Node<*>", __VA_ARGS__},                         \
        {.held_by = "System.Collections.Concurrent.ConcurrentBag<*> > *Queue<*> > *[]",    \
         __VA_ARGS__},                                                                     \
        {.held_by = "System.Collections.*Sorted*<*> > *", __VA_ARGS__},                    \
        {.held_by = "System.Collections.Generic.Stack<*> > *[]", __VA_ARGS__},             \
        {.held_by = "System.Collections.ArrayList > *[]", __VA_ARGS__},                    \
        {.held_by = "System.Collections.Hashtable > *[]", __VA_ARGS__},                    \
    {                                                                                      \
        .held_by = "System.Collections.*", __VA_ARGS__                                     \
    }

const struct hint hints[] = {
    /* --- somebody is told of something for ever ------------------------------ */
    {"property-changed-not-unsubscribed",
     "Usually a view that listens to a model that outlives it: `-=` when the view goes, or "
     "a weak event.",
     CASES({.type = "System.ComponentModel.Property*EventHandler"},
           {.type = "System.Collections.Specialized.NotifyCollectionChangedEventHandler"},
           LISTED("System.Windows.*EventHandler"))},
    {"change-token-not-disposed",
     "Usually IOptionsMonitor.OnChange or ChangeToken.OnChange whose result is thrown "
     "away: keep it, and dispose it.",
     CASES({.type = "System.Action<*>",
            .above = "Microsoft.Extensions.Options.OptionsMonitor<*>"},
           {.type = "*ChangeTrackerDisposable<*>"},
           {TOKEN_CALLBACK, .below = "Microsoft.Extensions.Primitives.*"},
           {TOKEN_CALLBACK, .below = "ChangeTokenRegistration<*>"},
           {TOKEN_CALLBACK, .above = "Microsoft.Extensions.*Token"})},
    {"event-not-unsubscribed",
     "Usually an event that is subscribed to and never left: `-=` in Dispose, or a weak "
     "event.",
     CASES(LISTED("System.EventHandler"), LISTED("System.EventHandler<*>"),
           LISTED("System.Action"), LISTED("System.Action<*>"), LISTED("System.Func<*>"),
           LISTED("*Handler"), LISTED("*Handler<*>"), LISTED("*Callback"),
           LISTED("*Delegate"))},
    {"linked-token-source-not-disposed",
     "Usually CreateLinkedTokenSource without `using`: each stays registered with the "
     "long-lived token until it is disposed.",
     CASES({TOKEN_CALLBACK, .below = "*Linked*CancellationTokenSource"},
           {.type = "*CancellationTokenSource+Linked*CancellationTokenSource"},
           {.type = "Linked*CancellationTokenSource"})},
    {"delay-not-cancelled",
     "Usually Task.Delay or WaitAsync with a long time that nothing cancels once the other "
     "task is done: cancel it.",
     CASES({TOKEN_CALLBACK, .below = "*DelayPromise*"}, {TIMER, .below = "*DelayPromise*"},
           {TIMER, .held_by = "*CancellationPromise<*>"},
           {TIMER, .below = "*CancellationPromise<*>"}, {.type = "DelayPromise*"},
           {.type = "*Task+DelayPromise*"})},
    {"token-registration-not-disposed",
     "Usually CancellationToken.Register on a token that lives long: dispose the "
     "registration when the work is done.",
     CASES({TOKEN_CALLBACK}, {.type = "*CancellationTokenSource+CallbackNode"})},
    {"periodic-timer-not-disposed",
     "Usually a loop on PeriodicTimer that nothing ends: dispose the timer, or give "
     "WaitForNextTickAsync a token.",
     CASES({TIMER, .below = "System.Threading.PeriodicTimer"},
           {.type = "System.Threading.PeriodicTimer"})},
    {"timeout-token-source-not-disposed",
     "Usually a CancellationTokenSource with a time-out that is not disposed: `using`, so "
     "that its timer goes with the work.",
     CASES({TIMER, .below = "System.Threading.CancellationTokenSource"},
           {TIMER, .below = "*CancellationTokenSource"})},
    {"timer-not-disposed",
     "Usually a Timer that is not disposed: it runs on and keeps its callback; Dispose it "
     "with its owner.",
     CASES({TIMER}, {.type = "System.Threading.Timer"}, {.type = "System.Timers.Timer"},
           {.type = "System.Threading.TimerHolder"})},
    {"listener-not-disposed",
     "Usually a subscription to DiagnosticListener, ActivitySource or EventSource made "
     "again and again: make one, or dispose it.",
     CASES({.type = "DiagnosticSubscription"}, {.type = "*AllListenerSubscription"},
           {.type = "System.Diagnostics.DiagnosticListener+DiagnosticSubscription"},
           {.type = "System.Diagnostics.ActivityListener"},
           {.type = "System.Diagnostics.Metrics.MeterListener"},
           {.type = "System.Diagnostics.Tracing.EventDispatcher"},
           {.type = "EventDispatcher"},
           {.held_by = "System.Diagnostics.Tracing.EventDispatcher"},
           {.held_by = "[static var *.s_Listeners]"})},
    {"subscription-not-disposed",
     "Usually Subscribe on an observable that outlives the observer: keep the IDisposable "
     "that it returns, and dispose it.",
     CASES({.type = "*SubjectDisposable<*>"}, {.type = "System.Reactive.*"},
           {.held_by = "System.Reactive.*"})},

    /* --- somebody waits for ever -------------------------------------------- */
    {"semaphore-not-released",
     "Usually a SemaphoreSlim that is not released on every way out: Release in `finally`, "
     "and WaitAsync with a time-out.",
     CASES({.type = "TaskNode", .above = "System.Threading.SemaphoreSlim"},
           {.type = "System.Threading.SemaphoreSlim+TaskNode"})},
    {"thread-pool-behind",
     "Usually work that is queued faster than the pool runs it, often because its threads "
     "block: await instead, and bound the queue.",
     CASES({.held_by = "*Slot<*>[]", .above = "System.Threading.ThreadPoolWorkQueue"},
           {.held_by = "*WorkStealingQueue > System.Object[]"},
           {.type = "System.Threading.QueueUserWorkItemCallback*"})},
    {"wait-not-unregistered",
     "Usually ThreadPool.RegisterWaitForSingleObject without Unregister: call it on the "
     "handle that you were given.",
     CASES({.type = "WaitThreadNode"},
           {.type = "System.Threading.PortableThreadPool+WaitThreadNode"},
           {.type = "System.Threading.RegisteredWaitHandle"})},
    {"reply-never-removed",
     "Usually requests that wait for a reply by their id: remove the entry on time-out and "
     "failure too, not only when the reply comes.",
     CASES({.type = "*Node<*,System.Threading.Tasks.TaskCompletionSource*>"},
           {.held_by = "*Entry<*,System.Threading.Tasks.TaskCompletionSource*>[]"})},
    {"await-never-completes",
     "Usually an await on something that never completes: give it a time-out or a token, "
     "and complete every TaskCompletionSource.",
     CASES({.type = "*AsyncStateMachineBox<*>"}, {.type = "*BlockedReadAsyncOperation<*>"},
           {.type = "*WaitingReadAsyncOperation"},
           {.type = "*AsyncOperation<*>", .above = "System.Threading.Channels.*"},
           {.type = "System.Threading.Tasks.TaskCompletionSource*"})},
    {"channel-without-reader",
     "Usually a channel without bounds whose reader is slower than its writers, or gone: "
     "CreateBounded, and watch the reader's task.",
     CASES({.held_by = "*ConcurrentQueueSegment<*> > *Slot<*>[]",
            .above = "System.Threading.Channels.*"},
           {.held_by = "System.Threading.Channels.* > *[]"},
           {.held_by = "*Deque<*> > *[]", .above = "System.Threading.Channels.*"})},
    {"continuations-on-one-task",
     "Usually ContinueWith, WhenAny or WaitAsync again and again on one task that lives "
     "long: each leaves a continuation on it.",
     CASES({.type = "*ContinueWithTaskContinuation"}, {.type = "*WhenAnyPromise*"},
           {.type = "*CancellationPromise<*>"}, {.type = "*WhenAllPromise*"},
           {.held_by = "System.Threading.Tasks.Task* > " LIST " > System.Object[]"})},

    /* --- parts of frameworks ------------------------------------------------ */
    {"cache-without-limit",
     "Usually a MemoryCache without SizeLimit whose entries do not expire: set both, and "
     "give every entry a size.",
     CASES({.type = "*Microsoft.Extensions.Caching.Memory.CacheEntry*"},
           {.held_by = "Microsoft.Extensions.Caching.Memory.CacheEntry"},
           {.type = "System.Runtime.Caching.*"},
           {.held_by = "System.Runtime.Caching.MemoryCacheEntry"})},
    {"http-context-kept",
     "Usually an HttpContext (or what belongs to it) that is kept beyond its request: copy "
     "the values you need before the request ends.",
     CASES({.type = "Microsoft.AspNetCore.Http.*HttpContext"},
           {.below = "Microsoft.AspNetCore.Http.DefaultHttpContext"})},
    {"dbcontext-lives-too-long",
     "Usually a DbContext that lives too long: it tracks every entity it has seen; make "
     "one per unit of work, and use AsNoTracking for reads.",
     CASES({.type = "Microsoft.EntityFrameworkCore.ChangeTracking.*"},
           {.above = "Microsoft.EntityFrameworkCore.ChangeTracking.*"},
           {.below = "Microsoft.EntityFrameworkCore.ChangeTracking.*"})},
    {"service-provider-per-call",
     "Usually BuildServiceProvider called again and again: build one provider when the "
     "program starts, and make scopes from it.",
     CASES({.type = DI "ServiceProvider"}, {.type = "*<" DI "ServiceProvider>*"})},
    {"disposable-from-root-provider",
     "Usually a disposable service that is transient and comes from the root provider, "
     "which keeps it to the end: resolve it in a scope.",
     CASES({.held_by = DI "ServiceProvider > " SCOPE " > " LIST " > System.Object[]"})},
    {"scope-not-disposed",
     "Usually a scope that is kept or never disposed, with all services made in it: `using "
     "var scope = provider.CreateScope()`.",
     CASES({.type = SCOPE}, {.held_by = SCOPE}, {.below = SCOPE},
           {.held_by = SCOPE " > " LIST " > System.Object[]"})},
    {"logger-per-instance",
     "Usually CreateLogger with a name that is new each time: the factory keeps a logger "
     "per name; name loggers by class, and put ids into scopes.",
     CASES({.type = "*Node<*,Microsoft.Extensions.Logging.Logger>"},
           {.type = "Microsoft.Extensions.Logging.Logger"},
           {.held_by = "*Entry<*,Microsoft.Extensions.Logging.Logger>[]"})},
    {"http-client-per-call",
     "Usually a new HttpClient (or GrpcChannel) per call: share one, or let "
     "IHttpClientFactory make them.",
     CASES({.type = "System.Net.Http.*"}, {.type = "Grpc.Net.Client.GrpcChannel"},
           {.below = "System.Net.Http.HttpConnectionPoolManager"},
           {.below = "System.Net.Http.HttpConnectionSettings"})},
    {"json-options-per-call",
     "Usually new JsonSerializerOptions per call: each builds its own metadata of types; "
     "keep one in a static readonly field.",
     CASES({.type = "System.Text.Json.*"}, {.type = "*<System.Text.Json.*"})},
    {"regex-per-call",
     "Usually a Regex made anew for each text, and kept: one static Regex, or "
     "[GeneratedRegex]; no input in the pattern.",
     CASES({.type = "System.Text.RegularExpressions.*"},
           {.above = "System.Text.RegularExpressions.*"})},
    {"xml-serializer-per-call",
     "Usually an XmlSerializer made with more than a type: each makes an assembly that is "
     "never unloaded; keep serializers in a dictionary.",
     CASES({.type = "System.Xml.Serialization.*"}, {.above = "System.Xml.Serialization.*"},
           {.below = "System.Xml.Serialization.*"})},
    {"compiled-code-kept",
     "Usually expressions that are compiled again and again: Compile once per expression, "
     "and keep the delegate by a key that repeats.",
     CASES({.type = "System.Linq.Expressions.*"}, {.type = "System.Reflection.Emit.*"},
           {.type = "*DynamicMethod"}, {.below = "System.Reflection.Emit.DynamicMethod"},
           {.below = "System.Reflection.Emit.DynamicResolver"})},
    {"assembly-not-unloaded",
     "Usually assemblies that are loaded or generated again and again: do it once, or "
     "Unload a collectible AssemblyLoadContext and drop all of its objects.",
     CASES({.type = "System.Reflection.RuntimeAssembly"},
           {.type = "System.Reflection.RuntimeModule"}, {.type = "System.Runtime.Loader.*"},
           {.type = "System.Reflection.LoaderAllocator"},
           {.held_by = "System.Reflection.LoaderAllocator"},
           {.type = "System.WeakReference<System.Runtime.Loader.AssemblyLoadContext>"})},
    {"activity-not-stopped",
     "Usually an Activity that is started and never stopped, so that the next becomes its "
     "child: `using var activity = source.StartActivity(…)`.",
     CASES({.type = "System.Diagnostics.Activity"},
           {.held_by = "System.Diagnostics.Activity"})},
    {"instrument-per-call",
     "Usually a Meter, an instrument or an event counter made per call: they live until "
     "disposed of; keep them in static fields, and ids out of names and tags.",
     CASES({.type = "System.Diagnostics.Metrics.*"},
           {.type = "System.Diagnostics.Tracing.*Counter"},
           {.type = "*<System.Diagnostics.Metrics.*"})},
    {"file-watcher-not-disposed",
     "Usually a FileSystemWatcher that is not disposed: it holds a handle of the system "
     "and its handlers until Dispose.",
     CASES({.type = "System.IO.FileSystemWatcher"},
           {.held_by = "System.IO.FileSystemWatcher"})},
    {"handle-not-disposed",
     "Usually a stream, socket, process or connection that is not disposed: `using`, on "
     "every way out.",
     CASES({.type = "System.Diagnostics.Process*"}, {.type = "System.IO.FileStream"},
           {.type = "System.Net.Sockets.*"}, {.type = "Microsoft.Win32.SafeHandles.*"},
           {.type = "System.Data.*Connection"}, {.type = "Microsoft.Data.*Connection"},
           {.type = "Npgsql.NpgsqlConnection"},
           {.type = "MySqlConnector.MySqlConnection"})},
    {"thread-never-ends",
     "Usually threads that are started and never end: give each a way to stop, or use "
     "tasks.",
     CASES({.type = "System.Threading.Thread"}, {.type = "*StartHelper"},
           {.type = "*<>c__DisplayClass*", .held_by = "[local vars]"})},

    /* --- memory kept for later ---------------------------------------------- */
    {"pooled-memory-not-disposed",
     "Usually MemoryPool.Rent without Dispose: `using var owner = …`, so that the array "
     "goes back to the pool.",
     CASES({.type = "*ArrayMemoryPoolBuffer<*>"})},
    {"array-pool-not-returned",
     "Usually no leak: buffers that a pool keeps for reuse; if they grow on, what is "
     "rented "
     "is not returned, so Return in `finally`.",
     CASES({.above = "System.Buffers.SharedArrayPool*"},
           {.above = "*SharedArrayPoolThreadLocalArray[]"},
           {.above = "System.Buffers.ConfigurableArrayPool<*>"},
           {.above = "*PinnedBlockMemoryPool"}, {.type = "*MemoryPoolBlock"})},
    {"buffer-never-cleared",
     "Usually a StringBuilder or MemoryStream that is written to and never emptied: write "
     "it out and clear it, or make a new one.",
     CASES({.type = "System.Text.StringBuilder"}, {.held_by = "System.Text.StringBuilder"},
           {.held_by = "System.IO.MemoryStream"}, {.type = "System.IO.MemoryStream"})},
    {"weak-references-kept",
     "Usually a list of weak references whose targets are gone: take the dead ones out "
     "when you go through it.",
     CASES({.type = "System.WeakReference"}, {.type = "System.WeakReference<*>"},
           {.type = "System.WeakReference*[]"})},
    {"lock-per-key",
     "Usually a lock for each key that is never taken out again: count its users and "
     "remove it, or use a fixed number of locks.",
     CASES({.type = "*Node<*,System.Threading.SemaphoreSlim>"},
           {.type = "*Node<*,System.Threading.Lock>"},
           {.type = "System.Threading.SemaphoreSlim"},
           {.type = "System.Threading.ReaderWriterLockSlim"},
           {.held_by = "*Entry<*,System.Threading.SemaphoreSlim>[]"})},
    {"tasks-kept",
     "Usually a collection of tasks from which those that are done are never taken: remove "
     "each when it completes, with its result.",
     CASES({.held_by = "System.Threading.Tasks.Task*[]"},
           {.held_by = "*Entry<*,System.Threading.Tasks.Task*>[]"},
           {.type = "*Node<*,System.Threading.Tasks.Task*>"})},

    /* --- kinds of roots ----------------------------------------------------- */
    {"async-local-kept",
     "Usually an AsyncLocal or a captured ExecutionContext: what is started keeps all "
     "values that are set then; set them to null, or suppress the flow.",
     CASES({.type = "System.Threading.ExecutionContext"}, {.type = "*AsyncLocalValueMap"},
           {.held_by = "*AsyncLocalValueMap"},
           {.held_by = "*Entry<System.Threading.IAsyncLocal,*>[]"},
           {.type = "*Entry<System.Threading.IAsyncLocal,*"})},
    {"thread-local-kept",
     "Usually a ThreadLocal whose value only grows, or that is not disposed: clear the "
     "value after use, and Dispose the ThreadLocal.",
     CASES({.type = "System.Threading.ThreadLocal<*>"},
           {.above = "System.Threading.ThreadLocal<*>"}, {.type = "*LinkedSlot<*>"},
           {.above = "*LinkedSlot<*>"})},
    {"string-interning",
     "Usually string.Intern of text from outside: interned strings stay to the end; keep a "
     "set of your own that can be cleared.",
     CASES({.type = "System.String",
            .held_by = "[*] > System.Object[]",
            .root = "strong_handle"},
           {.type = "System.String",
            .held_by = "[*] > System.Object[]",
            .root = "pinned_handle"})},
    {"thread-static-kept",
     "Usually a [ThreadStatic] variable that is filled and never cleared: there is one per "
     "thread, and pool threads live long.",
     CASES({.root = "thread_static"},
           {.above = "[local vars] > System.Object[] > System.Object[]"},
           /* .NET 8; what is in the array itself may be the runtime's */
           {.above = "[strong Handles] > System.Object[] > *"})},
    /* Arrays of the runtime itself, for static variables and interned strings. */
    {NULL, NULL,
     CASES({.type = "System.Object[]", .held_by = "[*]"},
           {.type = "System.Object[]", .held_by = "[*] > System.Object[]"})},
    {"pinned-handle-not-freed",
     "Usually GCHandle.Alloc(…, Pinned) without Free, or a native call that is never "
     "answered: Free in `finally`, or use `fixed`.",
     CASES({.held_by = "[*]", .root = "pinned_handle"})},
    {"gc-handle-not-freed",
     "Usually GCHandle.Alloc without Free, often for a callback from native code: Free it "
     "when the native side is done.",
     CASES({.held_by = "[*]", .root = "strong_handle"})},
    {"com-object-not-released",
     "Usually a COM object or wrapper that the other side still counts: "
     "Marshal.ReleaseComObject, or leave its events.",
     CASES({.root = "ref_counted_handle"}, {.type = "[RCW*"},
           {.type = "System.__ComObject"})},
    {"finalizer-behind",
     "Usually objects with a finalizer made faster than they are finalized, or one "
     "finalizer that blocks: Dispose them, and do not wait in finalizers.",
     CASES({.root = "finalizer"})},
    {"conditional-weak-table",
     "Usually a ConditionalWeakTable whose keys are kept elsewhere: values live as long as "
     "their keys; find what holds the keys.",
     CASES({.root = "dependent_handle"},
           {.above = "System.Runtime.CompilerServices.ConditionalWeakTable<*>"})},

    /* --- collections, the most general -------------------------------------- */
    {"queue-without-consumer",
     "Usually a queue that is filled faster than it is emptied, or whose consumer has "
     "died: bound it, and watch the consumer.",
     CASES({.held_by = "*ConcurrentQueueSegment<*> > *Slot<*>[]"},
           {.held_by = "System.Collections.Generic.*Queue<*> > *[]"},
           {.held_by = "System.Collections.Queue > *[]"})},
    {"closure-kept",
     "Usually a lambda that is kept and, with it, all that it uses of its method: take it "
     "out again, and copy only what it needs.",
     CASES({.type = "*<>c__DisplayClass*"}, {.type = "System.Action"},
           {.type = "System.Action<*>"}, {.type = "System.Func<*>"})},
    {"collection-in-singleton",
     "Usually a collection in a singleton service: it lives as long as the program; remove "
     "what is done, or make the service scoped.",
     CASES(IN_COLLECTION(.above = "*ServiceProvider+ServiceAccessor"),
           IN_COLLECTION(.above = "ServiceAccessor > *"),
           IN_COLLECTION(.above = DI "ServiceLookup.*CallSite > *"))},
    {"static-collection",
     "Usually a collection that a static variable holds and that nothing is taken out of: "
     "remove what is done, or give it a limit.",
     CASES(IN_COLLECTION(.root = "static"))},
    {"collection-never-emptied",
     "Usually a collection of an object or a method that lives long, and that nothing is "
     "taken out of: remove what is done.",
     CASES(IN_COLLECTION(.root = "stack"), IN_COLLECTION(.root = "other"),
           IN_COLLECTION(.root = "strong_handle"))},
};

const size_t hint_count = sizeof(hints) / sizeof(hints[0]);
