using System;
using System.Threading;

namespace Heapdrift.Testing;

/// <summary>Options of whatever takes snapshots.</summary>
public class SnapshotOptions
{
    /// <summary>Limit for each snapshot and each comparison; an action has none. Default: 60 seconds.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>Ends the waiting for snapshots and comparisons, and no further iteration begins.</summary>
    public CancellationToken Cancellation { get; set; }

    internal void Check()
    {
        if (Timeout <= TimeSpan.Zero || Timeout.TotalMilliseconds > int.MaxValue)
            throw new ArgumentOutOfRangeException(nameof(Timeout), Timeout, "must be more than 0 and less than 24 days");
    }

    internal Deadline Deadline() => new(Timeout, Cancellation);
}

/// <summary>Options of all checks.</summary>
public abstract class CheckOptions : SnapshotOptions
{
    /// <summary>Where a failed test leaves its page, report and snapshots. Default: the environment variable
    /// <c>HEAPDRIFT_RESULTS</c>, else the results folder of the test framework, else TestResults next to the
    /// test assembly.</summary>
    public string? ResultsFolder { get; set; }

    /// <summary>Whether a failed test leaves files and attaches them. Default: true.</summary>
    public bool KeepsFiles { get; set; } = true;

    /// <summary>The TestContext of MSTest before 4.4, which a library cannot find by itself: without it nothing
    /// is attached.</summary>
    public object? TestContext { get; set; }
}

/// <summary>Options of <see cref="Heap.AssertGoneAsync{T}(Func{System.Threading.Tasks.Task}, GoneOptions, string)"/>.</summary>
public sealed class GoneOptions : CheckOptions
{
    /// <summary>Which objects fail the test, by what holds them. Default: <see cref="KeptBy.References"/>.
    /// How long a local variable or the finalizer queue keeps an object depends on the build and on
    /// timing.</summary>
    public KeptBy FailOn { get; set; } = KeptBy.References;

    /// <summary>Runs the action once before the first snapshot, so that what only its first run leaves, such
    /// as singletons and cache entries, does not count. Default: false.</summary>
    public bool WarmUp { get; set; }

    /// <summary>Number of reference chains in the message, 1 to 100. Default: 3.</summary>
    public int Chains { get; set; } = 3;
}

/// <summary>Outcome of a test whose snapshots allow no verdict.</summary>
public enum Inconclusive
{
    /// <summary>The test is skipped, with the reason.</summary>
    Skips,

    /// <summary>The test fails.</summary>
    Fails,

    /// <summary>The test passes.</summary>
    Passes,
}

/// <summary>Options of <see cref="Leak.TestAsync(Func{System.Threading.Tasks.Task}, int, LeakOptions, string)"/>.</summary>
public sealed class LeakOptions : CheckOptions
{
    /// <summary>Number of snapshots, 4 to 50. Default: 5. If they allow no verdict, the series goes on with
    /// as many steps again.</summary>
    public int Snapshots { get; set; } = 5;

    /// <summary>Iterations before the first snapshot, to fill caches and compile code. Default: as many as
    /// between two snapshots.</summary>
    public int? WarmUp { get; set; }

    /// <summary>Patterns of types whose growth does not count, such as those of a mocking library.</summary>
    public string[] Ignore { get; set; } = [];

    /// <summary>The least growth that fails the test, as a share of the heap or a size: "2%", "64KiB".
    /// Default: 2 %, or 16 bytes per iteration for growth in every step.</summary>
    public string? MinimumGrowth { get; set; }

    /// <summary>The budget file. Default: the nearest heapdrift.yml in the working directory or above.</summary>
    public string? Config { get; set; }

    /// <summary>Outcome of a test whose snapshots allow no verdict. Default: skipped.</summary>
    public Inconclusive WhenInconclusive { get; set; } = Inconclusive.Skips;
}
