// SemaphoreSlim: a poller waits for its time or for a signal, whichever is first, by WhenAny. The
// wait for the signal goes on, and the semaphore has a node for each (dotnet/runtime#120767). It
// is cancelled when it is not needed any longer.

using Packages;
using Services;

namespace Polling;

public sealed class Poller(Bug bug) : IUse
{
    private readonly SemaphoreSlim _signal = new(0, 1);

    public async ValueTask UnitAsync()
    {
        Task time = Task.Run(() => { });
        if (bug.Strikes())
        {
            await Task.WhenAny(time, _signal.WaitAsync());
            return;
        }
        using var enough = new CancellationTokenSource();
        await Task.WhenAny(time, _signal.WaitAsync(enough.Token));
        await enough.CancelAsync();
    }
}
