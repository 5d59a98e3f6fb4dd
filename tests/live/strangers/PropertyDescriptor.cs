// PropertyDescriptor: each form calls AddValueChanged for a property of its model. The static
// descriptor keeps models and handlers (dotnet/wpf#11236). The fix: RemoveValueChanged.

using System.ComponentModel;
using Packages;
using Services;

namespace Binding;

public sealed class Invoice(int number)
{
    public decimal Total { get; set; } = number;
    public string[] Lines { get; } = [.. Enumerable.Range(0, 5).Select(i => $"line {i} of {number}")];
}

public sealed class Form(Invoice invoice)
{
    private decimal _shown;

    public void Update(object? sender, EventArgs e) => _shown += invoice.Total;
}

public sealed class Window(Bug bug) : IUse
{
    private static readonly PropertyDescriptor Total = TypeDescriptor.GetProperties(typeof(Invoice))[nameof(Invoice.Total)]!;
    private readonly Queue<(Invoice, EventHandler)> _open = new();
    private int _next;

    public ValueTask UnitAsync()
    {
        bool leaks = bug.Strikes();
        int number = ++_next;
        if (!leaks && number % 8 != 0)
        {
            return ValueTask.CompletedTask;
        }
        var invoice = new Invoice(number);
        EventHandler update = new Form(invoice).Update;
        Total.AddValueChanged(invoice, update);
        if (leaks)
        {
            return ValueTask.CompletedTask;
        }
        _open.Enqueue((invoice, update));
        if (_open.Count > 50)
        {
            (Invoice closed, EventHandler handler) = _open.Dequeue();
            Total.RemoveValueChanged(closed, handler);
        }
        return ValueTask.CompletedTask;
    }
}
