// What holds the objects of some types, as heapdrift prints it.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

internal static class Chains
{
    /// <summary>Columns of a report in a message.</summary>
    internal const int Width = 100;

    /// <summary>The chains of objects that are there now, from their roots, with what to do about them.
    /// born: only those that are new in one of the snapshots; null: all. most: how many chains.</summary>
    internal static async Task<string> ReadAsync(IReadOnlyList<SnapshotFile> files, IEnumerable<string> types, string? born, int most, Deadline deadline)
    {
        List<string> paths = files.Select(f => f.Path).ToList();
        List<string> patterns = types.ToList();
        string core = Path.ChangeExtension(paths[^1], ".core");
        try
        {
            // By memory, if it may be read, the chains have the names of fields. Objects are where
            // they were: nothing has been collected since the last snapshot, or heapdrift says that
            // it does not know.
            await Collector.CopyMemoryAsync(core, deadline).ConfigureAwait(false);
            // What is new needs the snapshots too; otherwise their names of roots would only differ.
            return await ReadAsync(born is null ? [core] : paths.Append(core), patterns, born, most, deadline).ConfigureAwait(false);
        }
        catch (HeapdriftException)
        {
            return await ReadAsync(paths, patterns, born, most, deadline).ConfigureAwait(false);
        }
        finally
        {
            File.Delete(core);
        }
    }

    private static async Task<string> ReadAsync(IEnumerable<string> paths, IEnumerable<string> patterns, string? born, int most, Deadline deadline)
    {
        List<string> arguments = ["roots", "--exact", "--quiet", "--color=never",
            string.Create(CultureInfo.InvariantCulture, $"--width={Width}"),
            string.Create(CultureInfo.InvariantCulture, $"--chains={most}")];
        if (born is not null)
            arguments.Add("--born=" + born);
        arguments.AddRange(patterns.Select(p => "--type=" + p));
        arguments.AddRange(paths);
        Answer answer = await HeapdriftProgram.RunAsync(arguments, deadline).ConfigureAwait(false);
        // Its heading counts what the message has counted already.
        int chains = answer.Output.IndexOf("\n\n", StringComparison.Ordinal);
        return answer.Output[(chains + 2)..].TrimEnd();
    }
}
