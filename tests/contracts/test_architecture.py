"""What docs/architecture.md names is there, and it names all rooms."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAP = (ROOT / "docs" / "architecture.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`((?:apps|portal)/[\w/.*]+)`", MAP)))
ROOMS = dict(re.findall(r"^\| `(apps/[\w/]+)` \| (.+) \|$", MAP, re.MULTILINE))
FURNISHED = (
    "api/v1/serializers",
    "api/v1/views",
    "diagnosis/detection",
    "diagnosis/reasoning",
    "fleet",
    "incidents",
    "notifications",
    "offline",
    "operations",
    "reliability",
    "search",
    "telemetry",
    "tenancy",
    "training",
    "web",
)
OF_DJANGO = {"management", "migrations", "models", "templatetags"}
FACE = 12  # modules of an app that stand in no room
LENGTH = 250  # lines of a file


def test_what_the_map_names_is_there() -> None:
    assert NAMED
    assert [path for path in NAMED if not list(ROOT.glob(path))] == []


@pytest.mark.parametrize("app", FURNISHED)
def test_each_room_stands_on_the_map_as_it_says_itself(app: str) -> None:
    rooms = {
        f"apps/{app}/{folder.name}": folder / "__init__.py"
        for folder in (ROOT / "apps" / app).iterdir()
        if (folder / "__init__.py").is_file() and folder.name not in OF_DJANGO
    }
    said = {
        room: (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").partition("\n")[0]
        for room, file in rooms.items()
    }
    assert said == {
        room: text for room, text in ROOMS.items() if room.rpartition("/")[0] == f"apps/{app}"
    }


@pytest.mark.parametrize("app", FURNISHED)
def test_few_modules_stand_in_no_room(app: str) -> None:
    modules = [path.name for path in (ROOT / "apps" / app).glob("*.py")]
    assert len(modules) - ("__init__.py" in modules) <= FACE


def test_no_file_is_longer_than_can_be_taken_in() -> None:
    files = [path for root in ("apps", "portal") for path in (ROOT / root).rglob("*.py")]
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines())
        for path in files
        if "migrations" not in path.parts
    }
    assert len(lengths) > FACE
    assert {path: lines for path, lines in lengths.items() if lines > LENGTH} == {}
