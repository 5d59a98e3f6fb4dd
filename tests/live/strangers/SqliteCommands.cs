// Microsoft.Data.Sqlite: commands of a long-lived connection are not disposed. The connection has a
// list of weak references to its commands (dotnet/efcore#13898). The fix: `using`.

using Microsoft.Data.Sqlite;
using Packages;
using Services;

namespace Notes;

public sealed class Book : IUse
{
    private readonly Bug _bug;
    private readonly SqliteConnection _connection = new("Data Source=:memory:");
    private int _next;

    public Book(Bug bug)
    {
        _bug = bug;
        _connection.Open();
    }

    public ValueTask UnitAsync()
    {
        bool leaks = _bug.Strikes();
        if (leaks || ++_next % 5 == 0)
        {
            SqliteCommand command = _connection.CreateCommand();
            command.CommandText = "SELECT length($text)";
            command.Parameters.AddWithValue("$text", "note " + _next);
            _ = command.ExecuteScalar();
            if (!leaks)
            {
                command.Dispose();
            }
        }
        return ValueTask.CompletedTask;
    }
}
