"""What schedulers and people call the ways to end that session events know by other words."""

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
