using System;
using System.Collections.Generic;
using System.Linq;

namespace Heapdrift.Testing;

/// <summary>Selects objects by type, derived and implementing classes included, or by patterns of type
/// names. Types and strings convert to it implicitly.</summary>
/// <example><code>
/// TypeSet windows = TypeSet.Of&lt;Window&gt;() | "Shop.ViewModels.*";
/// </code></example>
public sealed class TypeSet
{
    private readonly Type[] types;
    private readonly string[] patterns;

    private TypeSet(IEnumerable<Type> types, IEnumerable<string> patterns)
    {
        this.types = types.Distinct().ToArray();
        this.patterns = patterns.Distinct().ToArray();
        if (this.types.Length + this.patterns.Length == 0)
            throw new ArgumentException("no type and no pattern: nothing could ever be found");
    }

    /// <summary>Objects that can be cast to <typeparamref name="T"/>.</summary>
    public static TypeSet Of<T>() => Of(typeof(T));

    /// <summary>Objects that can be cast to one of these types. An open generic type, such as
    /// <c>typeof(Cache&lt;&gt;)</c>, means all its instantiations.</summary>
    public static TypeSet Of(params Type[] types)
    {
        ArgumentNullException.ThrowIfNull(types);
        foreach (Type type in types)
            Check(type);
        return new TypeSet(types, []);
    }

    /// <summary>Objects whose type name matches one of these patterns. A pattern with the wildcards <c>*</c>
    /// or <c>?</c> must match the full name; one without may be the last part of it (<c>Order</c>,
    /// <c>Sales.Order</c>). Derived classes are not included, arrays only by a pattern that ends in
    /// <c>]</c>.</summary>
    public static TypeSet Matching(params string[] patterns)
    {
        ArgumentNullException.ThrowIfNull(patterns);
        foreach (string pattern in patterns)
            if (string.IsNullOrWhiteSpace(pattern))
                throw new ArgumentException("an empty pattern matches no type", nameof(patterns));
        return new TypeSet([], patterns);
    }

    /// <summary>Objects of either set.</summary>
    public static TypeSet operator |(TypeSet left, TypeSet right) => new(left.types.Concat(right.types), left.patterns.Concat(right.patterns));

    /// <summary>The same as <see cref="Matching"/>.</summary>
    public static implicit operator TypeSet(string pattern) => Matching(pattern);

    /// <summary>The same as <see cref="Matching"/>.</summary>
    public static implicit operator TypeSet(string[] patterns) => Matching(patterns);

    /// <summary>The same as <see cref="Of(Type[])"/>.</summary>
    public static implicit operator TypeSet(Type type) => Of(type);

    /// <summary>The same as <see cref="Of(Type[])"/>.</summary>
    public static implicit operator TypeSet(Type[] types) => Of(types);

    /// <summary>The names of types and the patterns, separated by commas.</summary>
    public override string ToString() => string.Join(", ", types.Select(TypeNames.Of).Concat(patterns));

    internal IReadOnlyList<string> Patterns => patterns;

    internal bool Includes(TypeRow row)
    {
        return patterns.Any(p => Matches(p, row))
            || types.Any(t => LoadedTypes.IsOf(row, t));
    }

    /// <summary>Refuse patterns of types that do not exist, as far as that is not known already.</summary>
    internal void CheckPatterns(IEnumerable<TypeRow> seen)
    {
        List<TypeRow> rows = seen.ToList();
        foreach (string pattern in patterns)
            if (!rows.Any(r => Matches(pattern, r)))
                LoadedTypes.CheckExists(pattern);
    }

    // Arrays are meant only by who says so; and no pattern means the one object per class in which the
    // compiler keeps lambdas that capture nothing.
    private static bool Matches(string pattern, TypeRow row)
    {
        if (row.Type.EndsWith(']') && !pattern.EndsWith(']'))
            return false;
        return !TypeNames.IsLambdas(row.Name)
            && (TypeNames.Matches(pattern, row.Type) || (row.FullName is { } full && TypeNames.Matches(pattern, full)));
    }

    private static void Check(Type type)
    {
        ArgumentNullException.ThrowIfNull(type);
        if (type.IsGenericParameter || type.IsByRef || type.IsPointer)
            throw new ArgumentException($"{type}: no object is of it", nameof(type));
        if (type.IsValueType)
            throw new ArgumentException($"{TypeNames.Of(type)} is a value type: only boxed ones are objects; name the class that holds it", nameof(type));
        if (type == typeof(object))
            throw new ArgumentException("every object is one of System.Object: name the class that should be gone", nameof(type));
    }
}
