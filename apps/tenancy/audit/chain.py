"""A record whose entries seal each other: read all of it, or on from where it was proven last.

The point up to which a chain was proven is signed with the portal's keys, so that a chain whose end
was cut off, and a point that was set back, are found.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.core.signing import BadSignature, Signer

START = b"\x00" * 32
AT_ONCE = 20_000  # entries that a page reads while somebody waits for it


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainHead:
    """The last entry of a chain, as somebody who looked wrote it down."""

    sequence: int
    digest: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainVerification:
    """What reading said: entries after `since` up to `until` are whole, or one is `broken`."""

    since: int = 0
    since_at: datetime | None = None  # when those up to `since` were proven
    until: int = 0
    broken: int | None = None
    is_more: bool = False  # entries that were not reached
    is_cut: bool = False  # the broken one and those behind it are gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """One kind of chain: its links in rows with `sequence` and `digest`, and its signed points."""

    links: Callable[[int], Any]  # organization id → a query of its links
    digest_of: Callable[[Any, bytes], bytes]  # a link, and the digest of the one before it
    points: Any  # the model of its points: `sequence`, `digest`, `signature`, `proven_at`
    salt: str

    def check_all(
        self, *, organization_id: int, now: datetime, known: ChainHead | None = None
    ) -> ChainVerification:
        """Read all of it, and move its point to the end, or forget it. Needs the scope.

        A head that was known before must be in it still, as the one that the point remembers.
        """
        heads = [known] if known else []
        point = self._point(organization_id)
        if point is not None:
            heads.append(ChainHead(sequence=point.sequence, digest=bytes(point.digest)))
        found, digest = self._read(organization_id, after=0, former=START, most=None)
        found = self._beside_heads(organization_id, found, heads)
        if found.broken is None:
            self._keep(organization_id, sequence=found.until, digest=digest, now=now)
        elif not found.is_cut:
            # Else whoever reads on from it would be told that all is well.
            self.points.objects.for_organization(organization_id).delete()
        return found

    def check_on(
        self, *, organization_id: int, now: datetime, most: int = AT_ONCE
    ) -> ChainVerification:
        """Read on from the last point, not too much at once, and move it. Needs the scope."""
        point = self._point(organization_id)
        if point is not None and not self._stands(point):
            return ChainVerification(broken=point.sequence)
        after, former = (point.sequence, bytes(point.digest)) if point else (0, START)
        found, digest = self._read(organization_id, after=after, former=former, most=most)
        if found.broken is None and found.until > after:
            self._keep(organization_id, sequence=found.until, digest=digest, now=now)
        return ChainVerification(
            since=after,
            since_at=point.proven_at if point else None,
            until=found.until,
            broken=found.broken,
            is_more=found.is_more,
        )

    def head_of(self, *, organization_id: int) -> ChainHead | None:
        """Return the last link; None of an empty chain. Needs the scope."""
        last = self.links(organization_id).order_by("-sequence").first()
        return ChainHead(sequence=last.sequence, digest=bytes(last.digest)) if last else None

    def _read(
        self, organization_id: int, *, after: int, former: bytes, most: int | None
    ) -> tuple[ChainVerification, bytes]:
        """Return what reading said, and the digest of the last entry that is whole."""
        place = after
        rows = self.links(organization_id).order_by("sequence").filter(sequence__gt=after)
        wanted = rows[: most + 1] if most is not None else rows
        for link in wanted.iterator(chunk_size=1000):
            if place - after == most:
                return ChainVerification(until=place, is_more=True), former
            if link.sequence != place + 1 or not self._is_sealed(link, former):
                return ChainVerification(until=place, broken=place + 1), former
            former, place = bytes(link.digest), link.sequence
        return ChainVerification(until=place), former

    def _beside_heads(
        self, organization_id: int, found: ChainVerification, heads: list[ChainHead]
    ) -> ChainVerification:
        """Return what reading said beside what was known: that the end is gone, or is another."""
        if found.broken is not None:
            return found
        for head in heads:
            if head.sequence > found.until:
                first = found.until + 1
                return ChainVerification(until=found.until, broken=first, is_cut=True)
            link = self.links(organization_id).get(sequence=head.sequence)
            if bytes(link.digest) != head.digest:
                return ChainVerification(until=head.sequence - 1, broken=head.sequence)
        return found

    def _is_sealed(self, link: Any, former: bytes) -> bool:
        return bytes(link.digest) == self.digest_of(link, former)

    def _point(self, organization_id: int) -> Any:
        """Return the last point; one that this portal did not sign is none."""
        point: Any = self.points.objects.for_organization(organization_id).first()
        if point is None:
            return None
        try:
            self._signer().unsign(f"{_said(point)}:{point.signature}")
        except BadSignature:
            return None
        return point

    def _stands(self, point: Any) -> bool:
        """Say whether the point's own entry is still there as it was."""
        rows = self.links(point.organization_id)
        near = rows.filter(sequence__in=(point.sequence - 1, point.sequence))
        found = {link.sequence: link for link in near}
        link, before = found.get(point.sequence), found.get(point.sequence - 1)
        if link is None or (before is None and point.sequence > 1):
            return False
        former = bytes(before.digest) if before else START
        return bytes(link.digest) == bytes(point.digest) and self._is_sealed(link, former)

    def _keep(self, organization_id: int, *, sequence: int, digest: bytes, now: datetime) -> None:
        if not sequence:
            return
        point: Any = self.points(
            organization_id=organization_id, sequence=sequence, digest=digest, proven_at=now
        )
        self.points.objects.update_or_create(
            organization_id=organization_id,
            defaults={
                "sequence": sequence,
                "digest": digest,
                "proven_at": now,
                "signature": self._signer().signature(_said(point)),
            },
        )

    def _signer(self) -> Signer:
        return Signer(salt=self.salt)


def _said(point: Any) -> str:
    at = point.proven_at.astimezone(UTC).isoformat(timespec="microseconds")
    return f"{point.organization_id} {point.sequence} {bytes(point.digest).hex()} {at}"
