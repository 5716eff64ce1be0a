"""Text of a query → tokens, and what single ones mean."""

import re
from dataclasses import dataclass

from apps.simulator.metrics_server.promql import BadQuery

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<duration>\d+(?:ms|[smhdwy])(?:\d+(?:ms|[smhdwy]))*)
  | (?P<number>0x[0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<name>[A-Za-z_:][A-Za-z0-9_:]*)
  | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)
  | (?P<symbol>=~|!~|!=|==|>=|<=|[-+*/%^=<>(){}\[\],@])
    )""",
    re.VERBOSE,
)
_DURATION = re.compile(r"(\d{1,18})(ms|[smhdwy])")
_ESCAPED = re.compile(r"\\(.)")
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'"}


def duration_seconds(text: str) -> float:
    """Return seconds of a duration such as `1h30m`."""
    return sum(float(number) * _UNITS[unit] for number, unit in _DURATION.findall(text))


@dataclass(frozen=True, slots=True)
class Token:
    """One token and where it stands."""

    kind: str
    text: str
    at: int


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a query; raise BadQuery with the place of what is none."""
    tokens, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise BadQuery(f"1:{at + 1}: parse error: unexpected character: {text[at : at + 1]!r}")
        kind = match.lastgroup or ""
        tokens.append(Token(kind, match.group(kind), match.start(kind)))
        at = match.end()
    return tokens


def number_of(kind: str, text: str) -> float:
    """Return the value of a number or a duration."""
    if kind == "duration":
        return duration_seconds(text)
    return float(int(text, 16)) if text.startswith("0x") else float(text)


def unquoted(text: str) -> str:
    """Return what a string says."""
    if text[0] == "`":
        return text[1:-1]
    return _ESCAPED.sub(lambda m: _ESCAPES.get(m[1], "\\" + m[1]), text[1:-1])
