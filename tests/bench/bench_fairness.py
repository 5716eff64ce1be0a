"""One organization floods each receiver in turn: what another one's people and senders feel of it.

`python -m tests.bench.bench_fairness [--only logs …] [--rate 200]`. A portal of its own. The other
organization pushes, lets sessions die and reads its list of incidents, first in quiet, then beside
each flood, in one run; each figure is a p95 and how many times the quiet one it is. The flood is a
client on the same machine: its bodies are prepared, it is nice, and what it used is printed.
"""

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

import requests

from tests.bench.bench_latency import Portal, latency
from tests.bench.bench_latency import portal as portal_of_parties
from tests.bench.floods import FLOODS
from tests.bench.report import load, quantile

ROOT: Final = Path(__file__).resolve().parents[2]
PUSHES_A_SECOND: Final = 4.0  # the other organization's
SESSIONS: Final = 8
PAUSE_SECONDS: Final = 8.0  # between floods: what waits is worked off, shares come back
PATIENCE_SECONDS: Final = 90.0
READER: Final = """
import json
from django.test import Client
from apps.tenancy.models import Membership, MemberRole, Organization, User
from apps.tenancy.scope import organization_scope
owner = Organization.objects.get(slug="tenant")
user = User.objects.create_user(username="reader", password="correct horse battery")
with organization_scope(owner.pk):
    Membership.objects.create(organization=owner, user=user, role=MemberRole.VIEWER)
client = Client()
client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
print(json.dumps({name: each.value for name, each in client.cookies.items()}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Felt:
    """What the other organization felt, in seconds."""

    pushes: list[float] = field(default_factory=list)
    verdicts: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def p95(self, what: str) -> float:
        """Return the p95 of a kind of figure; without one, as long as was waited."""
        values = list(getattr(self, what))
        return quantile(values, 0.95) if values else PATIENCE_SECONDS


class Other:
    """The organization that floods nobody."""

    def __init__(self, *, portal: Portal, cookies: Mapping[str, str]) -> None:
        self.portal = portal
        self.reader, self.sender = requests.Session(), requests.Session()
        self.reader.cookies.update(dict(cookies))
        self.number = 0

    def feel(self, *, sessions: int) -> Felt:
        """Push, read and let sessions die, side by side; return what each took."""
        felt, is_over = Felt(), Event()
        beside = Thread(target=self._push_and_read, args=(felt, is_over))
        beside.start()
        try:
            for _ in range(sessions):
                self._let_die(felt)
        finally:
            is_over.set()
            beside.join()
        return felt

    def _let_die(self, felt: Felt) -> None:
        self.number += 1
        try:
            seconds, said = latency(running=self.portal, number=self.number)
        except requests.RequestException as error:
            felt.failures.append(f"session: {type(error).__name__}")
            felt.verdicts.append(PATIENCE_SECONDS)
            return
        felt.verdicts.append(PATIENCE_SECONDS if seconds is None else seconds)
        felt.failures.extend([f"no verdict: {said}"] if seconds is None else [])

    def _push_and_read(self, felt: Felt, is_over: Event) -> None:
        turn = 0
        while not is_over.wait(1 / PUSHES_A_SECOND):
            turn += 1
            body = f"step {turn} of {monotonic()}\n".encode()
            where = "/api/v1/logs?cluster=bench&host=quiet&stream=session&session=quiet"
            headers = {"Authorization": f"Bearer {self.portal.tokens['tenant']}"}
            felt.pushes.append(self._timed(felt, self.sender, "POST", where, body, headers))
            felt.pages.append(self._timed(felt, self.reader, "GET", "/o/tenant/incidents/"))

    def _timed(
        self,
        felt: Felt,
        session: requests.Session,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> float:
        began = monotonic()
        try:
            answer = session.request(
                method,
                self.portal.base_url + path,
                data=body,
                headers=dict(headers or {}),
                timeout=PATIENCE_SECONDS,
                allow_redirects=False,
            )
        except requests.RequestException as error:
            felt.failures.append(f"{method}: {type(error).__name__}")
            return PATIENCE_SECONDS
        if answer.status_code != 200:
            felt.failures.append(f"{method}: {answer.status_code}")
        return monotonic() - began


@contextmanager
def flood(*, receiver: str, portal: Portal, token: str, rate: float) -> Iterator[list[Any]]:
    """Flood until the block ends; what the flood says of itself is in the list afterwards."""
    said: list[Any] = []
    command = [sys.executable, "-m", "tests.bench.floods", receiver, "--url", portal.base_url]
    with subprocess.Popen(  # noqa: S603  our own module
        [*command, "--rate", str(rate), "--seconds", "600"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        print(token, file=running.stdin, flush=True)
        running.stdout.readline()
        try:
            yield said
        finally:
            running.terminate()
            said.append(json.loads(running.stdout.readlines()[-1]))


def line(*, name: str, felt: Felt, quiet: Felt, said: Mapping[str, Any]) -> str:
    """Return what was felt beside a flood, and what became of the flood, as one line."""
    ratios = {what: felt.p95(what) / quiet.p95(what) for what in SUBJECTS}
    answers = ", ".join(f"{count} x {what}" for what, count in sorted(said["answers"].items()))
    return (
        f"fairness, {name:14} push answer {ratios['pushes']:.2f} x quiet "
        f"({felt.p95('pushes') * 1000:.0f} ms), push to incident {ratios['verdicts']:.2f} x "
        f"({felt.p95('verdicts'):.2f} s), page {ratios['pages']:.2f} x "
        f"({felt.p95('pages') * 1000:.0f} ms); refused or lost {len(felt.failures)} of "
        f"{sum(len(getattr(felt, what)) for what in SUBJECTS)}; the flood: {answers}, "
        f"{said['seconds']:.1f} s of processor time"
    )


def worst(*, felts: Mapping[str, Felt], quiet: Felt) -> Iterator[str]:
    """Yield the worst ratio of each kind."""
    for what, words in SUBJECTS.items():
        ratios = {name: felt.p95(what) / quiet.p95(what) for name, felt in felts.items()}
        name = max(ratios, key=lambda each: ratios[each])
        yield f"fairness: {words} at most {ratios[name]:.2f} x quiet, beside a flood of {name}"
    failures = sorted(each for felt in felts.values() for each in felt.failures)
    yield f"fairness: {len(failures)} of the other's acts failed {failures[:5]}"


SUBJECTS: Final = {
    "pushes": "push answer, p95,",
    "verdicts": "push to incident, p95,",
    "pages": "page, p95,",
}


def main() -> None:
    """Start a portal, measure in quiet and beside each flood, print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=FLOODS, default=list(FLOODS))
    parser.add_argument("--rate", type=float, default=50 * PUSHES_A_SECOND)
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    wanted = parser.parse_args()
    with portal_of_parties(also=("flooder",)) as running:
        other = Other(portal=running, cookies=running.inside(READER))
        other.feel(sessions=2)  # warm
        quiet, felts = other.feel(sessions=2 * wanted.sessions), {}
        print(  # noqa: T201
            f"fairness, quiet: push answer p95 {quiet.p95('pushes') * 1000:.0f} ms "
            f"(median {statistics.median(quiet.pushes) * 1000:.0f}), push to incident p95 "
            f"{quiet.p95('verdicts'):.2f} s, page p95 {quiet.p95('pages') * 1000:.0f} ms "
            f"(median {statistics.median(quiet.pages) * 1000:.0f}), {load()}; floods of "
            f"{wanted.rate:.0f} requests a second, {wanted.rate / PUSHES_A_SECOND:.0f} times "
            "the other's, from a client at nice 10 on the same processors",
            flush=True,
        )
        for name in wanted.only:
            token = running.tokens["flooder"]
            with flood(receiver=name, portal=running, token=token, rate=wanted.rate) as said:
                Event().wait(2)
                felts[name] = other.feel(sessions=wanted.sessions)
            print(line(name=name, felt=felts[name], quiet=quiet, said=said[0]), flush=True)  # noqa: T201
            Event().wait(PAUSE_SECONDS)
    for each in worst(felts=felts, quiet=quiet):
        print(each)  # noqa: T201


if __name__ == "__main__":
    main()
