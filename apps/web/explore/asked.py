"""What an address asks for: which source, signal or PromQL, over which time."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.contrib import messages
from django.utils.translation import gettext as _

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.spelling import shown
from apps.fleet.facade.sessions import attempts_of, open_session
from apps.telemetry.facade.explore import MetricSpan
from apps.tenancy.middleware import OrganizationRequest
from apps.web.logs.place import instant_in
from apps.web.shell.address_filters import identified, known

RANGES: Final[Mapping[str, timedelta]] = {
    "1h": timedelta(hours=1),
    "6h": timedelta(hours=6),
    "1d": timedelta(days=1),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
USUAL: Final = "1h"
AROUND: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExploreRequest:
    """What an address asks for."""

    source: str
    signal: str
    host: str
    gpu: int | None
    session: str
    incident: str
    q: str
    range: str  # of RANGES, where no span is said
    span: MetricSpan

    @property
    def is_question(self) -> bool:
        """Say whether anything is asked for at all."""
        return bool(self.signal or self.q)


def asked_of(request: OrganizationRequest, *, now: datetime) -> ExploreRequest:
    """Return what the address asks for; say which of it makes no sense. Needs the scope."""
    text = {name: request.GET.get(name, "").strip() for name in ("source", "signal", "host", "q")}
    session = request.GET.get("session", "").strip()[:253]
    chosen = known(request, "range", tuple(RANGES))
    return ExploreRequest(
        source=text["source"][:40],
        signal=text["signal"][:120],
        host=text["host"][:253],
        gpu=_gpu(request),
        session=session,
        incident=identified(request, "incident"),
        q=text["q"][:4_000],
        range=chosen or ("" if "from" in request.GET or session else USUAL),
        span=_span(request, session=session, chosen=chosen, now=now),
    )


def _span(request: OrganizationRequest, *, session: str, chosen: str, now: datetime) -> MetricSpan:
    starts_at, ends_at = _instant(request, "from"), _instant(request, "until")
    if starts_at is not None and not chosen:
        return MetricSpan(starts_at=starts_at, ends_at=ends_at or now)
    if session and not chosen:
        return _of_session(request, session, now)
    ends_at = ends_at or now
    return MetricSpan(starts_at=ends_at - RANGES[chosen or USUAL], ends_at=ends_at)


def _of_session(request: OrganizationRequest, public_id: str, now: datetime) -> MetricSpan:
    """Return the time of a session's latest attempt with some minutes around it."""
    found = open_session(actor=request.actor, public_id=public_id)
    attempts = attempts_of(actor=request.actor, sessions=[found])[found.id]
    begun = [each for each in attempts if each.started_at is not None]
    if not begun or begun[-1].started_at is None:
        return MetricSpan(starts_at=now - RANGES[USUAL], ends_at=now)
    ends_at = min(now, (begun[-1].ended_at or now) + AROUND)
    return MetricSpan(starts_at=begun[-1].started_at - AROUND, ends_at=ends_at)


def _instant(request: OrganizationRequest, name: str) -> datetime | None:
    value = request.GET.get(name, "")
    found = instant_in(value)
    if value and found is None:
        text = _("“%(value)s” is no time such as 2026-11-21T01:30:00.")
        messages.warning(request, text % {"value": shown(word=value)})
    return found


def _gpu(request: OrganizationRequest) -> int | None:
    value = request.GET.get("gpu", "").strip()
    number = whole_number(value)
    if value and number is None:
        text = _("“%(value)s” is no number of a GPU: all are shown.")
        messages.warning(request, text % {"value": shown(word=value)})
    return number
