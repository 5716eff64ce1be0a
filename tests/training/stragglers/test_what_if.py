"""What stragglers cost, on jobs of which it is known, and on published traces."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from apps.training.stragglers.step_trace import step_trace
from apps.training.stragglers.verdict import StragglerCause, verdict_on
from apps.training.stragglers.what_if import WhatIf, what_if
from tests.cast.step_traces import Job, draw, worker_slowed_by
from tests.shared_files import SHARED, needs_shared

TRACES = SHARED / "data" / "straggler_traces"
NEAR = 1e-3


def of(job: Job) -> WhatIf:
    return what_if(step_trace(draw(job).columns))


def published(name: str) -> tuple[WhatIf, dict[str, Any]]:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(TRACES / f"trace-{name}.parquet")
    columns = {each: table.column(each).to_pylist() for each in table.column_names}
    told = {
        part: json.loads((TRACES / f"{part}-{name}.json").read_text("utf-8"))
        for part in ("result", "mw", "ms")
    }
    return what_if(step_trace(columns)), told


@needs_shared
@pytest.mark.parametrize("name", ["AR", "ST"])
def test_published_traces_give_the_published_figures(name: str) -> None:
    found, told = published(name)
    assert found.slowdown == pytest.approx(told["result"]["blocking_slowdown"], abs=NEAR)
    assert found.worst_workers_share == pytest.approx(told["mw"]["Mw"], abs=NEAR)
    assert found.last_stage_share == pytest.approx(told["ms"]["Ms"], abs=NEAR)
    kinds = told["result"]["blocking_decompose_by_optype"]
    assert dict(found.by_kind) == pytest.approx(kinds, abs=NEAR)
    for mine, part in ((found.by_replica, "dp_rank"), (found.by_stage, "stage")):
        theirs = told["result"][f"blocking_decompose_by_{part}"]
        assert list(mine) == pytest.approx([theirs[str(at)] for at in range(len(mine))], abs=NEAR)
    assert found.discrepancy == pytest.approx(told["result"]["launch_slowdown"] - 1, abs=NEAR)


@needs_shared
def test_published_traces_name_a_worker_and_a_stage() -> None:
    slow, _ = published("AR")
    told = verdict_on(slow)
    assert told.cause is StragglerCause.WORKER
    assert told.worker is not None
    assert (told.worker.dp_rank, told.worker.stage) == (0, 0)
    stage = verdict_on(published("ST")[0])
    assert (stage.cause, stage.worker, stage.stage) == (StragglerCause.STAGE, None, 3)


@pytest.mark.parametrize("slowdown", [1.16, 1.40, 2.03])
@pytest.mark.parametrize("replicas", [4, 16])
def test_what_a_slow_worker_costs_is_found_beside_its_peers(slowdown: float, replicas: int) -> None:
    job, real = worker_slowed_by(Job(seed=5, replicas=replicas, slow_worker=(2, 1)), slowdown)
    found = of(job)
    assert real == pytest.approx(slowdown, abs=1e-4)
    assert found.slowdown_beside_peers == pytest.approx(real, abs=0.05)
    assert (found.workers[0].dp_rank, found.workers[0].stage) == (2, 1)
    assert found.workers[0].rank == 1 * replicas + 2


def test_the_mean_of_many_workers_hides_little_of_one() -> None:
    job, real = worker_slowed_by(Job(seed=6, replicas=16), 2.03)
    assert of(job).slowdown == pytest.approx(real, abs=0.05)


def test_a_healthy_job_is_as_fast_as_it_could_be() -> None:
    found = of(Job(seed=7))
    assert found.slowdown == pytest.approx(1.0, abs=0.02)
    assert verdict_on(found).cause is StragglerCause.NONE


def test_what_no_operation_explains_is_refused() -> None:
    found = of(Job(seed=8, worker_factor=2.0, unexplained_seconds=0.02))
    assert found.discrepancy > 0.05
    told = verdict_on(found)
    assert (told.cause, told.worker, told.explained_share) == (StragglerCause.REFUSED, None, None)


@pytest.mark.parametrize(
    ("job", "cause"),
    [
        (Job(seed=9, last_stage_factor=1.5), StragglerCause.STAGE),
        (Job(seed=9, sequence_spread=0.5), StragglerCause.SEQUENCE_LENGTH),
        (Job(seed=9, exchange_factor=20), StragglerCause.NETWORK),
    ],
)
def test_what_is_no_workers_fault_names_no_worker(job: Job, cause: StragglerCause) -> None:
    told = verdict_on(of(job))
    assert (told.cause, told.worker) == (cause, None)


def test_a_slow_worker_of_the_last_stage_is_no_slow_stage() -> None:
    found = of(Job(seed=10, slow_worker=(1, 3), worker_factor=2.0))
    told = verdict_on(found)
    assert found.last_stage_share is not None
    assert found.last_stage_share > 0.5
    assert told.cause is StragglerCause.WORKER


def test_with_one_replica_no_worker_is_told_from_its_stage() -> None:
    found = of(Job(seed=11, replicas=1, slow_worker=(0, 1), worker_factor=2.0))
    assert found.slowdown > 1.1
    assert verdict_on(found).worker is None


def test_rows_in_another_order_and_told_twice_are_the_same_trace() -> None:
    columns = draw(Job(seed=12, replicas=2, steps=2, worker_factor=1.5)).columns
    count = len(columns["step"])
    order = np.random.default_rng(4).permutation([*range(count), *range(count)]).tolist()
    shuffled = {name: [cells[at] for at in order] for name, cells in columns.items()}
    assert what_if(step_trace(shuffled)) == what_if(step_trace(columns))


def test_one_stage_has_no_last_stage_to_blame() -> None:
    found = of(Job(seed=13, stages=1, last_stage_factor=1.5, worker_factor=2.0))
    assert verdict_on(found).cause is StragglerCause.WORKER


def test_a_job_of_other_steps_costs_the_same() -> None:
    job = Job(seed=14, worker_factor=1.8)
    assert of(replace(job, steps=3)).slowdown == pytest.approx(of(job).slowdown, abs=0.02)
