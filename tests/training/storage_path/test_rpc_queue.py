"""Where NFS requests spend their time."""

import numpy as np
import pytest

from apps.training.storage_path.rpc_queue import RpcCounters, queue_alerts, queue_shares


def counters(
    *, minutes: int = 20, share: float = 0.931, rate: float = 20, reset_at: int | None = None
) -> list[RpcCounters]:
    """Return counters every minute; each request takes 1 s, of which a share is queueing."""
    found = []
    for minute in range(minutes + 1):
        since = minute if reset_at is None or minute < reset_at else minute - reset_at
        requests = 60 * rate * since
        found.append(
            RpcCounters(
                node="n1",
                operation="WRITE",
                at_seconds=60.0 * minute,
                requests=requests,
                queue_seconds=requests * share,
                response_seconds=requests * (1 - share),
                request_seconds=requests,
            )
        )
    return found


def test_the_share_is_that_of_the_requests_time() -> None:
    (found,) = queue_shares(counters())
    assert found.share == pytest.approx(0.931)
    assert found.requests_per_second == pytest.approx(20)
    assert found.mean_request_seconds == pytest.approx(1.0)


def test_a_quarter_of_an_hour_of_queueing_is_an_alert() -> None:
    (alert,) = queue_alerts(counters(minutes=15))
    assert (alert.begins_seconds, alert.ends_seconds) == (0, 900)
    assert queue_alerts(counters(minutes=14)) == ()


@pytest.mark.parametrize(("share", "rate"), [(0.9, 20.0), (0.931, 10.0)])
def test_a_smaller_share_and_few_requests_are_none(share: float, rate: float) -> None:
    assert queue_alerts(counters(share=share, rate=rate)) == ()


def test_a_mount_that_was_made_anew_counts_on() -> None:
    (found,) = queue_shares(counters(minutes=20, reset_at=10))
    assert found.share == pytest.approx(0.931)
    assert found.requests == pytest.approx(60 * 20 * 19)


def test_an_operation_without_requests_has_no_share() -> None:
    (found,) = queue_shares(counters(rate=0))
    assert (found.share, found.mean_request_seconds) == (None, None)
    assert not found.is_dominant


def test_rows_in_any_order_and_twice_are_the_same() -> None:
    told = counters()
    order = np.random.default_rng(1).permutation(2 * len(told)).tolist()
    mixed = [[*told, *told][at] for at in order]
    assert queue_shares(mixed) == queue_shares(told)
    assert queue_alerts(mixed) == queue_alerts(told)


def test_one_row_tells_nothing() -> None:
    assert queue_shares(counters()[:1]) == ()
