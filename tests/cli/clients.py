"""Clients of `watch --listen`, well and ill: clients.py ADDRESS [PID]

ADDRESS is HOST:PORT or the path of a socket. Whatever the ill ones send, /healthz and /metrics are
answered within a second; PID, the watcher, and its child that answers get no larger, and have no more
files open afterwards. Prints /metrics."""
import os
import socket
import sys
import threading
import time

# Pages that the allocator keeps after 32 clients at a time, each with 4 KiB of request.
MORE_KIB = 1024

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


def files_and_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return len(os.listdir(f"/proc/{pid}/fd")), next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))


def at_rest(watcher):
    """Returns open files and KiB of the watcher and, second, of the child that answers. The minimum of two seconds,
    since a snapshot opens files, in a child that ends with it."""
    samples = []
    for _ in range(20):
        with open(f"/proc/{watcher}/task/{watcher}/children", encoding="ascii") as f:
            children = f.read().split()
        seen = {}
        for pid in (watcher, *children):
            try:
                seen[pid] = files_and_kib(pid)
            except (OSError, StopIteration):
                pass  # has exited
        samples.append(seen)
        time.sleep(0.1)
    stayed = [pid for pid in samples[0] if all(pid in seen for seen in samples)]
    assert len(stayed) == 2, stayed
    return {pid: tuple(map(min, zip(*(seen[pid] for seen in samples)))) for pid in stayed}


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
before = at_rest(watcher) if watcher else {}
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
if watcher:
    # The counted process is the one that has the connections.
    during = at_rest(watcher)
    answering = list(before)[1]
    assert during[answering][0] > before[answering][0] + 20, (before, during)
for s in open_ones:
    s.close()
well("at last")
if watcher:
    after = at_rest(watcher)
    for pid, (files, kib) in before.items():
        assert after[pid][0] <= files and after[pid][1] <= kib + MORE_KIB, (before, after)
print(ask(b"GET /metrics HTTP/1.1\r\n\r\n")[2], end="")
