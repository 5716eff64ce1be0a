"""What a party reads of a header by its parts and the blamed layer, and what stays hidden."""

from types import SimpleNamespace
from typing import Any

import pytest

from apps.incidents.projection.access import known_parties
from apps.incidents.projection.rights import (
    PartyRights,
    actions_for,
    coverage_for,
    culprits_for,
    missing_for,
    party_rights,
    restart_for,
)

WHOLE = PartyRights(sees_culprit=True, sees_session=True)
ANSWERS = PartyRights(sees_culprit=True, sees_session=False)
OUTSIDE = PartyRights(sees_culprit=False, sees_session=False)


@pytest.mark.parametrize(
    ("parts", "layers", "rights"),
    [
        (["tenant"], [], WHOLE),
        (["platform"], [], WHOLE),
        (["operator", "gpu_vendor"], [], WHOLE),
        (["gpu_vendor"], [], ANSWERS),
        (["network_vendor"], [], OUTSIDE),
        (["network_vendor"], ["gpu"], ANSWERS),
        (["gpu_vendor"], ["network"], OUTSIDE),
        (["tenant"], ["network"], WHOLE),
    ],
)
def test_who_sees_sessions_or_answers_for_the_layer_sees_the_culprit(
    parts: list[str], layers: list[str], rights: PartyRights
) -> None:
    assert party_rights(parts=parts, layers=layers, blamed_layer="gpu") == rights


@pytest.mark.parametrize(("rights", "is_seen"), [(WHOLE, True), (ANSWERS, True), (OUTSIDE, False)])
def test_culprits_and_hosts_to_act_on_are_for_who_sees_the_culprit(
    rights: PartyRights, *, is_seen: bool
) -> None:
    culprits, actions = [{"host": "gpu017"}], [{"do": "drain", "hosts": ["gpu017"]}]
    assert culprits_for(culprits, rights=rights) == (culprits if is_seen else None)
    hosts = [each["hosts"] for each in actions_for(actions, rights=rights)]
    assert hosts == [["gpu017"] if is_seen else None]


def test_the_advice_of_a_restart_names_no_hosts_to_who_does_not_see_the_culprit() -> None:
    told = {"advice": "restart-without-hosts", "exclude_hosts": ["gpu017"]}
    cause = "gpu.fallen_off_bus"
    assert restart_for(told, rights=ANSWERS, cause=cause) == told
    assert restart_for(told, rights=OUTSIDE, cause=cause)["exclude_hosts"] is None
    assert told["exclude_hosts"] == ["gpu017"]


@pytest.mark.parametrize(("rights", "is_seen"), [(WHOLE, True), (ANSWERS, False), (OUTSIDE, False)])
def test_hosts_without_a_source_are_for_who_sees_sessions(
    rights: PartyRights, *, is_seen: bool
) -> None:
    coverage = coverage_for([{"source": "kernel", "missing_hosts": ["gpu017"]}], rights=rights)
    missing = missing_for([{"source": "kernel", "hosts": ["gpu017"]}], rights=rights)
    shown = ["gpu017"] if is_seen else None
    assert coverage == [{"source": "kernel", "missing_hosts": shown}]
    assert missing == [{"source": "kernel", "hosts": shown}]


PARTIES = [
    {"organization": 1, "parts": ["tenant"]},
    {"organization": 2, "parts": ["tenant"]},
    {"organization": 3, "parts": ["operator", "tenant"]},
    {"organization": 4, "parts": ["gpu_vendor"]},
]


@pytest.mark.parametrize(
    ("reader", "known"),
    [(1, [1, 3, 4]), (2, [2, 3, 4]), (3, [1, 2, 3, 4]), (4, [1, 2, 3, 4]), (5, [1, 2, 3, 4])],
)
def test_a_tenant_does_not_learn_of_other_tenants(reader: int, known: list[int]) -> None:
    incident: Any = SimpleNamespace(parties=PARTIES)
    found = known_parties(incident=incident, organization_id=reader)
    assert [each["organization"] for each in found] == known
