"""The match that all lines of a shape have: which signature, where, and what it says of the line
that is no number."""

from collections.abc import Sequence

from apps.diagnosis.logs.digit_blind import is_blind
from apps.diagnosis.patterns import Pattern, PatternMatch
from apps.diagnosis.signatures.lines.plain_progress import PlainProgress, VoicesRoom, plain_progress
from apps.diagnosis.signatures.load import Signature
from apps.diagnosis.signatures.match import SignatureMatch

NOTHING = PatternMatch(Pattern(""), b"", [(0, 0)])


class KnownMatch:
    """What matches the lines of a shape: signatures that go by digits, which each line is asked
    for, else the one that matches all of them with their prefixes on, or none.
    """

    __slots__ = ("_doubtful", "_pattern", "_signature", "_spans", "progress")

    def __init__(
        self,
        *,
        doubtful: Sequence[Signature],
        signature: Signature | None,
        found: PatternMatch,
        room: VoicesRoom,
    ) -> None:
        """`found` is the match of `signature` in the shape itself."""
        self._doubtful, self._signature = tuple(doubtful), signature
        self._pattern, self._spans = found.re, found.spans
        self.progress: PlainProgress | None = None
        if signature is not None:
            hit = SignatureMatch(signature, found, is_whole=True)
            self.progress = plain_progress(doubtful=doubtful, hit=hit, room=room)

    def of(self, line: bytes) -> SignatureMatch | None:
        """Return the match of a line."""
        for signature in self._doubtful:
            if found := signature.pattern.search_bytes(line):
                return SignatureMatch(signature, found, is_whole=True)
        if self._signature is None:
            return None
        return SignatureMatch(
            self._signature, PatternMatch(self._pattern, line, self._spans), is_whole=True
        )


def known_match(*, able: Sequence[Signature], shape: bytes, room: VoicesRoom) -> KnownMatch | None:
    """Return the match of a shape by the signatures that may match it, in the order in which they
    are tried; None where it can't be known."""
    doubtful: list[Signature] = []
    for signature in able:
        found = signature.pattern.search_bytes(shape)
        if is_blind(source=signature.source) and found:
            return KnownMatch(doubtful=doubtful, signature=signature, found=found, room=room)
        if signature.wants_start:  # it may match behind a prefix
            return None
        if not is_blind(source=signature.source):
            doubtful.append(signature)
    return KnownMatch(doubtful=doubtful, signature=None, found=NOTHING, room=room)
