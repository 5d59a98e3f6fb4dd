// Takes snapshots of this process, through one `heapdrift collect --on-enter` that follows its
// objects from each snapshot to the next. It does not know what they are for.
using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

/// <summary>A file with a snapshot of this process; it is deleted when disposed.</summary>
internal sealed class SnapshotFile : IDisposable
{
    private Collector? collector;

    internal SnapshotFile(Collector collector, string path, int number)
    {
        this.collector = collector;
        Path = path;
        Number = number;
    }

    internal string Path { get; }

    /// <summary>Its place in the series of its collector, from 1.</summary>
    internal int Number { get; }

    /// <summary>Snapshots of one collector know which object is which.</summary>
    internal bool IsOfOneSeriesWith(SnapshotFile other) => collector is not null && collector == other.collector;

    public void Dispose()
    {
        Collector? mine = Interlocked.Exchange(ref collector, null);
        if (mine is null)
            return;
        try
        {
            File.Delete(Path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Its folder goes with the collector anyhow.
        }
        mine.Release();
    }
}

internal sealed class Collector
{
    private const int Anyone = -1;

    /// <summary>How long one waits for the next check: to end and to start again takes 100 ms each.</summary>
    private static readonly TimeSpan patience = TimeSpan.FromSeconds(1);

    private static readonly SemaphoreSlim turns = new(1, 1);
    private static Collector? current;
    private static bool warm;

    private readonly Process process;
    private readonly StringBuilder trouble = new();
    private int users;
    private int taken;
    private bool broken;
    private bool ended;

    private Collector(Process process)
    {
        this.process = process;
        process.ErrorDataReceived += (_, line) => Add(line.Data);
        // What flows with a test must not stay with what outlives it.
        using (ExecutionContext.SuppressFlow())
            process.BeginErrorReadLine();
    }

    /// <summary>A snapshot of now. Those that are alive at the same time belong to one series.</summary>
    internal static async Task<SnapshotFile> TakeAsync(Deadline deadline)
    {
        if (LeakTest.WhyNot is { } reason)
            throw new HeapdriftException(reason);
        await deadline.EnterAsync(turns, "waiting for another snapshot").ConfigureAwait(false);
        Collector? collector = null;
        try
        {
            collector = current is { broken: false } running ? running : Begin();
            collector.users++;
            // The first collection of a process leaves some 230 KiB behind, of event sources that
            // describe themselves: nobody's leak.
            if (!warm)
            {
                SnapshotMarker.Renew();
                string first = await collector.AskAsync(deadline).ConfigureAwait(false);
                await SnapshotMarker.CheckAsync(first, deadline).ConfigureAwait(false);
                File.Delete(first);
            }
            warm = true;
            string path = await collector.AskAsync(deadline).ConfigureAwait(false);
            return new SnapshotFile(collector, path, collector.taken);
        }
        catch
        {
            collector?.Drop();
            throw;
        }
        finally
        {
            turns.Release();
        }
    }

    /// <summary>The memory of this process as a core dump, where it is not large. Throws
    /// HeapdriftException where it cannot be had, or heapdrift does not know the runtime's structures.</summary>
    internal static async Task CopyMemoryAsync(string path, Deadline deadline)
    {
        const long most = 1L << 30;
        if (!OperatingSystem.IsLinux() || Environment.WorkingSet > most)
            throw new HeapdriftException("the memory of this process is not read");
        await deadline.EnterAsync(turns, "waiting for another snapshot").ConfigureAwait(false);
        try
        {
            Allow(Anyone);
            await HeapdriftProgram.RunAsync(["collect", Self, "--direct", "--quiet", "-o", path], deadline).ConfigureAwait(false);
        }
        finally
        {
            Allow(current is { broken: false } running ? running.process.Id : 0);
            turns.Release();
        }
    }

    internal void Release()
    {
        turns.Wait();
        Drop();
        turns.Release();
    }

    private static Collector Begin()
    {
        Process process = HeapdriftProgram.Start(["collect", Self, "--on-enter", "--no-keep", "--no-progress"]);
        // A child may read the memory of its parent, for the names of classes and fields, only
        // where that has said so (Yama).
        Allow(process.Id);
        current = new Collector(process);
        return current;
    }

    // Soon another check may want it, and the next one's series may begin where this one's ends.
    private void Drop()
    {
        if (--users > 0)
            return;
        if (broken)
            End();
        else
            using (ExecutionContext.SuppressFlow())
                _ = EndLaterAsync(taken);
    }

    private async Task EndLaterAsync(int before)
    {
        await Task.Delay(patience).ConfigureAwait(false);
        await turns.WaitAsync().ConfigureAwait(false);
        if (users == 0 && taken == before)
            End();
        turns.Release();
    }

    // The end of its input is what makes it delete its folder and go; nobody has to wait for that.
    private void End()
    {
        // The one that has come after a broken one needs its right to look at this process.
        if (current == this)
        {
            current = null;
            Allow(0);
        }
        if (ended)
            return;
        ended = true;
        using (ExecutionContext.SuppressFlow())
            _ = Task.Run(Leave);
    }

    private void Leave()
    {
        try
        {
            process.StandardInput.Close();
        }
        catch (IOException)
        {
            // It has ended before it was asked for something.
        }
        if (!process.WaitForExit(15_000))
            HeapdriftProgram.End(process);
        process.Dispose();
    }

    private async Task<string> AskAsync(Deadline deadline)
    {
        string? path = null;
        lock (trouble)
            trouble.Clear();
        try
        {
            process.StandardInput.Write('\n');
            process.StandardInput.Flush();
            path = await deadline.WithinAsync(process.StandardOutput.ReadLineAsync(), "a snapshot").ConfigureAwait(false);
        }
        catch (IOException)
        {
            // It has ended; why, it has said.
        }
        catch
        {
            broken = true;
            throw;
        }
        taken++;
        if (path is { Length: > 0 })
            return path;
        broken = true;
        throw new HeapdriftException("no snapshot of this process: " + Said());
    }

    private void Add(string? line)
    {
        lock (trouble)
            trouble.Append(line).Append('\n');
    }

    private string Said()
    {
        // The line that says why comes before the one that says that there is no file, but through
        // another pipe.
        for (int i = 0; i < 50; i++)
        {
            lock (trouble)
                if (HeapdriftProgram.FirstLine(trouble.ToString()) is { } line)
                    return line;
            Thread.Sleep(10);
        }
        return "heapdrift has ended without a word";
    }

    private static string Self => Environment.ProcessId.ToString(CultureInfo.InvariantCulture);

    private static void Allow(int pid)
    {
        const int setPtracer = 0x59616d61;
        if (OperatingSystem.IsLinux())
            prctl(setPtracer, (nuint)(nint)pid, 0, 0, 0);
    }

    [DllImport("libc")]
    private static extern int prctl(int option, nuint a, nuint b, nuint c, nuint d);
}
