// Values in every form that they have, and what the program itself says that they are.

using System.Globalization;
using System.Reflection;

namespace Shop;

[Flags]
public enum Bits : ulong
{
    None = 0,
    First = 1,
    Second = 2,
    Highest = 0x8000_0000_0000_0000,
}

public enum Small : sbyte
{
    Lowest = -128,
    One = 1,
}

public struct Stamp
{
    public DateTime At;
    public Guid Id;
    public decimal? Price;
}

public struct Nested
{
    public int Number;
    public Stamp Stamp;
    public KeyValuePair<Guid, DateTime> Pair;
}

public sealed unsafe class AllValues
{
    public DateTime DateMin = DateTime.MinValue;
    public DateTime DateMax = DateTime.MaxValue;
    public DateTime DateUtc = new DateTime(2026, 11, 24, 15, 4, 5, DateTimeKind.Utc).AddTicks(1234567);
    public DateTime DateLocal = new(2024, 2, 29, 23, 59, 59, 999, DateTimeKind.Local);
    public DateTime DateUnspecified = new(1900, 3, 1);
    public DateTimeOffset OffsetNegative = new(2026, 1, 1, 0, 30, 0, new TimeSpan(-9, -30, 0));
    public DateTimeOffset OffsetPositive = new(2026, 1, 1, 0, 30, 0, new TimeSpan(5, 45, 0));
    public DateTimeOffset OffsetMin = DateTimeOffset.MinValue;
    public DateTimeOffset OffsetMax = DateTimeOffset.MaxValue;
    public TimeSpan SpanNegative = -new TimeSpan(3, 4, 5, 6, 7);
    public TimeSpan SpanMin = TimeSpan.MinValue;
    public TimeSpan SpanMax = TimeSpan.MaxValue;
    public TimeSpan SpanZero;
    public TimeSpan SpanTick = new(1);
    public DateOnly DayMin = DateOnly.MinValue;
    public DateOnly DayMax = DateOnly.MaxValue;
    public DateOnly Day = new(2000, 2, 29);
    public TimeOnly TimeMax = TimeOnly.MaxValue;
    public TimeOnly Time = new(7, 8, 9);
    public decimal DecimalZero = 0.00m;
    public decimal DecimalMin = decimal.MinValue;
    public decimal DecimalMax = decimal.MaxValue;
    public decimal DecimalScale = 1.10m;
    public decimal DecimalTiny = -0.0000000000000000000000000001m;
    public decimal DecimalMixed = 12345678901234567890.123456789m;
    public Guid IdEmpty;
    public Guid Id = new("00112233-4455-6677-8899-aabbccddeeff");
    public Half HalfEpsilon = Half.Epsilon;
    public Half HalfMax = Half.MaxValue;
    public Half HalfTenth = (Half)0.1f;
    public Half HalfNotANumber = Half.NaN;
    public Int128 Int128Min = Int128.MinValue;
    public Int128 Int128MinusOne = -1;
    public Int128 Int128Max = Int128.MaxValue;
    public UInt128 UInt128Max = UInt128.MaxValue;
    public UInt128 UInt128Ten = UInt128.Parse("10000000000000000000000000000");
    public float Single = 1.1f;
    public float SingleMax = float.MaxValue;
    public float SingleEpsilon = float.Epsilon;
    public float SingleHundredMillion = 1e8f;
    public float SingleMinusZero = -0f;
    public double Sum = 0.1 + 0.2;
    public double Hundred = 100;
    public double Large = 1e15;
    public double Larger = 123456789012345680;
    public double Thousandth = 0.001;
    public double Hundredthousandth = 0.00001;
    public double DoubleMax = double.MaxValue;
    public double DoubleEpsilon = double.Epsilon;
    public double NotANumber = double.NaN;
    public double Infinite = double.PositiveInfinity;
    public double MinusInfinite = double.NegativeInfinity;
    public double MinusZero = -0.0;
    public bool Yes = true;
    public char Letter = 'x';
    public char Tab = '\t';
    public Bits BitsHigh = Bits.Highest | Bits.First;
    public Bits BitsHighest = Bits.Highest;
    public Bits BitsUnknown = (Bits)0xC000_0000_0000_0000;
    public Small SmallLowest = Small.Lowest;
    public Small SmallUnknown = (Small)(-3);
    public nint Native = -2;
    public nuint NativeUnsigned = nuint.MaxValue;
    public int* Pointer = (int*)0x7f00_1234_5678;
    public ulong ULongMax = ulong.MaxValue;
    public int? NumberSome = -7;
    public int? NumberNone;
    public bool? YesSome = true;
    public double? RealSome = 1.1;
    public DateTime? DateSome = new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc);
    public DateTime? DateNone;
    public DateTimeOffset? OffsetSome = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.FromHours(-8));
    public Guid? IdSome = new Guid("ffeeddcc-bbaa-9988-7766-554433221100");
    public Guid? IdNone;
    public decimal? DecimalSome = -1.50m;
    public TimeSpan? SpanSome = TimeSpan.FromSeconds(90);
    public Bits? BitsSome = Bits.Second | Bits.First;
    public Bits? BitsNone;
    public Nested Nested = new()
    {
        Number = 1,
        Stamp = new() { At = new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc), Id = new("11111111-2222-3333-4444-555555555555"), Price = 9.90m },
        Pair = new(new("66666666-7777-8888-9999-aaaaaaaaaaaa"), new DateTime(2002, 3, 4)),
    };
    public object BoxedDate = new DateTime(2026, 5, 6, 7, 8, 9, DateTimeKind.Utc);
    public object BoxedNumber = 42;
    public object BoxedDecimal = 3.140m;
    public object BoxedBits = Bits.Highest;
    public object BoxedId = new Guid("12345678-1234-1234-1234-123456789abc");
    public object BoxedReal = 0.1f;
    public Version Version = new(1, 2, 3, 4);
    public Version VersionShort = new(10, 0);
    public Uri Uri = new("https://example.org/a path?q=1#f");
    public Uri UriRelative = new("../up", UriKind.Relative);
    public DateTime[] Dates = [new(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc), DateTime.MaxValue];
    public decimal[] Decimals = [1.0m, -2.25m];
    public Guid[] Ids = [Guid.Empty, new("00112233-4455-6677-8899-aabbccddeeff")];
    public TimeSpan[] Spans = [TimeSpan.FromDays(1.5), TimeSpan.Zero];
    public DateTimeOffset[] Offsets = [new(2026, 1, 1, 0, 0, 0, TimeSpan.FromHours(1))];
    public Half[] Halves = [(Half)1.5, Half.NegativeInfinity];
    public Int128[] Wides = [Int128.MinValue, 5];
    public double?[] Reals = [null, 2.5, double.NaN];
    public Bits[] AllBits = [Bits.Highest, Bits.None, (Bits)12];
    public Bits?[] SomeBits = [Bits.First, null];
    public DateOnly[] Days = [new(2026, 12, 31)];
    public Stamp[] Stamps = [new() { At = DateTime.MaxValue, Id = new("22222222-2222-3333-4444-555555555555"), Price = 0.10m }, default];
    public KeyValuePair<Guid, DateTime>[] Pairs = [new(new("00112233-4455-6677-8899-aabbccddeeff"), new(2026, 1, 1))];
    public float[] Singles = [1.1f, float.NaN];
    public nint[] Natives = [-1, 16];
    public Version[] Versions = [new(1, 2), new(3, 4, 5)];
    public object[] Boxes = [1.5m, true, new DateTime(2026, 1, 2)];
}

/// <summary>Static variables that are no references, and some that are.</summary>
public static class StaticValues
{
    public const int Literal = 99;
    public static int s_number = -5;
    public static ulong s_large = ulong.MaxValue;
    public static bool s_yes = true;
    public static char s_letter = 'q';
    public static float s_single = 1.1f;
    public static double s_sum = 0.1 + 0.2;
    public static Bits s_bits = Bits.Highest | Bits.Second;
    public static nint s_native = 0x1234;
    public static DateTime s_when = new(2026, 11, 24, 15, 4, 5, DateTimeKind.Utc);
    public static decimal s_price = 19.90m;
    public static Guid s_id = new("00112233-4455-6677-8899-aabbccddeeff");
    public static TimeSpan? s_span = TimeSpan.FromMinutes(90);
    public static int? s_none;
    public static Int128 s_wide = Int128.MinValue;
    public static string s_text = "a text of " + 7 + " words";
    public static object? s_null;
    public static Version s_version = new(4, 3, 2, 1);
    [ThreadStatic]
    public static int t_number;
    [ThreadStatic]
    public static DateTime t_when;
    [ThreadStatic]
    public static string? t_text;

    public static void Touch()
    {
        t_number = 77;
        t_when = new(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc);
        t_text = "of the thread";
    }
}

/// <summary>Its type is loaded, and its class constructor does not run.</summary>
public static class Untouched
{
    public static int s_never = Make();
    public static object s_neither = new();

    private static int Make() => Environment.ProcessId;
}

public static class Values
{
    public static readonly AllValues s_all = new();
    public static readonly Type s_untouched = typeof(Untouched);

    public static void Fill() => StaticValues.Touch();

    /// <summary>Each value as a line "NAME=VALUE".</summary>
    public static void Tell(TextWriter to)
    {
        foreach (FieldInfo field in typeof(AllValues).GetFields(BindingFlags.Public | BindingFlags.Instance))
        {
            Tell(to, field.Name, field.FieldType.IsPointer ? Unbox(field.GetValue(s_all)!) : field.GetValue(s_all));
        }
        foreach (FieldInfo field in typeof(StaticValues).GetFields(BindingFlags.Public | BindingFlags.Static))
        {
            if (!field.IsLiteral)
            {
                Tell(to, "static " + field.Name, field.GetValue(null));
            }
        }
    }

    private static unsafe object Unbox(object pointer) => (nint)Pointer.Unbox(pointer);

    private static void Tell(TextWriter to, string name, object? value)
    {
        if (value is Array all)
        {
            for (int i = 0; i < all.Length; i++)
            {
                Tell(to, $"{name}[{i}]", all.GetValue(i));
            }
        }
        else if (value != null && value.GetType().IsValueType && Form(value) == null)
        {
            foreach (FieldInfo field in value.GetType().GetFields(BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance))
            {
                Tell(to, name + "." + field.Name, field.GetValue(value));
            }
        }
        else
        {
            to.WriteLine(name + "=" + (value == null ? "null" : Form(value)));
        }
    }

    /// <summary>A value as docs/object.md says; null for a struct that is taken apart.</summary>
    private static string? Form(object value) => value switch
    {
        DateTime d => d.ToString("yyyy-MM-dd HH:mm:ss.fffffff", CultureInfo.InvariantCulture)
            + (d.Kind == DateTimeKind.Utc ? "Z" : d.Kind == DateTimeKind.Local ? " local" : ""),
        DateTimeOffset d => d.ToString("yyyy-MM-dd HH:mm:ss.fffffffzzz", CultureInfo.InvariantCulture),
        DateOnly d => d.ToString("o", CultureInfo.InvariantCulture),
        TimeOnly d => d.ToString("o", CultureInfo.InvariantCulture),
        char c => ((int)c).ToString(CultureInfo.InvariantCulture),
        bool b => b ? "true" : "false",
        nint n => "0x" + ((ulong)n).ToString("x", CultureInfo.InvariantCulture),
        nuint n => "0x" + ((ulong)n).ToString("x", CultureInfo.InvariantCulture),
        Uri u => u.OriginalString,
        Enum e => e.ToString().Replace(", ", " | ", StringComparison.Ordinal),
        IFormattable f => f.ToString(null, CultureInfo.InvariantCulture),
        string s => s,
        _ => null,
    };
}
