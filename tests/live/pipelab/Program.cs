// PipeLab PID FILE: a heap walk of a .NET process on Windows, through its diagnostics pipe, as a nettrace. It ends the session
// when nothing came for two seconds.
using System.IO.Pipes;
using System.Text;

const ulong Heap = 0x1980001;
const byte Tracing = 2, Stop = 1, Collect = 2, Ok = 0;

byte[] Message(byte command, byte[] payload)
{
    using var to = new MemoryStream();
    using var w = new BinaryWriter(to);
    w.Write(Encoding.ASCII.GetBytes("DOTNET_IPC_V1\0"));
    w.Write((ushort)(20 + payload.Length));
    w.Write(Tracing);
    w.Write(command);
    w.Write((ushort)0);
    w.Write(payload);
    return to.ToArray();
}

byte[] Session()
{
    using var to = new MemoryStream();
    using var w = new BinaryWriter(to);
    void Text(string s)
    {
        w.Write(s.Length + 1);
        w.Write(Encoding.Unicode.GetBytes(s + "\0"));
    }
    w.Write(256);
    w.Write(1);
    w.Write(1);
    w.Write(Heap);
    w.Write(5);
    Text("Microsoft-Windows-DotNETRuntime");
    w.Write(0);
    return to.ToArray();
}

NamedPipeClientStream Connect()
{
    var pipe = new NamedPipeClientStream(".", "dotnet-diagnostic-" + args[0], PipeDirection.InOut, PipeOptions.Asynchronous);
    pipe.Connect(5000);
    return pipe;
}

using var events = Connect();
events.Write(Message(Collect, Session()));
byte[] head = new byte[28];
events.ReadExactly(head);
if (head[17] != Ok)
{
    Console.Error.WriteLine("refused: " + Convert.ToHexString(head));
    return 1;
}
using var file = File.Create(args[1]);
byte[] buffer = new byte[1 << 16];
// The answer comes when all is written, which waits for the reader.
NamedPipeClientStream? stop = null;
while (true)
{
    var read = events.ReadAsync(buffer, 0, buffer.Length);
    if (stop == null && !read.Wait(2000))
    {
        stop = Connect();
        stop.Write(Message(Stop, head[20..]));
    }
    int n = read.Result;
    if (n == 0)
    {
        break;
    }
    file.Write(buffer, 0, n);
}
Console.WriteLine(file.Length);
return 0;
