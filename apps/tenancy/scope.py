"""The organizations whose rows a transaction may touch."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

SETTING = "portal.organizations"
# The setting is read before it is set: the row of `former` is there before the list beside it.
ENTER = """
    WITH former AS MATERIALIZED (SELECT coalesce(current_setting(%s, true), '') AS scope)
    SELECT former.scope, set_config(%s, %s, true) FROM former
"""


@contextmanager
def organization_scope(*organization_ids: int) -> Iterator[None]:
    """Open a transaction that sees the rows of these organizations and of no other.

    Nested scopes replace the outer one and put it back on exit: the setting is local to the
    outermost transaction, which drops it at its end, and a released savepoint would leak it. Never
    hold a scope across a network call.
    """
    ends_with_it = connection.get_autocommit()
    with transaction.atomic():
        former = _enter(",".join(str(int(each)) for each in sorted(set(organization_ids))))
        yield
        # After an exception the transaction or savepoint is rolled back, and the setting with it.
        if not ends_with_it:
            _set(former)


def _enter(value: str) -> str:
    """Set the scope and return the former one, by one question: pages open scopes by the dozen."""
    with connection.cursor() as cursor:
        cursor.execute(ENTER, [SETTING, SETTING, value])
        former, _ = cursor.fetchone()
    return str(former)


def _set(value: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, true)", [SETTING, value])
