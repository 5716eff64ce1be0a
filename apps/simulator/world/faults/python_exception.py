"""One rank's program raises; all others only lose a peer."""

from apps.simulator.world.cascade import launchers_give_up, peers_lost, scheduler_ends, session_line
from apps.simulator.world.decoys import add
from apps.simulator.world.faults import SimulatedFault
from apps.simulator.world.log_templates import c10d
from apps.simulator.world.story import Culprit, FaultOutcome, FaultScene, Truth

_ENDINGS = (
    (
        ('File "/opt/train/data/packing.py", line 88, in pack', "tail = offsets[cursor + window]"),
        "IndexError: index 4097 is out of bounds for axis 0 with size 4096",
    ),
    (
        (
            'File "/opt/train/data/blend.py", line 141, in __getitem__',
            "return self._parts[name][i]",
        ),
        "KeyError: 'stackv2-ko-0044'",
    ),
    (
        (
            'File "/opt/train/moe/router.py", line 207, in dispatch',
            "return x.view(tokens, -1, width)",
        ),
        "RuntimeError: shape '[8192, -1, 4096]' is invalid for input of size 33550336",
    ),
)


def _strike(scene: FaultScene) -> FaultOutcome:
    attempt, rank = scene.attempt, scene.victim_rank()
    frames, final = scene.dice.choice("ending", _ENDINGS)
    outer = ('File "/opt/train/pretrain.py", line 391, in <module>', "main()")
    text = c10d.traceback(rank=rank, frames=(*outer, *frames), final=final)
    lines = [session_line(attempt=attempt, rank=rank, at=scene.at, text=text)]
    lines += peers_lost(scene=scene, attempt=attempt, dead=[rank], at=scene.at + 1.2, share=0.15)
    lines += launchers_give_up(scene=scene, attempt=attempt, first=rank, code=1, at=scene.at + 2.0)
    ended = scene.at + 35.0
    lines += scheduler_ends(scene=scene, attempt=attempt, at=ended, state="failed")
    more, effects = add(scene=scene, names=("old-xid", "late-aer", "mlx5-noise"))
    return FaultOutcome(
        truth=Truth(
            scenario="python-exception",
            kind="exception",
            attempts=(attempt,),
            layer="software",
            cause="rank-exception",
            culprits=(Culprit(kind="rank", host=attempt.host(rank), rank=rank),),
            has_incident=True,
            status="likely",
            parties=scene.parties(),
            failed_at=scene.at,
            newest_evidence_at=ended,
        ),
        lines=tuple(lines + more),
        effects=tuple(effects),
        halts={attempt.key: scene.at},
        ended_at={attempt.key: ended},
        exit_codes={attempt.key: {rank: 1}},
    )


PYTHON_EXCEPTION = SimulatedFault(name="python-exception", strike=_strike)
