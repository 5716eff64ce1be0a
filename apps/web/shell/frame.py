"""The frame around every page."""

from dataclasses import dataclass
from datetime import datetime

from apps.web.display.organizations import SwitchTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldNote:
    """Since when nobody is written to, and of when the backup is that this is a copy of."""

    since: str
    copied: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """The frame around every page: where one is, as whom, at what time."""

    organization: SwitchTarget
    others: tuple[SwitchTarget, ...]
    section: str  # home incidents sessions sources upload settings
    now: datetime
    local_clock: str  # empty until the browser told its zone
    is_simulated: bool
    can_write: bool
    person: str
    theme: str = ""  # empty follows the system
    hold: HoldNote | None = None  # nobody is written to
    live: str = ""  # of which changes the page hears: topics, some with a subject

    @property
    def mark(self) -> int:
        """From when on the page has to be told of changes, in milliseconds."""
        return int(self.now.timestamp() * 1000)

    @property
    def has_own_scripts(self) -> bool:
        """Whether the page itself hears of changes: those of one incident do."""
        return self.live.startswith("annotation:")
