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
    private static readonly AsyncLocal<bool> mine = new();

    /// <summary>Whether what runs here has the turn: then a check within a check needs none.</summary>
    internal static bool IsMine
    {
        get => mine.Value;
        set => mine.Value = value;
    }

    internal static Task EnterAsync(CancellationToken cancellation) => gate.WaitAsync(cancellation);

    internal static void Leave() => gate.Release();

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
