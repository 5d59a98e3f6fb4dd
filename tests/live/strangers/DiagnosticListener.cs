// DiagnosticListener: each client of a library creates one and never disposes it; a static list
// keeps them (Azure/azure-sdk-for-net#18199). The fix: one listener for all clients.

using System.Diagnostics;
using Packages;
using Services;

namespace Blobs;

public sealed class BlobClient(string name, DiagnosticListener listener)
{
    public bool Upload() => listener.IsEnabled("Upload", name);
}

public sealed class Store(Bug bug) : IUse
{
    private static readonly DiagnosticListener Shared = new("Blobs.Client");
    private int _next;

    public ValueTask UnitAsync()
    {
        string name = "blob " + ++_next;
        _ = new BlobClient(name, bug.Strikes() ? new DiagnosticListener("Blobs.Client") : Shared).Upload();
        return ValueTask.CompletedTask;
    }
}
