"""Colours of drawings on white paper: those of the layers, as the pages have them in light."""

from typing import Final

INK: Final = "#14171c"
QUIET: Final = "#5a626e"
GRID: Final = "#e3e6eb"
SHADE: Final = "#f5f6f8"
BAND: Final = "#cbd1da"
BROKE: Final = "#b3261e"
UNKNOWN: Final = "#868e9a"
LAYERS: Final = {
    "gpu": "#d55e00",
    "network": "#0072b2",
    "storage": "#009e73",
    "host": "#c0589a",
    "software": "#d99400",
    "straggler": "#3a9fda",
}


def colour_of(layer: str) -> str:
    """Return the colour of a layer; grey for what is of none."""
    return LAYERS.get(layer, UNKNOWN)
