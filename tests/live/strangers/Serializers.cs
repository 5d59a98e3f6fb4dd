// Hard: a serializer caches a contract per type. There are 150 message types, each used sooner or
// later.

using Newtonsoft.Json;
using Packages;
using Services;

namespace Gateway;

public sealed class Envelope<TKey, TBody>
{
    public TKey? Key { get; set; }
    public TBody? Body { get; set; }
    public string Topic { get; set; } = "";
    public DateTime At { get; set; }
}

public sealed class Envelopes : IUse
{
    private static readonly Type[] Parts =
        [typeof(int), typeof(long), typeof(Guid), typeof(string), typeof(decimal), typeof(double), typeof(Uri), typeof(Version),
         typeof(TimeSpan), typeof(DateOnly), typeof(byte[]), typeof(bool), typeof(DayOfWeek), typeof(char), typeof(DateTimeOffset)];

    private readonly Random _random = new(1);

    public ValueTask UnitAsync()
    {
        if (_random.Next(33) == 0)
        {
            int number = _random.Next(150);
            Type type = typeof(Envelope<,>).MakeGenericType(Parts[number % 15], Parts[number / 15]);
            _ = JsonConvert.DeserializeObject(JsonConvert.SerializeObject(Activator.CreateInstance(type)), type);
        }
        return ValueTask.CompletedTask;
    }
}
