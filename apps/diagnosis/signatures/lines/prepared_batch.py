"""What the lines of a batch say whatever was said before them: it can be found before the turn of
the batch comes, and by another process. Nothing of it depends on the state of a reader.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from apps.diagnosis.logs import line_cleaning
from apps.diagnosis.logs.batch_coverage import BatchCoverage
from apps.diagnosis.logs.coverage_spans import coverage_of
from apps.diagnosis.logs.envelopes import Unwrapper, Wrappings
from apps.diagnosis.logs.parse import parse, shown_lines
from apps.diagnosis.model import LogLine, Origin, Role
from apps.diagnosis.signatures.lines.concerned_lines import ScannedBlock, scanned_blocks
from apps.diagnosis.signatures.lines.flood import Around, Flood, key_of, minute_around
from apps.diagnosis.signatures.lines.host_lines import is_of_kernel, program_signatures
from apps.diagnosis.signatures.lines.lazy_line import Asked, Read
from apps.diagnosis.signatures.lines.repeated_setup import ToldOnce
from apps.diagnosis.signatures.match import Candidates, SignatureMatch, SignatureMatcher


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchLines:
    """Whole lines of one source: `first_number` is the 1-based number of the first, `stamps` are
    envelope times, one a line.
    """

    text: str
    first_number: int
    origin: Origin
    stamps: Sequence[datetime] | None = None


@dataclass(frozen=True, slots=True)
class PreparedLine:
    """A line that was read ahead: by what it is known as equal, and the lines that it shows."""

    key: Hashable
    shown: Sequence[Asked]


@dataclass(slots=True, kw_only=True)
class PreparedBatch:
    """What is known of lines."""

    lines: BatchLines
    data: bytes  # UTF-8, wrappings off; nothing where `blocks` hold it
    line_count: int
    wrapped: Wrappings
    around: Around
    read: Read
    # What the lines before leave open, as it was assumed, and what is left open behind them; None
    # where that is not assumed but known.
    assumed: Unwrapper | None = None
    unwrapper: Unwrapper | None = None
    blocks: Iterable[ScannedBlock] | None = None
    coverage: BatchCoverage | None = None
    ahead: Mapping[int, PreparedLine] = field(default_factory=dict)  # by 0-based index

    def asked(self, index: int, line: str, hit: SignatureMatch | None) -> Iterable[Asked]:
        """Return the lines that a line shows."""
        known = self.ahead.get(index)
        if known is not None:
            return known.shown
        is_wrapped = index in self.wrapped
        return (
            Asked(self.read, index, shown, is_wrapped=is_wrapped, hit=hit)
            for shown in shown_lines(raw=line)
        )

    def key(self, index: int, line: str) -> Hashable:
        """Return by what a line is known as equal to others."""
        known = self.ahead.get(index)
        return known.key if known else key_of(line, self.around(index))

    def covered(self) -> BatchCoverage:
        """Return how far each voice was heard."""
        return self.coverage or coverage_of(
            data=self.data,
            first_number=self.lines.first_number,
            origin=self.lines.origin,
            read=self.read,
            hosts=self.wrapped.hosts(),
        )


def opened_batch(*, lines: BatchLines, unwrapper: Unwrapper) -> PreparedBatch:
    """Return a batch of which nothing is known yet; `unwrapper` is changed."""
    block, wrapped = unwrapper.unwrap(text=line_cleaning.without_escapes(text=lines.text))
    first, origin, stamps = lines.first_number, lines.origin, lines.stamps

    def read(index: int, line: str) -> LogLine:
        return parse(
            text=line,
            origin=origin,
            number=first + index,
            envelope_at=stamps[index] if stamps and index < len(stamps) else None,
            wrapped=wrapped.get(index),
        )

    return PreparedBatch(
        lines=lines,
        data=block.encode("utf-8", "replace"),
        line_count=block.count("\n") + 1,
        wrapped=wrapped,
        around=minute_around(wrapped=wrapped, stamps=stamps),
        read=read,
    )


def prepared_batch(
    *, lines: BatchLines, matcher: SignatureMatcher, once: ToldOnce, told: Counter[str]
) -> PreparedBatch:
    """Return a batch whose lines were looked at, as if nothing were left open before them.

    What `once` knows as repeated is not parsed; as many lines of a signature are as were `told` in
    the last batch. Whatever was guessed wrong costs time alone: it is looked at in its turn.
    """
    unwrapper = Unwrapper()
    batch = opened_batch(lines=lines, unwrapper=unwrapper)
    batch.assumed, batch.unwrapper = Unwrapper(), unwrapper
    if matcher.has_much(size=len(batch.data)):
        batch.blocks = list(scanned_blocks(data=batch.data, matcher=matcher))
        batch.ahead = _AheadReader(batch, matcher, once, told).lines(batch.blocks)
    batch.coverage = batch.covered().parsed()
    if batch.blocks is not None:
        batch.data = b""  # they hold it
    return batch


def match_of(
    matcher: SignatureMatcher, line: str, asked: Asked, candidates: Candidates | None = None
) -> SignatureMatch | None:
    """Return what a line says: what reads like a program's words is none on a kernel's line."""
    if asked.is_searched:
        hit = asked.hit
    else:
        hit = matcher.match(line=line, text=asked.text, candidates=candidates)
    is_program = hit is not None and hit.signature.key in program_signatures()
    return None if is_program and is_of_kernel(line=asked.line()) else hit


class _AheadReader:
    """Read of lines what will be asked of them, unless something before them forbids it."""

    def __init__(
        self,
        batch: PreparedBatch,
        matcher: SignatureMatcher,
        once: ToldOnce,
        told: Counter[str],
    ) -> None:
        self._batch, self._matcher, self._once = batch, matcher, once
        self._left = Counter(told)
        self._flood = Flood(around=batch.around)

    def lines(self, blocks: Iterable[ScannedBlock]) -> dict[int, PreparedLine]:
        """Return them by their 0-based index."""
        found: dict[int, PreparedLine] = {}
        for block in blocks:
            for index, raw, progress, _, candidates, hit in block.loud:
                if progress is not None:
                    continue
                line = raw.decode("utf-8", "replace")
                key = self._batch.key(index, line)
                if self._flood.is_repeated(index, key, line, candidates, ()):
                    continue
                shown = list(self._batch.asked(index, line, hit))
                for asked in shown:
                    self._look(asked, candidates if asked.shown is line else None)
                found[index] = PreparedLine(key, shown)
                self._flood.note(index, (), ())
        return found

    def _look(self, asked: Asked, candidates: Candidates | None) -> None:
        """Match a line, and parse it where that will be asked for."""
        if len(asked.shown) > line_cleaning.LINE_LIMIT:
            return
        hit = match_of(self._matcher, asked.shown, asked, candidates)
        asked.hit, asked.is_searched = hit, True
        if hit is None:
            return
        if hit.signature.role is Role.PROGRESS:
            self._flood.progress()
            return
        if self._once.is_repeated(hit=hit):
            return
        asked.part = self._flood.part_of(hit, asked)
        self._left[hit.signature.key] -= 1
        if not self._flood.is_full(hit, asked, ()) or self._left[hit.signature.key] >= 0:
            asked.line()
            hit.fields  # noqa: B018  kept from now on
