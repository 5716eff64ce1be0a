"""What those who send lines may say of an attempt: by their parts in its cluster."""

from dataclasses import dataclass
from datetime import datetime

from apps.diagnosis.model import Stream
from apps.fleet.authority.agreed_terms import Authority
from apps.fleet.authority.rules import SenderStanding, Subject, subject_of
from apps.fleet.models import Attempt
from apps.telemetry.attempts.line_subjects import PHYSICAL
from apps.telemetry.models import LogStream

OF_VENDORS = PHYSICAL | {Stream.ALERTS}


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSenders:
    """Who may say what of one attempt."""

    attempt: Attempt
    authority: Authority

    def is_own(self, stream: LogStream) -> bool:
        """Say whether the attempt's own organization sends a stream."""
        return stream.organization_id == self.attempt.organization_id

    def asserts(self, organization_id: int, subject: Subject, at: datetime | None) -> bool:
        """Say whether an organization's word on a subject was a fact for this attempt then."""
        is_own = organization_id == self.attempt.organization_id
        standing = self.authority.standing(
            organization_id=organization_id, subject=subject, is_own=is_own, at=at
        )
        return standing is SenderStanding.ASSERTED

    def is_worth(self, stream: LogStream, subject: Subject, at: datetime | None) -> bool:
        """Say whether a stream counts on a subject: as a fact, or as the attempt's own claim."""
        return self.asserts(stream.organization_id, subject, at) or self.is_own(stream)

    def ever_asserted(self, stream: LogStream) -> bool:
        """Say whether its sender asserts such lines, or did: which of them count is asked later."""
        layers = ("", "network", "storage") if stream.kind == Stream.ALERTS else ("",)
        subjects = {subject_of(stream=stream.kind or Stream.SESSION, layer=each) for each in layers}
        return stream.organization_id in self.authority.asserting(*subjects)

    def is_vendor(self, stream: LogStream, at: datetime | None) -> bool:
        """Say whether who sends such a stream supplies parts, and did not run the cluster then."""
        if stream.kind not in OF_VENDORS or self.is_own(stream):
            return False
        return not self.runs_cluster(stream.organization_id, at)

    def runs_cluster(self, organization_id: int, at: datetime | None) -> bool:
        """Say whether an organization ran the cluster then."""
        return self.authority.asserts(organization_id=organization_id, subject=Subject.NODES, at=at)

    def runs_hosts(self, organization_id: int, at: datetime | None) -> bool:
        """Say whether an organization ran the cluster's hosts then."""
        return self.authority.asserts(organization_id=organization_id, subject=Subject.HOST, at=at)
