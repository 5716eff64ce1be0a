"""A Prometheus-compatible server named on the command line → frames around the end of a session."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

from apps.diagnosis import zone_names
from apps.diagnosis.detection.metrics.frames import grid_between
from apps.diagnosis.model import Frame, Reading
from apps.offline import assumed_zone
from apps.telemetry.files.unusable_input import UnusableInput
from apps.telemetry.metrics.pulls import signal_reading
from apps.telemetry.sources.address import Address, Credential
from apps.telemetry.sources.errors import SourceUnreachable
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.tenancy.outbound.policy import Policy

# What a server is asked for: enough before the stop to know what is usual, and its aftermath.
BEFORE, AFTERWARDS, STEP_SECONDS = timedelta(hours=2), timedelta(minutes=15), 30.0
BUDGET_SECONDS: Final = 120.0


NO_TIME: Final = "the logs tell no time, so the server can't be asked what it saw then"
OPEN_ZONE: Final = (
    "the logs print times without a zone ({start} to {end}), and what {name} saw fits such a run "
    "in no zone, or in several; name it, like --tz Asia/Seoul"
)
ASSUMED: Final = (
    "Printed times are taken as {zone}: there, and in no other zone, work on {where} began and "
    "ended with the run, as {name} saw it. --tz says otherwise."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """Readings whose times have a zone, and what was assumed for it."""

    readings: Sequence[Reading]
    assumed: str = ""


def with_zone(
    *, url: str, readings: Sequence[Reading], hosts: tuple[str, ...], now: datetime
) -> Dated:
    """Return readings in the zone in which a server saw their run. Raises UnusableInput."""
    printed = assumed_zone.printed(readings=readings, hosts=hosts)
    if printed is None:
        return Dated(readings=readings)
    address = address_of_url(url)
    try:
        with PrometheusSource(address=address) as client:
            minutes = assumed_zone.offset_of(client=client, printed=printed, now=now)
    except SourceUnreachable as error:
        raise UnusableInput(str(error)) from error
    if minutes is None:
        start, end = f"{printed.starts_at:%Y-%m-%d %H:%M}", f"{printed.ends_at:%H:%M}"
        raise UnusableInput(OPEN_ZONE.format(start=start, end=end, name=address.name))
    zone = zone_names.offset_words(offset=timedelta(minutes=minutes))
    where = ", ".join(hosts[:3]) + (" …" if len(hosts) > 3 else "") or "its hosts"
    return Dated(
        readings=assumed_zone.dated(readings=readings, minutes=minutes),
        assumed=ASSUMED.format(zone=zone, where=where, name=address.name),
    )


def ask(*, url: str, ended_at: datetime | None) -> Sequence[Frame]:
    """Return the watched signals of a server around the end of a session. Raises UnusableInput."""
    if ended_at is None:
        raise UnusableInput(NO_TIME)
    start, end = (ended_at - BEFORE).timestamp(), (ended_at + AFTERWARDS).timestamp()
    grid = grid_between(start=start, end=end, step=STEP_SECONDS)
    try:
        with PrometheusSource(address=address_of_url(url)) as client:
            served = client.metric_names(starts_at=start, ends_at=end)
            names = signal_reading.with_told_hosts(
                client=client,
                names=signal_reading.Names(label_map={}, aliases={}),
                metric_names=served,
                at=ended_at.timestamp(),
            )
            wanted = signal_reading.served(signals=signal_reading.watched(), names=served)
            return signal_reading.read(
                client=client, wanted=wanted, grid=grid, names=names, seconds=BUDGET_SECONDS
            ).frames
    except SourceUnreachable as error:
        raise UnusableInput(str(error)) from error


def address_of_url(url: str) -> Address:
    """Return the address of a server; `user:password@` in the URL is sent as a credential."""
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    try:
        _ = parts.port
    except ValueError as error:
        raise UnusableInput("the URL of the server names an impossible port") from error
    user = unquote(parts.username or "")
    return Address(
        name=place,
        url=urlunsplit((parts.scheme, place, parts.path, "", "")),
        # A person at a terminal may ask any server, on this machine, too.
        policy=Policy(goes_anywhere=True),
        credential=Credential(kind="basic", user=user, secret=unquote(parts.password or ""))
        if user
        else Credential(),
    )
