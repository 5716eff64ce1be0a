"""A rank goes silent and left no trace that anybody collects: the honest answer is unknown."""

from apps.simulator.world.cascade import launchers_give_up, peers_lost, scheduler_ends
from apps.simulator.world.decoys import add
from apps.simulator.world.faults import SimulatedFault
from apps.simulator.world.story import FaultOutcome, FaultScene, Truth


def _strike(scene: FaultScene) -> FaultOutcome:
    attempt = scene.attempt
    host = scene.silent_host if scene.silent_host in attempt.hosts else attempt.hosts[-1]
    rank = attempt.ranks_on(host)[scene.dice.integer("gpu", 0, 7)]
    lines = peers_lost(scene=scene, attempt=attempt, dead=[rank], at=scene.at + 0.4, share=0.2)
    other = (rank + 8) % attempt.world_size
    lines += [
        line
        for line in launchers_give_up(
            scene=scene, attempt=attempt, first=other, code=-6, at=scene.at + 5.0
        )
        if line.host != host
    ]
    ended = scene.at + 37.0
    lines += scheduler_ends(scene=scene, attempt=attempt, at=ended, state="failed")
    more, effects = add(scene=scene, names=("old-xid", "mlx5-noise", "late-aer"))
    return FaultOutcome(
        truth=Truth(
            scenario="no-evidence",
            kind="unknown",
            attempts=(attempt,),
            layer="unknown",
            cause="unknown",
            culprits=(),
            has_incident=True,
            status="unknown",
            parties=scene.parties(),
            failed_at=scene.at,
            newest_evidence_at=ended,
        ),
        lines=tuple(lines + more),
        effects=tuple(effects),
        halts={attempt.key: scene.at},
        ended_at={attempt.key: ended},
        exit_codes={attempt.key: {other: -6}},
    )


NO_EVIDENCE = SimulatedFault(name="no-evidence", strike=_strike)
