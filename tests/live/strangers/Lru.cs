// Hard: a cache with a limit warms up. Popular images arrive first, so new ones become rare; the
// limit of 20,000 is far away.

using Packages;
using Services;

namespace Gallery;

public sealed record Thumbnail(int Id, byte[] Pixels);

public sealed class Images : IUse
{
    private readonly LruCache<int, Thumbnail> _cache = new(20000);
    private readonly Random _random = new(1);

    public ValueTask UnitAsync()
    {
        double skewed = Math.Pow(_random.NextDouble(), 2);
        _ = _cache.GetOrAdd((int)(12000 * skewed), id => new Thumbnail(id, new byte[60]));
        return ValueTask.CompletedTask;
    }
}
