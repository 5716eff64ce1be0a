"""Who wants to know that facts were committed. Apps above add themselves when they start.

A hint: the rows are the record, and a lost call is late, not lost.
"""

import logging
from collections.abc import Callable
from functools import partial

from django.db import transaction

logger = logging.getLogger(__name__)

Callback = Callable[..., None]  # called with organization_id, cluster_id
CALLBACKS: list[Callback] = []


def on_commit(*, organization_id: int, cluster_id: int | None) -> None:
    """Tell everybody on the list once the transaction is committed."""
    transaction.on_commit(partial(_tell, organization_id=organization_id, cluster_id=cluster_id))


def _tell(*, organization_id: int, cluster_id: int | None) -> None:
    for callback in CALLBACKS:
        try:
            callback(organization_id=organization_id, cluster_id=cluster_id)
        except Exception as error:  # noqa: BLE001  the facts are safe; whoever listens looks later
            logger.warning("wake.failed", extra={"reason": type(error).__name__})
