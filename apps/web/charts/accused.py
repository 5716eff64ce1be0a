"""The signals that the story accuses: each gets a chart, before the usual ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from apps.diagnosis.model import Role, Statement, statement_of
from apps.incidents.projection.values import TimelineMoment
from apps.web.charts.chart_lines import Line

ANOMALY: Final = "anomaly"
# What broke is shown before what bears it out. What followed of it is no accusation.
ROLES: Final = (Role.INITIATING, Role.CONFIRMATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccusedSignal:
    """A signal of a host in which something was found, and when."""

    signal: str
    host: str
    starts_at: datetime
    ends_at: datetime | None


def accused_signals(moments: Iterable[TimelineMoment]) -> tuple[AccusedSignal, ...]:
    """Return what metrics accuse, as far as the reader may read it: what broke first, by time."""
    found = [each for each in moments if each.kind == ANOMALY and each.role in ROLES and each.at]
    found.sort(key=lambda each: (ROLES.index(Role(each.role)), each.at, each.id))
    return tuple(_accused(found))


def _accused(moments: Iterable[TimelineMoment]) -> Iterator[AccusedSignal]:
    for each in moments:
        signal = _signal(statement_of(each.statement))
        if signal and each.at:
            yield AccusedSignal(
                signal=signal,
                host=str(_detail(each.detail, "host")),
                starts_at=each.at,
                ends_at=each.ends_at,
            )


def _signal(told: Statement) -> str:
    """Return the signal of a measurement; of one that is told of many hosts that of each."""
    what = told.named.get("what")
    return _signal(what) if isinstance(what, Statement) else str(told.named.get("signal", ""))


def _detail(detail: Mapping[str, Any], name: str) -> Any:
    return detail.get(name) or ""


def accusing(line: Line, accused: Sequence[AccusedSignal]) -> tuple[AccusedSignal, ...]:
    """Return what is accused of a line: its signal, on its host where one is named."""
    return tuple(
        each
        for each in accused
        if each.signal == line.signal and (not each.host or each.host == line.host)
    )
