"""Styles: each colour is written once, in the theme, as it is in light and in dark."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHEETS = sorted((ROOT / "static/css").glob("*.css"))
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(")
LINKED = re.compile(r"css/(\w+\.css)")


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_colours_are_written_in_the_theme_alone(sheet: Path) -> None:
    text = sheet.read_text(encoding="utf-8")
    assert bool(COLOUR.search(text)) == (sheet.name == "theme.css")
    assert len(text.splitlines()) < 300


def test_the_theme_gives_no_colour_two_values() -> None:
    names = re.findall(r"^  (--[\w-]+):", (ROOT / "static/css/theme.css").read_text(), re.MULTILINE)
    assert len(names) == len(set(names)) > 30


def test_every_page_has_every_sheet() -> None:
    linked = LINKED.findall((ROOT / "templates/web/shell/stylesheets.html").read_text())
    assert sorted(linked) == [sheet.name for sheet in SHEETS]
    assert linked[0] == "theme.css"
    assert linked[-1] == "screens.css"
