"""Exclusions and returns, told late, twice and in any order."""

import random
from datetime import datetime

import pytest

from apps.fleet.authority.rules import PartRefused
from apps.fleet.exclusions.exclusion_report import ExclusionReport, ReturnReport
from apps.fleet.models import ExclusionKind
from tests.apps.fleet.exclusions.told_exclusions import after, back, left_out, read, tell
from tests.cast.incidents import Cast

pytestmark = pytest.mark.django_db
Rows = set[tuple[str, str, datetime, datetime | None, str]]
TOLD: tuple[ExclusionReport | ReturnReport, ...] = (
    left_out(reason="NVLink errors", by="root"),
    left_out(),
    back(hours=5),
    left_out(hours=7, kind=ExclusionKind.DOWN),
    left_out(hours=8),
    ReturnReport(at=after(7.5), kind=ExclusionKind.DOWN, left_out=("gpu001.cluster", "gpu007")),
    ReturnReport(at=after(9), kind=ExclusionKind.DOWN, left_out=("gpu007",)),
    left_out("gpu007", hours=1, kind=ExclusionKind.DOWN),
    left_out("gpu002.cluster", hours=2, kind=ExclusionKind.CORDON),
    ReturnReport(at=after(3), kind=ExclusionKind.CORDON, in_use=("GPU002",)),
    back(hours=12),
)
FOUND: Rows = {
    ("gpu001", "drain", after(0), after(5), "NVLink errors"),
    ("gpu001", "down", after(7), after(9), ""),
    ("gpu001", "drain", after(8), after(12), ""),
    ("gpu007", "down", after(1), None, ""),
    ("gpu002", "cordon", after(2), after(3), ""),
}


def _rows(cast: Cast) -> Rows:
    return {
        (each.host, each.kind.value, each.starts_at, each.ends_at, each.reason)
        for each in read(cast, cast.operator)
    }


@pytest.mark.parametrize("seed", range(6))
def test_any_order_and_cut_of_what_is_told_gives_the_same_rows(cast: Cast, seed: int) -> None:
    shuffled = [*TOLD, *TOLD]
    random.Random(seed).shuffle(shuffled)  # noqa: S311  an order, no secret
    for first in range(0, len(shuffled), 3):
        tell(cast, cast.operator, *shuffled[first : first + 3])
    assert _rows(cast) == FOUND


def test_what_is_told_at_once_is_the_same_too(cast: Cast) -> None:
    intake = tell(cast, cast.operator, *TOLD)
    # Two of them say that all nodes but some are in use, which names none; one is told twice.
    assert (intake.accepted_count, intake.begun_count) == (len(TOLD) - 3, len(FOUND))
    assert _rows(cast) == FOUND


def test_a_return_ends_what_its_own_teller_told_and_nothing_of_others(cast: Cast) -> None:
    tell(cast, cast.operator, left_out())
    job = left_out(kind=ExclusionKind.JOB, session="4711")
    tell(cast, cast.tenant, job, back(hours=1), back(hours=2, session="4711"))
    assert [each.ends_at for each in read(cast, cast.operator)] == [None]


def test_vendors_and_tenants_without_a_job_are_refused(cast: Cast) -> None:
    job = left_out(kind=ExclusionKind.JOB, session="4711")
    for who, what in ((cast.vendor, left_out()), (cast.vendor, job), (cast.tenant, left_out())):
        with pytest.raises(PartRefused, match="exclusions of nodes are not taken"):
            tell(cast, who, what)
    assert tell(cast, cast.tenant, left_out(), job).accepted_count == 1
    assert read(cast, cast.operator) == ()


def _lists(*hours: float) -> list[ExclusionReport | ReturnReport]:
    """Return tables printed at some hours that all show gpu001, and one at 5 that does not."""
    shown = [left_out(seen_at=after(at)) for at in hours]
    others = [ReturnReport(at=after(at), left_out=("gpu001",)) for at in hours]
    return [*shown, *others, ReturnReport(at=after(5), left_out=())]


def test_a_list_that_shows_a_node_again_since_its_old_time_takes_its_return_back(
    cast: Cast,
) -> None:
    first, later = _lists(1), _lists(1, 6)
    tell(cast, cast.operator, *first)
    assert [each.ends_at for each in read(cast, cast.operator)] == [after(5)]
    intake = tell(cast, cast.operator, *later)
    assert (intake.begun_count, intake.ended_count, intake.reopened_count) == (0, 0, 1)
    assert [each.ends_at for each in read(cast, cast.operator)] == [None]


@pytest.mark.parametrize("seed", range(3))
def test_lists_in_any_order_leave_a_node_out_until_the_first_one_after_the_last_that_shows_it(
    cast: Cast, seed: int
) -> None:
    told = [*_lists(1, 6), back(hours=5.5), ReturnReport(at=after(9), left_out=("gpu007",))]
    random.Random(seed).shuffle(told)  # noqa: S311  an order, no secret
    for each in told:
        tell(cast, cast.operator, each)
    assert [each.ends_at for each in read(cast, cast.operator)] == [after(9)]
    again = tell(cast, cast.operator, *told)
    assert (again.begun_count, again.ended_count, again.reopened_count) == (0, 0, 0)


def test_a_list_of_another_organization_takes_no_return_back(cast: Cast) -> None:
    job = left_out(kind=ExclusionKind.JOB, session="4711", seen_at=after(6))
    tell(cast, cast.operator, left_out(), back(hours=5))
    tell(cast, cast.tenant, job)
    assert [each.ends_at for each in read(cast, cast.operator)] == [after(5)]
