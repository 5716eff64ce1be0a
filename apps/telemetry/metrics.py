"""Signals of the catalog, read from a source within a budget of time."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.diagnosis.metrics.frames import Grid
from apps.diagnosis.metrics.identity import host_name
from apps.diagnosis.metrics.load import catalog
from apps.diagnosis.model import Frame, Query, Signal
from apps.telemetry.models import Source
from apps.telemetry.roll import Roll, Sheet, Wanted
from apps.telemetry.sources import bulk
from apps.telemetry.sources.prometheus import (
    Address,
    Credential,
    PrometheusSource,
    QueryFailed,
    SourceUnreachable,
)
from apps.tenancy.credentials import unseal
from apps.tenancy.outbound import policy_for

UNAME: Final = "node_uname_info"
# Facts before deviations: when the time runs out, the last are left out.
WATCH_ORDER: Final = (
    "codes",
    "increase",
    "silence",
    "saturation",
    "remaps",
    "spinning",
    "collapse",
    "steps",
    "limit",
    "throttling",
    "peers",
    "change",
    "drift",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What one reading brought: frames, and the names of signals that could not be had."""

    frames: tuple[Frame, ...]
    refused: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    warning: str = ""  # what the server itself says is missing
    series_count: int = 0


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
    roll = Roll(
        wanted=[Wanted(signal=signal, query=query) for signal, query in wanted],
        label_map=names.label_map,
        aliases=names.aliases,
    )
    return read_rolled(client=client, roll=roll, grid=grid, seconds=seconds)


def read_rolled(*, client: PrometheusSource, roll: Roll, grid: Grid, seconds: float) -> Taken:
    """Return what a roll wants on the grid, as much as the time allows; the roll learns from it.

    Raises SourceUnreachable.
    """
    ends_at = time.monotonic() + seconds
    counts = roll.counts() or _counted(client, roll, grid)
    asks = [
        ask
        for channel, match in enumerate(roll.matches)
        for ask in bulk.planned(
            names=roll.metrics(channel), grid=grid, counts=counts, match=match, channel=channel
        )
    ]
    sheet = Sheet(roll=roll, grid=grid)
    refused: list[str] = []
    left_out: list[str] = []
    for answer in bulk.answers(client=client, asks=asks, ends_at=ends_at):
        ask = answer.ask
        if answer.matrix is None:
            missing = roll.names(ask.channel, ask.names)
            (refused if answer.is_refused else left_out).extend(missing)
        else:
            sheet.put(channel=ask.channel, metrics=ask.names, answer=answer.matrix)
    return Taken(
        frames=sheet.frames(without=frozenset((*refused, *left_out))),
        series_count=sheet.series_count,
        refused=tuple(dict.fromkeys(refused)),
        left_out=tuple(dict.fromkeys(left_out)),
        warning=client.warning,
    )


def _counted(client: PrometheusSource, roll: Roll, grid: Grid) -> dict[str, int]:
    """Return how many series each name has now, where the server tells."""
    counts: dict[str, int] = {}
    for channel, match in enumerate(roll.matches):
        ask = bulk.Ask(names=tuple(roll.metrics(channel)), grid=grid, match=match)
        try:
            counts |= client.counts(query=ask.query, by="__name__", at=grid.end)
        except (QueryFailed, SourceUnreachable):
            continue
    return counts


def _rank(signal: Signal) -> int:
    known = [WATCH_ORDER.index(watch) for watch in signal.watch if watch in WATCH_ORDER]
    return min(known, default=len(WATCH_ORDER))
