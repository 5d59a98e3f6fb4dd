// What a customer does: look at products, fill a basket, pay, get a receipt.

using System.Text.Json;

namespace CornerShop;

public sealed record Product(int Id, string Name, decimal Price);

public sealed class PriceList
{
    /// <summary>The leak hangs here: whoever listens and never stops is held.</summary>
    public static event EventHandler<Product>? Changed;

    public static void Announce(Product product) => Changed?.Invoke(null, product);
}

public sealed class Basket
{
    private readonly List<Product> _products = new();
    private readonly byte[] _thumbnail = new byte[256];

    public Basket() => PriceList.Changed += OnPriceChanged;

    public decimal Total { get; private set; }

    public void Add(Product product)
    {
        _products.Add(product);
        Total += product.Price;
        _thumbnail[product.Id % _thumbnail.Length]++;
    }

    public void Close() => PriceList.Changed -= OnPriceChanged;

    private void OnPriceChanged(object? sender, Product product)
    {
        int at = _products.FindIndex(p => p.Id == product.Id);
        if (at >= 0)
        {
            Total += product.Price - _products[at].Price;
            _products[at] = product;
        }
    }
}

public sealed record Receipt(int Customer, decimal Total, string[] Lines);

public sealed class Workload
{
    private const int RecentReceipts = 200;
    private readonly bool _leaks;
    private readonly Product[] _products = new Product[2000];
    private readonly Queue<string> _receipts = new();

    public Workload(bool leaks)
    {
        _leaks = leaks;
        for (int i = 0; i < _products.Length; i++)
        {
            _products[i] = new Product(i, "Product " + i, i % 97 + 0.99m);
        }
    }

    public void Serve(int customer)
    {
        // The same customers in every run: what they buy follows from their number.
        var random = new Random(customer);
        var basket = new Basket();
        var lines = new string[3 + customer % 4];
        for (int i = 0; i < lines.Length; i++)
        {
            Product product = _products[random.Next(_products.Length)];
            basket.Add(product);
            lines[i] = product.Name;
        }
        if (customer % 10 == 0)
        {
            int sale = random.Next(_products.Length);
            _products[sale] = _products[sale] with { Price = random.Next(100) + 0.49m };
            PriceList.Announce(_products[sale]);
        }
        // A cache that is full after the warm-up, and no leak.
        _receipts.Enqueue(JsonSerializer.Serialize(new Receipt(customer, basket.Total, lines)));
        while (_receipts.Count > RecentReceipts)
        {
            _receipts.Dequeue();
        }
        if (!_leaks)
        {
            basket.Close();
        }
    }
}
