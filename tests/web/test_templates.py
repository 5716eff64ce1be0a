"""Templates are laid out so that a person can read them, and each is used by somebody."""

import re
from pathlib import Path

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


TEXTS = {name: path.read_text(encoding="utf-8") for name, path in TEMPLATES.items()}


def test_a_template_fits_a_screen() -> None:
    lines = {name: text.splitlines() for name, text in TEXTS.items()}
    assert lines
    assert {
        (name, number): len(line)
        for name, all_lines in lines.items()
        for number, line in enumerate(all_lines, 1)
        if len(line) > COLUMNS
    } == {}
    assert {name: len(each) for name, each in lines.items() if len(each) >= LINES} == {}


def test_no_space_stands_before_a_comma() -> None:
    assert {name: hit for name, text in TEXTS.items() if (hit := ENDS_A_WORD.findall(text))} == {}


def test_each_template_is_named_by_code_or_by_another_and_each_name_is_one() -> None:
    code = [*(HERE / "apps").rglob("*.py"), *TEMPLATES.values()]
    named = {name for path in code for name in NAMED.findall(path.read_text(encoding="utf-8"))}
    folders = {name.partition("/")[0] + "/" for name in TEMPLATES if "/" in name}

    assert set(TEMPLATES) - BY_STATUS - named == set()
    assert {name for name in named if name.startswith(tuple(folders))} - set(TEMPLATES) == set()
