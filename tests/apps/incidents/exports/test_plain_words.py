"""Files for people tell in words what the interface tells by slugs and codes."""

from typing import Any

import pytest

from apps.incidents.exports.plain_words import (
    PartyNames,
    blamed_text,
    cause_text,
    certainty_text,
    hosts_heard,
    lane_text,
    layer_text,
    place_text,
    roles_text,
    source_text,
)

INCIDENT = {"parties": [{"slug": "aurora", "name": "Aurora Cloud", "parts": ["operator"]}]}


def _part(**said: Any) -> dict[str, Any]:
    gpu = {"index": 6, "uuid": "b328ec5b", "pci": "0000:d1:00.0"}
    return {"kind": "gpu", "host": "gpu044", "rank": 38, "gpu": gpu, "name": None, **said}


def test_a_blamed_gpu_is_named_by_its_number_and_address() -> None:
    assert blamed_text([_part()]) == "GPU 6 (0000:d1:00.0) on gpu044"
    other = _part(kind="nic", gpu=None, name="mlx5_1", rank=None)
    assert blamed_text([_part(), other]).endswith("; mlx5_1 on gpu044")
    assert blamed_text(None) == ""


@pytest.mark.parametrize(
    ("present", "expected", "said"),
    [(9, 9, "9 of 9 hosts"), (1, 0, "1 host"), (3, 0, "3 hosts"), (0, 0, ""), (None, 3, "")],
)
def test_a_source_of_which_no_hosts_are_expected_counts_those_that_came(
    present: int | None, expected: int, said: str
) -> None:
    assert hosts_heard({"hosts_present": present, "hosts_expected": expected}) == said


def test_slugs_are_words() -> None:
    assert roles_text(["gpu_vendor", "network_vendor"]) == "GPU vendor, network vendor"
    assert (layer_text("gpu"), layer_text(None)) == ("GPU", "Unknown")
    assert cause_text("gpu-ecc-uncorrectable") == "Uncorrectable memory error"
    assert source_text("fabric-log") == "Fabric logs"
    assert (lane_text("application"), lane_text("portal")) == ("Application / NCCL", "Portal")


@pytest.mark.parametrize(
    ("status", "said"), [("likely", "likely, 95%"), ("unknown", "not settled")]
)
def test_nothing_is_so_many_percent_sure_of_an_unknown_cause(status: str, said: str) -> None:
    assert certainty_text({"verdict_status": status, "probability": 0.95}) == said


def test_a_party_is_called_by_its_name() -> None:
    names = PartyNames(INCIDENT)
    assert names.of("aurora") == "Aurora Cloud"
    assert (names.of("gone"), names.of(None)) == ("gone", "")
    shared = {"organization": "aurora", "level": "full"}
    assert names.shared(shared) == "shown by Aurora Cloud, in full"
    assert names.shared(shared, beside="aurora") == "shown in full"


@pytest.mark.parametrize(
    ("host", "gpu", "ranks", "said"),
    [
        ("gpu044", 6, [12], "gpu044, GPU 6, rank 12"),
        ("gpu044", 0, [], "gpu044, GPU 0"),
        (None, None, [3, 4], "2 ranks"),
        (None, None, None, ""),
    ],
)
def test_a_place_is_as_exact_as_it_is_shown(
    host: str | None, gpu: int | None, ranks: list[int] | None, said: str
) -> None:
    assert place_text({"host": host, "detail": {"gpu": gpu}, "ranks": ranks}) == said
