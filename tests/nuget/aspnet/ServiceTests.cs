// What requests leave behind. By name as in shared/GoneTests.cs. Each kind once by the type that should
// be gone, and once without one: a hundred requests between each two snapshots.
using Heapdrift.Testing;
using Microsoft.AspNetCore.Mvc.Testing;
using Shop.Service;
using Xunit;

namespace Shop.Service.Tests;

public sealed class Server : IDisposable
{
    private readonly WebApplicationFactory<Program> factory = new();

    public Server() => Client = factory.CreateClient();

    public HttpClient Client { get; }

    public void Dispose() => factory.Dispose();
}

public abstract class ServiceTests(Server server) : IClassFixture<Server>
{
    protected Task GoneAsync<T>(string path) =>
        Heap.AssertGoneAsync<T>(() => server.Client.GetStringAsync(path), new GoneOptions { WarmUp = path.StartsWith("/ok", StringComparison.Ordinal) });

    protected Task SteadyAsync(string path) => Leak.TestAsync(() => server.Client.GetStringAsync(path), iterations: 50);
}

public sealed class GoneTests(Server server) : ServiceTests(server)
{
    [Fact]
    public Task Frees_a_session() => GoneAsync<DbSession>("/ok/session");

    [Fact]
    public Task Leaks_a_session_of_the_root_provider() => GoneAsync<DbSession>("/leak/session");

    [Fact]
    public Task Frees_a_quote() => GoneAsync<Quote>("/ok/quote");

    [Fact]
    public Task Leaks_a_quote_of_a_static_cache() => GoneAsync<Quote>("/leak/quote");

    [Fact]
    public Task Frees_a_listener() => GoneAsync<PriceListener>("/ok/listener");

    [Fact]
    public Task Leaks_a_listener_by_an_event() => GoneAsync<PriceListener>("/leak/listener");

    [Fact]
    public Task Frees_an_export() => GoneAsync<Export>("/ok/export");

    [Fact]
    public Task Leaks_an_export_by_a_token() => GoneAsync<Export>("/leak/export");

    [Fact]
    public Task Frees_a_poll() => GoneAsync<Poll>("/ok/poll");

    [Fact]
    public Task Leaks_a_poll_by_its_timer() => GoneAsync<Poll>("/leak/poll");

    [Fact]
    public Task Frees_an_audit() => GoneAsync<Audit>("/ok/audit");

    [Fact]
    public Task Leaks_an_audit_by_a_task() => GoneAsync<Audit>("/leak/audit");

    // A service of its own, its host and all that it has made.
    [Fact]
    public Task Frees_a_whole_server() => Heap.AssertGoneAsync("Shop.Service.*", async () =>
    {
        using var server = new Server();
        await server.Client.GetStringAsync("/ok/listener");
    }, new GoneOptions { WarmUp = true });
}

public sealed class SteadyTests(Server server) : ServiceTests(server)
{
    [Fact]
    public Task Frees_sessions() => SteadyAsync("/ok/session");

    [Fact]
    public Task Leaks_sessions() => SteadyAsync("/leak/session");

    [Fact]
    public Task Frees_quotes() => SteadyAsync("/ok/quote");

    [Fact]
    public Task Leaks_quotes() => SteadyAsync("/leak/quote");

    [Fact]
    public Task Frees_listeners() => SteadyAsync("/ok/listener");

    [Fact]
    public Task Leaks_listeners() => SteadyAsync("/leak/listener");

    [Fact]
    public Task Frees_audits() => SteadyAsync("/ok/audit");

    [Fact]
    public Task Leaks_audits() => SteadyAsync("/leak/audit");
}
