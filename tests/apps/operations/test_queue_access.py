"""The portal may do its work in Valkey and nothing else; nobody else may do anything."""

import stat
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
import redis
from celery import Celery
from django.conf import settings
from kombu.transport.redis import MutexHeld

from apps.operations.servers import embedded_valkey, private_sockets, queue_access
from apps.operations.servers.processes import Child
from portal.celery import app


@pytest.fixture
def server() -> Iterator[redis.Redis]:
    """Return the run's Valkey as the portal is let in."""
    with redis.Redis.from_url(settings.PORTAL_REDIS_URL) as opened:
        opened.delete("default")  # what tests before asked for, of workers that nobody started
        yield opened


@pytest.mark.parametrize(
    "command",
    [
        "CONFIG GET dir", "CONFIG SET dir /tmp", "EVAL 1 0", "EVALSHA 0 0", "SCRIPT FLUSH",
        "FUNCTION LIST", "MODULE LIST", "DEBUG SLEEP 0", "FLUSHALL", "FLUSHDB", "SHUTDOWN NOSAVE",
        "SAVE", "BGREWRITEAOF", "REPLICAOF 127.0.0.1 1", "SLOWLOG GET", "MONITOR", "ACL LIST",
        "KEYS *", "CLIENT LIST", "CLIENT KILL ID 1", "INFO", "RESTORE portal:a 0 x",
        "MIGRATE 127.0.0.1 1 portal:a 0 1", "SWAPDB 0 1", "SORT portal:a", "PUBLISH a b",
        "GET other", "SET other 1", "DEL other", "LPUSH celery x", "RENAME portal:a other",
    ],
)  # fmt: skip
def test_the_portal_is_let_do_nothing_beyond_its_work(server: redis.Redis, command: str) -> None:
    with pytest.raises(redis.exceptions.ResponseError, match=r"(?i)no permission|not allowed"):
        server.execute_command(*command.split())  # type: ignore[no-untyped-call]  # the client's


@pytest.mark.parametrize("user", ["", "default:@", "default:guess@", "portal:guess@"])
def test_without_the_password_nothing_is_said(user: str) -> None:
    url = settings.PORTAL_REDIS_URL
    socket = url.partition("@")[2]
    with (
        redis.Redis.from_url(f"unix://{user}{socket}") as stranger,
        pytest.raises(redis.exceptions.AuthenticationError),
    ):
        stranger.get("portal:1:a")


def test_a_task_is_sent_taken_and_acknowledged_with_what_the_portal_may(
    server: redis.Redis,
) -> None:
    assert isinstance(app, Celery)
    with app.connection_for_write() as connection:
        queue = connection.SimpleQueue("default")
        queue.put({"a": 1}, serializer="json")
        message = queue.get(timeout=5)
        # What sweeps the unacknowledged takes the lock of the server.
        assert message.channel is not None
        message.channel.qos.restore_visible()
        message.ack()
        assert message.payload == {"a": 1}
        queue.close()
    assert server.hlen("unacked") == 0


def test_a_lock_of_the_queue_is_held_by_one_and_let_go_by_its_holder(server: redis.Redis) -> None:
    with queue_access.mutex(server, "unacked_mutex", 60):
        with pytest.raises(MutexHeld), queue_access.mutex(server, "unacked_mutex", 60):
            pass
        assert server.ttl("unacked_mutex") > 50
    assert server.get("unacked_mutex") is None


def test_a_lock_that_ended_and_is_anothers_stays(server: redis.Redis) -> None:
    with queue_access.mutex(server, "unacked_mutex", 60):
        server.set("unacked_mutex", b"another")
    assert server.get("unacked_mutex") == b"another"
    server.delete("unacked_mutex")


def test_the_password_is_made_once_and_closed_to_others(tmp_path: Path) -> None:
    made = queue_access.make_password(var=tmp_path)

    assert len(made) >= 40
    assert queue_access.make_password(var=tmp_path) == made
    assert [each.name for each in tmp_path.iterdir()] == ["valkey.secret"]
    assert stat.S_IMODE((tmp_path / "valkey.secret").stat().st_mode) == 0o600
    assert queue_access.password_of(var=tmp_path / "nothing") == ""


def test_the_embedded_server_shows_its_password_to_nobody_else(tmp_path: Path) -> None:
    program = embedded_valkey.valkey(var=tmp_path)
    password = queue_access.password_of(var=tmp_path)
    child = Child(program)
    try:
        child.wait_ready(seconds=20, pause=Event())
        seen = Path(f"/proc/{child.process.pid}/cmdline").read_bytes()
        seen += Path(f"/proc/{child.process.pid}/environ").read_bytes()
        seen += (tmp_path / "log" / "valkey.log").read_bytes()
        seen += (tmp_path / "valkey" / "users.acl").read_bytes()
    finally:
        child.stop()

    assert password.encode() not in seen
    assert stat.S_IMODE((tmp_path / "valkey" / "users.acl").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "valkey").stat().st_mode) == 0o700
    assert password in private_sockets.redis_url(var=tmp_path)
    assert password in private_sockets.celery_url(redis_url=private_sockets.redis_url(var=tmp_path))
