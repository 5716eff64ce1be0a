"""The sentence at the top of Home: what runs, and what just failed."""

from datetime import timedelta

import pytest

from apps.tenancy.models import Organization
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of
from tests.web.conftest import Browser
from tests.web.pressing import read

# Pages of these tests look an hour after that.
NOW = make.AT + timedelta(hours=1)


def lead(browser: Browser, who: Organization) -> str:
    """Return that sentence."""
    page = read(browser(who), f"/o/{who.slug}/")
    return page.split('class="lead"', 1)[1].split("</p>", 1)[0]


def test_who_runs_on_with_fewer_gpus_is_one_of_those_that_run(cast: Cast, browser: Browser) -> None:
    for lost in (0, 0, 8):
        attempt_of(
            cast, cast.tenant, state="running", lost_gpu_count=lost or None, alive_gpu_count=504
        )
    told = lead(browser, cast.tenant)
    assert "3 sessions are running." in told
    assert "degraded: runs on 504 of 512 GPUs." in told


@pytest.mark.parametrize(("minutes", "is_new"), [(2, True), (14, True), (30, False)])
def test_what_failed_just_now_is_no_quiet_day(
    cast: Cast, browser: Browser, minutes: int, *, is_new: bool
) -> None:
    attempt_of(cast, cast.tenant, state="failed", ended_at=NOW - timedelta(minutes=minutes))
    told = lead(browser, cast.tenant)
    assert ("1 session failed just now: why is being looked at." in told) is is_new
    assert ("Nothing is open." in told) is not is_new
    assert "Nothing is open." in lead(browser, cast.other_tenant)
