"""Every pattern in the code of the engine, whoever adds it: linear on lines made to slow it."""

import ast
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import apps.diagnosis
from apps.diagnosis.logs.dialect import Dialect
from apps.diagnosis.logs.parse import DIALECTS
from tests.diagnosis.signatures.linearity import is_linear
from tests.diagnosis.signatures.torn import torn_lines

ANYWHERE = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
Pattern = re.Pattern[str] | re.Pattern[bytes]


def modules() -> Iterator[ModuleType]:
    """Yield every module of the engine."""
    for found in pkgutil.walk_packages(apps.diagnosis.__path__, "apps.diagnosis."):
        yield import_module(found.name)


def uses(module: ModuleType) -> dict[str, set[str]]:
    """Return the methods that a module calls on each of its names."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text("utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.setdefault(node.value.id, set()).add(node.attr)
    return found


def patterns() -> dict[str, tuple[Pattern, bool]]:
    """Return every pattern that stands in a module, and whether it may begin anywhere."""
    found: dict[int, tuple[str, Pattern, bool]] = {}
    for module in modules():
        called = uses(module)
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                known, _, is_anywhere = found.get(
                    id(value), (f"{module.__name__}.{name}", None, False)
                )
                is_anywhere |= bool(ANYWHERE & called.get(name, set()))
                found[id(value)] = (known, value, is_anywhere)
    return {name: (pattern, is_anywhere) for name, pattern, is_anywhere in found.values()}


PATTERNS = patterns()


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_of_the_code_is_linear_on_torn_lines(name: str) -> None:
    pattern, is_anywhere = PATTERNS[name]
    written = pattern.pattern
    source = written if isinstance(written, str) else written.decode("latin-1")
    look = pattern.search if is_anywhere else pattern.match
    for line in torn_lines(pattern=source):
        text = line if isinstance(written, str) else line.encode("latin-1", "replace")
        assert is_linear(look=look, text=text), line[:120]  # type: ignore[arg-type,type-var]


@pytest.mark.parametrize("dialect", DIALECTS, ids=[one.name for one in DIALECTS])
def test_a_dialect_is_linear_on_lines_torn_from_its_own(dialect: Dialect) -> None:
    module = import_module(f"apps.diagnosis.logs.dialects.{dialect.name}")
    own = [one.pattern for one in vars(module).values() if isinstance(one, re.Pattern)]
    assert own
    for source in own:
        for line in torn_lines(pattern=source):
            assert is_linear(look=dialect.peel, text=line), line[:120]
