"""Orders to keep the metrics around an incident: two for each source, carried out by telemetry."""

from datetime import datetime, timedelta

from apps.incidents.models import Incident, IncidentSession
from apps.incidents.projection.rights import SEES_SESSIONS
from apps.incidents.states import IncidentKind
from apps.telemetry.metrics.pulls.pull_schedule import KINDS
from apps.telemetry.models import EvidenceCapture, Source
from apps.tenancy.lookups import parties_of
from apps.tenancy.scope import organization_scope

BEFORE = timedelta(minutes=20)
AFTER = timedelta(minutes=6)
SECOND_PASS = timedelta(minutes=6)
SUSPECTS_AT_MOST = 3


def request(*, incident: Incident, now: datetime) -> None:
    """Order the capture of an incident's window from every metrics source of its cluster, once."""
    if incident.cluster_id is None or incident.started_at is None:
        return
    parties = parties_of(cluster_id=incident.cluster_id)
    with organization_scope(incident.organization_id, *parties):
        sources = Source.objects.filter(
            cluster=incident.cluster_id,
            kind__in=KINDS,
            is_enabled=True,
            organization__in=_asked(incident),
        ).order_by("id")
        wanted = _wanted(incident) | {"sources": len(sources)}
        EvidenceCapture.objects.bulk_create(
            [
                EvidenceCapture(
                    organization_id=source.organization_id,
                    incident_owner=incident.organization_id,
                    incident_public_id=incident.public_id,
                    source=source,
                    source_name=source.name,
                    capture_pass=number,
                    due_at=due_at,
                    request=wanted,
                )
                for source in sources
                for number, due_at in ((1, now), (2, now + SECOND_PASS))
            ],
            ignore_conflicts=True,
        )
        # A verdict that moved on asks for the new suspects as long as nothing was captured.
        EvidenceCapture.objects.filter(
            incident_owner=incident.organization_id,
            incident_public_id=incident.public_id,
            state__in=("due", "failed"),
        ).exclude(request=wanted).update(request=wanted)


def _asked(incident: Incident) -> set[int]:
    """Return whose sources may learn by the questions which hosts it hit.

    Where hosts are only claimed, others' sources are not asked at all.
    """
    rows = IncidentSession.objects.filter(incident=incident).select_related("attempt")
    if not any(row.attempt.hosts_asserted for row in rows):
        return {incident.organization_id}
    # Of a shared incident no tenant's: its hosts would be told to the others.
    unseen = {"tenant"} if incident.kind == IncidentKind.SHARED else set[str]()
    return {
        each["organization"]
        for each in incident.parties
        if {*each["parts"]} & (SEES_SESSIONS - unseen)
    }


def _wanted(incident: Incident) -> dict[str, object]:
    assert incident.started_at is not None  # noqa: S101  narrowed by the only caller
    hosts: dict[str, None] = {}
    rows = IncidentSession.objects.filter(incident=incident).select_related("attempt")
    for row in rows.order_by("attempt_id"):
        hosts.update(dict.fromkeys(row.attempt.hosts))
    suspects = list(dict.fromkeys(c["host"] for c in incident.culprits if c["host"]))
    return {
        "starts_at": (incident.started_at - BEFORE).isoformat(),
        "ends_at": (incident.started_at + AFTER).isoformat(),
        "suspects": suspects[:SUSPECTS_AT_MOST],
        "mounts": [c["name"] for c in incident.culprits if c["kind"] in {"mount", "server"}],
        "switches": [c["name"] for c in incident.culprits if c["kind"] == "switch" and c["name"]],
        "attempt_hosts": list(hosts),
    }
