"""The connections of the database that a web process shares among its requests."""

from django.db import connection


def return_connection() -> None:
    """Give the connection back for others while this one computes or waits.

    The next query takes one again. Inside a transaction it stays.
    """
    is_pooled = bool(connection.settings_dict["OPTIONS"].get("pool"))
    if is_pooled and not connection.in_atomic_block:
        connection.close()
