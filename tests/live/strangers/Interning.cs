// Hard: words of a finite vocabulary are interned. New words become rarer as the vocabulary is used
// up.

using System.Collections.Concurrent;
using Packages;
using Services;

namespace Logs;

public static class Vocabulary
{
    private static readonly ConcurrentDictionary<string, string> Interned = new(StringComparer.Ordinal);

    public static string Intern(string word) => Interned.GetOrAdd(word, word);
}

public sealed class Parser : IUse
{
    private readonly Random _random = new(1);
    private readonly Queue<string> _latest = new();

    public ValueTask UnitAsync()
    {
        int word = _random.Next(8000);
        _latest.Enqueue(Vocabulary.Intern($"warehouse/{word % 90}/shelf/{word}"));
        if (_latest.Count > 500)
        {
            _latest.Dequeue();
        }
        return ValueTask.CompletedTask;
    }
}
