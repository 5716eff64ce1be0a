"""Retries that ran out: the printer is the victim, the peer that several name is to blame."""

from apps.diagnosis.model import Layer, Observation, Role
from apps.diagnosis.reasoning.named_peers import blamed
from tests.diagnosis.events import NOON

HOSTS = frozenset({"n1", "n2", "n3", "n4"})
ADDRESSES = {"10.0.0.3": "n3"}


def _retry(host: str, peer: str, status: str = "12") -> Observation:
    return Observation(
        sign="nccl-ib-wc-error",
        role=Role.INITIATING,
        layer=Layer.NETWORK,
        fields={"peer": peer, "wc_status": status},
        at=NOON,
        last_at=NOON,
        host=host,
        hosts=(host,),
    )


def _hosts(*told: Observation) -> list[str | None]:
    return [one.host for one in blamed(observations=told, addresses=ADDRESSES, hosts=HOSTS)]


def test_retries_of_several_hosts_to_one_peer_stand_on_the_peer() -> None:
    assert _hosts(_retry("n1", "10.0.0.3"), _retry("n2", "n3.cluster.local")) == ["n3", "n3"]


def test_one_host_that_names_a_peer_may_be_the_broken_one() -> None:
    assert _hosts(_retry("n1", "10.0.0.3")) == ["n1"]


def test_hosts_that_name_each_other_settle_nothing() -> None:
    pairs = [("n1", "n2"), ("n2", "n1"), ("n3", "n1"), ("n4", "n2")]
    told = [_retry(host, peer) for host, peer in pairs]
    assert _hosts(*told) == [host for host, _ in pairs]


def test_an_error_of_its_own_end_stays_with_the_printer() -> None:
    assert _hosts(_retry("n1", "n3", status="4"), _retry("n2", "n3", status="4")) == ["n1", "n2"]


def test_a_peer_outside_the_session_is_nobody_to_blame() -> None:
    assert _hosts(_retry("n1", "10.9.9.9"), _retry("n2", "10.9.9.9")) == ["n1", "n2"]
