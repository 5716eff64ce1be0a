"""Who may do what with the window of a source while others are at it."""

from typing import Final

from django.db import connection

LOCK_SPACE: Final = 0x1465  # first half of the advisory locks of this module
NUMBERS_SPACE: Final = 0x1466


def has_turn(*, source_id: int) -> bool:
    """Take the source's turn to write until the transaction ends; say no if another has it."""
    return _try(LOCK_SPACE, source_id)


def may_number_anew(*, source_id: int) -> bool:
    """Keep readers out until the transaction ends; say no if somebody reads just now."""
    return _try(NUMBERS_SPACE, source_id)


def hold_numbers(*, source_id: int) -> None:
    """Let series keep their numbers until the transaction ends.

    Labels and samples are two questions: numbered anew in between, one series' samples would come
    out as another's.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock_shared(%s, %s)", [NUMBERS_SPACE, source_id % 2**31]
        )


def _try(space: int, source_id: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [space, source_id % 2**31])
        return bool(cursor.fetchone()[0])
