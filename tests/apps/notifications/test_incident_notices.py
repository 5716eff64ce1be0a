"""What of an incident is news to who was told of it before."""

from dataclasses import replace

import pytest

from apps.notifications.occasions.incident_notices import _is_news
from apps.notifications.payload import Summary

FORMER = Summary(
    status="open",
    verdict_status="likely",
    layer="gpu",
    cause="gpu-off-bus",
    blamed="gpu001",
    acts=("aurora",),
    is_ours="",
)


@pytest.mark.parametrize(("handed", "was_handed"), [("keel", ""), ("", "keel"), ("keel", "keel")])
def test_that_others_act_by_a_hand_over_is_no_news_of_the_verdict(
    handed: str, was_handed: str
) -> None:
    former = replace(FORMER, handed_to=was_handed)
    assert not _is_news(replace(FORMER, acts=("keel",), handed_to=handed), former)
    assert _is_news(replace(FORMER, acts=("keel",)), FORMER)
