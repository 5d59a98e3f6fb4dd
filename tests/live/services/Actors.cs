// Actors with mailboxes: vehicles ask routes for estimates and get answers as messages. The
// bug: an answer that comes by way of another route is given to the one who asked, but the
// question stays among the open ones of the vehicle.

using System.Threading.Channels;
using Services;

namespace Fleet;

public sealed record Position(double Latitude, double Longitude, DateTime At);
public sealed record Ask(long Id, string Question, Vehicle From, bool Redirected);
public sealed record Estimate(long Id, string Stop, TimeSpan In, bool Redirected);
public sealed record Moved(Position To);

/// <summary>A question that waits for its answer.</summary>
public sealed class PendingAsk(long id, string question)
{
    public long Id { get; } = id;
    public string Question { get; } = question;
    public DateTime Asked { get; } = DateTime.UtcNow;
    public TaskCompletionSource<Estimate> Answer { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
}

public abstract class Actor
{
    private readonly Channel<object> _mailbox = Channel.CreateUnbounded<object>(new UnboundedChannelOptions { SingleReader = true });

    protected Actor(string name)
    {
        Name = name;
        Loop = Task.Run(RunAsync);
    }

    public string Name { get; }
    public Task Loop { get; }
    public void Tell(object message) => _mailbox.Writer.TryWrite(message);
    public void Stop() => _mailbox.Writer.TryComplete();
    protected abstract void Receive(object message);

    private async Task RunAsync()
    {
        await foreach (object message in _mailbox.Reader.ReadAllAsync())
        {
            Receive(message);
        }
    }
}

public sealed class Route(string name, string[] stops) : Actor(name)
{
    private readonly Dictionary<string, Queue<double>> _delays = [];
    private int _answers;

    protected override void Receive(object message)
    {
        if (message is Ask ask)
        {
            string stop = stops[_answers++ % stops.Length];
            if (!_delays.TryGetValue(stop, out Queue<double>? delays))
            {
                _delays[stop] = delays = new Queue<double>();
            }
            delays.Enqueue(_answers % 17);
            if (delays.Count > 30)
            {
                delays.Dequeue();
            }
            ask.From.Tell(new Estimate(ask.Id, stop, TimeSpan.FromMinutes(delays.Average()), ask.Redirected));
        }
    }
}

public sealed class Vehicle(string name, bool keepsRedirected) : Actor(name)
{
    private readonly Dictionary<long, PendingAsk> _open = [];
    private readonly Queue<Position> _track = new();
    private readonly Queue<Estimate> _estimates = new();

    public void Expect(PendingAsk ask)
    {
        lock (_open)
        {
            _open[ask.Id] = ask;
        }
    }

    protected override void Receive(object message)
    {
        switch (message)
        {
            case Moved moved:
                _track.Enqueue(moved.To);
                if (_track.Count > 6)
                {
                    _track.Dequeue();
                }
                break;
            case Estimate estimate:
                _estimates.Enqueue(estimate);
                if (_estimates.Count > 5)
                {
                    _estimates.Dequeue();
                }
                Finish(estimate)?.Answer.SetResult(estimate);
                break;
        }
    }

    private PendingAsk? Finish(Estimate estimate)
    {
        lock (_open)
        {
            _open.TryGetValue(estimate.Id, out PendingAsk? ask);
            // The bug: nobody takes it out.
            if (!(estimate.Redirected && keepsRedirected))
            {
                _open.Remove(estimate.Id);
            }
            return ask;
        }
    }
}

public sealed record Trip(string Vehicle, string[] Stops, Position[] Samples);

public sealed class Dispatch : IService
{
    private readonly Random _random;
    private readonly Bug _bug;
    private readonly Settings _settings;
    private readonly List<Vehicle> _vehicles = [];
    private readonly Route[] _routes;
    private readonly Window<Trip> _trips = new();
    private readonly LruCache<string, Trip> _replays;
    private readonly Dictionary<string, string> _registry = [];
    private long _nextAsk;
    private int _nextVehicle;

    public Dispatch(Settings settings)
    {
        _settings = settings;
        _random = new Random(settings.Seed);
        _bug = new Bug(settings with { Leaks = true }, _random);
        _routes = [.. Enumerable.Range(0, 40).Select(i => new Route($"route-{i}", [.. Enumerable.Range(0, 12).Select(_ => Words.Some(_random, 4))]))];
        _replays = new LruCache<string, Trip>(settings.Scale(600));
        for (int i = 0; i < settings.Scale(500); i++)
        {
            _vehicles.Add(NewVehicle());
        }
        for (int i = 0; i < settings.Scale(5000); i++)
        {
            _registry[$"plate-{i}-{Words.Some(_random, 2)}"] = Words.Some(_random, 6);
        }
    }

    /// <summary>A unit is a question of a vehicle and a move.</summary>
    public async Task WorkAsync(int units)
    {
        _replays.Swing(_random);
        await ChangeShiftAsync();
        var answers = new List<Task<Estimate>>();
        for (int i = 0; i < units; i++)
        {
            Vehicle vehicle = _vehicles[_random.Next(_vehicles.Count)];
            vehicle.Tell(new Moved(new Position(_random.NextDouble(), _random.NextDouble(), DateTime.UtcNow)));
            var ask = new PendingAsk(_nextAsk++, $"when at {Words.Some(_random, 4)}?");
            vehicle.Expect(ask);
            _routes[_random.Next(_routes.Length)].Tell(new Ask(ask.Id, ask.Question, vehicle, _bug.Strikes()));
            answers.Add(ask.Answer.Task);
            if (answers.Count == 64)
            {
                await FinishAsync(answers);
            }
        }
        await FinishAsync(answers);
        _trips.Trim(units / 4, _random);
    }

    public async ValueTask DisposeAsync()
    {
        Actor[] actors = [.. _vehicles, .. _routes];
        foreach (Actor actor in actors)
        {
            actor.Stop();
        }
        await Task.WhenAll(actors.Select(a => a.Loop));
    }

    private Vehicle NewVehicle() => new($"vehicle-{_nextVehicle++}", _settings.Leaks);

    // Some of the fleet comes and goes: the last ones, which are up to a fifth.
    private async Task ChangeShiftAsync()
    {
        int wanted = _settings.Scale(500) * _random.Next(85, 101) / 100;
        int stays = Math.Min(wanted, _settings.Scale(500) * 80 / 100);
        while (_vehicles.Count > stays)
        {
            Vehicle last = _vehicles[^1];
            _vehicles.RemoveAt(_vehicles.Count - 1);
            last.Stop();
            await last.Loop;
        }
        while (_vehicles.Count < wanted)
        {
            _vehicles.Add(NewVehicle());
        }
    }

    private async Task FinishAsync(List<Task<Estimate>> answers)
    {
        Estimate[] estimates = await Task.WhenAll(answers);
        foreach (Estimate estimate in estimates.Where((_, i) => i % 3 == 0))
        {
            Trip trip = _replays.GetOrAdd($"{estimate.Stop}-{_random.Next(3)}", stop =>
                new Trip(stop, [estimate.Stop, Words.Some(_random, 3)], [new Position(0, 0, DateTime.UtcNow)]));
            _trips.Add(trip with { Vehicle = estimate.Stop });
        }
        answers.Clear();
    }
}
