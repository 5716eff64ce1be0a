"""When two causes are each other's consequence, and when both stand."""

import pytest

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.reasoning.verdict.rank.combine import Score
from apps.diagnosis.reasoning.verdict.rank.hypotheses import _are_apart

GPU, MEMORY, SERVER = (
    load_causes()[slug] for slug in ("gpu-off-bus", "host-oom", "nfs-unavailable")
)


def _told_by(hosts: str) -> Score:
    return Score(
        prior=0.0, logit=2.0, supporting=(), opposing=(), hosts=(), told_by=frozenset(hosts.split())
    )


@pytest.mark.parametrize(
    ("of_gpu", "of_memory", "are_apart"),
    [("n1", "n2", True), ("n1", "n1", False), ("n1 n2", "n2 n3", False), ("", "n2", False)],
)
def test_causes_of_single_hosts_stand_apart_where_no_host_tells_of_both(
    of_gpu: str, of_memory: str, *, are_apart: bool
) -> None:
    assert _are_apart(_told_by(of_gpu), GPU, _told_by(of_memory), MEMORY) is are_apart


@pytest.mark.parametrize(
    ("of_gpu", "of_server", "are_apart"),
    [
        ("n1", "n1 n2 n3", True),
        ("n1", "n2", True),
        ("n1", "n1", False),
        ("n1 n2", "n1 n2", False),
        ("n1", "", False),
    ],
)
def test_a_shared_part_stands_beside_what_broke_on_one_of_the_hosts_that_miss_it(
    of_gpu: str, of_server: str, *, are_apart: bool
) -> None:
    one, other = _told_by(of_gpu), _told_by(of_server)
    assert _are_apart(one, GPU, other, SERVER) is are_apart
    assert _are_apart(other, SERVER, one, GPU) is are_apart
