"""Step 5: what the session was doing when it stopped, and how it ended by its own and the
scheduler's words.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.diagnosis.model import (
    EndState,
    Event,
    Observation,
    Phase,
    Role,
    SessionFacts,
    Severity,
    Stream,
)

# Progress and context signatures, by the phase that they show as begun.
BEGINS: dict[str, Phase] = {
    "torchrun-rendezvous-start": Phase.LAUNCH,
    "torchrun-rendezvous-joined": Phase.LAUNCH,
    "pg-init-options": Phase.INIT,
    "nccl-init-start": Phase.INIT,
    "nccl-init-complete": Phase.INIT,
    "nccl-version": Phase.INIT,
    "nccl-bootstrap-using": Phase.INIT,
    "megatron-load-start": Phase.LOAD,
    "megatron-training-start": Phase.ITERATE,
    "megatron-load-done": Phase.ITERATE,
    "megatron-save-start": Phase.SAVE,
    "hf-ckpt-save": Phase.SAVE,
    "checkpoint-save-start": Phase.SAVE,
    "megatron-save-done": Phase.ITERATE,
    "torchtitan-ckpt": Phase.ITERATE,
    "torchrun-finished": Phase.TEARDOWN,
    "megatron-exit": Phase.TEARDOWN,
}
STEPS = frozenset(
    {
        "megatron-iteration",
        "nemo-step",
        "lightning-progress",
        "deepspeed-step",
        "deepspeed-speed",
        "torchtitan-step",
        "hf-trainer-log",
        "hf-trainer-tqdm",
        "torchft-commit",
        "nvrx-cycle-progress",
    }
)
ENDS: dict[str, EndState] = {
    "slurm-time-limit": EndState.WALLTIME,
    "walltime-reached": EndState.WALLTIME,
    "slurm-preempted": EndState.PREEMPTED,
    "k8s-preempted": EndState.PREEMPTED,
    "bai-preempt": EndState.PREEMPTED,
    "job-preempted": EndState.PREEMPTED,
    "lightning-signal": EndState.PREEMPTED,
    "slurm-cancel-plain": EndState.CANCELLED,
    "slurm-kill-request": EndState.CANCELLED,
    "slurm-time-exhausted": EndState.WALLTIME,
    "bai-user-requested": EndState.CANCELLED,
}
# Words of the platform for why it ended a session.
REASONS: dict[str, EndState] = {
    "idle-session-lifetime": EndState.WALLTIME,
    "session-lifetime": EndState.WALLTIME,
    "idle-timeout": EndState.CANCELLED,
    "idle-utilization": EndState.CANCELLED,
    "user-requested": EndState.CANCELLED,
    "force-terminated": EndState.CANCELLED,
    "terminated-by-admin": EndState.CANCELLED,
    "preempted": EndState.PREEMPTED,
}
FINISHES = frozenset({"torchrun-finished", "training-finished", "train-metrics"})
# Noise of the ending itself begins at most this long before the line that names it.
BEFORE_END = timedelta(seconds=5)
# Words that tell of a failure even where no cause is known.
GRAVE = frozenset({Severity.ERROR, Severity.FATAL})
FAILURES = frozenset({Role.CASCADE, Role.CONFIRMATION, Role.INITIATING})


def end_state(
    *, observations: Sequence[Observation], facts: SessionFacts, failed_at: datetime | None
) -> EndState:
    """Return how the attempt ended; a cancellation after a failure is the failure's."""
    told = _told(observations, failed_at)
    if facts.state is not None and facts.state is not EndState.UNKNOWN:
        return _weighed(facts.state, told)
    if told is not None:
        return told
    is_finished = any(one.sign in FINISHES or _exited(one) for one in observations)
    grave = _grave(observations)
    if is_finished and not any(e.severity is Severity.FATAL for one in grave for e in one.events):
        return EndState.FINISHED
    return EndState.FAILED if grave else EndState.UNKNOWN


def _grave(observations: Sequence[Observation]) -> list[Observation]:
    """Return the signs of failure; where the session spoke itself, only its own count."""
    signs = [
        one
        for one in observations
        if one.role in FAILURES and one.standing == "joined" and one.events
    ]
    own = [one for one in signs if any(_stream(e) is Stream.SESSION for e in one.events)]
    has_spoken = any(_stream(e) is Stream.SESSION for one in observations for e in one.events)
    return own if has_spoken else signs


def _stream(event: Event) -> Stream | None:
    return event.line.origin.stream or event.line.stream


def failed_before_end(*, observations: Sequence[Observation], facts: SessionFacts) -> bool:
    """Say whether the session told of a failure before anybody ended it in order."""
    ends = [one.at for one in observations if _said(one) and one.at is not None]
    end = min(ends, default=facts.ended_at)
    is_running = facts.state is EndState.RUNNING
    for one in observations:
        if not _tells_failure(one, is_running=is_running):
            continue
        if end is None or one.at is None or one.at + one.error < end - BEFORE_END:
            return True
    return False


def _tells_failure(one: Observation, *, is_running: bool) -> bool:
    if one.role is Role.CASCADE:
        return any(_stream(e) is not Stream.KERNEL for e in one.events)
    # While it runs, a grave word of its own is the first that is heard of its failure.
    is_grave = any(
        e.severity in GRAVE and _stream(e) is Stream.SESSION and one.role is Role.INITIATING
        for e in one.events
    )
    return is_running and is_grave


def phase(*, observations: Sequence[Observation], failed_at: datetime | None) -> Phase:
    """Return the phase of the last progress before the failure."""
    best: tuple[bool, datetime | None, int, Phase] | None = None
    for one in observations:
        shown = _shown(one)
        if shown is None or (one.at and failed_at and one.at - one.error > failed_at):
            continue
        number = max((event.line.number for event in one.events), default=0)
        candidate = (one.last_at is not None, one.last_at, number, shown)
        if best is None or _later(candidate, best):
            best = candidate
    return best[3] if best else Phase.UNKNOWN


def _shown(one: Observation) -> Phase | None:
    return Phase.ITERATE if one.sign in STEPS else BEGINS.get(one.sign)


def _later(
    one: tuple[bool, datetime | None, int, Phase], other: tuple[bool, datetime | None, int, Phase]
) -> bool:
    """Compare by time where both have one, else by position in the log."""
    if one[1] is not None and other[1] is not None and one[1] != other[1]:
        return one[1] > other[1]
    return one[2] > other[2]


def _told(observations: Sequence[Observation], failed_at: datetime | None) -> EndState | None:
    for one in sorted(observations, key=lambda each: (_said(each) or "", each.sign)):
        state = _said(one)
        if state is None:
            continue
        is_after = bool(one.at and failed_at and failed_at < one.at - one.error)
        if state is EndState.CANCELLED and is_after:
            return EndState.FAILED
        return state
    return None


def _weighed(said: EndState, told: EndState | None) -> EndState:
    """Trust the scheduler, but a narrower word of the log refines its plain `failed` or
    `cancelled`.
    """
    if said in {EndState.FAILED, EndState.CANCELLED} and told in {
        EndState.WALLTIME,
        EndState.PREEMPTED,
    }:
        return told
    return said


def _said(one: Observation) -> EndState | None:
    return ENDS.get(one.sign) or REASONS.get(one.fields.get("reason", ""))


def _exited(one: Observation) -> bool:
    if one.fields.get("result") == "SUCCESS" or (
        one.sign == "slurm-job-complete" and one.fields.get("code") == "0"
    ):
        return True
    return one.sign == "megatron-exit" and "sigterm" not in one.fields.get("why", "").lower()
