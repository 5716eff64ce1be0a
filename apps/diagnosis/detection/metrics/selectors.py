"""Selectors of PromQL, read and written: which metric is meant, and what its labels have to be."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from apps.diagnosis.patterns import BadPattern, Pattern

NAME: Final = "__name__"
OPERATORS: Final = frozenset({"=", "!=", "=~", "!~"})
LABEL: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*", re.ASCII)
# Names, of which there may be thousands: to be looked up, not matched with each.
PLAIN_CHOICE: Final = re.compile(r"[a-zA-Z0-9_:]+(?:\|[a-zA-Z0-9_:]+)*", re.ASCII)
TOKEN: Final = re.compile(
    r"""\s*(?:
    (?P<duration>\d+(?:ms|[smhdwy])(?:\d+(?:ms|[smhdwy]))*)
  | (?P<number>0x[0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<name>[A-Za-z_:][A-Za-z0-9_:]*)
  | (?P<string>"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|`[^`]*`)
  | (?P<symbol>=~|!~|!=|==|>=|<=|[-+*/%^=<>(){}\[\],@])
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
ESCAPES: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "\\": "\\",
    '"': '"',
    "'": "'",
}


class BadSelector(ValueError):
    """What was written is more than a selector, or none. `at`: where it stops making sense."""

    def __init__(self, said: str, *, at: int = 0) -> None:
        super().__init__(said)
        self.at = at


@dataclass(frozen=True, slots=True)
class SelectorToken:
    """One token of PromQL and where it stands."""

    kind: str  # duration number name string symbol
    text: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Matcher:
    """What one label has to be; an absent one is empty."""

    label: str
    operator: str  # = != =~ !~
    value: str

    def test(self) -> Callable[[str], bool]:
        """Return the question whether a value of the label is wanted; raise BadPattern."""
        is_in = self.operator in {"=", "=~"}
        if self.operator in {"=", "!="}:
            return lambda said: (said == self.value) == is_in
        if PLAIN_CHOICE.fullmatch(self.value):
            choice = frozenset(self.value.split("|"))
            return lambda said: (said in choice) == is_in
        pattern = _pattern(self.value)
        return lambda said: (pattern.fullmatch(said) is not None) == is_in


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSelector:
    """The metrics and series that a query means."""

    matchers: tuple[Matcher, ...]

    @property
    def metric(self) -> str | None:
        """The one metric that is meant, or None where there may be several."""
        return next(
            (each.value for each in self.matchers if (each.label, each.operator) == (NAME, "=")),
            None,
        )

    def wanted(self, metrics: Iterable[str]) -> list[str]:
        """Return the metrics of which series may be meant."""
        tests = [each.test() for each in self.matchers if each.label == NAME]
        return [name for name in metrics if all(test(name) for test in tests)]

    def chosen(self, labels: Mapping[int, Mapping[str, str]]) -> list[int]:
        """Return the numbers of the label sets that are meant."""
        left = list(labels)
        for matcher in self.matchers:
            if matcher.label != NAME:
                test = matcher.test()
                left = [each for each in left if test(labels[each].get(matcher.label, ""))]
        return left


def parse_selector(text: str) -> MetricSelector:
    """Return what a selector means; raise BadSelector."""
    tokens = tokens_of(text)
    at = 0
    matchers: tuple[Matcher, ...] = ()
    if tokens and tokens[0].kind == "name":
        at, matchers = 1, (named(tokens[0].text),)
    if at < len(tokens):
        inside, at = matchers_at(tokens, at)
        matchers += inside
    if at < len(tokens) or not matchers:
        raise BadSelector(f"{text[:100]!r} is no selector")
    for each in matchers:
        try:
            each.test()
        except BadPattern as error:
            raise BadSelector(f"the pattern of {each.label} can't be read") from error
    return MetricSelector(matchers=matchers)


def named(metric: str) -> Matcher:
    """Return what asks for one metric."""
    return Matcher(label=NAME, operator="=", value=metric)


def matchers_at(tokens: Sequence[SelectorToken], at: int) -> tuple[tuple[Matcher, ...], int]:
    """Return the matchers in the braces that open there, and the place behind them."""
    found: list[Matcher] = []
    at = _expect(tokens, at, "{")
    while not _is(tokens, at, "}"):
        label, operator, value = (_token(tokens, at + step) for step in range(3))
        if label.kind != "name" or LABEL.fullmatch(label.text) is None:
            raise _unexpected(label)
        if operator.text not in OPERATORS:
            raise _unexpected(operator)
        if value.kind != "string":
            raise _unexpected(value)
        found.append(Matcher(label=label.text, operator=operator.text, value=unquoted(value.text)))
        at += 3
        if not _is(tokens, at, "}"):
            at = _expect(tokens, at, ",")
    return tuple(found), at + 1


def write_selector(*, metric: str, match: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a selector; a value that starts with `~` is a regular expression."""
    matchers = [
        f'{label}=~"{escape(value[1:])}"' if value.startswith("~") else f'{label}="{escape(value)}"'
        for label, value in sorted(match.items())
    ]
    return metric + ("{" + ",".join(matchers) + "}" if matchers else "")


def escape(text: str) -> str:
    """Return a label value as it may stand between double quotes."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def unquoted(text: str) -> str:
    """Return what a string says."""
    if text[0] == "`":
        return text[1:-1]
    return ESCAPED.sub(lambda letter: ESCAPES.get(letter[1], letter[0]), text[1:-1])


def tokens_of(text: str) -> list[SelectorToken]:
    """Return the tokens of a query; raise BadSelector at what is none."""
    tokens, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise BadSelector(f"unexpected character: {text[at : at + 1]!r}", at=at)
        kind = match.lastgroup or ""
        tokens.append(SelectorToken(kind, match.group(kind), match.start(kind)))
        at = match.end()
    return tokens


@lru_cache(maxsize=128)
def _pattern(source: str) -> Pattern:
    return Pattern(source)


def _token(tokens: Sequence[SelectorToken], at: int) -> SelectorToken:
    if at < len(tokens):
        return tokens[at]
    end = tokens[-1].at + len(tokens[-1].text) if tokens else 0
    raise BadSelector("unexpected end of input", at=end)


def _is(tokens: Sequence[SelectorToken], at: int, symbol: str) -> bool:
    token = _token(tokens, at)
    return (token.kind, token.text) == ("symbol", symbol)


def _expect(tokens: Sequence[SelectorToken], at: int, symbol: str) -> int:
    if not _is(tokens, at, symbol):
        raise _unexpected(tokens[at])
    return at + 1


def _unexpected(token: SelectorToken) -> BadSelector:
    return BadSelector(f"unexpected {token.text!r}", at=token.at)
