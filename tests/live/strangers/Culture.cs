// CultureInfo: text from the browser is used as a culture name, and GetCultureInfo caches each name
// (sebastienros/jint#3438). The fix: names from a list.

using System.Globalization;
using Packages;
using Services;

namespace Greeting;

public sealed class Greeter(Bug bug) : IUse
{
    private static readonly string[] Languages = ["de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv", "tr"];
    private int _asked;

    public ValueTask UnitAsync()
    {
        int number = ++_asked;
        string language = Languages[number % Languages.Length];
        CultureInfo culture = CultureInfo.GetCultureInfo(bug.Strikes() ? $"{language}-x-u{number}" : language);
        _ = string.Format(culture, "{0:N2} {1:D}", number, DateTime.UnixEpoch);
        return ValueTask.CompletedTask;
    }
}
