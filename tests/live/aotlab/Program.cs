// A Native AOT program whose types have names of every kind, that leaks orders on request, and that
// answers the address of a method table by the name that reflection has for it.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Lab
{
    public class Order { public string Name; public Line[] Lines = { new Line() }; }
    public class Line { public decimal Price; }
    public class My_Type { public class In_ner { } }
    public class Größe { }
    public struct Money { public object Tag; }
    public class Ring<T> { public class Node<U> { public T First; public U Second; } }
    public enum Color { Red }

    public static class Store
    {
        public static readonly List<Order> Leaked = new();
        public static readonly Queue<Order> Bounded = new();
        public static readonly List<object> Odd = new();
    }

    static class Program
    {
        static async Task<T> Wait<T>(T value) { await Task.Delay(-1); return value; }

        static IEnumerable<T> Count<T>(T value) { while (true) yield return value; }

        static void AddOdd()
        {
            string text = "captured";
            var number = Store.Odd.Count;
            Store.Odd.AddRange(new object[] {
                new My_Type(), new My_Type.In_ner(), new Größe(), new Money(), Color.Red, new Ring<Order>.Node<int>(),
                new Ring<Money[]>.Node<Dictionary<string, int?>>(), new int[2, 3], new Order[2][], new string[1][,],
                new { A = 1, B = text }, (1, text), (Func<string>)(() => text + number), (Action<int>)(x => number += x),
                Wait(new Order()), Wait(new Money()), Wait<int>(3), Count("x").GetEnumerator(), Count(new Money()).GetEnumerator(),
                new ConcurrentDictionary<Money, Order[]>(), new Lazy<Order>(() => new Order()), new Order[0].Where(o => o.Name == text),
                (Func<Task>)(async () => { await Task.Yield(); number++; }),
            });
            ((Func<Task>)Store.Odd[^1])();
        }

        static void Work(bool leaks)
        {
            for (int i = 0; ; i++) {
                var order = new Order { Name = "order " + i };
                Store.Bounded.Enqueue(order);
                if (leaks)
                    Store.Leaked.Add(order);
                if (Store.Bounded.Count > 500)
                    Store.Bounded.Dequeue();
                Thread.Sleep(1);
            }
        }

        static void Main(string[] args)
        {
            AddOdd();
            new Thread(() => Work(args.Contains("leak"))) { IsBackground = true }.Start();
            Thread.Sleep(1000);
            Console.WriteLine("ready");
            for (string line; (line = Console.ReadLine()) != null;) {
                try {
                    var handle = RuntimeTypeHandle.FromIntPtr((nint)Convert.ToUInt64(line, 16));
                    Console.WriteLine(Type.GetTypeFromHandle(handle).FullName ?? "?");
                } catch (NullReferenceException) {
                    Console.WriteLine("?"); // what holds static variables is no type
                }
            }
            if (args.Length > 0)
                Thread.Sleep(-1);
        }
    }
}
