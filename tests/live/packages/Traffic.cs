// What every one of the programs does besides: the ordinary life of a server of pages. Requests
// come, are answered from a cache with a limit, leave traces for a while, put jobs in a queue that
// follows the load, belong to sessions of any length. How much there is of each differs from
// program to program, by the name.

using Services;

namespace Packages;

/// <summary>What a program does with its package, for one request.</summary>
public interface IUse
{
    ValueTask UnitAsync();
}

public sealed record Article(int Id, string Title, string Text, decimal Price);

public sealed record Page(string Path, string Body, string[] Tags);

public sealed record Visit(long Id, string Path, string Agent, DateTime At);

public sealed record Sample(long At, double Took, string Path);

public sealed record Job(long Id, string Kind, byte[] Payload);

public sealed class Session(string user)
{
    public string User { get; } = user;
    public List<Article> Basket { get; } = [];
    public int LastSeen { get; set; }
}

public sealed class Traffic : IService
{
    private const int Slices = 10;
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(180);
    // More than a step ever has: the warm-up, which is four steps.
    private const int LargestStep = 2100;

    private readonly Random _random;
    private readonly IUse _use;
    private readonly double[] _share;
    private readonly Article[] _articles;
    private readonly LruCache<string, Page> _pages;
    private readonly Window<Visit> _visits = new();
    private readonly Queue<Job> _jobs = new();
    private readonly List<Sample> _samples = [];
    private readonly Dictionary<long, Session> _sessions = [];
    private readonly List<long> _sessionIds = [];
    private readonly int _mostSamples;
    private Dictionary<string, List<Article>> _byWord = [];
    private long _next;
    private int _slice;

    private Traffic(string name, Settings settings, Random random, IUse use)
    {
        _random = random;
        _use = use;
        // Not of the seed: another run of the program is the same program.
        var nature = new Random(name.Sum(c => c * 31));
        _share = [.. Enumerable.Range(0, 6).Select(_ => 0.5 + nature.NextDouble())];
        _articles = [.. Enumerable.Range(0, settings.Scale((int)(12000 + 12000 * _share[0]))).Select(NewArticle)];
        _pages = new LruCache<string, Page>(settings.Scale((int)(700 * _share[1])));
        _mostSamples = settings.Scale((int)(1400 * _share[2]));
    }

    public static Task<IService> Around(string name, Settings settings, Func<Bug, IUse> use)
    {
        var random = new Random(settings.Seed);
        return Task.FromResult<IService>(new Traffic(name, settings, random, use(new Bug(settings, random))));
    }

    public async Task WorkAsync(int units)
    {
        int steps = units > LargestStep ? 4 : 1;
        for (int step = 0; step < steps; step++)
        {
            await StepAsync(units / steps);
        }
    }

    private async Task StepAsync(int units)
    {
        _pages.Swing(_random);
        for (int slice = 0; slice < Slices; slice++)
        {
            for (int i = units * slice / Slices; i < units * (slice + 1) / Slices; i++)
            {
                Request();
                await _use.UnitAsync();
            }
            Drain(units);
            TimeOut();
            await Task.Delay(Pause);
        }
        _visits.Trim((int)(3 * units * _share[3]), _random);
        // An index that is made anew each time.
        _byWord = _articles.GroupBy(a => a.Title[..3]).ToDictionary(g => g.Key, g => g.OrderBy(a => a.Price).ToList());
    }

    public ValueTask DisposeAsync() => (_use as IAsyncDisposable)?.DisposeAsync() ?? ValueTask.CompletedTask;

    private void Request()
    {
        long id = ++_next;
        // Half of all requests are for few pages.
        int article = _random.Next(2) == 0 ? _random.Next(100) : _random.Next(_articles.Length);
        string path = "/articles/" + article;
        Page page = _pages.GetOrAdd(path, p => new Page(p, Words.Some(_random, 60), [_articles[article].Title, Words.Some(_random, 2)]));
        _articles[_random.Next(_articles.Length)] = NewArticle((int)id);
        _visits.Add(new Visit(id, page.Path, Words.Some(_random, 5), DateTime.UtcNow));
        _samples.Add(new Sample(id, _random.NextDouble(), page.Path));
        if (_samples.Count >= _mostSamples)
        {
            _samples.Clear();
        }
        if (_random.NextDouble() < 0.5 * _share[4])
        {
            _jobs.Enqueue(new Job(id, page.Tags[1], new byte[_random.Next(100, 500)]));
        }
        if (_random.NextDouble() < 0.3 * _share[5])
        {
            _sessions[id] = new Session(Words.Some(_random, 4)) { LastSeen = _slice };
            _sessionIds.Add(id);
        }
        Attend(_articles[article]);
    }

    // A session goes on with a third of the requests, and ends with some of them.
    private void Attend(Article article)
    {
        if (_sessionIds.Count == 0 || _random.Next(3) != 0)
        {
            return;
        }
        long id = _sessionIds[_random.Next(_sessionIds.Count)];
        Session session = _sessions[id];
        session.Basket.Add(article);
        session.LastSeen = _slice;
        if (_random.Next(3) == 0)
        {
            _sessions.Remove(id);
            _sessionIds.Remove(id);
        }
    }

    // Jobs wait for about half a step, more while more of them come.
    private void Drain(int units)
    {
        int left = (int)(units * 0.25 * _share[4] * (0.6 + 0.8 * _random.NextDouble()));
        while (_jobs.Count > left)
        {
            _jobs.Dequeue();
        }
    }

    // Half a step without a request, and a session is over.
    private void TimeOut()
    {
        _slice++;
        foreach (long id in _sessions.Where(s => s.Value.LastSeen < _slice - Slices / 2).Select(s => s.Key).ToList())
        {
            _sessions.Remove(id);
        }
        _sessionIds.RemoveAll(id => !_sessions.ContainsKey(id));
    }

    private Article NewArticle(int id) => new(id, Words.Some(_random, 4), Words.Some(_random, 20), _random.Next(10000) / 100m);
}
