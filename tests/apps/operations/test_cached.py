"""What lies in Valkey is data: nothing of it is run, whoever wrote it."""

import os
import pickle  # noqa: TID251  what an attacker plants
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.contrib.auth import authenticate
from django.core.cache import cache
from django.test import RequestFactory

from apps.operations.monitoring import row_counts
from apps.telemetry.logs.accept import DRAIN
from apps.telemetry.samples.accept import DRAIN_PUSHED
from apps.telemetry.scheduler import refused_reports
from apps.tenancy.models import MemberRole
from apps.tenancy.work import cooldowns, worker_shares
from apps.tenancy.work.task_requests import ask
from tests.cast.incidents import Cast, actor

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)


class Bomb:
    """What makes a folder when it is unpickled."""

    def __init__(self, where: Path) -> None:
        self.where = where

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.where),)


@pytest.fixture
def server() -> redis.Redis:
    """Return the run's Valkey as the portal sees it, its cache empty."""
    cache.clear()
    opened = redis.Redis.from_url(settings.PORTAL_REDIS_URL)
    opened.delete("default")  # what tests before asked for, of workers that nobody started
    return opened


def write(cast: Cast) -> None:
    """Let the portal keep something under every key that it uses."""
    organization_id = cast.tenant.pk
    for task in (DRAIN, DRAIN_PUSHED):
        ask(task, queue="ingest", organization_id=organization_id)
    with worker_shares.of_organization(organization_id):
        pass
    refused_reports.note_refused(organization_id=organization_id, count=2, why="no", now=NOW)
    cooldowns.rest_longer("mail", first=timedelta(seconds=30), longest=timedelta(minutes=5))
    with worker_shares.only_one("mail", seconds=60):
        pass
    cache.add("only:post", 1, timeout=60)
    cache.get_or_set("metrics.dead", row_counts._dead, 300)


def fail_to_sign_in() -> None:
    """Let the lock-out count a wrong password."""
    authenticate(RequestFactory().post("/sign-in/"), username="nobody", password="wrong")  # noqa: S106


def planted(server: redis.Redis, value: bytes) -> list[bytes]:
    """Put a value under every key of the cache; return the keys."""
    keys = [key for key in server.scan_iter("portal:*") if not key.startswith(b"portal:tasks:")]
    for key in keys:
        server.set(key, value)
    return keys


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_planted_pickle_is_not_run_and_counts_as_absent(
    cast: Cast, server: redis.Redis, tmp_path: Path, protocol: int
) -> None:
    write(cast)
    fail_to_sign_in()
    bomb = tmp_path / "run"
    keys = planted(server, pickle.dumps(Bomb(bomb), protocol))
    who = actor(cast.tenant, MemberRole.ADMIN)

    assert len(keys) >= 9
    assert not cooldowns.resting(["mail"])
    assert refused_reports.refused_of(actor=who) is None
    assert cache.get_or_set("metrics.dead", lambda: 7, 300) == 7
    assert cache.get_many(["metrics.dead", "asked:drain:1"]) == {"metrics.dead": 7}
    with worker_shares.only_one("post", seconds=60) as is_mine:
        assert is_mine
    write(cast)
    fail_to_sign_in()
    assert refused_reports.refused_of(actor=who) is not None
    assert not bomb.exists()


@pytest.mark.parametrize(
    "value", [b"", b"\x00", b"{", b"[" * 100_000, b"NaN", b'"text"', b"[1]", b'{"a": 1}', b"9" * 99]
)
def test_values_of_any_shape_break_nothing(cast: Cast, server: redis.Redis, value: bytes) -> None:
    write(cast)
    planted(server, value)

    assert refused_reports.refused_of(actor=actor(cast.tenant, MemberRole.ADMIN)) is None
    write(cast)


def test_what_is_kept_is_read_again(server: redis.Redis) -> None:
    for value in (0, -3, 10**12, True, None, 1.5, "text", "7", ["a", 1], {"a": [1]}):
        cache.set("kept", value)
        assert cache.get("kept", "absent") == value
        assert type(cache.get("kept")) is type(value)


def test_what_json_can_not_say_is_refused_when_it_is_kept(server: redis.Redis) -> None:
    with pytest.raises(TypeError):
        cache.set("kept", NOW)


def test_clearing_the_cache_leaves_the_queue(server: redis.Redis) -> None:
    server.rpush("default", b"task")
    cache.set("kept", 1)

    cache.clear()

    assert cache.get("kept") is None
    assert server.llen("default") == 1
    server.delete("default")
