"""Signals of the catalog, read from a source within a budget of time; needs no models."""

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.diagnosis.detection.known_detectors import all_detectors
from apps.diagnosis.detection.metrics.describe import signal_for
from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.detection.metrics.identity import host_name
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Frame, Query, Signal
from apps.telemetry.metrics.series_index import GridSheet, SeriesRoll, WantedSeries
from apps.telemetry.sources import bulk_reading, read_plan
from apps.telemetry.sources.bulk_reading import Client
from apps.telemetry.sources.errors import QueryFailed

UNAME: Final = "node_uname_info"
# Findings are kept under the name of their metric.
NAME_LENGTH: Final = 80
# A name is worked with for itself, however few series it has: a large cluster serves some thousand.
MOST_NAMES: Final = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalReading:
    """What one reading brought: frames, and the names of signals that could not be had."""

    frames: tuple[Frame, ...]
    refused: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    warning: str = ""  # what the server itself says is missing
    series_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """How a source spells things: its labels → our words, its hosts → ours."""

    label_map: Mapping[str, str]
    aliases: Mapping[str, str]


def with_told_hosts(
    *, client: Client, names: Names, metric_names: frozenset[str], at: float
) -> Names:
    """Add the hosts behind scrape addresses, as node_exporter itself tells them.

    What the operator's alias table says stands: an address may have moved.
    """
    if UNAME not in metric_names:
        return names
    try:
        series = client.matrix(query=UNAME, grid=Grid(start=at, step=1.0, count=1))
    except QueryFailed:
        return names
    told: dict[str, str] = {}
    for each in series:
        spelt = host_name(each.labels.get("instance", ""))
        host = host_name(each.labels.get("nodename", ""))
        if spelt and host:
            told[spelt] = names.aliases.get(host, host)
    return Names(label_map=names.label_map, aliases={**told, **names.aliases})


def served(*, signals: Iterable[Signal], names: frozenset[str]) -> list[tuple[Signal, Query]]:
    """Return each signal that a server has, under the newest of its names, facts first."""
    found = []
    for signal in signals:
        query = next((each for each in signal.queries if each.metric in names), None)
        if query:
            found.append((signal, query))
    return sorted(found, key=lambda pair: (_rank(pair[0]), pair[0].name))


def watched() -> tuple[Signal, ...]:
    """Return every signal that a detector looks at."""
    return tuple(signal for signal in catalog().signals.values() if signal.watch)


def wanted_of(*, names: frozenset[str], types: Mapping[str, str]) -> list[WantedSeries]:
    """Return what a pull reads of the names that a source serves, facts first.

    What the catalog knows and a detector watches; then what it doesn't know, by name. Several
    series of one part that nobody can tell apart count with their mean.
    """
    known = served(signals=watched(), names=names)
    unknown = [
        signal_for(name, types.get(name))
        for name in sorted(names - catalog().metrics.keys())
        if len(name) <= NAME_LENGTH and "\0" not in name
    ]
    return [
        *(WantedSeries(signal=signal, query=query) for signal, query in known),
        *(
            WantedSeries(signal=signal, query=signal.queries[0], is_mean=True)
            for signal in unknown
            if signal.watch
        ),
    ]


def read(
    *,
    client: Client,
    wanted: Sequence[tuple[Signal, Query]],
    grid: Grid,
    names: Names,
    seconds: float,
) -> SignalReading:
    """Return the signals on the grid, as many as the time allows; raise SourceUnreachable."""
    roll = SeriesRoll(
        wanted=[WantedSeries(signal=signal, query=query) for signal, query in wanted],
        label_map=names.label_map,
        aliases=names.aliases,
    )
    return read_rolled(client=client, roll=roll, grid=grid, limits=ReadingLimits(seconds=seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingLimits:
    """What one reading may take, and how many series each name is expected to have."""

    seconds: float
    most_series: int | None = None
    counts: Mapping[str, int] | None = None


def expected(*, client: Client, roll: SeriesRoll, at: float) -> dict[str, int]:
    """Return how many series each wanted name has: as met before, else as the server tells."""
    now = Grid(start=at, step=1.0, count=1)
    asks = [
        read_plan.Ask(names=tuple(roll.metrics(channel)), grid=now, match=match, channel=channel)
        for channel, match in enumerate(roll.matches)
    ]
    return roll.counts() or bulk_reading.counted(client=client, asks=asks)


def read_rolled(
    *, client: Client, roll: SeriesRoll, grid: Grid, limits: ReadingLimits
) -> SignalReading:
    """Return what a roll wants on the grid, as much as the limits allow; the roll learns from it.

    Raises SourceUnreachable.
    """
    ends_at = time.monotonic() + limits.seconds
    counts = limits.counts
    if counts is None:
        counts = expected(client=client, roll=roll, at=grid.end)
    too_many = dict.fromkeys(_beyond(roll, counts, limits.most_series))
    asks = [
        ask
        for channel, match in enumerate(roll.matches)
        for ask in read_plan.planned(
            names=[name for name in roll.metrics(channel) if (channel, name) not in too_many],
            grid=grid,
            counts=counts,
            match=match,
            channel=channel,
        )
    ]
    sheet = GridSheet(roll=roll, grid=grid)
    refused: list[str] = []
    left_out = [name for channel, metric in too_many for name in roll.names(channel, [metric])]
    for answer in bulk_reading.answers(client=client, asks=asks, ends_at=ends_at):
        ask = answer.ask
        if answer.matrix is None:
            missing = roll.names(ask.channel, ask.names)
            (refused if answer.is_refused else left_out).extend(missing)
        else:
            sheet.put(channel=ask.channel, metrics=ask.names, answer=answer.matrix)
    return SignalReading(
        frames=sheet.frames(without=frozenset((*refused, *left_out))),
        series_count=sheet.series_count,
        refused=tuple(dict.fromkeys(refused)),
        left_out=tuple(dict.fromkeys(left_out)),
        warning=client.warning,
    )


def _beyond(
    roll: SeriesRoll, counts: Mapping[str, int], most_series: int | None
) -> list[tuple[int, str]]:
    """Return the names that are beyond a source's budget: those wanted last, in their channel."""
    room = float("inf") if most_series is None else most_series
    beyond = []
    for place, (channel, metric) in enumerate(roll.order()):
        room -= counts.get(metric, 0)
        if room < 0 or place >= MOST_NAMES:
            beyond.append((channel, metric))
    return beyond


def _rank(signal: Signal) -> int:
    """Return when its turn comes: facts before deviations, which are left out if time runs out."""
    orders = (each.order for each in all_detectors() if each.name in signal.watch)
    return min(orders, default=sys.maxsize)
