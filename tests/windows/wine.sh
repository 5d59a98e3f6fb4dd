#!/bin/sh
# The program for Windows in place of the one under test, by wine, which goes on in the
# background for a while: it must not hold what bats waits for.
windows=$(cd "$(dirname "$0")/../../build/windows" && pwd)
WINEPREFIX=$windows/wine WINEDEBUG=-all exec /usr/lib/wine/wine64 "$windows/heapdrift.exe" "$@" 3>&- 4>&-
