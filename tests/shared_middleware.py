"""One chain of middleware for all clients of a run: making one lists every static file anew."""

from typing import Any

import pytest
from django.core.signals import setting_changed
from django.test.client import ClientHandler

PARTS = (
    "_middleware_chain",
    "_view_middleware",
    "_template_response_middleware",
    "_exception_middleware",
)


def share() -> None:
    """Let clients take the chain that the first one made, until a setting changes."""
    made: dict[str, Any] = {}
    load = ClientHandler.load_middleware

    def load_once(handler: ClientHandler, is_async: bool = False) -> None:  # noqa: FBT001, FBT002  Django's own signature
        if not made:
            load(handler, is_async=is_async)
            made.update({name: getattr(handler, name) for name in PARTS})
        vars(handler).update(made)

    def forget(**_: Any) -> None:
        made.clear()

    pytest.MonkeyPatch().setattr(ClientHandler, "load_middleware", load_once)
    setting_changed.connect(forget, weak=False)
