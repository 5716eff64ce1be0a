"""A plug-in folder holds exactly one instance a module."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from apps.diagnosis.registry import NotExactlyOne, collect


def package(folder: Path, **modules: str) -> ModuleType:
    found = ModuleType(folder.name)
    found.__path__ = [str(folder)]
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source)
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / f"plugins_{tmp_path.name.replace('-', '_')}"
    made.mkdir()
    (made / "__init__.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return made


def test_the_one_instance_of_each_module_is_collected_in_order(folder: Path) -> None:
    found = collect(package=package(folder, b="X = complex(2)", a="X = complex(1)"), kind=complex)
    assert found == (1, 2)


@pytest.mark.parametrize("source", ["", "X = complex(1)\nY = complex(2)"])
def test_a_module_with_none_or_two_is_refused_by_name(folder: Path, source: str) -> None:
    with pytest.raises(NotExactlyOne, match=r"odd holds (0|2) instances of complex"):
        collect(package=package(folder, odd=source), kind=complex)
