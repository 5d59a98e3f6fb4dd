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

return await Driver.RunAsync(args, "Services", makers);
