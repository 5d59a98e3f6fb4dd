// One example of docs/hints.md at a time, called at a steady rate until standard input ends.
//
//   Hints NAME

using System.Diagnostics;
using Shop;

// Steps until most of what the runtime does once has been done.
const int WarmUp = 5;
Example example = Examples.Make(args[0]);
Catalog catalog = new(example.Articles);
new Thread(Work) { IsBackground = true, Name = "customers" }.Start();
while (Console.ReadLine() is not null)
{
}
GC.KeepAlive(catalog);
Environment.Exit(0);

// On a thread of its own: the pool is what some examples fill.
void Work()
{
    var clock = Stopwatch.StartNew();
    for (int i = 0; ; i++)
    {
        if (i == WarmUp)
        {
            Console.WriteLine($"ready {Environment.ProcessId}");
            clock.Restart();
        }
        example.StepAsync(i).GetAwaiter().GetResult();
        while (clock.Elapsed.TotalSeconds * example.Rate < i - WarmUp)
        {
            Thread.Sleep(5);
        }
    }
}

/// <summary>What is there from the start: some megabytes, so that noise of the runtime is small.</summary>
sealed class Catalog
{
    readonly Dictionary<string, Article> articles = new();

    public Catalog(int size)
    {
        for (int i = 0; i < size; i++)
        {
            articles[$"article {i}"] = new Article($"name {i}", i);
        }
    }

    sealed record Article(string Name, int Price);
}
