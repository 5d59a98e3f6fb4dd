using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

/// <summary>Looks at the managed heap of this process: what a test leaves behind, and what is there.</summary>
public static class Heap
{
    /// <summary>Fail if objects of <typeparamref name="T"/>, or of a class derived from it, are left after
    /// the action that were not there before.</summary>
    /// <example><code>
    /// await Heap.AssertGoneAsync&lt;DetailsWindow&gt;(async () => { var w = new DetailsWindow(); await w.ShowAsync(); w.Close(); });
    /// </code></example>
    /// <param name="action">What should leave nothing; its own exception wins.</param>
    /// <param name="options">Which objects count; null: those that something refers to.</param>
    /// <param name="cancellation">Ends the waiting, not the action.</param>
    /// <param name="test">The name of the test, where the framework does not tell it.</param>
    /// <exception cref="LeakException">Something is left; the message says what holds it.</exception>
    /// <exception cref="HeapdriftException">The heap could not be looked at.</exception>
    public static Task AssertGoneAsync<T>(Func<Task> action, GoneOptions? options = null,
        CancellationToken cancellation = default, [CallerMemberName] string test = "")
        => AssertGoneAsync(TypeSet.Of<T>(), action, options, cancellation, test);

    /// <inheritdoc cref="AssertGoneAsync{T}(Func{Task}, GoneOptions, CancellationToken, string)"/>
    public static Task AssertGoneAsync<T>(Action action, GoneOptions? options = null,
        CancellationToken cancellation = default, [CallerMemberName] string test = "")
        => AssertGoneAsync(TypeSet.Of<T>(), action, options, cancellation, test);

    /// <summary>Fail if such objects are left after the action that were not there before.</summary>
    /// <param name="types">Types, patterns such as <c>"Shop.ViewModels.*"</c>, or several.</param>
    /// <param name="action">What should leave nothing; its own exception wins.</param>
    /// <param name="options">Which objects count; null: those that something refers to.</param>
    /// <param name="cancellation">Ends the waiting, not the action.</param>
    /// <param name="test">The name of the test, where the framework does not tell it.</param>
    /// <exception cref="ArgumentException">A pattern that no type could match; the nearest name is in the
    /// message.</exception>
    /// <exception cref="LeakException">Something is left; the message says what holds it.</exception>
    /// <exception cref="HeapdriftException">The heap could not be looked at.</exception>
    public static async Task AssertGoneAsync(TypeSet types, Func<Task> action, GoneOptions? options = null,
        CancellationToken cancellation = default, [CallerMemberName] string test = "")
    {
        ArgumentNullException.ThrowIfNull(action);
        using var check = new GoneCheck(types, options, test, cancellation);
        if (check.WarmsUp)
            await action();
        // The action runs where the test does: in a UI that is one thread.
        await check.BeginAsync();
        bool outer = Turn.IsMine;
        Turn.IsMine = true;
        Task running = action();
        // What the action has captured is not ours to keep alive.
        action = null!;
        await running;
        running = null!;
        Turn.IsMine = outer;
        await check.EndAsync();
    }

    /// <inheritdoc cref="AssertGoneAsync(TypeSet, Func{Task}, GoneOptions, CancellationToken, string)"/>
    public static async Task AssertGoneAsync(TypeSet types, Action action, GoneOptions? options = null,
        CancellationToken cancellation = default, [CallerMemberName] string test = "")
    {
        ArgumentNullException.ThrowIfNull(action);
        using var check = new GoneCheck(types, options, test, cancellation);
        if (check.WarmsUp)
            action();
        await check.BeginAsync();
        Turn.Run(action);
        action = null!;
        await check.EndAsync();
    }

    /// <summary>The same for tests that are not asynchronous; it blocks its thread.</summary>
    /// <inheritdoc cref="AssertGoneAsync{T}(Func{Task}, GoneOptions, CancellationToken, string)"/>
    public static void AssertGone<T>(Action action, GoneOptions? options = null, [CallerMemberName] string test = "")
        => AssertGone(TypeSet.Of<T>(), action, options, test);

    /// <summary>The same for tests that are not asynchronous; it blocks its thread.</summary>
    /// <inheritdoc cref="AssertGoneAsync(TypeSet, Func{Task}, GoneOptions, CancellationToken, string)"/>
    public static void AssertGone(TypeSet types, Action action, GoneOptions? options = null, [CallerMemberName] string test = "")
    {
        ArgumentNullException.ThrowIfNull(action);
        using var check = new GoneCheck(types, options, test, default);
        if (check.WarmsUp)
            action();
        check.BeginAsync().GetAwaiter().GetResult();
        Turn.Run(action);
        action = null!;
        check.EndAsync().GetAwaiter().GetResult();
    }

    /// <summary>A snapshot of this process, after a full garbage collection. Dispose it: then its file
    /// goes.</summary>
    /// <param name="timeout">How long it may take; null: 60 seconds.</param>
    /// <param name="cancellation">Ends the waiting.</param>
    /// <exception cref="HeapdriftException">There is none; the message says why.</exception>
    public static async Task<HeapSnapshot> SnapshotAsync(TimeSpan? timeout = null, CancellationToken cancellation = default)
    {
        LeakTest.SkipUnlessPossible();
        TimeSpan limit = timeout ?? TimeSpan.FromSeconds(60);
        var deadline = new Deadline(limit, cancellation);
        SnapshotMarker.Renew();
        // Not in the middle of a check: which object is which is known from one snapshot to the next.
        bool waits = !Turn.IsMine;
        if (waits)
            await Turn.EnterAsync(cancellation).ConfigureAwait(false);
        try
        {
            return new HeapSnapshot(await Collector.TakeAsync(deadline).ConfigureAwait(false), limit);
        }
        finally
        {
            if (waits)
                Turn.Leave();
        }
    }

    /// <summary>The same for tests that are not asynchronous; it blocks its thread.</summary>
    /// <inheritdoc cref="SnapshotAsync"/>
    public static HeapSnapshot Snapshot(TimeSpan? timeout = null) => SnapshotAsync(timeout).GetAwaiter().GetResult();
}
