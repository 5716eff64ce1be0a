"""What a window of a pushed source holds, for tests."""

from datetime import datetime, timedelta

from apps.diagnosis.detection.metrics.frames import Grid
from apps.telemetry.models import PushedBody, Source
from apps.telemetry.samples import drain
from apps.telemetry.samples.accept import KIND
from apps.telemetry.samples.window.window_reading import PushedWindow
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make

NOW = make.AT
NOW_MS = round(NOW.timestamp() * 1000)


def drained(organization: Organization, *, now: datetime = NOW) -> int:
    """Put everything that waits into the windows; return how many samples were kept."""
    turn = drain.take_turn(organization_id=organization.pk, clock=lambda: 0.0, now=lambda: now)
    return turn.amount


def sources(organization: Organization) -> list[Source]:
    """Return the pushed sources of an organization."""
    with organization_scope(organization.pk):
        return list(Source.objects.filter(kind=KIND).select_related("cluster").order_by("id"))


def waiting(organization: Organization) -> list[PushedBody]:
    """Return the bodies that are stored."""
    with organization_scope(organization.pk):
        return list(PushedBody.objects.order_by("id"))


def held(
    source: Source, query: str, *, at: datetime = NOW, span: timedelta = timedelta(hours=2)
) -> dict[tuple[tuple[str, str], ...], list[tuple[int, float]]]:
    """Return the stored samples of a selector: sorted labels → (milliseconds, value)."""
    with PushedWindow(source=source) as window:
        found = window.raw(query=query, seconds=span.total_seconds(), at=at.timestamp())
    return {
        tuple(sorted(each.labels.items())): [
            (round(at * 1000), value)
            for at, value in zip(each.at.tolist(), each.values.tolist(), strict=True)
        ]
        for each in found
    }


def on_grid(source: Source, query: str, grid: Grid) -> dict[str, list[tuple[float, float]]]:
    """Return a selector's series on a grid: the label `instance` → (seconds, value)."""
    with PushedWindow(source=source) as window:
        found = window.matrix(query=query, grid=grid)
    return {
        each.labels.get("instance", ""): list(
            zip(each.at.tolist(), each.values.tolist(), strict=True)
        )
        for each in found
    }
