"""What all hosts of a window cover is worked out however many of their logs overlap."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from apps.incidents.evidence_requests.answers.covered_part import Span, common

AT = datetime(2026, 11, 9, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=6)


def spans(told: list[tuple[int, int]]) -> list[Span]:
    return [(AT + start * MINUTE, AT + end * MINUTE) for start, end in told]


def test_overlapping_logs_of_many_hosts_do_not_multiply() -> None:
    ranks = [(AT + n * MINUTE / 8, AT + 60 * MINUTE - n * MINUTE / 8) for n in range(8)]
    left = [(AT, AT + 60 * MINUTE)]
    for _host in range(64):
        left = common(left, ranks)
    assert left == [(AT, AT + 60 * MINUTE)]


@given(SPANS, SPANS)
def test_the_longest_common_span_is_that_of_all_pairs(
    one: list[tuple[int, int]], other: list[tuple[int, int]]
) -> None:
    pairs = [
        (max(a, c), min(b, d)) for a, b in spans(one) for c, d in spans(other) if a < b and c < d
    ]
    wanted = max((end - start for start, end in pairs), default=0 * MINUTE)
    found = [end - start for start, end in common(spans(one), spans(other))]
    assert max(found, default=0 * MINUTE) == max(wanted, 0 * MINUTE)
