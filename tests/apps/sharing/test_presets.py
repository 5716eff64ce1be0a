"""Presets: what each side gives by its parts, and by the layers that either answers for."""

import pytest

from apps.sharing.presets.preset_terms import AgreementSide, preset_names, preset_terms
from apps.sharing.terms import Level, Place, plain_terms, read_terms

PARTS = ("operator", "tenant", "platform", "gpu_vendor", "network_vendor", "storage_vendor")


def side(slug: str, *parts: str, layers: tuple[str, ...] = ()) -> AgreementSide:
    return AgreementSide(slug=slug, parts=frozenset(parts), layers=frozenset(layers))


def given(preset: str, giver: AgreementSide, reader: AgreementSide) -> dict[tuple[str, str], Level]:
    terms = preset_terms(name=preset, sides=(giver, reader))
    return {(rule.data, rule.where): rule.level for rule in terms[giver.slug]}


def test_joint_operations_is_offered_first() -> None:
    assert preset_names() == ("joint-operations", "open-book", "closed")


def test_closed_gives_nothing() -> None:
    for giver in PARTS:
        for reader in PARTS:
            sides = (side("a", giver, layers=("gpu",)), side("b", reader, layers=("gpu",)))
            assert preset_terms(name="closed", sides=sides) == {"a": (), "b": ()}


@pytest.mark.parametrize("name", preset_names())
def test_every_pair_of_parts_makes_terms_that_can_be_read_back(name: str) -> None:
    for giver in PARTS:
        for reader in PARTS:
            sides = (side("a", giver, layers=("gpu",)), side("b", reader, layers=("network",)))
            terms = preset_terms(name=name, sides=sides)
            assert read_terms(plain_terms(terms), sides=["a", "b"]) == terms


def test_a_tenant_reads_the_operator_s_facts_of_its_own_sessions_alone() -> None:
    rules = given("joint-operations", side("aurora", "operator"), side("solar", "tenant"))

    assert rules["metrics:*", Place.OWN_SESSIONS] is Level.FULL
    assert rules["logs:*", Place.OWN_SESSIONS] is Level.REDACTED
    assert {where for _, where in rules} == {Place.OWN_SESSIONS}


def test_a_vendor_reads_its_own_layers_where_they_are_blamed() -> None:
    vendor = side("verdant", "gpu_vendor", layers=("gpu",))
    rules = given("joint-operations", side("aurora", "operator"), vendor)

    assert rules["events:gpu", Place.BLAMED] is Level.FULL
    assert not [
        data for data, _ in rules if data.startswith(("events", "metrics")) and "gpu" not in data
    ]
    assert {where for _, where in rules} == {Place.BLAMED}


def test_what_a_session_prints_is_never_given_in_full() -> None:
    for name in preset_names():
        for reader in PARTS:
            rules = given(name, side("solar", "tenant"), side("b", reader, layers=("gpu",)))
            printed = [
                level for (data, _), level in rules.items() if data.startswith(("logs", "events"))
            ]
            assert Level.FULL not in printed


def test_tenants_and_vendors_give_each_other_nothing_by_joint_operations() -> None:
    vendors = [side("a", part, layers=("gpu",)) for part in PARTS[3:]]
    assert not any(given("joint-operations", x, side("b", "network_vendor")) for x in vendors)
    assert given("joint-operations", side("a", "tenant"), side("b", "tenant")) == {}


@pytest.mark.parametrize("name", ["joint-operations", "open-book"])
def test_a_tenant_shows_operator_and_platform_alone_how_its_sessions_get_on(name: str) -> None:
    for reader in PARTS:
        rules = given(name, side("solar", "tenant"), side("b", reader, layers=("gpu",)))
        shown = rules.get(("sessions", Place.CLUSTER))
        assert shown is (Level.FULL if reader in ("operator", "platform") else None), reader


def test_of_two_parts_the_one_that_shows_more_holds() -> None:
    both = side("aurora", "operator", "storage_vendor", layers=("host", "storage"))
    rules = given("joint-operations", both, side("solar", "platform"))

    assert rules["metrics:*", Place.CLUSTER] is Level.FULL
    assert rules["metrics:storage", Place.CLUSTER] is Level.FULL


def test_an_unknown_preset_is_none() -> None:
    with pytest.raises(KeyError):
        preset_terms(name="wide-open", sides=(side("a", "operator"), side("b", "tenant")))
