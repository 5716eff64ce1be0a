"""Every pattern in the code that Python's `re` matches, whoever adds it: linear on hostile text.

Patterns stand at the top of a module, where they are found and tried here. One that is made from
what others send is RE2's (`apps/diagnosis/patterns.py`).
"""

import ast
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest

import apps
import portal
from apps.diagnosis.causes.load import load_subjects
from apps.diagnosis.logs.dialects import table
from apps.diagnosis.logs.dialects.dialect import Dialect
from apps.diagnosis.logs.parse import DIALECTS
from tests.diagnosis.signatures.attacks import attacks
from tests.diagnosis.signatures.linearity import is_linear
from tests.diagnosis.signatures.torn import torn_lines

# What asks for a place that is given; whatever else is done with a pattern may begin anywhere.
ANCHORED = frozenset({"match", "fullmatch", "pattern", "groupindex", "groups", "flags"})
# Longer than a line of a log: labels, names and queries have no limit of their own.
SIZE = 16 << 10
DEPTH = 3  # of tables that hold patterns
# Made inside of functions, and why nobody else can bring in what is slow.
MADE_INSIDE: Mapping[str, str] = {
    "apps/diagnosis/causes/load.py": "of our own table, whose patterns are tried here",
    "apps/diagnosis/logs/dialects/table.py": "of our own tables, once; each is tried here by name",
    "apps/incidents/projection/shared/hosts_in_words.py": "of names, in a change's few letters",
}
ROOT = Path(apps.__path__[0]).parent
Pattern = re.Pattern[str] | re.Pattern[bytes]


@dataclass(slots=True)
class Used:
    """A pattern, the first name it is known by, and whether a search for it may begin anywhere."""

    name: str
    pattern: Pattern
    is_anywhere: bool = False


def modules() -> Iterator[ModuleType]:
    """Yield every module of the portal but its migrations."""
    for package in (apps, portal):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations" not in found.name:
                yield import_module(found.name)


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Yield the path and the syntax of every file of the portal."""
    for path in chain((ROOT / "apps").rglob("*.py"), (ROOT / "portal").rglob("*.py")):
        yield str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))


def searched(module: ModuleType) -> set[str]:
    """Return the names that a module does something with that may begin anywhere."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    nodes = list(ast.walk(tree))
    asked = [one for one in nodes if isinstance(one, ast.Attribute) and one.attr in ANCHORED]
    anchored = {id(one.value) for one in asked}
    names = [one for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    return {one.id for one in names if id(one) not in anchored}


def inside(value: object, depth: int = 0) -> Iterator[Pattern]:
    """Yield the patterns that a value is or holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth < DEPTH and isinstance(value, Mapping):
        yield from chain.from_iterable(inside(each, depth + 1) for each in value.values())
    elif depth < DEPTH and isinstance(value, list | tuple | set | frozenset):
        yield from chain.from_iterable(inside(each, depth + 1) for each in value)


def patterns() -> Mapping[str, Used]:
    """Return every pattern that stands in a module, by one name of each."""
    found: dict[int, Used] = {}
    for module in modules():
        held = [
            (name, value, pattern)
            for name, value in vars(module).items()
            for pattern in inside(value)
        ]
        if held:  # few hold any, and reading their source takes long
            anywhere = searched(module)
            for name, value, pattern in held:
                used = found.setdefault(id(pattern), Used(f"{module.__name__}.{name}", pattern))
                used.is_anywhere |= name in anywhere or value is not pattern
    for slug, pattern in load_subjects().items():
        found[id(pattern)] = Used(f"subjects.{slug}", pattern, is_anywhere=True)
    return {f"{used.name}/{number}": used for number, used in enumerate(found.values())}


PATTERNS = patterns()


def lines_against(pattern: Pattern) -> Iterator[str | bytes]:
    """Yield hostile lines of the kind that a pattern searches."""
    written = pattern.pattern
    source = written if isinstance(written, str) else written.decode("latin-1")
    flags = pattern.flags & ~(re.UNICODE | re.DEBUG)
    for line in (*torn_lines(pattern=source), *attacks(pattern=source, size=SIZE, flags=flags)):
        yield line if isinstance(written, str) else line.encode("latin-1", "replace")


def slow_lines(used: Used) -> Iterable[str]:
    """Yield the beginnings of the lines on which a pattern is slower than in proportion."""
    look = used.pattern.search if used.is_anywhere else used.pattern.match
    for line in lines_against(used.pattern):
        if not is_linear(look=look, text=line):  # type: ignore[arg-type,type-var]  # of its own kind
            yield str(line[:120])


def test_patterns_are_found_wherever_they_stand() -> None:
    names = {name.rpartition("/")[0] for name in PATTERNS}
    assert "apps.operations.process_log.log_lines._SECRET" in names
    assert "apps.diagnosis.signatures.records.platform_error.SAYS" in names  # in a table
    assert {used.is_anywhere for used in PATTERNS.values()} == {True, False}


@pytest.mark.sweep
def test_a_pattern_of_the_code_is_linear_on_lines_made_against_it() -> None:
    slow = {name: list(slow_lines(used)) for name, used in PATTERNS.items()}
    assert {name: lines for name, lines in slow.items() if lines} == {}


def test_what_is_quadratic_is_found() -> None:
    used = Used("bad", re.compile(r"x\d*\d*y"), is_anywhere=True)
    assert any(True for _ in slow_lines(used))


def test_no_pattern_is_made_inside_of_a_function() -> None:
    found = {path for path, tree in trees() for _ in _made_inside(tree)}
    assert found == set(MADE_INSIDE)


def _made_inside(tree: ast.Module) -> Iterator[ast.Call]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            calls = (one for one in ast.walk(function) if isinstance(one, ast.Call))
            yield from filter(_is_of_re, calls)


def _is_of_re(node: ast.Call) -> bool:
    if not isinstance(node.func, ast.Attribute):
        return False
    module = node.func.value
    is_own = isinstance(module, ast.Name) and module.id == "re"
    return is_own and node.func.attr not in {"escape", "purge"}


def test_nothing_but_re_itself_is_imported_of_it() -> None:
    for path, tree in trees():
        named = [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)]
        assert all(one.module != "re" for one in named), path
        plain = [
            each for one in ast.walk(tree) if isinstance(one, ast.Import) for each in one.names
        ]
        assert all(each.asname is None for each in plain if each.name == "re"), path


@pytest.mark.parametrize("dialect", DIALECTS, ids=[one.name for one in DIALECTS])
def test_a_dialect_is_linear_on_lines_torn_from_its_own(dialect: Dialect) -> None:
    own = list(_patterns_of(dialect.name))
    assert own
    for source in own:
        for line in (*torn_lines(pattern=source), *attacks(pattern=source, size=8192)):
            assert is_linear(look=dialect.peel, text=line), line[:120]


def _patterns_of(name: str) -> Iterator[str]:
    rows = [row.pattern.pattern for row in table.load_folder() if row.dialect.name == name]
    if rows:
        yield from rows
        return
    module = import_module(f"apps.diagnosis.logs.dialects.modules.{name}")
    yield from (one.pattern for one in vars(module).values() if isinstance(one, re.Pattern))
