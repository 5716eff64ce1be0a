"""Worlds that take long to build, built once for a module instead of once for each of its tests.

What a test writes is rolled back before the next one, as everywhere.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

Made = TypeVar("Made")


def standing(build: Callable[..., Made], **parameters: Any) -> Any:
    """Return a module's fixture of what is built; a test's own fixture hands out a deep copy.

    `params` and `ids` are as of any fixture: what is built is built of each of them.
    """

    @pytest.fixture(scope="module", **parameters)  # type: ignore[untyped-decorator]
    def built(
        request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
    ) -> Iterator[Made]:
        given = (request.param,) if parameters else ()
        with django_db_blocker.unblock(), _undone():
            yield build(*given)

    return built


@contextmanager
def _undone() -> Iterator[None]:
    """Undo at the end what is written in the block; the transactions of tests nest in it."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
