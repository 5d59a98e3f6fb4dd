// A host of plug-ins: each job loads its plug-in into a context of its own and unloads it. The
// bug: the plug-in of a job that was cancelled stays on the host's static event, and its context
// with it.

using System.Runtime.CompilerServices;
using System.Reflection;
using System.Runtime.Loader;
using System.Text.Json;
using Services;

namespace Hosting;

public sealed record Sale(int Id, string Product, decimal Amount, DateTime At);

public interface IPlugin
{
    string Run(IReadOnlyList<Sale> sales);
    void Detach();
}

public static class HostEvents
{
    /// <summary>The leak hangs here.</summary>
    public static event Action<string>? CultureChanged;

    public static void Change(string culture) => CultureChanged?.Invoke(culture);
}

public sealed class PluginContext(string name) : AssemblyLoadContext(name, isCollectible: true)
{
    // What the host has itself, such as IPlugin, comes from the host.
    protected override Assembly? Load(AssemblyName assembly) => null;
}

public sealed record Invoice(string Customer, string[] Lines, decimal Total);

public sealed record JobResult(int Job, string Text, TimeSpan Took);

public sealed class Customer(string name, string[] addresses)
{
    public string Name { get; } = name;
    public string[] Addresses { get; } = addresses;
    public List<Sale> Sales { get; } = [];
}

public sealed class PluginHost : IService
{
    private readonly Random _random;
    private readonly Bug _bug;
    private readonly string _plugin = Path.Combine(AppContext.BaseDirectory, "Reports.dll");
    private readonly List<Customer> _customers = [];
    private readonly LruCache<int, byte[]> _rendered;
    private readonly Window<JobResult> _results = new();
    private readonly Window<Invoice> _invoices = new();
    private readonly Queue<Sale> _ledger = new();
    private int _nextJob;
    private int _nextSale;

    public PluginHost(Settings settings)
    {
        _random = new Random(settings.Seed);
        _bug = new Bug(settings, _random);
        _rendered = new LruCache<int, byte[]>(settings.Scale(100));
        for (int i = 0; i < settings.Scale(3000); i++)
        {
            _customers.Add(new Customer(Words.Some(_random, 5), [Words.Some(_random, 6), Words.Some(_random, 3)]));
        }
    }

    /// <summary>A unit is a job: some sales, and a report on them.</summary>
    public Task WorkAsync(int units)
    {
        _rendered.Swing(_random);
        for (int i = 0; i < units; i++)
        {
            for (int k = 0; k < 100; k++)
            {
                Sell();
            }
            RunJob(_nextJob++);
        }
        HostEvents.Change(_random.Next(2) == 0 ? "de" : "fr");
        _results.Trim(units, _random);
        _invoices.Trim(units * 6, _random);
        return Task.CompletedTask;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private void Sell()
    {
        Customer customer = _customers[_random.Next(_customers.Count)];
        var sale = new Sale(_nextSale++, Words.Some(_random, 3), _random.Next(10000) / 100m, DateTime.UtcNow);
        customer.Sales.Add(sale);
        if (customer.Sales.Count > 3)
        {
            customer.Sales.RemoveAt(0);
        }
        if (sale.Id % 12 == 0)
        {
            _invoices.Add(new Invoice(customer.Name, [.. customer.Sales.Select(s => s.Product)], customer.Sales.Sum(s => s.Amount)));
        }
        _ledger.Enqueue(sale);
        while (_ledger.Count > 2000 + _random.Next(200))
        {
            _ledger.Dequeue();
        }
    }

    // Not inlined: nothing of the context stays in a register of the caller.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RunJob(int job)
    {
        long start = Environment.TickCount64;
        var context = new PluginContext($"job-{job}");
        Assembly assembly = context.LoadFromAssemblyPath(_plugin);
        var plugin = (IPlugin)Activator.CreateInstance(assembly.GetType("Reports.SalesReport")!)!;
        string text = plugin.Run([.. _ledger.Take(50)]);
        if (!_bug.Strikes())
        {
            plugin.Detach();
        }
        context.Unload();
        _rendered.GetOrAdd(job, _ => JsonSerializer.SerializeToUtf8Bytes(_ledger.Take(20 + _random.Next(10))));
        _results.Add(new JobResult(job, text, TimeSpan.FromMilliseconds(Environment.TickCount64 - start)));
    }
}
