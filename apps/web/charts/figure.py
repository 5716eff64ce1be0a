"""Evidence charts: the blamed part against its peers' band, as plain figures for the browser."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from math import isfinite, isnan
from typing import Any

import numpy as np
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from apps.web.charts import marks
from apps.web.charts.accused import AccusedSignal, accusing
from apps.web.charts.chart import Chart
from apps.web.charts.chart_layout import layout
from apps.web.charts.chart_lines import (
    BAND,
    Line,
    Panel,
    distance,
    gaps,
    has_band,
    is_calm,
    thin,
)
from apps.web.shell.address_filters import link
from apps.wording.kinds.warnings import NUMBERS_THAT_ARE_NAMES

SUSPECT_LOOK = {"line": {"color": "--mark", "width": 2}}
PEERS_LOOK = {"line": {"color": "--line-strong", "width": 0}, "hoverinfo": "skip"}
NAME = "<extra>%{fullData.name}</extra>"  # never the text itself: it is no part of a template
BAND_FILL = "--line-strong"  # as its key beside the chart


def draw_chart(
    *,
    panel: Panel,
    lines: Sequence[Line],
    failed_at: datetime | None,
    accused: Sequence[AccusedSignal] = (),
    shows_calm: bool = True,
) -> Chart | None:
    """Return the chart of one panel, or nothing where nobody captured its signals.

    An accused line is the suspect. One that stays within its peers is drawn only when asked for.
    """
    ours = [line for line in lines if line.signal in panel.signals]
    if not ours:
        return None
    suspect = max(
        ours,
        key=lambda line: (
            bool(accusing(line, accused)),
            line.is_blamed,
            distance(line),
            line.name,
        ),
    )
    if not shows_calm and is_calm(suspect):
        return None
    found, content = accusing(suspect, accused), suspect.content
    return Chart(
        key=panel.key,
        title=_(panel.title),
        unit=", ".join(part for part in (_unit(panel), suspect.host) if part),
        owner=suspect.owner,
        layer=panel.layer,
        suspect=suspect.name,
        suspect_value=_value_text(suspect.values, line=suspect, panel=panel, at=failed_at),
        peers_value=_band_text(line=suspect, panel=panel, at=failed_at),
        note=_gap_text(suspect),
        draw=partial(figure, panel=panel, suspect=suspect, failed_at=failed_at, found=found),
        content=None if content is None else (content, panel, failed_at, found, get_language()),
        explore_query=_explore_query(suspect),
    )


def _explore_query(line: Line) -> str:
    """Return what asks Explore for the same signal over the same time."""
    if not len(line.at):
        return ""
    first, last = (f"{marks.stamp(each)}".replace(" ", "T") for each in (line.at[0], line.at[-1]))
    host = {"host": line.host} if line.host else {}
    return link(signal=line.signal, **host, **{"from": first}, until=last)


def figure(
    *,
    panel: Panel,
    suspect: Line,
    failed_at: datetime | None,
    found: Sequence[AccusedSignal] = (),
) -> dict[str, Any]:
    """Return plotly's data and layout; colours are names of the theme's tokens.

    `found` is what was found in the suspect's line, drawn at its time.
    """
    traces: list[dict[str, Any]] = []
    if has_band(suspect):
        low, high = (
            _trace(
                at=suspect.at,
                values=suspect.peers[key],
                panel=panel,
                name=_("peers, %(band)s") % {"band": key.upper()},
                look=PEERS_LOOK,
            )
            for key in BAND
        )
        traces = [low, high | {"fill": "tonexty", "fillcolor": BAND_FILL}]
    traces.append(
        _trace(
            at=suspect.at, values=suspect.values, panel=panel, name=suspect.name, look=SUSPECT_LOOK
        )
        | _hover(line=suspect, panel=panel)
    )
    traces.extend(marks.no_data(begin, end) for begin, end in gaps(suspect))
    stops = [marks.moment(failed_at)] if failed_at is not None else []
    return {"data": traces, "layout": layout(stops=stops, found=found, line=suspect)}


def _trace(
    *,
    at: NDArray[np.float64],
    values: NDArray[np.floating[Any]],
    panel: Panel,
    name: str,
    look: Mapping[str, Any],
) -> dict[str, Any]:
    kept_at, kept = thin(at, values)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [marks.stamp(each) for each in kept_at.tolist()],
        "y": [round(v * panel.factor, 4) if isfinite(v) else None for v in kept.tolist()],
        "connectgaps": False,
        **look,
    }


def _hover(*, line: Line, panel: Panel) -> dict[str, Any]:
    """Return what hovering tells: the value, and where its peers were at that time."""
    value = f"%{{y:.4~g}} {_unit(panel)}".rstrip()
    if not has_band(line):
        return {"hovertemplate": f"{value}{NAME}"}
    kept_at, _values = thin(line.at, line.values)
    places = np.searchsorted(line.at, kept_at)
    low, high = (line.peers[key][places] * panel.factor for key in BAND)
    none, reach = _("no data"), _("%(low)s to %(high)s")  # asked for once, not at each point
    return {
        "customdata": [
            none
            if isnan(first) or isnan(last)
            else reach % {"low": _short(first), "high": _short(last)}
            for first, last in zip(low.tolist(), high.tolist(), strict=True)
        ],
        "hovertemplate": f"{value}<br>{_('peers')} %{{customdata}}{NAME}",
    }


def _unit(panel: Panel) -> str:
    # To gettext no text at all stands for what the catalog says of itself.
    return _(panel.unit) if panel.unit and panel.unit not in NUMBERS_THAT_ARE_NAMES else ""


def _short(value: float) -> str:
    """Return a number with four digits that count, and none that don't."""
    return f"{float(f'{value:.4g}'):.10g}"


def _value_text(
    values: NDArray[np.floating[Any]], *, line: Line, panel: Panel, at: datetime | None
) -> str:
    """Return the last known value up to an instant, else the last one at all."""
    known = ~np.isnan(values)
    if at is not None:
        before = known & (line.at <= at.timestamp())
        known = before if before.any() else known
    if not known.any():
        return _("no data")
    return f"{float(values[known][-1]) * panel.factor:.{panel.digits}f}"


def _band_text(*, line: Line, panel: Panel, at: datetime | None) -> str:
    if not has_band(line):
        return ""
    low, high = (_value_text(line.peers[key], line=line, panel=panel, at=at) for key in BAND)
    return low if low == high else f"{low}–{high}"  # noqa: RUF001  a range


def _gap_text(line: Line) -> str:
    return _("part of the time without data, which is not zero") if gaps(line) else ""
