using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

/// <summary>Runs an action many times and fails if anything accumulates.</summary>
public static class Leak
{
    private const int UsualIterations = 100;

    /// <summary>Warms the action up, takes snapshots with the same number of iterations between them, and
    /// compares them like <c>heapdrift check</c>, with the budgets and suppressions of the nearest
    /// heapdrift.yml.</summary>
    /// <example><code>
    /// await Leak.TestAsync(() => shop.CheckoutAsync(cart), iterations: 100);
    /// </code></example>
    /// <param name="action">One iteration. If it throws, its exception is the test's.</param>
    /// <param name="iterations">Iterations between two snapshots.</param>
    /// <param name="options">Number of snapshots, warm-up, types to ignore. Null: the defaults.</param>
    /// <param name="cancellation">Cancels the snapshots and all further iterations.</param>
    /// <param name="test">Name of the test, used if the test framework does not provide one.</param>
    /// <exception cref="LeakException">Something accumulates. The message is heapdrift's report.</exception>
    /// <exception cref="HeapdriftException">The heap could not be inspected.</exception>
    public static async Task TestAsync(Func<Task> action, int iterations = UsualIterations, LeakOptions? options = null,
        CancellationToken cancellation = default, [CallerMemberName] string test = "")
    {
        ArgumentNullException.ThrowIfNull(action);
        using var series = new LeakSeries(iterations, options, test, cancellation);
        await series.BeginAsync();
        bool outer = Turn.IsMine;
        Turn.IsMine = true;
        do
        {
            for (int i = 0; i < series.Wanted; i++)
            {
                cancellation.ThrowIfCancellationRequested();
                await action();
            }
        }
        while (await series.GoesOnAsync());
        Turn.IsMine = outer;
        await series.JudgeAsync();
    }

    /// <inheritdoc cref="TestAsync(Func{Task}, int, LeakOptions, CancellationToken, string)"/>
    public static Task TestAsync(Action action, int iterations = UsualIterations, LeakOptions? options = null,
        CancellationToken cancellation = default, [CallerMemberName] string test = "")
    {
        ArgumentNullException.ThrowIfNull(action);
        return TestAsync(() => Run(action), iterations, options, cancellation, test);
    }

    /// <summary>The synchronous form of <see cref="TestAsync(Action, int, LeakOptions, CancellationToken, string)"/>.</summary>
    /// <inheritdoc cref="TestAsync(Func{Task}, int, LeakOptions, CancellationToken, string)"/>
    public static void Test(Action action, int iterations = UsualIterations, LeakOptions? options = null, [CallerMemberName] string test = "")
    {
        ArgumentNullException.ThrowIfNull(action);
        using var series = new LeakSeries(iterations, options, test, default);
        series.BeginAsync().GetAwaiter().GetResult();
        do
        {
            Turn.Run(() => Repeat(action, series.Wanted));
        }
        while (series.GoesOnAsync().GetAwaiter().GetResult());
        series.JudgeAsync().GetAwaiter().GetResult();
    }

    private static void Repeat(Action action, int times)
    {
        for (int i = 0; i < times; i++)
            action();
    }

    private static Task Run(Action action)
    {
        action();
        return Task.CompletedTask;
    }
}

/// <summary>The snapshots of one such test, and their verdict.</summary>
internal sealed class LeakSeries : IDisposable
{
    private readonly int iterations;
    private readonly LeakOptions options;
    private readonly string caller;
    private readonly CancellationToken cancellation;
    private readonly List<SnapshotFile> files = [];
    private readonly bool hadTurn = Turn.IsMine;
    private bool hasTurn;

    internal LeakSeries(int iterations, LeakOptions? options, string caller, CancellationToken cancellation)
    {
        this.iterations = iterations;
        this.options = options ?? new LeakOptions();
        this.caller = caller;
        this.cancellation = cancellation;
        this.options.Check();
        if (iterations < 1)
            throw new ArgumentOutOfRangeException(nameof(iterations), iterations, "at least one iteration between two snapshots");
        if (this.options.Snapshots is < 4 or > 50)
            throw new ArgumentOutOfRangeException(nameof(options), this.options.Snapshots, "Snapshots: 4 to 50; fewer than 4 cannot tell a leak from warm-up");
        if (this.options.WarmUp is < 0)
            throw new ArgumentOutOfRangeException(nameof(options), this.options.WarmUp, "WarmUp: at least 0 iterations");
        TestFramework.Given = this.options.TestContext;
        LeakTest.SkipUnlessPossible();
    }

    /// <summary>How many iterations come before the next snapshot.</summary>
    internal int Wanted => files.Count == 0 ? options.WarmUp ?? iterations : iterations;

    internal async Task BeginAsync()
    {
        if (!hadTurn)
            await Turn.EnterAsync(cancellation).ConfigureAwait(false);
        hasTurn = !hadTurn;
    }

    /// <summary>Take a snapshot; whether another one follows.</summary>
    internal async Task<bool> GoesOnAsync()
    {
        var deadline = new Deadline(options.Timeout, cancellation);
        files.Add(await Collector.TakeAsync(deadline).ConfigureAwait(false));
        return files.Count < options.Snapshots;
    }

    /// <summary>Throw if the snapshots show a leak, or nothing.</summary>
    internal async Task JudgeAsync()
    {
        var deadline = new Deadline(options.Timeout, cancellation);
        Answer answer = await CheckAsync(files.Select(f => f.Path), deadline).ConfigureAwait(false);
        bool passes = answer.Status == 0;
        bool unsure = passes && answer.Output.StartsWith("INCONCLUSIVE", StringComparison.Ordinal);
        if (passes && (!unsure || options.WhenInconclusive == Inconclusive.Passes))
            return;
        if (unsure && options.WhenInconclusive == Inconclusive.Skips)
            throw TestFramework.Skipped(answer.Output.TrimEnd());
        Evidence evidence = Evidence.Keep(options, caller, files);
        // What comes next is for the files that stay.
        if (evidence.Snapshots is { } folder)
            answer = await CheckAsync([folder], deadline).ConfigureAwait(false);
        string message = answer.Output.TrimEnd() + await SuspectAsync(deadline).ConfigureAwait(false);
        await evidence.CompleteAsync(TestFramework.CurrentTest() ?? caller, message, deadline, Series()).ConfigureAwait(false);
        throw new LeakException(message + evidence.Attach());
    }

    public void Dispose()
    {
        foreach (SnapshotFile file in files)
            file.Dispose();
        if (hasTurn)
            Turn.Leave();
        hasTurn = false;
    }

    // The first suspect's chain, whole and with the names of fields: a snapshot has none. Without
    // one, or without a memory that may be read, the report has said all.
    private async Task<string> SuspectAsync(Deadline deadline)
    {
        Answer answer = await HeapdriftProgram.RunAsync(["diff", "--quiet", "--format=json", .. Series(), .. files.Select(f => f.Path)], deadline)
            .ConfigureAwait(false);
        using JsonDocument report = JsonDocument.Parse(answer.Output);
        string? type = report.RootElement.GetProperty("suspects").EnumerateArray()
            .Select(s => s.GetProperty("counted_type").GetString() ?? s.GetProperty("type").GetString()).FirstOrDefault();
        if (type is null)
            return "";
        string chains = await Chains.ReadAsync(files.Skip(files.Count - 1).ToList(), [type], null, 1, deadline).ConfigureAwait(false);
        return $"\n\n{type} is held by\n{chains}";
    }

    private Task<Answer> CheckAsync(IEnumerable<string> paths, Deadline deadline)
    {
        List<string> arguments = ["check", "--color=never", $"--width={Chains.Width}", "--no-progress", .. Series()];
        if (options.Config is { } config)
            arguments.Add("--config=" + config);
        arguments.AddRange(paths);
        return HeapdriftProgram.RunAsync(arguments, deadline, HeapdriftProgram.OverBudget);
    }

    private List<string> Series()
    {
        List<string> all = ["--iterations=" + string.Join(',', files.Select((_, i) => ((long)i * iterations).ToString(CultureInfo.InvariantCulture)))];
        all.AddRange(options.Ignore.Select(pattern => "--exclude=" + pattern));
        if (options.MinimumGrowth is { } least)
            all.AddRange(["--min-score=" + least, "--min-steady=" + least]);
        return all;
    }
}
