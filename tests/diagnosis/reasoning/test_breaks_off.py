"""A log that breaks off tells of its host only where every other host's launcher and peers tell."""

from datetime import datetime, timedelta

import pytest

from apps.diagnosis.model import Event, Observation, Role, Stream
from apps.diagnosis.reasoning.findings.breaks_off import broken_off
from tests.diagnosis.events import NOON, after, event, readings


def _launcher(host: str) -> Event:
    return event("torchrun-worker-failed", at=after(9), host=host, role=Role.TEARDOWN)


def _peer_gone(host: str) -> Event:
    return event("nccl-socket-closed", at=after(5), host=host, number=2)


def _found(*told: Event, silent: tuple[str, ...] = ("n3",)) -> list[Observation]:
    def instant(one: Event) -> tuple[datetime | None, timedelta]:
        return one.line.at, timedelta(0)

    return broken_off(events=told, readings=readings(told, hosts=silent), instant=instant)


OTHERS = (_launcher("n1"), _peer_gone("n1"), _launcher("n2"), _peer_gone("n2"))


def test_the_one_silent_host_is_named_from_when_the_others_lost_it() -> None:
    (one,) = _found(*OTHERS)
    assert (one.sign, one.host, one.at) == ("finding:log-breaks-off", "n3", after(5))
    assert [each.signature for each in one.events] == ["nccl-socket-closed"] * 2


def test_one_host_that_tells_of_it_is_enough() -> None:
    assert [one.host for one in _found(*OTHERS[:2])] == ["n3"]


@pytest.mark.parametrize(
    ("told", "silent"),
    [
        (OTHERS, ()),
        (OTHERS, ("n3", "n4")),
        (OTHERS[:3], ("n3",)),
        ((*OTHERS[:2], OTHERS[3]), ("n3",)),
        ((OTHERS[0], OTHERS[2]), ("n3",)),
        ((OTHERS[1], OTHERS[3]), ("n3",)),
        ((), ("n3",)),
    ],
    ids=["all tell", "two are silent", "no peers", "no launcher", "peers of none",
         "launchers of none", "alone"],
)  # fmt: skip
def test_nobody_is_named_where_a_launcher_or_a_peer_may_tell_of_another_end(
    told: tuple[Event, ...], silent: tuple[str, ...]
) -> None:
    assert _found(*told, silent=silent) == []


def test_what_the_kernel_says_breaks_no_silence_and_progress_does_not_either() -> None:
    kernel = event("nvrm-xid-79", at=NOON, host="n3", stream=Stream.KERNEL)
    step = event("step-pace", at=NOON, host="n3", role=Role.PROGRESS)
    assert [one.host for one in _found(*OTHERS, kernel, step)] == ["n3"]


def _given_up(host: str) -> Event:
    return event("gloo-wait-timeout", at=after(20), host=host, number=3)


def _store_silent(host: str) -> Event:
    return event("c10d-wait-input", at=after(80), host=host, number=4)


def test_a_store_that_nobody_hears_of_any_more_went_with_its_silent_host() -> None:
    told = [one(host) for host in ("n1", "n2") for one in (_given_up, _store_silent)]
    (found,) = _found(*told)
    assert (found.host, found.at) == ("n3", after(80))
    # A store that answered one of them lives, and one host alone may be behind its own link.
    assert _found(*told[:3]) == []
    assert _found(*told[:2]) == []
    assert _found(told[1], told[3]) == []
