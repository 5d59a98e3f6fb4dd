// NLog, twice. A worker that lives as long as the program opens a scope for each row and does not
// end it: each scope refers to the one before (NLog/NLog#5171). And: a logger with a name of its
// own for each batch; the table of loggers keeps the names, though it lets go of the loggers
// (NLog/NLog#4007).

using System.Collections.Concurrent;
using NLog;
using Packages;
using Services;

namespace Import;

public sealed record Row(int Number, string Key);

public sealed class Worker : IUse
{
    private readonly Bug _bug;
    private readonly BlockingCollection<(Row Row, bool Leaks)> _rows = [];
    private readonly SemaphoreSlim _done = new(0);
    private int _next;

    public Worker(Bug bug)
    {
        _bug = bug;
        new Thread(Run) { IsBackground = true, Name = "import" }.Start();
    }

    public async ValueTask UnitAsync()
    {
        int number = ++_next;
        _rows.Add((new Row(number, "key " + number), _bug.Strikes()));
        await _done.WaitAsync();
    }

    private void Run()
    {
        Logger logger = LogManager.GetLogger("import");
        foreach ((Row row, bool leaks) in _rows.GetConsumingEnumerable())
        {
            IDisposable scope = ScopeContext.PushNestedState(row);
            logger.Info("a row");
            if (!leaks)
            {
                scope.Dispose();
            }
            _done.Release();
        }
    }
}

public sealed class Batches(Bug bug) : IUse
{
    private int _next;

    public ValueTask UnitAsync()
    {
        int number = ++_next;
        LogManager.GetLogger(bug.IsDue() ? $"import.batch-{Guid.NewGuid()}" : "import.batch").Info("batch {0}", number);
        return ValueTask.CompletedTask;
    }
}
