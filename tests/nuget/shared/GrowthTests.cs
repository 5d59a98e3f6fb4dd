// What should not pile up, and what a snapshot says. By name as in GoneTests.cs; Waits_ is for who
// kills it.
using Heapdrift.Testing;

namespace Shop.Tests;

[Suite]
public class CheckoutTests
{
    private static int product;

    [Check]
    public Task Frees_what_is_bought()
    {
        var checkout = new Checkout();
        return Leak.TestAsync(checkout.BuyAsync, iterations: 100);
    }

    [Check]
    public Task Leaks_orders_by_a_journal()
    {
        var checkout = new Checkout { KeepsJournal = true };
        return Leak.TestAsync(checkout.BuyAsync, iterations: 100);
    }

    [Check]
    public Task Frees_rates_of_a_limited_cache() =>
        Leak.TestAsync(() => { Caches.Rates.Of(product++); }, iterations: 200);

    [Check]
    public Task Leaks_prices_of_an_unlimited_cache() =>
        Leak.TestAsync(() => { Caches.Prices.Of(product++); }, iterations: 200);
}

[Suite]
public class SnapshotTests
{
    private static readonly List<Coupon> kept = [];

    [Check]
    public async Task Frees_and_counts_coupons()
    {
        using HeapSnapshot before = await Heap.SnapshotAsync();
        for (int i = 0; i < 5; i++)
            kept.Add(new Coupon("Grace"));
        using HeapSnapshot after = await Heap.SnapshotAsync();
        Say.Equal(0, before.Count<Coupon>());
        Say.Equal(5, after.Count<Coupon>());
        Say.Equal(5, after.Count("Coupon"));
        Say.Equal(5, after.Since(before).New<Coupon>().Count);
        Say.Equal("static SnapshotTests.kept", after.Instances<Coupon>()[0].HeldBy);
        Say.Equal(true, after.Retained<Coupon>() >= after.Bytes<Coupon>() + 5 * 256);
        string file = Path.Combine(Path.GetTempPath(), $"coupons-{Environment.ProcessId}.gcdump");
        await after.SaveAsync(file);
        Say.Equal(true, new FileInfo(file).Length > 10_000);
        File.Delete(file);
    }

    [Check]
    public async Task Waits_until_it_is_killed()
    {
        if (Environment.GetEnvironmentVariable("SHOP_WAITS") is not { Length: > 0 } file)
            return;
        await Heap.AssertGoneAsync<Coupon>(async () =>
        {
            await File.WriteAllTextAsync(file, Environment.ProcessId.ToString());
            await Task.Delay(TimeSpan.FromMinutes(5));
        });
    }
}
