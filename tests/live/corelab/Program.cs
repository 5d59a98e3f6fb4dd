// CoreLab: a process whose heap has one of everything, to take core dumps of.
//
//   CoreLab [quiet|growing|allocating|large|collecting|secrets] [--size=N] [--due] [--tick]
//
// quiet        builds the heap, collects three times and waits
// growing      the same; what it holds grows with every command
// allocating   the same, and four threads that allocate all the time
// large        the same, and four threads that replace the 32 Block[] of 100 kB and more that they hold, all the time
// collecting   the same, and one thread that collects all the time
// secrets      the same as quiet, and secrets in all places that a process has (Secrets.cs)
//
// It prints "READY <pid>", then reads lines from standard input. A number N makes N more sessions leak, and the answer is
// "done <total>"; "stop" is answered with the longest time that it stood still since the last, in milliseconds (--tick);
// "values" is answered with a line NAME=VALUE for each of Values.cs and "done";
// "crash" makes it crash; end of input ends it.
//
//   --size=N   sessions, about 45 objects each (2000)
//   --secret=TEXT  nothing: a secret among the arguments
//   --due      stop in a finalizer, with others due behind it. No gcdump can be taken then: the runtime walks the heap on
//              the thread of the finalizers.
//   --tick     a thread looks at the clock all the time, for "stop"

using System.Globalization;

namespace Shop;

public static class Program
{
    private static int _size = 2000;
    private static bool _due;

    public static int Main(string[] args)
    {
        string mode = "quiet";
        foreach (string arg in args)
        {
            if (arg.StartsWith("--size=", StringComparison.Ordinal))
            {
                _size = int.Parse(arg.AsSpan(7), CultureInfo.InvariantCulture);
            }
            else if (arg == "--due")
            {
                _due = true;
            }
            else if (arg.StartsWith("--secret=", StringComparison.Ordinal))
            {
                // It is on the command line, which is enough.
            }
            else if (arg == "--tick")
            {
                Workers.StartTicking();
            }
            else
            {
                mode = arg;
            }
        }
        if (mode is not ("quiet" or "growing" or "allocating" or "large" or "collecting" or "secrets"))
        {
            Console.Error.WriteLine("usage: CoreLab [quiet|growing|allocating|large|collecting|secrets] [--size=N] [--due] [--tick]");
            return 2;
        }

        Store.Fill(_size);
        var kinds = Kinds.Make();
        Values.Fill();
        Workers.StartWaiting();
        // The console allocates on its first use, the collections move everything where it stays.
        Console.Error.WriteLine("filled");
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        if (_due)
        {
            Finalizers.StopInOne();
        }
        if (mode == "allocating")
        {
            Workers.StartAllocating(4);
        }
        else if (mode == "large")
        {
            Workers.StartAllocatingLarge(4, 8);
        }
        else if (mode == "collecting")
        {
            Workers.StartCollecting();
        }
        object? secrets = mode == "secrets" ? Secrets.Plant() : null;
        Console.WriteLine("READY " + Environment.ProcessId.ToString(CultureInfo.InvariantCulture));
        int total = 0;
        while (Console.ReadLine() is { } line)
        {
            if (line == "crash")
            {
                Environment.FailFast("crashed as it was told");
            }
            if (line == "stop")
            {
                Console.WriteLine("stop " + Workers.LongestStop().ToString(CultureInfo.InvariantCulture));
                continue;
            }
            if (line == "values")
            {
                Values.Tell(Console.Out);
                Console.WriteLine("done");
                continue;
            }
            int wanted = int.Parse(line, CultureInfo.InvariantCulture);
            Store.Leak(total, wanted);
            total += wanted;
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.Collect();
            Console.WriteLine("done " + total.ToString(CultureInfo.InvariantCulture));
        }
        GC.KeepAlive(kinds);
        GC.KeepAlive(secrets);
        // Threads that wait for ever do not keep it.
        Environment.Exit(0);
        return 0;
    }
}
