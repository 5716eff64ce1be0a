"""What was found of step traces, in a few lines for a person."""

from collections.abc import Iterator, Sequence
from typing import Final

from apps.telemetry.step_traces.trace_jobs import TracedJob
from apps.training.stragglers.fleet import StragglerFleet
from apps.training.stragglers.importers.inspector import LateMember
from apps.training.stragglers.verdict import StragglerCause, StragglerVerdict
from apps.training.stragglers.what_if import WhatIf
from apps.wording import ENGLISH, Speaker
from apps.wording.translatable import gettext_noop

NAMED: Final = 5
VERDICTS: Final = {
    StragglerCause.REFUSED: gettext_noop(
        "refused: the simulation is off by more than 5 %%, so nothing is said of stragglers"
    ),
    StragglerCause.NONE: gettext_noop("verdict: not straggling, S is at most 1.1"),
    StragglerCause.WORKER: gettext_noop(
        "verdict: one slow worker, DP%(replica)s/PP%(stage)s (rank %(rank)s); check its node"
    ),
    StragglerCause.STAGE: gettext_noop(
        "verdict: the last stage, PP%(stage)s, has more to do than the others; balance the stages, no node is to blame"  # noqa: E501  one sentence
    ),
    StragglerCause.SEQUENCE_LENGTH: gettext_noop(
        "verdict: passes differ with the length of sequences; balance the sequences, no node is to blame"  # noqa: E501  one sentence
    ),
    StragglerCause.NETWORK: gettext_noop(
        "verdict: transfers are slow, %(kind)s the most; look at the network, no node is named"
    ),
    StragglerCause.UNEXPLAINED: gettext_noop(
        "verdict: no worker, stage, sequence length or transfer explains most of it, no node is named"  # noqa: E501  one sentence
    ),
}
STEPS, LEFT_OUT = (
    gettext_noop("%(workers)s workers (%(replicas)s replicas, %(stages)s stages), %(steps)s steps of %(seconds)s s"),  # noqa: E501  one sentence
    gettext_noop("left out: %(count)s steps that not every worker tells of"),
)  # fmt: skip
OFF = gettext_noop("the unchanged steps simulate as %(seconds)s s, off by %(percent)s %%")
COST = gettext_noop(
    "slow-down S %(slowdown)s (beside its peers %(peers)s): without stragglers %(ideal)s s"
)
SHARES = gettext_noop(
    "share of it: worst workers %(worker)s (M_W), last stage %(stage)s (M_S), transfers %(network)s, uneven passes %(spread)s"  # noqa: E501  one sentence
)
KINDS, WORKERS = (
    gettext_noop("by kind: %(kinds)s"),
    gettext_noop("slowest workers: %(workers)s"),
)
PRIOR = gettext_noop(
    "in the published study of 3,079 jobs this was most of it in %(percent)s %% of the slow ones"
)
LATE, NOBODY_LATE = (
    gettext_noop("rank %(rank)s on %(host)s: last to %(last)s of %(count)s collectives, the next waited %(wait)s ms on average"),  # noqa: E501  one sentence
    gettext_noop("no rank is last to most of the collectives"),
)  # fmt: skip
NO_TIMES = gettext_noop(
    "what it costs is not known: set NCCL_INSPECTOR_DUMP_VERBOSE=1 for times of collectives"
)
FLEET = gettext_noop(
    "%(slow)s of %(jobs)s jobs straggle (%(low)s to %(high)s %%, 95 %% interval); %(wasted)s %% of the traced worker-hours are lost"  # noqa: E501  one sentence
)


def as_text(
    jobs: Sequence[TracedJob], fleet: StragglerFleet | None, *, speaker: Speaker = ENGLISH
) -> str:
    """Return the lines of all jobs, then of all together."""
    lines = [line for each in jobs for line in (each.name, *_job(each, speaker))]
    if fleet is not None and fleet.job_count:
        low, high = fleet.straggling_interval
        told = {
            "slow": fleet.straggling_count,
            "jobs": fleet.job_count,
            "low": _percent(low),
            "high": _percent(high),
            "wasted": _percent(fleet.wasted_share or 0.0),
        }
        lines.append(speaker.translate(FLEET) % told)
    return "\n".join(lines)


def _job(job: TracedJob, speaker: Speaker) -> Iterator[str]:
    if job.found is not None and job.verdict is not None:
        yield from _indented(_what_if(job.found, speaker))
        yield from _indented(_verdict(job.verdict, speaker))
    else:
        yield f"  {speaker.translate(NO_TIMES)}"
    if job.late:
        yield from _indented(_late(job.late, speaker))


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _what_if(found: WhatIf, speaker: Speaker) -> Iterator[str]:
    _ = speaker.translate
    yield _(STEPS) % {
        "workers": len(found.workers),
        "replicas": len(found.by_replica),
        "stages": len(found.by_stage),
        "steps": found.step_count,
        "seconds": f"{found.measured_seconds:.3f}",
    }
    if found.incomplete_steps:
        yield _(LEFT_OUT) % {"count": found.incomplete_steps}
    told = {"seconds": f"{found.simulated_seconds:.3f}", "percent": _percent(found.discrepancy)}
    yield _(OFF) % told
    if not found.is_refused:
        yield from _figures(found, speaker)


def _figures(found: WhatIf, speaker: Speaker) -> Iterator[str]:
    _ = speaker.translate
    yield _(COST) % {
        "slowdown": f"{found.slowdown:.4f}",
        "peers": f"{found.slowdown_beside_peers:.4f}",
        "ideal": f"{found.ideal_seconds:.3f}",
    }
    yield _(SHARES) % {
        "worker": _share(found.worst_workers_share),
        "stage": _share(found.last_stage_share),
        "network": _share(found.network_share),
        "spread": _share(found.spread_share),
    }
    kinds = [f"{kind} {each:.3f}" for kind, each in list(found.by_kind.items())[:NAMED]]
    yield _(KINDS) % {"kinds": ", ".join(kinds)}
    workers = [
        f"DP{each.dp_rank}/PP{each.stage} {each.slowdown:.3f}" for each in found.workers[:NAMED]
    ]
    yield _(WORKERS) % {"workers": ", ".join(workers)}


def _verdict(told: StragglerVerdict, speaker: Speaker) -> Iterator[str]:
    worker = told.worker
    yield speaker.translate(VERDICTS[told.cause]) % {
        "replica": worker.dp_rank if worker else "",
        "stage": worker.stage if worker else told.stage,
        "rank": worker.rank if worker else "",
        "kind": told.kind,
    }
    if told.prior_share is not None:
        yield speaker.translate(PRIOR) % {"percent": _percent(told.prior_share)}


def _late(members: Sequence[LateMember], speaker: Speaker) -> Iterator[str]:
    late = [each for each in members if each.is_late]
    for each in late:
        yield speaker.translate(LATE) % {
            "rank": each.rank,
            "host": each.host or "?",
            "last": each.last_count,
            "count": each.collective_count,
            "wait": f"{each.waited_seconds * 1000:.2f}",
        }
    if not late:
        yield speaker.translate(NOBODY_LATE)


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.4f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
