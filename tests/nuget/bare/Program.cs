// Checks of a process without a test framework. Each word of the command line is one; it says what
// came of it in one line, "WORD: ...", behind which a message may follow. What must not be throws.
using System.Diagnostics;
using System.Globalization;
using Heapdrift.Testing;

namespace Shop.Bare;

internal sealed class Order
{
    public byte[] Invoice { get; } = new byte[100];
}

internal sealed class Node
{
    public Node? Next { get; init; }
}

internal sealed class Shelf<TKey>
{
    internal sealed class Entry;

    internal sealed class Entry<TValue>;
}

internal static class Program
{
    private static readonly List<object> kept = [];

    private static async Task<int> Main(string[] words)
    {
        // UTF-8 on Windows too, where to ask the console for that ends .NET 8 under wine.
        Console.SetOut(new StreamWriter(Console.OpenStandardOutput()) { AutoFlush = true });
        foreach (string word in words)
        {
            string said = await SaidAsync(word);
            Console.WriteLine($"{word}: {said}");
            kept.Clear();
        }
        return 0;
    }

    private static async Task<string> SaidAsync(string word)
    {
        try
        {
            return word switch
            {
                "why-not" => LeakTest.WhyNot ?? "possible",
                "version" => Environment.Version.Major.ToString(CultureInfo.InvariantCulture),
                "frees" => await GoneAsync(() => _ = new Order()),
                "leaks" => await GoneAsync(() => kept.Add(new Order())),
                "piles" => await PilesAsync(),
                "looks" => await LooksAsync(),
                "throws" => await GoneAsync(() => throw new TimeoutException("the bank does not answer")),
                "nests" => await NestsAsync(),
                "mistypes" => await MistypesAsync(),
                "first" => await FirstAsync(),
                "turns" => await TurnsAsync(),
                "left-running" => await LeftRunningAsync(),
                "cancels" => await CancelsAsync(),
                "hurries" => await HurriesAsync(),
                "waits" => await WaitsAsync(),
                "cost" => await CostAsync(100_000, 25),
                _ => throw new ArgumentException("no such check"),
            };
        }
        catch (Exception e)
        {
            return $"{e.GetType().Name}: {e.Message}";
        }
    }

    private static async Task<string> GoneAsync(Action action)
    {
        await Heap.AssertGoneAsync<Order>(action);
        return "gone";
    }

    // Classes within generic ones, whose names in snapshots have all arguments at the end.
    private static async Task<string> NestsAsync()
    {
        TypeSet[] asked =
        [
            typeof(Shelf<int>.Entry), typeof(Shelf<>.Entry), typeof(Shelf<int>.Entry<string>), typeof(Shelf<>.Entry<>),
            "Shop.Bare.Shelf+Entry<System.Int32>", "Shop.Bare.Shelf+Entry<*,System.String>", typeof(Shelf<string>.Entry), typeof(Shelf<string>.Entry<string>),
        ];
        string said = "";
        foreach (TypeSet types in asked)
        {
            try
            {
                await Heap.AssertGoneAsync(types, () => kept.AddRange([new Shelf<int>.Entry(), new Shelf<int>.Entry<string>()]), new GoneOptions { KeepsFiles = false });
                said += "0 ";
            }
            catch (LeakException e)
            {
                said += e.Message[..2];
            }
        }
        return said;
    }

    private static async Task<string> PilesAsync()
    {
        await Leak.TestAsync(() => kept.Add(new Order()), iterations: 50);
        return "nothing";
    }

    private static async Task<string> LooksAsync()
    {
        using HeapSnapshot before = await Heap.SnapshotAsync();
        for (int i = 0; i < 7; i++)
            kept.Add(new Order());
        using HeapSnapshot after = await Heap.SnapshotAsync();
        HeapObject one = after.Since(before).New<Order>()[0];
        return string.Create(CultureInfo.InvariantCulture,
            $"{before.Count<Order>()}, {after.Count<Order>()}, {after.Since(before).New<Order>().Count} new, held by {one.HeldBy}");
    }

    private static async Task<string> MistypesAsync()
    {
        string said = "";
        foreach (string pattern in new[] { "Shop.Bare.Ordre", "Shop.Baer.*", "Nowhere.At.All.*", "Shelf+Entry<*", "" })
        {
            try
            {
                await Heap.AssertGoneAsync(pattern, () => { });
                said += "\n  nothing";
            }
            catch (ArgumentException e)
            {
                said += "\n  " + e.Message;
            }
        }
        return said;
    }

    // What two snapshots differ in between which nothing is done: the first one that a process ever
    // takes leaves objects behind, and so does what reads its answers.
    private static async Task<string> FirstAsync()
    {
        using HeapSnapshot first = await Heap.SnapshotAsync();
        using HeapSnapshot second = await Heap.SnapshotAsync();
        return string.Create(CultureInfo.InvariantCulture, $"{second.Bytes("*") - first.Bytes("*")} bytes");
    }

    // Four tests at the same time, and what each does while it is looked at.
    private static async Task<string> TurnsAsync()
    {
        int inside = 0, most = 0;
        IEnumerable<Task> checks = Enumerable.Range(0, 4).Select(_ => Task.Run(() => Heap.AssertGoneAsync<Order>(async () =>
        {
            most = Math.Max(most, Interlocked.Increment(ref inside));
            await Task.Delay(50);
            Interlocked.Decrement(ref inside);
        })));
        await Task.WhenAll(checks);
        return $"{most} at a time";
    }

    // What an action leaves running takes a snapshot in the middle of another check, or tries to.
    private static async Task<string> LeftRunningAsync()
    {
        var begin = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task left = Task.CompletedTask;
        await Heap.AssertGoneAsync<Order>(() => { left = SnapshotLaterAsync(begin.Task); });
        bool interrupted = false;
        await Heap.AssertGoneAsync<Order>(async () =>
        {
            begin.SetResult();
            await Task.WhenAny(left, Task.Delay(2000));
            interrupted = left.IsCompleted;
        });
        await left;
        return interrupted ? "interrupts the next check" : "waits for its turn";
    }

    private static async Task SnapshotLaterAsync(Task begin)
    {
        await begin;
        using HeapSnapshot heap = await Heap.SnapshotAsync();
    }

    private static async Task<string> CancelsAsync()
    {
        using var source = new CancellationTokenSource();
        int ran = 0;
        Task test = Leak.TestAsync(() =>
        {
            if (++ran == 30)
                source.Cancel();
        }, iterations: 20, new LeakOptions { Cancellation = source.Token });
        try
        {
            await test;
            return "went on";
        }
        catch (OperationCanceledException)
        {
            // Whoever comes next finds nothing broken.
            await Heap.AssertGoneAsync<Order>(() => { });
            return $"after {ran}";
        }
    }

    private static async Task<string> HurriesAsync()
    {
        try
        {
            using HeapSnapshot never = await Heap.SnapshotAsync(new SnapshotOptions { Timeout = TimeSpan.FromMilliseconds(1) });
            return "was in time";
        }
        catch (HeapdriftException e)
        {
            using HeapSnapshot next = await Heap.SnapshotAsync();
            return $"{e.Message}; then {next.Count<Order>()}";
        }
    }

    private static async Task<string> WaitsAsync()
    {
        await Task.Delay(TimeSpan.FromMinutes(5));
        return "waited";
    }

    private static async Task<string> CostAsync(int objects, int times)
    {
        Node? all = null;
        for (int i = 0; i < objects; i++)
            all = new Node { Next = all };
        var took = new List<double>();
        for (int i = 0; i <= times; i++)
        {
            long begin = Stopwatch.GetTimestamp();
            using HeapSnapshot heap = await Heap.SnapshotAsync();
            took.Add(Stopwatch.GetElapsedTime(begin).TotalMilliseconds);
        }
        GC.KeepAlive(all);
        double first = took[0];
        took.RemoveAt(0);
        took.Sort();
        return string.Create(CultureInfo.InvariantCulture,
            $"{objects} objects, {times} snapshots: median {took[times / 2]:0} ms, {took[0]:0} to {took[^1]:0} ms, the first {first:0} ms");
    }
}
