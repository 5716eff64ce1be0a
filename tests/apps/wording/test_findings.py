"""What lines, dumps and metrics tell together: said in words, never as names for machines."""

import ast
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.utils.translation import override

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import Statement, statement
from apps.diagnosis.observed import FINDING, measurement
from apps.wording import headline_in_english, in_english, said
from apps.wording.kinds.findings import FINDINGS, NAMES
from tests.contracts.catalog import ROOT

REASONING = ROOT / "apps" / "diagnosis" / "reasoning"


def _names() -> Iterator[str]:
    """Yield the names that the steps of the reasoning give what several lines tell."""
    for path in sorted(REASONING.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id not in {"finding", "renamed"}:
                continue
            for given in node.args[:2]:
                yield from (
                    each.value
                    for each in ast.walk(given)
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                )


def test_everything_that_is_found_has_words() -> None:
    symptoms = {each.sign for cause in load_causes().values() for each in cause.symptoms}
    found = set(_names())
    assert {"aer-fatal", "link-flapped", "last-words"} <= found
    worded = {name for name in found if f"{FINDING}{name}" in symptoms}
    assert found - worded - NAMES.keys() - FINDINGS.keys() == set()


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (statement("finding", name="aer-fatal"), "Fatal PCIe errors"),
        (statement("finding", name="brand-new"), "Brand new"),
        (measurement(kind="silence", signal=None), "A series stopped: no data, not zero"),
        (measurement(kind="silence", signal="a9.thing"), "a9.thing: series stopped"),
        (statement("failed-before-here", host="gpu7", count=1, cause="gpu-off-bus"),
         "gpu7 was to blame for a failure before (GPU lost on PCIe): a prior only"),
        (statement("steps-take-longer", times=1.2345),
         "Steps take 1.2 times as long since some moment, without any error"),
    ],
)  # fmt: skip
def test_what_was_found_is_said_in_words(told: Statement, words: str) -> None:
    assert headline_in_english(told) == words


def test_a_measurement_is_called_by_its_meaning_without_what_its_numbers_stand_for() -> None:
    told = in_english(measurement(kind="counter-increase", signal="gpu.recovery"))
    assert told.endswith(": changed")  # a code does not rise
    assert "gpu.recovery" not in told
    assert "(" not in told
    counted = in_english(measurement(kind="counter-increase", signal="gpu.pcie.replays"))
    assert counted.endswith(": rose")


@pytest.mark.parametrize(
    ("seconds", "words", "korean"),
    [(89, "89 s", "89초"), (600, "10 min", "10분"), (4 * 3600, "4 h", "4시간")],
)
def test_a_span_is_said_as_coarsely_as_people_say_it(seconds: int, words: str, korean: str) -> None:
    told = statement("came-after-stop", span=timedelta(seconds=seconds))
    assert in_english(told) == f"it came {words} after the session had stopped"
    with override("ko"):
        assert korean in said(told)


def test_of_many_ranks_the_first_are_named() -> None:
    ranks = statement("ranks", first=(1, 2, 3), count=40)
    told = statement("collectives-crossed", ranks=ranks)
    assert in_english(told) == ("Ranks 1, 2, 3 and 37 more wait for each other in different groups")


def test_a_part_that_came_from_elsewhere_is_told_with_where_it_was_and_until_when() -> None:
    seat = statement("part-of-host", part=statement("device", kind="gpu", which="3"), host="gpu007")
    last = datetime(2026, 3, 5, 8, 0, 59, tzinfo=UTC)
    told = statement(
        "part-moved", part=seat, former=statement("device", kind="gpu", which="5"), last=last
    )
    assert in_english(told) == (
        "GPU 3 of gpu007 came from another place: it was GPU 5 until 2026-03-05 08:00 UTC"
    )
