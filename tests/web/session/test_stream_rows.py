"""Logs that one holds of a session: a row for each, folded by kind where there are many."""

from django.template.loader import render_to_string

from apps.telemetry.values import StreamView
from apps.web.session.stream_rows import FOLDED_FROM, stream_folds
from tests.diagnosis.events import NOON, after


def stream(kind: str, host: str, rank: int | None = None, lines: int = 10) -> StreamView:
    return StreamView(
        kind=kind, host=host, rank=rank, line_count=lines, first_at=NOON, last_at=after(60)
    )


def test_few_logs_stand_open_and_ranks_of_a_host_are_one_row() -> None:
    (fold,) = stream_folds([stream("session", "gpu01", rank) for rank in range(8)])
    assert fold.name == ""
    assert [(row.name, row.lines) for row in fold.rows] == [("gpu01, 8 ranks from 0", "80")]


def test_no_log_is_no_fold() -> None:
    assert stream_folds([]) == ()


def test_many_logs_fold_by_kind_and_none_is_left_out() -> None:
    kernels = [stream("kernel", f"gpu{n:03}", lines=1000) for n in range(63)]
    first, second = stream_folds([*kernels, stream("scheduler", "")])
    assert (first.amount, len(first.rows)) == ("63 logs, 63,000 lines", 63)
    assert (second.amount, second.rows[0].name) == ("1 log, 10 lines", "all hosts")
    assert first.name
    assert first.covers == first.rows[0].covers


def test_one_below_the_many_is_not_folded() -> None:
    few = stream_folds([stream("kernel", f"gpu{n:03}") for n in range(FOLDED_FROM - 1)])
    many = stream_folds([stream("kernel", f"gpu{n:03}") for n in range(FOLDED_FROM)])
    assert [fold.name for fold in few] == [""]
    assert all(fold.name for fold in many)


def test_a_table_of_logs_has_a_row_for_each() -> None:
    (fold,) = stream_folds([stream("kernel", "gpu01"), stream("kernel", "gpu02")])
    html = render_to_string("web/session/log_rows.html", {"rows": fold.rows})
    assert html.count("<tr>") == 3
    assert "gpu02" in html
