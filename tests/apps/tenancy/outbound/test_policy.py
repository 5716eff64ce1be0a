"""What the portal may reach. A refusal must come before any packet."""

import ipaddress
import socket

import pytest
from django.test import override_settings

from apps.offline.series.series_server import address_of_url
from apps.tenancy.outbound import own_addresses
from apps.tenancy.outbound.guarded_http import GuardedSession
from apps.tenancy.outbound.policy import (
    OutboundRefused,
    Policy,
    address_of,
    is_public,
    policy_for,
)
from apps.tenancy.outbound.url_validation import check_address
from tests.apps.tenancy.outbound.answering_server import Server


def _own() -> str:
    """Return an address of this machine on a network, nothing where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("8.8.8.8", 9))  # datagrams: which way they would go, no packet
        except OSError:
            return ""
        return str(probe.getsockname()[0])


OWN = _own()


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
        "http://h/\r\nX: y", "http://h/\tx", "http://h/ x", "http://h/\u202ex", "\x1bhttp://h/",
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
    with pytest.raises(OutboundRefused, match=r"not public.*Private networks it may lead to"):
        policy.addresses("mixed.example", 443)


def test_name_without_an_address_is_refused_in_words() -> None:
    def fails(_host: str, _port: int) -> list[str]:
        raise socket.gaierror("no such name")

    with pytest.raises(OutboundRefused, match="name is unknown"):
        Policy(resolver=fails).addresses("nowhere.example", 443)


def test_ports_of_public_addresses_are_listed_ones() -> None:
    policy = Policy(resolver=lambda _host, _port: ["8.8.8.8"])
    assert policy.addresses("h.example", 9090) == ["8.8.8.8"]
    with pytest.raises(OutboundRefused, match="port"):
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


EVERYTHING = ["0.0.0.0/0", "::/0", "10.0.0.0/8", "127.0.0.0/8", "nonsense"]


@override_settings(PORTAL_OUTBOUND_NETWORKS=[])
def test_an_organizations_list_opens_nothing_by_itself() -> None:
    assert policy_for(allowed_networks=EVERYTHING).networks == ()


@override_settings(PORTAL_OUTBOUND_NETWORKS=["10.1.0.0/16", "fd12::/48"])
def test_an_organization_reaches_what_its_list_and_the_operators_share() -> None:
    shared = policy_for(allowed_networks=EVERYTHING).networks
    assert set(shared) == {ipaddress.ip_network(each) for each in ("10.1.0.0/16", "fd12::/48")}
    assert policy_for(allowed_networks=["10.1.2.0/24"]).networks == (
        ipaddress.ip_network("10.1.2.0/24"),
    )
    assert policy_for(allowed_networks=[]).networks == ()


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.1", "0.1.2.3", "169.254.169.254", "224.0.0.1", "240.0.0.1", "255.255.255.255",
        "192.88.99.1", "100.100.100.200", "168.63.129.16",
        "::", "::127.0.0.1", "::10.1.2.3", "::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::1",
        "100::1", "2001:0:1::1", "2001:20::1", "2002:7f00:1::", "5f00::1", "fe80::1",
        "fe80::1%eth0",
        "::1%lo", "127.0.0.1%lo", "fd00::1%eth0", "fec0::1", "ff02::1", "fd00:ec2::254",
        "2606:4700::5efe:a9fe:a9fe", "fd00::200:5efe:7f00:1",
    ],
)  # fmt: skip
def test_no_list_opens_what_stands_for_another_address_or_for_nobody(text: str) -> None:
    networks = (ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0"))
    policy = Policy(networks=networks, resolver=lambda _host, _port: [text])
    with pytest.raises(OutboundRefused):
        policy.addresses("listed.example", 443)


@pytest.mark.parametrize("text", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
def test_a_wide_list_does_not_open_this_machine_along_with_the_rest(text: str) -> None:
    networks = (ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0"))
    policy = Policy(networks=networks, resolver=lambda _host, _port: [text])
    with pytest.raises(OutboundRefused):
        policy.addresses("listed.example", 9090)


@pytest.mark.skipif(
    not OWN, reason="no address but loopback: give this machine a network to try it"
)
def test_own_addresses_are_opened_one_by_one_and_never_along_with_their_network() -> None:
    own = ipaddress.ip_address(OWN)
    wide = ipaddress.ip_network(f"{own}/{own.max_prefixlen - 8}", strict=False)
    resolver = lambda _host, _port: [OWN]  # noqa: E731
    with pytest.raises(OutboundRefused):
        Policy(networks=(wide,), resolver=resolver).addresses("me.example", 9090)
    with pytest.raises(OutboundRefused):
        Policy(resolver=resolver).addresses("me.example", 9090)
    alone = (ipaddress.ip_network(OWN),)
    assert Policy(networks=alone, resolver=resolver).addresses("me.example", 9090) == [OWN]


def test_the_portals_own_servers_are_not_reached_along_with_their_network() -> None:
    networks = (ipaddress.ip_network("10.0.0.0/8"),)
    policy = Policy(networks=networks, resolver=lambda _host, _port: ["10.1.2.3"])
    with override_settings(PORTAL_REDIS_URL="redis://:word@10.1.2.3:6379/0"):
        own_addresses._servers.cache_clear()
        with pytest.raises(OutboundRefused):
            policy.addresses("queue.example", 9090)
    own_addresses._servers.cache_clear()
    assert policy.addresses("queue.example", 9090) == ["10.1.2.3"]


def test_a_machine_that_lets_anything_be_bound_to_still_tells_its_own_from_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket.socket, "bind", lambda *_: None)
    monkeypatch.setattr(socket.socket, "connect", lambda *_: None)
    monkeypatch.setattr(socket.socket, "getsockname", lambda _: ("10.9.9.9", 1))
    assert not own_addresses.is_here(address=ipaddress.ip_address("10.1.2.3"))
    assert own_addresses.is_here(address=ipaddress.ip_address("10.9.9.9"))


@pytest.mark.parametrize("port", [22, 25, 2375, 5432, 6379, 10250])
def test_ports_of_other_services_stay_closed_in_a_listed_network(port: int) -> None:
    networks = (ipaddress.ip_network("10.1.0.0/16"),)
    policy = Policy(networks=networks, resolver=lambda _host, _port: ["10.1.2.3"])
    with pytest.raises(OutboundRefused):
        policy.addresses("prom.cl", port)


def test_every_refusal_of_an_address_reads_the_same() -> None:
    def fails(_host: str, _port: int) -> list[str]:
        raise socket.gaierror("no such name")

    answers = [["10.0.0.1"], ["127.0.0.1"], ["169.254.169.254"], ["8.8.8.8"], []]
    resolvers = [fails, *(lambda _host, _port, found=found: found for found in answers)]
    said = set()
    for resolver in resolvers:
        with pytest.raises(OutboundRefused) as refused:
            Policy(resolver=resolver).addresses("h.example", 2222)
        said.add(str(refused.value))
    with pytest.raises(OutboundRefused) as refused:
        check_address(url="https://portal.internal/", policy=Policy())
    assert said == {str(refused.value)}


def test_who_runs_the_portal_reads_in_the_log_what_would_open_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(OutboundRefused) as refused:
        Policy().addresses("127.0.0.1", 9090)
    (line,) = caplog.records
    assert "PORTAL_OUTBOUND_NETWORKS and start the portal again" in vars(line)["why"]
    assert "PORTAL_" not in str(refused.value)
    assert "reads in its log which setting opens it, and starts it again" in str(refused.value)


def test_a_person_at_a_terminal_asks_any_server(server: Server) -> None:
    policy = address_of_url(server.url).policy
    assert GuardedSession(url=server.url, policy=policy).get(server.url).status_code == 200
