"""Which entries of a timeline are one moment told twice."""

from datetime import timedelta

from apps.incidents.story_reading.stored_moments import StoredMoment
from apps.incidents.timeline import told_alike
from tests.cast import make

MOMENT = StoredMoment(
    id=1,
    organization_id=7,
    attempt_id=1,
    moment=b"m",
    is_retracted=False,
    revision=1,
    lane="gpu",
    kind="event",
    role="initiating",
    at=make.AT,
    ends_at=None,
    clock_error_seconds=None,
    order_key=1,
    title="Xid 79",
    statement_text="{}",
    detail_text='{"host": "gpu001", "line": 3}',
    told_kind="text",
    told_count=None,
    host="gpu001",
    reference=None,
    signature=None,
    for_all_parties=False,
    audience=[],
    created_at=make.AT,
)


def test_two_sessions_of_one_fault_tell_one_moment_once() -> None:
    other = MOMENT._replace(id=2, attempt_id=2, detail_text='{"host": "gpu001", "line": 9}')
    assert told_alike(other) == told_alike(MOMENT)


def test_what_differs_in_time_holder_host_or_words_is_another_moment() -> None:
    others = (
        MOMENT._replace(id=2, at=make.AT + timedelta(seconds=1)),
        MOMENT._replace(id=2, organization_id=8),
        MOMENT._replace(id=2, host="gpu002"),
        MOMENT._replace(id=2, title="Xid 48"),
    )
    assert len({told_alike(each) for each in (MOMENT, *others)}) == 5


def test_entries_without_a_time_are_never_one() -> None:
    undated = MOMENT._replace(at=None)
    assert told_alike(undated) != told_alike(undated._replace(id=2))
