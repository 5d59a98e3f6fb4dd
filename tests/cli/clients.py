"""Clients of `watch --listen`, well and ill: clients.py ADDRESS [PID]

ADDRESS is HOST:PORT or the path of a socket. Whatever the ill ones send, /healthz and /metrics are
answered within a second; PID, the watcher, gets no larger and opens no more files. Prints /metrics."""
import os
import socket
import sys
import threading
import time

address = sys.argv[1]


def connect():
    if address.startswith("/"):
        s = socket.socket(socket.AF_UNIX)
        s.connect(address)  # waits while there are too many; with a timeout it would fail
        s.settimeout(10)
        return s
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host.strip("[]"), int(port)), timeout=10)


def read_all(s):
    data = b""
    while block := s.recv(65536):
        data += block
    return data


def ask(request, half_close=False):
    """Status, headers, body"""
    with connect() as s:
        s.sendall(request)
        if half_close:
            s.shutdown(socket.SHUT_WR)
        data = read_all(s)
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    length = next(int(line.split(": ")[1]) for line in lines if line.startswith("Content-Length"))
    assert length == len(body), (length, len(body))
    return int(lines[0].split()[1]), lines[1:], body.decode()


def well(what):
    for path in ("/healthz", "/metrics"):
        begin = time.monotonic()
        status, _, body = ask(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        took = time.monotonic() - begin
        assert status == 200 and body, (what, path, status, body)
        assert took < 1 + os.getloadavg()[0] / os.cpu_count(), (what, path, took)


def files_of(pid):
    """At rest: a snapshot has some of its own."""
    counts = []
    for _ in range(20):
        counts.append(len(os.listdir(f"/proc/{pid}/fd")))
        time.sleep(0.1)
    return min(counts)


def hostile():
    """What must not matter; each leaves its connection open, as far as it lives."""
    yield "nothing", b""
    yield "one byte", b"G"
    yield "no end", b"GET /metrics HTTP/1.1\r\nX: y\r\n"
    yield "garbage", os.urandom(4000)
    yield "huge headers", b"GET /metrics HTTP/1.1\r\nX: " + b"a" * 1_000_000
    yield "NUL", b"GET /met\0rics HTTP/1.1\r\n\r\n"
    yield "TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(500)
    yield "HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    yield "two at once", b"GET /metrics HTTP/1.1\r\n\r\n" * 2
    yield "body", b"POST /metrics HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100_000


well("at first")
assert ask(b"GET / HTTP/1.1\r\n\r\n")[0] == 404
assert ask(b"GET /metricsx HTTP/1.1\r\n\r\n")[0] == 404
assert ask(b"GET /metrics?x=1 HTTP/1.0\n\n")[0] == 200
assert ask(b"HEAD /metrics HTTP/1.1\r\n\r\n")[0] == 405
assert ask(b"DELETE /metrics HTTP/1.1\r\n\r\n")[0] == 405
assert ask(b"hello\r\n\r\n")[0] == 400
assert ask(b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n\r\n")[0] == 431
assert ask(b"GET /metrics HTTP/1.1\r\n\r\n", half_close=True)[0] == 200
assert "Allow: GET" in ask(b"PUT /metrics HTTP/1.1\r\n\r\n")[1]

watcher = sys.argv[2] if len(sys.argv) > 2 else None
before = files_of(watcher) if watcher else 0
open_ones = []
for what, data in hostile():
    s = connect()
    open_ones.append(s)
    try:
        s.sendall(data)
    except OSError:
        pass
    well(what)

# Slow ones: a byte at a time, and answers that nobody reads.
stop = threading.Event()


def drip():
    while not stop.is_set():
        try:
            with connect() as s:
                for c in b"GET /metrics HTTP/1.1\r\n" * 10:
                    s.sendall(bytes([c]))
                    if stop.wait(0.05):
                        return
        except OSError:
            pass


threads = [threading.Thread(target=drip) for _ in range(60)]
for t in threads:
    t.start()
for _ in range(5):
    well("slow ones")
    time.sleep(0.2)
stop.set()
for t in threads:
    t.join()

# A thousand that say nothing.
for _ in range(1000):
    s = connect()
    s.setblocking(False)
    open_ones.append(s)
well("a thousand")
for s in open_ones:
    s.close()
well("at last")
if watcher:
    after = files_of(watcher)
    assert after <= before, (before, after)
print(ask(b"GET /metrics HTTP/1.1\r\n\r\n")[2], end="")
