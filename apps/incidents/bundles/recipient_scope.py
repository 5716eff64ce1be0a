"""What of an incident may go to a tenant where other tenants may have been hit, too."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from apps.incidents.models import EvidenceItem, Incident
from apps.incidents.projection.access import sessions_of
from apps.incidents.projection.reader_scope import AttemptImpact, hit_of
from apps.incidents.projection.shared.reader_place import own_spans
from apps.sharing.grant_values import SessionSpan
from apps.tenancy.models import Organization


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipientScope:
    """The sessions of one of several tenants, as far as the holder may see them.

    A holder that may know of none of them (a vendor) gives what it has of no host: that is of the
    part that all of them share.
    """

    spans: tuple[SessionSpan, ...]
    hits: tuple[AttemptImpact, ...]
    attempts: dict[int, int] = field(default_factory=dict)  # evidence → attempt it was told for

    def concerns(self, *, host: str, at: datetime | None, evidence: int | None = None) -> bool:
        """Say whether a thing is of the tenant's own sessions, or of what they stand on."""
        if not self.spans:
            return not host
        attempt = self.attempts.get(evidence or 0)
        if attempt is not None:
            return any(each.attempt_id == attempt for each in self.spans)
        return any(each.covers(host=host, at=at) for each in self.spans)

    def times(self, told: Sequence[datetime | None]) -> tuple[datetime, datetime] | None:
        """Return from when to when it lasted for the tenant; None: nothing tells.

        `told` are times of what goes: they count where the sessions tell nothing.
        """
        started = [each.started_at or each.detected_at for each in self.hits]
        newest = [each.newest_evidence_at for each in self.hits]
        known = [each for each in (*started, *newest) if each is not None]
        known = known or [each for each in told if each is not None]
        return (min(known), max(known)) if known else None


def recipient_scope(*, holder: Organization, incident: Incident, tenant_id: int) -> RecipientScope:
    """Return what concerns a tenant of an incident. Needs the holder's scope."""
    own = EvidenceItem.objects.for_organization(holder).filter(incident=incident)
    rows = [row for row in sessions_of(incident=incident) if row.organization_id == tenant_id]
    return RecipientScope(
        spans=own_spans(incident, tenant_id),
        hits=tuple(
            hit_of(conclusion=row.conclusion, detected_at=incident.detected_at) for row in rows
        ),
        attempts=dict(own.exclude(attempt=None).values_list("pk", "attempt_id")),
    )
