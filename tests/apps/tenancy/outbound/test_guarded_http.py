"""Requests go only where the policy lets them: one origin, within a size and a time."""

import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import requests
from prometheus_api_client import PrometheusConnect
from requests.adapters import HTTPAdapter
from urllib3.util import connection as socket_of

from apps.tenancy.outbound import guarded_connection, guarded_http
from apps.tenancy.outbound.bounded_answers import AnswerTooBig, AnswerTooSlow, read_limited
from apps.tenancy.outbound.guarded_connection import GuardedAdapter
from apps.tenancy.outbound.guarded_http import GuardedSession, reason
from apps.tenancy.outbound.policy import (
    OutboundRefused,
    Policy,
    policy_for,
)
from tests.apps.tenancy.outbound.answering_server import HERE, Server


def test_the_judged_address_is_the_one_connected_to_and_the_name_stays(server: Server) -> None:
    asked = []

    def resolve(host: str, _port: int) -> list[str]:
        asked.append(host)
        # A second question would be answered differently: nobody asks it.
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    policy = Policy(networks=HERE.networks, resolver=resolve)
    url = f"http://metrics.example:{server.server_port}/x"
    assert GuardedSession(url=url, policy=policy).get(url).status_code == 200
    assert asked == ["metrics.example"]


@pytest.fixture
def closed_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def rude_port() -> Iterator[int]:
    """Return a port where something answers that is no HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def greet() -> None:
            for _ in range(4):
                try:
                    talking, _ = listener.accept()
                except OSError:
                    return
                with talking:
                    talking.sendall(b"220 mail.example\r\n")

        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        yield int(listener.getsockname()[1])
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


def test_what_fails_in_an_open_network_reads_and_takes_the_same(
    closed_port: int, rude_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (guarded_http, guarded_connection):
        monkeypatch.setattr(module, "CONNECT_SECONDS", 0.4)
    policy = policy_for(allowed_networks=["127.0.0.1/32"])
    said, took = set(), []
    for url in (
        f"http://127.0.0.1:{closed_port}/",
        f"http://127.0.0.1:{rude_port}/",
        f"https://127.0.0.1:{rude_port}/",
    ):
        began = time.monotonic()
        with pytest.raises(requests.RequestException) as failed:
            GuardedSession(url=url, policy=policy).get(url)
        took.append(time.monotonic() - began)
        said.add(reason(error=failed.value, policy=policy, seconds=10))
    assert len(said) == 1
    assert min(took) >= 0.4
    assert max(took) - min(took) < 0.3


def test_redirect_is_not_followed(server: Server) -> None:
    server.away = f"http://127.0.0.1:{server.server_port}/inside"
    url = server.url + "/away"
    assert GuardedSession(url=url, policy=HERE).get(url, allow_redirects=True).status_code == 302
    assert [path for path, _ in server.seen] == ["/away"]


def test_credential_never_reaches_another_host_or_port(server: Server) -> None:
    session = GuardedSession(url="http://metrics.example:9090", policy=HERE)
    session.headers["Authorization"] = "Bearer canary"
    with pytest.raises(OutboundRefused, match="one host"):
        session.get(server.url)
    assert server.seen == []


def test_environment_gives_neither_proxy_nor_credential(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    netrc = tmp_path_factory.mktemp("home") / "netrc"
    netrc.write_text("machine 127.0.0.1 login canary password canary")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert GuardedSession(url=server.url, policy=HERE).get(server.url).status_code == 200
    assert server.seen == [("/", None)]


def test_explicit_proxy_is_not_used(server: Server) -> None:
    session = GuardedSession(url=server.url, policy=HERE)
    proxies = {"http": "http://127.0.0.1:9"}
    assert session.get(server.url, proxies=proxies).status_code == 200


def test_adapter_of_the_prometheus_client_does_not_replace_the_guard(server: Server) -> None:
    session = GuardedSession(url=server.url, policy=Policy())
    client = PrometheusConnect(url=server.url, session=session)
    with pytest.raises(OutboundRefused):
        client.check_prometheus_connection()
    session.mount("http://", HTTPAdapter())
    assert isinstance(session.get_adapter(server.url), GuardedAdapter)
    assert server.seen == []


def test_big_answer_is_cut_even_for_callers_that_know_no_limit(server: Server) -> None:
    session = GuardedSession(url=server.url, policy=HERE, max_bytes=2**20)
    with pytest.raises(AnswerTooBig):
        session.get(server.url + "/big")


def test_answer_that_does_not_end_is_given_up(server: Server) -> None:
    session = GuardedSession(url=server.url, policy=HERE, seconds=0.2)
    with pytest.raises((AnswerTooSlow, requests.ConnectionError, requests.Timeout)):
        session.get(server.url + "/drip", timeout=0.3)


def test_headers_that_trickle_end_with_the_time_for_the_whole_of_them(server: Server) -> None:
    session = GuardedSession(url=server.url, policy=HERE)
    with pytest.raises(requests.exceptions.ReadTimeout):
        session.get(server.url + "/trickle", timeout=(0.2, 0.4))
    assert [path for path, _ in server.seen] == ["/trickle"]
    # The session is as good as before for who answers.
    assert session.get(server.url + "/", timeout=(1, 5)).status_code == 200


def test_streamed_answer_is_read_within_its_limit(server: Server) -> None:
    session = GuardedSession(url=server.url, policy=HERE)
    with session.get(server.url + "/big", stream=True) as response:
        body = read_limited(response=response, max_bytes=8 * 2**20, seconds=5)
    assert len(body) == 64 * 65536


def test_a_name_with_many_addresses_holds_nobody_longer_than_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[float] = []

    def nowhere(_address: tuple[str, int], timeout: float, **_more: object) -> None:
        waited.append(timeout)
        threading.Event().wait(min(timeout, 0.05))
        raise TimeoutError

    monkeypatch.setattr("apps.tenancy.outbound.guarded_connection.plain.create_connection", nowhere)
    many = Policy(resolver=lambda *_: [f"8.8.{n // 250}.{1 + n % 250}" for n in range(1000)])
    session = GuardedSession(url="http://metrics.example:9090", policy=many, retried=())
    with pytest.raises(requests.ConnectionError):
        session.get("http://metrics.example:9090/", timeout=(0.2, 0.2))

    assert len(waited) < 20
    assert sum(min(each, 0.05) for each in waited) < 1.0


def test_an_address_that_does_not_answer_leaves_time_for_the_next(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = socket_of.create_connection

    def half(address: tuple[str, int], timeout: float, **more: Any) -> socket.socket:
        if address[0] != "127.0.0.1":
            threading.Event().wait(timeout)
            raise TimeoutError
        return known(address, timeout, **more)

    monkeypatch.setattr("apps.tenancy.outbound.guarded_connection.plain.create_connection", half)
    both = replace(HERE, resolver=lambda *_: ["127.0.0.2", "127.0.0.1"])
    session = GuardedSession(url=server.url, policy=both, retried=())
    assert session.get(server.url, timeout=(0.5, 2.0)).status_code == 200
