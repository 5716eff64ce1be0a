"""What one organization shows another because it was asked for it, beside their agreement."""

from dataclasses import dataclass
from datetime import datetime

from apps.sharing.terms import SharingRule

Span = tuple[datetime, datetime] | None  # None: nobody told when


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRule(SharingRule):
    """One class of data in one window, of one incident, as its holder granted it."""

    request: str  # its id
    host: str = ""  # empty: of all
    starts_at: datetime
    ends_at: datetime
    granted_at: datetime
    until: datetime

    def shows(self, *, data: str, stream: str, host: str, span: Span, incident: Span) -> bool:
        """Say whether it shows a thing; who is shown a log is shown what its cited lines tell.

        What has no time may be of any time of its incident: it is shown with all of that.
        """
        is_told_there = bool(stream) and self.data == f"logs:{stream}"
        if not self.covers(data) and not (is_told_there and data.startswith("events:")):
            return False
        if self.host and host != self.host:
            return False
        if span is None:
            return incident is not None and (
                self.starts_at <= incident[0] and incident[1] <= self.ends_at
            )
        return self.starts_at <= span[1] and span[0] <= self.ends_at
