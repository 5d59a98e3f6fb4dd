// System.Linq.Dynamic.Core: columns have names of their own in each report. A dynamic class is
// made for each set of names, and all are kept in a static table
// (zzzprojects/System.Linq.Dynamic.Core#87). Names are data, not members.

using System.Linq.Dynamic.Core;
using Packages;
using Services;

namespace Reports;

public sealed record Sale(string Article, decimal Amount, int Count);

public sealed class Pivot(Bug bug) : IUse
{
    private readonly IQueryable<Sale> _sales = Enumerable.Range(0, 50)
        .Select(i => new Sale("article " + i, i * 3, i % 7)).ToList().AsQueryable();
    private int _made;

    public ValueTask UnitAsync()
    {
        int number = ++_made;
        if (bug.IsDue())
        {
            _ = _sales.Select($"new (Article, Amount as Amount_{number}, Count as Count_{number})").ToDynamicList().Count;
        }
        else if (number % 20 == 0)
        {
            _ = _sales.Select("new (Article, Amount, Count)").ToDynamicList().Count;
        }
        return ValueTask.CompletedTask;
    }
}
