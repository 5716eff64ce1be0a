"""One state that somebody reported of an attempt."""

from dataclasses import dataclass
from datetime import datetime

from apps.training.lifecycle.state_table import LifecycleLane, StateMeaning, meaning_of


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleState:
    """A state as it was said. Empty texts: not said."""

    word: str
    at: datetime
    source: str  # whose word it is
    scheduler: str = ""
    is_claimed: bool = False
    member: str = ""  # the pod or node it is said of; empty: the whole attempt
    result: str = ""
    reason: str = ""

    @property
    def meaning(self) -> StateMeaning:
        """Return what it means by the table."""
        return meaning_of(scheduler=self.scheduler, word=self.word)

    @property
    def lane(self) -> LifecycleLane:
        """Return the lane it stands in."""
        return self.meaning.lane
