using System;

namespace Heapdrift.Testing;

/// <summary>A leak was found and the test fails. The message says what is left and what holds it.</summary>
public class LeakException : Exception, IAssertionException
{
    /// <summary>Creates a failure with this message.</summary>
    public LeakException(string message)
        : base(message)
    {
    }

}

/// <summary>The heap could not be inspected, so there is no verdict. The message says why.</summary>
public class HeapdriftException : Exception
{
    /// <summary>Creates an error with this message.</summary>
    public HeapdriftException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with this message and cause.</summary>
    public HeapdriftException(string message, Exception inner)
        : base(message, inner)
    {
    }
}
