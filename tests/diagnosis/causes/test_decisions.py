"""The table of what is said of an incident: whole, without dead rows, and never at odds."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from apps.diagnosis.causes.decision_rows import Answer, answers, titles
from apps.diagnosis.causes.decisions import (
    OF_CODE,
    OF_NO_HOST,
    Beside,
    Blamed,
    ConcludedIncident,
    answer_of,
    beside_of,
    blamed_of,
    restart_of,
    title_of,
)
from apps.diagnosis.causes.load import ADVICE, load_causes
from apps.diagnosis.model import (
    Device,
    Diagnosis,
    EndState,
    Layer,
    Phase,
    Restart,
    Verdict,
    VerdictStatus,
)
from apps.wording import ENGLISH
from apps.wording.restart import restart_sentence

KINDS = ("stop", "slow", "shared", "degraded", "open")
BLAMED: tuple[Blamed, ...] = ("node", "program", "shared", "nobody", "hidden")
BESIDE: tuple[Beside, ...] = ("", "node", "somewhere")
GO = re.compile(r"^Restart (?:now|without|when|if)|^You can restart|^If you restart|when you like")
HOLD = re.compile(r"^(?:Don't|Better not) restart|^Wait with the restart")
NONE = re.compile(r"^Nothing has to be started again")
OPEN = re.compile(r"can't be said yet")


@pytest.fixture(scope="module")
def said() -> dict[ConcludedIncident, Answer]:
    """Return the answer of every case there can be."""
    return {each: answer_of(concluded=each) for each in every_case()}


def every_case() -> Iterator[ConcludedIncident]:
    """Yield every case there can be."""
    for kind, status, cause, end_state, advice, blamed, beside in itertools.product(
        KINDS,
        [each.value for each in VerdictStatus],
        sorted(load_causes()),
        [each.value for each in EndState],
        sorted(ADVICE),
        BLAMED,
        BESIDE,
    ):
        yield ConcludedIncident(
            kind=kind,
            status=status,
            cause=cause,
            end_state=end_state,
            advice=advice,
            blamed=blamed,
            beside=beside,
        )


def test_every_case_has_an_answer_and_every_row_answers_some_case(
    said: dict[ConcludedIncident, Answer],
) -> None:
    assert set(said.values()) == set(answers())
    heads = {title_of(kind=each.kind, end_state=each.end_state) for each in said}
    assert heads == set(titles())


@pytest.mark.parametrize("answer", answers(), ids=lambda answer: answer.text[:40])
def test_a_sentence_says_what_its_row_stands_for(answer: Answer) -> None:
    found = {
        stance
        for stance, words in (("go", GO), ("hold", HOLD), ("none", NONE), ("open", OPEN))
        if words.search(answer.text)
    }
    assert found == {answer.stance}
    if answer.leave_out == "hosts":
        assert re.search(r"(?:without|[Ll]eave out) %\(hosts\)s", answer.text)
    if re.search("no node has to be left out|on any node", answer.text, re.IGNORECASE):
        assert answer.leave_out in {"nobody", "later"}
    if re.search("not known", answer.text):
        assert answer.leave_out in {"open", "nobody"}


def test_nobody_has_to_be_left_out_only_where_it_is_known_who_is_at_fault(
    said: dict[ConcludedIncident, Answer],
) -> None:
    denies = re.compile("no node has to be left out|on any node", re.IGNORECASE)
    denied = [each for each, answer in said.items() if denies.search(answer.text)]
    assert "unknown" not in {each.advice for each in denied}
    assert not [each for each in denied if each.blamed in {"node", "hidden"} and _is_placed(each)]
    assert not [each for each in denied if each.advice == "fix-first" and each.blamed == "nobody"]


def _is_placed(each: ConcludedIncident) -> bool:
    """Say whether what is to be mended lies on nodes that leaving out would avoid."""
    return each.advice in {"fix-first", "wait", "restart-without"}


def test_what_finished_or_goes_on_is_never_told_to_restart(
    said: dict[ConcludedIncident, Answer],
) -> None:
    finished = {a.stance for each, a in said.items() if each.end_state == "finished"}
    assert finished == {"none"}
    slow = {a.stance for e, a in said.items() if e.kind == "slow" and e.status != "no-failure"}
    assert slow == {"none", "open"}


def test_what_finished_is_not_called_stopped_and_does_not_count_as_a_stop() -> None:
    head = title_of(kind="stop", end_state="finished")
    assert "stopped" not in head.one + head.several + head.unnamed
    assert not head.is_stop
    assert title_of(kind="stop", end_state="failed").is_stop


def test_hosts_are_left_out_only_where_the_published_advice_names_them(
    said: dict[ConcludedIncident, Answer],
) -> None:
    for each, answer in said.items():
        if answer.leave_out == "hosts":
            assert (each.advice, each.blamed) == ("restart-without", "node")


@pytest.mark.parametrize("slug", sorted(load_causes()))
def test_what_there_is_to_do_leaves_the_restart_to_the_answer(slug: str) -> None:
    action = load_causes()[slug].action
    assert not re.search(r"restart|leave (?:it|them) out|drain", action, re.IGNORECASE)


def _device(kind: str, host: str | None) -> Device:
    return Device(kind=kind, host=host, name="strata-nas1" if kind in OF_NO_HOST else None)


@pytest.mark.parametrize("end_state", list(EndState))
@pytest.mark.parametrize("status", [VerdictStatus.LIKELY, VerdictStatus.POSSIBLE])
def test_the_advice_that_is_published_and_the_sentence_agree(
    status: VerdictStatus, end_state: EndState
) -> None:
    for slug, cause in load_causes().items():
        for hosts in ((), ("gpu001",), ("gpu001", "gpu002", "gpu003")):
            kind = cause.culprit
            culprits = tuple(_device(kind, host) for host in hosts)
            verdict = Verdict(
                status=status,
                layer=Layer.GPU,
                cause=slug,
                probability=0.9,
                cause_probability=0.9,
                culprits=culprits,
            )
            diagnosis = Diagnosis(
                verdict=verdict,
                end_state=end_state,
                phase=Phase.ITERATE,
                restart=restart_of(verdict=verdict, host_count=4),
            )
            told = restart_sentence(diagnosis=diagnosis, speaker=ENGLISH)
            assert "%" not in told
            # A host that is excluded is named; one that is named to be left out is excluded.
            left_out = re.search(r"(?:without|[Ll]eave out) (gpu\d+)", told)
            assert bool(left_out) == bool(diagnosis.restart.exclude_hosts), told
            if diagnosis.restart.advice == "fix-first" and end_state is EndState.FAILED:
                assert HOLD.search(told)


def test_program_causes_never_ask_which_node() -> None:
    for slug, cause in load_causes().items():
        if cause.culprit in OF_CODE:
            assert blamed_of(cause=slug, parts=None) == "program"
            assert blamed_of(cause=slug, parts=[("node", "gpu001")]) == "program"


@pytest.mark.parametrize("advice", ["fix-first", "wait", "restart"])
def test_a_node_that_is_as_likely_is_in_question_whatever_is_answered(advice: str) -> None:
    kinds: tuple[Blamed, ...] = ("program", "shared")
    for blamed, status in itertools.product(kinds, ("likely", "possible")):
        told = ConcludedIncident(
            kind="stop",
            status=status,
            cause="rank-exception",
            end_state="failed",
            advice=advice,
            blamed=blamed,
            beside="node",
        )
        answer = answer_of(concluded=told)
        assert ("%(others)s" in answer.text, answer.leave_out) == (True, "others")
        hidden = answer_of(concluded=replace(told, beside="somewhere"))
        assert "on a node" in hidden.text
        assert not re.search("[Nn]o node", answer.text + hidden.text)


@pytest.mark.parametrize(
    ("rival", "hosts", "cause", "parts", "lies"),
    [
        ("gpu-off-bus", ["gpu002"], "rank-exception", [("rank", "gpu001")], "node"),
        # A program is no fault of its host: that host's GPU may be one.
        ("gpu-off-bus", ["gpu001"], "rank-exception", [("rank", "gpu001")], "node"),
        ("gpu-off-bus", ["gpu001"], "nic-link-down", [("nic", "gpu001")], ""),
        ("gpu-off-bus", ["gpu002"], "nic-link-down", [("nic", "gpu001")], "node"),
        ("gpu-off-bus", [], "rank-exception", [("rank", "gpu001")], "somewhere"),
        ("gpu-off-bus", None, "rank-exception", None, "somewhere"),
        ("rank-exception", ["gpu002"], "gpu-off-bus", [("gpu", "gpu001")], ""),
        ("", [], "rank-exception", [], ""),
    ],
)
def test_where_what_is_as_likely_lies(
    rival: str,
    hosts: list[str] | None,
    cause: str,
    parts: list[tuple[str, str | None]] | None,
    lies: Beside,
) -> None:
    assert beside_of(rival=rival, hosts=hosts, cause=cause, parts=parts) == lies


def test_many_hosts_are_counted() -> None:
    verdict = Verdict(
        status=VerdictStatus.LIKELY,
        layer=Layer.GPU,
        cause="gpu-off-bus",
        probability=0.9,
        cause_probability=0.9,
        culprits=tuple(_device("gpu", f"gpu{n:03}") for n in range(6)),
    )
    diagnosis = Diagnosis(
        verdict=verdict,
        end_state=EndState.FAILED,
        phase=Phase.ITERATE,
        restart=restart_of(verdict=verdict, host_count=60),
    )
    assert restart_sentence(diagnosis=diagnosis, speaker=ENGLISH) == (
        "Restart without gpu000, gpu001, gpu002 and 3 more."
    )
    assert diagnosis.restart == Restart(
        advice="restart-without", exclude_hosts=tuple(f"gpu{n:03}" for n in range(6))
    )
