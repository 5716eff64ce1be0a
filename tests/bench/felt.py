"""What an organization that floods nobody feels: its pushes, its verdicts, its pages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Event, Thread
from time import monotonic
from typing import Final

import requests

from tests.bench.bench_latency import Portal, latency
from tests.bench.report import quantile

PUSHES_A_SECOND: Final = 4.0
# Asked for twenty times a second, the list would be a flood of its own.
POLL_SECONDS: Final = 0.5
PATIENCE_SECONDS: Final = 90.0
SUBJECTS: Final = {"pushes": "push answer", "verdicts": "push to incident", "pages": "page"}
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

    @classmethod
    def of(cls, several: Iterable["Felt"]) -> "Felt":
        """Return what was felt in several phases together."""
        phases = list(several)
        return cls(
            pushes=[each for one in phases for each in one.pushes],
            verdicts=[each for one in phases for each in one.verdicts],
            pages=[each for one in phases for each in one.pages],
            failures=[each for one in phases for each in one.failures],
        )

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
            seconds, said = latency(
                running=self.portal, number=self.number, poll_seconds=POLL_SECONDS
            )
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
