"""Whatever is known of shapes, the same dialect fits as when all are tried."""

import random
import re

import pytest

from apps.diagnosis.logs.dialects import fitting_dialects, table
from apps.diagnosis.logs.dialects.dialect import Dialect, Peel
from apps.diagnosis.logs.dialects.fitting_dialects import FittingDialects
from apps.diagnosis.logs.parse import DIALECTS

EXAMPLES = tuple(text for row in table.load_folder() for text in row.examples)


def tried_in_turn(text: str, tried: set[str]) -> tuple[Dialect, Peel] | None:
    for dialect in DIALECTS:
        is_able = not dialect.starts or text[:1] in dialect.starts
        if text and is_able and dialect.name not in tried and (peel := dialect.peel(text)):
            return dialect, peel
    return None


@pytest.mark.parametrize("most", [5, 4096])
def test_a_known_shape_changes_nothing(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting_dialects, "MOST_SHAPES", most)
    dice = random.Random(2)  # noqa: S311  repeatable, not secret
    found = FittingDialects(dialects=DIALECTS)
    names = [dialect.name for dialect in DIALECTS]
    for _ in range(6):
        for example in EXAMPLES:
            text = re.sub("[0-9]", lambda _: str(dice.randrange(10)), example)
            tried = set(dice.sample(names, dice.choice((0, 0, 10, 30))))
            assert found.first(text=text, tried=tried) == tried_in_turn(text, tried), text


def test_long_and_foreign_texts_are_not_kept() -> None:
    found = FittingDialects(dialects=DIALECTS)
    for text in ("[rank7]: " + "x" * 1000, "[rank7]: é"):
        dialect, _ = found.first(text=text, tried=()) or (None, None)
        assert dialect is not None
        assert dialect.name == "rank_prefix"
    assert not found._by_shape
