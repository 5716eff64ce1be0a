"""One host under several names; what could be two is nobody."""

from apps.fleet.hosts.host_names import resolve, short, unambiguous

TABLE = unambiguous(
    names=[
        ("gpu001", ["gpu001.dc.example", "10.0.0.1", "10.0.9.9"]),
        ("gpu002", ["gpu002.dc.example", "10.0.0.2", "10.0.9.9"]),
    ]
)


def test_an_address_is_not_shortened() -> None:
    assert short(name="10.0.0.1") == "10.0.0.1"
    assert short(name="GPU001.dc.example.") == "gpu001"


def test_fqdn_address_and_short_name_are_one_host() -> None:
    spelt = ("10.0.0.1", "gpu001.dc.example", "GPU001", "gpu001")
    assert {resolve(name=each, aliases=TABLE) for each in spelt} == {"gpu001"}
    assert resolve(name="gpu002", aliases=TABLE) == "gpu002"


def test_an_address_of_two_hosts_means_neither() -> None:
    assert resolve(name="10.0.9.9", aliases=TABLE) == "10.0.9.9"
