using System;

namespace Heapdrift.Testing;

/// <summary>An object in a snapshot.</summary>
/// <param name="Address">Its address; the next garbage collection may move it.</param>
/// <param name="Type">Name of its type.</param>
/// <param name="Size">Shallow size in bytes.</param>
/// <param name="Retained">Retained size in bytes: what would be freed with it, itself included. Null if no
/// root reaches it.</param>
/// <param name="HeldBy">Owner of the reference chain that keeps it alive, such as
/// <c>static Shop.Cache.s_all</c>. Null if there is none.</param>
public sealed record HeapObject(ulong Address, string Type, long Size, long? Retained, string? HeldBy);

/// <summary>What keeps an object alive: the strongest kind of root that reaches it.</summary>
[Flags]
public enum KeptBy
{
    /// <summary>A static variable or a handle, directly or through other objects, or something that was
    /// there before: a leak.</summary>
    References = 1,

    /// <summary>Only a local variable of a running method, and nothing that was there before. A Debug build or the JIT may keep it longer than
    /// the source suggests.</summary>
    Stack = 2,

    /// <summary>Only the finalizer queue.</summary>
    FinalizerQueue = 4,

    /// <summary>No root that the runtime reports, such as objects in a frozen segment.</summary>
    Nothing = 8,

    /// <summary>Any of these.</summary>
    Anything = References | Stack | FinalizerQueue | Nothing,
}
