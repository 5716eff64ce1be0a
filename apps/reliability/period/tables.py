"""A period as flat tables, one for each file, and what a figure of it counts by its name."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from apps.reliability.period.scopes import Counted, Figure
from apps.reliability.period.values import LossKind, Period

Row = Mapping[str, Any]
FIGURE_COLUMNS: Final = ("figure", "value", "low", "high", "n", "absence", "at_least")
LOSS_KINDS: Final[tuple[LossKind, ...]] = ("layer", "cause", "node", "party", "month")
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "figures": FIGURE_COLUMNS,
    "time-uses": ("use", "milliseconds", "gpu_hours", "share", "low", "high", "sessions"),
    "goodput-hours": ("ends_at", "cumulative", "hour"),
    "losses": (
        *("by", "name", "incidents", "of", "gpu_hours", "gpu_hours_share", "low", "high"),
        *("disputed_gpu_hours", "ids", "at_least", "absence"),
    ),
    "nodes": ("host", "cluster", "incidents", "gpu_hours", "ids", "at_least", "absence"),
    "sessions": (
        *("session", "shown_by", "level", "wall_seconds", "goodput", "step_seconds"),
        *("tokens_per_second", "attempts"),
    ),
}


def figures_of(period: Period) -> dict[str, Figure]:
    """Return every figure of a period by its name: as tables, REST and addresses call it."""
    failures, division, saves = period.time_to_failure, period.division, period.saves
    total = period.losses.total
    return {
        "time-to-failure-hours": failures.hours,
        "infrastructure-time-to-failure-hours": failures.infrastructure_hours,
        "failures-per-1000-node-days": failures.per_1000_node_days,
        "goodput": division.goodput,
        "ettr": division.ettr,
        "mfu-percent": period.utilization.median,
        "lost-gpu-hours": total.gpu_hours,
        "lost-progress-gpu-hours": total.progress,
        "downtime-gpu-hours": total.downtime,
        "slow-gpu-hours": total.slow,
        "disputed-gpu-hours": total.disputed,
        "checkpoint-interval-seconds": saves.measured_seconds,
        "save-seconds": saves.save_seconds,
        "restart-seconds": saves.restart_seconds,
        "burnt-gpu-hours": period.retries.burnt_gpu_hours,
    }


def counted_by(period: Period, *, figure: str, name: str = "") -> Counted | None:
    """Return what a figure counts; of losses by something, and of nodes, those of one name."""
    known = {
        "sessions": period.now.sessions,
        "sessions-before": period.before.sessions,
        "incidents": period.losses.incidents,
        "incidents-before": period.before.incidents,
        "sessions-without-steps": period.division.untold,
        "retry-chains": period.retries.counted,
    }
    if figure in known:
        return known[figure]
    if figure == "worst-node":
        return next((each.incidents for each in period.worst_nodes if each.host == name), None)
    for kind in LOSS_KINDS:
        if figure == kind:
            return next((e.counted for e in period.losses.by[kind] if e.name == name), None)
    found = figures_of(period).get(figure)
    return found.counted if found else None


def table_rows(period: Period, *, table: str) -> Iterator[Row]:
    """Yield the rows of a table, of the columns that COLUMNS has of it."""
    return ROWS[table](period)


def _figures(period: Period) -> Iterator[Row]:
    for name, each in figures_of(period).items():
        yield {
            "figure": name,
            "value": each.value,
            **_interval(each.interval),
            "n": each.n,
            "absence": each.absence.value if each.absence else "",
            "at_least": each.is_at_least,
        }


def _uses(period: Period) -> Iterator[Row]:
    for each in period.division.uses:
        yield {
            "use": each.use,
            "milliseconds": each.milliseconds,
            "gpu_hours": each.gpu_hours,
            "share": each.share.value,
            **_interval(each.share.interval),
            "sessions": each.share.n,
        }


def _hours(period: Period) -> Iterator[Row]:
    for each in period.division.hours:
        at = each.ends_at.isoformat().replace("+00:00", "Z")
        yield {"ends_at": at, "cumulative": each.cumulative, "hour": each.hour}


def _losses(period: Period) -> Iterator[Row]:
    for kind in LOSS_KINDS:
        for each in period.losses.by[kind]:
            yield {
                "by": kind,
                "name": each.name,
                "incidents": each.incidents.hits,
                "of": each.incidents.n,
                "gpu_hours": each.gpu_hours,
                "gpu_hours_share": each.gpu_hours_share,
                **_interval(each.gpu_hours_interval),
                "disputed_gpu_hours": each.disputed_gpu_hours,
                "ids": " ".join(each.counted.ids),
                "at_least": each.is_at_least,
                "absence": each.absence or "",
            }


def _nodes(period: Period) -> Iterator[Row]:
    for each in period.worst_nodes:
        yield {
            "host": each.host,
            "cluster": each.cluster,
            "incidents": each.incidents.count,
            "gpu_hours": each.gpu_hours,
            "ids": " ".join(each.incidents.ids),
            "at_least": each.is_at_least,
            "absence": each.absence or "",
        }


def _sessions(period: Period) -> Iterator[Row]:
    for each in period.progress:
        yield {
            "session": each.session,
            "shown_by": each.shared.holder.slug if each.shared else "",
            "level": each.shared.level.value if each.shared else "",
            "wall_seconds": each.wall_ms / 1000,
            "goodput": each.goodput,
            "step_seconds": each.step_seconds,
            "tokens_per_second": each.tokens_per_second,
            "attempts": each.attempt_count,
        }


def _interval(interval: tuple[float, float | None] | None) -> Row:
    low, high = interval or (None, None)
    return {"low": low, "high": high}


ROWS: Final[Mapping[str, Callable[[Period], Iterator[Row]]]] = {
    "figures": _figures,
    "time-uses": _uses,
    "goodput-hours": _hours,
    "losses": _losses,
    "nodes": _nodes,
    "sessions": _sessions,
}
