// Becomes the static heapdrift beside it, by execve: nothing stays in between that would have to
// pass on signals, the terminal, standard input or the exit status. It knows nothing about heaps.
//
// Rules of its own: a tool that fails to start says one line, and has heapdrift's status 2.
using System;
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
        if (platform is null || !OperatingSystem.IsLinux())
            return Complain($"this package has programs for linux-x64 and linux-arm64, not for {RuntimeInformation.RuntimeIdentifier}; "
                + "compare snapshots of other systems on Linux, or in a container");
        string program = Path.Combine(AppContext.BaseDirectory, platform, "heapdrift");
        if (!File.Exists(program))
            return Complain($"{program} is missing; reinstall: dotnet tool uninstall, then dotnet tool install");

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

    [DllImport("libc")]
    private static extern int execv(byte* program, byte** argv);

    [DllImport("libc")]
    private static extern IntPtr signal(int number, IntPtr handler);
}
