// The main part of a program of several: begins the one that is named, and obeys standard input.

namespace Services;

public static class Driver
{
    /// <summary>Prints "ready PID", then for each line with a number does so many units of work,
    /// collects fully and answers "done TOTAL". End of input ends it.</summary>
    public static async Task<int> RunAsync(string[] args, string program, SortedDictionary<string, Func<Settings, Task<IService>>> makers)
    {
        if (args is ["list"])
        {
            Console.WriteLine(string.Join('\n', makers.Keys));
            return 0;
        }
        Settings? settings = Settings.From(args);
        if (settings is null || !makers.TryGetValue(args[0], out var make))
        {
            Console.Error.WriteLine($"usage: {program} {string.Join('|', makers.Keys)} [--leak] [--rate=R] [--seed=S] [--size=X]");
            return 2;
        }

        await using IService service = await make(settings);
        long total = 0;
        Console.WriteLine($"ready {Environment.ProcessId}");
        while (Console.ReadLine() is { } line)
        {
            if (!int.TryParse(line, out int units) || units < 0)
            {
                Console.Error.WriteLine($"a number of units of work, not '{line}'");
                return 2;
            }
            await service.WorkAsync(units);
            total += units;
            // Twice: the first collection queues finalizers, and what they held goes with the second.
            for (int i = 0; i < 2; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            GC.Collect();
            Console.WriteLine($"done {total}");
        }
        return 0;
    }
}
