"""The tables of a report that tell of incidents."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from apps.reliability.period.scopes import PeriodScope
from apps.reliability.reports.counting.document_values import (
    Column,
    Json,
    instant_json,
    rounded,
    share_json,
    table,
)
from apps.reliability.reports.counting.incident_work import (
    IncidentTimes,
    blamed_of,
    counts_by,
    coverage_of,
    dissents,
    hands_times,
)

LAYER: Final = Column(key="layer", kind="layer")
CAUSE: Final = Column(key="cause", kind="cause")
SHARE: Final = Column(key="share", kind="share")
CONTESTED: Final = Column(key="contested", kind="count")
INCIDENTS: Final = Column(key="incidents", kind="incidents")


def incident_tables(
    times: Sequence[IncidentTimes],
    *,
    scope: PeriodScope,
    now: datetime,
    hides_tenants: bool,
) -> list[Json]:
    """Return them; where they would tell one tenant of another those that do are left out."""
    found = [_by_layer(times), _by_cause(times)]
    if not hides_tenants:
        found += [_hands(times, scope, now), _dissent(times)]
    return [*found, _coverage(times), _incidents(times, hides_tenants=hides_tenants)]


def _by_layer(times: Sequence[IncidentTimes]) -> Json:
    rows = [
        {
            "layer": each.layer,
            "share": share_json(each.share),
            "contested": each.contested,
            "incidents": list(each.incidents),
        }
        for each in counts_by(times, with_cause=False)
    ]
    return table("incidents-by-layer", (LAYER, SHARE, CONTESTED, INCIDENTS), rows)


def _by_cause(times: Sequence[IncidentTimes]) -> Json:
    rows = [
        {
            "layer": each.layer,
            "cause": each.cause,
            "share": share_json(each.share),
            "contested": each.contested,
            "incidents": list(each.incidents),
        }
        for each in counts_by(times, with_cause=True)
    ]
    return table("incidents-by-cause", (LAYER, CAUSE, SHARE, CONTESTED, INCIDENTS), rows)


def _hands(times: Sequence[IncidentTimes], scope: PeriodScope, now: datetime) -> Json:
    # Days may not be over yet: nobody holds anything beyond now.
    until = min(scope.ends_at, now)
    held = hands_times((e.header for e in times), starts_at=scope.starts_at, ends_at=until)
    columns = (
        Column(key="party", kind="party"),
        Column(key="seconds", kind="seconds"),
        Column(key="n", kind="count"),
        INCIDENTS,
    )
    rows = [
        {
            "party": each.party,
            "seconds": rounded(each.seconds),
            "n": len(each.incidents),
            "incidents": list(each.incidents),
        }
        for each in held
    ]
    return table("in-hands", columns, rows)


def _dissent(times: Sequence[IncidentTimes]) -> Json:
    columns = (
        Column(key="incident", kind="incident"),
        Column(key="party", kind="party"),
        LAYER,
        CAUSE,
        Column(key="said_layer", kind="layer"),
        Column(key="said_cause", kind="cause"),
    )
    rows = [
        {
            "incident": each.incident,
            "party": each.party,
            "layer": each.verdict[0],
            "cause": each.verdict[1],
            "said_layer": each.instead[0],
            "said_cause": each.instead[1],
        }
        for each in dissents(times)
    ]
    return table("dissent", columns, rows)


def _coverage(times: Sequence[IncidentTimes]) -> Json:
    columns = (
        Column(key="source", kind="slug"),
        Column(key="present", kind="share"),
        Column(key="absent", kind="count"),
        Column(key="stale", kind="count"),
        Column(key="hidden", kind="count"),
    )
    rows = [
        {
            "source": each.source,
            "present": share_json(each.present),
            **{state: each.states.get(state, 0) for state in ("absent", "stale", "hidden")},
        }
        for each in coverage_of(each.header for each in times)
    ]
    return table("coverage", columns, rows)


def _incidents(times: Sequence[IncidentTimes], *, hides_tenants: bool) -> Json:
    columns = [
        Column(key="incident", kind="incident"),
        *([] if hides_tenants else [Column(key="at", kind="instant")]),
        LAYER,
        CAUSE,
        Column(key="verdict", kind="slug"),
        Column(key="state", kind="slug"),
        *([] if hides_tenants else [Column(key="status", kind="slug")]),
        *([] if hides_tenants else [Column(key="found_seconds", kind="seconds")]),
        *([] if hides_tenants else [Column(key="repaired_seconds", kind="seconds")]),
    ]
    rows = [_incident(each) for each in times]
    if hides_tenants:
        rows.sort(key=lambda row: str(row["incident"]))
    return table("incidents", columns, rows)


def _incident(each: IncidentTimes) -> Json:
    layer, cause = blamed_of(each.header)
    incident = each.header.incident
    return {
        "incident": incident.public_id,
        "at": instant_json(each.header.moment),
        "layer": layer,
        "cause": cause,
        "verdict": incident.verdict_status,
        "state": each.state.value,
        "status": incident.status,
        "found_seconds": rounded(each.found_seconds),
        "repaired_seconds": rounded(each.repaired_seconds),
    }
