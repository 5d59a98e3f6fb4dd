// What windows and controls leave behind. By name as in shared/GoneTests.cs.
using Avalonia;
using Avalonia.Animation;
using Avalonia.Controls;
using Avalonia.Controls.Presenters;
using Avalonia.Controls.Templates;
using Avalonia.Data;
using Avalonia.Layout;
using Avalonia.Media;
using Avalonia.Styling;
using Heapdrift.Testing;
using Shop.Desktop.Headless;
using Xunit;
using Xunit.Sdk;
using Xunit.v3;

// There is one thread of the user interface: a test that waits for its turn would hold up the one that has it.
[assembly: Parallelization(Mode = ParallelMode.None)]

namespace Shop.Desktop.Tests;

public class WindowTests
{
    [Fact]
    public Task Frees_a_window() => Ui.RunAsync(() => Heap.AssertGone<Window>(() => ShopWindow.ShowAndClose(() => new Canvas())));

    [Fact]
    public Task Frees_content_of_a_window_that_stays() => Ui.RunAsync(() =>
    {
        var window = new ShopWindow();
        window.Show();
        Heap.AssertGone<Canvas>(() =>
        {
            window.Content = new Canvas();
            Ui.Settle();
            window.Content = null;
            Ui.Settle();
        });
        window.Close();
    });

    [Fact]
    public Task Frees_a_window_and_its_data() => Ui.RunAsync(() =>
        Heap.AssertGoneAsync(TypeSet.Of<Window>() | "Shop.Desktop.Product", async () =>
        {
            var window = new ShopWindow { DataContext = new Product(), Content = new Border() };
            window.Show();
            await Task.Delay(20);
            window.Close();
            Ui.Settle();
        }));

    [Fact]
    public Task Frees_a_list() => Ui.RunAsync(() => Heap.AssertGone<Control>(() => ShopWindow.ShowAndClose(() => new ItemsControl
    {
        Template = new FuncControlTemplate<ItemsControl>((_, scope) =>
        {
            var presenter = new ItemsPresenter { Name = "PART_ItemsPresenter" };
            scope.Register(presenter.Name, presenter);
            return presenter;
        }),
        ItemTemplate = new FuncDataTemplate<Product>((_, _) => new Border { Height = 10 }),
        ItemsSource = Store.Products,
    }), new GoneOptions { WarmUp = true }));

    // Of each window Avalonia keeps an empty WeakReference, until the next change of resources.
    [Fact]
    public Task Frees_what_is_opened_again_and_again() => Ui.RunAsync(() =>
        Leak.Test(() => ShopWindow.ShowAndClose(() => new Border { Child = new Canvas() }), iterations: 20,
            new LeakOptions { Ignore = ["System.WeakReference<*>"] }));

    [Fact]
    public Task Leaks_what_is_opened_again_and_again() => Ui.RunAsync(() =>
        Leak.Test(() => ShopWindow.ShowAndClose(() => new Swatch(forgets: true)), iterations: 20));
}

public class BindingTests
{
    [Fact]
    public Task Frees_a_bound_control() => Ui.RunAsync(() => Heap.AssertGone<Border>(() => ShopWindow.ShowAndClose(() => new Border
    {
        [!Layoutable.WidthProperty] = new Binding(nameof(Product.Price)) { Source = Store.Tea, FallbackValue = 10.0, TargetNullValue = 10.0 },
        MinWidth = 10,
    })));

    [Fact]
    public Task Frees_a_bar_that_ends_its_binding() => Ui.RunAsync(() => Heap.AssertGone<RateBar>(() => ShopWindow.ShowAndClose(() => new RateBar(forgets: false))));

    [Fact]
    public Task Leaks_a_bar_by_its_binding() => Ui.RunAsync(() => Heap.AssertGone<RateBar>(() => ShopWindow.ShowAndClose(() => new RateBar(forgets: true))));

    [Fact]
    public Task Frees_a_shade_that_ends_its_subscription() => Ui.RunAsync(() => Heap.AssertGone<Shade>(() => ShopWindow.ShowAndClose(() => new Shade(forgets: false))));

    [Fact]
    public Task Leaks_a_shade_by_the_property_it_observes() => Ui.RunAsync(() => Heap.AssertGone<Shade>(() => ShopWindow.ShowAndClose(() => new Shade(forgets: true))));

    [Fact]
    public Task Frees_a_button_with_a_command() => Ui.RunAsync(() => Heap.AssertGone<Button>(() => ShopWindow.ShowAndClose(() => new Button { Command = Store.Buy })));

    [Fact]
    public Task Frees_an_area_that_leaves_its_command() => Ui.RunAsync(() => Heap.AssertGone<BuyArea>(() => ShopWindow.ShowAndClose(() => new BuyArea(forgets: false))));

    [Fact]
    public Task Leaks_an_area_by_its_command() => Ui.RunAsync(() => Heap.AssertGone<BuyArea>(() => ShopWindow.ShowAndClose(() => new BuyArea(forgets: true))));
}

public class StyleTests
{
    [Fact]
    public Task Frees_a_styled_control() => Ui.RunAsync(() =>
    {
        var turned = new Style(x => x.OfType<Canvas>()) { Setters = { new Setter(Visual.RenderTransformProperty, new RotateTransform(45)) } };
        Application.Current!.Styles.Add(turned);
        Heap.AssertGone<Canvas>(() => ShopWindow.ShowAndClose(() => new Canvas()));
        Application.Current!.Styles.Remove(turned);
    });

    [Fact]
    public Task Frees_a_control_with_a_resource() => Ui.RunAsync(() =>
    {
        Application.Current!.Resources["width"] = 40.0;
        Heap.AssertGone<Border>(() => ShopWindow.ShowAndClose(() =>
        {
            var border = new Border();
            border.Bind(Layoutable.WidthProperty, border.GetResourceObservable("width"));
            return border;
        }));
    });

    [Fact]
    public Task Frees_a_swatch_that_leaves_the_theme() => Ui.RunAsync(() => Heap.AssertGone<Swatch>(() => ShopWindow.ShowAndClose(() => new Swatch(forgets: false))));

    [Fact]
    public Task Leaks_a_swatch_by_the_theme() => Ui.RunAsync(() => Heap.AssertGone<Swatch>(() => ShopWindow.ShowAndClose(() => new Swatch(forgets: true))));
}

public class AnimationTests
{
    [Fact]
    public Task Frees_a_control_with_a_transition() => Ui.RunAsync(() => Heap.AssertGoneAsync<Border>(async () =>
    {
        var border = new Border { Transitions = [new DoubleTransition { Property = Visual.OpacityProperty, Duration = TimeSpan.FromMilliseconds(30) }] };
        var window = new ShopWindow { Content = border };
        window.Show();
        Ui.Settle();
        border.Opacity = 0.5;
        for (int i = 0; i < 10; i++)
        {
            await Task.Delay(10);
            Ui.Settle();
        }
        if (border.Opacity > 0.5)
            throw new InvalidOperationException("the transition does not end");
        window.Close();
        Ui.Settle();
    }));

    [Fact]
    public Task Frees_a_notice_that_ends_its_animation() => Ui.RunAsync(() => Heap.AssertGone<Notice>(() => ShopWindow.ShowAndClose(() => new Notice(forgets: false))));

    [Fact]
    public Task Leaks_a_notice_by_its_animation() => Ui.RunAsync(() => Heap.AssertGone<Notice>(() => ShopWindow.ShowAndClose(() => new Notice(forgets: true))));

    [Fact]
    public Task Frees_a_spinner_that_stops() => Ui.RunAsync(() => Heap.AssertGone<Spinner>(() => ShopWindow.ShowAndClose(() => new Spinner(forgets: false))));

    [Fact]
    public Task Leaks_a_spinner_that_goes_on() => Ui.RunAsync(() => Heap.AssertGone<Spinner>(() => ShopWindow.ShowAndClose(() => new Spinner(forgets: true))));
}
