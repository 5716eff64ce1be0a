"""Who wants to know that incidents changed. Apps above add themselves when they start.

A hint: the rows are the record, and a lost call is late, not lost.
"""

import logging
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Protocol

logger = logging.getLogger(__name__)


class AttemptsTouched(Protocol):
    """What is done where facts of attempts (owner, id) came. Called in their owners' scope."""

    def __call__(self, *, touched: Collection[tuple[int, int]], now: datetime) -> None:
        """Do it: write down that there is work, no more."""


Callback = Callable[..., None]  # called with organization_ids, the parties
CALLBACKS: list[Callback] = []
# Called in the transaction that takes what was touched away: no fact is lost between the two.
TOUCHED: list[AttemptsTouched] = []


def tell(*, organization_ids: Collection[int]) -> None:
    """Tell everybody on the list which organizations have news. Call it after the commit."""
    for callback in CALLBACKS if organization_ids else ():
        try:
            callback(organization_ids=sorted(organization_ids))
        except Exception as error:  # noqa: BLE001  the rows are safe; whoever listens looks later
            logger.warning("wake.failed", extra={"reason": type(error).__name__})


def tell_touched(*, touched: Collection[tuple[int, int]], now: datetime) -> None:
    """Tell everybody on the list of attempts (owner, id) of which facts came."""
    for note in TOUCHED if touched else ():
        note(touched=touched, now=now)
