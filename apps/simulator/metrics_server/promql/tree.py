"""What a query is made of."""

from dataclasses import dataclass

from apps.diagnosis.detection.metrics.selectors import Matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A literal."""

    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesSelector:
    """A choice of series; with a range it yields samples instead of one value."""

    matchers: tuple[Matcher, ...]
    range_seconds: float | None = None
    offset_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A function of arguments."""

    name: str
    arguments: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """An aggregation over label sets."""

    name: str
    operand: "Node"
    parameter: float | None = None
    labels: tuple[str, ...] = ()
    is_without: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary:
    """Arithmetic or comparison; `labels` restrict what must be equal on both sides."""

    operator: str
    left: "Node"
    right: "Node"
    returns_bool: bool = False
    labels: tuple[str, ...] | None = None
    is_ignoring: bool = False


Node = Number | SeriesSelector | Call | Aggregate | Binary
