"""C and C++ sources → calls of some names, each with its arguments as they stand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.DOTALL)
FUNCTION = re.compile(r"^[A-Za-z_][\w\s*:&<>,]*?\b(\w+)\s*\(", re.MULTILINE)
OPENING, CLOSING = "([{", ")]}"
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
LONGEST = 4000  # characters of one call: a longer one was not read rightly


@dataclass(frozen=True, kw_only=True)
class FoundCall:
    """A call: where it stands, its arguments, and for streams what follows it."""

    function: str
    arguments: tuple[str, ...]
    rest: str  # up to the end of the statement


def without_comments(source: str) -> str:
    """Return the source with a blank for each comment; strings stay as they are."""
    return COMMENT.sub(lambda one: one[0] if one[0].startswith('"') else " ", source)


def calls(*, source: str, name: str) -> Iterator[FoundCall]:
    """Yield the calls of `name` (alternatives by |) in a source without comments, in order."""
    functions = [(found.start(), found[1]) for found in FUNCTION.finditer(source)]
    for found in re.finditer(rf"(?<!\w)(?:{name})\s*\(", source):
        line = source.rfind("\n", 0, found.start()) + 1
        if source[line : found.start()].lstrip().startswith("#define"):
            continue
        arguments, end = _arguments(source, found.end())
        yield FoundCall(
            function=_around(functions, found.start()),
            arguments=arguments,
            rest=_statement(source, end),
        )


def streams(*, source: str, name: str) -> Iterator[FoundCall]:
    """Yield the streams that begin with `name`, as `LOG(ERROR)`: the parts as arguments."""
    functions = [(found.start(), found[1]) for found in FUNCTION.finditer(source)]
    for found in re.finditer(rf"(?<!\w){re.escape(name)}\s*<<", source):
        rest = _statement(source, found.end())
        yield FoundCall(
            function=_around(functions, found.start()),
            arguments=tuple(_split(rest, "<<")),
            rest="",
        )


def _around(functions: list[tuple[int, str]], at: int) -> str:
    before = [name for start, name in functions if start < at]
    return before[-1] if before else "init"


def _arguments(source: str, start: int) -> tuple[tuple[str, ...], int]:
    """Return the arguments of the call whose bracket opened before `start`, and its end."""
    end = _end(source, start, stop=")")
    return tuple(_split(source[start:end], ",")), end + 1


def _statement(source: str, start: int) -> str:
    return source[start : _end(source, start, stop=";")]


def _end(source: str, start: int, *, stop: str) -> int:
    """Return where `stop` stands outside of brackets and strings."""
    depth, at = 0, start
    while at < min(len(source), start + LONGEST):
        letter = source[at]
        if letter == '"' and (text := STRING.match(source, at)):
            at = text.end()
            continue
        if depth == 0 and letter == stop:
            return at
        depth += (letter in OPENING) - (letter in CLOSING)
        at += 1
    return at


def _split(text: str, separator: str) -> Iterator[str]:
    start = at = depth = 0
    while at < len(text):
        letter = text[at]
        if letter == '"' and (string := STRING.match(text, at)):
            at = string.end()
            continue
        if depth == 0 and text.startswith(separator, at):
            yield text[start:at].strip()
            at = start = at + len(separator)
            continue
        depth += (letter in OPENING) - (letter in CLOSING)
        at += 1
    yield text[start:].strip()
