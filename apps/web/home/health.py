"""The last day by layer, in quarter hours."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django.utils.translation import ngettext

from apps.incidents.projection.header_values import IncidentHeader
from apps.web.display.layers import layer_mark
from apps.web.home.page import Health, HealthBar, HealthLane

LAYERS = ("gpu", "network", "storage", "host", "software", "unknown")
LEFT, RIGHT = 112, 1376
LANE_HEIGHT = 24
BUCKET = timedelta(minutes=15)
COUNT = 96
STEP = (RIGHT - LEFT) / COUNT
TICK_EVERY = 16


def health_of(*, headers: Sequence[IncidentHeader], now: datetime) -> Health:
    """Return what broke in the last 24 hours; a quarter hour without an incident is a thin rest."""
    begin = now - BUCKET * COUNT
    counts: Counter[tuple[str, int]] = Counter()
    for header in headers:
        broke = header.incident.started_at or header.incident.detected_at
        if begin <= broke < now:
            layer = header.incident.layer if header.incident.layer in LAYERS else "unknown"
            counts[layer, int((broke - begin) / BUCKET)] += 1
    shown = [layer for layer in LAYERS if any(found == layer for found, _ in counts)]
    lanes = tuple(
        HealthLane(
            layer=layer_mark(layer),
            y=index * LANE_HEIGHT,
            bars=tuple(
                _bar(
                    bucket=bucket, count=counts[layer, bucket], begin=begin, top=index * LANE_HEIGHT
                )
                for bucket in range(COUNT)
            ),
        )
        for index, layer in enumerate(shown or LAYERS[:3])
    )
    ticks = tuple(
        (round(LEFT + index * STEP, 1), _clock(begin + BUCKET * index))
        for index in range(0, COUNT, TICK_EVERY)
    )
    return Health(lanes=lanes, ticks=ticks, height=len(lanes) * LANE_HEIGHT)


def _bar(*, bucket: int, count: int, begin: datetime, top: float) -> HealthBar:
    height = min(6 + 5 * count, 20) if count else 2
    at = begin + BUCKET * bucket
    return HealthBar(
        x=round(LEFT + bucket * STEP, 1),
        y=top + 20 - height,
        height=height,
        count=count,
        hint=_hint(at=at, count=count) if count else "",
    )


def _hint(*, at: datetime, count: int) -> str:
    told = ngettext("%(at)s: %(n)s incident", "%(at)s: %(n)s incidents", count)
    return told % {"at": _clock(at), "n": count}


def _clock(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%H:%M")
