"""What a node had of the storage path in runs of different sizes: from what size on is it less?

Of each run the three busiest five minutes count, of its nodes the median: a run is one voice,
however long it was or however many nodes it had.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from apps.fleet.facade.placements import AttemptPlace
from apps.reliability.storage_path.running_places import RunningPlaces
from apps.telemetry.facade.storage import SlotTraffic
from apps.telemetry.storage_path.slot_samples import HOST, Floats
from apps.training.storage_path.scale import ScaledValue

BUSIEST: Final = 3
LEAST_BYTES: Final = 1e6 * 300  # of a node in a slot: less says nothing of the path
SIDES: Final = ("write", "read")
PER_REQUEST: Final = ("queue", "response", "request")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Busy:
    moved: float
    cells: Floats


def scaled_values(
    *, slots: Iterable[SlotTraffic], places: Sequence[AttemptPlace]
) -> Iterator[ScaledValue]:
    """Yield a value of each metric and run; from slots in any order."""
    busiest: dict[tuple[int, str], list[_Busy]] = defaultdict(list)
    by_id = {each.id: each for each in places}
    running = RunningPlaces(places)
    for slot in slots:
        for place in running.at(slot.starts_at):
            _take(busiest, place, slot)
    for (attempt, side), found in sorted(busiest.items()):
        place = by_id[attempt]
        yield from _values(place, side, np.concatenate([each.cells for each in found]))


def _take(
    busiest: dict[tuple[int, str], list[_Busy]], place: AttemptPlace, slot: SlotTraffic
) -> None:
    rows = [at for at, host in enumerate(slot.hosts) if host in place.hosts]
    if not rows:
        return
    cells = slot.cells[rows]
    for side in SIDES:
        moved = cells[:, HOST.index(f"{side}_bytes")]
        worked = cells[moved > LEAST_BYTES]
        if len(worked):
            kept = busiest[place.id, side]
            kept.append(_Busy(moved=float(moved.sum()), cells=worked))
            kept.sort(key=lambda each: -each.moved)
            del kept[BUSIEST:]


def _values(place: AttemptPlace, side: str, cells: Floats) -> Iterator[ScaledValue]:
    def column(name: str) -> Floats:
        return np.asarray(cells[:, HOST.index(name)], dtype=np.float64)

    def value(metric: str, figures: Floats, *, is_more_better: bool) -> ScaledValue:
        return ScaledValue(
            metric=metric,
            run=f"{place.session}#{place.number}",
            node="median",
            node_count=len(place.hosts),
            value_per_node=float(np.median(figures)),
            is_more_better=is_more_better,
        )

    seconds = np.maximum(column("seconds"), 1.0)
    yield value(f"{side}-rate", column(f"{side}_bytes") / seconds, is_more_better=True)
    requests = column(f"{side}_requests")
    if (requests > 0).all():
        for name in PER_REQUEST:
            per_request = column(f"{side}_{name}") / requests
            yield value(f"{side}-{name}", per_request, is_more_better=False)
