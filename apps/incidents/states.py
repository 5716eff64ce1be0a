"""The words for where an incident and the work on it stand, and why somebody does what."""

from django.db import models


class IncidentStatus(models.TextChoices):
    """Where an incident stands."""

    OPEN = "open"
    RESOLVED = "resolved"
    WITHDRAWN = "withdrawn"
    MERGED = "merged"


class IncidentKind(models.TextChoices):
    """A stop ends an attempt; a slow or shared disturbance is an episode of an entity.

    Degraded: a job lost some of its GPUs and ran on without them.
    """

    STOP = "stop"
    SLOW = "slow"
    SHARED = "shared"
    DEGRADED = "degraded"


class Judgement(models.TextChoices):
    """What a party says of a verdict."""

    RIGHT = "right"
    WRONG = "wrong"
    TAKEN_BACK = "taken-back"


class StepKind(models.TextChoices):
    """What a step is one of."""

    HAND_OVER = "hand-over"
    TICKET = "ticket"  # a side's own number of a hand-over
    RESOLUTION = "resolution"
    ACTION = "action"


class HandOverState(models.TextChoices):
    """Where a hand-over stands."""

    PROPOSED = "proposed"
    INFORMATION_NEEDED = "information-needed"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    RETURNED = "returned"


class ResolutionState(models.TextChoices):
    """Where a proposal to resolve stands, and what became of the incident."""

    PROPOSED = "proposed"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    RESOLVED = "resolved"
    REOPENED = "reopened"


class ActionState(models.TextChoices):
    """Where an action of an incident stands."""

    OPEN = "open"
    TAKEN = "taken"
    DONE = "done"
    REFUSED = "refused"


class VerdictState(models.TextChoices):
    """Where a verdict stands with those whom it blames."""

    OPEN = "open"  # nothing is blamed yet
    PROPOSED = "proposed"
    CONTESTED = "contested"
    AGREED = "agreed"
    FINAL = "final"


OTHER = "other"  # asks for words
# Why an incident is to be somebody else's.
HAND_OVER_REASONS = ("your-layer", "your-equipment", "needs-your-access", "needs-your-data", OTHER)
# Why it is not taken, or given back.
REFUSAL_REASONS = ("not-ours", "evidence-missing", "work-done", "no-access", OTHER)
RESOLVE_REASONS = (
    *("fixed", "replaced", "mitigated", "went-away", "false-alarm", "duplicate"), OTHER,
)  # fmt: skip
REOPEN_REASONS = ("came-back", "not-fixed", "new-evidence", OTHER)
ACTION_REASONS = ("not-ours", "not-possible", "not-needed", OTHER)

OPEN_STATES = frozenset({HandOverState.PROPOSED, HandOverState.INFORMATION_NEEDED})
# Which state may follow which; who brings it about is in BY_RECIPIENT.
FOLLOWS = {
    HandOverState.INFORMATION_NEEDED: frozenset({HandOverState.PROPOSED}),
    HandOverState.PROPOSED: frozenset({HandOverState.INFORMATION_NEEDED}),
    HandOverState.ACCEPTED: OPEN_STATES,
    HandOverState.DECLINED: OPEN_STATES,
    HandOverState.WITHDRAWN: OPEN_STATES,
    HandOverState.RETURNED: frozenset({HandOverState.ACCEPTED}),
}
BY_RECIPIENT = frozenset(FOLLOWS) - {HandOverState.PROPOSED, HandOverState.WITHDRAWN}
ACTION_FOLLOWS = {
    ActionState.TAKEN: frozenset({ActionState.OPEN, ActionState.REFUSED}),
    ActionState.DONE: frozenset({ActionState.OPEN, ActionState.TAKEN}),
    ActionState.REFUSED: frozenset({ActionState.OPEN, ActionState.TAKEN}),
    ActionState.OPEN: frozenset({ActionState.TAKEN, ActionState.DONE, ActionState.REFUSED}),
}


class RequestActKind(models.TextChoices):
    """What a side does with a request for evidence."""

    TAKEN_BACK = "taken_back"
    GRANTED = "granted"
    NARROWED = "narrowed"  # granted, less than was asked for
    DECLINED = "declined"
    REVOKED = "revoked"
    ANSWERED = "answered"  # by a signed statement


GRANTS = frozenset({RequestActKind.GRANTED, RequestActKind.NARROWED})
