"""A chart of any signal of the catalog that no panel is made for: its title, its unit."""

from typing import Any, Final

import numpy as np
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from apps.diagnosis.detection.metrics.load import catalog
from apps.web.charts.chart_lines import Panel
from apps.wording.amounts import shared_unit

LAYERS: Final = frozenset({"gpu", "network", "storage", "host"})
OTHER: Final = "host"  # what lies in no layer of its own stands with the hosts


def panel_of(signal: str, values: NDArray[np.floating[Any]]) -> Panel | None:
    """Return the panel of a signal, in the unit that its largest value is told best in."""
    known = catalog().signals.get(signal)
    if known is None:
        return None
    factor, unit = shared_unit(_largest(values), known.unit, translate=_)
    layer = str(known.layer)
    return Panel(
        key=signal.replace(".", "-"),
        title=known.title,
        signals=(signal,),
        unit=unit,
        layer=layer if layer in LAYERS else OTHER,
        factor=factor,
        digits=_digits(_largest(values) * factor),
    )


def _largest(values: NDArray[np.floating[Any]]) -> float:
    known = np.abs(values[~np.isnan(values)])
    return float(known.max()) if known.size else 0.0


def _digits(largest: float) -> int:
    return 0 if largest >= 100 else 1 if largest >= 10 else 2
