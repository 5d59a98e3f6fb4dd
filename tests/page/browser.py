"""A real browser, steered by WebDriver (W3C) through chromedriver, with the standard library only.

    with Browser(width=1280, dark=False) as b:
        b.open("report.html")
        b.run("return document.title")
        b.click("#types input"), b.keys("Session")
        b.screenshot("page.png")
"""
import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Left": "\ue012", "Up": "\ue013",
        "Right": "\ue014", "Down": "\ue015", "Home": "\ue011", "End": "\ue010", "Space": " "}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def programs():
    """Browser and driver, or None where they are missing."""
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    driver = os.environ.get("CHROMEDRIVER") or shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Browser:
    def __init__(self, width=1280, height=900, dark=False, javascript=True, motion=True):
        self.folder = tempfile.mkdtemp(prefix="heapdrift-page-")
        self.width, self.height, self.dark, self.motion = width, height, dark, motion
        self.javascript = javascript
        browser, driver = programs()
        self.address = f"http://127.0.0.1:{(port := free_port())}"
        self.driver = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        arguments = ["--headless", "--disable-gpu", "--disable-quic", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     "--hide-scrollbars", "--force-color-profile=srgb", f"--user-data-dir={self.folder}/profile",
                     f"--window-size={width},{height}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        options = {"binary": browser, "args": arguments,
                   "prefs": {"webkit.webprefs.javascript_enabled": javascript}}
        self.session = None
        self.wait_for_driver()
        got = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = got["sessionId"]
        self.size(width, height)
        self.emulate()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.folder, ignore_errors=True)

    def wait_for_driver(self):
        for _ in range(200):
            try:
                if self.call("GET", "/status")["ready"]:
                    return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
        raise RuntimeError("chromedriver does not answer")

    def call(self, method, path, body=None):
        where = self.address + (f"/session/{self.session}" if self.session else "") + path
        request = urllib.request.Request(where, method=method, headers={"Content-Type": "application/json"},
                                         data=json.dumps(body or {}).encode() if method == "POST" else None)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(json.load(e)["value"]["message"].split("\n")[0]) from None

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    # --- how it looks

    def size(self, width, height):
        self.width, self.height = width, height
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=False)

    def emulate(self, media=""):
        self.devtools("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": "dark" if self.dark else "light"},
            {"name": "prefers-reduced-motion", "value": "no-preference" if self.motion else "reduce"}])

    def open(self, path):
        self.call("POST", "/url", {"url": "file://" + os.path.abspath(path)})

    def screenshot(self, path, whole=True, height=None):
        clip = {}
        if whole or height:
            tall = self.devtools("Page.getLayoutMetrics")["cssContentSize"]["height"]
            clip = {"captureBeyondViewport": True, "clip": {
                "x": 0, "y": 0, "width": self.width, "height": min(height or tall, 12000), "scale": 1}}
        shot = self.devtools("Page.captureScreenshot", format="png", **clip)
        with open(path, "wb") as f:
            f.write(base64.b64decode(shot["data"]))

    def pdf(self, path):
        got = self.devtools("Page.printToPDF", printBackground=True)
        with open(path, "wb") as f:
            f.write(base64.b64decode(got["data"]))

    # --- what it does

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_later(self, script, *arguments):
        """A script that calls its last argument when it is done."""
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def settle(self):
        """What a click or a width does to the page may come in a task or frame behind it: the event
        `toggle` of <details> does, and a busy machine shows the page before it."""
        if self.javascript:
            self.run_later("const done = arguments[0];"
                           "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));")

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click")
        self.settle()

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def clear(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/clear")

    def keys(self, *names):
        actions = []
        for name in names:
            value = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})
        self.settle()

    def pointer(self, selector, x=0, y=0):
        """Over an element, so far from its middle."""
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": x, "y": y,
             "origin": {ELEMENT: self.find(selector)}}]}]})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def is_seen(self, selector):
        return self.run("const e = document.querySelector(arguments[0]);"
                        "return e !== null && e.checkVisibility() && e.getClientRects().length > 0", selector)

    def console(self):
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]
