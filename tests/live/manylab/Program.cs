// Many small objects, for what a snapshot of them costs: ManyLab COUNT
//
// Each has two references to it and one of its own, as objects in lists have. Prints a line
// with its pid when they are there, and ends with standard input.
using System;

namespace ManyLab;

sealed class Item
{
    public Item? Before;
    public int Number;
}

static class Program
{
    static Item[][] s_all = [];

    static void Main(string[] arguments)
    {
        const int Rows = 1000;
        s_all = new Item[int.Parse(arguments[0]) / Rows][];
        for (int i = 0; i < s_all.Length; i++)
        {
            s_all[i] = new Item[Rows];
            for (int k = 0; k < Rows; k++)
                s_all[i][k] = new Item { Before = k > 0 ? s_all[i][k - 1] : null, Number = k };
        }
        GC.Collect();
        GC.Collect();
        Console.WriteLine($"ready {Environment.ProcessId}");
        Console.Out.Flush();
        Console.In.ReadToEnd();
    }
}
