"""What happened before an incident, as rows of its page."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.incidents.facade.nodes import blamed_hosts
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.recurrence.past_incidents import (
    COUNTED_DAYS,
    Likeness,
    PastIncident,
    PastIncidents,
)
from apps.incidents.words import title_of
from apps.web.display.instants import day_text
from apps.web.display.layers import LayerMark, layer_mark

# Blamed so often before, a host is a repeat offender.
REPEATS: Final = 2
HOSTS_SHOWN: Final = 3
NTH: Final[Mapping[int, Promise]] = {
    2: gettext_lazy("second"),
    3: gettext_lazy("third"),
    4: gettext_lazy("fourth"),
    5: gettext_lazy("fifth"),
    6: gettext_lazy("sixth"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRow:
    """An earlier incident."""

    public_id: str
    title: str
    when: str
    layer: LayerMark
    likeness: str  # what it has in common with the one that is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class PastLead:
    """A host that was blamed before, and how often."""

    host: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCard:
    """What happened before."""

    cluster: str = ""  # whose pages of nodes the hosts lead to
    hosts: tuple[str, ...] = ()  # that are blamed now and have a page
    leads: tuple[PastLead, ...] = ()
    advice: tuple[str, ...] = ()  # about hosts that fail again and again
    rows: tuple[PastRow, ...] = ()


def past_card(*, past: PastIncidents, header: IncidentHeader, now: datetime) -> PastCard:
    """Return what happened before an incident, as its page shows it."""
    cluster = header.incident.cluster
    has_pages = cluster is not None and header.left_at is None
    return PastCard(
        cluster=cluster.slug if cluster else "",
        hosts=blamed_hosts(header)[:HOSTS_SHOWN] if has_pages else (),
        leads=tuple(_leads(past)) if has_pages else (),
        advice=tuple(_advice(past)),
        rows=tuple(_row(each, now) for each in past.incidents),
    )


def _leads(past: PastIncidents) -> Iterator[PastLead]:
    blamed, left_out = past.blamed_before or {}, past.left_out_before or {}
    for host in sorted({*blamed, *left_out}):
        told = (_blamed(past, host, blamed.get(host, 0)), _left_out(left_out.get(host, 0)))
        yield PastLead(host=host, text=" ".join(filter(None, told)))


def _blamed(past: PastIncidents, host: str, count: int) -> str:
    told = {"host": host, "n": count, "days": COUNTED_DAYS}
    if not count:
        return _("%(host)s was not blamed in the %(days)s days before.") % told
    if past.is_at_least:
        return _("%(host)s was blamed at least %(n)s times in the %(days)s days before.") % told
    text = ngettext(
        "%(host)s was blamed once in the %(days)s days before.",
        "%(host)s was blamed %(n)s times in the %(days)s days before.",
        count,
    )
    again = _("This is the %(nth)s time.") % {"nth": _nth(count + 1)}
    return f"{text % told} {again}"


def _left_out(count: int) -> str:
    text = ngettext("It was left out once.", "It was left out %(n)s times.", count)
    return text % {"n": count} if count else ""


def _advice(past: PastIncidents) -> Iterator[str]:
    """Yield what to do about hosts of which this is at least the third incident in these days."""
    for host, count in (past.blamed_before or {}).items():
        if count >= REPEATS:
            text = _(
                "%(host)s fails again and again: the %(nth)s time in %(days)s days. Have it "
                "repaired or replaced before it is used again."
            )
            yield text % {"host": host, "nth": _nth(count + 1), "days": COUNTED_DAYS}


def _nth(number: int) -> str:
    return str(NTH[number]) if number in NTH else _("%(n)sth") % {"n": number}


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
