"""What an incident's page shows of requests: those there are, and what can be asked of whom."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import ngettext

from apps.incidents.evidence_requests.request_views import EvidenceRequestView
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.values import IncidentView
from apps.web import words
from apps.web.display.organizations import PartyLabel
from apps.web.incident.evidence_requests.class_options import asked_class, class_options
from apps.web.incident.evidence_requests.page import AskForm, RequestsCard
from apps.web.incident.evidence_requests.request_rows import level_choices, request_row
from apps.web.incident.evidence_requests.stubs import charts_of_others


def requests_card(
    *,
    view: IncidentView,
    requests: Sequence[EvidenceRequestView],
    zone: ZoneInfo | None,
    now: datetime,
    chosen: Mapping[str, str],
    may_ask: bool,
) -> RequestsCard:
    """Return the card of an incident; `chosen` are the holder and the class that a stub names."""
    rows = tuple(request_row(each, zone=zone, now=now) for each in requests)
    holders = _holders(view) if may_ask else ()
    waiting = [each for each in requests if each.waits_for_reader]
    return RequestsCard(
        rows=rows,
        waiting=waiting_line(waiting),
        form=_form(view.header, holders, chosen) if holders else None,
        stubs=charts_of_others(view) if holders else (),
    )


def waiting_line(waiting: Sequence[EvidenceRequestView]) -> str:
    """Return who waits for an answer of the reader's organization; empty where nobody does."""
    if not waiting:
        return ""
    names = words.joined(sorted({each.asker.name for each in waiting}))
    return ngettext(
        "%(names)s asks you for evidence: %(n)s request waits for your answer.",
        "%(names)s asks you for evidence: %(n)s requests wait for your answer.",
        len(waiting),
    ) % {"names": names, "n": len(waiting)}


def _holders(view: IncidentView) -> tuple[PartyLabel, ...]:
    return tuple(
        PartyLabel(
            slug=party.organization.slug,
            name=party.organization.name,
            mark=party.organization.mark,
            part=words.parts(party.parts),
        )
        for party in view.header.parties
        if not party.is_reader and party.organization.id in view.present
    )


def _form(
    header: IncidentHeader, holders: tuple[PartyLabel, ...], chosen: Mapping[str, str]
) -> AskForm:
    holder, data = chosen.get("ask_of", ""), chosen.get("ask_for", "")
    devices = {str(each["host"]) for each in header.culprits or () if each.get("host")}
    return AskForm(
        holders=holders,
        classes=class_options(asked_class(data)),
        levels=level_choices(),
        hosts=tuple(sorted(devices)),
        holder=holder if holder in {each.slug for each in holders} else "",
        is_open=bool(holder or data),
    )
