"""The last Xid of each GPU, clocks and event counters: what remembers the past in its own way."""

import numpy as np

from apps.simulator.census.compiled import Floats, Numbers, Wide, table
from apps.simulator.census.effects import Happenings, Reset
from apps.simulator.census.life import DAY, GPUS, NODES, START
from apps.simulator.census.totals import _LEVELS as LEVELS
from apps.simulator.census.totals import TILE_SECONDS

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


def _code_changes(happenings: Happenings) -> dict[int, tuple[Wide, Floats]]:
    """Return per node when the greatest last code of its GPUs changes, and to what."""
    found: dict[int, tuple[Wide, Floats]] = {}
    for host in {x.host for x in happenings.xids}:
        last = np.zeros(GPUS)
        gone = np.zeros(GPUS, dtype=bool)
        at, codes = [_LONG_AGO], [0.0]
        for when, what, gpu, code in _story(happenings, host):
            if what == "code":
                last[gpu] = code
            elif what == "clear":
                last[:] = 0.0
            else:
                gone[gpu] = what == "gone"
            at.append(when)
            codes.append(float(last[~gone].max(initial=0.0)))
        found[host] = (np.array(at), np.array(codes, dtype=np.float32))
    return found


def _story(happenings: Happenings, host: int) -> list[tuple[float, str, int, int]]:
    story = [(x.at, "code", x.gpu, x.code) for x in happenings.xids if x.host == host]
    story += [
        (r.at, "clear", 0, 0)
        for r in happenings.resets
        if r.host == host and r.what in {"boot", "driver"}
    ]
    for gap in happenings.gaps:
        if gap.host != host:
            continue
        if gap.what == "gpu":
            story.append((gap.starts_at, "gone", gap.gpu or 0, 0))
            story.append((gap.ends_at, "back", gap.gpu or 0, 0))
        if gap.what == "dcgm-exporter":
            story.append((gap.ends_at, "clear", 0, 0))
    return sorted(story)
