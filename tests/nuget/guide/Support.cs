// What the samples of docs/testing-your-code.md use and do not show.
namespace Shop
{
    public class Window
    {
        private static readonly List<Window> open = [];

        public async Task ShowAsync()
        {
            open.Add(this);
            await Task.Delay(1);
        }

        public virtual void Close() => open.Remove(this);

        protected void Redraw() => Pixels[0]++;

        protected byte[] Pixels { get; } = new byte[4000];
    }

    public sealed class DetailsWindow : Window;

    public sealed class OrderViewModel
    {
        public byte[] Preview { get; } = new byte[4000];
    }

    public sealed class DbSession : IDisposable
    {
        public bool Saved { get; private set; }

        public void Save() => Saved = true;

        public void Dispose() => Saved = false;
    }

    public sealed class Catalog
    {
        public static Catalog Current { get; } = new();

        public event EventHandler? PricesChanged;

        public void ChangePrices() => PricesChanged?.Invoke(this, EventArgs.Empty);
    }

    public sealed record Price(int Product)
    {
        public decimal[] ByCountry { get; } = new decimal[20];
    }

    public sealed record Product(string Name);

    public sealed record Order(int Number)
    {
        public byte[] Invoice { get; } = new byte[256];
    }

    public sealed class Cart;

    public sealed class Store
    {
        private static readonly List<Product> s_products = [];
        private static readonly List<Order> s_orders = [];
        private int number;

        public bool Leaks { get; init; }

        public async Task CheckoutAsync(Cart cart)
        {
            await Task.Yield();
            var order = new Order(++number);
            if (Leaks && cart is not null)
                s_orders.Add(order);
        }

        public void Import(string file)
        {
            s_products.Clear();
            foreach (string name in new[] { "tea", "cups", "spoons" })
                s_products.Add(new Csv.Row(file, name).Product());
        }
    }
}

namespace Shop.Csv
{
    public sealed record Row(string File, string Name)
    {
        public Product Product() => new(Name);
    }
}

namespace Shop.Tests
{
    public abstract class Guide
    {
        protected static readonly Store shop = new();
        protected static readonly Store leakingShop = new() { Leaks = true };
        protected static readonly Cart cart = new();

        protected static void OpenAndClose()
        {
            var window = new DetailsWindow();
            window.Close();
        }
    }
}
