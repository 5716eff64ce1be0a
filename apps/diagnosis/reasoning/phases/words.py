"""Words and states that name a phase or an end: data."""

from apps.diagnosis.model import EndState, Mark, Phase
from apps.diagnosis.signatures.marks import marked

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
    "nemo-save-start": Phase.SAVE,
    "megatron-save-done": Phase.ITERATE,
    "nemo-save-done": Phase.ITERATE,
    "torchtitan-ckpt": Phase.ITERATE,
    "torchrun-finished": Phase.TEARDOWN,
    "megatron-exit": Phase.TEARDOWN,
}
STEPS = marked(Mark.STEP)
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
# Slurm ends the job itself, and prints next that it is cancelled.
LIMITS = frozenset({"slurm-step-mem-limit", "slurm-mem-limit"})
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
