#include "chains/chain_owner.h"

#include <criterion/criterion.h>

static const struct {
    const char *name;
    enum plumbing is;
} cases[] = {
    /* As in snapshots of .NET 10: an ASP.NET service, heapdrift collect. */
    {"System.Threading.TimerQueueTimer", PLUMBING_TIMER},
    {"System.Threading.TimerQueue", PLUMBING_WAY},
    {"System.Threading.TimerQueue[]", PLUMBING_WAY},
    {"System.Threading.Timer", PLUMBING_WAY},
    {"System.Threading.TimerHolder", PLUMBING_WAY},
    {"TimerHolder", PLUMBING_WAY},
    {"System.Threading.TimerCallback", PLUMBING_WAY},
    {"DelayPromiseWithCancellation", PLUMBING_WAY},
    {"AsyncStateMachineBox<System.Threading.Tasks.VoidTaskResult,App.Pump+<ExecuteAsync>d__"
     "2>",
     PLUMBING_WAY},
    {"System.Threading.Tasks.UnwrapPromise<System.Threading.Tasks.VoidTaskResult>",
     PLUMBING_WAY},
    {"System.Threading.Tasks.Task<System.Int32>", PLUMBING_WAY},
    {"System.Threading.ExecutionContext", PLUMBING_WAY},
    {"TwoElementAsyncLocalValueMap", PLUMBING_WAY},
    {"Linked1CancellationTokenSource", PLUMBING_TOKEN},
    {"System.Threading.CancellationTokenSource", PLUMBING_TOKEN},
    {"System.Threading.CancellationTokenSource+Registrations", PLUMBING_TOKEN},
    {"Registrations", PLUMBING_TOKEN},
    {"CallbackNode", PLUMBING_REGISTRATION},
    {"System.Threading.CancellationTokenSource+CallbackNode", PLUMBING_REGISTRATION},
    {"Microsoft.Extensions.DependencyInjection.ServiceLookup.ServiceProviderEngineScope",
     PLUMBING_SCOPE},
    {"Microsoft.Extensions.DependencyInjection.ServiceLookup.ConstructorCallSite",
     PLUMBING_CALL_SITE},
    {"Microsoft.Extensions.DependencyInjection.ServiceLookup.FactoryCallSite",
     PLUMBING_CALL_SITE},
    {"Microsoft.Extensions.DependencyInjection.ServiceLookup.CallSiteFactory",
     PLUMBING_WAY},
    {"Entry<Microsoft.Extensions.DependencyInjection.ServiceLookup.ServiceCacheKey,"
     "System.Object>[]",
     PLUMBING_SERVICES},
    {"Node<Microsoft.Extensions.DependencyInjection.ServiceLookup.ServiceIdentifier,"
     "Microsoft.Extensions.DependencyInjection.ServiceProvider+ServiceAccessor>",
     PLUMBING_WAY},
    {"Microsoft.Extensions.DependencyInjection.ServiceProvider", PLUMBING_WAY},
    {"Microsoft.Extensions.Hosting.Internal.Host", PLUMBING_WAY},

    /* Similar names. */
    {"App.TimerHolder", PLUMBING_NONE},
    {"App.CallbackNode", PLUMBING_NONE},
    {"App.Timers.TimerQueueTimer", PLUMBING_NONE},
    {"App.System.Threading.Timer", PLUMBING_NONE},
    {"System.Threading.TimerX", PLUMBING_NONE},
    {"Microsoft.Extensions.Caching.Memory.MemoryCache", PLUMBING_NONE},
    {"System.Collections.Generic.List<System.Object>", PLUMBING_NONE},
    {"System.String", PLUMBING_NONE},
    {"", PLUMBING_NONE},
};

Test(plumbing, is_distinguished_from_owners)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_eq(plumbing_of(cases[i].name), cases[i].is, "%s: %d", cases[i].name,
                     plumbing_of(cases[i].name));
}
