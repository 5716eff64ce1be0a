"""The same logs with clocks of other zones, and what must stay equal."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import product

import pytest

from tests.scenarios import stories
from tests.scenarios.compose import FAIL, Session, healthy
from tests.scenarios.stories import STORIES, TRUE_CLOCKS, Story
from tests.scenarios.verdicts import blamed_hosts, diagnosed

HOUR = timedelta(hours=1)
ZONES = (0 * HOUR, 9 * HOUR, -8 * HOUR, 5.5 * HOUR)
PAIRS = tuple(product(ZONES, ZONES))
STYLES = ("syslog", "dmesg", "iso")
DECIDED = [one for one in STORIES if one.host or one.layer == "storage"][:4]
QUIET = 'audit: type=1400 audit(1.2:3): apparmor="STATUS"'
LOST = (
    "NVRM: Xid (PCI:0000:1e:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
)


def _among_days(style: str) -> Callable[..., Session]:
    """Return what makes a session whose kernels spoke for days before, and for hours after."""

    def made(hosts: tuple[str, ...], *, skew: stories.Skew, **_: object) -> Session:
        session = healthy(hosts, skew=skew, kernel_style=style)
        for place, host in enumerate(hosts):
            for days in (5, 3, 1):
                at = FAIL - timedelta(days=days, minutes=17 * place)
                session.kernel(host, at, LOST if host == "n104" else QUIET)
            for minutes in (30, 95, 190, 400):
                session.kernel(host, FAIL + timedelta(minutes=minutes + 3 * place), QUIET)
        return session

    return made


def _answer(story: Story, session: timedelta, kernel: timedelta) -> tuple[str, str, set[str]]:
    found = diagnosed(texts=story.tell({"session": session, "kernel": kernel}).texts())
    return (found.verdict.layer.value, found.verdict.cause, blamed_hosts(found))


def assert_same(
    *,
    story: Story,
    style: str,
    pairs: Sequence[tuple[timedelta, timedelta]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Diagnose a story told in pairs of zones, and find what it is without any."""
    plain = diagnosed(texts=story.tell(TRUE_CLOCKS).texts())
    expected = (plain.verdict.layer.value, plain.verdict.cause, blamed_hosts(plain))
    monkeypatch.setattr(stories, "healthy", _among_days(style))
    found = {pair: _answer(story, *pair) for pair in pairs}
    assert {pair: answer for pair, answer in found.items() if answer != expected} == {}
