"""Signals of the catalog, read from a source within a budget of time."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.diagnosis.metrics.frames import Grid, frame_of
from apps.diagnosis.metrics.identity import host_name
from apps.diagnosis.metrics.load import Catalog, catalog
from apps.diagnosis.model import Frame, Query, Signal
from apps.telemetry.models import Source
from apps.telemetry.sources.prometheus import (
    Address,
    Credential,
    PrometheusSource,
    QueryFailed,
    selector,
)
from apps.tenancy.credentials import unseal
from apps.tenancy.outbound import policy_for

UNAME: Final = "node_uname_info"
# Facts before deviations: when the time runs out, the last are left out.
WATCH_ORDER: Final = ("codes", "increase", "silence", "saturation", "limit", "throttling", "peers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What one reading brought: frames, and the names of signals that could not be had."""

    frames: tuple[Frame, ...]
    refused: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    warning: str = ""  # what the server itself says is missing

    @property
    def series_count(self) -> int:
        """How many rows the frames have."""
        return sum(len(frame.entities) for frame in self.frames)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """How a source spells things: its labels → our words, its hosts → ours."""

    label_map: Mapping[str, str]
    aliases: Mapping[str, str]


def with_told_hosts(
    *, client: PrometheusSource, names: Names, metric_names: frozenset[str], at: float
) -> Names:
    """Add the hosts behind scrape addresses, as node_exporter itself tells them.

    What the operator's alias table says stands: an address may have moved.
    """
    if UNAME not in metric_names:
        return names
    try:
        series = client.matrix(query=UNAME, grid=Grid(start=at, step=1.0, count=1))
    except QueryFailed:
        return names
    told: dict[str, str] = {}
    for each in series:
        spelt = host_name(each.labels.get("instance", ""))
        host = host_name(each.labels.get("nodename", ""))
        if spelt and host:
            told[spelt] = names.aliases.get(host, host)
    return Names(label_map=names.label_map, aliases={**told, **names.aliases})


def address_of(*, source: Source) -> Address:
    """Return how a stored source is reached, its secret unsealed."""
    secret = unseal(sealed=source.credential) if source.credential else ""
    user, _, password = secret.partition(":")
    is_basic = source.auth == "basic"
    return Address(
        name=source.name,
        url=source.url,
        policy=policy_for(
            allowed_networks=source.allowed_networks, is_simulated=source.is_simulated
        ),
        credential=Credential(
            kind=source.auth, user=user if is_basic else "", secret=password if is_basic else secret
        ),
        verify_tls=source.verify_tls,
        ca_pem=source.ca_pem,
    )


def served(*, signals: Iterable[Signal], names: frozenset[str]) -> list[tuple[Signal, Query]]:
    """Return each signal that a server has, under the newest of its names, facts first."""
    found = []
    for signal in signals:
        query = next((each for each in signal.queries if each.metric in names), None)
        if query:
            found.append((signal, query))
    return sorted(found, key=lambda pair: (_rank(pair[0]), pair[0].name))


def watched() -> tuple[Signal, ...]:
    """Return every signal that a detector looks at."""
    return tuple(signal for signal in catalog().signals.values() if signal.watch)


def read(
    *,
    client: PrometheusSource,
    wanted: Sequence[tuple[Signal, Query]],
    grid: Grid,
    names: Names,
    seconds: float,
) -> Taken:
    """Return the signals on the grid, as many as the time allows; raise SourceUnreachable."""
    known: Catalog = catalog()
    ends_at = time.monotonic() + seconds
    frames: list[Frame] = []
    refused: list[str] = []
    for place, (signal, query) in enumerate(wanted):
        if time.monotonic() > ends_at:
            left = tuple(late.name for late, _ in wanted[place:])
            return _taken(client, frames, refused, left)
        try:
            text = selector(metric=query.metric, match=query.match)
            series = client.matrix(query=text, grid=grid)
        except QueryFailed:
            refused.append(signal.name)
            continue
        frame = frame_of(
            signal=signal,
            scale=query.scale,
            series=series,
            grid=grid,
            spelling=known.labels[signal.exporter],
            renamed=names.label_map,
            aliases=names.aliases,
        )
        if frame.entities:
            frames.append(frame)
    return _taken(client, frames, refused, ())


def _taken(
    client: PrometheusSource,
    frames: Sequence[Frame],
    refused: Sequence[str],
    left_out: tuple[str, ...],
) -> Taken:
    return Taken(
        frames=tuple(frames), refused=tuple(refused), left_out=left_out, warning=client.warning
    )


def _rank(signal: Signal) -> int:
    return min((WATCH_ORDER.index(watch) for watch in signal.watch), default=len(WATCH_ORDER))
