"""Which lines an organization's part lets it send to a cluster: asked at the door of all lines."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from apps.fleet.authority.agreed_terms import Authority, authority_of
from apps.fleet.authority.rules import SenderStanding, Subject, refusal, subject_of
from apps.fleet.models import Cluster
from apps.fleet.parties.cross_party_audit import NAMES_AT_MOST, enter, refuse
from apps.telemetry.formats import labels as naming
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.tenancy.models import Organization


@dataclass(slots=True, kw_only=True)
class LineFilter:
    """Lets through what a part may send, and remembers what it did not."""

    organization_id: int
    cluster_id: int | None
    authority: Authority
    complaints: Complaints
    names: dict[Subject, set[str]] = field(default_factory=dict)  # of sessions, by what it was

    def pieces(self, found: Iterable[LinePiece]) -> Iterator[LinePiece]:
        """Yield the pieces that are taken; the others become complaints."""
        for piece in found:
            subject = subject_of_labels(piece)
            if self.cluster_id is None or self._may(subject):
                yield piece
            else:
                self._refuse(piece, subject)

    def _may(self, subject: Subject) -> bool:
        said = self.authority.standing(
            organization_id=self.organization_id, subject=subject, is_own=True
        )
        return said is not SenderStanding.REFUSED

    def _refuse(self, piece: LinePiece, subject: Subject) -> None:
        parts = self.authority.parts(organization_id=self.organization_id)
        self.complaints.refuse(count=piece.line_count, detail=refusal(parts=parts, subject=subject))
        names = self.names.setdefault(subject, set())
        if len(names) < NAMES_AT_MOST:
            names.add(naming.place(labels=piece.labels).session)

    def enter(self, *, now: datetime) -> None:
        """Enter what was refused, for both sides' records. Needs the organization's scope."""
        if not self.names or self.cluster_id is None:
            return
        by = Organization.objects.get(pk=self.organization_id)
        cluster = Cluster.objects.get(pk=self.cluster_id)
        crossings = [
            refuse(by=by, cluster=cluster, what=subject, names=names, now=now)
            for subject, names in sorted(self.names.items())
        ]
        enter(crossings=crossings, now=now)


def sifted(*, organization_id: int, cluster_id: int | None, complaints: Complaints) -> LineFilter:
    """Return what lets through an organization's lines to a cluster. Needs its scope."""
    return LineFilter(
        organization_id=organization_id,
        cluster_id=cluster_id,
        authority=authority_of(cluster_id=cluster_id),
        complaints=complaints,
    )


def subject_of_labels(piece: LinePiece) -> Subject:
    """Return what labels say lines are; without a kind those of a session are its log."""
    place = naming.place(labels=piece.labels)
    return subject_of(stream=place.stream or ("session" if place.session else ""))
