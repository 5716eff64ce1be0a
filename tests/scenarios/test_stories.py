"""Whole sessions end in the right verdict, on the right host."""

import pytest

from tests.scenarios.stories import STORIES, TRUE_CLOCKS, Story
from tests.scenarios.verdicts import blamed_hosts, diagnosed


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_a_whole_session_ends_in_its_verdict(story: Story) -> None:
    diagnosis = diagnosed(texts=story.tell(TRUE_CLOCKS).texts())
    said = diagnosis.verdict
    assert (said.status.value in story.status, said.layer.value, said.cause) == (
        True,
        story.layer,
        story.cause,
    )
    assert story.host in {None, *blamed_hosts(diagnosis)}


def test_the_host_that_broke_is_left_out_and_no_other() -> None:
    diagnosis = diagnosed(texts=STORIES[0].tell(TRUE_CLOCKS).texts())
    assert diagnosis.restart.advice == "restart-without"
    assert diagnosis.restart.exclude_hosts == ("n103",)


def test_an_open_question_names_who_holds_the_missing_kernel_log() -> None:
    story = next(one for one in STORIES if one.name.startswith("kernel log of"))
    diagnosis = diagnosed(texts=story.tell(TRUE_CLOCKS).texts())
    missing = [one for hypothesis in diagnosis.hypotheses for one in hypothesis.missing]
    assert ("kernel-log", ("n102",), "operator") in [
        (m.source, m.hosts, m.held_by) for m in missing
    ]
