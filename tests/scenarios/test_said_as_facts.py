"""What is told of a failure is a fact that is said where it is shown, in English and in Korean."""

from collections.abc import Iterator

import pytest
from django.utils.translation import override

from apps.diagnosis.model import Diagnosis, Statement
from apps.wording import headline_in_english, in_english, said
from apps.wording.published import to_json
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


def _facts(found: Diagnosis) -> Iterator[Statement]:
    pieces = [each for one in found.hypotheses for each in (*one.supporting, *one.opposing)]
    yield from (each.statement for each in pieces)
    yield from (each.statement for each in found.timeline)


def test_evidence_and_moments_are_facts_that_are_said_in_english_wherever_texts_are(
    found: Diagnosis,
) -> None:
    assert {each.kind for each in _facts(found)} >= {"symptom", "of-part", "began-to-fail"}
    published = to_json(diagnosis=found)
    told = [each["text"] for each in published["timeline"]]
    assert told == [headline_in_english(each.statement) for each in found.timeline]
    pieces = [each["text"] for one in published["hypotheses"] for each in one["for"]]
    facts = [each.statement for one in found.hypotheses for each in one.supporting]
    assert pieces == [in_english(each) for each in facts]


def test_a_fact_is_said_in_the_readers_language(found: Diagnosis) -> None:
    english = [in_english(each) for each in _facts(found)]
    with override("ko"):
        assert all(said(each) != words for each, words in zip(_facts(found), english, strict=True))
