using System;

namespace Heapdrift.Testing;

/// <summary>An object of a snapshot.</summary>
/// <param name="Address">Where it was; the next garbage collection may move it.</param>
/// <param name="Type">The name of its type.</param>
/// <param name="Size">Its own bytes.</param>
/// <param name="Retained">The bytes that would be freed with it, its own among them; null where that is
/// not known: nothing reaches it.</param>
/// <param name="HeldBy">The owner of the chain of references that keeps it alive, such as
/// <c>static Shop.Cache.s_all</c>; null without one.</param>
public sealed record HeapObject(ulong Address, string Type, long Size, long? Retained, string? HeldBy);

/// <summary>What keeps objects alive, by the strongest root that reaches them.</summary>
[Flags]
public enum KeptBy
{
    /// <summary>Static variables and handles, and what they refer to: a leak.</summary>
    References = 1,

    /// <summary>Only a local variable of a method that runs: a Debug build and the JIT keep them longer
    /// than the source says.</summary>
    Stack = 2,

    /// <summary>Only the queue of objects to be finalized.</summary>
    FinalizerQueue = 4,

    /// <summary>No root that the runtime names, such as objects of a frozen segment.</summary>
    Nothing = 8,

    /// <summary>Whatever it is.</summary>
    Anything = References | Stack | FinalizerQueue | Nothing,
}
