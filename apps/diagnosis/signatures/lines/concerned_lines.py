"""Lines of a batch that are worth a look: those that may match, and those that a record awaits."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from apps.diagnosis.logs.digit_blind import folded
from apps.diagnosis.signatures.lines.line_shapes import LineShape, cut, shapes_of
from apps.diagnosis.signatures.lines.plain_progress import PlainProgress, QueuedStep, Stepped
from apps.diagnosis.signatures.match import Candidates, SignatureMatch, SignatureMatcher
from apps.diagnosis.signatures.open_records import Book
from apps.diagnosis.signatures.progress.step_times import Voice

NO_CANDIDATES: Candidates = ()
# Short enough to stay in the processor's cache.
BLOCK_BYTES = 1 << 20
# 0-based index, text, candidates; its match, where that is known.
ConcernedLine = tuple[int, str, Candidates, SignatureMatch | None]


# 0-based index, text; of plain progress what is known of it and who told it; of others the
# candidates and the match, where that is known.
LoudLine = tuple[int, bytes, PlainProgress | None, Voice | None, Candidates, SignatureMatch | None]


@dataclass(frozen=True, kw_only=True)  # no slots: the lines are split once
class ScannedBlock:
    """Some lines of a batch, and which of them may match, whatever was said before them."""

    first: int  # 0-based, in the batch
    data: bytes
    line_count: int
    loud: Sequence[LoudLine]  # those of known shapes that match nothing are left out

    @cached_property
    def lines(self) -> Sequence[bytes]:
        """Return all lines."""
        return self.data.split(b"\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownProgress:
    """Where progress goes that is known by its shape and that no record awaits: to the queue of its
    voice, where it has one, else to `stepped` in its turn.
    """

    stepped: Stepped
    queues: Mapping[Voice, list[QueuedStep]]

    def take(self, index: int, line: bytes, progress: PlainProgress, voice: Voice) -> None:
        """Take a line: its 0-based index, its text, what is known of it and who told it."""
        queue = self.queues.get(voice)
        if queue is None:
            self.stepped(index, line, progress, voice)
        else:
            queue.append((index, line, progress))


def concerned_lines(
    *,
    data: bytes,
    matcher: SignatureMatcher,
    book: Book,
    steps: KnownProgress | None = None,
    blocks: Iterable[ScannedBlock] | None = None,
) -> Iterator[ConcernedLine]:
    """Yield each line of UTF-8 `data` that may match a signature or meets an open record of `book`,
    which may change between two lines. Steps that are known by their shape go to `steps`, if that
    is given. `blocks` are those of `data`, where they were scanned before.
    """
    if blocks is None and matcher.has_much(size=len(data)):
        blocks = scanned_blocks(data=data, matcher=matcher)
    if blocks is None:
        return _by_literal(data, matcher, book)
    return _met(blocks, book, steps)


def _by_literal(data: bytes, matcher: SignatureMatcher, book: Book) -> Iterator[ConcernedLine]:
    hits = matcher.lines(data=data)
    nowhere = (len(data) + 1, 0, NO_CANDIDATES)
    index = position = 0
    start, end, candidates = next(hits, nowhere)
    while position <= len(data):
        if book.open and start > position:  # a line without a literal meets a record
            stop = data.find(b"\n", position)
            stop = len(data) if stop < 0 else stop
            yield index, _text(data[position:stop]), NO_CANDIDATES, None
            index, position = index + 1, stop + 1
            continue
        index += data.count(b"\n", position, start)
        if start > len(data):
            return
        yield index, _text(data[start:end]), candidates, None
        index, position = index + 1, end + 1
        start, end, candidates = next(hits, nowhere)


def scanned_blocks(*, data: bytes, matcher: SignatureMatcher) -> Iterator[ScannedBlock]:
    """Yield all lines of UTF-8 `data`, some at a time, with what their shapes tell."""
    known_shapes, first = shapes_of(matcher), 0
    for start, stop in cut(data, size=BLOCK_BYTES):
        block = data[start:stop]
        shapes = folded(block).split(b"\n")
        # How long all lines before each are, without their ends.
        before = list(accumulate(map(len, shapes), initial=0))
        loud: list[LoudLine] = []
        for index in known_shapes.loud(shapes=shapes):
            line = block[before[index] + index : before[index + 1] + index]
            shape = known_shapes.known(shape=shapes[index])
            progress = shape.progress if shape else None
            voice = progress.voice(line) if progress else None
            if voice is not None:
                loud.append((first + index, line, progress, voice, NO_CANDIDATES, None))
                continue
            # Its shape may have become quiet since it was looked for.
            is_quiet = shape is None and known_shapes.is_quiet(shape=shapes[index])
            found = None if is_quiet else _concerned(line, shape, matcher)
            if found is not None:
                loud.append((first + index, line, None, None, *found))
        yield ScannedBlock(first=first, data=block, line_count=len(shapes), loud=loud)
        first += len(shapes)


def _met(
    blocks: Iterable[ScannedBlock], book: Book, steps: KnownProgress | None
) -> Iterator[ConcernedLine]:
    for block in blocks:
        position, end = block.first, block.first + block.line_count
        for index, line, progress, voice, candidates, hit in block.loud:
            while book.open and position < index:  # a line that matches nothing meets a record
                yield position, _text(block.lines[position - block.first]), NO_CANDIDATES, None
                position += 1
            position = index + 1
            if progress is None or voice is None:
                yield index, _text(line), candidates, hit
            elif steps is not None and not book.open:
                steps.take(index, line, progress, voice)
            else:
                found = progress.hit(line)
                yield index, _text(line), (found.signature,), found
        while book.open and position < end:
            yield position, _text(block.lines[position - block.first]), NO_CANDIDATES, None
            position += 1


def _concerned(
    line: bytes, shape: LineShape | None, matcher: SignatureMatcher
) -> tuple[Candidates, SignatureMatch | None] | None:
    """Return what is known of a line; None where it matches no signature."""
    match = None if shape is None else shape.match
    hit = None if match is None else match.of(line)
    if match is not None and hit is None:
        return None
    candidates = None if shape is None else shape.candidates
    if candidates is None:
        candidates = matcher.candidates(line=_text(line))
    return (candidates, hit) if candidates else None


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")
