"""No list in Python says what signatures mean: that is a mark in their blocks."""

import ast
from collections import Counter
from pathlib import Path

from apps.diagnosis.model import Mark
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.marks import marked

ROOT = Path(__file__).parents[2]
# How often Python may name a signature: the number only falls.
MOST_NAMED = 233


def names() -> Counter[str]:
    """Return how often each file names a signature; the simulator writes lines, it reads none."""
    catalog = load_catalog()
    paths = sorted((ROOT / "apps").rglob("*.py"))
    return Counter(
        str(path.relative_to(ROOT))
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in catalog
    )


def test_python_names_no_more_signatures_than_it_did() -> None:
    found = names()
    assert found.total() == MOST_NAMED, f"say what a line means in its block: {found}"


def test_every_mark_is_borne() -> None:
    assert [mark for mark in Mark if not marked(mark)] == []
