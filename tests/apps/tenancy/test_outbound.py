"""What the portal may reach. A refusal must come before any packet."""

import ipaddress
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests
from prometheus_api_client import PrometheusConnect
from requests.adapters import HTTPAdapter

from apps.tenancy.guarded import (
    AnswerTooBig,
    AnswerTooSlow,
    GuardedAdapter,
    GuardedSession,
    read_limited,
)
from apps.tenancy.outbound import OutboundRefused, Policy, address_of, is_public, policy_for

HERE = Policy(networks=(ipaddress.ip_network("127.0.0.0/8"),))


class Handler(BaseHTTPRequestHandler):
    """Answers by path; keeps what it was asked and with which credential."""

    server: "Server"

    def do_GET(self) -> None:
        """Answer one request."""
        self.server.seen.append((self.path, self.headers.get("Authorization")))
        if self.path.startswith("/away"):
            self.send_response(302)
            self.send_header("Location", self.server.away)
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        chunks = 64 if self.path.startswith("/big") else 1
        for _ in range(chunks):
            self.wfile.write(b"x" * 65536)
        if self.path.startswith("/drip"):
            self.server.hold.wait(5)

    def log_message(self, *_arguments: object) -> None:
        """Stay quiet."""


class Server(ThreadingHTTPServer):
    """A server on loopback that counts."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[tuple[str, str | None]] = []
        self.away = ""
        self.hold = threading.Event()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def server() -> Iterator[Server]:
    """Run a server for one test."""
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.hold.set()
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1", "::1", "0.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "100.100.100.200", "192.0.0.192", "168.63.129.16", "224.0.0.1",
        "255.255.255.255", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1", "2002:a9fe:a9fe::", "2001:0:1::1", "fec0::1", "fe80::1%eth0",
        "fc00::1", "fd00:ec2::254", "ff02::1", "::",
    ],
)  # fmt: skip
def test_addresses_that_lead_inside_are_not_public(text: str) -> None:
    assert not is_public(address_of(text))


@pytest.mark.parametrize("text", ["8.8.8.8", "::ffff:8.8.8.8", "2606:4700:4700::1111"])
def test_public_addresses_are_public(text: str) -> None:
    assert is_public(address_of(text))


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "gopher://h/", "ftp://h/", "http+unix://%2Frun%2Fx/", "//host/",
        "host:9090", "http://user@host/", "http://user:word@host/", "http://:@host/", "http:///path",
        "http://h:0/", "http://h:99999/", "http://[::1/", "",
    ],
)  # fmt: skip
def test_urls_that_are_never_acceptable(url: str) -> None:
    with pytest.raises(OutboundRefused):
        Policy().check_url(url)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "localhost", "[::1]"]
)
def test_no_spelling_of_loopback_gets_a_packet_out(server: Server, host: str) -> None:
    url = f"http://{host}:{server.server_port}/"
    with pytest.raises(OutboundRefused):
        GuardedSession(url=url, policy=Policy()).get(url)
    assert server.seen == []


def test_one_bad_address_among_good_ones_refuses_the_name() -> None:
    policy = Policy(resolver=lambda _host, _port: ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(OutboundRefused, match="not public"):
        policy.addresses("mixed.example", 443)


def test_name_without_an_address_is_refused_in_words() -> None:
    def fails(_host: str, _port: int) -> list[str]:
        raise socket.gaierror("no such name")

    with pytest.raises(OutboundRefused, match="does not resolve"):
        Policy(resolver=fails).addresses("nowhere.example", 443)


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


def test_ports_of_public_addresses_are_listed_ones() -> None:
    policy = Policy(resolver=lambda _host, _port: ["8.8.8.8"])
    assert policy.addresses("h.example", 9090) == ["8.8.8.8"]
    with pytest.raises(OutboundRefused, match="port 22"):
        policy.addresses("h.example", 22)


def test_listed_network_opens_its_addresses_and_any_port() -> None:
    networks = (ipaddress.ip_network("10.1.0.0/16"),)
    policy = Policy(networks=networks, resolver=lambda _host, _port: ["10.1.2.3"])
    assert policy.addresses("prom.cl", 19090) == ["10.1.2.3"]


def test_no_list_opens_the_metadata_of_the_cloud() -> None:
    networks = (ipaddress.ip_network("0.0.0.0/0"),)
    policy = Policy(networks=networks, resolver=lambda _host, _port: ["169.254.169.254"])
    with pytest.raises(OutboundRefused):
        policy.addresses("metadata", 80)


def test_an_organization_opens_private_ranges_and_never_the_portals_own_machine() -> None:
    policy = policy_for(
        allowed_networks=["10.0.0.0/8", "127.0.0.0/8", "0.0.0.0/0", "nonsense"], is_simulated=False
    )
    assert policy.networks == (ipaddress.ip_network("10.0.0.0/8"),)


def test_the_simulated_cluster_may_live_on_this_machine_if_listed() -> None:
    assert policy_for(allowed_networks=["127.0.0.1/32"], is_simulated=True).networks
    assert not policy_for(allowed_networks=[], is_simulated=True).networks


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


def test_streamed_answer_is_read_within_its_limit(server: Server) -> None:
    session = GuardedSession(url=server.url, policy=HERE)
    with session.get(server.url + "/big", stream=True) as response:
        body = read_limited(response=response, max_bytes=8 * 2**20, seconds=5)
    assert len(body) == 64 * 65536
