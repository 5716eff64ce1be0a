"""Faults that are put into code: each is one change, and says which."""

import ast
from pathlib import Path

import pytest

from tests.mutants.coverage_map import files_for
from tests.mutants.faults import faults_of
from tests.mutants.switch import with_faults


@pytest.mark.parametrize(
    ("source", "changes"),
    [
        ("x = a < b", ["a < b -> a <= b"]),
        ("x = a >= 3", ["a >= 3 -> a > 3", "a >= 3 -> a >= 4"]),
        ("x = a < b <= c", ["a < b <= c -> a <= b <= c", "a < b <= c -> a < b < c"]),
        ("x = a and b and c", ["a and b and c -> a or b or c"]),
        ("x = not a", ["not a -> a"]),
        ("x = a not in b", ["a not in b -> a in b"]),
        ("x = a is None", ["a is None -> a is not None"]),
        ("x = a == True", ["a == True -> a != True"]),
        ("x = a + 1", []),
    ],
)
def test_each_condition_is_turned_round_by_itself(source: str, changes: list[str]) -> None:
    assert [fault.name for fault in faults_of(source=source)] == changes


@pytest.mark.parametrize(
    ("at", "module"),
    [
        (0, "x = a if __fault__(7) else not a\ny = not a"),
        (1, "x = not a\ny = a if __fault__(7) else not a"),
    ],
)
def test_a_fault_changes_one_of_two_equal_conditions(at: int, module: str) -> None:
    source = "x = not a\ny = not a\n"
    fault = [*faults_of(source=source)][at]
    assert ast.unparse(with_faults(source, {7: fault})) == module


def test_faults_of_one_condition_stand_within_each_other() -> None:
    source = "x = a < 3 and b"
    module = with_faults(source, dict(enumerate(faults_of(source=source))))
    assert ast.unparse(module) == (
        "x = a < 3 or b if __fault__(0) else "
        "(a < 4 if __fault__(2) else a <= 3 if __fault__(1) else a < 3) and b"
    )


def test_the_tests_of_a_module_are_those_that_name_it_import_it_or_lie_beside_it_then_others(
    tmp_path: Path,
) -> None:
    rows = {
        "apps/shop/till.py": "",
        "apps/shop/close.py": "from apps.shop.till import total",
        "apps/shop/management/commands/sell.py": "from apps.shop.till import total",
        "tests/evening.py": "from apps.shop.close import close",
        "tests/apps/shop/test_till.py": "",
        "tests/apps/shop/test_aisle.py": "",
        "tests/web/test_bill.py": "from apps.shop import till",
        "tests/web/test_sum.py": "from apps.shop.till import total",
        "tests/web/test_other.py": "from apps.shop.tilling import total",
        "tests/web/test_shop.py": "from apps.shop import close",
        "tests/web/test_market.py": "call_command('sell', 'fish')",
        "tests/web/test_late.py": "from tests import evening",
        "tests/web/test_tills_page.py": "",
        "tests/live/test_card.py": "from apps.shop.till import total",
    }
    for name, text in rows.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    found = files_for(root=tmp_path, module=Path("apps/shop/till.py"))

    assert [str(one) for one in found] == [
        "tests/apps/shop/test_till.py",
        "tests/web/test_bill.py",
        "tests/web/test_sum.py",
        "tests/web/test_tills_page.py",
        "tests/apps/shop/test_aisle.py",
        "tests/web/test_shop.py",
        "tests/web/test_market.py",
        "tests/web/test_late.py",
    ]
