"""A Prometheus-compatible server, named by its URL or as a source of the portal → blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.input_values import MOST_ROWS, whole_number
from apps.diagnosis.model import Frame, Query, Scene, Signal, Topology
from apps.fleet.hosts.host_names import alias_table
from apps.offline.backtest_report.blocks import Heard, wanted_signals
from apps.offline.series.series_server import address_of_url
from apps.telemetry.facade.stored_servers import stored_server
from apps.telemetry.files.unusable_input import UnusableInput
from apps.telemetry.metrics import peer_groups
from apps.telemetry.metrics.pulls import signal_reading
from apps.telemetry.sources.address import Address
from apps.telemetry.sources.errors import SourceUnreachable
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.tenancy.people.organization_lookup import UnknownOrganization, organizations_named
from apps.tenancy.scope import organization_scope

# One block of one source: a slow server is better waited for than read in part.
BLOCK_BUDGET_SECONDS: Final = 600.0
READ_SECONDS: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerQuery:
    """Where to read, how things are spelled there, and what else is known of that time."""

    address: Address
    names: signal_reading.Names
    scene: Scene = field(default_factory=Scene)
    parts: Topology | None = None
    is_simulated: bool = False


def place_of_url(*, url: str, starts_at: datetime, ends_at: datetime) -> ServerQuery:
    """Return a server by its URL; simulated where its series say so. Raises UnusableInput."""
    address = address_of_url(url)
    span = {"starts_at": starts_at.timestamp(), "ends_at": ends_at.timestamp()}
    try:
        with PrometheusSource(address=address, read_seconds=READ_SECONDS) as client:
            told = client.label_values("simulated", **span)
    except SourceUnreachable as error:
        raise UnusableInput(str(error)) from error
    return ServerQuery(
        address=address,
        names=signal_reading.Names(label_map={}, aliases={}),
        is_simulated="true" in told,
    )


def place_of_source(
    *, source_id: str, starts_at: datetime, ends_at: datetime, organization: str | None
) -> ServerQuery:
    """Return a source of the portal with the sessions that ran then. Raises UnusableInput."""
    try:
        owners = organizations_named(slug=organization)
    except UnknownOrganization as error:
        raise UnusableInput(f"--organization: {error}") from None
    for owner in owners:
        with organization_scope(owner.pk):
            source = stored_server(
                organization_id=owner.pk,
                public_id=source_id,
                number=whole_number(source_id, most=MOST_ROWS),
            )
            if source is None:
                continue
            if source.address is None:
                raise UnusableInput(
                    f"source {source_id} is pushed to; it can't be asked for a past"
                )
            return ServerQuery(
                address=source.address,
                names=signal_reading.Names(
                    label_map=source.label_map,
                    aliases=alias_table(cluster_id=source.cluster_id, reader_id=owner.pk),
                ),
                scene=peer_groups.scene_between(
                    organization_id=owner.pk,
                    cluster_id=source.cluster_id,
                    starts_at=starts_at,
                    ends_at=ends_at,
                ),
                parts=peer_groups.shared_parts(cluster_id=source.cluster_id),
                is_simulated=source.is_simulated,
            )
    raise UnusableInput(
        f"there is no source {source_id}; its page has the id, SRC-…, in its address"
    )


def of_server(*, place: ServerQuery, grids: list[Grid], heard: Heard) -> Iterator[list[Frame]]:
    """Yield the frames of a span, a few hours at a time. Raises UnusableInput."""
    try:
        with PrometheusSource(address=place.address, read_seconds=READ_SECONDS) as client:
            served = client.metric_names(starts_at=grids[0].start, ends_at=grids[-1].end)
            wanted = signal_reading.served(signals=wanted_signals(), names=served)
            if not wanted:
                raise UnusableInput(
                    f"{place.address.name}: it serves none of the metrics that Faultline knows in that range"  # noqa: E501  one sentence
                )
            for number, grid in enumerate(grids):
                heard(number, len(grids))
                names = signal_reading.with_told_hosts(
                    client=client, names=place.names, metric_names=served, at=grid.end
                )
                yield _taken(client, place, wanted, grid, names)
    except SourceUnreachable as error:
        raise UnusableInput(str(error)) from error


def _taken(
    client: PrometheusSource,
    place: ServerQuery,
    wanted: Sequence[tuple[Signal, Query]],
    grid: Grid,
    names: signal_reading.Names,
) -> list[Frame]:
    taken = signal_reading.read(
        client=client, wanted=wanted, grid=grid, names=names, seconds=BLOCK_BUDGET_SECONDS
    )
    if taken.left_out:
        raise UnusableInput(
            f"{place.address.name}: {len(taken.left_out)} of {len(wanted)} metrics were not read within {BLOCK_BUDGET_SECONDS:.0f} s; ask for a longer --step"  # noqa: E501  one sentence
        )
    return list(taken.frames)
