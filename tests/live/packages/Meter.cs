// System.Diagnostics.DiagnosticSource: a Meter for each device that connects. A static list has
// all meters until they are disposed of (dotnet/runtime#114601).

using System.Diagnostics.Metrics;
using Packages;
using Services;

namespace Devices;

public sealed class Device : IDisposable
{
    private readonly Meter _meter;
    private readonly Counter<long> _messages;

    public Device(int number)
    {
        _meter = new Meter("Devices.Device", "1.0", [new("device", "device " + number)]);
        _messages = _meter.CreateCounter<long>("messages");
        _meter.CreateHistogram<double>("latency");
    }

    public void Send() => _messages.Add(1);

    public void Dispose() => _meter.Dispose();
}

public sealed class Fleet(Bug bug) : IUse
{
    private readonly Queue<Device> _connected = new();
    private int _seen;

    public ValueTask UnitAsync()
    {
        bool leaks = bug.Strikes();
        int number = ++_seen;
        if (leaks)
        {
            new Device(number).Send();
        }
        else if (number % 10 == 0)
        {
            var device = new Device(number);
            device.Send();
            _connected.Enqueue(device);
            if (_connected.Count > 40)
            {
                _connected.Dequeue().Dispose();
            }
        }
        return ValueTask.CompletedTask;
    }
}
