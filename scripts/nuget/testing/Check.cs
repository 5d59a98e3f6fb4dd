// What every check has: its turn, its snapshots, and the right conditions. What the snapshots are
// asked is for those derived from it.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

internal abstract class Check : IDisposable
{
    private readonly List<SnapshotFile> files = [];
    private readonly CheckOptions options;
    private readonly bool hadTurn = Turn.IsMine;
    private bool hasTurn;

    protected Check(CheckOptions options, string caller)
    {
        options.Check();
        this.options = options;
        Caller = caller;
    }

    /// <summary>The test, where the framework does not tell it.</summary>
    protected string Caller { get; }

    protected IReadOnlyList<SnapshotFile> Files => files;

    protected IReadOnlyList<string> Paths => files.Select(f => f.Path).ToList();

    public void Dispose()
    {
        foreach (SnapshotFile file in files)
            file.Dispose();
        if (hasTurn)
            Turn.Leave();
        hasTurn = false;
    }

    /// <summary>For the end of a constructor, when all else about the options has been refused: skip the
    /// test where the heap cannot be looked at.</summary>
    protected void SkipUnlessPossible()
    {
        TestFramework.Given = options.TestContext;
        LeakTest.SkipUnlessPossible();
    }

    /// <summary>Wait for the turn, unless this is a check within a check.</summary>
    internal virtual async Task BeginAsync()
    {
        if (!hadTurn)
            await Turn.EnterAsync(options.Cancellation).ConfigureAwait(false);
        hasTurn = !hadTurn;
    }

    protected async Task TakeAsync() => files.Add(await Collector.TakeAsync(options.Deadline()).ConfigureAwait(false));
}
