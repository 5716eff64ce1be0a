"""Who wants to know that facts were committed. Apps above add themselves when they start.

A hint: the rows are the record, and a lost call is late, not lost.
"""

from collections.abc import Callable
from functools import partial

from django.db import transaction

Callback = Callable[..., None]  # called with organization_id, cluster_id
CALLBACKS: list[Callback] = []


def on_commit(*, organization_id: int, cluster_id: int | None) -> None:
    """Tell everybody on the list once the transaction is committed; a failing one hurts nobody."""
    for callback in CALLBACKS:
        told = partial(callback, organization_id=organization_id, cluster_id=cluster_id)
        transaction.on_commit(told, robust=True)
