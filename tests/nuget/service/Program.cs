// A service whose endpoints below /leak leave something of each request, and the same ones below /ok
// do not: what belongs to a request is kept by the root provider, a static cache, an event of a
// singleton, a token of the application, a timer, or what goes on behind the request.
using System.Collections.Concurrent;

namespace Shop.Service;

public sealed class DbSession : IDisposable
{
    public byte[] Buffer { get; } = new byte[200];

    public void Dispose()
    {
    }
}

public sealed record Quote(int Number)
{
    public byte[] Text { get; } = new byte[200];
}

public sealed class Prices
{
    public event EventHandler? Changed;

    public void Change() => Changed?.Invoke(this, EventArgs.Empty);
}

public sealed class PriceListener(Prices prices) : IDisposable
{
    public int Changes { get; private set; }

    public PriceListener Listen()
    {
        prices.Changed += OnChanged;
        return this;
    }

    public void Dispose() => prices.Changed -= OnChanged;

    private void OnChanged(object? sender, EventArgs e) => Changes++;
}

public sealed class Export(CancellationToken stopping) : IDisposable
{
    private CancellationTokenRegistration registration;

    public bool Stopped { get; private set; }

    public Export Begin()
    {
        registration = stopping.Register(() => Stopped = true);
        return this;
    }

    public void Dispose() => registration.Dispose();
}

public sealed class Poll : IDisposable
{
    private readonly Timer timer;

    public Poll() => timer = new Timer(_ => Times++, null, TimeSpan.FromMinutes(1), TimeSpan.FromMinutes(1));

    public int Times { get; private set; }

    public void Dispose() => timer.Dispose();
}

public sealed record Audit(string Path);

public static class Quotes
{
    private static readonly ConcurrentDictionary<int, Quote> all = [];
    private static int number;

    public static Quote Next(bool keeps)
    {
        var quote = new Quote(Interlocked.Increment(ref number));
        if (keeps)
            all[quote.Number] = quote;
        return quote;
    }
}

public sealed class Program
{
    private static readonly TaskCompletionSource never = new();

    public static void Main(string[] arguments)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(arguments);
        builder.Logging.ClearProviders();
        builder.Services.AddTransient<DbSession>().AddSingleton<Prices>();
        WebApplication app = builder.Build();
        CancellationToken stopping = app.Lifetime.ApplicationStopping;
        app.MapGet("/{how}/session", (string how, HttpContext context) =>
            (how == "leak" ? app.Services : context.RequestServices).GetRequiredService<DbSession>().Buffer.Length);
        app.MapGet("/{how}/quote", (string how) => Quotes.Next(keeps: how == "leak"));
        app.MapGet("/{how}/listener", (string how, Prices prices) => UseAsync(how, new PriceListener(prices).Listen()));
        app.MapGet("/{how}/export", (string how) => UseAsync(how, new Export(stopping).Begin()));
        app.MapGet("/{how}/poll", (string how) => UseAsync(how, new Poll()));
        app.MapGet("/{how}/audit", (string how, HttpContext context) =>
        {
            _ = WriteAsync(new Audit(context.Request.Path), how == "leak" ? never.Task : Task.CompletedTask);
        });
        app.Run();
    }

    // What is used within a request, and forgotten or not.
    private static async Task<string> UseAsync(string how, IDisposable one)
    {
        await Task.Yield();
        if (how != "leak")
            one.Dispose();
        return how;
    }

    // Goes on behind the request, and waits for what never comes.
    private static async Task WriteAsync(Audit audit, Task written)
    {
        await written;
        GC.KeepAlive(audit);
    }
}
