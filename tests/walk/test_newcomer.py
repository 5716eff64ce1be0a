"""From an empty database to the same incident restored elsewhere, as the README tells it.

Everything is real: `manage.py up` with its servers and worker, the set-up of the README's own YAML,
three agents' bodies over HTTP, a mail server, a webhook, forms, a back-up and its restoration.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, TypeVar

import pytest
import requests
from django.conf import settings
from standardwebhooks import Webhook

from tests.running import environment, manage, portal, read_until
from tests.scenarios.stories import STORIES, TRUE_CLOCKS
from tests.shared_files import SHARED
from tests.walk import agents
from tests.walk.hearing import Hook, Letters, mail_server, read, webhook
from tests.walk.visitor import Visitor

WAIT_SECONDS = 90
PASSWORD = "a long enough pass phrase"  # noqa: S105  of this test's own portal
ANSWER = ("layer", "cause", "verdict_status", "probability", "culprits", "restart", "started_at")
SOLAR = "solar-7"
TRAINING_LOG = SHARED / "data/training_logs/meg_gpt2_base_n4_dp1_tp4_pp4-1809579.out"
# What journald keeps apart from the message of a kernel line.
PREFIX = re.compile(r"^\w+ +\d+ [\d:]+ \S+ kernel: \[[\d.]+\] ")
# Where there is no shell or curl, that one snippet is not tried here; others are.
HAS_CURL = shutil.which("curl") is not None
Value = TypeVar("Value")


@dataclass(frozen=True)
class Place:
    """A portal that runs, and how its machines and people sign in."""

    base: str
    variables: dict[str, str]
    tokens: dict[str, str]
    links: dict[str, str]

    def get(self, party: str, path: str) -> Any:
        """Ask REST as a party's machine."""
        answer = requests.get(
            f"{self.base}/api/v1/o/{party}/{path}", headers=self._bearer(party), timeout=30
        )
        assert answer.status_code == 200, (path, answer.text)
        return answer.json()

    def push(self, party: str, sent: agents.Sent) -> None:
        """Send what an agent sends."""
        answer = requests.post(
            self.base + sent.path,
            data=sent.body,
            headers={**sent.headers, **self._bearer(party)},
            timeout=30,
        )
        assert answer.status_code in {200, 204}, (sent.path, answer.text)

    def _bearer(self, party: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[party]}"}


def until(look: Callable[[], Value | None], *, what: str) -> Value:
    """Return what is found in the end."""
    limit, pause = monotonic() + WAIT_SECONDS, Event()
    while monotonic() < limit:
        if found := look():
            return found
        pause.wait(0.25)
    raise AssertionError(f"nothing after {WAIT_SECONDS} s: {what}")


@contextmanager
def running(variables: dict[str, str]) -> Iterator[str]:
    """Run `manage.py up`; yield its address."""
    with portal(Path(variables["PORTAL_VAR"]), variables) as process:
        said = read_until(process, "Faultline is up")
        assert "Faultline is up" in said, said
        yield variables["PORTAL_BASE_URL"]


def set_up(base: str, variables: dict[str, str], directory: Path) -> Place:
    """Make the parties of the README's YAML, after a look at what that would make."""
    readme = (settings.BASE_DIR / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```yaml\n(.*?)```", readme, re.DOTALL)
    assert found
    path = directory / "parties.yaml"
    path.write_text(found[1], encoding="utf-8")
    planned = manage("setup", "--file", str(path), "--dry-run", variables=variables)
    assert "aurora" in planned
    assert "flt_" not in planned
    said = manage("setup", "--file", str(path), variables=variables)
    again = manage("setup", "--file", str(path), variables=variables)
    assert "flt_" not in again  # nothing is left to make, and no secret is shown twice
    return Place(
        base=base,
        variables=variables,
        tokens=dict(re.findall(r"(\w+): token \S+: (flt_\S+)", said)),
        links=dict(re.findall(r"(\w+): link for .*?: (http\S+)", said)),
    )


def signed_in(place: Place, party: str) -> Visitor:
    """Follow a first admin's link, which works once."""
    visitor = Visitor(base=place.base)
    visitor.send(place.links[party], password=PASSWORD, again=PASSWORD)
    assert requests.get(place.links[party], timeout=30).status_code == 404
    return visitor


def push_a_lost_gpu(place: Place) -> None:
    """Send a session that lost a GPU: three agents, two parties, kernel logs of the operator."""
    story = next(each for each in STORIES if each.cause == "gpu-off-bus").tell(TRUE_CLOCKS)
    lines = sorted(at for told in story.files.values() for at, _ in told)
    event = {
        "cluster": "meridian", "scheduler": "slurm", "session": SOLAR, "project": "solar",
        "hosts": list(story.hosts), "world_size": len(story.world),
    }  # fmt: skip
    told = [
        {**event, "state": "running", "at": f"{lines[0]:%Y-%m-%dT%H:%M:%SZ}"},
        {**event, "state": "failed", "at": f"{lines[-1]:%Y-%m-%dT%H:%M:%SZ}"},
    ]
    answer = requests.post(
        f"{place.base}/api/v1/session-events",
        json={"events": told},
        headers={"Authorization": f"Bearer {place.tokens['aurora']}"},
        timeout=30,
    )
    assert answer.json() == {"accepted": 2, "rejected": []}
    for number, (path, told_lines) in enumerate(sorted(story.files.items())):
        kind, host, *rank = Path(path).with_suffix("").parts
        labels = {"cluster": "meridian", "host": host, "stream": kind, "filename": path}
        if kind == "kernel":
            messages = [(at, PREFIX.sub("", text)) for at, text in told_lines]
            place.push("aurora", agents.fluent_bit(messages, labels))
            continue
        labels |= {"session": SOLAR, "rank": rank[0].removeprefix("rank")}
        agent = (agents.alloy, agents.collector)[number % 2]
        place.push("northwind", agent(told_lines, labels))


def push_by_the_pasted_line(place: Place, visitor: Visitor, directory: Path) -> None:
    """Run the page's own curl on the log of a session that ran into its walltime."""
    page = visitor.read("/o/northwind/sources/connect/?agent=curl")
    assert place.tokens["northwind"] not in page
    line = re.search(r"^curl --fail.*?'http\S+'$", page, re.DOTALL | re.MULTILINE)
    assert line, page
    if not HAS_CURL:
        return
    (directory / "rank0.log").write_bytes(TRAINING_LOG.read_bytes())
    done = subprocess.run(  # noqa: S602  what the page says, as a person would paste it
        line[0], shell=True, cwd=directory, capture_output=True, text=True, timeout=60, check=False,
        env={"PATH": os.environ["PATH"], "FAULTLINE_TOKEN": place.tokens["northwind"]},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rejected"] == []


def incident_of(place: Place, party: str) -> dict[str, Any] | None:
    """Return the incident as a party reads it, once its verdict stands."""
    for row in place.get(party, "incidents/")["results"]:
        if row["verdict_status"] == "likely":
            return dict(row)
    return None


def add_webhook(visitor: Visitor, hook: Hook) -> str:
    """Enter the webhook as an admin; return its secret, which is shown once."""
    page = visitor.send(
        "/o/northwind/settings/notifications/webhook/",
        at="/o/northwind/settings/notifications/",
        url=hook.url,
        networks="127.0.0.0/8",
        kind=["incident.opened", "incident.verdict_changed", "incident.assigned"],
        minimum="any",
        is_enabled="1",
    )
    found = re.search(r"whsec_[A-Za-z0-9+/=]+", page)
    assert found
    assert found[0] not in visitor.read("/o/northwind/settings/notifications/")
    return found[0]


def is_to_be_told(visitor: Visitor, letters: Letters, hook: Hook) -> str:
    """Confirm the address by the link that was mailed there; make a webhook, return its secret."""
    link = re.compile(r"http\S+/address/[\w-]+/")
    letter = until(
        lambda: next((each for each in letters.kept if link.search(read(each))), None),
        what="a letter that asks to confirm the address",
    )
    found = link.search(read(letter))
    assert found
    assert "Confirmed" in visitor.send(found[0])
    return add_webhook(visitor, hook)


def hears(letters: Letters, hook: Hook, incident: dict[str, Any], secret: str) -> None:
    """See that mail and webhook tell of the incident, signed, and carry no evidence."""
    link = f"/o/northwind/incidents/{incident['id']}/"
    letter = until(
        lambda: next((each for each in letters.kept if link in read(each)), None),
        what="a letter about the incident to the tenant",
    )
    assert "training@northwind.example" in str(letter["To"])
    raw, headers = until(
        lambda: next((each for each in hook.kept if incident["id"].encode() in each[0]), None),
        what="a call of the webhook",
    )
    told = Webhook(secret).verify(raw, headers)
    assert told["type"].startswith("incident.")
    for text in ("fallen off the bus", "watchdog", "rank18.log"):
        assert text.encode() not in raw
        assert text not in read(letter)


def judge(place: Place, visitor: Visitor, incident: dict[str, Any]) -> None:
    """Resolve it once it rests, and say that it was right: of an older answer that is refused."""
    quiet_answer_of(place, incident["id"])
    page = f"/o/northwind/incidents/{incident['id']}/"
    shown = visitor.send(f"{page}resolve/", at=page, reason="replaced")
    assert "esolved" in shown
    revision = re.search(r'name="revision" value="(\d+)"', shown)
    assert revision
    visitor.send(f"{page}feedback/", at=page, judgement="right", revision=revision[1])


def answer_of(place: Place, incident: str) -> dict[str, Any]:
    """Return what must be the same after a restoration: header, timeline, what was said of it."""
    found = place.get("northwind", f"incidents/{incident}/")
    below = f"incidents/{incident}"
    return {
        **{name: found[name] for name in (*ANSWER, "status", "parties")},
        "timeline": place.get("northwind", f"{below}/timeline/")["results"],
        "hypotheses": place.get("northwind", f"{below}/hypotheses/"),
        "feedback": place.get("northwind", f"{below}/feedback/"),
    }


def quiet_answer_of(place: Place, incident: str) -> dict[str, Any]:
    """Return the same once no worker has more to say of it: two answers in a row are alike."""
    limit, pause, former = monotonic() + WAIT_SECONDS, Event(), answer_of(place, incident)
    while monotonic() < limit:
        pause.wait(4)
        if (now := answer_of(place, incident)) == former:
            return now
        former = now
    raise AssertionError(f"{incident} never came to rest")


@pytest.mark.sweep
@pytest.mark.django_db(databases=[])
def test_from_an_empty_database_to_the_same_incident_elsewhere(tmp_path: Path) -> None:
    with mail_server() as letters, webhook() as hook:
        here = environment(
            tmp_path / "here",
            {
                "PORTAL_SMTP_URL": f"smtp://127.0.0.1:{letters.port}?tls=none",
                "PORTAL_OUTBOUND_NETWORKS": "127.0.0.0/8",
            },
        )
        archive = tmp_path / "archive"
        with running(here) as base:
            place = set_up(base, here, tmp_path)
            visitor = signed_in(place, "northwind")
            if SHARED.is_dir():
                push_by_the_pasted_line(place, visitor, tmp_path)
            secret = is_to_be_told(visitor, letters, hook)

            push_a_lost_gpu(place)
            incident = until(lambda: incident_of(place, "northwind"), what="a likely verdict")
            assert (incident["layer"], incident["cause"]) == ("gpu", "gpu-off-bus")
            assert [each["host"] for each in incident["culprits"]] == ["n103"]
            seen = until(lambda: incident_of(place, "aurora"), what="the operator's view")
            assert seen["id"] == incident["id"]
            hears(letters, hook, incident, secret)
            found = place.get("northwind", "incidents/")["results"]
            # The other session only ran out of time.
            assert [each["id"] for each in found if each["layer"] != "unknown"] == [incident["id"]]
            judge(place, visitor, incident)
            before = quiet_answer_of(place, incident["id"])
            assert before["status"] == "resolved"
            manage("backup", str(archive), "--with-keys", variables=here)

        there = environment(tmp_path / "there")
        manage("restore", str(archive), variables=there)
        with running(there) as base:
            elsewhere = Place(base=base, variables=there, tokens=place.tokens, links={})
            assert answer_of(elsewhere, incident["id"]) == before
            # The same person with the same password.
            again = Visitor(base=base)
            home = again.send("/sign-in/", username="northwind-admin", password=PASSWORD)
            assert "Northwind AI" in home
