// A consumer of a message broker: partitions, deliveries with tags, acknowledgements, retries,
// a dead-letter queue. The bug: a delivery that is given again after a failure gets a new tag,
// and the old one is never acknowledged.

using System.Collections.Concurrent;
using System.Text.Json;
using System.Threading.Channels;
using Services;

namespace Telemetry;

public sealed record Reading(string Sensor, double Value, DateTime At, string[] Labels);

public sealed class Message(int partition, long offset, byte[] body)
{
    public int Partition { get; } = partition;
    public long Offset { get; } = offset;
    public byte[] Body { get; } = body;
    public Dictionary<string, string> Headers { get; } = new() { ["trace"] = Guid.NewGuid().ToString("n"), ["kind"] = "reading" };
}

public sealed class Delivery(ulong tag, Message message, int attempt)
{
    public ulong Tag { get; } = tag;
    public Message Message { get; } = message;
    public int Attempt { get; } = attempt;
    public DateTime At { get; } = DateTime.UtcNow;
}

/// <summary>What the client library keeps of a partition.</summary>
public sealed class Subscription
{
    public ConcurrentDictionary<ulong, Delivery> Unacknowledged { get; } = new();
    public Queue<Message> Backlog { get; } = new();
    public long NextOffset { get; set; }
}

public sealed record DeadLetter(Message Message, string Reason);

/// <summary>What is known of a sensor: its latest values, and how they go.</summary>
public sealed class SensorState(string name)
{
    private readonly double[] _latest = new double[16];
    private long _count;
    public string Name { get; } = name;
    public Reading? Last { get; private set; }

    public void Apply(Reading reading)
    {
        _latest[_count++ % _latest.Length] = reading.Value;
        Last = reading;
    }
}

public sealed class Pipeline : IService
{
    private const int Partitions = 12, Poisoned = 5, Retries = 3, DeadLetters = 150;
    private readonly Random _random;
    private readonly Bug _bug;
    private readonly string[] _sensors;
    private readonly Subscription[] _subscriptions = new Subscription[Partitions];
    private readonly Dictionary<string, SensorState> _states = [];
    private readonly LruCache<string, string[]> _labels;
    private readonly Queue<DeadLetter> _dead = new();
    private readonly Window<Reading> _lastMinute = new();
    private readonly Channel<Delivery> _inbox = Channel.CreateBounded<Delivery>(64);
    private readonly ConcurrentQueue<Delivery> _again = new();
    private readonly Task[] _workers;
    private ulong _nextTag;
    private int _unfinished;

    public Pipeline(Settings settings)
    {
        _random = new Random(settings.Seed);
        _bug = new Bug(settings, _random);
        _sensors = [.. Enumerable.Range(0, settings.Scale(2500)).Select(i => $"plant-{i % 40}/{Words.Some(_random, 4)}-{i}")];
        _labels = new LruCache<string, string[]>(settings.Scale(1500));
        for (int i = 0; i < Partitions; i++)
        {
            _subscriptions[i] = new Subscription();
        }
        _workers = [.. Enumerable.Range(0, 3).Select(_ => Task.Run(ConsumeAsync))];
    }

    public async Task WorkAsync(int units)
    {
        _labels.Swing(_random);
        for (int i = 0; i < units; i++)
        {
            Publish();
        }
        // A part of what came stays in the backlog until the next time.
        int rest = units / 20 + _random.Next(units / 10 + 1);
        while (_subscriptions.Sum(s => s.Backlog.Count) > rest)
        {
            foreach (Subscription subscription in _subscriptions)
            {
                if (subscription.Backlog.TryDequeue(out Message? message))
                {
                    await DeliverAsync(message, 1);
                }
            }
            while (_again.TryDequeue(out Delivery? failed))
            {
                await DeliverAgainAsync(failed);
            }
        }
        while (Volatile.Read(ref _unfinished) > 0 || !_again.IsEmpty)
        {
            if (_again.TryDequeue(out Delivery? failed))
            {
                await DeliverAgainAsync(failed);
            }
            else
            {
                await Task.Yield();
            }
        }
        _lastMinute.Trim(units / 4, _random);
    }

    public async ValueTask DisposeAsync()
    {
        _inbox.Writer.Complete();
        await Task.WhenAll(_workers);
    }

    private void Publish()
    {
        string sensor = _sensors[_random.Next(_sensors.Length)];
        bool bad = _random.Next(100) < 8;
        int partition = bad ? Poisoned : _random.Next(Partitions);
        byte[] body = bad
            ? new byte[120 + _random.Next(80)]
            : JsonSerializer.SerializeToUtf8Bytes(new Reading(sensor, _random.NextDouble() * 100, DateTime.UtcNow, LabelsOf(sensor)));
        Subscription subscription = _subscriptions[partition];
        subscription.Backlog.Enqueue(new Message(partition, subscription.NextOffset++, body));
    }

    private string[] LabelsOf(string sensor) =>
        _labels.GetOrAdd(sensor, name => [name.Split('/')[0], Words.Some(_random, 3), Words.Some(_random, 2)]);

    private async Task DeliverAsync(Message message, int attempt)
    {
        var delivery = new Delivery(++_nextTag, message, attempt);
        _subscriptions[message.Partition].Unacknowledged[delivery.Tag] = delivery;
        Interlocked.Increment(ref _unfinished);
        await _inbox.Writer.WriteAsync(delivery);
    }

    private async Task DeliverAgainAsync(Delivery failed)
    {
        if (failed.Attempt >= Retries)
        {
            _dead.Enqueue(new DeadLetter(failed.Message, "gave up after " + failed.Attempt));
            while (_dead.Count > DeadLetters)
            {
                _dead.Dequeue();
            }
            Acknowledge(failed);
            return;
        }
        // The bug: the first attempt keeps its tag and is answered for by nobody.
        if (failed.Attempt > 1 || !_bug.IsDue())
        {
            Acknowledge(failed);
        }
        await DeliverAsync(failed.Message, failed.Attempt + 1);
    }

    private void Acknowledge(Delivery delivery) =>
        _subscriptions[delivery.Message.Partition].Unacknowledged.TryRemove(delivery.Tag, out _);

    private async Task ConsumeAsync()
    {
        await foreach (Delivery delivery in _inbox.Reader.ReadAllAsync())
        {
            if (delivery.Message.Body[0] == 0)
            {
                _again.Enqueue(delivery);
            }
            else
            {
                Apply(JsonSerializer.Deserialize<Reading>(delivery.Message.Body)!);
                Acknowledge(delivery);
            }
            Interlocked.Decrement(ref _unfinished);
        }
    }

    private void Apply(Reading reading)
    {
        lock (_states)
        {
            if (!_states.TryGetValue(reading.Sensor, out SensorState? state))
            {
                _states[reading.Sensor] = state = new SensorState(reading.Sensor);
            }
            state.Apply(reading);
            _lastMinute.Add(reading);
        }
    }
}
