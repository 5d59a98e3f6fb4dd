using System;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

/// <summary>Runs an action many times and fails if anything accumulates.</summary>
public static class Leak
{
    private const int UsualIterations = 100;
    private const string NotAwaited = "The action returns a task that nobody would wait for: await Leak.TestAsync.";

    /// <summary>Warms the action up, takes snapshots with the same number of iterations between them, and
    /// compares them like <c>heapdrift check</c>, with the budgets and suppressions of the nearest
    /// heapdrift.yml.</summary>
    /// <example><code>
    /// await Leak.TestAsync(() => shop.CheckoutAsync(cart), iterations: 100);
    /// </code></example>
    /// <param name="action">One iteration. If it throws, its exception is the test's.</param>
    /// <param name="iterations">Iterations between two snapshots.</param>
    /// <param name="options">Number of snapshots, warm-up, types to ignore. Null: the defaults.</param>
    /// <param name="test">Name of the test, used if the test framework does not provide one.</param>
    /// <exception cref="LeakException">Something accumulates. The message is heapdrift's report.</exception>
    /// <exception cref="HeapdriftException">The heap could not be inspected.</exception>
    public static async Task TestAsync(Func<Task> action, int iterations = UsualIterations, LeakOptions? options = null,
        [CallerMemberName] string test = "")
    {
        ArgumentNullException.ThrowIfNull(action);
        options ??= new LeakOptions();
        using var series = new LeakSeries(iterations, options, test);
        await series.BeginAsync();
        bool outer = Turn.IsMine;
        Turn.IsMine = true;
        do
        {
            for (int i = 0; i < series.Wanted; i++)
            {
                options.Cancellation.ThrowIfCancellationRequested();
                await action();
            }
        }
        while (await series.GoesOnAsync());
        Turn.IsMine = outer;
        await series.JudgeAsync();
    }

    /// <inheritdoc cref="TestAsync(Func{Task}, int, LeakOptions, string)"/>
    public static Task TestAsync(Action action, int iterations = UsualIterations, LeakOptions? options = null,
        [CallerMemberName] string test = "")
    {
        ArgumentNullException.ThrowIfNull(action);
        return TestAsync(() => Run(action), iterations, options, test);
    }

    /// <summary>The synchronous form of <see cref="TestAsync(Action, int, LeakOptions, string)"/>.</summary>
    /// <inheritdoc cref="TestAsync(Func{Task}, int, LeakOptions, string)"/>
    public static void Test(Action action, int iterations = UsualIterations, LeakOptions? options = null, [CallerMemberName] string test = "")
    {
        ArgumentNullException.ThrowIfNull(action);
        options ??= new LeakOptions();
        using var series = new LeakSeries(iterations, options, test);
        series.BeginAsync().GetAwaiter().GetResult();
        do
        {
            Turn.Run(() => Repeat(action, series.Wanted, options.Cancellation));
        }
        while (series.GoesOnAsync().GetAwaiter().GetResult());
        series.JudgeAsync().GetAwaiter().GetResult();
    }

    /// <summary>Does not compile: nobody would wait for the action. Await <see cref="TestAsync(Func{Task}, int, LeakOptions, string)"/>.</summary>
    [Obsolete(NotAwaited, error: true)]
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static void Test(Func<Task> action, int iterations = UsualIterations, LeakOptions? options = null, string test = "")
        => throw new NotSupportedException(NotAwaited);

    private static void Repeat(Action action, int times, CancellationToken cancellation)
    {
        for (int i = 0; i < times; i++)
        {
            cancellation.ThrowIfCancellationRequested();
            action();
        }
    }

    private static Task Run(Action action)
    {
        action();
        return Task.CompletedTask;
    }
}
