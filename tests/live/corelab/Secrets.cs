// Secrets wherever a process has any, for what is said of a redacted dump to be looked for in its bytes.
//
// Each has the name of its place, and is made of that name (tests/live/secrets.py makes the same), so that none stands in
// the assembly but those that are meant to.

using System.Buffers.Binary;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;

namespace Shop;

[Description("tk9d1f4c7a60e5b83f1207")]
public sealed class Secrets
{
    public const string Constant = "tk5b82e1f0936c4da71e58";
    public const long ConstantNumber = 0x5EC2E7A1B2C3D4E5;

    private static readonly string s_static = Text("static");
    private static long s_staticNumber = Number("static-number");
    private static Guid s_staticGuid = new(Bytes("static-guid", 16));
    [ThreadStatic] private static string? t_text;
    [ThreadStatic] private static long t_number;
    private static readonly ManualResetEventSlim s_ready = new(), s_never = new();
    private static IntPtr s_ansi, s_wide, s_native;

    private readonly string _literal = "tke47a0c36d851f92b7d03";
    private readonly string _string = Text("string");
    private readonly StringBuilder _builder = new(Text("builder"));
    private readonly char[] _chars = Text("chars").ToCharArray();
    private readonly byte[] _bytes = Encoding.UTF8.GetBytes(Text("bytes"));
    private readonly string _base64 = Convert.ToBase64String(Encoding.UTF8.GetBytes(Text("base64")));
    private readonly string _large = new string('x', 50_000) + Text("large");
    private readonly byte[] _pinned = GC.AllocateUninitializedArray<byte>(64, pinned: true);
    private readonly Dictionary<string, int> _keys = new() { [Text("key")] = 1 };
    private readonly Exception _exception = new InvalidOperationException(Text("exception"));
    private readonly byte[][] _freed = MakeFreed();
    private readonly long _long = Number("long");
    private readonly double _double = BitConverter.Int64BitsToDouble(Number("double"));
    private readonly decimal _decimal = new(BitConverter.ToInt32(Bytes("decimal", 4)), BitConverter.ToInt32(Bytes("decimal", 8), 4), 0, false, 0);
    private readonly DateTime _time = new((Number("time") & long.MaxValue) % DateTime.MaxValue.Ticks);
    private readonly Guid _guid = new(Bytes("guid", 16));
    private readonly (int Index, long Value)[] _structs = [(1, Number("struct"))];
    private readonly object _boxed = Number("boxed");
    private readonly DayOfWeek[] _enums = MemoryMarshal.Cast<byte, DayOfWeek>(Bytes("enums", 16)).ToArray();
    private readonly long?[] _nullable = [Number("nullable")];
    private readonly Vector _vector = new(Number("vector"));

    [InlineArray(4)]
    private struct Four
    {
        private long _first;
    }

    private sealed class Vector
    {
        private Four _four;

        public Vector(long value) => _four[2] = value;
    }

    private Secrets()
    {
        Encoding.UTF8.GetBytes(Text("pinned")).CopyTo(_pinned, 8);
        GC.Collect();
    }

    private static ReadOnlySpan<byte> InImage => "tk2f96b08e5d73ca4160be"u8;

    public static byte[] Bytes(string name, int count) => SHA256.HashData(Encoding.UTF8.GetBytes(name))[..count];

    public static string Text(string name) => "tk" + Convert.ToHexString(Bytes(name, 10)).ToLowerInvariant();

    public static long Number(string name) => BinaryPrimitives.ReadInt64LittleEndian(Bytes(name, 8));

    // Large arrays are swept where they lie: between two that stay free space is left, with what was there.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte[][] MakeFreed()
    {
        byte[] before = new byte[100_000], freed = new byte[100_000], after = new byte[100_000];
        for (int at = 0; at < 99_000; at += 1000)
        {
            Encoding.UTF8.GetBytes(Text("freed")).CopyTo(freed, at);
        }
        return [before, after];
    }

    // Objects that nobody refers to, again and again, so that some are dead at any time.
    private static void MakeGarbage()
    {
        for (;;)
        {
            Thread.Sleep(5);
            _ = new StringBuilder("dead ").Append(Text("garbage")).ToString();
        }
    }

    // A thread that waits with secrets on its stack, and in what is its own.
    private static unsafe void Hold()
    {
        char* text = stackalloc char[64];
        long* numbers = stackalloc long[4];
        Text("stack").CopyTo(new Span<char>(text, 64));
        numbers[1] = Number("stack-number");
        t_text = Text("thread-static");
        t_number = Number("thread-static-number");
        s_ready.Set();
        s_never.Wait();
        GC.KeepAlive(t_text);
        Console.Error.WriteLine(text[0] + numbers[1] + t_number);
    }

    public static unsafe object Plant()
    {
        new Thread(Hold) { IsBackground = true, Name = Text("thread-name")[..15] }.Start();
        s_ready.Wait();
        new Thread(MakeGarbage) { IsBackground = true }.Start();
        s_ansi = Marshal.StringToHGlobalAnsi(Text("native-ansi"));
        s_wide = Marshal.StringToHGlobalUni(Text("native-wide"));
        s_native = (IntPtr)NativeMemory.AllocZeroed(64);
        Encoding.UTF8.GetBytes(Text("native")).CopyTo(new Span<byte>((byte*)s_native + 8, 40));
        byte[] image = InImage.ToArray();
        Environment.SetEnvironmentVariable("SHOP_SET", Text("variable-set"));
        return (new Secrets(), image, s_static, s_staticNumber, s_staticGuid, Constant);
    }
}
