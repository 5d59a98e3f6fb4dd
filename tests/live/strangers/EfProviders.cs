// EF Core: each context gets options with a new singleton interceptor. EF builds a provider of its
// internal services for each and caches it statically (dotnet/efcore#24841). The fix: build the
// options once.

using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Packages;
using Services;

namespace Catalog;

public sealed class Book
{
    public int Id { get; set; }
    public string Title { get; set; } = "";
}

public sealed class Reading : IMaterializationInterceptor;

public sealed class CatalogContext(DbContextOptions options) : DbContext(options)
{
    public DbSet<Book> Books => Set<Book>();
}

public sealed class Reader(Bug bug) : IUse
{
    private readonly DbContextOptions _options = Options();
    private int _next;

    public ValueTask UnitAsync()
    {
        bool leaks = bug.IsDue();
        if (leaks || ++_next % 20 == 0)
        {
            using var context = new CatalogContext(leaks ? Options() : _options);
            _ = context.Database.ProviderName;
        }
        return ValueTask.CompletedTask;
    }

    private static DbContextOptions Options() => new DbContextOptionsBuilder()
        .UseInMemoryDatabase("catalog")
        .AddInterceptors(new Reading())
        .ConfigureWarnings(w => w.Ignore(CoreEventId.ManyServiceProvidersCreatedWarning))
        .Options;
}
