// WCF: each request opens a channel and does not close it; the factory keeps open channels
// (dotnet/wcf#4462). The fix: Close. HTTP channels open without a server.

using System.ServiceModel;
using Packages;
using Services;

namespace Rates;

[ServiceContract]
public interface IRates
{
    [OperationContract]
    Task<decimal> RateAsync(string currency);
}

public sealed class Client(Bug bug) : IUse
{
    private readonly ChannelFactory<IRates> _factory = new(new BasicHttpBinding(), new EndpointAddress("http://localhost:1/rates"));
    private int _next;

    public ValueTask UnitAsync()
    {
        bool leaks = bug.Strikes();
        if (leaks || ++_next % 50 == 0)
        {
            var channel = (IClientChannel)_factory.CreateChannel();
            channel.Open();
            if (!leaks)
            {
                channel.Close();
            }
        }
        return ValueTask.CompletedTask;
    }
}
