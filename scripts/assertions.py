#!/usr/bin/env python3
"""Finds statements of bats files, and of scripts with `set -e`, whose failure is always ignored.

    scripts/assertions.py FILE...

bats ends a test at the first command that fails, by `set -e`. The shell excepts pipelines that begin with
`!`, and all commands of a list except the one after the last `&&` or `||`. These statements fail a
test only at the end of a function, a test or a subshell, whose status they are:

    ! grep -q x file                   write: refute grep -q x file
    [[ -s file ]] && grep -q x file    write two statements
    a || b && c                        write: a || { b && c; } || false

The body of a loop has no last statement, since another round may follow. Branches (`a && return`,
break, continue, exit, skip), assignments (`a && x=1`) and lists that end with `|| command` are accepted.
Conditions and $(...) are skipped, since `set -e` is off there.

Prints FILE:LINE: MESSAGE. Status 1 if it finds any, 2 if it cannot parse a file."""
import bisect
import re
import sys

BRANCHES = {"return", "break", "continue", "exit", "skip", "complain", "false"}
REDIRECTION = re.compile(r"(\d+|\{\w+\})?(<<<|<<-|&>>|<<|<&|<>|>>|>&|>\||&>|<|>)")
TEST_END = re.compile(r"\s\]\](?=[\s;&|)]|$)")
PLAIN = re.compile(r"[^ \t\n;&|<>()?*+@!\\'\"$`=]+")
OPERATORS = (";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|", "(", ")", "\n")
ASSIGNMENT = re.compile(r"\w+(\[[^]]*\])?\+?=")
EXTGLOB = re.compile(r"[?*+@!]\(")


class Trouble(Exception):
    pass


class Command:
    """One command of a pipeline: its words and its bodies. A body is a list of statements with the use of its
    status: "own" (it is the status of the command), "seen" (it can fail a test), "lost"."""

    def __init__(self):
        self.words = []
        self.bodies = []


class Statement:
    """A list: pipelines (each a list of commands), and the operators between them."""

    def __init__(self, line):
        self.line = line
        self.pipelines = []
        self.inverted = []
        self.operators = []
        self.in_background = False


class Parser:
    def __init__(self, text):
        self.text = text
        self.ends = [match.start() for match in re.finditer("\n", text)]
        self.at = 0
        self.documents = []
        self.begin = 0
        self.token = None
        self.ended_by = None

    def line(self, at):
        return bisect.bisect_left(self.ends, at) + 1

    def fail(self, what):
        raise Trouble(f"{self.line(self.at)}: {what}")

    # --- characters --------------------------------------------------------------------

    def skip_to(self, end):
        """Skips to after the next `end`, without escapes."""
        at = self.text.find(end, self.at)
        if at < 0:
            self.fail(f"{end} is missing")
        self.at = at + len(end)

    def skip_quoted(self, end):
        """Skips to after `end`, with escapes and, except in $'...', substitutions."""
        while not self.text.startswith(end, self.at):
            if self.at >= len(self.text):
                self.fail(f"{end} is missing")
            if self.text[self.at] == "\\":
                self.at += 2
            elif end == "'" or not self.skip_substitution():
                self.at += 1
        self.at += len(end)

    def skip_arithmetic(self):
        """Skips to after the )) of an open ((."""
        depth = 0
        while depth > 0 or not self.text.startswith("))", self.at):
            if self.at >= len(self.text):
                self.fail(")) is missing")
            depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
            if not self.skip_piece():
                self.at += 1
        self.at += 2

    def skip_braces(self):
        while self.text[self.at:self.at + 1] != "}":
            if self.at >= len(self.text):
                self.fail("} is missing")
            if not self.skip_piece():
                self.at += 1
        self.at += 1

    def skip_substitution(self):
        """Skips $(...), $((...)), ${...} or `...`. False if none of them begins here."""
        for begin, skip in (("$((", self.skip_arithmetic), ("$(", self.skip_list), ("${", self.skip_braces),
                            ("`", lambda: self.skip_quoted("`"))):
            if self.text.startswith(begin, self.at):
                self.at += len(begin)
                skip()
                return True
        return False

    def skip_piece(self):
        """Skips a quoted, escaped or substituted piece. False if none begins here."""
        for begin, skip in (("\\", lambda: setattr(self, "at", self.at + 1)), ("$'", lambda: self.skip_quoted("'")),
                            ("'", lambda: self.skip_to("'")), ('"', lambda: self.skip_quoted('"'))):
            if self.text.startswith(begin, self.at):
                self.at += len(begin)
                skip()
                return True
        return self.skip_substitution()

    def skip_list(self):
        """Skips to after the ) of a list of commands, which may contain here-documents."""
        outer, self.documents, token, self.token = self.documents, [], self.token, None
        self.statements({")"})
        self.documents, self.token = outer, token

    def skip_parentheses(self):
        while self.text[self.at:self.at + 1] != ")":
            if self.at >= len(self.text):
                self.fail(") is missing")
            if not self.skip_piece():
                self.at += 1
                if self.text[self.at - 1] == "(":
                    self.skip_parentheses()
        self.at += 1

    # --- tokens ------------------------------------------------------------------------

    def skip_blank(self):
        while self.at < len(self.text):
            if self.text[self.at] in " \t":
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif self.text[self.at] == "#":
                self.at = self.text.find("\n", self.at) % (len(self.text) + 1)
            else:
                return

    def word(self):
        begin = self.at
        while self.at < len(self.text) and self.text[self.at] not in " \t\n;&|<>()":
            plain = PLAIN.match(self.text, self.at)
            if plain:
                self.at = plain.end()
            elif EXTGLOB.match(self.text, self.at):
                self.at += 2
                self.skip_parentheses()
            elif not self.skip_piece():
                self.at += 1
                # Elements of an array.
                if self.text[self.at - 1] == "=" and self.text.startswith("(", self.at) and \
                        ASSIGNMENT.fullmatch(self.text, begin, self.at):
                    self.array()
        return self.text[begin:self.at]

    def array(self):
        self.at += 1
        while True:
            self.skip_blank()
            if self.text.startswith(")", self.at):
                self.at += 1
                return
            if self.text.startswith(("<(", ">("), self.at):
                self.at += 2
                self.skip_list()
            elif self.text.startswith("\n", self.at):
                self.at += 1
            elif not self.word():
                self.fail("an array without its end")

    def document(self, indented, end):
        while self.at < len(self.text):
            line, _, _ = self.text[self.at:].partition("\n")
            self.at += len(line) + 1
            if (line.lstrip("\t") if indented else line) == end:
                return
        self.fail(f"here-document without {end}")

    def redirection(self):
        """Skips one, with the number or {name} before it. False if none begins here."""
        found = REDIRECTION.match(self.text, self.at)
        if not found or self.text.startswith(("<(", ">("), self.at):
            return False
        self.at = found.end()
        self.skip_blank()
        if self.text.startswith(("<(", ">("), self.at):
            self.at += 2
            self.skip_list()
            return True
        to = self.word()
        if found[2] in ("<<", "<<-"):
            self.documents.append((found[2] == "<<-", re.sub(r"[\\'\"]", "", to)))
        return True

    def peek(self):
        """Returns the next token without consuming it: an operator, a word, or "" at the end."""
        if self.token is None:
            self.skip_blank()
            while self.redirection():
                self.skip_blank()
            self.begin = self.at
            self.token = self.read()
        return self.token

    def read(self):
        if self.at >= len(self.text):
            return ""
        if self.text.startswith(("<(", ">("), self.at):
            self.at += 2
            self.skip_list()
            return "<()" + self.word()
        for operator in OPERATORS:
            if self.text.startswith(operator, self.at):
                self.at += len(operator)
                if operator == "\n":
                    for indented, end in self.documents:
                        self.document(indented, end)
                    self.documents = []
                return operator
        return self.word()

    def next(self):
        token = self.peek()
        self.token = None
        return token

    def expect(self, *tokens):
        self.skip_lines()
        if self.next() not in tokens:
            self.fail(f"{' or '.join(tokens)} expected")

    def skip_lines(self):
        while self.peek() == "\n":
            self.next()

    # --- grammar -----------------------------------------------------------------------

    def statements(self, ends):
        """Reads statements up to one of `ends`, which it consumes."""
        found = []
        while True:
            while self.peek() in ("\n", ";"):
                self.next()
            if self.peek() in ends:
                self.ended_by = self.next()
                return found
            if self.peek() == "":
                self.fail(f"{' or '.join(sorted(ends))} is missing")
            found.append(self.statement())

    def statement(self):
        self.peek()
        made = Statement(self.line(self.begin))
        while True:
            inverted = False
            while self.peek() in ("!", "time"):
                inverted ^= self.next() == "!"
            made.inverted.append(inverted)
            commands = [self.command()]
            while self.peek() in ("|", "|&"):
                self.next()
                self.skip_lines()
                commands.append(self.command())
            made.pipelines.append(commands)
            if self.peek() not in ("&&", "||"):
                break
            made.operators.append(self.next())
            self.skip_lines()
        if self.peek() == "&":
            self.next()
            made.in_background = True
        return made

    def command(self):
        first = self.peek()
        made = Command()
        compound = {"(": self.subshell, "{": self.group, "if": self.condition, "while": self.loop, "until": self.loop,
                    "for": self.each, "select": self.each, "case": self.choice, "[[": self.test, "function": self.function,
                    "@test": self.function}.get(first)
        if compound:
            self.next()
            compound(made)
            self.peek()
            return made
        if first in OPERATORS or first == "":
            self.fail(f"a command expected, not {first!r}")
        while self.peek() not in OPERATORS and self.peek() != "":
            made.words.append(self.next())
            if made.words[0] == "coproc" and self.peek() in ("{", "("):
                made.bodies += self.command().bodies
        if self.peek() == "(" and len(made.words) == 1:
            self.next()
            self.expect(")")
            self.body(made)
        return made

    def body(self, made):
        """Reads the body of a function, whose status is that of the last statement."""
        self.skip_lines()
        inner = self.command()
        made.bodies = [(statements, "seen") for statements, _ in inner.bodies]
        made.words = []

    def function(self, made):
        self.next()
        if self.peek() == "(":
            self.next()
            self.expect(")")
        self.body(made)

    def subshell(self, made):
        if self.text.startswith("(", self.at) and self.token is None:
            self.at += 1
            self.skip_arithmetic()
            return
        made.bodies.append((self.statements({")"}), "seen"))

    def group(self, made):
        made.bodies.append((self.statements({"}"}), "own"))

    def condition(self, made):
        made.bodies.append((self.statements({"then"}), "seen"))
        made.bodies.append((self.statements({"elif", "else", "fi"}), "own"))
        if self.ended_by == "elif":
            self.condition(made)
        elif self.ended_by == "else":
            made.bodies.append((self.statements({"fi"}), "own"))

    def loop(self, made):
        made.bodies.append((self.statements({"do"}), "seen"))
        made.bodies.append((self.statements({"done"}), "lost"))

    def each(self, made):
        if self.peek() == "(":
            self.at = self.text.index("((", self.begin) + 2
            self.token = None
            self.skip_arithmetic()
        while self.peek() not in ("do", ""):
            self.next()
        self.next()
        made.bodies.append((self.statements({"done"}), "lost"))

    def choice(self, made):
        self.next()
        self.expect("in")
        while True:
            self.skip_lines()
            if self.peek() == "esac":
                self.next()
                return
            while self.next() != ")":
                if self.peek() == "":
                    self.fail("esac is missing")
            made.bodies.append((self.statements({";;", ";&", ";;&", "esac"}), "own"))
            if self.ended_by == "esac":
                return

    def test(self, made):
        """Skips [[ ... ]], in which && and || do not separate commands."""
        made.words = ["[["]
        while not TEST_END.match(self.text, self.at - 1):
            if self.at >= len(self.text):
                self.fail("]] is missing")
            if not self.skip_piece():
                self.at += 1
        self.at += 2


def branches(commands):
    """True if a pipeline only branches or assigns."""
    if len(commands) != 1:
        return False
    words, bodies = commands[0].words, commands[0].bodies
    if len(bodies) == 1 and bodies[0][0]:
        return bool(branches(bodies[0][0][-1].pipelines[-1]))
    return bool(words) and (words[0] in BRANCHES or all(ASSIGNMENT.match(word) for word in words))


def found_in(statements, is_last):
    """Yields (line, message). is_last: the status of the last statement can fail a test."""
    for i, statement in enumerate(statements):
        counts = is_last and i == len(statements) - 1
        if not counts and not statement.in_background:
            if statement.inverted[-1]:
                yield statement.line, "`! ...` that is not the last statement cannot fail"
            elif statement.operators[-1:] == ["&&"] and not branches(statement.pipelines[-1]):
                yield statement.line, "`... && ...` that is not the last statement fails by its last command only"
        for n, commands in enumerate(statement.pipelines):
            is_seen = counts or n < len(statement.pipelines) - 1 or len(commands) > 1
            for command in commands:
                for body, status in command.bodies:
                    yield from found_in(body, status == "seen" or (status == "own" and is_seen))


def parse(text):
    parser = Parser(text)
    return parser.statements({""})


def main():
    status = 0
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            try:
                found = list(found_in(parse(file.read()), False))
            except Trouble as trouble:
                print(f"{name}:{trouble}")
                status = 2
                continue
        for line, what in sorted(found):
            print(f"{name}:{line}: {what}")
            status = status or 1
    return status


if __name__ == "__main__":
    sys.exit(main())
