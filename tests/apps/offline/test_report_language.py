"""The note of `manage.py diagnose` in its reader's language, without the portal."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from gettext import GNUTranslations
from pathlib import Path

import pytest
from django.core.management import call_command

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import (
    ClockError,
    Device,
    Diagnosis,
    FirstStopBy,
    FirstStopper,
    Origin,
    Phase,
    Restart,
    Stream,
)
from apps.diagnosis.signatures.read import read_source
from apps.offline import report
from apps.offline.report.answer import KNOWN_BY
from apps.offline.report.columns import columns, wrapped
from apps.wording import ENGLISH, KINDS, Speaker
from apps.wording.languages import CATALOGS, VARIABLES, language_of, speaker_of
from apps.wording.names import SOURCES
from apps.wording.speaker import PLACEHOLDER
from tests.scenarios.stories import STORIES, TRUE_CLOCKS

ROOT = Path(__file__).parents[3]
KOREAN = speaker_of(language="ko")
XID = (
    "2026-09-21T15:43:20+00:00 n1 kernel: NVRM: Xid (PCI:0000:1b:00): 79, pid=71, "
    "GPU has fallen off the bus."
)
STEP = "2026-09-21T15:43:20+00:00 iteration 100/ 1000 | elapsed time per iteration (ms): 900.1"

BARE = """
import sys
from apps.operations.command_line.main import run
run()
from django.conf import settings
sys.exit("portal.settings" in sys.modules or settings.configured)
"""


def _read(text: str, stream: Stream) -> Diagnosis:
    origin = Origin(source=f"{stream.value}/n1.log", stream=stream, host="n1")
    return diagnose(readings=[read_source(origin=origin, text=text)])


def _story(position: int) -> Diagnosis:
    texts = STORIES[position].tell(TRUE_CLOCKS).texts()
    readings = [
        read_source(origin=Origin(source=name, stream=None, host=None), text=text)
        for name, text in texts.items()
    ]
    return diagnose(readings=readings)


def _diagnoses() -> Iterator[Diagnosis]:
    lost = _read(XID, Stream.KERNEL)
    yield lost
    yield _read(STEP, Stream.SESSION)
    yield _read("", Stream.SESSION)
    yield from (_story(position) for position in range(0, len(STORIES), 4))
    for by in FirstStopBy:
        yield replace(lost, first_stopper=FirstStopper(ranks=(3,), by=by, hosts=("n1", "n2")))
        yield replace(lost, first_stopper=FirstStopper(ranks=(3, 4), by=by, hosts=()))
    clock = ClockError(
        host="n1",
        stream=Stream.KERNEL,
        zone_minutes=540,
        offset=timedelta(seconds=30),
        error=timedelta(seconds=1),
        pair_count=3,
        booted_at=datetime(2026, 9, 1, tzinfo=UTC),
    )
    yield replace(lost, clocks=(clock, replace(clock, zone_minutes=-60)) * 4)


DIAGNOSES = list(_diagnoses())


@pytest.mark.parametrize("form", [report.as_text, report.as_markdown, report.as_html])
def test_all_that_a_note_says_has_words_in_korean(form: object) -> None:
    assert callable(form)
    with (ROOT / "portal" / CATALOGS["ko"]).open("rb") as stream:
        catalog = GNUTranslations(stream)
    said: set[str] = set()

    def translate(words: str) -> str:
        said.add(words)
        return catalog.gettext(words) if words else ""

    for diagnosis in DIAGNOSES:
        form(diagnosis=diagnosis, speaker=Speaker(translate=translate, kinds=KINDS, language="ko"))
    known = catalog._catalog  # type: ignore[attr-defined]  # gettext falls back without a word
    # A name by itself, and what only puts values in a row, is the same in both.
    sentences = {words for words in said if " " in PLACEHOLDER.sub("", words).strip(" :,()")}
    assert sentences - known.keys() == set()
    assert len(said) > 60


def test_the_note_is_english_unless_somebody_asks_for_another_language() -> None:
    (first, *_rest) = DIAGNOSES
    assert report.as_text(diagnosis=first) == report.as_text(diagnosis=first, speaker=ENGLISH)
    assert "Why did it stop?" in report.as_text(diagnosis=first)
    korean = report.as_text(diagnosis=first, speaker=KOREAN)
    assert korean.startswith("왜 멈췄는가?")
    assert "드라이버가 GPU 버스 이탈을 보고함" in korean
    assert "<html lang=ko>" in report.as_html(diagnosis=first, speaker=KOREAN)


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LC_ALL": "ko_KR.UTF-8"}, "ko"),
        ({"LANGUAGE": "ko:en", "LC_ALL": "C"}, "ko"),
        ({"LANGUAGE": "de:ko", "LANG": "de_DE.UTF-8"}, "ko"),
        ({"LANG": "ko_KR"}, "ko"),
        ({"LC_ALL": "C.UTF-8", "LANG": "ko_KR.UTF-8"}, "en"),
        ({"LANGUAGE": "", "LC_MESSAGES": "ko"}, "ko"),
        ({"LC_ALL": "korean"}, "en"),
        ({"LC_ALL": "fr_FR.UTF-8"}, "en"),
    ],
)
def test_the_users_language_is_the_one_that_gettext_would_take(
    environment: dict[str, str], language: str
) -> None:
    assert language_of(environment=environment) == language


def _command(tmp_path: Path, *arguments: str) -> str:
    path = tmp_path / "kernel.log"
    path.write_text(XID)
    out = io.StringIO()
    call_command("diagnose", "--kernel", str(path), *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("name", VARIABLES)
def test_the_command_speaks_the_users_language_and_programs_read_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for each in VARIABLES:
        monkeypatch.delenv(each, raising=False)
    assert "Why did it stop?" in _command(tmp_path)
    plain = json.loads(_command(tmp_path, "--format", "json"))
    monkeypatch.setenv(name, "ko_KR.UTF-8")
    assert "왜 멈췄는가?" in _command(tmp_path)
    assert "왜 멈췄는가?" in _command(tmp_path, "--format", "md")
    assert "Why did it stop?" in _command(tmp_path, "--language", "en")
    assert json.loads(_command(tmp_path, "--format", "json")) == plain


def test_what_a_name_means_is_said_in_the_users_language() -> None:
    out = io.StringIO()
    call_command("diagnose", "--explain", "gpu-off-bus", "--language", "ko", stdout=out)
    assert "원인 gpu-off-bus (gpu): GPU가 PCIe에서 응답하지 않음" in out.getvalue()


def test_korean_needs_neither_settings_nor_database(tmp_path: Path) -> None:
    path = tmp_path / "kernel.log"
    path.write_text(XID)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PORTAL_", "DJANGO_"))}
    found = subprocess.run(  # noqa: S603  our own command
        [
            sys.executable,
            "-c",
            BARE,
            "diagnose",
            str(path),
        ],
        cwd=ROOT,
        env={**kept, "LC_ALL": "ko_KR.UTF-8"},
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert "왜 멈췄는가?" in found.stdout.decode()
    assert found.returncode == 0, found.stderr.decode()


def test_what_somebody_would_show_follows_the_word_would() -> None:
    table = [each.would for cause in load_causes().values() for each in cause.settles]
    kinds = [each.text for kind, each in KINDS.items() if kind.startswith(("shows-", "says-"))]
    verbs = {"show", "say", "name"}
    assert {text for text in (*table, *kinds) if text.split()[0] not in verbs} == set()
    assert len(kinds) > 5


@pytest.mark.parametrize("advice", ["restart-without", "fix-first", "unknown"])
def test_nobody_never_stands_under_a_blamed_part_whose_host_is_not_named(advice: str) -> None:
    lost = DIAGNOSES[0]
    for kind in ("gpu", "nic", "nvswitch", "node"):
        part = Device(kind=kind, pci="0000:1b:00.0")
        verdict = replace(lost.verdict, culprits=(part,))
        open_ = replace(lost, verdict=verdict, restart=Restart(advice=advice))
        text = report.as_text(diagnosis=open_)
        left_out = text.split("Leave out whom?\n", 1)[1].split("\n", 1)[0].strip()
        assert left_out == "Nobody can say yet."


def test_a_kernel_log_that_names_no_host_leaves_open_whom_to_leave_out() -> None:
    origin = Origin(source="kernel.log", stream=Stream.KERNEL, host=None)
    line = "[ 12.3] NVRM: Xid (PCI:0000:1b:00): 79, pid=71, GPU has fallen off the bus."
    found = diagnose(readings=[read_source(origin=origin, text=line)])
    assert [(one.kind, one.host) for one in found.verdict.culprits] == [("gpu", None)]
    assert "Leave out whom?\n  Nobody can say yet.\n" in report.as_text(diagnosis=found)


def test_korean_letters_take_two_columns_of_a_terminal() -> None:
    assert columns("GPU") == 3
    assert columns("로그 gpu071") == 11
    text = report.as_text(diagnosis=DIAGNOSES[3], speaker=KOREAN, width=60)
    assert max(columns(line) for line in text.splitlines()) <= 60
    assert wrapped("가나다라 마바", 6) == ["가나다", "라", "마바"]
    assert " ".join(wrapped("드라이버가 GPU 버스 이탈을 보고함", 12)) == (
        "드라이버가 GPU 버스 이탈을 보고함"
    )


@pytest.mark.parametrize(
    ("phase", "english", "korean"),
    [
        (Phase.ITERATE, " UTC, while training.", " UTC, 학습 중."),
        (Phase.UNKNOWN, " UTC.", " UTC."),
    ],
)
def test_when_it_broke_is_said_with_what_the_program_was_doing(
    phase: Phase, english: str, korean: str
) -> None:
    diagnosis = replace(
        _read(XID, Stream.KERNEL), phase=phase, failed_at=datetime(2026, 9, 21, 15, 43, tzinfo=UTC)
    )
    for speaker, ending in ((ENGLISH, english), (KOREAN, korean)):
        text = report.as_text(diagnosis=diagnosis, speaker=speaker)
        told = next(line for line in text.splitlines() if "15:43:00 UTC" in line)
        assert told.endswith(ending)


def test_a_korean_note_names_sources_layers_and_causes_in_words() -> None:
    slugs = [*(each for each in SOURCES if "-" in each), *KNOWN_BY, *load_causes()]
    # A cause has the name that `--explain` takes behind its words.
    bare = re.compile(rf"(?<![\w(./`-])({'|'.join(slugs)})(?![\w./=:-])")
    notes = [report.as_text(diagnosis=each, speaker=KOREAN) for each in DIAGNOSES]

    assert {found for note in notes for found in bare.findall(note)} <= {"process", "unknown"}
    assert any("(gpu-off-bus)" in note for note in notes)
