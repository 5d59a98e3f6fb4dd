# Programs of Windows, by wine, which keeps its files in $wine_folder. Tests run from the repository's root.
# shellcheck shell=bash
wine_folder=build/windows/wine

# In the background or a shell of its own: what it becomes can be killed. Without that variable a runtime dies
# under wine 8 when it collects a dynamic method, of which reflection makes some.
wine() {
    WINEPREFIX=$(realpath "$wine_folder") WINEDEBUG=-all DOTNET_EnableWriteXorExecute=0 exec /usr/lib/wine/wine64 "$@" 3>&- 4>&-
}

# Wine makes its folder first, and reports it to the first caller.
wine_begins() {
    mkdir -p "$(dirname "$wine_folder")"
    (wine wineboot --init >/dev/null 2>&1)
}
