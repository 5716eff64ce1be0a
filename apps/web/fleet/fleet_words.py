"""How a fleet is spoken of: units of signals, why there is no value, how a node is left out."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.diagnosis.model import Semantics, Signal
from apps.reliability.fleet_grid.values import FleetNode, Standing
from apps.web.nodes.node_words import kind_word
from apps.wording.amounts import amount

STANDINGS: Final[Mapping[Standing, Promise | str]] = {
    Standing.HELD: "",
    Standing.NO_DATA: gettext_lazy("no data"),
    Standing.HIDDEN: gettext_lazy("held by others, hidden by policy"),
}
ENTITIES: Final[Mapping[str, Promise]] = {
    "gpu": gettext_lazy("GPUs"),
    "nic": gettext_lazy("Network ports"),
    "node": gettext_lazy("Nodes"),
    "disk": gettext_lazy("Disks"),
}

# What stands above a column of the panel, where a title has no room.
SHORT: Final[Mapping[str, Promise]] = {
    "gpu.temperature": gettext_lazy("Temperature"),
    "gpu.power": gettext_lazy("Power"),
    "gpu.utilisation": gettext_lazy("Busy"),
    "gpu.clock": gettext_lazy("Clock"),
}

SHARES: Final[Mapping[str, float]] = {"ratio": 100.0, "percent": 1.0}


def unit_of(signal: Signal) -> str:
    """Return the unit of a signal on the page: counters are shown as growth a second."""
    return f"{signal.unit}/s" if signal.semantics is Semantics.COUNTER else signal.unit


def value_text(value: float | None, signal: Signal) -> str:
    """Return a value with its unit; of none, that there is no data.

    Shares have one place behind the point, all of them: they stand under each other.
    """
    if value is not None and signal.unit in SHARES and signal.semantics is not Semantics.COUNTER:
        return f"{value * SHARES[signal.unit]:.1f} %"
    return amount(value, unit_of(signal), translate=_) or _("no data")


def out_word(kind: str) -> str:
    """Return how a node is left out; nothing where it is not."""
    return kind_word(kind) if kind else ""


def node_note(node: FleetNode) -> str:
    """Return what is said of a node beside its values."""
    codes = sorted({each.code for each in node.xids})
    told = [
        str(STANDINGS[node.standing]),
        out_word(node.out),
        _("Xid %(codes)s") % {"codes": ", ".join(codes)} if codes else "",
    ]
    return " · ".join(filter(None, told))
