// The heapdrift program that lies in a package: which one is for this machine, and how it is made
// runnable. Part of the tool and of Heapdrift.Testing.
using System;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Heapdrift;

internal static partial class ProgramFile
{
    /// <summary>NuGet's word for this machine, such as linux-x64; null if no program is for it.</summary>
    internal static string? Platform() => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 when OperatingSystem.IsLinux() => "linux-x64",
        Architecture.Arm64 when OperatingSystem.IsLinux() => "linux-arm64",
        Architecture.X64 when OperatingSystem.IsWindows() => "win-x64",
        _ => null,
    };

    /// <summary>What the program's file is called.</summary>
    internal static string Name => OperatingSystem.IsWindows() ? "heapdrift.exe" : "heapdrift";

    /// <summary>A path by which the program can be run: NuGet gives no file that it unpacks the
    /// right to be run by others than its owner, if any. Who may not give that right runs a copy
    /// in memory, as long as this process lives.</summary>
    [SupportedOSPlatform("linux")]
    internal static string Runnable(string program)
    {
        const UnixFileMode run = UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;
        if (CanRun(program))
            return program;
        try
        {
            File.SetUnixFileMode(program, File.GetUnixFileMode(program) | run);
            if (CanRun(program))
                return program;
        }
        catch (Exception e) when (e is UnauthorizedAccessException or IOException)
        {
            // Another user's, or a file system for reading only.
        }
        return InMemory(program) ?? program;
    }

    /// <summary>Whether this user may run it, whatever it is.</summary>
    internal static bool CanRun(string program)
    {
        const int execute = 1;
        return OperatingSystem.IsWindows() ? File.Exists(program) : access(program, execute) == 0;
    }

    private static string? InMemory(string program)
    {
        // The descriptor stays open: the name of the program leads through it, also for children.
        int descriptor = memfd_create("heapdrift", 0);
        if (descriptor < 0)
            return null;
        string path = string.Create(CultureInfo.InvariantCulture, $"/proc/{Environment.ProcessId}/fd/{descriptor}");
        using (var copy = new FileStream(path, FileMode.Open, FileAccess.Write))
        using (var original = File.OpenRead(program))
            original.CopyTo(copy);
        return path;
    }

    [DllImport("libc")]
    private static extern int access([MarshalAs(UnmanagedType.LPUTF8Str)] string path, int mode);

    [DllImport("libc")]
    private static extern int memfd_create([MarshalAs(UnmanagedType.LPUTF8Str)] string name, uint flags);
}
