"""An incident's header as one organization is told of it: what is compared, and what is sent.

Both come from the projection that the list of incidents uses. Never evidence, never log text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.urls import reverse

from apps.diagnosis.model import Statement, statement_json, statement_of
from apps.incidents import words
from apps.incidents.projection.header_values import IncidentFacts, IncidentHeader
from apps.incidents.states import IncidentStatus, ResolutionState
from apps.incidents.words.waiting import answers_of
from apps.notifications.notification_kinds import RANKS
from apps.wording import in_english


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What makes news of an incident: a change in any of these is told."""

    status: str
    verdict_status: str
    layer: str
    cause: str
    blamed: str  # in words; empty where nobody is blamed or the reader may not know
    acts: tuple[str, ...]  # slugs of those whose turn it is
    is_ours: str  # "action": our turn; "layer": ours is blamed; empty: neither
    turns: tuple[str, ...] = ()  # what waits for the reader, and how its own hand-overs ended
    handed_to: str = ""  # slug of whom it was handed over to
    rival: str | None = None  # the cause that is as likely; None: told before it was compared

    @property
    def rank(self) -> int:
        """How sure the verdict is, for those who want to hear only of sure ones."""
        return RANKS.get(self.verdict_status, 0)


def kept(summary: Summary) -> dict[str, Any]:
    """Return a summary as JSON."""
    return asdict(summary) | {"acts": list(summary.acts), "turns": list(summary.turns)}


def restored(stored: Mapping[str, Any]) -> Summary:
    """Return a summary that was kept."""
    lists = {name: tuple(stored.get(name, ())) for name in ("acts", "turns")}
    return Summary(**{**stored, **lists})


def summary_of(*, header: IncidentHeader) -> Summary:
    """Return what is compared. Needs the reader's scope."""
    incident = header.incident
    acts = tuple(party.organization.slug for party in header.parties if party.acts)
    holder = header.coordination.holder
    return Summary(
        status=incident.status,
        verdict_status=incident.verdict_status,
        layer=incident.layer,
        cause=incident.cause,
        blamed=words.culprits(header.culprits or []) if header.culprits else "",
        acts=acts,
        is_ours=_is_ours(header, acts),
        turns=_turns(header),
        handed_to=holder.slug if holder and header.coordination.is_handed_over else "",
        rival=words.rival_of(header),
    )


def body_of(*, header: IncidentHeader, summary: Summary) -> dict[str, Any]:
    """Return an incident's header as JSON: the `incident` of a webhook's data."""
    incident = header.incident
    parties = {party.organization.slug: party.organization.name for party in header.parties}
    holder = header.coordination.holder
    return {
        "id": incident.public_id,
        "title": words.title_of(header),
        "sessions": words.sessions_json(header),
        "kind": incident.kind,
        "status": incident.status,
        "revision": incident.revision,
        "verdict_status": incident.verdict_status,
        "layer": incident.layer,
        "cause": incident.cause,
        "cause_name": words.cause(incident.cause).name,
        "probability": incident.probability,
        "cause_probability": incident.cause_probability,
        "rival": words.rival_of(header) or None,
        "rival_hosts": None if (others := words.rival_hosts(header)) is None else list(others),
        "end_state": incident.end_state,
        "restart": {
            **header.restart,
            "needed": words.is_restart_needed(header),
            "text": words.restart(header),
        },
        "culprits": None if header.culprits is None else list(header.culprits),
        "blamed": summary.blamed,
        "acts": [{"slug": slug, "name": parties[slug]} for slug in summary.acts],
        "assigned": summary.is_ours or None,
        "holder": None if holder is None else {"slug": holder.slug, "name": holder.name},
        "waiting": [each.partition(" ")[0] for each in summary.turns],
        "cluster": incident.cluster.slug if incident.cluster else None,
        "started_at": moment(incident.started_at),
        "detected_at": moment(incident.detected_at),
        "is_collecting": header.is_collecting,
        "withdrawn_because": _withdrawn_because(incident),
        "url": page("web:incident", header.reader.slug, incident.public_id),
    }


def _turns(header: IncidentHeader) -> tuple[str, ...]:
    """Return what waits for an answer of the reader, and the answers it got to its own proposals.

    A reply to a verdict waits once that has settled; who acts by itself is told nothing of it.
    """
    if header.incident.status != IncidentStatus.OPEN:
        return ()
    waiting = [f"{each.kind} {each.id}" for each in answers_of(header)]
    own = header.reader.id
    for each in header.coordination.hand_overs:
        is_side = own in {each.sender.id, each.recipient.id}
        if is_side and not each.is_open and each.steps[-1].organization.id != own:
            waiting.append(f"{each.state} {each.id}")
    declined = (
        f"resolution-declined {each.id}"
        for each in header.coordination.resolutions
        if each.proposer.id == own and each.state == ResolutionState.DECLINED
    )
    return (*waiting, *declined)


def _withdrawn_because(incident: IncidentFacts) -> str:
    return in_english(statement_of(incident.withdrawal)) if incident.withdrawal else ""


def news_body(*, told: Statement, url: str) -> dict[str, Any]:
    """Return news that is of no incident as JSON: the fact, and what it says in English."""
    return {"title": in_english(told), "statement": statement_json(told), "url": url}


def page(name: str, *names: str) -> str:
    """Return the full address of one of the portal's pages."""
    return f"{settings.PORTAL_BASE_URL}{reverse(name, args=names)}"


def moment(at: datetime | None) -> str | None:
    """Return an instant as the interface writes it."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else None


def _is_ours(header: IncidentHeader, acts: Sequence[str]) -> str:
    incident, reader = header.incident, header.reader
    is_sure = RANKS.get(incident.verdict_status, 0) > 0
    # While evidence still comes in, "unknown" calls nobody out of bed to look for more of it.
    if incident.status != IncidentStatus.OPEN or (header.is_collecting and not is_sure):
        return ""
    if reader.slug in acts:
        return "action"
    return "layer" if is_sure and any(p.is_reader and p.answers for p in header.parties) else ""
