using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

/// <summary>The heap of this process at one moment. Safe to use from several threads until it is
/// disposed.</summary>
public sealed class HeapSnapshot : IDisposable
{
    private readonly SnapshotFile file;
    private readonly TimeSpan timeout;
    private ObjectTable? all;
    private bool disposed;

    internal HeapSnapshot(SnapshotFile file, TimeSpan timeout)
    {
        this.file = file;
        this.timeout = timeout;
    }

    /// <summary>How many objects can be cast to <typeparamref name="T"/>.</summary>
    public long Count<T>() => Count(TypeSet.Of<T>());

    /// <summary>How many such objects there are.</summary>
    public long Count(TypeSet types) => Rows(types).Sum(r => r.Count);

    /// <summary>The bytes of these objects, without what they refer to.</summary>
    public long Bytes<T>() => Bytes(TypeSet.Of<T>());

    /// <summary>The bytes of such objects, without what they refer to.</summary>
    public long Bytes(TypeSet types) => Rows(types).Sum(r => r.Bytes);

    /// <summary>The bytes that would be freed with these objects, their own among them.</summary>
    public long Retained<T>() => Retained(TypeSet.Of<T>());

    /// <summary>The bytes that would be freed with such objects, their own among them. What other objects
    /// hold too is not counted.</summary>
    public long Retained(TypeSet types) => Ask([], types, null, 1)?.Retained ?? 0;

    /// <summary>These objects, largest retained size first.</summary>
    public IReadOnlyList<HeapObject> Instances<T>() => Instances(TypeSet.Of<T>());

    /// <summary>Such objects, largest retained size first; at most 100,000.</summary>
    public IReadOnlyList<HeapObject> Instances(TypeSet types) => Ask([], types, null, 0)?.Objects ?? [];

    /// <summary>What has come since an earlier snapshot, which must still be there.</summary>
    public HeapDifference Since(HeapSnapshot earlier)
    {
        ArgumentNullException.ThrowIfNull(earlier);
        ObjectDisposedException.ThrowIf(disposed, this);
        ObjectDisposedException.ThrowIf(earlier.disposed, earlier);
        if (earlier.file.IsOfOneSeriesWith(file) && earlier.file.Number >= file.Number)
            throw new ArgumentException("this snapshot is not earlier: later.Since(earlier)", nameof(earlier));
        return new HeapDifference(earlier, this);
    }

    /// <summary>A copy of the file, for heapdrift, PerfView and Visual Studio.</summary>
    /// <param name="path">Its name, which ends in .gcdump.</param>
    /// <param name="cancellation">Ends the copying.</param>
    public async Task SaveAsync(string path, CancellationToken cancellation = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ObjectDisposedException.ThrowIf(disposed, this);
        if (!path.EndsWith(".gcdump", StringComparison.Ordinal))
            throw new ArgumentException("the name of a snapshot ends in .gcdump", nameof(path));
        using FileStream from = File.OpenRead(file.Path);
        using FileStream to = File.Create(path);
        await from.CopyToAsync(to, cancellation).ConfigureAwait(false);
    }

    /// <summary>Deletes its file.</summary>
    public void Dispose()
    {
        disposed = true;
        file.Dispose();
    }

    internal bool IsNextOf(HeapSnapshot earlier) => earlier.file.IsOfOneSeriesWith(file) && earlier.file.Number + 1 == file.Number;

    /// <summary>The objects of types, of one or several snapshots; null if there are none.</summary>
    internal ObjectTable? Ask(IReadOnlyList<HeapSnapshot> before, TypeSet types, string? born, int rows)
    {
        List<TypeRow> wanted = Rows(types).ToList();
        if (wanted.Count == 0)
            return null;
        var deadline = new Deadline(timeout, CancellationToken.None);
        List<string> paths = before.Append(this).Select(s => s.file.Path).ToList();
        List<string> names = wanted.Select(r => r.Name).Distinct().ToList();
        IEnumerable<string> others = All().Types.Where(r => !wanted.Contains(r) && names.Any(n => TypeNames.Matches(n, r.Name))).Select(r => r.Name);
        return ObjectTable.ReadAsync(paths, names, others, born, rows, deadline).GetAwaiter().GetResult();
    }

    private IEnumerable<TypeRow> Rows(TypeSet types)
    {
        ArgumentNullException.ThrowIfNull(types);
        ObjectTable table = All();
        types.CheckPatterns(table.Types);
        return table.Types.Where(types.Includes);
    }

    private ObjectTable All()
    {
        ObjectDisposedException.ThrowIf(disposed, this);
        if (all is null)
        {
            var deadline = new Deadline(timeout, CancellationToken.None);
            all = ObjectTable.ReadAsync([file.Path], ["*"], [], null, 1, deadline).GetAwaiter().GetResult();
        }
        return all;
    }
}

/// <summary>What has come between two snapshots and is still there.</summary>
public sealed class HeapDifference
{
    private readonly HeapSnapshot earlier;
    private readonly HeapSnapshot later;

    internal HeapDifference(HeapSnapshot earlier, HeapSnapshot later)
    {
        this.earlier = earlier;
        this.later = later;
    }

    /// <summary>The new objects that can be cast to <typeparamref name="T"/>.</summary>
    public IReadOnlyList<HeapObject> New<T>() => New(TypeSet.Of<T>());

    /// <summary>Such objects that are new, largest retained size first; at most 100,000.</summary>
    public IReadOnlyList<HeapObject> New(TypeSet types) => later.Ask([earlier], types, "2", 0)?.Objects ?? [];

    /// <summary>Whether the garbage collector has told which object is which: not if somebody else took a
    /// snapshot in between. Then that is known by the order of objects in memory, which misses a few
    /// percent.</summary>
    public bool IsExact => later.IsNextOf(earlier);

    /// <summary>How many more objects of that class there are; less than 0: fewer.</summary>
    public long Growth<T>() => Growth(TypeSet.Of<T>());

    /// <summary>How many more such objects there are; less than 0: fewer.</summary>
    public long Growth(TypeSet types) => later.Count(types) - earlier.Count(types);
}
