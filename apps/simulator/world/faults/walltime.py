"""The time that was booked is over: an end, not an incident."""

from apps.simulator.world.cascade import scheduler_ends, session_line
from apps.simulator.world.decoys import add
from apps.simulator.world.faults import SimulatedFault
from apps.simulator.world.log_templates import scheduler, torchrun
from apps.simulator.world.story import FaultOutcome, FaultScene, PrintedLine, Truth


def _strike(scene: FaultScene) -> FaultOutcome:
    attempt = scene.attempt
    lines: list[PrintedLine] = []
    for i, host in enumerate(attempt.hosts):
        node, rank = scene.node(host), attempt.ranks_on(host)[0]
        at = scene.at + 0.05 * i
        if attempt.style.scheduler == "slurm" and i == 0:
            text = scheduler.cancelled_in_job(
                attempt=attempt, node=node, at=at, why=" DUE TO TIME LIMIT"
            )
            lines.append(session_line(attempt=attempt, rank=rank, at=at, text=text))
        texts = [torchrun.death_signal(attempt=attempt, node=node, at=at)]
        texts += torchrun.closing(
            attempt=attempt, node=node, at=at, ranks=tuple(attempt.ranks_on(host)[:4])
        )
        lines += [
            session_line(attempt=attempt, rank=rank, at=at + 0.01 * k, text=text)
            for k, text in enumerate(texts)
        ]
    ended = scene.at + 12.0
    lines += scheduler_ends(scene=scene, attempt=attempt, at=ended, state="walltime")
    more, effects = add(scene=scene, names=("mass-45", "late-aer", "old-xid"))
    return FaultOutcome(
        truth=Truth(
            scenario="walltime",
            kind="walltime",
            attempts=(attempt,),
            layer="host",
            cause="process-killed",
            culprits=(),
            has_incident=False,
            status="no-failure",
            parties=(),
            failed_at=scene.at,
            newest_evidence_at=ended,
        ),
        lines=tuple(lines + more),
        effects=tuple(effects),
        halts={attempt.key: scene.at},
        ended_at={attempt.key: ended},
        exit_codes={attempt.key: {0: -15}},
    )


WALLTIME = SimulatedFault(name="walltime", strike=_strike)
