// What runs: threads with thread statics and locals, tasks that wait, threads that allocate or collect.

using System.Runtime.CompilerServices;

namespace Shop;

/// <summary>Few of them make 100 kB.</summary>
public struct Block
{
    public const int Few = 12_500;
    public long Number;
}

/// <summary>So many are held, and always the same ones.</summary>
public sealed class Marker
{
    public const int Count = 10_000;
    public long Number;
}

/// <summary>So many are held, but all the time one is replaced by another.</summary>
public sealed class Replaced
{
    public const int Count = 10_000;
    public long Number;
    public Marker? Beside;
}

public static class Workers
{
    private static readonly TaskCompletionSource s_never = new();
    private static readonly List<Task> s_tasks = new();
    private static long s_made;
    private static long s_longest;

    /// <summary>Threads and tasks that wait for ever, each with an object of its own.</summary>
    public static void StartWaiting()
    {
        using var ready = new CountdownEvent(2);
        for (int i = 0; i < 2; i++)
        {
            int number = -70 - i;
            new Thread(() => Wait(number, ready)) { IsBackground = true, Name = "waiting " + i }.Start();
        }
        ready.Wait();
        for (int i = 0; i < 10; i++)
        {
            s_tasks.Add(WaitForever(new Session { Number = -80 - i }));
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Wait(int number, CountdownEvent ready)
    {
        Store.t_current = new Session { Number = number };
        Generic2<string, Session>.t_list = [new Session { Number = number }];
        // Held by the stack alone.
        var local = new Session { Number = number - 5 };
        ready.Signal();
        Thread.Sleep(Timeout.Infinite);
        GC.KeepAlive(local);
    }

    private static async Task WaitForever(Session who)
    {
        await s_never.Task;
        GC.KeepAlive(who);
    }

    public static void StartAllocating(int threads)
    {
        for (int i = 0; i < threads; i++)
        {
            new Thread(Allocate) { IsBackground = true, Name = "allocating " + i }.Start();
        }
    }

    private static void Allocate()
    {
        // A queue that a stack alone holds.
        var kept = new Queue<Session>();
        for (int i = 0; ; i++)
        {
            kept.Enqueue(Store.MakeSession(2_000_000 + i, 3));
            if (kept.Count > 500)
            {
                kept.Dequeue();
            }
            if (i % 1000 == 0)
            {
                GC.KeepAlive(new byte[100_000]);
                Interlocked.Add(ref s_made, 1000);
            }
        }
    }

    /// <summary>What the threads hold that allocate large arrays: always so many, each time others.</summary>
    private static Block[][][] s_large = [];
    private static readonly Marker[] s_markers = new Marker[Marker.Count];
    private static readonly Replaced[] s_replaced = new Replaced[Replaced.Count];

    /// <summary>Most stops find large arrays half made: room is taken, and what lay there before is being cleared.</summary>
    public static void StartAllocatingLarge(int threads, int each)
    {
        for (int i = 0; i < Marker.Count; i++)
        {
            s_markers[i] = new Marker { Number = i };
        }
        for (int i = 0; i < Replaced.Count; i++)
        {
            s_replaced[i] = new Replaced { Number = i, Beside = s_markers[i] };
        }
        s_large = new Block[threads][][];
        for (int i = 0; i < threads; i++)
        {
            Block[][] held = s_large[i] = new Block[each][];
            for (int k = 0; k < each; k++)
            {
                held[k] = new Block[Block.Few];
            }
            int thread = i;
            new Thread(() => AllocateLarge(held, thread, threads)) { IsBackground = true, Name = "large " + i }.Start();
        }
    }

    private static void AllocateLarge(Block[][] held, int thread, int threads)
    {
        for (int i = 0; ; i++)
        {
            int which = (i % (Replaced.Count / threads) * threads) + thread;
            s_replaced[which] = new Replaced { Number = i, Beside = s_markers[which] };
            // Other sizes leave holes that other arrays fit into.
            held[i % held.Length] = new Block[Block.Few + i % 7 * 2500];
            if (i % 64 == 0)
            {
                GC.KeepAlive(Store.MakeSession(i, 2));
            }
        }
    }

    public static void StartTicking()
    {
        new Thread(() =>
        {
            long last = Environment.TickCount64;
            while (true)
            {
                Thread.Sleep(1);
                long now = Environment.TickCount64;
                if (now - last > Interlocked.Read(ref s_longest))
                {
                    Interlocked.Exchange(ref s_longest, now - last);
                }
                last = now;
            }
        })
        { IsBackground = true, Name = "ticking" }.Start();
    }

    public static long LongestStop() => Interlocked.Exchange(ref s_longest, 0);

    public static void StartCollecting()
    {
        new Thread(() =>
        {
            for (int i = 0; ; i++)
            {
                for (int k = 0; k < 1000; k++)
                {
                    GC.KeepAlive(Store.MakeSession(i, 2));
                }
                GC.Collect(i % 3);
            }
        })
        { IsBackground = true, Name = "collecting" }.Start();
    }
}
