"""A fleet as compact columns for the browser: numbers in steps of one unit, null where none is."""

import hashlib
import json
import math
from collections.abc import Sequence
from typing import Any, Final

from django.utils.translation import gettext

from apps.diagnosis.model import Signal
from apps.reliability.fleet_grid.values import FleetNode, FleetView, Standing
from apps.web.display.instants import dated
from apps.web.fleet.fleet_words import out_word, unit_of
from apps.wording.amounts import shared_unit

DIGITS: Final = 4  # of the biggest value: more than a colour or a reader can tell apart
LEAST: Final = 1e-30  # of values: what is less is drawn as zero, and no step is that small
FAR_STEP: Final = 0.1
MINUTE: Final = 60.0


def columns_of(view: FleetView, *, known_layout: str = "") -> dict[str, Any]:
    """Return all nodes by name; without their names where the browser has this layout already."""
    nodes = sorted(view.nodes, key=lambda node: node.host)
    layout: dict[str, Any] = {
        "hosts": [node.host for node in nodes],
        "parts": [list(node.parts) for node in nodes],
        "sessions": [node.session.name if node.session else "" for node in nodes],
        "holders": [node.shared.holder.name if node.shared else "" for node in nodes],
    }
    digest = hashlib.sha256(json.dumps(layout).encode()).hexdigest()[:16]
    told = view.told
    factor, unit = shared_unit(
        max(map(abs, told), default=0.0), unit_of(view.signal), translate=gettext
    )
    step = step_of([each * factor for each in told])
    return {
        "at": int(view.at.timestamp()),
        "when": dated(view.at),
        "unit": unit,
        "step": step,
        "layout": digest,
        **({} if digest == known_layout else layout),
        "values": _scaled(nodes, "values", factor / step),
        "far": _scaled(nodes, "distances", 1 / FAR_STEP),
        "ages": _ages(nodes),
        "standing": "".join(LETTERS[node.standing] for node in nodes),
        "out": {str(at): out_word(node.out) for at, node in enumerate(nodes) if node.out},
        "xids": {str(at): _xids(node, view.signal) for at, node in enumerate(nodes) if node.xids},
    }


LETTERS: Final = {Standing.HELD: "h", Standing.NO_DATA: "n", Standing.HIDDEN: "x"}


def step_of(values: Sequence[float]) -> float:
    """Return the power of ten in whose steps the biggest value has four digits."""
    biggest = max(map(abs, values), default=0.0)
    if biggest < LEAST:
        return 1.0
    exponent = math.floor(math.log10(biggest)) + 1 - DIGITS
    return float(10.0**exponent)


def _scaled(nodes: Sequence[FleetNode], name: str, factor: float) -> list[int | None]:
    return [
        None if each is None else round(each * factor)
        for node in nodes
        for each in getattr(node, name)
    ]


def _ages(nodes: Sequence[FleetNode]) -> dict[str, int]:
    """Return place → minutes, of values older than the newest minute alone."""
    told = (each for node in nodes for each in node.ages)
    return {
        str(at): round(each / MINUTE)
        for at, each in enumerate(told)
        if each is not None and each >= MINUTE
    }


def _xids(node: FleetNode, signal: Signal) -> list[list[Any]]:
    """Return what hit a node; the last is the place of the part, null where none is known."""
    return [
        [
            each.gpu,
            each.code,
            int(each.at.timestamp()),
            int(each.is_initiating),
            node.place_of(each, signal),
        ]
        for each in node.xids
    ]
