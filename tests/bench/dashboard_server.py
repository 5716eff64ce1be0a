"""What an incident's page and its parts cost the server: the clock, and the web process alone."""

import os
import statistics
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Final

import requests

from tests.bench.dashboard_browser import said
from tests.bench.dashboard_world import Served

FIRST: Final = 2  # they make what is kept


def server_lines(portals: Mapping[str, Served], *, rounds: int) -> Iterator[str]:
    """Yield what answers, packed, take of the clock, and of the web process's processor: a page,
    and its timeline alone by another window and by other lanes. Portals are asked in turn.
    """
    asking = requests.Session()
    clock: dict[str, list[float]] = {}
    processor: dict[str, list[float]] = {}
    for number, (name, served) in product(range(FIRST + rounds), portals.items()):
        for part, query in _asked(served, number).items():
            began, before = perf_counter(), _processor_ms(served.process)
            address = served.base + served.with_charts + query
            answer = asking.get(address, timeout=60, cookies=dict([served.cookie]))
            answer.raise_for_status()
            if number >= FIRST:
                key = ", ".join(filter(None, (f"{name}, server", part)))
                clock.setdefault(key, []).append(1000 * (perf_counter() - began))
                used = _processor_ms(served.process) - before
                processor.setdefault(key, []).append(used)
    for key, times in clock.items():
        # To ticks: a mean of many says more than their median.
        mean = statistics.mean(processor[key])
        yield f"{said(key, times)}; processor of its process: mean {mean:.0f} ms"


def _asked(served: Served, number: int) -> dict[str, str]:
    begin, end = served.stop + 1000 + number, served.stop + 4000
    return {
        "": "",
        "window": f"timeline/?span={begin}-{end}",
        "other lanes": "timeline/?group=party",
    }


def _processor_ms(process: int) -> float:
    """Return what a process has used so far, to the ticks of the system: 10 ms."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
