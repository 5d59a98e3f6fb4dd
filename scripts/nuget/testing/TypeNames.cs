// Names of types as heapdrift writes them, and patterns of them.
using System;
using System.Linq;
using System.Text;

namespace Heapdrift.Testing;

internal static class TypeNames
{
    /// <summary>Such as Shop.Outer+Cache&lt;System.String,Shop.Order&gt;[]: the arguments of outer classes
    /// stand among those at the end.</summary>
    internal static string Of(Type type)
    {
        if (type.IsArray)
            return Of(type.GetElementType()!) + "[" + new string(',', type.GetArrayRank() - 1) + "]";
        if (type.IsGenericParameter)
            return type.Name;
        var name = new StringBuilder();
        for (Type? at = type; at is not null; at = at.DeclaringType)
            name.Insert(0, WithoutTick(at.Name)).Insert(0, at.IsNested ? "+" : at.Namespace is { Length: > 0 } space ? space + "." : "");
        Type[] arguments = type.GetGenericArguments();
        if (arguments.Length > 0)
            name.Append('<').AppendJoin(',', arguments.Select(Of)).Append('>');
        return name.ToString();
    }

    /// <summary>Outer`1+Node`2 as Outer+Node.</summary>
    internal static string WithoutTicks(string name) => string.Join('+', name.Split('+').Select(WithoutTick));

    private static string WithoutTick(string part) => part.IndexOf('`') is > 0 and int at ? part[..at] : part;

    /// <summary>As <c>--type</c> does: with wildcards the whole name, else also the end of it behind a
    /// dot that stands in no generic argument.</summary>
    internal static bool Matches(string pattern, string name)
    {
        if (IsGlob(pattern))
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

    internal static bool IsGlob(string pattern) => pattern.AsSpan().IndexOfAny('*', '?') >= 0;

    internal static bool Glob(string pattern, string name)
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
