// AsyncLab: methods of runtime-async that wait for answers that never come.
//
// It prints "ready <pid>", then reads lines from standard input. A line with a number N makes N requests wait, and is
// answered with "done <total>"; end of input ends it. LEAKLAB_GC=1 collects fully before every answer. Each request is
// held by two continuations of different layouts, those of the two methods that wait: one holds the Order, the other
// the Order and its lines. Every 100th request is handled by a thread of its own, which keeps it in a thread static.

using System.Globalization;

namespace Shop;

public sealed class Order
{
    public int Number;
    public byte[] Text = new byte[100];
}

public static class Desk
{
    private static readonly List<TaskCompletionSource> s_answers = new();

    [ThreadStatic]
    private static List<Order>? t_atHand;

    public static async Task HandleAsync(Order order)
    {
        int[] lines = new int[4];
        await AskAsync(order);
        Console.Error.WriteLine(order.Number + lines[0]);
    }

    public static void HandleApart(Order order)
    {
        using var kept = new ManualResetEventSlim();
        new Thread(() =>
        {
            (t_atHand ??= new List<Order>()).Add(order);
            kept.Set();
            Thread.Sleep(Timeout.Infinite);
        }) { IsBackground = true }.Start();
        kept.Wait();
    }

    private static async Task AskAsync(Order order)
    {
        var answer = new TaskCompletionSource();
        s_answers.Add(answer);
        await answer.Task;
        Console.Error.WriteLine(order.Text.Length);
    }
}

public static class Program
{
    public static int Main()
    {
        int total = 0;
        bool collects = Environment.GetEnvironmentVariable("LEAKLAB_GC") == "1";
        Console.WriteLine("ready " + Environment.ProcessId.ToString(CultureInfo.InvariantCulture));
        while (Console.ReadLine() is { } line)
        {
            for (int left = int.Parse(line, CultureInfo.InvariantCulture); left > 0; left--, total++)
            {
                if (total % 100 == 99)
                {
                    Desk.HandleApart(new Order { Number = total });
                }
                else
                {
                    _ = Desk.HandleAsync(new Order { Number = total });
                }
            }
            for (int i = 0; collects && i < 2; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            Console.WriteLine("done " + total.ToString(CultureInfo.InvariantCulture));
        }
        return 0;
    }
}
