"""A part of the scorecard's table is written anew without the rest."""

from tests.score.measures import Measure
from tests.score.rows import table_row, with_rows

CARD = "# Scorecard\n| a: layer | 1.000 |\n| gauge, old | 0.5 |\n| gauge: n | 0.1 |\n| b | 0 |\n"
NEW = Measure(name="gauge, new", hits=3, n=4)


def test_old_rows_make_way_for_new_ones_at_their_place() -> None:
    card = with_rows(card=CARD, begin="gauge", rows=[NEW])
    assert card == f"# Scorecard\n| a: layer | 1.000 |\n{table_row(NEW)}\n| b | 0 |\n"


def test_a_card_without_such_rows_stays_as_it_is() -> None:
    assert with_rows(card=CARD, begin="nothing", rows=[NEW]) == CARD


def test_a_row_says_whether_its_requirement_is_met() -> None:
    row = table_row(Measure(name="a", hits=1, n=4, at_least=0.5))
    assert row == "| a | 0.250 | 4 | 0.05 to 0.70 | ≥ 0.50 | missed |"
