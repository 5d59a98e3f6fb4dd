// The database of the examples, in memory.

using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;

namespace Shop;

public class Db : DbContext
{
    readonly SqliteConnection connection;

    public Db()
        : this(OpenConnection())
    {
    }

    Db(SqliteConnection connection) => this.connection = connection;

    public DbSet<Order> Orders => Set<Order>();

    public static Db Open() => new(OpenConnection());

    public static SqliteConnection OpenConnection()
    {
        var connection = new SqliteConnection("DataSource=:memory:");
        connection.Open();
        using var create = connection.CreateCommand();
        create.CommandText = "create table Orders (Id integer primary key, Customer text)";
        create.ExecuteNonQuery();
        return connection;
    }

    protected override void OnConfiguring(DbContextOptionsBuilder options) => options.UseSqlite(connection);
}
