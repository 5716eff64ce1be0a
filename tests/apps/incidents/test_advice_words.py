"""The answers of the table in the languages of pages: what they stand for is the same in each."""

import re

import pytest
from django.utils.translation import gettext, override

from apps.diagnosis.causes.decision_rows import Answer, answers, titles
from apps.diagnosis.causes.load import load_causes
from apps.incidents import words

# What a sentence tells to do, in Korean.
STANCES = {
    "go": re.compile(
        r"(?:지금|원할 때|제외하고|빼고) 재시작하십시오|재시작할 수 있지만|재시작한다면"
    ),
    "hold": re.compile(r"아직 재시작하지 (?:마십시오|않는 편)|재시작을 기다리십시오"),
    "none": re.compile(r"다시 시작할 필요는 없습니다"),
    "open": re.compile(r"재시작(?:해도 되는지|이 도움이 될지)"),
}
NOBODY = re.compile(r"제외할 노드는 없습니다")
EACH = pytest.mark.parametrize("answer", answers(), ids=lambda answer: answer.text[:40])


@EACH
def test_an_answer_in_korean_stands_for_what_it_stands_for_in_english(answer: Answer) -> None:
    with override("ko"):
        told = words.said_in_words(answer=answer, hosts=["gpu001"], others=["gpu002"])
    assert told != answer.text % {"hosts": "gpu001", "others": "gpu002"}
    assert {name for name, found in STANCES.items() if found.search(told)} == {answer.stance}
    is_denied = re.search("no node has to be left out", answer.text, re.IGNORECASE)
    assert bool(NOBODY.search(told)) == bool(is_denied)
    assert ("gpu001" in told) == ("%(hosts)s" in answer.text)
    assert ("gpu002" in told) == ("%(others)s" in answer.text)


def test_heads_of_titles_differ_in_both_languages_as_they_differ_in_the_table() -> None:
    with override("ko"):
        told = {words.head_in_words(text=each.one, name="x") for each in titles()}
    assert len(told) == len({each.one for each in titles()})
    assert all("x" in each for each in told)


@pytest.mark.parametrize("slug", sorted(load_causes()))
def test_what_comforts_contradicts_no_answer(slug: str) -> None:
    comfort = words.cause(slug).comfort
    assert not re.search(r"restart|leave out|no node", comfort, re.IGNORECASE)
    cause = load_causes()[slug]
    with override("ko"):
        told = (words.spoken(slug).comfort, gettext(cause.action))
    assert not [each for each in told if re.search("재시작|제외할|다시 시작", each)]
    if cause.culprit in {"node", "gpu", "nic"}:
        assert not re.search(r"^Nothing is broken|No action is needed", comfort)
