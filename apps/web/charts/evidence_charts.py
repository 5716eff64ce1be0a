"""The charts of an incident: the blocks the reader's organization holds, through every panel."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from apps.diagnosis.model import Device
from apps.diagnosis.registry import collect
from apps.incidents.facade.shared import shared_charts
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.projection.shared.shared_charts import SharedChart
from apps.incidents.projection.values import TimelineMoment
from apps.telemetry.evidence.capture_status import CaptureStatus
from apps.telemetry.evidence.captured_series import CapturedSeries
from apps.telemetry.facade.evidence import captures_of, kept_charts
from apps.tenancy.access import Actor
from apps.web.charts import panels
from apps.web.charts.accused import AccusedSignal, accused_signals
from apps.web.charts.chart import Chart
from apps.web.charts.chart_lines import Line, Panel
from apps.web.charts.figure import draw_chart
from apps.web.charts.signal_panel import panel_of
from apps.web.display.levels import shared_mark
from apps.wording import READERS
from apps.wording.devices import named

# What is accused comes first, then the panels of the blamed layer.
MOST_CHARTS = 12
MOST_ACCUSED = 4
ORDER = ("gpu", "network", "storage", "host")


def charts_of(
    *,
    actor: Actor,
    incident: IncidentFacts,
    culprits: Sequence[Mapping[str, Any]],
    timeline: Sequence[TimelineMoment],
    is_shared_with: bool,
) -> tuple[Chart, ...]:
    """Return the charts of what the actor's organization kept around an incident, and of what
    others show it. `timeline` is what the reader reads of it.
    """
    kept = kept_charts(
        actor=actor,
        incident_owner=incident.owner_id,
        incident_public_id=incident.public_id,
    )
    shared = shared_charts(actor=actor, public_id=incident.public_id) if is_shared_with else ()
    named = [(actor.organization.name, each) for each in kept]
    named += [(shared_mark(each.shared), each.series) for each in shared]
    return _drawn(
        named,
        incident=incident,
        culprits=culprits,
        timeline=timeline,
        reader_id=actor.organization.pk,
    )


def charts_as(
    *,
    shared: Sequence[SharedChart],
    incident: IncidentFacts,
    culprits: Sequence[Mapping[str, Any]],
    timeline: Sequence[TimelineMoment],
) -> tuple[Chart, ...]:
    """Return the charts of what one's own organization would show another party."""
    named = [(shared_mark(each.shared), each.series) for each in shared]
    return _drawn(named, incident=incident, culprits=culprits, timeline=timeline)


def _drawn(
    named: Sequence[tuple[str, CapturedSeries]],
    *,
    incident: IncidentFacts,
    culprits: Sequence[Mapping[str, Any]],
    timeline: Sequence[TimelineMoment],
    reader_id: int = 0,
) -> tuple[Chart, ...]:
    lines = [
        Line(
            signal=chart.signal.partition("[")[0],
            name=name_of(chart.entity),
            host=chart.entity.host or "",
            at=chart.at,
            values=chart.values.astype(np.float64),
            peers=chart.peers,
            owner=owner,
            is_blamed=is_blamed(entity=chart.entity, culprits=culprits),
            reader_id=reader_id,
        )
        for owner, chart in named
    ]
    return draw_charts(
        lines=lines,
        layer=incident.layer,
        failed_at=incident.started_at,
        accused=accused_signals(timeline),
    )


def standings_of(*, actor: Actor, incident: IncidentFacts) -> Sequence[CaptureStatus]:
    """Return how the actor's organization's own captures around an incident stand."""
    return captures_of(
        actor=actor,
        incident_owner=incident.owner_id,
        incident_public_id=incident.public_id,
    )


def is_blamed(*, entity: Device, culprits: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether a chart's entity is one of the blamed parts."""
    return any(
        device.get("kind") == entity.kind
        and device.get("host") == entity.host
        and (entity.index is None or (device.get("gpu") or {}).get("index") == entity.index)
        and (not device.get("name") or not entity.name or device["name"] == entity.name)
        for device in culprits
    )


def name_of(device: Device) -> str:
    """Return what a chart calls its entity: of a path the last step."""
    if device.kind == "gpu":
        return named(device, READERS)
    part = (device.name or "").split("/")[-1]
    return (device.host or part) if device.kind == "node" or not part else part


def draw_charts(
    *,
    lines: Sequence[Line],
    layer: str,
    failed_at: datetime | None,
    accused: Sequence[AccusedSignal] = (),
) -> tuple[Chart, ...]:
    """Return a chart for each signal that is accused, then one for each panel that has a suspect's
    line; the others stay away.
    """
    usual = sorted(
        collect(package=panels, kind=Panel),
        key=lambda panel: (panel.layer != layer, ORDER.index(panel.layer), panel.key),
    )
    first = _accused_panels(lines, accused, usual)
    kept = {panel.key for panel in first}
    drawn = (
        draw_chart(
            panel=panel,
            lines=lines,
            failed_at=failed_at,
            accused=accused,
            shows_calm=panel.key in kept or panel.layer == layer,
        )
        for panel in (*first, *(each for each in usual if each.key not in kept))
    )
    return tuple(chart for chart in drawn if chart is not None)[:MOST_CHARTS]


def _accused_panels(
    lines: Sequence[Line], accused: Sequence[AccusedSignal], usual: Sequence[Panel]
) -> list[Panel]:
    """Return the panels of accused signals that were captured, each once, in their order."""
    found: dict[str, Panel] = {}
    for signal in dict.fromkeys(each.signal for each in accused):
        line = next((each for each in lines if each.signal == signal), None)
        made = next((each for each in usual if signal in each.signals), None)
        panel = made or (panel_of(signal, line.values) if line else None)
        if line and panel:
            found.setdefault(panel.key, panel)
    return list(found.values())[:MOST_ACCUSED]
