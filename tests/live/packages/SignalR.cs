// Microsoft.AspNetCore.SignalR.Client: each screen that opens wants to know when the connection,
// which is one for all, is closed, and does not take its handler back when it goes
// (dotnet/AspNetCore.Docs#26805).

using Microsoft.AspNetCore.SignalR.Client;
using Packages;
using Services;

namespace Board;

public sealed class Screen(string name)
{
    public List<string> Notes { get; } = [.. Enumerable.Range(0, 8).Select(i => $"{name}: note {i}")];

    public Task OnClosed(Exception? error)
    {
        Notes.Add("closed");
        return Task.CompletedTask;
    }
}

public sealed class Screens(Bug bug) : IUse
{
    private readonly HubConnection _connection = new HubConnectionBuilder().WithUrl("http://localhost:1/board").Build();
    private readonly Queue<Screen> _open = new();
    private int _next;

    public ValueTask UnitAsync()
    {
        bool leaks = bug.Strikes();
        int number = ++_next;
        if (!leaks && number % 8 != 0)
        {
            return ValueTask.CompletedTask;
        }
        var screen = new Screen("screen " + number);
        _connection.Closed += screen.OnClosed;
        if (leaks)
        {
            return ValueTask.CompletedTask;
        }
        _open.Enqueue(screen);
        if (_open.Count > 50)
        {
            _connection.Closed -= _open.Dequeue().OnClosed;
        }
        return ValueTask.CompletedTask;
    }
}
