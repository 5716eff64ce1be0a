"""Who has to know that an organization left a cluster, or came back.

Apps above add themselves when they start. They are called in the transaction of the change: what an
organization may read ends with its part, not a moment later.
"""

from datetime import datetime
from typing import Protocol


class PresenceChange(Protocol):
    """What is done when an organization leaves a cluster or comes back. Needs its scope."""

    def __call__(self, *, organization_id: int, cluster_id: int, now: datetime) -> None:
        """Do it."""


LEFT: list[PresenceChange] = []
BACK: list[PresenceChange] = []


def tell_left(*, organization_id: int, cluster_id: int, now: datetime) -> None:
    """Call everybody on the list: the organization has no part in the cluster any more."""
    for change in LEFT:
        change(organization_id=organization_id, cluster_id=cluster_id, now=now)


def tell_back(*, organization_id: int, cluster_id: int, now: datetime) -> None:
    """Call everybody on the list: the organization took a part, maybe its first."""
    for change in BACK:
        change(organization_id=organization_id, cluster_id=cluster_id, now=now)
