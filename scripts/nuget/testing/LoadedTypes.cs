// Which class of this process a type of a snapshot is, so that `is` means the same in a snapshot as
// in C#; and whether a class of some name exists at all.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;

namespace Heapdrift.Testing;

internal static class LoadedTypes
{
    private static readonly ConcurrentDictionary<(string Module, string Name), Type[]> known = new();

    /// <summary>Whether objects of that row can be cast to <paramref name="wanted"/>. A snapshot names
    /// a nested class without its outer one where the runtime tells no more; if several classes of
    /// an assembly are called so, one that fits counts.</summary>
    internal static bool IsOf(TypeRow row, Type wanted)
    {
        string name = row.FullName ?? row.Type;
        if (name == TypeNames.Of(wanted) || row.Type == TypeNames.Of(wanted))
            return true;
        if (wanted.IsArray || name.EndsWith(']'))
            return false;
        return Definitions(row.Module, name).Any(d => Fits(d, name, wanted));
    }

    /// <summary>Whether it is a class of this package.</summary>
    internal static bool IsOurs(TypeRow row) => IsModule(typeof(LoadedTypes).Assembly, row.Module ?? "-");

    private static bool Fits(Type definition, string name, Type wanted)
    {
        // What has arguments is known by name only: those of the classes that it derives from are not.
        if (definition.IsGenericTypeDefinition && wanted.IsConstructedGenericType)
            return Lineage(definition).Any(t => t.IsGenericType && t.GetGenericTypeDefinition() == wanted.GetGenericTypeDefinition())
                && (definition != wanted.GetGenericTypeDefinition() || Arguments(name) == Arguments(TypeNames.Of(wanted)));
        if (wanted.IsGenericTypeDefinition)
            return Lineage(definition).Any(t => t.IsGenericType && t.GetGenericTypeDefinition() == wanted);
        return wanted.IsAssignableFrom(definition);
    }

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "What was trimmed has no objects.")]
    private static IEnumerable<Type> Lineage(Type type)
    {
        for (Type? t = type; t is not null; t = t.BaseType)
            yield return t;
        foreach (Type i in type.GetInterfaces())
            yield return i;
    }

    private static string Arguments(string name) => name.IndexOf('<') is >= 0 and int at ? name[at..] : "";

    // Who remembers a class of a context that can be unloaded would keep that from it.
    private static Type[] Definitions(string? module, string name)
    {
        (string, string) key = (module ?? "", WithoutArguments(name));
        if (known.TryGetValue(key, out Type[]? types))
            return types;
        types = Find(key.Item1, key.Item2);
        if (!types.Any(t => t.IsCollectible))
            known.TryAdd(key, types);
        return types;
    }

    // Shop.Outer<A>+Node<B,C>[] is Shop.Outer`1+Node`2.
    private static string WithoutArguments(string name)
    {
        var parts = new System.Text.StringBuilder();
        int depth = 0, arguments = 0;
        foreach (char c in name)
        {
            if (c == '<' && (depth > 0 || (parts.Length > 0 && parts[^1] is not ('+' or '.'))))
            {
                arguments += depth == 0 ? 1 : 0;
                depth++;
            }
            else if (c == '>' && depth > 0)
            {
                if (--depth == 0)
                {
                    parts.Append('`').Append(arguments);
                    arguments = 0;
                }
            }
            else if (depth == 0)
                parts.Append(c);
            else if (c == ',' && depth == 1)
                arguments++;
        }
        return parts.ToString();
    }

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "What was trimmed has no objects.")]
    private static Type[] Find(string module, string name)
    {
        var found = new List<Type>();
        foreach (Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
        {
            if (!IsModule(assembly, module))
                continue;
            if (Spellings(name).Select(n => assembly.GetType(n, throwOnError: false)).FirstOrDefault(t => t is not null) is { } type)
                found.Add(type);
            else if (!name.Contains('.'))
                found.AddRange(Names(assembly).Where(n => n.EndsWith('+' + name, StringComparison.Ordinal))
                    .Select(n => assembly.GetType(n, throwOnError: false)).OfType<Type>());
        }
        return found.ToArray();
    }

    // Outer+Node`3 may be Outer`1+Node`2 and so on: a snapshot has all arguments at the end.
    private static IEnumerable<string> Spellings(string name)
    {
        int tick = name.LastIndexOf('`'), nested = name.IndexOf('+');
        return tick > nested && nested > 0 && int.TryParse(name.AsSpan(tick + 1), out int count)
            ? Spread(name[..tick].Split('+'), 0, count) : [name];
    }

    private static IEnumerable<string> Spread(string[] parts, int at, int count)
    {
        if (at + 1 == parts.Length)
            return [parts[at] + Tick(count)];
        return Enumerable.Range(0, count + 1).SelectMany(n => Spread(parts, at + 1, count - n).Select(rest => parts[at] + Tick(n) + "+" + rest));
    }

    private static string Tick(int count) => count == 0 ? "" : $"`{count}";

    // A snapshot has the paths of modules; those in a single file, and those of memory, have none here.
    private static bool IsModule(Assembly assembly, string module)
    {
        string name = assembly.GetName().Name ?? "";
        return module.Length == 0 || Path.GetFileNameWithoutExtension(module).Equals(name, StringComparison.OrdinalIgnoreCase)
            || Path.GetFileName(module).Equals(name, StringComparison.OrdinalIgnoreCase);
    }

    // From metadata, so that no class is loaded for it.
    private static unsafe IEnumerable<string> Names(Assembly assembly)
    {
        if (assembly.IsDynamic || !assembly.TryGetRawMetadata(out byte* start, out int length))
            return [];
        var reader = new MetadataReader(start, length);
        return reader.TypeDefinitions.Select(handle => Name(reader, handle)).ToList();
    }

    private static string Name(MetadataReader reader, TypeDefinitionHandle handle)
    {
        TypeDefinition type = reader.GetTypeDefinition(handle);
        string name = reader.GetString(type.Name);
        if (!type.GetDeclaringType().IsNil)
            return Name(reader, type.GetDeclaringType()) + "+" + name;
        return type.Namespace.IsNil ? name : reader.GetString(type.Namespace) + "." + name;
    }

    /// <summary>Throw if no loaded assembly has a class that the pattern could mean, with the name that
    /// is nearest to it.</summary>
    internal static void CheckExists(string pattern)
    {
        string wanted = WithoutArguments(pattern);
        var names = new List<string>();
        foreach (Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
            names.AddRange(Names(assembly));
        string bare = TypeNames.WithoutTicks(wanted);
        // As of a snapshot's names: who has a wildcard means the whole one, even if it is in an argument.
        if (names.Any(n => TypeNames.Matches(pattern, n) || (TypeNames.IsGlob(pattern) ? TypeNames.Glob(bare, TypeNames.WithoutTicks(n))
                : TypeNames.Matches(bare, TypeNames.WithoutTicks(n)) || n.EndsWith('+' + wanted, StringComparison.Ordinal))))
            return;
        string? nearest = NearestPattern(wanted, names);
        throw new ArgumentException($"no loaded assembly has a type that matches {pattern}"
            + (nearest is null ? "" : $"; did you mean {nearest}?"));
    }

    // Of a name a name, of all types in a namespace another namespace.
    private static string? NearestPattern(string wanted, List<string> names)
    {
        if (!TypeNames.IsGlob(wanted))
            return Nearest(TypeNames.WithoutTicks(wanted), names.Select(TypeNames.WithoutTicks));
        string space = wanted.EndsWith(".*", StringComparison.Ordinal) ? wanted[..^2] : "";
        if (space.Length == 0 || TypeNames.IsGlob(space))
            return null;
        IEnumerable<string> spaces = names.Select(n => n.LastIndexOf('.') is > 0 and int dot ? n[..dot] : "").Where(n => n.Length > 0);
        return Nearest(space, spaces) is { } nearest ? nearest + ".*" : null;
    }

    // Nobody mistypes more than a third of a name, or two letters of a short one, but never most of it.
    private static string? Nearest(string wanted, IEnumerable<string> names)
    {
        string simple = wanted[(wanted.LastIndexOf('.') + 1)..];
        int best = Math.Max(Math.Min(2, simple.Length / 2), simple.Length / 3) + 1;
        string? nearest = null;
        foreach (string name in names.Distinct().Order(StringComparer.Ordinal))
        {
            string other = name[((simple.Contains('+') ? name.LastIndexOf('.') : name.LastIndexOfAny(['.', '+'])) + 1)..];
            int distance = Math.Min(Distance(simple, other, best), Distance(wanted, name, best));
            if (distance < best)
                (best, nearest) = (distance, name);
        }
        return nearest;
    }

    // Levenshtein's, up to a limit.
    private static int Distance(string a, string b, int limit)
    {
        if (Math.Abs(a.Length - b.Length) >= limit)
            return limit;
        int[] row = Enumerable.Range(0, b.Length + 1).ToArray();
        for (int i = 1; i <= a.Length; i++)
        {
            int corner = row[0];
            row[0] = i;
            for (int j = 1; j <= b.Length; j++)
            {
                int change = corner + (char.ToUpperInvariant(a[i - 1]) == char.ToUpperInvariant(b[j - 1]) ? 0 : 1);
                corner = row[j];
                row[j] = Math.Min(change, Math.Min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.Length];
    }
}
