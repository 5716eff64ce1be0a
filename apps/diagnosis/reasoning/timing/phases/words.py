"""Marks, words and states that name a phase or an end: data."""

from apps.diagnosis.model import EndState, Mark, Phase
from apps.diagnosis.signatures.marks import marked

# What a line of a mark shows as begun.
PHASES = {
    Mark.LAUNCH: Phase.LAUNCH,
    Mark.INIT: Phase.INIT,
    Mark.LOAD_BEGINS: Phase.LOAD,
    Mark.LOAD_ENDS: Phase.ITERATE,
    Mark.TRAINING_BEGINS: Phase.ITERATE,
    Mark.SAVE_BEGINS: Phase.SAVE,
    Mark.SAVE_ENDS: Phase.ITERATE,
    Mark.CHECKPOINT: Phase.ITERATE,
    Mark.CLOSING: Phase.TEARDOWN,
}
BEGINS = {sign: phase for mark, phase in PHASES.items() for sign in marked(mark)}
STEPS = marked(Mark.STEP)
MARKED_ENDS = {
    Mark.WALLTIME: EndState.WALLTIME,
    Mark.PREEMPTED: EndState.PREEMPTED,
    Mark.CANCELLED: EndState.CANCELLED,
}
ENDS = {sign: end for mark, end in MARKED_ENDS.items() for sign in marked(mark)}
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
LIMITS = marked(Mark.MEMORY_LIMIT)
ACCOUNTING = marked(Mark.ACCOUNTING)
FINISHES = marked(Mark.FINISHED)
EXIT_CODES, PLANNED = marked(Mark.JOB_EXIT_CODE), marked(Mark.EXITS_BY_PLAN)
COUNTS_ALL = marked(Mark.WHOLE_COUNT)
NARROW = {EndState.WALLTIME: -2, EndState.PREEMPTED: -1}
RESULTS = marked(Mark.RESULT)
SLOWNESS = marked(Mark.SLOW_MEMBER)
SIGNALS, EVICTIONS = marked(Mark.SIGNALLED), marked(Mark.EVICTED)
# What begins after a result, if there is more to come.
BEGINNINGS = marked(Mark.WORK_BEGINS)
