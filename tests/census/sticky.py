"""The last Xid of each GPU, clocks and event counters: what remembers the past in its own way."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tests.census.compiled import Floats, Numbers, Wide, table
from tests.census.effects import Happenings, Reset
from tests.census.life import DAY, GPUS, NODES, START
from tests.census.totals import LEVELS, TILE_SECONDS

_WINDOW_SECONDS = 300.0
_LONG_AGO = START - 400 * DAY


class Sticky:
    """Answers for any time what the last code, the last boot and the last reset were."""

    def __init__(self, *, happenings: Happenings) -> None:
        """Put the codes and resets into the order of time."""
        self._xids = sorted(happenings.xids, key=lambda x: x.at)
        self._resets = sorted(happenings.resets, key=lambda r: r.at)
        self._changes = _code_changes(happenings)
        part = table().parts["event"]
        scopes = np.array([table().names[i].scope for i in range(part.start, part.stop)])
        self._rows = {
            what: np.flatnonzero(np.isin(scopes, list(levels))) for what, levels in LEVELS.items()
        }

    def last_reset(self, tile: int) -> Wide:
        """Return when each event counter (counters, nodes) was last set back before a tile."""
        begins = START + tile * TILE_SECONDS
        part = table().parts["event"]
        found = np.full((part.stop - part.start, NODES), _LONG_AGO)
        for reset in self._resets:
            if reset.at >= begins:
                break
            found[self._rows[reset.what], reset.host] = reset.at
        return found

    def event_resets(self, tile: int, times: Wide) -> list[tuple[Reset, Numbers, int]]:
        """Return the resets within a tile with the event counters they set back."""
        return [
            (reset, self._rows[reset.what], int(np.searchsorted(times, reset.at)))
            for reset in self._resets
            if times[0] <= reset.at <= times[-1]
        ]

    def write(self, values: Floats, base: Wide, tile: int, times: Wide) -> None:
        """Fill in codes, the window of codes, and clocks."""
        rows = table().rows
        for host, (at, codes) in self._changes.items():
            values[rows["DCGM_FI_DEV_XID_ERRORS"], host] = codes[
                np.searchsorted(at, times, side="right") - 1
            ]
        window = values[rows["DCGM_EXP_XID_ERRORS_COUNT"]]
        for xid in self._xids:
            if times[0] - _WINDOW_SECONDS < xid.at <= times[-1]:
                window[xid.host] += (times >= xid.at) & (times < xid.at + _WINDOW_SECONDS)
        self._clocks(values, base, tile, times)

    def _clocks(self, values: Floats, base: Wide, tile: int, times: Wide) -> None:
        rows = table().rows
        clock = rows["node_time_seconds"]
        base[clock] = times[0]
        values[clock] = (times - times[0]).astype(np.float32)
        written = rows["node_textfile_mtime_seconds"]
        base[written] = times[0]
        values[written] = (np.floor(times / 900.0) * 900.0 - times[0]).astype(np.float32)
        booted = rows["node_boot_time_seconds"]
        base[booted] = START - DAY * (3 + np.arange(NODES) * 37 % 80)
        values[booted] = 0.0
        for reset in self._resets:
            if reset.what != "boot" or reset.at > times[-1]:
                continue
            if reset.at < times[0]:
                base[booted, reset.host] = np.floor(reset.at - 90)
            else:
                first = int(np.searchsorted(times, reset.at))
                grown = np.floor(reset.at - 90) - base[booted, reset.host]
                values[booted, reset.host, first:] = np.float32(grown)


Changes = tuple[Wide, Floats]


def _code_changes(happenings: Happenings) -> dict[int, Changes]:
    """Return per node when the greatest last code of its GPUs changes, and to what."""
    found: dict[int, Changes] = {}
    for host in {x.host for x in happenings.xids}:
        story = [
            (at, float(np.where(gone, 0.0, last).max()))
            for at, last, gone in _story(happenings, host)
        ]
        found[host] = _changes(story)
    return found


def gpu_codes(happenings: Happenings) -> dict[tuple[int, int], Changes]:
    """Return per GPU that ever reported a code when its last one changes, and to what."""
    found: dict[tuple[int, int], Changes] = {}
    for host in {x.host for x in happenings.xids}:
        story = list(_story(happenings, host))
        for gpu in {x.gpu for x in happenings.xids if x.host == host}:
            found[host, gpu] = _changes([(at, float(last[gpu])) for at, last, _ in story])
    return found


def _changes(story: list[tuple[float, float]]) -> Changes:
    at = [_LONG_AGO, *(when for when, _ in story)]
    codes = [0.0, *(code for _, code in story)]
    return np.array(at), np.array(codes, dtype=np.float32)


def _story(happenings: Happenings, host: int) -> Iterator[tuple[float, Wide, NDArray[np.bool_]]]:
    """Yield when something changed, the last code of each GPU then, and which of them are gone."""
    last = np.zeros(GPUS)
    gone = np.zeros(GPUS, dtype=bool)
    for at, what, gpu, code in sorted(_incidents(happenings, host)):
        if what == "code":
            last[gpu] = code
        elif what == "clear":
            last[:] = 0.0
        else:
            gone[gpu] = what == "gone"
        yield at, last.copy(), gone.copy()


def _incidents(happenings: Happenings, host: int) -> Iterator[tuple[float, str, int, int]]:
    for xid in happenings.xids:
        if xid.host == host:
            yield xid.at, "code", xid.gpu, xid.code
    for reset in happenings.resets:
        if reset.host == host and reset.what in {"boot", "driver"}:
            yield reset.at, "clear", 0, 0
    for gap in happenings.gaps:
        if gap.host == host and gap.what == "gpu":
            yield gap.starts_at, "gone", gap.gpu or 0, 0
            yield gap.ends_at, "back", gap.gpu or 0, 0
        elif gap.host == host and gap.what == "dcgm-exporter":
            yield gap.ends_at, "clear", 0, 0
