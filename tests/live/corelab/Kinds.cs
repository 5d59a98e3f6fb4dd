// One or a few of every kind of object, field, handle and static that a runtime has.

using System.Numerics;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Shop;

[InlineArray(4)]
public struct FourSessions
{
    private Session? _first;
}

[InlineArray(3)]
public struct ThreePairs
{
    private Pair _first;
}

[StructLayout(LayoutKind.Explicit)]
public struct Overlaid
{
    [FieldOffset(0)] public object? Any;
    [FieldOffset(8)] public int Number;
    [FieldOffset(8)] public float Fraction;
}

public interface IShape
{
    double Area { get; }
}

public record Circle(double Radius) : IShape
{
    public double Area => Radius * Radius * Math.PI;
}

public abstract class Animal
{
    public string Name = "";
    protected object? _secret = new object();
}

public class Dog : Animal
{
    public Dog? Friend;
    // The same name as in the base class.
    public new string Name = "";
}

public class Outer<T>
{
    public T? Value;

    public class Inner<TKey>
    {
        public TKey? Key;
        public T? Value;
        public Box Boxed;

        public struct Box
        {
            public T? First;
            public (TKey? Key, Pair Pair) Second;
        }
    }
}

/// <summary>Every type that a field can have, with values that can be told from each other.</summary>
public sealed unsafe class AllFields
{
    public bool True = true;
    public char Letter = 'ß';
    public sbyte SmallSigned = -8;
    public byte Small = 200;
    public short ShortSigned = -16000;
    public ushort Short = 60000;
    public int Signed = -2_000_000_000;
    public uint Unsigned = 4_000_000_000;
    public long LongSigned = -9_000_000_000_000_000_000;
    public ulong Long = 18_000_000_000_000_000_000;
    public float Single = 1.5f;
    public double Double = Math.E;
    public double NotANumber = double.NaN;
    public double Infinite = double.NegativeInfinity;
    public nint Native = -1;
    public nuint NativeUnsigned = 1;
    public decimal Money = 12345.6789m;
    public Guid Id = new("00112233-4455-6677-8899-aabbccddeeff");
    public DateTime When = new(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc);
    public DateTimeOffset WhenThere = new(2026, 1, 2, 3, 4, 5, TimeSpan.FromHours(2));
    public TimeSpan Took = TimeSpan.FromMinutes(90);
    public DateOnly Day = new(2026, 1, 2);
    public BigInteger Big = BigInteger.Pow(3, 200);
    public Level Level = Level.Warning;
    public Rights Rights = Rights.Read | Rights.Pay;
    public Rights UnknownRights = (Rights)64;
    public int? Some = 7;
    public int? None;
    public Pair? SomePair = new Pair { Weight = 3, Left = new Session { Number = -1 } };
    public int* Pointer = (int*)0x1234;
    public delegate*<void> Function;
    public string Empty = "";
    public string Words = "plain words";
    public string Other = "Grüße, 東京, 🙂";
    public string Control = "tab\there, NUL\0here, escape\u001b[31m, line\nend";
    public string Surrogate = "lone \ud800 surrogate";
    public string LongText = new('x', 5000);
    public string? Missing;
    public object BoxedNumber = 42;
    public object BoxedLevel = Level.Info;
    public object BoxedPair = new Pair { Weight = 9, Right = new Session { Number = -2 } };
    public IShape Shape = new Circle(2);
    public Overlaid Overlaid = new() { Any = "overlaid", Number = 0x3f800000 };
    public FourSessions Four;
    public ThreePairs Three;
    public KeyValuePair<string, (int, Session?)> Deep = new("key", (1, new Session { Number = -3 }));
    public Memory<byte> Memory = new byte[16];
    public CancellationToken Token = new CancellationTokenSource().Token;
    public volatile object? Volatile = new object();
    public Action Callback = static () => { };
    public Func<int>? Closure;
    public Type Type = typeof(Session);
    public Exception Problem = new InvalidOperationException("outer", new ArgumentException("inner"));
    public WeakReference Weak = new(new object());
    public WeakReference<string> WeakText = new("weak");
    public Lazy<string> Lazy = new(() => "lazy");
    public Dog Dog = new() { Name = "Rex", Friend = new Dog() };
    public Outer<string>.Inner<int> Nested = new() { Key = 3, Value = "v", Boxed = new() { First = "f", Second = (4, default) } };
    public Outer<Session>.Inner<Level> NestedToo = new();

    public static AllFields Make(int captured)
    {
        var fields = new AllFields();
        fields.Four[0] = new Session { Number = -10 };
        fields.Four[3] = new Session { Number = -13 };
        fields.Three[1].Right = new Session { Number = -20 };
        fields.Closure = () => captured + 1;
        return fields;
    }
}

/// <summary>Statics of every type.</summary>
public static class Statics
{
    public static readonly object s_object = new();
    public static readonly string s_literal = "a literal, which is frozen";
    public static string s_made = new('m', 3);
    public static readonly int[] s_numbers = [1, 2, 3];
    public static IShape s_shape = new Circle(1);
    public static Overlaid s_overlaid = new() { Any = new object() };
    public static Pair? s_pair = new Pair { Left = new Session { Number = -30 } };
    public static (string, Session) s_tuple = ("tuple", new Session { Number = -31 });
    public static FourSessions s_four;
    public static bool s_true = true;
    public static double s_double = 0.5;
    public static Rights s_rights = Rights.Write | Rights.Pay;

    public static class Nested
    {
        public static readonly object s_inner = new();
    }
}

public static class Generic2<TKey, TValue>
{
    public static readonly Dictionary<int, (TKey?, TValue?)> s_map = new();
    [ThreadStatic]
    public static List<TValue>? t_list;
}

public static class Arrays
{
    public static readonly int[] s_empty = [];
    public static readonly byte[] s_large = new byte[200_000];
    public static readonly object[] s_largeOfObjects = new object[20_000];
    public static readonly byte[] s_pinned = GC.AllocateUninitializedArray<byte>(5000, pinned: true);
    public static readonly Pair[] s_structs = new Pair[3];
    public static readonly Session?[][] s_jagged = [[new Session { Number = -40 }], []];
    public static readonly Pair[,] s_pairGrid = new Pair[2, 3];
    public static readonly int[,,] s_cube = new int[2, 3, 4];
    // A compiled program has neither this nor types made at run time.
    public static readonly Array s_fromOne = RuntimeFeature.IsDynamicCodeSupported ? Array.CreateInstance(typeof(Session), [2], [1]) : new Session[3];
    public static readonly object[] s_covariant = new string[] { "covariant" };
    public static readonly Dictionary<string, (Session?, List<Level>)>[] s_maps = [new() { ["a"] = (null, [Level.Info]) }];
    public static readonly unsafe int*[] s_pointers = new int*[2];
    public static readonly int?[] s_nullables = [1, null, 3];
    public static readonly List<string>.Enumerator[] s_enumerators = [new List<string> { "a" }.GetEnumerator()];

    public static void Fill()
    {
        s_largeOfObjects[19_999] = new Session { Number = -41 };
        s_structs[2].Left = new Session { Number = -42 };
        s_pairGrid[1, 2].Right = new Session { Number = -43 };
        s_fromOne.SetValue(new Session { Number = -44 }, 2);
    }
}

public sealed class Finalizable
{
    public string Name = "";
    public Session? Holds;

    ~Finalizable() => Name = "";
}

public sealed class Stopper
{
    ~Stopper() => Thread.Sleep(Timeout.Infinite);
}

public static class Finalizers
{
    public static readonly List<Finalizable> s_registered = new();

    public static void Register()
    {
        for (int i = 0; i < 50; i++)
        {
            s_registered.Add(new Finalizable { Name = "registered " + i });
        }
    }

    public static void StopInOne()
    {
        // The collection comes later than their end in any case, so a few are no use.
        Make();
        GC.Collect();
        Thread.Sleep(200);
        Make();
        GC.Collect();
        Thread.Sleep(200);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make()
    {
        GC.KeepAlive(new Stopper());
        for (int i = 0; i < 100; i++)
        {
            GC.KeepAlive(new Finalizable { Name = "due " + i, Holds = new Session { Number = -100 - i } });
        }
    }
}

public sealed class Kinds
{
    public AllFields Fields = AllFields.Make(1);
    public List<GCHandle> Handles = new();
    public object? Emitted;
    public Timer? Timer;
    public DependentHandle Dependent;

    public static Kinds Make()
    {
        var kinds = new Kinds();
        Arrays.Fill();
        Finalizers.Register();
        Statics.s_four[2] = new Session { Number = -32 };
        Generic2<string, Session>.s_map[1] = ("one", new Session { Number = -50 });
        Generic2<Level, Pair>.s_map[1] = (Level.Info, new Pair { Left = new Session { Number = -51 } });
        Generic2<string, Session>.t_list = [new Session { Number = -52 }];
        kinds.Handles.Add(GCHandle.Alloc(new Session { Number = -60 }));
        kinds.Handles.Add(GCHandle.Alloc(new byte[100], GCHandleType.Pinned));
        kinds.Handles.Add(GCHandle.Alloc(Store.s_recent[0], GCHandleType.Weak));
        kinds.Handles.Add(GCHandle.Alloc(Store.s_recent[0], GCHandleType.WeakTrackResurrection));
        kinds.Dependent = new DependentHandle(kinds, new Session { Number = -61 });
        kinds.Timer = new Timer(static state => GC.KeepAlive(state), new Session { Number = -62 }, TimeSpan.FromHours(1), TimeSpan.FromHours(1));
        kinds.Emitted = !RuntimeFeature.IsDynamicCodeSupported ? null : Emit(new Session { Number = -63 });
        // Only a handle holds it.
        GCHandle.Alloc(kinds);
        return kinds;
    }

    /// <summary>An object of a collectible type, which is made at run time.</summary>
    private static object Emit(object payload)
    {
        var assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Dyn"), AssemblyBuilderAccess.RunAndCollect);
        TypeBuilder type = assembly.DefineDynamicModule("Dyn").DefineType("Dyn.Thing", TypeAttributes.Public);
        type.DefineField("payload", typeof(object), FieldAttributes.Public);
        type.DefineField("s_shared", typeof(object), FieldAttributes.Public | FieldAttributes.Static);
        Type made = type.CreateType();
        object thing = Activator.CreateInstance(made)!;
        made.GetField("payload")!.SetValue(thing, payload);
        made.GetField("s_shared")!.SetValue(null, new Session { Number = -64 });
        return thing;
    }
}
