// Finds the heapdrift program of this package and runs it. It knows no heaps and no tests.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

/// <summary>How a run of the program ended.</summary>
internal readonly record struct Answer(int Status, string Output, string Trouble);

internal static class HeapdriftProgram
{
    /// <summary>Exit status of a check whose budget is exceeded.</summary>
    internal const int OverBudget = 1;

    private static readonly Lazy<(string? Path, string? WhyNot)> found = new(Find);

    /// <summary>Why there is no program to run; null if there is.</summary>
    internal static string? WhyNot => found.Value.WhyNot;

    internal static Process Start(IEnumerable<string> arguments)
    {
        (string? path, string? whyNot) = found.Value;
        if (path is null)
            throw new HeapdriftException(whyNot!);
        var how = new ProcessStartInfo(path, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            StandardOutputEncoding = Encoding.UTF8,
            StandardErrorEncoding = Encoding.UTF8,
            UseShellExecute = false,
            // What looks for terminals and build servers must not find those of the test run.
            Environment = { ["TERM"] = "dumb", ["NO_COLOR"] = "1", ["LC_ALL"] = "C.UTF-8", ["GITHUB_ACTIONS"] = null, ["GITHUB_STEP_SUMMARY"] = null },
        };
        try
        {
            return Process.Start(how)!;
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            throw new HeapdriftException($"{path} cannot be run: {e.Message}", e);
        }
    }

    /// <summary>Run it to its end. A status above <see cref="OverBudget"/> that the caller does not
    /// expect is thrown as the line that the program said.</summary>
    internal static async Task<Answer> RunAsync(IEnumerable<string> arguments, Deadline deadline, params int[] expected)
    {
        using Process process = Start(arguments);
        process.StandardInput.Close();
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> trouble = process.StandardError.ReadToEndAsync();
        try
        {
            await deadline.WithinAsync(Task.WhenAll(output, trouble), "a comparison of snapshots").ConfigureAwait(false);
        }
        catch
        {
            End(process);
            throw;
        }
        await process.WaitForExitAsync().ConfigureAwait(false);
        if (process.ExitCode != 0 && !expected.Contains(process.ExitCode))
            throw new HeapdriftException(FirstLine(trouble.Result) ?? $"heapdrift ended with status {process.ExitCode}");
        return new Answer(process.ExitCode, output.Result, trouble.Result);
    }

    internal static void End(Process process)
    {
        try
        {
            process.Kill();
        }
        catch (Exception e) when (e is InvalidOperationException or System.ComponentModel.Win32Exception)
        {
            // It has ended.
        }
    }

    /// <summary>What it said, without its name; null if it said nothing.</summary>
    internal static string? FirstLine(string trouble)
    {
        string? line = trouble.Split('\n').FirstOrDefault(l => l.Length > 0 && !l.StartsWith("heapdrift: note:", StringComparison.Ordinal));
        return line?.StartsWith("heapdrift: ", StringComparison.Ordinal) == true ? line["heapdrift: ".Length..] : line;
    }

    // HEAPDRIFT_PROGRAM is for those who build it themselves. The host knows the folders of native
    // files of packages, whether they were copied, published, or are still where NuGet unpacked them.
    private static (string? Path, string? WhyNot) Find()
    {
        string? given = Environment.GetEnvironmentVariable("HEAPDRIFT_PROGRAM");
        string? platform = ProgramFile.Platform();
        if (platform is null)
            return (null, $"heapdrift takes snapshots on Linux, x64 and arm64, and on Windows, x64, not on {RuntimeInformation.RuntimeIdentifier}");
        if (given is { Length: > 0 })
            return ProgramFile.CanRun(given) ? (given, null) : (null, $"HEAPDRIFT_PROGRAM: {given} is no program that this user may run");
        string? path = Places(platform).FirstOrDefault(File.Exists);
        if (path is null)
            return (null, $"the heapdrift program of {platform} is missing in {AppContext.BaseDirectory}: "
                + "publish with it (runtimes/" + platform + "/native), or set HEAPDRIFT_PROGRAM to its path");
        string runnable = OperatingSystem.IsLinux() ? ProgramFile.Runnable(path) : path;
        return ProgramFile.CanRun(runnable) ? (runnable, null) : (null, $"{path} may not be run here (a file system mounted noexec?)");
    }

    [UnconditionalSuppressMessage("SingleFile", "IL3000", Justification = "Empty is no place.")]
    private static IEnumerable<string> Places(string platform)
    {
        string native = Path.Combine("runtimes", platform, "native", ProgramFile.Name);
        yield return Path.Combine(AppContext.BaseDirectory, native);
        foreach (string folder in (AppContext.GetData("NATIVE_DLL_SEARCH_DIRECTORIES") as string ?? "").Split(Path.PathSeparator))
            if (folder.Length > 0)
                yield return Path.Combine(folder, ProgramFile.Name);
        string beside = Path.GetDirectoryName(typeof(HeapdriftProgram).Assembly.Location) ?? "";
        if (beside.Length > 0)
            yield return Path.Combine(beside, native);
        yield return Path.Combine(AppContext.BaseDirectory, ProgramFile.Name);
    }
}

/// <summary>The time that something may take, and who may end it before. It has no source of
/// cancellation of its own: a snapshot would show it, and a test may ask for those.</summary>
internal sealed class Deadline(TimeSpan limit, CancellationToken user)
{
    private readonly long begin = Stopwatch.GetTimestamp();

    /// <summary>Wait for it, in what time is left. What is waited for goes on by itself.</summary>
    internal async Task<T> WithinAsync<T>(Task<T> task, string what)
    {
        try
        {
            return await task.WaitAsync(Left, user).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            throw IsOver(what);
        }
    }

    /// <summary>Enter the gate, in what time is left.</summary>
    internal async Task EnterAsync(SemaphoreSlim gate, string what)
    {
        if (!await gate.WaitAsync(Left, user).ConfigureAwait(false))
            throw IsOver(what);
    }

    private TimeSpan Left => TimeSpan.FromTicks(Math.Max(0, (limit - Stopwatch.GetElapsedTime(begin)).Ticks));

    private HeapdriftException IsOver(string what) => new($"{what} took longer than {limit.TotalSeconds:0.###} s (option Timeout)");
}
