"""What is blamed: the session whose hosts are hit, the smallest of several, while it ran."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from apps.diagnosis.detection.fusion.culprit import _mostly, _session
from apps.diagnosis.detection.fusion.findings import Finding, finding_of
from apps.diagnosis.model import Anomaly, Device, Layer, PeerGroup, Role
from tests.diagnosis.events import NOON

SECOND = timedelta(seconds=1)


def _finding(host: str) -> Finding:
    return finding_of(
        Anomaly(
            kind="peer-deviation",
            signal="gpu.clock",
            family="clock",
            layer=Layer.GPU,
            entity=Device(kind="gpu", host=host, index=0),
            starts_at=NOON,
            role=Role.INITIATING,
        )
    )


FOUND = [_finding("n1"), _finding("n2")]
RUN = PeerGroup(name="run", hosts=("n1", "n2"), starts_at=NOON, ends_at=NOON)


@pytest.mark.parametrize(
    ("groups", "name"),
    [
        ([RUN], "run"),
        ([replace(RUN, ends_at=None)], "run"),
        ([replace(RUN, hosts=("n1", "n2", "n3"), name="wide"), RUN], "run"),
        ([replace(RUN, hosts=("n2", "n1"), name="a"), RUN], "a"),
        ([replace(RUN, hosts=("n1",))], None),
        ([replace(RUN, name="")], None),
        ([replace(RUN, starts_at=NOON + SECOND, ends_at=None)], None),
        ([replace(RUN, starts_at=NOON - SECOND, ends_at=NOON - SECOND)], None),
        ([], None),
    ],
)
def test_the_smallest_session_is_blamed_that_ran_on_all_hosts_that_are_hit(
    groups: list[PeerGroup], name: str | None
) -> None:
    assert _session(FOUND, groups) == Device(kind="program", name=name)


def test_a_name_is_blamed_that_most_tell_of() -> None:
    assert _mostly(Counter(), "link") is None
    assert _mostly(Counter({"b": 2, "a": 2}), "link") is None
    assert _mostly(Counter({"b": 9, "a": 1}), "link") == Device(kind="link", name="b")
