// Whoever looks at what an action leaves behind must be alone with that: tests that run in parallel
// take turns.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

internal static class Turn
{
    private static readonly SemaphoreSlim gate = new(1, 1);
    private static readonly AsyncLocal<long> mine = new();
    private static long last; // number of the turn that is, or was the last
    private static long now; // the same; 0: it is nobody's

    /// <summary>Whether what runs here has the turn: then a check within a check needs none. What an
    /// action leaves running has it no longer than the check.</summary>
    internal static bool IsMine
    {
        get => mine.Value != 0 && mine.Value == Volatile.Read(ref now);
        set => mine.Value = value ? now : 0;
    }

    internal static async Task EnterAsync(CancellationToken cancellation)
    {
        await gate.WaitAsync(cancellation).ConfigureAwait(false);
        Volatile.Write(ref now, ++last);
    }

    internal static void Leave()
    {
        Volatile.Write(ref now, 0);
        gate.Release();
    }

    /// <summary>Run the action of the check that has the turn. It has a frame of its own, so that its
    /// locals are gone with it.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void Run(Action action)
    {
        bool outer = IsMine;
        IsMine = true;
        try
        {
            action();
        }
        finally
        {
            IsMine = outer;
        }
    }
}
