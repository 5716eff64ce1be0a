"""What Django's clients for tests do beside asking, left out where no test looks at it."""

from typing import Any

import pytest
from django.core.signals import setting_changed
from django.test import client
from django.test.client import ClientHandler

PARTS = (
    "_middleware_chain",
    "_view_middleware",
    "_template_response_middleware",
    "_exception_middleware",
)


def share_middleware() -> None:
    """Let clients take the chain that the first one made, until a setting changes.

    Making one lists every static file anew.
    """
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


def keep_no_contexts() -> None:
    """Let an answer not keep what each template of its page was given: tests read the page."""

    def forget(*_: Any, **__: Any) -> None:
        pass

    pytest.MonkeyPatch().setattr(client, "store_rendered_templates", forget)
