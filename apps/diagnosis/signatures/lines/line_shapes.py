"""Lines by their shape, which is their text with a zero for each digit: what is known of one line
holds for all of its shape.

Logs repeat a few shapes without end. Most say nothing to any signature, which is proved once, by
patterns that are wider than those of the signatures: such a line is passed at the cost of a look
into a set. Of others it is known which signature matches, and where.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from apps.diagnosis.logs.digit_blind import folded, widened
from apps.diagnosis.logs.parse import shown_lines
from apps.diagnosis.model import Role
from apps.diagnosis.signatures.lines.known_match import KnownMatch, known_match
from apps.diagnosis.signatures.lines.plain_progress import PlainProgress, VoicesRoom
from apps.diagnosis.signatures.load import Signature
from apps.diagnosis.signatures.match import Candidates, SignatureMatcher
from apps.diagnosis.signatures.open_records import OPENERS

# Of one process, with what a shape takes beside its letters; then all is learnt anew.
MOST_BYTES, ENTRY_BYTES = 16 << 20, 400
# Longer lines rarely repeat their shape.
LONGEST = 2048
# Of a shape that meets more signatures nothing is learnt.
MOST_CANDIDATES = 40
# What makes several lines of one, or a line matter that no signature matches.
ODD = ("#000", "\r", "\x1b", "\0", *OPENERS)


@dataclass(slots=True)
class LineShape:
    """What is known of the lines of a shape that may match a signature."""

    met: Candidates  # whose literal stands in any of them
    is_exact: bool  # or rather in all of them
    was_met: bool = False
    is_learnt: bool = False
    match: KnownMatch | None = None  # None: not known
    progress: PlainProgress | None = None  # that of its match

    @property
    def candidates(self) -> Candidates | None:
        """Return the candidates of each of its lines, None where each has its own."""
        return self.met if self.is_exact else None


class LineShapes:
    """The shapes that a matcher met, in bounded memory."""

    def __init__(self, *, matcher: SignatureMatcher) -> None:
        self._catalog = matcher.catalog
        blind = {key: _blind(one) for key, one in self._catalog.items()}
        self._exact = frozenset(
            key for key, one in self._catalog.items() if one.literals == blind[key].literals
        )
        self._blind = SignatureMatcher(catalog=blind, may_accelerate=matcher.may_accelerate)
        self._quiet: set[bytes] = set()
        self._loud: dict[bytes, LineShape] = {}
        self._bytes, self._voices = 0, VoicesRoom()

    def prepare(self) -> None:
        """Get ready for much text."""
        self._blind.prepare_bulk_search()

    def loud(self, *, shapes: Sequence[bytes]) -> list[int]:
        """Return the 0-based numbers of the lines that may match a signature, by their shapes."""
        quiet, known = self._quiet, self._loud
        found = [index for index, shape in enumerate(shapes) if shape not in quiet]
        loud = dict.fromkeys(map(shapes.__getitem__, found))
        new = [shape for shape in loud if shape not in known]
        if not new:
            return found
        silent = self._met(new)
        return [index for index in found if shapes[index] not in silent]

    def known(self, *, shape: bytes) -> LineShape | None:
        """Return what is known of a line that may match, None for nothing."""
        known = self._loud.get(shape)
        if known is None or known.is_learnt:
            return known
        if known.was_met:  # most that stand there once never do again
            self._learn(shape, known)
        known.was_met = True
        return None if shape in self._quiet else known

    def is_quiet(self, *, shape: bytes) -> bool:
        """Say whether no line of a shape matches."""
        return shape in self._quiet

    def _met(self, new: Sequence[bytes]) -> set[bytes]:
        """Note shapes that were not met before, and return those that hold no literal."""
        silent = set(new)
        starts = [length + index for index, length in enumerate(accumulate(map(len, new)))]
        place = 0
        for start, _, candidates in self._blind.lines(data=b"\n".join(new)):
            while starts[place] < start:
                place += 1
            shape = new[place]
            silent.discard(shape)
            if len(candidates) <= MOST_CANDIDATES and self._has_room(shape):
                met = tuple(self._catalog[each.key] for each in candidates)
                is_exact = all(each.key in self._exact for each in met)
                self._loud[shape] = LineShape(met=met, is_exact=is_exact)
        self._quiet.update(shape for shape in silent if self._has_room(shape))
        return silent

    def _has_room(self, shape: bytes) -> bool:
        if len(shape) > LONGEST:
            return False
        self._bytes += len(shape) + ENTRY_BYTES
        if self._bytes > MOST_BYTES:
            self._quiet.clear()
            self._loud.clear()
            self._bytes = 0
        return True

    def _learn(self, shape: bytes, known: LineShape) -> None:
        """Find out whether any line of a shape can match, or which signature matches all."""
        known.is_learnt = True
        text = shape.decode("utf-8", "replace")
        if any(word in text for word in ODD):
            return
        if tuple(shown_lines(raw=text)) != (text,):
            return
        able = [one for one in known.met if _may_match(one, shape)]
        if not able:
            del self._loud[shape]
            self._quiet.add(shape)
        elif known.is_exact or self._exact.issuperset(one.key for one in able):
            known.match = known_match(able=able, shape=shape, room=self._voices)
            known.progress = known.match.progress if known.match else None
            # Only whether the first tells of progress is asked for.
            if known.match and all(one.role is not Role.PROGRESS for one in known.met):
                known.is_exact = True


def cut(data: bytes, *, size: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of blocks of whole lines of about `size` bytes, without the line feed
    between them."""
    position = 0
    while position <= len(data):
        end = data.find(b"\n", position + size)
        end = len(data) if end < 0 else end
        yield position, end
        position = end + 1


def _blind(signature: Signature) -> Signature:
    words = (folded(word.encode()).decode() for word in signature.literals)
    return replace(signature, literals=tuple(dict.fromkeys(words)))


def _may_match(signature: Signature, shape: bytes) -> bool:
    wide = widened(source=signature.source, is_anywhere=signature.wants_start)
    return wide.search_bytes(shape) is not None


@lru_cache(maxsize=2)
def shapes_of(matcher: SignatureMatcher) -> LineShapes:
    """Return the shapes of a matcher, kept as long as it reads."""
    return LineShapes(matcher=matcher)
