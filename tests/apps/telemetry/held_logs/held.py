"""A host's log that an organization holds, and how it is read."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from apps.fleet.models import Cluster, ParticipationRole
from apps.telemetry.facade import held_logs
from apps.telemetry.held_logs.values import HeldStream
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in, come_in_stamped
from tests.cast import make

START = datetime(2026, 11, 21, 1, tzinfo=UTC)
SECOND = 10**9


@dataclass(frozen=True)
class Holder:
    """Who holds the log."""

    organization: Organization
    cluster: Cluster

    @property
    def actor(self) -> Actor:
        """Return one of its members who may read."""
        return Actor(organization=self.organization, rights=frozenset({Right.READ}))

    def stream(self) -> HeldStream:
        """Return its one log."""
        with organization_scope(self.organization.pk):
            (found,) = held_logs.list_streams(actor=self.actor)
        return found


def holder() -> Holder:
    """Make an operator of a cluster."""
    owner, cluster = make.organization(), make.cluster()
    make.participation(organization=owner, cluster=cluster, part=ParticipationRole.OPERATOR)
    return Holder(organization=owner, cluster=cluster)


def line(number: int) -> str:
    """Return a line that prints its time and its number, counted from one."""
    at = START + timedelta(seconds=number)
    return f"{at:%Y-%m-%dT%H:%M:%S}+00:00 gpu001 kernel: line {number} of the node"


def sent_as_files(*sizes: int, made: Holder | None = None) -> Holder:
    """Let files of so many lines come in, one behind the other."""
    made = made or holder()
    first = 1
    for size in sizes:
        lines = [line(each) for each in range(first, first + size)]
        come_in(made.organization, made.cluster, lines, at=make.AT, stream="kernel", host="gpu001")
        first += size
    return made


def sent_stamped(*batches: list[int]) -> Holder:
    """Let stamped lines come in, in these batches of their numbers."""
    made = holder()
    base = int(START.timestamp()) * SECOND
    for batch in batches:
        lines = [(base + number * SECOND, f"line {number} of the node") for number in batch]
        come_in_stamped(
            made.organization, made.cluster, lines, at=make.AT, stream="kernel", host="gpu001"
        )
    return made
