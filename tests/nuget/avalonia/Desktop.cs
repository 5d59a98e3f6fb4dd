// Windows and controls of a shop, of Avalonia. What each does wrong its own tests look for as well:
// what outlives a control holds it by an event, a binding, an observer of properties, an animation.
using System.Collections.ObjectModel;
using System.ComponentModel;
using System.Windows.Input;
using Avalonia;
using Avalonia.Animation;
using Avalonia.Controls;
using Avalonia.Controls.Presenters;
using Avalonia.Controls.Templates;
using Avalonia.Data;
using Avalonia.Media;
using Avalonia.Styling;
using Avalonia.Threading;
using Shop.Desktop.Headless;

namespace Shop.Desktop;

public sealed class Product : INotifyPropertyChanged
{
    private double price;

    public event PropertyChangedEventHandler? PropertyChanged;

    public double Price
    {
        get => price;
        set
        {
            price = value;
            PropertyChanged?.Invoke(this, new PropertyChangedEventArgs(nameof(Price)));
        }
    }
}

public sealed class BuyCommand : ICommand
{
    public event EventHandler? CanExecuteChanged;

    public bool CanExecute(object? parameter) => true;

    public void Execute(object? parameter) => CanExecuteChanged?.Invoke(this, EventArgs.Empty);
}

/// <summary>Values that go on as long as the program; it knows who listens.</summary>
public sealed class Rates : IObservable<double>
{
    private readonly List<IObserver<double>> observers = [];

    public IDisposable Subscribe(IObserver<double> observer)
    {
        observers.Add(observer);
        observer.OnNext(1);
        return new Subscription(() => observers.Remove(observer));
    }

    private sealed class Subscription(Action end) : IDisposable
    {
        public void Dispose() => end();
    }
}

/// <summary>What the program has as long as it runs.</summary>
public static class Store
{
    public static BuyCommand Buy { get; } = new();

    public static Rates Rates { get; } = new();

    public static Product Tea { get; } = new();

    public static ObservableCollection<Product> Products { get; } = [Tea];

    public static Border Frame { get; } = new();
}

/// <summary>A window, of which a control can be taken out.</summary>
public class ShopWindow : Window
{
    public ShopWindow()
    {
        Template = new FuncControlTemplate<ShopWindow>((_, scope) =>
        {
            var presenter = new ContentPresenter
            {
                Name = "PART_ContentPresenter",
                [~ContentPresenter.ContentProperty] = new TemplateBinding(ContentProperty),
            };
            scope.Register(presenter.Name, presenter);
            return presenter;
        });
    }

    public static void ShowAndClose(Func<Control> content)
    {
        var window = new ShopWindow { Content = content() };
        window.Show();
        Ui.Settle();
        if (((Control)window.Content).Bounds.Width <= 0)
            throw new InvalidOperationException("it was not laid out");
        window.Close();
        Ui.Settle();
    }
}

/// <summary>Asks a command whether it can be executed.</summary>
public sealed class BuyArea(bool forgets) : Border
{
    private readonly bool forgets = forgets;

    protected override void OnAttachedToVisualTree(VisualTreeAttachmentEventArgs e)
    {
        base.OnAttachedToVisualTree(e);
        Store.Buy.CanExecuteChanged += OnCanExecuteChanged;
    }

    protected override void OnDetachedFromVisualTree(VisualTreeAttachmentEventArgs e)
    {
        base.OnDetachedFromVisualTree(e);
        if (!forgets)
            Store.Buy.CanExecuteChanged -= OnCanExecuteChanged;
    }

    private void OnCanExecuteChanged(object? sender, EventArgs e) => IsEnabled = Store.Buy.CanExecute(null);
}

/// <summary>As wide as a rate.</summary>
public sealed class RateBar : Border
{
    private IDisposable? binding;

    public RateBar(bool forgets)
    {
        binding = this.Bind(OpacityProperty, Store.Rates);
        if (forgets)
            binding = null;
    }

    protected override void OnDetachedFromVisualTree(VisualTreeAttachmentEventArgs e)
    {
        base.OnDetachedFromVisualTree(e);
        binding?.Dispose();
    }
}

/// <summary>Has another colour when the theme changes.</summary>
public sealed class Swatch(bool forgets) : Border
{
    private readonly bool forgets = forgets;

    protected override void OnAttachedToVisualTree(VisualTreeAttachmentEventArgs e)
    {
        base.OnAttachedToVisualTree(e);
        Application.Current!.ActualThemeVariantChanged += OnThemeChanged;
    }

    protected override void OnDetachedFromVisualTree(VisualTreeAttachmentEventArgs e)
    {
        base.OnDetachedFromVisualTree(e);
        if (!forgets)
            Application.Current!.ActualThemeVariantChanged -= OnThemeChanged;
    }

    private void OnThemeChanged(object? sender, EventArgs e) => Background = Brushes.Black;
}

/// <summary>As opaque as another control, which stays.</summary>
public sealed class Shade : Border
{
    private readonly IDisposable follows;
    private readonly bool forgets;

    public Shade(bool forgets)
    {
        this.forgets = forgets;
        follows = Store.Frame.GetObservable(OpacityProperty).Subscribe(new Follower(this));
    }

    protected override void OnDetachedFromVisualTree(VisualTreeAttachmentEventArgs e)
    {
        base.OnDetachedFromVisualTree(e);
        if (!forgets)
            follows.Dispose();
    }

    private sealed class Follower(Shade shade) : IObserver<double>
    {
        public void OnCompleted()
        {
        }

        public void OnError(Exception error)
        {
        }

        public void OnNext(double value) => shade.Opacity = value;
    }
}

/// <summary>Turns until it is gone.</summary>
public sealed class Spinner(bool forgets) : Border
{
    private readonly bool forgets = forgets;
    private readonly DispatcherTimer timer = new() { Interval = TimeSpan.FromMilliseconds(20) };
    private int turns;

    protected override void OnAttachedToVisualTree(VisualTreeAttachmentEventArgs e)
    {
        base.OnAttachedToVisualTree(e);
        timer.Tick += (_, _) => turns++;
        timer.Start();
    }

    protected override void OnDetachedFromVisualTree(VisualTreeAttachmentEventArgs e)
    {
        base.OnDetachedFromVisualTree(e);
        if (!forgets)
            timer.Stop();
    }

    public int Turns => turns;
}

/// <summary>Fades in, by a transition, or in and out for ever, by an animation.</summary>
public sealed class Notice : Border
{
    private readonly CancellationTokenSource gone = new();
    private readonly bool forgets;

    public Notice(bool forgets)
    {
        this.forgets = forgets;
        Transitions = [new DoubleTransition { Property = OpacityProperty, Duration = TimeSpan.FromMilliseconds(50) }];
    }

    protected override void OnAttachedToVisualTree(VisualTreeAttachmentEventArgs e)
    {
        base.OnAttachedToVisualTree(e);
        Opacity = 0.5;
        var pulse = new Animation
        {
            Duration = TimeSpan.FromMilliseconds(100),
            IterationCount = IterationCount.Infinite,
            Children =
            {
                new KeyFrame { Cue = new Cue(0), Setters = { new Setter(WidthProperty, 10.0) } },
                new KeyFrame { Cue = new Cue(1), Setters = { new Setter(WidthProperty, 20.0) } },
            },
        };
        _ = pulse.RunAsync(this, gone.Token);
    }

    protected override void OnDetachedFromVisualTree(VisualTreeAttachmentEventArgs e)
    {
        base.OnDetachedFromVisualTree(e);
        if (!forgets)
            gone.Cancel();
    }
}
