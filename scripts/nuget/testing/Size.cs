using System;
using System.Globalization;

namespace Heapdrift.Testing;

/// <summary>Bytes as heapdrift writes them: 96 B, 1.23 KiB, 12.3 MiB.</summary>
internal static class Size
{
    internal static string Of(long bytes)
    {
        string[] units = ["B", "KiB", "MiB", "GiB"];
        double value = bytes;
        int unit = 0;
        for (; value >= 1024 && unit + 1 < units.Length; unit++)
            value /= 1024;
        string format = unit == 0 || value >= 99.95 ? "0" : value >= 9.995 ? "0.0" : "0.00";
        return value.ToString(format, CultureInfo.InvariantCulture) + " " + units[unit];
    }
}
