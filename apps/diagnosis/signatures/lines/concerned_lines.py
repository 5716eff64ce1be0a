"""Lines of a batch that are worth a look: those with a literal, and those that a record awaits."""

from collections.abc import Iterator

from apps.diagnosis.signatures.match import Candidates, SignatureMatcher
from apps.diagnosis.signatures.open_records import Book

NO_CANDIDATES: Candidates = ()


def concerned_lines(
    *, data: bytes, matcher: SignatureMatcher, book: Book
) -> Iterator[tuple[int, str, Candidates]]:
    """Yield (0-based index, text, candidates) of each line that holds a literal or meets an open
    record of `book`, which may change between two lines."""
    hits = matcher.lines(data=data)
    nowhere = (len(data) + 1, 0, NO_CANDIDATES)
    index = position = 0
    start, end, candidates = next(hits, nowhere)
    while position <= len(data):
        if book.open and start > position:  # a line without a literal meets a record
            stop = data.find(b"\n", position)
            stop = len(data) if stop < 0 else stop
            yield index, data[position:stop].decode("utf-8", "replace"), NO_CANDIDATES
            index, position = index + 1, stop + 1
            continue
        index += data.count(b"\n", position, start)
        if start > len(data):
            return
        yield index, data[start:end].decode("utf-8", "replace"), candidates
        index, position = index + 1, end + 1
        start, end, candidates = next(hits, nowhere)
