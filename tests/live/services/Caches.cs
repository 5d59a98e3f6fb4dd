// A rule engine: rules of tenants become compiled expressions, patterns become Regex, queries
// LINQ over the facts. The bug: compiled rules are kept in a static table under a key that has
// the revision of the rule, so a rule that was changed leaves its old code behind.

using System.Collections.Concurrent;
using System.Linq.Expressions;
using System.Text.RegularExpressions;
using Services;

namespace Rules;

public sealed record Fact(int Id, string Subject, string Text, decimal Amount, DateTime At);

public sealed record Rule(string Tenant, int Revision, string Pattern, decimal From, decimal To);

public sealed class CompiledRule(Rule rule, Regex pattern, Func<Fact, bool> inRange)
{
    public Rule Rule { get; } = rule;
    public long Hits { get; private set; }

    public bool Matches(Fact fact)
    {
        bool hit = inRange(fact) && pattern.IsMatch(fact.Text);
        Hits += hit ? 1 : 0;
        return hit;
    }
}

public static class RuleCache
{
    /// <summary>The leak hangs here.</summary>
    private static readonly ConcurrentDictionary<string, CompiledRule> Compiled = new();

    public static CompiledRule Get(string key, Rule rule) => Compiled.GetOrAdd(key, _ => Compile(rule));

    public static void Forget(string key) => Compiled.TryRemove(key, out _);

    public static CompiledRule Compile(Rule rule)
    {
        ParameterExpression fact = Expression.Parameter(typeof(Fact), "fact");
        MemberExpression amount = Expression.Property(fact, nameof(Fact.Amount));
        Expression<Func<Fact, bool>> inRange = Expression.Lambda<Func<Fact, bool>>(
            Expression.AndAlso(
                Expression.GreaterThanOrEqual(amount, Expression.Constant(rule.From)),
                Expression.LessThan(amount, Expression.Constant(rule.To))),
            fact);
        return new CompiledRule(rule, new Regex(rule.Pattern, RegexOptions.CultureInvariant), inRange.Compile());
    }
}

public sealed record Finding(string Tenant, int Fact, string Why);

public sealed class Engine : IService
{
    private readonly Random _random;
    private readonly Bug _bug;
    private readonly List<Fact> _facts = [];
    private readonly Rule[] _rules;
    private readonly string?[] _keys;
    private readonly LruCache<string, Regex> _searches;
    private readonly ConcurrentDictionary<Type, Delegate> _getters = new();
    private readonly Window<Finding> _findings = new();
    private readonly Window<Fact> _audit = new();
    private Dictionary<string, List<Fact>> _bySubject = [];
    private int _nextFact;

    public Engine(Settings settings)
    {
        _random = new Random(settings.Seed);
        _bug = new Bug(settings, _random);
        for (int i = 0; i < settings.Scale(9000); i++)
        {
            _facts.Add(NewFact());
        }
        _rules = [.. Enumerable.Range(0, 80).Select(i => NewRule($"tenant-{i}", 0))];
        _keys = new string?[_rules.Length];
        _searches = new LruCache<string, Regex>(settings.Scale(120));
    }

    /// <summary>A unit is a rule that a tenant changed, and a look for what it finds.</summary>
    public Task WorkAsync(int units)
    {
        _searches.Swing(_random);
        for (int i = 0; i < units; i++)
        {
            int at = _random.Next(_rules.Length);
            if (_keys[at] is { } old && !_bug.IsDue())
            {
                RuleCache.Forget(old);
            }
            _rules[at] = NewRule(_rules[at].Tenant, _rules[at].Revision + 1);
            _keys[at] = $"{_rules[at].Tenant}#{_rules[at].Revision}";
            CompiledRule rule = RuleCache.Get(_keys[at]!, _rules[at]);
            foreach (Fact fact in _facts.Skip(_random.Next(_facts.Count / 2)).Take(150).Where(rule.Matches))
            {
                _findings.Add(new Finding(rule.Rule.Tenant, fact.Id, $"{fact.Subject} in {rule.Rule.From}..{rule.Rule.To}"));
            }
            Search();
            for (int k = 0; k < 10; k++)
            {
                int changed = _random.Next(_facts.Count);
                _audit.Add(_facts[changed]);
                _facts[changed] = NewFact();
            }
        }
        // One fact in eight is a finding: full after four rounds, as all stores here.
        _findings.Trim(units / 2, _random);
        _audit.Trim(units * 8, _random);
        // An index that is made anew each time.
        _bySubject = _facts.GroupBy(f => f.Subject).Where(g => g.Count() > 2).ToDictionary(g => g.Key, g => g.OrderBy(f => f.At).ToList());
        return Task.CompletedTask;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private Fact NewFact() => new(_nextFact++, "subject-" + _random.Next(700), Words.Some(_random, 6), _random.Next(1000), DateTime.UtcNow);

    private Rule NewRule(string tenant, int revision)
    {
        int from = _random.Next(800);
        return new Rule(tenant, revision, $"^{Words.Some(_random, 1)}.*({Words.Some(_random, 2)}|{Words.Some(_random, 1)}$)", from, from + 200);
    }

    private void Search()
    {
        Regex regex = _searches.GetOrAdd(Words.Some(_random, 2), text => new Regex(text + "[a-m]+" + Words.Some(_random, 1)));
        var getter = (Func<Fact, string>)_getters.GetOrAdd(typeof(Fact), _ =>
        {
            ParameterExpression fact = Expression.Parameter(typeof(Fact));
            return Expression.Lambda<Func<Fact, string>>(Expression.Property(fact, nameof(Fact.Text)), fact).Compile();
        });
        _ = _bySubject.Values.Take(20).SelectMany(f => f).Count(f => regex.IsMatch(getter(f)));
    }
}
