"""A Prometheus-compatible server named on the command line → frames around the end of a session."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

from apps.diagnosis.metrics.frames import grid_between
from apps.diagnosis.model import Frame
from apps.telemetry import metrics
from apps.telemetry.files import UnusableInput
from apps.telemetry.sources.address import Address, Credential
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.telemetry.sources.trouble import SourceUnreachable
from apps.tenancy.outbound import Policy

# What a server is asked for: enough before the stop to know what is usual, and its aftermath.
BEFORE, AFTERWARDS, STEP_SECONDS = timedelta(hours=2), timedelta(minutes=15), 30.0
BUDGET_SECONDS: Final = 120.0


def ask(*, url: str, ended_at: datetime | None) -> Sequence[Frame]:
    """Return the watched signals of a server around the end of a session. Raises UnusableInput."""
    if ended_at is None:
        raise UnusableInput(
            "the logs tell no time with a zone, so the server can't be asked; name --tz"
        )
    start, end = (ended_at - BEFORE).timestamp(), (ended_at + AFTERWARDS).timestamp()
    grid = grid_between(start=start, end=end, step=STEP_SECONDS)
    try:
        with PrometheusSource(address=address_of_url(url)) as client:
            served = client.metric_names(starts_at=start, ends_at=end)
            names = metrics.with_told_hosts(
                client=client,
                names=metrics.Names(label_map={}, aliases={}),
                metric_names=served,
                at=ended_at.timestamp(),
            )
            wanted = metrics.served(signals=metrics.watched(), names=served)
            return metrics.read(
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
