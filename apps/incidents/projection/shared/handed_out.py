"""What one read hands out of others' things: how many of which class, and a digest of it all."""

import hashlib
from collections import Counter, defaultdict

from apps.incidents.projection.shared_values import SharedAs
from apps.sharing.ledger.entries import INCIDENT, Ground, Look
from apps.sharing.ledger_kinds import GroundKind

Key = tuple[int, GroundKind, str, int]  # holder, what allowed it, its id, its version


def digest_of(shown: SharedAs, data: str, *told: object) -> bytes:
    """Return the same for the same thing, shown alike."""
    # In the order in which it was stored: things are many, and a digest compares days of looks.
    words = repr((data, str(shown.level), *told))
    return hashlib.sha256(words.encode()).digest()


class HandedOut:
    """Grows while a read goes on; one row of the ledger for each agreement or request."""

    def __init__(self) -> None:
        self._counts: defaultdict[Key, Counter[tuple[str, str]]] = defaultdict(Counter)
        self._digests: defaultdict[Key, list[bytes]] = defaultdict(list)

    def add(self, shown: SharedAs, data: str, *told: object) -> None:
        """Take one thing: how it is shown, its class, and what of it is told."""
        self.add_digest(shown, data, digest_of(shown, data, *told))

    def add_digest(self, shown: SharedAs, data: str, digest: bytes) -> None:
        """Take one thing of which it is known already what `digest_of` makes of it."""
        key = (
            (shown.holder.id, GroundKind.REQUEST, shown.request, 1)
            if shown.request
            else (shown.holder.id, GroundKind.AGREEMENT, shown.agreement, shown.version)
        )
        self._counts[key][data, str(shown.level)] += 1
        self._digests[key].append(digest)

    def looks(self, *, subject: str, subject_kind: str = INCIDENT) -> list[Look]:
        """Return what was handed out, by what allowed it. In which order it was does not matter."""
        return [
            Look(
                holder_id=key[0],
                ground=Ground(kind=key[1], public_id=key[2], version=key[3]),
                subject_kind=subject_kind,
                subject=subject,
                counts=counts,
                digest=hashlib.sha256(b"".join(sorted(self._digests[key]))).digest(),
            )
            for key, counts in self._counts.items()
        ]
