"""The window rolls on: old slots go, room is kept free, series that ended are forgotten."""

import logging
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from django.conf import settings
from django.db.models import QuerySet, Sum

from apps.telemetry.models import PushedBlock, PushedMetric, PushedState, Source
from apps.telemetry.samples import forward
from apps.telemetry.samples.interpret import window_start
from apps.telemetry.samples.source_lock import has_turn, may_number_anew
from apps.telemetry.samples.window import series
from apps.telemetry.samples.window.blocks import SLOT_SECONDS, SampleRun, packed, unpacked

logger = logging.getLogger(__name__)

# A part is written anew once fewer than half of its series speak; small ones are left alone.
SMALL: Final = 64


def roll(*, organization_id: int, now: datetime) -> int:
    """Drop what is behind the window or beyond its room; return how many blocks went.

    Needs the scope. Repeatable.
    """
    own = PushedBlock.objects.for_organization(organization_id)
    before = window_start(now=now) - timedelta(seconds=SLOT_SECONDS)
    dropped: int = own.filter(starts_at__lte=before).delete()[0]
    dropped += _within_room(organization_id)
    given_up = forward.drop_overflow(organization_id=organization_id)
    if given_up:
        logger.warning(
            "pushed.forward_given_up", extra={"organization": organization_id, "bodies": given_up}
        )
    for source in _sources(organization_id):
        if dropped and has_turn(source_id=source.pk):
            forget_ended(source=source)
        _measure(source)
    return dropped


def forget_ended(*, source: Source) -> int:
    """Forget the series that have no sample left in the window; return how many. Needs a turn."""
    own = PushedMetric.objects.for_organization(source.organization_id).filter(source=source)
    blocks = PushedBlock.objects.for_organization(source.organization_id).filter(source=source)
    empty = own.exclude(pk__in=blocks.values("metric_id"))
    forgotten = sum(empty.values_list("series_count", flat=True))
    empty.delete()
    for row in own.filter(series_count__gt=SMALL).only("id", "series_count").order_by("id"):
        if _is_mostly_ended(row) and may_number_anew(source_id=source.pk):
            forgotten += _forget_in(row)
    return forgotten


def _sources(organization_id: int) -> list[Source]:
    own = PushedState.objects.for_organization(organization_id).select_related("source")
    return [state.source for state in own.order_by("id")]


def _within_room(organization_id: int) -> int:
    own = PushedBlock.objects.for_organization(organization_id)
    slots = own.values("starts_at").annotate(size=Sum("byte_count")).order_by("-starts_at")
    room, dropped = settings.PORTAL_MAX_WINDOW_BYTES, 0
    for slot in slots:
        room -= slot["size"]
        if room < 0:
            dropped = own.filter(starts_at__lte=slot["starts_at"]).delete()[0]
            logger.warning("pushed.window_full", extra={"organization": organization_id})
            break
    return dropped


def _measure(source: Source) -> None:
    own = PushedBlock.objects.for_organization(source.organization_id).filter(source=source)
    states = PushedState.objects.for_organization(source.organization_id).filter(source=source)
    states.update(window_bytes=own.aggregate(sum=Sum("byte_count"))["sum"] or 0)


def _is_mostly_ended(row: PushedMetric) -> bool:
    """Say whether the newest slot has fewer than half of a part's series."""
    newest = _blocks(row).order_by("-starts_at", "-id").first()
    if newest is None:
        return False
    return row.series_count > 2 * len(np.unique(_run(newest).series))


def _forget_in(row: PushedMetric) -> int:
    """Number the living series of a part anew, in its labels and in its blocks."""
    blocks = list(_blocks(row).order_by("starts_at", "id"))
    living = np.unique(np.concatenate([_run(block).series for block in blocks]))
    forgotten: int = row.series_count - len(living)
    if not forgotten:
        return 0
    for block in blocks:
        run = _run(block)
        renumbered = SampleRun(
            series=np.searchsorted(living, run.series), at=run.at, values=run.values
        )
        block.body = packed(renumbered, slot=_slot(block))
        block.byte_count = len(block.body)
    PushedBlock.objects.bulk_update(blocks, ["body", "byte_count"], batch_size=50)
    series.without(row=row, living=living.tolist())
    return forgotten


def _blocks(row: PushedMetric) -> QuerySet[PushedBlock]:
    return PushedBlock.objects.filter(metric=row)


def _run(block: PushedBlock) -> SampleRun:
    return unpacked(block.body, slot=_slot(block))


def _slot(block: PushedBlock) -> int:
    return round(block.starts_at.timestamp() * 1000)
