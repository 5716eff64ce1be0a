"""A node's history as a drawing: what happened in, positions of marks out."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _

from apps.reliability.offenders.values import NodeHistory
from apps.web.changes.change_words import what_text
from apps.web.display.instants import dated
from apps.web.lanes.scale import Span, ticks
from apps.web.nodes.node_words import cause_word, kind_word
from apps.web.nodes.page import HistoryDrawing, HistoryLane, HistoryMark

LEFT: Final = 136
RIGHT: Final = 1360
TOP: Final = 8
LANE_HEIGHT: Final = 32
LEAST_WIDTH: Final = 5.0


def draw_history(*, history: NodeHistory, org: str) -> HistoryDrawing:
    """Return the time line of a node."""
    span = Span(starts_at=history.since, ends_at=history.until, left=LEFT, right=RIGHT)
    found: Sequence[tuple[str, Sequence[HistoryMark], str]] = (
        (_("Incidents"), [*_incidents(history, span, org)], ""),
        (_("Left out"), [*_exclusions(history, span)], ""),
        (_("Changes"), [*_changes(history, span)], ""),
        (_("Warnings"), [*_warnings(history, span)], ""),
        (_("Sessions"), [*_runs(history, span, org)], ""),
        (_("Parts"), [*_parts(history, span)], "" if history.identity else _hidden()),
    )
    lanes = tuple(
        HistoryLane(title=title, y=TOP + at * LANE_HEIGHT, marks=tuple(marks), note=note)
        for at, (title, marks, note) in enumerate(found)
    )
    return HistoryDrawing(
        lanes=lanes,
        ticks=ticks(span=span, zone=None),
        height=TOP + len(lanes) * LANE_HEIGHT + 28,
        hint=_("What happened to %(host)s, oldest on the left") % {"host": history.host},
    )


def _hidden() -> str:
    return _("hidden by policy: another party keeps its inventory")


def _mark(  # noqa: PLR0913  a mark in all its looks
    span: Span,
    starts_at: datetime,
    ends_at: datetime | None,
    *,
    kind: str,
    hint: str,
    layer: str = "",
    href: str = "",
) -> HistoryMark:
    x = span.x(starts_at)
    return HistoryMark(
        x=x,
        width=max(LEAST_WIDTH, round(span.x(ends_at or starts_at) - x, 1)),
        kind=kind,
        layer=layer,
        hint=f"{dated(starts_at)}: {hint}",
        href=href,
    )


def _incidents(history: NodeHistory, span: Span, org: str) -> Iterator[HistoryMark]:
    # One look-up for all: an address takes longer to find than a mark to draw.
    base = reverse("web:incidents", args=[org])
    for each in reversed(history.blamed):
        yield _mark(
            span,
            each.moment,
            None,
            kind="incident",
            hint=f"{each.public_id}, {cause_word(each.cause)}",
            layer=each.layer,
            href=f"{base}{each.public_id}/",
        )


def _exclusions(history: NodeHistory, span: Span) -> Iterator[HistoryMark]:
    for each in reversed(history.exclusions):
        reason = f": {each.reason}" if each.reason else ""
        is_point = each.is_of_job
        yield _mark(
            span,
            each.starts_at,
            None if is_point else each.ends_at or history.until,
            kind="job" if is_point else "out",
            hint=f"{kind_word(each.kind)}{reason}",
            href="#exclusions",
        )


def _changes(history: NodeHistory, span: Span) -> Iterator[HistoryMark]:
    for each in reversed(history.changes):
        yield _mark(
            span,
            each.starts_at,
            min(each.ends_at, history.until) if each.ends_at else None,
            kind="changed",
            hint=f"{what_text(each)}: {each.title}, {each.teller.name}",
            href="#changes",
        )


def _warnings(history: NodeHistory, span: Span) -> Iterator[HistoryMark]:
    for each in history.warnings:
        if each.withdrawn_at is None:
            hint = _("warning") if each.is_page else _("signal")
            yield _mark(
                span,
                each.raised_at,
                each.ends_at or history.until,
                kind="warning" if each.is_page else "signal",
                hint=hint,
                layer=each.layer,
                href="#warnings",
            )


def _runs(history: NodeHistory, span: Span, org: str) -> Iterator[HistoryMark]:
    base = reverse("web:sessions", args=[org])
    for each in history.runs:
        if each.started_at is not None:
            is_running = each.state == "running"
            yield _mark(
                span,
                each.started_at,
                each.ended_at or (history.until if is_running else None),
                kind="run",
                hint=f"{each.session.name} #{each.number}",
                href=f"{base}{each.session.public_id}/",
            )


def _parts(history: NodeHistory, span: Span) -> Iterator[HistoryMark]:
    former = history.identity.former_parts if history.identity else ()
    for each in former:
        if each.replaced_at is not None and span.holds(starts_at=each.replaced_at, ends_at=None):
            name = each.uuid or each.serial or each.name
            yield _mark(
                span,
                each.replaced_at,
                None,
                kind="part",
                hint=_("%(part)s left its place") % {"part": name},
                href="#parts",
            )
