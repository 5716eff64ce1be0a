"""What a tenant claims of its jobs counts for a node as one job, however many it names."""

from datetime import timedelta

import pytest

from apps.fleet.exclusions.exclusion_values import ExclusionView
from apps.fleet.facade.nodes import node_scope
from apps.fleet.models import ExclusionKind
from apps.reliability.offenders.cluster_facts import read_cluster, score_nodes
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.fleet.exclusions.told_exclusions import NOW, left_out, read, tell
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of

pytestmark = pytest.mark.django_db
SINCE = make.AT - timedelta(days=28)


def _claim(cast: Cast, host: str, *, by: Organization, jobs: int) -> None:
    for _ in range(jobs):
        name = attempt_of(cast, cast.tenant).session.name
        tell(cast, by, left_out(host, kind=ExclusionKind.JOB, session=name))


def _scores(cast: Cast) -> dict[str, float]:
    asking = actor(cast.operator)
    with organization_scope(cast.operator.pk):
        scope = node_scope(actor=asking, cluster=cast.cluster.slug)
        facts = read_cluster(actor=asking, scope=scope, since=SINCE, until=NOW, now=NOW)
        found = score_nodes(actor=asking, facts=facts, since=SINCE, until=NOW)
    return {each.node: each.score for each in found.scores}


def test_jobs_that_one_tenant_claims_weigh_as_one_and_those_of_the_scheduler_each(
    cast: Cast,
) -> None:
    _claim(cast, "gpu071", by=cast.tenant, jobs=6)
    _claim(cast, "gpu072", by=cast.tenant, jobs=1)
    _claim(cast, "gpu073", by=cast.operator, jobs=6)
    told: tuple[ExclusionView, ...] = read(cast, cast.operator)
    assert sum(each.host == "gpu071" for each in told) == 6  # all are read
    scores = _scores(cast)
    assert scores["gpu071"] == scores["gpu072"] < scores["gpu073"]
