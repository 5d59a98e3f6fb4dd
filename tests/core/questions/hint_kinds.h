/* hint_kinds.h - leaks of real packages, and lookalikes.
 *
 * Each path is from the output of `heapdrift diff` for a program of some twenty lines that
 * leaked in this way on .NET 10: its first chain or holder, and the decisive types below
 * the suspect. HOST replaces an accidental path into the program. */
#ifndef HINT_KINDS_H
#define HINT_KINDS_H

#include "questions/hinted.h"

#define WAITING(machine) \
    "AsyncStateMachineBox<System.Threading.Tasks.VoidTaskResult," machine ">"
#define HOST                                                             \
    TIMERS "System.Threading.TimerQueueTimer > DelayPromise > " WAITING( \
        "App.Program+<Main>d__2") " > "
#define EXTENSIONS "Microsoft.Extensions."
#define EF "Microsoft.EntityFrameworkCore."
#define QUERY_CACHE                                                                \
    EXTENSIONS                                                                     \
    "Caching.Memory.MemoryCache > CoherentState > "                                \
    "System.Collections.Concurrent.ConcurrentDictionary<System.Object," EXTENSIONS \
    "Caching.Memory.CacheEntry> > "                                                \
    "Tables<System.Object," EXTENSIONS "Caching.Memory.CacheEntry> > "             \
    "VolatileNode<System.Object," EXTENSIONS "Caching.Memory.CacheEntry>[] > "     \
    "Node<System.Object," EXTENSIONS "Caching.Memory.CacheEntry>"
#define TENANTS(value) BY_KEY("System.String," value)
#define TARGETS                                                                 \
    "System.Threading.Tasks.Dataflow.BroadcastBlock<App.Tick> > "               \
    "System.Threading.Tasks.Dataflow.Internal.TargetRegistry<App.Tick> > "      \
    "System.Collections.Generic.Dictionary<ITargetBlock<App.Tick>,App.Tick> > " \
    "Entry<ITargetBlock<App.Tick>,App.Tick>[] > "
#define SIGNALS                                                                      \
    STATIC("System.Runtime.InteropServices.PosixSignalRegistration.s_registrations") \
    "System.Action<System.Runtime.InteropServices.PosixSignalContext> > " EXTENSIONS \
    "Hosting.Internal.ConsoleLifetime > "

static const struct hint_example kinds[] = {
    /* OnChange of options in a transient service */
    {"change-token-not-disposed",
     HOST SCOPE " > " OBJECTS EXTENSIONS "Options.OptionsMonitor<App.Settings> > "
                "System.Action<App.Settings,System.String> > System.Object[] > "
                "System.Action<App.Settings,System.String>",
     "ChangeTrackerDisposable<App.Settings>"},
    /* Rx: Subscribe */
    {"subscription-not-disposed",
     HOST "App.QuoteFeed > System.Reactive.Subjects.Subject<App.Quote> > "
          "SubjectDisposable<App.Quote>[] > SubjectDisposable<App.Quote>",
     "_<App.Quote> > App.Watchlist"},
    /* Dataflow: LinkTo */
    {"dataflow-link-not-disposed",
     HOST "App.PriceHub > " TARGETS "System.Threading.Tasks.Dataflow.ActionBlock<App.Tick>",
     "App.ClientStream"},
    /* Task.Delay for a day, with the state of its method */
    {"delay-not-cancelled", TIMERS "System.Threading.TimerQueueTimer",
     "DelayPromise > " WAITING("App.Worker+<ExpireAsync>d__1") " > App.Context"},
    /* Polly: a pipeline for each key */
    {"resilience-pipeline-per-key",
     HOST "App.CarrierClient > Polly.Registry.ResiliencePipelineRegistry<System.String> "
          "> " TENANTS("Polly.ResiliencePipeline"),
     "Polly.ResiliencePipeline > Polly.Utils.Pipeline.PipelineComponent"},
    {"resilience-pipeline-per-key",
     HOST "App.CarrierClient > " DICTIONARY("System.String,App.Carrier") "App.Carrier",
     "Polly.ResiliencePipeline"},
    /* Serilog: ForContext on the result of ForContext */
    {"logger-chained",
     STATIC("Serilog.Log._logger") "Serilog.Core.Logger > Serilog.Core.Logger > "
                                   "Serilog.Core.Logger",
     "Serilog.Core.Enrichers.FixedPropertyEnricher"},
    /* prometheus-net: a label with the number of the user */
    {"metric-label-per-id",
     STATIC(
         "Prometheus.CollectorRegistry.<DefaultRegistry>k__BackingField") "Prometheus."
                                                                          "CollectorRegistr"
                                                                          "y > "
                                                                          "Prometheus."
                                                                          "Counter > "
                                                                          "System."
                                                                          "Collections."
                                                                          "Generic."
                                                                          "Dictionary<"
                                                                          "Prometheus."
                                                                          "LabelSequence,"
                                                                          "Prometheus."
                                                                          "Counter+Child>"
                                                                          " > "
                                                                          "Entry<"
                                                                          "Prometheus."
                                                                          "LabelSequence,"
                                                                          "Prometheus."
                                                                          "Counter+Child>[]"
                                                                          " > Child",
     "Prometheus.ObservedExemplar[]"},
    /* Quartz: durable jobs */
    {"job-kept-in-store",
     HOST "Quartz.Core.QuartzSchedulerThread > Quartz.Core.QuartzSchedulerResources > "
          "Quartz.Simpl.RAMJobStore > "
          "System.Collections.Generic.Dictionary<Quartz.JobKey,Quartz.Simpl.JobWrapper> > "
          "Entry<Quartz.JobKey,Quartz.Simpl.JobWrapper>[] > Quartz.Simpl.JobWrapper",
     "Quartz.Impl.JobDetailImpl"},
    /* disposables of the root provider: Microsoft's, reached through the object that has it
       injected, and Autofac's */
    {"disposable-from-root-provider",
     HOST "App.LoadGenerator > " SCOPE " > " OBJECTS "App.Renderer", "System.Byte[]"},
    {"disposable-from-root-provider",
     HOST "App.Host > Autofac.Core.Container > Autofac.Core.Lifetime.LifetimeScope > "
          "Autofac.Core.Disposer > System.Collections.Generic.Stack<System.Object> > "
          "System.Object[] > App.Renderer",
     "System.Byte[]"},
    /* ApplicationStopping.Register: the handle of ConsoleLifetime refers to all
       registrations */
    {"application-token-registered", SIGNALS "CallbackNode > Registrations > CallbackNode",
     "System.Action > App.ExportJob"},
    {"application-token-registered",
     HOST EXTENSIONS
     "Hosting.Internal.ApplicationLifetime > "
     "System.Threading.CancellationTokenSource > Registrations > CallbackNode",
     "System.Action > App.ExportJob"},
    /* CompositeChangeToken of two long-lived tokens */
    {"composite-change-token-kept",
     HOST "App.TokenWatcher > System.Threading.CancellationTokenSource > Registrations > "
          "CallbackNode > " EXTENSIONS "Primitives.CompositeChangeToken",
     "System.Action<System.Object> > App.CatalogView"},
    /* DefaultRequestHeaders.Add in each call */
    {"default-header-per-call",
     HOST
     "App.ApiClient > System.Net.Http.HttpClient > "
     "System.Net.Http.Headers.HttpRequestHeaders > System.Net.Http.Headers.HeaderEntry[] > "
     "HeaderStoreItemInfo > System.Collections.Generic.List<System.String> > "
     "System.String[] > System.String",
     NULL},
    /* Akka: actors that are never stopped */
    {"actor-never-stopped",
     HOST "App.SagaHost > Akka.Actor.Internal.ActorSystemImpl > Akka.Actor.LocalActorRef > "
          "Akka.Actor.ActorCell",
     "Akka.Actor.Props > App.OrderSaga"},
    /* AddJsonFile(reloadOnChange) in each call, with polling */
    {"configuration-reload-per-call", TIMERS "System.Threading.TimerQueueTimer",
     TENANTS(EXTENSIONS "FileProviders.IPollingChangeToken") " > " EXTENSIONS
                                                             "FileProviders.Physical."
                                                             "PollingFileChangeToken"},
    /* EF Core: Expression.Constant in a query */
    {"query-per-constant",
     STATIC(EF "Internal.ServiceProviderCache.<Instance>k__BackingField") EF
     "Internal.ServiceProviderCache > " EXTENSIONS
     "DependencyInjection.ServiceProvider > " QUERY_CACHE,
     EXTENSIONS "Caching.Memory.CacheEntry"},
    {"query-per-constant", HOST "App.Db > " QUERY_CACHE,
     EXTENSIONS "Caching.Memory.CacheEntry > " EF "Query.SqlExpressions.SelectExpression"},
    /* Castle: a ProxyGenerator for each proxy */
    {"proxy-generator-per-call",
     STATIC(
         "System.Collections.Generic.Dictionary<System.Reflection.Assembly,System.Boolean>"
         ".signedAssemblyCache") "System.Collections.Generic.Dictionary<System.Reflection."
                                 "Assembly,System.Boolean> > "
                                 "Entry<System.Reflection.Assembly,System.Boolean>[] > "
                                 "System.Reflection.Emit.RuntimeAssemblyBuilder",
     "System.Reflection.Emit.RuntimeModuleBuilder"},
    /* System.Linq.Dynamic.Core: a class for each set of columns */
    {"dynamic-class-per-shape",
     STATIC(
         "System.Reflection.Emit.RuntimeModuleBuilder.ModuleBuilder") "System.Reflection."
                                                                      "Emit."
                                                                      "RuntimeModuleBuilder"
                                                                      " > "
                                                                      "System.Collections."
                                                                      "Generic.Dictionary<"
                                                                      "System.String,"
                                                                      "System.Type> > "
                                                                      "Entry<System.String,"
                                                                      "System.Type>[] > "
                                                                      "System.Reflection."
                                                                      "Emit."
                                                                      "RuntimeTypeBuilder",
     "System.RuntimeType"},
    /* CSharpScript.EvaluateAsync for each rule */
    {"script-per-call", "[strong Handles] > LoadContext",
     "Microsoft.CodeAnalysis.Scripting.Hosting.InteractiveAssemblyLoader"},
    /* Dapper: a number in the text of a query */
    {"sql-text-per-value",
     STATIC("System.Collections.Concurrent.ConcurrentDictionary<Dapper.SqlMapper+Identity,"
            "Dapper.SqlMapper+CacheInfo>._queryCache") "System.Collections.Concurrent."
                                                       "ConcurrentDictionary<Dapper."
                                                       "SqlMapper+Identity,"
                                                       "Dapper.SqlMapper+CacheInfo> > "
                                                       "Tables<Dapper.SqlMapper+Identity,"
                                                       "Dapper.SqlMapper+CacheInfo> > "
                                                       "VolatileNode<Dapper.SqlMapper+"
                                                       "Identity,Dapper.SqlMapper+"
                                                       "CacheInfo>[] > "
                                                       "Node<Dapper.SqlMapper+Identity,"
                                                       "Dapper.SqlMapper+CacheInfo>",
     "Identity > System.String"},
    /* XmlSerializer with the name of the root */
    {"xml-serializer-per-call",
     STATIC(
         "System.Xml.Serialization.TempAssemblyCache.s_cache") "System.Xml.Serialization."
                                                               "TempAssemblyCache > "
                                                               "System.Xml.Serialization."
                                                               "TempAssembly",
     "System.Reflection.RuntimeAssembly"},
    /* CreateClient with the tenant's name: the handlers, and the factory's loggers */
    {"http-client-name-per-tenant",
     TIMERS
     "System.Threading.TimerQueueTimer > System.Threading.TimerCallback > " EXTENSIONS
     "Http.DefaultHttpClientFactory > " TENANTS(
         "System.Lazy<" EXTENSIONS
         "Http.ActiveHandlerTrackingEntry>") " > " EXTENSIONS
                                             "Http.ActiveHandlerTrackingEntry",
     SCOPE " > System.Threading.TimerQueueTimer"},
    {"http-client-name-per-tenant",
     TIMERS
     "System.Threading.TimerQueueTimer > System.Threading.TimerCallback > " EXTENSIONS
     "Http.DefaultHttpClientFactory > " EXTENSIONS
     "Logging.LoggerFactory > " TENANTS(EXTENSIONS "Logging.Thing") " > System.String",
     NULL},
    /* a Meter for each cart, and instruments with a listener */
    {"instrument-per-call",
     STATIC("System.Collections.Generic.List<System.Diagnostics.Metrics.Meter>.s_"
            "allMeters") "System.Collections.Generic.List<System.Diagnostics.Metrics."
                         "Meter> > "
                         "System.Diagnostics.Metrics.Meter[] > "
                         "System.Diagnostics.Metrics.Meter",
     "System.Diagnostics.Metrics.ObservableGauge<System.Int32> > App.Cart"},
    /* WaitAsync on a semaphore that is never released */
    {"semaphore-not-released",
     HOST "App.GateKeeper > System.Threading.SemaphoreSlim > TaskNode",
     WAITING("App.GateKeeper+<EnterAsync>d__2") " > App.Order"},
    /* an AsyncLocal that timers capture */
    {"async-local-kept", TIMERS "System.Threading.TimerQueueTimer",
     "System.Threading.ExecutionContext > OneElementAsyncLocalValueMap > App.Context"},
    /* WhenAny with a task that never completes: its promises, and the tasks that they wait
       for */
    {"continuations-on-one-task",
     HOST "App.Racer > System.Threading.Tasks.TaskCompletionSource > " TASK OBJECTS
          "TwoTaskWhenAnyPromise<System.Threading.Tasks.Task>",
     WAITING("App.Racer+<RunAsync>d__2") " > App.Order"},
    {"continuations-on-one-task",
     HOST
     "App.Racer > System.Threading.Tasks.TaskCompletionSource > System.Threading.Tasks."
     "Task > " OBJECTS
     "TwoTaskWhenAnyPromise<System.Threading.Tasks.Task> > System.Threading.Tasks.Task",
     NULL},
};

/* The hint that these lookalikes get instead. */
static const struct hint_example others[] = {
    /* a collection held by an object is not a static one */
    {"collection-never-emptied",
     HOST
     "App.OrderRegistry > System.Collections.Generic.Dictionary<System.Int32,App.Order> "
     "> Entry<System.Int32,App.Order>[] > App.Order",
     NULL},
    {"collection-never-emptied",
     STATIC("App.Registry.instance") "App.Registry > "
                                     "System.Collections.Generic.List<App.Order> > "
                                     "App.Order[] > App.Order",
     NULL},
    /* nested collections, of which only the outer one is in a variable */
    {"static-collection",
     DICTIONARY(
         "System.String,System.Collections.Generic.List<App.Order>") "System.Collections."
                                                                     "Generic.List<App."
                                                                     "Order> > App.Order[] "
                                                                     "> App.Order",
     NULL},
    /* an assembly below a strong handle belongs to a load context */
    {"assembly-not-unloaded",
     "[strong Handles] > System.Runtime.Loader.AssemblyLoadContext",
     "System.Reflection.RuntimeAssembly"},
    {"assembly-not-unloaded",
     "[strong Handles] > System.Object[] > System.Reflection.RuntimeAssembly", NULL},
    {"assembly-not-unloaded", "[strong Handles] > PluginContext",
     "System.Reflection.RuntimeAssembly"},
    {"gc-handle-not-freed", "[strong Handles] > App.Order", "System.Byte[]"},
    /* another class named LoadContext */
    {"gc-handle-not-freed", "[strong Handles] > LoadContext", "System.String"},
    /* leaked scopes hold their services; one scope that holds many is the root's */
    {"scope-not-disposed",
     HOST "App.Host > System.Collections.Generic.List<App.Scope> > App.Scope[] > " SCOPE,
     OBJECTS "App.Renderer"},
    /* other members of a timer's object are irrelevant */
    {"timer-not-disposed", TIMERS "System.Threading.TimerQueueTimer",
     "System.Threading.Timer > App.Reminder > System.Net.Http.HttpConnectionSettings"},
    {"delay-not-cancelled", TIMERS "System.Threading.TimerQueueTimer",
     "DelayPromise > " WAITING(
         "App.Worker+<RunAsync>d__1") " > System.Threading.CancellationTokenSource"},
    {"delay-not-cancelled", TIMERS "System.Threading.TimerQueueTimer",
     "DelayPromise > " WAITING(
         "App.Worker+<RunAsync>d__1") " > System.Threading.ExecutionContext > "
                                      "OneElementAsyncLocalValueMap"},
    /* a token of the program, not of its host */
    {"token-registration-not-disposed",
     HOST "App.Service > System.Threading.CancellationTokenSource > Registrations > "
          "CallbackNode",
     "System.Action > App.View"},
    /* headers of retained requests */
    {"collection-never-emptied",
     HOST
     "App.Log > System.Net.Http.HttpRequestMessage > "
     "System.Net.Http.Headers.HttpRequestHeaders > "
     "System.Collections.Generic.List<System.String> > System.String[] > System.String",
     NULL},
    /* a memory cache other than EF Core's */
    {"cache-without-limit", HOST "App.Shop > " QUERY_CACHE,
     EXTENSIONS "Caching.Memory.CacheEntry > App.Page"},
    /* compiled expressions create no class */
    {"compiled-code-kept", HOST "App.Rules > System.Reflection.Emit.DynamicMethod",
     "System.Reflection.Emit.DynamicResolver"},
    /* compiler trees retained by a tool */
    {"collection-never-emptied",
     HOST "App.Tool > System.Collections.Generic.List<App.File> > App.File[] > App.File",
     "Microsoft.CodeAnalysis.SyntaxTree"},
    /* tasks in a list of the program */
    {"tasks-kept",
     HOST "App.Jobs > System.Collections.Generic.List<System.Threading.Tasks.Task> > "
          "System.Threading.Tasks.Task[] > System.Threading.Tasks.Task<System.Int32>",
     NULL},
};

/* Examples of docs/hints.md as recorded by `make check-hints`, with the former wrong hint.
 */
static const struct hint_example documented[] = {
    /* AddValueChanged, not a collection */
    {"value-changed-not-removed",
     HOST "System.ComponentModel.ReflectPropertyDescriptor > " BY_KEY(
         "System.Object,System.EventHandler"),
     "System.EventHandler > App.Article"},
    {"value-changed-not-removed",
     HOST "MS.Internal.ComponentModel.DependencyObjectPropertyDescriptor > "
          "System.EventHandler > System.Object[] > System.EventHandler",
     "App.View"},
    /* the other parent of a linked source, and a linked one below the host's token */
    {"linked-token-source-not-disposed",
     TOKENS "CallbackNode > Linked2CancellationTokenSource > CallbackNode > "
            "Registrations > System.Threading.CancellationTokenSource",
     NULL},
    {"linked-token-source-not-disposed", LIFETIME "CallbackNode",
     "Linked1CancellationTokenSource"},
    {"delay-not-cancelled", LIFETIME "CallbackNode", "DelayPromiseWithCancellation"},
    {"application-token-registered", LIFETIME "CallbackNode", "System.Action > App.Job"},
    /* diagnostic sources, which are never disposed */
    {"diagnostic-source-not-disposed",
     HOST "System.Diagnostics.DiagnosticListener > System.Diagnostics.DiagnosticListener",
     NULL},
    {"diagnostic-source-not-disposed", HOST OBJECTS "System.Diagnostics.ActivitySource",
     NULL},
    {"diagnostic-source-not-disposed", KEPT "App.PriceEvents", "OverrideEventProvider"},
    /* EF Core: an interceptor for each context, not a scope */
    {"context-options-per-call",
     HOST EF "Internal.ServiceProviderCache > " BY_KEY(
         EF "Infrastructure.IDbContextOptions,App.Services"),
     SCOPE},
    /* WCF, gRPC: channels and calls, not a collection */
    {"wcf-channel-not-closed",
     HOST "System.ServiceModel.Channels.ServiceChannelFactory > "
          "System.Collections.Generic.List<System.ServiceModel.Channels.IChannel> > "
          "System.ServiceModel.Channels.IChannel[] > "
          "System.ServiceModel.Channels.ServiceChannel",
     "generatedProxy_1"},
    {"grpc-call-not-disposed",
     HOST "Grpc.Net.Client.GrpcChannel > "
          "System.Collections.Generic.HashSet<System.IDisposable> > "
          "Entry<System.IDisposable>[] > "
          "Grpc.Net.Client.Internal.GrpcCall<App.Ask,App.Reply>",
     "App.Ask"},
    /* Application Insights: a configuration for each event */
    {"telemetry-configuration-per-call",
     "[local vars] > Microsoft.ApplicationInsights.Channel.InMemoryTransmitter", NULL},
    {"telemetry-configuration-per-call", KEPT "App.Reporter",
     "Microsoft.ApplicationInsights.Extensibility.TelemetryConfiguration"},
    /* a cache for each call, and a command that its connection does not release */
    {"memory-cache-per-call", TIMERS "System.Threading.TimerQueueTimer",
     "System.Threading.TimerCallback > System.Runtime.Caching.CacheExpires"},
    {"cache-without-limit", HOST OBJECTS "System.Runtime.Caching.MemoryCacheEntry", NULL},
    {"handle-not-disposed",
     HOST OBJECTS "System.WeakReference<Microsoft.Data.Sqlite.SqliteCommand>", NULL},
    /* a limiter for each user, and culture names from requests */
    {"rate-limiter-per-key",
     HOST "System.Threading.RateLimiting.DefaultPartitionedRateLimiter<App.User,"
          "System.String> > "
          "System.Collections.Generic.Dictionary<System.String,System.Lazy<System."
          "Threading.RateLimiting.RateLimiter>> > App.Limiter",
     NULL},
    {"culture-per-input",
     STATIC("System.Globalization.CultureInfo.s_cachedCulturesByName") OBJECTS
     "System.Globalization.CultureInfo",
     "System.Globalization.CultureData"},
    /* Hangfire in memory */
    {"job-kept-in-store",
     HOST "Hangfire.InMemory.State.MemoryState > "
          "System.Collections.Generic.SortedDictionary<App.Key,App.Job> > "
          "Hangfire.InMemory.Entities.JobEntry",
     NULL},
    /* the owner of the options is in a collection */
    {"json-options-per-call", KEPT "App.Writer", "System.Text.Json.JsonSerializerOptions"},
    {"collection-never-emptied",
     HOST "System.Collections.Generic.List<App.Hub> > App.Hub[] > App.Hub",
     "App.Protocol > System.Text.Json.JsonSerializerOptions"},
    /* referenced from a stack while a thread waits */
    {"file-watcher-not-disposed", "[local vars] > RunningInstance",
     "Microsoft.Win32.SafeHandles.SafeFileHandle"},
    {"thread-never-ends", "[local vars] > CallbackNode", NULL},
    /* completed asynchronous methods */
    {"tasks-kept",
     HOST "System.Collections.Generic.List<System.Threading.Tasks.Task> > "
          "System.Threading.Tasks.Task[] > "
          "AsyncStateMachineBox<App.Order,App.Job+<Run>d__1>",
     "App.Order"},
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds), OTHERS = sizeof(others) / sizeof(*others) };
enum { DOCUMENTED = sizeof(documented) / sizeof(*documented) };

#endif
