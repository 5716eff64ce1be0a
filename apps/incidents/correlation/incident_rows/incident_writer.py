"""Write what was concluded about an attempt into incidents: repeatable, and free of order."""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.diagnosis.input_values import cut
from apps.diagnosis.model import Statement, statement, statement_json
from apps.fleet.models import Attempt
from apps.incidents.correlation.conclusion import Conclusion
from apps.incidents.correlation.incident_rows.hit_attempts import (
    SETTLES_AFTER,
    count_revisions,
    moments_of,
)
from apps.incidents.correlation.incident_rows.hypothesis_rows import (
    write_evidence,
    write_hypotheses,
)
from apps.incidents.correlation.incident_rows.incident_parties import set_parties
from apps.incidents.correlation.incident_rows.portal_entries import portal_telling, verdict_telling
from apps.incidents.correlation.stop_folding import place_in_line
from apps.incidents.models import (
    Annotation,
    EvidenceItem,
    Hypothesis,
    Incident,
    IncidentParty,
    IncidentSession,
    IncidentStep,
)
from apps.incidents.states import IncidentKind, IncidentStatus
from apps.incidents.timeline import append, retract_missing

# Crockford's letters: none is taken for another when read aloud.
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
HEADER_FIELDS = (
    "verdict_status", "layer", "cause", "probability", "cause_probability", "phase", "end_state",
    "culprits", "restart", "actions", "coverage", "first_stopper",
)  # fmt: skip
# What diagnosis writes of an incident again and again. Its status is what people may be changing.
WRITTEN = (
    *HEADER_FIELDS, "started_at", "digest", "revision", "newest_evidence_at", "settled_at",
    "parties", "verdict_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentIdentity:
    """Which incident a conclusion belongs to."""

    owner_id: int
    kind: IncidentKind
    cluster_id: int | None = None
    attempt_id: int | None = None  # of a stop
    entity: str = ""
    episode: str = ""


def new_public_id() -> str:
    """Return a random id; a counter would tell one party how many incidents others have."""
    return "INC-" + "".join(secrets.choice(LETTERS) for _ in range(6))


def open_incident(
    *,
    place: IncidentIdentity,
    conclusion: Conclusion,
    public_id: str,
    is_simulated: bool,
    now: datetime,
) -> Incident:
    """Create the incident of a place, without its details."""
    incident = Incident(
        organization_id=place.owner_id,
        public_id=public_id,
        cluster_id=place.cluster_id,
        attempt_id=place.attempt_id,
        kind=place.kind,
        entity=place.entity,
        episode=place.episode,
        is_simulated=is_simulated,
        started_at=conclusion.started_at,
        detected_at=now,
        revision=0,
        **_fields(conclusion.header),
    )
    incident.save(force_insert=True)
    return incident


def become(*, incident: Incident, place: IncidentIdentity) -> None:
    """Let an incident be that of another place of the same owner; what is written of it follows."""
    incident.kind, incident.attempt_id = place.kind, place.attempt_id
    incident.entity, incident.episode = place.entity, place.episode
    incident.save(update_fields=["kind", "attempt", "entity", "episode"])


def rewrite(
    *,
    incident: Incident,
    attempt: Attempt,
    conclusion: Conclusion,
    newest_evidence_at: datetime | None,
    now: datetime,
) -> bool:
    """Bring the incident up to its sessions' conclusions. Return whether the verdict changed."""
    sessions = list(IncidentSession.objects.filter(incident=incident).order_by("attempt_id"))
    strongest = max(sessions, key=_strength).conclusion
    said = (incident.layer, incident.cause)
    changed = _write_header(incident=incident, sessions=sessions, strongest=strongest)
    if said != (incident.layer, incident.cause) or (changed and incident.revision == 1):
        incident.verdict_at = now
    count_revisions(
        row=next(row for row in sessions if row.attempt_id == attempt.pk), incident=incident
    )
    incident.newest_evidence_at = newest_evidence_at or incident.newest_evidence_at
    moments = moments_of(incident=incident, sessions=sessions)
    set_parties(incident=incident, tenant_ids=set(moments), moments=moments)
    if incident.settled_at is None and now - incident.detected_at >= SETTLES_AFTER:
        incident.settled_at = now
    incident.save(update_fields=WRITTEN)
    is_new = changed and incident.revision == 1
    place_in_line(incident=incident, attempt=attempt, is_new=is_new)
    write_hypotheses(incident=incident, sessions=sessions, strongest=strongest)
    write_evidence(incident=incident, attempt=attempt, conclusion=conclusion)
    tellings = list(conclusion.tellings)
    if changed:
        tellings.append(verdict_telling(incident=incident, now=now))
    append(incident=incident, tellings=tellings, now=now)
    retract_missing(incident=incident, attempt_id=attempt.pk, tellings=tellings, now=now)
    return changed


def revive(*, incident: Incident) -> None:
    """Open an incident again that facts support once more."""
    if incident.status not in {IncidentStatus.WITHDRAWN, IncidentStatus.MERGED}:
        return
    winner = incident.merged_into
    if winner is not None and winner.public_id == incident.public_id:
        # The id went over to the incident it was merged into, which may live on for others.
        incident.public_id = new_public_id()
    incident.status = IncidentStatus.OPEN
    incident.merged_into = None
    incident.withdrawal = None
    incident.save(update_fields=["public_id", "status", "merged_into", "withdrawal"])


def end(*, incident: Incident, reason: Statement, now: datetime) -> None:
    """Withdraw an incident that facts no longer support. Lists show it if people acted on it."""
    if incident.status == IncidentStatus.WITHDRAWN:
        return
    incident.status, incident.withdrawal = IncidentStatus.WITHDRAWN, statement_json(reason)
    incident.save(update_fields=["status", "withdrawal"])
    told = statement("withdrawn", because=reason)
    entry = portal_telling(incident=incident, told=told, kind="withdrawn", now=now)
    append(incident=incident, tellings=[entry], now=now)


def merge(*, loser: Incident, into: Incident) -> None:
    """Let one incident lead on to another; its people's words move along."""
    IncidentSession.objects.filter(incident=loser).delete()
    Annotation.objects.filter(incident=loser).update(incident=into)
    _carry_steps(loser=loser, into=into)
    Hypothesis.objects.filter(incident=loser).delete()
    EvidenceItem.objects.filter(incident=loser).delete()
    loser.status = IncidentStatus.MERGED
    loser.merged_into = into
    loser.save(update_fields=["status", "merged_into"])
    for party in IncidentParty.objects.filter(incident=loser, acknowledged_at__isnull=False):
        IncidentParty.objects.filter(
            incident=into, organization_id=party.organization_id, acknowledged_at=None
        ).update(acknowledged_at=party.acknowledged_at, acknowledged_by=party.acknowledged_by_id)


def _carry_steps(*, loser: Incident, into: Incident) -> None:
    """Let the work on one incident go on with another; what is append-only is written once more."""
    before = Incident.objects.values_list("step_count", flat=True).get(pk=into.pk)
    steps = list(IncidentStep.objects.filter(incident=loser).order_by("number", "id"))
    for number, step in enumerate(steps, before + 1):
        step.pk, step.incident, step.number = None, into, number
    IncidentStep.objects.bulk_create(steps)
    Incident.objects.filter(pk=into.pk).update(step_count=before + len(steps))


def _fields(header: dict[str, Any]) -> dict[str, Any]:
    return {name: header[name] for name in HEADER_FIELDS}


def _strength(session: IncidentSession) -> tuple[float, float, int]:
    header = session.conclusion["header"]
    return (header["probability"], header["cause_probability"], -session.attempt_id)


def _write_header(
    *, incident: Incident, sessions: Sequence[IncidentSession], strongest: dict[str, Any]
) -> bool:
    starts = [row.conclusion["started_at"] for row in sessions if row.conclusion["started_at"]]
    incident.started_at = min(
        (cut(datetime.fromisoformat(each)) for each in starts), default=incident.started_at
    )
    for name, value in _fields(strongest["header"]).items():
        setattr(incident, name, value)
    verdict = [strongest["header"][name] for name in HEADER_FIELDS if name != "coverage"]
    digest = hashlib.blake2b(json.dumps(verdict, sort_keys=True).encode(), digest_size=16).digest()
    changed = bytes(incident.digest) != digest
    if changed:
        incident.digest = digest
        incident.revision += 1
    return changed
