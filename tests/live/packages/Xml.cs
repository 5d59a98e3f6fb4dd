// System.Xml.Serialization: a serializer with a root of its own for each document. Each makes an
// assembly, which nothing unloads (restsharp/RestSharp#1988, dotnet/runtime#95369). One serializer
// for each type and root.

using System.Xml.Serialization;
using Packages;
using Services;

namespace Invoices;

public sealed class Invoice
{
    public int Number { get; set; }
    public string Text { get; set; } = "";
}

public sealed class Sender(Bug bug) : IUse
{
    private readonly XmlSerializer _serializer = Make();
    private int _next;

    public ValueTask UnitAsync()
    {
        int number = ++_next;
        bool leaks = bug.IsDue();
        if (leaks || number % 10 == 0)
        {
            using var text = new StringWriter();
            (leaks ? Make() : _serializer).Serialize(text, new Invoice { Number = number, Text = "an invoice" });
        }
        return ValueTask.CompletedTask;
    }

    private static XmlSerializer Make() => new(typeof(Invoice), new XmlRootAttribute("invoice"));
}
