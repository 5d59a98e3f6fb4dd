// Strangers: programs on which no rule was tuned. Sixteen use a package in a way that a public report
// describes as a leak, or as its fix advises. Nine are healthy and hard: a store fills for the whole
// run.
//
//   Strangers NAME [--leak] [--rate=R] [--seed=S] [--size=X]
//   Strangers list
//
// Driven like ../packages, with the same traffic.

using Packages;
using Services;

var uses = new Dictionary<string, Func<Bug, IUse>>
{
    ["asynclocal"] = bug => new Orm.SessionThread(bug),
    ["blazorevent"] = bug => new Dashboard.Host(bug),
    ["circuits"] = _ => new Counters.Visitors(),
    ["culture"] = bug => new Greeting.Greeter(bug),
    ["diagnosticlistener"] = bug => new Blobs.Store(bug),
    ["efproviders"] = bug => new Catalog.Reader(bug),
    ["grpc"] = bug => new Prices.Subscriber(bug),
    ["hangfire"] = bug => new Mailing.Scheduler(bug),
    ["interning"] = _ => new Logs.Parser(),
    ["jint"] = bug => new Formulas.Calculator(bug),
    ["lru"] = _ => new Gallery.Images(),
    ["masstransit"] = bug => new Auctions.Rooms(bug),
    ["memorycache"] = _ => new Lookup.Products(),
    ["pool"] = _ => new Parsing.Workers(),
    ["propertydescriptor"] = bug => new Binding.Window(bug),
    ["queue"] = _ => new Outbox.Sender(),
    ["ratelimiter"] = bug => new Throttle.Gate(bug),
    ["runtimecaching"] = bug => new Statistics.Reports(bug),
    ["serializers"] = _ => new Gateway.Envelopes(),
    ["sessions"] = _ => new Login.Members(),
    ["sqlitecommands"] = bug => new Notes.Book(bug),
    ["telemetry"] = bug => new Metering.Tracker(bug),
    ["threadlocal"] = bug => new Scanning.Scanner(bug),
    ["tokens"] = _ => new Identity.Tenants(),
    ["wcf"] = bug => new Rates.Client(bug),
};

var makers = new SortedDictionary<string, Func<Settings, Task<IService>>>(
    uses.ToDictionary(u => u.Key, u => (Func<Settings, Task<IService>>)(s => Traffic.Around(u.Key, s, u.Value))), StringComparer.Ordinal);

return await Driver.RunAsync(args, "Strangers", makers);
