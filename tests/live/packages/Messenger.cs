// CommunityToolkit.Mvvm: view models are registered with the messenger that refers to its
// recipients strongly, and one that is closed stays with it (CommunityToolkit/dotnet#1103). It
// says goodbye: UnregisterAll.

using CommunityToolkit.Mvvm.Messaging;
using Packages;
using Services;

namespace Desk;

public sealed record Saved(string Name);

public sealed class Form : IRecipient<Saved>
{
    public Dictionary<string, string> Fields { get; } = [];

    public Form(int number)
    {
        for (int i = 0; i < 5; i++)
        {
            Fields["field " + i] = $"value {number} {i}";
        }
    }

    public void Receive(Saved message) => Fields["saved"] = message.Name;
}

public sealed class Workspace(Bug bug) : IUse
{
    private readonly Queue<Form> _open = new();
    private int _opened;

    public ValueTask UnitAsync()
    {
        bool leaks = bug.Strikes();
        int number = ++_opened;
        if (!leaks && number % 5 != 0)
        {
            return ValueTask.CompletedTask;
        }
        var form = new Form(number);
        StrongReferenceMessenger.Default.Register(form);
        if (leaks)
        {
            return ValueTask.CompletedTask;
        }
        _open.Enqueue(form);
        if (_open.Count > 60)
        {
            StrongReferenceMessenger.Default.UnregisterAll(_open.Dequeue());
        }
        return ValueTask.CompletedTask;
    }
}
