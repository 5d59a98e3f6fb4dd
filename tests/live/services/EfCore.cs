// A shop: ASP.NET Core on Kestrel, Entity Framework Core, a memory cache. The bug: the monitor
// of express orders is a singleton and has one DbContext for good, which tracks all that it read.

#if EFCORE
using System.Net.Http.Json;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.Caching.Memory;
using Services;

namespace Market;

public sealed class Product
{
    public int Id { get; set; }
    public string Name { get; set; } = "";
    public string Description { get; set; } = "";
    public decimal Price { get; set; }
}

public sealed class OrderLine
{
    public int Id { get; set; }
    public int OrderId { get; set; }
    public int ProductId { get; set; }
    public int Quantity { get; set; }
}

public sealed class Order
{
    public int Id { get; set; }
    public string Customer { get; set; } = "";
    public DateTime Placed { get; set; }
    public List<OrderLine> Lines { get; set; } = [];
}

public sealed class MarketDb(DbContextOptions<MarketDb> options) : DbContext(options)
{
    public DbSet<Product> Products => Set<Product>();
    public DbSet<Order> Orders => Set<Order>();
    public DbSet<OrderLine> Lines => Set<OrderLine>();
}

public sealed record NewOrder(string Customer, int[] Products, bool Express);
public sealed record ProductView(int Id, string Name, string Html, decimal Price);

/// <summary>Looks whether express orders are complete.</summary>
public sealed class ExpressMonitor(IServiceScopeFactory scopes, Settings settings)
{
    private readonly SemaphoreSlim _one = new(1);
    private MarketDb? _kept;

    public async Task<int> WatchAsync(int order)
    {
        await _one.WaitAsync();
        try
        {
            if (settings.Leaks)
            {
                // The bug: a scope that is never disposed of, and its context kept.
                _kept ??= scopes.CreateScope().ServiceProvider.GetRequiredService<MarketDb>();
                return await CountAsync(_kept, order);
            }
            using IServiceScope scope = scopes.CreateScope();
            return await CountAsync(scope.ServiceProvider.GetRequiredService<MarketDb>(), order);
        }
        finally
        {
            _one.Release();
        }
    }

    private static async Task<int> CountAsync(MarketDb db, int order)
    {
        await db.Lines.Where(l => l.OrderId == order).LoadAsync();
        Order? found = await db.Orders.FirstOrDefaultAsync(o => o.Id == order);
        return found?.Lines.Count ?? 0;
    }
}

public sealed class Shop : IService
{
    private const int KeptOrders = 250;
    private readonly WebApplication _app;
    private readonly HttpClient _client;
    private readonly Random _random;
    private readonly Bug _bug;
    private readonly int _products;
    private readonly Window<ProductView> _seen = new();
    private int _lastOrder;

    private Shop(WebApplication app, Settings settings)
    {
        _app = app;
        _random = new Random(settings.Seed);
        _bug = new Bug(settings with { Leaks = true }, _random);
        _products = settings.Scale(1500);
        _client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
    }

    public static async Task<IService> StartAsync(Settings settings)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Services.AddSingleton(settings).AddSingleton<ExpressMonitor>();
        builder.Services.AddMemoryCache(o => o.SizeLimit = settings.Scale(1200));
        builder.Services.AddDbContext<MarketDb>(o => o.UseInMemoryDatabase("market"));
        WebApplication app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        app.MapGet("/products/{id:int}", ShowAsync);
        app.MapPost("/orders", PlaceAsync);
        app.MapDelete("/orders/{id:int}", RemoveAsync);
        var shop = new Shop(await StartedAsync(app), settings);
        await shop.FillAsync();
        return shop;
    }

    /// <summary>A unit is a customer: looks at products, orders; an old order is archived.</summary>
    public async Task WorkAsync(int units)
    {
        // As under memory pressure.
        ((MemoryCache)_app.Services.GetRequiredService<IMemoryCache>()).Compact(_random.NextDouble() * 0.5);
        for (int i = 0; i < units; i++)
        {
            for (int k = 0; k < 5; k++)
            {
                _seen.Add((await _client.GetFromJsonAsync<ProductView>($"/products/{_random.Next(_products)}"))!);
            }
            int[] products = [.. Enumerable.Range(0, 2 + _random.Next(3)).Select(_ => 1 + _random.Next(_products))];
            using HttpResponseMessage placed = await _client.PostAsJsonAsync("/orders", new NewOrder(Words.Some(_random, 4), products, _bug.IsDue()));
            _lastOrder = await placed.Content.ReadFromJsonAsync<int>();
            (await _client.DeleteAsync($"/orders/{_lastOrder - KeptOrders}")).Dispose();
        }
        _seen.Trim(units * 3 / 2, _random);
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        await _app.DisposeAsync();
    }

    private static async Task<WebApplication> StartedAsync(WebApplication app)
    {
        await app.StartAsync();
        return app;
    }

    private async Task FillAsync()
    {
        using IServiceScope scope = _app.Services.CreateScope();
        MarketDb db = scope.ServiceProvider.GetRequiredService<MarketDb>();
        for (int i = 0; i < _products; i++)
        {
            db.Products.Add(new Product { Name = Words.Some(_random, 4), Description = Words.Some(_random, 30), Price = _random.Next(9000) / 100m });
        }
        await db.SaveChangesAsync();
    }

    private static async Task<ProductView> ShowAsync(int id, MarketDb db, IMemoryCache cache)
    {
        ProductView? view = await cache.GetOrCreateAsync(id, async entry =>
        {
            entry.Size = 1;
            Product? product = await db.Products.AsNoTracking().FirstOrDefaultAsync(p => p.Id == id);
            return new ProductView(id, product?.Name ?? "?", $"<p>{product?.Description}</p>", product?.Price ?? 0);
        });
        return view!;
    }

    private static async Task<int> PlaceAsync(NewOrder wanted, MarketDb db, ExpressMonitor monitor)
    {
        var order = new Order { Customer = wanted.Customer, Placed = DateTime.UtcNow };
        order.Lines.AddRange(wanted.Products.Select((p, i) => new OrderLine { ProductId = p, Quantity = i + 1 }));
        db.Orders.Add(order);
        await db.SaveChangesAsync();
        if (wanted.Express)
        {
            await monitor.WatchAsync(order.Id);
        }
        return order.Id;
    }

    private static async Task RemoveAsync(int id, MarketDb db)
    {
        Order? order = await db.Orders.Include(o => o.Lines).FirstOrDefaultAsync(o => o.Id == id);
        if (order is not null)
        {
            db.Remove(order);
            await db.SaveChangesAsync();
        }
    }
}
#endif
