// Hard: a queue with a limit of 20,000, whose consumer is as fast as the usual load. The queue fills
// under a higher load.

using System.Threading.Channels;
using Packages;
using Services;

namespace Outbox;

public sealed record Mail(int Number, string To, byte[] Text);

public sealed class Sender : IUse
{
    // A slice of a step: requests arrive in bursts of the usual 100, with pauses of 180 ms. Time itself
    // would make the consumer faster on a busy machine.
    private const int PerSlice = 100;
    private const long Pause = 90;

    private readonly Channel<Mail> _mails = Channel.CreateBounded<Mail>(20000);
    private readonly Random _random = new(1);
    private long _last = Environment.TickCount64;
    private int _may;
    private int _next;

    public async ValueTask UnitAsync()
    {
        await _mails.Writer.WriteAsync(new Mail(++_next, Words.Some(_random, 5), new byte[_random.Next(50, 300)]));
        long now = Environment.TickCount64;
        _may = now - _last > Pause ? PerSlice : _may;
        _last = now;
        for (; _may > 0 && _mails.Reader.TryRead(out _); _may--)
        {
        }
    }
}
