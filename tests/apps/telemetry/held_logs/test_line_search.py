"""Search in held logs: what matches, where it goes on, and what no pattern can do."""

import time

import pytest

from apps.diagnosis.patterns import BadPattern
from apps.telemetry.facade import held_logs
from apps.telemetry.facade.held_logs import LineQuery
from apps.telemetry.held_logs import line_search
from apps.telemetry.held_logs.values import SearchPage
from apps.telemetry.models import LogChunk
from apps.tenancy.access import NotFound
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in
from tests.apps.telemetry.held_logs.held import Holder, holder, sent_as_files
from tests.cast import make


def found(
    made: Holder, query: LineQuery, *, number: int = 1, is_backward: bool = False
) -> SearchPage:
    """Search the one log of an organization."""
    key = made.stream().key
    with organization_scope(made.organization.pk):
        return held_logs.search_lines(
            actor=made.actor, key=key, query=query, number=number, is_backward=is_backward
        )


def numbers(page: SearchPage) -> list[int]:
    """Return which lines were found."""
    return [line.number for line in page.lines]


@pytest.mark.django_db
def test_a_literal_is_taken_as_it_stands_and_a_pattern_as_a_pattern() -> None:
    made = sent_as_files(25)
    assert numbers(found(made, LineQuery(text="LINE 1 OF"))) == [1]
    assert numbers(found(made, LineQuery(text="LINE 1 OF", ignores_case=False))) == []
    assert numbers(found(made, LineQuery(text="line 1. of"))) == []
    pattern = LineQuery(text="line 1. of", is_pattern=True)
    assert numbers(found(made, pattern)) == list(range(10, 20))


@pytest.mark.django_db
def test_a_pattern_never_reaches_into_the_next_line() -> None:
    made = sent_as_files(5)
    assert numbers(found(made, LineQuery(text=r"line 2[^@]*line 3", is_pattern=True))) == []
    assert numbers(found(made, LineQuery(text=r"node$", is_pattern=True))) == [1, 2, 3, 4, 5]
    assert numbers(found(made, LineQuery(text=r"^2026\S+:02\+", is_pattern=True))) == [2]


@pytest.mark.django_db
def test_search_goes_on_where_it_stopped_in_both_directions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(line_search, "MOST_HITS", 4)
    made = sent_as_files(9, 11)
    query, seen, number = LineQuery(text="line"), [], 1
    while number:
        page = found(made, query, number=number)
        seen += numbers(page)
        number = page.next_number or 0
    assert seen == list(range(1, 21))
    seen, number = [], 21
    while number:
        page = found(made, query, number=number, is_backward=True)
        seen = numbers(page) + seen
        number = page.next_number or 0
    assert seen == list(range(1, 21))


@pytest.mark.django_db
def test_search_without_time_says_where_it_goes_on_and_loses_nothing() -> None:
    made = sent_as_files(3, 3)
    key, number, seen = made.stream().key, 1, []
    with organization_scope(made.organization.pk):
        for _ in range(10):
            page = held_logs.search_lines(
                actor=made.actor, key=key, query=LineQuery(text="node"), number=number, seconds=0
            )
            seen += numbers(page)
            if page.next_number is None:
                break
            number = page.next_number
    assert seen == [1, 2, 3, 4, 5, 6]


@pytest.mark.django_db
def test_lines_that_are_gone_are_told_as_not_searched() -> None:
    made = sent_as_files(6, 4)
    with organization_scope(made.organization.pk):
        LogChunk.objects.filter(first_number=1).delete()
    page = found(made, LineQuery(text="node"))
    assert numbers(page) == [7, 8, 9, 10]
    assert (page.searched_lines, page.missing_lines) == (4, 6)
    assert found(made, LineQuery(text="node"), number=11, is_backward=True).missing_lines == 6


@pytest.mark.django_db
def test_levels_are_what_loggers_wrote_and_nothing_that_a_line_tells_of() -> None:
    made = holder()
    lines = [
        "2026-11-21 01:00:00,1 - trainer - ERROR - lost",
        "E1121 01:00:01.000000 12 ProcessGroupNCCL.cpp:683] watchdog",
        "2026-11-21 01:00:02,1 - trainer - INFO - 0 errors so far",
        "gpu001:12:13 [0] NCCL WARN peer closed",
        '{"level": "warning", "message": "slow"}',
        "no level at all, error is only a word here",
    ]
    come_in(made.organization, made.cluster, lines, at=make.AT, stream="kernel", host="gpu001")
    assert numbers(found(made, LineQuery(level="error"))) == [1, 2]
    assert numbers(found(made, LineQuery(level="warning"))) == [1, 2, 4, 5]
    assert numbers(found(made, LineQuery(text="slow", level="warning"))) == [5]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    [
        r"(x+x+)+y",
        r"(a|a)*b",
        r"(.*)(.*)(.*)(.*)(.*)(.*)\d$",
        r"((a?){20}){20}a{20}z",
        r"(\w+\s?)*!",
    ],
)
def test_no_pattern_takes_much_longer_than_the_text_is_long(text: str) -> None:
    made = holder()
    lines = ["a" * 2_000 + "x" * 2_000 for _ in range(300)]
    come_in(made.organization, made.cluster, lines, at=make.AT, stream="kernel", host="gpu001")
    began = time.monotonic()
    page = found(made, LineQuery(text=text, is_pattern=True))
    assert time.monotonic() - began < 3
    assert page.searched_lines > 0


@pytest.mark.parametrize(
    "text", ["(", "a{1001}", "[", r"\1", r"(?<=a)b", "(?:a|b){999}(?:c|d){999}.{999}", "a" * 501]
)
def test_what_re2_does_not_take_is_refused(text: str) -> None:
    with pytest.raises(BadPattern):
        LineQuery(text=text, is_pattern=True).pattern()


@pytest.mark.django_db
def test_nobody_searches_the_log_of_another() -> None:
    made, stranger = sent_as_files(2), holder()
    key = made.stream().key
    with organization_scope(stranger.organization.pk), pytest.raises(NotFound):
        held_logs.search_lines(
            actor=stranger.actor, key=key, query=LineQuery(text="line"), number=1
        )
