// A plug-in: loaded for a job, with settings and templates of its own, unloaded afterwards.

using Hosting;

namespace Reports;

public sealed class Template(string name, string text)
{
    public string Name { get; } = name;
    public string Text { get; } = text;
}

public sealed class SalesReport : IPlugin
{
    private static readonly Dictionary<string, Template> Templates = [];
    private string _culture = "en";

    public string Run(IReadOnlyList<Sale> sales)
    {
        for (int i = 0; i < 4; i++)
        {
            Templates[$"section-{i}"] = new Template($"section-{i}", new string((char)('a' + i), 40));
        }
        HostEvents.CultureChanged += OnCultureChanged;
        return $"{Templates.Count} sections, {sales.Count} sales, {sales.Sum(s => s.Amount)} ({_culture})";
    }

    public void Detach() => HostEvents.CultureChanged -= OnCultureChanged;

    private void OnCultureChanged(string culture) => _culture = culture;
}
