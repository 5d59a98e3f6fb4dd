// Planted objects, to know that a snapshot is one of this process, and that objects which are old
// and new are told apart in it.
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

internal sealed class SnapshotMarker
{
    private static readonly SnapshotMarker old = new();
    private static SnapshotMarker recent = new();

    /// <summary>Before a snapshot whose new objects will be asked for.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void Renew() => recent = old is not null ? new SnapshotMarker() : recent;

    /// <summary>Throw if the snapshot is not one of the runtime that this code runs in.</summary>
    internal static async Task CheckAsync(string snapshot, Deadline deadline)
        => Check(await ObjectTable.ReadAsync([snapshot], ["*"], [], null, 1, deadline).ConfigureAwait(false));

    /// <summary>Throw if there is no marker among the objects of a snapshot.</summary>
    internal static void Check(ObjectTable all)
    {
        if (Seen(all) == 0)
            throw new HeapdriftException("the snapshot lacks objects of this process: two runtimes in it, or an incomplete snapshot");
    }

    /// <summary>Whether new objects are known: exactly the new one is among them.</summary>
    internal static bool IsToldApart(ObjectTable born) => Seen(born) == 1;

    private static long Seen(ObjectTable table) => table.Types.Where(t => t.Type == typeof(SnapshotMarker).FullName).Sum(t => t.Count);
}
