// System.Reactive: Replay() without a limit, shared by RefCount(), keeps all values for those who
// may subscribe yet (dotnet/reactive#1218). Replay(50) keeps fifty.

using System.Reactive.Linq;
using System.Reactive.Subjects;
using Packages;
using Services;

namespace Quotes;

public sealed record Quote(int Number, string Symbol, decimal Bid, decimal Ask);

public sealed class Feed : IUse
{
    private readonly Bug _bug;
    private readonly Subject<Quote> _ticks = new();
    private readonly Subject<Quote> _trades = new();
    private readonly IDisposable _all;
    private int _next;

    public Feed(Bug bug)
    {
        _bug = bug;
        var count = new int[1];
        _all = _ticks.Replay(50).RefCount().Merge(_trades.Replay().RefCount()).Subscribe(_ => count[0]++);
    }

    /// <summary>Trades are few, and come only when they are due.</summary>
    public ValueTask UnitAsync()
    {
        int number = ++_next;
        var quote = new Quote(number, "symbol " + number % 500, number % 97, number % 89);
        (_bug.Strikes() ? _trades : _ticks).OnNext(quote);
        GC.KeepAlive(_all);
        return ValueTask.CompletedTask;
    }
}
