"""Selectors of PromQL, as Faultline writes them itself: a metric and matchers, nothing more."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from apps.diagnosis.patterns import BadPattern, Pattern

NAME: Final = "__name__"
METRIC: Final = re.compile(r"\s*([a-zA-Z_:][a-zA-Z0-9_:]*)?\s*(?:\{(.*)\})?\s*", re.DOTALL)
MATCHER: Final = re.compile(
    r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.DOTALL
)
# Names, of which there may be thousands: to be looked up, not matched with each.
PLAIN_CHOICE: Final = re.compile(r"[a-zA-Z0-9_:]+(?:\|[a-zA-Z0-9_:]+)*", re.ASCII)
ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r"}


class NotASelector(ValueError):
    """The query is more than a selector, or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matcher:
    """What one label has to be."""

    label: str
    operator: str  # = != =~ !~
    value: str

    def test(self) -> Callable[[str], bool]:
        """Return the question whether a value of the label is wanted; raise NotASelector."""
        if self.operator == "=":
            return lambda said: said == self.value
        if self.operator == "!=":
            return lambda said: said != self.value
        if PLAIN_CHOICE.fullmatch(self.value):
            choice, is_in = frozenset(self.value.split("|")), self.operator == "=~"
            return lambda said: (said in choice) == is_in
        try:
            pattern = Pattern(self.value)
        except BadPattern as error:
            raise NotASelector(f"the pattern of {self.label} can't be read") from error
        if self.operator == "=~":
            return lambda said: pattern.fullmatch(said) is not None
        return lambda said: pattern.fullmatch(said) is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
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
        """Return the numbers of the label sets that are meant; an absent label is empty."""
        left = list(labels)
        for matcher in self.matchers:
            if matcher.label != NAME:
                test = matcher.test()
                left = [each for each in left if test(labels[each].get(matcher.label, ""))]
        return left


def parsed(query: str) -> Selector:
    """Return what a selector means; raise NotASelector."""
    found = METRIC.fullmatch(query)
    if found is None:
        raise NotASelector(f"{query[:100]!r} is no selector")
    metric, inner = found[1], found[2] or ""
    matchers = [Matcher(label=NAME, operator="=", value=metric)] if metric else []
    at = 0
    while at < len(inner.rstrip()):
        each = MATCHER.match(inner, at)
        if each is None:
            raise NotASelector(f"{inner[at : at + 50]!r} is no matcher")
        value = ESCAPED.sub(lambda letter: LETTERS.get(letter[1], letter[1]), each[3])
        matchers.append(Matcher(label=each[1], operator=each[2], value=value))
        at = each.end()
    if not matchers:
        raise NotASelector("a selector names a metric or a label")
    return Selector(matchers=tuple(matchers))
