"""A change as one organization reads it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.fleet.models import ChangedThing
from apps.tenancy.values import OrganizationName

MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeView:
    """Somebody changed something. Of what is shown as a signal, only that, what kind and when."""

    id: str  # empty: of a signal
    teller: OrganizationName
    is_own: bool
    kind: ChangedThing
    layer: str
    starts_at: datetime
    ends_at: datetime | None
    hosts: tuple[str, ...] | None = None  # None: hidden; empty: all of the cluster
    title: str = ""
    before: str = ""
    after: str = ""
    reference: str = ""
    url: str = ""
    by: str = ""
    key: str = ""  # of an own one

    @property
    def is_brief(self) -> bool:
        """Say whether where and what exactly is hidden by policy."""
        return self.hosts is None

    @property
    def is_everywhere(self) -> bool:
        """Say whether it is known to be of the whole cluster."""
        return self.hosts == ()

    def may_touch(self, hosts: Collection[str]) -> bool:
        """Say whether it is, or for all the reader knows may be, of any of these hosts."""
        return not self.hosts or not set(self.hosts).isdisjoint(hosts)

    def is_before(self, at: datetime, *, within: timedelta) -> bool:
        """Say whether it began at most so long before an instant; a signal of that very minute may
        have begun after it.
        """
        least = MINUTE if self.is_brief else timedelta()
        return least <= at - self.starts_at <= within
