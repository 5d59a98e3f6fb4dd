// Hard: a pool has as many parsers as were ever in use together, so it grows while the load sets
// records. Each request uses a parser for up to a second.

using Microsoft.Extensions.ObjectPool;
using Packages;
using Services;

namespace Parsing;

public sealed class DocumentParser
{
    public char[] Buffer { get; } = new char[600];
    public List<string> Names { get; } = new(16);
}

public sealed class Workers : IUse
{
    private readonly DefaultObjectPool<DocumentParser> _pool = new(new DefaultPooledObjectPolicy<DocumentParser>(), 4000);
    private readonly PriorityQueue<DocumentParser, long> _busy = new();
    private readonly Random _random = new(1);

    public ValueTask UnitAsync()
    {
        long now = Environment.TickCount64;
        while (_busy.TryPeek(out _, out long done) && done <= now)
        {
            _pool.Return(_busy.Dequeue());
        }
        _busy.Enqueue(_pool.Get(), now + _random.Next(100, 1000));
        return ValueTask.CompletedTask;
    }
}
