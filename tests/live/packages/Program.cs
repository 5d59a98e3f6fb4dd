// Packages: programs that use a package as public threads say that it leaks, and as they say
// that it should be used.
//
//   Packages NAME [--leak] [--rate=R] [--seed=S] [--size=X]
//   Packages list
//
// Driven as the services are (../services/Program.cs). A step takes about two seconds, however
// many units it has: requests come with time between them, and so do collections.

using Packages;
using Services;

var makers = new SortedDictionary<string, Func<Settings, Task<IService>>>(StringComparer.Ordinal)
{
    ["autofac"] = s => Traffic.Around("autofac", s, bug => new Billing.Cashier(bug)),
    ["dapper"] = s => Traffic.Around("dapper", s, bug => new Pricing.PriceList(bug)),
    ["dynamiclinq"] = s => Traffic.Around("dynamiclinq", s, bug => new Reports.Pivot(bug)),
    ["httpnames"] = s => Traffic.Around("httpnames", s, bug => new Partners.Gateway(bug)),
    ["litedb"] = s => Traffic.Around("litedb", s, bug => new Ledger.Book(bug)),
    ["messenger"] = s => Traffic.Around("messenger", s, bug => new Desk.Workspace(bug)),
    ["meter"] = s => Traffic.Around("meter", s, bug => new Devices.Fleet(bug)),
    ["nlog"] = s => Traffic.Around("nlog", s, bug => new Import.Worker(bug)),
    ["nlognames"] = s => Traffic.Around("nlognames", s, bug => new Import.Batches(bug)),
    ["npgsql"] = s => Traffic.Around("npgsql", s, bug => new Warehouse.Connections(bug)),
    ["replay"] = s => Traffic.Around("replay", s, bug => new Quotes.Feed(bug)),
    ["semaphore"] = s => Traffic.Around("semaphore", s, bug => new Polling.Poller(bug)),
    ["signalr"] = s => Traffic.Around("signalr", s, bug => new Board.Screens(bug)),
    ["xml"] = s => Traffic.Around("xml", s, bug => new Invoices.Sender(bug)),
};

return await Driver.RunAsync(args, "Packages", makers);
