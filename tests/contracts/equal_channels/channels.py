"""What each channel tells one party of one incident, as facts that can be compared.

Every generated fact holds a word of its own (`ev012x003end`), which no redaction takes away: what a
channel tells is found by it, and compared in all its words.
"""

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.test import Client

from apps.incidents.models import Incident
from apps.notifications.email.news_items import news_item
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast.clients import Asking, member, token
from tests.contracts.equal_channels.generated import GeneratedWorld, notices_of
from tests.web.markup import one_line

MARK: Final = re.compile(r"\b(?:ev|mo|no)\d{3}x\d{3}end\b|\bli\dx\d{3}end\b")
TAG: Final = re.compile(r"<[^>]*>")
BOARD: Final = re.compile(
    r'<section[^>]*aria-labelledby="hypotheses-title".*?</section>', re.DOTALL
)
# What a file leaves out of a document: the lines behind evidence, and what is new to one person.
NOT_IN_FILES: Final = frozenset({"log_line", "shared_line", "place", "fields"})
RESOURCES: Final = ("hypotheses", "timeline", "annotations", "shared-sessions")  # of an incident
# What runs on between two questions.
RUNNING: Final = frozenset({"seconds"})
HELD: Final = re.compile(
    r"(?P<count>\d+) items? (?:held by (?P<holder>[\w-]+)|"
    r"claimed by (?P<claimer>[\w-]+), who does not run it)"
)


def marks_in(text: str, *kinds: str) -> frozenset[str]:
    """Return the words of facts in a text, of some kinds or of all."""
    found = frozenset(MARK.findall(text))
    return frozenset(each for each in found if not kinds or each[:2] in kinds)


def plain(markup: str) -> str:
    """Return the text of a page: without tags, on one line."""
    return " ".join(unescape(TAG.sub(" ", one_line(markup))).split())


@dataclass(frozen=True, kw_only=True)
class PageFacts:
    """What a page says, and what of it stands on its board of explanations."""

    text: str
    board: str

    @property
    def held(self) -> frozenset[tuple[str, int, bool]]:
        """Return who holds how much, by name."""
        return frozenset(
            (found["holder"] or found["claimer"], int(found["count"]), bool(found["claimer"]))
            for found in HELD.finditer(self.board)
        )


@dataclass(frozen=True, kw_only=True)
class RestFacts:
    """What REST tells of an incident; `header` is None where it is not found."""

    header: Mapping[str, Any] | None
    hypotheses: list[dict[str, Any]]
    timeline: list[dict[str, Any]]
    annotations: list[dict[str, Any]]
    shared_sessions: list[dict[str, Any]]

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Return every fact by its word, in all its words."""
        pieces = [each for h in self.hypotheses for each in (*h["for"], *h["against"])]
        standing = [h for h in self.hypotheses if not h["ruled_out_because"]]
        # Of what is ruled out a page says why, without the lines.
        cited = [each for h in standing for each in (*h["for"], *h["against"])]
        told = [
            *(each["text"] for each in pieces),
            *(each["title"] for each in self.timeline),
            *(each["text"] for each in self.annotations),
            *(line["text"] for each in cited if (line := each["log_line"] or each["shared_line"])),
        ]
        return {word: text for text in told if text for word in marks_in(text)}

    def words(self, *kinds: str) -> frozenset[str]:
        """Return the words of facts of some kinds."""
        return frozenset(each for each in self.texts if each[:2] in kinds)

    @property
    def held(self) -> frozenset[tuple[str, int, bool]]:
        """Return who holds how much beside what is shown: of explanations that a page shows."""
        return frozenset(
            (each["organization"], each["count"], each["claimed"])
            for h in self.hypotheses
            for each in h["held"]
            if _is_on_page(h, each["side"])
        )


def _is_on_page(hypothesis: Mapping[str, Any], side: str) -> bool:
    """Say whether a page says what is held: of what is ruled out, where nothing else says why."""
    if not hypothesis["ruled_out_because"]:
        return True
    return side == "against" and not hypothesis["against"]


@dataclass(frozen=True, kw_only=True)
class Party:
    """One party as it reads: by its token, its browser, its files and its mail."""

    organization: Organization
    machine: Asking
    browser: Client

    def rest(self, incident: Incident) -> RestFacts:
        """Ask REST for everything of an incident."""
        path = f"incidents/{incident.public_id}/"
        answer = self.machine.get(path)
        if answer.status_code == 404:
            assert self.machine.get(f"{path}hypotheses/").status_code == 404
            return RestFacts(header=None, **{name.replace("-", "_"): [] for name in RESOURCES})
        return RestFacts(
            header=answer.json(),
            **{
                name.replace("-", "_"): self.machine.get(f"{path}{name}/", limit=100).json()[
                    "results"
                ]
                for name in RESOURCES
            },
        )

    def page(self, incident: Incident) -> PageFacts | None:
        """Return the page with its whole story; None where it is not found."""
        return self._read(incident, "?group=list&all=1")

    def after_event(self, incident: Incident) -> PageFacts | None:
        """Return what an open page reads when the stream tells of a change."""
        return self._read(incident, "annotations/changes/?group=list&all=1")

    def _read(self, incident: Incident, rest: str) -> PageFacts | None:
        answer = self.browser.get(
            f"/o/{self.organization.slug}/incidents/{incident.public_id}/{rest}"
        )
        if answer.status_code == 404:
            return None
        markup = answer.content.decode()
        board = BOARD.search(markup)
        return PageFacts(text=plain(markup), board=plain(board[0]) if board else "")

    def document(self, incident: Incident) -> dict[str, Any] | None:
        """Return the exported document; None where it is not found."""
        text = self._file(incident, "json")
        found: dict[str, Any] | None = json.loads(text) if text else None
        return found

    def rows(self, incident: Incident) -> list[dict[str, str]]:
        """Return the rows of the exported table."""
        text = self._file(incident, "csv").decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text)))

    def objects(self, incident: Incident) -> list[dict[str, Any]]:
        """Return the lines of the exported NDJSON."""
        return [json.loads(line) for line in self._file(incident, "ndjson").splitlines()]

    def markdown(self, incident: Incident) -> str:
        """Return the exported Markdown."""
        return self._file(incident, "md").decode()

    def _file(self, incident: Incident, form: str) -> bytes:
        answer = self.machine.get(f"incidents/{incident.public_id}/export.{form}")
        return b"" if answer.status_code == 404 else b"".join(answer.streaming_content)

    def mail(self, incident: Incident) -> tuple[dict[str, Any], Mapping[str, str]] | None:
        """Return what the newest message says: as the webhook sends it, and as a letter does."""
        with organization_scope(self.organization.pk):
            told = notices_of(incident, self.organization)
            if not told:
                return None
            item = news_item(told[-1], ZoneInfo("UTC"))
        lines = {each.name: each.value for each in item.facts}
        return told[-1].body["incident"], lines | {"title": item.title, "advice": item.advice}


def readers_in(world: GeneratedWorld) -> tuple[Party, ...]:
    """Return all parties of a world as readers."""
    return tuple(
        Party(
            organization=each,
            machine=token(each),
            browser=member(each, MemberRole.VIEWER).client,
        )
        for each in world.parties
    )


def bare(value: Any) -> Any:
    """Return what REST sends as a file holds it, without what runs on between two questions."""
    if isinstance(value, list):
        return [bare(each) for each in value]
    if isinstance(value, Mapping):
        left_out = NOT_IN_FILES | RUNNING
        return {name: bare(each) for name, each in value.items() if name not in left_out}
    return value
