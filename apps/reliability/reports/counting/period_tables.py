"""The tables of a report that tell what the time of sessions went into, and what was lost."""

from collections.abc import Sequence
from typing import Final

from apps.diagnosis.intervals import HitShare
from apps.reliability.period.scopes import Audience
from apps.reliability.period.values import LossKind, LossShare, Period
from apps.reliability.reports.counting.document_values import (
    Column,
    Json,
    rounded,
    share_json,
    table,
)

LOST: Final[tuple[LossKind, ...]] = ("layer", "cause", "party", "month")
OF_NOBODY: Final[tuple[LossKind, ...]] = ("layer", "cause")  # tells no tenant of another
AT_LEAST: Final = Column(key="at_least", kind="at-least")
ABSENCE: Final = Column(key="absence", kind="absence")
NO_INTERVAL: Final = (None, None)
KIND_OF: Final = {"layer": "layer", "cause": "cause", "party": "party", "month": "slug"}


def period_tables(period: Period, *, hides_tenants: bool) -> list[Json]:
    """Return them. Names of hosts are in none that all parties of a cluster read."""
    kinds = OF_NOBODY if hides_tenants else LOST
    is_joint = period.scope.audience is Audience.JOINT
    found = [_lost(kind, period.losses.by.get(kind, ())) for kind in kinds]
    found += [_uses(period), _retries(period)]
    return [each for each in found if each["rows"]] + ([] if is_joint else [_worst_nodes(period)])


def _lost(kind: LossKind, shares: Sequence[LossShare]) -> Json:
    columns = (
        Column(key="name", kind=KIND_OF[kind]),
        Column(key="share", kind="share"),
        Column(key="gpu_hours", kind="hours"),
        Column(key="gpu_hours_share", kind="ratio"),
        Column(key="gpu_hours_share_low", kind="ratio"),
        Column(key="gpu_hours_share_high", kind="ratio"),
        Column(key="disputed_gpu_hours", kind="hours"),
        AT_LEAST,
        ABSENCE,
        Column(key="incidents", kind="incidents"),
    )
    rows = [
        {
            "name": each.name,
            "share": share_json(each.incidents),
            "gpu_hours": rounded(each.gpu_hours),
            "gpu_hours_share": rounded(each.gpu_hours_share),
            "gpu_hours_share_low": rounded((each.gpu_hours_interval or NO_INTERVAL)[0]),
            "gpu_hours_share_high": rounded((each.gpu_hours_interval or NO_INTERVAL)[1]),
            "disputed_gpu_hours": rounded(each.disputed_gpu_hours),
            "at_least": each.is_at_least,
            "absence": each.absence.value if each.absence else None,
            "incidents": list(each.counted.ids),
        }
        for each in shares
    ]
    return table(f"lost-by-{kind}", columns, rows)


def _uses(period: Period) -> Json:
    columns = (
        Column(key="use", kind="use"),
        Column(key="seconds", kind="seconds"),
        Column(key="gpu_hours", kind="hours"),
        Column(key="share", kind="ratio"),
        Column(key="share_low", kind="ratio"),
        Column(key="share_high", kind="ratio"),
        Column(key="n", kind="count"),
    )
    rows = [
        {
            "use": each.use,
            "seconds": rounded(each.milliseconds / 1000),
            "gpu_hours": rounded(each.gpu_hours),
            "share": rounded(each.share.value),
            "share_low": rounded(each.share.interval[0]) if each.share.interval else None,
            "share_high": rounded(each.share.interval[1]) if each.share.interval else None,
            "n": each.share.n,
        }
        for each in period.division.uses
    ]
    return table("time-uses", columns, rows)


def _retries(period: Period) -> Json:
    columns = (
        Column(key="kind", kind="slug"),
        Column(key="recovered", kind="share"),
    )
    found: tuple[tuple[str, HitShare], ...] = (
        ("automatic", period.retries.automatic),
        ("manual", period.retries.manual),
    )
    rows = [{"kind": kind, "recovered": share_json(each)} for kind, each in found if each.n]
    return table("retries", columns, rows)


def _worst_nodes(period: Period) -> Json:
    columns = (
        Column(key="host", kind="host"),
        Column(key="cluster", kind="slug"),
        Column(key="n", kind="count"),
        Column(key="gpu_hours", kind="hours"),
        AT_LEAST,
        ABSENCE,
        Column(key="incidents", kind="incidents"),
    )
    rows = [
        {
            "host": each.host,
            "cluster": each.cluster,
            "n": each.incidents.count,
            "gpu_hours": rounded(each.gpu_hours),
            "at_least": each.is_at_least,
            "absence": each.absence.value if each.absence else None,
            "incidents": list(each.incidents.ids),
        }
        for each in period.worst_nodes
    ]
    return table("worst-nodes", columns, rows)
