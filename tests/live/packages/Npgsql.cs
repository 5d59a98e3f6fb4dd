// Npgsql: the password in the connection string is a token that changes. There is a pool for each
// string, in a static table, even when it has no connections (npgsql/npgsql#3387). One string,
// and a provider of the password. No server: a pool is made before a connection is opened.

using Npgsql;
using Packages;
using Services;

namespace Warehouse;

public sealed class Connections(Bug bug) : IUse
{
    private const string Place = "Host=localhost;Database=warehouse;Username=app";
    private int _next;

    public ValueTask UnitAsync()
    {
        int number = ++_next;
        using var connection = new NpgsqlConnection(bug.IsDue() ? $"{Place};Password=token-{number}" : Place + ";Maximum Pool Size=20");
        _ = connection.Database;
        return ValueTask.CompletedTask;
    }
}
