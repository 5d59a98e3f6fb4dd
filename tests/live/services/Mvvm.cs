// A desktop-like program: view models with INotifyPropertyChanged, commands, an undo history,
// weak events, a messenger. The bug: a document that was closed goes on listening to the
// messenger, which is static and holds its listeners strongly.

using System.Collections.ObjectModel;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using Services;

namespace Studio;

public sealed record ThemeChanged(string Name);

/// <summary>The leak hangs here.</summary>
public static class Messenger
{
    private static readonly Dictionary<Type, List<Delegate>> Listeners = [];

    public static void Subscribe<T>(Action<T> listener)
    {
        if (!Listeners.TryGetValue(typeof(T), out List<Delegate>? list))
        {
            Listeners[typeof(T)] = list = [];
        }
        list.Add(listener);
    }

    public static void Unsubscribe<T>(Action<T> listener) => Listeners[typeof(T)].Remove(listener);

    public static void Send<T>(T message)
    {
        foreach (Delegate listener in Listeners.GetValueOrDefault(typeof(T), []))
        {
            ((Action<T>)listener)(message);
        }
    }
}

public abstract class Observable : INotifyPropertyChanged
{
    public event PropertyChangedEventHandler? PropertyChanged;

    protected void Set<T>(ref T field, T value, [CallerMemberName] string name = "")
    {
        if (!EqualityComparer<T>.Default.Equals(field, value))
        {
            field = value;
            PropertyChanged?.Invoke(this, new PropertyChangedEventArgs(name));
        }
    }
}

public sealed class RelayCommand(Action<object?> run, Func<bool>? can = null)
{
    public event EventHandler? CanExecuteChanged;
    public bool CanExecute() => can?.Invoke() ?? true;
    public void Execute(object? parameter) => run(parameter);
    public void Refresh() => CanExecuteChanged?.Invoke(this, EventArgs.Empty);
}

/// <summary>Listeners that may go at any time. Dead ones are cleared out now and then.</summary>
public sealed class WeakEvent<T>
{
    private readonly List<WeakReference<Action<T>>> _listeners = [];
    private readonly ConditionalWeakTable<object, Action<T>> _keepAlive = [];

    public void Add(object owner, Action<T> listener)
    {
        _listeners.Add(new WeakReference<Action<T>>(listener));
        _keepAlive.AddOrUpdate(owner, listener);
    }

    public void Raise(T value)
    {
        foreach (WeakReference<Action<T>> weak in _listeners)
        {
            if (weak.TryGetTarget(out Action<T>? listener))
            {
                listener(value);
            }
        }
    }

    public void Clean() => _listeners.RemoveAll(w => !w.TryGetTarget(out _));
}

public sealed class CellViewModel : Observable
{
    private string _text = "";
    private bool _dirty;
    public string Text { get => _text; set { Set(ref _text, value); IsDirty = true; } }
    public bool IsDirty { get => _dirty; set => Set(ref _dirty, value); }
}

public sealed record Edit(CellViewModel Cell, string Before, string After);

public sealed class History
{
    private const int Limit = 25;
    private readonly LinkedList<Edit> _done = new();
    private readonly Stack<Edit> _undone = new();
    public bool CanUndo => _done.Count > 0;

    public void Do(Edit edit)
    {
        edit.Cell.Text = edit.After;
        _done.AddLast(edit);
        _undone.Clear();
        if (_done.Count > Limit)
        {
            _done.RemoveFirst();
        }
    }

    public void Undo()
    {
        Edit edit = _done.Last!.Value;
        _done.RemoveLast();
        _undone.Push(edit);
        edit.Cell.Text = edit.Before;
    }
}

public sealed class DocumentViewModel : Observable
{
    private string _title;
    private string _theme = "light";
    private int _changes;

    public DocumentViewModel(string title, int cells, MainViewModel main)
    {
        _title = title;
        for (int i = 0; i < cells; i++)
        {
            var cell = new CellViewModel();
            cell.PropertyChanged += OnCellChanged;
            Cells.Add(cell);
        }
        Undo = new RelayCommand(_ => History.Undo(), () => History.CanUndo);
        Save = new RelayCommand(_ => Title = _title.TrimEnd('*'));
        main.Saved.Add(this, OnSaved);
        Messenger.Subscribe<ThemeChanged>(OnTheme);
    }

    public string Title { get => _title; set => Set(ref _title, value); }
    public ObservableCollection<CellViewModel> Cells { get; } = [];
    public History History { get; } = new();
    public RelayCommand Undo { get; }
    public RelayCommand Save { get; }

    public void Close() => Messenger.Unsubscribe<ThemeChanged>(OnTheme);

    private void OnTheme(ThemeChanged message) => Set(ref _theme, message.Name, "Theme");
    private void OnSaved(string name) => _changes = 0;
    private void OnCellChanged(object? sender, PropertyChangedEventArgs e) => _changes++;
}

/// <summary>A row in a view of a file that is open all the time.</summary>
public sealed class RowViewModel(int id, string name) : Observable
{
    private string _state = "idle";
    public int Id { get; } = id;
    public string Name { get; } = name;
    public string State { get => _state; set => Set(ref _state, value); }
}

public sealed class MainViewModel : Observable
{
    private string _status = "";
    public WeakEvent<string> Saved { get; } = new();
    public ObservableCollection<DocumentViewModel> Open { get; } = [];
    public ObservableCollection<RowViewModel> Rows { get; } = [];
    public string Status { get => _status; set => Set(ref _status, value); }
}

public sealed record Notification(string Text, DateTime At);

public sealed class Thumbnail(int size)
{
    public byte[] Pixels { get; } = new byte[size];
}

public sealed class Workbench : IService
{
    private readonly Random _random;
    private readonly Bug _bug;
    private readonly MainViewModel _main = new();
    private readonly LruCache<string, Thumbnail> _thumbnails;
    private readonly Queue<string> _recent = new();
    private readonly Window<Notification> _log = new();
    private int _opened;

    public Workbench(Settings settings)
    {
        _random = new Random(settings.Seed);
        _bug = new Bug(settings, _random);
        for (int i = 0; i < settings.Scale(12000); i++)
        {
            var row = new RowViewModel(i, Words.Some(_random, 5));
            row.PropertyChanged += OnRowChanged;
            _main.Rows.Add(row);
        }
        _thumbnails = new LruCache<string, Thumbnail>(settings.Scale(300));
    }

    /// <summary>A unit is a document: opened, edited, closed a little later.</summary>
    public Task WorkAsync(int units)
    {
        _thumbnails.Swing(_random);
        for (int i = 0; i < units; i++)
        {
            Open();
            Edit();
            while (_main.Open.Count > 20)
            {
                Close(_main.Open[_random.Next(_main.Open.Count)]);
            }
        }
        // Somebody tidies up at the end of the day, more or less.
        int left = 8 + _random.Next(12);
        while (_main.Open.Count > left)
        {
            Close(_main.Open[0]);
        }
        if (_random.Next(3) > 0)
        {
            _main.Saved.Clean();
        }
        _log.Trim(units * 2, _random);
        return Task.CompletedTask;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private void Open()
    {
        string name = $"{Words.Some(_random, 2)}-{_opened++}.sheet";
        var document = new DocumentViewModel(name, 4 + _random.Next(5), _main);
        document.PropertyChanged += OnDocumentChanged;
        _main.Open.Add(document);
        _thumbnails.GetOrAdd(name, _ => new Thumbnail(500 + _random.Next(2500)));
        _recent.Enqueue(name);
        if (_recent.Count > 100)
        {
            _recent.Dequeue();
        }
    }

    private void Edit()
    {
        DocumentViewModel document = _main.Open[_random.Next(_main.Open.Count)];
        for (int i = 0; i < 6; i++)
        {
            CellViewModel cell = document.Cells[_random.Next(document.Cells.Count)];
            document.History.Do(new Edit(cell, cell.Text, Words.Some(_random, 4)));
            // Not the title: each of so many rows would keep another one, for hundreds of rounds.
            _main.Rows[_random.Next(_main.Rows.Count)].State = document.Undo.CanExecute() ? "changed" : "open";
        }
        if (_random.Next(4) == 0 && document.Undo.CanExecute())
        {
            document.Undo.Execute(null);
        }
        document.Save.Execute(null);
        _log.Add(new Notification("saved " + document.Title, DateTime.UtcNow));
        _log.Add(new Notification(document.Cells.Count + " cells", DateTime.UtcNow));
        _main.Saved.Raise(document.Title);
        if (_random.Next(20) == 0)
        {
            Messenger.Send(new ThemeChanged(_random.Next(2) == 0 ? "light" : "dark"));
        }
    }

    private void Close(DocumentViewModel document)
    {
        document.PropertyChanged -= OnDocumentChanged;
        _main.Open.Remove(document);
        // The bug: closed with the middle button, which forgets to say so.
        if (!_bug.Strikes())
        {
            document.Close();
        }
    }

    private void OnDocumentChanged(object? sender, PropertyChangedEventArgs e) => _main.Status = e.PropertyName ?? "";
    private void OnRowChanged(object? sender, PropertyChangedEventArgs e) => _main.Status = "changed";
}
