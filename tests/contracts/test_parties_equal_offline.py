"""Whole sessions pushed by three parties, each with its own token, end as the files do."""

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from random import Random
from typing import Any

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Reading
from apps.diagnosis.signatures.read import read_source
from apps.fleet.models import Attempt
from apps.telemetry.attempts.readings import readings_of_attempt
from apps.telemetry.files.file_origins import describe
from apps.telemetry.formats.line_merge import nanoseconds
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.wording.published import to_json
from tests.cast.pushes import (
    NOW,
    Cast,
    cast,
    drain_all,
    push_json,
    push_loki,
    push_text,
)
from tests.scenarios.compose import Session
from tests.scenarios.stories import STORIES, TRUE_CLOCKS, Story

pytestmark = pytest.mark.sweep

EVERY = 1 if "PORTAL_TEST_CUTS" in os.environ else 4


def conclusion(readings: list[Reading] | tuple[Reading, ...]) -> dict[str, Any]:
    """Return what the issue compares."""
    said = to_json(diagnosis=diagnose(readings=readings))
    return {name: said[name] for name in ("verdict", "first_stopper", "end_state")}


def labels_of(path: str) -> dict[str, str]:
    """Return the labels a shipper gives to a file of that path."""
    origin = describe(inside=path, stream=None, zone=None, overrides={})
    assert origin is not None
    said = {"stream": origin.stream, "host": origin.host, "rank": origin.rank}
    labels = {name: str(value) for name, value in said.items() if value is not None}
    return labels | ({"session": "run"} if origin.stream == "session" else {})


def holder_of(people: Cast, labels: Mapping[str, str]) -> Organization:
    """Return whose credential brings such a file."""
    holders = {"session": people.tenant, "kernel": people.operator, "scheduler": people.platform}
    return holders.get(labels.get("stream", ""), people.operator)


def told() -> Cast:
    """Return parties of which the platform has told that the session runs on its hosts."""
    people = cast()
    event = {"session": "run", "project": "solar", "hosts": ["n101", "n102", "n103", "n104"]}
    answer = push_json("/api/v1/session-events", people.token(people.platform), event)
    assert answer.json()["accepted"] == 1
    return people


def stored(people: Cast) -> tuple[Reading, ...]:
    """Interpret everything and return what correlation reads."""
    drain_all(people.operator, people.tenant, people.platform)
    with organization_scope(people.operator.pk, people.tenant.pk, people.platform.pk):
        return readings_of_attempt(attempt=Attempt.objects.select_related("session").get()).readings


def offline(session: Session) -> list[Reading]:
    """Return what the files say."""
    readings = []
    for path, text in session.texts().items():
        origin = describe(inside=path, stream=None, zone=None, overrides={})
        assert origin is not None
        readings.append(
            read_source(origin=replace(origin, received_at=NOW), text=text.removesuffix("\n"))
        )
    return readings


@pytest.mark.django_db
@pytest.mark.parametrize("story", STORIES[::EVERY], ids=lambda story: story.name)
def test_files_uploaded_by_their_holders_say_what_a_folder_says(story: Story) -> None:
    people, session, dice = told(), story.tell(TRUE_CLOCKS), Random(story.name)  # noqa: S311  repeatable, not secret
    files = [file for file in session.texts().items() for _ in range(dice.choice((1, 2)))]
    dice.shuffle(files)
    for path, text in files:
        labels = labels_of(path)
        answer = push_text(people.token(holder_of(people, labels)), text, **labels)
        assert answer.status_code == 200
    assert conclusion(stored(people)) == conclusion(offline(session))


@pytest.mark.django_db
@pytest.mark.parametrize("story", STORIES[1::EVERY], ids=lambda story: story.name)
def test_lines_shipped_as_they_are_printed_end_in_the_storys_verdict(story: Story) -> None:
    people, session, dice = told(), story.tell(TRUE_CLOCKS), Random(story.name)  # noqa: S311  repeatable, not secret
    for path, lines in session.files.items():
        labels = labels_of(path)
        ordered = sorted(lines, key=lambda one: one[0])
        stamped = [
            (nanoseconds(at=at.replace(tzinfo=UTC)) + position, line)
            for position, (at, line) in enumerate(ordered)
        ]
        middle = dice.randint(0, len(stamped))
        for part in dice.sample([stamped[:middle], stamped[middle:], stamped[middle:]], 3):
            push_loki(people.token(holder_of(people, labels)), part, labels)
    said = conclusion(stored(people))["verdict"]
    assert (said["status"] in story.status, said["layer"], said["cause"]) == (
        True,
        story.layer,
        story.cause,
    )
