// Hard: a MemoryCache with a limit of 20,000 entries fills with requested products.

using Microsoft.Extensions.Caching.Memory;
using Packages;
using Services;

namespace Lookup;

public sealed record Offer(int Id, string Name, decimal[] Prices);

public sealed class Products : IUse
{
    private readonly MemoryCache _cache = new(new MemoryCacheOptions { SizeLimit = 20000 });
    private readonly Random _random = new(1);

    public ValueTask UnitAsync()
    {
        int id = (int)(6000 * Math.Pow(_random.NextDouble(), 3));
        _ = _cache.GetOrCreate(id, entry =>
        {
            entry.Size = 1;
            return new Offer(id, Words.Some(_random, 4), new decimal[4]);
        });
        return ValueTask.CompletedTask;
    }
}
