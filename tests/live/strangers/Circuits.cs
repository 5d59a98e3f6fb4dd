// Hard: Blazor Server keeps the circuit of a closed page for three minutes, and at most a hundred.
// Circuits are created, registered, rendered and disconnected like in the hub. These methods are
// internal, hence reflection; Browser replaces the browser.

using System.Diagnostics;
using System.Reflection;
using System.Security.Claims;
using Microsoft.AspNetCore.Components;
using Microsoft.AspNetCore.Components.Rendering;
using Microsoft.AspNetCore.Components.Server;
using Microsoft.AspNetCore.SignalR;
using Packages;

namespace Counters;

public sealed class Counter : ComponentBase
{
    private readonly List<string> _rows = [.. Enumerable.Range(0, 10).Select(i => $"row {i} of {Guid.NewGuid()}")];

    protected override void BuildRenderTree(RenderTreeBuilder builder)
    {
        foreach (string row in _rows)
        {
            builder.OpenElement(0, "p");
            builder.AddContent(1, row);
            builder.CloseElement();
        }
    }
}

public sealed class Browser : ISingleClientProxy
{
    public List<long> Rendered { get; } = [];

    public Task SendCoreAsync(string method, object?[] args, CancellationToken cancel = default)
    {
        if (method == "JS.RenderBatch")
        {
            Rendered.Add((long)args[0]!);
        }
        return Task.CompletedTask;
    }

    public Task<T> InvokeCoreAsync<T>(string method, object?[] args, CancellationToken cancel = default) => Task.FromResult(default(T)!);
}

public sealed class Visitors : IUse
{
    private static readonly Assembly Server = typeof(CircuitOptions).Assembly;
    private readonly WebApplication _app;
    private readonly object _factory;
    private readonly object _registry;
    private readonly Random _random = new(1);
    private int _next;

    public Visitors()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Services.AddServerSideBlazor();
        _app = builder.Build();
        _factory = _app.Services.GetRequiredService(Type("Circuits.ICircuitFactory"));
        _registry = _app.Services.GetRequiredService(Type("Circuits.CircuitRegistry"));
    }

    public async ValueTask UnitAsync()
    {
        if (_random.Next(250) != 0)
        {
            return;
        }
        string connection = "connection " + ++_next;
        var browser = new Browser();
        object client = Activator.CreateInstance(Type("Circuits.CircuitClientProxy"), browser, connection)!;
        object host = (await Call(_factory, "CreateCircuitHostAsync", Array.CreateInstance(Type("ComponentDescriptor"), 0), client,
            "http://shop.example/", "http://shop.example/counter", new ClaimsPrincipal(), null, ResourceAssetCollection.Empty))!;
        await Call(_registry, "Register", host);
        await Call(host, "InitializeAsync", null, default(ActivityContext), CancellationToken.None);
        object renderer = Get(host, "Renderer");
        await ((Dispatcher)Get(renderer, "Dispatcher")).InvokeAsync(
            async () => await Call(renderer, "AddComponentAsync", typeof(Counter), ParameterView.Empty, "0"));
        foreach (long batch in browser.Rendered.ToList())
        {
            await Call(host, "OnRenderCompletedAsync", batch, null);
        }
        await Call(_registry, "DisconnectAsync", host, connection);
    }

    private static Type Type(string name) => Server.GetType("Microsoft.AspNetCore.Components.Server." + name, throwOnError: true)!;

    private static object Get(object of, string name) =>
        of.GetType().GetProperty(name, BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)!.GetValue(of)!;

    /// <summary>Awaits a Task or ValueTask; returns its result, or null.</summary>
    private static async Task<object?> Call(object of, string name, params object?[] arguments)
    {
        object? made = of.GetType().GetMethods(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .First(m => m.Name == name && m.GetParameters().Length == arguments.Length).Invoke(of, arguments);
        if (made?.GetType() is { IsValueType: true } type && type.GetMethod("AsTask") is { } asTask)
        {
            made = asTask.Invoke(made, null);
        }
        if (made is not Task task)
        {
            return made;
        }
        await task;
        return task.GetType().GetProperty("Result")?.GetValue(task);
    }
}
