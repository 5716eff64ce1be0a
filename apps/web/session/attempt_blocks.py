"""The chain of a session's attempts, a block for each."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from apps.fleet.values import AttemptView
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.words import summary_of
from apps.web import words
from apps.web.display.attempt_state import DEGRADED, state_slug, state_word
from apps.web.display.instants import day_text
from apps.web.display.layers import layer_mark
from apps.web.session.page import AttemptBlock

SWAPS_SHOWN = 3
HOUR = 3600


def attempt_block(
    *,
    attempt: AttemptView,
    former: AttemptView | None,
    header: IncidentHeader | None,
    now: datetime,
) -> AttemptBlock:
    """Return one start of a session: how long it ran, on what other hosts, and how it ended."""
    seconds = _seconds(attempt=attempt, now=now)
    hosts, before = set(attempt.hosts), set(former.hosts) if former else set()
    is_known = bool(former and hosts and before)
    return AttemptBlock(
        number=attempt.number,
        length=words.duration(seconds) if seconds is not None else _("length not reported"),
        state=state_slug(attempt, now=now),
        state_word=state_word(attempt, now=now),
        when=day_text(attempt.started_at, now=now)
        if attempt.started_at
        else _("start not reported"),
        left_out=_few(sorted(before - hosts)) if is_known else (),
        added=_few(sorted(hosts - before)) if is_known else (),
        has_former=former is not None,
        weight=_weight(seconds),
        incident=header.incident.public_id if header else "",
        ending=words.sentence_case(summary_of(header)) if header else "",
        layer=layer_mark(header.incident.layer) if header else None,
        is_running=state_slug(attempt, now=now) == "running",
        is_degraded=state_slug(attempt, now=now) == DEGRADED,
        is_undiagnosed=attempt.undiagnosed_at is not None,
        doubted=day_text(attempt.doubted_at, now=now) if attempt.doubted_at else "",
    )


def _seconds(*, attempt: AttemptView, now: datetime) -> float | None:
    if attempt.started_at is None:
        return None
    if attempt.ended_at is None and attempt.state != "running":
        return None
    return ((attempt.ended_at or now) - attempt.started_at).total_seconds()


def _weight(seconds: float | None) -> int:
    """Return one of four widths: up to an hour, six, a day, more."""
    return 1 + sum(1 for limit in (HOUR, 6 * HOUR, 24 * HOUR) if (seconds or 0) > limit)


def _few(hosts: Sequence[str]) -> tuple[str, ...]:
    if len(hosts) <= SWAPS_SHOWN:
        return tuple(hosts)
    return (*hosts[: SWAPS_SHOWN - 1], _("%(n)s more") % {"n": len(hosts) - SWAPS_SHOWN + 1})
