using System;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Heapdrift.Testing;

/// <summary>Tells whether leak tests can run in this process.</summary>
public static class LeakTest
{
    /// <summary>Why the heap of this process cannot be inspected: another system or processor, diagnostics
    /// switched off, or the program of the package missing. Null if it can. Checks skip their test with this reason.</summary>
    public static string? WhyNot => HeapdriftProgram.WhyNot ?? whyNotObserved.Value;

    private static readonly Lazy<string?> whyNotObserved = new(Look);

    /// <summary>Skips the running test if the heap of this process cannot be inspected.</summary>
    public static void SkipUnlessPossible()
    {
        if (WhyNot is { } reason)
            throw TestFramework.Skipped(reason);
    }

    // The runtime makes its socket when it starts, so what is not there will never be.
    private static string? Look()
    {
        foreach (string name in new[] { "EnableDiagnostics", "EnableDiagnostics_IPC" })
            foreach (string prefix in new[] { "DOTNET_", "COMPlus_" })
                if (Environment.GetEnvironmentVariable(prefix + name) is "0")
                    return $"diagnostics of this process are switched off ({prefix}{name}=0)";
        if (!RuntimeFeature.IsDynamicCodeSupported)
            return "native AOT tells nothing about its heap";
        if (OperatingSystem.IsWindows())
            return HasPipe() ? null : "the runtime has no diagnostics pipe: switched off in runtimeconfig.json";
        string pattern = $"dotnet-diagnostic-{Environment.ProcessId}-*-socket";
        bool listens = new[] { Path.GetTempPath(), "/tmp" }.Any(folder => Has(folder, pattern));
        return listens ? null : $"the runtime has no diagnostics socket in {Path.GetTempPath()}: switched off in runtimeconfig.json, or the folder cannot be written to";
    }

    // To open it would be to take the one place of a client that the runtime has ready.
    private static bool HasPipe()
    {
        const int timedOut = 121, denied = 5;
        return WaitNamedPipe($@"\\.\pipe\dotnet-diagnostic-{Environment.ProcessId}", 1) != 0
            || Marshal.GetLastPInvokeError() is timedOut or denied;
    }

    [DllImport("kernel32", EntryPoint = "WaitNamedPipeW", SetLastError = true)]
    private static extern int WaitNamedPipe([MarshalAs(UnmanagedType.LPWStr)] string name, uint milliseconds);

    private static bool Has(string folder, string pattern)
    {
        try
        {
            return Directory.Exists(folder) && Directory.EnumerateFiles(folder, pattern).Any();
        }
        catch (Exception e) when (e is UnauthorizedAccessException or IOException)
        {
            // Who may not list it may know the name in it, but heapdrift has to look for that too.
            return false;
        }
    }
}
