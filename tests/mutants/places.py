"""Where C code can be changed, and into what.

Knows the C of this repository as clang-format leaves it: a function begins with a brace in the
first column and ends with one. Not changed are comments, strings, preprocessor lines,
declarations but for what they are initialised with, tables of constants, case labels, assertions,
and calls that only give back memory or a descriptor: what fails to do so is for AddressSanitizer
and LeakSanitizer to find (make asan), not for a result that is different."""
import dataclasses
import hashlib
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?[uUlLfF]*)
  | (?P<word>[A-Za-z_][A-Za-z_0-9]*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||[-+*/%&|^!<>=]=|<<|>>|.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
         "+=": "-=", "-=": "+=", "++": "--", "--": "++"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
GIVES_BACK = re.compile(r"(^|_)(free|close|fclose|munmap|destroy|release)$")
NOT_EXPRESSIONS = {"return", "else", "goto", "break", "continue", "if", "for", "while", "do", "switch",
                   "case", "default", "sizeof"}
ASSERTIONS = {"assert", "static_assert", "_Static_assert"}


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    at: int

    @property
    def end(self):
        return self.at + len(self.text)


@dataclasses.dataclass(frozen=True)
class Place:
    """source[at:end] becomes `new`."""
    path: str
    kind: str
    at: int
    end: int
    new: str
    line: int
    nth: int  # of the same change in lines that read the same

    def key(self, source):
        """What it is called from run to run, whatever else changes in the sources."""
        lines = source.splitlines()[self.line - 1]
        what = "\0".join((self.path, self.kind, lines.strip(), source[self.at:self.end], self.new, str(self.nth)))
        return hashlib.sha256(what.encode()).hexdigest()[:12]

    def apply(self, source):
        return source[:self.at] + self.new + source[self.end:]


def tokens_of(source):
    return [Token(m.lastgroup, m.group(), m.start())
            for m in TOKEN.finditer(source) if m.lastgroup != "skip"]


def bodies(source, tokens):
    """The tokens of each function, with both braces."""
    begin = None
    for i, token in enumerate(tokens):
        first_column = token.at == 0 or source[token.at - 1] == "\n"
        if token.text == "{" and first_column:
            begin = i
        elif token.text == "}" and first_column and begin is not None:
            if source[token.end:token.end + 1] == "\n":
                yield tokens[begin:i + 1]
            begin = None


def partners(body):
    """Index of the other bracket, for each."""
    other, waiting = {}, []
    for i, token in enumerate(body):
        if token.kind == "sign" and token.text in "([{":
            waiting.append(i)
        elif token.kind == "sign" and token.text in ")]}":
            begin = waiting.pop()
            other[i], other[begin] = begin, i
    return other


class Body:
    """One function: which of its tokens are code, and where its statements begin."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.other = partners(tokens)
        self.fixed = set()  # what is declared, or said of constants
        self.starts = []
        for i in range(1, len(tokens) - 1):
            if self.begins_statement(i):
                self.starts.append(i)
                self.fix_declaration(i)
            self.fix_constants(i)

    def text(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def kind(self, i):
        return self.tokens[i].kind if 0 <= i < len(self.tokens) else ""

    def begins_statement(self, i):
        before = self.text(i - 1)
        if self.text(i) in "{}":
            return False
        if before in (";", "{", "}", "else", "do"):
            return not self.in_brackets(i) or before != ";"
        if before == "(":
            return self.text(i - 2) == "for"
        if before == ":":
            return self.text(i - 3) == "case" or self.text(i - 2) == "default"
        if before == ")":
            return self.text(self.other[i - 1] - 1) in ("if", "for", "while", "switch")
        return False

    def in_brackets(self, i):
        """Within the parentheses of a for."""
        return any(begin < i < end and self.text(begin) == "("
                   for begin, end in self.other.items() if begin < end)

    def statement_end(self, i):
        while self.text(i) not in (";", "{", "}"):
            i = self.other[i] + 1 if self.text(i) in ("(", "[") else i + 1
        return i

    def is_declaration(self, i):
        if self.kind(i) != "word" or self.text(i) in NOT_EXPRESSIONS:
            return False
        if self.text(i) in ("static", "const", "struct", "enum"):
            return True
        j = i + 1
        while self.text(j) == "*" or self.text(j) == "const":
            j += 1
        if self.kind(j) != "word":
            return False
        return j == i + 1 or self.text(j + 1) in ("=", ";", ",", "[")

    def fix_declaration(self, i):
        """But for what comes behind each = of it."""
        if not self.is_declaration(i):
            return
        static = self.text(i) in ("static", "enum")
        initial = False
        while self.text(i) not in (";", ""):
            if self.text(i) == "=" and not static:
                initial = True
            elif self.text(i) == "," and initial:
                initial = False
            if self.text(i) in ("(", "[", "{"):
                end = self.other[i]
                if not initial or self.text(i) == "{":
                    self.fixed.update(range(i, end + 1))
                i = end
            elif not initial:
                self.fixed.add(i)
            i += 1

    def fix_constants(self, i):
        if self.text(i) == "case":
            while self.text(i) != ":":
                self.fixed.add(i)
                i += 1
        elif self.text(i) in ASSERTIONS and self.text(i + 1) == "(":
            self.fixed.update(range(i, self.other[i + 1] + 1))

    # --- changes -------------------------------------------------------------

    def changes(self):
        """(kind, first token, last token, new text); the last may be None for one token."""
        for i in range(len(self.tokens)):
            if i not in self.fixed:
                yield from self.changed_token(i)
        for i in self.starts:
            yield from self.changed_statement(i)

    def changed_token(self, i):
        token = self.tokens[i]
        if token.kind == "sign" and token.text in OTHER:
            yield "operator", i, i, OTHER[token.text]
        elif token.text in ("+", "-") and self.is_operand_end(i - 1):
            yield "operator", i, i, "-" if token.text == "+" else "+"
        elif token.text == "!":
            yield "condition", i, i, ""
        elif token.kind == "number" and re.fullmatch(r"0[xX][0-9a-fA-F]+|0|[1-9][0-9]*", token.text):
            yield "constant", i, i, str(int(token.text, 0) + 1)
        elif token.text in ("if", "while") and self.text(i + 1) == "(":
            end = self.other[i + 1]
            yield "condition", i + 2, end - 1, None

    def is_operand_end(self, i):
        return (self.kind(i) in ("word", "number") and self.text(i) not in NOT_EXPRESSIONS
                or self.text(i) in (")", "]"))

    def changed_statement(self, i):
        end = self.statement_end(i)
        if self.text(end) != ";" or self.text(i - 1) == "(" or i in self.fixed:
            return
        first = self.text(i)
        # A function may not end without its last return.
        if first == "return" and self.text(end + 1) == "}" and end + 2 == len(self.tokens):
            return
        if first in ("return", "break", "continue") or self.is_assignment(i, end) or self.is_call(i):
            yield "statement", i, end - 1, ""

    def is_assignment(self, i, end):
        while i < end:
            if self.text(i) in ASSIGNMENTS:
                return True
            i = self.other[i] + 1 if self.text(i) in ("(", "[") else i + 1
        return False

    def is_call(self, i):
        if self.text(i) == "(" and self.text(i + 1) == "void":
            i += 3
        while self.kind(i) == "word" and self.text(i + 1) in (".", "->"):
            i += 2
        return self.kind(i) == "word" and self.text(i + 1) == "(" and self.text(i) not in NOT_EXPRESSIONS \
            and not GIVES_BACK.search(self.text(i)) and self.text(i) not in ASSERTIONS


def places_of(path, source):
    """All places of a file, in its order."""
    seen = {}
    for tokens in bodies(source, tokens_of(source)):
        body = Body(tokens)
        for kind, first, last, new in body.changes():
            at, end = tokens[first].at, tokens[last].end
            if new is None:
                new = f"!({source[at:end]})"
            line = source.count("\n", 0, at) + 1
            same = (source[source.rfind("\n", 0, at) + 1:].split("\n", 1)[0].strip(), kind, source[at:end], new)
            seen[same] = seen.get(same, -1) + 1
            yield Place(path, kind, at, end, new, line, seen[same])
