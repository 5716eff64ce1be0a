"""Health checks are judged by the sessions that succeeded in spite of them."""

import random

from apps.diagnosis.intervals import HitShare
from apps.training.offenders.check_table import CheckedSession, check_table


def _session(
    number: int, *failed: str, high: tuple[str, ...] = (), ok: bool = True
) -> CheckedSession:
    return CheckedSession(
        session=f"job-{number}",
        is_successful=ok,
        failed=frozenset((*failed, *high)),
        failed_high=frozenset(high),
    )


def test_a_check_is_counted_in_successful_and_in_failed_sessions_apart() -> None:
    sessions = [_session(number) for number in range(8)]
    sessions += [_session(8, "disk"), _session(9, high=("xid",), ok=False)]

    table = check_table(sessions)

    assert [(row.check, row.is_high) for row in table.rows] == [("disk", False), ("xid", True)]
    assert table.rows[0].in_successful == HitShare(hits=1, n=9)
    assert table.rows[1].in_failed == HitShare(hits=1, n=1)
    assert table.any_high == HitShare(hits=0, n=9)


def test_order_and_doubles_change_nothing() -> None:
    sessions = [_session(number, "disk", ok=number % 3 > 0) for number in range(30)]
    sessions += [_session(number, high=("xid",)) for number in range(0, 30, 7)]
    shuffled = sessions + sessions[:11]
    random.Random(4).shuffle(shuffled)  # noqa: S311  reproducible, not secret

    assert check_table(shuffled) == check_table(sessions)


def test_a_session_that_one_telling_calls_failed_did_not_succeed() -> None:
    table = check_table([_session(1, ok=True), _session(1, high=("xid",), ok=False)])

    assert table.any_high == HitShare(hits=0, n=0)
    assert table.rows[0].in_failed == HitShare(hits=1, n=1)


def test_few_sessions_leave_open_whether_the_target_is_kept() -> None:
    assert check_table([_session(number) for number in range(20)]).is_within is None
    assert check_table([_session(number) for number in range(500)]).is_within is True
    noisy = [_session(number, high=("xid",) if number < 50 else ()) for number in range(500)]
    assert check_table(noisy).is_within is False
    assert check_table(noisy).rows[0].is_within is False


def test_without_sessions_nothing_is_claimed() -> None:
    table = check_table([])

    assert table.rows == ()
    assert table.any_high.rate is None
    assert table.is_within is None
