"""Tests share what they need through modules of their own: no test module imports another."""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the dotted names that a module imports, with what it takes of them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{each.name}" for each in node.names)


def is_of_a_test(name: str) -> bool:
    """Say whether a name lies in a module of tests, or is one."""
    parts = name.split(".")
    return parts[0] == "tests" and any(each.startswith("test_") for each in parts[1:])


def of_tests(source: str) -> list[str]:
    """Return what a module's text imports of modules of tests."""
    return sorted(filter(is_of_a_test, imported(ast.parse(source))))


def test_no_module_of_tests_is_imported() -> None:
    found = {
        str(path.relative_to(TESTS)): taken
        for path in TESTS.rglob("*.py")
        if (taken := of_tests(path.read_text("utf-8")))
    }
    assert found == {}


def test_each_way_to_import_one_is_seen() -> None:
    ways = (
        "from tests.web.test_pages import page\n"
        "from tests.web import test_pages, conftest\n"
        "def inside() -> None:\n    import tests.web.test_pages\n"
    )
    assert of_tests(ways) == [
        "tests.web.test_pages",
        "tests.web.test_pages",
        "tests.web.test_pages.page",
    ]
