"""Where others ran is read in equal shares: attempts that never end take no other tenant's."""

from datetime import timedelta

import pytest

from apps.fleet.authority.agreed_terms import authority_of
from apps.fleet.models import Attempt, Session
from apps.telemetry.attempts import related_parts as found
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.pushes import Cast, cast

pytestmark = pytest.mark.django_db
HEAVY = found.MOST_BYTES // 3


@pytest.fixture
def people() -> Cast:
    """Who takes part."""
    return cast()


def ran(
    people: Cast,
    owner: Organization,
    host: str,
    *,
    hours_ago: int,
    ended: bool = False,
    weight: int,
) -> Attempt:
    """Return an attempt of an organization on one host, as who runs the cluster told."""
    at = make.AT - timedelta(hours=hours_ago)
    with organization_scope(owner.pk):
        session = Session.objects.create(
            organization=owner,
            cluster=people.cluster,
            public_id=f"SES-{host.upper()}",
            scheduler="slurm",
            name=host,
            is_asserted=True,
            created_at=at,
        )
        return Attempt.objects.create(
            organization=owner,
            session=session,
            started_at=at,
            ended_at=at + timedelta(minutes=1) if ended else None,
            hosts=[host],
            hosts_asserted=True,
            weight=weight,
        )


def unused(people: Cast, attempt: Attempt) -> frozenset[str]:
    """Return what an attempt is known not to use."""
    with organization_scope(people.tenant.pk, people.other.pk, people.operator.pk):
        attempt = Attempt.objects.select_related("session__cluster").get(pk=attempt.pk)
        return found.surroundings(
            attempt=attempt,
            authority=authority_of(cluster_id=people.cluster.pk),
            aliases={},
            own=attempt.hosts,
        ).unused


def test_one_that_never_ends_its_attempts_is_read_as_far_as_its_latest_ones(people: Cast) -> None:
    mine = ran(people, people.tenant, "mine", hours_ago=0, weight=10)
    ran(people, people.tenant, "honest", hours_ago=900, weight=10)
    for number in range(1, 6):
        ran(people, people.other, f"old{number}", hours_ago=number, weight=HEAVY)
    assert unused(people, mine) == {"honest", "old1", "old2", "old3"}


def test_those_that_had_ended_before_are_left_out(people: Cast) -> None:
    mine = ran(people, people.tenant, "mine", hours_ago=0, weight=10)
    ran(people, people.tenant, "over", hours_ago=2, ended=True, weight=10)
    ran(people, people.other, "going", hours_ago=2, weight=10)
    assert unused(people, mine) == {"going"}
