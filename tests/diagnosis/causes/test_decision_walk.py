"""Each cause, how sure it is, whether its host is known, and each end: title, advice, action and
state say one thing together. And the printed page says what the table says."""

import itertools
import re
from pathlib import Path

import pytest

from apps.diagnosis.causes.decisions import (
    OF_CODE,
    OF_NO_HOST,
    answer_of,
    concluded_of,
    title_of,
)
from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import Diagnosis, EndState, Hypothesis, VerdictStatus
from apps.diagnosis.reasoning.explanation.actions import actions
from apps.offline.report.decision_tables import concluded, main, printed
from apps.wording import ENGLISH
from apps.wording.restart import restart_sentence

PAGE = Path(__file__).parents[3] / "docs" / "decisions.md"
NOBODY = re.compile(r"no node has to be left out", re.IGNORECASE)
HOST = "gpu001"
# Ended from outside, or nothing broke: no host is at fault, known or not.
OF_NO_FAULT = frozenset({"process-killed", "benign", "unknown"})
STANCES = {
    "restart": {"go"},
    "restart-without": {"go"},
    "fix-first": {"hold"},
    "wait": {"hold"},
    "unknown": {"open"},
}
WALK = [
    pytest.param(slug, status, is_known, end, id=f"{slug}-{status}-{is_known}-{end}")
    for slug, status, is_known, end in itertools.product(
        sorted(load_causes()), VerdictStatus, (True, False), EndState
    )
]


def walked(slug: str, status: VerdictStatus, end: EndState, *, is_known: bool) -> Diagnosis:
    """Return what is concluded, with its actions."""
    found = concluded(cause=slug, status=status, is_known=is_known, end_state=end)
    first = Hypothesis(
        cause=slug,
        layer=found.verdict.layer,
        probability=0.9,
        cause_probability=0.9,
        culprits=found.verdict.culprits,
    )
    told = actions(
        verdict=found.verdict, hypotheses=[first], causes=load_causes(), missing=first.missing
    )
    return concluded(cause=slug, status=status, is_known=is_known, end_state=end, actions=told)


@pytest.mark.parametrize(("slug", "status", "is_known", "end"), WALK)
def test_title_advice_action_and_state_say_one_thing(
    slug: str, status: VerdictStatus, *, is_known: bool, end: EndState
) -> None:
    found = walked(slug, status, end, is_known=is_known)
    case = concluded_of(diagnosis=found)
    answer, title = answer_of(concluded=case), title_of(kind=case.kind, end_state=case.end_state)
    told = restart_sentence(diagnosis=found, speaker=ENGLISH)
    is_quiet = status is VerdictStatus.NO_FAILURE
    # State and title: what finished is no stop, and nothing of it is to be started again.
    assert title.is_stop == (end is not EndState.FINISHED)
    assert (answer.stance == "none") == (
        end is EndState.FINISHED or (is_quiet and end is EndState.RUNNING)
    )
    # Advice and sentence.
    if answer.stance != "none":
        assert answer.stance in STANCES[found.restart.advice]
    assert (answer.leave_out == "hosts") == bool(found.restart.exclude_hosts)
    # Actions: none where nothing broke; on the hosts that the sentence may name, and on no others.
    assert not (is_quiet and found.actions)
    assert {host for one in found.actions for host in one.hosts} <= {HOST}
    assert all(not one.hosts for one in found.actions if not is_known)
    assert HOST not in told or is_known


@pytest.mark.parametrize("end", [EndState.FAILED, EndState.FINISHED, EndState.UNKNOWN])
@pytest.mark.parametrize("status", [VerdictStatus.LIKELY, VerdictStatus.POSSIBLE])
@pytest.mark.parametrize("slug", sorted(set(load_causes()) - OF_NO_FAULT))
def test_nobody_is_let_off_where_the_host_is_merely_not_known(
    slug: str, status: VerdictStatus, end: EndState
) -> None:
    culprit = load_causes()[slug].culprit
    found = concluded(cause=slug, status=status, is_known=False, end_state=end)
    case = concluded_of(diagnosis=found)
    answer, told = answer_of(concluded=case), restart_sentence(diagnosis=found, speaker=ENGLISH)
    is_elsewhere = culprit in OF_CODE or culprit in {"server", "switch"}
    assert (case.blamed == "nobody") == (not is_elsewhere)
    if not is_elsewhere:
        assert not NOBODY.search(told)
        assert answer.leave_out == "open"
        assert "not known" in told or end is EndState.FINISHED


@pytest.mark.parametrize(
    ("slug", "way"),
    [
        ("gpu-ecc-correctable-storm", "nvidia-smi"),
        ("host-oom", "oom-kill"),
        ("checkpoint-slow", "nfsiostat"),
        ("dataloader-stall", "step times"),
        ("disk-full", "df -h"),
    ],
)
def test_it_is_said_how_to_find_the_host(slug: str, way: str) -> None:
    unnamed = concluded(cause=slug, status=VerdictStatus.LIKELY, is_known=False)
    assert way in restart_sentence(diagnosis=unnamed, speaker=ENGLISH)
    named = concluded(cause=slug, status=VerdictStatus.LIKELY, is_known=True)
    assert "not known" not in restart_sentence(diagnosis=named, speaker=ENGLISH)


def test_a_mount_that_is_named_is_no_host() -> None:
    for slug, cause in load_causes().items():
        if cause.culprit in OF_NO_HOST:
            named = concluded(cause=slug, status=VerdictStatus.LIKELY, is_known=True)
            assert concluded_of(diagnosis=named).blamed == "shared"


def test_the_page_is_what_the_table_says(tmp_path: Path) -> None:
    assert PAGE.read_text("utf-8") == printed()
    other = tmp_path / "decisions.md"
    assert main([str(other), "--check"]) == 1
    assert main([str(other)]) == 0
    assert main([str(other), "--check"]) == 0
    other.write_text(printed() + "more\n")
    assert main([str(other), "--check"]) == 1
