// What the shop should leave nothing of. Frees_ passes, Leaks_ fails by a leak, Refuses_ fails by
// what the test itself did wrong; tests/nuget/run.py knows that by their names.
using Heapdrift.Testing;
using Shop.ViewModels;
using Shop.Windows;

namespace Shop.Tests;

[Suite]
public class WindowTests
{
    [Check]
    public Task Frees_a_window() => Heap.AssertGoneAsync<Window>(async () =>
    {
        var window = new DetailsWindow();
        await window.ShowAsync();
        window.Close();
    });

    [Check]
    public Task Leaks_a_window_that_a_handler_holds() => Heap.AssertGoneAsync<StockWindow>(async () =>
    {
        var window = new StockWindow();
        await window.ShowAsync();
        window.Close();
    });

    [Check]
    public Task Leaks_windows_that_stay_open() => Heap.AssertGoneAsync<Window>(async () =>
    {
        for (int i = 0; i < 3; i++)
            await new SplashWindow().ShowAsync();
    });

    [Check]
    public Task Frees_view_models() => Heap.AssertGoneAsync("Shop.ViewModels.*", async () =>
    {
        var window = new DetailsWindow();
        await window.ShowAsync();
        window.Close();
    });

    [Check]
    public Task Leaks_view_models_of_a_hidden_window() => Heap.AssertGoneAsync("Shop.ViewModels.*", async () =>
    {
        var window = new DetailsWindow();
        await window.ShowAsync();
        window.Hide();
    });

    [Checks]
    [Row(1)]
    [Row(20)]
    public Task Frees_windows(int count) => Heap.AssertGoneAsync(TypeSet.Of<Window>() | "Shop.ViewModels.*", async () =>
    {
        for (int i = 0; i < count; i++)
        {
            var window = new DetailsWindow();
            await window.ShowAsync();
            window.Close();
        }
    });
}

[Suite]
public class ScopeTests
{
    private static readonly Type[] request = [typeof(RequestScope), typeof(Order)];

    [Check]
    public Task Frees_a_request() => Heap.AssertGoneAsync(request, async () =>
    {
        using RequestScope scope = RequestScope.Begin();
        await scope.PlaceAsync(1);
    });

    [Check]
    public Task Leaks_a_request_that_nobody_ends() => Heap.AssertGoneAsync(request, async () =>
    {
        RequestScope scope = RequestScope.Begin();
        await scope.PlaceAsync(1);
        await scope.PlaceAsync(2);
    });

    [Check]
    public void Frees_a_reminder() => Heap.AssertGone<Reminder>(() =>
    {
        using var reminder = new Reminder(TimeSpan.FromMinutes(1));
    });

    [Check]
    public void Leaks_a_reminder_that_goes_on() => Heap.AssertGone<Reminder>(() => _ = new Reminder(TimeSpan.FromMinutes(1)));

    [Check]
    public Task Frees_a_subscriber() => Heap.AssertGoneAsync<Basket>(() =>
    {
        using var basket = new Basket(MessageBus.Current);
        basket.Open();
        MessageBus.Current.Publish(new Message("hello"));
    });

    [Check]
    public Task Leaks_a_subscriber() => Heap.AssertGoneAsync<Basket>(() =>
    {
        var basket = new Basket(MessageBus.Current);
        basket.Open();
        MessageBus.Current.Publish(new Message("hello"));
    });

    [Check]
    public Task Refuses_a_type_that_does_not_exist() => Heap.AssertGoneAsync("Shop.Ordre", () => { });

    [Check]
    public Task Refuses_an_action_that_throws() => Heap.AssertGoneAsync<Order>(async () =>
    {
        using RequestScope scope = RequestScope.Begin();
        await scope.PlaceAsync(1);
        throw new TimeoutException("the bank does not answer");
    });
}
