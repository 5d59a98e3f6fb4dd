// The program under test: a shop with windows, requests and caches. What is wrong with it is wrong
// in ways that programs have: a handler that stays, a scope that nobody ends, a cache without a
// limit. Each leaks objects of other types, so that no test counts another's.
namespace Shop
{
    public sealed record Order(int Number, string Customer);

    public sealed record Receipt(int Order)
    {
        public byte[] Picture { get; } = new byte[256];
    }

    public sealed record Coupon(string Customer)
    {
        public byte[] Code { get; } = new byte[256];
    }

    // Lives as long as the program.
    public sealed class Catalog
    {
        public static Catalog Current { get; } = new();

        public event EventHandler? PricesChanged;

        public event EventHandler? StockChanged;

        public void Change()
        {
            PricesChanged?.Invoke(this, EventArgs.Empty);
            StockChanged?.Invoke(this, EventArgs.Empty);
        }
    }

    public sealed class Message(string text)
    {
        public string Text => text;
    }

    public sealed class MessageBus
    {
        private readonly List<Action<Message>> subscribers = [];

        public static MessageBus Current { get; } = new();

        public IDisposable Subscribe(Action<Message> subscriber)
        {
            lock (subscribers)
                subscribers.Add(subscriber);
            return new Subscription(this, subscriber);
        }

        public void Publish(Message message)
        {
            lock (subscribers)
                foreach (Action<Message> subscriber in subscribers)
                    subscriber(message);
        }

        private sealed class Subscription(MessageBus bus, Action<Message> subscriber) : IDisposable
        {
            public void Dispose()
            {
                lock (bus.subscribers)
                    bus.subscribers.Remove(subscriber);
            }
        }
    }

    public sealed class Basket(MessageBus bus) : IDisposable
    {
        private IDisposable? subscription;
        private readonly List<string> seen = [];

        public void Open() => subscription = bus.Subscribe(message => seen.Add(message.Text));

        public void Dispose() => subscription?.Dispose();
    }

    public sealed class Reminder : IDisposable
    {
        private readonly Timer timer;
        private int rings;

        public Reminder(TimeSpan every) => timer = new Timer(_ => rings++, null, every, every);

        public int Rings => rings;

        public void Dispose() => timer.Dispose();
    }

    public sealed class RequestScope : IDisposable
    {
        private static readonly HashSet<RequestScope> open = [];
        private readonly List<Order> orders = [];

        public static RequestScope Begin()
        {
            var scope = new RequestScope();
            lock (open)
                open.Add(scope);
            return scope;
        }

        public async Task<Order> PlaceAsync(int number)
        {
            await Task.Yield();
            var order = new Order(number, "Ada");
            orders.Add(order);
            return order;
        }

        public void Dispose()
        {
            lock (open)
                open.Remove(this);
        }
    }

    public class Cache<T>(int limit)
        where T : new()
    {
        private readonly Dictionary<int, T> known = [];
        private readonly Queue<int> oldest = [];

        public T Of(int product)
        {
            lock (known)
            {
                if (known.TryGetValue(product, out T? value))
                    return value;
                if (known.Count >= limit)
                    known.Remove(oldest.Dequeue());
                oldest.Enqueue(product);
                return known[product] = new T();
            }
        }
    }

    public sealed class Price
    {
        private readonly decimal[] byCountry = new decimal[20];

        public decimal Of(int country) => byCountry[country];
    }

    public sealed class Rate
    {
        private readonly decimal[] byMonth = new decimal[12];

        public decimal Of(int month) => byMonth[month];
    }

    public static class Caches
    {
        // Without a limit it keeps all that was ever asked for.
        public static Cache<Price> Prices { get; } = new(int.MaxValue);

        public static Cache<Rate> Rates { get; } = new(50);
    }

    public sealed class Checkout
    {
        private static readonly List<Receipt> journal = [];
        private int orders;

        public bool KeepsJournal { get; init; }

        public async Task BuyAsync()
        {
            using RequestScope scope = RequestScope.Begin();
            Order order = await scope.PlaceAsync(++orders);
            if (!KeepsJournal)
                return;
            lock (journal)
                journal.Add(new Receipt(order.Number));
        }
    }
}

namespace Shop.ViewModels
{
    public sealed class ProductViewModel : IDisposable
    {
        private readonly byte[] picture = new byte[4000];
        private decimal price;

        public ProductViewModel() => Catalog.Current.PricesChanged += OnPricesChanged;

        public int Bytes => picture.Length;

        public decimal Price => price;

        public void Dispose() => Catalog.Current.PricesChanged -= OnPricesChanged;

        private void OnPricesChanged(object? sender, EventArgs e) => price++;
    }
}

namespace Shop.Windows
{
    using Shop.ViewModels;

    public class Window
    {
        private static readonly List<Window> open = [];

        public async Task ShowAsync()
        {
            lock (open)
                open.Add(this);
            await Task.Yield();
        }

        public virtual void Close()
        {
            lock (open)
                open.Remove(this);
        }
    }

    public sealed class DetailsWindow : Window
    {
        public ProductViewModel Product { get; } = new();

        // A window that is closed this way has forgotten its view model.
        public void Hide() => base.Close();

        public override void Close()
        {
            Product.Dispose();
            base.Close();
        }
    }

    public sealed class SplashWindow : Window;

    // It wants to know what is in stock while it is open, and forgets to say when that is over.
    public sealed class StockWindow : Window
    {
        private int changes;

        public StockWindow() => Catalog.Current.StockChanged += OnStockChanged;

        public int Changes => changes;

        private void OnStockChanged(object? sender, EventArgs e) => changes++;
    }
}
