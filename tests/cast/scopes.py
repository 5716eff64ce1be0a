"""Which organizations' rows the database shows now."""

from django.db import connection

from apps.tenancy.scope import SETTING


def current_scope() -> str:
    """Return the ids in scope as PostgreSQL has them; empty means no rows."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(current_setting(%s, true), '')", [SETTING])
        (value,) = cursor.fetchone()
    return str(value)
