"""Templates are laid out so that a person can read them."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "templates"
TEMPLATES = sorted(path for path in ROOT.rglob("*") if path.suffix in {".html", ".txt"})
COLUMNS = 120


def test_templates_are_looked_at() -> None:
    assert len(TEMPLATES) > 50


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_line_of_a_template_is_longer_than_a_screen(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {n: len(line) for n, line in enumerate(lines, 1) if len(line) > COLUMNS} == {}
