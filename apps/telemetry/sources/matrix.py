"""A range answer of the Prometheus HTTP API → columns of numpy, without an object per sample.

The quick way splits the text at marks that cannot stand inside a JSON string (a quote there is
escaped), so label values may hold anything, and checks every byte between two numbers. Where an
answer is not exactly of that shape, a JSON parser reads it: slower, and never something else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from apps.diagnosis.detection.metrics.frames import Samples
from apps.telemetry.sources.answer_checks import (
    AnswerUnreadable,
    check_answer,
    checked,
    loaded,
    remark,
)
from apps.telemetry.sources.float_parser import MARGIN, floats, stamps

SUCCESS: Final = b'"status":"success"'
TYPE: Final = b'"resultType":"matrix"'
START: Final = b'{"metric":{'
VALUES: Final = b'},"values":[['
HISTOGRAMS: Final = b'},"histograms":[['
END: Final = b"]]},"
BETWEEN: Final = b"],["
QUOTE, DOT = ord('"'), ord(".")
# So much text at once fits into a processor's own memory, with all that is computed from it.
BLOCK_BYTES: Final = 384 * 1024

# Of one series: servers send some ten thousand samples of it at most.
MOST_SERIES_BYTES: Final = 4 * 2**20
# A short answer may be of many short series; in a long one they have labels and samples.
MOST_SERIES, LEAST_SERIES_BYTES = 50_000, 160

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matrix:
    """Series in columns: sample `edges[n]` to `edges[n + 1]` are those of series n."""

    labels: Sequence[bytes]  # the text of each label object, braces included
    edges: Places
    at: Floats
    values: Floats
    warning: str = ""  # the first of what a server warns of beside its answer, cut short

    def series(self) -> list[Samples]:
        """Return each series with its labels read."""
        edges = self.edges.tolist()
        return [
            Samples(labels=labels_of(text), at=self.at[first:last], values=self.values[first:last])
            for text, first, last in zip(self.labels, edges, edges[1:], strict=False)
        ]


def columns_of(series: Sequence[Samples]) -> Matrix:
    """Return series in columns."""
    nothing = np.empty(0)
    return Matrix(
        labels=[orjson.dumps(dict(each.labels)) for each in series],
        edges=np.cumsum([0, *(len(each.at) for each in series)]),
        at=np.concatenate([nothing, *(each.at for each in series)]),
        values=np.concatenate([nothing, *(each.values for each in series)]),
    )


def parse(body: bytes) -> list[Samples]:
    """Return the series of a matrix answer, one by one."""
    return read(body).series()


def labels_of(text: bytes) -> dict[str, str]:
    """Return a label object; raise AnswerUnreadable."""
    try:
        return {key: str(value) for key, value in orjson.loads(text).items()}
    except orjson.JSONDecodeError as error:
        raise AnswerUnreadable("not JSON where its labels stand") from error


def read(body: bytes) -> Matrix:
    """Return the series of a matrix answer; native histograms are left out.

    Raises AnswerUnreadable or QueryRefused; what is cut short is never taken for less.
    """
    if SUCCESS in body[:200] and TYPE in body[:200]:
        try:
            return _scan(body)
        except ValueError:
            pass
    return _decode(body)


def _scan(body: bytes) -> Matrix:
    if body.count(START) > MOST_SERIES + len(body) // LEAST_SERIES_BYTES:
        raise AnswerUnreadable("more series than its size is for")
    pieces = body.split(START)
    head, tail = pieces[0], b""
    if len(pieces) > 1:
        pieces[-1], tail = _last(pieces[-1])
    # Without its series the answer is short, and a JSON parser says whether it is whole.
    check_answer(head + tail)
    warning = remark(checked(orjson.loads(head + tail), kind="matrix"), is_empty=True)
    labels, texts = [], []
    for piece in pieces[1:]:
        if len(piece) > MOST_SERIES_BYTES:
            raise AnswerUnreadable("a series of more samples than a server sends")
        label, mark, rest = piece.partition(VALUES)
        if mark and rest.endswith(END):
            labels.append(b"{%b}" % label)
            texts.append(rest[: -len(END)])
        else:
            _odd(piece, labels, texts)
    return Matrix(labels=labels, warning=warning, **_columns(texts))


def _last(piece: bytes) -> tuple[bytes, bytes]:
    """Return the last series as if another one followed, and the rest of the answer."""
    values = piece.find(VALUES)
    end = piece.find(b"]]", values if values >= 0 else piece.find(HISTOGRAMS))
    end = piece.find(b"]]}", end)
    # Label values may hold this mark, numbers don't.
    if end < 0 or (values < 0 and HISTOGRAMS not in piece):
        raise ValueError("cut short")
    if values < 0:
        raise ValueError("histograms only")
    return piece[: end + 3] + b",", piece[end + 3 :]


def _odd(piece: bytes, labels: list[bytes], texts: list[bytes]) -> None:
    """Take a series that has histograms, too, or nothing else; raise ValueError for others."""
    label, mark, rest = piece.partition(VALUES)
    if mark:
        text, mark, _ = rest.partition(b']],"histograms":[[')
        labels.append(b"{%b}" % label)
        texts.append(text)
    if not mark and HISTOGRAMS not in piece:
        raise ValueError("cut short, or of another shape")


def _columns(texts: Sequence[bytes]) -> dict[str, Any]:
    at, values, counts = [np.empty(0)], [np.empty(0)], [np.zeros(1, dtype=np.int64)]
    for block in _blocks(texts):
        times, numbers, count = _pairs(block)
        at.append(times)
        values.append(numbers)
        counts.append(count)
    edges = np.cumsum(np.concatenate(counts))
    return {"at": np.concatenate(at), "values": np.concatenate(values), "edges": edges}


def _blocks(texts: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    first = size = 0
    for place, text in enumerate(texts):
        size += len(text)
        if size >= BLOCK_BYTES:
            yield texts[first : place + 1]
            first, size = place + 1, 0
    if first < len(texts):
        yield texts[first:]


def _pairs(texts: Sequence[bytes]) -> tuple[Floats, Floats, Places]:
    """Return times, values, and how many of them each text holds; raise ValueError."""
    text = b" " * (MARGIN - 3) + BETWEEN + BETWEEN.join(texts) + BETWEEN
    raw = np.frombuffer(text, dtype=np.uint8)
    marks = np.flatnonzero((raw == QUOTE) | (raw == DOT))
    quotes = np.flatnonzero(raw[marks] == QUOTE)
    opens, closes = quotes[0::2], quotes[1::2]
    if opens.size != closes.size or not opens.size:
        raise ValueError("a value is not closed")
    open_at, close_at = marks[opens], marks[closes]
    ends = np.concatenate(([MARGIN - 4], close_at))
    for offset, byte in enumerate(BETWEEN, start=1):
        if not (raw[ends + offset] == byte).all():
            raise ValueError("something else stands between two samples")
    time_at, comma_at = ends[:-1] + 4, open_at - 1
    if not (raw[comma_at] == ord(",")).all() or ends[-1] + 4 != len(text):
        raise ValueError("something else stands between time and value")
    before = np.concatenate(([-1], closes[:-1]))
    times = stamps(text=text, starts_at=time_at, ends_at=comma_at)
    if times is None:
        times = _numbers(text, time_at, comma_at, marks, before, opens)
    values = _numbers(text, open_at + 1, close_at, marks, opens, closes)
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    lasts = np.cumsum(sizes + len(BETWEEN)) + MARGIN - len(BETWEEN) - 1
    until = np.searchsorted(close_at, lasts, side="right")
    return times, values, np.diff(until, prepend=0)


def _numbers(
    text: bytes, starts_at: Places, ends_at: Places, marks: Places, first: Places, last: Places
) -> Floats:
    """Return the numbers of spans; what lies between the marks `first` and `last` are points."""
    has_dot = last - first == 2
    if (last - first > 2).any():
        raise ValueError("two points in a number")
    dots_at = np.where(has_dot, marks[first + 1], ends_at)
    return floats(text=text, starts_at=starts_at, dots_at=dots_at, ends_at=ends_at)


def _decode(body: bytes) -> Matrix:
    answer = loaded(body)
    labels: list[bytes] = []
    at: list[float] = []
    values: list[float] = []
    edges = [0]
    for entry in checked(answer, kind="matrix")["data"]["result"]:
        try:
            pairs = entry.get("values", [])
            said = {str(key): str(value) for key, value in entry["metric"].items()}
            at += [float(pair[0]) for pair in pairs]
            values += [float(pair[1]) for pair in pairs]
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise AnswerUnreadable("a series of the answer has another shape") from error
        if pairs:
            labels.append(orjson.dumps(said))
            edges.append(len(at))
    return Matrix(
        labels=labels,
        edges=np.array(edges, dtype=np.int64),
        at=np.array(at, dtype=np.float64),
        values=np.array(values, dtype=np.float64),
        warning=remark(answer),
    )
