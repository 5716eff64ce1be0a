"""Advisory locks have one register, and none is taken for another."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import connections, transaction

from apps.telemetry.logs.interpretation import drain
from apps.telemetry.samples.source_lock import has_turn
from apps.tenancy.database.advisory_locks import Lock, hold, hold_shared, key_number, try_hold

ROOT = Path(__file__).parents[2]
REGISTER = Path("apps/tenancy/database/advisory_locks.py")
CODE = [
    file.relative_to(ROOT)
    for folder in ("apps", "portal")
    for file in (ROOT / folder).rglob("*.py")
    if "migrations" not in file.parts
]


def elsewhere(ask: Callable[[], bool]) -> bool:
    """Ask in a transaction of another connection."""

    def asked() -> bool:
        try:
            with transaction.atomic():
                return ask()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=1) as other:
        return other.submit(asked).result()


def test_only_the_register_asks_postgresql_for_an_advisory_lock() -> None:
    asking = [file for file in CODE if re.search(r"pg_(try_)?advisory", (ROOT / file).read_text())]
    assert asking == [REGISTER]


def test_every_lock_of_the_register_is_used() -> None:
    text = "".join((ROOT / file).read_text() for file in CODE if file != REGISTER)
    assert [lock.name for lock in Lock if f"Lock.{lock.name}" not in text] == []


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_slots_of_reading_logs_are_no_turns_of_sources(settings: LazySettings) -> None:
    settings.PORTAL_ALL_WORKER_PROCESSES = 8
    number = 77
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        # Two processes read this organization's logs already: the third slot is next.
        for slot in range(2):
            cursor.execute(
                "SELECT pg_advisory_xact_lock(%s, hashtext(%s))",
                [int(Lock.LOG_READING), f"{number}/{slot}"],
            )
        with transaction.atomic():
            assert drain._has_slot(number)
            assert elsewhere(lambda: has_turn(source_id=number))
            assert not elsewhere(lambda: try_hold(Lock.LOG_READING, f"{number}/2"))


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_lock_is_held_until_its_transaction_ends() -> None:
    with transaction.atomic():
        hold(Lock.AUDIT_CHAIN, 5)
        assert not elsewhere(lambda: try_hold(Lock.AUDIT_CHAIN, 5))
        assert elsewhere(lambda: try_hold(Lock.AUDIT_CHAIN, 6))
        assert elsewhere(lambda: try_hold(Lock.NOTIFICATIONS, 5))
    assert elsewhere(lambda: try_hold(Lock.AUDIT_CHAIN, 5))


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_who_shares_a_lock_keeps_out_only_who_wants_it_whole() -> None:
    def shared() -> bool:
        hold_shared(Lock.CITATIONS, 5)
        return True

    with transaction.atomic():
        assert shared()
        assert elsewhere(shared)
        assert not elsewhere(lambda: try_hold(Lock.CITATIONS, 5))
        assert elsewhere(lambda: try_hold(Lock.CITATIONS, 6))


@pytest.mark.parametrize("key", [0, 1, 2**31 - 1, -1, -(2**31)])
def test_numbers_that_fit_stay_as_they_are(key: int) -> None:
    assert key_number(key) == key


@pytest.mark.parametrize("key", [2**31, 2**32 + 7, 2**63 - 1])
def test_larger_numbers_are_made_to_fit(key: int) -> None:
    assert -(2**31) <= key_number(key) < 2**31
    assert key_number(key) % 2**32 == key % 2**32
