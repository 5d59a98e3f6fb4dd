"""Checks what strace saw opened: opens.py FOLDER FILE...

Below /proc/PID of others, and below FOLDER, which is a neighbour's, a file is only held (O_PATH), listed
(O_DIRECTORY), made (O_EXCL), or opened without waiting for it, following it and taking its terminal.
Nothing is connected to by a path through /proc/PID. Prints how many were seen, and those that are wrong.
"""
import re
import sys

folder, files = sys.argv[1], sys.argv[2:]
safely = ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC")
opened = re.compile(r'open(?:at2?)?\((?:[^",]*, )?"([^"]*)", (.*)')
others = re.compile(r"/proc/[1-9][0-9]*/")
# Folders and links of the kernel's own: what is behind has no effects.
of_kernel = re.compile(r"/proc/[1-9][0-9]*/ns/[a-z]+$")
seen = wrong = 0
for name in files:
    for line in open(name, errors="replace"):
        if "connect(" in line and re.search(r'sun_path="/proc/[1-9]', line):
            print("connects by", line.strip())
            wrong += 1
        call = opened.search(line)
        inside = "resolve=RESOLVE_NO_MAGICLINKS|RESOLVE_IN_ROOT" in line
        if call is None or not (inside or others.match(call[1]) or call[1].startswith(folder)):
            continue
        seen += 1
        flags = call[2]
        if "O_PATH" in flags or "O_DIRECTORY" in flags or "O_EXCL" in flags:
            continue
        if of_kernel.match(call[1]) and "O_NONBLOCK" in flags:
            continue
        if not all(flag in flags for flag in safely):
            print("opens", line.strip())
            wrong += 1
print(seen, "opened,", wrong, "wrong")
sys.exit(wrong > 0 or seen < 10)
