"""Turns for work after an answer began: the edge in front of the application leaves them here.

The turn of a request ends when its answer begins. What an answer still has to read from the
database while it is sent takes a turn for each step, or many of them would take all connections.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final

from django.http import HttpRequest

SCOPE_KEY: Final = "portal.later_turn"
LaterTurn = Callable[[], AbstractAsyncContextManager[None]]


def later_turn_of(*, request: HttpRequest) -> LaterTurn:
    """Return what hands out the turns of a request's answer; where there is no edge, no limit."""
    found: LaterTurn = getattr(request, "scope", {}).get(SCOPE_KEY, nullcontext)
    return found
