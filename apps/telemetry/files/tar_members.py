"""The members of a tar as it streams, with bounds for what its headers alone may take.

The standard library reads a header's extension (a long name, pax records) whole, keeps every member
it met, and follows a chain of extensions as deep as it goes.
"""

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Self

from apps.telemetry.files.decompression import most_bytes

MOST_EXTENSION_BYTES: Final = 256 * 1024  # of one: paths have four kibibytes
MOST_GLOBAL_BYTES: Final = 4 * 1024  # records for all members are gone through for each of them
MOST_CHAIN: Final = 8  # extensions of one member: pax, a long name, a long link
# Headers of a file so small that nothing can be in them: 512 bytes of zeros compress to few.
MOST_MEMBERS, BYTES_A_MEMBER = 10_000, 64
NO_NUMBER: Final = "a header holds no number where one should be"
SPARSE: Final = "it holds a sparse file; pack it without --sparse"
# Of files without a letter; looking at one takes as long as reading a page.
MOST_EMPTY: Final = 10_000
MOST_MISSES: Final = 16  # an honest tar is read behind its end once or twice
EXTENSIONS: Final = frozenset(
    {
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.SOLARIS_XHDTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
    }
)


def members_of(*, archive: tarfile.TarFile, size: int) -> Iterator[tarfile.TarInfo]:
    """Yield the members of a tar whose file has `size` bytes; raise tarfile.TarError."""
    count = empty = 0
    while (member := _next(archive)) is not None:
        count += 1
        # What is not there would be skipped block by block, for ever.
        if member.size > most_bytes(size=size):
            raise tarfile.ReadError("a member says that it is larger than the file can hold")
        if count > MOST_MEMBERS + size // BYTES_A_MEMBER:
            raise tarfile.ReadError(f"it has more than {count - 1} members in {size} bytes")
        empty += member.isfile() and not member.size
        if empty > MOST_EMPTY:
            raise tarfile.ReadError(f"it has more than {MOST_EMPTY} empty files; leave them out")
        yield member
        # Nobody asks again for what was read; without this all of them would be kept.
        archive.members.clear()  # type: ignore[attr-defined]  # as long as there are tars


def _next(archive: tarfile.TarFile) -> tarfile.TarInfo | None:
    """Return the next member; the library's own errors quote what stood where a number should."""
    with _readable():
        member = archive.next()
    # A few bytes stand for terabytes of zeros; pax headers say so without the type of old.
    if member is not None and member.issparse():
        raise tarfile.ReadError(SPARSE)
    return member


def bounded_header() -> type[tarfile.TarInfo]:
    """Return the class that reads the headers of one tar; it knows how deep a chain is."""

    class Header(tarfile.TarInfo):
        chain = 0
        global_bytes = 0

        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
            """Return a header as it stands; raise ReadError for one that is no honest one."""
            header = super().frombuf(buf, encoding, errors)
            if header.type == tarfile.GNUTYPE_SPARSE:
                raise tarfile.ReadError(SPARSE)
            is_extension = header.type in EXTENSIONS
            Header.chain = Header.chain + 1 if is_extension else 0
            if Header.chain > MOST_CHAIN:
                raise tarfile.ReadError("a member has more extended headers than any")
            if header.type == tarfile.XGLTYPE:
                Header.global_bytes += header.size
            too_large = Header.global_bytes > MOST_GLOBAL_BYTES
            if too_large or (is_extension and header.size > MOST_EXTENSION_BYTES):
                raise tarfile.ReadError("an extended header is larger than any path needs")
            return header

        def _proc_gnusparse_10(self, *_: Any) -> None:
            """Refuse a map of holes that is as long as the file: it would be read whole."""
            raise tarfile.ReadError(SPARSE)

    return Header


class _Ending:
    """A stream that ends who reads on behind its end: to skip what is not there takes for ever."""

    def __init__(self, plain: Any) -> None:
        self._plain, self._misses = plain, 0

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes; raise ReadError where there have long been none."""
        block: bytes = self._plain.read(size)
        self._misses = 0 if block else self._misses + 1
        if self._misses > MOST_MISSES:
            raise tarfile.ReadError("unexpected end of data")
        return block


def opened(*, plain: Any) -> Any:
    """Return a tar that is read as it streams, as a context manager."""
    with _readable():  # of the first member, which is read at once
        ending: Any = _Ending(plain)
        return tarfile.open(fileobj=ending, mode="r|", tarinfo=bounded_header())


@contextmanager
def _readable() -> Iterator[None]:
    """Tell of pax records that hold no numbers as of any other damage."""
    try:
        yield
    except (ValueError, OverflowError):
        raise tarfile.ReadError(NO_NUMBER) from None
