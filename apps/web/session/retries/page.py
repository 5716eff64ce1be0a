"""What the page of a session shows of its retries and recoveries."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryRow:
    """One start after a stop."""

    attempt: str
    gap: str
    progress: str
    gpu_hours: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainCard:
    """A stop and its retries."""

    title: str
    outcome: str  # recovered gave-up goes-on
    outcome_word: str
    gap: str  # the median between a stop and the next start
    gpu_hours: str
    burnt: str
    retries: tuple[RetryRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceLine:
    """One piece of advice, with the incident that it rests on where the reader may open it."""

    text: str
    incident: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StageBar:
    """One part of a recovery. Positions for the drawing."""

    slug: str
    name: str
    length: str
    x: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryRow:
    """One recovery, from the failure to the next step."""

    title: str
    at: str
    total: str
    is_complete: bool
    stages: tuple[StageBar, ...]
    missing: str  # what nobody told, in words
    attribution: str  # what the search for the cause took beside it


@dataclass(frozen=True, slots=True, kw_only=True)
class RetriesPanel:
    """The retries of a session."""

    chains: tuple[ChainCard, ...]
    loop: str  # a crash loop in words
    advice: tuple[AdviceLine, ...]
    recoveries: tuple[RecoveryRow, ...]
    recovery_count: int
    stage_names: tuple[tuple[str, str], ...]  # those that are drawn: slug and name
