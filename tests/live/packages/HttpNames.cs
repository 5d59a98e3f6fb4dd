// Microsoft.Extensions.Http: a client with a name of its own for each call. Each name has a
// handler, options and loggers; options and loggers stay for good (dotnet/docs#51975,
// aspnet/HttpClientFactory#57). The address is the client's, not the name.

using Packages;
using Services;

namespace Partners;

public sealed class Gateway : IUse
{
    private readonly Bug _bug;
    private readonly IHttpClientFactory _factory;
    private int _called;

    public Gateway(Bug bug)
    {
        _bug = bug;
        _factory = new ServiceCollection().AddLogging().AddHttpClient().BuildServiceProvider().GetRequiredService<IHttpClientFactory>();
    }

    public ValueTask UnitAsync()
    {
        int number = ++_called;
        bool leaks = _bug.IsDue();
        using HttpClient client = _factory.CreateClient(leaks ? $"order-{number}" : $"partner-{number % 20}");
        client.BaseAddress = new Uri($"http://partner-{number % 20}.example/");
        return ValueTask.CompletedTask;
    }
}
