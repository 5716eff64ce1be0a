"""Compressed bytes → plain ones, in bounded memory; a torn stream ends where it breaks."""

import io
import tarfile
import zlib
from typing import IO, Any

import zstandard

CHUNK_BYTES = 4 * 1024 * 1024
# A file that grows by more than this is an attack or a mistake, not a log.
MOST_EXPANSION = 2000
MOST_BYTES = 256 * 1024**3
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def most_bytes(*, size: int) -> int:
    """Return how much a file of so many bytes may unfold to."""
    return min(MOST_BYTES, size * MOST_EXPANSION + CHUNK_BYTES)


def decompressed(raw: IO[bytes], size: int | None) -> IO[bytes]:
    """Return a reader of the plain bytes; a torn or bombed stream ends where it breaks."""
    buffered = raw if isinstance(raw, io.BufferedReader) else guarded(raw)
    start = buffered.peek(4)[:4]
    most = most_bytes(size=size) if size else MOST_BYTES
    if start.startswith(GZIP):
        return io.BufferedReader(_Limited(_Gunzip(buffered), most))
    if start.startswith(ZSTD):
        reader = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(
            buffered, read_across_frames=True
        )
        return io.BufferedReader(_Limited(reader, most))
    return buffered


def guarded(raw: IO[bytes], *, most: int | None = None) -> io.BufferedReader:
    """Return a reader of what can be read, of `most` bytes of it; closing it leaves `raw` open."""
    return io.BufferedReader(_Limited(raw, most))


class _Gunzip(io.RawIOBase):
    """gzip of any number of members, ending quietly where the stream is torn."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw, self._state, self._left = raw, zlib.decompressobj(wbits=31), b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        wanted = CHUNK_BYTES if size < 0 else size
        while True:
            compressed = self._left or self._raw.read(64 * 1024)
            if not compressed:
                return b""
            try:
                plain = self._state.decompress(compressed, wanted)
            except zlib.error:
                self._left = b""
                return b""
            self._left = self._state.unconsumed_tail
            if self._state.eof:
                self._left = self._state.unused_data
                self._state = zlib.decompressobj(wbits=31)
            if plain:
                return plain


class _Limited(io.RawIOBase):
    """A reader that stops at a number of bytes and at the first broken block."""

    def __init__(self, raw: Any, most: int | None) -> None:
        self._raw, self._left = raw, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        wanted = len(buffer) if self._left is None else min(len(buffer), self._left)
        try:
            piece = self._raw.read(wanted) if wanted else b""
        except (zstandard.ZstdError, tarfile.TarError, EOFError, OSError):
            return 0
        buffer[: len(piece)] = piece
        if self._left is not None:
            self._left -= len(piece)
        return len(piece)
