"""How far the pages of a Parquet file unfold, read from their headers before any is unfolded.

Who reads a page sets memory aside for what its header says, up to 2 GiB, and the header is a few
bytes of a body. A header is a struct of Thrift's compact protocol: of its fields two are wanted,
the others are stepped over. What the reader of pages would cut to fewer bits is damage: it would
step elsewhere, or take another field for one of the two.
"""

from collections.abc import Collection, Iterator
from typing import Any, Final

from apps.telemetry.files.unusable_input import UnusableInput

MOST_PAGE: Final = 64 * 2**20  # writers begin a page after one mebibyte, or a single text
MOST_DEPTH: Final = 16
MOST_VARINT: Final = 10  # bytes
MOST_FIELD: Final = 2**15  # of a field's number; its sign is one bit of sixteen
UNFOLDED, FOLDED = 2, 3  # fields of a page's header
# Of the protocol: what a field is.
STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)
NUMBERS: Final = frozenset({I16, I32, I64})


class _Damaged(Exception):
    """The bytes are no header."""


def check_pages(*, name: str, raw: bytes, metadata: Any, columns: Collection[str]) -> None:
    """Raise UnusableInput where a page of these columns unfolds to more than is read.

    `metadata` is what the footer says, as pyarrow reads it.
    """
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for at in range(row_group.num_columns):
            chunk = row_group.column(at)
            if _is_of(chunk.path_in_schema, columns):
                _check_chunk(name, raw, chunk)


def _is_of(path: str, columns: Collection[str]) -> bool:
    """Say whether a path is of a column: its name may have points of its own."""
    parts = path.split(".")
    return any(".".join(parts[:count]) in columns for count in range(1, len(parts) + 1))


def _check_chunk(name: str, raw: bytes, chunk: Any) -> None:
    offsets = [chunk.data_page_offset, chunk.dictionary_page_offset]
    start = min(filter(None, offsets), default=-1)
    try:
        for unfolded in _pages(raw, start, start + chunk.total_compressed_size):
            if unfolded > MOST_PAGE:
                raise UnusableInput(
                    f"{name}: a page of {chunk.path_in_schema} unfolds to more than "
                    f"{MOST_PAGE >> 20} MiB; write smaller pages, or CSV"
                )
    except _Damaged as error:
        raise UnusableInput(f"{name}: the Parquet file is damaged") from error


def _pages(raw: bytes, at: int, end: int) -> Iterator[int]:
    """Yield to how many bytes each page unfolds."""
    if not 0 <= at <= end <= len(raw):
        raise _Damaged
    header = _Header(raw, end)
    while at < end:
        header.read(at)
        at = header.at + header.folded
        if header.folded < 0 or header.unfolded < 0 or at > end:
            raise _Damaged
        yield header.unfolded


class _Header:
    """Steps through one header after the other."""

    def __init__(self, raw: bytes, end: int) -> None:
        self.at = 0
        self.unfolded = self.folded = -1
        self._raw, self._end = raw, end

    def read(self, at: int) -> None:
        """Read the header there; `at` is then behind it."""
        self.at, self.unfolded, self.folded = at, -1, -1
        for field, kind in self._fields():
            if field in (UNFOLDED, FOLDED) and kind == I32:
                size = self._whole()
                self.unfolded, self.folded = (
                    (size, self.folded) if field == UNFOLDED else (self.unfolded, size)
                )
            else:
                self._skip(kind, 0)

    def _fields(self) -> Iterator[tuple[int, int]]:
        number = 0
        while (head := self._byte()) != STOP:
            step, kind = head >> 4, head & 15
            number = number + step if step else self._whole()
            if abs(number) >= MOST_FIELD:
                raise _Damaged
            yield number, kind

    def _skip(self, kind: int, depth: int) -> None:
        if depth > MOST_DEPTH:
            raise _Damaged
        if kind in NUMBERS:
            self._varint()
        elif kind in (LIST, SET):
            self._skip_list(depth)
        elif kind == MAP:
            self._skip_map(depth)
        elif kind == STRUCT:
            for _, inner in self._fields():
                self._skip(inner, depth + 1)
        elif kind not in (TRUE, FALSE):  # those are all said by their kind
            self._skip_bytes(kind)

    def _skip_bytes(self, kind: int) -> None:
        sizes = {BYTE: 1, DOUBLE: 8}
        if kind != BINARY and kind not in sizes:
            raise _Damaged
        self._step(sizes.get(kind) or self._varint())

    def _skip_list(self, depth: int) -> None:
        head = self._byte()
        count = head >> 4 if head >> 4 != 15 else self._varint()
        self._skip_many(count, head & 15, depth)

    def _skip_map(self, depth: int) -> None:
        if count := self._varint():
            kinds = self._byte()
            for _ in range(min(count, self._end - self.at + 1)):
                self._skip_element(kinds >> 4, depth)
                self._skip_element(kinds & 15, depth)

    def _skip_many(self, count: int, kind: int, depth: int) -> None:
        for _ in range(min(count, self._end - self.at + 1)):
            self._skip_element(kind, depth)

    def _skip_element(self, kind: int, depth: int) -> None:
        if kind in (TRUE, FALSE):  # in a list each is a byte
            self._step(1)
        else:
            self._skip(kind, depth + 1)

    def _whole(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _varint(self) -> int:
        value = 0
        for place in range(MOST_VARINT):
            byte = self._byte()
            value |= (byte & 127) << (7 * place)
            if byte < 128:
                return value
        raise _Damaged

    def _byte(self) -> int:
        self._step(1)
        return self._raw[self.at - 1]

    def _step(self, size: int) -> None:
        self.at += size
        if self.at > self._end:
            raise _Damaged
