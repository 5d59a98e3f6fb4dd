#!/bin/bash
# Second step of the action: the check, and the files for other steps. The report goes to the
# log; annotations and the summary come from heapdrift itself.
set -euo pipefail

folder=$RUNNER_TEMP/heapdrift
mkdir -p "$folder"
rm -f "$folder"/report.txt "$folder"/heapdrift.xml "$folder"/heapdrift.html "$folder"/*.sarif

complain() {
    echo "::error title=heapdrift::$1"
    echo "status=2" >>"$GITHUB_OUTPUT"
    exit 2
}

# --- the command line ----------------------------------------------------------------

options=()
if [[ -n $HEAPDRIFT_CONFIG ]]; then options+=("--config=$HEAPDRIFT_CONFIG"); fi
if [[ -n $HEAPDRIFT_BASELINE ]]; then options+=("--baseline=$HEAPDRIFT_BASELINE"); fi
case $HEAPDRIFT_STRICT in
true) options+=(--strict) ;;
false | "") ;;
*) complain "strict: true or false, not '$HEAPDRIFT_STRICT'" ;;
esac
while IFS= read -r line; do
    if [[ -n $line ]]; then options+=("$line"); fi
done <<<"$HEAPDRIFT_ARGS"

# What a pattern matches, in natural order: 2.gcdump before 10.gcdump.
snapshots=()
while IFS= read -r line; do
    if [[ -z $line ]]; then continue; fi
    if [[ ! -e $line ]] && compgen -G "$line" >/dev/null; then
        mapfile -t -O "${#snapshots[@]}" snapshots < <(compgen -G "$line" | sort -V)
    else
        snapshots+=("$line")
    fi
done <<<"$HEAPDRIFT_SNAPSHOTS"
if [[ ${#snapshots[@]} == 0 ]]; then complain "snapshots: name a folder or files"; fi

# --- the check -----------------------------------------------------------------------

# By way of a file: an annotation in the middle of a line of the report would not be seen.
status=0
heapdrift check "${options[@]}" -o "$folder/report.txt" -- "${snapshots[@]}" || status=$?
echo "status=$status" >>"$GITHUB_OUTPUT"
if [[ -s $folder/report.txt ]]; then cat "$folder/report.txt"; fi
if [[ $status == 2 || ! -s $folder/report.txt ]]; then
    echo "::error title=heapdrift::no check: a snapshot, an option or a budget is wrong; the log says which"
    exit 2
fi
read -r verdict _ <"$folder/report.txt"

# Once more for each file, without telling all of it again.
write() {
    env -u GITHUB_ACTIONS -u GITHUB_STEP_SUMMARY \
        heapdrift check -q "${options[@]}" --format="$1" -o "$2" -- "${snapshots[@]}" 2>/dev/null || [[ $? == "$status" ]]
}
write junit "$folder/heapdrift.xml"
write html "$folder/heapdrift.html"
write sarif "$folder/all.sarif"
# Code scanning makes an alert of every result, passed and suppressed ones too, and refuses
# the file if one has no line.
jq '.runs[].results |= map(select(.kind == "fail" and .suppressions == null
        and .locations[0].physicalLocation != null))' "$folder/all.sarif" >"$folder/heapdrift.sarif"

{
    echo "verdict=${verdict,,}"
    echo "report=$folder/report.txt"
    echo "junit=$folder/heapdrift.xml"
    echo "sarif=$folder/heapdrift.sarif"
    echo "page=$folder/heapdrift.html"
} >>"$GITHUB_OUTPUT"
exit "$status"
