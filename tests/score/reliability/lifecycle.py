"""R5: every state of the three schedulers, and unknown ones, through the lanes to the drawing."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from apps.training.lifecycle.spans import attempt_lifecycle
from apps.training.lifecycle.state_table import LifecycleLane, known_results, meaning_of
from apps.training.lifecycle.states import LifecycleState
from tests.cast.lifecycle_states import known_states
from tests.score.reliability.row import Row, share

NUMBERS = ("R5",)
BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
# As the schedulers' own documents list them; not read from the table that is judged.
BACKEND_AI = (
    *("PENDING", "DEPRIORITIZING", "RESERVED", "SCHEDULED", "PREPARING", "PULLING", "PREPARED"),
    *("CREATING", "RUNNING", "RESTARTING", "RUNNING_DEGRADED", "PREEMPTED", "RESCHEDULING"),
    *("TERMINATING", "TERMINATED", "ERROR", "CANCELLED"),
)
SLURM = (
    *("BOOT_FAIL", "CANCELLED", "COMPLETED", "CONFIGURING", "COMPLETING", "DEADLINE", "FAILED"),
    *("NODE_FAIL", "OUT_OF_MEMORY", "PENDING", "PREEMPTED", "RUNNING", "RESV_DEL_HOLD"),
    *("REQUEUE_FED", "REQUEUE_HOLD", "REQUEUED", "RESIZING", "REVOKED", "SIGNALING"),
    *("SPECIAL_EXIT", "STAGE_OUT", "STOPPED", "SUSPENDED", "TIMEOUT"),
)
KUBERNETES = (
    *("Pending", "Running", "Succeeded", "Failed", "Unknown", "Scheduled", "FailedScheduling"),
    *("Pulling", "Pulled", "Created", "Started", "Killing", "Evicted", "BackOff", "Preempted"),
    *("ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff", "ContainerCreating", "OOMKilled"),
    *("Error", "Completed", "FailedMount", "Unhealthy", "NodeNotReady", "Suspended", "Resumed"),
)
WORDS = {"backend.ai": BACKEND_AI, "slurm": SLURM, "kubernetes": KUBERNETES}
UNKNOWN = ("HIBERNATING", "Quiesced", "X", "대기", "state-of-2027")
RESULTS = ("SUCCESS", "NEED_RETRY", "EXPIRED", "GIVE_UP", "SKIPPED")


def rows() -> Iterator[Row]:
    """Yield the rows of states."""
    for scheduler, words in WORDS.items():
        named = [word for word in words if _has_lane(scheduler, word)]
        name = f"states of {scheduler} with a lane of their own"
        yield share("R5", name, len(named), len(words), at_least=1.0)
    told = [(scheduler, word) for scheduler, words in WORDS.items() for word in words]
    told += [(scheduler, word) for scheduler in (*WORDS, "", "flux") for word in UNKNOWN]
    told += known_states()
    drawn = [each for each in told if _is_drawn(*each)]
    yield share("R5", "states drawn, unknown ones too", len(drawn), len(told), at_least=1.0)
    kept = [result for result in RESULTS if result in known_results()]
    yield share("R5", "scheduler results kept", len(kept), len(RESULTS), at_least=1.0)


def _has_lane(scheduler: str, word: str) -> bool:
    meaning = meaning_of(scheduler=scheduler, word=word)
    # Kubernetes itself calls one of its states so.
    return meaning.is_known and (meaning.lane is not LifecycleLane.UNKNOWN or word == "Unknown")


def _is_drawn(scheduler: str, word: str) -> bool:
    """Say whether a state between a queue and an end has a stretch that bears its word."""
    story: Sequence[tuple[str, str]] = (("slurm", "PENDING"), (scheduler, word), ("", "failed"))
    states = [
        LifecycleState(word=each, scheduler=of, at=BEGIN + at * MINUTE, source="platform")
        for at, (of, each) in enumerate(story)
    ]
    spans = attempt_lifecycle(states, ended_at=BEGIN + 2 * MINUTE).spans
    lane = meaning_of(scheduler=scheduler, word=word).lane
    at = BEGIN + MINUTE
    return any(
        span.lane is lane and span.starts_at <= at and (span.ends_at is None or span.ends_at > at)
        for span in spans
    )
