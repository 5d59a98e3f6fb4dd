// What a shop remembers: the part of the heap that is large, and that leaks.

using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Shop;

public enum Level : byte
{
    Debug,
    Info,
    Warning,
}

[Flags]
public enum Rights
{
    None = 0,
    Read = 1,
    Write = 2,
    Pay = 4,
}

public sealed class LogEntry
{
    public string? Text;
    public Level Level;
    public DateTime When;
    public int? Bytes;
}

public sealed class Session
{
    public int Number;
    public string Customer = "";
    public Rights Rights;
    public bool Open;
    public double Total;
    public Session? Previous;
    public List<LogEntry> Log = new();
    public (int Visits, string? Referrer, object? Payload) Extra;
    public DateTime? Closed;
}

/// <summary>A struct with references, for arrays of structs.</summary>
public struct Pair
{
    public int Weight;
    public Session? Left;
    public Session? Right;
}

public static class Generic<T>
{
    public static readonly List<T> s_items = new();
    public static int s_count;
}

public sealed class Publisher
{
    public event EventHandler? Changed;

    public void Raise() => Changed?.Invoke(this, EventArgs.Empty);
}

public sealed class Subscriber
{
    public string Name = "";

    public void OnChanged(object? sender, EventArgs e) => Name += "!";
}

/// <summary>A command of a queue that is never drained; only the growing mode makes any.</summary>
public sealed class Order
{
    public Session? Buyer;
    public decimal Amount;
    public readonly List<OrderLine> Lines = new();

    public sealed class OrderLine
    {
        public string Article = "";
        public int Pieces;
    }
}

public static class Store
{
    public static readonly Dictionary<int, Session> s_byNumber = new();
    public static readonly ConcurrentDictionary<string, Session> s_byCustomer = new();
    public static readonly Publisher s_publisher = new();
    public static readonly ConditionalWeakTable<Session, LogEntry> s_notes = new();
    public static Session[] s_recent = [];
    public static Pair[] s_pairs = [];
    public static object?[,] s_grid = new object?[0, 0];
    public static Pair s_best;
    public static readonly Queue<Order> s_unsent = new();

    public static int s_sold;
    public static DateTime s_opened;

    [ThreadStatic]
    public static Session? t_current;

    public static void Fill(int size)
    {
        s_opened = new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc);
        Session? previous = null;
        s_recent = new Session[size];
        for (int i = 0; i < size; i++)
        {
            Session session = MakeSession(i, 20);
            session.Previous = i % 10 == 0 ? null : previous;
            previous = session;
            s_recent[i] = session;
            s_byCustomer[session.Customer] = session;
            Generic<Session>.s_items.Add(session);
            if (i < 1000 || i % 3 == 0)
            {
                s_byNumber[i] = session;
            }
            if (i % 8 == 0)
            {
                s_notes.Add(session, new LogEntry { Text = "note of " + i, Level = Level.Info });
            }
        }
        Generic<string>.s_items.Add("only one");
        s_pairs = new Pair[size / 2];
        for (int i = 0; i < s_pairs.Length; i++)
        {
            s_pairs[i] = new Pair { Weight = i, Left = s_recent[i], Right = s_recent[size - 1 - i] };
        }
        s_best = s_pairs[^1];
        s_grid = new object?[20, 30];
        for (int i = 0; i < 20; i++)
        {
            s_grid[i, i] = i % 2 == 0 ? s_recent[i % size] : "cell " + i;
            s_grid[i, i + 1] = i;
        }
        for (int i = 0; i < 200; i++)
        {
            s_publisher.Changed += new Subscriber { Name = "subscriber " + i }.OnChanged;
        }
        s_publisher.Raise();
        t_current = s_recent[0];
    }

    public static Session MakeSession(int number, int entries)
    {
        var session = new Session
        {
            Number = number,
            Customer = "customer-" + number,
            Rights = (Rights)(number & 7),
            Open = number % 2 == 0,
            Total = number * 1.25,
            Closed = number % 2 == 0 ? null : s_opened,
            Extra = (number, number % 4 == 0 ? "from " + number : null, number % 5 == 0 ? new byte[number % 7] : null),
        };
        for (int i = 0; i < entries; i++)
        {
            session.Log.Add(new LogEntry
            {
                Text = "visit " + number + "." + i,
                Level = (Level)(i % 3),
                When = s_opened.AddSeconds(i),
                Bytes = i % 2 == 0 ? i : null,
            });
        }
        return session;
    }

    /// <summary>Sessions that never leave the dictionary, and orders that are never sent.</summary>
    public static void Leak(int from, int count)
    {
        for (int i = 0; i < count; i++)
        {
            Session session = MakeSession(1_000_000 + from + i, 2);
            s_byNumber[session.Number] = session;
            var order = new Order { Buyer = session, Amount = i };
            order.Lines.Add(new Order.OrderLine { Article = "article " + i, Pieces = i });
            s_unsent.Enqueue(order);
            s_sold++;
        }
    }
}
