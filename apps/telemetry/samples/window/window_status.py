"""How the pushed sources of an organization stand, for those who look after them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Min, Sum

from apps.telemetry.models import PushedBlock, PushedMetric, PushedState
from apps.telemetry.samples.accept import KIND
from apps.telemetry.values import SourceView
from apps.tenancy.access import Actor, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowStatus:
    """What one source sent, what of it is held, what was left out, and what went on."""

    series_count: int
    sample_count: int
    newest_at: datetime | None
    held_since: datetime | None  # the beginning of the window as it is now
    window_bytes: int
    histogram_count: int
    exemplar_count: int
    outside_count: int
    refused_count: int
    forward_state: str  # off fresh failing
    forward_error: str
    forwarded_at: datetime | None
    forward_dropped_count: int


def standings_of(*, actor: Actor, sources: Iterable[SourceView]) -> dict[int, WindowStatus]:
    """Return how those of the sources stand that are pushed, by their id. Needs the scope."""
    actor.require(Right.READ)
    pushed = [source.id for source in sources if source.kind == KIND]
    if not pushed:
        return {}
    organization = actor.organization
    series = dict(
        PushedMetric.objects.for_organization(organization)
        .filter(source__in=pushed)
        .values_list("source_id")
        .annotate(Sum("series_count"))
    )
    since = dict(
        PushedBlock.objects.for_organization(organization)
        .filter(source__in=pushed)
        .values_list("source_id")
        .annotate(Min("starts_at"))
    )
    own = PushedState.objects.for_organization(organization)
    states = own.filter(source__in=pushed).order_by("id")
    return {
        state.source_id: WindowStatus(
            series_count=series.get(state.source_id, 0),
            sample_count=state.sample_count,
            newest_at=state.newest_at,
            held_since=since.get(state.source_id),
            window_bytes=state.window_bytes,
            histogram_count=state.histogram_count,
            exemplar_count=state.exemplar_count,
            outside_count=state.outside_count,
            refused_count=state.refused_count,
            forward_state=state.forward_state,
            forward_error=state.forward_error,
            forwarded_at=state.forwarded_at,
            forward_dropped_count=state.forward_dropped_count,
        )
        for state in states
    }
