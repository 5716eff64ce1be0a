"""Moments of stories that a process read before, and need not read again.

An open page is asked for again and again, and of its thousands of moments few are new. Which ones
its reader may see is asked of the database each time, in the reader's own scope: of each block of
ids a mark of the rows that the scope lets through, and of what they hold. Only a block of that
very mark is taken from here, so a row that is hidden now, or changed, or new, makes another mark.
So does another scope, and another who looks into it: how long an answer takes tells nobody what
another organization looked at.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any, Final

from django.db.models import Aggregate, BinaryField, F, Field, QuerySet, TextField
from django.db.models.expressions import Combinable, RawSQL

from apps.incidents.models import TimelineEntry
from apps.incidents.story_reading.stored_moments import COLUMNS, StoredMoment, moment_of

BLOCK: Final = 256  # ids
MOST: Final = 48_000  # moments of one process, half of them in whole stories
TABLE: Final = "incidents_timelineentry"
# Any write of a row gives it another transaction or place; its key is a digest of what it tells.
# All of one length, as they are sent: bytes are put together in half the time of words.
VERSION: Final = (
    f"int8send({TABLE}.id) || xidsend({TABLE}.xmin) || tidsend({TABLE}.ctid) || {TABLE}.key"
)

SCOPE: Final = "coalesce(current_setting('portal.organizations', true), '')"

Block = tuple[StoredMoment, ...]


class BlockMark(Aggregate):
    """A digest of versions, in the order of their rows."""

    template = (
        f"md5(convert_to({SCOPE} || ';', 'UTF8') ||"
        f" string_agg(%(expressions)s, ''::bytea ORDER BY {TABLE}.id))"
    )
    output_field = TextField()


class KeptBlocks:
    """Blocks by their marks; those that nobody asked for longest go first."""

    def __init__(self, most: int = MOST) -> None:
        self._most, self._count = most, 0
        self._blocks: OrderedDict[str, Block] = OrderedDict()
        self._lock = Lock()

    def find(self, mark: str) -> Block | None:
        """Return the block of a mark."""
        with self._lock:
            found = self._blocks.get(mark)
            if found is not None:
                self._blocks.move_to_end(mark)
            return found

    def keep(self, mark: str, block: Block) -> None:
        """Keep a block under the mark of what it holds."""
        with self._lock:
            self._count += len(block) - len(self._blocks.pop(mark, ()))
            self._blocks[mark] = block
            while self._count > self._most:
                self._count -= len(self._blocks.popitem(last=False)[1])


KEPT: Final = KeptBlocks()


def kept(rows: QuerySet[TimelineEntry], *, looker: int = 0, blocks: KeptBlocks = KEPT) -> Block:
    """Return the moments of these rows in the order they were written. Needs a scope; `looker` is
    the organization that is shown something of it, 0 the scope's own.

    While nothing of it changes, a story is the same tuple again: what is made of it may be kept.
    """
    marks = {number: f"{looker} {mark}" for number, mark in _marked(rows)}
    found = {number: blocks.find(mark) for number, mark in marks.items()}
    missing = [number for number, block in found.items() if block is None]
    for number, mark, block in _read(rows, missing, blocks, looker) if missing else ():
        marks[number], found[number] = mark, block
    parts = [(marks[number], found[number]) for number in sorted(found)]
    return _joined([(mark, block) for mark, block in parts if block is not None], blocks)


def _joined(parts: Sequence[tuple[str, Block]], blocks: KeptBlocks) -> Block:
    if len(parts) < 2:
        return parts[0][1] if parts else ()
    mark = _digest("story", [mark.encode() for mark, _ in parts])
    story = blocks.find(mark)
    if story is None:
        story = tuple(moment for _, block in parts for moment in block)
        blocks.keep(mark, story)
    return story


def _marked(rows: QuerySet[TimelineEntry]) -> Sequence[tuple[int, str]]:
    """Return the blocks in which the scope sees any of these rows, each with its mark."""
    by_block: QuerySet[Any] = rows.order_by().annotate(block=_block()).values("block")
    marks = by_block.annotate(mark=BlockMark(_sql(VERSION, BinaryField())))
    return list(marks.values_list("block", "mark"))


def _read(
    rows: QuerySet[TimelineEntry], missing: Sequence[int], blocks: KeptBlocks, looker: int
) -> Iterator[tuple[int, str, Block]]:
    """Yield these blocks and their marks as they are now, kept by what was read.

    The mark that was asked for before may be older: a row may have been written in between.
    """
    asked: QuerySet[Any] = rows.order_by("id").annotate(block=_block()).filter(block__in=missing)
    scope, read = "", dict[int, tuple[list[bytes], list[StoredMoment]]]()
    told = asked.values_list(_sql(SCOPE, TextField()), _sql(VERSION, BinaryField()), *COLUMNS)
    for scope, version, *columns in told:  # noqa: B007  the same in each row
        moment = moment_of(columns)
        versions, moments = read.setdefault(moment.id // BLOCK, ([], []))
        versions.append(version)
        moments.append(moment)
    for number, (versions, moments) in read.items():
        mark, block = f"{looker} {_digest(scope, versions)}", tuple(moments)
        blocks.keep(mark, block)
        yield number, mark, block


def _digest(scope: str, versions: Sequence[bytes]) -> str:
    """Return what a block mark is of the same versions."""
    told = b"".join([f"{scope};".encode(), *versions])
    return hashlib.md5(told, usedforsecurity=False).hexdigest()


def _block() -> Combinable:
    return F("id") / BLOCK


def _sql(words: str, field: "Field[Any, Any]") -> RawSQL:
    return RawSQL(words, (), output_field=field)  # noqa: S611  no word of it from outside
