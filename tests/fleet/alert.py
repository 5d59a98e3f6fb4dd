"""What an operator sees of an alert: alert.py METRICS RULES NAME

A real Prometheus scrapes the file METRICS from a target of its own, evaluates RULES and is asked for its alerts:
prints the labels and annotations of those of that name as JSON, once they fire."""
import contextlib
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

metrics, rules, name = sys.argv[1:]


class Target(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = open(metrics, "rb").read()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def alerts(port):
    with contextlib.suppress(OSError, ValueError):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/alerts", timeout=5) as answer:
            return json.load(answer)["data"]["alerts"]
    return []


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Target)
threading.Thread(target=server.serve_forever, daemon=True).start()
folder = tempfile.mkdtemp()
config = os.path.join(folder, "prometheus.yml")
with open(config, "w", encoding="utf-8") as to:
    to.write(f"""global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{os.path.abspath(rules)}]
scrape_configs:
  - job_name: node
    static_configs: [{{targets: ['127.0.0.1:{server.server_port}']}}]
""")
port = free_port()
prometheus = subprocess.Popen(
    ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
     f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"], stdout=sys.stderr)
try:
    end = time.monotonic() + 60
    found = []
    # An alert may fire before the other metrics of its scrape are there for its annotations.
    while time.monotonic() < end and not (found and all(a["annotations"].get("open") for a in found)):
        assert prometheus.poll() is None, "prometheus ended"
        time.sleep(0.2)
        found = [a for a in alerts(port) if a["labels"]["alertname"] == name and a["state"] == "firing"]
    print(json.dumps(found, ensure_ascii=False))
    sys.exit(0 if found else f"{name} did not fire")
finally:
    prometheus.terminate()
    prometheus.wait(10)
    shutil.rmtree(folder)
