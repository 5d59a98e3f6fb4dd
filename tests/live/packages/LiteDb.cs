// LiteDB: queries with the values in them. Each text is compiled, and the compiled expression is
// kept in a static table (litedb-org/LiteDB#1688, #2807). Values are parameters.

using LiteDB;
using Packages;
using Services;

namespace Ledger;

public sealed class Entry
{
    public int Id { get; set; }
    public string Account { get; set; } = "";
}

public sealed class Book : IUse
{
    private readonly Bug _bug;
    private readonly ILiteCollection<Entry> _entries;
    private int _asked;

    public Book(Bug bug)
    {
        _bug = bug;
        var database = new LiteDatabase(new MemoryStream());
        _entries = database.GetCollection<Entry>("entries");
        _entries.EnsureIndex(e => e.Account);
        _entries.InsertBulk(Enumerable.Range(1, 200).Select(i => new Entry { Id = i, Account = "account " + i }));
    }

    public ValueTask UnitAsync()
    {
        int number = ++_asked;
        if (_bug.Strikes())
        {
            _ = _entries.Count(Query.EQ("Account", "account " + number));
        }
        else if (number % 20 == 0)
        {
            string account = "account " + number;
            _ = _entries.Count("$.Account = @0", account);
        }
        return ValueTask.CompletedTask;
    }
}
