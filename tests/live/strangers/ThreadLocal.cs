// ThreadLocal: the value refers to its own ThreadLocal. The thread's table keeps the value, so the
// ThreadLocal is never finalized (dotnet/runtime#109387). The fix: Dispose.

using Packages;
using Services;

namespace Scanning;

public sealed class Buffer(ThreadLocal<Buffer> owner)
{
    public ThreadLocal<Buffer> Owner { get; } = owner;
    public char[] Text { get; } = new char[300];
}

public sealed class Scanner(Bug bug) : IUse
{
    private int _next;

    public ValueTask UnitAsync()
    {
        bool leaks = bug.Strikes();
        if (leaks || ++_next % 10 == 0)
        {
            ThreadLocal<Buffer> buffers = null!;
            buffers = new ThreadLocal<Buffer>(() => new Buffer(buffers));
            buffers.Value!.Text[0] = 'a';
            if (!leaks)
            {
                buffers.Dispose();
            }
        }
        return ValueTask.CompletedTask;
    }
}
