// Services: programs of eight kinds, each with a bug that can be switched on.
//
//   Services NAME [--leak] [--rate=R] [--seed=S] [--size=X]
//   Services list
//
// It prints "ready PID". A line with a number N on standard input makes it do N units of its
// work (requests, messages, frames, ...); then it collects fully and answers "done TOTAL".
// End of input ends it. So a snapshot between two answers is of a known state, and the load is
// what the caller makes of it: the same N each time, more, or any.
//
//   --leak      with the bug; without it everything else is the same
//   --rate=R    share of the units that meet the bug (1)
//   --seed=S    another run of the same program (1)
//   --size=X    multiplies what the service keeps anyway: the size of the heap (1)

using Services;

var makers = new SortedDictionary<string, Func<Settings, Task<IService>>>(StringComparer.Ordinal)
{
    ["actors"] = s => Task.FromResult<IService>(new Fleet.Dispatch(s)),
    ["caches"] = s => Task.FromResult<IService>(new Rules.Engine(s)),
    ["consumer"] = s => Task.FromResult<IService>(new Telemetry.Pipeline(s)),
#if EFCORE
    ["efcore"] = s => Market.Shop.StartAsync(s),
#endif
    ["game"] = s => Task.FromResult<IService>(new Arena.World(s)),
    ["mvvm"] = s => Task.FromResult<IService>(new Studio.Workbench(s)),
    ["plugins"] = s => Task.FromResult<IService>(new Hosting.PluginHost(s)),
    ["signalr"] = s => Chat.Server.StartAsync(s),
};

if (args is ["list"])
{
    Console.WriteLine(string.Join('\n', makers.Keys));
    return 0;
}
Settings? settings = Settings.From(args);
if (settings is null || !makers.TryGetValue(args[0], out var make))
{
    Console.Error.WriteLine($"usage: Services {string.Join('|', makers.Keys)} [--leak] [--rate=R] [--seed=S] [--size=X]");
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
