"""Templates are laid out so that a person can read them, and each is used by somebody."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2]
ROOT = HERE / "templates"
TEMPLATES = {str(path.relative_to(ROOT)): path for path in ROOT.rglob("*.*")}
COLUMNS = 120
LINES = 300
# What the framework looks for by itself.
BY_STATUS = {"400.html", "403.html", "404.html", "500.html"}
# Whitespace, a tag that shows nothing itself, and then what ends a word.
ENDS_A_WORD = re.compile(r"\s(?:\{%(?! (?:end)?blocktranslate)[^%]*%\}\s*)*[,.;:)](?=[\s{<])")
NAMED = re.compile(r"\"((?:[a-z_]+/)*[a-z_0-9]+\.(?:html|txt))\"")


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_a_template_fits_a_screen(name: str) -> None:
    lines = TEMPLATES[name].read_text(encoding="utf-8").splitlines()
    assert {n: len(line) for n, line in enumerate(lines, 1) if len(line) > COLUMNS} == {}
    assert len(lines) < LINES


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_no_space_stands_before_a_comma(name: str) -> None:
    assert ENDS_A_WORD.findall(TEMPLATES[name].read_text(encoding="utf-8")) == []


def test_each_template_is_named_by_code_or_by_another_and_each_name_is_one() -> None:
    code = [*(HERE / "apps").rglob("*.py"), *TEMPLATES.values()]
    named = {name for path in code for name in NAMED.findall(path.read_text(encoding="utf-8"))}
    folders = {name.partition("/")[0] + "/" for name in TEMPLATES if "/" in name}

    assert set(TEMPLATES) - BY_STATUS - named == set()
    assert {name for name in named if name.startswith(tuple(folders))} - set(TEMPLATES) == set()
