"""Lines of a batch that are worth a look: those that may match, and those that a record awaits."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from apps.diagnosis.signatures.digit_blind import folded
from apps.diagnosis.signatures.lines.line_shapes import LineShape, cut, shapes_of
from apps.diagnosis.signatures.match import Candidates, SignatureMatch, SignatureMatcher
from apps.diagnosis.signatures.open_records import Book
from apps.diagnosis.signatures.progress.step_times import Voice

NO_CANDIDATES: Candidates = ()
# Short enough to stay in the processor's cache.
BLOCK_BYTES = 1 << 20
# 0-based index, text, candidates; its match, where that is known, and of progress that is replaced
# by the next of its voice, who told it.
ConcernedLine = tuple[int, str, Candidates, SignatureMatch | None, Voice | None]


def concerned_lines(
    *, data: bytes, matcher: SignatureMatcher, book: Book
) -> Iterator[ConcernedLine]:
    """Yield each line of UTF-8 `data` that may match a signature or meets an open record of `book`,
    which may change between two lines."""
    if matcher.has_much(size=len(data)):
        return _by_shape(data, matcher, book)
    return _by_literal(data, matcher, book)


def _by_literal(data: bytes, matcher: SignatureMatcher, book: Book) -> Iterator[ConcernedLine]:
    hits = matcher.lines(data=data)
    nowhere = (len(data) + 1, 0, NO_CANDIDATES)
    index = position = 0
    start, end, candidates = next(hits, nowhere)
    while position <= len(data):
        if book.open and start > position:  # a line without a literal meets a record
            stop = data.find(b"\n", position)
            stop = len(data) if stop < 0 else stop
            yield index, _text(data[position:stop]), NO_CANDIDATES, None, None
            index, position = index + 1, stop + 1
            continue
        index += data.count(b"\n", position, start)
        if start > len(data):
            return
        yield index, _text(data[start:end]), candidates, None, None
        index, position = index + 1, end + 1
        start, end, candidates = next(hits, nowhere)


def _by_shape(data: bytes, matcher: SignatureMatcher, book: Book) -> Iterator[ConcernedLine]:
    known_shapes, first = shapes_of(matcher), 0
    for start, stop in cut(data, size=BLOCK_BYTES):
        block = data[start:stop]
        shapes = folded(block).split(b"\n")
        lengths = list(accumulate(map(len, shapes)))
        position = 0
        for index in (*known_shapes.loud(shapes=shapes), len(shapes)):
            while book.open and position < index:
                line = block[_start(lengths, position) : lengths[position] + position]
                yield first + position, _text(line), NO_CANDIDATES, None, None
                position += 1
            if index < len(shapes):
                line = block[_start(lengths, index) : lengths[index] + index]
                found = _concerned(line, known_shapes.known(shape=shapes[index]), matcher)
                if found is not None or book.open:
                    yield first + index, _text(line), *(found or (NO_CANDIDATES, None, None))
                position = index + 1
        first += len(shapes)


def _concerned(
    line: bytes, shape: LineShape | None, matcher: SignatureMatcher
) -> tuple[Candidates, SignatureMatch | None, Voice | None] | None:
    """Return what is known of a line; None where it matches no signature."""
    match = None if shape is None else shape.match
    hit = None if match is None else match.of(line)
    if match is not None and hit is None:
        return None
    if match is not None and hit is not None and (voice := match.voice(hit, line)):
        return (hit.signature,), hit, voice
    candidates = None if shape is None else shape.candidates
    if candidates is None:
        candidates = matcher.candidates(line=_text(line))
    return (candidates, hit, None) if candidates else None


def _start(lengths: Sequence[int], index: int) -> int:
    """Return where a line begins, by how long all up to each are without their ends."""
    return lengths[index - 1] + index if index else 0


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")
