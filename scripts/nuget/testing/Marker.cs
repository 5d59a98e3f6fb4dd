// Planted objects, to know that a snapshot is one of this process, and that objects which are old
// and new are told apart in it.
using System.Linq;
using System.Runtime.CompilerServices;

namespace Heapdrift.Testing;

internal sealed class SnapshotMarker
{
    private static readonly SnapshotMarker old = new();
    private static SnapshotMarker recent = new();

    /// <summary>Before a snapshot whose new objects will be asked for.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void Renew() => recent = old is not null ? new SnapshotMarker() : recent;

    /// <summary>Whether new objects are known: exactly the new one is among them. Throw if the snapshot
    /// is not one of this process.</summary>
    internal static bool IsToldApart(ObjectTable born)
    {
        long seen = born.Types.Where(t => t.Type == typeof(SnapshotMarker).FullName).Sum(t => t.Count);
        if (seen == 0)
            throw new HeapdriftException("the snapshot lacks objects of this process: two runtimes in it, or an incomplete snapshot");
        return seen == 1;
    }
}
