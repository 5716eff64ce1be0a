"""The comparison behind `make demo-check`: it must see every kind of wrong."""

from typing import Any

import pytest

from apps.operations.demo_verdicts import compare, survival_differences

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


@pytest.mark.parametrize(
    ("changes", "is_about"),
    [
        ({"session": "solar-100b-7"}, True),
        ({"session": "solar-100b-7", "attempt": 1}, True),
        ({"session": "solar-100b-7", "attempt": 2}, False),
        ({"session": None, "sessions": [{"name": "x"}, {"name": "solar-100b-7"}]}, True),
        ({"session": {"name": "solar-100b-7", "attempt": 2}, "attempt": 1}, False),
    ],
)
def test_an_incident_is_of_a_scenario_by_its_session_and_attempt(
    changes: dict[str, Any], *, is_about: bool
) -> None:
    found = compare(truth=TRUTH, incidents=seen(**changes), tenants=TENANTS)
    assert ("no incident yet" not in found.differences) is is_about


def test_what_stopped_goes_before_what_merely_slowed() -> None:
    slow = INCIDENT | {"id": "INC-SLOW", "kind": "slow", "layer": "network"}
    incidents = {slug: [slow, *own] for slug, own in EVERYWHERE.items() if own}
    assert compare(truth=TRUTH, incidents=incidents, tenants=TENANTS).is_right


@pytest.mark.parametrize(
    ("wanted", "said", "is_right"),
    [("possible", "likely", True), ("possible", "unknown", False), ("likely", "possible", False)],
)
def test_where_a_possible_answer_is_asked_for_a_likely_one_is_no_mistake(
    wanted: str, said: str, *, is_right: bool
) -> None:
    truth = TRUTH | {"expect": TRUTH["expect"] | {"status": wanted}}
    found = compare(truth=truth, incidents=seen(verdict_status=said), tenants=TENANTS)
    assert found.is_right is is_right


@pytest.mark.parametrize(
    ("culprit", "named", "is_same"),
    [
        ({"kind": "node", "host": "gpu017"}, {"kind": "node", "host": "gpu017", "gpu": 3}, True),
        ({"kind": "node", "host": "gpu017"}, {"kind": "gpu", "host": "gpu017"}, False),
        ({"kind": "node", "host": "gpu017"}, {"kind": "node", "host": "gpu018"}, False),
        ({"kind": "server", "name": "nas1"}, {"kind": "server", "name": "nas2"}, False),
        ({"kind": "gpu", "host": "a", "gpu": 0}, {"kind": "gpu", "host": "a", "gpu": 0}, True),
        ({"kind": "gpu", "host": "a", "gpu": 0}, {"kind": "gpu", "host": "a"}, False),
    ],
)
def test_a_culprit_is_the_same_by_all_that_the_truth_says_of_it(
    culprit: dict[str, Any], named: dict[str, Any], *, is_same: bool
) -> None:
    truth = TRUTH | {"culprits": [culprit]}
    assert compare(truth=truth, incidents=seen(culprits=[named]), tenants=TENANTS).is_right is (
        is_same
    )


def test_the_line_says_what_was_expected_and_what_is_seen() -> None:
    found = compare(truth=TRUTH, incidents=EVERYWHERE, tenants=TENANTS)
    assert found.expected == "likely gpu/nvlink-error gpu017 GPU 3"
    assert found.seen == "INC-7K3F likely gpu/nvlink-error gpu017 GPU 3"
    nobody = TRUTH | {"culprits": [{"kind": "switch"}]}
    none = compare(truth=nobody, incidents={}, tenants=TENANTS)
    assert (none.expected, none.seen) == ("likely gpu/nvlink-error switch", "no incident")


SURVIVED = TRUTH | {"survived": {"state": "degraded", "lost_gpus": 2, "alive_gpus": 14}}
ATTEMPT = {"number": 1, "degraded": True, "lost_gpus": 2, "alive_gpus": 14, "ended_at": None}


def test_a_job_that_went_on_has_an_incident_of_its_own_kind_and_no_stop() -> None:
    stop, lived = INCIDENT | {"kind": "stop"}, INCIDENT | {"id": "INC-2", "kind": "degraded"}
    for seen_ones, differences in (([stop], ["no incident yet"]), ([stop, lived], [])):
        views = {"aurora": seen_ones, "northwind": seen_ones, "lumen": []}
        found = compare(truth=SURVIVED, incidents=views, tenants=TENANTS)
        assert found.differences == differences


@pytest.mark.parametrize(
    ("changes", "differences"),
    [
        ({}, []),
        ({"degraded": False}, ["degraded False instead of True"]),
        ({"alive_gpus": 16}, ["alive_gpus 16 instead of 14"]),
        ({"ended_at": "2026-11-21T02:00:00Z"}, ["ended_at 2026-11-21T02:00:00Z instead of None"]),
        ({"number": 2}, ["degraded None instead of True", "lost_gpus None instead of 2"]),
    ],
)
def test_what_the_portal_says_of_its_attempt_is_compared(
    changes: dict[str, Any], differences: list[str]
) -> None:
    found = survival_differences(truth=SURVIVED, attempts=[ATTEMPT | changes])
    assert found[: len(differences) or None] == differences


def test_of_a_job_that_stopped_nothing_is_compared() -> None:
    assert survival_differences(truth=TRUTH | {"survived": None}, attempts=[]) == []
