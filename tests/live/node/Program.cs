// A small service of ASP.NET Core that serves itself: NodeLab NAME leak|healthy [PER_SECOND].
// It ends with SIGTERM. One that leaks keeps the orders that it was asked for.
namespace NodeLab;

sealed record Order(int Number, string Customer, byte[] Receipt);

static class Ledger
{
    static readonly Dictionary<int, Order> s_orders = [];

    public static void Keep(Order order)
    {
        lock (s_orders)
            s_orders[order.Number] = order;
    }
}

static class Program
{
    // A program that has warmed up has a cache that is full.
    static readonly List<byte[]> s_cache = [];
    static int s_last;

    static IResult Answer(bool leaks)
    {
        var number = Interlocked.Increment(ref s_last);
        var order = new Order(number, $"customer {number % 1000}", new byte[2000]);
        if (leaks)
            Ledger.Keep(order);
        return Results.Text(order.Customer);
    }

    static async Task Main(string[] args)
    {
        var leaks = args[1] == "leak";
        var pause = TimeSpan.FromSeconds(1 / double.Parse(args.Length > 2 ? args[2] : "20"));
        for (var i = 0; i < 1000; i++)
            s_cache.Add(new byte[4000]);
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();
        var app = builder.Build();
        app.MapGet("/order", () => Answer(leaks));
        await app.StartAsync();
        using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        Console.WriteLine($"{args[0]} {Environment.ProcessId}");
        var stop = app.Lifetime.ApplicationStopping;
        while (!stop.IsCancellationRequested)
        {
            await client.GetStringAsync("/order");
            await Task.Delay(pause, CancellationToken.None);
        }
        await app.WaitForShutdownAsync();
    }
}
