"""The same session shuffled, cut, doubled or under wrong clocks ends in the same verdict."""

from datetime import timedelta
from functools import cache
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis
from apps.wording.published import to_json
from tests.examples import some_of
from tests.scenarios.stories import HOSTS, STORIES, TRUE_CLOCKS, Story
from tests.scenarios.verdicts import blamed_hosts, diagnosed, readings_of

FEW = settings(
    max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
SKEWS = [
    timedelta(seconds=120),
    timedelta(seconds=-120),
    timedelta(hours=9),
    timedelta(hours=-9),
    timedelta(seconds=40),
]
stories = st.sampled_from(STORIES)


@cache
def _truth(story: Story) -> Diagnosis:
    """Return what a story ends in, told with every clock right."""
    return diagnosed(texts=story.tell(TRUE_CLOCKS).texts())


def _answer(diagnosis: Diagnosis) -> tuple[str, str, str, set[str]]:
    said = diagnosis.verdict
    return (said.status.value, said.layer.value, said.cause, blamed_hosts(diagnosis))


@FEW
@given(story=stories, order=st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(story: Story, order: object) -> None:
    texts = story.tell(TRUE_CLOCKS).texts()
    names = sorted(texts)
    order.shuffle(names)  # type: ignore[attr-defined]  # hypothesis gives a Random
    shuffled = diagnosed(texts={name: texts[name] for name in names})
    assert to_json(diagnosis=shuffled) == to_json(diagnosis=_truth(story))


@FEW
@given(story=stories, cut=st.integers(min_value=1, max_value=7))
def test_cuts_and_doubles_do_not_matter(story: Story, cut: int) -> None:
    texts = story.tell(TRUE_CLOCKS).texts()
    whole = readings_of(texts=texts)
    pieces = readings_of(texts=texts, lines_per_piece=cut)
    expected = _answer(diagnose(readings=whole))
    assert _answer(diagnose(readings=[*pieces, *whole])) == expected
    assert _answer(diagnose(readings=pieces)) == expected


@pytest.mark.parametrize(
    ("story", "host", "skew"),
    some_of(product(STORIES, HOSTS, SKEWS)),
    ids=lambda each: getattr(each, "name", str(each)),
)
def test_one_wrong_clock_does_not_flip_the_verdict(
    story: Story, host: str, skew: timedelta
) -> None:
    """Each story, host and clock is in some of the combinations; `make chaos` takes all of them."""
    expected = _truth(story)
    found = diagnosed(texts=story.tell({host: skew}).texts())
    assert (found.verdict.layer, found.verdict.cause) == (
        expected.verdict.layer,
        expected.verdict.cause,
    )
    assert blamed_hosts(found) == blamed_hosts(expected)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_containers_in_utc_beside_kernels_in_their_own_zone(story: Story) -> None:
    expected = _truth(story)
    found = diagnosed(texts=story.tell({"kernel": timedelta(hours=9)}).texts())
    assert _answer(found) == _answer(expected)


@FEW
@given(
    story=stories,
    lines=st.lists(
        st.sampled_from(
            [
                "systemd[1]: Started Session 41 of User root.",
                "nginx: 10.1.1.1 GET /healthz 200",
                "loss went from 2.1 to 2.0",
                "usb 1-2: new high-speed device",
            ]
        ),
        min_size=1,
        max_size=30,
    ),
)
def test_unrelated_lines_change_nothing(story: Story, lines: list[str]) -> None:
    texts = story.tell(TRUE_CLOCKS).texts()
    noisy = {
        **texts,
        "session/n101/rank1.log": "\n".join(lines) + "\n" + texts["session/n101/rank1.log"],
    }
    assert _answer(diagnosed(texts=noisy)) == _answer(_truth(story))
