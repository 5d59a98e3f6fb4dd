// Autofac: a singleton has a factory of something disposable. The factory is of the scope in
// which the singleton was made, the root, and the root's Disposer keeps what it made until the
// end, disposed of or not (autofac/Autofac#481). A factory of Owned<T> gives each a scope.

using Autofac;
using Autofac.Features.OwnedInstances;
using Packages;
using Services;

namespace Billing;

public sealed class Receipt : IDisposable
{
    public List<string> Lines { get; } = [];

    public void Dispose() => Lines.Add("closed");
}

public sealed class Till(Func<Receipt> receipt, Func<Owned<Receipt>> owned)
{
    public int Leak()
    {
        using Receipt made = receipt();
        return Print(made);
    }

    public int Sell()
    {
        using Owned<Receipt> made = owned();
        return Print(made.Value);
    }

    private static int Print(Receipt receipt)
    {
        for (int i = 0; i < 6; i++)
        {
            receipt.Lines.Add("line " + Guid.NewGuid());
        }
        return receipt.Lines.Count;
    }
}

public sealed class Cashier : IUse
{
    private readonly Bug _bug;
    private readonly Till _till;

    public Cashier(Bug bug)
    {
        _bug = bug;
        var builder = new ContainerBuilder();
        builder.RegisterType<Receipt>();
        builder.RegisterType<Till>().SingleInstance();
        _till = builder.Build().Resolve<Till>();
    }

    public ValueTask UnitAsync()
    {
        _ = _bug.IsDue() ? _till.Leak() : _till.Sell();
        return ValueTask.CompletedTask;
    }
}
