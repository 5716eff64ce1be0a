"""Charts that other parties keep of an incident, as far as they show them."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from apps.incidents.projection.shared.shared_access import SharedAccess
from apps.incidents.projection.shared_values import SharedAs
from apps.sharing.grant_values import SharedThing
from apps.sharing.redactor import Redactor
from apps.sharing.terms import Level
from apps.telemetry.evidence import captured_series
from apps.telemetry.evidence.captured_series import CapturedSeries

SHOWN = frozenset({Level.REDACTED, Level.FULL})  # of a signal there is nothing to draw


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharedChart:
    """One signal of one entity beside the band of its peers, and by whom it is shown."""

    shared: SharedAs
    series: CapturedSeries


def shared_charts(access: SharedAccess) -> list[SharedChart]:
    """Return what others show of what they keep. Needs the reader's scope."""
    found = []
    incident = access.incident
    for grant in access.grants:
        if not grant.speaks_of("metrics"):
            continue
        with access.held_by(grant) as redactor:
            kept = captured_series.charts(
                organization_id=grant.holder.id,
                incident_owner=incident.organization_id,
                incident_public_id=incident.public_id,
            )
            for series in kept:
                thing = _thing(access, series)
                shown = access.shown(grant, thing)
                if shown is None or shown.level not in SHOWN:
                    continue
                chart = SharedChart(shared=shown, series=_shown(series, shown, redactor))
                _hand_out(access, thing.data, chart)
                found.append(chart)
    return found


def _hand_out(access: SharedAccess, data: str, chart: SharedChart) -> None:
    series = chart.series
    peers = {name: band.tobytes() for name, band in series.peers.items()}
    values = (series.at.tobytes(), series.values.tobytes(), peers)
    access.handed_out.add(chart.shared, data, series.signal, series.entity, *values)


def _shown(series: CapturedSeries, shown: SharedAs, redactor: Redactor) -> CapturedSeries:
    signal = redactor.signal(series.signal, shown.level)
    return replace(
        _within(series, shown.window),
        entity=redactor.device(series.entity, shown.level),
        signal=signal,
        meaning=signal if series.meaning == series.signal else series.meaning,
    )


def _within(series: CapturedSeries, window: tuple[datetime, datetime] | None) -> CapturedSeries:
    """Leave out what a request was not granted for."""
    if window is None:
        return series
    start, end = (each.timestamp() for each in window)
    asked = (series.at >= start) & (series.at <= end)
    return replace(
        series,
        at=series.at[asked],
        values=series.values[asked],
        peers={name: line[asked] for name, line in series.peers.items()},
    )


def _thing(access: SharedAccess, series: CapturedSeries) -> SharedThing:
    incident = access.incident
    return SharedThing(
        data=f"metrics:{series.layer}",
        host=series.entity.host or "",
        at=incident.started_at or incident.detected_at,
        lasts=_span(series),
    )


def _span(series: CapturedSeries) -> tuple[datetime, datetime] | None:
    if not series.at.size:
        return None
    first, last = float(series.at[0]), float(series.at[-1])
    return datetime.fromtimestamp(first, tz=UTC), datetime.fromtimestamp(last, tz=UTC)
