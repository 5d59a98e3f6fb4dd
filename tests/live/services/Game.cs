// A game loop: entities with components in arrays, pools, buffers per frame, a spatial grid.
// The bug: an entity that moved to another cell in the frame in which it died is taken out of
// the cell where it is, not of the one where it was put.

using System.Numerics;
using Services;

namespace Arena;

public enum Kind { Creature, Projectile, Pickup }

public class Entity(int id, Kind kind)
{
    public int Id { get; } = id;
    public Kind Kind { get; } = kind;
    public Vector2 Position { get; set; }
    public Vector2 Velocity { get; set; }
    public (int X, int Y) Cell { get; set; }
    public int Lifetime { get; set; }
    public virtual void Update(World world) { }
}

public sealed class Creature(int id) : Entity(id, Kind.Creature)
{
    public List<Buff> Buffs { get; } = [];
    public Inventory Bag { get; } = new();
    public Path? Way { get; set; }

    public override void Update(World world)
    {
        if (Way is null || Way.IsDone)
        {
            Way = world.FindPath(this);
        }
        Velocity = Way.Next();
        Buffs.RemoveAll(b => --b.FramesLeft <= 0);
    }
}

public sealed class Projectile(int id, Creature shooter) : Entity(id, Kind.Projectile)
{
    private readonly Vector2[] _trail = new Vector2[24];
    public int ShooterId { get; } = shooter.Id;
    public override void Update(World world) => _trail[Lifetime % _trail.Length] = Position;
}

public sealed class Buff(string name, int frames)
{
    public string Name { get; } = name;
    public int FramesLeft { get; set; } = frames;
}

public sealed class Inventory
{
    public Dictionary<string, int> Items { get; } = [];
}

/// <summary>A walk along a plan, which others may walk too.</summary>
public sealed class Path(Vector2[] steps)
{
    private int _at;
    public bool IsDone => _at >= steps.Length;
    public Vector2 Next() => steps[_at++];
}

public sealed class Particle
{
    public Vector2 Position, Velocity;
    public float Age;
}

public sealed class ParticlePool
{
    private readonly Stack<Particle> _free = new();
    public List<Particle> Live { get; } = [];

    public void Emit(Vector2 at, int count, Random random)
    {
        for (int i = 0; i < count; i++)
        {
            Particle particle = _free.TryPop(out Particle? used) ? used : new Particle();
            particle.Position = at;
            particle.Age = random.NextSingle();
            Live.Add(particle);
        }
    }

    public void Step(float time)
    {
        for (int i = Live.Count - 1; i >= 0; i--)
        {
            if ((Live[i].Age += time) > 2)
            {
                _free.Push(Live[i]);
                Live[i] = Live[^1];
                Live.RemoveAt(Live.Count - 1);
            }
        }
    }
}

public sealed record DrawCommand(int Entity, float Depth, Matrix3x2 Transform);

public sealed class Tile(int height)
{
    public int Height { get; } = height;
    public List<string>? Decorations { get; set; }
}

public sealed class SpatialGrid
{
    public const float CellSize = 8;
    private readonly Dictionary<(int X, int Y), List<Entity>> _cells = [];

    public static (int X, int Y) CellOf(Vector2 p) => ((int)(p.X / CellSize), (int)(p.Y / CellSize));

    public void Add(Entity entity, (int X, int Y) cell)
    {
        if (!_cells.TryGetValue(cell, out List<Entity>? list))
        {
            _cells[cell] = list = [];
        }
        entity.Cell = cell;
        list.Add(entity);
    }

    public void Remove(Entity entity, (int X, int Y) cell)
    {
        if (_cells.TryGetValue(cell, out List<Entity>? list))
        {
            list.Remove(entity);
        }
    }

    public int CountNear((int X, int Y) cell) => _cells.TryGetValue(cell, out List<Entity>? list) ? list.Count : 0;
}

public sealed class World : IService
{
    private const float Width = 256;
    private readonly Random _random;
    private readonly Bug _bug;
    private readonly SpatialGrid _grid = new();
    private readonly ParticlePool _particles = new();
    private readonly Dictionary<int, Entity> _entities = [];
    private readonly Tile[,] _map;
    private readonly LruCache<(int, int), Vector2[]> _plans;
    private readonly Queue<DrawCommand[]> _frames = new();
    private readonly string[] _buffNames;
    private readonly Window<string> _combatLog = new();
    private readonly int _creatures;
    private int _wave, _alive;
    private int _nextId;

    public World(Settings settings)
    {
        _random = new Random(settings.Seed);
        _bug = new Bug(settings, _random);
        _buffNames = [.. Enumerable.Range(0, 60).Select(_ => Words.Some(_random, 3))];
        int side = Math.Max(8, (int)(130 * Math.Sqrt(settings.Size)));
        _map = new Tile[side, side];
        for (int i = 0; i < side * side; i++)
        {
            _map[i / side, i % side] = new Tile(_random.Next(9)) { Decorations = i % 6 == 0 ? [Words.Some(_random, 3)] : null };
        }
        _plans = new LruCache<(int, int), Vector2[]>(settings.Scale(1200));
        _creatures = _wave = settings.Scale(2000);
        while (_alive < _wave)
        {
            SpawnCreature();
        }
    }

    /// <summary>A unit is a frame.</summary>
    public Task WorkAsync(int units)
    {
        _plans.Swing(_random);
        _wave = _creatures * _random.Next(80, 101) / 100;
        for (int i = 0; i < units; i++)
        {
            Frame();
        }
        _combatLog.Trim(units * 2, _random);
        return Task.CompletedTask;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    public Path FindPath(Creature creature) => new(_plans.GetOrAdd((creature.Id % 400, _random.Next(6)), _ =>
    {
        var steps = new Vector2[10 + _random.Next(20)];
        for (int i = 0; i < steps.Length; i++)
        {
            steps[i] = new Vector2(_random.NextSingle() - 0.5f, _random.NextSingle() - 0.5f);
        }
        return steps;
    }));

    private Vector2 Anywhere() => new(_random.NextSingle() * Width, _random.NextSingle() * Width);

    private void SpawnCreature()
    {
        var creature = new Creature(_nextId++) { Position = Anywhere(), Lifetime = 200 + _random.Next(800) };
        _alive++;
        creature.Bag.Items[_buffNames[_random.Next(_buffNames.Length)]] = 1;
        Spawn(creature);
    }

    private void Spawn(Entity entity)
    {
        _entities[entity.Id] = entity;
        _grid.Add(entity, SpatialGrid.CellOf(entity.Position));
    }

    private void Frame()
    {
        var draw = new List<DrawCommand>();
        var dead = new List<Entity>();
        foreach (Entity entity in _entities.Values)
        {
            entity.Update(this);
            Vector2 next = entity.Position + entity.Velocity;
            entity.Position = new Vector2(Math.Clamp(next.X, 0, Width - 1), Math.Clamp(next.Y, 0, Width - 1));
            if (--entity.Lifetime <= 0)
            {
                dead.Add(entity);
                continue;
            }
            (int X, int Y) cell = SpatialGrid.CellOf(entity.Position);
            if (cell != entity.Cell)
            {
                _grid.Remove(entity, entity.Cell);
                _grid.Add(entity, cell);
            }
            if (entity.Id % 16 == 0)
            {
                draw.Add(new DrawCommand(entity.Id, _grid.CountNear(cell), Matrix3x2.CreateTranslation(entity.Position)));
            }
        }
        foreach (Entity entity in dead)
        {
            Despawn(entity);
        }
        // A wave is filled up quickly, and thins out as its creatures die.
        for (int i = 0; i < 8 && _alive < _wave; i++)
        {
            SpawnCreature();
        }
        Creature shooter = _entities.Values.OfType<Creature>().Skip(_random.Next(20)).First();
        for (int i = 0; i < 6; i++)
        {
            Spawn(new Projectile(_nextId++, shooter)
            {
                Position = shooter.Position,
                Velocity = Vector2.Normalize(Anywhere() - Anywhere()) * 3,
                Lifetime = 20 + _random.Next(20),
            });
        }
        _particles.Emit(shooter.Position, _random.Next(40), _random);
        _particles.Step(1 / 30f);
        if (_random.Next(3) == 0)
        {
            shooter.Buffs.Add(new Buff(_buffNames[_random.Next(_buffNames.Length)], 300 + _random.Next(600)));
        }
        _frames.Enqueue([.. draw]);
        if (_frames.Count > 3)
        {
            _frames.Dequeue();
        }
    }

    private void Despawn(Entity entity)
    {
        _entities.Remove(entity.Id);
        // The bug: the cell where it is now, not where it was put.
        bool wrong = entity.Kind == Kind.Projectile && _bug.Strikes();
        (int X, int Y) now = SpatialGrid.CellOf(entity.Position);
        _grid.Remove(entity, wrong && now != entity.Cell ? now : entity.Cell);
        _combatLog.Add($"{entity.Kind} {entity.Id} is gone at {now.X},{now.Y}");
        if (entity.Kind == Kind.Creature)
        {
            _alive--;
        }
    }
}
