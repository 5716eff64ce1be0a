"""What a process tells once: set-up facts that it repeats for each channel."""

import zlib
from collections.abc import Hashable, Iterable

from apps.diagnosis.model import Event
from apps.diagnosis.signatures.lines.line_sender import repeat_of
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.match import SignatureMatch
from apps.diagnosis.signatures.reader_state import SEEN_LIMIT, LearntPrefix

# A shortcut only: what is forgotten is parsed once more.
REPEAT_LIMIT = 20_000


class ToldOnce:
    """What was told so far: it is added to `seen`, the oldest first.

    `learnt` is what was learnt of prefixes since it went on.
    """

    def __init__(self) -> None:
        self._seen: dict[int, None] = {}
        self._by_prefix: dict[Hashable, int] = {}
        self.learnt: list[LearntPrefix] = []

    def go_on(self, *, seen: dict[int, None], known: Iterable[LearntPrefix]) -> None:
        """Go on with what is in `seen`, and with what others learnt meanwhile."""
        self._seen, self.learnt = seen, []
        for each in known:
            if each is None:
                self._by_prefix.clear()
            else:
                self._by_prefix[each[0]] = each[1]

    def is_repeated(self, *, hit: SignatureMatch) -> bool:
        """Return whether the same process said the same before, by its unparsed prefix."""
        if not hit.signature.once_per:
            return False
        key = self._by_prefix.get(repeat_of(hit))
        return key is not None and key in self._seen

    def is_new(self, *, event: Event, hit: SignatureMatch | None) -> bool:
        """Return whether an event is told; of what is told once per process, the first."""
        names = load_catalog()[event.signature].once_per
        if not names:
            return True
        said = (event.signature, event.line.host, event.line.pid, event.line.rank)
        values = tuple(event.fields.get(name) for name in names)
        key = zlib.crc32(repr((said, values)).encode())
        if hit is not None and hit.prefix is not None and len(self._by_prefix) < REPEAT_LIMIT:
            repeat = repeat_of(hit)
            if self._by_prefix.get(repeat) != key:
                self._by_prefix[repeat] = key
                self.learnt.append((repeat, key))
        if key in self._seen:
            return False
        self._seen[key] = None
        if len(self._seen) > SEEN_LIMIT:
            del self._seen[next(iter(self._seen))]
        return True

    def forget_prefixes(self) -> None:
        """Know nobody by a prefix any more: whose it is has changed."""
        self._by_prefix.clear()
        self.learnt = [None]
