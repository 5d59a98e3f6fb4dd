// A program whose objects can be told apart from outside: each of its own has a number; strings
// have one in their text, or else are, as arrays are, in a field that is set once. identity.py
// reads them from memory.
//
// Texts without a number come many times, arrays are filled anew, and settings are read again
// and again, each time as new objects with the same contents.
//
// A line on standard input: "UNITS HOW" does so many units of work, then collects as told:
//   none | forced | compact (the large objects, too) | gen1 | background | bench
// bench: for so many milliseconds nothing but garbage and a store whose parts are replaced. A third
// word, a number, is work between two objects, so that fewer come (tests/bench/listening.py).
using System.Diagnostics;
using System.Runtime;

namespace IdLab;

public class Numbered
{
    static long s_next = 0x1D00_0000_0000_0000;
    public long Id = Interlocked.Increment(ref s_next);
}

public class Customer : Numbered { public string Name; public Order Last; }
public class Line : Numbered { public string Sku; public int Count; }
public class Order : Numbered { public string Number; public Customer By; public List<Line> Lines = new(); public byte[] Blob; public string State; }
public class Session : Numbered { public string Key; public string Agent; public Dictionary<string, string> Bag = new(); }
public class Leaked : Numbered { public string Why; }
public class Setting : Numbered { public string Key; public string Value; public int[] Range; }

public static class Program
{
    static readonly Random s_random = new(1);
    static readonly List<Customer> s_customers = new();
    static readonly Dictionary<string, Session> s_sessions = new();
    static readonly Queue<string> s_keys = new();
    static readonly Queue<Order> s_window = new();
    static readonly LinkedList<Order> s_recent = new();
    static readonly List<Leaked> s_leak = new();
    static readonly List<byte[]> s_big = new();
    static readonly string[] s_states = { "open", "paid", "shipped", "returned" };
    static List<Setting> s_settings;
    static readonly object[] s_ring = new object[300_000];
    static int s_texts, s_units;

    static string Text(string what) => $"{what}#{++s_texts:D9}{new string('x', s_random.Next(12))}";

    static string Copy(string text) => new(text.AsSpan());

    static List<Setting> ReadSettings()
    {
        var all = new List<Setting>();
        for (int i = 0; i < 80; i++)
            all.Add(new Setting { Key = Copy($"Shop:Part{i % 7}:Option{i}"), Value = Copy(i % 3 == 0 ? "true" : $"value {i * 37}"), Range = new[] { i, 2 * i, i % 5 } });
        return all;
    }

    static Order NewOrder()
    {
        var order = new Order { Number = Text("order"), By = s_customers[s_random.Next(s_customers.Count)], Blob = new byte[s_random.Next(16, 200)], State = Copy(s_states[s_random.Next(s_states.Length)]) };
        if (s_random.Next(2) == 0)
            s_random.NextBytes(order.Blob);
        for (int i = s_random.Next(1, 4); i > 0; i--)
            order.Lines.Add(new Line { Sku = Text("sku"), Count = i });
        return order.By.Last = order;
    }

    static void Work(int unit)
    {
        if (unit % 150 == 0)
            s_settings = ReadSettings();
        var session = new Session { Key = Text("session"), Agent = Copy($"Agent {s_random.Next(30)}/1.0") };
        session.Bag["a"] = Text("value");
        s_sessions[session.Key] = session;
        s_keys.Enqueue(session.Key);
        if (s_keys.Count > 600)
            s_sessions.Remove(s_keys.Dequeue());
        s_window.Enqueue(NewOrder());
        if (s_window.Count > 500)
            s_window.Dequeue();
        // A buffer that is used again is the same array.
        foreach (var order in s_window)
            if (s_random.Next(400) == 0)
                s_random.NextBytes(order.Blob);
        // The middle of a list goes, so that survivors lie thin.
        s_recent.AddFirst(NewOrder());
        if (s_recent.Count > 900)
            s_recent.Remove(s_recent.First.Next.Next);
        for (int i = 0; i < 20; i++)
            Text("garbage");
        if (unit % 4 == 0)
            s_leak.Add(new Leaked { Why = Text("leak") });
        if (unit % 40 == 0)
            s_big.Add(new byte[s_random.Next(90_000, 200_000)]);
        if (s_big.Count > 8)
            s_big.RemoveAt(s_random.Next(8));
    }

    static string Bench(int milliseconds, int work)
    {
        TimeSpan processor = Process.GetCurrentProcess().TotalProcessorTime;
        long total = 0, bytes = GC.GetTotalAllocatedBytes(true);
        int collections = GC.CollectionCount(0);
        var clock = Stopwatch.StartNew();
        Parallel.For(0, 2, thread =>
        {
            var random = new Random(thread);
            long n = 0;
            ulong worked = 1;
            for (; clock.ElapsedMilliseconds < milliseconds;)
                for (int i = 0; i < 1000; i++, n++)
                {
                    var garbage = new byte[random.Next(16, 200)];
                    if (i % 20 == 0)
                        s_ring[random.Next(s_ring.Length)] = new Line { Sku = "x" + n };
                    for (int k = 0; k < work; k++)
                        worked = worked * 6364136223846793005 + 1442695040888963407;
                    GC.KeepAlive(garbage);
                }
            GC.KeepAlive(worked);
            Interlocked.Add(ref total, n);
        });
        double seconds = clock.Elapsed.TotalSeconds;
        processor = Process.GetCurrentProcess().TotalProcessorTime - processor;
        return $"{total / seconds:F0} objects/s {total / processor.TotalSeconds:F0} objects/processor-s {(GC.GetTotalAllocatedBytes(true) - bytes) / seconds / 1e6:F0} MB/s {(GC.CollectionCount(0) - collections) / seconds:F0} collections/s";
    }

    static void Collect(string how)
    {
        if (how == "forced")
            GC.Collect();
        if (how == "gen1")
            GC.Collect(1);
        if (how == "background")
        {
            // Not blocking: work goes on, and young collections come in between.
            GC.Collect(2, GCCollectionMode.Forced, false);
            Task.Run(() => { for (int i = 0; i < 100; i++) Work(s_units++); }).Wait();
            Thread.Sleep(200);
        }
        if (how != "compact")
            return;
        GCSettings.LargeObjectHeapCompactionMode = GCLargeObjectHeapCompactionMode.CompactOnce;
        GC.Collect(2, GCCollectionMode.Forced, true, true);
    }

    public static void Main()
    {
        for (int i = 0; i < 3000; i++)
            s_customers.Add(new Customer { Name = Text("customer") });
        Console.WriteLine("ready");
        while (Console.ReadLine() is { } line)
        {
            var words = line.Split(' ');
            int count = int.Parse(words[0]);
            if (words[1] == "bench")
            {
                Console.WriteLine(Bench(count, words.Length > 2 ? int.Parse(words[2]) : 0));
                continue;
            }
            // On a thread of its own: nothing of it stays on this stack.
            Task.Run(() => { for (int i = 0; i < count; i++) Work(s_units++); }).Wait();
            Collect(words[1]);
            Console.WriteLine($"done {GC.CollectionCount(0)} {GC.CollectionCount(1)} {GC.CollectionCount(2)}");
        }
    }
}
