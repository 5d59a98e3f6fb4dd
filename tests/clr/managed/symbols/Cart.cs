// Lines of this file are in tests/clr/managed/test_sequence_points.c.
namespace Shop;

public class Cart
{
    public object Add(int n)
    {
        if (n > 1)
            return new object();
        return new int[n];
    }

    public async System.Threading.Tasks.Task AddAsync(int n)
    {
        await System.Threading.Tasks.Task.Yield();
        Add(n);
    }
}
