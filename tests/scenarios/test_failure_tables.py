"""torchrun's table of failed workers: the row that it calls the first was first."""

import pytest

from apps.diagnosis.model import Diagnosis, FirstStopBy, FirstStopper
from apps.offline.report import as_text
from apps.wording import headline_in_english
from tests.scenarios.verdicts import diagnosed

Row = tuple[int, str, int]  # rank, when, code


def _row(number: int, host: str, row: Row) -> str:
    rank, at, code = row
    return (
        f"[{number}]:\n"
        f"  time      : 2026-11-20_{at}\n"
        f"  host      : {host}\n"
        f"  rank      : {rank} (local_rank: {rank % 8})\n"
        f"  exitcode  : {code} (pid: {4100 + rank})\n"
        "  error_file: <N/A>\n"
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html\n"
    )


def _table(first: Row, *later: Row, host: str = "node07") -> str:
    """Return what the launcher of one node prints, the first failure last."""
    rule, line = "=" * 60 + "\n", "-" * 60 + "\n"
    rows = "".join(_row(number, host, row) for number, row in enumerate(later, 1))
    return (
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
        f"{rule}train.py FAILED\n{line}Failures:\n{rows or '  <NO_OTHER_FAILURES>' + chr(10)}{line}"
        f"Root Cause (first observed failure):\n{_row(0, host, first)}{rule}"
    )


def _read(*tables: str) -> Diagnosis:
    return diagnosed(
        texts={f"session/node{number}.log": text for number, text in enumerate(tables, 7)}
    )


@pytest.mark.parametrize("code", [1, -6, -9, -11])
def test_the_first_row_failed_first_whatever_the_later_rows_left_with(code: int) -> None:
    found = _read(_table((3, "03:04:58", 1), (5, "03:05:11", code)))
    assert found.first_stopper == FirstStopper(ranks=(3,), by=FirstStopBy.EXIT_CODE)
    assert {one.rank for one in found.verdict.culprits} <= {3}
    assert "Stopped first: rank 3 of node07" in as_text(diagnosis=found)


def test_an_abort_after_another_ranks_own_error_is_not_that_ranks_own() -> None:
    found = _read(_table((3, "03:05:11", 1), (5, "03:05:11", -6)))
    assert {one.rank for one in found.verdict.culprits} <= {3}


def test_an_abort_that_came_first_is_what_the_others_followed() -> None:
    found = _read(_table((5, "03:04:58", -6), (3, "03:05:11", 1), (4, "03:05:11", 1)))
    assert found.first_stopper == FirstStopper(ranks=(5,), by=FirstStopBy.EXIT_CODE)


def test_a_kill_that_came_first_is_no_cleaning_up() -> None:
    found = _read(_table((5, "03:04:58", -9), (3, "03:05:11", 1)))
    assert found.first_stopper == FirstStopper(ranks=(5,), by=FirstStopBy.EXIT_CODE)
    assert any("was killed (-9)" in headline_in_english(one.statement) for one in found.timeline)


@pytest.mark.parametrize("at", ["03:04:58", "03:04:59"])
def test_rows_of_one_moment_are_in_no_order(at: str) -> None:
    assert _read(_table((3, "03:04:58", 1), (5, at, 1))).first_stopper is None


def test_the_first_node_is_named_where_the_other_failed_minutes_later() -> None:
    found = _read(
        _table((3, "03:04:58", 1)),
        _table((11, "03:14:58", 1), (12, "03:14:58", 1), host="node08"),
    )
    assert found.first_stopper == FirstStopper(ranks=(3,), by=FirstStopBy.EXIT_CODE)


def test_clocks_of_two_nodes_put_seconds_in_no_order() -> None:
    found = _read(
        _table((3, "03:04:58", 1), (4, "03:05:08", 1)),
        _table((11, "03:05:18", 1), (12, "03:05:38", 1), host="node08"),
    )
    assert found.first_stopper == FirstStopper(ranks=(3, 11), by=FirstStopBy.EXIT_CODE)
    assert "too near to tell by the clocks of different nodes" in " ".join(
        as_text(diagnosis=found).split()
    )
