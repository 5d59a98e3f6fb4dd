// Application Insights: each call creates a configuration and never disposes it. Each has a channel
// with a buffer and a thread (microsoft/ApplicationInsights-dotnet#253). The fix: one configuration.
// Nothing is sent.

using Microsoft.ApplicationInsights;
using Microsoft.ApplicationInsights.Extensibility;
using Packages;
using Services;

namespace Metering;

public sealed class Tracker(Bug bug) : IUse
{
    private readonly TelemetryClient _client = new(Configuration());
    private int _next;

    public ValueTask UnitAsync()
    {
        bool leaks = bug.IsDue();
        if (leaks || ++_next % 10 == 0)
        {
            (leaks ? new TelemetryClient(Configuration()) : _client).TrackEvent("request " + _next % 20);
        }
        return ValueTask.CompletedTask;
    }

    private static TelemetryConfiguration Configuration() =>
        new() { ConnectionString = "InstrumentationKey=" + Guid.Empty, DisableTelemetry = true };
}
