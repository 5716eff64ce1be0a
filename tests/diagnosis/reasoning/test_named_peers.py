"""Retries that ran out: the printer is the victim, the peer that several name is to blame."""

from dataclasses import replace

import pytest

from apps.diagnosis.model import Event, Layer, Observation, Placement, Role
from apps.diagnosis.reasoning.observations.named_peers import at_odds, blamed
from tests.diagnosis.events import event

HOSTS = frozenset({"n1", "n2", "n3", "n4"})
ADDRESSES = {"10.0.0.3": "n3"}


def _retry(host: str, peer: str, status: str = "12") -> Observation:
    return _told(event("nccl-ib-wc-error", host=host, peer=peer, wc_status=status))


def _told(*events: Event) -> Observation:
    hosts = tuple(sorted({one.line.host or "" for one in events}))
    return Observation(
        sign=events[0].signature,
        role=Role.INITIATING,
        layer=Layer.NETWORK,
        fields=events[0].fields,
        host=hosts[0] if len(hosts) == 1 else None,
        hosts=hosts,
        events=events,
    )


def _hosts(*told: Observation) -> list[str | None]:
    found = blamed(
        observations=told, addresses=ADDRESSES, hosts=HOSTS, host_of=lambda one: one.line.host
    )
    return [one.host for one in found]


def test_retries_of_several_hosts_to_one_peer_stand_on_the_peer() -> None:
    assert _hosts(_retry("n1", "10.0.0.3"), _retry("n2", "n3.cluster.local")) == ["n3", "n3"]


def test_one_host_that_names_a_peer_may_be_the_broken_one() -> None:
    assert _hosts(_retry("n1", "10.0.0.3")) == ["n1"]


def test_hosts_that_name_each_other_settle_nothing() -> None:
    pairs = [("n1", "n2"), ("n2", "n1"), ("n3", "n1"), ("n4", "n2")]
    told = [_retry(host, peer) for host, peer in pairs]
    assert _hosts(*told) == [*(host for host, _ in pairs), "n1", "n2"]


def test_an_error_of_its_own_end_stays_with_the_printer() -> None:
    assert _hosts(_retry("n1", "n3", status="4"), _retry("n2", "n3", status="4")) == ["n1", "n2"]


def test_an_address_that_nobody_mapped_is_blamed_as_it_is() -> None:
    lost = (_retry("n1", "10.9.9.9"), _retry("n2", "10.9.9.9"))
    assert _hosts(*lost) == ["10.9.9.9", "10.9.9.9"]


def test_a_name_that_is_no_host_of_the_session_is_nobody_to_blame() -> None:
    assert _hosts(_retry("n1", "elsewhere"), _retry("n2", "elsewhere")) == ["n1", "n2"]


def test_flushed_requests_beside_lost_retries_do_not_hide_the_peer() -> None:
    pairs = [
        _told(
            event("nccl-ib-wc-error", host=host, peer="10.0.0.3", wc_status="12"),
            event("nccl-ib-wc-error", host=host, peer="10.0.0.3", wc_status="5"),
        )
        for host in ("n1", "n2")
    ]
    assert _hosts(*pairs) == ["n3", "n3"]


def test_connections_of_several_hosts_without_an_answer_stand_on_the_other_end() -> None:
    text = "socketProgressOpt: Call to recv from 10.0.0.3<40000> failed : No route to host"
    lost = [
        event("nccl-socket-io-failed", host=host, peer="10.0.0.3", text=text)
        for host in ("n1", "n2", "n4")
    ]
    assert _hosts(_told(*lost)) == ["n3"]


def test_a_connection_that_was_reset_did_get_an_answer() -> None:
    text = "socketProgressOpt: Call to recv from 10.0.0.3<40000> failed : Connection reset by peer"
    lost = [
        event("nccl-socket-io-failed", host=host, peer="10.0.0.3", text=text)
        for host in ("n1", "n2", "n4")
    ]
    assert _hosts(_told(*lost)) == [None]


def test_a_store_that_nobody_reaches_is_to_blame_not_its_clients() -> None:
    lost = [event("c10d-connect-failed", host=host, addr="n3.cluster.local") for host in HOSTS]
    assert _hosts(*(_told(one) for one in lost if one.line.host != "n3")) == ["n3"] * 3


def test_another_version_on_one_rank_is_about_the_host_of_that_rank() -> None:
    told = [
        _told(event("nccl-version-mismatch", host=host, fields={"rank": "0", "rank2": "9"}))
        for host in ("n1", "n2", "n3")
    ]
    found = at_odds(observations=told, placements=[Placement(rank=9, host="n2")])
    assert {one.host for one in found} == {"n2"}


def _connect(host: str, peer: str, why: str, sign: str = "nccl-socket-connect-failed") -> Event:
    text = f"socketStartConnect: Connect to {peer}<40000> failed : {why}"
    return event(sign, host=host, peer=peer, text=text)


@pytest.mark.parametrize("why", ["Connection refused", "No route to host", "Connection timed out"])
def test_a_connection_that_one_host_could_not_make_is_about_its_other_end(why: str) -> None:
    assert _hosts(_told(_connect("n1", "10.0.0.3", why))) == ["n3"]
    assert _hosts(_told(_connect("n1", "10.9.9.9", why))) == ["10.9.9.9"]


def test_who_refuses_is_never_the_printer_even_where_nobody_says_who_it_is() -> None:
    line = event("connection-refused", host="n1", text="ConnectionRefusedError: Connection refused")
    elsewhere = event("connection-refused", host="n1", text="connect to hub: Connection refused")
    assert _hosts(_told(line)) == _hosts(_told(elsewhere)) == [None]


def test_a_host_without_a_way_out_is_to_blame_itself() -> None:
    assert _hosts(_told(_connect("n1", "10.0.0.3", "Network is unreachable"))) == ["n1"]


def test_a_host_that_loses_several_others_may_be_the_broken_one() -> None:
    lost = [_told(_connect("n1", peer, "Connection timed out")) for peer in ("10.0.0.3", "n2")]
    assert _hosts(*lost) == ["n1", "n1"]


def test_of_two_that_time_out_on_each_other_neither_is_named() -> None:
    told = [_told(_connect(host, peer, "timed out")) for host, peer in (("n1", "n2"), ("n2", "n1"))]
    assert _hosts(*told) == ["n1", "n2", "n1", "n2"]


def test_what_a_host_refuses_itself_is_its_own() -> None:
    assert _hosts(_told(_connect("n1", "127.0.0.1", "Connection refused"))) == ["n1"]


@pytest.mark.parametrize(
    ("sign", "text", "peer"),
    [
        ("gloo-connect-failed", "SO_ERROR: Connection refused, remote=[10.2.0.4]:4001", "10.2.0.4"),
        ("connection-refused", "dial tcp 10.2.0.4:6443: connect: Connection refused", "10.2.0.4"),
        ("connect-refused-words", "connect ECONNREFUSED 10.2.0.4:29500", "10.2.0.4"),
        ("connection-refused", "Connect to n3 failed: Connection refused", "n3"),
        ("connection-refused", "connect() to [::ffff:10.2.0.4]:1024 refused", "10.2.0.4"),
        ("connect-timeout-words", "Connection timed out to 10.0.0.3", "n3"),
        ("socket-no-route", "NET/Socket : peer 10.0.0.3<40112>: No route to host", "n3"),
        ("host-unreachable-words", "connect to fe80::2%eth0: EHOSTUNREACH", "fe80::2%eth0"),
    ],
)
def test_programs_name_the_other_end_in_many_ways(sign: str, text: str, peer: str) -> None:
    assert _hosts(_told(event(sign, host="n1", text=text))) == [peer]


def test_whom_a_launcher_could_not_log_in_to_is_of_the_session() -> None:
    text = "ssh: connect to host n9 port 22: No route to host"
    lines = (
        event("ssh-words", peer="n9", text=text),
        event("ssh-words", text="pdsh@n1: n9: ssh exited with exit code 255"),
    )
    (told,) = blamed(
        observations=[replace(_told(*lines), host=None)],
        addresses={},
        hosts=frozenset(),
        host_of=lambda _: None,
    )
    assert told.host == "n9"


def test_a_connection_that_its_peer_closed_is_about_the_peer_that_one_host_names() -> None:
    assert _hosts(_told(_connect("n1", "10.0.0.3", "Connection reset by peer"))) == ["n3"]


UNREACHED = "The client socket has timed out after 15000ms while trying to connect to (n1, 29400)."


def _unreached(host: str) -> Observation:
    return _told(event("c10d-connect-timeout", host=host, peer="n1", text=UNREACHED))


def _waits(host: str, *, keys: str = "", joined: str = "") -> Observation:
    return _told(event("tcpstore-timeout", host=host, keys=keys, joined=joined))


def test_who_alone_did_not_reach_a_store_that_others_reached_stands_apart() -> None:
    assert _hosts(_unreached("n3"), _waits("n2", keys="/none/assigned_ranks/1")) == ["n3", None]
    assert _hosts(_unreached("n3"), _waits("n1", joined="2")) == ["n3", None]


def test_a_store_that_nobody_reached_is_at_fault_itself() -> None:
    assert _hosts(_unreached("n3")) == ["n1"]
    assert _hosts(_unreached("n3"), _waits("n1", joined="1")) == ["n1", None]
