"""A second tracing client: hold a session on a process, with the keyword for types or others.

    hold_types.py SOCKET [KEYWORDS]     prints "holding", and lets go at the end of standard input
"""
import socket
import struct
import sys
import threading


def wide(s):
    return struct.pack("<I", len(s) + 1) + s.encode("utf-16-le") + b"\0\0"


def connect(path):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    return s


def request(command, payload):
    return b"DOTNET_IPC_V1\0" + struct.pack("<HBBH", 20 + len(payload), 2, command, 0) + payload


def drain(s):
    while s.recv(65536):
        pass


path = sys.argv[1]
keywords = int(sys.argv[2], 0) if len(sys.argv) > 2 else 0x80000
provider = struct.pack("<QI", keywords, 4) + wide("Microsoft-Windows-DotNETRuntime") + wide("")
stream = connect(path)
stream.sendall(request(3, struct.pack("<IIBI", 64, 1, 0, 1) + provider))
reply = stream.recv(28, socket.MSG_WAITALL)
threading.Thread(target=drain, args=(stream,), daemon=True).start()
print("holding", flush=True)
sys.stdin.read()
stop = connect(path)
stop.sendall(request(1, reply[20:28]))
stop.recv(28)
