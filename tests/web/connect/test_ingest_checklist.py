"""How what is lacking is worded: one is told as one."""

from dataclasses import replace

import pytest

from apps.telemetry.status.arrivals import TOLD
from apps.telemetry.status.completeness import SessionCompleteness, completeness_of
from apps.tenancy.access import actor_for_user
from apps.tenancy.scope import organization_scope
from apps.web.connect.missing_inputs import lacks
from tests.cast import make
from tests.cast.incidents import Cast


@pytest.mark.parametrize(
    ("count", "text", "detail"),
    [
        (1, "1 start told in", "1 start was told without its hosts. 1 session never ended"),
        (2, "2 starts told in", "2 starts were told without their hosts. 2 sessions never ended"),
    ],
)
def test_starts_that_were_told_are_counted(cast: Cast, count: int, text: str, detail: str) -> None:
    actor = actor_for_user(user=make.user(organization=cast.operator), slug=cast.operator.slug)
    with organization_scope(cast.operator.pk):
        found = completeness_of(actor=actor, cluster=cast.cluster, now=make.AT)
    sessions = SessionCompleteness(told=count, without_hosts=count, without_end=count)
    rows = lacks(found=replace(found, held=frozenset({TOLD}), sessions=sessions))

    (row,) = (each for each in rows if each.text.startswith(text))
    assert row.detail.startswith(detail)
