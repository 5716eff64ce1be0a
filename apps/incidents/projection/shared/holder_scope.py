"""The scope of a holder, opened for as long as what it shows is read and redacted."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from apps.sharing.grant_values import Grant
from apps.sharing.redactor import Redactor
from apps.tenancy.credentials import SealBroken
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)


@contextmanager
def holder_scope(*, grant: Grant, redactor: Redactor) -> Iterator[Redactor]:
    """Open the scope of a holder for what hides in what it holds.

    Where nobody can hide it (the key of its pseudonyms does not open), the block ends there and
    nothing of it is shown.
    """
    try:
        with organization_scope(grant.holder.id):
            yield redactor
    except SealBroken:
        logger.exception("sharing.key_unreadable", extra={"agreement": grant.public_id})
