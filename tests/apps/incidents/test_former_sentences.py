"""Sentences of former versions become facts that are said in the same words."""

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import statement, statement_of
from apps.incidents.correlation.incident_rows.incident_writer import HEADER_FIELDS
from apps.incidents.migrations import _former_sentences as former
from apps.incidents.timeline import TimelineDraft
from apps.wording import in_english

FACTS = import_module("apps.incidents.migrations.0011_facts")


def _actions(*texts: str, cause: str = "gpu-off-bus", **more: str) -> list[dict[str, Any]]:
    rows = [{"text": text, "owner": "operator", "hosts": ["n1"], **more} for text in texts]
    actions: list[dict[str, Any]] = former.header_with_facts({"cause": cause, "actions": rows})[
        "actions"
    ]
    return actions


@pytest.mark.parametrize("cause", sorted(load_causes()))
def test_what_a_cause_asks_for_is_recognised(cause: str) -> None:
    known = load_causes()[cause]
    texts = [known.action, *(one.text for one in known.actions)]
    told = [statement_of(each["statement"]) for each in _actions(*texts, cause=cause)]
    assert [in_english(each) for each in told] == texts
    assert {each.kind for each in told} == {"cause-action"}


def test_an_action_of_the_rival_is_the_rivals_and_keeps_what_stands_beside() -> None:
    rival = load_causes()["rank-exception"]
    (told,) = _actions(rival.action, rival="rank-exception")
    assert told["statement"]["values"] == {"cause": "rank-exception", "number": 0}
    assert (told["owner"], told["hosts"], told["rival"]) == ("operator", ["n1"], "rank-exception")


def test_what_somebody_is_asked_for_is_recognised() -> None:
    settles = load_causes()["gpu-off-bus"].settles[0]
    (told,) = _actions(f"Provide the {settles.source}: it would {settles.would}")
    fact = statement_of(told["statement"])
    assert fact.kind == "provide"
    assert fact.named["would"] == load_causes()["gpu-off-bus"].would(source=settles.source)


@pytest.mark.parametrize("text", sorted(former.TOLD))
def test_every_former_sentence_is_said_as_it_was_but_for_the_one_that_was_no_english(
    text: str,
) -> None:
    told = former.ruled_out_fact(text)
    assert told is not None
    mended = "show which rank stopped first, and what each of them printed"
    assert in_english(statement_of(told)) in {text, mended}


def test_what_nobody_recognises_keeps_its_words() -> None:
    (told,) = _actions("Call the plumber")
    assert in_english(statement_of(told["statement"])) == "Call the plumber"


def test_why_an_explanation_fell_is_recognised() -> None:
    row = {
        "cause": "nfs-unavailable",
        "missing": [{"source": "kernel-log", "hosts": [], "would": "say whether it still runs"}],
        "ruled_out_because": "gpu-nvlink explains it better",
    }
    told = former.hypothesis_with_facts(row)
    assert told["ruled_out"]["values"] == {"cause": "gpu-nvlink"}
    assert told["missing"][0]["would"] == {"kind": "says-if-running", "values": {}}
    assert "ruled_out_because" not in told
    assert former.hypothesis_with_facts({**row, "ruled_out_because": ""})["ruled_out"] is None


def test_what_was_carried_over_stays_when_it_is_done_again() -> None:
    row = {
        "cause": "nfs-unavailable",
        "missing": [{"source": "kernel-log", "hosts": [], "would": "say whether it still runs"}],
        "ruled_out_because": "evidence speaks against it",
    }
    once = former.hypothesis_with_facts(row)
    assert former.hypothesis_with_facts(once) == once
    header = former.header_with_facts({"cause": "x", "actions": [{"text": "Look", "owner": "a"}]})
    assert former.header_with_facts(header) == header


def test_an_answer_that_says_the_same_is_no_new_answer_after_the_upgrade() -> None:
    written = [name for name in HEADER_FIELDS if name != "coverage"]
    assert list(FACTS.DIGESTED) == written


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Verdict 2: gpu, gpu-off-bus (0.91)", "Answer 2: GPU, GPU lost on PCIe (0.91)"),
        (
            "Verdict 3: gpu (0.93), gpu-off-bus (<0.01)",
            "Answer 3: GPU (0.93), GPU lost on PCIe (<0.01)",
        ),
        ("Verdict 1: cause not established", "Answer 1: cause not established"),
        ("Aurora (Ann) resolved the incident", "Aurora (Ann) resolved the incident"),
    ],
)
def test_moments_of_former_versions_are_said_as_pages_said_them(title: str, said: str) -> None:
    told = former.moment_fact(title)
    assert told is not None
    assert in_english(statement_of(told)) == said


def test_a_moment_that_nobody_recognises_keeps_its_title() -> None:
    assert former.moment_fact("gpu071 reboots") is None


def test_a_fact_beside_a_moment_makes_it_no_other_moment() -> None:
    bare = TimelineDraft(
        organization_id=1,
        identity=("x",),
        lane="people",
        kind="resolved",
        statement=statement("text", text="x resolved the incident"),
    )
    told = replace(bare, statement=statement("resolved", who="x"))
    assert (told.key, told.moment) == (bare.key, bare.moment)
