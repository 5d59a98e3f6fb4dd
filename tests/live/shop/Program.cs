// A shop whose baskets listen to price changes. In the leaking version a basket that was
// paid for goes on listening, so the static event holds it for ever.
//
//   Shop fixed|leaking
//
// It prints "ready PID". A line with a number N on standard input makes it serve N customers;
// then it collects fully and answers "done TOTAL". End of input ends it. So a snapshot that
// is taken between two answers is of a known state.

using CornerShop;

if (args is not ["fixed" or "leaking"])
{
    Console.Error.WriteLine("usage: Shop fixed|leaking");
    return 2;
}

var shop = new Workload(leaks: args[0] == "leaking");
int total = 0;
Console.WriteLine($"ready {Environment.ProcessId}");
while (Console.ReadLine() is { } line)
{
    if (!int.TryParse(line, out int count) || count < 0)
    {
        Console.Error.WriteLine($"a number of customers, not '{line}'");
        return 2;
    }
    for (int i = 0; i < count; i++)
    {
        shop.Serve(total++);
    }
    // Twice: the first collection queues finalizers, and what they held goes with the second.
    GC.Collect();
    GC.WaitForPendingFinalizers();
    GC.Collect();
    Console.WriteLine($"done {total}");
}
return 0;
