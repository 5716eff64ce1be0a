"""The comparison behind `make demo-check`: it must see every kind of wrong."""

from typing import Any

import pytest

from apps.operations.demo_verdicts import compare

TRUTH: dict[str, Any] = {
    "scenario": "nvlink149",
    "session": "solar-100b-7",
    "attempt": 1,
    "organization": "northwind",
    "layer": "gpu",
    "cause": "nvlink-error",
    "culprits": [{"kind": "gpu", "host": "gpu017", "gpu": 3, "name": None}],
    "expect": {"incident": True, "status": "likely", "parties": ["aurora", "northwind"]},
}
INCIDENT: dict[str, Any] = {
    "id": "INC-7K3F",
    "session": {"name": "solar-100b-7", "attempt": 1},
    "layer": "gpu",
    "cause": "nvlink-error",
    "verdict_status": "likely",
    "culprits": [{"kind": "gpu", "host": "gpu017", "gpu": {"index": 3}, "name": None}],
}
TENANTS = ("northwind", "lumen")
EVERYWHERE = {"aurora": [INCIDENT], "northwind": [INCIDENT], "lumen": []}


def seen(**changes: object) -> dict[str, list[dict[str, Any]]]:
    """Return what the parties see when the incident differs in these fields."""
    changed = INCIDENT | changes
    return {"aurora": [changed], "northwind": [changed], "lumen": []}


def test_the_same_verdict_culprit_and_readers_are_right() -> None:
    assert compare(truth=TRUTH, incidents=EVERYWHERE, tenants=TENANTS).is_right


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"layer": "network"}, "layer network instead of gpu"),
        ({"cause": "xid-79"}, "cause xid-79 instead of nvlink-error"),
        ({"verdict_status": "possible"}, "verdict_status possible instead of likely"),
        ({"culprits": []}, "culprit gpu017 GPU 3 is not named"),
        (
            {"culprits": [*INCIDENT["culprits"], {"kind": "node", "host": "gpu002"}]},
            "gpu002 is named and innocent",
        ),
        (
            {"culprits": [{"kind": "gpu", "host": "gpu017", "gpu": {"index": 4}}]},
            "culprit gpu017 GPU 3 is not named",
        ),
        ({"session": {"name": "solar-100b-7", "attempt": 2}}, "no incident yet"),
    ],
)
def test_a_difference_is_named(changes: dict[str, Any], says: str) -> None:
    assert says in compare(truth=TRUTH, incidents=seen(**changes), tenants=TENANTS).differences


def test_a_party_that_sees_too_much_and_one_that_sees_too_little_are_named() -> None:
    incidents = {"aurora": [], "northwind": [INCIDENT], "lumen": [INCIDENT]}

    assert compare(truth=TRUTH, incidents=incidents, tenants=TENANTS).differences == [
        "aurora can't see it",
        "lumen sees it and must not",
    ]


def test_who_supplies_the_cluster_may_read_the_header_but_not_the_culprit() -> None:
    header = INCIDENT | {"culprits": None}

    for shown, is_right in ((header, True), (INCIDENT, False)):
        incidents = EVERYWHERE | {"strata": [shown]}
        assert compare(truth=TRUTH, incidents=incidents, tenants=TENANTS).is_right == is_right


def test_an_incident_where_nothing_broke_is_wrong_and_none_is_right() -> None:
    healthy = TRUTH | {"expect": {"incident": False, "status": None, "parties": []}}

    assert not compare(truth=healthy, incidents=EVERYWHERE, tenants=TENANTS).is_right
    assert compare(truth=healthy, incidents={"northwind": []}, tenants=TENANTS).is_right


def test_an_unknown_verdict_names_neither_layer_nor_cause() -> None:
    unknown = TRUTH | {
        "culprits": [],
        "expect": TRUTH["expect"] | {"status": "unknown"},
    }
    honest = seen(verdict_status="unknown", layer="unknown", cause="unknown", culprits=[])

    assert compare(truth=unknown, incidents=honest, tenants=TENANTS).is_right
    assert not compare(truth=unknown, incidents=EVERYWHERE, tenants=TENANTS).is_right
