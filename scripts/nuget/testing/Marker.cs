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

    /// <summary>Throw unless exactly the new one is among the new objects.</summary>
    internal static void Check(ObjectTable born)
    {
        long seen = born.Types.Where(t => t.Type == typeof(SnapshotMarker).FullName).Sum(t => t.Count);
        if (seen == 0)
            throw new HeapdriftException("the snapshot lacks objects of this process: two runtimes in it, or an incomplete snapshot");
        if (seen > 1)
            throw new HeapdriftException("which objects are new is not known: the garbage collector's events were lost"
                + (born.Identity is { } source ? $" (known by {source} only)" : ""));
    }
}
