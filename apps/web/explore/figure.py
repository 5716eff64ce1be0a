"""Several series in one chart, as plain figures for the browser."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from apps.web.charts import marks
from apps.web.charts.chart_layout import layout
from apps.web.charts.chart_lines import Line, gaps, thin

HEIGHT: Final = 280
# Colour and dash: no two lines differ by colour alone once the colours are used up.
COLOURS: Final = ("--network", "--gpu", "--storage", "--host", "--software", "--accent")
DASHES: Final = ("solid", "dash", "dot")
MOST_DRAWN: Final = len(COLOURS) * len(DASHES)


def look_of(number: int) -> tuple[str, str]:
    """Return colour and dash of the so many-th line."""
    return COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]


def explore_figure(lines: Sequence[Line]) -> dict[str, Any]:
    """Return plotly's data and layout of the first lines; gaps stay gaps."""
    drawn = lines[:MOST_DRAWN]
    traces = [_trace(number, line) for number, line in enumerate(drawn)]
    together = _together(drawn)
    traces += [marks.no_data(begin, end) for begin, end in gaps(together)]
    looks = layout(line=together)
    looks["yaxis"] = {**looks["yaxis"], "nticks": 6, "rangemode": "normal"}
    return {"data": traces, "layout": {**looks, "height": HEIGHT, "hovermode": "closest"}}


def _together(lines: Sequence[Line]) -> Line:
    """Return where any line has data at all: only there nothing is hatched."""
    values = np.vstack([line.values for line in lines])
    is_there = ~np.isnan(values).all(axis=0)
    return Line(signal="", name="", at=lines[0].at, values=np.where(is_there, 0.0, np.nan))


def _trace(number: int, line: Line) -> dict[str, Any]:
    at, values = thin(line.at, line.values)
    colour, dash = look_of(number)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": line.name,
        "x": [marks.stamp(each) for each in at],
        "y": [None if not np.isfinite(v) else float(f"{float(v):.6g}") for v in values],
        "connectgaps": False,
        "line": {"color": colour, "width": 1.5, "dash": dash},
        "hovertemplate": "%{y:.5~g}<extra>%{fullData.name}</extra>",
    }
