"""Which of two words about an attempt holds, field by field, and what is kept of the other."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from apps.diagnosis.model import EndState
from apps.fleet.authority.rules import SenderStanding
from apps.fleet.models import Attempt
from apps.fleet.sessions.report_merging import APART, Reporter, known_word, merge
from apps.fleet.sessions.session_reports import SessionReport
from apps.fleet.sessions.session_rows import attempt_of, find_or_create
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.make import AT

pytestmark = pytest.mark.django_db
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
ASSERTED, CLAIMED = SenderStanding.ASSERTED, SenderStanding.CLAIMED
RUNNING, FAILED, FINISHED = EndState.RUNNING, EndState.FAILED, EndState.FINISHED


@pytest.fixture
def attempt() -> Iterator[Attempt]:
    """An attempt that nobody told of yet."""
    owner = make.organization()
    with organization_scope(owner.pk):
        session = find_or_create(
            organization_id=owner.pk, cluster=None, name="run", now=AT, simulated=False
        )
        yield attempt_of(session=session, number=1)


def told(
    attempt: Attempt,
    who: str,
    standing: SenderStanding = ASSERTED,
    of_hosts: SenderStanding | None = None,
    **said: Any,
) -> set[str]:
    """Let somebody tell of it; return whom that contradicts."""
    reporter = Reporter(slug=who, standing=standing, of_hosts=of_hosts or standing, now=AT)
    report = SessionReport(session="run", **said)
    return merge(attempt=attempt, report=report, reporter=reporter)


def kept(attempt: Attempt) -> list[tuple[str, str]]:
    """Return who said something else of what."""
    return [(one["organization"], one["field"]) for one in attempt.contradictions]


def test_where_and_when_it_ran_stands_by_the_word_about_hosts_the_rest_by_the_other(
    attempt: Attempt,
) -> None:
    said: dict[str, Any] = {"hosts": ("n1",), "ranks": {"0": {"host": "n1"}}, "world_size": 8}
    told(attempt, "a", CLAIMED, ASSERTED, state=RUNNING, at=AT, **said)
    standings = {field: source[2] for field, source in attempt.field_sources.items()}
    assert standings == {
        "hosts": "asserted",
        "ranks": "asserted",
        "started_at": "asserted",
        "state": "claimed",
        "world_size": "claimed",
    }
    assert attempt.hosts_asserted


def test_nobody_contradicts_themselves(attempt: Attempt) -> None:
    for size in (8, 16):
        assert told(attempt, "a", state=FAILED, at=AT + size * MINUTE, world_size=size) == set()
    assert (attempt.world_size, attempt.contradictions) == (16, [])


@pytest.mark.parametrize("first", ["platform", "tenant"])
def test_what_is_asserted_holds_against_what_is_claimed_whoever_came_first(
    attempt: Attempt, first: str
) -> None:
    words = {"platform": (ASSERTED, 8, AT), "tenant": (CLAIMED, 16, AT + MINUTE)}

    def say(who: str) -> set[str]:
        standing, size, at = words[who]
        return told(attempt, who, standing, world_size=size, at=at, hosts=(f"n{size}",))

    assert say(first) == set()
    assert say(next(each for each in words if each != first)) == {first}
    assert (attempt.world_size, attempt.hosts, attempt.hosts_asserted) == (8, ["n8"], True)
    assert kept(attempt) == [("tenant", "hosts"), ("tenant", "world_size")]


def test_among_equals_the_newer_word_holds_also_when_it_came_first(attempt: Attempt) -> None:
    told(attempt, "a", world_size=8, at=AT)
    assert told(attempt, "b", world_size=16, at=AT - SECOND) == {"a"}
    assert (attempt.world_size, kept(attempt)) == (8, [("b", "world_size")])
    assert told(attempt, "b", world_size=16, at=AT) == {"a"}
    assert (attempt.world_size, kept(attempt)) == (16, [("a", "world_size")])
    told(attempt, "a", world_size=32)  # without a time it is of now
    assert attempt.world_size == 32


def test_one_host_has_one_name_whoever_writes_it_and_in_whatever_order(attempt: Attempt) -> None:
    told(attempt, "a", hosts=("n1", "n2.example"), at=AT)
    assert told(attempt, "b", hosts=("n2", "n1.example"), at=AT) == set()
    assert told(attempt, "c", hosts=("n2",), at=AT) == {"b"}


def test_ranks_and_exit_codes_of_equals_add_up_and_a_better_word_replaces_them(
    attempt: Attempt,
) -> None:
    told(attempt, "a", CLAIMED, exit_codes={"0": 1}, ranks={"0": {"host": "n1"}}, at=AT)
    told(attempt, "b", CLAIMED, exit_codes={"1": 2}, ranks={"1": {"host": "n2"}}, at=AT - MINUTE)
    assert attempt.exit_codes == {"0": 1, "1": 2}
    assert set(attempt.ranks) == {"0", "1"}
    assert attempt.contradictions == []
    assert told(attempt, "c", exit_codes={"1": 3}, at=AT - MINUTE) == {"b"}
    assert attempt.exit_codes == {"1": 3}


def test_of_two_starts_and_of_two_ends_the_earlier_holds(attempt: Attempt) -> None:
    for minutes in (2, 1, 3):
        told(attempt, f"s{minutes}", state=RUNNING, at=AT + minutes * MINUTE)
        told(attempt, f"s{minutes}", state=FAILED, at=AT + (30 + minutes) * MINUTE)
    assert (attempt.started_at, attempt.ended_at) == (AT + MINUTE, AT + 31 * MINUTE)
    assert attempt.contradictions == []


@pytest.mark.parametrize(("apart", "met"), [(APART, set()), (APART + SECOND, {"a"})])
def test_two_who_tell_of_one_end_are_not_to_the_second_of_one_mind(
    attempt: Attempt, apart: timedelta, met: set[str]
) -> None:
    told(attempt, "a", state=FAILED, at=AT)
    assert told(attempt, "b", state=FAILED, at=AT + apart) == met


def test_a_start_that_was_known_before_anybody_reported_one_is_not_made_later(
    attempt: Attempt,
) -> None:
    attempt.started_at = AT
    told(attempt, "a", state=RUNNING, at=AT + MINUTE)
    assert attempt.started_at == AT
    told(attempt, "b", state=RUNNING, at=AT - MINUTE)
    assert attempt.started_at == AT - MINUTE


def test_an_end_follows_a_run_whatever_their_clocks_say_and_contradicts_only_another_end(
    attempt: Attempt,
) -> None:
    told(attempt, "a", state=FAILED, at=AT)
    assert told(attempt, "b", state=RUNNING, at=AT + MINUTE) == set()
    assert attempt.state == FAILED
    assert told(attempt, "b", state=FINISHED, at=AT + MINUTE) == {"a"}
    assert (attempt.state, kept(attempt)) == (FINISHED, [("a", "state")])
    assert attempt.ended_at == AT


def test_a_state_without_a_time_or_a_time_without_a_state_dates_nothing(attempt: Attempt) -> None:
    told(attempt, "a", state=FAILED)
    told(attempt, "a", world_size=8, at=AT)
    told(attempt, "a", state=EndState.UNKNOWN, at=AT)
    assert (attempt.started_at, attempt.ended_at, attempt.state) == (None, None, FAILED)


def test_what_lost_is_kept_once_a_reporter_and_goes_when_it_holds_again(attempt: Attempt) -> None:
    told(attempt, "a", world_size=8, at=AT)
    for size in (16, 32):
        told(attempt, "b", world_size=size, at=AT - MINUTE)
    told(attempt, "c", world_size=64, at=AT - MINUTE)
    assert [(one["organization"], one["value"]) for one in attempt.contradictions] == [
        ("b", 32),
        ("c", 64),
    ]
    told(attempt, "b", world_size=16, at=AT + MINUTE)
    assert kept(attempt) == [("c", "world_size"), ("a", "world_size")]


def test_a_word_of_before_anybody_judged_it_counts_as_asserted(attempt: Attempt) -> None:
    assert known_word(attempt=attempt, field="state") is None
    attempt.field_sources = {"state": ["a", AT.isoformat()]}
    word = known_word(attempt=attempt, field="state")
    assert word is not None
    assert (word.slug, word.at, word.standing) == ("a", AT, ASSERTED)
