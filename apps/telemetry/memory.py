"""What detectors carry from one span of a source to the next: the last value of each counter.

Without it a counter that grew while nobody looked would look like a new baseline.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import orjson
import zstandard

from apps.diagnosis import stats
from apps.diagnosis.model import Device, Frame
from apps.telemetry.models import SeriesState, Source
from apps.telemetry.sources.prometheus import instant

CARRIED: Final = frozenset({"increase", "codes"})
# Entities that were replaced or renamed must not add up for ever.
MOST_ENTITIES: Final = 50_000


def carry(*, source: Source, frames: Sequence[Frame]) -> list[Frame]:
    """Return the frames; those of counters start with the value known from before."""
    states = _states(source)
    return [_prepended(frame, states.get(frame.signal.name, {})) for frame in frames]


def remember(*, source: Source, frames: Iterable[Frame], before: float) -> None:
    """Keep the last values before an instant: where the next span begins. Needs the scope."""
    states = _states(source)
    rows = []
    for frame in frames:
        if CARRIED.isdisjoint(frame.signal.watch):
            continue
        columns = int(np.count_nonzero(frame.at < before - 1e-6))
        values = dict(states.get(frame.signal.name, {}))
        if columns:
            last = stats.last_known(stats.without_blanks(frame.values[:, :columns]))[:, -1]
            values |= {
                key: value
                for key, value in zip(_keys(frame), last.tolist(), strict=True)
                if value == value  # noqa: PLR0124  NaN is not equal to itself
            }
        kept = dict(list(values.items())[-MOST_ENTITIES:])
        rows.append(
            SeriesState(
                organization_id=source.organization_id,
                source=source,
                signal=frame.signal.name,
                until=instant(before),
                body=zstandard.compress(orjson.dumps(kept)),
            )
        )
    SeriesState.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["organization", "source", "signal"],
        update_fields=["until", "body"],
    )


def _states(source: Source) -> dict[str, dict[str, float]]:
    rows = SeriesState.objects.for_organization(source.organization_id).filter(source=source)
    # Other notes about a source start with a mark that no signal has.
    rows = rows.exclude(signal__startswith="#")
    return {
        row.signal: orjson.loads(zstandard.decompress(row.body))
        for row in rows.order_by("signal", "id")
    }


def _prepended(frame: Frame, values: dict[str, float]) -> Frame:
    if CARRIED.isdisjoint(frame.signal.watch) or not values:
        return frame
    known = np.array([values.get(key, np.nan) for key in _keys(frame)], dtype=np.float64)
    return replace(
        frame,
        start=frame.start - frame.step,
        values=np.concatenate((known[:, None], frame.values), axis=1),
    )


def _keys(frame: Frame) -> list[str]:
    details = frame.details or ("",) * len(frame.entities)
    return [_key(device, detail) for device, detail in zip(frame.entities, details, strict=True)]


def _key(device: Device, detail: str) -> str:
    index = "" if device.index is None else device.index
    return f"{device.host}|{index}|{device.uuid or ''}|{device.name or ''}|{detail}"
