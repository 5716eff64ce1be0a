"""Text of a line → LogLine: peels one prefix after the other. Tolerant: never raises, invents no
time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from apps.diagnosis.input_values import MOST, MOST_RANKS
from apps.diagnosis.logs import escaped_line_ends, line_cleaning
from apps.diagnosis.logs.dialects import modules, table
from apps.diagnosis.logs.dialects.dialect import Dialect, Peel
from apps.diagnosis.logs.dialects.fitting_dialects import FittingDialects
from apps.diagnosis.logs.record_facts import WrappingFacts
from apps.diagnosis.logs.timestamps import Stamp, instant
from apps.diagnosis.model import LogLine, Origin, Stream
from apps.diagnosis.registry import collect

# More prefixes than real chains have: cri + tee + rank + c10d + one to spare.
DEPTH = 6
# Of a line without end, this much is searched for a second writer.
MERGE_LIMIT = 64 << 10
DIALECTS: tuple[Dialect, ...] = tuple(
    sorted(
        [
            *collect(package=modules, kind=Dialect),
            *(row.dialect for row in table.load_folder()),
        ],
        key=lambda dialect: (dialect.order, dialect.name),
    )
)
# Several processes share a pipe: a second prefix in the middle of a line begins another line.
SECOND_PREFIX = re.compile(
    r"[A-Za-z0-9][\w.-]{0,80}:\d{1,10}:\d{1,10} \[-?\d{1,4}\] (?=NCCL |[\w./-]{1,80}:\d{1,6} )"
    r"|\[rank\d{1,7}\]:(?=[ \[])"
    r"|\[[EWIFC](?:(?:\d{3,4}| \d{4}-\d\d-\d\d) \d\d:\d\d:\d\d\.\d{1,9})? "
    r"[\w./+-]{1,200}\.cpp:\d{1,6}\] ",
    re.ASCII,
)
# What stands alone on a line wherever programs print it, until people paste it in one line.
PASTED = re.compile(
    r"(?<=\S )(?=terminate called after throwing |Last error:)|(?<=[. ]Last error: )(?=\S)"
)


fitting_dialects = FittingDialects(dialects=DIALECTS)


@dataclass(slots=True)
class PrefixFacts:
    """What the prefixes said so far. The first to say a thing is believed."""

    inner: Stamp | None = None
    envelope: Stamp | None = None
    envelope_at: datetime | None = None
    uptime_seconds: float | None = None
    host: str | None = None
    rank: int | None = None
    local_rank: int | None = None
    pid: int | None = None
    gpu: int | None = None
    stream: Stream | None = None
    dialect: str = "plain"


def parse(
    *,
    text: str,
    origin: Origin,
    number: int,
    envelope_at: datetime | None = None,
    wrapped: WrappingFacts | None = None,
) -> LogLine:
    """Return what one line says: its prefixes as facts, the text behind them, cut to the limit."""
    known = PrefixFacts(envelope_at=envelope_at)
    if wrapped is not None:
        known.envelope_at = wrapped.at or envelope_at
        known.host, known.pid, known.inner = wrapped.host, wrapped.pid, wrapped.stamp
        known.stream = Stream.KERNEL if wrapped.is_kernel else None
    before, mark, text = text.rpartition(escaped_line_ends.BEHIND)
    if mark:
        _peeled(text=before, known=known)
    rest = _peeled(text=text, known=known)
    at, local_at = _times(known=known, origin=origin)
    return LogLine(
        origin=origin,
        number=number,
        text=line_cleaning.cut(line=rest),
        at=at,
        local_at=local_at,
        uptime_seconds=known.uptime_seconds,
        host=known.host or origin.host,
        rank=origin.rank if known.rank is None else known.rank,
        local_rank=known.local_rank,
        pid=known.pid,
        gpu=known.gpu,
        stream=origin.stream or known.stream,
        dialect=known.dialect,
        offset=_offset(known) if at is not None else None,
    )


def prefix_length(*, text: str) -> int:
    """Return how much of a line its prefixes take."""
    return len(text) - len(_peeled(text=text, known=PrefixFacts()))


def shown_lines(*, raw: str) -> Sequence[str]:
    """Return the lines that one stored line holds: redrawn bars, merged writers and line ends that
    an agent escaped come apart."""
    if escaped_line_ends.may_be_escaped(text=raw):
        raw = escaped_line_ends.resolved(text=raw, prefix_length=prefix_length)
    if len(raw) <= MERGE_LIMIT and "\r" not in raw and "\x1b" not in raw and "\0" not in raw:
        is_alone = "NCCL " not in raw and "[rank" not in raw and ".cpp:" not in raw
        return (raw,) if is_alone else _unmerged(text=raw)  # nearly every line
    text = line_cleaning.without_escapes(text=raw)
    parts = line_cleaning.segments(line=text)
    return [piece for part in parts for piece in _unmerged(text=part[:MERGE_LIMIT])]


def _unmerged(*, text: str) -> list[str]:
    # Only a prefix far from the start can be a second writer: others stand behind a first prefix.
    if not _may_be_merged(text):
        return [text]
    cuts = [match.start() for match in SECOND_PREFIX.finditer(text) if _is_cut(text, match)]
    cuts = sorted({*cuts, *(match.start() for match in PASTED.finditer(text))})
    if cuts and cuts[0] <= len(text) - len(_peeled(text=text, known=PrefixFacts())):
        cuts = cuts[1:]  # one prefix behind another, not another writer
    edges = [0, *cuts, len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


def _may_be_merged(text: str) -> bool:
    """Return whether a second prefix can stand in `text`; most lines are settled by counting."""
    count = text.count("NCCL ") + text.count("[rank") + text.count(".cpp:")
    if count > 1 or (count == 1 and SECOND_PREFIX.match(text) is None):
        return True
    return "Last error: " in text or " terminate called" in text


def _is_cut(text: str, match: re.Match[str]) -> bool:
    """Return whether a second prefix follows text, not another prefix of the same line."""
    before = text[: match.start()].rstrip()
    return bool(before) and before[-1] not in "]:|" and not before.endswith((" F", " P"))


def _peeled(*, text: str, known: PrefixFacts) -> str:
    tried: set[str] = set()
    for _ in range(DEPTH):
        found = fitting_dialects.first(text=text, tried=tried)
        if found is None:
            break
        dialect, peel = found
        tried.add(dialect.name)
        _note(known=known, dialect=dialect, peel=peel)
        text = peel.rest
        if peel.is_last:
            break
    return text


def _note(*, known: PrefixFacts, dialect: Dialect, peel: Peel) -> None:
    if dialect.is_envelope:
        known.envelope = known.envelope or peel.stamp
    else:
        known.inner = known.inner or peel.stamp
        known.dialect = dialect.name
    if known.dialect == "plain":
        known.dialect = dialect.name
    if peel.local_rank is not None:  # a label in front of it counts nodes, not ranks
        known.rank = None
    for name in ("host", "rank", "local_rank", "pid", "gpu", "stream", "uptime_seconds"):
        value = getattr(peel, name)
        if (
            value is not None
            and _is_told(name, value)
            and (getattr(known, name) is None or name in INNER_WINS)
        ):
            setattr(known, name, value)


def _is_told(name: str, value: object) -> bool:
    """Say whether a number is one that its field can hold; others were not said."""
    most = LARGEST.get(name)
    return most is None or (isinstance(value, int | float) and 0 <= value <= most)


LARGEST = {
    "rank": MOST_RANKS,
    "local_rank": MOST_RANKS,
    "gpu": MOST_RANKS,
    "pid": MOST,
    "uptime_seconds": MOST,
}
# What the program printed beats what its collector or launcher said.
INNER_WINS = frozenset({"pid", "host", "rank"})


def _offset(known: PrefixFacts) -> timedelta | None:
    """Return the offset that the line prints. That it is none says little: programs print UTC
    wherever they run.
    """
    printed = (one.offset_seconds for one in (known.inner, known.envelope) if one)
    seconds = next(filter(None, printed), None)
    return timedelta(seconds=seconds) if seconds else None


def _times(*, known: PrefixFacts, origin: Origin) -> tuple[datetime | None, datetime | None]:
    """Return (at, local_at). A printed time whose zone is known beats the time it was collected."""
    at, local_at = instant(stamp=known.inner, origin=origin)
    if at is not None:
        return at, None
    written_at, written_local = instant(stamp=known.envelope, origin=origin)
    if written_at is None and known.envelope_at is not None:
        written_at = known.envelope_at.astimezone(UTC)
    if written_at is not None:
        return written_at, local_at
    return None, local_at or written_local
