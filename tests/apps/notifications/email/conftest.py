"""A mail server that every test of letters may ask for."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.apps.notifications.receiving import (
    Mailbox,
    mail_server,
)


@pytest.fixture
def box(settings: Any) -> Iterator[Mailbox]:
    """A mail server that takes everything."""
    with mail_server(settings) as made:
        yield made
