using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

/// <summary>The managed heap of this process at one moment. Thread-safe until it is disposed.</summary>
public sealed class HeapSnapshot : IDisposable
{
    private readonly SnapshotFile file;
    private readonly SnapshotOptions options;
    private ObjectTable? all;
    private bool disposed;

    internal HeapSnapshot(SnapshotFile file, SnapshotOptions options)
    {
        this.file = file;
        this.options = options;
    }

    /// <summary>Number of objects that can be cast to <typeparamref name="T"/>.</summary>
    public long Count<T>() => Count(TypeSet.Of<T>());

    /// <summary>Number of objects of these types.</summary>
    public long Count(TypeSet types) => Rows(types).Sum(r => r.Count);

    /// <summary>Shallow size, in bytes, of the objects that can be cast to <typeparamref name="T"/>.</summary>
    public long Bytes<T>() => Bytes(TypeSet.Of<T>());

    /// <summary>Shallow size, in bytes, of the objects of these types.</summary>
    public long Bytes(TypeSet types) => Rows(types).Sum(r => r.Bytes);

    /// <summary>Retained size, in bytes, of the objects that can be cast to <typeparamref name="T"/>: what
    /// would be freed with them, themselves included.</summary>
    public long Retained<T>() => Retained(TypeSet.Of<T>());

    /// <summary>Retained size, in bytes, of the objects of these types: what would be freed with them,
    /// themselves included. What other objects hold as well does not count.</summary>
    public long Retained(TypeSet types) => Ask([], types, null, 1)?.Retained ?? 0;

    /// <summary>The objects that can be cast to <typeparamref name="T"/>, largest retained size first; at most
    /// 100,000.</summary>
    public IReadOnlyList<HeapObject> Instances<T>() => Instances(TypeSet.Of<T>());

    /// <summary>The objects of these types, largest retained size first; at most 100,000.</summary>
    public IReadOnlyList<HeapObject> Instances(TypeSet types) => Ask([], types, null, 0)?.Objects ?? [];

    /// <summary>Compares with an earlier snapshot, which must not be disposed yet.</summary>
    public HeapDifference Since(HeapSnapshot earlier)
    {
        ArgumentNullException.ThrowIfNull(earlier);
        ObjectDisposedException.ThrowIf(disposed, this);
        ObjectDisposedException.ThrowIf(earlier.disposed, earlier);
        if (earlier.file.IsOfOneSeriesWith(file) && earlier.file.Number >= file.Number)
            throw new ArgumentException("this snapshot is not earlier: later.Since(earlier)", nameof(earlier));
        return new HeapDifference(earlier, this);
    }

    /// <summary>Saves the snapshot as a file for heapdrift, PerfView and Visual Studio.</summary>
    /// <param name="path">The file; its name must end in .gcdump.</param>
    public async Task SaveAsync(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ObjectDisposedException.ThrowIf(disposed, this);
        if (!path.EndsWith(".gcdump", StringComparison.Ordinal))
            throw new ArgumentException("the name of a snapshot ends in .gcdump", nameof(path));
        using FileStream from = File.OpenRead(file.Path);
        using FileStream to = File.Create(path);
        try
        {
            await from.CopyToAsync(to, options.Cancellation).ConfigureAwait(false);
        }
        catch
        {
            File.Delete(path);
            throw;
        }
    }

    /// <summary>Deletes the snapshot.</summary>
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
        var deadline = options.Deadline();
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
            var deadline = options.Deadline();
            all = ObjectTable.ReadAsync([file.Path], ["*"], [], null, 1, deadline).GetAwaiter().GetResult();
        }
        return all;
    }
}

/// <summary>The difference between two snapshots.</summary>
public sealed class HeapDifference
{
    private readonly HeapSnapshot earlier;
    private readonly HeapSnapshot later;

    internal HeapDifference(HeapSnapshot earlier, HeapSnapshot later)
    {
        this.earlier = earlier;
        this.later = later;
    }

    /// <summary>The new objects that can be cast to <typeparamref name="T"/>, largest retained size first; at
    /// most 100,000.</summary>
    public IReadOnlyList<HeapObject> New<T>() => New(TypeSet.Of<T>());

    /// <summary>The new objects of these types, largest retained size first; at most 100,000.</summary>
    public IReadOnlyList<HeapObject> New(TypeSet types) => later.Ask([earlier], types, "2", 0)?.Objects ?? [];

    /// <summary>Whether objects are matched by the garbage collector's own events. False if there was a
    /// snapshot between the two, such as another test's: then they are matched by their order in memory,
    /// which misses a few percent.</summary>
    public bool IsExact => later.IsNextOf(earlier);

    /// <summary>Change in the number of objects that can be cast to <typeparamref name="T"/>; negative if there
    /// are fewer.</summary>
    public long Growth<T>() => Growth(TypeSet.Of<T>());

    /// <summary>Change in the number of objects of these types; negative if there are fewer.</summary>
    public long Growth(TypeSet types) => later.Count(types) - earlier.Count(types);
}
