// MassTransit: an endpoint is connected for each auction and stopped after it. The bus keeps the
// configuration of stopped endpoints (MassTransit/MassTransit#4391). The fix: one endpoint for all
// auctions.

using MassTransit;
using Packages;
using Services;

namespace Auctions;

public sealed record Bid(int Auction, decimal Amount);

public sealed class Rooms(Bug bug) : IUse
{
    private IBusControl? _bus;
    private int _next;

    public async ValueTask UnitAsync()
    {
        if (_bus is null)
        {
            _bus = Bus.Factory.CreateUsingInMemory(_ => { });
            await _bus.StartAsync();
            await Connect("auctions").Ready;
        }
        bool leaks = bug.IsDue();
        int number = ++_next;
        if (leaks)
        {
            HostReceiveEndpointHandle room = Connect($"auction-{number}");
            await room.Ready;
            await room.StopAsync();
        }
        else if (number % 50 == 0)
        {
            await _bus.Publish(new Bid(number, number % 100));
        }
    }

    private HostReceiveEndpointHandle Connect(string queue) =>
        _bus!.ConnectReceiveEndpoint(queue, e => e.Handler<Bid>(_ => Task.CompletedTask));
}
