// A chat server: SignalR on Kestrel, with clients in the same process that speak its protocol
// over a WebSocket. The bug: who is there is kept in a map that only the hub's Leave clears, and
// a client whose connection breaks never says that it leaves.

using System.Collections.Concurrent;
using System.Net.WebSockets;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.SignalR;
using Services;

namespace Chat;

public sealed record ChatMessage(string Room, string From, string Text, DateTime At);

public sealed class UserPresence(HubCallerContext connection, string user, string room)
{
    public HubCallerContext Connection { get; } = connection;
    public string User { get; } = user;
    public string Room { get; } = room;
    public DateTime Since { get; } = DateTime.UtcNow;
    public List<string> Drafts { get; } = ["hello from " + user];
}

/// <summary>Who is there, and what was said lately.</summary>
public sealed class Lobby(Settings settings)
{
    private readonly ConcurrentDictionary<string, Queue<ChatMessage>> _history = new();
    public ConcurrentDictionary<string, UserPresence> Present { get; } = new();
    public bool ForgetsToLookAtDisconnects { get; } = settings.Leaks;
    public int Ended;

    public void Say(ChatMessage message)
    {
        Queue<ChatMessage> said = _history.GetOrAdd(message.Room, _ => new Queue<ChatMessage>());
        lock (said)
        {
            said.Enqueue(message);
            if (said.Count > 40)
            {
                said.Dequeue();
            }
        }
    }
}

public sealed class ChatHub(Lobby lobby) : Hub
{
    public async Task Join(string user, string room)
    {
        lobby.Present[Context.ConnectionId] = new UserPresence(Context, user, room);
        await Groups.AddToGroupAsync(Context.ConnectionId, room);
    }

    public async Task Say(string room, string text)
    {
        var message = new ChatMessage(room, lobby.Present[Context.ConnectionId].User, text, DateTime.UtcNow);
        lobby.Say(message);
        await Clients.OthersInGroup(room).SendAsync("said", message);
    }

    public void Leave() => lobby.Present.TryRemove(Context.ConnectionId, out _);

    public override Task OnDisconnectedAsync(Exception? exception)
    {
        // The bug: this is missing.
        if (!lobby.ForgetsToLookAtDisconnects)
        {
            lobby.Present.TryRemove(Context.ConnectionId, out _);
        }
        Interlocked.Increment(ref lobby.Ended);
        return Task.CompletedTask;
    }
}

/// <summary>As much of the client's side of the protocol as is needed.</summary>
public sealed class ChatClient : IDisposable
{
    private const char End = '\u001e';
    private readonly ClientWebSocket _socket = new();
    private readonly byte[] _buffer = new byte[2048];
    private int _calls;

    public string Room { get; private set; } = "";

    public async Task ConnectAsync(Uri hub, string user, string room)
    {
        Room = room;
        await _socket.ConnectAsync(hub, CancellationToken.None);
        await SendAsync("""{"protocol":"json","version":1}""");
        await ReceiveUntilAsync("{}");
        await CallAsync("Join", user, room);
    }

    public async Task CallAsync(string method, params string[] arguments)
    {
        string id = (++_calls).ToString();
        await SendAsync(JsonSerializer.Serialize(new { type = 1, invocationId = id, target = method, arguments }));
        await ReceiveUntilAsync("\"invocationId\":\"" + id + "\"");
    }

    public Task CloseAsync() => _socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);

    public void Break() => _socket.Abort();

    public void Dispose() => _socket.Dispose();

    private async Task SendAsync(string text) =>
        await _socket.SendAsync(Encoding.UTF8.GetBytes(text + End).AsMemory(), WebSocketMessageType.Text, true, CancellationToken.None);

    private async Task ReceiveUntilAsync(string mark)
    {
        var text = new StringBuilder();
        while (!text.ToString().Contains(mark))
        {
            ValueWebSocketReceiveResult got = await _socket.ReceiveAsync(_buffer.AsMemory(), CancellationToken.None);
            if (got.MessageType == WebSocketMessageType.Close)
            {
                throw new IOException("the server closed the connection");
            }
            text.Append(Encoding.UTF8.GetString(_buffer, 0, got.Count));
        }
    }
}

public sealed record Visit(string User, string Room, DateTime At);

public sealed class Emoji(string name, byte[] image)
{
    public string Name { get; } = name;
    public byte[] Image { get; } = image;
}

public sealed class Server : IService
{
    private readonly WebApplication _app;
    private readonly Random _random;
    private readonly Bug _bug;
    private readonly Uri _hub;
    private readonly Lobby _lobby;
    private readonly Dictionary<string, Emoji> _emojis = [];
    private readonly LruCache<string, string[]> _profiles;
    private readonly Queue<ChatClient> _staying = new();
    private readonly int _stay;
    private readonly Window<Visit> _visits = new();
    private int _nextUser, _ended;

    private Server(WebApplication app, Settings settings)
    {
        _app = app;
        _random = new Random(settings.Seed);
        // Connections break in a healthy run, too.
        _bug = new Bug(settings with { Leaks = true }, _random);
        _hub = new Uri(app.Urls.First().Replace("http:", "ws:") + "/chat");
        _lobby = app.Services.GetRequiredService<Lobby>();
        _stay = 30;
        _profiles = new LruCache<string, string[]>(settings.Scale(2500));
        for (int i = 0; i < settings.Scale(2500); i++)
        {
            string name = Words.Some(_random, 3) + i;
            _emojis[name] = new Emoji(name, new byte[300 + _random.Next(600)]);
        }
    }

    public static async Task<IService> StartAsync(Settings settings)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Services.AddSingleton(settings).AddSingleton<Lobby>().AddSignalR();
        WebApplication app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        app.UseWebSockets();
        app.MapHub<ChatHub>("/chat");
        await app.StartAsync();
        return new Server(app, settings);
    }

    /// <summary>A unit is a visitor: comes, says something, goes. Some stay for a while.</summary>
    public async Task WorkAsync(int units)
    {
        _profiles.Swing(_random);
        for (int i = 0; i < units; i++)
        {
            string user = "user-" + _nextUser++;
            for (int k = 0; k < 30; k++)
            {
                _profiles.GetOrAdd("user-" + _random.Next(4000), n => [n, Words.Some(_random, 5), Words.Some(_random, 2)]);
            }
            var client = new ChatClient();
            await client.ConnectAsync(_hub, user, "room-" + _random.Next(25));
            await client.CallAsync("Say", client.Room, Words.Some(_random, 10));
            _staying.Enqueue(client);
            _visits.Add(new Visit(user, client.Room, DateTime.UtcNow));
            while (_staying.Count > _stay)
            {
                await EndAsync(_staying.Dequeue());
            }
        }
        _visits.Trim(units * 3, _random);
        int left = _random.Next(_stay / 2, _stay);
        while (_staying.Count > left)
        {
            await EndAsync(_staying.Dequeue());
        }
        while (Volatile.Read(ref _lobby.Ended) < _ended)
        {
            await Task.Delay(5);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (ChatClient client in _staying)
        {
            client.Dispose();
        }
        using var soon = new CancellationTokenSource(TimeSpan.FromSeconds(1));
        await _app.StopAsync(soon.Token);
    }

    private async Task EndAsync(ChatClient client)
    {
        if (_bug.Strikes())
        {
            client.Break();
        }
        else
        {
            await client.CallAsync("Leave");
            await client.CloseAsync();
        }
        client.Dispose();
        _ended++;
    }
}
