// The frameworks' own assertions differ; this one fails in all of them.
namespace Shop.Tests;

internal static class Say
{
    internal static void Equal<T>(T expected, T actual)
    {
        if (!Equals(expected, actual))
            throw new InvalidOperationException($"expected {expected}, got {actual}");
    }
}
