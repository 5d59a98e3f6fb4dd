"""Compare the commands that tests run with the packages that scripts/install-deps.sh installs: called.py [ROOT]

Finds command words in shell scripts and bats files, programs in subprocess calls of Python, and system() in C. Each
must be a builtin, a function, part of Debian's minimal system, or come from a package that the groups of its suite
list. A command that its file looks for with `command -v` may be missing: the test skips then.

The parser of shell reads commands, quotes, substitutions, here documents and compound commands; it does not expand
anything. A command whose name is a variable, or stands in a here document, is not seen."""
import ast
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Files, and the groups that their target installs before it runs them.
SUITES = [
    ("build test", "tests/cli/*.bats tests/cli/*.bash tests/cli/*.py tests/live/lab.bash tests/fleet/writers.bats "
                   "tests/fleet/fleet.bash tests/fleet/truth.py tests/*/*.c src/core/cli/commands/*.c src/*/commands/*.c scripts/check.sh scripts/part.sh "
                   "scripts/jobs.sh scripts/tidy.sh scripts/check_layers.py"),
    ("build", "scripts/build.sh scripts/page.sh scripts/manual.sh scripts/install-deps.sh"),
    ("build test page analyze", "tests/page/*.py Makefile scripts/*.mk tests/support/*.mk tests/page/*.mk tests/cli/*.mk tests/score/*.mk"),
    ("build test postgresql", "tests/store/*.bats tests/store/*.py tests/store/*.sh"),
    ("build test postgresql fleet", "tests/fleet/*.bats tests/fleet/*.py"),
    ("build test packages deb nuget static", "tests/packages/*.bats tests/packages/*.py"),
    ("build test static static-test cross", "tests/static/*.bats"),
]

# Of packages that are Essential, or Priority: required, in Debian 12 and 13, and of git, make and ca-certificates,
# without which nobody has a clone.
MINIMAL = set("""
    arch awk basename base64 basenc bash cat chgrp chmod chown chroot cksum cmp comm cp csplit cut date dd debconf df diff dirname dpkg
    dpkg-deb dpkg-query du echo egrep env expand expr factor false fgrep find flock fmt fold getconf getent getopt git grep groups
    gunzip gzip head hostname id install ionice join kill ldconfig ldd link ln logger logname ls lsblk make mawk md5sum
    mkdir mkfifo mknod mktemp more mount mountpoint mv namei nice nl nohup nproc nsenter numfmt od paste perl pr prlimit
    printenv printf pwd readlink realpath rev rm rmdir run-parts runuser script sed seq setpriv setsid sh sha1sum sha256sum
    sha512sum shred shuf sleep sort split stat stdbuf stty su sum sync tac tail tar taskset tee tempfile test timeout
    touch tr true truncate tsort tty umount uname unexpand uniq unlink unshare useradd wc whereis which who whoami xargs yes zcat
    zgrep apt-get apt-config apt-cache
""".split())

BUILTIN = set("""
    . : [ alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo enable eval exec
    exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray
    readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait
    heapdrift run load skip setup teardown bats_load_library bats_require_minimum_version batslib_err
""".split())

PACKAGE = {name: package for package, names in {
    "gcc": "cc gcc", "g++": "c++ g++", "binutils": "nm readelf objdump objcopy strip ar size strings ld", "procps": "ps pgrep pkill free top w uptime watch sysctl",
    "bats": "bats", "less": "less", "python3": "python3", "jq": "jq", "libxml2-utils": "xmllint",
    "pkg-config": "pkg-config", "scdoc": "scdoc", "zip": "zip", "bzip2": "bzip2 bunzip2 bzcat", "xz-utils": "xz unxz xzcat",
    "zstd": "zstd zstdcat unzstd", "tmux": "tmux", "time": "time", "hyperfine": "hyperfine", "shellcheck": "shellcheck",
    "clang-tidy": "clang-tidy", "clang-format": "clang-format", "cppcheck": "cppcheck", "cmark-gfm": "cmark-gfm", "mandoc": "mandoc",
    "ncurses-bin": "infocmp tput tic", "protobuf-c-compiler": "protoc-c", "curl": "curl", "unzip": "unzip",
    "mmdebstrap": "mmdebstrap", "man-db": "man", "lintian": "lintian", "buildah": "buildah",
    "systemd-container": "systemd-nspawn machinectl", "qemu-user-static": "qemu-aarch64-static", "file": "file",
    "postgresql": "psql pg_ctlcluster pg_createcluster initdb pg_ctl", "prometheus": "promtool prometheus",
    "parallel": "parallel", "systemd": "systemd-analyze systemctl", "yamllint": "yamllint", "slurm-client": "sbatch squeue sinfo",
    "slurmctld": "slurmctld", "slurmd": "slurmd", "munge": "munged munge", "chromium": "chromium google-chrome",
    "chromium-driver": "chromedriver", "optipng": "optipng", "pngquant": "pngquant", "dpkg-dev": "dpkg-buildpackage",
    "fish": "fish", "zsh": "zsh", "xxhash": "xxh3sum", "nodejs": "node", "npm": "npm", "strace": "strace",
}.items() for name in names.split()}

# Needs data of another package: without charmaps localedef makes nothing.
PACKAGE["localedef"] = "locales"

# Where another package brings a command along; the second is a dependency of the first.
BROUGHT = {"binutils": "gcc", "postgresql-client": "postgresql"}

# Their own first word without options is a command again: how many words of theirs come before it.
WRAPPERS = {"env": 0, "nice": 0, "exec": 0, "command": 0, "setsid": 0, "nohup": 0, "time": 0, "timeout": 1, "stdbuf": 0, "run": 0,
            "xargs": 0, "builtin": 0, "taskset": 1, "chroot": 1, "flock": 1, "setpriv": 0, "unshare": 0, "sudo": 0, "prlimit": 0, "ionice": 0}
KEYWORDS = {"if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "!", "time", "coproc"}
WORD = re.compile(r"[^\s\\'\"$`()<>;&|#]+")


class Shell:
    """The command words of a text, and the functions that it defines."""

    def __init__(self, text, line=1):
        self.text, self.at, self.line = text, 0, line
        self.found, self.functions, self.documents = [], set(), []
        while self.at < len(text):
            self.commands(end=None)
            self.at += 1

    def peek(self, n=1):
        return self.text[self.at:self.at + n]

    # --- words ---

    def word(self):
        """One word, without its quotes; \\0 stands for what is expanded. What it substitutes is read on the way."""
        parts = []
        while self.at < len(self.text):
            c = self.peek()
            if c == "\\":
                parts.append("" if self.peek(2) == "\\\n" else self.text[self.at + 1:self.at + 2])
                self.at += 2
            elif c == "'":
                end = self.text.find("'", self.at + 1)
                parts.append(self.text[self.at + 1:end])
                self.at = end + 1
            elif c == '"':
                parts.append(self.double())
            elif self.peek(2) == "$'":
                end = re.compile(r"(?:[^'\\]|\\.)*'", re.S).match(self.text, self.at + 2).end()
                parts.append("\0")
                self.at = end
            elif c in "$`":
                self.expansion()
                parts.append("\0")
            elif self.peek(2) in ("<(", ">("):
                self.at += 2
                self.commands(end=")")
                self.at += 1
                parts.append("\0")
            elif c == "(" and parts and re.search(r"[@?*+!]$|=$", parts[-1]):
                self.at += 1
                self.array()
                parts.append("\0")
            elif c == "#" and parts:
                parts.append(c)
                self.at += 1
            elif match := WORD.match(self.text, self.at):
                parts.append(match.group())
                self.at = match.end()
            else:
                break
        return "".join(parts)

    def array(self):
        """The words of an array or of an extended pattern, up to the bracket."""
        while self.at < len(self.text) and self.peek() != ")":
            if self.peek() == "#":
                self.comment()
            elif self.peek() in " \t\n|&;<>":
                self.at += 1
            elif self.peek() == "(":
                self.at += 1
                self.array()
            elif not self.word():
                self.at += 1
        self.at += 1

    def double(self):
        parts, self.at = [], self.at + 1
        while self.at < len(self.text) and self.peek() != '"':
            if self.peek() == "\\":
                parts.append(self.text[self.at + 1:self.at + 2])
                self.at += 2
            elif self.peek() in "$`":
                self.expansion()
                parts.append("\0")
            else:
                end = re.compile(r'[^"\\$`]+').match(self.text, self.at).end()
                parts.append(self.text[self.at:end])
                self.at = end
        self.at += 1
        return "".join(parts)

    def expansion(self):
        if self.peek() == "`":
            end = self.text.find("`", self.at + 1)
            self.inner(self.text[self.at + 1:end])
            self.at = end + 1
        elif self.peek(3) == "$((":
            self.at += 3
            self.balanced("(", ")", 2)
        elif self.peek(2) == "$(":
            self.at += 2
            self.commands(end=")")
            self.at += 1
        elif self.peek(2) == "${":
            self.at += 2
            self.balanced("{", "}", 1)
        else:
            self.at = re.compile(r"\$(?:\w+|[@*#?$!-])?").match(self.text, self.at).end()

    def balanced(self, opening, closing, depth):
        while self.at < len(self.text) and depth:
            c = self.peek()
            if c == "'" and opening == "(":
                self.at = self.text.find("'", self.at + 1)
            elif c == "\\":
                self.at += 1
            elif c == '"':
                self.double()
                continue
            elif self.peek(2) in ("$(", "${"):
                self.expansion()
                continue
            elif c in (opening, closing):
                depth += 1 if c == opening else -1
            self.at += 1

    def inner(self, text):
        part = Shell(text, self.line)
        self.found += part.found
        self.functions |= part.functions

    # --- commands ---

    def comment(self):
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def newline(self):
        self.at += 1
        for mark, strip in self.documents:
            pattern = r"^%s%s$" % (r"\t*" if strip else "", re.escape(mark))
            match = re.compile(pattern, re.M).search(self.text, self.at)
            self.at = len(self.text) if match is None else match.end()
        self.documents = []

    def commands(self, end):
        """Commands up to a bracket that ends them, which is not taken."""
        words, pattern = [], 0
        while self.at < len(self.text):
            c = self.peek()
            if c == ")" and pattern:
                words, self.at = [], self.at + 1
                pattern = 0
            elif end is not None and c == end:
                break
            elif c in " \t":
                self.at += 1
            elif self.peek(2) == "\\\n":
                self.at += 2
            elif c == "#":
                self.comment()
            elif c in "\n;&|()":
                pattern = self.between(words, pattern)
                words = []
            elif c in "<>" or re.compile(r"\d+[<>]").match(self.text, self.at):
                if self.peek(2) in ("<(", ">("):
                    words.append(self.word())
                else:
                    self.redirection()
            elif not words and self.peek(2) == "((":
                self.at += 2
                self.balanced("(", ")", 2)
            else:
                self.at_word(words)
                if words == ["case"]:
                    pattern = self.case()
                    words = []
                elif words == ["esac"]:
                    words, pattern = [], 0
        self.ran(words)

    def between(self, words, pattern):
        """What separates two commands."""
        c = self.peek()
        if c == "(" and len(words) == 1 and re.compile(r"\(\s*\)").match(self.text, self.at):
            self.functions.add(words[0])
            self.at = re.compile(r"\(\s*\)\s*").match(self.text, self.at).end()
            return pattern
        if not pattern:
            self.ran(words)
        if c == "\n":
            self.newline()
        elif c == "(":
            if self.peek(2) == "((":
                self.at += 2
                self.balanced("(", ")", 2)
            elif pattern:
                self.at += 1
            else:
                self.at += 1
                self.commands(end=")")
                self.at += 1
        elif self.peek(2) == ";;":
            self.at += 2
            return 1
        else:
            self.at += 1
        return pattern

    def at_word(self, words):
        if not words and self.peek(2) == "[[":
            end = re.compile(r"\]\]").search(self.text, self.at)
            # Substitutions in a condition are commands as well.
            self.at += 2
            while self.at < len(self.text) and not re.compile(r"\]\](?!\w)").match(self.text, self.at):
                if self.peek() in " \t\n()<>|&;#":
                    self.at += 1
                elif self.peek(2) == "]]" or not self.word():
                    self.at += 1
            self.at += 2
            return
        before = self.at
        word = self.word()
        if self.at == before:
            self.at += 1
            return
        quoted = self.text[before] in "'\"\\"
        if not words and not quoted and word in KEYWORDS:
            return
        if not words and not quoted and word in ("for", "select"):
            self.at = re.compile(r"\s*(\w+\s+in\b)?").match(self.text, self.at).end()
            words.append(":")
            return
        if not words and re.match(r"\w+(\[[^]]*\])?\+?=", word) and not quoted:
            return
        words.append(word)

    def case(self):
        while self.at < len(self.text) and not re.compile(r"\s+in\b").match(self.text, self.at):
            if not self.word():
                self.at += 1
        self.at = re.compile(r"\s+in\b").match(self.text, self.at).end()
        return 1

    def redirection(self):
        match = re.compile(r"\d*(<<<|<<-?|>>|[<>]&|&>|>\||<>|[<>])\s*").match(self.text, self.at)
        self.at = match.end()
        word = self.word()
        if match.group(1) in ("<<", "<<-"):
            self.documents.append((word, match.group(1) == "<<-"))

    def ran(self, words):
        """A command of these words, and that which it runs in turn."""
        if not words:
            return
        if words[0] == "function":
            self.functions.add(words[1])
            return
        name = words[0]
        self.found.append(name)
        if name == "command" and words[1:2] and words[1].startswith("-"):
            return
        if name in ("sh", "bash", "dash") and "-c" in words[:-1] or name in ("eval", "trap"):
            script = words[words.index("-c") + 1] if "-c" in words else words[1] if len(words) > 1 else ""
            self.inner(script.replace("\0", "$x"))
        if name == "script" and len(words) > 2:
            self.inner(words[2].replace("\0", "$x"))
        if name in WRAPPERS:
            self.ran(self.wrapped(words[1:], WRAPPERS[name]))

    @staticmethod
    def wrapped(words, skip):
        words = [w for w in words]
        while words and (words[0].startswith("-") or re.match(r"\w+=", words[0]) or "\0" in words[0] or skip > 0 or
                         re.fullmatch(r"\d+(\.\d+)?[smh]?", words[0])):
            if not (words[0].startswith("-") or re.match(r"\w+=", words[0])):
                if "\0" in words[0] and skip <= 0:
                    return []
                skip -= 1
            words = words[1:]
        return words


def python_calls(text):
    """Programs that Python starts through subprocess and os, by the first word."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not node.args or not isinstance(node.func, ast.Attribute):
            continue
        if getattr(node.func.value, "id", "") not in ("subprocess", "os") or not re.match(r"run|Popen|check_|call|exec|system", node.func.attr):
            continue
        first = node.args[0]
        if isinstance(first, (ast.List, ast.Tuple)) and first.elts:
            first = first.elts[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield from re.findall(r"^[\w./+-]+", first.value)


def c_calls(text):
    """Commands of system() and popen(), whose text may be in a variable that arena_printf() made."""
    if not re.search(r"\b(system|popen)\(", text):
        return
    for call in re.findall(r'\b(?:system|popen|arena_printf)\(\s*(?:&[\w.]+,)?\s*"((?:[^"\\]|\\.)*)"', text):
        yield from Shell(call.replace("%s", "x").replace('\\"', '"')).found


def help_calls(text):
    """What the examples of help pipe into; tests/cli/help.bats runs them."""
    yield from re.findall(r'"heapdrift (?:diff|top|roots|object|check|info|convert|help|ps)\b[^"|]*\| ([\w.-]+)', text)


def recipes(text):
    """The commands of a Makefile; a variable or function of make is one of the shell then."""
    text = re.sub(r"\\\n", " ", text)
    text = "\n".join(line[1:].lstrip("@+-") for line in text.split("\n") if line.startswith("\t"))
    parts, at = [], 0
    for match in re.finditer(r"\$(.)", text):
        if match.start() < at:
            continue
        parts.append(text[at:match.start()])
        at = match.end()
        parts.append("$" if match.group(1) == "$" else "$x")
        depth = match.group(1) == "("
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
    return "".join(parts) + text[at:]


class File:
    def __init__(self, path):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        self.functions = set()
        if path.suffix == ".py":
            self.found = set(python_calls(text))
            self.guarded = set(re.findall(r'which\("([\w.+-]+)"\)', text))
        elif path.suffix == ".c":
            self.found, self.guarded = {*c_calls(text), *help_calls(text)}, set()
        else:
            text = recipes(text) if path.name == "Makefile" or path.suffix == ".mk" else re.sub(r"^@test (.*) \{$", "{", text, flags=re.M)
            shell = Shell(text)
            self.found, self.functions = set(shell.found), shell.functions
            self.guarded = set(re.findall(r"(?:command -v|type|need) ([\w.+-]+)", text))


def groups_of(names, root):
    """The packages of some groups of scripts/install-deps.sh."""
    said = subprocess.run([root / "scripts/install-deps.sh", "--names", *names], capture_output=True, text=True, check=True)
    return set(said.stdout.split())


def problems(suites, root):
    helpers = set().union(*(File(path).functions for path in root.glob("tests/*/*.bash")))
    for groups, patterns in suites:
        files = {path: File(path) for pattern in patterns.split() for path in sorted(root.glob(pattern))}
        packages = groups_of(groups.split(), root)
        for path, file in files.items():
            for name in sorted(file.found - MINIMAL - BUILTIN - helpers - file.functions - file.guarded):
                if "\0" in name or "/" in name or not re.fullmatch(r"[a-z][\w.+-]*", name):
                    continue
                package = PACKAGE.get(name)
                if package is None:
                    yield f"{path.relative_to(root)}: {name}: in no list of tests/cli/called.py"
                elif not {package, BROUGHT.get(package)} & packages:
                    yield f"{path.relative_to(root)}: {name}: package {package} is in no group of: {groups}"


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else ROOT
    wrong = sorted(set(problems(SUITES, root)))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
