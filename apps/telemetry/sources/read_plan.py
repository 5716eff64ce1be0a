"""Which questions read many metric names of a server: small enough for it and for us."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.detection.metrics.selectors import write_selector
from apps.telemetry.sources.errors import QueryFailed
from apps.telemetry.sources.prometheus import MAX_POINTS, PrometheusSource

# An answer of this size is read in a tenth of a second and parsed in as long.
ANSWER_BYTES: Final = 8 * 2**20
# What one series and one sample take in an answer, about.
SERIES_BYTES: Final = 320
SAMPLE_BYTES: Final = 25
# A name of which nobody knows how many series it has.
USUAL_COUNT: Final = 500
MOST_NAMES: Final = 100
SHARD_LABEL: Final = "instance"
# Newer servers allow any text as a name; what a stranger named must not become PromQL.
PLAIN_NAME: Final = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question: names under one matcher, on a grid, of all or of some scraped instances."""

    names: tuple[str, ...]
    grid: Grid
    match: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    instances: tuple[str, ...] = ()
    channel: int = 0  # the caller's own mark

    @property
    def query(self) -> str:
        """Return the question in PromQL."""
        match = dict(self.match)
        if self.instances:
            match[SHARD_LABEL] = "~" + "|".join(map(re.escape, self.instances))
        if len(self.names) == 1 and PLAIN_NAME.fullmatch(self.names[0]):
            return write_selector(metric=self.names[0], match=match)
        names = "~" + "|".join(map(re.escape, self.names))
        return write_selector(metric="", match={"__name__": names, **match})


def planned(
    *,
    names: Sequence[str],
    grid: Grid,
    counts: Mapping[str, int],
    match: Mapping[str, str],
    channel: int = 0,
) -> list[Ask]:
    """Return the questions for names, in their order; together they ask for everything once."""
    asks: list[Ask] = []
    group: list[str] = []
    size = 0
    per_series = SERIES_BYTES + SAMPLE_BYTES * grid.count
    for name in names:
        expected = counts.get(name, USUAL_COUNT) * per_series
        if group and (size + expected > ANSWER_BYTES or len(group) >= MOST_NAMES):
            asks += _in_time(tuple(group), grid, size, match, channel)
            group, size = [], 0
        group.append(name)
        size += expected
    return asks + (_in_time(tuple(group), grid, size, match, channel) if group else [])


def _in_time(
    names: tuple[str, ...], grid: Grid, size: int, match: Mapping[str, str], channel: int
) -> list[Ask]:
    points = max(1, min(MAX_POINTS, grid.count, grid.count * ANSWER_BYTES // max(size, 1)))
    return [
        Ask(names=names, grid=part, match=match, channel=channel)
        for part in slices(grid=grid, points=points)
    ]


def slices(*, grid: Grid, points: int) -> list[Grid]:
    """Return a grid in parts of at most so many instants."""
    return [
        Grid(
            start=grid.start + first * grid.step,
            step=grid.step,
            count=min(points, grid.count - first),
        )
        for first in range(0, grid.count, points)
    ]


def smaller_asks(client: PrometheusSource, ask: Ask) -> list[Ask]:
    """Return the same question in two or more parts; nothing where it can't be cut."""
    if len(ask.names) > 1:
        half = len(ask.names) // 2
        return [replace(ask, names=names) for names in (ask.names[:half], ask.names[half:])]
    if len(ask.instances) > 1:
        half = len(ask.instances) // 2
        return [
            replace(ask, instances=part) for part in (ask.instances[:half], ask.instances[half:])
        ]
    # In a short span the labels are most of an answer, in a long one the samples.
    is_short = ask.grid.count * SAMPLE_BYTES <= SERIES_BYTES
    shards = _by_instance(client, ask) if is_short and not ask.instances else []
    if shards or ask.grid.count <= 1:
        return shards
    points = (ask.grid.count + 1) // 2
    return [replace(ask, grid=part) for part in slices(grid=ask.grid, points=points)]


def _by_instance(client: PrometheusSource, ask: Ask) -> list[Ask]:
    try:
        counts = client.counts(query=ask.query, by=SHARD_LABEL, at=ask.grid.end)
    except QueryFailed:
        return []
    shards: list[Ask] = []
    part: list[str] = []
    size = 0
    for instance, count in sorted(counts.items()):
        expected = count * (SERIES_BYTES + SAMPLE_BYTES * ask.grid.count)
        if part and size + expected > ANSWER_BYTES:
            shards.append(replace(ask, instances=tuple(part)))
            part, size = [], 0
        part.append(instance)
        size += expected
    shards += [replace(ask, instances=tuple(part))] if part else []
    if len(shards) == 1 and len(part) > 1:
        return smaller_asks(client, shards[0])
    return shards if len(shards) > 1 else []
