"""What of a page no act of a person changes: charts, log lines, past incidents and warnings.

An open page that was told of an act says which of it it shows, by a mark. Where that is what there
is, none of it is read or rendered again: the page keeps what it shows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.utils.crypto import salted_hmac
from django.utils.translation import get_language

from apps.incidents.facade.reads import lines_behind, past_incidents
from apps.incidents.facade.shared import shared_warnings_before
from apps.incidents.projection.values import IncidentView
from apps.telemetry.facade.warnings import warnings_before
from apps.telemetry.logs.raw_lines import CitedLine
from apps.tenancy.access import Actor
from apps.web.charts import evidence_charts
from apps.web.charts.accused import accused_signals
from apps.web.charts.chart import Chart
from apps.web.incident.contributions.past_incidents import PastCard, past_card
from apps.web.incident.evidence_requests.page import RequestsCard
from apps.web.warnings.page import WarningRow
from apps.web.warnings.rows import shared_warning_row, warning_row

MARK_LENGTH: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisPart:
    """What is read for this part of the page."""

    charts: tuple[Chart, ...]
    log_lines: Mapping[str, CitedLine]
    past: PastCard
    warned: tuple[WarningRow, ...]


def diagnosis_mark(
    *, view: IncidentView, captures: str, requests: RequestsCard, zone: ZoneInfo | None
) -> str:
    """Return what changes when anything does that this part is made of.

    Under the portal's key: what a reader does not see can't be guessed from it.
    """
    header, incident = view.header, view.header.incident
    parts = (
        *(incident.public_id, incident.revision, incident.verdict_status, incident.left_at),
        *(incident.started_at, incident.layer, incident.cause, incident.cluster, header.rights),
        *(header.culprits, header.coverage, header.attempts, view.hypotheses, view.failing),
        [(each.organization, each.parts, each.answers) for each in header.parties],
        *(view.is_shared_with, view.shown_by, sorted(view.present), captures, requests.stubs),
        *(requests.form is None, accused_signals(view.timeline), zone, get_language()),
    )
    return salted_hmac("diagnosis-part", repr(parts), algorithm="sha256").hexdigest()[:MARK_LENGTH]


def diagnosis_part(*, actor: Actor, view: IncidentView, now: datetime) -> DiagnosisPart:
    """Return this part as the actor's organization reads it. Needs its scope."""
    header = view.header
    return DiagnosisPart(
        charts=evidence_charts.charts_of(
            actor=actor,
            incident=header.incident,
            culprits=header.culprits or (),
            timeline=view.timeline,
            is_shared_with=view.is_shared_with,
        ),
        log_lines=lines_behind(actor=actor, hypotheses=view.hypotheses),
        past=past_card(past=past_incidents(actor=actor, header=header), header=header, now=now),
        warned=_warned(actor=actor, view=view, now=now),
    )


def _warned(*, actor: Actor, view: IncidentView, now: datetime) -> tuple[WarningRow, ...]:
    """Return what metrics told of the blamed parts before it broke: the reader's, then what others
    show of theirs.
    """
    header, incident = view.header, view.header.incident
    if incident.started_at is None or incident.cluster_id is None:
        return ()
    found = warnings_before(
        actor=actor,
        cluster_id=incident.cluster_id,
        parts=header.culprits or (),
        failed_at=incident.started_at,
    )
    own = [warning_row(episode=each, headers=[header], now=now) for each in found]
    if not view.is_shared_with:
        return tuple(own)
    shown = shared_warnings_before(
        actor=actor,
        incident=incident,
        parts=header.culprits or (),
        failed_at=incident.started_at,
    )
    return (*own, *(shared_warning_row(shown=each, headers=[header], now=now) for each in shown))
