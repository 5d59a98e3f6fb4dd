# The whole gate, as far as possible without a .NET runtime: see tests/live.
load helper

unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY

# shop ARG...: tests/live/shop.sh with no more on PATH than it needs.
shop() {
    mkdir -p "$tmp/bin"
    local tool
    for tool in bash cat cp dirname env mkdir mktemp rm sleep; do
        ln -sf "$(command -v $tool)" "$tmp/bin/"
    done
    status=0
    out=$(PATH=$tmp/bin HEAPDRIFT=$HEAPDRIFT tests/live/shop.sh "$@" 2>"$tmp/err") || status=$?
    err=$(<"$tmp/err") ran="shop.sh $*"
}

@test "series of fixtures: the fixed version passes, the leaking one fails, 20 times" {
    shop --fixtures 20
    status_is 0
    out_is "fixtures: 40 of 40 verdicts are right"
}

@test "a missing dotnet is reported, and is not a failure" {
    shop
    status_is 0
    out_has "skipped: no dotnet here"
}

@test "dotnet without a collector: fixtures replace it, and it is reported" {
    shop none
    status_is 2
    printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/dotnet"
    chmod +x "$tmp/bin/dotnet"
    # The program under test runs through a shell, so that it has no such command.
    printf '#!/bin/sh\n[ "$1" = help ] && exit 2\nexec "%s" "$@"\n' "$HEAPDRIFT" >"$tmp/heapdrift"
    chmod +x "$tmp/heapdrift"
    HEAPDRIFT=$tmp/heapdrift shop 2
    status_is 0
    out_has "series from fixtures/ stand in"
    out_has "fixtures: 4 of 4 verdicts are right"
}

# A program that answers like the shop, and a collector that takes what is in fixtures/.
stand_ins() {
    shop none
    cat >"$tmp/bin/dotnet" <<'SH'
#!/bin/bash
while [[ $# -gt 0 ]]; do
    if [[ $1 == --output ]]; then shift; mkdir -p "$1"; out=$1; fi
    shift
done
cat >"$out/Shop" <<'SHOP'
#!/bin/bash
total=0
echo "$1" >"$SHOP_IS"
echo "ready $$"
while read -r n; do total=$((total + n)); echo "done $total"; done
SHOP
/bin/chmod +x "$out/Shop"
SH
    cat >"$tmp/bin/dotnet-gcdump" <<'SH'
#!/bin/bash
[[ $1 == collect && $2 == -p && $4 == -o && -d /proc/$3 ]] || exit 1
k=${5##*/}
k=${k%.gcdump}
[[ $(<"$SHOP_IS") == leaking ]] && from=cache || from=none
cp "fixtures/leaklab/$from/${k/first/0}.gcdump.gz" "$5"
SH
    printf '#!/bin/sh\n[ "$1" = help ] && exit 2\nexec "%s" "$@"\n' "$HEAPDRIFT" >"$tmp/heapdrift"
    chmod +x "$tmp/bin/dotnet" "$tmp/bin/dotnet-gcdump" "$tmp/heapdrift"
    export SHOP_IS=$tmp/shop-is
}

@test "the protocol of program and collector, with substitutes" {
    stand_ins
    HEAPDRIFT=$tmp/heapdrift shop 2
    status_is 0
    out_is "dotnet-gcdump: 4 of 4 verdicts are right"
}

@test "without a snapshot there is no verdict" {
    stand_ins
    printf '#!/bin/sh\necho no permission >&2\nexit 1\n' >"$tmp/bin/dotnet-gcdump"
    HEAPDRIFT=$tmp/heapdrift shop
    status_is 1
    out_is "dotnet-gcdump: 0 of 2 verdicts are right"
    err_has "no permission"
    err_has "run 1 of the leaking version: no snapshots"
}

@test "a wrong verdict is a failure" {
    # Everything passes, then reading fails.
    printf '#!/bin/sh\nexit 0\n' >"$tmp/heapdrift"
    chmod +x "$tmp/heapdrift"
    HEAPDRIFT=$tmp/heapdrift shop --fixtures 2
    status_is 1
    out_is "fixtures: 2 of 4 verdicts are right"
    printf '#!/bin/sh\nexit 2\n' >"$tmp/heapdrift"
    HEAPDRIFT=$tmp/heapdrift shop --fixtures 2
    status_is 1
    out_is "fixtures: 0 of 4 verdicts are right"
}
