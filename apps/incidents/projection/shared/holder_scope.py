"""The scope of a holder, opened for as long as what it shows is read and redacted."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.models import QuerySet

from apps.sharing.grants import Grant
from apps.sharing.redactor import ReaderNames, Redactor
from apps.tenancy.credentials import SealBroken
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)


@contextmanager
def holder_scope(
    *, grant: Grant, cluster_id: int, reader: ReaderNames, hit: QuerySet[Any]
) -> Iterator[Redactor]:
    """Open the scope of a holder, and return what hides in what it holds.

    `hit` are ids of the sessions that it is about. Where nobody can hide it (the key of its
    pseudonyms does not open), the block ends there and nothing of it is shown.
    """
    try:
        with organization_scope(grant.holder.id):
            yield Redactor(grant=grant, cluster_id=cluster_id, reader=reader, hit=hit)
    except SealBroken:
        logger.exception("sharing.key_unreadable", extra={"agreement": grant.public_id})
