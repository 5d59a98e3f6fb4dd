// Jint: one engine evaluates a new text each time. Versions 4.12 to 4.16.2 keep every script that an
// engine evaluated (sebastienros/jint#4094). The fix: prepare scripts once.

using Acornima.Ast;
using Jint;
using Packages;
using Services;

namespace Formulas;

public sealed class Calculator(Bug bug) : IUse
{
    private readonly Engine _engine = new();
    private readonly Prepared<Script>[] _known =
        [.. Enumerable.Range(0, 20).Select(i => Engine.PrepareScript($"price * {i} + {i % 7}"))];
    private int _next;

    public ValueTask UnitAsync()
    {
        int number = ++_next;
        _engine.SetValue("price", number % 100);
        if (bug.Strikes())
        {
            _ = _engine.Evaluate($"price * {number} + {number % 7}");
        }
        else if (number % 5 == 0)
        {
            _ = _engine.Evaluate(_known[number / 5 % 20]);
        }
        return ValueTask.CompletedTask;
    }
}
