"""A block of facts is a set of bounded size, the same whatever came first."""

from itertools import permutations

import pytest

from apps.telemetry.recovery import fact_blocks
from apps.training.in_job.recovery_facts import FactPart, RecoveryFact, fact_of_json

AT = 1_795_222_800.0


def fact(**said: object) -> RecoveryFact:
    """Return a fact."""
    return fact_of_json({"event": "replica_lost", "at": AT, "replica": "a", "gpus": 8, **said})


def test_what_is_packed_comes_back() -> None:
    told = [fact(), fact(replica="b\tc"), fact(id="7")]
    facts = fact_blocks.merged({}, told, part=FactPart.CHANGES).facts
    assert fact_blocks.unpacked(fact_blocks.packed(facts)) == facts
    assert {each["replica"] for each in fact_blocks.records(facts)} == {
        "a",
        "b\N{REPLACEMENT CHARACTER}c",
    }
    assert fact_blocks.unpacked(b"") == {}


def test_the_order_does_not_matter() -> None:
    told = [fact(), fact(id="1"), fact(id="1", gpus=4), fact(at=AT + 1), fact()]
    bodies = set()
    for some in permutations(told):
        facts: fact_blocks.Facts = {}
        for each in some:
            facts = fact_blocks.merged(facts, [each], part=FactPart.CHANGES).facts
        bodies.add(fact_blocks.packed(facts))
    assert len(bodies) == 1


def test_of_heartbeats_of_a_while_the_oldest_stays() -> None:
    told = [
        fact_of_json({"event": "heartbeat", "at": AT + at, "replica": "a", "age_seconds": age})
        for at, age in ((0, 6.0), (1, 31.5), (2, 7.0), (700, 9.0))
    ]
    facts = fact_blocks.merged({}, told, part=FactPart.CHANGES).facts
    assert sorted(each["age_seconds"] for each in fact_blocks.records(facts)) == [9.0, 31.5]


def test_a_full_block_takes_what_it_knows_and_nothing_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fact_blocks, "MOST_FACTS", {FactPart.CHANGES: 1})
    first = fact_blocks.merged({}, [fact()], part=FactPart.CHANGES)
    again = fact_blocks.merged(first.facts, [fact(), fact(gpus=1)], part=FactPart.CHANGES)
    assert not again.has_changed
    assert again.left_out == {fact(gpus=1).key}


def test_a_block_that_is_large_enough_takes_nothing_new_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = fact_blocks.merged({}, [fact()], part=FactPart.CHANGES)
    size = sum(len(key) + len(text) for key, (_, text) in first.facts.items())
    for most, left_out in ((size, set()), (size - 1, {fact(gpus=1).key})):
        monkeypatch.setattr(fact_blocks, "MOST_BYTES", most)
        again = fact_blocks.merged(first.facts, [fact(gpus=1)], part=FactPart.CHANGES)
        assert again.left_out == left_out
