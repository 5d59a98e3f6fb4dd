// What `heapdrift check` found, less what the test run itself leaves behind. It runs nothing.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;

namespace Heapdrift.Testing;

/// <summary>The verdict of a check. Suspect: the type of what piles up; null if it is something else
/// that fails.</summary>
internal sealed record LeakVerdict(bool IsPass, bool IsInconclusive, string? Suspect)
{
    // Results, output and traces of the tests that run meanwhile, kept until the end of the run; and
    // what waits for its turn here.
    private static readonly string[] runners =
        ["Microsoft.VisualStudio.TestPlatform.", "Microsoft.VisualStudio.TestTools.", "Microsoft.Testing.", "TUnit.", "Xunit.", "NUnit.", "Heapdrift.Testing."];

    internal static LeakVerdict Parse(string json, int iterations)
    {
        using JsonDocument report = JsonDocument.Parse(json);
        JsonElement root = report.RootElement;
        if (root.GetProperty("verdict").GetString() is { } verdict and not "fail")
            return new LeakVerdict(verdict == "pass", verdict != "pass", null);
        List<JsonElement> suspects = root.GetProperty("suspects").EnumerateArray().ToList();
        HashSet<string> theirs = suspects.Where(IsOfRunner).SelectMany(s => s.GetProperty("also").EnumerateArray()).Select(t => t.GetString()!).ToHashSet();
        string? suspect = suspects.Where(s => Counts(s, iterations) && !GoesAlong(s, theirs)).Select(Type).FirstOrDefault();
        bool byBudget = root.GetProperty("rules").EnumerateArray()
            .Any(rule => rule.GetProperty("status").GetString() == "fail" && rule.GetProperty("source").GetString() != "default"
                && !rule.GetProperty("rule").GetString()!.StartsWith("suspects", StringComparison.Ordinal));
        return new LeakVerdict(suspect is null && !byBudget, false, suspect);
    }

    private static string Type(JsonElement suspect) => suspect.GetProperty("counted_type").GetString()!;

    // Large growth counts. Small growth does if it goes with the iterations: by one object in every
    // second of them, or by the same number in each step. What other tests do meanwhile does not.
    private static bool Counts(JsonElement suspect, int iterations)
    {
        if (IsOfRunner(suspect))
            return false;
        if (suspect.GetProperty("suspect").GetString() == "size")
            return true;
        List<long> counts = suspect.GetProperty("counted").EnumerateArray()
            .Where(count => count.ValueKind == JsonValueKind.Number) // null where a snapshot lacks it
            .Select(count => count.GetInt64()).ToList();
        List<long> steps = counts.Zip(counts.Skip(1), (earlier, later) => later - earlier).ToList();
        return steps.Count > 0 && steps.All(step => step * 2 >= iterations) || (steps.Distinct().Count() == 1 && steps[0] > 0);
    }

    // Strings and the like, of which theirs are a part: a snapshot does not name the class of a
    // static variable that holds others of them.
    private static bool GoesAlong(JsonElement suspect, HashSet<string> theirs)
        => Type(suspect).StartsWith("System.", StringComparison.Ordinal) && theirs.Contains(Type(suspect));

    private static bool IsOfRunner(JsonElement suspect)
    {
        return IsOfRunner(Type(suspect)) || IsOfRunner(suspect.GetProperty("subject").GetString())
            || (suspect.GetProperty("owner") is { ValueKind: JsonValueKind.Object } owner && IsOfRunner(owner.GetProperty("type").GetString()));
    }

    private static bool IsOfRunner(string? name)
    {
        string bare = name?.Replace("[static var ", "", StringComparison.Ordinal) ?? "";
        return Array.Exists(runners, runner => bare.StartsWith(runner, StringComparison.Ordinal));
    }
}
