"""The few series of the storage path, read on a pull's turn and kept as rollups.

Counters are read from one instant before the block on, so that nothing is remembered between pulls
and a block that is read twice, late or in any order adds the same.
"""

from collections.abc import Collection, Sequence
from typing import Final

from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Frame
from apps.telemetry.metrics.pulls import signal_reading
from apps.telemetry.metrics.series_index import SeriesRoll, WantedSeries
from apps.telemetry.models import Source
from apps.telemetry.sources.bulk_reading import Client
from apps.telemetry.storage_path.adapter_samples import ADAPTER_SIGNALS
from apps.telemetry.storage_path.phase_rows import write_phases
from apps.telemetry.storage_path.slot_rows import write_slots
from apps.telemetry.storage_path.slot_samples import (
    SIGNALS,
    UTILIZATION,
    SlotSamples,
    slot_samples,
)

READ_SECONDS: Final = 5.0
# 16 mounts on each of 2,048 nodes tell about this many.
MOST_SERIES: Final = 600_000


def read_storage(
    *,
    client: Client,
    known: SeriesRoll,
    served: Collection[str],
    grid: Grid,
    frames: Sequence[Frame],
) -> tuple[SlotSamples, ...]:
    """Return what the mounts did in a block; nothing where no mount is told of.

    `known` is how the source spells its hosts, `frames` what was read of the block already. Raises
    SourceUnreachable.
    """
    wanted = _wanted(served)
    if not wanted or not grid.count:
        return ()
    whole = Grid(start=grid.start - grid.step, step=grid.step, count=grid.count + 1)
    roll = SeriesRoll(wanted=wanted, label_map=known.label_map, aliases=known.aliases)
    limits = signal_reading.ReadingLimits(seconds=READ_SECONDS, most_series=MOST_SERIES)
    taken = signal_reading.read_rolled(client=client, roll=roll, grid=whole, limits=limits)
    busy = next((each for name in UTILIZATION for each in frames if each.signal.name == name), None)
    return tuple(slot_samples(frames=taken.frames, utilization=busy, grid=whole))


def write_storage(*, source: Source, samples: Sequence[SlotSamples]) -> None:
    """Keep what was read. Needs the owner's scope. Repeatable."""
    grown = write_slots(source=source, samples=samples)
    if grown:
        write_phases(source=source, grown=grown)


def _wanted(served: Collection[str]) -> list[WantedSeries]:
    """Return what to read of mounts, and of adapters where any mount is told of."""
    names = frozenset(served)
    mounts, adapters = (
        signal_reading.served(signals=[catalog().signals[each] for each in some], names=names)
        for some in (SIGNALS, ADAPTER_SIGNALS)
    )
    found = [*mounts, *adapters] if mounts else []
    return [WantedSeries(signal=signal, query=query) for signal, query in found]
