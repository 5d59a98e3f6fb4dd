// System.Runtime.Caching: each report creates a MemoryCache and never disposes it. A cache has
// timers and handlers of process events (microsoft/ApplicationInsights-dotnet-server#554). The fix:
// Dispose.

using System.Runtime.Caching;
using Packages;
using Services;

namespace Statistics;

public sealed class Reports(Bug bug) : IUse
{
    private int _next;

    public ValueTask UnitAsync()
    {
        bool leaks = bug.IsDue();
        int number = ++_next;
        if (leaks || number % 200 == 0)
        {
            var cache = new MemoryCache("report-" + number);
            cache.Set("rows", new int[10], DateTimeOffset.MaxValue);
            if (!leaks)
            {
                cache.Dispose();
            }
        }
        return ValueTask.CompletedTask;
    }
}
