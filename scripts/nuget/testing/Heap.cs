using System;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

/// <summary>Leak checks and snapshots of the managed heap of this process.</summary>
public static class Heap
{
    private const string NotAwaited = "The action returns a task that nobody would wait for: await Heap.AssertGoneAsync.";

    /// <summary>Fails if the action leaves objects that can be cast to <typeparamref name="T"/> and were not
    /// there before.</summary>
    /// <remarks>Objects held only by a local variable or by the finalizer queue do not count
    /// (<see cref="GoneOptions.FailOn"/>).</remarks>
    /// <example><code>
    /// await Heap.AssertGoneAsync&lt;DetailsWindow&gt;(async () => { var w = new DetailsWindow(); await w.ShowAsync(); w.Close(); });
    /// </code></example>
    /// <param name="action">The code under test. If it throws, its exception is the test's.</param>
    /// <param name="options">Which objects count, and where results go. Null: the defaults.</param>
    /// <param name="test">Name of the test, used if the test framework does not provide one.</param>
    /// <exception cref="LeakException">Objects are left. The message says how many and what holds them.</exception>
    /// <exception cref="HeapdriftException">The heap could not be inspected.</exception>
    public static Task AssertGoneAsync<T>(Func<Task> action, GoneOptions? options = null,
        [CallerMemberName] string test = "")
        => AssertGoneAsync(TypeSet.Of<T>(), action, options, test);

    /// <inheritdoc cref="AssertGoneAsync{T}(Func{Task}, GoneOptions, string)"/>
    public static Task AssertGoneAsync<T>(Action action, GoneOptions? options = null,
        [CallerMemberName] string test = "")
        => AssertGoneAsync(TypeSet.Of<T>(), action, options, test);

    /// <summary>Fails if the action leaves objects of these types that were not there before.</summary>
    /// <param name="types">A type, a pattern such as <c>"Shop.ViewModels.*"</c>, or several of them.</param>
    /// <param name="action">The code under test. If it throws, its exception is the test's.</param>
    /// <param name="options">Which objects count, and where results go. Null: the defaults.</param>
    /// <param name="test">Name of the test, used if the test framework does not provide one.</param>
    /// <exception cref="ArgumentException">No loaded type matches a pattern. The message suggests the nearest
    /// name.</exception>
    /// <exception cref="LeakException">Objects are left. The message says how many and what holds them.</exception>
    /// <exception cref="HeapdriftException">The heap could not be inspected.</exception>
    public static async Task AssertGoneAsync(TypeSet types, Func<Task> action, GoneOptions? options = null,
        [CallerMemberName] string test = "")
    {
        ArgumentNullException.ThrowIfNull(action);
        using var check = new GoneCheck(types, options ?? new GoneOptions(), test);
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

    /// <inheritdoc cref="AssertGoneAsync(TypeSet, Func{Task}, GoneOptions, string)"/>
    public static async Task AssertGoneAsync(TypeSet types, Action action, GoneOptions? options = null,
        [CallerMemberName] string test = "")
    {
        ArgumentNullException.ThrowIfNull(action);
        using var check = new GoneCheck(types, options ?? new GoneOptions(), test);
        if (check.WarmsUp)
            action();
        await check.BeginAsync();
        Turn.Run(action);
        action = null!;
        await check.EndAsync();
    }

    /// <summary>The synchronous form of <see cref="AssertGoneAsync{T}(Action, GoneOptions, string)"/>.</summary>
    /// <inheritdoc cref="AssertGoneAsync{T}(Func{Task}, GoneOptions, string)"/>
    public static void AssertGone<T>(Action action, GoneOptions? options = null, [CallerMemberName] string test = "")
        => AssertGone(TypeSet.Of<T>(), action, options, test);

    /// <summary>The synchronous form of <see cref="AssertGoneAsync(TypeSet, Action, GoneOptions, string)"/>.</summary>
    /// <inheritdoc cref="AssertGoneAsync(TypeSet, Func{Task}, GoneOptions, string)"/>
    public static void AssertGone(TypeSet types, Action action, GoneOptions? options = null, [CallerMemberName] string test = "")
    {
        ArgumentNullException.ThrowIfNull(action);
        using var check = new GoneCheck(types, options ?? new GoneOptions(), test);
        if (check.WarmsUp)
            action();
        check.BeginAsync().GetAwaiter().GetResult();
        Turn.Run(action);
        action = null!;
        check.EndAsync().GetAwaiter().GetResult();
    }

    /// <summary>Does not compile: nobody would wait for the action. Await <see cref="AssertGoneAsync{T}(Func{Task}, GoneOptions, string)"/>.</summary>
    [Obsolete(NotAwaited, error: true)]
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static void AssertGone<T>(Func<Task> action, GoneOptions? options = null, string test = "") => throw new NotSupportedException(NotAwaited);

    /// <summary>Does not compile: nobody would wait for the action. Await <see cref="AssertGoneAsync(TypeSet, Func{Task}, GoneOptions, string)"/>.</summary>
    [Obsolete(NotAwaited, error: true)]
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static void AssertGone(TypeSet types, Func<Task> action, GoneOptions? options = null, string test = "") => throw new NotSupportedException(NotAwaited);

    /// <summary>Takes a snapshot of this process, after a full garbage collection. Disposing it deletes its
    /// file.</summary>
    /// <param name="options">How long it may take. Null: 60 seconds.</param>
    /// <exception cref="HeapdriftException">No snapshot could be taken. The message says why.</exception>
    public static async Task<HeapSnapshot> SnapshotAsync(SnapshotOptions? options = null)
    {
        LeakTest.SkipUnlessPossible();
        options ??= new SnapshotOptions();
        options.Check();
        // Not in the middle of a check: which object is which is known from one snapshot to the next.
        bool waits = !Turn.IsMine;
        if (waits)
            await Turn.EnterAsync(options.Cancellation).ConfigureAwait(false);
        try
        {
            return new HeapSnapshot(await Collector.TakeAsync(options.Deadline()).ConfigureAwait(false), options);
        }
        finally
        {
            if (waits)
                Turn.Leave();
        }
    }

    /// <summary>The synchronous form of <see cref="SnapshotAsync"/>.</summary>
    /// <inheritdoc cref="SnapshotAsync"/>
    public static HeapSnapshot Snapshot(SnapshotOptions? options = null) => SnapshotAsync(options).GetAwaiter().GetResult();
}
