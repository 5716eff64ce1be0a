"""Lines of progress of one shape of which only the latest of each voice counts: who told them and
what they say of a step stands in known places, and they are parsed only if something asks for it.
"""

from collections.abc import Callable, Sequence

from apps.diagnosis.logs.identity import MARK
from apps.diagnosis.model import LogLine, Role
from apps.diagnosis.patterns import NOWHERE, PatternMatch, Span
from apps.diagnosis.signatures.lines import lost_loss
from apps.diagnosis.signatures.lines.host_lines import program_signatures
from apps.diagnosis.signatures.lines.lazy_line import Read
from apps.diagnosis.signatures.lines.line_sender import CHANGING, voice_of
from apps.diagnosis.signatures.load import Signature
from apps.diagnosis.signatures.match import SignatureMatch
from apps.diagnosis.signatures.progress.step_places import StepPlaces, places_in
from apps.diagnosis.signatures.progress.step_times import RESTARTS, Voice

ZERO = "0"  # any digit, in a shape
MOST_VOICES = 1000  # of one shape that are remembered
# Of all shapes of a process, with what a voice takes beside its letters; then all are learnt anew.
VOICE_BYTES, MOST_BYTES = 400, 16 << 20


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


class PlainProgress:
    """The lines of such a shape, unless a signature of `doubtful`, which go by digits, says more
    of one.
    """

    __slots__ = (
        *("_doubtful", "_found", "_places", "_room"),
        *("_signature", "_telling", "_voice", "_voices"),
    )

    def __init__(
        self,
        *,
        doubtful: Sequence[Signature],
        hit: SignatureMatch,
        kept: Sequence[Span],
        room: VoicesRoom,
    ) -> None:
        """`hit` is the match in the shape itself, of whose prefix `kept` tells the voice."""
        self._doubtful, self._signature, self._found = tuple(doubtful), hit.signature, hit.found
        self._room = room
        self._places: StepPlaces | None = None  # until they are asked for
        self._voice: Voice | None = None  # of all lines
        self._voices: dict[bytes, Voice] = {}  # or by what tells it
        found = self._found
        speaker = [found.spans[found.re.groupindex[name]] for name in hit.signature.speaker]
        self._telling = [span for span in (*kept, *speaker) if span != NOWHERE]
        if not any(ZERO in str(found.part(span)) for span in self._telling):
            self._voice = voice_of(hit)

    def voice(self, line: bytes) -> Voice | None:
        """Return who told a line, as `voice_of` says it; None where another signature matches."""
        for one in self._doubtful:
            if one.pattern.search_bytes(line):
                return None
        if self._voice is not None:
            return self._voice
        said = b"".join([line[start:end] for start, end in self._telling])
        voice = self._voices.get(said)
        if voice is None:
            voice = voice_of(self.hit(line))
            if len(self._voices) < MOST_VOICES:
                self._room.keep(self._voices, said=said, voice=voice)
        return voice

    def hit(self, line: bytes) -> SignatureMatch:
        """Return the match of a line that has a voice."""
        found = PatternMatch(self._found.re, line, self._found.spans)
        return SignatureMatch(self._signature, found, is_whole=True)

    def places(self) -> StepPlaces:
        """Return where lines say what of their step."""
        if self._places is None:
            self._places = places_in(self._found)
        return self._places


# Takes a line: its 0-based index, its text, what is known of it and who told it.
Stepped = Callable[[int, bytes, PlainProgress, Voice], None]
# The same of a voice whose lines are read together.
QueuedStep = tuple[int, bytes, PlainProgress]


class KnownStep:
    """A line of progress that waits to be parsed."""

    __slots__ = ("_read", "index", "progress", "text")

    def __init__(self, read: Read, index: int, text: bytes, progress: PlainProgress) -> None:
        self._read, self.index, self.text, self.progress = read, index, text, progress

    def hit(self) -> SignatureMatch:
        """Return its match."""
        return self.progress.hit(self.text)

    def shown(self) -> str:
        """Return it as people read it."""
        return self.text.decode("utf-8", "replace")

    def line(self) -> LogLine:
        """Return it parsed."""
        return self._read(self.index, self.shown())


def plain_progress(
    *, doubtful: Sequence[Signature], hit: SignatureMatch, room: VoicesRoom
) -> PlainProgress | None:
    """Return what is known of progress whose shape has a match, None for anything else."""
    kept = _kept(hit.found) if _is_plain(hit) else None
    if kept is None:
        return None
    return PlainProgress(doubtful=doubtful, hit=hit, kept=kept, room=room)


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
