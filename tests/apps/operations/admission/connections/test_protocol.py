"""The web server's own limits, on real connections: what is half open ends, what is used stays."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Thread
from typing import Any

import pytest
import uvicorn
from django.conf import settings

from apps.operations.admission.connections import open_connections, protocol
from apps.operations.admission.connections.open_connections import Caps, Connections
from apps.operations.servers import web
from tests.apps.operations.admission.visits import edge

SECONDS = 20.0  # only what never ends meets it


async def large(asked: Any, receive: Any, send: Any) -> None:
    """Answer with more than lies in buffers, or a little, or late, as the path says."""
    while asked["path"] != "/large" and (await receive()).get("more_body", False):
        pass
    await asyncio.sleep(1.0 if asked["path"] == "/slow" else 0.0)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(2000 if asked["path"] == "/large" else 1):
        await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Serve with limits that are soon met."""
    opened = Connections(caps=Caps(total=6, each=4))
    monkeypatch.setattr(protocol, "opened", lambda: opened)
    monkeypatch.setattr(protocol, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(open_connections, "HEADER_SECONDS", 0.3)
    monkeypatch.setattr(open_connections, "UNREAD_SECONDS", 0.3)
    with serving() as port:
        yield port


@contextmanager
def serving() -> Iterator[int]:
    """Run uvicorn as the portal does, in a thread."""
    config = uvicorn.Config(
        edge(large),
        port=0,
        http=protocol.GuardedProtocol,
        timeout_keep_alive=web.KEEP_ALIVE_SECONDS,
        lifespan="off",
        log_config=None,
    )
    server = uvicorn.Server(config)
    thread = Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    try:
        until(lambda: server.started)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def until(is_so: Callable[[], bool]) -> None:
    """Return once it is so."""
    for _ in range(int(SECONDS / 0.02)):
        if is_so():
            return
        Event().wait(0.02)
    raise TimeoutError


def connected(port: int, said: bytes = b"", *, at: str = "127.0.0.1") -> socket.socket:
    """Connect from an address and say something."""
    made = socket.create_connection(("127.0.0.1", port), SECONDS, (at, 0))
    made.sendall(said)
    return made


def ends(line: socket.socket) -> bool:
    """Whether the other side hangs up; read what it still says."""
    try:
        while line.recv(65_536):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


GET = b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n"


def test_headers_that_never_end_are_hung_up_on(port: int) -> None:
    for said in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-A: "):
        with connected(port, said) as line:
            assert ends(line)


def test_a_connection_between_two_requests_stays_open(port: int) -> None:
    with connected(port, GET) as line:
        assert line.recv(12) == b"HTTP/1.1 200"
        line.settimeout(1.0)  # three times as long as headers may take
        assert not ends(line)
        line.settimeout(SECONDS)
        line.sendall(GET)
        assert line.recv(12) == b"HTTP/1.1 200"


def test_the_second_request_has_to_come_whole_as_well(port: int) -> None:
    with connected(port, GET) as line:
        assert line.recv(12) == b"HTTP/1.1 200"
        line.sendall(GET[:10])
        assert ends(line)


def test_who_reads_nothing_of_an_answer_is_hung_up_on(port: int) -> None:
    with connected(port, GET.replace(b"small", b"large")) as line:
        until(lambda: len(protocol.opened()) == 1)
        until(lambda: len(protocol.opened()) == 0)
        line.settimeout(SECONDS)
        assert ends(line)


def test_who_opens_many_keeps_no_more_than_its_part(port: int) -> None:
    lines = [connected(port, GET) for _ in range(6)]
    try:
        until(lambda: len(protocol.opened()) == 4)
        assert lines[-1].recv(12) == b"HTTP/1.1 200"
        assert ends(lines[0])
    finally:
        for line in lines:
            line.close()


def test_a_body_in_crumbs_ends_its_connection_and_one_in_parts_does_not(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as crumbs:
        crumbs.sendall(head)
        with pytest.raises(OSError):  # noqa: PT011  reset or broken, as the network has it
            crumbs.sendall(b"1\r\nx\r\n" * 1_000_000)
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as parts:
        parts.sendall(head + b"400\r\n" + b"x" * 1024 + b"\r\n" + b"0\r\n\r\n")
        assert parts.recv(64).startswith(b"HTTP/1.1 200")


HALF = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nx"


def test_unfinished_bodies_of_a_few_addresses_keep_nobody_else_out(port: int) -> None:
    with ExitStack() as stack:
        halves = [
            stack.enter_context(connected(port, HALF, at=f"127.0.0.{2 + n % 2}")) for n in range(6)
        ]
        until(lambda: len(protocol.opened()) == 6)
        for number in range(4):  # one after the other, from elsewhere
            with connected(port, GET, at=f"127.0.0.{9 + number}") as line:
                assert line.recv(12) == b"HTTP/1.1 200"
        assert ends(halves[0])


def test_a_request_that_is_worked_on_is_not_ended_for_others(port: int) -> None:
    with ExitStack() as stack:
        asked = GET.replace(b"small", b"slow")
        slow = stack.enter_context(connected(port, asked, at="127.0.0.2"))
        until(lambda: any(each.is_served for each in protocol.opened()._open))
        for _ in range(12):
            stack.enter_context(connected(port, HALF, at="127.0.0.2"))
        assert slow.recv(12) == b"HTTP/1.1 200"


def test_behind_a_proxy_a_request_counts_for_whom_the_proxy_named(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "PORTAL_TRUST_PROXY", True)
    named = HALF.replace(b"Host: x", b"Host: x\r\nX-Forwarded-For: 1.1.1.1, 198.51.100.7")
    with connected(port, named):
        until(lambda: {each.sender for each in protocol.opened()._open} == {"198.51.100.7"})


@pytest.mark.parametrize(
    "lines",
    [b"a:\r\n" * 15_000, b"a: b\r\n" + b" c\r\n" * 15_000, b"a: " + b"b" * 60_000 + b"\r\n"],
)
def test_more_header_lines_than_anybody_needs_are_not_taken_apart(port: int, lines: bytes) -> None:
    with connected(port, GET[:-2] + lines + b"\r\n") as line:
        assert line.recv(12) == b"HTTP/1.1 431"
        assert ends(line)


def test_a_hundred_header_lines_are_read(port: int) -> None:
    with connected(port, GET[:-2] + b"a: b\r\n" * 100 + b"\r\n") as line:
        assert line.recv(12) == b"HTTP/1.1 200"


def test_lines_after_a_body_in_chunks_are_bounded_as_well(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    with connected(port, head + b"1\r\nx\r\n0\r\n" + b"a:\r\n" * 15_000 + b"\r\n") as line:
        assert line.recv(12) == b"HTTP/1.1 431"


def test_what_is_no_request_after_an_answer_began_ends_the_connection(port: int) -> None:
    head = b"POST /large HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    with connected(port, head + b"1\r\nx\r\n") as line:
        assert line.recv(12) == b"HTTP/1.1 200"
        line.sendall(b"no chunk\r\n")
        assert ends(line)


def test_a_body_with_a_length_and_chunks_is_refused_and_nothing_behind_it_is_read(
    port: int,
) -> None:
    both = b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    with connected(port, b"POST / HTTP/1.1\r\nHost: x\r\n" + both + GET) as line:
        assert line.recv(65_536).startswith(b"HTTP/1.1 400")
        assert ends(line)
