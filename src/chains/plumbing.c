#include "chains/plumbing.h"

#include "heap/names.h"

#include <stdbool.h>
#include <stddef.h>

/* Nested types stand without the outer one, as event listeners are told them. With a * a
 * pattern of docs/names.md, without one the whole name. The first that matches counts. */
static const struct {
    const char *pattern;
    enum plumbing is;
} table[] = {
    /* timers */
    {"System.Threading.TimerQueueTimer", PLUMBING_TIMER},
    {"TimerQueueTimer", PLUMBING_TIMER},
    {"System.Threading.Timer", PLUMBING_WAY},
    {"System.Threading.TimerHolder", PLUMBING_WAY},
    {"TimerHolder", PLUMBING_WAY},
    {"System.Threading.TimerQueue*", PLUMBING_WAY},
    {"System.Threading.TimerCallback", PLUMBING_WAY},
    {"System.Threading.PeriodicTimer*", PLUMBING_WAY},
    {"System.Timers.Timer", PLUMBING_WAY},

    /* tasks and what awaits them */
    {"System.Threading.Tasks.*", PLUMBING_WAY},
    {"System.Runtime.CompilerServices.*", PLUMBING_WAY},
    {"AsyncStateMachineBox<*", PLUMBING_WAY},
    {"DebugFinalizableAsyncStateMachineBox<*", PLUMBING_WAY},
    {"StateMachineBox<*", PLUMBING_WAY},
    {"DelayPromise*", PLUMBING_WAY},
    {"WhenAllPromise*", PLUMBING_WAY},
    {"CancellationPromise*", PLUMBING_WAY},
    {"ContinuationWrapper", PLUMBING_WAY},
    {"System.Threading.ExecutionContext", PLUMBING_WAY},
    {"System.Threading.AsyncLocal*", PLUMBING_WAY},
    {"*ElementAsyncLocalValueMap", PLUMBING_WAY},
    {"System.Threading.ThreadPoolWorkQueue*", PLUMBING_WAY},
    {"System.Threading.QueueUserWorkItemCallback*", PLUMBING_WAY},
    {"System.Threading.ContextCallback", PLUMBING_WAY},
    {"System.Threading.WaitCallback", PLUMBING_WAY},
    {"System.Threading.SendOrPostCallback", PLUMBING_WAY},
    {"System.Threading.Thread", PLUMBING_WAY},

    /* registrations of cancellation */
    {"System.Threading.CancellationTokenSource+CallbackNode", PLUMBING_REGISTRATION},
    {"System.Threading.CancellationTokenSource*", PLUMBING_TOKEN},
    {"Linked*CancellationTokenSource", PLUMBING_TOKEN},
    {"Registrations", PLUMBING_TOKEN},
    {"CallbackNode", PLUMBING_REGISTRATION},
    {"CallbackNode[]", PLUMBING_WAY},

    /* sockets that wait */
    {"System.Net.Sockets.SocketAsync*", PLUMBING_WAY},
    {"AwaitableSocketAsyncEventArgs", PLUMBING_WAY},
    {"BufferMemoryReceiveOperation", PLUMBING_WAY},

    /* the container of services, and the host that runs some of them */
    {"Microsoft.Extensions.DependencyInjection.ServiceLookup.*CallSite",
     PLUMBING_CALL_SITE},
    {"Microsoft.Extensions.DependencyInjection.ServiceLookup.ServiceProviderEngineScope",
     PLUMBING_SCOPE},
    {"Entry<Microsoft.Extensions.DependencyInjection.ServiceLookup.ServiceCacheKey,"
     "System.Object>[]",
     PLUMBING_SERVICES},
    {"Microsoft.Extensions.DependencyInjection.ServiceLookup.*", PLUMBING_WAY},
    {"*<Microsoft.Extensions.DependencyInjection.ServiceLookup.*", PLUMBING_WAY},
    {"Microsoft.Extensions.DependencyInjection.ServiceProvider", PLUMBING_WAY},
    {"ServiceAccessor", PLUMBING_WAY},
    {"Microsoft.Extensions.Hosting.*", PLUMBING_WAY},
};

/* Every type of a snapshot is held against the whole table, and nearly none gets past the
 * letters in front of a *. */
static bool matches(const char *pattern, const char *type)
{
    size_t i = 0;
    while (pattern[i] == type[i] && pattern[i] != '\0' && pattern[i] != '*')
        i++;
    return pattern[i] == '*' ? names_match(pattern, type) : pattern[i] == type[i];
}

enum plumbing plumbing_of(const char *type)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        if (matches(table[i].pattern, type))
            return table[i].is;
    return PLUMBING_NONE;
}
