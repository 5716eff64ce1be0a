"""The note of `manage.py diagnose`: answers first, quoted lines that cannot steer a terminal."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.management import call_command

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import (
    AttemptVerdict,
    ClockError,
    Diagnosis,
    EndState,
    FirstStopBy,
    FirstStopper,
    Layer,
    Origin,
    Stream,
)
from apps.diagnosis.signatures.read import read_source
from apps.offline import report
from apps.offline.report.forms import PLAIN

XID = "NVRM: Xid (PCI:0000:1b:00): 79, pid=71, name=python3, GPU has fallen off the bus."


def _diagnosis(text: str, stream: Stream = Stream.KERNEL) -> Diagnosis:
    origin = Origin(source=f"{stream.value}/n1.log", stream=stream, host="n1")
    return diagnose(readings=[read_source(origin=origin, text=text)])


@pytest.fixture(scope="module")
def lost() -> Diagnosis:
    """Return the diagnosis of a lost GPU."""
    return _diagnosis(f"2026-09-21T15:43:20+00:00 n1 kernel: {XID}")


def test_the_three_answers_come_first_and_name_the_part(lost: Diagnosis) -> None:
    titles = re.findall(r"^(\S.*)$", report.as_text(diagnosis=lost), re.MULTILINE)
    assert titles[:4] == [
        "Why did it stop?",
        "Start it again?",
        "Leave out whom?",
        "What speaks for it",
    ]
    assert "0000:1b:00" in report.as_text(diagnosis=lost).split("Start it again?")[0]


def test_evidence_quotes_its_line_with_file_and_number(lost: Diagnosis) -> None:
    text = report.as_text(diagnosis=lost)
    assert "kernel/n1.log:1" in text
    assert "fallen off the bus" in text


def test_evidence_shows_its_weight_once_before_its_words(lost: Diagnosis) -> None:
    text = report.as_text(diagnosis=lost, width=60)
    assert re.search(r"^   \+\d\.\d  The driver reports .*\n {9}\S", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("by", "hosts", "is_near"),
    [
        (FirstStopBy.EXIT_CODE, ("n1", "n2"), True),
        (FirstStopBy.EXIT_CODE, ("n1",), False),
        (FirstStopBy.FLIGHT_RECORDER, ("n1", "n2"), False),
    ],
)
def test_exit_codes_of_several_nodes_do_not_say_who_of_them_was_first(
    lost: Diagnosis, by: FirstStopBy, hosts: tuple[str, ...], *, is_near: bool
) -> None:
    first = FirstStopper(ranks=(3, 11), by=by, hosts=hosts)
    text = report.as_text(diagnosis=replace(lost, first_stopper=first), width=110)
    assert f"Stopped first: ranks 3, 11 of {', '.join(hosts)}" in text
    assert ("too near to tell" in " ".join(text.split())) is is_near


def test_of_two_causes_as_likely_each_action_says_which_it_is_for(lost: Diagnosis) -> None:
    rival = replace(lost.actions[0], owner="tenant", rival="rank-exception")
    text = report.as_text(diagnosis=replace(lost, actions=(lost.actions[0], rival)))
    assert "operator: if it was gpu-off-bus: Reboot" in text
    assert "tenant: if it was rank-exception: Reboot" in text
    assert "if it was" not in report.as_text(diagnosis=lost)


def test_colour_is_only_for_terminals(lost: Diagnosis) -> None:
    assert PLAIN in report.as_text(diagnosis=lost, is_colored=True)
    assert "\x1b" not in report.as_text(diagnosis=lost)


@pytest.mark.parametrize("width", [40, 60, 80, 300])
def test_no_line_is_wider_than_the_terminal_allows(lost: Diagnosis, width: int) -> None:
    lines = report.as_text(diagnosis=lost, width=width).splitlines()
    assert max(map(len, lines)) <= max(60, min(width, report.MOST_WIDTH))


@pytest.mark.parametrize(
    "form", [report.as_text, report.as_markdown, report.as_html], ids=["text", "md", "html"]
)
def test_a_quoted_line_steers_neither_terminal_nor_page(form: object) -> None:
    hostile = XID.replace("python3", "\x9b2J<b>\x07`x`")
    text = form(diagnosis=_diagnosis(f"2026-09-21T15:43:20+00:00 n1 kernel: {hostile}"))  # type: ignore[operator]  # one of the three
    assert not {"\x9b", "\x1b", "\x07"} & set(text)
    assert "0000:1b:00" in text


def test_the_page_escapes_markup_and_fetches_nothing() -> None:
    hostile = XID.replace("python3", "<img src=//x>")
    page = report.as_html(diagnosis=_diagnosis(f"[ 9.1] {hostile}"))
    assert "<img" not in page
    assert not re.search(r"(src|href)\s*=", page.replace("&lt;img src=//x&gt;", ""))


@pytest.mark.parametrize(
    "name",
    ["![x](http://h/p.png)", "<img/src=//h>", "*a*", "`a", "```a", "\\[x](http://h)", "&lt;"],
)
def test_a_name_out_of_a_line_is_no_markup_in_markdown(name: str) -> None:
    hung = f"nfs: server {name} not responding, still trying"
    note = _diagnosis(f"2026-09-21T15:43:20+00:00 n1 kernel: {hung}")
    assert f"server {name}" in report.as_text(diagnosis=note)
    written = report.as_markdown(diagnosis=note)
    words = re.sub(r"(?<!\\)`[^`\n]*`", "", written).replace("**", "")
    assert not re.search(r"(?<!\\)(?:\\\\)*[\[\]<>&*`]", words)
    assert f"`{hung.replace('`', chr(39))}`" in written


def test_an_open_question_lists_what_would_settle_it() -> None:
    text = "RuntimeError: NCCL error in: x.cpp:1, unhandled system error, NCCL version 2.21.5"
    note = report.as_text(diagnosis=_diagnosis(text, Stream.SESSION))
    assert "Unknown" in note
    assert "What would settle it" in note
    assert "kernel-log" in note


def test_earlier_attempts_corrected_clocks_and_a_second_cause_are_told(lost: Diagnosis) -> None:
    second = replace(lost.hypotheses[0], cause="link-down", layer=Layer.NETWORK, stands_beside=True)
    told = replace(
        lost,
        hypotheses=(lost.hypotheses[0], second),
        attempts=(
            AttemptVerdict(number=1, verdict=lost.verdict, end_state=EndState.FAILED),
            AttemptVerdict(
                number=2, verdict=lost.verdict, end_state=EndState.FAILED, is_answer=True
            ),
        ),
        clocks=(
            ClockError(
                host="n1",
                stream=Stream.KERNEL,
                zone_minutes=-540,
                offset=timedelta(seconds=63),
                error=timedelta(seconds=4),
            ),
        ),
    )
    text = report.as_text(diagnosis=told)
    assert "Attempt 1: gpu, gpu-off-bus." in text
    assert "Attempt 2" not in text
    assert "kernel log of n1: times taken as 9 h earlier than printed, +63 s ±4 s." in text
    assert "stands beside the first as a cause of its own" in text


@pytest.mark.parametrize("form", ["as_text", "as_markdown", "as_html"])
def test_no_form_says_signs_that_turn_letters_round(form: str) -> None:
    origin = Origin(source="a\u202eb\x1b[2J.out", stream=Stream.SESSION)
    said = "RuntimeError: CUDA error: out of memory \u202e\u2066abc\x9b"
    text = f'Traceback (most recent call last):\n  File "t.py", line 3, in <module>\n{said}\n'
    note = diagnose(readings=[read_source(origin=origin, text=text)])
    shown = getattr(report, form)(diagnosis=note)

    assert "out of memory abc" in shown
    assert not set("\u202e\u2066\x1b\x9b") & set(shown)


@pytest.mark.parametrize("command", ["diagnose", "detect"])
def test_a_files_name_steers_no_terminal_from_an_error(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        call_command(command, "/nowhere/a\x1b]0;owned\x07\u202e.csv")
    told = capsys.readouterr().err

    assert "a?]0;owned??.csv" in told
    assert not set("\u202e\x1b\x07") & set(told)
