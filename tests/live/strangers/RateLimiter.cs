// Partitioned rate limiter: each address has a limiter, which is removed after ten idle seconds.
// Limiters with an external store report an idle time of zero and are never removed
// (cristipufu/aspnetcore-redis-rate-limiting#61). The fix: report the idle time.

using System.Threading.RateLimiting;
using Packages;
using Services;

namespace Throttle;

public sealed class StoreLimiter(string address, bool mended) : RateLimiter
{
    private static readonly RateLimitLease Granted = new Lease();
    private long _used = Environment.TickCount64;

    public string Address { get; } = address;

    public override TimeSpan? IdleDuration => mended ? TimeSpan.FromMilliseconds(Environment.TickCount64 - _used) : TimeSpan.Zero;

    public override RateLimiterStatistics? GetStatistics() => null;

    protected override RateLimitLease AttemptAcquireCore(int permitCount)
    {
        _used = Environment.TickCount64;
        return Granted;
    }

    protected override ValueTask<RateLimitLease> AcquireAsyncCore(int permitCount, CancellationToken cancellationToken) =>
        ValueTask.FromResult(AttemptAcquireCore(permitCount));

    private sealed class Lease : RateLimitLease
    {
        public override bool IsAcquired => true;
        public override IEnumerable<string> MetadataNames => [];

        public override bool TryGetMetadata(string metadataName, out object? metadata)
        {
            metadata = null;
            return false;
        }
    }
}

public sealed class Gate(Bug bug) : IUse
{
    private readonly PartitionedRateLimiter<(string Address, bool Leaks)> _limiter =
        PartitionedRateLimiter.Create<(string Address, bool Leaks), string>(
            r => RateLimitPartition.Get(r.Address, a => new StoreLimiter(a, !r.Leaks)));
    private int _next;

    public async ValueTask UnitAsync()
    {
        int number = ++_next;
        bool leaks = bug.Strikes();
        string address = leaks || number % 100 == 0 ? $"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}" : "192.168.0." + number % 20;
        using RateLimitLease lease = await _limiter.AcquireAsync((address, leaks));
    }
}
