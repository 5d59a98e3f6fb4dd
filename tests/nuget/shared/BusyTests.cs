// Ordinary tests that run beside the leak tests where the framework runs tests in parallel: they
// allocate, keep things for a while, and drop them. No leak test may mind.
using System.Collections.Concurrent;

namespace Shop.Tests;

public sealed record Page(int Number, string Text);

[Suite]
public class BusyTests
{
    private static readonly ConcurrentDictionary<int, Page> pages = [];

    [Checks]
    [Row(1)]
    [Row(2)]
    [Row(3)]
    public async Task Busy_with_pages(int test)
    {
        var end = DateTime.UtcNow + TimeSpan.FromSeconds(5);
        for (int i = 0; DateTime.UtcNow < end; i++)
        {
            // Up to 1,000 of them, then none again.
            int number = (test * 1_000) + (i % 1_000);
            pages[number] = new Page(number, $"page {number} of test {test}");
            if (i % 1_000 == 999)
                for (int n = 0; n < 1_000; n++)
                    pages.TryRemove((test * 1_000) + n, out _);
            if (i % 20 == 0)
                await Task.Delay(1);
        }
    }
}
