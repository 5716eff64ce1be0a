"""UTF-16 with its mark → UTF-8, in bounded memory: what PowerShell and some editors save."""

import codecs
import io
from typing import IO, Any

MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MARK_BYTES = 2


def as_utf8(raw: IO[bytes]) -> IO[bytes]:
    """Return a reader of UTF-8; of what does not begin with a mark of UTF-16, `raw` itself."""
    if not isinstance(raw, io.BufferedReader):
        return raw
    is_marked = raw.peek(MARK_BYTES)[:MARK_BYTES] in MARKS
    return io.BufferedReader(_Recoded(raw)) if is_marked else raw


class _Recoded(io.RawIOBase):
    """Reads half of what is asked for: two bytes become three at most."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data, text = b"begin", ""
        while data and not text:
            data = self._raw.read(len(buffer) // 2)
            text = self._decoder.decode(data, final=not data)
        plain = text.encode("utf-8", errors="replace")
        buffer[: len(plain)] = plain
        return len(plain)
