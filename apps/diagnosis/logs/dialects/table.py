"""TOML → dialects that are a pattern and no more: what each named group of it says, as a peel."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from apps.diagnosis.logs.dialects.dialect import Dialect, Peel
from apps.diagnosis.logs.digit_blind import is_blind
from apps.diagnosis.logs.timestamps import MONTHS, Stamp, epoch, microseconds, offset
from apps.diagnosis.model import Stream
from apps.diagnosis.spelling import meant, shown

FOLDER = Path(__file__).parent
REQUIRED = frozenset({"starts", "pattern", "examples"})
KNOWN_FIELDS = REQUIRED | {"order", "stream", "is_envelope"}
# What a group may be called: who speaks, and when.
SPEAKER = ("host", "rank", "local_rank", "pid", "gpu", "kernel", "uptime", "uptime_us")
TIME = (
    *("year", "short_year", "month", "day", "hour", "minute", "second", "fraction"),
    *("offset", "zone", "utc", "epoch"),
)
CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
DATED = (
    rf"(?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d)[T ]{CLOCK}(?:[.,](?P<fraction>\d{{1,9}}))?"
)
ZONE = r"(?P<offset>Z|[+-]\d\d:?\d\d)"
PARTS = {
    "%iso%": f"{DATED}{ZONE}?",
    "%zoned%": DATED + ZONE,
    "%clock%": CLOCK,
    "%month%": f"(?P<month>{'|'.join(MONTHS)})",
}
NAMES = re.compile(r"\(\?P<(\w+)>")
PART = re.compile(r"%\w+%")
NOT_SAID = (None,)  # behind all groups: what a pattern has no group for
Said = tuple[str | None, ...]


class BadDialect(ValueError):
    """Say which block of which file can't be used, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialectBlock:
    """A block of a table: its dialect, its pattern, and lines that begin with it."""

    dialect: Dialect
    pattern: re.Pattern[str]
    examples: tuple[str, ...]


def load_folder(*, folder: Path = FOLDER) -> tuple[DialectBlock, ...]:
    """Return the rows of every table in `folder`; raises BadDialect on the first that is wrong."""
    rows: dict[str, DialectBlock] = {}
    for path in sorted(folder.glob("*.toml")):
        for name, block in tomllib.loads(path.read_text("utf-8")).items():
            try:
                row = _row(name=name, block=block)
            except (KeyError, TypeError, ValueError, re.error) as error:
                raise BadDialect(f"{path.name}: {name}: {error}") from error
            if rows.setdefault(name, row) is not row:
                raise BadDialect(f"{path.name}: {name} stands there twice or in two files")
    return tuple(rows.values())


def _row(*, name: str, block: Mapping[str, Any]) -> DialectBlock:
    for word in block:
        if word not in KNOWN_FIELDS:
            raise BadDialect(f"no field {shown(word=word)!r}{meant(word=word, known=KNOWN_FIELDS)}")
    if missing := sorted(REQUIRED - block.keys()):
        raise BadDialect(f"needs {', '.join(missing)}")
    stream = Stream(block["stream"]) if "stream" in block else None
    written = block["pattern"]
    alternatives = [_expanded(one) for one in ([written] if isinstance(written, str) else written)]
    pattern = _pattern(alternatives)
    dialect = Dialect(
        name=name,
        starts=block["starts"],
        peel=_peel(pattern, alternatives, stream),
        order=block.get("order", 50),
        is_envelope=block.get("is_envelope", False),
        is_blind=is_blind(source=pattern.pattern),
    )
    return DialectBlock(dialect=dialect, pattern=pattern, examples=tuple(block["examples"]))


def _expanded(written: str) -> str:
    """Return a pattern with the forms of time that it names written out."""
    for part in PART.findall(written):
        if part not in PARTS:
            raise BadDialect(f"no part {part}{meant(word=part, known=PARTS)}")
    source = PART.sub(lambda found: PARTS[found[0]], written)
    for word in NAMES.findall(source):
        known = (*SPEAKER, *TIME)
        if word not in known:
            raise BadDialect(f"no group {shown(word=word)!r}{meant(word=word, known=known)}")
    return source


def _pattern(alternatives: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern that tries the alternatives in turn, each in a group of its own."""
    if len(alternatives) == 1:
        return re.compile(alternatives[0], re.ASCII)
    plain = (NAMES.sub("(", one) for one in alternatives)
    return re.compile("|".join(f"({one})" for one in plain), re.ASCII)


def _groups(alternatives: Sequence[str]) -> Iterator[tuple[int, Mapping[str, int]]]:
    """Yield for each alternative the number of its own group, and those of its names."""
    if len(alternatives) == 1:
        yield 0, re.compile(alternatives[0], re.ASCII).groupindex
        return
    number = 1
    for one in alternatives:
        alone = re.compile(one, re.ASCII)
        yield number, {name: number + index for name, index in alone.groupindex.items()}
        number += 1 + alone.groups


def _peel(
    pattern: re.Pattern[str], alternatives: Sequence[str], stream: Stream | None
) -> Callable[[str], Peel | None]:
    readers = {own: _reader(groups, stream) for own, groups in _groups(alternatives)}
    look = pattern.match
    if len(readers) == 1:
        (read,) = readers.values()

        def peel(text: str) -> Peel | None:
            match = look(text)
            return None if match is None else read(text[match.end() :], match.groups() + NOT_SAID)

        return peel

    def peel_either(text: str) -> Peel | None:
        match = look(text)
        if match is None or match.lastindex is None:
            return None
        # The group that closed last is the one around the alternative that fits.
        return readers[match.lastindex](text[match.end() :], match.groups() + NOT_SAID)

    return peel_either


def _reader(groups: Mapping[str, int], stream: Stream | None) -> Callable[[str, Said], Peel]:
    """Return what makes a peel of what the groups say."""
    pick = _picker(groups, SPEAKER)
    stamp = _stamped(groups)

    def read(rest: str, said: Said) -> Peel:
        host, rank, local_rank, pid, gpu, kernel, uptime, uptime_us = pick(said)
        return Peel(
            rest=rest,
            stamp=stamp(said),
            uptime_seconds=_seconds(uptime, uptime_us),
            host=host,
            rank=int(rank) if rank else None,
            local_rank=int(local_rank) if local_rank else None,
            pid=int(pid) if pid else None,
            gpu=int(gpu) if gpu else None,
            stream=Stream.KERNEL if kernel else stream,
        )

    return read


def _picker(groups: Mapping[str, int], names: Sequence[str]) -> Callable[[Said], Said]:
    return itemgetter(*(groups.get(name, 0) - 1 for name in names))  # -1 is NOT_SAID


def _seconds(uptime: str | None, uptime_us: str | None) -> float | None:
    if uptime_us:
        return int(uptime_us) / 1e6
    return float(uptime) if uptime else None


def _stamped(groups: Mapping[str, int]) -> Callable[[Said], Stamp | None]:
    """Return what makes a time of what the groups say."""
    if "epoch" in groups:
        since = _picker(groups, ("epoch", "fraction"))
        return lambda said: _since_epoch(*since(said))
    if "month" not in groups:
        return lambda _: None
    pick = _picker(groups, TIME)

    def stamp(said: Said) -> Stamp | None:
        year, short_year, month, day, hour, minute, second, fraction, beside, zone, utc, _ = pick(
            said
        )
        if not (month and day and hour and minute and second):
            return None
        return Stamp(
            year=int(year) if year else 2000 + int(short_year) if short_year else None,
            month=MONTHS.get(month) or int(month),
            day=int(day),
            hour=int(hour),
            minute=int(minute),
            second=int(second),
            microsecond=microseconds(fraction),
            offset_seconds=offset(beside or zone or ("Z" if utc else None)),
        )

    return stamp


def _since_epoch(seconds: str | None, fraction: str | None) -> Stamp | None:
    return epoch(seconds=int(seconds), fraction=fraction) if seconds else None
