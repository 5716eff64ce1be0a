"""What is told of a failure is a fact that is said in English as its text, and in Korean."""

from collections.abc import Iterator

import pytest
from django.utils.translation import override

from apps.diagnosis.model import Diagnosis, Statement
from apps.wording import in_english, said
from tests.scenarios.verdicts import diagnosed

KERNEL = "2026-11-13T03:12:{:02}.000000+00:00 node12 kernel: NVRM: Xid (PCI:0000:41:00): {}\n"
TEXTS = {
    "kernel/node12.log": KERNEL.format(4, "79, pid=4711, GPU has fallen off the bus.")
    + KERNEL.format(5, "63, pid=4711, Row Remapper: New row marked for remapping"),
    "session/node12/rank0.log": "2026-11-13 03:12:09,000 [rank0]:[E1113 03:12:09.000000000 "
    "ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=148, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for "
    "600009 milliseconds before timing out.\n",
}


@pytest.fixture(scope="module")
def found() -> Diagnosis:
    return diagnosed(texts=TEXTS)


def _facts(found: Diagnosis) -> Iterator[tuple[Statement, str]]:
    pieces = [each for one in found.hypotheses for each in (*one.supporting, *one.opposing)]
    told = [(each.statement, each.text) for each in pieces]
    told += [(each.statement, each.text) for each in found.timeline]
    yield from ((fact, text) for fact, text in told if fact is not None)


def test_a_fact_is_said_in_english_as_its_text(found: Diagnosis) -> None:
    facts = list(_facts(found))
    assert {each.kind for each, _text in facts} >= {"symptom", "of-part"}
    assert [in_english(each) for each, _text in facts] == [text for _each, text in facts]


def test_a_fact_is_said_in_the_readers_language(found: Diagnosis) -> None:
    with override("ko"):
        assert all(said(each) != text for each, text in _facts(found))
