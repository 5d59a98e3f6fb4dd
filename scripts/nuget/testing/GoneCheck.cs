// A snapshot before, one after, and whether objects are left that were not there before.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

internal sealed class GoneCheck : Check
{
    private const int MostChains = 100;

    private readonly TypeSet types;
    private readonly GoneOptions options;

    /// <summary>The snapshots in which what is meant was new: the one after the action, since what tests
    /// that run in parallel make later is not meant. Null: not known.</summary>
    private string? born = "2";

    internal GoneCheck(TypeSet types, GoneOptions options, string caller)
        : base(options, caller)
    {
        ArgumentNullException.ThrowIfNull(types);
        this.types = types;
        this.options = options;
        if ((options.FailOn & KeptBy.Anything) == 0)
            throw new ArgumentOutOfRangeException(nameof(options), options.FailOn, "FailOn: nothing could fail the test");
        if (options.Chains is < 1 or > MostChains)
            throw new ArgumentOutOfRangeException(nameof(options), options.Chains, $"Chains: 1 to {MostChains}");
        SkipUnlessPossible();
    }

    internal bool WarmsUp => options.WarmUp;

    /// <summary>Wait for the turn, then take the snapshot before.</summary>
    internal override async Task BeginAsync()
    {
        await base.BeginAsync().ConfigureAwait(false);
        SnapshotMarker.Renew();
        await TakeAsync().ConfigureAwait(false);
    }

    /// <summary>Throw if something is left. What looks like it is looked at once more after finalizers
    /// have run: they may take objects out of lists.</summary>
    internal async Task EndAsync()
    {
        SnapshotMarker.Renew();
        await TakeAsync().ConfigureAwait(false);
        ObjectTable born = await LookAsync().ConfigureAwait(false);
        types.CheckPatterns(born.Types);
        if (Left(born).Of(options.FailOn) == 0)
            return;
        await RunFinalizersAsync().ConfigureAwait(false);
        await TakeAsync().ConfigureAwait(false);
        born = await LookAsync().ConfigureAwait(false);
        if (Left(born).Of(options.FailOn) > 0)
            throw await FailAsync(born).ConfigureAwait(false);
    }

    // Where the garbage collector's events were lost, or another check was within this one, nobody
    // knows which objects are new; that there are more of them is known all the same.
    private async Task<ObjectTable> LookAsync()
    {
        var deadline = options.Deadline();
        ObjectTable born = await ObjectTable.ReadAsync(Paths, ["*"], [], "2", 1, deadline).ConfigureAwait(false);
        if (this.born is not null && SnapshotMarker.IsToldApart(born))
            return born;
        this.born = null;
        ObjectTable before = await AllAsync(Files[0], deadline).ConfigureAwait(false);
        ObjectTable after = await AllAsync(Files[^1], deadline).ConfigureAwait(false);
        SnapshotMarker.Check(after);
        ObjectTable more = after.MoreThan(before);
        long there = Rows(after).Sum(row => row.Count);
        if (there > 0 && !Rows(more).Any())
            throw TestFramework.Skipped($"events of the garbage collector are missing, so nobody knows whether the {there:N0} objects of {types} are new; there are no more than before");
        return more;
    }

    private static Task<ObjectTable> AllAsync(SnapshotFile file, Deadline deadline) => ObjectTable.ReadAsync([file.Path], ["*"], [], null, 1, deadline);

    // What this package itself has at work while it looks is nobody's leak.
    private IEnumerable<TypeRow> Rows(ObjectTable born) => born.Types.Where(row => !LoadedTypes.IsOurs(row) && types.Includes(row));

    private Held Left(ObjectTable born) => Rows(born).Aggregate(default(Held), (sum, row) => sum + row.Held);

    // A finalizer that never returns must not hold up the test.
    private static async Task RunFinalizersAsync()
    {
        Task finalizers = Task.Run(() =>
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        });
        await finalizers.WaitAsync(TimeSpan.FromSeconds(2)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /* --- the message ---------------------------------------------------------------------- */

    private async Task<Exception> FailAsync(ObjectTable born)
    {
        var deadline = options.Deadline();
        List<TypeRow> rows = Rows(born).Where(r => r.Held.Of(options.FailOn) > 0)
            .OrderByDescending(r => r.Held.Of(options.FailOn)).ThenBy(r => r.Name, StringComparer.Ordinal).ToList();
        var message = new StringBuilder();
        AddCounts(message, rows, await AllAsync(Files[0], deadline).ConfigureAwait(false));
        var question = new ChainQuestion(rows.Select(r => r.Name).ToList(), this.born, options.Chains);
        Evidence evidence = Evidence.Keep(options, Caller, Files);
        try
        {
            using Chains chains = await Chains.ReadAsync(Files, question, deadline).ConfigureAwait(false);
            message.Append("\n\n").Append(chains.Text);
            AddUncounted(message, Left(born));
            await evidence.CompleteAsync(message.ToString(), (format, file) => chains.WriteAsync(format, file, deadline)).ConfigureAwait(false);
        }
        catch (HeapdriftException e)
        {
            // That there is a leak is known without the chains.
            message.Append(CultureInfo.InvariantCulture, $"\nwhat holds them could not be found: {e.Message}");
        }
        message.Append(evidence.Attach());
        return new LeakException(message.ToString());
    }

    private void AddCounts(StringBuilder message, List<TypeRow> rows, ObjectTable before)
    {
        const int most = 10;
        long all = rows.Sum(r => r.Held.Of(options.FailOn));
        string objects = string.Create(CultureInfo.InvariantCulture, $"{all:N0} new {(rows.Count == 1 ? rows[0].Name + " " : "")}{(all == 1 ? "object is" : "objects are")} left");
        if (rows.Count == 1)
        {
            Add(message, objects, Change(rows[0], before) + ".", 2);
            return;
        }
        message.Append(objects).Append(':');
        foreach (TypeRow row in rows.Take(most))
            Add(message.Append('\n'), string.Create(CultureInfo.InvariantCulture, $"  {row.Held.Of(options.FailOn),5:N0}  {row.Name}"), Change(row, before), 9);
        if (rows.Count > most)
            message.Append(CultureInfo.InvariantCulture, $"\n         and {rows.Count - most} more types");
    }

    // A name is never cut: it may be what somebody searches for.
    private static void Add(StringBuilder message, string what, string more, int indent)
    {
        bool fits = what.Length + 1 + more.Length <= ChainQuestion.Width;
        message.Append(what).Append(fits ? " " : "\n" + new string(' ', indent)).Append(more);
    }

    // "(2 before; 96 B, retain 1.2 KiB)"
    private static string Change(TypeRow row, ObjectTable before)
    {
        long old = before.Types.Where(row.IsSameTypeAs).Sum(t => t.Count);
        string retained = row.Retained is { } bytes && bytes > row.Bytes ? $", retain{(row.Count == 1 ? "s" : "")} {Size.Of(bytes)}" : "";
        return string.Create(CultureInfo.InvariantCulture, $"({old:N0} before; {Size.Of(row.Bytes)}{retained})");
    }

    // What is not said of the others is what they are not: a leak.
    private void AddUncounted(StringBuilder message, Held left)
    {
        (KeptBy Kind, long Count, string Words)[] kinds =
        [
            (KeptBy.Stack, left.Stack, "by a local variable of a running method"),
            (KeptBy.FinalizerQueue, left.FinalizerQueue, "by the finalizer queue"),
            (KeptBy.Nothing, left.Nothing, "by no root"),
        ];
        foreach ((KeptBy kind, long count, string words) in kinds)
            if (count > 0 && !options.FailOn.HasFlag(kind))
                message.Append(CultureInfo.InvariantCulture, $"\nnot counted: {count:N0} held only {words}");
    }
}
