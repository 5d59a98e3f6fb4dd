// What `heapdrift object --type` says about the objects of a snapshot, as data.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;

namespace Heapdrift.Testing;

/// <summary>How many objects are reached first by each kind of root.</summary>
internal readonly record struct Held(long References, long Stack, long FinalizerQueue, long Nothing)
{
    public static Held operator +(Held a, Held b) => new(a.References + b.References, a.Stack + b.Stack,
        a.FinalizerQueue + b.FinalizerQueue, a.Nothing + b.Nothing);

    // A local variable that holds what was there before holds what was put into that for good.
    internal static Held Parse(JsonElement row)
    {
        long older = row.GetProperty("held_by_older") is { ValueKind: JsonValueKind.Number } number ? number.GetInt64() : 0;
        var sum = new Held(older, -older, 0, 0);
        foreach (JsonProperty kind in row.GetProperty("held").EnumerateObject())
        {
            long count = kind.Value.GetInt64();
            sum += kind.Name switch
            {
                "stack" => new Held(0, count, 0, 0),
                "finalizer" => new Held(0, 0, count, 0),
                "unreachable" => new Held(0, 0, 0, count),
                _ => new Held(count, 0, 0, 0),
            };
        }
        return sum;
    }

    internal long Of(KeptBy kinds)
    {
        return (kinds.HasFlag(KeptBy.References) ? References : 0) + (kinds.HasFlag(KeptBy.Stack) ? Stack : 0)
            + (kinds.HasFlag(KeptBy.FinalizerQueue) ? FinalizerQueue : 0) + (kinds.HasFlag(KeptBy.Nothing) ? Nothing : 0);
    }
}

/// <summary>The objects of one type.</summary>
internal sealed record TypeRow(string Type, string? FullName, string? Module, long Count, long Bytes, long? Retained, Held Held)
{
    internal string Name => FullName ?? Type;

    internal bool IsSameTypeAs(TypeRow other) => Type == other.Type && FullName == other.FullName && Module == other.Module;
}

internal sealed record ObjectTable(string? Identity, long Count, long Bytes, long? Retained, Held Held,
    IReadOnlyList<TypeRow> Types, IReadOnlyList<HeapObject> Objects)
{
    /// <summary>Ask for the objects of types, by patterns. born: those that are new in one of the
    /// snapshots. rows: how many single objects are listed.</summary>
    internal static async Task<ObjectTable> ReadAsync(IReadOnlyList<string> files, IEnumerable<string> patterns, IEnumerable<string> excludes,
        string? born, int rows, Deadline deadline)
    {
        List<string> arguments = ["object", "--format=json", "--quiet", string.Create(CultureInfo.InvariantCulture, $"--rows={rows}")];
        arguments.AddRange(patterns.Select(p => "--type=" + p));
        arguments.AddRange(excludes.Select(p => "--exclude=" + p));
        if (born is not null)
            arguments.Add("--born=" + born);
        arguments.AddRange(files);
        Answer answer = await HeapdriftProgram.RunAsync(arguments, deadline).ConfigureAwait(false);
        using JsonDocument json = JsonDocument.Parse(answer.Output);
        return Parse(json.RootElement);
    }

    /// <summary>Of each type so many as there are more than before; what holds them is that of the
    /// strongest held ones.</summary>
    internal ObjectTable MoreThan(ObjectTable before)
    {
        List<TypeRow> more = [];
        foreach (TypeRow row in Types)
        {
            long old = before.Types.Where(row.IsSameTypeAs).Sum(t => t.Count), left = row.Count - old;
            if (left <= 0)
                continue;
            long references = Math.Min(left, row.Held.References), stack = Math.Min(left - references, row.Held.Stack);
            long queue = Math.Min(left - references - stack, row.Held.FinalizerQueue);
            more.Add(row with { Count = left, Bytes = row.Bytes * left / row.Count, Retained = null,
                Held = new Held(references, stack, queue, left - references - stack - queue) });
        }
        return this with { Types = more };
    }

    private static ObjectTable Parse(JsonElement root)
    {
        return new ObjectTable(root.GetProperty("identity").GetString(), root.GetProperty("count").GetInt64(),
            root.GetProperty("bytes").GetInt64(), Number(root, "retained"), Held.Parse(root),
            root.GetProperty("by_type").EnumerateArray().Select(ParseRow).ToList(),
            root.GetProperty("objects").EnumerateArray().Select(ParseObject).ToList());
    }

    private static TypeRow ParseRow(JsonElement row)
    {
        return new TypeRow(row.GetProperty("type").GetString()!, row.GetProperty("full_name").GetString(),
            row.GetProperty("module").GetString(), row.GetProperty("count").GetInt64(), row.GetProperty("bytes").GetInt64(),
            Number(row, "retained"), Held.Parse(row));
    }

    private static HeapObject ParseObject(JsonElement row)
    {
        string? address = row.GetProperty("address").GetString();
        ulong where = address is null ? 0 : ulong.Parse(address.AsSpan(2), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
        return new HeapObject(where, row.GetProperty("type").GetString()!, row.GetProperty("bytes").GetInt64(), Number(row, "retained"),
            row.GetProperty("held_by").GetString());
    }

    private static long? Number(JsonElement from, string key)
    {
        return from.GetProperty(key) is { ValueKind: JsonValueKind.Number } n ? n.GetInt64() : null;
    }
}
