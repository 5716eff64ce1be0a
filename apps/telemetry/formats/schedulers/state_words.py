"""Words of schedulers: their own names, and what they call the ways to end."""

from apps.diagnosis.model import EndState

STATES = {
    word: state
    for state, words in {
        EndState.FINISHED: "completed complete success successful succeeded done ok ended",
        EndState.FAILED: "error crashed failure node_fail boot_fail out_of_memory oom terminated",
        EndState.WALLTIME: "timeout timed_out timelimit deadline",
        EndState.CANCELLED: "killed stopped aborted revoked",
        EndState.PREEMPTED: "evicted",
        EndState.RUNNING: "started active",
    }.items()
    for word in words.split()
}

# Who says it may call itself as it likes; a slip in one of these would make it another scheduler.
SCHEDULERS = frozenset(
    {
        *("slurm", "kubernetes", "backend.ai", "backendai", "volcano", "kueue", "openpbs"),
        *("torque", "gridengine", "htcondor"),
    }
)
