"""A period and how its incidents went → the document of a report."""

from collections.abc import Sequence
from typing import Any, Final

from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.states import VerdictState
from apps.reliability.period.facts import PeriodFacts
from apps.reliability.period.scopes import Absence, Audience, CountedKind, Figure, absent, counted
from apps.reliability.period.values import Period
from apps.reliability.reports.counting.document_values import (
    SCHEMA,
    Json,
    figure_json,
    instant_json,
)
from apps.reliability.reports.counting.incident_tables import incident_tables
from apps.reliability.reports.counting.incident_work import (
    IncidentTimes,
    agreed_share,
    incident_times,
    median_figure,
)
from apps.reliability.reports.counting.period_tables import period_tables

# What tells one tenant of another, where several tenants read the same report.
OF_TENANTS: Final = ("found-after", "repaired-after", "in-hands", "dissent", "lost-by-party")


def report_document(
    *, facts: PeriodFacts, period: Period, headers: Sequence[IncidentHeader]
) -> Json:
    """Return the document of a period and the headers of its incidents: the same facts give the
    same one, whoever of its audience asks.
    """
    now = facts.now
    scope = facts.scope
    is_joint = scope.audience is Audience.JOINT
    times = incident_times(headers, now=now)
    # Several tenants read the same report: times and people would tell of the other.
    hides = facts.sessions_absence is Absence.OTHER_TENANTS
    withheld = [{"figure": each.figure, "absence": each.absence.value} for each in period.withheld]
    if hides:
        why = Absence.OTHER_TENANTS.value
        withheld += [{"figure": each, "absence": why} for each in OF_TENANTS]
    if is_joint:
        withheld.append({"figure": "blamed-parts", "absence": Absence.HIDDEN.value})
    return {
        "schema": SCHEMA,
        "audience": scope.audience.value,
        "organization": None if is_joint else scope.organization.slug,
        "cluster": scope.cluster.slug if scope.cluster else None,
        "starts_at": instant_json(scope.starts_at),
        "ends_at": instant_json(scope.ends_at),
        "is_over": scope.ends_at <= now,
        "simulated": any(each.incident.is_simulated for each in headers) or scope.with_simulated,
        "figures": [*_work_figures(times, hides=hides), *_period_figures(facts, period)],
        "tables": [
            *incident_tables(times, scope=scope, now=now, hides_tenants=hides),
            *period_tables(period, hides_tenants=hides),
        ],
        "withheld": withheld,
        "left_out_attempts": period.left_out_count,
    }


def _work_figures(times: Sequence[IncidentTimes], *, hides: bool) -> list[Json]:
    ids = [each.header.incident.public_id for each in times]
    contested, waiting = (
        [each.header.incident.public_id for each in times if each.state is state]
        for state in (VerdictState.CONTESTED, VerdictState.PROPOSED)
    )
    found = [
        figure_json("incidents", "count", _count(ids, len(times))),
        figure_json("agreed", "ratio", _share(agreed_share(times))),
        figure_json("contested", "count", _count(contested, len(times))),
        figure_json("not-answered", "count", _count(waiting, len(times))),
    ]
    if hides:
        return found
    named = [(each.header.incident.public_id, each) for each in times]
    still_open = [name for name, each in named if each.header.incident.status == "open"]
    resolved = [
        (name, each.repaired_seconds)
        for name, each in named
        if each.header.incident.status == "resolved"
    ]
    return [
        *found,
        figure_json("still-open", "count", _count(still_open, len(times))),
        figure_json(
            "found-after", "seconds", median_figure([(n, e.found_seconds) for n, e in named])
        ),
        figure_json("repaired-after", "seconds", median_figure(resolved)),
    ]


def _count(ids: Sequence[str], n: int) -> Figure:
    return Figure(value=float(len(ids)), n=n, counted=counted(CountedKind.INCIDENTS, ids))


def _share(share: Any) -> Figure:
    if not share.n:
        return Figure(value=None, n=0, absence=Absence.NOTHING)
    return Figure(value=share.rate, n=share.n, interval=share.interval)


def _period_figures(facts: PeriodFacts, period: Period) -> list[Json]:
    division, losses, failures = period.division, period.losses.total, period.time_to_failure
    found = (
        ("sessions", "count", _sessions(facts, period)),
        ("time-to-failure", "hours", failures.hours),
        ("time-to-infrastructure-failure", "hours", failures.infrastructure_hours),
        ("failures-per-1000-node-days", "count", failures.per_1000_node_days),
        ("goodput", "ratio", division.goodput),
        ("ettr", "ratio", division.ettr),
        ("mfu", "percent", period.utilization.median),
        ("checkpoint-interval", "seconds", period.saves.measured_seconds),
        ("lost-gpu-hours", "gpu-hours", losses.gpu_hours),
        ("lost-progress", "gpu-hours", losses.progress),
        ("downtime", "gpu-hours", losses.downtime),
        ("slow-time", "gpu-hours", losses.slow),
        ("disputed", "gpu-hours", losses.disputed),
        ("retries-burnt", "gpu-hours", period.retries.burnt_gpu_hours),
    )
    return [figure_json(key, unit, figure) for key, unit, figure in found]


def _sessions(facts: PeriodFacts, period: Period) -> Figure:
    sessions = period.now.sessions
    if sessions is None:
        return absent(facts.sessions_absence)
    return Figure(value=float(sessions.count), n=sessions.count, counted=sessions)
