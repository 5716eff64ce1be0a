"""Axes and looks of every chart: small, scale at the right, UTC, what was found shaded."""

from collections.abc import Sequence
from typing import Any

from apps.web.charts import marks
from apps.web.charts.accused import AccusedSignal
from apps.web.charts.chart_lines import Line, wide_gaps

HEIGHT = 112


def layout(
    *,
    line: Line,
    stops: Sequence[dict[str, Any]] = (),
    found: Sequence[AccusedSignal] = (),
) -> dict[str, Any]:
    """Return the axes and looks of a chart over the time of a line."""
    axis = {
        "gridcolor": "--grid",
        "linecolor": "--line",
        "zeroline": False,
        "fixedrange": True,
        "tickfont": {"size": 10.5, "color": "--ink-3"},
    }
    ends = [marks.stamp(line.at[0]), marks.stamp(line.at[-1])] if len(line.at) else None
    return {
        "height": HEIGHT,
        "margin": {"l": 0, "r": 44, "t": 8, "b": 20},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "hovermode": "x unified",
        "font": {"family": "Inter, system-ui, sans-serif", "size": 11, "color": "--ink-2"},
        "hoverlabel": {
            "bgcolor": "--surface",
            "bordercolor": "--line-strong",
            "font": {"color": "--ink-1", "size": 11},
        },
        "xaxis": axis
        | {
            "type": "date",
            "fixedrange": False,  # a dragged stretch of time is zoomed into
            "range": ends,
            "tickformat": "%H:%M",
            "hoverformat": "%H:%M:%S UTC",
            "nticks": 8,
            "showspikes": True,
            "spikecolor": "--ink-3",
            "spikedash": "solid",
            "spikethickness": -1,  # negative: without an outline
        },
        "yaxis": axis | {"side": "right", "nticks": 4, "rangemode": "tozero"},
        "yaxis2": {"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True},
        "shapes": [*stops, *(marks.found(each.starts_at, each.ends_at) for each in found)],
        "annotations": [
            *(
                marks.no_data_label(begin, end, middle=_middle(line))
                for begin, end in wide_gaps(line)[:1]
            ),
            *(marks.moment_label(stop["x0"]) for stop in stops),
        ],
        "dragmode": False,  # the script turns it on where a pointer hovers
    }


def _middle(line: Line) -> float:
    return float(line.at[0] + line.at[-1]) / 2
