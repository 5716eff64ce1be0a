"""Lines of a batch that are worth a look: those that may match, and those that a record awaits."""

from collections.abc import Iterator
from itertools import accumulate

from apps.diagnosis.signatures.digit_blind import folded
from apps.diagnosis.signatures.lines.line_shapes import LineShape, cut, shapes_of
from apps.diagnosis.signatures.lines.plain_progress import Stepped
from apps.diagnosis.signatures.match import Candidates, SignatureMatch, SignatureMatcher
from apps.diagnosis.signatures.open_records import Book

NO_CANDIDATES: Candidates = ()
# Short enough to stay in the processor's cache.
BLOCK_BYTES = 1 << 20
# 0-based index, text, candidates; its match, where that is known.
ConcernedLine = tuple[int, str, Candidates, SignatureMatch | None]


def concerned_lines(
    *, data: bytes, matcher: SignatureMatcher, book: Book, stepped: Stepped | None = None
) -> Iterator[ConcernedLine]:
    """Yield each line of UTF-8 `data` that may match a signature or meets an open record of `book`,
    which may change between two lines. Progress that is known by its shape and that no record
    awaits goes to `stepped` in its turn, if there is one.
    """
    if matcher.has_much(size=len(data)):
        return _by_shape(data, matcher, book, stepped)
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
            yield index, _text(data[position:stop]), NO_CANDIDATES, None
            index, position = index + 1, stop + 1
            continue
        index += data.count(b"\n", position, start)
        if start > len(data):
            return
        yield index, _text(data[start:end]), candidates, None
        index, position = index + 1, end + 1
        start, end, candidates = next(hits, nowhere)


def _by_shape(
    data: bytes, matcher: SignatureMatcher, book: Book, stepped: Stepped | None
) -> Iterator[ConcernedLine]:
    known_shapes, first = shapes_of(matcher), 0
    for start, stop in cut(data, size=BLOCK_BYTES):
        block = data[start:stop]
        shapes = folded(block).split(b"\n")
        # How long all lines before each are, without their ends.
        before = list(accumulate(map(len, shapes), initial=0))
        position = 0
        for index in (*known_shapes.loud(shapes=shapes), len(shapes)):
            while book.open and position < index:
                line = block[before[position] + position : before[position + 1] + position]
                yield first + position, _text(line), NO_CANDIDATES, None
                position += 1
            if index == len(shapes):
                break
            position = index + 1
            line = block[before[index] + index : before[position] + index]
            shape = known_shapes.known(shape=shapes[index])
            progress = shape.match.progress if shape and shape.match else None
            voice = progress.voice(line) if progress else None
            if progress and voice:
                if stepped and not book.open:
                    stepped(first + index, line, progress, voice)
                    continue
                hit = progress.hit(line)
                yield first + index, _text(line), (hit.signature,), hit
                continue
            found = _concerned(line, shape, matcher)
            if found is not None or book.open:
                yield first + index, _text(line), *(found or (NO_CANDIDATES, None))
        first += len(shapes)


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
