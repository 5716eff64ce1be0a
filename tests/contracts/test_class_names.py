"""A name of a class means one thing, wherever one reads it."""

import ast
from collections import defaultdict
from pathlib import Path

APPS = Path(__file__).parents[2] / "apps"
# A fact as diagnosis knows it, and the row that keeps it: the one is made of the other.
FACTS_AND_ROWS = {"Anomaly", "Device", "EarlyWarning", "Event", "Hypothesis"}
# The framework looks for commands under this name.
COMMAND = "management"


def classes() -> dict[str, list[str]]:
    """Return name → modules that define a class so at their top."""
    found = defaultdict(list)
    for path in sorted(APPS.rglob("*.py")):
        if {"migrations", COMMAND} & set(path.parts):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(APPS)))
    return found


def test_no_two_classes_are_called_the_same() -> None:
    twice = {name: places for name, places in classes().items() if len(places) > 1}
    assert twice.keys() == FACTS_AND_ROWS
    assert all(len(twice[name]) == 2 for name in FACTS_AND_ROWS)
    for first, second in twice.values():
        assert first.startswith("diagnosis/model/")
        assert "/models/" in second
