// Hard: sessions of ASP.NET end twenty minutes after their last request, so every session outlives
// the run, which takes half a minute.

using System.Text;
using Microsoft.AspNetCore.Session;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Packages;
using Services;

namespace Login;

public sealed class Members : IUse
{
    private static readonly TimeSpan Idle = TimeSpan.FromMinutes(20);
    private readonly DistributedSessionStore _store = new(
        new MemoryDistributedCache(Options.Create(new MemoryDistributedCacheOptions())), NullLoggerFactory.Instance);
    private readonly Random _random = new(1);
    private int _members;

    public async ValueTask UnitAsync()
    {
        bool arrives = _members == 0 || _random.Next(20) == 0;
        int member = arrives ? _members++ : _random.Next(_members);
        ISession session = _store.Create("member " + member, Idle, Idle, () => true, isNewSessionKey: arrives);
        await session.LoadAsync();
        if (arrives)
        {
            session.Set("name", Encoding.UTF8.GetBytes(Words.Some(_random, 6)));
            session.Set("basket", new byte[_random.Next(100, 400)]);
        }
        await session.CommitAsync();
    }
}
