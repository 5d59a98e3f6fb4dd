// Names of types as heapdrift writes them, and patterns of them.
using System;
using System.Linq;
using System.Text;

namespace Heapdrift.Testing;

internal static class TypeNames
{
    /// <summary>Such as Shop.Outer+Cache&lt;System.String,Shop.Order&gt;[].</summary>
    internal static string Of(Type type)
    {
        if (type.IsArray)
            return Of(type.GetElementType()!) + "[" + new string(',', type.GetArrayRank() - 1) + "]";
        return type.IsGenericParameter ? type.Name : Of(type, type.GetGenericArguments());
    }

    // The arguments of a nested class begin with those of the outer one.
    private static string Of(Type type, ReadOnlySpan<Type> arguments)
    {
        var name = new StringBuilder(type.Namespace is { Length: > 0 } space && !type.IsNested ? space + "." : "");
        int outer = type.DeclaringType?.GetGenericArguments().Length ?? 0;
        if (type.DeclaringType is { } declaring)
            name.Append(Of(declaring, arguments[..outer])).Append('+');
        int tick = type.Name.IndexOf('`');
        name.Append(tick < 0 ? type.Name : type.Name[..tick]);
        if (arguments.Length > outer)
            name.Append('<').AppendJoin(',', arguments[outer..].ToArray().Select(Of)).Append('>');
        return name.ToString();
    }

    /// <summary>As <c>--type</c> does: with wildcards the whole name, else also the end of it behind a
    /// dot that stands in no generic argument.</summary>
    internal static bool Matches(string pattern, string name)
    {
        if (pattern.AsSpan().IndexOfAny('*', '?') >= 0)
            return Glob(pattern, name);
        int before = name.Length - pattern.Length - 1;
        return name == pattern
            || (before > 0 && name[before] == '.' && name.EndsWith(pattern, StringComparison.Ordinal) && !name.AsSpan(0, before).Contains('<'));
    }

    /// <summary>Shop.Cart+&lt;&gt;c, of which there is one object.</summary>
    internal static bool IsLambdas(string name)
    {
        int at = name.LastIndexOf("<>c", StringComparison.Ordinal);
        return at >= 0 && (at + 3 == name.Length || name[at + 3] == '<');
    }

    private static bool Glob(string pattern, string name)
    {
        int p = 0, n = 0, star = -1, again = 0;
        while (n < name.Length)
        {
            if (p < pattern.Length && (pattern[p] == name[n] || pattern[p] == '?') && pattern[p] != '*')
            {
                p++;
                n++;
            }
            else if (p < pattern.Length && pattern[p] == '*')
            {
                star = p++;
                again = n;
            }
            else if (star >= 0)
            {
                p = star + 1;
                n = ++again;
            }
            else
            {
                return false;
            }
        }
        while (p < pattern.Length && pattern[p] == '*')
            p++;
        return p == pattern.Length;
    }
}
