"""Who wants to know that incidents changed. Apps above add themselves when they start.

A hint: the rows are the record, and a lost call is late, not lost.
"""

import logging
from collections.abc import Callable, Collection

logger = logging.getLogger(__name__)

Callback = Callable[..., None]  # called with organization_ids, the parties
CALLBACKS: list[Callback] = []


def tell(*, organization_ids: Collection[int]) -> None:
    """Tell everybody on the list which organizations have news. Call it after the commit."""
    for callback in CALLBACKS if organization_ids else ():
        try:
            callback(organization_ids=sorted(organization_ids))
        except Exception as error:  # noqa: BLE001  the rows are safe; whoever listens looks later
            logger.warning("wake.failed", extra={"reason": type(error).__name__})
