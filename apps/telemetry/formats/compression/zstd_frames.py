"""Whether a zstd stream is whole: the bounded reader ends silently where bytes are missing.

Layout: RFC 8878, sections 3.1.1 and 3.1.2.
"""

from collections.abc import Generator

SKIPPABLE = range(0x184D2A50, 0x184D2A60)
CONTENT_SIZE_BYTES = (0, 2, 4, 8)
DICTIONARY_BYTES = (0, 1, 2, 4)
RUN_LENGTH_BLOCK = 1
HEADER_BYTES = 5  # no header step asks for more; larger steps are skipped, not kept


class Frames:
    """Walks over frames and blocks without unpacking them."""

    def __init__(self) -> None:
        self._walk = self._steps()
        self._missing = next(self._walk)
        self._held = b""
        self.is_whole = True

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        at = 0
        while at < len(data):
            step = min(self._missing, len(data) - at)
            if len(self._held) < HEADER_BYTES:
                self._held += data[at : at + min(step, HEADER_BYTES)]
            at += step
            self._missing -= step
            self.is_whole = False
            while not self._missing:
                held, self._held = self._held, b""
                self._missing = self._walk.send(held)

    def _steps(self) -> Generator[int, bytes, None]:
        """Ask for a number of bytes, get the first few of them, forever."""
        while True:
            magic = int.from_bytes((yield 4), "little")
            if magic in SKIPPABLE:
                yield int.from_bytes((yield 4), "little")
            else:
                yield from self._frame()
            self.is_whole = True

    def _frame(self) -> Generator[int, bytes, None]:
        descriptor = (yield 1)[0]
        is_single = bool(descriptor & 0x20)
        size = CONTENT_SIZE_BYTES[descriptor >> 6] or int(is_single)
        yield size + DICTIONARY_BYTES[descriptor & 3] + (0 if is_single else 1)
        is_last = False
        while not is_last:
            header = int.from_bytes((yield 3), "little")
            is_last = bool(header & 1)
            yield 1 if (header >> 1) & 3 == RUN_LENGTH_BLOCK else header >> 3
        if descriptor & 4:
            yield 4
