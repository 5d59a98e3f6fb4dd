// A platform for Avalonia that shows nothing: windows have a size, and what is drawn goes nowhere.
// And the thread of the user interface, on which a test runs as a whole.
using System.Diagnostics;
using System.Reflection;
using Avalonia;
using Avalonia.Controls;
using Avalonia.Controls.Platform;
using Avalonia.Input;
using Avalonia.Input.Platform;
using Avalonia.Platform;
using Avalonia.Rendering;
using Avalonia.Rendering.Composition;
using Avalonia.Threading;

namespace Shop.Desktop.Headless;

/// <summary>Any interface: properties keep what they are given, methods do nothing and return what is
/// empty.</summary>
public class Stub : DispatchProxy
{
    private readonly Dictionary<string, object?> properties = [];
    private Func<string, object?[], object?>? answer;

    /// <summary>answer: what a method or a property returns; null for what is empty.</summary>
    internal static T Of<T>(Func<string, object?[], object?>? answer = null)
        where T : class
        => (T)Of(typeof(T), answer);

    private static object Of(Type type, Func<string, object?[], object?>? answer = null)
    {
        object made = Create(type, typeof(Stub));
        ((Stub)made).answer = answer;
        return made;
    }

    protected override object? Invoke(MethodInfo? method, object?[]? arguments)
    {
        string name = method!.Name;
        if (name.StartsWith("set_", StringComparison.Ordinal))
        {
            properties[name[4..]] = arguments![0];
            return null;
        }
        if (name.StartsWith("get_", StringComparison.Ordinal) && properties.TryGetValue(name[4..], out object? known))
            return known;
        return answer?.Invoke(name, arguments ?? []) ?? Empty(method.ReturnType);
    }

    private static object? Empty(Type type)
    {
        if (type == typeof(void) || type == typeof(object) || type.IsSubclassOf(typeof(Delegate)))
            return null;
        if (type.IsValueType)
            return Activator.CreateInstance(type);
        if (type == typeof(string))
            return "";
        if (type.IsArray)
            return Array.CreateInstance(type.GetElementType()!, 0);
        if (type.IsGenericType && type.GetGenericArguments() is [var element] && type.IsAssignableFrom(element.MakeArrayType()))
            return Array.CreateInstance(element, 0);
        return type.IsInterface && type.Assembly != typeof(object).Assembly ? Of(type) : null;
    }
}

internal sealed class Windows : IWindowingPlatform
{
    private readonly Lazy<Compositor> compositor = new(() => new Compositor(null));

    public IWindowImpl CreateWindow()
    {
        IWindowImpl window = null!;
        var size = new Size(800, 600);
        window = Stub.Of<IWindowImpl>((name, arguments) =>
        {
            switch (name)
            {
                case "get_ClientSize": return size;
                case "get_MaxAutoSizeHint": return new Size(1280, 1024);
                case "get_DesktopScaling" or "get_RenderScaling": return 1.0;
                case "get_Compositor": return compositor.Value;
                case "TryGetFeature": return (Type)arguments[0]! == typeof(IScreenImpl) ? Stub.Of<IScreenImpl>() : null;
                case "Show": window.Activated?.Invoke(); return null;
                case "Dispose": window.Closed?.Invoke(); return null;
                case "Resize":
                    size = (Size)arguments[0]!;
                    window.Resized?.Invoke(size, (WindowResizeReason)arguments[1]!);
                    return null;
                default: return null;
            }
        });
        return window;
    }

    public ITopLevelImpl CreateEmbeddableTopLevel() => throw new PlatformNotSupportedException();

    public IWindowImpl CreateEmbeddableWindow() => throw new PlatformNotSupportedException();

    public ITrayIconImpl? CreateTrayIcon() => null;

    public void GetWindowsZOrder(Span<Window> windows, Span<long> order) => order.Clear();
}

internal sealed class App : Application;

/// <summary>Draws when it is told to.</summary>
internal sealed class Frames : IRenderTimer
{
    private readonly Stopwatch clock = Stopwatch.StartNew();

    public event Action<TimeSpan>? Tick;

    public bool RunsInBackground => false;

    internal void Draw() => Tick?.Invoke(clock.Elapsed);
}

internal static class Ui
{
    private static readonly Frames frames = new();
    private static readonly Lazy<Dispatcher> dispatcher = new(Start);

    /// <summary>Run a test where its windows live, and let it know that it is a test.</summary>
    internal static Task RunAsync(Func<Task> test)
    {
        ExecutionContext context = ExecutionContext.Capture()!;
        return dispatcher.Value.InvokeAsync(() =>
        {
            Task running = Task.CompletedTask;
            ExecutionContext.Run(context, _ => running = test(), null);
            return running;
        });
    }

    internal static Task RunAsync(Action test) => RunAsync(() =>
    {
        test();
        return Task.CompletedTask;
    });

    /// <summary>Do what waits for its turn, and draw: until then controls are held by what is to be
    /// done with them.</summary>
    internal static void Settle()
    {
        for (int i = 0; i < 3; i++)
        {
            Dispatcher.UIThread.RunJobs();
            frames.Draw();
        }
    }

    private static Dispatcher Start()
    {
        var started = new TaskCompletionSource<Dispatcher>();
        var thread = new Thread(() =>
        {
            Build();
            started.SetResult(Dispatcher.UIThread);
            Dispatcher.UIThread.MainLoop(CancellationToken.None);
        })
        {
            IsBackground = true,
            Name = "user interface",
        };
        using (ExecutionContext.SuppressFlow())
            thread.Start();
        return started.Task.GetAwaiter().GetResult();
    }

    private static void Build()
    {
        AppBuilder.Configure<App>()
            .UseStandardRuntimePlatformSubsystem()
            .UseRenderingSubsystem(() => AvaloniaLocator.CurrentMutable
                .Bind<IPlatformRenderInterface>().ToConstant(Stub.Of<IPlatformRenderInterface>()), "nothing")
            .UseWindowingSubsystem(() => AvaloniaLocator.CurrentMutable
                .Bind<IDispatcherImpl>().ToConstant(new ManagedDispatcherImpl(null))
                .Bind<IWindowingPlatform>().ToConstant(new Windows())
                .Bind<IPlatformSettings>().ToSingleton<DefaultPlatformSettings>()
                .Bind<ICursorFactory>().ToConstant(Stub.Of<ICursorFactory>())
                .Bind<IKeyboardDevice>().ToConstant(new KeyboardDevice())
                .Bind<IPlatformIconLoader>().ToConstant(Stub.Of<IPlatformIconLoader>())
                .Bind<IRenderTimer>().ToConstant(frames)
                .Bind<PlatformHotkeyConfiguration>().ToSingleton<PlatformHotkeyConfiguration>(), "nothing")
            .SetupWithoutStarting();
    }
}
