"""Advisory locks of PostgreSQL: all there are, by name; held until the transaction ends.

Which one of its kind is meant is a number (an organization, a source) or a text, of which
PostgreSQL makes a number: two texts may share one, and then wait for each other for nothing.
"""

from enum import IntEnum, unique

from django.db import connection

KEYS = 2**32


@unique
class Lock(IntEnum):
    """What is done by one transaction at a time. The number is the first half of PostgreSQL's."""

    AUDIT_CHAIN = 1  # an organization's record: entries are chained
    NOTIFICATIONS = 2  # an organization: what it was told of
    CITATIONS = 3  # an organization: shared by who cites its facts, whole for who deletes them
    RETENTION = 4  # an organization: deletion of what is past its time
    RETENTION_DAYS = 5  # everybody: whole days of raw lines
    LOG_READING = 6  # an organization and one of its slots
    SAMPLE_WINDOW = 7  # a source: who writes its window
    SERIES_NUMBERS = 8  # a source: shared by readers, whole for who numbers its series anew
    WARNINGS = 9  # an organization in a cluster: fusion
    DEVICE_HISTORY = 10  # an organization in a cluster: which part sat where
    ATTEMPT = 11  # an attempt: an older look never ends after a newer one
    CLUSTER_INCIDENTS = 12  # a cluster: attempts that may share an incident
    AGREEMENTS = 13  # a cluster: what its parties say to each other's terms
    LEDGER_CHAIN = 14  # a holder: its entries are sealed in one chain
    BUNDLES = 15  # a bundle: sent once, or taken back
    SIGNING_KEYS = 16  # an organization: its first key is made once, or a new one takes its place
    PAGE_CHANGES = 17  # everybody: changes are numbered in the order of commits
    CLUSTER_CHANGES = 18  # an organization: what it changed in clusters, each key once
    EXCLUSIONS = 19  # an organization in a cluster: what its people say of nodes left out


def hold(lock: Lock, key: int | str) -> None:
    """Wait for a lock."""
    _asked("pg_advisory_xact_lock", lock, key)


def hold_shared(lock: Lock, key: int | str) -> None:
    """Wait for a lock that any number may hold at once while nobody holds it whole."""
    _asked("pg_advisory_xact_lock_shared", lock, key)


def try_hold(lock: Lock, key: int | str) -> bool:
    """Take a lock; say no where another transaction has it."""
    return bool(_asked("pg_try_advisory_xact_lock", lock, key))


def key_number(key: int) -> int:
    """Return a number as the second half of a lock: PostgreSQL takes 32 bits with a sign."""
    return (key + KEYS // 2) % KEYS - KEYS // 2


def _asked(function: str, lock: Lock, key: int | str) -> object:
    second = "hashtext(%s)" if isinstance(key, str) else "%s"
    value = key if isinstance(key, str) else key_number(key)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s, {second})", [int(lock), value])
        return cursor.fetchone()[0]
