"""Who wants to know in this process that something was announced: streams add themselves.

A hint: the rows are the record, and who misses it looks a moment later.
"""

from collections.abc import Callable

from django.db import transaction

CALLBACKS: list[Callable[[], None]] = []


def on_commit() -> None:
    """Tell everybody on the list once the transaction is committed."""
    transaction.on_commit(_tell, robust=True)


def _tell() -> None:
    for callback in tuple(CALLBACKS):
        callback()
