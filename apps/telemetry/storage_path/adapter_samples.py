"""Frames of network counters → bytes that the busiest adapter of each host carried an interval.

The busiest alone: a bond and its members, or an interface and its RDMA port, would count twice.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from apps.diagnosis.model import Frame
from apps.diagnosis.stats import Floats

SENT: Final = ("net.sent", "nic.transmitted")
RECEIVED: Final = ("net.received", "nic.received")
ADAPTER_SIGNALS: Final = (*SENT, *RECEIVED)
# Interfaces that lead out of the host; of the others (lo, docker0, veth…) nothing reaches a server.
OUTWARD: Final = re.compile(r"(ib|eth|en|bond|rdma|hsn|mlx|roce|bnxt|irdma|p\d)")


def carried_by_host(frames: Sequence[Frame]) -> Mapping[str, Floats]:
    """Return host → bytes by interval, shape (2, intervals): sent, received; NaN: nobody tells."""
    found: dict[str, Floats] = {}
    for frame in frames:
        name = frame.signal.name
        if name not in ADAPTER_SIGNALS:
            continue
        side = 0 if name in SENT else 1
        for number, device in enumerate(frame.entities):
            detail = frame.details[number] if number < len(frame.details) else ""
            adapter = device.name or detail
            if device.host and OUTWARD.match(adapter):
                grown = grown_between(frame.values[number])
                rows = found.setdefault(device.host, np.full((2, len(grown)), np.nan))
                rows[side] = np.fmax(rows[side], grown)
    return found


def grown_between(values: Floats) -> Floats:
    """Return what a counter grew in each interval; one that fell began anew."""
    later: Floats = values[1:]
    grown: Floats = np.diff(values)
    return np.where(grown < 0, later, grown)
