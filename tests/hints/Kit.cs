// What the examples of docs/hints.md are about: orders, views, and somebody who calls.

using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Dataflow;

namespace Shop;

/// <summary>One example: its code of the document, and who calls it.</summary>
public abstract class Example
{
    /// <summary>Calls per second, of which fewer are enough where each takes long or much.</summary>
    public virtual int Rate => 250;

    /// <summary>What else is in the heap, less where the example leaks little.</summary>
    public virtual int Articles => 20_000;

    public virtual void Step(int i)
    {
    }

    public virtual Task StepAsync(int i)
    {
        Step(i);
        return Task.CompletedTask;
    }
}

/// <summary>What the examples call without saying what it does.</summary>
public static class Work
{
    public static Action OnCheck { get; set; } = () => { };

    public static void Check() => OnCheck();

    public static void Cancel() => OnCheck();

    public static void Handle(Order order) => order.Touch();

    public static void Ship(Order order) => order.Touch();

    public static void Send(int length) => GC.KeepAlive(length);
}

public class Order
{
    readonly byte[] data = new byte[200];

    public int Id { get; set; }

    public string Customer { get; set; } = "customer";

    public void Touch() => data[0]++;
}

public class Settings
{
    public string Currency { get; set; } = "EUR";
}

public class Unit : IDisposable
{
    readonly byte[] data = new byte[200];

    public void Run() => data[0]++;

    public void Dispose() => data[0] = 0;
}

public class Session
{
    readonly byte[] data = new byte[200];

    public void Touch() => data[0]++;
}

public class Client
{
    readonly byte[] data = new byte[200];

    public void Send(PriceTick tick) => data[0]++;
}

public class View : IObserver<int>
{
    readonly byte[] data = new byte[200];

    public void OnNext(int value) => data[0]++;

    public void OnError(Exception error) => data[0]++;

    public void OnCompleted() => data[0]++;
}

public class Feed
{
    public event EventHandler<Order> Placed;

    public void Place(Order order) => Placed?.Invoke(this, order);
}

public class Model : INotifyPropertyChanged
{
    int price;

    public event PropertyChangedEventHandler PropertyChanged;

    public int Price
    {
        get => price;
        set
        {
            price = value;
            PropertyChanged?.Invoke(this, new PropertyChangedEventArgs(nameof(Price)));
        }
    }
}

public class Article
{
    readonly byte[] data = new byte[200];

    public int Price => data[0];
}

public record Customer(int Id);

public record Paid;

public record Job(int Id)
{
    public void Run() => GC.KeepAlive(Id);
}

public record PriceTick(decimal Price);

public record ClientStream(ITargetBlock<PriceTick> Ticks);

public class Hub
{
    public BroadcastBlock<PriceTick> Ticks { get; } = new(tick => tick);
}
