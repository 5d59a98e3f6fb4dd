// Becomes the static heapdrift beside it, by execve: nothing stays in between that would have to
// pass on signals, the terminal, standard input or the exit status. Windows has no such thing: there
// it waits for the program. It knows nothing about heaps.
//
// Rules of its own: a tool that fails to start says one line, and has heapdrift's status 2.
using System;
using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Heapdrift;

internal static unsafe partial class Launcher
{
    private const int CannotRun = 2;
    private const int SignalPipe = 13;

    private static int Main(string[] arguments)
    {
        string? platform = ProgramFile.Platform();
        if (platform is null)
            return Complain($"this package has programs for linux-x64, linux-arm64 and win-x64, not for {RuntimeInformation.RuntimeIdentifier}; "
                + "compare snapshots of other systems on Linux, or in a container");
        string program = Path.Combine(AppContext.BaseDirectory, platform, ProgramFile.Name);
        if (!File.Exists(program))
            return Complain($"{program} is missing; reinstall: dotnet tool uninstall, then dotnet tool install");
        if (!OperatingSystem.IsLinux())
            return Await(program, arguments);

        byte*[] words = Words(arguments);
        LeaveNothingBehind();
        // The runtime ignores it, and what is ignored stays so. The program decides for itself.
        signal(SignalPipe, IntPtr.Zero);
        fixed (byte** argv = words)
        {
            Execute(ProgramFile.Runnable(program), argv);
        }
        return Complain($"{program} cannot be run: {Marshal.GetLastPInvokeErrorMessage()}");
    }

    // The console tells both of Ctrl-C, of which one decides; the program ends with the launcher.
    private static int Await(string program, string[] arguments)
    {
        Console.CancelKeyPress += (_, key) => key.Cancel = true;
        EndTogether();
        try
        {
            using Process process = Process.Start(new ProcessStartInfo(program, arguments) { UseShellExecute = false })!;
            process.WaitForExit();
            return process.ExitCode;
        }
        catch (Win32Exception e)
        {
            return Complain($"{program} cannot be run: {e.Message}");
        }
    }

    // A job (JOBOBJECT_EXTENDED_LIMIT_INFORMATION) of which this process and what it starts are, and
    // which ends with its last handle.
    private static void EndTogether()
    {
        const int extendedLimits = 9, flagsAt = 16;
        const uint killOnClose = 0x2000;
        byte* limits = stackalloc byte[144];
        new Span<byte>(limits, 144).Clear();
        *(uint*)(limits + flagsAt) = killOnClose;
        IntPtr job = CreateJobObject(IntPtr.Zero, IntPtr.Zero);
        if (SetInformationJobObject(job, extendedLimits, limits, 144) != 0)
            AssignProcessToJobObject(job, Process.GetCurrentProcess().Handle);
    }

    // What the runtime made for debuggers would outlive it, and heapdrift ps would see it.
    private static void LeaveNothingBehind()
    {
        string self = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        string folder = Environment.GetEnvironmentVariable("TMPDIR") is { Length: > 0 } given ? given : "/tmp";
        try
        {
            foreach (string pattern in new[] { $"dotnet-diagnostic-{self}-*-socket", $"clr-debug-pipe-{self}-*" })
                foreach (string file in Directory.GetFiles(folder, pattern))
                    File.Delete(file);
        }
        catch (Exception e) when (e is UnauthorizedAccessException or IOException)
        {
            // Then they were not made either.
        }
    }

    private static byte*[] Words(string[] arguments)
    {
        // As the kernel has them: what is no UTF-8 would not survive a string.
        byte*[]? given = GivenWords(arguments.Length);
        if (given is not null)
            return given;
        var words = new byte*[arguments.Length + 2];
        words[0] = (byte*)Marshal.StringToCoTaskMemUTF8("heapdrift");
        for (int i = 0; i < arguments.Length; i++)
            words[i + 1] = (byte*)Marshal.StringToCoTaskMemUTF8(arguments[i]);
        return words;
    }

    // The last words of /proc/self/cmdline, behind the host's and the name of the launcher.
    private static byte*[]? GivenWords(int count)
    {
        byte[] line;
        try
        {
            line = File.ReadAllBytes("/proc/self/cmdline");
        }
        catch (Exception e) when (e is UnauthorizedAccessException or IOException)
        {
            return null;
        }
        if (line.Length == 0 || line[^1] != 0)
            return null;
        byte* text = (byte*)NativeMemory.Alloc((nuint)line.Length);
        line.CopyTo(new Span<byte>(text, line.Length));
        var words = new byte*[count + 2];
        int end = line.Length - 1;
        for (int i = count; i > 0; i--)
        {
            int start = end;
            while (start > 0 && line[start - 1] != 0)
                start--;
            if (start == 0)
                return null;
            words[i] = text + start;
            end = start - 1;
        }
        words[0] = (byte*)Marshal.StringToCoTaskMemUTF8("heapdrift");
        return words;
    }

    private static void Execute(string program, byte** argv)
    {
        byte[] path = Encoding.UTF8.GetBytes(program + '\0');
        fixed (byte* name = path)
            execv(name, argv);
        Marshal.SetLastPInvokeError(Marshal.GetLastSystemError());
    }

    private static int Complain(string text)
    {
        Console.Error.WriteLine($"heapdrift: {text}");
        return CannotRun;
    }

    [DllImport("kernel32", EntryPoint = "CreateJobObjectW")]
    private static extern IntPtr CreateJobObject(IntPtr security, IntPtr name);

    [DllImport("kernel32")]
    private static extern int SetInformationJobObject(IntPtr job, int what, byte* limits, uint size);

    [DllImport("kernel32")]
    private static extern int AssignProcessToJobObject(IntPtr job, IntPtr process);

    [DllImport("libc")]
    private static extern int execv(byte* program, byte** argv);

    [DllImport("libc")]
    private static extern IntPtr signal(int number, IntPtr handler);
}
