#include "ranking/known_stores.h"

#include <string.h>

/* A watch shows expiry if it is longer than the lifetime of entries added in its first
 * half: twice that, and a scan. */
static const struct known_store stores[] = {
    /* CircuitOptions, ASP.NET Core since 3.0: DisconnectedCircuitRetentionPeriod is 3
     * minutes, DisconnectedCircuitMaxRetained 100. */
    {.holder = "Microsoft.AspNetCore.Components.Server.Circuits.CircuitRegistry",
     .keeps = "closed circuits",
     .seconds = 180,
     .watch = 420,
     .setting = "CircuitOptions.DisconnectedCircuitRetentionPeriod"},
    /* CircuitOptions, .NET 10: PersistedCircuitInMemoryRetentionPeriod is 2 hours,
     * PersistedCircuitInMemoryMaxRetained 1,000. */
    {.holder = "Microsoft.AspNetCore.Components.Server.Circuits."
               "DefaultInMemoryCircuitPersistenceProvider",
     .keeps = "persisted circuits",
     .seconds = 7200,
     .watch = 15000,
     .setting = "CircuitOptions.PersistedCircuitInMemoryRetentionPeriod"},
    /* SessionOptions.IdleTimeout is 20 minutes; the store is a distributed cache. */
    {.holder = "Microsoft.Extensions.Caching.Distributed.MemoryDistributedCache",
     .keeps = "sessions",
     .seconds = 1200,
     .watch = 2500,
     .setting = "SessionOptions.IdleTimeout"},
    /* MemoryCacheOptions.ExpirationScanFrequency is 1 minute: expired entries remain until
     * a scan, and only the program knows their expiration. */
    {.holder = "Microsoft.Extensions.Caching.Memory.MemoryCache",
     .keeps = "expired entries",
     .seconds = 60,
     .watch = 180,
     .setting = "MemoryCacheOptions.ExpirationScanFrequency"},
    /* HttpClientFactoryOptions.HandlerLifetime is 2 minutes; a timer checks every 10 s. */
    {.holder = "Microsoft.Extensions.Http.DefaultHttpClientFactory",
     .keeps = "handlers",
     .seconds = 130,
     .watch = 300,
     .setting = "SetHandlerLifetime"},
    /* Npgsql: Connection Idle Lifetime 300 s, pruned every 10 s; Maximum Pool Size 100. */
    {.holder = "Npgsql.PoolingDataSource",
     .keeps = "idle connections",
     .seconds = 310,
     .watch = 700,
     .setting = "Connection Idle Lifetime"},
    /* SqlClient prunes idle connections after 4 to 8 minutes; Max Pool Size 100. */
    {.holder = "Microsoft.Data.ProviderBase.DbConnectionPool",
     .keeps = "idle connections",
     .seconds = 480,
     .watch = 1200,
     .setting = "Max Pool Size"},
    /* One contract for each type that is serialized, by the documentation of both. */
    {.holder = "Newtonsoft.Json.Serialization.DefaultContractResolver",
     .keeps = "contracts",
     .is_per_type = true},
    {.holder = "System.Text.Json.JsonSerializerOptions+CachingContext",
     .keeps = "contracts",
     .is_per_type = true},
    /* Regex.CacheSize is 15; static calls only. */
    {.holder = "System.Text.RegularExpressions.RegexCache",
     .keeps = "expressions",
     .bound = 15,
     .setting = "Regex.CacheSize"},
    /* CoreLib, Number.Formatting.cs, .NET 8 on: strings of the numbers below 300. */
    {.holder = "System.Number.s_smallNumberCache",
     .keeps = "strings of small numbers",
     .bound = 300},
    /* The same in files that name a variable by the type of its value. */
    {.holder = "System.String[].s_smallNumberCache",
     .keeps = "strings of small numbers",
     .bound = 300},
    /* EF Core: entries of size 10 in a MemoryCache with SizeLimit 10,240. */
    {.holder = "Microsoft.EntityFrameworkCore.Query.Internal.CompiledQueryCache",
     .keeps = "compiled queries",
     .bound = 1024,
     .setting = "UseMemoryCache"},
    /* CryptoProviderCacheOptions.SizeLimit is 1,000 since IdentityModel 6.20; it has two
     * caches, for signing and for verifying. */
    {.holder = "Microsoft.IdentityModel.Tokens.InMemoryCryptoProviderCache",
     .keeps = "signature providers",
     .bound = 2000,
     .setting = "CryptoProviderCacheOptions.SizeLimit"},
    /* scripts/nuget/testing/Turn.cs: a waiting test retains its fixture. Test runners may
     * start every test concurrently. */
    {.holder = "Heapdrift.Testing.Turn.gate", .keeps = "waiting tests", .bound = 10000},
};

const struct known_store *known_store_of(const char *holder)
{
    size_t len = strlen(holder);
    for (size_t i = 0; i < sizeof(stores) / sizeof(*stores); i++) {
        size_t known = strlen(stores[i].holder);
        bool ends = len > known && holder[len - 1] == ']' && holder[0] == '[' &&
                    memcmp(holder + len - 1 - known, stores[i].holder, known) == 0;
        if (ends || strcmp(holder, stores[i].holder) == 0)
            return &stores[i];
    }
    return NULL;
}
