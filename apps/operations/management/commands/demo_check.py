"""Ask the running demo, as each party, what happened, and compare with what the simulator broke."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import requests
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from apps.operations.demo_pages import NotSignedIn, PartyPages
from apps.operations.demo_story import StoryPiece, clicks_to, story_pieces
from apps.operations.demo_verdicts import (
    ScenarioCheck,
    compare,
    is_about,
    survival_differences,
)

CLUSTER = "meridian"
PATIENCE_SECONDS = 300
FIRST_SECONDS = 90
LIVE_SECONDS = 5


@dataclass(slots=True)
class Watch:
    """What was seen so far, and when each scenario's incident was first there."""

    ready_at: datetime
    began_at: datetime
    trouble: str | None = None
    findings: list[ScenarioCheck] = field(default_factory=list)
    truths: list[dict[str, Any]] = field(default_factory=list)
    first_seen: dict[str, datetime] = field(default_factory=dict)
    found_there: set[str] | None = None  # scenarios that had their incident at the first look


class Command(BaseCommand):
    """Compare verdicts, culprits and visibility with the simulator's ledger."""

    help = "Wait up to five minutes for the demo's incidents and compare them with the truth."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a table, and how long it took; fail on any mismatch.

        The machine may be busy with other work, so times decide nothing.
        """
        demo = _read_demo(settings.PORTAL_VAR / "demo.json")
        ledger = settings.PORTAL_VAR / "simulator" / "truth.jsonl"
        watch = Watch(ready_at=_instant(demo["ready_at"]), began_at=_now())
        limit = max(watch.ready_at, watch.began_at).timestamp() + PATIENCE_SECONDS
        pause = Event()
        while _now().timestamp() < limit:
            _look(watch, demo=demo, ledger=ledger)
            if _is_complete(watch):
                break
            pause.wait(1.0)
        failures = [*self._print(watch), *filter(None, [watch.trouble])]
        if watch.truths:
            failures += self._print_story(demo, watch)
        for line in _times(watch):
            self.stdout.write(line)
        if failures:
            raise CommandError("\n".join(["the demo does not keep its promise:", *failures]))
        self.stdout.write("every verdict, culprit and view is as the ledger says")
        self.stdout.write("whom each piece of the story concerns finds it in two clicks from Home")

    def _print(self, watch: Watch) -> Iterator[str]:
        if not watch.findings:
            yield "the simulator wrote no truth: is `make demo` running?"
        for finding in watch.findings:
            mark = "ok " if finding.is_right else "BAD"
            self.stdout.write(f"{mark} {finding.scenario:<20} expected {finding.expected}")
            self.stdout.write(f"    {'':<20} seen     {finding.seen}")
            for difference in finding.differences:
                self.stdout.write(f"    {'':<20} !        {difference}")
                yield f"{finding.scenario}: {difference}"

    def _print_story(self, demo: dict[str, Any], watch: Watch) -> Iterator[str]:
        """Follow the links of Home as each party, and say what none leads to."""
        readers: dict[str, PartyPages] = {}
        try:
            sessions = {slug: _session_ids(demo, slug) for slug in _tenants(demo)}
            pieces = story_pieces(truths=watch.truths, sessions=sessions, cluster=CLUSTER)
            for each in _parties(demo, {piece.party for piece in pieces}):
                readers[each["slug"]] = reader = PartyPages(base_url=demo["base_url"])
                reader.sign_in(user=each["user"], password=each["password"])
            for piece in pieces:
                clicks = _clicks(readers[piece.party], piece)
                found = f"in {clicks} click(s) from Home" if clicks else f"not found: {piece.path}"
                mark = "ok " if clicks else "BAD"
                self.stdout.write(f"{mark} {piece.name:<27} {piece.party:<10} {found}")
                if not clicks:
                    yield f"{piece.name}: {piece.party} does not find {piece.path}"
        except (requests.RequestException, NotSignedIn) as error:
            yield str(error)


def _clicks(reader: PartyPages, piece: StoryPiece) -> int | None:
    return clicks_to(path=piece.path, home=f"/o/{piece.party}/", read=reader.read)


def _parties(demo: dict[str, Any], slugs: set[str]) -> list[dict[str, Any]]:
    return [each for each in demo["organizations"] if each["slug"] in slugs]


def _tenants(demo: dict[str, Any]) -> set[str]:
    return {each["slug"] for each in demo["organizations"] if each["participations"] == ["tenant"]}


def _session_ids(demo: dict[str, Any], slug: str) -> dict[str, str]:
    """Return the sessions that an organization lists, name → id."""
    return {each["name"]: each["id"] for each in _listed(demo, slug, "sessions")}


def _survivals(demo: dict[str, Any], truths: Sequence[dict[str, Any]]) -> Iterator[ScenarioCheck]:
    """Yield how the attempts of jobs that went on differ from what the ledger says of them."""
    for truth in truths:
        if truth.get("survived"):
            listed = _listed(demo, truth["organization"], "sessions")
            mine = [each for each in listed if each["name"] == truth["session"]]
            attempts = mine[0]["attempts"] if mine else []
            alive = truth["survived"]["alive_gpus"]
            yield ScenarioCheck(
                scenario=f"{truth['scenario']}, job",
                expected=f"survived, degraded: {alive} GPUs alive",
                seen=", ".join(f"{each['alive_gpus']} GPUs alive" for each in attempts),
                differences=survival_differences(truth=truth, attempts=attempts),
            )


def _look(watch: Watch, *, demo: dict[str, Any], ledger: Path) -> None:
    try:
        incidents = {
            each["slug"]: list(_listed(demo, each["slug"], "incidents"))
            for each in demo["organizations"]
        }
        truths = _truths(ledger)
        survivals = list(_survivals(demo, truths))
    except requests.RequestException as error:
        watch.trouble = str(error)
        return
    watch.trouble = None
    now = _now()
    watch.truths = truths
    for truth in watch.truths:
        own = incidents.get(truth["organization"], ())
        if any(is_about(incident=each, truth=truth) for each in own):
            watch.first_seen.setdefault(truth["scenario"], now)
    tenants = _tenants(demo)
    if watch.found_there is None:
        watch.found_there = set(watch.first_seen)
    watch.findings = [
        compare(truth=truth, incidents=incidents, tenants=tenants) for truth in watch.truths
    ] + survivals


def _is_complete(watch: Watch) -> bool:
    has_live = any(truth["live"] for truth in watch.truths)
    return has_live and all(finding.is_right for finding in watch.findings)


def _times(watch: Watch) -> Iterator[str]:
    # Of what was there before the check began nobody knows when it came.
    there = watch.found_there or set()
    if watch.first_seen and not there:
        first = min(watch.first_seen.values())
        yield _time("the first incident", (first - watch.ready_at).total_seconds(), FIRST_SECONDS)
    for truth in watch.truths:
        seen = watch.first_seen.get(truth["scenario"])
        if truth["live"] and seen and truth["scenario"] not in there:
            newest = _instant(truth["newest_evidence_at"])
            yield _time("the live incident", (seen - newest).total_seconds(), LIVE_SECONDS)


def _time(what: str, seconds: float, quiet: int) -> str:
    return f"{what} came after {seconds:.1f} s (on a quiet machine: within {quiet} s)"


def _listed(demo: dict[str, Any], slug: str, what: str) -> Iterator[dict[str, Any]]:
    """Yield all of a list by REST, as an organization of the demo reads it."""
    url: str | None = f"{demo['base_url']}/api/v1/o/{slug}/{what}/"
    token = _parties(demo, {slug})[0]["token"]
    while url:
        answer = requests.get(url, headers={"Authorization": f"Bearer {token}"}, timeout=10)
        answer.raise_for_status()
        page = answer.json()
        yield from page["results"]
        url = page["next"]


def _truths(ledger: Path) -> list[dict[str, Any]]:
    if not ledger.exists():
        return []
    whole: Sequence[str] = ledger.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in whole if line.strip()]


def _read_demo(path: Path) -> dict[str, Any]:
    pause = Event()
    for _ in range(PATIENCE_SECONDS):
        if path.exists():
            values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return values
        pause.wait(1.0)
    raise CommandError(f"{path} is not there: start `make demo` first")


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _now() -> datetime:
    return datetime.now(UTC)
