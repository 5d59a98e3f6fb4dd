// AsyncLocal: each session creates one and sets it in a long-lived thread, whose execution context
// keeps every value (nhibernate/nhibernate-core#1594). The fix: one static AsyncLocal.

using System.Collections.Concurrent;
using Packages;
using Services;

namespace Orm;

public sealed class Session(AsyncLocal<bool> flushing)
{
    public void Flush() => flushing.Value = true;
}

public sealed class SessionThread : IUse
{
    private const int Together = 20;
    private static readonly AsyncLocal<bool> Shared = new();
    private readonly Bug _bug;
    private readonly BlockingCollection<bool> _requests = [];
    private readonly SemaphoreSlim _done = new(0);
    private int _asked;

    public SessionThread(Bug bug)
    {
        _bug = bug;
        new Thread(Run) { IsBackground = true, Name = "sessions" }.Start();
    }

    public async ValueTask UnitAsync()
    {
        _requests.Add(_bug.Strikes());
        // Waiting for each request would take longer than the step.
        for (int i = ++_asked % Together == 0 ? Together : 0; i > 0; i--)
        {
            await _done.WaitAsync();
        }
    }

    private void Run()
    {
        foreach (bool leaks in _requests.GetConsumingEnumerable())
        {
            new Session(leaks ? new AsyncLocal<bool>() : Shared).Flush();
            _done.Release();
        }
    }
}
