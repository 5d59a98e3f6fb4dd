"""Sockets of a stranger that look like those of .NET runtimes, all of one process:

    strangers.py HABIT COUNT [SERVICE]

    drip    says who it is, and sends a byte of each snapshot three times a second
    mute    takes connections and requests, and says nothing
    flood   says who it is, and sends blocks that nobody knows, without an end
    rubbish says who it is, and answers with bytes of no protocol, one at a time
    clients COUNT connections to the metrics, each with half a request
    churn   COUNT sockets whose processes come and go: each lives for a tenth of a second

They are called SERVICE0, SERVICE1, ... (Svc). PEAK=MIB in the environment: that much memory was touched once.
Prints "ready" when the sockets are there.
"""
import os
import resource
import socket
import struct
import sys
import threading
import time

WHO, SESSION = 4, 2
habit, count = sys.argv[1], int(sys.argv[2])
service = sys.argv[3] if len(sys.argv) > 3 else "Svc"


def utf16(text):
    units = (text + "\0").encode("utf-16-le")
    return struct.pack("<I", len(units) // 2) + units


def good(payload):
    return b"DOTNET_IPC_V1\0" + struct.pack("<HBBH", 20 + len(payload), 0xFF, 0, 0) + payload


def who(name):
    return good(struct.pack("<IQ", 1, os.getpid()) + bytes(16) + utf16("/opt/" + name) + utf16("Linux") + utf16("x64")
                + utf16(name) + utf16("10.0.12") + utf16("linux-x64"))


def head():
    return (b"Nettrace" + struct.pack("<I", 20) + b"!FastSerialization.1" + b"\5\5\1" + struct.pack("<III", 4, 4, 5)
            + b"Trace\6" + struct.pack("<8H", 2026, 11, 6, 28, 1, 1, 1, 1)
            + struct.pack("<QQIIII", 0, 10**9, 8, os.getpid(), 2, 0) + b"\6")


def block(at, size):
    start = b"\5\5\1" + struct.pack("<III", 2, 2, 7) + b"Unknown\6" + struct.pack("<I", size)
    return start + bytes(-(at + len(start)) % 4) + bytes(size) + b"\6"


def session(connection):
    if habit == "rubbish":
        while True:
            connection.sendall(os.urandom(1))
            time.sleep(0.2)
    sent = head()
    connection.sendall(good(struct.pack("<Q", 1)) + sent)
    at = len(sent)
    while habit == "flood":
        more = block(at, 1 << 20)
        connection.sendall(more)
        at += len(more)
    connection.sendall(block(at, 1 << 20)[:40])
    while True:
        connection.sendall(b"\0")
        time.sleep(0.3)


def answer(connection, name):
    try:
        request = connection.recv(20, socket.MSG_WAITALL)
        if habit == "mute" or len(request) < 20:
            time.sleep(1e6)
        if request[16] == WHO:
            connection.sendall(who(name))
            connection.close()
        elif request[16] == SESSION and request[17] > 1:
            session(connection)
    except OSError:
        pass


def listen(i):
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as stat:
        start = stat.read().rsplit(")", 1)[1].split()[19]
    listening = socket.socket(socket.AF_UNIX)
    path = f"/tmp/dotnet-diagnostic-{os.getpid()}-{start if count == 1 else i}-socket"
    listening.bind(path)
    listening.listen(16)
    return listening, path


def serve(listening, name):
    while True:
        threading.Thread(target=answer, args=(listening.accept()[0], name), daemon=True).start()


def churn():
    """At most forty at a time."""
    for i in range(count):
        if os.fork() == 0:
            listening, path = listen(i)
            threading.Thread(target=serve, args=(listening, f"{service}{i}"), daemon=True).start()
            time.sleep(0.1)
            os.unlink(path)
            os._exit(0)
        if i >= 40:
            os.wait()


if "PEAK" in os.environ:
    touched = bytearray(int(os.environ["PEAK"]) << 20)
    touched[::4096] = b"x" * len(touched[::4096])
    del touched
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
if habit == "churn":
    print("ready", flush=True)
    churn()
    sys.exit()
if habit == "clients":
    clients = [socket.socket(socket.AF_UNIX) for _ in range(count)]
    print("ready", flush=True)
    for client in clients:
        client.connect("/tmp/metrics.socket")
        client.sendall(b"GET /met")
    time.sleep(1e6)
for n in range(count):
    threading.Thread(target=serve, args=(listen(n)[0], f"{service}{n if count > 1 else ''}"), daemon=True).start()
print("ready", flush=True)
time.sleep(1e6)
