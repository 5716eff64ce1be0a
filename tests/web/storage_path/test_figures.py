"""Numbers of the storage path in words: shares that are none, and where a change lies."""

import pytest

from apps.training.storage_path.scale import ScaledValue, emergence
from apps.web.storage_path.figures import used_text
from apps.web.storage_path.scale_panel import scale_panel


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.931, "93.1 %"),
        (1.0, "100.0 %"),
        (1.429, "1.43 times as much: there is more than assumed"),
    ],
)
def test_more_than_all_of_it_is_no_share(share: float, text: str) -> None:
    assert used_text(share) == text


def test_a_change_says_between_which_numbers_of_nodes() -> None:
    rates = {1: 98e6, 4: 285e6, 60: 257e6}
    rows = [
        ScaledValue(
            metric="write-rate",
            run=f"run-{count}",
            node="median",
            node_count=count,
            value_per_node=rate,
            is_more_better=True,
        )
        for count, rate in rates.items()
    ]
    (row,) = scale_panel(emergence(rows), run_count=3).rows
    assert row.change == "10 % worse, from 4 to 60"
    better = [each for each in rows if each.node_count != 4]
    (row,) = scale_panel(emergence(better), run_count=2).rows
    assert row.change == "162 % better, from 1 to 60"
