using System;

namespace Heapdrift.Testing;

/// <summary>What all checks have.</summary>
public abstract class CheckOptions
{
    /// <summary>How long heapdrift may take for each snapshot or comparison; the action itself has no
    /// limit. 60 seconds.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>Where a failed test leaves its page, its report and its snapshots. Default: the folder of
    /// <c>HEAPDRIFT_RESULTS</c>, that of the test framework, or TestResults beside the test.</summary>
    public string? ResultsFolder { get; set; }

    /// <summary>Whether a failed test leaves and attaches files.</summary>
    public bool KeepsFiles { get; set; } = true;

    /// <summary>MSTest's TestContext, where the framework does not tell it by itself (before MSTest 4).</summary>
    public object? TestContext { get; set; }

    internal void Check()
    {
        if (Timeout <= TimeSpan.Zero || Timeout.TotalMilliseconds > int.MaxValue)
            throw new ArgumentOutOfRangeException(nameof(Timeout), Timeout, "must be more than 0 and less than 24 days");
    }
}

/// <summary>Options of <see cref="Heap.AssertGoneAsync{T}(Func{System.Threading.Tasks.Task}, GoneOptions, System.Threading.CancellationToken, string)"/>.</summary>
public sealed class GoneOptions : CheckOptions
{
    /// <summary>Which objects fail the test. Those that only a stack slot or the finalizer queue keeps do
    /// not by default: they are on their way out, and when they go depends on the build.</summary>
    public KeptBy FailOn { get; set; } = KeptBy.References;

    /// <summary>Run the action once before the snapshots: then what its first run leaves on purpose does
    /// not count, such as singletons and entries of a cache.</summary>
    public bool WarmUp { get; set; }

    /// <summary>How many chains of references a message shows. 3.</summary>
    public int Chains { get; set; } = 3;
}

/// <summary>What becomes of a test whose snapshots allow no verdict.</summary>
public enum Inconclusive
{
    /// <summary>It is skipped, with the reason.</summary>
    Skips,

    /// <summary>It fails.</summary>
    Fails,

    /// <summary>It passes.</summary>
    Passes,
}

/// <summary>Options of <see cref="Leak.TestAsync(Func{System.Threading.Tasks.Task}, int, LeakOptions, System.Threading.CancellationToken, string)"/>.</summary>
public sealed class LeakOptions : CheckOptions
{
    /// <summary>How many snapshots are compared, 4 to 50. 5.</summary>
    public int Snapshots { get; set; } = 5;

    /// <summary>Iterations before the first snapshot, which fill caches and compile code. Default: as many
    /// as lie between two snapshots.</summary>
    public int? WarmUp { get; set; }

    /// <summary>Types whose growth does not count, such as those of a mock.</summary>
    public string[] Ignore { get; set; } = [];

    /// <summary>How much of the heap a suspect must have grown by, as heapdrift writes it: "2%", "64KiB".
    /// Default: 2 %, or 0.1 % if it grows steadily.</summary>
    public string? MinimumGrowth { get; set; }

    /// <summary>The budget file. Default: the nearest heapdrift.yml above the working directory.</summary>
    public string? Config { get; set; }

    /// <summary>What becomes of a test whose snapshots allow no verdict. It is skipped.</summary>
    public Inconclusive WhenInconclusive { get; set; } = Inconclusive.Skips;
}
