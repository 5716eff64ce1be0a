"""The table over jobs."""

import pytest

from apps.diagnosis.intervals import wilson
from apps.training.stragglers.fleet import StragglingJob, fleet_table
from apps.training.stragglers.verdict import StragglerCause

NONE, STAGE, REFUSED = StragglerCause.NONE, StragglerCause.STAGE, StragglerCause.REFUSED


def job(name: str, slowdown: float, hours: float, cause: StragglerCause = NONE) -> StragglingJob:
    return StragglingJob(job=name, slowdown=slowdown, gpu_hours=hours, cause=cause)


JOBS = [job("a", 1.0, 100), job("b", 2.0, 300, STAGE), job("c", 9.0, 50, REFUSED)]


def test_waste_is_weighted_by_gpu_hours() -> None:
    table = fleet_table(JOBS)
    assert table.wasted_share == pytest.approx(150 / 400)
    assert table.straggling_share == pytest.approx(0.5)
    assert table.straggling_interval == wilson(1, 2)
    assert table.causes == {STAGE: 1}


def test_refused_jobs_stand_beside() -> None:
    table = fleet_table(JOBS)
    assert (table.job_count, table.refused_count) == (2, 1)


def test_jobs_count_once_in_any_order() -> None:
    assert fleet_table([*reversed(JOBS), *JOBS]) == fleet_table(JOBS)


def test_without_jobs_nothing_is_a_share() -> None:
    table = fleet_table([])
    assert (table.straggling_share, table.wasted_share, table.wasted_shares) == (None, None, {})


def test_a_job_faster_than_its_ideal_wastes_nothing() -> None:
    assert fleet_table([job("a", 0.9, 10)]).wasted_gpu_hours == 0
