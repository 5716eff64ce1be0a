"""Logs whose printed times name no zone, and a server whose samples do: in which zone their run is
the one that the server saw.

Work on the session's hosts begins when its log begins and ends when it ends. The zone in use where
both coincide best is taken, if no other fits nearly as well; else nobody is told a zone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from apps.diagnosis.detection.metrics.frames import grid_between
from apps.diagnosis.model import Event, Extent, Frame, LogLine, Reading
from apps.diagnosis.reasoning.scope.streams import extents_of_session
from apps.diagnosis.zone_names import MINUTES_IN_USE
from apps.telemetry.metrics.pulls import signal_reading
from apps.telemetry.sources.prometheus import PrometheusSource

STEP_SECONDS: Final = 60.0
MARGIN_SECONDS: Final = 900.0
# What is compared before the start and behind the end: work that was not there.
BESIDE: Final = 300.0
FAMILY: Final = "utilisation"
BUDGET_SECONDS: Final = 60.0
# Of the range between idle and busy: how much less work there has to be beside the run, and how
# much better than any other zone the best has to fit.
LEAST_FIT, LEAST_LEAD = 0.4, 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """When and where a session ran, by the times that its logs print without a zone."""

    hosts: tuple[str, ...]
    starts_at: datetime  # naive
    ends_at: datetime

    def span(self, minutes: int) -> tuple[float, float]:
        """Return start and end in Unix seconds, if printed so many minutes east of UTC."""
        east = timedelta(minutes=minutes)
        times = (self.starts_at, self.ends_at)
        start, end = ((at.replace(tzinfo=UTC) - east).timestamp() for at in times)
        return start, end


def printed(*, readings: Sequence[Reading], hosts: tuple[str, ...]) -> Printed | None:
    """Return what the session's own logs say, None where they name a zone or no time at all."""
    extents = [extent for _, extent in extents_of_session(readings=readings)]
    starts = [each.first_local_at for each in extents if each.first_local_at]
    ends = [each.last_local_at for each in extents if each.last_local_at]
    if not starts or not ends or any(each.last_at for each in extents):
        return None
    return Printed(hosts=hosts, starts_at=min(starts), ends_at=max(ends))


def offset_of(*, client: PrometheusSource, printed: Printed, now: datetime) -> int | None:
    """Return how many minutes east of UTC the printed times are, None where that stays open."""
    spans = [printed.span(minutes) for minutes in MINUTES_IN_USE]
    start = min(each[0] for each in spans) - MARGIN_SECONDS
    end = min(max(each[1] for each in spans) + MARGIN_SECONDS, now.timestamp())
    if end <= start:
        return None
    frames = _work(client=client, start=start, end=end)
    rows = [row for frame in frames for row in _rows(frame, printed.hosts)]
    fits = {
        minutes: max((_fit(at, values, printed.span(minutes)) for at, values in rows), default=0.0)
        for minutes in MINUTES_IN_USE
    }
    best, second, *_ = sorted(fits, key=lambda minutes: -fits[minutes])
    is_clear = fits[best] >= LEAST_FIT and fits[best] - fits[second] >= LEAST_LEAD
    return best if is_clear else None


def dated(*, readings: Sequence[Reading], minutes: int) -> list[Reading]:
    """Return readings whose printed times are so many minutes east of UTC."""
    east = timedelta(minutes=minutes)
    return [
        replace(
            reading,
            events=tuple(_event(each, east) for each in reading.events),
            progress=tuple(_event(each, east) for each in reading.progress),
            extents=tuple(_extent(each, east) for each in reading.extents),
        )
        for reading in readings
    ]


def _work(*, client: PrometheusSource, start: float, end: float) -> Sequence[Frame]:
    """Return how busy the GPUs of each host were."""
    served = client.metric_names(starts_at=start, ends_at=end)
    signals = [each for each in signal_reading.watched() if each.family == FAMILY]
    return signal_reading.read(
        client=client,
        wanted=signal_reading.served(signals=signals, names=served)[:1],
        grid=grid_between(start=start, end=end, step=STEP_SECONDS),
        names=signal_reading.Names(label_map={}, aliases={}),
        seconds=BUDGET_SECONDS,
    ).frames


Row = tuple[np.ndarray, np.ndarray]


def _rows(frame: Frame, hosts: Sequence[str]) -> Iterator[Row]:
    """Yield the mean of each host's GPUs; only of the session's, where the server knows them."""
    by_host: dict[str, list[int]] = {}
    for index, entity in enumerate(frame.entities):
        by_host.setdefault(entity.host or "", []).append(index)
    wanted = {_short(each) for each in hosts}
    own = [rows for host, rows in by_host.items() if _short(host) in wanted]
    if own:  # they work together: one row, which no other job blurs
        own = [[index for rows in own for index in rows]]
    for rows in own or by_host.values():
        values = frame.values[rows]
        counts = (~np.isnan(values)).sum(axis=0)
        sums = np.nansum(values, axis=0)
        yield frame.at, np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _short(host: str) -> str:
    return host.split(".", 1)[0].lower()


def _fit(at: np.ndarray, values: np.ndarray, span: tuple[float, float]) -> float:
    """Return how much less work there was on both sides of a span than in it, 1 at most."""
    start, end = span
    known = values[~np.isnan(values)]
    if not known.size:
        return 0.0
    whole = float(known.max() - known.min())
    inside = _mean(values, (at >= start + STEP_SECONDS) & (at <= end - STEP_SECONDS))
    before = _mean(values, (at >= start - BESIDE) & (at <= start - STEP_SECONDS))
    after = _mean(values, (at >= end + STEP_SECONDS) & (at <= end + BESIDE))
    if whole <= 0 or inside is None or after is None:
        return 0.0
    return (inside - max(after, before if before is not None else after)) / whole


def _mean(values: np.ndarray, where: np.ndarray) -> float | None:
    found = values[where]
    found = found[~np.isnan(found)]
    return float(found.mean()) if found.size else None


def _event(event: Event, east: timedelta) -> Event:
    line = event.line
    if line.at is not None or line.local_at is None:
        return event
    return replace(event, line=_line(line, line.local_at, east))


def _line(line: LogLine, local_at: datetime, east: timedelta) -> LogLine:
    return replace(line, at=(local_at - east).replace(tzinfo=UTC), local_at=None)


def _extent(extent: Extent, east: timedelta) -> Extent:
    first, last = extent.first_local_at, extent.last_local_at
    if first is None or last is None:
        return extent
    return replace(
        extent,
        first_at=(first - east).replace(tzinfo=UTC),
        last_at=(last - east).replace(tzinfo=UTC),
        first_local_at=None,
        last_local_at=None,
    )
