"""What is drawn into a chart beside its lines: where no data came, and when it broke."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

STRIP = 0.14  # of the height: where no data is hatched


def no_data(begin: float, end: float) -> dict[str, Any]:
    """Return a hatched strip at the foot of the chart."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [stamp(begin), stamp(end), stamp(end), stamp(begin)],
        "y": [0, 0, STRIP, STRIP],
        "yaxis": "y2",
        "fill": "toself",
        "fillcolor": "--surface",
        "fillpattern": {"shape": "/", "fgcolor": "--mark", "size": 6, "solidity": 0.2},
        "line": {"width": 0},
        "hoverinfo": "skip",
    }


def no_data_label(begin: float, end: float, *, middle: float) -> dict[str, Any]:
    """Return the words beside such a strip."""
    # Narrow charts have narrow gaps: the words run into the chart, never out of it.
    is_late = begin + end > 2 * middle
    return {
        "x": stamp(end if is_late else begin),
        "xanchor": "right" if is_late else "left",
        "y": STRIP + 0.02,
        "xref": "x",
        "yref": "paper",
        "yanchor": "bottom",
        "text": _("no data, not zero"),
        "showarrow": False,
        "font": {"size": 10.5, "color": "--text"},
    }


def moment(at: datetime) -> dict[str, Any]:
    """Return the line at the stop."""
    at_x = stamp(at.timestamp())
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": at_x,
        "x1": at_x,
        "y0": 0,
        "y1": 1,
        "line": {"color": "--accent", "width": 1, "dash": "dot"},
    }


def found(starts_at: datetime, ends_at: datetime | None) -> dict[str, Any]:
    """Return the band over the time in which something was found; of one instant its line."""
    begin = stamp(starts_at.timestamp())
    end = stamp(ends_at.timestamp()) if ends_at else begin
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": begin,
        "x1": end,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "fillcolor": "--accent-wash",
        "line": {"color": "--accent-wash", "width": 1},
    }


def moment_label(at_x: str) -> dict[str, Any]:
    """Return the words at the line of the stop, at the foot: there the axis begins at zero."""
    return {
        "x": at_x,
        "xanchor": "right",
        "xref": "x",
        "y": 0,
        "yref": "paper",
        "yanchor": "bottom",
        "text": _("broke %(at)s") % {"at": at_x[11:]},
        "showarrow": False,
        "font": {"size": 10.5, "color": "--accent-ink"},
    }


@lru_cache(8_192)  # charts of one page have their times in common
def stamp(seconds: float) -> str:
    """Return Unix seconds as plotly reads a time."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=float(seconds))).strftime(
        "%Y-%m-%d %H:%M:%S"
    )
