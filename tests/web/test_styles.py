"""Styles: each colour is written once, in the theme, as it is in light and in dark."""

import re
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client

from apps.operations.http import one_sheet

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


def test_every_page_has_every_sheet_in_one() -> None:
    linked = LINKED.findall((ROOT / "templates/web/shell/stylesheets.html").read_text())
    assert linked == [one_sheet.ADDRESS.removeprefix("css/")]
    assert sorted(one_sheet.SHEETS) == [sheet.stem for sheet in SHEETS]
    assert one_sheet.SHEETS[0] == "theme"
    assert one_sheet.SHEETS[-1] == "screens"


@pytest.mark.django_db
def test_the_one_sheet_has_every_rule_and_no_comment(client: Client) -> None:
    answer = client.get(f"/static/{one_sheet.ADDRESS}")
    sent = answer.getvalue().decode()
    answer.close()

    assert answer["Content-Type"].startswith("text/css")
    for sheet in SHEETS:
        for rule in re.findall(
            r"^[^\s@/}][^{]*\{", sheet.read_text(encoding="utf-8"), re.MULTILINE
        ):
            assert one_sheet.tight(" ".join(rule.split())) in sent, sheet.name
    assert "/*" not in sent
    assert sent.count("{") == sent.count("}") > 500


def test_spaces_that_mean_something_stay() -> None:
    loose = (
        "a > b, .c .d:hover { width: calc(1px + 2px); --x: a , b; } @media (width < 9px) { e {} }"
    )
    tight = "a > b,.c .d:hover{width:calc(1px + 2px);--x:a,b}@media (width < 9px){e{}}"
    assert one_sheet.tight(loose) == tight
    quoted = [each for sheet in SHEETS for each in re.findall(r'"[^"\n]*"', sheet.read_text())]
    assert len(quoted) > 9
    assert all(each in one_sheet.sheet() for each in quoted)


@pytest.mark.django_db
def test_sheets_and_scripts_lack_what_documents_obey_and_pictures_have_it(client: Client) -> None:
    for path in (f"/static/{one_sheet.ADDRESS}", "/static/js/portal.js"):
        bare = client.get(path)
        assert "Content-Security-Policy" not in bare
        assert "Access-Control-Allow-Origin" not in bare
        assert bare["X-Content-Type-Options"] == "nosniff"
        bare.close()
    picture = client.get("/static/img/mark.svg")
    assert "Content-Security-Policy" in picture
    picture.close()


def test_the_sheet_of_another_version_stays_as_the_process_that_serves_it_knows_it(
    tmp_path: Path, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PORTAL_VAR = tmp_path
    first, again = one_sheet._written(), one_sheet._written()
    length = first.stat().st_size
    monkeypatch.setattr(one_sheet, "sheet", lambda: "a{}")
    other = one_sheet._written()

    assert again == first != other
    assert other.read_text() == "a{}"
    assert first.stat().st_size == length > 3


def test_two_containers_that_give_a_process_the_same_number_write_it_at_once(
    tmp_path: Path, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PORTAL_VAR = tmp_path
    write = Path.write_text
    places: list[Path] = []

    def and_another_writes(draft: Path, *told: str) -> int:
        count = write(draft, *told)
        if not places:
            places.append(draft)
            places.append(one_sheet._written())
        return count

    monkeypatch.setattr(Path, "write_text", and_another_writes)

    assert one_sheet._written() == places[1]
    assert places[1].read_text("utf-8") == one_sheet.sheet()


def test_where_nothing_can_be_written_the_sheet_is_still_served(
    tmp_path: Path, settings: LazySettings
) -> None:
    settings.PORTAL_VAR = tmp_path / "file"
    settings.PORTAL_VAR.write_text("no folder")
    assert one_sheet._written().read_text("utf-8") == one_sheet.sheet()


def test_done_in_doubt_and_refused_differ_by_a_sign_and_by_an_edge() -> None:
    sheet = (ROOT / "static/css/frame.css").read_text(encoding="utf-8")
    form = r"^(?:p:is\(\.message-done|p?\.message-\w+)[^{]*\{[^}]*\}"
    rules = re.findall(form, sheet, re.MULTILINE)
    signs = re.findall(r'content: "(.)"', " ".join(rules))
    assert len(signs) == len({*signs}) == 3
    assert {"double", "dashed"} <= {*re.findall(r"border-left: \dpx (\w+)", " ".join(rules))}
