using System;

namespace Heapdrift.Testing;

/// <summary>A leak was found: the test has failed. The message says what is left and what holds it.</summary>
public class LeakException : Exception, IAssertionException
{
    /// <summary>A failure with that message.</summary>
    public LeakException(string message)
        : base(message)
    {
    }

}

/// <summary>The heap could not be looked at, or not compared: the test has neither passed nor failed.
/// What is in the way stands in the message.</summary>
public class HeapdriftException : Exception
{
    /// <summary>Trouble with that message.</summary>
    public HeapdriftException(string message)
        : base(message)
    {
    }

    /// <summary>Trouble with that message, because of another one.</summary>
    public HeapdriftException(string message, Exception inner)
        : base(message, inner)
    {
    }
}
