"""Parts that were agreed, from when to when, and what an organization may say by them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from apps.fleet.authority.rules import PARTS, RANK, SenderStanding, Subject, standing_of
from apps.fleet.models import FormerParticipation, Participation, ParticipationRole


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A part that an organization has, or had, and from when to when."""

    organization_id: int
    part: ParticipationRole
    layers: tuple[str, ...] = ()
    agreed_at: datetime | None = None  # since when the operator takes its word
    since: datetime | None = None  # None: since ever
    until: datetime | None = None  # None: it goes on

    def holds(self, at: datetime | None) -> bool:
        """Say whether it held then; without a time, whether it holds."""
        if at is None:
            return self.until is None
        return (self.since is None or self.since <= at) and (self.until is None or at < self.until)

    def standing(self, *, subject: Subject, is_own: bool, at: datetime | None) -> SenderStanding:
        """Return what the word of this part is worth, that came in then."""
        agreed_at = self.agreed_at
        return standing_of(
            parts=(self.part,),
            layers=self.layers,
            subject=subject,
            is_own=is_own,
            is_agreed=agreed_at is not None and (at is None or agreed_at <= at),
        )


@dataclass(frozen=True, kw_only=True)
class Authority:
    """Who had which part in one cluster, and when: asked who may say what."""

    terms: tuple[Term, ...]

    def standing(
        self,
        *,
        organization_id: int,
        subject: Subject,
        is_own: bool = False,
        at: datetime | None = None,
    ) -> SenderStanding:
        """Return what an organization's word is worth that came in then; without a time, now."""
        held = [term for term in self._of.get(organization_id, ()) if term.holds(at)]
        found = [term.standing(subject=subject, is_own=is_own, at=at) for term in held]
        return max(found, key=RANK.__getitem__, default=SenderStanding.REFUSED)

    def asserts(
        self, *, organization_id: int, subject: Subject, at: datetime | None = None
    ) -> bool:
        """Say whether what an organization says of others' things counts for everybody."""
        said = self.standing(organization_id=organization_id, subject=subject, at=at)
        return said is SenderStanding.ASSERTED

    def parts(self, *, organization_id: int) -> tuple[ParticipationRole, ...]:
        """Return the parts that an organization has now."""
        held = {term.part for term in self._of.get(organization_id, ()) if term.holds(None)}
        return tuple(part for part in PARTS if part in held)

    def with_part(self, *parts: ParticipationRole) -> set[int]:
        """Return who has one of these parts now."""
        return {
            term.organization_id for term in self.terms if term.part in parts and term.holds(None)
        }

    def asserting(self, *subjects: Subject) -> dict[int, datetime | None]:
        """Return who asserts one of these, or did, and until when; None: still."""
        found: dict[int, datetime | None] = {}
        for term in self.terms:
            said = {term.standing(subject=subject, is_own=False, at=None) for subject in subjects}
            if SenderStanding.ASSERTED in said:
                ends = [found.get(term.organization_id, term.until), term.until]
                known = [each for each in ends if each is not None]
                found[term.organization_id] = max(known) if len(known) == len(ends) else None
        return found

    @cached_property
    def _of(self) -> dict[int, list[Term]]:
        found: dict[int, list[Term]] = {}
        for term in self.terms:
            found.setdefault(term.organization_id, []).append(term)
        return found


def authority_of(*, cluster_id: int | None) -> Authority:
    """Return who may say what in a cluster, of those whose scope is open. None: an upload."""
    if cluster_id is None:
        return Authority(terms=())
    now = Participation.objects.filter(cluster=cluster_id).order_by("id")
    before = FormerParticipation.objects.filter(cluster=cluster_id).order_by("id")
    return Authority(terms=(*(_term(row, None) for row in now), *_ended(before)))


def _ended(rows: Iterable[FormerParticipation]) -> list[Term]:
    return [_term(row, row.until) for row in rows]


def _term(row: Participation | FormerParticipation, until: datetime | None) -> Term:
    return Term(
        organization_id=row.organization_id,
        part=ParticipationRole(row.part),
        layers=tuple(row.layers),
        agreed_at=row.hosts_agreed_at,
        since=row.since,
        until=until,
    )
