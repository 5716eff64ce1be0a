"""Text of a query → tree."""

from dataclasses import dataclass, field
from typing import NoReturn

from apps.diagnosis.detection.metrics.selectors import (
    BadSelector,
    Matcher,
    SelectorToken,
    matchers_at,
    named,
    tokens_of,
)
from apps.diagnosis.patterns import BadPattern
from apps.simulator.metrics_server.promql import BadQuery
from apps.simulator.metrics_server.promql.literals import duration_seconds, number_of
from apps.simulator.metrics_server.promql.tree import (
    Aggregate,
    Binary,
    Call,
    Node,
    Number,
    SeriesSelector,
)

_LEVELS = (("==", "!=", ">=", "<=", ">", "<"), ("+", "-"), ("*", "/", "%"), ("^",))
AGGREGATIONS = {
    "sum",
    "avg",
    "min",
    "max",
    "count",
    "stddev",
    "topk",
    "bottomk",
    "quantile",
    "group",
}


def parse(text: str) -> Node:
    """Return the tree of a query; raise BadQuery with the place where it stops making sense."""
    try:
        reader = _Reader(text=text, tokens=tokens_of(text))
        node = reader.expression(0)
    except BadSelector as error:
        raise BadQuery(f"1:{error.at + 1}: parse error: {error}") from error
    if reader.peek():
        reader.fail()
    return node


@dataclass(slots=True)
class _Reader:
    text: str
    tokens: list[SelectorToken]
    position: int = field(default=0)

    def peek(self) -> str:
        """Return the text of the next token, or nothing at the end."""
        return self.tokens[self.position].text if self.position < len(self.tokens) else ""

    def kind(self) -> str:
        return self.tokens[self.position].kind if self.position < len(self.tokens) else ""

    def take(self) -> str:
        if self.position >= len(self.tokens):
            self.fail()
        self.position += 1
        return self.tokens[self.position - 1].text

    def accept(self, text: str) -> bool:
        if self.kind() != "string" and self.peek() == text:
            self.position += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fail()

    def fail(self) -> NoReturn:
        """Refuse the query at the present token."""
        at = self.tokens[self.position].at if self.position < len(self.tokens) else len(self.text)
        seen = repr(self.peek()) if self.peek() else "end of input"
        raise BadQuery(f"1:{at + 1}: parse error: unexpected {seen}")

    def expression(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self.unary()
        left = self.expression(level + 1)
        while self.kind() == "symbol" and self.peek() in _LEVELS[level]:
            operator = self.take()
            returns_bool = self.accept("bool")
            labels, is_ignoring = self.matching()
            right = self.expression(level + (operator != "^"))
            left = Binary(
                operator=operator,
                left=left,
                right=right,
                returns_bool=returns_bool,
                labels=labels,
                is_ignoring=is_ignoring,
            )
        return left

    def matching(self) -> tuple[tuple[str, ...] | None, bool]:
        if self.peek() not in {"on", "ignoring"}:
            return (None, False)
        is_ignoring = self.take() == "ignoring"
        return (self.names(), is_ignoring)

    def names(self) -> tuple[str, ...]:
        self.expect("(")
        found = []
        while not self.accept(")"):
            if self.kind() != "name":
                self.fail()
            found.append(self.take())
            self.accept(",")
        return tuple(found)

    def unary(self) -> Node:
        if self.accept("-"):
            return Binary(
                operator="*", left=Number(value=-1.0), right=self.expression(len(_LEVELS) - 1)
            )
        self.accept("+")
        return self.suffix(self.primary())

    def primary(self) -> Node:
        if self.accept("("):
            inner = self.expression(0)
            self.expect(")")
            return inner
        if self.kind() in {"number", "duration"}:
            return Number(value=number_of(self.kind(), self.take()))
        if self.kind() == "name":
            return self.named()
        if self.peek() == "{":
            return SeriesSelector(matchers=self.matchers(()))
        return self.fail()

    def named(self) -> Node:
        name = self.take()
        if name in AGGREGATIONS and self.peek() in {"(", "by", "without"}:
            return self.aggregate(name)
        if self.peek() == "(":
            return Call(name=name, arguments=self.arguments())
        if name.lower() in {"inf", "nan"}:
            return Number(value=float(name))
        start = (named(name),)
        return SeriesSelector(matchers=self.matchers(start) if self.peek() == "{" else start)

    def arguments(self) -> tuple[Node, ...]:
        self.expect("(")
        found: list[Node] = []
        while not self.accept(")"):
            if self.kind() == "string":
                raise BadQuery("string arguments are not supported by the simulated server")
            found.append(self.expression(0))
            if not self.accept(",") and self.peek() != ")":
                self.fail()
        return tuple(found)

    def aggregate(self, name: str) -> Node:
        labels, is_without = self.grouping()
        arguments = self.arguments()
        if self.peek() in {"by", "without"}:
            labels, is_without = self.grouping()
        wants_parameter = name in {"topk", "bottomk", "quantile"}
        if len(arguments) != 1 + wants_parameter:
            raise BadQuery(f"wrong number of arguments for aggregate expression {name!r}")
        parameter = arguments[0] if wants_parameter else None
        if parameter is not None and not isinstance(parameter, Number):
            raise BadQuery(f"the parameter of {name!r} must be a number")
        return Aggregate(
            name=name,
            operand=arguments[-1],
            parameter=parameter.value if parameter else None,
            labels=labels,
            is_without=is_without,
        )

    def grouping(self) -> tuple[tuple[str, ...], bool]:
        if self.peek() not in {"by", "without"}:
            return ((), False)
        is_without = self.take() == "without"
        return (self.names(), is_without)

    def matchers(self, start: tuple[Matcher, ...]) -> tuple[Matcher, ...]:
        inside, self.position = matchers_at(self.tokens, self.position)
        found = (*start, *inside)
        _check(found)
        return found

    def suffix(self, node: Node) -> Node:
        range_seconds: float | None = None
        offset = 0.0
        if self.accept("["):
            range_seconds = self.duration()
            self.expect("]")
        if self.accept("offset"):
            sign = -1.0 if self.accept("-") else 1.0
            offset = sign * self.duration()
        if range_seconds is None and not offset:
            return node
        if not isinstance(node, SeriesSelector):
            raise BadQuery("ranges and offsets are only allowed for vector selectors")
        return SeriesSelector(
            matchers=node.matchers, range_seconds=range_seconds, offset_seconds=offset
        )

    def duration(self) -> float:
        if self.kind() != "duration":
            self.fail()
        return duration_seconds(self.take())


def _check(matchers: tuple[Matcher, ...]) -> None:
    tests = []
    for matcher in matchers:
        try:
            tests.append(matcher.test())
        except BadPattern as error:
            raise BadQuery(f"error parsing regexp: {error}: `{matcher.value}`") from error
    if all(test("") for test in tests):
        raise BadQuery("vector selector must contain at least one non-empty matcher")
