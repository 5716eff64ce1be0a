"""Retries that ran out: the printer is the victim, the peer that several name is to blame."""

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
