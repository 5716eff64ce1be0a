"""The four look-ups that work before a scope exists. They return ids only."""

from django.db import connection


def token_owner(*, digest: bytes) -> tuple[int, int] | None:
    """Return (token id, organization id) of a digest, or None."""
    rows = _rows("SELECT token_id, organization_id FROM portal_token(%s)", digest)
    return (rows[0][0], rows[0][1]) if rows else None


def memberships_of(*, user_id: int) -> list[int]:
    """Return the ids of the organizations a person belongs to."""
    return [organization for (organization,) in _rows("SELECT portal_memberships(%s)", user_id)]


def parties_of(*, cluster_id: int) -> list[int]:
    """Return the ids of the organizations that take part in a cluster."""
    return [organization for (organization,) in _rows("SELECT portal_parties(%s)", cluster_id)]


def parties_ever_of(*, cluster_id: int) -> list[int]:
    """Return these and those who left: what they said while they took part still counts."""
    found = _rows("SELECT portal_parties_ever(%s)", cluster_id)
    return [organization for (organization,) in found]


def _rows(statement: str, argument: bytes | int) -> list[tuple[int, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, [argument])
        return list(cursor.fetchall())
