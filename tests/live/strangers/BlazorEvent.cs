// Blazor: a component subscribes to an event of a singleton and never unsubscribes
// (dotnet/aspnetcore#24989). The fix: unsubscribe in Dispose. HtmlRenderer replaces the circuit: it
// creates, renders and disposes components in the same way.

using Microsoft.AspNetCore.Components;
using Microsoft.AspNetCore.Components.Rendering;
using Microsoft.AspNetCore.Components.Web;
using Microsoft.Extensions.Logging.Abstractions;
using Packages;
using Services;

namespace Dashboard;

public sealed class Alarms
{
    public event Action<string>? Raised;

    public void Raise(string text) => Raised?.Invoke(text);
}

public sealed class AlarmList : ComponentBase, IDisposable
{
    private readonly List<string> _texts = [.. Enumerable.Range(0, 6).Select(i => $"alarm {i} of {Guid.NewGuid()}")];

    [Inject] public Alarms Alarms { get; set; } = null!;

    [Parameter] public bool Forgets { get; set; }

    public void Dispose()
    {
        if (!Forgets)
        {
            Alarms.Raised -= Add;
        }
    }

    protected override void OnInitialized() => Alarms.Raised += Add;

    protected override void BuildRenderTree(RenderTreeBuilder builder)
    {
        builder.OpenElement(0, "ul");
        foreach (string text in _texts)
        {
            builder.AddMarkupContent(1, "<li>");
            builder.AddContent(2, text);
        }
        builder.CloseElement();
    }

    private void Add(string text) => _texts.Add(text);
}

public sealed class Host(Bug bug) : IUse
{
    private readonly ServiceProvider _services = new ServiceCollection().AddSingleton<Alarms>().BuildServiceProvider();
    private int _next;

    public async ValueTask UnitAsync()
    {
        bool leaks = bug.Strikes();
        if (!leaks && ++_next % 50 != 0)
        {
            return;
        }
        await using AsyncServiceScope scope = _services.CreateAsyncScope();
        await using var renderer = new HtmlRenderer(scope.ServiceProvider, NullLoggerFactory.Instance);
        var parameters = ParameterView.FromDictionary(new Dictionary<string, object?> { [nameof(AlarmList.Forgets)] = leaks });
        await renderer.Dispatcher.InvokeAsync(() => renderer.RenderComponentAsync<AlarmList>(parameters));
    }
}
