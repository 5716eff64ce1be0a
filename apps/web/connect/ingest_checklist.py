"""What came in lately, kind by kind."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.telemetry.status.arrivals import METRICS, TOLD, LatestArrival
from apps.web import words

STALE: Final = timedelta(minutes=15)
KINDS: Final[Mapping[str, Promise]] = {
    "kernel": gettext_lazy("Kernel logs"),
    "session": gettext_lazy("Logs of sessions"),
    METRICS: gettext_lazy("Metrics"),
    TOLD: gettext_lazy("Starts and ends of sessions"),
    "scheduler": gettext_lazy("Scheduler logs"),
    "storage": gettext_lazy("Storage server logs"),
    "fabric": gettext_lazy("Fabric logs"),
    "bmc": gettext_lazy("BMC event logs"),
    "alerts": gettext_lazy("Alerts"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """Whether something of a kind came in."""

    kind: str
    name: str
    state: str  # waiting fresh stale
    text: str


def ticks(
    *, arrivals: Mapping[str, LatestArrival], held: Collection[str], now: datetime
) -> tuple[Tick, ...]:
    """Return what this organization sends or should send, in one order."""
    return tuple(
        _tick(kind, str(name), arrivals.get(kind), now)
        for kind, name in KINDS.items()
        if kind in arrivals or kind in held
    )


def _tick(kind: str, name: str, arrival: LatestArrival | None, now: datetime) -> Tick:
    if arrival is None:
        waiting = _("waiting for the first line")
        if kind in {METRICS, TOLD}:
            waiting = (
                _("waiting for the first sample") if kind == METRICS else _("nothing told yet")
            )
        return Tick(kind=kind, name=name, state="waiting", text=waiting)
    first = arrival.first_at
    at = first or arrival.latest_at
    age = words.duration(max((now - at).total_seconds(), 0))
    said = _("first line %(age)s ago") if first else _("last %(age)s ago")
    text = said % {"age": age}
    if arrival.host:
        text = _("%(told)s from %(host)s") % {"told": text, "host": arrival.host}
    if arrival.host_count > 1 and not first:
        text += " · " + _("%(n)s hosts") % {"n": f"{arrival.host_count:,}"}
    state = "fresh" if now - arrival.latest_at < STALE else "stale"
    return Tick(kind=kind, name=name, state=state, text=text)
