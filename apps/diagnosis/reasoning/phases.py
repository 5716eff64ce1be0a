"""Step 5: what the session was doing when it stopped, and how it ended by its own and the
scheduler's words.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from apps.diagnosis.model import (
    EndState,
    Event,
    Layer,
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
    "lightning-ckpt-save": Phase.SAVE,
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
        "step-pace",
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
    "task-cancelled": EndState.CANCELLED,
    "task-timeout": EndState.WALLTIME,
    "exec-timeout": EndState.WALLTIME,
    "force-terminated": EndState.CANCELLED,
    "terminated-by-admin": EndState.CANCELLED,
    "preempted": EndState.PREEMPTED,
}
ENDED_WELL = frozenset({"self-terminated", "task-finished"})
# States of a scheduler's accounting.
STATES: dict[str, EndState] = {
    "COMPLETED": EndState.FINISHED,
    "FAILED": EndState.FAILED,
    "NODE_FAIL": EndState.FAILED,
    "BOOT_FAIL": EndState.FAILED,
    "OUT_OF_MEMORY": EndState.FAILED,
    "TIMEOUT": EndState.WALLTIME,
    "DEADLINE": EndState.WALLTIME,
    "CANCELLED": EndState.CANCELLED,
    "REVOKED": EndState.CANCELLED,
    "PREEMPTED": EndState.PREEMPTED,
    "REQUEUED": EndState.PREEMPTED,
    "RUNNING": EndState.RUNNING,
    "COMPLETING": EndState.RUNNING,
    "SUSPENDED": EndState.RUNNING,
}
ACCOUNTING = frozenset({"slurm-accounting", "slurm-job-state"})
FINISHES = frozenset(
    {
        "torchrun-finished",
        "training-finished",
        "train-metrics",
        "benchmark-finished",
        "program-succeeded",
        "k8s-completed",
    }
)
# Steps of the whole session, not of an epoch or of the loading of files.
COUNTS_ALL = frozenset({"megatron-iteration"})
NARROW = {EndState.WALLTIME: -2, EndState.PREEMPTED: -1}
RESULTS = frozenset({"benchmark-result"})
# Somebody outside told the processes to end, who did not say why.
SIGNALS = frozenset({"torchrun-death-signal", "signal-from-outside", "keyboard-interrupt"})
# What begins after a result, if there is more to come.
BEGINNINGS = frozenset({"nccl-init-start", "torchrun-rendezvous-start", "megatron-training-start"})
# Noise of the ending itself begins at most this long before the line that names it.
BEFORE_END = timedelta(seconds=5)
# Words that tell of a failure even where no cause is known.
# A rank prints a step a moment after the others began to wait behind it.
LATE_STEP = timedelta(seconds=5)
GRAVE = frozenset({Severity.ERROR, Severity.FATAL})
FAILURES = frozenset({Role.CASCADE, Role.CONFIRMATION, Role.INITIATING})


def end_state(
    *, observations: Sequence[Observation], facts: SessionFacts, failed_at: datetime | None
) -> EndState:
    """Return how the attempt ended; a cancellation after a failure is the failure's."""
    told = _told(observations, failed_at)
    accounted = _accounted(observations)
    if told is None and accounted is EndState.CANCELLED and _is_late(observations, failed_at):
        accounted = EndState.FAILED
    if facts.state is not None and facts.state is not EndState.UNKNOWN:
        return _weighed(facts.state, told)
    if told is not None:
        return told
    if accounted is not None and accounted is not EndState.FINISHED:
        return accounted
    is_finished = (
        accounted is EndState.FINISHED
        or any(one.sign in FINISHES or _exited(one) for one in observations)
        or _came_to_its_end(observations)
    )
    return _by_signs(observations, is_finished=is_finished)


def _by_signs(observations: Sequence[Observation], *, is_finished: bool) -> EndState:
    grave = _grave(observations)
    went_on = _went_on(observations) if is_finished else {}
    fatal = [e for one in grave for e in one.events if e.severity is Severity.FATAL]
    if is_finished and all(_is_overcome(event, went_on) for event in fatal):
        return EndState.FINISHED
    signalled = _first_lines(one for one in observations if one.sign in SIGNALS)
    if any(
        one.sign not in SIGNALS and not all(_is_behind(e, signalled) for e in one.events)
        for one in grave
    ):
        return EndState.FAILED
    is_told = any(one.sign in SIGNALS for one in observations)
    return EndState.CANCELLED if is_told else EndState.UNKNOWN


def _went_on(observations: Sequence[Observation]) -> dict[str, int]:
    """Return per source that told of its own end the line of its last step."""
    ends = {
        event.line.origin.source
        for one in observations
        if one.sign in FINISHES or _exited(one)
        for event in one.events
    }
    steps: dict[str, int] = {}
    for one in observations:
        for event in one.events if one.sign in STEPS | RESULTS else ():
            source, number = event.order_key
            if source in ends:
                steps[source] = max(number, steps.get(source, 0))
    return steps


def _is_overcome(event: Event, went_on: Mapping[str, int]) -> bool:
    """Say whether steps followed: another attempt lived through what ended the one before."""
    return event.line.number < went_on.get(event.line.origin.source, 0)


def _first_lines(observations: Iterable[Observation]) -> dict[str, int]:
    """Return per source where the first of these observations stands."""
    first: dict[str, int] = {}
    for one in observations:
        for event in one.events:
            source, number = event.order_key
            first[source] = min(number, first.get(source, number))
    return first


def _is_behind(event: Event, closed: Mapping[str, int]) -> bool:
    """Say whether the program had said its closing word before."""
    source, number = event.order_key
    return source in closed and number > closed[source]


def _accounted(observations: Sequence[Observation]) -> EndState | None:
    """Return the state that a scheduler's accounting has of this job: the only one, or the one
    that the session names.
    """
    rows = [event for one in observations if one.sign in ACCOUNTING for event in one.events]
    jobs = {event.fields["job"] for event in rows if "job" in event.fields}
    if len(jobs) > 1:
        jobs &= {
            event.fields.get("job", "").partition(".")[0]
            for one in observations
            if one.sign not in ACCOUNTING
            for event in one.events
        }
        if len(jobs) != 1:
            return None
    ours = [event for event in rows if event.fields.get("job") in {None, *jobs}]
    # A job that was requeued stands there once per attempt, the latest last.
    last = max(ours, key=lambda event: event.order_key, default=None)
    return STATES.get(last.fields.get("state", "")) if last else None


def _is_late(observations: Sequence[Observation], failed_at: datetime | None) -> bool:
    """Say whether something had failed before the job was cancelled."""
    return failed_at is not None and any(
        one.role is Role.CASCADE and _tells_failure(one, is_running=False) for one in observations
    )


def _came_to_its_end(observations: Sequence[Observation]) -> bool:
    """Say whether every voice that told of steps or results came to the last one."""
    latest: dict[str, Event] = {}
    for one in observations:
        if one.sign not in STEPS | RESULTS | BEGINNINGS:
            continue
        for event in one.events:
            known = latest.setdefault(event.line.origin.source, event)
            if event.line.number > known.line.number:
                latest[event.line.origin.source] = event
    return bool(latest) and all(_is_last(event) for event in latest.values())


def _is_last(event: Event) -> bool:
    if event.signature in RESULTS:
        return True
    iteration, total = event.fields.get("iteration", ""), event.fields.get("total", "")
    return event.signature in COUNTS_ALL and iteration == total and iteration.isdigit()


def _grave(observations: Sequence[Observation]) -> list[Observation]:
    """Return the signs of failure; where the session spoke itself, only its own count."""
    signs = [
        one
        for one in observations
        if one.role in FAILURES
        and one.standing == "joined"
        and one.events
        and not _is_of_slowness(one)
    ]
    own = [one for one in signs if any(_stream(e) is Stream.SESSION for e in one.events)]
    has_spoken = any(_stream(e) is Stream.SESSION for one in observations for e in one.events)
    return own if has_spoken else signs


def _stream(event: Event) -> Stream | None:
    return event.line.origin.stream or event.line.stream


def failed_before_end(*, observations: Sequence[Observation], facts: SessionFacts) -> bool:
    """Say whether the session told of a failure before anybody ended it in order."""
    if _ended_when_slow(observations):
        return True
    ends = [one.at for one in observations if _said(one) and one.at is not None]
    end = min(ends, default=facts.ended_at)
    is_running = facts.state is EndState.RUNNING
    went_on = _went_on(observations)
    closing = [one for one in observations if one.sign in FINISHES or _exited(one)]
    closed = _first_lines(one for one in observations if one.sign in SIGNALS)
    closed |= dict(e.order_key for one in closing for e in one.events)
    closed_at = min((one.at for one in closing if one.at is not None), default=None)
    for one in observations:
        if not _tells_failure(one, is_running=is_running):
            continue
        if closed_at and one.at and one.at >= closed_at - BEFORE_END:
            continue
        if all(_is_overcome(e, went_on) or _is_behind(e, closed) for e in one.events):
            continue
        if end is None or one.at is None or one.at + one.error < end - BEFORE_END:
            return True
    return False


def _is_of_slowness(one: Observation) -> bool:
    return one.layer is Layer.STRAGGLER or one.sign in {"nvrx-straggler", "gpu-throttle"}


def _ended_when_slow(observations: Sequence[Observation]) -> bool:
    """Say whether a person ended it, no scheduler's rule, after a member had become slow."""
    said = {state for one in observations if (state := _said(one)) is not None}
    is_slow = any(
        _is_of_slowness(one)
        and one.standing == "joined"
        and one.fields.get("rise", "large") == "large"
        for one in observations
    )
    return is_slow and said <= {EndState.CANCELLED}


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
        if shown is None or (one.at and failed_at and one.at - one.error - LATE_STEP > failed_at):
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
    said = [(state, one) for one in observations if (state := _said(one)) is not None]
    if not said:
        return None
    # A narrower word says more than that it was cancelled.
    state, one = min(said, key=lambda each: (NARROW.get(each[0], 0), each[0], each[1].sign))
    is_after = bool(one.at and failed_at and failed_at < one.at - one.error)
    if state is EndState.CANCELLED and (is_after or _is_teardown(one, observations)):
        return EndState.FAILED
    return state


def _is_teardown(cancelled: Observation, observations: Sequence[Observation]) -> bool:
    """Say whether a task had failed above the line that the rest of the step was cancelled."""
    steps = {
        event.line.origin.source: event.line.number
        for event in cancelled.events
        if event.fields.get("entity") == "STEP"
    }
    return any(
        one.role in FAILURES
        and event.severity in GRAVE
        and event.signature not in ENDS
        and event.line.number < steps.get(event.line.origin.source, 0)
        for one in observations
        for event in one.events
    )


def _weighed(said: EndState, told: EndState | None) -> EndState:
    """Trust the scheduler, but a narrower word of the log refines its plain `failed` or
    `cancelled`.
    """
    return told if said in {EndState.FAILED, EndState.CANCELLED} and told in NARROW else said


def _said(one: Observation) -> EndState | None:
    return ENDS.get(one.sign) or REASONS.get(one.fields.get("reason", ""))


def _exited(one: Observation) -> bool:
    if (
        one.fields.get("reason") in ENDED_WELL
        or one.fields.get("result") == "SUCCESS"
        or (one.sign == "slurm-job-complete" and one.fields.get("code") == "0")
    ):
        return True
    return one.sign == "megatron-exit" and "sigterm" not in one.fields.get("why", "").lower()
