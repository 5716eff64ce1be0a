"""What happened before an incident, as rows of its page."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.incidents.recurrence.past_incidents import (
    COUNTED_DAYS,
    Likeness,
    PastIncident,
    PastIncidents,
)
from apps.incidents.words import title_of
from apps.web.display.instants import day_text
from apps.web.display.layers import LayerMark, layer_mark


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRow:
    """An earlier incident."""

    public_id: str
    title: str
    when: str
    layer: LayerMark
    likeness: str  # what it has in common with the one that is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCard:
    """What happened before."""

    leads: tuple[str, ...] = ()  # hosts that were blamed before, and how often
    rows: tuple[PastRow, ...] = ()


def past_card(*, past: PastIncidents, now: datetime) -> PastCard:
    """Return what happened before an incident, as its page shows it."""
    return PastCard(
        leads=tuple(_leads(past)), rows=tuple(_row(each, now) for each in past.incidents)
    )


def _leads(past: PastIncidents) -> Iterator[str]:
    for host, count in (past.blamed_before or {}).items():
        told = {"host": host, "n": count, "days": COUNTED_DAYS}
        if past.is_at_least:
            yield _("%(host)s was blamed at least %(n)s times in the %(days)s days before") % told
            continue
        text = ngettext(
            "%(host)s was blamed once in the %(days)s days before",
            "%(host)s was blamed %(n)s times in the %(days)s days before",
            count,
        )
        yield text % told


def _row(past: PastIncident, now: datetime) -> PastRow:
    incident = past.header.incident
    return PastRow(
        public_id=incident.public_id,
        title=title_of(past.header),
        when=day_text(incident.started_at or incident.detected_at, now=now),
        layer=layer_mark(incident.layer),
        likeness=_likeness(past),
    )


def _likeness(past: PastIncident) -> str:
    if past.likeness is Likeness.CAUSE:
        return _("same cause")
    if past.likeness is Likeness.DEVICE:
        return _("same part, same cause") if past.has_same_cause else _("same part")
    return _("same host, same cause") if past.has_same_cause else _("same host")
