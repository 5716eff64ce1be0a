"""Transfer codings → bytes, a bounded amount at a time."""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import cramjam
import zstandard

from apps.telemetry.formats.compression.zstd_frames import Frames
from apps.telemetry.formats.lines.complaints import NothingUsable, TooBig, Torn

STEP_BYTES = 256 * 1024
# What the command line uses up to level 19; a frame that wants more is refused beforehand.
ZSTD_WINDOW_BYTES = 8 * 2**20
GZIP_MAGIC = b"\x1f\x8b"
# Far more than files that were put together, or packed block by block, have.
MEMBERS_LIMIT = 200_000
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class Readable(Protocol):
    """A body that can be read bit by bit."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, none at the end."""


@dataclass(slots=True, kw_only=True)
class UnpackBudget:
    """What several bodies may unpack to together."""

    limit: int
    taken: int = 0

    def counted(self, *, source: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the bytes; raise TooBig past the limit."""
        for data in source:
            self.taken += len(data)
            if self.taken > self.limit:
                raise TooBig(f"the body unpacks to more than {self.limit} bytes; send it in parts")
            yield data


class IteratorFile:
    """Lets what reads a file read an iterator, no more of it at a time than is asked for."""

    def __init__(self, *, source: Iterator[bytes]) -> None:
        self._source, self._rest = source, b""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, none at the end."""
        data = self._rest or next(self._source, b"")
        self._rest = data[size:]
        return data[:size]


def steps(*, body: Readable, limit: int) -> Iterator[bytes]:
    """Yield a body as it arrives; raise TooBig past the limit."""
    taken = 0
    while data := body.read(STEP_BYTES):
        taken += len(data)
        if taken > limit:
            raise TooBig(f"the body is larger than {limit} bytes; send it in parts")
        yield data


def decoded(*, source: Iterable[bytes], coding: str, limit: int) -> Iterator[bytes]:
    """Yield what a coding holds; raise TooBig past the limit, Torn where it breaks."""
    taken = 0
    for data in DECODERS[coding](source):
        taken += len(data)
        if taken > limit:
            raise TooBig(f"the body unpacks to more than {limit} bytes; send it in parts")
        yield data


def recognized(*, source: Iterable[bytes]) -> tuple[str, Iterator[bytes]]:
    """Return the coding that the first bytes show, and the bytes, none lost."""
    stream = iter(source)
    head = b""
    while len(head) < len(ZSTD_MAGIC):
        data = next(stream, b"")
        if not data:
            break
        head += data
    return _by_magic(head), _chained(head, stream)


def unsnapped(*, body: bytes, limit: int) -> bytes:
    """Return what a raw snappy block holds; its announced size is looked at beforehand."""
    try:
        announced = cramjam.snappy.decompress_raw_len(body[:10])
    except cramjam.DecompressionError as error:
        raise NothingUsable("the body is no snappy block") from error
    if announced > limit:
        raise TooBig(f"the snappy block announces {announced} bytes; at most {limit} are taken")
    try:
        return bytes(cramjam.snappy.decompress_raw(body))
    except cramjam.DecompressionError as error:
        raise NothingUsable("the snappy block is torn") from error


def _by_magic(head: bytes) -> str:
    if head.startswith(GZIP_MAGIC):
        return "gzip"
    return "zstd" if head.startswith(ZSTD_MAGIC) else "identity"


def _chained(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if head:
        yield head
    yield from rest


def _identity(source: Iterable[bytes]) -> Iterator[bytes]:
    yield from source


def _gzip(source: Iterable[bytes]) -> Iterator[bytes]:
    """Read one gzip member after the other."""
    member = zlib.decompressobj(wbits=31)
    is_begun = False
    member_count = 0
    for data in source:
        waiting = data
        while waiting:
            is_begun = True
            try:
                text = member.decompress(waiting, STEP_BYTES)
            except zlib.error as error:
                raise Torn("the gzip stream is corrupt from here on") from error
            if text:
                yield text
            waiting = member.unconsumed_tail
            if member.eof:
                waiting = member.unused_data.lstrip(b"\0")
                member, is_begun = zlib.decompressobj(wbits=31), False
                member_count += 1
                if member_count > MEMBERS_LIMIT:
                    raise TooBig(f"the body has more than {MEMBERS_LIMIT} gzip members")
    if is_begun:
        raise Torn("the gzip stream ends too early")


def _zstd(source: Iterable[bytes]) -> Iterator[bytes]:
    frames = Frames()
    decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES)
    try:
        with decompressor.stream_reader(
            _Joined(source, frames),  # type: ignore[arg-type]  # it asks for nothing but read
            read_across_frames=True,
        ) as stream:
            while data := stream.read(STEP_BYTES):
                yield data
    except zstandard.ZstdError as error:
        raise Torn(
            "the zstd stream is corrupt from here on, or needs too large a window"
        ) from error
    if not frames.is_whole:
        raise Torn("the zstd stream ends too early")


class _Joined:
    """Lets zstd read an iterator, and the walk over its frames see the same bytes."""

    def __init__(self, source: Iterable[bytes], frames: Frames) -> None:
        self._source = iter(source)
        self._frames = frames

    def read(self, _size: int) -> bytes:
        """Return the next bytes, of whatever size."""
        data = next(self._source, b"")
        self._frames.feed(data)
        return data


DECODERS = {"identity": _identity, "gzip": _gzip, "zstd": _zstd}
