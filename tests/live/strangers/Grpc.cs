// gRPC: streaming calls are not disposed, and the channel keeps active calls
// (grpc/grpc-dotnet#2086). The fix: `using`. Instead of a server, a handler answers with streams
// that never end.

using System.Net;
using System.Net.Http.Headers;
using System.Text;
using Grpc.Core;
using Grpc.Net.Client;
using Packages;
using Services;

namespace Prices;

public sealed class EndlessStreams : HttpMessageHandler
{
    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancel)
    {
        var content = new StreamContent(new Endless());
        content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc");
        return Task.FromResult(new HttpResponseMessage(HttpStatusCode.OK)
        {
            Content = content, RequestMessage = request, Version = HttpVersion.Version20,
        });
    }

    /// <summary>One message, "ok", then none until the reader cancels.</summary>
    private sealed class Endless : Stream
    {
        private static readonly byte[] Message = [0, 0, 0, 0, 2, (byte)'o', (byte)'k'];
        private int _at;

        public override bool CanRead => true;
        public override bool CanSeek => false;
        public override bool CanWrite => false;
        public override long Length => throw new NotSupportedException();
        public override long Position { get => _at; set => throw new NotSupportedException(); }

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancel = default)
        {
            int count = Math.Min(buffer.Length, Message.Length - _at);
            if (count == 0 && buffer.Length > 0)
            {
                await Task.Delay(Timeout.Infinite, cancel);
            }
            Message.AsSpan(_at, count).CopyTo(buffer.Span);
            _at += count;
            return count;
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();
        public override void Flush() { }
        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();
        public override void SetLength(long value) => throw new NotSupportedException();
        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    }
}

public sealed class Subscriber(Bug bug) : IUse
{
    private static readonly Marshaller<string> Text = Marshallers.Create(Encoding.UTF8.GetBytes, Encoding.UTF8.GetString);
    private static readonly Method<string, string> Watch = new(MethodType.ServerStreaming, "prices.Prices", "Watch", Text, Text);

    private readonly CallInvoker _prices = GrpcChannel.ForAddress("http://prices.example",
        new GrpcChannelOptions { HttpHandler = new EndlessStreams() }).CreateCallInvoker();
    private int _next;

    public async ValueTask UnitAsync()
    {
        bool leaks = bug.Strikes();
        if (!leaks && ++_next % 50 != 0)
        {
            return;
        }
        AsyncServerStreamingCall<string> call = _prices.AsyncServerStreamingCall(Watch, null, default, "symbol " + _next);
        await call.ResponseStream.MoveNext(CancellationToken.None);
        if (!leaks)
        {
            call.Dispose();
        }
    }
}
