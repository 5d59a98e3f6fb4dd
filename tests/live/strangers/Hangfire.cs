// Hangfire: jobs in memory are enqueued for a queue without a server and stay
// (perrich/Hangfire.MemoryStorage#36). The fix: jobs complete, and expire after a second.

using Hangfire;
using Hangfire.InMemory;
using Hangfire.States;
using Packages;
using Services;

namespace Mailing;

public sealed class Letters
{
    public static void Send(int number, string to) => GC.KeepAlive((number, to));
}

public sealed class Scheduler(Bug bug) : IUse
{
    private readonly BackgroundJobClient _client = new(new InMemoryStorage(
        new InMemoryStorageOptions { MaxExpirationTime = TimeSpan.FromSeconds(1) }));
    private int _next;

    public ValueTask UnitAsync()
    {
        bool leaks = bug.Strikes();
        int number = ++_next;
        if (leaks || number % 100 == 0)
        {
            var job = Hangfire.Common.Job.FromExpression(() => Letters.Send(number, "reader " + number));
            string id = _client.Create(job, new EnqueuedState(leaks ? "letters-old" : "letters"));
            if (!leaks)
            {
                _client.Delete(id);
            }
        }
        return ValueTask.CompletedTask;
    }
}
