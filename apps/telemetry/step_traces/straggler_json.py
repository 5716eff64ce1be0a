"""What was found of step traces, as JSON (`faultline.stragglers/1`)."""

from collections.abc import Sequence
from typing import Any, Final

from apps.telemetry.step_traces.trace_jobs import TracedJob
from apps.training.stragglers.fleet import StragglerFleet
from apps.training.stragglers.importers.inspector import LateMember
from apps.training.stragglers.verdict import StragglerVerdict
from apps.training.stragglers.what_if import SlowWorker, WhatIf

SCHEMA: Final = "faultline.stragglers/1"


def as_json(jobs: Sequence[TracedJob], fleet: StragglerFleet | None) -> dict[str, Any]:
    """Return the published JSON; figures that could not be had are null."""
    return {
        "schema": SCHEMA,
        "jobs": [_job(each) for each in jobs],
        "fleet": _fleet(fleet) if fleet else None,
    }


def _job(job: TracedJob) -> dict[str, Any]:
    return {
        "name": job.name,
        "verdict": _verdict(job.verdict) if job.verdict else None,
        "what_if": _what_if(job.found) if job.found else None,
        "late_members": [_late(each) for each in job.late],
    }


def _verdict(told: StragglerVerdict) -> dict[str, Any]:
    return {
        "cause": told.cause.value,
        "explained_share": told.explained_share,
        "prior_share": told.prior_share,
        "worker": _worker(told.worker) if told.worker else None,
        "stage": told.stage,
        "kind": told.kind,
    }


def _worker(worker: SlowWorker) -> dict[str, Any]:
    return {
        "dp_rank": worker.dp_rank,
        "stage": worker.stage,
        "rank": worker.rank,
        "slowdown": worker.slowdown,
    }


def _what_if(found: WhatIf) -> dict[str, Any]:
    """A refused simulation shows by how much it is off, and nothing that rests on it."""
    measured = {
        "measured_seconds": found.measured_seconds,
        "simulated_seconds": found.simulated_seconds,
        "discrepancy": found.discrepancy,
        "is_refused": found.is_refused,
        "steps": found.step_count,
        "incomplete_steps": found.incomplete_steps,
    }
    return measured if found.is_refused else {**measured, **_figures(found)}


def _figures(found: WhatIf) -> dict[str, Any]:
    return {
        "ideal_seconds": found.ideal_seconds,
        "slowdown": found.slowdown,
        "slowdown_beside_peers": found.slowdown_beside_peers,
        "worst_workers_share": found.worst_workers_share,
        "last_stage_share": found.last_stage_share,
        "network_share": found.network_share,
        "spread_share": found.spread_share,
        "pass_correlation": found.pass_correlation,
        "by_kind": dict(found.by_kind),
        "by_replica": list(found.by_replica),
        "by_stage": list(found.by_stage),
        "by_step": list(found.by_step),
        "workers": [_worker(each) for each in found.workers],
    }


def _late(member: LateMember) -> dict[str, Any]:
    return {
        "communicator": member.communicator,
        "rank": member.rank,
        "host": member.host,
        "collectives": member.collective_count,
        "last": member.last_count,
        "waited_seconds": member.waited_seconds,
        "is_late": member.is_late,
    }


def _fleet(fleet: StragglerFleet) -> dict[str, Any]:
    return {
        "jobs": fleet.job_count,
        "refused": fleet.refused_count,
        "straggling": fleet.straggling_count,
        "straggling_share": fleet.straggling_share,
        "straggling_interval": list(fleet.straggling_interval),
        "worker_hours": fleet.gpu_hours,
        "wasted_share": fleet.wasted_share,
        "causes": {cause.value: count for cause, count in fleet.causes.items()},
    }
