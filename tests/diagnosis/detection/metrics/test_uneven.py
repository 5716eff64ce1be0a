"""An exporter that is missing on 3 of 63 hosts is missed by name, and nothing else is."""

from apps.diagnosis.detection.metrics.coverage.uneven import uneven

HOSTS = [f"gpu{number:03}" for number in range(1, 64)]
DEAD = HOSTS[:3]


def test_an_exporter_that_few_hosts_lack_is_told_once_with_its_hosts() -> None:
    alive = HOSTS[3:]
    heard = {"gpu.temperature": alive, "gpu.power": alive, "node.load": HOSTS}
    (found,) = uneven(heard)
    assert (found.what, found.missing, found.host_count) == ("dcgm", tuple(DEAD), 63)
    assert set(found.signals) == {"gpu.temperature", "gpu.power"}


def test_a_family_that_few_hosts_lack_is_told_by_its_name() -> None:
    heard = {"gpu.temperature": HOSTS, "gpu.nvlink.crc": HOSTS[1:], "node.load": HOSTS}
    (found,) = uneven(heard)
    assert (found.what, found.missing) == ("dcgm: nvlink", (HOSTS[0],))


def test_what_few_hosts_have_is_another_kind_of_node() -> None:
    assert uneven({"node.load": HOSTS, "nfsd.requests": HOSTS[:2]}) == ()


def test_among_three_hosts_nobody_can_say_what_is_usual() -> None:
    assert uneven({"node.load": HOSTS[:3], "gpu.power": HOSTS[:2]}) == ()


def test_hosts_that_have_all_and_names_of_no_signal_say_nothing() -> None:
    assert uneven({"node.load": HOSTS, "gpu.power": HOSTS, "frob": HOSTS[:50]}) == ()
    assert uneven({}) == ()
