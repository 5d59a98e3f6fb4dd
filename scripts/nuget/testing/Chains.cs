// What holds the objects of some types, as heapdrift prints it.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

/// <summary>What is asked for: types by name; those that are new in snapshots ("2", "2..5"), null for
/// all; how many chains.</summary>
internal sealed record ChainQuestion(IReadOnlyList<string> Types, string? Born, int Most)
{
    /// <summary>Columns of a report in a message.</summary>
    internal const int Width = 100;

    internal List<string> Arguments(IEnumerable<string> paths)
    {
        List<string> arguments = ["roots", "--exact", "--quiet", "--color=never",
            string.Create(CultureInfo.InvariantCulture, $"--width={Width}"),
            string.Create(CultureInfo.InvariantCulture, $"--chains={Most}")];
        if (Born is not null)
            arguments.Add("--born=" + Born);
        arguments.AddRange(Types.Select(p => "--type=" + p));
        arguments.AddRange(paths);
        return arguments;
    }
}

/// <summary>The chains of objects that are there now, from their roots, with what to do about them; asked
/// of the memory of this process too, if it may be read, which has the names of fields.</summary>
internal sealed class Chains : IDisposable
{
    private readonly ChainQuestion question;
    private readonly List<string> paths;
    private readonly string core;

    private Chains(ChainQuestion question, IReadOnlyList<SnapshotFile> files)
    {
        this.question = question;
        paths = files.Select(f => f.Path).ToList();
        core = Path.ChangeExtension(paths[^1], ".core");
    }

    /// <summary>As text of a message, without the heading that counts what the message has counted.</summary>
    internal string Text { get; private set; } = "";

    internal static async Task<Chains> ReadAsync(IReadOnlyList<SnapshotFile> files, ChainQuestion question, Deadline deadline)
    {
        var chains = new Chains(question, files);
        try
        {
            await chains.ReadAsync(deadline).ConfigureAwait(false);
            return chains;
        }
        catch
        {
            chains.Dispose();
            throw;
        }
    }

    /// <summary>The same in another format, into a file.</summary>
    internal Task WriteAsync(string format, string file, Deadline deadline)
        => HeapdriftProgram.RunAsync([.. question.Arguments(paths), "--format=" + format, "--output=" + file], deadline);

    public void Dispose() => File.Delete(core);

    private async Task ReadAsync(Deadline deadline)
    {
        List<string> snapshots = [.. paths];
        try
        {
            // Objects are where they were: nothing has been collected since the last snapshot, or
            // heapdrift says that it does not know. What is new needs the snapshots too; otherwise
            // their names of roots would only differ.
            await Collector.CopyMemoryAsync(core, deadline).ConfigureAwait(false);
            if (question.Born is null)
                paths.Clear();
            paths.Add(core);
            Text = await TextAsync(deadline).ConfigureAwait(false);
        }
        catch (HeapdriftException)
        {
            paths.Clear();
            paths.AddRange(snapshots);
            Text = await TextAsync(deadline).ConfigureAwait(false);
        }
    }

    private async Task<string> TextAsync(Deadline deadline)
    {
        Answer answer = await HeapdriftProgram.RunAsync(question.Arguments(paths), deadline).ConfigureAwait(false);
        int heading = answer.Output.IndexOf("\n\n", StringComparison.Ordinal);
        return ByTheTest(answer.Output[(heading + 2)..].TrimEnd());
    }

    // A variable of the test that waits for this check: the way there, from a timer or a pipe through
    // the check, says nothing, and neither does what to do about such a way.
    private static string ByTheTest(string text)
    {
        // A long name is cut in front, so what begins with the namespace may not be there.
        string[] ours = ["Heap+<AssertGoneAsync>", "Leak+<TestAsync>"];
        string[] blocks = text.Split("\n\n");
        bool any = false;
        for (int i = 0; i < blocks.Length; i++)
        {
            List<string> lines = blocks[i].Split('\n').ToList();
            int last = lines.FindLastIndex(line => line.StartsWith("    →", StringComparison.Ordinal) && ours.Any(line.Contains));
            if (last < 0)
                continue;
            any = true;
            lines.RemoveRange(1, last);
            lines.Insert(1, "      [the test, which waits for this check]");
            blocks[i] = string.Join('\n', lines);
        }
        int advice = any ? blocks[^1].IndexOf("\nFIX", StringComparison.Ordinal) : -1;
        if (any && blocks.Length == 1)
            blocks[0] = (advice < 0 ? blocks[0] : blocks[0][..advice])
                + "\nFIX  A variable of the test, or a closure of it, holds this: create it inside of the action, or\n"
                + "     clear the variable.";
        return string.Join("\n\n", blocks);
    }
}
