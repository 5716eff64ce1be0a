"""A family of metrics: what it is measured on, and how it follows the activity."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One metric name.

    A gauge is `idle + (busy - idle) * level`, a counter the integral of the same.
    `spread` differs from series to series, `noise` from sample to sample.
    """

    name: str
    entity: str  # gpu port node netdev cpu mount op disk filesystem memory target cnode
    kind: str  # gauge counter
    level: str = "none"
    idle: float = 0.0
    busy: float = 0.0
    spread: float = 0.0
    noise: float = 0.0
    decimals: int = 0
    party: str = "aurora"
    text: str = ""


def gauge(  # noqa: PLR0913  one row of a table
    entity: str,
    name: str,
    level: str,
    idle: float,
    busy: float,
    *,
    spread: float = 0.0,
    noise: float = 0.0,
    decimals: int = 0,
) -> Family:
    """Return a family that follows a level of the activity."""
    return Family(
        name=name,
        entity=entity,
        kind="gauge",
        level=level,
        idle=idle,
        busy=busy,
        spread=spread,
        noise=noise,
        decimals=decimals,
    )


def counter(
    entity: str, name: str, level: str, idle: float, busy: float, *, spread: float = 0.0
) -> Family:
    """Return a counter; `idle` and `busy` are rates a second, `spread` the range of its start."""
    return Family(
        name=name, entity=entity, kind="counter", level=level, idle=idle, busy=busy, spread=spread
    )


def still(entity: str, name: str, *, spread: float = 0.0) -> Family:
    """Return a counter that only a fault moves."""
    return counter(entity, name, "none", 0.0, 0.0, spread=spread)


def constant(entity: str, name: str, value: float) -> Family:
    """Return a family that stands still at a value."""
    return gauge(entity, name, "none", value, value)
