"""What listens at a diagnostics socket, as a .NET runtime does, or a rogue:

    runtime.py SOCKET play TRACE   each session gets that .nettrace, and ends when it is stopped
    runtime.py SOCKET flood TRACE  its head, and a block of 4 GiB that nobody knows
    runtime.py SOCKET stall TRACE  some of it, and nothing more until it is stopped
    runtime.py SOCKET drip TRACE   a byte of it every tenth of a second, without an end
    runtime.py SOCKET suspended TRACE  plays it once it was resumed, and has no arguments before
    runtime.py SOCKET mute         takes connections and requests, and says nothing
    runtime.py SOCKET full         takes no connections
    runtime.py SOCKET dump CORE... writes the first when it is asked for a dump, the second when it
                                   is asked again, ..., the last from then on
    runtime.py SOCKET refuse TEXT  refuses a dump with that text
    runtime.py SOCKET replay FOLDER  the Nth session that asks for a heap gets heap-N.nettrace of the
                                   folder, the Nth that asks for moves movement-N.nettrace

With MAPPED=FILE in the environment it maps that file, as a runtime does its libraries.

With LATER=N in the environment the trace of each session is an hour younger, from the Nth hour
on, so that no two are the same; with SLOW=SECONDS the second half of it comes so much later.

Several sockets are named with commas between; with APART in the environment each has a
process of its own. It lives until it is killed.
"""
import mmap
import os
import socket
import struct
import sys
import threading
import time

SESSION = struct.pack("<Q", 1)
FIRST_DUMP, LAST_DUMP = 0x0101, 0x0103
FAILED = b"\x05\x40\x00\x80"
PROCESS_INFO, RESUME = 0x0400, 0x0401
STOP, FIRST_START, LAST_START = 0x0201, 0x0202, 0x0206
BEFORE_BLOCKS = 102
LOADER, HEAP_DUMP = 8, 0x100000
streams = []
resumed = []
sessions = int(os.environ.get("LATER", 1)) - 1
replayed = {}  # connections of sessions, by number
numbers = {"heap": 0, "movement": 0}


def reply(connection, good, payload):
    head = b"DOTNET_IPC_V1\0" + struct.pack("<HBBH", 20 + len(payload), 0xFF, 0 if good else 0xFF, 0)
    connection.sendall(head + payload)


def an_hour_later():
    """The head has the date: year, month, day of the week, day, hour, minute, second, ms."""
    global sessions
    at = trace.index(b"Trace\6") + 6
    date = list(struct.unpack_from("<8H", trace, at))
    date[3], date[4] = 1 + sessions // 24, sessions % 24
    sessions += 1
    return trace[:at] + struct.pack("<8H", *date) + trace[at + 16:]


def keywords(request):
    """Of the runtime's provider: before its level and name."""
    name = request.find("Microsoft-Windows-DotNETRuntime".encode("utf-16-le"))
    return struct.unpack_from("<Q", request, name - 16)[0] if name >= 16 else 0


def replay(connection, request):
    """Sessions overlap, so each has its own number. The last byte, which ends a trace, comes with the stop."""
    number = struct.pack("<Q", 1 + len(replayed))
    stream = b""
    if keywords(request) != LOADER:
        kind = "heap" if keywords(request) & HEAP_DUMP else "movement"
        numbers[kind] += 1
        with open(f"{files[0]}/{kind}-{numbers[kind]}.nettrace", "rb") as file:
            stream = file.read()
    replayed[number] = connection, stream[-1:]
    reply(connection, True, number)
    connection.sendall(stream[:-1])


def play(connection, request):
    if keywords(request) == LOADER:
        streams.append(connection)
        return reply(connection, True, SESSION)
    reply(connection, True, SESSION)
    if habit == "flood":
        connection.sendall(trace[:BEFORE_BLOCKS] + b"\5\5\1\2\0\0\0\0\0\0\0\7\0\0\0Unknown\6" + b"\xFF" * 7)
    elif habit == "stall":
        connection.sendall(trace[:1 << 16])
    elif habit == "drip":
        for i in range(1 << 30):
            connection.sendall(trace[i % len(trace):][:1])
            time.sleep(0.1)
    else:
        whole = an_hour_later() if "LATER" in os.environ else trace
        half = len(whole) // 2
        connection.sendall(whole[:half])
        time.sleep(float(os.environ.get("SLOW", 0)))
        connection.sendall(whole[half:])
    while habit == "flood":
        connection.sendall(bytes(1 << 16))
    streams.append(connection)


def utf16(text):
    return struct.pack("<I", len(text) + 1) + (text + "\0").encode("utf-16-le")


def dump(connection, request):
    global sessions
    if habit == "refuse":
        return reply(connection, False, FAILED + utf16(files[0]))
    length, = struct.unpack_from("<I", request)
    path = request[4:2 + 2 * length].decode("utf-16-le")
    with open(files[min(sessions, len(files) - 1)], "rb") as core, open(path, "wb") as to:
        to.write(core.read())
    sessions += 1
    reply(connection, True, b"\0\0\0\0")


def serve(connection):
    head = connection.recv(20, socket.MSG_WAITALL)
    if len(head) < 20:
        return connection.close()
    size, = struct.unpack("<H", head[14:16])
    command, = struct.unpack(">H", head[16:18])
    request = connection.recv(size - 20, socket.MSG_WAITALL)
    if FIRST_DUMP <= command <= LAST_DUMP and habit in ("dump", "refuse"):
        dump(connection, request)
        connection.close()
    elif command == PROCESS_INFO and habit == "suspended":
        program = os.path.realpath(sys.executable) + (" app.dll" if resumed else "")
        strings = (program, "Linux", "x64")
        reply(connection, True, struct.pack("<Q16x", os.getpid()) + b"".join(
            struct.pack("<I", len(s) + 1) + (s + "\0").encode("utf-16-le") for s in strings))
        connection.close()
    elif command == RESUME and habit == "suspended":
        resumed.append(time.time())
        reply(connection, True, bytes(4))
        connection.close()
    elif habit == "mute" or (habit == "suspended" and FIRST_START <= command <= LAST_START and not resumed):
        streams.append(connection)
    elif FIRST_START <= command <= LAST_START:
        (replay if habit == "replay" else play)(connection, request)
    else:
        if command == STOP and request in replayed:
            stopped, end = replayed[request]
            stopped.sendall(end)
            stopped.close()
        elif command == STOP and streams:
            streams.pop().close()
        reply(connection, command == STOP, SESSION if command == STOP else b"\x85\x13\x13\x80")
        connection.close()


def serve_quietly(connection):
    try:
        serve(connection)
    except OSError:
        connection.close()


def listen(path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(path + ".new")
    server.listen(0 if habit == "full" else 64)
    # The name appears when it can be used.
    while habit == "full":
        client = socket.socket(socket.AF_UNIX)
        client.setblocking(False)
        streams.append(client)
        try:
            client.connect(path + ".new")
        except BlockingIOError:
            break
    os.rename(path + ".new", path)
    while habit != "full":
        threading.Thread(target=serve_quietly, args=(server.accept()[0],), daemon=True).start()
    streams.append(server)


habit = sys.argv[2]
files = sys.argv[3:]
trace = open(files[0], "rb").read() if files and habit not in ("dump", "refuse", "replay") else b""
if "MAPPED" in os.environ:
    with open(os.environ["MAPPED"], "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
names = sys.argv[1].split(",")
first = os.getpid()
while "APART" in os.environ and len(names) > 1:
    if os.fork() == 0:
        names = names[:1]
        break
    names = names[1:]
for name in names:
    threading.Thread(target=listen, args=(name,), daemon=True).start()
for _ in range(5 * int(os.environ.get("LIFE", 120))):
    time.sleep(0.2)
    if os.getpid() != first and os.getppid() != first:
        break
