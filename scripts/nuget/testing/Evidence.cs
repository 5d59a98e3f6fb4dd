// What a failed test leaves behind: a page, a report and the snapshots, attached to the test.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

internal sealed class Evidence
{
    private readonly string title;
    private readonly string start;
    private readonly List<string> files = [];

    private Evidence(string title, string folder)
    {
        this.title = title;
        start = Path.Combine(Path.GetFullPath(folder), FileName(title));
    }

    /// <summary>The folder with copies of the snapshots; null if none could be kept.</summary>
    internal string? Snapshots { get; private set; }

    /// <summary>Why something is missing; null if nothing is.</summary>
    internal string? Trouble { get; private set; }

    /// <summary>Copy the snapshots of a failed test into the folder of results. Never throws for want of
    /// room or rights: the failure matters more.</summary>
    internal static Evidence Keep(CheckOptions options, string caller, IEnumerable<SnapshotFile> snapshots)
    {
        string folder = options.ResultsFolder ?? Given("HEAPDRIFT_RESULTS") ?? TestFramework.ResultsFolder()
            ?? Path.Combine(AppContext.BaseDirectory, "TestResults");
        var evidence = new Evidence(TestFramework.CurrentTest() ?? caller, folder);
        if (options.KeepsFiles && !evidence.Try(() => evidence.CopyAll(snapshots)))
            evidence.Try(evidence.Forget);
        return evidence;
    }

    /// <summary>Add the page, and the report as Markdown, which begins with the message. write: makes a
    /// report of such a format in that file.</summary>
    internal async Task CompleteAsync(string message, Func<string, string, Task> write)
    {
        if (Snapshots is null)
            return;
        try
        {
            string page = start + ".html", text = start + ".md";
            await write("html", page).ConfigureAwait(false);
            await write("md", text).ConfigureAwait(false);
            string fence = message.Contains("```", StringComparison.Ordinal) ? "````" : "```";
            string report = await File.ReadAllTextAsync(text).ConfigureAwait(false);
            await File.WriteAllTextAsync(text, $"# {title}\n\n{fence}\n{message}\n{fence}\n\n{report}").ConfigureAwait(false);
            files.InsertRange(0, [page, text]);
        }
        catch (Exception e) when (e is HeapdriftException or IOException or UnauthorizedAccessException)
        {
            Trouble = e.Message;
        }
    }

    /// <summary>Hand the files to the test framework. What to say about them at the end of the message,
    /// or "".</summary>
    internal string Attach()
    {
        var words = new StringBuilder();
        bool attached = files.Count > 0;
        foreach (string file in files)
            attached &= TestFramework.Attach(file, Path.GetExtension(file) == ".gcdump" ? "Heap snapshot" : "Heap report");
        if (files.Count > 0)
            words.Append(CultureInfo.InvariantCulture, $"\n{(attached ? "attached" : "kept")}: {files[0]}");
        if (Trouble is { } trouble)
            words.Append(CultureInfo.InvariantCulture, $"\nnot all files could be kept: {trouble}");
        return words.ToString();
    }

    private static string? Given(string name) => Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;

    // Snapshots of an earlier run would be taken for a part of this series.
    private void Clear()
    {
        Directory.CreateDirectory(start);
        foreach (string old in Directory.EnumerateFiles(start, "*.gcdump"))
            File.Delete(old);
    }

    private void CopyAll(IEnumerable<SnapshotFile> snapshots)
    {
        Clear();
        int number = 0;
        foreach (SnapshotFile snapshot in snapshots)
            Copy(snapshot.Path, ++number);
        Snapshots = start;
    }

    private void Copy(string from, int number)
    {
        string to = Path.Combine(start, string.Create(CultureInfo.InvariantCulture, $"{number}.gcdump"));
        files.Add(to);
        File.Copy(from, to);
    }

    // What was kept of a series is none, and a part of a file no snapshot.
    private void Forget()
    {
        foreach (string file in files)
            File.Delete(file);
        files.Clear();
        if (Directory.Exists(start) && !Directory.EnumerateFileSystemEntries(start).Any())
            Directory.Delete(start);
    }

    // The first trouble is the one to tell.
    private bool Try(Action action)
    {
        try
        {
            action();
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            Trouble ??= e.Message;
            return false;
        }
    }

    // A test's name may have its arguments in it. Two that differ only in what no file can be called
    // get different numbers.
    private static string FileName(string test)
    {
        const int most = 120;
        var name = new StringBuilder();
        foreach (char c in test)
            name.Append(char.IsAsciiLetterOrDigit(c) || c is '.' or '-' or '_' ? c : '_');
        if (name.Length <= most && name.ToString() == test)
            return test;
        uint hash = 2166136261;
        foreach (char c in test)
            hash = (hash ^ c) * 16777619;
        return string.Create(CultureInfo.InvariantCulture, $"{name.ToString(0, Math.Min(name.Length, most))}-{hash:x8}");
    }
}
