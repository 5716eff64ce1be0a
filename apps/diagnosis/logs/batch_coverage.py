"""How far each voice of a batch was heard, as extents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from apps.diagnosis.model import Extent, LogLine, Origin

Voice = tuple[str, str]  # "rank" or "host", and which


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchCoverage:
    """How far each voice of a batch was heard, by its own lines alone."""

    origin: Origin
    first_number: int
    line_count: int
    sample: Sequence[LogLine]  # from both ends
    has_voices: bool
    # Of each voice how many lines there are, and the first and last of them. Read once.
    voices: Iterable[tuple[Voice, int, Sequence[LogLine]]]

    def parsed(self) -> "BatchCoverage":
        """Return the same with all of these lines parsed."""
        return replace(self, voices=list(self.voices))

    def extents(self, *, told: Sequence[LogLine] = ()) -> tuple[Extent, ...]:
        """Return an extent per rank (or host) that prefixes lines, and one for lines without
        prefix. `told` are lines that were parsed anyway, whose times count, too.
        """
        known = _by_voice(told) if self.has_voices else {}
        found = [
            _voice(
                name=name,
                count=count,
                last_number=lines[-1].number,
                lines=lines,
                told=known.get(name, ()),
            )
            for name, count, lines in self.voices
        ]
        rest = self.line_count - sum(extent.line_count for extent in found)
        if rest > 0 or not found:
            hosts = (line.host for line in self.sample if line.host) if not found else iter(())
            whole = _span(
                lines=[*self.sample, *(told if not found else ())],
                host=next(hosts, None) or self.origin.host,
                rank=self.origin.rank,
                line_count=max(rest, 0),
                last_number=self.first_number + self.line_count - 1,
            )
            found.append(whole)
        return tuple(found)


def _by_voice(lines: Sequence[LogLine]) -> dict[Voice, list[LogLine]]:
    found: dict[Voice, list[LogLine]] = {}
    for line in lines:
        found.setdefault(("rank", str(line.rank)), []).append(line)
        found.setdefault(("host", str(line.host)), []).append(line)
    return found


def _voice(
    *,
    name: Voice,
    count: int,
    last_number: int,
    lines: Sequence[LogLine],
    told: Sequence[LogLine],
) -> Extent:
    kind, value = name
    return _span(
        lines=[*lines, *told],
        host=value if kind == "host" else next((line.host for line in lines if line.host), None),
        rank=int(value) if kind == "rank" else None,
        line_count=count,
        last_number=last_number,
    )


def _span(
    *,
    lines: Sequence[LogLine],
    host: str | None,
    rank: int | None,
    line_count: int,
    last_number: int,
) -> Extent:
    times = sorted(line.at for line in lines if line.at is not None)
    local = sorted(line.local_at for line in lines if line.local_at is not None)
    return Extent(
        host=host,
        rank=rank,
        stream=next((line.stream for line in lines if line.stream is not None), None),
        line_count=line_count,
        first_at=times[0] if times else None,
        last_at=times[-1] if times else None,
        first_local_at=local[0] if local else None,
        last_local_at=local[-1] if local else None,
        offset=next((line.offset for line in reversed(lines) if line.offset), None),
        last_number=last_number,
        last_uptime=None if times or local else _last_uptime(lines),
    )


def _last_uptime(lines: Sequence[LogLine]) -> float | None:
    known = [one for one in lines if one.uptime_seconds is not None]
    last = max(known, key=lambda one: one.number, default=None)
    return last.uptime_seconds if last else None
