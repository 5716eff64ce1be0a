"""The rolls of sources that this process reads: what a label text means is learnt once."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence

from apps.telemetry.metrics.series_index import SeriesRoll, WantedSeries
from apps.telemetry.models import Source

# Label texts of this many series are kept at hand; of the largest cluster they take 400 MB.
MOST_SERIES = 1_000_000
# What was met once and is gone must not add up for ever.
LIFE_SECONDS = 6 * 3600.0

_Key = tuple[tuple[WantedSeries, ...], Mapping[str, str], Mapping[str, str]]
_kept: OrderedDict[int, tuple[_Key, float, SeriesRoll]] = OrderedDict()


def roll_of(
    *,
    source: Source,
    wanted: Sequence[WantedSeries],
    label_map: Mapping[str, str],
    aliases: Mapping[str, str],
    at: float,
) -> SeriesRoll:
    """Return the roll of a source, as it was left if nothing about the names has changed."""
    key = (tuple(wanted), dict(label_map), dict(aliases))
    known = _kept.pop(source.pk, None)
    if known is None or known[0] != key or at - known[1] > LIFE_SECONDS:
        known = (key, at, SeriesRoll(wanted=wanted, label_map=label_map, aliases=aliases))
    _kept[source.pk] = known
    while len(_kept) > 1 and sum(roll.series_count for _, _, roll in _kept.values()) > MOST_SERIES:
        _kept.popitem(last=False)
    return known[2]


def forget() -> None:
    """Keep nothing in this process."""
    _kept.clear()
