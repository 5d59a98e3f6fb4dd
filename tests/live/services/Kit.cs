// What the services have in common: settings, chance, and the ordinary stores that a healthy
// program keeps: a cache with a limit, a window over the latest things.

using System.Globalization;

namespace Services;

public interface IService : IAsyncDisposable
{
    /// <summary>Does so many units of work; returns when nothing of it is under way.</summary>
    Task WorkAsync(int units);
}

public sealed record Settings(bool Leaks, double Rate, int Seed, double Size)
{
    public static Settings? From(string[] args)
    {
        if (args.Length == 0)
        {
            return null;
        }
        var made = new Settings(false, 1, 1, 1);
        foreach (string arg in args.Skip(1))
        {
            string[] parts = arg.Split('=', 2);
            double number = 0;
            if (parts.Length == 2 && !double.TryParse(parts[1], CultureInfo.InvariantCulture, out number))
            {
                return null;
            }
            switch (parts)
            {
                case ["--leak"]: made = made with { Leaks = true }; break;
                case ["--rate", _]: made = made with { Rate = number }; break;
                case ["--seed", _]: made = made with { Seed = (int)number }; break;
                case ["--size", _]: made = made with { Size = number }; break;
                default: return null;
            }
        }
        return made;
    }

    public int Scale(int count) => Math.Max(1, (int)(count * Size));
}

/// <summary>When the bug strikes.</summary>
public sealed class Bug(Settings settings, Random random)
{
    private double _due;

    /// <summary>By chance, as an aborted connection does.</summary>
    public bool Strikes() => random.NextDouble() < settings.Rate && settings.Leaks;

    /// <summary>Every so many times, as a rule about customers does.</summary>
    public bool IsDue()
    {
        _due += settings.Rate;
        if (_due < 1)
        {
            return false;
        }
        _due -= 1;
        return settings.Leaks;
    }
}

/// <summary>Forgets what was not used for longest. Its limit moves, as that of a cache under
/// memory pressure does.</summary>
public sealed class LruCache<TKey, TValue>(int capacity) where TKey : notnull
{
    private readonly Dictionary<TKey, LinkedListNode<KeyValuePair<TKey, TValue>>> _index = [];
    private readonly LinkedList<KeyValuePair<TKey, TValue>> _order = new();
    private int _swing = 100;

    public TValue GetOrAdd(TKey key, Func<TKey, TValue> make)
    {
        if (_index.TryGetValue(key, out var node))
        {
            _order.Remove(node);
            _order.AddFirst(node);
            return node.Value.Value;
        }
        TValue value = make(key);
        _index[key] = _order.AddFirst(KeyValuePair.Create(key, value));
        Trim();
        return value;
    }

    /// <summary>A new limit of 50 to 100 % of the capacity.</summary>
    public void Swing(Random random)
    {
        _swing = random.Next(50, 101);
        Trim();
    }

    private void Trim()
    {
        while (_index.Count > capacity * _swing / 100)
        {
            _index.Remove(_order.Last!.Value.Key);
            _order.RemoveLast();
        }
    }
}

/// <summary>The latest things, a share of the load: what came in the last minute.</summary>
public sealed class Window<T>
{
    private readonly Queue<T> _items = new();

    public void Add(T item) => _items.Enqueue(item);

    /// <summary>Leaves about so many: what comes in a minute is never the same.</summary>
    public void Trim(int about, Random random)
    {
        int left = about * random.Next(80, 121) / 100;
        while (_items.Count > left)
        {
            _items.Dequeue();
        }
    }
}

public static class Words
{
    private static readonly string[] Syllables =
        ["ka", "lo", "mi", "ren", "tas", "vel", "dor", "ne", "bri", "sol", "qua", "ti", "phe", "gan", "ux", "or"];

    public static string Some(Random random, int syllables) =>
        string.Concat(Enumerable.Range(0, syllables).Select(_ => Syllables[random.Next(Syllables.Length)]));
}
