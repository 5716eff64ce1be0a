"""Pushing logs over HTTP, cut, reordered and doubled, gives the verdict of reading the files."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Origin, Reading, Stream
from apps.diagnosis.signatures.read import read_source
from apps.telemetry.formats.line_merge import LineTimes
from apps.wording.published import to_json
from tests.cast.pushes import NOW, Cast, cast, drain_all, push_loki, push_text
from tests.contracts.stored_diagnoses import stored
from tests.shared_files import SHARED, needs_shared

# `make test` looks at a few cuts of a part of the cases; the whole takes some minutes.
CUTS = int(os.environ.get("PORTAL_TEST_CUTS", "2"))
EVERY = 1 if "PORTAL_TEST_CUTS" in os.environ else 12
FIRST_STAMP = 1_795_000_000_000_000_000
STEP = 1_000_000


@dataclass(frozen=True)
class File:
    """One source of a session."""

    text: str
    labels: Mapping[str, str]

    @property
    def origin(self) -> Origin:
        """Return what the labels say, as offline reading takes it."""
        said = self.labels
        return Origin(
            source=said["filename"],
            stream=Stream(said["stream"]) if "stream" in said else None,
            host=said.get("host"),
            rank=int(said["rank"]) if "rank" in said else None,
            received_at=NOW,
        )


def files_of(case: Mapping[str, Any]) -> list[File]:
    """Return the sources of a recorded case, one line feed at the end at most."""
    found = []
    for position, log in enumerate(case["logs"]):
        said = {key: log.get(key) for key in ("stream", "host", "rank")}
        if said["stream"] not in set(Stream):  # an address refuses what is no kind of stream
            del said["stream"]
        labels = {key: str(value) for key, value in said.items() if value is not None}
        text = str(log.get("text") or "").rstrip("\n").replace("\r\n", "\n")
        if text:
            found.append(File(text=text, labels=labels | {"filename": f"log-{position:02}"}))
    return found


def cut(text: str, dice: Random) -> list[list[str]]:
    """Cut lines into parts at random places."""
    lines = text.split("\n")
    places = sorted(dice.sample(range(1, len(lines)), min(len(lines) - 1, dice.randint(0, 4))))
    return [lines[a:b] for a, b in zip([0, *places], [*places, len(lines)], strict=True)]


def push_stamped(people: Cast, files: Sequence[File], dice: Random) -> None:
    """Push all parts of all files as Loki does, in any order, some twice."""
    parts = []
    for file in files:
        stamp = FIRST_STAMP
        for lines in cut(file.text, dice):
            stamped = [(stamp + STEP * i, line) for i, line in enumerate(lines)]
            parts += [(file.labels, stamped)] * dice.choice((1, 1, 2))
            stamp += STEP * len(lines)
    dice.shuffle(parts)
    for labels, stamped in parts:
        answer = push_loki(people.token(people.tenant), stamped, {**labels, "session": "run"})
        assert answer.status_code == 204, answer.content
        drain_all(*[people.tenant] * dice.randint(0, 1))
    drain_all(people.tenant)


def push_files(people: Cast, files: Sequence[File], dice: Random) -> None:
    """Upload each file in parts, some twice, in any order."""
    parts = [
        (file, "\n".join(lines))
        for file in files
        for lines in cut(file.text, dice)
        for _ in range(dice.choice((1, 1, 2)))
    ]
    dice.shuffle(parts)
    for file, text in parts:
        answer = push_text(
            people.token(people.tenant), f"{text}\n", **{**file.labels, "session": "run"}
        )
        assert answer.status_code == 200, answer.content
        drain_all(*[people.tenant] * dice.randint(0, 1))
    drain_all(people.tenant)


def conclusion(readings: Sequence[Reading]) -> dict[str, Any]:
    """Return what the issue compares."""
    said = to_json(diagnosis=diagnose(readings=readings))
    return {name: said[name] for name in ("verdict", "first_stopper", "end_state")}


def offline(files: Sequence[File], *, is_stamped: bool) -> list[Reading]:
    """Return what reading the files says, with the envelope's times where they were pushed."""
    return [
        read_source(
            origin=file.origin,
            text=file.text,
            stamps=LineTimes(
                FIRST_STAMP + STEP * np.arange(file.text.count("\n") + 1, dtype=np.int64)
            )
            if is_stamped
            else None,
        )
        for file in files
    ]


def cases() -> list[Any]:
    """Return recorded cases as parameters; none without the shared folder."""
    path = SHARED / "cases" / "cases.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [
        pytest.param(case, id=case["id"])
        for case in map(json.loads, lines[::EVERY])
        if case["logs"]
    ]


@needs_shared
@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(CUTS))
@pytest.mark.parametrize("case", cases())
def test_stamped_pushes_in_any_cut_and_order_say_what_the_files_say(
    case: dict[str, Any], seed: int
) -> None:
    people, files, dice = cast(), files_of(case), Random(f"{case['id']}/{seed}")  # noqa: S311  repeatable, not secret
    push_stamped(people, files, dice)
    assert conclusion(stored(people)) == conclusion(offline(files, is_stamped=True))


@needs_shared
@pytest.mark.django_db
@pytest.mark.parametrize("case", cases())
def test_files_uploaded_in_parts_say_what_reading_them_says(case: dict[str, Any]) -> None:
    people, files = cast(), files_of(case)
    push_files(people, files, Random(case["id"]))  # noqa: S311  repeatable, not secret
    assert conclusion(stored(people)) == conclusion(offline(files, is_stamped=False))
