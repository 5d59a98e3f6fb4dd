using System;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;

namespace Heapdrift.Testing;

/// <summary>Whether leak tests can run here.</summary>
public static class LeakTest
{
    /// <summary>Why the heap of this process cannot be looked at: another system than Linux, a runtime
    /// without diagnostics, a package without its program. Null where it can. Checks skip their test
    /// with this reason.</summary>
    public static string? WhyNot => HeapdriftProgram.WhyNot ?? whyNotObserved.Value;

    private static readonly Lazy<string?> whyNotObserved = new(Look);

    /// <summary>Skip the running test where the heap cannot be looked at.</summary>
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
        string pattern = $"dotnet-diagnostic-{Environment.ProcessId}-*-socket";
        bool listens = new[] { Path.GetTempPath(), "/tmp" }.Any(folder => Directory.Exists(folder) && Directory.EnumerateFiles(folder, pattern).Any());
        return listens ? null : $"the runtime has no diagnostics socket in {Path.GetTempPath()}: switched off in runtimeconfig.json, or the folder cannot be written to";
    }
}
