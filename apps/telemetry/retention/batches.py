"""Of two runs of the retention over the same rows at once, one ends."""

from typing import Final

from django.db import connection

LOCK_SPACE: Final = 0x6B656570 << 32  # "keep": advisory locks of ours that are about retention
DAYS: Final = -1  # the days of everybody


def is_mine(*, organization_id: int) -> bool:
    """Hold an organization's retention until the transaction ends, unless another run does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LOCK_SPACE + organization_id])
        (is_mine,) = cursor.fetchone()
    return bool(is_mine)
