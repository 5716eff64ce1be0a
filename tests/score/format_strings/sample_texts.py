"""Format strings → texts as a program would print them, with made-up values put in."""

import re
from collections.abc import Iterator, Sequence

STRING = re.compile(r'(?:[uUL]|u8)?"((?:\\.|[^"\\])*)"')
WIDTHS = re.compile(
    r"\s*(?:NvU64_fmt[xud]|NvS64_fmtd|PRI[xuid](?:8|16|32|64|PTR)|KERN_\w+|\w*FMT\w*|DEV_FMT)\s*"
)
PRINTF = re.compile(
    r"%(?P<flags>[-+ #0]*)(?:\d+|\*)?(?:\.(?:\d+|\*))?(?P<size>hh|h|ll|l|z|j|t|q|L)?"
    r"(?P<kind>pI[SsCc46]\w*|pV|pUf|pe|ps|pS|pd\d?|pg|[diouxXeEfFgGcsp%])"
)
BRACES = re.compile(r"\{[^{}]*\}")
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "r": "\n", "'": "'"}
# What stands for a word, one a round: signatures may want a name, an address, a path.
WORDS = ("mlx5_0", "busy", "10.0.4.7<41041>", "/dev/shm/nccl-3kq2Ab", "ALLREDUCE")  # noqa: S108
NUMBERS = {
    "x": "1f",
    "X": "1F",
    "p": "0x7f3a51c2b000",
    "c": "A",
    "e": "1.5e+01",
    "f": "600.50",
    "g": "15.5",
}


def literal(argument: str) -> str | None:
    """Return the text of an argument made of string literals, None where none stands in it."""
    found = [_unescaped(part[1]) for part in STRING.finditer(argument)]
    if not found:
        return None
    rest = WIDTHS.sub("", STRING.sub("", argument)).strip()
    return "".join(_joined(argument)) if not rest or rest.isupper() else "".join(found)


def printf_texts(text: str, *, word: str = "") -> Iterator[str]:
    """Yield `text` once for each kind of word that may stand in its `%s`, `word` last."""
    words = (*WORDS, *([word] if word else ()))
    for one in words if "%s" in text or "%p" in text else words[:1]:
        yield PRINTF.sub(lambda found, word=one: _value(found, word), text)  # type: ignore[misc]


def braces_texts(text: str) -> Iterator[str]:
    """Yield the same for `{}`."""
    for word in (*WORDS, "17"):
        yield BRACES.sub(word, text)


def parts_texts(parts: Sequence[str]) -> Iterator[str]:
    """Yield texts put together from literals and, for what is no literal, made-up values."""
    said = [literal(part) for part in parts]
    if any(said):
        for word in (*WORDS, "17"):
            yield "".join(word if one is None else one for one in said)


def _joined(argument: str) -> Iterator[str]:
    """Yield the literals in order, with the letter of a width macro where one stands between."""
    at = 0
    for part in STRING.finditer(argument):
        between = argument[at : part.start()].strip()
        yield _width(between)
        yield _unescaped(part[1])
        at = part.end()
    yield _width(argument[at:].strip())


def _width(macro: str) -> str:
    if not macro or macro.startswith("KERN_"):
        return ""
    kind = re.search(r"PRI([xuid])|_fmt([xud])", macro)
    if kind is None:
        return "word"
    letter = kind[1] or kind[2]
    # NvU64_fmtx carries its percent sign, PRIx64 doesn't.
    return f"%{letter}" if kind[2] else letter


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda one: ESCAPES.get(one[1], one[1]), text)


def _value(found: re.Match[str], word: str) -> str:
    kind = found["kind"]
    if kind == "%":
        return "%"
    if kind == "s":
        return word
    if kind.startswith("p"):
        return word if len(kind) > 1 else NUMBERS["p"]
    prefix = "0x" if "#" in found["flags"] and kind in "xX" else ""
    return prefix + NUMBERS.get(kind, "17")
