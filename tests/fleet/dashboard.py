"""The Grafana dashboard: that it is whole, and that a database answers what it asks.

    dashboard.py FILE          what Grafana needs of it is there
    dashboard.py FILE URL      and every question of it is asked there, by psql; each has rows

Grafana puts the window and the chosen variables into the SQL; here all of both.
"""
import json
import re
import subprocess
import sys

dashboard = json.load(open(sys.argv[1]))
url = sys.argv[2] if len(sys.argv) > 2 else None
variables = {v["name"]: v for v in dashboard["templating"]["list"]}
MACROS = [
    (r"\$__unixEpochFilter\(([^)]+)\)", r"\1 >= 0 AND \1 <= 4102444800"),
    (r"\$__unixEpochFrom\(\)", "0"),
    (r"\$__unixEpochTo\(\)", "4102444800"),
]


def ask(sql):
    done = subprocess.run(["psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", url, "-c", sql],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stderr}\n{sql}")
    return done.stdout.splitlines()


def quoted(values):
    return ",".join("'" + v.replace("'", "''") + "'" for v in values)


def filled_in(sql, chosen):
    for name, values in chosen.items():
        sql = sql.replace("${%s:sqlstring}" % name, quoted(values))
    for macro, meant in MACROS:
        sql = re.sub(macro, meant, sql)
    assert "$" not in sql, f"what is this? {sql}"
    return sql


def check_form():
    assert dashboard["uid"] and dashboard["title"] and dashboard["schemaVersion"] >= 36
    assert variables["datasource"]["type"] == "datasource"
    source = {"type": variables["datasource"]["query"], "uid": "${datasource}"}
    ids = [p["id"] for p in dashboard["panels"]]
    assert len(set(ids)) == len(ids) >= 4
    taken = set()
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24 and not cells & taken, f"{panel['title']} lies on another"
        taken |= cells
        assert panel["title"] and panel["description"] and panel["datasource"] == source
        for target in panel["targets"]:
            assert target["datasource"] == source and target["rawQuery"] and target["format"] in ("table", "time_series")
            words = set(re.findall(r"\$\{(\w+)", target["rawSql"]))
            assert words <= set(variables), f"{panel['title']} asks for {words - set(variables)}"
            assert target["format"] == "table" or '"time"' in target["rawSql"]


def check_answers():
    chosen = {}
    for name in ("service", "host"):
        chosen[name] = ask(filled_in(variables[name]["query"], chosen))
        assert chosen[name], f"no {name}"
    for panel in dashboard["panels"]:
        rows = ask(filled_in(panel["targets"][0]["rawSql"], chosen))
        print(f"{panel['title']}: {len(rows)} rows; {rows[0] if rows else ''}")
        assert rows or "stop" in panel["title"], f"{panel['title']}: no rows"


check_form()
if url is not None:
    check_answers()
print("whole" if url is None else "answered")
