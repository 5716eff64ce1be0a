"""One worker writes the window of a source at a time."""

from typing import Final

from django.db import connection

LOCK_SPACE: Final = 0x1465  # first half of the advisory locks of this module


def has_turn(*, source_id: int) -> bool:
    """Take the source's turn until the transaction ends; say no if another has it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [LOCK_SPACE, source_id % 2**31])
        return bool(cursor.fetchone()[0])
