"""The match that all lines of a shape have: which signature, where, and what it says of the line
that is no number."""

from collections.abc import Sequence

from apps.diagnosis.logs.identity import MARK
from apps.diagnosis.model import Role
from apps.diagnosis.patterns import NOWHERE, Pattern, PatternMatch, Span
from apps.diagnosis.signatures.digit_blind import is_blind
from apps.diagnosis.signatures.lines import lost_loss
from apps.diagnosis.signatures.lines.host_lines import program_signatures
from apps.diagnosis.signatures.lines.line_sender import CHANGING, voice_of
from apps.diagnosis.signatures.load import Signature
from apps.diagnosis.signatures.match import SignatureMatch
from apps.diagnosis.signatures.progress.step_times import RESTARTS, Voice

ZERO = "0"  # any digit, in a shape
MOST_VOICES = 1000  # of one shape that are remembered
# Of all shapes of a process, with what a voice takes beside its letters; then all are learnt anew.
VOICE_BYTES, MOST_BYTES = 400, 16 << 20
NOTHING = PatternMatch(Pattern(""), b"", [(0, 0)])


class VoicesRoom:
    """The room of the voices that all matches remember."""

    def __init__(self) -> None:
        self._kept: list[dict[bytes, Voice]] = []
        self._bytes = 0

    def keep(self, voices: dict[bytes, Voice], *, said: bytes, voice: Voice) -> None:
        """Remember a voice among those of its shape."""
        size = 2 * len(said) + VOICE_BYTES  # it holds what tells it
        if self._bytes + size > MOST_BYTES:
            for each in self._kept:
                each.clear()
            self._kept.clear()
            self._bytes = 0
        if not voices:
            self._kept.append(voices)
        voices[said] = voice
        self._bytes += size


class KnownMatch:
    """What matches the lines of a shape: signatures that go by digits, which each line is asked
    for, else the one that matches all of them with their prefixes on, or none.
    """

    __slots__ = (
        *("_doubtful", "_is_plain", "_pattern", "_signature", "_spans"),
        *("_room", "_telling", "_voice", "_voices"),
    )

    def __init__(
        self,
        *,
        doubtful: Sequence[Signature],
        signature: Signature | None,
        found: PatternMatch,
        room: VoicesRoom,
    ) -> None:
        """`found` is the match of `signature` in the shape itself."""
        self._doubtful, self._signature, self._spans = tuple(doubtful), signature, found.spans
        self._pattern, self._is_plain = found.re, False
        self._voice: Voice | None = None  # of all lines
        self._voices: dict[bytes, Voice] = {}  # or by what tells it
        self._room = room
        self._telling: Sequence[Span] = ()
        if signature is None:
            return
        hit = SignatureMatch(signature, found, is_whole=True)
        kept = _kept(found) if _is_plain(hit) else None
        self._is_plain = kept is not None
        speaker = [self._spans[found.re.groupindex[name]] for name in signature.speaker]
        self._telling = [span for span in (*(kept or ()), *speaker) if span != NOWHERE]
        if self._is_plain and not any(ZERO in str(found.part(span)) for span in self._telling):
            self._voice = voice_of(hit)

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

    def voice(self, hit: SignatureMatch, line: bytes) -> Voice | None:
        """Return who told of a progress of which only the latest counts, as `voice_of` says it;
        None for any other match."""
        if not self._is_plain or hit.signature is not self._signature:
            return None
        if self._voice is not None:
            return self._voice
        said = b"".join([line[start:end] for start, end in self._telling])
        voice = self._voices.get(said)
        if voice is None:
            voice = voice_of(hit)
            if len(self._voices) < MOST_VOICES:
                self._room.keep(self._voices, said=said, voice=voice)
        return voice


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


def _kept(found: PatternMatch) -> list[Span] | None:
    """Return what of the prefix tells the voice, None where characters are no bytes."""
    before = found.before
    if not before.isascii():
        return None
    edges = [0, *(edge for gone in CHANGING.finditer(before) for edge in gone.span()), len(before)]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _is_plain(hit: SignatureMatch) -> bool:
    signature, found = hit.signature, hit.found
    if signature.role is not Role.PROGRESS or signature.once_per or MARK in found.string:
        return False
    if signature.key in RESTARTS or signature.key in program_signatures():
        return False
    said = found.groupdict()
    # A norm that is no number is a loss that is lost where that is zero.
    names = ("loss", "grad_norm") if "loss" in said else ()
    return not any(str(said.get(name)).lower() in lost_loss.NO_NUMBERS for name in names)
