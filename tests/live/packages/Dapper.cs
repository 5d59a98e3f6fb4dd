// Dapper: SQL with the values in it. Its cache has an entry for each text, and forgets only those
// that were used once (DapperLib/Dapper#1934). Values are parameters.

using Dapper;
using Microsoft.Data.Sqlite;
using Packages;
using Services;

namespace Pricing;

public sealed class Price
{
    public long Id { get; set; }
    public string Name { get; set; } = "";
}

public sealed class PriceList : IUse
{
    private readonly Bug _bug;
    private readonly SqliteConnection _connection = new("Data Source=:memory:");
    private int _asked;

    public PriceList(Bug bug)
    {
        _bug = bug;
        _connection.Open();
        _connection.Execute("create table price (id integer primary key, name text, amount integer)");
        for (int i = 0; i < 200; i++)
        {
            _connection.Execute("insert into price values (@i, @name, @amount)", new { i, name = "name " + i, amount = i * 7 % 1000 });
        }
    }

    public ValueTask UnitAsync()
    {
        int number = ++_asked;
        if (_bug.IsDue())
        {
            string sql = $"select id, name from price where amount > {number % 900} and id <> {number} limit 3";
            // A first look, and the answer.
            _connection.QueryFirstOrDefault<Price>(sql);
            _connection.QueryFirstOrDefault<Price>(sql);
        }
        else if (number % 8 == 0)
        {
            _connection.QueryFirstOrDefault<Price>(
                "select id, name from price where amount > @from and id <> @number limit 3", new { from = number % 900, number });
        }
        return ValueTask.CompletedTask;
    }
}
