// Snapshots with as many iterations between each two, and their verdict.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

/// <summary>The snapshots of one such test, and their verdict.</summary>
internal sealed class LeakSeries : Check
{
    /// <summary>Bytes of growth that count if it is steady: less than the smallest object in each
    /// iteration, but not what the runtime does by itself.</summary>
    private const long LeastPerIteration = 16, LeastBytes = 1024;

    private const int MostSnapshots = 50; // that heapdrift compares
    private const string Steady = "--min-steady=";

    private readonly int iterations;
    private readonly LeakOptions options;
    private int last; // snapshots that the series has at its end
    private LeakVerdict? verdict;

    internal LeakSeries(int iterations, LeakOptions options, string caller)
        : base(options, caller)
    {
        this.iterations = iterations;
        this.options = options;
        if (iterations < 1)
            throw new ArgumentOutOfRangeException(nameof(iterations), iterations, "at least one iteration between two snapshots");
        if (options.Snapshots is < 4 or > MostSnapshots)
            throw new ArgumentOutOfRangeException(nameof(options), options.Snapshots, "Snapshots: 4 to 50; fewer than 4 cannot tell a leak from warm-up");
        if (options.WarmUp is < 0)
            throw new ArgumentOutOfRangeException(nameof(options), options.WarmUp, "WarmUp: at least 0 iterations");
        if (options.Config is { } config && !File.Exists(config))
            throw new FileNotFoundException($"Config: {config} does not exist", config);
        last = options.Snapshots;
        SkipUnlessPossible();
    }

    /// <summary>How many iterations come before the next snapshot.</summary>
    internal int Wanted => Files.Count == 0 ? options.WarmUp ?? iterations : iterations;

    /// <summary>Take a snapshot; whether another one follows. Where those that were asked for allow no
    /// verdict, mostly because of what other tests do meanwhile, as many again do.</summary>
    internal async Task<bool> GoesOnAsync()
    {
        await TakeAsync().ConfigureAwait(false);
        if (Files.Count < last)
            return true;
        Answer answer = await CheckAsync(Paths, "json", options.Deadline()).ConfigureAwait(false);
        verdict = LeakVerdict.Parse(answer.Output, iterations);
        last = Math.Min(2 * options.Snapshots - 1, MostSnapshots);
        return verdict.IsInconclusive && Files.Count < last;
    }

    /// <summary>Throw if the snapshots show a leak, or nothing.</summary>
    internal async Task JudgeAsync()
    {
        var deadline = options.Deadline();
        bool unsure = verdict!.IsInconclusive;
        if (verdict.IsPass || (unsure && options.WhenInconclusive == Inconclusive.Passes))
            return;
        if (unsure && options.WhenInconclusive == Inconclusive.Skips)
            throw TestFramework.Skipped(await ReportAsync(null, deadline).ConfigureAwait(false));
        Evidence evidence = Evidence.Keep(options, Caller, Files);
        string message = await ReportAsync(evidence.Snapshots, deadline).ConfigureAwait(false) + await SuspectAsync(verdict.Suspect, deadline).ConfigureAwait(false);
        await evidence.CompleteAsync(message, (format, file) => WriteAsync(format, file, evidence.Snapshots!, deadline)).ConfigureAwait(false);
        throw new LeakException(message + evidence.Attach());
    }

    // The chain of what has piled up, whole and with the names of fields: a snapshot has none. What
    // to do has been said.
    private async Task<string> SuspectAsync(string? type, Deadline deadline)
    {
        if (type is null)
            return "";
        try
        {
            using Chains chains = await Chains.ReadAsync(Files, new ChainQuestion([type], $"2..{Files.Count}", 1), deadline).ConfigureAwait(false);
            int advice = chains.Text.IndexOf("\nFIX", StringComparison.Ordinal);
            return $"\n\n{type} is held by\n{(advice < 0 ? chains.Text : chains.Text[..advice])}";
        }
        catch (HeapdriftException e)
        {
            // That there is a leak is known without the chain.
            return $"\n\nwhat holds {type} could not be found: {e.Message}";
        }
    }

    // As text. What it says to do next is for snapshots that stay, in that folder.
    private async Task<string> ReportAsync(string? snapshots, Deadline deadline)
    {
        Answer report = await CheckAsync(snapshots is null ? Paths : [snapshots], "text", deadline).ConfigureAwait(false);
        int next = report.Output.IndexOf("\n\nnext:", StringComparison.Ordinal);
        return snapshots is null && next >= 0 ? report.Output[..next] : report.Output.TrimEnd();
    }

    private Task WriteAsync(string format, string file, string snapshots, Deadline deadline)
        => HeapdriftProgram.RunAsync(["diff", "--quiet", .. Series(), "--format=" + format, "--output=" + file, snapshots], deadline);

    private async Task<Answer> CheckAsync(IEnumerable<string> paths, string format, Deadline deadline)
    {
        List<string> arguments = ["check", "--color=never", $"--width={ChainQuestion.Width}", "--no-progress", "--format=" + format, .. Series()];
        if (options.Config is { } config)
            arguments.Add("--config=" + config);
        arguments.AddRange(paths);
        try
        {
            return await HeapdriftProgram.RunAsync(arguments, deadline, HeapdriftProgram.OverBudget).ConfigureAwait(false);
        }
        catch (HeapdriftException e) when (e.Message.StartsWith(Steady, StringComparison.Ordinal))
        {
            throw new ArgumentException($"MinimumGrowth={e.Message[Steady.Length..]}", nameof(options));
        }
    }

    private List<string> Series()
    {
        List<string> all = ["--iterations=" + string.Join(',', Files.Select((_, i) => ((long)i * iterations).ToString(CultureInfo.InvariantCulture)))];
        all.AddRange(options.Ignore.Select(pattern => "--exclude=" + pattern));
        // A share of the heap would depend on what else a test process has done.
        string steady = options.MinimumGrowth ?? $"{Math.Max(LeastBytes, LeastPerIteration * iterations * (Files.Count - 1L))}";
        all.Add(Steady + steady);
        if (options.MinimumGrowth is { } least)
            all.Add("--min-score=" + least);
        return all;
    }
}
