"""What is only of sessions: a vendor reads that it is hidden, others that there is none yet."""

import pytest

from apps.fleet.models import ParticipationRole
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of
from tests.web.conftest import Browser
from tests.web.pressing import read

NOTE = "A vendor is told of the incidents that concern its parts, not of sessions."
PLACES = ("sessions/", "retries/", "stragglers/")


@pytest.mark.parametrize("place", PLACES)
def test_a_vendor_reads_that_sessions_are_hidden_by_policy(
    cast: Cast, browser: Browser, place: str
) -> None:
    attempt_of(cast, cast.tenant)
    page = read(browser(cast.vendor), f"/o/{cast.vendor.slug}/{place}")
    assert NOTE in page
    assert "Hidden by policy." in page
    assert "0 of 0" not in page


@pytest.mark.parametrize("place", PLACES)
def test_who_may_have_sessions_is_told_that_there_is_none(
    cast: Cast, browser: Browser, place: str
) -> None:
    for who in (cast.tenant, cast.operator, cast.stranger):
        assert NOTE not in read(browser(who), f"/o/{who.slug}/{place}")


@pytest.mark.parametrize("place", PLACES)
def test_a_vendor_that_runs_a_cluster_too_is_no_vendor_alone(
    cast: Cast, browser: Browser, place: str
) -> None:
    make.participation(
        organization=cast.vendor, cluster=make.cluster(), part=ParticipationRole.OPERATOR
    )
    assert NOTE not in read(browser(cast.vendor), f"/o/{cast.vendor.slug}/{place}")
